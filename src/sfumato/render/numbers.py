"""How a claim's number is shown to a person."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from fractions import Fraction

from sfumato.certificates import Certificate
from sfumato.certificates.words import at_least, at_most, fraction_text
from sfumato.values import Claim, Interval, Relation, Status

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

# Measures of which at least so much is promised; all others are promises of at most so much.
_AT_LEAST = ("randomness_bits", "separate_randomness_bits", "disclosed_bits", "key_bits")

# From here on a number is shown by its first digits, as in 1.2e20.
_LARGE = 1e15


def name_of(claim: Claim, certificate: Certificate) -> str:
    """The measure as a reader knows it."""
    called = certificate.kind.called(certificate.subject, claim.measure)
    return called or NAMES.get(claim.measure) or claim.measure.replace("_", " ").replace("epsilon", "ε")


def value_of(claim: Claim) -> str:
    """The number with its unit. A bound is shown as a bound, and an interval by the end that its promise rests on."""
    unit = "" if claim.unit in ("probability", "ratio", "sum") else f" {claim.unit}"
    value = claim.value
    sign = f"{claim.relation.value} " if claim.relation in (Relation.AT_LEAST, Relation.AT_MOST) else ""
    if isinstance(value, Interval):
        if claim.status is Status.STATED:  # rounded outwards already, and to be shown as it was
            return f"{sign or f'{value.lower:g} to '}{value.upper:g}{unit}"
        return f"{sign}{_end_of(claim, value)}{unit}"
    if isinstance(value, Fraction):
        return f"{sign}{fraction_text(value)}{unit}"
    return f"{sign}{'∞' if math.isinf(value) else f'{value:.6g}'}{unit}"


def status_of(claim: Claim) -> str:
    """How well the number is known."""
    if claim.status is Status.STATED:
        return "stated"
    if isinstance(claim.value, Interval):
        return f"certified ±{claim.value.width / 2:.0e}" if claim.relation is Relation.WITHIN else "certified"
    if claim.confidence is not None:
        return f"estimated, confidence 1 - {1 - claim.confidence:.0e}"
    return "exact"


def _end_of(claim: Claim, value: Interval) -> str:
    """The upper end rounded up, or the lower end rounded down where at least so much is promised."""
    promises_least = claim.relation is Relation.AT_LEAST or (
        claim.relation is Relation.WITHIN and claim.measure.startswith(_AT_LEAST)
    )
    end = value.lower if promises_least else value.upper
    if math.isinf(end):
        return "∞" if end > 0 else "-∞"
    if claim.relation is not Relation.WITHIN or abs(end) >= _LARGE:
        return at_least(end) if promises_least else at_most(end)
    digits = min(9, max(1, math.floor(-math.log10(value.width)))) if 0 < value.width < math.inf else 9
    step = Decimal(1).scaleb(-digits)
    shown = Decimal(end).quantize(step, rounding=ROUND_FLOOR if promises_least else ROUND_CEILING)
    text = format(shown, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
