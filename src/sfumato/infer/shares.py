"""Estimate the share of an answer from counts of reports: one group or several, with what could bend it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter
from sfumato.infer.intervals import Method, explained_by_some_share, share_interval
from sfumato.infer.misfits import misfit_notes
from sfumato.infer.share_model import ShareModel
from sfumato.prob import Channel
from sfumato.prob.alphabet import Label
from sfumato.values import Interval
from sfumato.values.checks import check_between

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
    >>> found = sf.infer.estimate_share(sf.design.warner_device(0.75).channel, {"no": 20, "yes": 80})
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
    >>> found = sf.infer.estimate_share(sf.design.warner_device(0.75).channel, {"no": 600, "yes": 400})
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
    >>> found = sf.infer.estimate_groups(sf.design.warner_device(0.75).channel, towns, simultaneous=True)
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
    >>> weights = sf.infer.share_weights(sf.design.warner_device(0.75).channel)
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
    >>> band = sf.infer.sensitivity_band(sf.design.warner_device(0.75).channel, {"no": 600, "yes": 400}, ignoring=0.05)
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
