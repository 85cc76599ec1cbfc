"""The picture that suits a question: marks, bars for options, a scale laid end to end, or histograms with means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sfumato.printing import printable
from sfumato.render.chart_parts import chart_legend
from sfumato.render.estimate_lines import answer_numbers, cumulative_quantities
from sfumato.render.mean_charts import Means, means_chart
from sfumato.render.number_charts import Numbers, number_chart, numbers_top
from sfumato.render.report_charts import Series, chart_top, dot_chart
from sfumato.render.report_rows import epsilon_mark
from sfumato.render.scale_charts import Scale, scale_chart, scale_colours, scale_legend
from sfumato.study.ways import NO_ANSWER, Picture, QuestionEstimate, Truth

_SAME = "The table after the picture has the same numbers."
# Beyond so many parts a scale has no colours that could be told apart.
_MOST_PARTS = 11


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """What one reader sees."""

    reader: str
    found: QuestionEstimate

    @property
    def name(self) -> str:
        """The reader, and how sharply they see."""
        return f"{self.reader} (ε = {epsilon_mark(self.found.epsilon, self.found.question.id, self.found.level)})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sitting:
    """One question as several readers see it, and which of its answers are drawn; several pictures share a scale."""

    readers: Sequence[Named]
    places: Sequence[int]
    truth: Truth = Truth()  # noqa: RUF009  a frozen value
    top: float | None = None

    @property
    def first(self) -> QuestionEstimate:
        """Any of them: questions and answers are the same."""
        return self.readers[0].found

    @property
    def suited(self) -> Picture | None:
        """The picture that suits, or marks where there is too much for it; None where there are no shares to draw."""
        suits = self.first.picture
        if not self.first.labels:
            return None
        if suits is Picture.NUMBERS and self.numbers is None:
            return Picture.ANSWERS
        if suits is Picture.ORDERED and len(self.first.labels) > _MOST_PARTS:
            return Picture.ANSWERS
        return suits

    @property
    def numbers(self) -> list[float] | None:
        """Where answers that are numbers lie."""
        return answer_numbers(self.first)

    @property
    def truths(self) -> list[float] | None:
        """The true shares of what is drawn."""
        shares = self.truth.shares
        return None if shares is None else [shares[place] for place in self.places]


def sitting_top(sittings: Sequence[Sitting]) -> float:
    """Return one end for the axes of several pictures."""
    if sittings[0].suited is None:
        return 1.0
    if sittings[0].suited is Picture.NUMBERS:
        return numbers_top([one for sitting in sittings for one in _numbers(sitting)])
    return chart_top([one for sitting in sittings for one in _series(sitting)])


def draw_sitting(identifier: str, title: str, sitting: Sitting) -> str:
    """Draw it."""
    labels = [printable(sitting.first.labels[place]) for place in sitting.places]
    who = " and ".join(one.name for one in sitting.readers)
    reach = f"{100 * sitting.first.confidence:g} % interval"
    if sitting.suited is None:
        said = f"A mark for the mean and a line for its {reach}, as {who} see it. {_SAME}"
        means = [Means(name=one.name, means=[one.found.mean]) for one in sitting.readers]
        return means_chart(identifier, title, said, ["mean"], means, sitting.truth.mean)
    if sitting.suited is Picture.NUMBERS:
        said = (
            f"For each of {who} a histogram of the answers, with a line for the {reach} of each share; below it a mark "
            f"for the mean and a line for its {reach}. {_SAME}"
        )
        values = sitting.numbers or []
        return number_chart(identifier, title, said, values, _numbers(sitting), sitting.truth.mean, top=sitting.top)
    if sitting.suited is Picture.ORDERED:
        said = (
            f"For each of {who} a bar in which the answers lie end to end in the order {', '.join(labels)}; lines "
            f"below it are the {reach}s of where they meet. {_SAME}"
        )
        scales = [
            Scale(
                name=one.name,
                shares=one.found.shares,
                cuts=[found.interval for found in cumulative_quantities(one.found)],
            )
            for one in sitting.readers
        ]
        return scale_chart(identifier, title, said, _colours(sitting.first), scales, sitting.truth.shares)
    bars = sitting.suited is Picture.OPTIONS
    what = "option a bar for its share, which need not sum to one," if bars else "answer a mark for the estimate"
    said = f"For each {what} and a line for the {reach}, as {who} see it. {_SAME}"
    return dot_chart(identifier, title, said, labels, _series(sitting), sitting.truths, bars=bars, top=sitting.top)


def legend_of(sitting: Sitting) -> str:
    """Say what the marks and the colours mean."""
    if sitting.suited is Picture.ORDERED:
        return scale_legend([printable(label) for label in sitting.first.labels], _colours(sitting.first))
    has_truth = sitting.truth.shares is not None or sitting.truth.mean is not None
    return chart_legend([one.name for one in sitting.readers], has_truth=has_truth)


def _colours(found: QuestionEstimate) -> list[str]:
    return scale_colours(len(found.labels), aside=found.labels[-1] == NO_ANSWER)


def _series(sitting: Sitting) -> list[Series]:
    return [
        Series(
            name=one.name,
            shares=[one.found.shares[place] for place in sitting.places],
            intervals=[one.found.intervals[place] for place in sitting.places],
        )
        for one in sitting.readers
    ]


def _numbers(sitting: Sitting) -> list[Numbers]:
    many = len(sitting.numbers or ())
    found = []
    for one in sitting.readers:
        mean = one.found.mean
        found.append(
            Numbers(
                name=one.name,
                shares=one.found.shares[:many],
                intervals=one.found.intervals[:many],
                mean=None if mean is None else mean.value,
                reach=None if mean is None else mean.interval,
            )
        )
    return found
