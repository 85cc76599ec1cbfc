"""Exact samplers of noise: discrete Gaussian, rounded Gaussian, discrete Laplace, and coins with exponential chances.

The discrete Gaussian is drawn from two-sided noise of scale t = ⌊√s⌋+1, which is close to one deviation, so that about
half of the attempts succeed whatever the variance is. No float is used to draw, and no logarithm.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter
from sfumato.numbers.checks import (
    Real,
    as_exact,
    as_number,
    check_at_least,
    check_between,
    check_integer,
    check_positive,
)
from sfumato.numbers.intervals import UNIT_ROUNDOFF, Interval
from sfumato.sampling.samplers import IndexArray, UniformBelow
from sfumato.sampling.sources import MOST_WIDTH, BitSource

# --- Coins that fall on 1 with probability e^-x, exactly, for a rational x: words are compared with the bits of e^-x
#
# As with a rational coin, a word of w bits decides unless it agrees with all of the first w bits of the chance; then
# the next word goes on with the bits that follow. Since e^-x is irrational for a rational x > 0 [Lambert], its bits
# are known as soon as two bounds agree on them, and integers suffice to compute such bounds.


# Bits beyond those that are needed, at first; they are doubled until the two bounds agree.
_GUARD = 48
# The series is summed at arguments below 2^-4, where a term is less than a sixteenth of the one before.
_SMALL = 4


def exponential_bits(exponent: Fraction, count: int) -> int:
    """The first `count` bits of e^-exponent behind the point, as a whole number: ⌊e^-exponent·2^count⌋."""
    if exponent == 0:
        return 1 << count
    if exponent >= count:
        return 0  # e^-x < 2^-x
    guard = _GUARD
    while True:
        lower, upper = _bounds(exponent, count + guard)
        if lower >> guard == upper >> guard:
            return lower >> guard
        guard *= 2


def _bounds(exponent: Fraction, places: int) -> tuple[int, int]:
    """Enclose e^-exponent·2^places: the series at exponent/2^k, squared k times."""
    halvings = int(exponent).bit_length() + _SMALL
    argument = (exponent.numerator << places) // (exponent.denominator << halvings)
    term = total = 1 << places
    turn = 0
    while term:
        turn += 1
        term = (term * argument >> places) // turn
        total += -term if turn % 2 else term
    # A term lacks less than 2 units: one cut off here, and a sixteenth of what the term before lacked. All terms that
    # are left out are below one together, and the argument lacks less than one.
    lower, upper = total - 2 * turn - 2, total + 2 * turn + 2
    for _ in range(halvings):
        lower, upper = lower * lower >> places, (upper * upper >> places) + 1
    return lower, upper


@functools.lru_cache(maxsize=64)
def _unit_bits(count: int) -> int:
    """Return the bits of 1/e. Those of other chances depend on the noise that was drawn, and are not cached."""
    return exponential_bits(Fraction(1), count)


def exponential_coin(exponent: Fraction, take: Callable[[], int], width: int = MOST_WIDTH) -> bool:
    """One throw of a coin of chance e^-exponent, from one or more words of `width` bits that `take` returns."""
    seen = depth = 0
    while True:
        seen, depth = seen << width | take(), depth + width
        border = _unit_bits(depth) if exponent == 1 else exponential_bits(exponent, depth)
        if seen != border:
            return seen < border


def exponential_coins(
    exponent: Fraction, bits: BitSource, count: int, width: int = MOST_WIDTH
) -> npt.NDArray[np.int64]:
    """`count` throws of a coin that falls on 1 with probability e^-exponent, exactly."""
    check_at_least("exponent", exponent, 0)
    check_at_least("count", check_integer("count", count), 0)
    check_between("width", check_integer("width", width), 1, MOST_WIDTH)
    if exponent == 0:
        return np.ones(count, dtype=np.int64)
    throws = np.zeros(count, dtype=np.int64)
    waiting = np.arange(count)
    depth = 0
    while waiting.size:
        depth += width
        # Who is still waiting has agreed with all the bits before these.
        border = exponential_bits(exponent, depth) % (1 << width)
        words = bits.words(waiting.size, width)
        throws[waiting[words < words.dtype.type(border)]] = 1
        waiting = waiting[words == words.dtype.type(border)]
    return throws


# --- Whole numbers with P(z) in proportion to e^-(a·η² + b·η), η = |z|/t, exactly, from a few words each
#
# *An attempt.* One word is a remainder u below a whole t and a sign. Coins of chance 1/e are thrown until one fails; v
# of them succeeded, and |z| = u + t·v. Of the two zeros one is thrown away. The number is kept with chance e^-x, where
# x = a·η² + b·η + c - v, and c is such that x ≥ 0. So z is kept with a probability in proportion to e^-v·e^-x, that is
# to e^-(a·η² + b·η). Otherwise the next attempt begins.   After [CKS20, Alg. 2, 3], whose coins for u/t and for the
# Gaussian are one coin here.
#
# *Exactly.* Coins of chance e^-x compare words with its bits. Plain integers decide every attempt; for many numbers a
# compiled loop decides the same attempts from the same words by bounds, and hands back the few that its bounds leave
# open. No float is used, and no logarithm. How many words are used depends on the noise alone, never on the values that
# it is added to.


# A number takes at least a word for remainder and sign, one for a coin that fails, and one for the coin that keeps it.
_LEAST_WORDS = 3
_AT_ONCE = 1 << 20
# This many numbers are drawn by plain integers in less time than it takes to load the compiler.
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
        from sfumato.sampling import kernels as kernel  # noqa: PLC0415  brings in a compiler

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


# Noise beyond this many steps would leave a signed word no space for its tails.
_MOST_VARIANCE = 1 << 80
# Deviations after which the sum of the normaliser stops: e^-98 of it is left.
_REACH = 14
# e^-700 is below 1e-304, where doubles begin to lose digits.
_FAR = 700
_NEXT_TO_NOTHING = 1e-300


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscreteGaussian:
    """The discrete Gaussian with parameter `variance` = s, a Fraction; its true variance is at most s [CKS20].

    It is what a count gets as noise: no float and no logarithm stands between the law and the draw.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> noise = sf.sampling.DiscreteGaussian(variance=Fraction(4))
    >>> round(noise.probability(0).midpoint, 6), f"{noise.tail(10):.1e}"
    (0.199471, '1.2e-07')
    >>> noise.sample(sf.sampling.InsecureSeeded(7), 5).tolist()
    [2, 0, 4, 3, 2]
    """

    variance: Fraction

    def __post_init__(self) -> None:
        variance = as_number("variance", self.variance)
        if not isinstance(variance, Fraction):
            raise InvalidParameter(
                "must be exact", parameter="variance", value=variance, way_out="Pass a Fraction such as Fraction(5, 2)."
            )
        check_positive("variance", variance)
        if variance > _MOST_VARIANCE:
            raise InvalidParameter(
                "must be at most 2^80 steps²", parameter="variance", value=variance, way_out="Use a coarser grid."
            )
        object.__setattr__(self, "variance", variance)

    def sample(self, bits: BitSource, count: int) -> IndexArray:
        """`count` independent numbers."""
        check_at_least("count", check_integer("count", count), 0)
        scale = math.isqrt(math.floor(self.variance)) + 1
        return TwoSidedNoise.gaussian(self.variance, scale).sample(bits, count)

    def probability(self, number: int) -> Interval:
        """Enclose P(z)."""
        exponent = check_integer("number", number) ** 2 / (2 * self.variance)
        if exponent > _FAR:
            return Interval(0.0, _NEXT_TO_NOTHING)
        power = float(exponent)
        weight = math.exp(-power)
        # e^-x of a rounded x errs by u·x, the sum K by a few u since x is ½ on average, and by what it leaves out.
        normaliser, left = self._normaliser()
        slack = UNIT_ROUNDOFF * (4 * power + 24)
        return Interval(weight / (normaliser + left) * (1 - slack), weight / normaliser * (1 + slack))

    def tail(self, number: int) -> float:
        """Bound P(|Z| > number) from above, by a geometric series; never above 1."""
        check_at_least("number", check_integer("number", number), 0)
        first = number + 1
        if first**2 > 2 * _FAR * self.variance:
            # The series is below 2e^-700(1+s/first)/K, where s/first < √s/37 and K ≥ max(1, √(2πs)).
            return _NEXT_TO_NOTHING
        power, step = float(first**2 / (2 * self.variance)), float(first / self.variance)
        series = 2 * math.exp(-power) / -math.expm1(-step) / self._normaliser()[0]
        return min(1.0, series * (1 + UNIT_ROUNDOFF * (8 * power + 64)))

    def _normaliser(self) -> tuple[float, float]:
        """Return Σ e^(-z²/2s) over a range, and a bound on the rest."""
        scale = float(self.variance)
        reach = math.ceil(_REACH * math.sqrt(scale)) + 1
        if reach > 1 << 24:
            # By Poisson's formula K = √(2πs)(1 + 2Σ e^(-2π²sk²)), and s is so large here that the sum vanishes.
            return math.sqrt(2 * math.pi * scale) * (1 - 8 * UNIT_ROUNDOFF), 0.0
        weights = np.exp(-(np.arange(1, reach + 1, dtype=np.float64) ** 2) / (2 * scale))
        left = 2 * math.exp(-((reach + 1) ** 2) / (2 * scale)) / -math.expm1(-(reach + 1) / scale)
        return 1 + 2 * math.fsum(weights.tolist()), left


def discrete_laplace(scale: int, bits: BitSource, count: int) -> IndexArray:
    """`count` numbers with P(z) proportional to e^(-|z|/scale), for a whole scale."""
    return TwoSidedNoise.laplace(scale).sample(bits, count)


# --- Normal noise on a number, rounded to a grid: exact, without computing the noise itself
#
# A normal number is drawn by [Kar16, Algorithm N]: a whole part, and a fraction of which only as many digits are drawn
# as comparisons need. Then digits are added until they decide which multiple of the grid the noisy number is nearest
# to. Only integers are compared, so the law is that of ⌊S + Z⌉ for Z ~ N(0, σ²) exactly: a function of S + Z, for which
# every bound on S + Z holds.   Ref: [Kar16]; theory: docs/theory/bounded_beliefs.md


_HALF = Fraction(1, 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundedGaussian:
    """Noise of standard `deviation` and rounding to multiples of `grid`; digits are drawn `width` bits at a time."""

    deviation: Fraction
    grid: Fraction
    width: int = 32

    def __post_init__(self) -> None:
        for name in ("deviation", "grid"):
            exact = as_exact(name, getattr(self, name))
            check_positive(name, exact)
            object.__setattr__(self, name, exact)
        check_between("width", check_integer("width", self.width), 1, MOST_WIDTH)

    def release(self, value: Real, bits: BitSource) -> Fraction:
        """Return value + noise, rounded to the nearest multiple of the grid."""
        try:
            exact = as_exact("value", value)
        except InvalidParameter:
            raise InvalidParameter("the private value must be a finite number", way_out="Convert it.") from None
        # In steps: the nearest is ⌊start + stretch·z⌋.
        start, stretch = exact / self.grid + _HALF, self.deviation / self.grid
        negative, whole, part = _normal(_Draws(bits, self.width))
        if negative:
            stretch = -stretch
        while True:
            ends = [start + stretch * (whole + end) for end in part.ends]
            # The ends themselves have probability 0, and floors that agree hold between them.
            low, high = (end.numerator // end.denominator for end in ends)
            if low == high:
                return low * self.grid
            part.refine()


class _Draws:
    """Where digits come from."""

    def __init__(self, bits: BitSource, width: int) -> None:
        self._bits, self.width = bits, width

    def digit(self) -> int:
        return int(self._bits.words(1, self.width)[0])

    def uniform(self) -> _Uniform:
        return _Uniform(self)


class _Uniform:
    """A uniform number in (0, 1), of which `known` are the first `places` binary places; more are drawn when asked."""

    __slots__ = ("_draws", "known", "places")

    def __init__(self, draws: _Draws) -> None:
        self._draws, self.known, self.places = draws, 0, 0

    def refine(self) -> None:
        """Draw another digit."""
        self.known = self.known << self._draws.width | self._draws.digit()
        self.places += self._draws.width

    @property
    def ends(self) -> tuple[Fraction, Fraction]:
        """Between which numbers it lies."""
        return Fraction(self.known, 1 << self.places), Fraction(self.known + 1, 1 << self.places)

    def is_below(self, other: _Uniform) -> bool:
        """Compare two of them digit by digit; they are equal with probability 0."""
        while True:
            shared = min(self.places, other.places)
            mine, its = self.known >> (self.places - shared), other.known >> (other.places - shared)
            if mine != its:
                return mine < its
            (self if self.places == shared else other).refine()


def _normal(draws: _Draws) -> tuple[bool, int, _Uniform]:
    """Return sign, whole part k and fraction x of a standard normal number.

    k has weight e^(-k/2)·e^(-k(k-1)/2) = e^(-k²/2), and k + x is kept with probability e^(-x(2k+x)/2), as a product of
    k + 1 equal factors; so k + x has a density proportional to e^(-(k+x)²/2).
    """
    while True:
        whole = 0
        while _half_coin(draws):
            whole += 1
        if not all(_half_coin(draws) for _ in range(whole * (whole - 1))):
            continue
        part = draws.uniform()
        if all(_is_kept(draws, whole, part) for _ in range(whole + 1)):
            return _bit(draws), whole, part


def _bit(draws: _Draws) -> bool:
    return bool(draws.digit() & 1)


def _half_coin(draws: _Draws) -> bool:
    """True with probability e^(-1/2): how often 1/2 > u_1 > u_2 > … goes on is even with that probability."""
    last = draws.uniform()
    last.refine()
    if last.known >> (last.places - 1):
        return True
    going = 1
    while (other := draws.uniform()).is_below(last):
        last, going = other, going + 1
    return going % 2 == 0


def _is_kept(draws: _Draws, whole: int, part: _Uniform) -> bool:
    """True with probability e^(-x(2k+x)/(2k+2)): x > u_1 > u_2 > … goes on, each step also with (2k+x)/(2k+2)."""
    last, going = part, 0
    while True:
        other = draws.uniform()
        if not other.is_below(last) or not _falls_below(draws.uniform(), whole, part):
            return going % 2 == 0
        last, going = other, going + 1


def _falls_below(chance: _Uniform, whole: int, part: _Uniform) -> bool:
    """Whether r < (2k+x)/(2k+2), that is (2k+2)r - 2k < x; digits of both are drawn until it is decided."""
    while True:
        chance.refine()
        least, most = ((2 * whole + 2) * end - 2 * whole for end in chance.ends)
        low, high = part.ends
        if most <= low:
            return True
        if least >= high:
            return False
        if part.places < chance.places:
            part.refine()
