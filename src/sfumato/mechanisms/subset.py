"""Subset selection: a report is a set of answers, and the true one is in it more often than it should be.

Every set of `chosen` answers that holds the true one has weight `odds`, every other such set weight 1, so no report
favours one answer over another by more than `odds`: epsilon = ln(odds).
Ref: [YB18]; proof: docs/theory/subset_selection.md

One integer decides whether the true answer is in; the others come from a partial shuffle of the answers **without the
true one**, so it cannot come back in by accident. Reports are packed bits: they keep no order of drawing.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from sfumato.bits.mechanism import ReportArray, bits_or_default, check_symbols, smallest_dtype
from sfumato.bits.samplers import UniformBelow
from sfumato.bits.source import MOST_WIDTH, BitSource
from sfumato.errors import InvalidParameter
from sfumato.mechanisms.linear import check_confidence, check_tally, normal_estimate
from sfumato.prob import Channel, Distribution
from sfumato.values import Estimate, Tally
from sfumato.values.checks import as_number, check_at_least, check_between, check_integer, check_positive
from sfumato.values.rounding import fraction_below_exp

# Laws of more outcomes than this are not written out.
MOST_OUTPUTS = 4096
# Words held at a time, so that a column of a million answers needs no gigabytes.
_CHUNK = 1 << 20
# Odds promised as an epsilon are rounded down to multiples of 2^-32, or coarser where words are narrow.
_ODDS_BITS = 32
# Keeping the total weight this far below 2^width makes a redraw rarer than once in 256 reports.
_SPARE_BITS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class SubsetSelection:
    """Sets of `chosen` answers out of `size`; left at 0, `chosen` becomes the size of least variance."""

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
        if max(self._total, self.size) > 1 << self.width:
            raise InvalidParameter(
                f"odds={odds} over {self.size} answers weigh {self._total} in all, more than words of "
                f"width={self.width} bits can tell apart. Use odds with a smaller numerator and denominator."
            )

    @classmethod
    def within(cls, *, size: int, epsilon: float, chosen: int = 0, width: int = MOST_WIDTH) -> SubsetSelection:
        """Return the mechanism with the largest odds on a fine grid that keep the promise of `epsilon`."""
        check_at_least("size", check_integer("size", size), 2)
        check_positive("epsilon", epsilon)
        top = math.exp(min(epsilon, 700.0))
        needed = math.log2(top * (chosen or math.ceil(size / (top + 1))) + size)
        grid = min(_ODDS_BITS, math.floor(width - _SPARE_BITS - needed))
        if grid < 0:
            raise InvalidParameter(
                f"epsilon={epsilon} over {size} answers needs finer words than width={width} bits. At this epsilon the "
                f"answers are all but public: lower epsilon."
            )
        odds = fraction_below_exp(epsilon, denominator=1 << grid)
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
                f"reports must each hold {self.chosen} answers. Pass what privatize of this mechanism returned."
            )
        return Tally(mechanism=self.name, counts=count_ones(packed, self.size), reports=len(packed))

    def estimate(self, tally: Tally, *, confidence: float = 0.95) -> Estimate:
        """Shares of the answers: the share s of reports that hold x is pulled back to (s - other)/(own - other)."""
        check_confidence(confidence)
        total = check_tally(tally, self.name)
        return estimate_members(tally, *self.probabilities, total=total, confidence=confidence)

    def variance(self, distribution: Distribution | Sequence[object], n: int) -> tuple[Fraction, ...]:
        """Var(raw) of each share, exact, when n answers are drawn from `distribution`."""
        return member_variance(distribution, self.size, n, *self.probabilities)

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
                f"size={self.size} and chosen={self.chosen} give more reports than the {MOST_OUTPUTS} that are written "
                f"out. Read sampled_odds and variance, which are exact at every size."
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


def exact_odds(odds: object, maker: str) -> Fraction:
    """Return odds that are exact and at least 1."""
    number = as_number("odds", odds)
    if not isinstance(number, Fraction):
        raise InvalidParameter(
            f"odds={odds} must be exact. Pass a Fraction such as Fraction(3, 1), or use "
            f"{maker}.within(size=…, epsilon=…)."
        )
    check_at_least("odds", number, 1)
    return number


def row_chunks(rows: int, columns: int) -> Iterator[slice]:
    """Cut a table of words into slices of rows that fit the processor's cache."""
    step = max(1, _CHUNK // columns)
    return (slice(start, min(start + step, rows)) for start in range(0, rows, step))


def check_packed(reports: npt.ArrayLike, size: int) -> npt.NDArray[np.uint8]:
    """Return reports as rows of packed bits, the first answer in the highest bit of the first byte."""
    array = np.asarray(reports)
    wide = -(-size // 8)
    if array.ndim != 2 or array.shape[1] != wide or array.dtype.kind not in "iu":
        raise InvalidParameter(
            f"reports must be a table of bytes, {wide} in a row for {size} answers, not of shape {array.shape} and "
            f"type {array.dtype}. Pass what privatize returned."
        )
    if len(array) == 0:
        raise InvalidParameter("reports is empty. Pass at least one.")
    spare = (1 << (8 * wide - size)) - 1
    if ((array < 0) | (array > 255)).any() or (array[:, -1] & spare).any():
        raise InvalidParameter(
            f"reports hold bits beyond the {size} answers. Pass what privatize of this mechanism returned."
        )
    return array.astype(np.uint8)


def count_ones(reports: npt.NDArray[np.uint8], size: int) -> tuple[int, ...]:
    """How many reports hold each answer."""
    counts = np.zeros(size, dtype=np.int64)
    for rows in row_chunks(len(reports), size):
        counts += np.unpackbits(reports[rows], axis=1, count=size).sum(axis=0, dtype=np.int64)
    return tuple(counts.tolist())


def estimate_members(tally: Tally, own: Fraction, other: Fraction, *, total: int, confidence: float) -> Estimate:
    """Shares of answers, when a report holds its own answer with probability `own` and any other with `other`."""
    if own == other:
        raise InvalidParameter("every report is pure noise; nothing can be estimated. Raise odds, or width.")
    shares = np.array(tally.counts) / total
    gap = float(own - other)
    raw = (shares - float(other)) / gap
    return normal_estimate(raw, shares * (1 - shares) / (total * gap**2), total=total, confidence=confidence)


def law_of_answers(distribution: Distribution | Sequence[object], size: int, n: int) -> tuple[Fraction, ...]:
    """Read the shares at which a variance is wanted."""
    check_at_least("n", check_integer("n", n), 1)
    law = distribution if isinstance(distribution, Distribution) else Distribution(distribution)
    if len(law) != size:
        raise InvalidParameter(
            f"distribution has {len(law)} entries for {size} answers. Give one share to each answer."
        )
    return law.fractions


def member_variance(
    distribution: Distribution | Sequence[object], size: int, n: int, own: Fraction, other: Fraction
) -> tuple[Fraction, ...]:
    """Var(raw) of `estimate_members`, exact, when n answers are drawn from `distribution`."""
    if own == other:
        raise InvalidParameter("every report is pure noise; its variance has no end. Raise odds, or width.")
    held = [other + (own - other) * share for share in law_of_answers(distribution, size, n)]
    return tuple(s * (1 - s) / (n * (own - other) ** 2) for s in held)
