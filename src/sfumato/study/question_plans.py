"""The plan of a question: levels, tables, respondents needed and what a report says about the answer.

Each question kind fills in the parts that it has. Terminal, Markdown and pages show the parts that are there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sfumato import measures
from sfumato.certificates.certificate import Certificate
from sfumato.display.notebooks import Shown, headline, html_table, listed, paragraphs
from sfumato.display.text import at_most, percent, percent_at_most
from sfumato.errors import InvalidParameter
from sfumato.measures.guessing import raised_share
from sfumato.numbers.intervals import float_above
from sfumato.prob.channel import Channel
from sfumato.prob.structured import AnyChannel
from sfumato.study.question import ShareRange

if TYPE_CHECKING:
    from sfumato.study.handler import Handler
    from sfumato.study.question import Question
    from sfumato.surveys.cards import SpinnerCard


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelPlan:
    """One level of a question, 1 the sharpest: its ε, and who sees it."""

    level: int
    epsilon: float
    readers: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanTable:
    """Rows of words under a title; `chosen` is the row that the study has, `words` how many columns are no numbers."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    chosen: int | None = None
    words: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """Comparisons as a plan has them: in words, in tables, and for programs."""

    words: tuple[str, ...] = ()
    tables: tuple[PlanTable, ...] = ()
    documents: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AccuracyCurve:
    """Privacy against accuracy: √n times the standard deviation of a share, by ε; `marks` are the study's levels."""

    points: tuple[tuple[float, float], ...]
    marks: tuple[tuple[float, float, tuple[str, ...]], ...]
    half_width: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CostLevel:
    """At one guess error, about how many respondents each design needs, by name; inf when it learns nothing."""

    guess_error: Fraction
    respondents: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CostCurve:
    """Privacy against respondents: what each design costs at each guess error, for one goal."""

    levels: tuple[CostLevel, ...]
    guess_error: Fraction
    goal: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A sentence about what a respondent risks; an alarm is shown as one."""

    sentence: str
    is_alarm: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionPlan(Shown):
    """The plan of a question.

    `because` says how it is asked and why, `words` what that costs; `instructions` is what a respondent does by hand,
    `protection` what they should know before. `sentences` are the claims that matter most, for a page. `costs` draws a
    curve that takes a second to work out; `document` holds what is particular to the question kind, for programs.
    `arguments` say what the tables compare, `closeness` how close the estimates come to the best possible. `risk` is
    what reports disclose, `groups` what it takes to see a difference; a study's plan fills them in for every kind.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> study = sf.Study(name="Rest", questions=(sf.YesNo(id="tired", text="Tired?", epsilon=Fraction(1)),))
    >>> planned, = sf.plan(study).questions
    >>> planned.because
    'Two answers: each report is the answer or its opposite, one level, by flips.'
    >>> planned.tables[0].header[3], planned.tables[0].rows[0][3], planned.readers_of(1)
    ('respondents', '1,799', 'public')
    """

    question: Question
    because: str
    levels: tuple[LevelPlan, ...]
    certificate: Certificate
    sentences: tuple[Said, ...]
    words: tuple[str, ...] = ()
    instructions: tuple[str, ...] = ()
    protection: tuple[Said, ...] = ()
    arguments: tuple[str, ...] = ()
    closeness: str = ""
    tables: tuple[PlanTable, ...] = ()
    curve: AccuracyCurve | None = None
    costs: Callable[[], CostCurve] | None = None
    card: SpinnerCard | None = None
    document: Mapping[str, Any] = field(default_factory=dict)
    risk: QuestionRisk | None = None
    groups: GroupNeeds | None = None

    def _view(self) -> str:
        parts = [headline(f"{self.question.id}: {self.question.text}"), paragraphs([self.because, *self.words])]
        if self.instructions:
            parts.append(listed(self.instructions, "ol"))
        if self.protection:
            parts.append(listed(one.sentence for one in self.protection))
        parts += [paragraphs([table.title]) + html_table(table.header, table.rows) for table in self.tables]
        return "".join(parts)

    def readers_of(self, level: int) -> str:
        """Name who sees a level."""
        return ", ".join(self.levels[level - 1].readers) or f"level {level}"


# --- Respondents needed to see a difference between two groups
# The two-sided test of equal shares at 5 % with power 80 %: the usual rule n = (z_α/2 + z_β)²(v_1 + v_2)/Δ² in each
# group, by the normal approximation with exact variances.


FloatArray = npt.NDArray[np.float64]
LEVEL, POWER = 0.05, 0.8
# Larger numbers are not shown.
_MOST_NEEDED = 10**12


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupNeeds:
    """Respondents in each of two groups, reader by reader; None where no number is enough."""

    shares: tuple[Fraction, Fraction]
    levels: tuple[LevelPlan, ...]
    respondents: tuple[int | None, ...]

    @property
    def sentence(self) -> str:
        """Say it in words."""
        first, second = self.shares
        needs = ["no number is enough" if n is None else f"about {_rounded(n):,} respondents" for n in self.respondents]
        said = needs[0]
        if len(needs) > 1:
            said = "; ".join(f"{', '.join(level.readers)}: {n}" for level, n in zip(self.levels, needs, strict=True))
        return (
            f"Respondents in each of two groups, to see a difference of {100 * float(abs(second - first)):g} points "
            f"between {percent(first)} and {percent(second)} in 80 of 100 surveys (a test at the 5 % level): {said}."
        )

    @property
    def document(self) -> dict[str, Any]:
        """Return it for programs."""
        return {
            "shares": [str(share) for share in self.shares],
            "significance": LEVEL,
            "power": POWER,
            "respondents_in_each_group": [
                {"level": level.level, "readers": list(level.readers), "respondents": n}
                for level, n in zip(self.levels, self.respondents, strict=True)
            ],
        }


def needs_of_groups(handler: Handler, levels: Sequence[LevelPlan]) -> GroupNeeds | None:
    """Return the respondents needed by every reader; None where the handler reads no shares."""
    first = handler.question.told_shares.expected
    gap = handler.question.told_difference
    second = first + gap if first + gap <= 1 else first - gap
    found = []
    for level in levels:
        deviations = [handler.share_deviation(level.level, float(share)) for share in (first, second)]
        if any(deviation is None for deviation in deviations):
            return None
        found.append(respondents_in_each([d for d in deviations if d is not None], float(gap)))
    return GroupNeeds(shares=(first, second), levels=tuple(levels), respondents=tuple(found))


def respondents_in_each(deviations: Sequence[float], gap: float) -> int | None:
    """Return the number in each group from √n times the deviation of each group's share."""
    normal = NormalDist()
    reach = normal.inv_cdf(1 - LEVEL / 2) + normal.inv_cdf(POWER)
    needed = reach**2 * sum(deviation**2 for deviation in deviations) / gap**2
    return None if not needed < _MOST_NEEDED else max(2, math.ceil(needed))


def _rounded(whole: int) -> int:
    """Three digits: the rule is good for no more."""
    return round(whole, 3 - len(str(whole))) if whole >= 1000 else whole


def weighted_deviation(channel: FloatArray, weights: FloatArray, share: float) -> float:
    """√n times the standard deviation of the worst unbiased share, where it is `share` and the others are even."""
    answers = len(channel)
    worst = 0.0
    for x, column in enumerate(weights.T):
        prior = np.full(answers, (1 - share) / max(1, answers - 1))
        prior[x] = share
        law = prior @ channel
        worst = max(worst, float(law @ column**2 - (law @ column) ** 2))
    return math.sqrt(worst)


# --- The risk of a report: P(answer | report) for every reader and report, at stated shares
# It follows exactly from the channel of each level by Bayes' rule. With many answers the number is the maximum over how
# the other answers are distributed. Where a report has no channel of its own, ε bounds the odds.
# Theory: docs/theory/posteriors.md


# Channels no larger than this are described report by report, where reports have names.
MOST_LISTED = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportRisk:
    """One report and the answer that is looked at: its posterior at each share.

    `even` is the posterior if all other answers are equally frequent, which of two answers is the same. Without a
    `report` it is the one that discloses most, without an `answer` the one that it discloses most about.
    """

    report: str | None
    answer: str | None
    posteriors: tuple[Fraction, ...]
    even: tuple[Fraction, ...] | None
    proves: str | None = None
    """The answer that only this report can come from, if there is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelRisk:
    """What the readers of a level learn. With `is_bound` the numbers follow from ε alone."""

    level: LevelPlan
    reports: tuple[ReportRisk, ...]
    is_bound: bool = False

    def worst(self, place: int) -> ReportRisk:
        """Return the report after which the answer is likeliest, at the share that stands at a place."""
        return max(self.reports, key=lambda one: one.posteriors[place])


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionRisk:
    """What reports disclose, at which shares, level by level; `answer_count` is 0 where answers are any text."""

    shares: ShareRange
    levels: tuple[LevelRisk, ...]
    answer_count: int

    @property
    def place(self) -> int:
        """Where the expected share stands."""
        return self.shares.shares.index(self.shares.expected)


def risk_of(handler: Handler, levels: Sequence[LevelPlan]) -> QuestionRisk:
    """Work out what each reader learns from each report of a question."""
    shares = handler.question.told_shares
    found = []
    count = len(handler.question.labels)
    for level in levels:
        channel = _channel(handler, level.level)
        if channel is None:
            found.append(LevelRisk(level=level, reports=(_bounded(level.epsilon, shares.shares),), is_bound=True))
        else:
            count = channel.shape[0]
            found.append(LevelRisk(level=level, reports=_reports(handler, channel, shares.shares)))
    return QuestionRisk(shares=shares, levels=tuple(found), answer_count=count)


def _channel(handler: Handler, level: int) -> AnyChannel | None:
    try:
        return handler.channel(level)
    except InvalidParameter:  # reports do not stand alone, or there are too many questions to write out
        return None


def _bounded(epsilon: float, shares: Sequence[Fraction]) -> ReportRisk:
    """Posterior odds are at most e^ε times the prior odds, rounded up."""
    if math.isinf(epsilon):
        posteriors = tuple(Fraction(share > 0) for share in shares)
    else:
        # The two roundings of exp are far below one in 2^50.
        odds = Fraction(math.exp(float_above(Fraction(epsilon)))) * (1 + Fraction(1, 1 << 50))
        posteriors = tuple(Fraction(raised_share(share, odds, Fraction(1))) for share in shares)
    return ReportRisk(report=None, answer=None, posteriors=posteriors, even=None)


def _reports(handler: Handler, channel: AnyChannel, shares: Sequence[Fraction]) -> tuple[ReportRisk, ...]:
    names, entries = handler.report_labels, channel.shape[0] * channel.shape[1]
    if channel.shape[0] == 2 and isinstance(channel, Channel) and entries <= MOST_LISTED:
        return tuple(_of_two(channel, y, shares) for y in range(channel.shape[1]))
    if names is not None and isinstance(channel, Channel) and entries <= MOST_LISTED:
        return tuple(_of_many(channel, y, shares) for y in range(channel.shape[1]))
    worst = tuple(Fraction(measures.largest_posterior(channel, share)) for share in shares)
    even = tuple(Fraction(measures.largest_even_posterior(channel, share)) for share in shares)
    proves = "an answer" if any(p == 1 for p, share in zip(even, shares, strict=True) if 0 < share < 1) else None
    return (ReportRisk(report=None, answer=None, posteriors=worst, even=even, proves=proves),)


def _of_two(channel: Channel, report: int, shares: Sequence[Fraction]) -> ReportRisk:
    """The second answer, whose share is asked for; the first has what is left."""
    first, second = (Fraction(channel[x, report]) for x in (0, 1))
    found = tuple(Fraction(raised_share(share, second, first)) for share in shares)
    answers = [str(label) for label in channel.inputs]
    alone = None if (first > 0) == (second > 0) else answers[int(second > 0)]
    return ReportRisk(
        report=str(channel.outputs[report]), answer=answers[1], posteriors=found, even=found, proves=alone
    )


def _of_many(channel: Channel, report: int, shares: Sequence[Fraction]) -> ReportRisk:
    """The answers that the report favours most."""
    column = [Fraction(channel[x, report]) for x in range(channel.shape[0])]
    high, low = max(column), min(column)
    rest = (sum(column) - high) / (len(column) - 1)
    favoured = [str(label) for label, p in zip(channel.inputs, column, strict=True) if p == high]
    possible = sum(p > 0 for p in column)
    return ReportRisk(
        report=str(channel.outputs[report]),
        answer=favoured[0] if len(favoured) == 1 else None,
        posteriors=tuple(Fraction(raised_share(share, high, low)) for share in shares),
        even=tuple(Fraction(raised_share(share, high, rest)) for share in shares),
        proves=favoured[0] if possible == 1 else None,
    )


# --- Risks as tables and documents
# In natural frequencies; every number is rounded up.


_MANY = "one that it favours"
_STRONGEST = "the one that tells most"
_EACH, _OWN = "each report", "the one it names"
# Below this, tenths of a per cent show too little.
_FINE = Fraction(1, 100)
# Longer fractions are not shown.
_LONGEST = 200


def risk_sentences(risk: QuestionRisk) -> tuple[Said, ...]:
    """Say for each reader what the worst report makes of the expected share, and which reports prove an answer."""
    said = [Said(sentence=_sentence(risk, level)) for level in risk.levels]
    proofs = dict.fromkeys(
        (one.report, one.proves) for level in risk.levels for one in level.reports if one.proves is not None
    )
    return (*said, *(Said(sentence=_proof(*proof), is_alarm=True) for proof in proofs))


def public_sentence(risk: QuestionRisk) -> str:
    """Return what public reports disclose, in a sentence for a person who is asked to give one."""
    said = _sentence(risk, risk.levels[-1]).partition(": ")[2]
    return said[0].upper() + said[1:]


def risk_table(risk: QuestionRisk) -> PlanTable:
    """Return P(answer | report) at each share, for each reader and report."""
    of_two = risk.answer_count == 2 and not any(level.is_bound for level in risk.levels)
    held = f"“{risk.levels[0].reports[0].answer}”" if of_two else "an answer"
    rows = tuple(
        (
            *((", ".join(level.level.readers),) if len(risk.levels) > 1 else ()),
            *((report,) if of_two else (report, answer)),
            *map(_percent, posteriors),
        )
        for level in risk.levels
        for report, answer, posteriors in _shown(level.reports, of_two=of_two)
    )
    heads = ("readers",) if len(risk.levels) > 1 else ()
    return PlanTable(
        title=f"How likely {held} is after a report, by how many hold it ({risk.shares.because})",
        header=(*heads, "report", *(() if of_two else ("answer",)), *(f"{_share(s)} hold" for s in risk.shares.shares)),
        rows=rows,
        words=len(heads) + (1 if of_two else 2),
    )


def risk_document(risk: QuestionRisk) -> dict[str, Any]:
    """Return everything, exact numbers as fractions."""
    return {
        "shares": [str(share) for share in risk.shares.shares],
        "expected_share": str(risk.shares.expected),
        "shares_because": risk.shares.because,
        "sentences": [said.sentence for said in risk_sentences(risk)],
        "levels": [
            {
                "level": level.level.level,
                "readers": list(level.level.readers),
                "from_epsilon_alone": level.is_bound,
                "reports": [
                    {
                        "report": one.report,
                        "answer": one.answer,
                        "posteriors": [_number(p) for p in one.posteriors],
                        "posteriors_if_others_are_even": None if one.even is None else [_number(p) for p in one.even],
                        "proves": one.proves,
                    }
                    for one in level.reports
                ],
            }
            for level in risk.levels
        ],
    }


def people(share: Fraction) -> int:
    """Return among how many people a share is stated: a hundred, or more where it would be less than one of them."""
    size = 100
    while 0 < share * size < 1 and size < 10**9:
        size *= 10
    return size


def of_people(share: Fraction, size: int) -> str:
    """Say a share as so many of so many people."""
    count = share * size
    return f"{'' if count.denominator == 1 else 'about '}{round(count):,} of {size:,}"


def _sentence(risk: QuestionRisk, level: LevelRisk) -> str:
    share, worst = risk.shares.expected, level.worst(risk.place)
    size = people(share)
    most = (
        f"at most {math.ceil(worst.posteriors[risk.place] * size):,} do"
        if worst.posteriors[risk.place] < 1
        else "all do"
    )
    who = "What everybody sees" if risk.levels[-1] is level else f"What {' and '.join(level.level.readers)} may see"
    held = of_people(share, size)
    if level.is_bound:
        odds = "without limit" if math.isinf(level.level.epsilon) else f"at most {at_most(_odds(level))} times"
        return (
            f"{who}: after any report the odds of an answer rise {odds}. If {held} people hold it, then of {size:,} "
            f"who give one report {most}."
        )
    if risk.answer_count == 2:
        return (
            f"{who}: if {held} people hold “{worst.answer}”, then of {size:,} whose report is “{worst.report}” {most}."
        )
    return (
        f"{who}: if {held} people hold an answer, then of {size:,} whose report favours it most {most}, whatever "
        f"the others hold."
    )


def _proof(report: str | None, answer: str) -> str:
    if report is None:
        return "Some reports prove an answer: only those who hold it can give them."
    return f"The report “{report}” proves the answer “{answer}”: only those who hold it can give it."


def _odds(level: LevelRisk) -> Fraction:
    return Fraction(math.exp(level.level.epsilon))


def _shown(reports: tuple[ReportRisk, ...], *, of_two: bool) -> list[tuple[str, str, tuple[Fraction, ...]]]:
    """Return a row for each report, or one for all where they disclose as much, each of another answer."""
    if not of_two and len(reports) > 1 and len({one.posteriors for one in reports}) == 1:
        return [(_EACH, _MANY if any(one.answer is None for one in reports) else _OWN, reports[0].posteriors)]
    return [
        (
            _STRONGEST if one.report is None else f"“{one.report}”",
            _MANY if one.answer is None else f"“{one.answer}”",
            one.posteriors,
        )
        for one in reports
    ]


def _share(share: Fraction) -> str:
    return f"{float(100 * share):.3g} %"


def _percent(value: Fraction) -> str:
    """Tenths of a per cent are enough to see, and are rounded up."""
    if value in {0, 1}:
        return "proved" if value else "ruled out"
    if value < _FINE:
        return percent_at_most(value)
    tenths = math.ceil(value * 1000)
    return "over 99.9 %" if tenths == 1000 else f"{tenths / 10:.1f} %"


def _number(value: Fraction) -> dict[str, Any]:
    text = str(value)
    return {"value": float_above(value), "exact": text if len(text) <= _LONGEST else None}
