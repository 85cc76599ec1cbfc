"""Whole numbers with P(z) in proportion to e^-(a·η² + b·η), η = |z|/t, exactly, from a few words each.

*An attempt.* One word is a remainder u below a whole t and a sign. Coins of chance 1/e are thrown until one fails; v of
them succeeded, and |z| = u + t·v. Of the two zeros one is thrown away. The number is kept with chance e^-x, where
x = a·η² + b·η + c - v, and c is such that x ≥ 0. So z is kept with a probability in proportion to e^-v·e^-x, that is
to e^-(a·η² + b·η). Otherwise the next attempt begins.   After [CKS20, Alg. 2, 3], whose coins for u/t and for the
Gaussian are one coin here.

*Exactly.* Coins of chance e^-x compare words with its bits (:mod:`sfumato.bits.exponentials`). Plain integers decide
every attempt; for many numbers a compiled loop decides the same attempts from the same words by bounds, and hands back
the few that its bounds leave open. No float is used, and no logarithm. How many words are used depends on the noise
alone, never on what it will hide.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from sfumato.bits.exponentials import exponential_bits, exponential_coin
from sfumato.bits.samplers import IndexArray, UniformBelow
from sfumato.bits.source import MOST_WIDTH, BitSource
from sfumato.values.checks import check_at_least, check_integer

# A number takes at least a word for remainder and sign, one for a coin that fails, and one for the coin that keeps it.
_LEAST_WORDS = 3
_AT_ONCE = 1 << 20
# So many numbers are drawn by plain integers in less time than it takes to load the compiler.
_FEW = 1024
_ONE = Fraction(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoSidedNoise:
    """The law above: t = `scale`, a = `square`, b = `linear`, c = `level`, from words of `width` bits."""

    scale: int
    square: Fraction
    linear: Fraction
    level: Fraction
    width: int = MOST_WIDTH

    def __post_init__(self) -> None:
        check_at_least("scale", check_integer("scale", self.scale), 1)
        UniformBelow(bound=2 * self.scale, width=self.width)

    @classmethod
    def laplace(cls, scale: int, *, width: int = MOST_WIDTH) -> TwoSidedNoise:
        """P(z) in proportion to e^(-|z|/scale): a = 0, b = 1, and x = u/t."""
        return cls(scale=scale, square=Fraction(0), linear=_ONE, level=Fraction(0), width=width)

    @classmethod
    def gaussian(cls, variance: Fraction, scale: int, *, width: int = MOST_WIDTH) -> TwoSidedNoise:
        """P(z) in proportion to e^(-z²/2s): a = 1/2r and c = r/2 with r = s/t², since then a·η² + c ≥ η ≥ v."""
        ratio = variance / scale**2
        return cls(scale=scale, square=1 / (2 * ratio), linear=Fraction(0), level=ratio / 2, width=width)

    def exponent(self, remainder: int, whole: int) -> Fraction:
        """Return x, for u = `remainder` and v = `whole`."""
        ratio = Fraction(remainder, self.scale) + whole
        return self.square * ratio**2 + self.linear * ratio + self.level - whole

    def sample(self, bits: BitSource, count: int, *, few: int = _FEW) -> IndexArray:
        """`count` independent numbers; up to `few` of them without the compiler, which changes no number."""
        check_at_least("count", check_integer("count", count), 0)
        found = np.empty(count, dtype=np.int64)
        stream = _Stream(bits, self.width)
        fill = self._compiled(found) if count > few else None
        done = 0
        while done < count:
            if fill is not None:
                done, used, left_open = fill(stream.waiting, done)
                stream.use(used)
                if not left_open:
                    if done < count:
                        stream.refill(count - done)
                    continue
            reader = _Reader(stream, count - done)
            number = self._attempt(reader.take)
            stream.use(reader.used)
            if number is not None:
                found[done] = number
                done += 1
        return found

    def _attempt(self, take: Callable[[], int]) -> int | None:
        """One attempt by plain integers; None when it fails."""
        both = UniformBelow(bound=2 * self.scale, width=self.width)
        word = take()
        if word > both.last:
            return None
        remainder, negative = divmod(word % both.bound, 2)
        whole = 0
        while exponential_coin(_ONE, take, self.width):
            whole += 1
        size = remainder + self.scale * whole
        if negative and not size:
            return None
        if not exponential_coin(self.exponent(remainder, whole), take, self.width):
            return None
        return -size if negative else size

    def _compiled(self, found: IndexArray) -> Callable[[npt.NDArray[np.uint64], int], tuple[int, int, bool]] | None:
        """Return the compiled loop over attempts, or None where the scale is beyond its words."""
        from sfumato.bits import noise_kernel as kernel  # noqa: PLC0415  brings in a compiler

        if self.scale > kernel.MOST_SCALE:
            return None
        last = np.uint64(UniformBelow(bound=2 * self.scale, width=self.width).last)
        square, linear, level = (
            np.uint64(int(number * (1 << kernel.PLACES)))
            for number in (min(self.square, Fraction(kernel.MOST_SQUARE)), self.linear, self.level)
        )
        powers = _powers(kernel.POWER_DIGITS, kernel.POWER_PLACES)
        width, scale = np.uint64(self.width), np.uint64(self.scale)

        def fill(words: npt.NDArray[np.uint64], done: int) -> tuple[int, int, bool]:
            return kernel.draw_two_sided(words, width, last, scale, square, linear, level, powers, found, done)

        return fill


@functools.cache
def _powers(digits: int, places: int) -> npt.NDArray[np.uint64]:
    """e^-j, e^(-j/256) and e^(-j/256²) for the digits j, cut off after so many places."""
    rows = [[exponential_bits(Fraction(j, digits**power), places) for j in range(digits)] for power in range(3)]
    powers = np.array(rows, dtype=np.uint64)
    powers.setflags(write=False)
    return powers


class _Stream:
    """Words that were asked for and are not used yet; nothing is asked for that will not be used."""

    def __init__(self, bits: BitSource, width: int) -> None:
        self._bits = bits
        self._width = width
        self.waiting: npt.NDArray[np.uint64] = np.empty(0, dtype=np.uint64)

    def refill(self, draws: int) -> None:
        """Ask for words that `draws` numbers are sure to need, the first of which may be half drawn."""
        sure = _LEAST_WORDS * (draws - 1) + max(_LEAST_WORDS - self.waiting.size, 1)
        fresh = self._bits.words(min(sure, _AT_ONCE), self._width).astype(np.uint64)
        self.waiting = np.concatenate([self.waiting, fresh])

    def use(self, count: int) -> None:
        """Forget the first `count` words."""
        self.waiting = self.waiting[count:]


class _Reader:
    """Words of a stream one by one, from its first."""

    def __init__(self, stream: _Stream, draws: int) -> None:
        self._stream, self._draws = stream, draws
        self.used = 0

    def take(self) -> int:
        while self.used >= self._stream.waiting.size:
            self._stream.refill(self._draws)
        self.used += 1
        return int(self._stream.waiting[self.used - 1])
