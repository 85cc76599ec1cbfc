"""Subset selection: a report is a set of answers that contains the true one more often than by chance.

Every set of `chosen` answers that holds the true one has weight `odds`, every other such set weight 1, so no report
favours one answer over another by more than `odds`: epsilon = ln(odds).
Ref: [YB18]; proof: docs/theory/subset_selection.md

One integer decides whether the true answer is in; the others come from a partial shuffle of the answers **without the
true one**, so it cannot come back in by accident. Reports are packed bits: they keep no order of drawing.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter
from sfumato.mechanisms.base import (
    MOST_OUTPUTS,
    check_confidence,
    check_packed,
    check_tally,
    check_weight,
    count_ones,
    exact_odds,
    member_estimate,
    member_variance,
    nominal_odds,
    odds_keeping,
    row_chunks,
)
from sfumato.numbers.checks import check_at_least, check_between, check_integer
from sfumato.numbers.exact import LawLike
from sfumato.prob.channel import Channel
from sfumato.prob.distribution import Distribution
from sfumato.sampling.mechanism import Estimate, ReportArray, Tally, bits_or_default, check_symbols, smallest_dtype
from sfumato.sampling.samplers import UniformBelow
from sfumato.sampling.sources import MOST_WIDTH, BitSource


@dataclass(frozen=True, slots=True, kw_only=True)
class SubsetSelection:
    """Sets of `chosen` answers out of `size`; left at 0, `chosen` becomes the size of least variance.

    A report is a set of answers, and the true one is in it more often than another [YB18].

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> letters = sf.mechanisms.SubsetSelection(size=26, odds=Fraction(3))
    >>> letters.chosen, [round(float(p), 3) for p in letters.probabilities]
    (6, [0.474, 0.221])
    >>> reports = letters.privatize([4] * 600 + [0] * 400, sf.sampling.InsecureSeeded(7))
    >>> reports.shape, round(letters.estimate(letters.tally(reports)).raw[4], 2)  # a row of 26 bits in 4 bytes
    ((1000, 4), 0.53)
    """

    size: int
    odds: Fraction
    chosen: int = 0
    width: int = MOST_WIDTH

    def __post_init__(self) -> None:
        check_at_least("size", check_integer("size", self.size), 2)
        check_between("width", check_integer("width", self.width), 1, MOST_WIDTH)
        odds = exact_odds(self.odds, "SubsetSelection")
        object.__setattr__(self, "odds", odds)
        chosen = check_integer("chosen", self.chosen) or best_chosen(self.size, odds)
        check_between("chosen", chosen, 1, self.size - 1)
        object.__setattr__(self, "chosen", chosen)
        check_weight(max(self._total, self.size), odds=odds, size=self.size, width=self.width)

    @classmethod
    def within(cls, *, size: int, epsilon: float, chosen: int = 0, width: int = MOST_WIDTH) -> Self:
        """Return the mechanism with the largest odds on a fine grid that keep the promise of `epsilon`."""
        check_at_least("size", check_integer("size", size), 2)
        top = nominal_odds(epsilon)
        weight = top * (chosen or math.ceil(size / (top + 1))) + size
        odds = odds_keeping(epsilon, weight=weight, size=size, width=width)
        return cls(size=size, odds=odds, chosen=chosen, width=width)

    @property
    def name(self) -> str:
        """What marks the tallies of this mechanism."""
        return f"subset_selection size={self.size} odds={self.odds} chosen={self.chosen}"

    @property
    def sampled_odds(self) -> Fraction:
        """The odds of the law that is really sampled: the declared ones, with no rounding between."""
        return self.odds

    @property
    def probabilities(self) -> tuple[Fraction, Fraction]:
        """How probably a report holds the true answer, and any other."""
        return _inclusion(self.size, self.odds, self.chosen)

    @property
    def _total(self) -> int:
        """Sets with the true answer and sets without it stand as chosen to size - chosen, the former `odds` times."""
        return self.odds.numerator * self.chosen + self.odds.denominator * (self.size - self.chosen)

    def privatize(self, values: npt.ArrayLike, bits: BitSource | None = None) -> ReportArray:
        """One report for each value 0..size-1: a row of packed bits, padded with zeros to whole bytes."""
        answers = check_symbols("values", values, self.size)
        source = bits_or_default(bits)
        reports = np.empty((answers.size, -(-self.size // 8)), dtype=np.uint8)
        for rows in row_chunks(answers.size, self.size):
            reports[rows] = np.packbits(self._sets(answers[rows], source), axis=1)
        return reports

    def _sets(self, answers: npt.NDArray[np.int64], source: BitSource) -> npt.NDArray[np.bool_]:
        each = np.arange(answers.size)
        numbers = UniformBelow(bound=self._total, width=self.width).draw(source, answers.size)
        true_in = numbers < np.uint64(self.odds.numerator * self.chosen)
        # A partial shuffle of the other answers, numbered without the true one. Its first chosen - 1 are a uniform set
        # too, so both branches draw alike.
        others = np.tile(np.arange(self.size - 1, dtype=smallest_dtype(self.size)), (answers.size, 1))
        sets = np.zeros((answers.size, self.size), dtype=np.bool_)
        for i in range(self.chosen):
            places = i + UniformBelow(bound=self.size - 1 - i, width=self.width).sample(source, answers.size)
            drawn = others[each, places].astype(np.int64)
            others[each, places] = others[:, i]
            symbols = drawn + (drawn >= answers)
            # The last place belongs to the true answer when it is in.
            sets[each, np.where(true_in, answers, symbols) if i == self.chosen - 1 else symbols] = True
        return sets

    def tally(self, reports: npt.ArrayLike) -> Tally:
        """Count the reports that hold each answer."""
        packed = check_packed(reports, self.size)
        if (np.bitwise_count(packed).sum(axis=1) != self.chosen).any():
            raise InvalidParameter(
                f"must each hold {self.chosen} answers",
                parameter="reports",
                way_out="Pass what privatize of this mechanism returned.",
            )
        return Tally(mechanism=self.name, counts=count_ones(packed, self.size), reports=len(packed))

    def estimate(self, tally: Tally, *, confidence: float = 0.95) -> Estimate:
        """Shares of the answers: the share s of reports that hold x is pulled back to (s - other)/(own - other)."""
        check_confidence(confidence)
        total = check_tally(tally, self.name)
        return member_estimate(tally.counts, *self.probabilities, total=total, confidence=confidence)

    def variance(self, law: Distribution | LawLike, n: int) -> tuple[Fraction, ...]:
        """Return the exact variance of each share in `raw`, from n reports, when answers follow `law`."""
        return member_variance(law, self.size, n, *self.probabilities)

    def law(self, x: int) -> tuple[Fraction, ...]:
        """P(.|x), exact, over all sets of `chosen` answers in the order of itertools.combinations."""
        check_between("x", check_integer("x", x), 0, self.size - 1)
        self._check_outputs()
        with_x, without_x = math.comb(self.size - 1, self.chosen - 1), math.comb(self.size - 1, self.chosen)
        low = 1 / (self.odds * with_x + without_x)
        return tuple(low * self.odds if x in kept else low for kept in self._subsets())

    def channel(self) -> Channel:
        """All laws together; a report is labelled by its bits."""
        self._check_outputs()
        labels = ("".join("1" if i in kept else "0" for i in range(self.size)) for kept in self._subsets())
        return Channel([self.law(x) for x in range(self.size)], outputs=labels)

    def _subsets(self) -> Iterator[tuple[int, ...]]:
        return itertools.combinations(range(self.size), self.chosen)

    def _check_outputs(self) -> None:
        if math.comb(self.size, self.chosen) > MOST_OUTPUTS:
            raise InvalidParameter(
                f"and chosen={self.chosen} give more reports than the {MOST_OUTPUTS} that are written out",
                parameter="size",
                value=self.size,
                way_out="Read sampled_odds and variance, which are exact at every size.",
            )


def best_chosen(size: int, odds: Fraction) -> int:
    """Return the set size of least variance for a rare answer: size/(odds+1) rounded to one side or the other."""
    ideal = size / (odds + 1)
    sizes = {max(1, math.floor(ideal)), min(size - 1, math.ceil(ideal))}
    return min(sorted(sizes), key=lambda chosen: _spread(*_inclusion(size, odds, chosen)))


def _inclusion(size: int, odds: Fraction, chosen: int) -> tuple[Fraction, Fraction]:
    own = odds * chosen / (odds * chosen + size - chosen)
    return own, (chosen - own) / (size - 1)


def _spread(own: Fraction, other: Fraction) -> Fraction:
    return other * (1 - other) / (own - other) ** 2 if own > other else Fraction(0)
