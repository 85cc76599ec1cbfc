"""What leaks when the samples do not follow the law that a scheme was made for.

A scheme that is private under p publishes outputs with P(y|x_i) = P(y). If the samples follow p' instead, the outputs
given x_i are made from n-1 other samples of law p', so that I(X_i;Y) ≤ (n-1) D(p'‖p), whatever the scheme is. In
total variation radius t, D(p'‖p) ≤ log2(1 + t²(1/a + 1/b)) with a and b the two smallest probabilities of p.
The bound grows with n, and so may the leak: cut a long column into blocks when its law is an estimate.
Theory: docs/theory/disclosure_schemes.md
"""

from __future__ import annotations

import math
from fractions import Fraction

from sfumato.disclose.scheme_checks import check_sample_law
from sfumato.prob import Distribution
from sfumato.values.checks import Number, as_exact, check_at_least, check_between, check_integer
from sfumato.values.rounding import log2_bounds


def leak_within_bits(law: Distribution, n: int, radius: Number) -> float:
    """Bound I(X_i;Y) for n samples whose law lies within `radius` of `law` in total variation."""
    exact = check_sample_law(law)
    step = as_exact("radius", radius)
    check_between("radius", step, 0, 1)
    first, second = sorted(exact.fractions)[:2]
    return leak_from_chi_square_bits(n, step**2 * (1 / first + 1 / second), len(exact))


def leak_from_chi_square_bits(n: int, chi_square: Number, size: int) -> float:
    """The same from a bound on Σ (p'-p)²/p; never more than all there is to say about a sample of `size` values."""
    check_at_least("n", check_integer("n", n), 1)
    each = log2_bounds(1 + as_exact("chi_square", chi_square))[1]
    return min(math.nextafter((n - 1) * each, math.inf) if each else 0.0, log2_bounds(Fraction(size))[1])
