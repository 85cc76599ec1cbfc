"""What is claimed in case the true law is another than the one that was counted: one wording for every certificate."""

from __future__ import annotations

from fractions import Fraction

from sfumato.certificates.rules import bound_claim
from sfumato.disclose.data_laws import Groups
from sfumato.disclose.law_bounds import MARGIN, four_digits_up, leak_at_most, settled_leak
from sfumato.disclose.law_estimates import Estimation, Origin
from sfumato.disclose.private_histograms import told_by_private_law_bits
from sfumato.errors import ClaimRefused
from sfumato.values import Claim, Interval

DRIFT = "leak_if_law_differs_bits"
HISTOGRAM = "histogram_leak_bits"


def claims_about_other_laws(
    shape: tuple[int, ...], groups: Groups, estimation: Estimation, excess: float, claimed: Claim | None = None
) -> tuple[Claim, ...]:
    """What is claimed in case the true law is another, and of a private histogram what that tells by itself.

    Nothing where the law was declared. Both numbers need neither law nor mapping, but for `excess`, which is 0 or the
    rounding of the mapping.
    """
    if estimation.terms is None:
        return ()
    number = _settled(shape, groups, estimation, excess, claimed)
    found = [
        bound_claim(
            DRIFT,
            number,
            "bits",
            because=drift_reason(estimation),
            sentence=drift_sentence(estimation, f"{number.upper:g}", excess),
        )
    ]
    if estimation.epsilon is not None:
        found.append(_histogram_claim(estimation, estimation.epsilon))
    return tuple(found)


def drift_reason(estimation: Estimation) -> str:
    """Why another law leaks no more than is said."""
    terms = estimation.terms
    assert terms is not None
    times = "D(p‖p̂)" if estimation.samples is None else f"{estimation.samples - 1} D(p‖p̂)"
    noise = "" if estimation.epsilon is None else f" and two-sided geometric noise for ε = {estimation.epsilon}"
    return (
        f"I(X_group;Y) ≤ {times} for every mapping that is independent under p̂ [Sha48]; D(p‖p̂) from "
        f"{estimation.records} records in {estimation.cells} cells, {terms.smoothing} added to each{noise}: Poisson "
        f"cells [Che52] at rate {terms.rate} and price {terms.price}, β = {terms.beta}"
    )


def drift_sentence(estimation: Estimation, number: str, excess: float) -> str:
    """The same in plain words, with the number as text; whom it does not cover is said first."""
    terms = estimation.terms
    assert terms is not None
    first = ""
    if estimation.covers_nobody_released:
        first = "Nobody in these records is covered by this bound: the mapping was made from them. "
    elif estimation.law is Origin.PRIVATE_HISTOGRAM:
        first = "The law was made from these records, under noise: what it tells about those in them is a claim apart. "
    nothing = "0" if excess == 0 else f"At most {excess:.4g} bits"
    return (
        f"{first}{nothing} if the law is p̂; at most {number} bits about any protected value, whatever the true law, at "
        f"confidence 1 - {float(terms.beta):g}, for a person outside the {estimation.records} records the law was made "
        f"from."
    )


def _histogram_claim(estimation: Estimation, epsilon: Fraction) -> Claim:
    number = Interval(0.0, four_digits_up(Fraction(told_by_private_law_bits(epsilon)) * (1 + MARGIN)))
    return bound_claim(
        HISTOGRAM,
        number,
        "bits",
        because=(
            f"(z - 1 - ln z) log2 e with z = ε exp(ε)/(exp(ε) - 1), ε = {epsilon}, for any ε-private answer [Sha48]"
        ),
        sentence=(
            f"The law is a histogram of the {estimation.records} released records under differential privacy with "
            f"ε = {float(epsilon):g}: by itself it tells at most {number.upper:g} bits about any one of them, if "
            f"records are independent."
        ),
    )


def _settled(
    shape: tuple[int, ...], groups: Groups, estimation: Estimation, excess: float, claimed: Claim | None
) -> Interval:
    value = None if claimed is None else claimed.value
    if claimed is not None and not (isinstance(value, Interval) and repr(value.lower) == "0.0"):
        raise ClaimRefused(f"{DRIFT}: claimed {value}, and such a bound is an interval from 0")
    upper = settled_leak(shape, groups, estimation, excess, value.upper if isinstance(value, Interval) else None)
    if upper is None:
        raise ClaimRefused(
            f"{DRIFT}: claimed {value}, recomputed at most {float(leak_at_most(shape, groups, estimation, excess)):.6g}"
        )
    return Interval(0.0, upper)
