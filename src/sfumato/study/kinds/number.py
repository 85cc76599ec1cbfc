"""Questions whose answers are numbers of a range or counts."""

from __future__ import annotations

import math
import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from itertools import pairwise
from statistics import NormalDist
from typing import Any, ClassVar, Self

import numpy as np

from sfumato.errors import InvalidParameter, UnreadableFile
from sfumato.files.columns import Words
from sfumato.inference.estimates import ReportedShares
from sfumato.inference.quantities import Picture
from sfumato.inference.results import QuestionEstimate, Reading, Truth
from sfumato.ladders.level_mechanisms import LevelMechanism
from sfumato.ladders.spec import Outline
from sfumato.mechanisms.arc import ArcResponse
from sfumato.mechanisms.binary_hadamard import BinaryHadamard
from sfumato.mechanisms.number_scales import MeanChoice, MeanScale, Shape, choose_mean_scale
from sfumato.numbers.checks import check_between, check_integer
from sfumato.numbers.exact import decimals, is_decimal, written
from sfumato.numbers.intervals import float_below
from sfumato.sampling.mechanism import Mechanism, Tally
from sfumato.sampling.rows import RowSource
from sfumato.sampling.samplers import UniformBelow
from sfumato.study.cells import ALIASES, MOST_ANSWERS, NO_ANSWER, Cells, Missing, SymbolArray, number_cure, number_text
from sfumato.study.fields import EPSILON, MOST_WHOLE, Key, as_text, exact_number, number_key, short_number, whole_key
from sfumato.study.kinds.ordered import cumulative_shares, quantiles
from sfumato.study.ladder_planning import promised_levels
from sfumato.study.ladder_questions import LadderHandler, LadderQuestion, Value
from sfumato.study.question_plans import AccuracyCurve, PlanTable, QuestionPlan
from sfumato.study.readers import Audience
from sfumato.study.recovery import label_column, scale_column, scale_texts

# --- Mechanisms for the mean of a scale
# Two points, an arc, or the cyclic response.


# Odds of a mechanism that only names a set: a ladder over it has odds of its own.
_ANY = Fraction(2)


def scale_mechanism(scale: MeanScale, *, hides: bool) -> Mechanism | None:
    """Return what the levels are made over, None for the cyclic response; with `hides` one more answer stands apart."""
    size = scale.points + hides
    if scale.shape is Shape.CYCLIC:
        return None
    if scale.shape is Shape.TWO_POINTS and not hides:
        return BinaryHadamard(size=2, odds=_ANY)
    return ArcResponse(size=size, odds=_ANY, length=scale.length, apart=hides)


def scale_words(choice: MeanChoice) -> str:
    """Say what was compared, and by how much the choice is better."""
    chosen = choice.chosen
    found = {
        Shape.TWO_POINTS: "rounded at random to the two ends",
        Shape.ARC: f"rounded at random to {chosen.points} values, each of which favours {chosen.length} reports in "
        f"a row",
        Shape.CYCLIC: f"rounded at random to {chosen.points} values, hidden by the cyclic response",
    }[chosen.shape]
    compared = "; ".join(
        f"{scale.shape.value} {', '.join(f'{value**0.5 / 2:.3g}' for value in scale.variances)}"
        for scale in choice.offered
    )
    return (
        f"For a mean numbers are {found}. What was compared is the largest standard deviation of one report, in parts "
        f"of the range, whatever the answer, at each level: {compared}."
    )


# --- Handlers of numbers
# A ladder whose estimates are the mean alone, or shares with median and quartiles.


# Half of the interval's width that is planned for, in parts of the range.
_HALF_WIDTH = 0.02
_CONFIDENCE = 0.95


class NumberHandler(LadderHandler):
    """How a number is asked by a ladder."""

    question: BoundedNumber

    def __init__(
        self,
        question: BoundedNumber,
        audience: Audience,
        declaration: str | None = None,
        *,
        stated: BoundedNumber | None = None,
    ) -> None:
        LadderHandler.__init__(self, question, audience, declaration)
        self._stated = question if stated is None else stated

    @property
    def _for_mean(self) -> bool:
        return self.question.goal == "mean"

    def estimate(self, tally: Tally, reading: Reading) -> QuestionEstimate:
        """Return the mean alone, or shares with the median and the quartiles."""
        found = replace(LadderHandler.estimate(self, tally, reading), question=self._stated, picture=Picture.NUMBERS)
        question = self.question
        if self._for_mean:
            if question.point_count == question.steps + 1 and question.point_count > 2:
                return found
            return replace(found, labels=(), shares=(), raw=(), standard_errors=(), intervals=())
        reported = ReportedShares(self.rung_at(reading.level).channel(), tally.counts)
        sums = cumulative_shares(reported, question.choices, hides=question.hides, confidence=reading.confidence)
        edges = question.edges if question.in_bins else question.values or ()
        told = quantiles(sums, tuple(map(float, edges)), in_bins=question.in_bins)
        middles = tuple(float(low + high) / 2 for low, high in pairwise(edges)) if question.in_bins else ()
        return replace(found, numbers=middles, quantities=(*found.quantities, *told))

    def reckoning(self, level: int) -> dict[str, Any] | None:
        """Return that of a ladder; of a mean alone without the shares."""
        found, question = LadderHandler.reckoning(self, level), self.question
        alone = self._for_mean and not (question.point_count == question.steps + 1 and question.point_count > 2)
        return found and found | {"picture": Picture.NUMBERS.value, "only_mean": alone}

    def order_reckoning(self, level: int) -> dict[str, Any] | None:
        """Median and quartiles, unless the mean alone is wanted."""
        del level
        question = self.question
        if self._for_mean:
            return None
        points = question.edges if question.in_bins else question.values or ()
        return {"type": "numbers", "told": None, "points": [*map(float, points)], "in_bins": question.in_bins}

    def truth(self, held: Counter[str]) -> Truth | None:
        """Return the true mean, or the true shares of bins."""
        found = self.question.true_mean(held)
        if found is None:
            raise self.no_answers()
        return found

    def plan(self) -> QuestionPlan:
        """Work it out; for a mean, by the error of the mean."""
        plan = replace(LadderHandler.plan(self), question=self._stated)
        if not self._for_mean:
            return plan
        question, span = self.question, float(self.question.highest - self.question.lowest)
        levels = tuple(float_below(level) for level in self._levels)
        choice = choose_mean_scale(levels, steps=question.steps, points=self._stated.points)
        rows = self._rows(plan)
        return replace(
            plan,
            because=f"{plan.because} {scale_words(choice)}",
            tables=(_table(rows, span), *plan.tables[1:]),
            curve=self._curve(plan),
            document={**plan.document, "levels": rows, "goal": "mean", "goal_half_width": _HALF_WIDTH * span},
        )

    def share_deviation(self, level: int, share: float) -> float | None:
        """Nothing for a mean: shares are not estimated then."""
        return None if self._for_mean else LadderHandler.share_deviation(self, level, share)

    def hidden_price(self) -> float | None:
        """Compare the error of the mean at the public level with and without one more answer."""
        if not self._for_mean:
            return LadderHandler.hidden_price(self)
        chosen = replace(self._stated, points=self.question.points)
        handlers = [replace(chosen, missing=missing).handler(self.audience) for missing in (None, Missing.HIDDEN)]
        without, within = (handler.mean_deviation(handler.ladder.levels[-1]) for handler in handlers)
        return (within / without) ** 2

    def mean_deviation(self, rung: LevelMechanism) -> float:
        """√n times the standard deviation of the mean, in parts of the range, if answers are spread evenly over it."""
        question = self.question
        places = np.linspace(-0.5, 0.5, question.point_count)
        # A mean among those who answer: as far as each lies from the middle, and nothing of those who do not answer.
        scores = rung.linear_scores([*places, *([0.0] if question.hides else [])])
        channel = rung.channel()
        rows = channel.array if hasattr(channel, "array") else np.array(channel.rows, dtype=np.float64)
        moments = np.interp(np.linspace(-0.5, 0.5, 201), places, rows[: places.size] @ np.asarray(scores) ** 2)
        return math.sqrt(float(moments.mean()))

    def _rows(self, plan: QuestionPlan) -> list[dict[str, Any]]:
        reach, people = NormalDist().inv_cdf((1 + _CONFIDENCE) / 2), self.audience.population
        rows = []
        for row, rung in zip(plan.document["levels"], self.ladder.levels, strict=True):
            deviation = self.mean_deviation(rung)
            rows.append(
                {
                    **row,
                    "deviation": deviation,
                    "respondents": math.ceil((reach * deviation / _HALF_WIDTH) ** 2),
                    "half_width": None if people is None else reach * deviation / math.sqrt(people),
                }
            )
        return rows

    def _curve(self, plan: QuestionPlan) -> AccuracyCurve | None:
        """Privacy against the error of the mean: each ε with the scale that is best for it alone."""
        if plan.curve is None:
            return None
        points = []
        for epsilon, _ in plan.curve.points:
            # Answers spread evenly have a twelfth of the squared range; a report adds its noise to that.
            noise = choose_mean_scale((epsilon,), steps=self.question.steps).chosen.variances[0] / 4
            points.append((epsilon, math.sqrt(1 / 12 + noise)))
        marks = tuple(
            (epsilon, self.mean_deviation(rung), readers)
            for (epsilon, _, readers), rung in zip(plan.curve.marks, self.ladder.levels, strict=True)
        )
        return AccuracyCurve(points=tuple(points), marks=marks, half_width=_HALF_WIDTH)


def _table(rows: list[dict[str, Any]], span: float) -> PlanTable:
    return PlanTable(
        title=f"95 % intervals of the mean, if answers are spread evenly over the range; respondents for "
        f"± {_HALF_WIDTH * span:.4g}, which is {100 * _HALF_WIDTH:g} % of the range:",
        header=("readers", "ε", "± with all", "respondents", "key, bits a row"),
        rows=tuple(
            (
                ", ".join(row["readers"]) or "-",
                f"{math.ceil(row['epsilon'] * 1000 - 1e-9) / 1000:g}",
                "-" if row["half_width"] is None else f"{span * row['half_width']:.3g}",
                f"{row['respondents']:,}",
                "none" if row["key_bits"] is None else f"{row['key_bits']:.3f}",
            )
            for row in rows
        ),
    )


# --- Numbers of a range
# They are exact, a whole number of steps apart, counted from the lowest. A number is reported as itself, or rounded at
# random to one of a few evenly spread values without bias, so that means stay unbiased.


_OUTSIDE, _OFF = -1, -2


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaleQuestion(LadderQuestion):
    """A number from `lowest` to `highest`, both of them answers, and every step between."""

    MODEL: ClassVar[str] = "linear"

    @property
    @abstractmethod
    def ends(self) -> tuple[Value, Value]:
        """The lowest and the highest answer."""

    @property
    @abstractmethod
    def grain(self) -> Value:
        """How far two neighbouring answers lie apart."""

    @property
    @abstractmethod
    def point_count(self) -> int:
        """To how many values answers are rounded; 0 while that is not yet known."""

    @property
    def steps(self) -> int:
        """How many steps lead from the lowest answer to the highest."""
        return int((self.ends[1] - self.ends[0]) / Fraction(self.grain))

    @property
    def answer_count(self) -> int:
        """Every number of the range, whatever they are rounded to."""
        return self.steps + 1 + self.hides

    def _check_range(self) -> None:
        low, high = self.ends
        if high <= low:
            raise InvalidParameter(
                "must be above `lowest`", parameter="highest", way_out="Give the range that answers can have."
            )
        if (high - low) % self.grain:
            raise InvalidParameter(
                f"does not lead from {written(low)} to {written(high)} in whole steps",
                parameter="step",
                value=short_number(Fraction(self.grain)),
                way_out="Move `highest`, or choose a `step` that the range is a multiple of.",
            )
        if self.steps > 2 * MOST_WHOLE:
            raise InvalidParameter(
                f"makes more than {2 * MOST_WHOLE} answers", parameter="step", way_out="Choose a larger one."
            )

    @property
    def values(self) -> tuple[Value, ...] | None:
        """What answers are rounded to."""
        return self.spread_values

    @property
    def spread_values(self) -> tuple[Value, ...]:
        """As many values as there are points, spread evenly over the range."""
        low, count = self.ends[0], self.point_count
        if not count:
            return ()
        gap = Fraction(self.ends[1] - low, count - 1)
        return tuple(plain(low + place * gap) for place in range(count))

    @property
    def choices(self) -> tuple[str, ...]:
        """The values as text."""
        return texts_of(self.spread_values)

    @property
    def whole_values(self) -> tuple[int, ...] | None:
        """The values, where all of them are whole numbers."""
        found = tuple(value for value in self.values or () if isinstance(value, int))
        return found if found and len(found) == self.point_count else None

    @property
    def gap(self) -> Value:
        """How far two neighbouring values lie apart."""
        return plain(Fraction(self.ends[1] - self.ends[0], max(1, self.point_count - 1)))

    @property
    def noun(self) -> str:
        """What the answers are."""
        return "values"

    def has_answer(self, text: str) -> bool:
        """Whether a text is a number of the range."""
        return self._steps_to(text) >= 0

    @property
    def cells(self) -> Cells:
        """Cells are numbers."""
        return Cells(aliases=self.aliases, numbers=True)

    def _steps_to(self, text: str) -> int:
        """How many steps a number lies above the lowest; below 0 for what is no answer, and why.

        Texts have been through `cells`, which writes equal numbers alike.
        """
        if number_text(text) != text:
            return _OUTSIDE
        low, high = self.ends
        value = Fraction(text)
        if not low <= value <= high:
            return _OUTSIDE
        steps = (value - low) / Fraction(self.grain)
        return int(steps) if steps.denominator == 1 else _OFF

    def places(self, column: Words) -> SymbolArray:
        """Return how many steps each answer lies above the lowest."""
        found = np.array([self._steps_to(text) for text in column.texts], dtype=np.int64)
        taken: SymbolArray = found.take(column.codes) if len(column) else np.empty(0, np.int64)
        broken = np.flatnonzero(taken < 0)
        if not broken.size:
            return taken
        texts = [text for text, steps in zip(column.texts, found.tolist(), strict=True) if steps < 0]
        low, high = map(written, self.ends)
        raise UnreadableFile(
            f"column {self.id}, row {column.row(broken[0])} holds no {self.number_words} from {low} to {high}"
            f"{self._step_words}; {column.among(broken.size)} are like this",
            way_out=self._cure(texts),
        )

    @property
    def number_words(self) -> str:
        """What a refusal calls an answer."""
        return "number"

    @property
    def _step_words(self) -> str:
        return "" if self.grain == 1 else f" in steps of {written(self.grain)}"

    def _cure(self, texts: list[str]) -> str:
        """Say what to do, by how the cells are written."""
        off = [text for text in texts if self._steps_to(text) == _OFF]
        others = [text for text in texts if self._steps_to(text) != _OFF]
        cures = [self._step_cure(off)] if off else []
        if others:
            cures.append(number_cure(others, *map(written, self.ends), whole=False))
        return " ".join(cures)

    def _step_cure(self, texts: list[str]) -> str:
        """A step by which all of these, and both ends, are whole numbers of steps apart."""
        numbers = [Fraction(number) for text in texts if (number := number_text(text)) is not None]
        digits = max(decimals(value) for value in (*numbers, *map(Fraction, self.ends)))
        step = Fraction(1, 10**digits)
        if (self.ends[1] - self.ends[0]) / step > 2 * MOST_WHOLE:
            return f"Round them to steps of {written(self.grain)} yourself."
        return f"Some lie between two steps: say step = {written(step)} in the study, or round them yourself."

    def _spread(self) -> tuple[int, int]:
        """Return times and parts: an answer of s steps is s · times / parts values above the lowest."""
        gaps, steps = self.point_count - 1, self.steps
        shared = math.gcd(gaps, steps)
        return gaps // shared, steps // shared

    def rounded(self, places: SymbolArray, words: Callable[[], RowSource]) -> SymbolArray:
        """Return answers rounded up or down at random, so that the mean of the rounding is the answer."""
        times, parts = self._spread()
        floors, rests = np.divmod(places * times, parts)
        if parts > 1:
            draws = UniformBelow(bound=parts).draw_rows(words(), np.arange(places.size))
            floors += draws < rests.astype(np.uint64)
        symbols: SymbolArray = floors
        return symbols

    def page_rounding(self) -> dict[str, Any]:
        """Return how steps above the lowest become a symbol: times over parts, up or down at random."""
        times, parts = self._spread()
        return {"type": "random", "times": times, "parts": parts}

    def page_asks(self) -> dict[str, Any]:
        """Return the range with its step, as decimals, and what becomes of a number."""
        least, most, step = (written(value) for value in (*self.ends, self.grain))
        return {"type": "number", "least": least, "most": most, "step": step, "rounding": self.page_rounding()}

    @property
    def unrounded(self) -> int | None:
        """All numbers of the range, unless each stands for itself."""
        return None if self.point_count == self.steps + 1 else self.steps + 1

    def given_back(self, places: SymbolArray, *, as_text: bool, kind: str) -> dict[str, Any]:
        """Return the numbers: whole ones as integers, others as floats, or as the table had them."""
        low, step = Fraction(self.ends[0]), Fraction(self.grain)
        if as_text:
            return {self.id: scale_texts(places, low, step)}
        return {self.id: scale_column(places, low, step, self.steps, kind)}

    def rounded_back(self, symbols: SymbolArray, *, as_text: bool, kind: str) -> dict[str, Any]:
        """Return the values that numbers were rounded to; bins by their names."""
        if self.unrounded is None:
            return self.given_back(symbols, as_text=as_text, kind=kind)
        if self.values is None:
            return {self.id: label_column(symbols, self.choices, "")}
        low, gap = Fraction(self.ends[0]), Fraction(self.gap)
        if as_text:
            return {self.id: scale_texts(symbols, low, gap)}
        return {self.id: scale_column(symbols, low, gap, self.point_count - 1, kind)}

    def true_mean(self, held: Counter[str]) -> Truth | None:
        """Return the true mean; None if something is no number."""
        numbers = {text: count for text, count in held.items() if text != NO_ANSWER}
        if not numbers or not all(self.has_answer(text) for text in numbers):
            return None
        total = sum(numbers.values())
        return Truth(mean=float(sum(Fraction(text) * count for text, count in numbers.items()) / total))


def plain(value: Fraction | int) -> Value:
    """Return a whole number as one."""
    number = Fraction(value)
    return int(number) if number.denominator == 1 else number


def texts_of(values: tuple[Value, ...]) -> tuple[str, ...]:
    """Write values so that no two look alike."""
    texts = tuple(map(written, values))
    return texts if len(set(texts)) == len(texts) else tuple(map(str, values))


# Up to so many numbers are kept single when a distribution is asked for; more are put into bins.
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

    def handler(self, audience: Audience, declaration: str | None = None) -> NumberHandler:
        """Return how it is asked; to how many values it is rounded is said by the reports, or chosen for the levels."""
        question = self
        if self.points is None and declaration is not None:
            question = replace(self, points=Outline.declared(declaration).size - self.hides)
        elif self.points is None:
            levels = promised_levels(self.epsilon, audience)
            epsilons = tuple(float_below(level) for level in levels)
            question = replace(self, points=choose_mean_scale(epsilons, steps=self.steps).chosen.points)
        return NumberHandler(question, audience, declaration, stated=self)


# --- Counts
# A whole number, rounded at random to one of a few values before it is asked through a ladder.


_ROUNDED_COUNTS = (
    "Counts are rounded at random before they are reported, so that means are right; their shares are those of rounded "
    "counts."
)
_COUNT_SPAN = re.compile(r"\s*([+-]?\d{1,13})\s*\.\.\s*([+-]?\d{1,13})\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Count(ScaleQuestion):
    """A whole number from `lowest` to `highest`, rounded at random to one of `points` evenly spread values.

    The rounding is right on average, so means stay right; few points make a mean more accurate, as many as there are
    numbers show the whole distribution.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> sf.Count(id="rooms", text="How many rooms?", lowest=1, highest=9, points=5, epsilon=Fraction(2)).labels
    ('1', '3', '5', '7', '9')
    """

    KIND: ClassVar[str] = "count"
    HEADLINE: ClassVar[str] = "a whole number"
    KEYS: ClassVar = (
        whole_key("lowest", "The smallest answer.", -MOST_WHOLE, MOST_WHOLE),
        whole_key("highest", "The largest answer.", -MOST_WHOLE, MOST_WHOLE, is_needed=True),
        whole_key(
            "points",
            "Answers are rounded at random to so many values: 2 for means, one for each number to see all.",
            2,
            MOST_ANSWERS,
        ),
        ALIASES,
        EPSILON,
    )
    COMMENTS: ClassVar = {"points": "rounded at random to so many values; 2 is best for a mean"}

    lowest: int = 0
    highest: int
    points: int = 2

    def __post_init__(self) -> None:
        for name in ("lowest", "highest"):
            check_between(name, check_integer(name, getattr(self, name)), -MOST_WHOLE, MOST_WHOLE)
        self._check_range()
        self._check()
        check_between("points", check_integer("points", self.points), 2, min(self.steps + 1, MOST_ANSWERS))
        if self.steps % (self.points - 1):
            raise InvalidParameter(
                f"do not spread evenly over {self.lowest}..{self.highest}: highest - lowest = {self.steps} must be a "
                f"multiple of points - 1",
                parameter="points",
                value=self.points,
                way_out="Move `highest`, or choose 2.",
            )

    @classmethod
    def suits(cls, answers: str) -> bool:
        """A range such as 0..10."""
        return bool(_COUNT_SPAN.fullmatch(answers))

    @classmethod
    def typed(cls, name: str, text: str, answers: str) -> Self:
        """Read a range."""
        span = _COUNT_SPAN.fullmatch(answers)
        if not span:
            raise InvalidParameter(
                "must be a range of whole numbers", parameter="answers", way_out="Write it like 0..10."
            )
        return cls(id=name, text=text, lowest=int(span[1]), highest=int(span[2]))

    @property
    def ends(self) -> tuple[int, int]:
        """The range."""
        return self.lowest, self.highest

    @property
    def grain(self) -> int:
        """Whole numbers."""
        return 1

    @property
    def point_count(self) -> int:
        """As many as were asked for."""
        return self.points

    @property
    def shares_of(self) -> str:
        """Rounded values, unless every number stands for itself."""
        return "" if self.gap == 1 else f"counts rounded at random to one of {self.points} values, {self.gap} apart"

    @property
    def noun(self) -> str:
        """What the answers are."""
        return "rounded counts"

    @property
    def number_words(self) -> str:
        """What a refusal calls an answer."""
        return "whole number"

    def _cure(self, texts: Sequence[str]) -> str:
        return number_cure(texts, self.lowest, self.highest, whole=True)

    def describe(self) -> str:
        """Say the range, and what is rounded."""
        rounded = (
            "every number stands for itself"
            if self.gap == 1
            else f"each is rounded at random, right on average, to one of {self.points} values, {self.gap} apart"
        )
        return f"A whole number from {self.lowest} to {self.highest}; {rounded}."

    def limits(self) -> tuple[str, ...]:
        """Shares are of rounded counts."""
        return (_ROUNDED_COUNTS,)
