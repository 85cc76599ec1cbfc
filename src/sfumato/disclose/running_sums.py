"""Uniform samples: publish running sums of k neighbours mod M, with a secret start if one is wanted.

Sums of k neighbours are independent of any k-1 samples in a row; a secret uniform Q added to all of them protects one
more and costs log M bits once. Anyone who learns as many samples as the window has beyond that learns all the others.
Ref: [D, Example 3], whose eq. (61) prints M for log M; theory: docs/theory/disclosure_schemes.md
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from sfumato.bits import BitSource, UniformBelow
from sfumato.bits.mechanism import ReportArray, bits_or_default, check_symbols, smallest_dtype
from sfumato.bits.source import MOST_WIDTH
from sfumato.disclose.law_drift import leak_from_chi_square_bits
from sfumato.disclose.scheme_checks import (
    IndependenceCheck,
    Symbols,
    certify_independence,
    check_count,
    scaled_interval,
    slices,
)
from sfumato.errors import InvalidParameter
from sfumato.measures.enclosures import log2_interval
from sfumato.prob import Distribution
from sfumato.values import Interval
from sfumato.values.checks import Number, as_exact, check_at_least, check_between, check_integer

CHUNK = 1 << 18
# A chunk and its window add up to less than 2^63.
MOST_MODULUS = 1 << 40
MOST_WINDOW = 1 << 20
MOST_LISTED = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningSums:
    """L_i = Q + X_i + … + X_{i+window-1} mod `modulus` for uniform samples; Q is 0 unless `masked`.

    The sums tell nothing about any `protects` samples in a row, and all but so many times log2 M bits of the column.

    >>> import sfumato as sf
    >>> scheme = sf.disclose.RunningSums(modulus=10)
    >>> scheme.release([3, 9, 4, 4]).tolist()
    [2, 3, 8]
    >>> scheme.protects, str(scheme.efficiency(4))
    (1, '3/4')
    >>> sf.disclose.RunningSums(modulus=10, masked=True).protects
    2
    """

    modulus: int
    window: int = 2
    masked: bool = False
    width: int = MOST_WIDTH

    def __post_init__(self) -> None:
        check_between("modulus", check_integer("modulus", self.modulus), 2, MOST_MODULUS)
        check_between("window", check_integer("window", self.window), 1, MOST_WINDOW)
        if self.protects < 1:
            raise InvalidParameter(
                "publishes every sample when it is not `masked`",
                parameter="window",
                value=1,
                way_out="Use 2, or say `masked` for a secret start.",
            )

    @property
    def protects(self) -> int:
        """How many samples in a row the outputs are independent of."""
        return self.window - 1 + int(self.masked)

    @property
    def law(self) -> Distribution:
        """The law that samples must have."""
        check_between("modulus", self.modulus, 2, MOST_LISTED, way_out="A longer law is not written out.")
        return Distribution.uniform(self.modulus)

    def release(self, samples: npt.ArrayLike, bits: BitSource | None = None) -> ReportArray:
        """The sums of a column of symbols 0..modulus-1. Publish one release of a dataset only."""
        column = check_symbols("samples", samples, self.modulus)
        check_count(column.size, self.window)
        pieces = (column[part] for part in slices(column.size, CHUNK))
        return np.concatenate(list(self.stream(pieces, bits)))

    def stream(self, chunks: Iterable[npt.ArrayLike], bits: BitSource | None = None) -> Iterator[ReportArray]:
        """Do the same for a column that comes in pieces; the last window-1 samples wait for the next piece."""
        start = np.int64(0)
        if self.masked:
            start = UniformBelow(bound=self.modulus, width=self.width).sample(bits_or_default(bits), 1)[0]
        dtype = smallest_dtype(self.modulus)
        waiting = np.empty(0, dtype=np.int64)
        for chunk in chunks:
            column = np.concatenate([waiting, check_symbols("samples", chunk, self.modulus)])
            totals = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(column)])
            sums = totals[self.window :] - totals[: -self.window]
            waiting = column[max(0, column.size - self.window + 1) :]
            yield ((sums + start) % self.modulus).astype(dtype)

    def information_bits(self, n: int) -> Interval:
        """I(X^n; Y) = (n - protects) log2 M: the outputs are uniform, and the mask is all that is random in them."""
        check_count(n, self.window)
        return scaled_interval(log2_interval(Fraction(self.modulus)), n - self.protects)

    def efficiency(self, n: int) -> Fraction:
        """I(X^n; Y) / H(X^n) = (n - protects)/n, exactly; with protects = 1 no scheme has more [D, Lemma 6]."""
        check_count(n, self.window)
        return Fraction(n - self.protects, n)

    @property
    def asymptotic_efficiency(self) -> Fraction:
        """What the efficiency tends to for long columns."""
        return Fraction(1)

    def certify_small(self, n: int) -> IndependenceCheck:
        """List all datasets of n samples and compare the law of any `protects` in a row with and without y."""
        check_count(n, max(self.window, self.protects))
        return certify_independence(self.law, n, self.output_law, together=self.protects)

    def output_law(self, dataset: Symbols) -> dict[Symbols, Fraction]:
        """P(y|x^n) for one dataset."""
        check_at_least("samples", len(dataset), self.window)
        starts = range(self.modulus if self.masked else 1)
        sums = [sum(dataset[i : i + self.window]) for i in range(len(dataset) - self.window + 1)]
        return {tuple((s + start) % self.modulus for s in sums): Fraction(1, len(starts)) for start in starts}

    def leak_within(self, n: int, radius: Number) -> float:
        """Bound the leak about a sample, in bits, when the true law is within `radius` of uniform."""
        step = as_exact("radius", radius)
        check_between("radius", step, 0, 1)
        return leak_from_chi_square_bits(n, 2 * self.modulus * step**2, self.modulus)
