"""Two binary samples in closed form, for any marginals.

With α = P(X1=0), β = P(X2=0) and r = P(0,1), laws with these marginals lie on a segment: r can be anything between
r0 = max(0, α-β) and R = min(α, 1-β). Its two ends are the corners, and the prior is their mixture, for any feature.
Ref: [D, eqs. (25), (26)], which need α ≤ β; theory: docs/theory/disclosure.md
"""

from __future__ import annotations

from fractions import Fraction

from sfumato.disclose.data_laws import DataLaw
from sfumato.errors import InvalidParameter

_DIRECTION = (1, -1, -1, 1)


def two_binary_corners(law: DataLaw) -> tuple[tuple[tuple[Fraction, ...], Fraction], ...]:
    """Return the corners of S over the cells 00, 01, 10, 11 with their weights; only one if nothing can be told.

    The closed form behind `optimum` for a table of two by two.

    Returns:
        For each corner its probabilities and its weight; weights sum to 1, and the weighted corners to the law.

    Raises:
        InvalidParameter: the samples are not two, or not binary.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> law = sf.disclose.DataLaw.independent([Fraction(1, 3), Fraction(2, 3)], 2)
    >>> for corner, weight in sf.disclose.two_binary_corners(law):
    ...     print([str(mass) for mass in corner], weight)
    ['0', '1/3', '1/3', '1/3'] 2/3
    ['1/3', '0', '0', '2/3'] 1/3
    """
    if law.shape != (2, 2):
        raise InvalidParameter(
            f"must be of two binary samples, not of shape {law.shape}", parameter="law", way_out="Use `optimum`."
        )
    p = [Fraction(0)] * 4
    for (first, second), mass in zip(law.cells.tolist(), law.masses, strict=True):
        p[2 * first + second] = Fraction(mass)
    alpha, beta, r = p[0] + p[1], p[0] + p[2], p[1]
    # The sum of the masses is 1 but for rounding, and in Fractions that would show.
    least, most = max(Fraction(0), alpha - beta), min(alpha, sum(p) - beta)
    if least == most or r in {least, most}:
        return ((tuple(p), Fraction(1)),)
    span = most - least
    ends = ((r - most, (r - least) / span), (r - least, (most - r) / span))
    return tuple((tuple(q + move * d for q, d in zip(p, _DIRECTION, strict=True)), weight) for move, weight in ends)
