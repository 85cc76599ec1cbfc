"""Confidence intervals for a share: exact by default, Wald's and the likelihood ratio's beside it.

An exact interval holds every share whose acceptance region holds the counts (and what lies between such shares), and
each region has probability at least the confidence. How the regions are chosen decides the width; here they know that a
share lies between 0 and 1, after Feldman and Cousins [FC98], so that an interval is right at these ends and has width.

**Two classes of reports.** The count of the higher class is binomial. Regions are filled in the order of the likelihood
under the share over the greatest under any share: :mod:`sfumato.prob.share_bounds`.

**Three classes and more.** Samples are ordered by the share t that maximises the likelihood times √((t-t_0)(t_1-t)),
[t_0, t_1] being where p_t is a law: the pull keeps samples with no proving report apart. A sample lies at t or above
iff a weighted count reaches a level, and that probability rises with the share because the classes have ascending
likelihood ratios. Tails of three classes are exact, those of more are bounded from above, by which intervals can only
grow; how alpha is split between them at a share is what [FC98] do for a normal estimate with the variance that the
Fisher information there gives. The part of the tail above falls with the share, so each end solves a monotone
equation.   Theory: docs/theory/bounded_intervals.md
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from enum import StrEnum

import numpy as np

from sfumato.errors import InvalidParameter
from sfumato.infer.share_model import ShareModel
from sfumato.infer.tails import EXACT_CLASSES, NEAR, binomial_tail, tail
from sfumato.prob.bounded import both_tails, rooms
from sfumato.prob.share_bounds import binomial_share_intervals
from sfumato.values import Interval
from sfumato.values.checks import check_between

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
    >>> coin = sf.design.warner_device(0.75).channel
    >>> for method in sf.infer.Method:
    ...     found = sf.infer.estimate_share(coin, [70, 30], method=method).interval
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
    >>> model = sf.infer.ShareModel.of(sf.design.warner_device(0.75).channel)
    >>> found = sf.infer.share_interval(model, model.counts({"no": 80, "yes": 20}))  # fewer than the coin makes
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
