"""What leaks when the samples do not follow the law that a scheme was made for.

A scheme that is private under p publishes outputs with P(y|x_i) = P(y). If the samples follow p' instead, the outputs
given x_i are made from n-1 other samples of law p', so that I(X_i;Y) ≤ (n-1) D(p'‖p), whatever the scheme is. In
total variation radius t, D(p'‖p) ≤ log2(1 + t²(1/a + 1/b)) with a and b the two smallest probabilities of p.
The bound grows with n, and so may the leak: cut a long column into blocks when its law is an estimate.
It is a case of what holds for any mapping and any two laws, I_p(X_G;Y) ≤ D(p‖p̂) - D(p_G‖p̂_G) - D(q‖q̂).
Theory: docs/theory/disclosure_schemes.md, docs/theory/unknown_laws.md
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from sfumato.disclose.scheme_checks import check_sample_law
from sfumato.errors import InvalidLaw, NotCertified
from sfumato.prob import Distribution
from sfumato.values.checks import Number, as_exact, check_at_least, check_between, check_integer
from sfumato.values.rounding import log2_bounds

# How far a joint law in doubles may be from a product, and what logarithms of doubles lose, with room to spare.
_INDEPENDENT = 1e-9
_ROUNDING = 2.0**-36


def leak_within_bits(law: Distribution, n: int, radius: Number) -> float:
    """Bound I(X_i;Y) for n samples whose law lies within `radius` of `law` in total variation.

    >>> import sfumato as sf
    >>> law = sf.Distribution([0.5, 0.5])
    >>> [round(sf.disclose.leak_within_bits(law, n, 0.01), 5) for n in (2, 10, 100)]
    [0.00058, 0.00519, 0.05712]
    """
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


def leak_between_laws_bits(
    truth: npt.ArrayLike, law: npt.ArrayLike, rows: npt.ArrayLike, group: Sequence[int]
) -> float:
    """Bound I(X_G;Y) under `truth` for a mapping whose output does not depend on the axes `group` under `law`.

    Laws are arrays over the product alphabet, `rows` has P(y|x) for its cells in order. Infinite where `truth` puts
    mass on a cell that `law` excludes.

    Raises:
        InvalidLaw: the shapes differ.
        NotCertified: the output depends on the group under `law`.

    >>> import sfumato as sf
    >>> even = [[0.25, 0.25], [0.25, 0.25]]
    >>> parity = [[1, 0], [0, 1], [0, 1], [1, 0]]
    >>> round(sf.disclose.leak_between_laws_bits([[0.3, 0.2], [0.2, 0.3]], even, parity, [0]), 4)
    0.0
    >>> round(sf.disclose.leak_between_laws_bits([[0.4, 0.3], [0.2, 0.1]], even, parity, [0]), 4)
    0.0349
    """
    true, assumed, mapping = (np.asarray(given, dtype=np.float64) for given in (truth, law, rows))
    if true.shape != assumed.shape or mapping.shape[:-1] != (true.size,):
        raise InvalidLaw(
            "must have the shape of `law`, and `rows` a row for each of its cells",
            parameter="truth",
            way_out="Declare both over the same alphabet.",
        )
    rest = tuple(axis for axis in range(true.ndim) if axis not in set(group))
    outputs, assumed_outputs = true.ravel() @ mapping, assumed.ravel() @ mapping
    values, assumed_values = true.sum(axis=rest).ravel(), assumed.sum(axis=rest).ravel()
    joint = (assumed[..., None] * mapping.reshape(*assumed.shape, -1)).sum(axis=rest)
    product = np.multiply.outer(assumed_values, assumed_outputs).reshape(joint.shape)
    if np.abs(joint - product).max() > _INDEPENDENT:
        raise NotCertified(
            "the output depends on the group under the law that the mapping was made for",
            way_out="Make the mapping for this `law`, and for this `group`.",
        )
    drift = _divergence_bits(true.ravel(), assumed.ravel())
    spared = _divergence_bits(values, assumed_values) + _divergence_bits(outputs, assumed_outputs)
    return drift if math.isinf(drift) else max(0.0, drift - spared) + _ROUNDING * (1 + drift)


def _divergence_bits(first: npt.NDArray[np.float64], second: npt.NDArray[np.float64]) -> float:
    seen = first > 0
    if (second[seen] <= 0).any():
        return math.inf
    return max(0.0, float((first[seen] * np.log2(first[seen] / second[seen])).sum()))
