"""Comparisons, cross tables and weighted shares of the questions of a study."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.display.notebooks import Shown, html_table, paragraphs, sheet_view, view_of
from sfumato.display.tables import Sheet
from sfumato.display.text import epsilon_text, interval_words, share_words
from sfumato.errors import InvalidParameter
from sfumato.inference.joint_tables import AssociationTest, JointTable, homogeneity_test, joint_table, scores_of
from sfumato.inference.regression.result import p_words
from sfumato.inference.results import Between, Contrast, contrast_cells, contrast_name, group_contrasts
from sfumato.inference.weighted_estimates import WeightedEstimate, weighted_mean, weighted_shares
from sfumato.numbers.intervals import Interval
from sfumato.prob.channel import Channel
from sfumato.prob.structured import AnyChannel
from sfumato.publications.estimating import Collected, Estimates, estimate_collected
from sfumato.publications.model_data import BoolArray, ModelData, Sampled, cell_texts, public_column
from sfumato.sampling.mechanism import Tally

MOST_TESTED = 256
"""Answers up to which groups are tested together."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Comparison(Shown):
    """Estimates of what is compared, their differences with intervals, and whether they differ at all.

    `test` asks whether all groups have the same shares; None between answers, and where it is not worked out.
    """

    question: str
    estimates: Estimates
    contrasts: tuple[Contrast, ...]
    test: AssociationTest | None = None
    notes: tuple[str, ...] = ()

    def _view(self) -> str:
        rows = [(f"{one.first} minus {one.second}", contrast_name(one), *contrast_cells(one)) for one in self.contrasts]
        table = html_table(("compared", "of", "difference", "interval"), rows)
        return f"{view_of(self.estimates)}{table}{paragraphs(comparison_words(self))}"


def compared_groups(reports: Collected, question: str, by: str, *, confidence: float, simultaneous: bool) -> Comparison:
    """Compare the groups of a public column."""
    found = estimate_collected(
        reports, confidence=confidence, group=by, questions=[question], simultaneous=simultaneous
    )
    channel = _channel(reports, question)
    groups = {label: (channel, tally) for label, tally in reports.tallies(question, by) if label is not None}
    return Comparison(question=question, estimates=found, contrasts=found.contrasts(), test=_test(groups))


def compared_waves(waves: Mapping[str, Any], question: str, *, confidence: float, simultaneous: bool) -> Comparison:
    """Compare reports of different people: waves, or studies that asked the same."""
    if len(waves) < 2:
        raise InvalidParameter("must be two or more", parameter="reports", way_out="Give each wave under its name.")
    labels = {name: one.note.handler(question).question.labels for name, one in waves.items()}
    if len(set(labels.values())) != 1:
        raise InvalidParameter(
            f"have different answers to {question!r}", parameter="reports", way_out="Compare waves that asked the same."
        )
    made = {
        name: estimate_collected(one, confidence=confidence, questions=[question])[0] for name, one in waves.items()
    }
    if simultaneous:
        claims = sum(one.claims for one in made.values())
        share = 1 - (1 - confidence) / max(1, claims)
        made = {
            name: replace(estimate_collected(one, confidence=share, questions=[question])[0], together=confidence)
            for name, one in waves.items()
        }
    # Reports of a level look sharper or softer from wave to wave; what is estimated is the same.
    found = Estimates(tuple(replace(one, group=name) for name, one in made.items()))
    level = found[0].level
    pairs = group_contrasts([replace(one, level=level) for one in found])
    groups = {name: (_channel(one, question), next(_everybody(one, question))) for name, one in waves.items()}
    note = "Waves are taken as different people; of the same people, differences are surer than these intervals say."
    return Comparison(question=question, estimates=found, contrasts=pairs, test=_test(groups), notes=(note,))


def compared_answers(reports: Collected, question: str, *, confidence: float, simultaneous: bool) -> Comparison:
    """Compare the answers of the same people."""
    found = estimate_collected(reports, confidence=confidence, questions=[question], simultaneous=simultaneous)
    return Comparison(question=question, estimates=found, contrasts=found.contrasts(Between.ANSWERS))


def _everybody(reports: Any, question: str) -> Iterator[Any]:
    return (tally for label, tally in reports.tallies(question) if label is None)


def _channel(reports: Any, question: str) -> AnyChannel | None:
    """Return the channel of a question whose reports are counted by it; None where they are not."""
    note = reports.note
    handler = note.handler(question)
    if handler.by_position or handler.by_number or not handler.by_row:
        return None
    try:
        found: AnyChannel = handler.channel(note.column(question).level)
    except InvalidParameter:
        return None
    return found if found.shape[0] <= MOST_TESTED else None


def _test(groups: Mapping[str, tuple[AnyChannel | None, Any]]) -> AssociationTest | None:
    counted = [
        (channel, np.array(tally.counts))
        for channel, tally in groups.values()
        if channel is not None and isinstance(tally, Tally) and len(tally.counts) == channel.shape[1]
    ]
    if len(counted) != len(groups) or len(groups) < 2:
        return None
    return homogeneity_test([channel for channel, _ in counted], [counts for _, counts in counted])


# --- Cross tables
# The joint table of the answers to two questions, or of one and a public column, and its test.


MOST_VALUES = 100
"""Different values of a public column up to which it is crossed."""
_MOST_REPORTS = 20_000_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Axis:
    """One side of a table: a question as it was reported, or a public column, whose channel hides nothing."""

    name: str
    text: str
    labels: tuple[str, ...]
    epsilon: float
    is_public: bool = False


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Crosstab(Shown):
    """The joint table of two or more questions. `table` has the numbers, `axes` say what its sides are.

    `left_out` people did not report on all of them.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> asked = tuple(sf.YesNo(id=name, text=f"{name}?", epsilon=Fraction(3)) for name in ("smokes", "drinks"))
    >>> answers = {"smokes": ["no", "no", "yes", "yes"] * 500, "drinks": ["no", "no", "no", "yes"] * 500}
    >>> made = sf.publish(sf.Study(name="Habits", questions=asked), answers, insecure_seed=7)
    >>> found = sf.crosstab(made.reports, "smokes", "drinks")
    >>> found.axes[0].labels, found.table.test.p_value < 1e-6
    (('no', 'yes'), True)
    """

    axes: tuple[Axis, ...]
    table: JointTable
    left_out: int = 0
    notes: tuple[str, ...] = ()

    def _view(self) -> str:
        return sheet_view(crosstab_sheet(self))

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one row for each combination of answers."""
        found = self.table
        return [
            {axis.name: axis.labels[place] for axis, place in zip(self.axes, cell, strict=True)}
            | {
                "share": float(found.shares[cell]),
                "raw": float(found.raw[cell]),
                "standard_error": float(found.standard_errors[cell]),
                "lower": float(found.lower[cell]),
                "upper": float(found.upper[cell]),
                "confidence": found.confidence,
                "reports": found.total,
            }
            for cell in product(*(range(len(axis.labels)) for axis in self.axes))
        ]

    def to_arrow(self) -> Any:
        """Return the rows as an Arrow table."""
        import pyarrow as pa  # noqa: PLC0415  takes a second to import

        return pa.Table.from_pylist(self.to_rows())

    def __repr__(self) -> str:
        names = " × ".join(axis.name for axis in self.axes)
        return f"<Crosstab of {names}: {self.table.total:,} reports, p = {self.table.test.p_value:.3g}>"


def crossed(data: ModelData, names: Sequence[str], confidence: float) -> Crosstab:
    """Cross questions, and public columns, of the same people."""
    check_names(names)
    for name in names:
        if name not in data.variables:
            public_column("questions", name, data)
    people = data.filled(names)
    if not people.any():
        raise InvalidParameter(
            "have no person who reported on all of them", parameter="questions", way_out="Name others."
        )
    sides = [_asked(data, people, name) if name in data.variables else _public(data, people, name) for name in names]
    size = math.prod(channel.shape[1] for _, channel, _ in sides)
    if size > _MOST_REPORTS:
        raise InvalidParameter(
            f"have {size:,} combinations of reports; at most {_MOST_REPORTS:,} are counted",
            parameter="questions",
            way_out="Take fewer questions, or ones with fewer answers.",
        )
    counts = np.zeros(tuple(channel.shape[1] for _, channel, _ in sides))
    np.add.at(counts, tuple(codes for _, _, codes in sides), 1)
    return Crosstab(
        axes=tuple(axis for axis, _, _ in sides),
        table=joint_table([channel for _, channel, _ in sides], counts, confidence=confidence),
        left_out=int((~people).sum()),
        notes=data.notes,
    )


def check_names(names: Sequence[str]) -> None:
    """Refuse fewer than two, and one twice."""
    if len(names) < 2 or len(set(names)) != len(names):
        raise InvalidParameter(
            "must be two or more different ones",
            parameter="questions",
            value=", ".join(names),
            way_out="Name each question once.",
        )


def _asked(data: ModelData, people: BoolArray, name: str) -> tuple[Axis, AnyChannel, npt.NDArray[np.int64]]:
    variable = data.variables[name]
    channel, reports = variable.seen(people)
    axis = Axis(name=name, text=variable.text, labels=variable.column.labels, epsilon=variable.epsilon)
    return axis, channel, reports


def _public(data: ModelData, people: BoolArray, name: str) -> tuple[Axis, AnyChannel, npt.NDArray[np.int64]]:
    texts = cell_texts(data.columns[name][people])
    labels, codes = np.unique(texts.astype(str), return_inverse=True)
    if not 2 <= labels.size <= MOST_VALUES:
        raise InvalidParameter(
            f"has {labels.size:,} different values, and a column is crossed that has 2 to {MOST_VALUES}",
            parameter="questions",
            value=name,
            way_out="Put them into groups first, or name another column.",
        )
    shown = tuple(map(str, labels))
    axis = Axis(name=name, text=name, labels=shown, epsilon=math.inf, is_public=True)
    return axis, Channel(np.eye(labels.size), shown, shown), codes.astype(np.int64)


# --- Weighted shares
# Shares of a question in a population, from a sample with a sampling design.


MOST_WEIGHTED = 256
"""Answers up to which shares are weighted."""


@dataclass(frozen=True, kw_only=True, eq=False)
class WeightedShares(Shown):
    """The share of each answer, and the mean where answers are numbers. `left_out` people lack something named."""

    question: str
    labels: tuple[str, ...]
    estimates: tuple[WeightedEstimate, ...]
    mean: WeightedEstimate | None
    confidence: float
    reports: int
    left_out: int
    notes: tuple[str, ...] = ()

    def _view(self) -> str:
        return sheet_view(weighted_sheet(self))

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one row for each answer, and one for the mean."""
        named: list[tuple[str, str | None, WeightedEstimate]] = [
            ("share", label, one) for label, one in zip(self.labels, self.estimates, strict=True)
        ]
        named += [] if self.mean is None else [("mean", None, self.mean)]
        return [
            {
                "question": self.question,
                "quantity": quantity,
                "answer": label,
                "value": one.value,
                "raw": one.raw,
                "standard_error": one.standard_error,
                "lower": one.interval.lower,
                "upper": one.interval.upper,
                "confidence": self.confidence,
                "reports": self.reports,
                "effective_size": one.effective_size,
                "design_effect": one.design_effect,
            }
            for quantity, label, one in named
        ]


def shares_by_weight(data: ModelData, question: str, sampled: Sampled, confidence: float) -> WeightedShares:
    """Return the shares of a question by a plan."""
    if question not in data.variables:
        raise InvalidParameter(
            f"is no question here; there are: {', '.join(data.variables)}",
            parameter="question",
            value=question,
            way_out="Name one of these.",
        )
    variable = data.variables[question]
    count = len(variable.column.labels)
    if count > MOST_WEIGHTED:
        raise InvalidParameter(
            f"has {count} answers, and at most {MOST_WEIGHTED} are weighted",
            parameter="question",
            value=question,
            way_out="Merge answers, or estimate it without weights.",
        )
    people = data.filled([question, *(name for name in sampled.names if name in data.columns)])
    if not people.any():
        raise InvalidParameter(
            "has no person with a report and all that the plan names",
            parameter="question",
            value=question,
            way_out="Leave a column out.",
        )
    column, plan = variable.column, sampled.plan(data, people)
    channel, seen = variable.seen(people)
    scores = scores_of(channel)[seen]
    values = column.values
    shared = weighted_shares(scores[:, 1], plan, confidence=confidence) if count == 2 else None
    estimates = weighted_shares(scores, plan, confidence=confidence) if shared is None else (_other(shared[0]), *shared)
    mean = None if values is None else weighted_mean(scores, plan, np.array(values), confidence=confidence)
    return WeightedShares(
        question=question,
        labels=column.labels,
        estimates=estimates,
        mean=mean,
        confidence=confidence,
        reports=seen.size,
        left_out=data.rows - seen.size,
        notes=(*plan.notes, *data.notes),
    )


def _other(one: WeightedEstimate) -> WeightedEstimate:
    """Return the share of the first of two answers: what the second leaves."""
    return replace(
        one, value=1 - one.value, raw=1 - one.raw, interval=Interval(1 - one.interval.upper, 1 - one.interval.lower)
    )


# Comparisons, cross tables and weighted shares as tables.


_MOST_ACROSS = 3
"""Answers that stand beside each other; a table of more is a list of combinations."""


def crosstab_sheet(found: Crosstab) -> Sheet:
    """Return two questions as a square table, more as a list of combinations."""
    table, axes = found.table, found.axes
    named = [f"{axis.name}: {'public' if axis.is_public else f'ε = {epsilon_text(axis.epsilon)}'}" for axis in axes]
    notes = [
        f"{table.total:,} reports; {'; '.join(named)}.",
        f"Shares of everybody, with intervals of {100 * table.confidence:.6g} %.",
    ]
    notes += association_words(found)
    if found.left_out:
        notes.append(f"{found.left_out:,} people are left out, who did not report on all of these.")
    title, notes = " × ".join(axis.text for axis in axes), [*notes, *found.notes]
    widths = sorted(len(axis.labels) for axis in axes)
    if len(axes) > 2 or widths[0] > _MOST_ACROSS:
        rows = tuple(
            (*(axis.labels[place] for axis, place in zip(axes, cell, strict=True)), *_cell(found, cell))
            for cell in product(*(range(len(axis.labels)) for axis in axes))
        )
        header = (*(axis.name for axis in axes), "share", "interval")
        return Sheet(title=title, header=header, rows=rows, notes=tuple(notes), left=tuple(range(len(axes))))
    # The question with fewer answers stands across, where there is less room.
    down, across = (1, 0) if len(axes[0].labels) < len(axes[1].labels) else (0, 1)
    rows = tuple(
        (
            label,
            *(_in_one(found, (place, other) if down == 0 else (other, place)) for other in _places(axes[across])),
            share_words(float(table.margins[down][place])),
        )
        for place, label in enumerate(axes[down].labels)
    )
    bottom = ("all", *(share_words(float(share)) for share in table.margins[across]), share_words(1.0))
    header = (axes[down].name, *(f"{axes[across].name}: {label}" for label in axes[across].labels), "all")
    return Sheet(title=title, header=header, rows=(*rows, bottom), notes=tuple(notes))


def association_words(found: Crosstab) -> list[str]:
    """Say whether questions go together, and how much."""
    table = found.table
    said = [tested_words(table.test, "all questions are independent")]
    if table.cramers_v is not None:
        said.append(f"Cramér's V of the table: {table.cramers_v:.3f} (0: independent, 1: one tells the other).")
    ratio = table.odds_ratio
    if ratio is not None:
        ends = f"{ratio.interval.lower:.3g} to {_shown(ratio.interval.upper)}"
        said.append(
            f"odds ratio {_shown(ratio.value)} ({100 * table.confidence:.6g} % interval {ends}, by profile likelihood)."
        )
    return said


def tested_words(test: AssociationTest, hypothesis: str) -> str:
    """Say what a test found."""
    return (
        f"χ² = {test.statistic:.2f} with {test.freedom} degrees of freedom, p {_sign(test.p_value)}: how likely so "
        f"much is by chance if {hypothesis}."
    )


def weighted_sheet(found: WeightedShares) -> Sheet:
    """Return weighted shares as a table."""
    rows = [
        (label, share_words(one.value), interval_words(one.interval), share_words(one.raw), f"{one.design_effect:.2f}")
        for label, one in zip(found.labels, found.estimates, strict=True)
    ]
    if found.mean is not None:
        one = found.mean
        ends = f"{one.interval.lower:.4g} – {one.interval.upper:.4g}"
        rows.append(("mean", f"{one.value:.4g}", ends, f"{one.raw:.4g}", f"{one.design_effect:.2f}"))
    notes = [f"{found.reports:,} reports. A design effect of 2: as sure as half as many people drawn at random."]
    if found.left_out:
        notes.append(f"{found.left_out:,} people are left out, who lack a report or something that the plan names.")
    return Sheet(
        title=f"{found.question}  (shares in the population)",
        header=("answer", "share", f"{100 * found.confidence:.6g} % interval", "raw", "design effect"),
        rows=tuple(rows),
        notes=(*notes, *found.notes),
    )


def comparison_words(found: Comparison) -> tuple[str, ...]:
    """Say what the test of a comparison found."""
    tested = () if found.test is None else (tested_words(found.test, "all groups have the same shares"),)
    return (*tested, *found.notes)


def _cell(found: Crosstab, cell: tuple[int, ...]) -> tuple[str, str]:
    table = found.table
    ends = interval_words(Interval(float(table.lower[cell]), float(table.upper[cell])))
    return share_words(float(table.shares[cell])), ends


def _in_one(found: Crosstab, cell: tuple[int, ...]) -> str:
    share, ends = _cell(found, cell)
    return f"{share} ({ends})"


def _places(axis: Axis) -> range:
    return range(len(axis.labels))


def _sign(p_value: float) -> str:
    words = p_words(p_value)
    return words if words.startswith("<") else f"= {words}"


def _shown(number: float) -> str:
    return "∞" if math.isinf(number) else f"{number:.3g}"
