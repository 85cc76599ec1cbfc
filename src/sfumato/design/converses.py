"""The bound that no n independent responses pass, whatever is to be hidden: the best of those that are known.

For ρ > 1/2 it is the closed form of a coin kept for life, which is never above [A, Thm 4]. For ρ ≤ 1/2 it is the least
of [A, Thm 4] and of the program on types, at n or, where that is too large, at fewer responses: more never hide more.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from sfumato.design.lasting_coins import pair_error
from sfumato.design.patience import FOREVER, OutOfTime, Patience
from sfumato.design.published_schemes import HALF, minority_chance
from sfumato.design.queries import Query
from sfumato.design.stakes import Stakes
from sfumato.design.type_programs import most_types_n, type_bounds
from sfumato.errors import NotCertified


def quick_converse(stakes: Stakes, n: int) -> Fraction:
    """Return the bound without any program, exact."""
    bounds = []
    for peaks, blind in zip(stakes.peaks, stakes.blind, strict=True):
        total = sum(peaks, Fraction(0))
        if stakes.rho > HALF:
            told = total - pair_error(peaks, stakes.rho, n)
        else:
            likely = 1 - min(minority_chance(stakes.rho, m) for m in (n - 1, n) if m)
            told = total * max(stakes.rho, likely)
        bounds.append(1 - max(blind, told))
    return min(bounds)


def best_converse(stakes: Stakes, n: int, *, enough: Fraction | None = None, patience: Patience = FOREVER) -> Fraction:
    """Return the least bound known; programs are left out where they cannot help, or where `enough` is reached."""
    found = quick_converse(stakes, n)
    if stakes.rho > HALF or (enough is not None and found <= enough):
        return found
    offered = min(n, most_types_n(stakes.size))
    # With two values the guess that looks at nothing is the best of all, and V_2 meets it.
    if stakes.size == 2 or offered < 1:
        return found
    try:
        uppers: Sequence[Fraction] = [
            type_bounds(peaks, stakes.rho, offered, patience=patience).upper for peaks in stakes.peaks
        ]
    except (OutOfTime, NotCertified):
        return found
    return min(found, *uppers)


def responses_converse(query: Query, n: int) -> Fraction:
    """Return the bound that no n independent responses to a query pass, when the data are to be hidden.

    For ρ > 1/2 it falls, as more responses are given, to 1 - S, which even whoever knows f(x) misses.

    >>> import sfumato as sf
    >>> query = sf.design.Query.of([0.6, 0.3, 0.1], [0, 1, 2], 0.7)
    >>> [round(float(sf.design.responses_converse(query, n)), 4) for n in (1, 2, 5, 20)]
    [0.3, 0.258, 0.1631, 0.0295]
    """
    return best_converse(Stakes.of_values(query), n)
