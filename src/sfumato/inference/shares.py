"""Estimates and tests of the share of a yes/no design, and the number of respondents that they need."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from sfumato import measures
from sfumato.errors import InvalidParameter
from sfumato.inference.exact import Method, ShareModel, explained_by_some_share, share_interval, tail
from sfumato.numbers.checks import check_at_least, check_between, check_integer, check_positive
from sfumato.numbers.intervals import Interval
from sfumato.prob.channel import Channel
from sfumato.prob.distribution import Label
from sfumato.prob.intervals import PRECISION, near_share_interval

# --- Test of fit: reports that no share explains well, because the design was not followed or was another
# With k classes of reports and one share to fit, k - 2 degrees of freedom are left. For the three-output design at
# weight ½ this tests the number of "either", whose chance does not depend on the share.


# One false alarm in ten thousand groups; below this many reports the limit law is no guide.
_ALARM = 1e-4
_LEAST_REPORTS = 30
_MISFIT = (
    "No share explains these reports well: had everyone followed the card, chance would do this less than once in ten "
    "thousand surveys. Check that it was this design, and that respondents understood it."
)


def misfit_notes(model: ShareModel, seen: Sequence[int], share: float) -> tuple[str, ...]:
    """Return a note when the counts differ from what any share predicts by more than chance would."""
    n = sum(seen)
    if len(seen) < 3 or n < _LEAST_REPORTS:
        return ()
    law = model.law(share).tolist()
    deviance = 2 * math.fsum(k * math.log(k / (n * p)) for k, p in zip(seen, law, strict=True) if k and p > 0)
    if _chance(max(0.0, deviance), len(seen) - 2) >= _ALARM:
        return ()
    return (_MISFIT,)


def _chance(deviance: float, degrees: int) -> float:
    """Pr[χ² ≥ deviance]."""
    if degrees == 1:
        return math.erfc(math.sqrt(deviance / 2))
    from scipy.special import gammaincc  # noqa: PLC0415  scipy is slow to import

    return float(gammaincc(degrees / 2, deviance / 2))


Counts = Mapping[Label, int] | Sequence[int]

_AT_BOUNDARY = (
    "The reports lean further than any share can explain, as chance does when the share is near {end}; the estimate is "
    "put at {end}."
)
_UNEXPLAINED = (
    "No share explains these reports at the stated confidence. Check that they were made with this design and that "
    "respondents followed it."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareEstimate:
    """The share of the second answer. `notes` say when the counts lie beyond what any share explains.

    >>> import sfumato as sf
    >>> found = sf.inference.estimate_share(sf.surveys.warner_device(0.75).channel, {"no": 20, "yes": 80})
    >>> found.share, round(found.interval.lower, 3), found.interval.upper
    (1.0, 0.901, 1.0)
    >>> found.notes[0]
    'The reports lean further than any share can explain, as chance does when the share is near 1; the estimate is
    put at 1.'
    """

    share: float
    interval: Interval
    method: Method
    confidence: float
    standard_error: float
    fisher_information: float
    observed_information: float
    total: int
    notes: tuple[str, ...] = ()


def estimate_share(
    channel: Channel, counts: Counts, *, confidence: float = 0.95, method: Method | str = Method.EXACT
) -> ShareEstimate:
    """Maximum likelihood on [0, 1] with an interval; `counts` by report label, or in the channel's order.

    `fisher_information` is per report at the estimate, `observed_information` of all reports together; the standard
    error is 1/√(n·Fisher), 0 where that is infinite.

    Raises:
        InvalidLaw: the channel has not two answers, or reports the same for both.
        InvalidParameter: a report was counted that the channel does not give, or none was counted.

    >>> import sfumato as sf
    >>> found = sf.inference.estimate_share(sf.surveys.warner_device(0.75).channel, {"no": 600, "yes": 400})
    >>> round(found.share, 3), round(found.standard_error, 3)
    (0.3, 0.031)
    >>> f"{found.interval.lower:.3f} to {found.interval.upper:.3f}, {found.method}"
    '0.240 to 0.362, exact'
    """
    model = ShareModel.of(channel)
    return _estimate(model, model.counts(counts), confidence, _method(method))


def estimate_groups(
    channel: Channel,
    groups: Mapping[Label, Counts],
    *,
    confidence: float = 0.95,
    method: Method | str = Method.EXACT,
    simultaneous: bool = False,
) -> dict[Label, ShareEstimate]:
    """Estimate each group on its own; with `simultaneous`, all intervals hold together at `confidence` (Bonferroni).

    Returns:
        An estimate for each group, by its name.

    >>> import sfumato as sf
    >>> towns = {"north": {"no": 600, "yes": 400}, "south": {"no": 500, "yes": 500}}
    >>> found = sf.inference.estimate_groups(sf.surveys.warner_device(0.75).channel, towns, simultaneous=True)
    >>> {town: round(one.share, 2) for town, one in found.items()}, round(found["north"].confidence, 3)
    ({'north': 0.3, 'south': 0.5}, 0.975)
    """
    if not groups:
        raise InvalidParameter("is empty", parameter="groups", way_out="Give the counts of at least one group.")
    model = ShareModel.of(channel)
    level = 1 - (1 - confidence) / len(groups) if simultaneous else confidence
    return {name: _estimate(model, model.counts(counts), level, _method(method)) for name, counts in groups.items()}


def share_weights(channel: Channel) -> npt.NDArray[np.float64]:
    """Return what a report counts towards either answer, a row a report, so that the mean is an unbiased share.

    A report y counts ½ + (p_1(y) - p_0(y))/(p(y)·I) towards the second answer, p and I being the law and the Fisher
    information at a share of one half: no unbiased share that is linear in the counts has a smaller variance there.
    Where reports are of two kinds there is no other.   Proof: docs/theory/intervals.md

    >>> import sfumato as sf
    >>> weights = sf.inference.share_weights(sf.surveys.warner_device(0.75).channel)
    >>> weights.tolist()  # a "no" counts -1/2 towards yes, a "yes" 3/2
    [[1.5, -0.5], [-0.5, 1.5]]
    >>> (weights[0] * 0.6 + weights[1] * 0.4).round(2).tolist()  # of 60 % no and 40 % yes
    [0.7, 0.3]
    """
    first, second = (tuple(Fraction(p) for p in row) for row in channel.to_exact().rows)
    ShareModel.of(channel)  # refuses what says nothing
    pairs = list(zip(first, second, strict=True))
    information = sum(((q - p) ** 2 / ((p + q) / 2) for p, q in pairs if p + q), Fraction(0))
    towards = [Fraction(1, 2) + ((q - p) / ((p + q) / 2) / information if p + q else 0) for p, q in pairs]
    return np.array([[float(1 - w), float(w)] for w in towards])


def sensitivity_band(channel: Channel, counts: Counts, *, ignoring: float) -> Interval:
    """Where the estimate could lie if a share `ignoring` of respondents reported anything at all.

    The reports are (1-c)·design + c·anything. For each fixed share the likelihood equation is linear in that
    "anything", so the extremes are reached when all who ignore the instructions give the same report.

    >>> import sfumato as sf
    >>> channel = sf.surveys.warner_device(0.75).channel
    >>> band = sf.inference.sensitivity_band(channel, {"no": 600, "yes": 400}, ignoring=0.05)
    >>> round(band.lower, 3), round(band.upper, 3)
    (0.237, 0.342)
    """
    check_between("ignoring", ignoring, 0, 0.99, way_out="It is the share of respondents who ignore the instructions.")
    model = ShareModel.of(channel)
    totals = model.counts(counts)
    n = sum(totals)
    shares = [_corrected(model, [k / n for k in totals], ignoring, extreme) for extreme in range(len(totals))]
    centre = min(1.0, max(0.0, model.free_maximum(totals)))
    return Interval(min(centre, *shares), max(centre, *shares))


def _estimate(model: ShareModel, counts: tuple[int, ...], confidence: float, method: Method) -> ShareEstimate:
    free = model.free_maximum(counts)
    point = min(1.0, max(0.0, free))
    interval = share_interval(model, counts, confidence=confidence, method=method)
    notes = []
    if not -1e-9 <= free <= 1 + 1e-9:
        unexplained = method is Method.EXACT and not explained_by_some_share(model, counts, confidence)
        notes.append(_UNEXPLAINED if unexplained else _AT_BOUNDARY.format(end=round(point)))
    notes += misfit_notes(model, counts, point)
    information = model.information(point)
    return ShareEstimate(
        share=point,
        interval=Interval(min(interval.lower, point), max(interval.upper, point)),
        method=method,
        confidence=confidence,
        standard_error=1 / math.sqrt(information * sum(counts)),
        fisher_information=information,
        observed_information=model.observed_information(counts, point),
        total=sum(counts),
        notes=tuple(notes),
    )


def _corrected(model: ShareModel, shares: list[float], ignoring: float, extreme: int) -> float:
    """Return the share once those who all gave report `extreme` are taken out; it may call for less than none of it."""
    rest = [(p - ignoring * (i == extreme)) / (1 - ignoring) for i, p in enumerate(shares)]

    def leans_up(theta: float) -> bool:
        law, slopes = model.law(theta), model.slopes
        return math.fsum(q * d / max(p, 1e-300) for q, d, p in zip(rest, slopes, law, strict=True) if q) > 0

    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if leans_up(middle) else (low, middle)
    return (low + high) / 2


def _method(method: Method | str) -> Method:
    try:
        return Method(method)
    except ValueError:
        raise InvalidParameter(
            "is not known",
            parameter="method",
            value=method,
            way_out=f"Choose one of {', '.join(repr(m.value) for m in Method)}.",
        ) from None


# --- The likelihood-ratio test of two shares with its exact error probabilities
# The log-likelihood ratio is a weighted count of the classes of reports. For two or three classes its tails are exact
# sums over types, computed in time linear in n; for more they are bounded from above.
# Ref: [C, Sec. V]


@dataclass(frozen=True, slots=True, kw_only=True)
class TestErrors:
    """How often the test errs that supports the likelier of two shares, ties going to the second.

    `exponent` is the Chernoff information: both errors fall like e^(-n·exponent), no test does better.

    >>> import sfumato as sf
    >>> found = sf.inference.test_errors(sf.surveys.warner_device(0.75).channel, 0.1, 0.3, n=200)
    >>> round(found.wrong_if_first, 4), round(found.wrong_if_second, 4), round(found.exponent, 5)
    (0.0728, 0.0639, 0.00553)
    """

    __test__ = False  # not a test case, whatever its name looks like

    n: int
    wrong_if_first: float
    wrong_if_second: float
    exponent: float


def test_errors(channel: Channel, theta_1: float, theta_2: float, n: int) -> TestErrors:
    """Error probabilities after n reports: exact for up to three classes of reports, at most so much for more.

    >>> import sfumato as sf
    >>> coin = sf.surveys.warner_device(0.75).channel
    >>> [round(sf.inference.test_errors(coin, 0.1, 0.3, n).wrong_if_first, 4) for n in (100, 200, 400)]
    [0.1629, 0.0728, 0.0177]
    """
    check_at_least("n", check_integer("n", n), 1)
    model, scores = _scores(channel, theta_1, theta_2)
    first, second = model.law(theta_1), model.law(theta_2)
    # Scores ascend with the likelihood ratio iff theta_2 > theta_1; the test supports theta_2 when they sum to ≥ 0.
    rising = theta_2 > theta_1
    ordered = scores if rising else -scores
    return TestErrors(
        n=n,
        wrong_if_first=tail(first, n, ordered, upper=rising, ties=True),
        wrong_if_second=tail(second, n, ordered, upper=not rising, ties=False),
        exponent=measures.chernoff_information_nats(first.tolist(), second.tolist()),
    )


test_errors.__test__ = False  # type: ignore[attr-defined]


def supports_first(channel: Channel, counts: Counts, theta_1: float, theta_2: float) -> bool:
    """Whether the reports support theta_1 over theta_2: Σ ln(p_θ1/p_θ2) > 0.

    >>> import sfumato as sf
    >>> from sfumato.inference.shares import supports_first
    >>> coin = sf.surveys.warner_device(0.75).channel
    >>> [supports_first(coin, [100 - yes, yes], 0.1, 0.3) for yes in (30, 40)]
    [True, False]
    """
    model, scores = _scores(channel, theta_1, theta_2)
    totals = model.counts(counts)
    # Rounding must not decide a tie: what is this close to zero counts as zero.
    return float(np.dot(totals, scores)) < -1e-12 * sum(totals) * float(np.abs(scores).max())


def _scores(
    channel: Channel, theta_1: float, theta_2: float
) -> tuple[ShareModel, np.ndarray[tuple[int], np.dtype[np.float64]]]:
    for name, theta in (("theta_1", theta_1), ("theta_2", theta_2)):
        check_between(name, theta, 0, 1)
    if theta_1 == theta_2:
        raise InvalidParameter(
            "equals `theta_1`, so there is nothing to tell apart",
            parameter="theta_2",
            value=theta_2,
            way_out="Move one of the two.",
        )
    model = ShareModel.of(channel)
    first, second = model.law(theta_1), model.law(theta_2)
    if (first <= 0).any() or (second <= 0).any():
        raise InvalidParameter(
            "at a share of 0 or 1 some report of this design is impossible, and one such report decides the test",
            way_out="Use shares strictly between 0 and 1.",
        )
    return model, np.log(second / first)


# --- The number of respondents for an interval of a given half-width, or for a test of given errors


MOST_RESPONDENTS = 100_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Respondents:
    """How many are needed, and what they achieve: the half-width, or the larger of the two error probabilities.

    >>> import sfumato as sf
    >>> coin = sf.surveys.warner_device(0.75).channel
    >>> needed = sf.inference.respondents_for_half_width(coin, 0.1, 0.05)
    >>> needed.n, round(needed.achieved, 4)
    (1312, 0.05)
    """

    n: int
    achieved: float


def respondents_for_half_width(
    channel: Channel, theta: float, half_width: float, *, confidence: float = 0.95, method: Method = Method.EXACT
) -> Respondents:
    """Return the least n whose interval, at the counts expected for `theta`, is at most 2·half_width wide.

    Wald's rule n = z²/(J·h²) is where the search begins; the interval itself decides.

    Raises:
        InvalidParameter: more than a hundred million respondents would be needed.

    >>> import sfumato as sf
    >>> for truth in (0.75, 0.9):  # the coin that protects more takes more people
    ...     coin = sf.surveys.warner_device(truth).channel
    ...     print(truth, sf.inference.respondents_for_half_width(coin, theta=0.1, half_width=0.05).n)
    0.75 1312
    0.9 371
    """
    n = number_for_half_width(channel, theta, half_width, confidence=confidence, method=method)
    model = ShareModel.of(channel)
    found = share_interval(model, expected_counts(model, theta, n), confidence=confidence, method=method)
    return Respondents(n=n, achieved=found.width / 2)


def number_for_half_width(
    channel: Channel, theta: float, half_width: float, *, confidence: float = 0.95, method: Method = Method.EXACT
) -> int:
    """Return the same number alone: the interval at it is then never worked out to its last digit."""
    check_between("theta", theta, 0, 1)
    check_between("half_width", half_width, 1e-4, 0.5)
    check_between("confidence", confidence, 0.5, 1 - 1e-12)
    model = ShareModel.of(channel)
    is_screened = method is Method.EXACT and len(model.first) == 2

    def is_enough(n: int) -> bool:
        counts = expected_counts(model, theta, n)
        if is_screened:
            low, high = near_share_interval(counts[1], n, float(model.first[1]), float(model.second[1]), confidence)
            if abs((high - low) / 2 - half_width) > PRECISION:
                return (high - low) / 2 < half_width
        return share_interval(model, counts, confidence=confidence, method=method).width / 2 <= half_width

    information = min(model.information(theta), 1e12)
    guess = max(2, math.ceil((1.96 / half_width) ** 2 / information))
    return _least(is_enough, guess, "half_width", half_width)


def respondents_for_test(channel: Channel, theta_1: float, theta_2: float, *, error: float) -> Respondents:
    """Return the least n found at which the likelihood-ratio test has both errors at most `error`.

    The error falls with n but not at every step; the n returned is reached, and at most a few smaller ones might be.

    Raises:
        InvalidParameter: more than a hundred million respondents would be needed, or the two shares are the same.

    >>> import sfumato as sf
    >>> coin = sf.surveys.warner_device(0.75).channel
    >>> needed = sf.inference.respondents_for_test(coin, 0.1, 0.2, error=0.05)
    >>> needed.n, round(needed.achieved, 4)
    (969, 0.0484)
    """
    check_positive("error", error)
    check_between("error", error, 1e-12, 0.5)

    def worst(n: int) -> float:
        errors = test_errors(channel, theta_1, theta_2, n)
        return max(errors.wrong_if_first, errors.wrong_if_second)

    exponent = test_errors(channel, theta_1, theta_2, 1).exponent
    n = _least(lambda n: worst(n) <= error, max(1, math.ceil(-math.log(2 * error) / exponent)), "error", error)
    return Respondents(n=n, achieved=worst(n))


def expected_counts(model: ShareModel, theta: float, n: int) -> tuple[int, ...]:
    """n·p_θ in whole numbers that sum to n, by largest remainders."""
    shares = model.law(theta) * n
    counts = np.floor(shares).astype(int)
    order = np.argsort(-(shares - counts), kind="stable")
    counts[order[: n - int(counts.sum())]] += 1
    return tuple(counts.tolist())


def _least(enough: Callable[[int], bool], guess: int, name: str, value: float) -> int:
    """Return the least n that is enough, taking "enough" as monotone: bracket it near the guess, then bisect."""
    low, high = guess, guess
    while high > MOST_RESPONDENTS or not enough(high):
        if high > MOST_RESPONDENTS:
            raise InvalidParameter(
                f"would need more than {MOST_RESPONDENTS} respondents",
                parameter=name,
                value=value,
                way_out="Ask for less precision or less privacy.",
            )
        low, high = high, high + max(1, high // 5)
    while low == high and low > 0:
        low = high - max(1, high // 5)
        if low > 0 and enough(low):
            high = low
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
