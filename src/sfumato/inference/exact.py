"""Exact intervals and tail probabilities for the share of a yes/no design.

An exact interval contains every share whose acceptance region contains the counts, and what lies between such shares.
Each region has probability at least the confidence. The regions use the fact that a share lies between 0 and 1, after
Feldman and Cousins [FC98], so an interval has the stated coverage and a positive width at these ends.

**Two classes of reports.** The count of the higher class is binomial. Regions are filled in the order of the likelihood
under the share over the greatest under any share: :mod:`sfumato.prob.intervals`.

**Three classes and more.** Samples are ordered by the share t that maximises the likelihood times √((t-t_0)(t_1-t)),
where [t_0, t_1] are the t for which p_t is a distribution. The factor separates samples without a report that proves an
answer. A sample lies at t or above iff a weighted count reaches a level. The probability of that rises with the share
because the classes have ascending likelihood ratios. Tails of three classes are exact. Tails of more classes are
bounded from above, which can only widen intervals. Alpha is split between the tails at a share as [FC98] do for a
normal estimate with the variance that the Fisher information there gives. The part of the upper tail falls with the
share, so each end solves a monotone equation.
Theory: docs/theory/bounded_intervals.md
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidLaw, InvalidParameter
from sfumato.numbers.checks import check_between, check_integer
from sfumato.numbers.intervals import Interval
from sfumato.prob.channel import Channel
from sfumato.prob.distribution import Label
from sfumato.prob.intervals import binomial_share_intervals, both_tails, rooms

# --- The share model of a yes/no survey: p_θ = (1-θ)p_0 + θp_1, θ the share of the second answer
# Reports with equal likelihood ratio p_1/p_0 are counted together, which loses no information. The best designs have at
# most three such classes; repeated cards, or several reports of one person, have more.


_MAXIMUM_HALVINGS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareModel:
    """The classes of reports, in ascending order of their likelihood ratio.

    `first` and `second` are the laws of the classes under either answer; `class_of[y]` is the class of report y, None
    for reports that never happen.

    >>> import sfumato as sf
    >>> silent = sf.Channel([[0.6, 0.1, 0.3], [0.1, 0.6, 0.3]], outputs=["no", "yes", "silent"])
    >>> model = sf.inference.ShareModel.of(silent)
    >>> model.class_of, model.first  # classes by how much they speak for the second answer
    ((0, 2, 1), (0.6, 0.3, 0.1))
    >>> counts = model.counts({"no": 50, "yes": 20, "silent": 30})
    >>> round(model.free_maximum(counts), 3), round(model.information(0.2), 3)
    (0.2, 1.75)
    """

    first: tuple[float, ...]
    second: tuple[float, ...]
    class_of: tuple[int | None, ...]
    reports: tuple[Label, ...]

    @classmethod
    def of(cls, channel: Channel) -> ShareModel:
        """Build the family of a channel with two answers."""
        if channel.shape[0] != 2:
            raise InvalidLaw(
                f"has {channel.shape[0]} inputs, and a yes/no question has 2",
                parameter="channel",
                way_out="Pick its two rows.",
            )
        first, second = (tuple(Fraction(p) for p in row) for row in channel.to_exact().rows)
        # p_1/(p_0+p_1) orders like p_1/p_0 and is never infinite.
        ranks = [None if p + q == 0 else q / (p + q) for p, q in zip(first, second, strict=True)]
        levels = sorted({rank for rank in ranks if rank is not None})
        if len(levels) < 2:
            raise InvalidLaw(
                "gives the same reports for both answers, so nothing can be learned",
                parameter="channel",
                way_out="Use a channel that differs.",
            )
        places_of = {level: place for place, level in enumerate(levels)}
        places = [None if rank is None else places_of[rank] for rank in ranks]

        def merged(row: Sequence[Fraction]) -> tuple[float, ...]:
            totals = [Fraction(0)] * len(levels)
            for p, place in zip(row, places, strict=True):
                if place is not None:
                    totals[place] += p
            return tuple(map(float, totals))

        return cls(first=merged(first), second=merged(second), class_of=tuple(places), reports=channel.outputs)

    @property
    def slopes(self) -> npt.NDArray[np.float64]:
        """dp_θ/dθ, the same for every θ."""
        slopes: npt.NDArray[np.float64] = np.array(self.second) - np.array(self.first)
        return slopes

    def law(self, theta: float) -> npt.NDArray[np.float64]:
        """p_θ of the classes."""
        law: npt.NDArray[np.float64] = (1 - theta) * np.array(self.first) + theta * np.array(self.second)
        return law

    def counts(self, reports: Mapping[Label, int] | Sequence[int]) -> tuple[int, ...]:
        """Read counts of reports, by label or in the channel's order, and add them up by class."""
        by_report = self._by_report(reports)
        totals = [0] * len(self.first)
        for label, count, place in zip(self.reports, by_report, self.class_of, strict=True):
            if count < 0:
                raise InvalidParameter(
                    "is negative", parameter=f"counts[{label!r}]", way_out="Counts are whole numbers from 0 on."
                )
            if place is None and count:
                raise InvalidParameter(
                    "was counted, but the design never gives that report",
                    parameter=f"counts[{label!r}]",
                    way_out="Check the design.",
                )
            if place is not None:
                totals[place] += count
        if not sum(totals):
            raise InvalidParameter("are all 0", parameter="counts", way_out="Collect at least one report.")
        return tuple(totals)

    def _by_report(self, reports: Mapping[Label, int] | Sequence[int]) -> list[int]:
        if isinstance(reports, Mapping):
            unknown = [label for label in reports if label not in self.reports]
            if unknown:
                raise InvalidParameter(
                    f"hold a report that the design does not know ({len(unknown)} such)",
                    parameter="counts",
                    way_out=f"Its reports are {', '.join(map(repr, self.reports))}; rename or drop the others.",
                )
            return [check_integer("counts", reports.get(label, 0)) for label in self.reports]
        if len(reports) != len(self.reports):
            raise InvalidParameter(
                f"has {len(reports)} entries and the design {len(self.reports)} reports",
                parameter="counts",
                way_out=f"Give one for each, in the order {', '.join(map(repr, self.reports))}.",
            )
        return [check_integer("counts", count) for count in reports]

    def score(self, counts: Sequence[int], theta: float) -> float:
        """Derivative of the log-likelihood; decreasing in θ."""
        law, slopes = self.law(theta), self.slopes
        if any(k and p <= 0 for k, p in zip(counts, law, strict=True)):
            return math.inf if theta < 0.5 else -math.inf
        return math.fsum(k * d / p for k, d, p in zip(counts, slopes, law, strict=True) if k)

    def log_likelihood(self, counts: Sequence[int], theta: float) -> float:
        """Σ k ln p_θ, -∞ where a counted report is impossible."""
        law = self.law(theta)
        if any(k and p <= 0 for k, p in zip(counts, law, strict=True)):
            return -math.inf
        return math.fsum(k * math.log(p) for k, p in zip(counts, law, strict=True) if k)

    def reach(self) -> tuple[float, float]:
        """The widest stretch around [0, 1] on which p_θ is still a law, ends included."""
        pairs = list(zip(self.first, self.slopes.tolist(), strict=True))
        return max(-p / d for p, d in pairs if d > 0), min(-p / d for p, d in pairs if d < 0)

    def free_maximum(self, counts: Sequence[int]) -> float:
        """Return the θ of greatest likelihood, not held to [0, 1] but to where p_θ is a law."""
        low, high = self.reach()
        if len(self.first) == 2:
            return (counts[1] / sum(counts) - self.first[1]) / float(self.slopes[1])
        if self.score(counts, low) <= 0:
            return low
        if self.score(counts, high) >= 0:
            return high
        for _ in range(_MAXIMUM_HALVINGS):
            middle = (low + high) / 2
            if middle in (low, high):
                break
            low, high = (middle, high) if self.score(counts, middle) > 0 else (low, middle)
        return (low + high) / 2

    def information(self, theta: float) -> float:
        """Fisher information of one report; infinite at an end where a report becomes possible."""
        total = 0.0
        for p, d in zip(self.law(theta).tolist(), self.slopes.tolist(), strict=True):
            if p > 0:
                total += d * d / p
            elif d:
                return math.inf
        return total

    def observed_information(self, counts: Sequence[int], theta: float) -> float:
        """Minus the second derivative of the log-likelihood at θ, of all reports together."""
        pieces = zip(counts, self.slopes.tolist(), self.law(theta).tolist(), strict=True)
        return math.fsum(k * (d / p) ** 2 for k, d, p in pieces if k)


# --- Upper bounds on tails of a weighted count over any number of classes
# Scores are rounded to a lattice. Rounding moves a known mean and a sum of bounded terms, which stays within `slack`
# except with a probability that is added, by Hoeffding's inequality [Hoe63]. The distribution of the rounded sum is
# found by FFT on a window and tilted towards the level, so that small tails keep their digits.
# Theory: docs/theory/intervals.md


_LEAST_STEPS, _MOST_STEPS = 128, 1024
_POINTS = 1 << 15
# In units of steps·√n: beyond ± half of it the rounded sum has less than e^-40.
_WINDOW = 9.0
# Above this the exponential function overflows; any tilt gives the same sum.
_MOST_TILT = 600.0
# Waves below e^-50 are lost in rounding.
_DEAD = 50.0
_TILT_HALVINGS = 40


def lattice_tail(
    law: FloatArray, n: int, scores: FloatArray, *, upper: bool, ties: bool, level: float, remainder: float
) -> float:
    """Return at least Pr[Σ score·count ≥ level] for n draws, or ≤ level when not `upper`; without `ties`, > or <.

    `remainder` is the probability that is added for what rounding may do. Refs: [Hoe63] for what it does at most.
    """
    if not upper:
        law, scores, level = law[::-1], -scores[::-1], -level
    steps, whole, rest = _on_lattice(scores, n)
    base, step = float(scores.min()), float(scores.max() - scores.min()) / steps
    spread = float(rest.max() - rest.min())
    slack = spread * math.sqrt(n * -math.log(remainder) / 2)
    aim = (level - n * base) / step - n * float(law @ rest) - slack
    aim -= _TIE * (1 + abs(aim))
    least = math.ceil(aim)
    # Where the scores lie on the lattice themselves a tie is known to be one.
    if not ties and slack < 0.25 and least <= (level - n * base) / step + slack:
        least += 1
    return min(1.0, _lattice_tail(law / law.sum(), n, whole, steps, least) + (remainder if spread > _TIE else 0.0))


def _on_lattice(scores: FloatArray, n: int) -> tuple[int, npt.NDArray[np.int64], FloatArray]:
    """Return the number of steps in which rounding does least, the scores in steps, and what rounding took."""
    most = int(min(_MOST_STEPS, max(_LEAST_STEPS, _POINTS / (_WINDOW * math.sqrt(n)))))
    sizes = np.arange(most // 2, most + 1)
    places = (scores - scores.min()) / (scores.max() - scores.min())
    table = places[None, :] * sizes[:, None]
    errors = table - np.rint(table)
    best = int(np.argmin((errors.max(axis=1) - errors.min(axis=1)) / sizes))
    return int(sizes[best]), np.rint(table[best]).astype(np.int64), errors[best]


def _lattice_tail(law: FloatArray, n: int, whole: npt.NDArray[np.int64], steps: int, least: int) -> float:
    """Pr[Σ whole·count ≥ least]."""
    possible = law > 0
    law, whole = law[possible], whole[possible]
    if least <= n * int(whole.min()):
        return 1.0
    if least > n * int(whole.max()):
        return 0.0
    tilt = _tilt(law, whole, least / n)
    weights = law * np.exp(tilt * (whole - int(whole.max())))
    scale = float(weights.sum())
    tilted = weights / scale
    masses, start = _sum_law(tilted, n, whole, steps)
    first = max(0, least - start)
    if first >= len(masses):
        return 0.0
    beyond = masses[first:]
    faded = beyond @ np.exp(-tilt * np.arange(start + first - least, start + first - least + len(beyond)))
    return min(1.0, float(faded) * math.exp(n * (math.log(scale) + tilt * int(whole.max())) - tilt * least))


def _tilt(law: FloatArray, whole: npt.NDArray[np.int64], mean: float) -> float:
    """Return the tilt ≥ 0 that brings the mean there; 0 where it lies beyond already."""

    def reached(tilt: float) -> float:
        weights = law * np.exp(tilt * (whole - int(whole.max())))
        return float(weights @ whole / weights.sum())

    if reached(0.0) >= mean:
        return 0.0
    low, high = 0.0, _MOST_TILT / max(1, int(whole.max() - whole.min()))
    for _ in range(_TILT_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if reached(middle) < mean else (low, middle)
    return low


def _sum_law(law: FloatArray, n: int, whole: npt.NDArray[np.int64], steps: int) -> tuple[FloatArray, int]:
    """Return the law of the sum of n draws on a window around its mean, and where the window starts."""
    from scipy import fft  # noqa: PLC0415  scipy is slow to import

    size = int(fft.next_fast_len(min(n * steps + 1, math.ceil(_WINDOW * steps * math.sqrt(n)) + 1), real=True))
    # About a whole number near the mean, so that the phases that matter stay small when multiplied by n.
    middle = round(float(law @ whole))
    one = np.zeros(size)
    np.add.at(one, (whole - middle) % size, law)
    start = max(0, round(n * float(law @ whole)) - size // 2) if n * steps + 1 > size else 0
    waves = fft.rfft(one)
    # Most waves die out; powers are taken of those that do not.
    lasting = waves.real**2 + waves.imag**2 > math.exp(-2 * _DEAD / n)
    powers = np.zeros_like(waves)
    powers[lasting] = waves[lasting] ** n
    masses = fft.irfft(powers, n=size)
    shift = (n * middle - start) % size
    return np.maximum(np.roll(masses, shift), 0.0), start


# --- Tail probabilities of a weighted count: exact for two or three classes, upper bounds for more
# Given the count of the middle class, the highest class is binomial among the rest. So a tail is a sum of n+1 binomial
# tails instead of n²/2 types. The bounds for more classes never make a rejection invalid.


FloatArray = npt.NDArray[np.float64]

EXACT_CLASSES = 3
"""Classes of reports up to which tails are exact sums."""

# Middle counts further than this many standard deviations out have less than e^-800 of the mass: for error
# probabilities, however small.
FAR = 40.0
# And these less than 1e-18, which is enough where tails of a few percent are compared.
NEAR = 9.0
# Thresholds that rounding puts this close to a whole number are taken as that number.
_TIE = 1e-9
# What is added to a tail of many classes for their rounding: in a tail of a few percent, and in a small error.
_NEAR_REMAINDER, _FAR_REMAINDER = 1e-10, 1e-30


def tail(
    law: Sequence[float] | FloatArray,
    n: int,
    scores: Sequence[float] | FloatArray,
    *,
    upper: bool,
    ties: bool,
    level: float = 0.0,
    deviations: float = FAR,
) -> float:
    """Pr[Σ score·count ≥ level] for n draws, or ≤ level when not `upper`; without `ties`, > or <.

    `scores` must be ascending. Over more than three classes it is a bound from above.
    """
    p, s = np.asarray(law, dtype=np.float64), np.asarray(scores, dtype=np.float64)
    if len(p) > EXACT_CLASSES:
        remainder = _NEAR_REMAINDER if deviations == NEAR else _FAR_REMAINDER
        return lattice_tail(p, n, s, upper=upper, ties=ties, level=level, remainder=remainder)
    if len(p) == 2:
        p, s = np.array([p[0], 0.0, p[1]]), np.array([s[0], (s[0] + s[1]) / 2, s[1]])
    middle, weights = _middle_counts(n, float(p[1]), deviations)
    rest = n - middle
    ends = float(p[0] + p[2])
    share = min(1.0, float(p[2]) / ends) if ends > 0 else 0.0
    # s2·k + s0·(rest-k) + s1·middle ≥ level
    threshold = (level - s[1] * middle - s[0] * rest) / (s[2] - s[0])
    nearest = np.rint(threshold)
    tied = np.abs(threshold - nearest) <= _TIE * (1 + np.abs(threshold))
    if upper:
        least = np.where(tied, nearest + (0 if ties else 1), np.ceil(threshold))
        tails = _at_least(least, rest, share)
    else:
        most = np.where(tied, nearest - (0 if ties else 1), np.floor(threshold))
        tails = _at_least(rest - most, rest, 1 - share)
    return min(1.0, math.fsum((weights * tails).tolist()))


def binomial_tail(count: int, n: int, share: float, *, upper: bool) -> float:
    """Pr[Bin(n, share) ≥ count], or ≤ count when not `upper`."""
    from scipy.special import betainc  # noqa: PLC0415  scipy is slow to import

    least, chance = (count, share) if upper else (n - count, 1 - share)
    if least <= 0:
        return 1.0
    return 0.0 if least > n else float(betainc(least, n - least + 1, chance))


def _middle_counts(n: int, share: float, deviations: float) -> tuple[FloatArray, FloatArray]:
    from scipy.special import gammaln, xlog1py, xlogy  # noqa: PLC0415  scipy is slow to import

    spread = deviations * (math.sqrt(n * share * (1 - share)) + 1)
    counts = np.arange(max(0, math.floor(n * share - spread)), min(n, math.ceil(n * share + spread)) + 1.0)
    logs = gammaln(n + 1) - gammaln(counts + 1) - gammaln(n - counts + 1)
    return counts, np.exp(logs + xlogy(counts, share) + xlog1py(n - counts, -share))


def _at_least(least: FloatArray, n: FloatArray, share: float) -> FloatArray:
    """Pr[Bin(n, share) ≥ least], entry by entry."""
    from scipy.special import betainc  # noqa: PLC0415  scipy is slow to import

    inside = (least > 0) & (least <= n)
    safe = np.where(inside, least, 1.0)
    tails = betainc(safe, np.where(inside, n - safe + 1, 1.0), share)
    return np.where(least <= 0, 1.0, np.where(inside, tails, 0.0))


_HALVINGS = 60
_ROOT = 1e-12
# Time and memory grow as the square root of the number of reports: here about a second and 30 MB.
_MOST_EXACT = 10**9
# Of more than three classes seconds.
_MOST_OF_MANY = 10**7


class Method(StrEnum):
    """How an interval is made.

    `EXACT` covers at least as often as it says, for any number of reports; the other two nearly so where
    reports are many, `WALD` least well near the ends.

    >>> import sfumato as sf
    >>> coin = sf.surveys.warner_device(0.75).channel
    >>> for method in sf.inference.Method:
    ...     found = sf.inference.estimate_share(coin, [70, 30], method=method).interval
    ...     print(f"{method.value}: {found.lower:.3f} to {found.upper:.3f}")
    exact: 0.000 to 0.297
    likelihood ratio: 0.000 to 0.288
    Wald: 0.000 to 0.280
    """

    EXACT = "exact"
    LIKELIHOOD_RATIO = "likelihood ratio"
    WALD = "Wald"


def share_interval(
    model: ShareModel, counts: Sequence[int], *, confidence: float = 0.95, method: Method = Method.EXACT
) -> Interval:
    """Return an interval for the share within [0, 1].

    >>> import sfumato as sf
    >>> model = sf.inference.ShareModel.of(sf.surveys.warner_device(0.75).channel)
    >>> found = sf.inference.share_interval(model, model.counts({"no": 80, "yes": 20}))  # fewer than the coin makes
    >>> found.lower, round(found.upper, 3)
    (0.0, 0.099)
    """
    check_between("confidence", confidence, 0.5, 1 - 1e-12)
    if method is Method.WALD:
        return _wald(model, counts, confidence)
    if method is Method.LIKELIHOOD_RATIO:
        return _likelihood_ratio(model, counts, confidence)
    if len(counts) == 2:
        return _binomial(model, counts, confidence)
    return _ordered(model, counts, 1 - confidence)


def explained_by_some_share(model: ShareModel, counts: Sequence[int], confidence: float) -> bool:
    """Whether the counts lean no further than chance makes them, at this confidence, when the share is 0 or 1."""
    free = model.free_maximum(counts)
    if 0 <= free <= 1:
        return True
    end = 0.0 if free < 0 else 1.0
    if len(counts) == 2:
        below = binomial_tail(counts[1], sum(counts), float(model.law(end)[1]), upper=end == 1)
    else:
        below = _Order(model, counts).beyond(end, upper=end == 1)
    return below > (1 - confidence) / 2


def _wald(model: ShareModel, counts: Sequence[int], confidence: float) -> Interval:
    point = min(1.0, max(0.0, model.free_maximum(counts)))
    information = model.information(point) * sum(counts)
    half = _quantile((1 + confidence) / 2) / math.sqrt(information)
    return Interval(max(0.0, point - half), min(1.0, point + half))


def _likelihood_ratio(model: ShareModel, counts: Sequence[int], confidence: float) -> Interval:
    point = min(1.0, max(0.0, model.free_maximum(counts)))
    floor = model.log_likelihood(counts, point) - _quantile((1 + confidence) / 2) ** 2 / 2

    def accepted(theta: float) -> bool:
        return model.log_likelihood(counts, theta) >= floor

    return Interval(_edge(point, 0.0, accepted), _edge(point, 1.0, accepted))


class _Order:
    """Where a sample with three classes or more stands among all samples, and how probable it is to be beyond it."""

    def __init__(self, model: ShareModel, counts: Sequence[int]) -> None:
        self._model, self._n = model, sum(counts)
        kinds = len(model.first)
        most = _MOST_EXACT if kinds <= EXACT_CLASSES else _MOST_OF_MANY
        if self._n > most:
            raise InvalidParameter(
                f"works tails out for at most {most} reports of {kinds} kinds, and here are {self._n}",
                parameter="method",
                value=str(Method.EXACT),
                way_out=f"Ask for the {Method.LIKELIHOOD_RATIO} or {Method.WALD}; with so many all three agree.",
            )
        self.t, self._level = _pulled_maximum(model, counts)
        self._scores = model.slopes / model.law(self.t)

    def beyond(self, theta: float, *, upper: bool) -> float:
        """Return how probable it is under a share to lie here or above, or here or below."""
        law = self._model.law(theta)
        return tail(law, self._n, self._scores, level=-self._level, upper=upper, ties=True, deviations=NEAR)

    def ranked(self, theta: float, *, upper: bool) -> float:
        """Return how probable it is to be ranked no higher, of which the sample's own side is exact."""
        information = self._model.information(theta) * self._n
        where, deviation = np.array([theta]), np.array([1 / math.sqrt(information)])
        behind, ahead = rooms(where, deviation, 0.0, 1.0)
        own = np.array([self.beyond(theta, upper=upper)])
        return float((both_tails(own, behind, ahead) if upper else both_tails(own, ahead, behind))[0])


def _ordered(model: ShareModel, counts: Sequence[int], alpha: float) -> Interval:
    order = _Order(model, counts)
    # Nearly always between the maximum and a dozen standard errors from it; looking there first saves most of the time.
    t, far = order.t, 12 / math.sqrt(model.information(order.t) * sum(counts))
    lower = _root(lambda theta: order.ranked(theta, upper=True) - alpha, 0.0, 1.0, near=(t - far, t))
    upper = 1 - _root(lambda rest: order.ranked(1 - rest, upper=False) - alpha, 0.0, 1.0, near=(1 - t - far, 1 - t))
    return Interval(min(lower, upper), max(lower, upper))


def _pulled_maximum(model: ShareModel, counts: Sequence[int]) -> tuple[float, float]:
    """Return the t that orders the samples, strictly inside the reach, and the slope of the pull there."""
    start, stop = model.reach()
    low, high = start, stop
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if middle in (start, stop):
            break
        rises = model.score(counts, middle) + _pull(middle, start, stop) > 0
        low, high = (middle, high) if rises else (low, middle)
    t = (low + high) / 2
    # The pull at the t found is what balances these counts: with it the observed sample itself is a tie.
    return t, -model.score(counts, t)


def _pull(t: float, start: float, stop: float) -> float:
    return 0.5 / (t - start) - 0.5 / (stop - t)


def _binomial(model: ShareModel, counts: Sequence[int], confidence: float) -> Interval:
    """Return the interval from the count of the higher class."""
    lower, upper = binomial_share_intervals(counts[1], sum(counts), model.first[1], model.second[1], confidence)
    return Interval(float(lower), float(upper))


def _root(rising: Callable[[float], float], low: float, high: float, near: tuple[float, float] | None = None) -> float:
    """Return, a hair from below, where a function that rises through zero does so; an end when it does not.

    It is looked for in `near` first.
    """
    from scipy.optimize import brentq  # noqa: PLC0415  scipy is slow to import

    if near is not None and low < near[0] < near[1] < high and rising(near[0]) < 0 < rising(near[1]):
        low, high = near
    elif rising(low) >= 0:
        return low
    elif rising(high) <= 0:
        return high
    return max(low, float(brentq(rising, low, high, xtol=_ROOT, rtol=8.9e-16)) - _ROOT)


def _edge(inside: float, outside: float, accepted: Callable[[float], bool]) -> float:
    """Return the last point towards `outside` that is still accepted, from its outer side; monotone by assumption."""
    if accepted(outside):
        return outside
    for _ in range(_HALVINGS):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if accepted(middle) else (inside, middle)
    return outside


def _quantile(probability: float) -> float:
    from scipy.special import ndtri  # noqa: PLC0415  scipy is slow to import

    return float(ndtri(probability))
