"""How a claim's number is shown to a person."""

from __future__ import annotations

import math
from fractions import Fraction

from sfumato.certificates.words import fraction_text
from sfumato.values import Claim, Interval, Status

NAMES = {
    "guess_error": "guess error",
    "odds": "odds",
    "epsilon": "ε (local differential privacy)",
    "exposure": "exposure",
    "total_variation": "total variation",
    "min_entropy_leakage_bits": "min-entropy leakage",
    "maximal_leakage_bits": "maximal leakage",
    "mutual_information_bits": "mutual information",
    "max_information_bits": "max-information",
    "capacity_bits": "capacity",
    "randomness_bits": "randomness",
    "heaviest_output": "recovery: heaviest output",
    "chernoff_information": "Chernoff information",
    "fisher_information": "Fisher information",
    "neighbour_odds": "odds between neighbours",
    "correlated_odds": "odds with correlations",
    "individual_capacity_bits": "individual capacity",
}


def name_of(claim: Claim) -> str:
    """The measure as a reader knows it."""
    return NAMES.get(claim.measure) or claim.measure.replace("_", " ").replace("epsilon", "ε")


def value_of(claim: Claim) -> str:
    """The number with its unit."""
    unit = "" if claim.unit in ("probability", "ratio", "sum") else f" {claim.unit}"
    value = claim.value
    if isinstance(value, Interval):
        digits = max(1, min(12, math.floor(-math.log10(value.width)) if value.width else 12))
        return f"{value.midpoint:.{min(digits, 9)}f}".rstrip("0").rstrip(".") + unit
    if isinstance(value, Fraction):
        return fraction_text(value) + unit
    sign = "≥ " if claim.status is Status.ESTIMATED else ""
    return f"{sign}{'∞' if math.isinf(value) else f'{value:.6g}'}{unit}"


def status_of(claim: Claim) -> str:
    """How well the number is known."""
    if isinstance(claim.value, Interval):
        return f"certified ±{claim.value.width / 2:.0e}"
    if claim.confidence is not None:
        return f"estimated, confidence 1 - {1 - claim.confidence:.0e}"
    return "exact"
