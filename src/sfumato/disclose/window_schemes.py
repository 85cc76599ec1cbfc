"""Publish windows of a long column: each window says something of its samples together and nothing of any one.

Windows of k samples that share exactly one sample with the next keep every sample independent of all outputs together,
the outputs are independent of each other, and what they say adds up. Windows that share more may leak, even though each
is private alone, and are refused with the leak that was measured.
Ref: [D, Lemma 7], which holds for k = 2 only; theory: docs/theory/disclosure_schemes.md
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from sfumato.bits.mechanism import ReportArray, bits_or_default, check_symbols, smallest_dtype
from sfumato.bits.row_draws import RowDraws
from sfumato.bits.source import MOST_WIDTH, BitSource
from sfumato.disclose.law_drift import leak_within_bits
from sfumato.disclose.scheme_checks import (
    IndependenceCheck,
    Symbols,
    certify_independence,
    check_count,
    check_sample_law,
    efficiency_interval,
    leaks_interval,
    scaled_interval,
    slices,
)
from sfumato.disclose.window_mappings import best_mapping, window_law
from sfumato.errors import ClaimRefused, InvalidLaw, InvalidParameter, Refused
from sfumato.measures import mutual_information_interval
from sfumato.prob import Channel, Distribution
from sfumato.prob.exact import common_numerators
from sfumato.values import Interval
from sfumato.values.checks import Number, check_at_least, check_between, check_integer

CHUNK = 1 << 18


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowScheme:
    """Windows of `size` independent samples of law `law`, a new one every `stride` samples; `size`-1 by default.

    `mapping` is an exact channel from the |X|^size windows, the last sample moving fastest, to outputs.

    `best` finds the mapping for a law.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> scheme = sf.disclose.WindowScheme.best(sf.Distribution([Fraction(1, 3), Fraction(2, 3)]))
    >>> scheme.window_count(100), round(scheme.information_bits(100).lower, 2)
    (99, 46.91)
    >>> scheme.certify_small(4).comparisons
    64
    """

    law: Distribution
    mapping: Channel
    size: int = 2
    stride: int | None = None
    width: int = MOST_WIDTH

    def __post_init__(self) -> None:
        object.__setattr__(self, "law", check_sample_law(self.law))
        check_at_least("size", check_integer("size", self.size), 2)
        if self.stride is None:
            object.__setattr__(self, "stride", self.size - 1)
        check_between("stride", check_integer("stride", self.stride), 1, self.size)
        if self.mapping.shape[0] != len(self.law) ** self.size:
            raise InvalidLaw(
                f"has {self.mapping.shape[0]} inputs, and {self.size} samples of {len(self.law)} values make "
                f"{len(self.law) ** self.size} windows",
                parameter="mapping",
                way_out="Give one row for each, the last sample moving fastest.",
            )
        if not self.mapping.exact:
            raise InvalidParameter(
                "must be exact: a rounded one is no longer independent of each sample",
                parameter="mapping",
                way_out="Give it in Fractions.",
            )
        _check_window(self._window_law, self.mapping, len(self.law), self.size)
        if self._step < self.size - 1:
            raise self._overlap()

    @classmethod
    def best(cls, law: Distribution, size: int = 2) -> WindowScheme:
        """Take the most telling private mapping of a window: a closed form for two binary samples, else a program."""
        return cls(law=law, mapping=best_mapping(law, size), size=size)

    def release(self, samples: npt.ArrayLike, bits: BitSource | None = None) -> ReportArray:
        """One output for each whole window of a column of symbols 0..|X|-1. Publish one release of a dataset only."""
        column = check_symbols("samples", samples, len(self.law))
        check_count(column.size, self.size)
        pieces = (column[part] for part in slices(column.size, CHUNK))
        return np.concatenate(list(self.stream(pieces, bits)))

    def stream(self, chunks: Iterable[npt.ArrayLike], bits: BitSource | None = None) -> Iterator[ReportArray]:
        """Do the same for a column that comes in pieces; what a piece leaves over waits for the next."""
        source = bits_or_default(bits)
        rows = RowDraws(self.mapping, self.width)
        dtype = smallest_dtype(self.mapping.shape[1])
        base = len(self.law)
        waiting = np.empty(0, dtype=np.int64)
        for chunk in chunks:
            column = np.concatenate([waiting, check_symbols("samples", chunk, base)])
            whole = self.window_count(column.size)
            windows = np.zeros(whole, dtype=np.int64)
            for place in range(self.size):
                windows = windows * base + column[place :: self._step][:whole]
            waiting = column[whole * self._step :]
            yield rows.draw(source, windows).astype(dtype)

    def window_count(self, n: int) -> int:
        """How many whole windows n samples make; the samples after the last one stay out of the release."""
        return max(0, (n - self.size) // self._step + 1)

    @property
    def window_bits(self) -> Interval:
        """I of a window and its output."""
        return mutual_information_interval(self.mapping, self._window_law)

    def information_bits(self, n: int) -> Interval:
        """I(X^n; Y) for n samples: windows that share one sample add up exactly."""
        return scaled_interval(self.window_bits, self.window_count(check_count(n, self.size)))

    def efficiency(self, n: int) -> Interval:
        """I(X^n; Y) / H(X^n)."""
        return efficiency_interval(self.information_bits(n), self.law, n)

    @property
    def asymptotic_efficiency(self) -> Interval:
        """What the efficiency tends to for long columns."""
        return efficiency_interval(self.window_bits, self.law, self._step)

    def certify_small(self, n: int) -> IndependenceCheck:
        """List all datasets of n samples and compare P(x_i, y) with P(x_i)P(y), in fractions."""
        check_count(n, self.size)
        return certify_independence(self.law, n, self.output_law)

    def output_law(self, dataset: Symbols) -> dict[Symbols, Fraction]:
        """P(y|x^n) for one dataset, by listing; for few windows."""
        return _outputs(self.law, self.mapping, dataset, self.size, self._step)

    def leak_within(self, n: int, radius: Number) -> float:
        """Bound the leak about a sample, in bits, when the true law is within `radius` of `law` in total variation."""
        return leak_within_bits(self.law, n, radius)

    @property
    def _step(self) -> int:
        return self.size - 1 if self.stride is None else self.stride

    @property
    def _window_law(self) -> Distribution:
        return Distribution(window_law(self.law, self.size).fractions, self.mapping.inputs)

    def _overlap(self) -> Refused:
        """Return the refusal of windows that share more than one sample, with what two of them leak."""
        n = self.size + self._step
        try:
            leaks = overlap_leaks(self.law, self.mapping, size=self.size, stride=self._step, n=n)
            measured = "two such windows leak " + ", ".join(f"{leak.midpoint:.4f}" for leak in leaks)
            measured += f" bits about their {n} samples"
            if not any(leak.upper for leak in leaks):
                measured = "two such windows leak nothing, and nothing proves it for more of them"
        except InvalidParameter:
            measured = "what they leak is too much to list here"
        return Refused(
            f"makes windows of `size`={self.size} share {self.size - self._step} samples, and each being private does "
            f"not make them private together: {measured}",
            parameter="stride",
            value=self.stride,
            way_out=f"Use `stride`={self.size - 1}, where neighbours share one sample.",
        )


def _check_window(whole: Distribution, mapping: Channel, values: int, size: int) -> None:
    """P(x_i, y) = P(x_i)P(y) for each sample of a window, in whole numbers over one denominator."""
    numerators, _ = mapping.integers()
    weights = common_numerators([whole.fractions])[0][0]
    masses = weights[:, None] * numerators
    outputs, total = masses.sum(axis=0), weights.sum()
    for place in range(size):
        shape = (values**place, values, values ** (size - place - 1))
        joint = masses.reshape((*shape, -1)).sum(axis=(0, 2))
        shares = weights.reshape(shape).sum(axis=(0, 2))
        if (joint * total != shares[:, None] * outputs).any():
            rows = [
                [Fraction(int(v), int(share * mapping.integers()[1])) for v in row]
                for row, share in zip(joint, shares, strict=True)
            ]
            leak = mutual_information_interval(
                Channel(rows), Distribution([Fraction(int(v), int(total)) for v in shares])
            )
            raise ClaimRefused(
                f"is not independent of sample {place + 1} of its window: it leaks {leak.midpoint:.4f} bits",
                parameter="mapping",
                way_out="Use `best_mapping`, or one made for this law.",
            )


def overlap_leaks(law: Distribution, mapping: Channel, *, size: int, stride: int, n: int) -> tuple[Interval, ...]:
    """Enclose I(X_i; Y) for each of n samples under windows with any overlap: what a refusal is based on.

    Returns:
        An enclosure for each sample, in bits; [0, 0] where it is independent of the outputs.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> law = sf.Distribution([Fraction(1, 3), Fraction(2, 3)])
    >>> mapping = sf.disclose.best_mapping(law, 3)
    >>> for stride in (2, 1):
    ...     leaks = sf.disclose.overlap_leaks(law, mapping, size=3, stride=stride, n=5)
    ...     print(stride, [round(leak.upper, 4) for leak in leaks])
    2 [0.0, 0.0, 0.0, 0.0, 0.0]
    1 [0.2641, 0.2913, 0.2985, 0.2913, 0.2641]
    """
    return leaks_interval(law, n, lambda dataset: _outputs(law, mapping, dataset, size, stride))


def _outputs(law: Distribution, mapping: Channel, dataset: Symbols, size: int, stride: int) -> dict[Symbols, Fraction]:
    starts = range(0, len(dataset) - size + 1, stride)
    return _window_outputs(law, mapping, [dataset[start : start + size] for start in starts])


def _window_outputs(law: Distribution, mapping: Channel, windows: Iterable[Symbols]) -> dict[Symbols, Fraction]:
    """Given the samples, windows draw on their own."""
    rows = []
    for window in windows:
        index = 0
        for symbol in window:
            index = index * len(law) + symbol
        rows.append([(y, Fraction(chance)) for y, chance in enumerate(mapping.row(index)) if chance])
    found = {}
    for choice in itertools.product(*rows):
        chance = Fraction(1)
        for _, part in choice:
            chance *= part
        found[tuple(y for y, _ in choice)] = chance
    return found
