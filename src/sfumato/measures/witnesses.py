"""Input laws that stand in a certificate as proof of a number: one spelling, so that nothing in them can be moved."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sfumato.errors import NotCertified

# Sums of doubles that were divided by their sum are off by less; a weight that somebody moved by 1e-11 shows.
_MOST_OFF = 1e-12


def check_witness(weights: Sequence[float]) -> None:
    """Raise NotCertified unless the weights are a law: from 0 to 1, no zero with a sign, summing to 1."""
    if not all(0 <= weight <= 1 and math.copysign(1.0, weight) > 0 for weight in weights):
        raise NotCertified("must have weights from 0 to 1", parameter="witness")
    if not abs(math.fsum(weights) - 1) <= _MOST_OFF:
        raise NotCertified("must sum to 1", parameter="witness")
