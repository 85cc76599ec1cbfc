"""What people hand in where a number is wanted: the types of parameters, before a check makes them exact."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

Real = int | float | Fraction
"""A number as it is given; `as_exact` and `as_number` read it."""
Reals = Sequence[Real]
"""Several numbers: a law, weights, thresholds."""
Profile = tuple[tuple[Fraction | float, int], ...]
"""The probabilities of a row with how often each occurs: all that an entropy needs to know."""
