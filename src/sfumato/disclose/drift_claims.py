"""What is claimed in case the true law is another than the one that was counted: one wording for every certificate."""

from __future__ import annotations

import math

from sfumato.certificates.rules import bound_claim
from sfumato.certificates.words import at_most
from sfumato.disclose.data_laws import Groups
from sfumato.disclose.law_estimates import Estimation, estimation_radius, leak_if_law_differs
from sfumato.values import Claim, Interval

DRIFT = "leak_if_law_differs_bits"


def drift_claim(shape: tuple[int, ...], estimation: Estimation, number: Interval) -> Claim:
    """What is claimed in case the true law is another than the estimate, from its number."""
    return bound_claim(
        DRIFT,
        number,
        "bits",
        because=drift_reason(shape, estimation),
        sentence=drift_sentence(shape, estimation, at_most(number)),
    )


def drift_reason(shape: tuple[int, ...], estimation: Estimation) -> str:
    """Why a law that is a little different leaks no more than is said."""
    step = "conditional entropy is continuous [AS19b]"
    if estimation.samples is not None:
        step = "all symbols tell (n-1) D(p'‖p) bits about a sample at most, p' the true law of n samples [Sha48]"
    radius = _radius(shape, estimation)
    return f"law estimated from {estimation.counted}: within {radius:.4f} in total variation at 95 % [WOS+03]; {step}"


def drift_sentence(shape: tuple[int, ...], estimation: Estimation, number: str) -> str:
    """The same in plain words, with the number as text."""
    tells, whom = ("the release tells", "a protected group")
    if estimation.samples is not None:
        tells, whom = ("all symbols together tell", "a sample")
    return (
        f"The law was estimated from {estimation.counted}. If the true law is within "
        f"{_radius(shape, estimation):.4f} of it, {tells} at most {number} bits about {whom}."
    )


def drift_of_data_sets(shape: tuple[int, ...], groups: Groups, estimation: Estimation) -> Interval:
    """Enclose what leaks under another law near an estimate from data sets; shape and number are all it takes."""
    # Plain integers: 63 binary samples have more values than a machine word can count.
    values = max(math.prod(shape[i] for i in group) for group in groups)
    return Interval(0.0, leak_if_law_differs(_radius(shape, estimation), values))


def _radius(shape: tuple[int, ...], estimation: Estimation) -> float:
    if estimation.data_sets is not None:
        return estimation_radius(estimation.data_sets, math.prod(shape))
    return estimation_radius(estimation.samples or 1, shape[0])
