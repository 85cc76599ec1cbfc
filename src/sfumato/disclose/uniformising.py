"""Make each sample uniform with some noise of its own, and publish the sums of neighbours mod M.

The sums of neighbouring uniform variables are independent of each of them, and so of each sample behind. Works for
alphabets of any size. How much is told comes from the whole chain, and is more than its pairs add up to.
Ref: [D, Sec. V-C, eq. (67)]; theory: docs/theory/disclosure_schemes.md
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from sfumato.bits.mechanism import ReportArray, bits_or_default, check_symbols, smallest_dtype
from sfumato.bits.row_draws import RowDraws
from sfumato.bits.source import MOST_WIDTH, BitSource
from sfumato.disclose.chain_information import chain_information_interval
from sfumato.disclose.law_drift import leak_within_bits
from sfumato.disclose.scheme_checks import (
    IndependenceCheck,
    Symbols,
    certify_independence,
    check_count,
    check_sample_law,
    efficiency_interval,
    scaled_interval,
    slices,
)
from sfumato.errors import InvalidLaw, InvalidParameter
from sfumato.measures import mutual_information_interval
from sfumato.prob import Channel, Distribution
from sfumato.values import Interval
from sfumato.values.checks import Number, check_at_least, check_integer

CHUNK = 1 << 18


@dataclass(frozen=True, slots=True, kw_only=True)
class UniformisedChain:
    """Samples of law `law`, each sent through `uniformiser` to a uniform residue; sums of neighbours are published.

    `closest`, `by_quantiles` and `lossless` make one from a law.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> chain = sf.disclose.UniformisedChain.closest(sf.Distribution([Fraction(1, 4), Fraction(3, 4)]))
    >>> chain.modulus, chain.certify_small(3).comparisons
    (2, 24)
    >>> round(chain.information_bits(100).lower, 2), round(chain.efficiency(100).lower, 3)
    (30.13, 0.371)
    """

    law: Distribution
    uniformiser: Channel
    width: int = MOST_WIDTH

    def __post_init__(self) -> None:
        object.__setattr__(self, "law", check_sample_law(self.law))
        if self.uniformiser.shape[0] != len(self.law) or not self.uniformiser.exact:
            raise InvalidLaw(
                f"must be an exact channel with {len(self.law)} inputs, one for each outcome of the law",
                parameter="uniformiser",
                way_out="Use `closest_uniformiser` or `quantile_uniformiser`.",
            )
        law = Distribution(self.law.fractions, self.uniformiser.inputs)
        if set(self.uniformiser.output_law(law)) != {Fraction(1, self.modulus)}:
            raise InvalidLaw(
                "does not make samples of this law exactly uniform, and then sums of neighbours leak",
                parameter="uniformiser",
                way_out="Use `closest_uniformiser` or `quantile_uniformiser`.",
            )

    @classmethod
    def closest(cls, law: Distribution) -> UniformisedChain:
        """Keep each sample as it is as often as a uniform law allows; the Z channel for a binary law."""
        return cls(law=law, uniformiser=closest_uniformiser(law))

    @classmethod
    def by_quantiles(cls, law: Distribution, modulus: int) -> UniformisedChain:
        """Spread the outcomes over `modulus` equally likely places in their order."""
        return cls(law=law, uniformiser=quantile_uniformiser(law, modulus))

    @classmethod
    def lossless(cls, law: Distribution) -> UniformisedChain:
        """Take as many places as the law's common denominator: none is shared, so all but log2 M bits are disclosed."""
        return cls.by_quantiles(law, math.lcm(*(p.denominator for p in law.fractions)))

    @property
    def modulus(self) -> int:
        """M: how many residues there are."""
        return self.uniformiser.shape[1]

    def release(self, samples: npt.ArrayLike, bits: BitSource | None = None) -> ReportArray:
        """One sum for each pair of neighbours in a column of symbols. Publish one release of a dataset only."""
        column = check_symbols("samples", samples, len(self.law))
        check_count(column.size, 2)
        return np.concatenate(list(self.stream((column[part] for part in slices(column.size, CHUNK)), bits)))

    def stream(self, chunks: Iterable[npt.ArrayLike], bits: BitSource | None = None) -> Iterator[ReportArray]:
        """Do the same for a column that comes in pieces; the last residue of a piece is kept, and never shown."""
        source = bits_or_default(bits)
        rows = RowDraws(self.uniformiser, self.width)
        dtype = smallest_dtype(self.modulus)
        kept = np.empty(0, dtype=np.int64)
        for chunk in chunks:
            drawn = rows.draw(source, check_symbols("samples", chunk, len(self.law)))
            residues = np.concatenate([kept, drawn])
            kept = residues[-1:]
            yield ((residues[:-1] + residues[1:]) % self.modulus).astype(dtype)

    def information_bits(self, n: int) -> Interval:
        """I(X^n; Y) for n samples, by the recursion over the chain."""
        return chain_information_interval(self._law, self.uniformiser, check_count(n, 2))

    def pairwise_bits(self, n: int) -> Interval:
        """The sum over pairs [D, eq. (67)]: exact for two samples, a bound from below for more."""
        pair = chain_information_interval(self._law, self.uniformiser, 2)
        return scaled_interval(pair, check_count(n, 2) - 1)

    def efficiency(self, n: int) -> Interval:
        """I(X^n; Y) / H(X^n)."""
        return efficiency_interval(self.information_bits(n), self.law, n)

    @property
    def asymptotic_efficiency(self) -> Interval:
        """What the efficiency tends to for long columns: I(X;S)/H(X)."""
        return efficiency_interval(mutual_information_interval(self.uniformiser, self._law), self.law, 1)

    def certify_small(self, n: int) -> IndependenceCheck:
        """List all datasets of n samples and compare P(x_i, y) with P(x_i)P(y), in fractions."""
        return certify_independence(self.law, check_count(n, 2), self.output_law)

    def output_law(self, dataset: Symbols) -> dict[Symbols, Fraction]:
        """P(y|x^n) for one dataset, by listing; for few samples."""
        reached: dict[tuple[Symbols, int], Fraction] = {((), -1): Fraction(1)}
        for symbol in dataset:
            row = [(s, Fraction(chance)) for s, chance in enumerate(self.uniformiser.row(symbol)) if chance]
            following: dict[tuple[Symbols, int], Fraction] = defaultdict(Fraction)
            for ((sums, last), weight), (s, chance) in itertools.product(reached.items(), row):
                longer = sums if last < 0 else (*sums, (last + s) % self.modulus)
                following[longer, s] += weight * chance
            reached = following
        outputs: dict[Symbols, Fraction] = defaultdict(Fraction)
        for (sums, _), weight in reached.items():
            outputs[sums] += weight
        return outputs

    def leak_within(self, n: int, radius: Number) -> float:
        """Bound the leak about a sample, in bits, when the true law is within `radius` of `law` in total variation."""
        return leak_within_bits(self.law, n, radius)

    @property
    def _law(self) -> Distribution:
        return Distribution(self.law.fractions, self.uniformiser.inputs)


def closest_uniformiser(law: Distribution) -> Channel:
    """Leave min(p, 1/M) of each outcome in its place, and move the rest, in order, to the outcomes that lack some.

    For `UniformisedChain`: sums of neighbours say nothing about a sample only if what is summed is uniform.

    Returns:
        An exact channel from outcomes to as many residues.

    Raises:
        InvalidLaw: an outcome is impossible, or there is only one.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> channel = sf.disclose.closest_uniformiser(sf.Distribution([Fraction(1, 4), Fraction(3, 4)]))
    >>> [[str(chance) for chance in row] for row in channel.rows]
    [['1', '0'], ['1/3', '2/3']]
    """
    exact = check_sample_law(law)
    even = Fraction(1, len(exact))
    kept = [[min(p, even) if x == s else Fraction(0) for s in range(len(exact))] for x, p in enumerate(exact.fractions)]
    spare = [max(p - even, Fraction(0)) for p in exact.fractions]
    lacking = [max(even - p, Fraction(0)) for p in exact.fractions]
    for x, s in itertools.product(range(len(exact)), repeat=2):
        moved = min(spare[x], lacking[s])
        kept[x][s] += moved
        spare[x] -= moved
        lacking[s] -= moved
    return Channel([[mass / p for mass in row] for row, p in zip(kept, exact.fractions, strict=True)], exact.labels)


def quantile_uniformiser(law: Distribution, modulus: int) -> Channel:
    """Lay the outcomes side by side on [0, 1) and cut it into `modulus` equal parts: S is the part a point falls in.

    For `UniformisedChain`; with as many parts as the law's common denominator, no two outcomes share one.

    Returns:
        An exact channel from outcomes to parts.

    Raises:
        InvalidLaw: an outcome is impossible, or there is only one.
        InvalidParameter: the table would be too large.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> channel = sf.disclose.quantile_uniformiser(sf.Distribution([Fraction(1, 4), Fraction(3, 4)]), 4)
    >>> [[str(chance) for chance in row] for row in channel.rows]
    [['1', '0', '0', '0'], ['0', '1/3', '1/3', '1/3']]
    """
    exact = check_sample_law(law)
    check_at_least("modulus", check_integer("modulus", modulus), 2)
    if modulus * len(exact) > 1 << 22:
        raise InvalidParameter(
            f"makes too large a table for {len(exact)} outcomes",
            parameter="modulus",
            value=modulus,
            way_out="Take fewer parts.",
        )
    rows = []
    start = Fraction(0)
    for p in exact.fractions:
        row = [Fraction(0)] * modulus
        part = int(start * modulus)
        while part < modulus and Fraction(part, modulus) < start + p:
            overlap = min(start + p, Fraction(part + 1, modulus)) - max(start, Fraction(part, modulus))
            row[part] = overlap / p
            part += 1
        rows.append(row)
        start += p
    return Channel(rows, exact.labels)
