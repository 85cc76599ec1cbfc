"""One secret coin kept for life: what it hides, and why no independent responses hide more.

Responses that are independent given the data *and* one coin of the person's own, each right with probability at least
ρ, include those that are independent given the data alone. For ρ > 1/2 the best of them is known in closed form: a
partner for life. So the same number is a converse for n independent responses; it is never above [A, Thm 4], and for
two values V_1 meets it.   Proofs: docs/theory/many_responses.md
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from sfumato.design.published_schemes import HALF
from sfumato.design.queries import Query
from sfumato.design.recoverable_answers import Rows
from sfumato.errors import InvalidParameter
from sfumato.prob.exact import common_numerators
from sfumato.values.checks import check_at_least, check_integer


def coin_privacy(query: Query, n: int) -> Fraction:
    """Return the best privacy of n responses with one coin kept for life, for ρ > 1/2, exactly.

    1 - S + Σ_a min(M' b(a), (S-M') b(n-a)), b the law of Bin(n, ρ) and M' = max(m*, S/2).

    No n independent responses hide more; it is never above the bound of [A, Thm 4], `converse`.

    Raises:
        InvalidParameter: ρ is 1/2 or less.

    >>> import sfumato as sf
    >>> query = sf.design.Query.of([0.6, 0.3, 0.1], [0, 1, 2], 0.7)
    >>> [float(sf.design.coin_privacy(query, n)) for n in (1, 2, 3)]
    [0.3, 0.258, 0.216]
    >>> [float(sf.design.converse(query, n)) for n in (1, 2, 3)]
    [0.3, 0.3, 0.216]
    """
    return 1 - query.total + pair_error(query.maxima, query.rho, n)


def pair_error(maxima: Sequence[Fraction], rho: Fraction, n: int) -> Fraction:
    """Return the weight that the best guesser of the value misses, out of S: two values of weights M' and S-M'."""
    check_at_least("n", check_integer("n", n), 1)
    _check_rho(rho)
    total = sum(maxima, Fraction(0))
    heavy = max(*maxima, total / 2)
    weights, whole = common_numerators([(heavy, total - heavy)])
    first, second = (int(weight) for weight in weights[0])
    right, wrong = rho.numerator, rho.denominator - rho.numerator
    hits = [math.comb(n, a) * right**a * wrong ** (n - a) for a in range(n + 1)]
    missed = sum(min(first * hits[a], second * hits[n - a]) for a in range(n + 1))
    return Fraction(missed, whole * rho.denominator**n)


def partner_law(query: Query) -> Rows:
    """Return how likely each value is to have each other one as its partner: row j, column l, zero on the diagonal.

    When no value has more than half of S, the values lie side by side on a circle of length S, and what lies opposite
    is the partner; so w(j, l) = w(l, j). Otherwise the heavy value is everybody's partner, and its own follow m_l.

    Raises:
        InvalidParameter: ρ is 1/2 or less.

    >>> import sfumato as sf
    >>> query = sf.design.Query.of([0.5, 0.3, 0.2], [0, 1, 2], 0.6)
    >>> for row in sf.design.partner_law(query):
    ...     print(*row)
    0 3/5 2/5
    1 0 0
    1 0 0
    """
    _check_rho(query.rho)
    maxima, total = query.maxima, query.total
    places = range(len(maxima))
    heavy = max(places, key=lambda place: maxima[place])
    if 2 * maxima[heavy] > total:
        rest = total - maxima[heavy]
        return tuple(
            tuple(
                (maxima[other] / rest if other != heavy else Fraction(0))
                if place == heavy
                else Fraction(other == heavy)
                for other in places
            )
            for place in places
        )
    starts = [sum(maxima[:place], Fraction(0)) for place in places]
    return tuple(
        tuple(
            sum(
                # Opposite may be half a round ahead or behind: the same point of the circle, on two windings.
                _overlap(
                    (starts[place] + total / 2, maxima[place]),
                    (starts[other] + winding * total, maxima[other]),
                )
                for winding in (0, 1)
            )
            / maxima[place]
            for other in places
        )
        for place in places
    )


def partner_privacy(query: Query, partners: Rows, n: int) -> Fraction:
    """Return the privacy of n answers j-or-partner exactly, for any law of partners: the sum over what can be seen.

    A sequence shows the two values of a pair, a times j and n-a times l, or one value alone.

    >>> import sfumato as sf
    >>> query = sf.design.Query.of([0.5, 0.3, 0.2], [0, 1, 2], 0.6)
    >>> kept = sf.design.partner_law(query)
    >>> sf.design.partner_privacy(query, kept, 5) == sf.design.coin_privacy(query, 5)
    True
    >>> from fractions import Fraction
    >>> circle = tuple(tuple(Fraction(one) for one in row) for row in ((0, 1, 0), (0, 0, 1), (1, 0, 0)))
    >>> float(sf.design.partner_privacy(query, circle, 5)), float(sf.design.coin_privacy(query, 5))
    (0.01024, 0.31744)
    """
    check_at_least("n", check_integer("n", n), 1)
    maxima, size = query.maxima, len(query.maxima)
    rho = query.rho
    law = [math.comb(n, a) * rho**a * (1 - rho) ** (n - a) for a in range(n + 1)]
    right = Fraction(0)
    for j in range(size):
        # All answers name j: a partner of j that never told the truth, or j itself, whoever its partner is.
        right += max(
            maxima[j] * law[n] + maxima[j] * partners[j][j] * (1 - law[n]),
            *(maxima[other] * partners[other][j] * law[0] for other in range(size) if other != j),
        )
        for other in range(j):
            first, second = maxima[j] * partners[j][other], maxima[other] * partners[other][j]
            right += sum((max(first * law[a], second * law[n - a]) for a in range(1, n)), Fraction(0))
    return 1 - right


def _overlap(first: tuple[Fraction, Fraction], second: tuple[Fraction, Fraction]) -> Fraction:
    """How much two arcs, each a start and a length, have in common."""
    low = max(first[0], second[0])
    high = min(first[0] + first[1], second[0] + second[1])
    return max(Fraction(0), high - low)


def _check_rho(rho: Fraction) -> None:
    if rho <= HALF:
        raise InvalidParameter(
            "must be above 1/2 for a partner for life",
            parameter="rho",
            value=float(rho),
            way_out="Use `block_noise` (V_2) and `type_bounds` below.",
        )
