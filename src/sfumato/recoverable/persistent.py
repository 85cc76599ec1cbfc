"""One secret draw that a person keeps for all answers, and what it hides.

A person whose value of f is j draws another value l once, the partner of j, and keeps it secret. Every answer is j with
probability ρ, and l otherwise. Of all responses that are independent given the data and one such secret, and right with
probability at least ρ > 1/2, these hide the data best, for any number of answers. V_1 of [A] draws nothing and hides
less.

*The promise differs from that of independent responses.* It holds as long as l stays the same and stays secret.
`privacy_if_redrawn` computes what is left if l is drawn again for each answer.
Theory: docs/theory/many_responses.md
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.display.notebooks import Shown
from sfumato.errors import InvalidParameter
from sfumato.numbers.checks import Real, check_at_least, check_integer
from sfumato.numbers.exact import common_numerators
from sfumato.numbers.intervals import Interval
from sfumato.prob.channel import Channel
from sfumato.prob.distribution import Label
from sfumato.recoverable.answers import Rows
from sfumato.recoverable.queries import Function, Prior, Query
from sfumato.recoverable.schemes import HALF, privacy_of_noise
from sfumato.sampling.mechanism import bits_or_default, check_symbols
from sfumato.sampling.samplers import RowDraws
from sfumato.sampling.sources import MOST_WIDTH, BitSource

# --- The privacy of a persistent secret, and the converse for independent responses
# Responses that are independent given the data and one persistent secret, each right with probability at least ρ,
# include those that are independent given the data alone. For ρ > 1/2 the best of them is known in closed form. So its
# privacy is a converse for n independent responses. It is never above [A, Thm 4], and for two values V_1 reaches it.
# Proofs: docs/theory/many_responses.md


def coin_privacy(query: Query, n: int) -> Fraction:
    """Return the best privacy of n responses with one coin kept for life, for ρ > 1/2, exactly.

    1 - S + Σ_a min(M' b(a), (S-M') b(n-a)), b the law of Bin(n, ρ) and M' = max(m*, S/2).

    No n independent responses hide more; it is never above the bound of [A, Thm 4], `converse`.

    Raises:
        InvalidParameter: ρ is 1/2 or less.

    >>> import sfumato as sf
    >>> query = sf.recoverable.Query.of([0.6, 0.3, 0.1], [0, 1, 2], 0.7)
    >>> [float(sf.recoverable.coin_privacy(query, n)) for n in (1, 2, 3)]
    [0.3, 0.258, 0.216]
    >>> [float(sf.recoverable.converse(query, n)) for n in (1, 2, 3)]
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


def persistent_secret_law(query: Query) -> Rows:
    """Return the probability of each secret l given the value j: row j, column l, zero on the diagonal.

    When no value has more than half of S, the values lie side by side on a circle of length S, and what lies opposite
    is the partner; so w(j, l) = w(l, j). Otherwise the heavy value is everybody's partner, and its own follow m_l.

    Raises:
        InvalidParameter: ρ is 1/2 or less.

    >>> import sfumato as sf
    >>> query = sf.recoverable.Query.of([0.5, 0.3, 0.2], [0, 1, 2], 0.6)
    >>> for row in sf.recoverable.persistent_secret_law(query):
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


def persistent_secret_privacy(query: Query, partners: Rows, n: int) -> Fraction:
    """Return the exact privacy of n answers for any distribution of the persistent secret, by summing over all outputs.

    A sequence shows the two values of a pair, a times j and n-a times l, or one value alone.

    >>> import sfumato as sf
    >>> query = sf.recoverable.Query.of([0.5, 0.3, 0.2], [0, 1, 2], 0.6)
    >>> kept = sf.recoverable.persistent_secret_law(query)
    >>> sf.recoverable.persistent_secret_privacy(query, kept, 5) == sf.recoverable.coin_privacy(query, 5)
    True
    >>> from fractions import Fraction
    >>> circle = tuple(tuple(Fraction(one) for one in row) for row in ((0, 1, 0), (0, 0, 1), (1, 0, 0)))
    >>> float(sf.recoverable.persistent_secret_privacy(query, circle, 5)), float(sf.recoverable.coin_privacy(query, 5))
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
            "must be above 1/2 for a persistent secret",
            parameter="rho",
            value=float(rho),
            way_out="Use `block_noise` (V_2) and `type_bounds` below.",
        )


Places = npt.NDArray[np.int64]

PROMISE = (
    "It holds while each person keeps one secret value for all answers; with fresh secrets, answers disclose more."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PersistentSecretDesign(Shown):
    """Draws of persistent secrets and of answers. `partners` is the distribution of the secret given the data.

    `answers` is the law of one answer given the data and the partner, whose rows are the pairs `kept` can be.

    >>> import sfumato as sf
    >>> made = sf.recoverable.persistent_secret([0.5, 0.3, 0.2], [0, 1, 2], 0.6)
    >>> kept = made.draw_partners([0, 1, 2])  # once in a life, and to be kept secret
    >>> made.answer([0, 1, 2], kept, n=5).shape
    (3, 5)
    >>> float(made.privacy(5)), round(made.privacy_if_redrawn(5).midpoint, 5)
    (0.31744, 0.17204)
    """

    query: Query
    partners: Channel
    answers: Channel
    width: int = MOST_WIDTH

    def privacy(self, n: int) -> Fraction:
        """Return how often the best guesser of the data is wrong after n answers with one secret, exactly."""
        return coin_privacy(self.query, n)

    def privacy_if_redrawn(self, n: int) -> Interval:
        """Enclose the same when the secret is drawn again each time, against the rules."""
        rho, laws = self.query.rho, persistent_secret_law(self.query)
        size = len(self.query.values)
        noise: Rows = tuple(tuple(rho * (i == j) + (1 - rho) * laws[j][i] for i in range(size)) for j in range(size))
        return privacy_of_noise(self.query, noise, n)

    def draw_partners(self, values: npt.ArrayLike, bits: BitSource | None = None) -> Places:
        """Draw each person's persistent secret, as the place of a value of f: once, and to be kept secret."""
        data = check_symbols("values", values, len(self.query.f), empty=True)
        return RowDraws(self.partners, self.width).draw(bits_or_default(bits), data)

    def answer(
        self, values: npt.ArrayLike, kept: npt.ArrayLike, n: int = 1, bits: BitSource | None = None
    ) -> npt.NDArray[Any]:
        """Give n answers a person, a column each, with the secrets that were `kept`; call again for more."""
        check_at_least("n", check_integer("n", n), 1)
        size = len(self.query.values)
        data = check_symbols("values", values, len(self.query.f), empty=True)
        coins = check_symbols("kept", kept, size, empty=True)
        source = bits_or_default(bits)
        draws = RowDraws(self.answers, self.width)
        return np.stack([draws.draw(source, data * size + coins) for _ in range(n)], axis=1)


def persistent_secret(
    prior: Prior, f: Function, rho: Real, *, values: tuple[Label, ...] | None = None
) -> PersistentSecretDesign:
    """Return the responses that hide the data best for ever, given one secret that each person keeps; ρ > 1/2.

    Raises:
        InvalidParameter: ρ is 1/2 or less.

    >>> import sfumato as sf
    >>> made = sf.recoverable.persistent_secret([0.5, 0.3, 0.2], [0, 1, 2], 0.6)
    >>> [float(made.privacy(n)) for n in (2, 3, 5, 7)]
    [0.4, 0.352, 0.31744, 0.289792]
    """
    return design_persistent_secret(Query.of(prior, f, rho, values=values))


def design_persistent_secret(query: Query) -> PersistentSecretDesign:
    """Return the design with a persistent secret for a query.

    >>> import sfumato as sf
    >>> told = {"a": "ill", "b": "ill", "c": "well"}
    >>> query = sf.recoverable.Query.of({"a": 0.5, "b": 0.3, "c": 0.2}, told, 0.75)
    >>> made = sf.recoverable.design_persistent_secret(query)
    >>> [str(p) for p in made.answers.rows[4]], float(made.privacy(3))  # of somebody with c whose partner is ill
    (['1/4', '3/4'], 0.409375)
    """
    law = persistent_secret_law(query)
    size = len(query.values)
    pairs = [(label, value) for label in query.prior.labels for value in query.values]
    rows = [
        [query.rho * (i == place) + (1 - query.rho) * (i == partner) for i in range(size)]
        for place in query.f
        for partner in range(size)
    ]
    return PersistentSecretDesign(
        query=query,
        partners=Channel([law[place] for place in query.f], query.prior.labels, query.values),
        answers=Channel(rows, pairs, query.values),
    )
