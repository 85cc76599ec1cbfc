"""One answer for a prior that is only partly known, with its dual proof.

For a fixed response, privacy is concave in the prior, so its minimum over a family is at a corner, and the best
response for finitely many corners is one linear program. The response that is best for the least favourable prior
alone can guarantee much less.   Theory: docs/theory/recoverable_answers.md
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sfumato import measures
from sfumato.display.notebooks import Shown
from sfumato.errors import InvalidParameter
from sfumato.numbers.checks import Real, as_exact
from sfumato.prob.channel import Channel
from sfumato.prob.distribution import Distribution
from sfumato.recoverable.answers import best_answer
from sfumato.recoverable.queries import Function, Prior, Query, exact_prior
from sfumato.recoverable.response_search import Stakes, best_response, least_right, made_exact

MOST_CORNERS = 50_000
_MOST_PRIORS_AT_ONCE = 400
_ENOUGH = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class PriorPrice:
    """What one prior of the family loses: the best for it alone, and what the robust response has under it.

    >>> import sfumato as sf
    >>> two = sf.recoverable.robust([[0.55, 0.413, 0.037], [0.455, 0.035, 0.51]], [0, 1, 2], 0.547)
    >>> for one in two.prices:
    ...     print(*(round(float(number), 3) for number in (one.alone, one.robust, one.price)))
    0.45 0.36 0.09
    0.453 0.36 0.093
    """

    prior: Distribution
    alone: Fraction
    robust: Fraction

    @property
    def price(self) -> Fraction:
        """How much privacy this prior gives up for all of them."""
        return self.alone - self.robust


@dataclass(frozen=True, slots=True, kw_only=True)
class RobustDesign(Shown):
    """A response with the privacy that it has under every prior of the family, exactly.

    `upper` is what no response can pass, proved by a guesser whose chances are counted exactly; `least_favourable` is
    what the best response for the worst prior alone
    guarantees, and `printed` the number that [A, Sec. VI] calls a guarantee, which can be out of reach.

    >>> import sfumato as sf
    >>> two = sf.recoverable.robust([[0.55, 0.413, 0.037], [0.455, 0.035, 0.51]], [0, 1, 2], 0.547)
    >>> [round(float(one), 3) for one in (two.printed, two.privacy, two.upper, two.least_favourable)]
    [0.45, 0.36, 0.36, 0.281]
    """

    channel: Channel
    privacy: Fraction
    upper: Fraction
    prices: tuple[PriorPrice, ...]
    least_favourable: Fraction
    printed: Fraction


def robust(priors: Sequence[Prior], f: Function, rho: Real) -> RobustDesign:
    """Return the response that is best for the worst of several priors on the same data.

    Raises:
        InvalidParameter: there are no priors, too many, or some are about other data.

    >>> import sfumato as sf
    >>> design = sf.recoverable.robust([[0.6, 0.2, 0.2], [0.2, 0.6, 0.2], [0.2, 0.2, 0.6]], [0, 1, 2], 0.6)
    >>> round(float(design.privacy), 4), round(float(design.upper), 4), round(float(design.least_favourable), 4)
    (0.4, 0.4, 0.34)
    """
    return robust_stakes(priors, f, rho)[2]


def robust_stakes(priors: Sequence[Prior], f: Function, rho: Real) -> tuple[Query, Stakes, RobustDesign]:
    """Return the question under the first prior, the guessing gains under all priors, and the best single response."""
    laws = [exact_prior(prior) for prior in priors]
    if not laws:
        raise InvalidParameter("is empty", parameter="priors", way_out="Give at least one prior.")
    if any(law.labels != laws[0].labels for law in laws):
        raise InvalidParameter(
            "are about different data",
            parameter="priors",
            way_out="Give all of them the same values, in the same order.",
        )
    queries = [Query.of(law, f, rho) for law in laws]
    rows, upper = _solve(queries[0], laws)
    return queries[0], Stakes.of_priors(queries[0], laws), _design(queries, rows, upper, laws)


def robust_ball(prior: Prior, f: Function, rho: Real, radius: Real) -> RobustDesign:
    """Return the response that is best for the worst prior within `radius` in total variation of a prior.

    Raises:
        InvalidParameter: the ball holds a prior for which the data are certain, or has too many corners.

    >>> import sfumato as sf
    >>> for radius in (0, 0.05, 0.1):
    ...     print(radius, round(float(sf.recoverable.robust_ball([0.5, 0.3, 0.2], [0, 1, 2], 0.6, radius).privacy), 3))
    0 0.4
    0.05 0.4
    0.1 0.37
    """
    centre = Query.of(prior, f, rho)
    corners = list(ball_corners(centre.prior, as_exact("radius", radius)))
    chosen = corners[: min(len(corners), 2 * len(centre.f))]
    # Cutting planes: solve for some corners, add the one that does worst, until none does worse than was solved for.
    while True:
        rows, upper = _solve(centre, chosen)
        exact = Channel(made_exact(rows, centre.f, centre.rho), centre.prior.labels, centre.values)
        worst = min(corners, key=lambda corner: measures.guess_error(exact, corner))
        if float(measures.guess_error(exact, worst)) >= upper - _ENOUGH or worst in chosen:
            break
        chosen.append(worst)
    queries = [_with_prior(centre, corner) for corner in (centre.prior, *chosen)]
    # What is guaranteed is judged by every corner, not only by those that the program saw.
    return _design(queries, rows, upper, corners)


def ball_corners(prior: Distribution, radius: Fraction) -> Iterator[Distribution]:
    """Yield the corners of the ball {½‖P'-P‖₁ ≤ radius}: one value gains, others are drained one after the other.

    Raises:
        InvalidParameter: the ball holds a prior for which the data are certain, or has too many corners.

    >>> import sfumato as sf
    >>> from fractions import Fraction
    >>> prior = sf.Distribution([Fraction(1, 2), Fraction(3, 10), Fraction(1, 5)])
    >>> corners = list(sf.recoverable.ball_corners(prior, Fraction(1, 10)))
    >>> len(corners), corners[0].probabilities
    (6, (Fraction(3, 5), Fraction(1, 5), Fraction(1, 5)))
    """
    masses = prior.fractions
    if not 0 <= radius < 1 - max(masses):
        raise InvalidParameter(
            f"must lie in [0, {float(1 - max(masses)):g}): beyond, the data could be certain",
            parameter="radius",
            value=float(radius),
            way_out="Choose a smaller ball.",
        )
    size = len(masses)
    if radius < min(masses):
        # No value can be drained, so each corner moves the whole radius from one value to another.
        drained: list[tuple[int, ...]] = [()]
    else:
        if size * 2 ** (size - 1) > MOST_CORNERS:
            raise InvalidParameter(
                f"lets values disappear, and {size} of them have too many corners",
                parameter="radius",
                value=float(radius),
                way_out=f"Choose `radius` below the smallest probability, {float(min(masses)):g}.",
            )
        drained = [c for n in range(size) for c in itertools.combinations(range(size), n)]
    for gone in drained:
        rest = radius - sum((masses[x] for x in gone), Fraction(0))
        if rest < 0:
            continue
        for gaining, giving in itertools.permutations([x for x in range(size) if x not in gone], 2):
            if rest < masses[giving]:
                corner = list(masses)
                for x in gone:
                    corner[x] = Fraction(0)
                corner[giving] -= rest
                corner[gaining] += radius
                yield Distribution(corner, prior.labels)


def _solve(query: Query, laws: Sequence[Distribution]) -> tuple[np.ndarray, Fraction]:
    """Return the best response, and the privacy that none passes, proved from the prices."""
    if len(laws) > _MOST_PRIORS_AT_ONCE:
        raise InvalidParameter(
            f"holds {len(laws)} at once, and at most {_MOST_PRIORS_AT_ONCE} are solved for",
            parameter="priors",
            way_out="Merge some.",
        )
    stakes = Stakes.of_priors(query, laws)
    nothing_else = np.ones((1, len(query.f)))
    found = best_response(stakes.array, nothing_else, query.f, stakes.size, float(query.rho))
    return found.rows, 1 - least_right(stakes, found.prices)


def _design(
    queries: Sequence[Query], rows: np.ndarray, upper: Fraction, corners: Sequence[Distribution]
) -> RobustDesign:
    first = queries[0]
    worst = min((_with_prior(first, corner) for corner in corners), key=_privacy_alone)
    rival = best_answer(worst).channel
    solved = Channel(made_exact(rows, first.f, first.rho), first.prior.labels, first.values)
    # Where the rival is as good, the solution loses to it by its rounding; then the rival is the answer.
    channel = max((rival, solved), key=lambda response: _guarantee(response, corners))
    prices = tuple(
        PriorPrice(
            prior=query.prior,
            alone=_privacy_alone(query),
            robust=Fraction(measures.guess_error(channel, query.prior)),
        )
        for query in queries
    )
    return RobustDesign(
        channel=channel,
        privacy=_guarantee(channel, corners),
        upper=upper,
        prices=prices,
        least_favourable=_guarantee(rival, corners),
        printed=_privacy_alone(worst),
    )


def _privacy_alone(query: Query) -> Fraction:
    """[A, Thm 2] without the response."""
    return 1 - max(*query.masses, query.rho * query.total)


def _guarantee(channel: Channel, corners: Sequence[Distribution]) -> Fraction:
    return min(Fraction(measures.guess_error(channel, corner)) for corner in corners)


def _with_prior(query: Query, prior: Distribution) -> Query:
    """Return the same question under another prior; values that it rules out have to keep their place."""
    return Query(prior=prior, values=query.values, f=query.f, rho=query.rho)
