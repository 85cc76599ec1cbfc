"""Hadamard response: each answer favours half of a block of symbols.

An answer owns a block of symbols and one row of the Hadamard matrix of that order, never row 0. It reports each symbol
of its block where the row is +1 with weight `odds` and every other symbol with weight 1, so no report favours one
answer over another by more than `odds`: epsilon = ln(odds). Any two rows agree on half of the block, so one fast
transform of the counts gives every share.   Ref: [ASZ19]; proof: docs/theory/hadamard_response.md

Sampling is one uniform integer below the total weight, drawn by rejection: the law sampled is the law declared.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Self

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter
from sfumato.mechanisms.base import (
    MOST_OUTPUTS,
    check_confidence,
    check_tally,
    exact_odds,
    law_of_answers,
    nominal_odds,
    normal_estimate,
    odds_keeping,
)
from sfumato.mechanisms.binary_hadamard import power_of_two_from, walsh_hadamard
from sfumato.numbers.checks import check_at_least, check_between, check_integer
from sfumato.numbers.exact import LawLike
from sfumato.prob.channel import Channel
from sfumato.prob.distribution import Distribution
from sfumato.sampling.mechanism import Estimate, ReportArray, Tally, bits_or_default, check_symbols, smallest_dtype
from sfumato.sampling.samplers import UniformBelow
from sfumato.sampling.sources import MOST_WIDTH, BitSource

# Odds promised as an epsilon are rounded down to multiples of 2^-32, or coarser where there are many symbols.
_ODDS_BITS = 32
# Keeping the total weight this far below 2^width makes a redraw rarer than once in 256 reports.
_SPARE_BITS = 8
# A channel of more entries than this is not written out.
_MOST_ENTRIES = 1 << 20

_STRUCTURED = "Read sampled_odds, heaviest_output and variance, which are exact at every size."


@dataclass(frozen=True, slots=True, kw_only=True)
class HadamardResponse:
    """`size` answers over `blocks` blocks, a power of two; left at 0, the number of least variance.

    An answer favours half of a block of symbols, so that one fast transform of the counts gives every share [ASZ19].

    >>> import sfumato as sf
    >>> towns = sf.mechanisms.HadamardResponse.within(size=1000, epsilon=2.0)
    >>> towns.blocks, towns.outputs
    (4, 1024)
    >>> reports = towns.privatize([42] * 3000 + [7] * 7000, sf.sampling.InsecureSeeded(7))
    >>> found = towns.estimate(towns.tally(reports))
    >>> round(found.raw[42], 2), round(found.standard_errors[42], 2)
    (0.3, 0.02)
    """

    size: int
    odds: Fraction
    blocks: int = 0
    width: int = MOST_WIDTH

    def __post_init__(self) -> None:
        check_at_least("size", check_integer("size", self.size), 2)
        check_between("width", check_integer("width", self.width), 1, MOST_WIDTH)
        odds = exact_odds(self.odds, "HadamardResponse")
        object.__setattr__(self, "odds", odds)
        blocks = check_integer("blocks", self.blocks) or best_blocks(self.size, odds)
        if blocks < 1 or blocks & (blocks - 1):
            raise InvalidParameter(
                "must be a power of two", parameter="blocks", value=blocks, way_out="Use 1, 2, 4, …, or 0 for the best."
            )
        object.__setattr__(self, "blocks", blocks)
        if self._total > 1 << self.width:
            raise InvalidParameter(
                f"over {self.outputs} symbols weigh {self._total} in all, more than words of width={self.width} bits "
                f"can tell apart",
                parameter="odds",
                value=odds,
                way_out="Use `odds` with a smaller numerator and denominator.",
            )

    @classmethod
    def within(cls, *, size: int, epsilon: float, blocks: int = 0, width: int = MOST_WIDTH) -> Self:
        """Return the mechanism with the largest odds on a fine grid that keep the promise of `epsilon`."""
        check_at_least("size", check_integer("size", size), 2)
        top = nominal_odds(epsilon)
        count = max(1, blocks) if blocks else best_blocks(size, Fraction(top))
        weight = _block_length(size, count) * (top / 2 + count)
        odds = odds_keeping(epsilon, weight=weight, size=size, width=width)
        return cls(size=size, odds=odds, blocks=blocks, width=width)

    @property
    def block(self) -> int:
        """Symbols in a block: the least power of two with a row for every answer of the block, beside row 0."""
        return _block_length(self.size, self.blocks)

    @property
    def outputs(self) -> int:
        """How many symbols can be reported."""
        return self.blocks * self.block

    @property
    def name(self) -> str:
        """What marks the tallies of this mechanism."""
        return f"hadamard_response size={self.size} odds={self.odds} blocks={self.blocks}"

    @property
    def sampled_odds(self) -> Fraction:
        """The odds of the law that is really sampled: the declared ones, with no rounding between."""
        return self.odds

    @property
    def heaviest_output(self) -> Fraction:
        """max_y Σ_x P(y|x): all answers of the first block favour its symbol 0. A key can recover answers iff ≤ 1."""
        first = min(self.block - 1, self.size)
        return (self.odds * first + self.size - first) / self._weight

    @property
    def _favoured(self) -> int:
        return self.block // 2

    @property
    def _weight(self) -> Fraction:
        return self._favoured * self.odds + self.outputs - self._favoured

    @property
    def _total(self) -> int:
        return self._favoured * self.odds.numerator + (self.outputs - self._favoured) * self.odds.denominator

    def privatize(self, values: npt.ArrayLike, bits: BitSource | None = None) -> ReportArray:
        """One report for each value 0..size-1."""
        answers = check_symbols("values", values, self.size)
        homes, rows = np.divmod(answers, self.block - 1)
        numbers = UniformBelow(bound=self._total, width=self.width).draw(bits_or_default(bits), answers.size)
        high, low = np.uint64(self.odds.numerator), np.uint64(self.odds.denominator)
        edge = np.uint64(self._favoured * self.odds.numerator)
        favoured = numbers < edge
        # Each favoured symbol owns `high` numbers, each other one `low`: the first half of those in the own block.
        places = np.where(favoured, numbers // high, (numbers - edge) // low).astype(np.int64)
        abroad = ~favoured & (places >= self._favoured)
        reports = homes * self.block + _halves(places % self._favoured, rows + 1, ~favoured)
        blocks, symbols = np.divmod(places[abroad] - self._favoured, self.block)
        reports[abroad] = (blocks + (blocks >= homes[abroad])) * self.block + symbols
        return reports.astype(smallest_dtype(self.outputs))

    def tally(self, reports: npt.ArrayLike) -> Tally:
        """Count reports."""
        counts = np.bincount(check_symbols("reports", reports, self.outputs), minlength=self.outputs)
        return Tally(mechanism=self.name, counts=tuple(counts.tolist()))

    def estimate(self, tally: Tally, *, confidence: float = 0.95) -> Estimate:
        """Shares of the answers: reports where the row is +1, less those of the block where it is -1, rescaled."""
        check_confidence(confidence)
        total = check_tally(tally, self.name)
        scale = float(self._scale("nothing can be estimated"))
        table = np.array(tally.counts, dtype=np.float64).reshape(self.blocks, self.block)
        # Counts are whole numbers below 2^53, so the transform is exact.
        signed = np.stack([walsh_hadamard(row) for row in table])
        raw = scale * signed[:, 1:].reshape(-1)[: self.size] / total
        at_home = np.repeat(table.sum(axis=1) / total, self.block - 1)[: self.size]
        return normal_estimate(raw, (scale**2 * at_home - raw**2) / total, total=total, confidence=confidence)

    def variance(self, law: Distribution | LawLike, n: int) -> tuple[Fraction, ...]:
        """Return the exact variance of each share in `raw`, from n reports, when answers follow `law`."""
        shares = law_of_answers(law, self.size, n)
        scale = self._scale("its variance has no end")
        wide = self.block - 1
        result: list[Fraction] = []
        for start in range(0, self.size, wide):
            residents = shares[start : start + wide]
            own = sum(residents, Fraction(0))
            at_home = self._favoured * ((self.odds + 1) * own + 2 * (1 - own)) / self._weight
            result += [(scale**2 * at_home - share**2) / n for share in residents]
        return tuple(result)

    def law(self, x: int) -> tuple[Fraction, ...]:
        """P(.|x), exact."""
        check_between("x", check_integer("x", x), 0, self.size - 1)
        if self.outputs > MOST_OUTPUTS:
            raise InvalidParameter(
                f"makes {self.outputs} symbols, more than the {MOST_OUTPUTS} whose law is written out",
                parameter="size",
                value=self.size,
                way_out=_STRUCTURED,
            )
        home, row = divmod(x, self.block - 1)
        low, start = 1 / self._weight, home * self.block
        return tuple(
            low * self.odds if 0 <= y - start < self.block and ((row + 1) & (y - start)).bit_count() % 2 == 0 else low
            for y in range(self.outputs)
        )

    def channel(self) -> Channel:
        """All laws together."""
        if self.outputs > MOST_OUTPUTS or self.size * self.outputs > _MOST_ENTRIES:
            raise InvalidParameter(
                f"makes a channel of {self.size}×{self.outputs} entries, which is not written out",
                parameter="size",
                value=self.size,
                way_out=_STRUCTURED,
            )
        return Channel([self.law(x) for x in range(self.size)])

    def _scale(self, loss: str) -> Fraction:
        if self.odds == 1:
            raise InvalidParameter(
                f"makes every report pure noise; {loss}", parameter="odds", value=1, way_out="Raise `odds`."
            )
        return self._weight / (self._favoured * (self.odds - 1))


def best_blocks(size: int, odds: Fraction) -> int:
    """Return the number of blocks of least variance, on average over answers that are equally common."""
    candidates = [1 << i for i in range(power_of_two_from(size).bit_length())]
    return min(candidates, key=lambda blocks: _mean_variance(size, odds, blocks))


def _mean_variance(size: int, odds: Fraction, blocks: int) -> Fraction:
    """Σ_block π·A²·P(block) at shares 1/size, but for the factor (odds-1)² that all candidates have in common."""
    block = _block_length(size, blocks)
    full, rest = divmod(size, block - 1)
    squares = Fraction(full * (block - 1) ** 2 + rest**2, size**2)
    weight = odds + Fraction(blocks * block - block // 2, block // 2)
    return weight * (2 + (odds - 1) * squares)


def _block_length(size: int, blocks: int) -> int:
    return power_of_two_from(-(-size // blocks) + 1)


def _halves(
    places: npt.NDArray[np.int64], rows: npt.NDArray[np.int64], odd: npt.NDArray[np.bool_]
) -> npt.NDArray[np.int64]:
    """Return the place-th symbol that shares an even (or odd) number of bits with its row.

    The lowest bit of the row is left free: the place spells the other bits, and the free one sets the parity.
    """
    free = rows & -rows
    symbols = (places & (free - 1)) | ((places & ~(free - 1)) << 1)
    parity = (np.bitwise_count(symbols & rows) & 1).astype(np.bool_)
    return symbols | np.where(parity != odd, free, 0)
