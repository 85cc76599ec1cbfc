"""What normal noise on a count tells, in one release, where the law of a record is known and lopsided.

n yes/no records; under Q they are independent, each yes with a known probability q. Beliefs P have D(P‖Q) ≤ c bits.
Theorem 3: for every density R and every λ > 0

    I(X_i;Y) ≤ λ(c·ln 2 + ln E_Q e^(φ(S)/λ)) nats,      φ(s) = D(N(s, σ²)‖R),

S the count, binomial under Q. R is a mixture (1-α)N(μ, T²) + αN(n/2, n²/4 + σ²), so φ is at most the smaller of what
its parts give; the second caps beliefs that are rare and extreme. Theorem 1 holds with the contraction of the known law
in place of the universal one, too. Any parameters prove a bound; a search finds good ones. Both are for a single
release: what is seen of one tilts the law, and then it is no longer known.   Theory: docs/theory/bounded_beliefs.md
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter
from sfumato.measures.beliefs import split_bits, tilt_factor
from sfumato.measures.bit_contractions import LEAST_SHARE, known_contraction
from sfumato.measures.enclosures import UNIT_ROUNDOFF
from sfumato.values.checks import as_exact, check_between, check_integer, check_positive
from sfumato.values.interval import Interval
from sfumato.values.rounding import float_above, float_below
from sfumato.values.types import Real

Floats = npt.NDArray[np.float64]

MOST_COUNTED = 2 * 10**6
"""Records: every possible count is gone through."""
_LN2 = math.log(2)
# Stirling's series with three terms is off by less than 1/1680k⁷, which is 5e-13 from here on.
_STIRLING = 20
_STIRLING_ERROR = 2e-12
# Points of the sum in a search, which proves nothing.
_NODES = 2000
_KEPT_BITS = 30
# Where the search begins, in logits of α.
_RARELY = (-4.0, -9.0, -30.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mixture:
    """R and λ: the variance T² and the centre μ of its first part, in records, the weight α of its second, and λ.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> rest = Fraction(1, 2**55)
    >>> for rate in (Fraction(1, 120), Fraction(1, 60)):  # any parameters prove a bound, some a better one
    ...     mixture = sf.measures.Mixture(spread=Fraction(2113), centre=Fraction(12), rest=rest, rate=rate)
    ...     print(round(sf.measures.mixture_bits(100, 10, 1 / Fraction(43) ** 2, Fraction(1, 10), mixture).upper, 4))
    0.0962
    0.178
    """

    spread: Fraction
    centre: Fraction
    rest: Fraction
    rate: Fraction

    def __post_init__(self) -> None:
        check_positive("spread", self.spread)
        check_positive("rate", self.rate)
        if not 0 < self.rest < 1:
            raise InvalidParameter(
                "must lie between 0 and 1", parameter="rest", value=self.rest, way_out="Leave some to both parts."
            )


def mixture_bits(records: int, shared_bits: Real, ratio: Real, share: Real, mixture: Mixture) -> Interval:
    """Enclose λ(c·ln 2 + ln E_Q e^(φ/λ)) in bits, for any mixture; `ratio` is 1/σ².

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> rest, rate = Fraction(1, 2**55), Fraction(1, 120)
    >>> mixture = sf.measures.Mixture(spread=Fraction(2113), centre=Fraction(12), rest=rest, rate=rate)
    >>> round(sf.measures.mixture_bits(100, 10, 1 / Fraction(43) ** 2, Fraction(1, 10), mixture).upper, 4)
    0.0962
    """
    count, shared, known, exact = _read(records, shared_bits, ratio, share)
    rate = float(mixture.rate)
    exponents, likely_error = _log_binomials(count, known)
    normals = float(mixture.spread), float(mixture.centre), float(mixture.rest)
    divergence, error = _divergences(np.arange(count + 1.0), count, float(1 / exact), *normals)
    exponents = exponents + divergence / rate
    highest = float(exponents.max())
    total = math.log(float(np.exp(exponents - highest).sum()))
    # Terms are off by the factor of their exponents' error, the sum of so many by as many roundings.
    slack = likely_error + error / rate + (2 * count + 64 + 8 * abs(highest)) * UNIT_ROUNDOFF
    nats = rate * (float(shared) * _LN2 + highest + total)
    off = rate * (slack + 8 * UNIT_ROUNDOFF * (float(shared) + abs(highest) + abs(total)))
    return Interval(nats / _LN2, nats / _LN2).widened(2 * off / _LN2)


def best_mixture(records: int, shared_bits: Real, ratio: Real, share: Real) -> Mixture:
    """Search for the parameters that make `mixture_bits` least, over some of the counts and in plain floats.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> case = (100, 10, 1 / Fraction(43) ** 2, Fraction(1, 10))
    >>> round(sf.measures.mixture_bits(*case, sf.measures.best_mixture(*case)).upper, 4)
    0.0962
    >>> round(sf.measures.believed_bits(*case[:3]).upper, 4)  # where the law of a record is not known
    0.1402
    """
    from scipy.optimize import minimize  # noqa: PLC0415  scipy is slow to import

    count, shared, known, exact = _read(records, shared_bits, ratio, share)
    noise, tied, likely = float(1 / exact), float(shared) * _LN2, float(known)
    variance = count * likely * (1 - likely)
    logs = _log_binomials(count, known)[0]
    counts, weights = _nodes(logs, likely, variance)

    def mixed(found: Floats) -> tuple[float, float, float, float]:
        spread, centre = noise + math.exp(found[0]), count * likely + float(found[3]) * math.sqrt(variance)
        return spread, centre, 1 / (1 + math.exp(-found[2])), math.exp(found[1])

    def told(found: Floats) -> float:
        if not (abs(found[:3]) < 100).all() or found[2] > 30:  # of the first part something is to be left
            return math.inf
        *normals, rate = mixed(found)
        # Where the second part takes over the sum may have a peak of its own, of a few terms.
        turns = _turns(count, noise, *normals)
        places = np.concatenate([counts, turns])
        likelihoods = np.concatenate([weights, logs[turns]])
        exponents = likelihoods + _divergences(places, count, noise, *normals)[0] / rate
        highest = float(exponents.max())
        return rate * (tied + highest + math.log(float(np.exp(exponents - highest).sum())))

    widest = variance * float(tilt_factor(shared))
    corners = np.vstack([np.zeros(4), np.diag([0.3, 0.3, 2.0, 0.3])])
    best, least = None, math.inf
    # There are several valleys, according to how rare the extreme beliefs are made.
    for rarely in _RARELY:
        place = np.array([math.log(widest), math.log(variance / (noise + variance)), rarely, 0.0])
        for _ in range(2):
            options = {"maxiter": 300, "xatol": 1e-4, "fatol": 1e-8, "initial_simplex": place + corners}
            found = minimize(told, place, method="Nelder-Mead", options=options)
            place = found.x
        if best is None or found.fun < least:
            best, least = place, found.fun
    assert best is not None
    spread, centre, rest, rate = map(_short, mixed(best))
    return Mixture(spread=spread, centre=centre, rest=rest, rate=rate)


def known_split_bits(records: int, shared_bits: Real, ratio: Real, share: Real, own_share: Real) -> Interval:
    """c·η + ½ log2(1 + ratio/4f) in bits, η the contraction of the known law: Theorem 1 for one release.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> case = (100, 10, 1 / Fraction(43) ** 2, Fraction(1, 10))
    >>> [round(sf.measures.known_split_bits(*case, share).upper, 4) for share in (Fraction(1, 1000), Fraction(1, 10))]
    [0.1886, 0.1087]
    """
    count, shared, known, exact = _read(records, shared_bits, ratio, share)
    own_part = as_exact("own_share", own_share)
    if not 0 < own_part <= 1 or (own_part == 1 and shared > 0 and count > 1):
        raise InvalidParameter(
            "must lie between 0 and 1", parameter="own_share", value=own_share, way_out="Leave some to both parts."
        )
    own = split_bits(1, 0, exact / own_part, Fraction(1))
    if shared == 0 or count == 1:
        return own
    passed = known_contraction(known, (1 - own_part) / (exact * (count - 1)))
    return Interval(
        float_below(Fraction(own.lower) + shared * Fraction(passed.lower)),
        float_above(Fraction(own.upper) + shared * Fraction(passed.upper)),
    )


def best_known_split(records: int, shared_bits: Real, ratio: Real, share: Real) -> Fraction:
    """Search for the division that makes `known_split_bits` least.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> case = (100, 10, 1 / Fraction(43) ** 2, Fraction(1, 10))
    >>> split = sf.measures.best_known_split(*case)
    >>> round(float(split), 3), round(sf.measures.known_split_bits(*case, split).upper, 4)
    (0.031, 0.1032)
    """
    count, shared, _, _ = _read(records, shared_bits, ratio, share)
    if shared == 0 or count == 1:
        return Fraction(1)

    def own(logit: float) -> Fraction:
        return _short(1 / (1 + math.exp(-logit)))

    def told(logit: float) -> float:
        return known_split_bits(records, shared_bits, ratio, share, own(logit)).upper

    start = min((-16 + 1.0 * step for step in range(24)), key=told)
    low, high = start - 1, start + 1
    for _ in range(12):
        left, right = low + (high - low) * 0.382, low + (high - low) * 0.618
        low, high = (low, right) if told(left) <= told(right) else (left, high)
    return own((low + high) / 2)


def _divergences(
    counts: Floats, records: int, noise: float, spread: float, centre: float, rest: float
) -> tuple[Floats, float]:
    """The smaller of D(N(s,σ²)‖N(μ,T²)) - ln(1-α) and D(N(s,σ²)‖N(n/2,n²/4+σ²)) - ln α, and how far off it may be."""
    wide = records**2 / 4 + noise
    first, second = _apart(noise, spread) - math.log1p(-rest), _apart(noise, wide) - math.log(rest)
    found = np.minimum(
        first + np.square(counts - centre) / (2 * spread), second + np.square(counts - records / 2) / (2 * wide)
    )
    # Where the first is the smaller one its square is no more than what the second is made of.
    sizes = 4 + abs(math.log(spread / noise)) + noise / spread - math.log1p(-rest) + abs(second) - math.log(rest)
    return found, 32 * UNIT_ROUNDOFF * (sizes + math.log(wide / noise))


def _turns(records: int, noise: float, spread: float, centre: float, rest: float) -> npt.NDArray[np.int64]:
    """The counts about which the two parts are as good as each other."""
    wide, middle = records**2 / 4 + noise, records / 2
    first, second = _apart(noise, spread) - math.log1p(-rest), _apart(noise, wide) - math.log(rest)
    square, line = 1 / spread - 1 / wide, centre / spread - middle / wide
    left = line**2 - square * (centre**2 / spread - middle**2 / wide + 2 * (first - second))
    if square <= 0 or left <= 0:
        return np.zeros(0, dtype=np.int64)
    roots = np.array([(line - math.sqrt(left)) / square, (line + math.sqrt(left)) / square])
    places = np.unique(np.clip(np.floor(roots)[:, None] + np.arange(-1, 3), 0, records))
    return places.astype(np.int64)


def _apart(noise: float, spread: float) -> float:
    return (math.log(spread / noise) + noise / spread - 1) / 2


def _log_binomials(records: int, share: Fraction) -> tuple[Floats, float]:
    """ln P(S = k) for all k, and a bound on the error of each."""
    yes, no = math.log(share), math.log(1 - share)
    logs = _log_factorials(records)
    counts = np.arange(records + 1.0)
    found = logs[-1] - logs - logs[::-1] + counts * yes + (records - counts) * no
    size = records * (math.log(records + 1) + 2 + abs(yes) + abs(no)) + 100
    return found, 32 * UNIT_ROUNDOFF * size + 3 * _STIRLING_ERROR


@lru_cache(maxsize=2)
def _log_factorials(most: int) -> Floats:
    """ln k! for k up to `most`, by Stirling's series where k is not small."""
    counts = np.arange(most + 1.0)
    large = np.maximum(counts, _STIRLING)
    series = 1 / (12 * large) - 1 / (360 * large**3) + 1 / (1260 * large**5)
    found: Floats = large * np.log(large) - large + 0.5 * np.log(2 * math.pi * large) + series
    few = min(most, _STIRLING)
    found[: few + 1] = [math.log(math.factorial(k)) for k in range(few + 1)]
    found.flags.writeable = False
    return found


def _nodes(logs: Floats, share: float, variance: float) -> tuple[Floats, Floats]:
    """Some of the counts, most of them where they are likely, with the logarithms of what each stands for."""
    records = logs.size - 1
    if records <= _NODES:
        return np.arange(records + 1.0), logs
    deviation = math.sqrt(variance)
    steps = np.sinh(np.linspace(-1, 1, _NODES) * math.asinh(records / deviation)) * deviation
    counts = np.unique(np.clip(np.round(steps + records * share), 0, records))
    return counts, logs[counts.astype(np.int64)] + np.log(np.gradient(counts))


def _short(value: float) -> Fraction:
    """Some thirty bits of it: what stands in certificates is short, and exact as a double."""
    mantissa, exponent = math.frexp(value)
    whole = round(mantissa * (1 << _KEPT_BITS))
    return Fraction(whole) * Fraction(2) ** (exponent - _KEPT_BITS)


def _read(records: int, shared_bits: Real, ratio: Real, share: Real) -> tuple[int, Fraction, Fraction, Fraction]:
    count, shared = check_integer("records", records), as_exact("shared_bits", shared_bits)
    known, exact = as_exact("share", share), as_exact("ratio", ratio)
    check_between("records", count, 1, MOST_COUNTED, way_out="Leave the law out: for more records it takes too long.")
    check_between("shared_bits", shared, 0, count * 64, way_out="Beliefs cannot share more than there is.")
    check_positive("ratio", exact)
    check_between("share", known, LEAST_SHARE, 1 - LEAST_SHARE)
    return count, shared, known, exact
