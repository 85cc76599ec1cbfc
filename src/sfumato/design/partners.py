"""A partner for life: one secret draw that a person keeps for all answers ever given.

Somebody whose value of f is j draws a partner l once, and keeps it secret. Every answer is j with probability ρ, and l
otherwise. Of all responses that are independent given the data and one kept secret, and right with probability at least
ρ > 1/2, these hide the data best, whatever the number of answers; V_1 of [A] draws nothing and hides less.

*The promise is another one than that of independent responses.* It holds as long as the partner stays the same and
stays secret. Who draws it afresh for each answer has something else, which `privacy_if_redrawn` puts a number on.
Theory: docs/theory/many_responses.md
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.bits import BitSource, RowDraws
from sfumato.bits.mechanism import bits_or_default, check_symbols
from sfumato.bits.source import MOST_WIDTH
from sfumato.design.lasting_coins import coin_privacy, partner_law
from sfumato.design.published_schemes import privacy_of_noise
from sfumato.design.queries import Function, Prior, Query
from sfumato.design.recoverable_answers import Rows
from sfumato.prob import Channel
from sfumato.prob.alphabet import Label
from sfumato.values import Interval
from sfumato.values.checks import check_at_least, check_integer
from sfumato.values.shown import Shown
from sfumato.values.types import Real

Places = npt.NDArray[np.int64]

PROMISE = "It holds while each person keeps one secret partner for all answers; drawn afresh, answers tell more."


@dataclass(frozen=True, slots=True, kw_only=True)
class PartnerDesign(Shown):
    """Draws of partners and of answers. `partners` is the law of the partner given the data.

    `answers` is the law of one answer given the data and the partner, whose rows are the pairs `kept` can be.

    >>> import sfumato as sf
    >>> made = sf.design.partner_for_life([0.5, 0.3, 0.2], [0, 1, 2], 0.6)
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
        """Return how often the best guesser of the data is wrong after n answers by one kept partner, exactly."""
        return coin_privacy(self.query, n)

    def privacy_if_redrawn(self, n: int) -> Interval:
        """Enclose the same when the partner is drawn afresh each time, against the rules."""
        rho, laws = self.query.rho, partner_law(self.query)
        size = len(self.query.values)
        noise: Rows = tuple(tuple(rho * (i == j) + (1 - rho) * laws[j][i] for i in range(size)) for j in range(size))
        return privacy_of_noise(self.query, noise, n)

    def draw_partners(self, values: npt.ArrayLike, bits: BitSource | None = None) -> Places:
        """Draw each person's partner, as the place of a value of f: once in a life, and to be kept secret."""
        data = check_symbols("values", values, len(self.query.f), empty=True)
        return RowDraws(self.partners, self.width).draw(bits_or_default(bits), data)

    def answer(
        self, values: npt.ArrayLike, kept: npt.ArrayLike, n: int = 1, bits: BitSource | None = None
    ) -> npt.NDArray[Any]:
        """Give n answers a person, a column each, by the partners that were `kept`; call again for more."""
        check_at_least("n", check_integer("n", n), 1)
        size = len(self.query.values)
        data = check_symbols("values", values, len(self.query.f), empty=True)
        coins = check_symbols("kept", kept, size, empty=True)
        source = bits_or_default(bits)
        draws = RowDraws(self.answers, self.width)
        return np.stack([draws.draw(source, data * size + coins) for _ in range(n)], axis=1)


def partner_for_life(prior: Prior, f: Function, rho: Real, *, values: tuple[Label, ...] | None = None) -> PartnerDesign:
    """Return the responses that hide the data best for ever, given one secret that each person keeps; ρ > 1/2.

    Raises:
        InvalidParameter: ρ is 1/2 or less.

    >>> import sfumato as sf
    >>> made = sf.design.partner_for_life([0.5, 0.3, 0.2], [0, 1, 2], 0.6)
    >>> [float(made.privacy(n)) for n in (2, 3, 5, 7)]
    [0.4, 0.352, 0.31744, 0.289792]
    """
    return design_partners(Query.of(prior, f, rho, values=values))


def design_partners(query: Query) -> PartnerDesign:
    """Return the partners for a query.

    >>> import sfumato as sf
    >>> told = {"a": "ill", "b": "ill", "c": "well"}
    >>> query = sf.design.Query.of({"a": 0.5, "b": 0.3, "c": 0.2}, told, 0.75)
    >>> made = sf.design.design_partners(query)
    >>> [str(p) for p in made.answers.rows[4]], float(made.privacy(3))  # of somebody with c whose partner is ill
    (['1/4', '3/4'], 0.409375)
    """
    law = partner_law(query)
    size = len(query.values)
    pairs = [(label, value) for label in query.prior.labels for value in query.values]
    rows = [
        [query.rho * (i == place) + (1 - query.rho) * (i == partner) for i in range(size)]
        for place in query.f
        for partner in range(size)
    ]
    return PartnerDesign(
        query=query,
        partners=Channel([law[place] for place in query.f], query.prior.labels, query.values),
        answers=Channel(rows, pairs, query.values),
    )
