"""Tell f(X) and hide Y, when whoever answers sees X only.

[A, Prop 3] lets the response depend on both, as `hide_correlated` does. Who does not see Y can only choose W(i|x); the
best is a linear program, min Σ_i max_y Σ_x J(x,y)W(i|x). The response is made exact, and the program's prices are a
guesser who proves that none hides Y better.   Theory: docs/theory/recoverable_answers.md
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sfumato.design.channel_designs import DrawnDesign
from sfumato.design.queries import Function, Query
from sfumato.design.recoverable_answers import hide_correlated
from sfumato.design.response_programs import best_response, least_right, made_exact
from sfumato.design.stakes import Stakes
from sfumato.errors import InvalidLaw
from sfumato.prob import Channel, Distribution, Joint
from sfumato.values import Interval
from sfumato.values.rounding import float_above, float_below
from sfumato.values.types import Real


@dataclass(frozen=True, slots=True, kw_only=True)
class UnseenDesign(DrawnDesign):
    """A response W(i|x) that hides Y. `privacy` encloses the best of those who see X only.

    `promise` is what this response has, exactly; `seeing_both` is what a responder who sees X and Y could have.

    >>> import sfumato as sf
    >>> joint = sf.prob.Joint([0.3, 0.05, 0.1, 0.15, 0.05, 0.35], [[0, 1, 2], ["well", "ill"]])
    >>> alone = sf.design.hide_unseen(joint, [0, 1, 1], 0.75)
    >>> float(alone.promise), float(alone.seeing_both), alone.mechanism.privatize([0, 2]).shape
    (0.35, 0.4, (2,))
    """

    query: Query
    channel: Channel
    privacy: Interval
    promise: Fraction
    seeing_both: Fraction


def hide_unseen(joint: Joint, f: Function, rho: Real) -> UnseenDesign:
    """Return the response to X alone that tells f(X) with probability ≥ rho and hides Y best.

    Raises:
        InvalidLaw: the joint law has not exactly two coordinates.

    >>> import sfumato as sf
    >>> joint = sf.prob.Joint([0.3, 0.05, 0.1, 0.15, 0.05, 0.35], [[0, 1, 2], ["well", "ill"]])
    >>> alone = sf.design.hide_unseen(joint, [0, 1, 1], 0.75)
    >>> round(alone.privacy.lower, 9), round(alone.privacy.upper, 9), float(alone.seeing_both)
    (0.35, 0.35, 0.4)
    """
    query, gains = _read(joint, f, rho)
    stakes = Stakes(gains=(gains,), keep=query.f, size=len(query.values), rho=query.rho)
    both = hide_correlated(joint, f, rho).privacy
    found = best_response(stakes.array, np.ones((1, len(query.f))), query.f, stakes.size, float(query.rho))
    rows = made_exact(found.rows, query.f, query.rho)
    promise = 1 - stakes.right([rows])
    upper = min(both, 1 - least_right(stakes, found.prices))
    return UnseenDesign(
        query=query,
        channel=Channel(rows, query.prior.labels, query.values),
        privacy=Interval(float_below(promise), float_above(upper)),
        promise=promise,
        seeing_both=both,
    )


def _read(joint: Joint, f: Function, rho: Real) -> tuple[Query, tuple[tuple[Fraction, ...], ...]]:
    """Return the question about X, and J(x, y) by y and x for the x that can happen."""
    if len(joint.alphabets) != 2:
        raise InvalidLaw(
            f"has {len(joint.alphabets)} coordinates and must have two: the data, and what goes with it",
            parameter="joint",
            way_out="Merge the coordinates into two.",
        )
    law = joint.law.to_exact().fractions
    seen, hidden = joint.alphabets
    table = [law[x * len(hidden) : (x + 1) * len(hidden)] for x in range(len(seen))]
    possible = [x for x, row in enumerate(table) if sum(row)]
    masses = [sum(table[x], Fraction(0)) for x in possible]
    # A function given as a list has an image for each x, also for those that cannot happen.
    whole = Query.of(Distribution.uniform(len(seen), seen), f, rho)
    told = [whole.values[whole.f[x]] for x in possible]
    query = Query.of(Distribution(masses, [seen[x] for x in possible]), told, rho)
    return query, tuple(tuple(table[x][y] for x in possible) for y in range(len(hidden)))
