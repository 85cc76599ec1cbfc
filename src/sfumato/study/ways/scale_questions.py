"""Questions whose answers are numbers of a range: exact, a whole number of steps apart, counted from the lowest.

A number stands for itself, or it is rounded at random to one of a few evenly spread values, right on average, so that
means stay right.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from sfumato.bits import RowSource, UniformBelow
from sfumato.errors import InvalidParameter, UnreadableFile
from sfumato.files.numbers import decimals, written
from sfumato.files.words import Words
from sfumato.study.ways.answer_columns import label_column, scale_column, scale_texts
from sfumato.study.ways.answers import SymbolArray
from sfumato.study.ways.cell_cures import number_cure
from sfumato.study.ways.cells import Cells, number_text
from sfumato.study.ways.estimates import Truth
from sfumato.study.ways.keys import MOST_WHOLE
from sfumato.study.ways.ladder_questions import LadderQuestion, Value
from sfumato.study.ways.no_answer import NO_ANSWER
from sfumato.study.wording import short_number

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
