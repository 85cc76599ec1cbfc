"""Normal noise on a number, rounded to a grid: exact, though the noise itself is never written down.

A normal number is drawn as [Kar16, Algorithm N] does it: a whole part, and a fraction of which only as many digits are
drawn as comparisons ask for. Then digits are added until they decide which multiple of the grid the noisy number is
nearest to. Only integers are compared, so the law is that of ⌊S + Z⌉ for Z ~ N(0, σ²) exactly: a function of S + Z,
and whatever is proved about S + Z holds for it.   Ref: [Kar16]; theory: docs/theory/bounded_beliefs.md
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from sfumato.bits.source import MOST_WIDTH, BitSource
from sfumato.errors import InvalidParameter
from sfumato.values.checks import as_exact, check_between, check_integer, check_positive
from sfumato.values.types import Real

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
