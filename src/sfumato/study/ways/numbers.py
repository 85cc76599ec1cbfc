"""Numbers: bounded, with decimals, in steps; asked for their mean, or for how they are distributed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from itertools import pairwise
from typing import Any, ClassVar, Self

from sfumato.bits import RowSource
from sfumato.bits.mechanism import Mechanism
from sfumato.errors import InvalidParameter
from sfumato.files.numbers import is_decimal, written
from sfumato.refine.outlines import Outline
from sfumato.study.audience import Audience
from sfumato.study.ways.answers import SymbolArray
from sfumato.study.ways.cells import ALIASES
from sfumato.study.ways.estimates import Truth
from sfumato.study.ways.keys import EPSILON, MOST_WHOLE, Key, as_text, number_key, whole_key
from sfumato.study.ways.ladder_choices import promised_levels
from sfumato.study.ways.ladder_questions import Value
from sfumato.study.ways.no_answer import NO_ANSWER
from sfumato.study.ways.number_scales import choose_mean_scale, scale_mechanism
from sfumato.study.ways.number_ways import NumberWay
from sfumato.study.ways.scale_questions import ScaleQuestion, plain, texts_of
from sfumato.study.wording import exact_number
from sfumato.values.checks import check_between, check_integer
from sfumato.values.rounding import float_below

# Up to so many numbers each stands for itself when a distribution is asked for; beyond they are put into bins.
_MOST_SINGLE = 30
_USUAL_BINS = 20
MOST_POINTS = 1000
_ROUNDED = (
    "Numbers are rounded at random before they are reported, so that the mean is right; nothing else is estimated."
)
_NUMBER = r"([+-]?\d{1,13}(?:\.\d{1,9})?)"
_SPAN = re.compile(rf"\s*{_NUMBER}\s*\.\.\s*{_NUMBER}\s*(?:by\s+(\d{{0,13}}(?:\.\d{{1,9}})?)\s*)?")


class Wanted(StrEnum):
    """What a number is asked for."""

    MEAN = "mean"
    DISTRIBUTION = "distribution"


def _as_wanted(value: object, name: str) -> Wanted:
    text = as_text(value, name)
    if text not in set(Wanted):
        raise InvalidParameter(
            "is neither “mean” nor “distribution”", parameter=name, way_out='Write goal = "mean" or "distribution".'
        )
    return Wanted(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundedNumber(ScaleQuestion):
    """A number from `lowest` to `highest` in steps of `step`, all of them exact decimals.

    For a mean it is rounded at random, right on average, to `points` values; without them the plan chooses how many.
    For a distribution it is put into one of `points` bins of equal width, or stands for itself where there are few.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> wage = sf.BoundedNumber(
    ...     id="wage", text="Hourly wage?", highest=Fraction(40), step=Fraction(1, 100), goal="distribution", points=4
    ... )
    >>> wage.labels
    ('0 to under 10', '10 to under 20', '20 to under 30', '30 to 40')
    """

    KIND: ClassVar[str] = "number"
    HEADLINE: ClassVar[str] = "a number, with decimals"
    KEYS: ClassVar = (
        number_key("lowest", "The smallest answer.", -MOST_WHOLE, MOST_WHOLE),
        number_key("highest", "The largest answer.", -MOST_WHOLE, MOST_WHOLE, is_needed=True),
        number_key("step", "How far two neighbouring answers lie apart, such as 0.01.", 0, MOST_WHOLE, open_ends=True),
        Key(
            name="goal",
            words="What is asked for: the mean, or the distribution with its median.",
            read=_as_wanted,
            schema={"enum": [one.value for one in Wanted]},
        ),
        whole_key(
            "points",
            "For a mean, to how many values answers are rounded at random; for a distribution, into how many bins they "
            "are put. Left out, the plan chooses.",
            2,
            MOST_POINTS,
        ),
        ALIASES,
        EPSILON,
    )
    COMMENTS: ClassVar = {
        "step": "0.01 for two decimals",
        "goal": "or distribution: shares of ranges, median and quartiles",
    }

    lowest: Fraction = Fraction(0)
    highest: Fraction
    step: Fraction = Fraction(1)
    goal: Wanted = Wanted.MEAN
    points: int | None = None

    def __post_init__(self) -> None:
        for name in ("lowest", "highest", "step"):
            value = exact_number(name, getattr(self, name))
            if not is_decimal(value):
                raise InvalidParameter(
                    "must be a decimal, as answers are", parameter=name, way_out="Write it with digits alone."
                )
            object.__setattr__(self, name, value)
        if self.step <= 0:
            raise InvalidParameter("must be above 0", parameter="step", way_out="Write for instance 0.01.")
        object.__setattr__(self, "goal", _as_wanted(str(self.goal), "goal"))
        self._check_range()
        self._check()
        if self.points is not None:
            check_between("points", check_integer("points", self.points), 2, min(self.steps + 1, MOST_POINTS))
        if self.goal is Wanted.DISTRIBUTION:
            self._check_bins()

    def _check_bins(self) -> None:
        if self.points is None:
            object.__setattr__(self, "points", self._usual_points())
        if self.points is None or (self.points != self.steps + 1 and self.steps % self.points):
            raise InvalidParameter(
                f"must divide the {self.steps} steps from {written(self.lowest)} to {written(self.highest)}, so that "
                f"all bins are of one width",
                parameter="points",
                value=self.points,
                way_out="Choose another number, or move `highest`.",
            )

    def _usual_points(self) -> int | None:
        if self.steps < _MOST_SINGLE:
            return self.steps + 1
        return next((count for count in range(_USUAL_BINS, 1, -1) if self.steps % count == 0), None)

    @classmethod
    def suits(cls, answers: str) -> bool:
        """A range with decimals such as 0..9.5, or one with a step such as 0..50 by 0.01."""
        span = _SPAN.fullmatch(answers)
        return span is not None and (span[3] is not None or "." in span[1] + span[2])

    @classmethod
    def typed(cls, name: str, text: str, answers: str) -> Self:
        """Read a range, and a step if there is one; else it is as fine as the ends are written."""
        span = _SPAN.fullmatch(answers)
        if not span:
            raise InvalidParameter(
                "must be a range of numbers", parameter="answers", way_out="Write it like 0..50 by 0.01."
            )
        digits = max(len(part.partition(".")[2]) for part in (span[1], span[2]))
        step = Fraction(span[3]) if span[3] else Fraction(1, 10**digits)
        return cls(id=name, text=text, lowest=Fraction(span[1]), highest=Fraction(span[2]), step=step)

    def entries(self) -> dict[str, Any]:
        """Return what a file says of it; what is usual for a distribution is left out."""
        found = ScaleQuestion.entries(self)
        found["goal"] = self.goal.value
        if self.goal is Wanted.DISTRIBUTION and self.points == self._usual_points():
            found.pop("points", None)
        return found

    @property
    def ends(self) -> tuple[Value, Value]:
        """The range."""
        return plain(self.lowest), plain(self.highest)

    @property
    def grain(self) -> Value:
        """The step."""
        return plain(self.step)

    @property
    def point_count(self) -> int:
        """As many as were asked for, or chosen."""
        return self.points or 0

    @property
    def in_bins(self) -> bool:
        """Whether several numbers are put into one bin."""
        return self.goal is Wanted.DISTRIBUTION and self.points != self.steps + 1

    @property
    def edges(self) -> tuple[Value, ...]:
        """Where bins begin, and where the last one ends."""
        width = Fraction(self.highest - self.lowest, self.point_count)
        return tuple(plain(self.lowest + place * width) for place in range(self.point_count + 1))

    @property
    def values(self) -> tuple[Value, ...] | None:
        """What answers are rounded to; bins have no one value."""
        return None if self.in_bins else self.spread_values

    @property
    def choices(self) -> tuple[str, ...]:
        """The values, or the bins, as text."""
        if not self.in_bins:
            return texts_of(self.values or ())
        edges = list(map(written, self.edges))
        bins = [f"{low} to under {high}" for low, high in pairwise(edges[:-1])]
        return (*bins, f"{edges[-2]} to {edges[-1]}")

    @property
    def listed(self) -> tuple[str, ...]:
        """Numbers are not listed."""
        return ()

    @property
    def noun(self) -> str:
        """What is reported."""
        if self.goal is Wanted.MEAN:
            return "rounded numbers"
        return "bins" if self.in_bins else "numbers"

    def describe(self) -> str:
        """Say the range, and what becomes of a number."""
        low, high = written(self.lowest), written(self.highest)
        kind = f"A number from {low} to {high} in steps of {written(self.step)}"
        if self.in_bins:
            return (
                f"{kind}; each is put into one of {self.points} ranges, {written(self.edges[1] - self.edges[0])} wide."
            )
        if self.goal is Wanted.DISTRIBUTION or self.point_count == self.steps + 1:
            return f"{kind}; every number stands for itself."
        many = f"one of {self.points} values" if self.points else "one of a few values"
        return f"{kind}; each is rounded at random, right on average, to {many}."

    def limits(self) -> tuple[str, ...]:
        """What is lost by rounding."""
        if self.in_bins:
            return ("Only the range that a number lies in is reported, so a mean is not estimated.",)
        if self.goal is Wanted.MEAN and self.point_count != self.steps + 1:
            return (_ROUNDED,)
        return ()

    def rounded(self, places: SymbolArray, words: Callable[[], RowSource]) -> SymbolArray:
        """Put numbers into their bins, or round them at random."""
        if not self.in_bins:
            return ScaleQuestion.rounded(self, places, words)
        found: SymbolArray = (places // (self.steps // self.point_count)).clip(max=self.point_count - 1)
        return found

    def page_rounding(self) -> dict[str, Any]:
        """Return which bin steps above the lowest are counted in; the last has one number more."""
        if not self.in_bins:
            return ScaleQuestion.page_rounding(self)
        return {"type": "bins", "parts": self.steps // self.point_count, "last": self.point_count - 1}

    def bin_of(self, text: str) -> str:
        """Return the bin that a number is counted in."""
        return self.choices[min(self._steps_to(text) // (self.steps // self.point_count), self.point_count - 1)]

    def true_mean(self, held: Counter[str]) -> Truth | None:
        """Return the true mean, or the true shares of bins; None if something is no number."""
        if not self.in_bins:
            return ScaleQuestion.true_mean(self, held)
        if not held or not all(text == NO_ANSWER or self.has_answer(text) for text in held):
            return None
        counted: Counter[str] = Counter()
        for text, count in held.items():
            counted[text if text == NO_ANSWER else self.bin_of(text)] += count
        return Truth(shares=tuple(counted[label] / held.total() for label in self.labels))

    def mechanism(self, epsilons: Sequence[float]) -> Mechanism | None:
        """Return the best for the mean; for a distribution, what is best for shares."""
        if self.goal is Wanted.DISTRIBUTION:
            return None
        choice = choose_mean_scale(tuple(epsilons), steps=self.steps, points=self.points)
        return scale_mechanism(choice.chosen, hides=self.hides)

    def way(self, audience: Audience, declaration: str | None = None) -> NumberWay:
        """Return how it is asked; to how many values it is rounded is said by the reports, or chosen for the levels."""
        question = self
        if self.points is None and declaration is not None:
            question = replace(self, points=Outline.declared(declaration).size - self.hides)
        elif self.points is None:
            levels = promised_levels(self.epsilon, audience)
            epsilons = tuple(float_below(level) for level in levels)
            question = replace(self, points=choose_mean_scale(epsilons, steps=self.steps).chosen.points)
        return NumberWay(question, audience, declaration, stated=self)
