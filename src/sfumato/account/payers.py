"""Who pays for a release, and what the person pays who pays most.

People with a name are declared to be others than people with another name; the parts of a publication are about
different people; whoever has no name may be anybody. So a person is in at most one group by name and in at most one
part of each publication, and the worst person's sum is

    Σ charges to everybody + max over names (Σ charges to the name),

where a publication counts with the dearest of its parts, an amendment adding to the part that it amends. That is a
bound about a person's own answers; what people tell about each other adds up over everybody.
Rule and reasons: docs/theory/composition.md
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from sfumato.account.amounts import Amount, added


@dataclass(frozen=True, slots=True, kw_only=True)
class Payer:
    """Whom a release is charged to: people of a name or anybody, and of a publication those in one part."""

    people: str | None = None
    publication: str | None = None
    part: str | None = None


EVERYBODY = Payer()


def people_key(name: str | None) -> str | None:
    """Return what tells a name from others: `South` and ` SOUTH ` are not two groups of people by a slip of the pen."""
    return None if name is None else " ".join(unicodedata.normalize("NFKC", name).casefold().split())


class WorstSum:
    """Charges of one currency as they come in, and what the worst person has paid of them."""

    def __init__(self) -> None:
        self._groups: dict[str | None, Amount] = {None: Fraction(0)}
        self._dearest: dict[tuple[str | None, str], Amount] = {}
        self._parts: dict[tuple[str | None, str, str | None], Amount] = {}
        self._largest: Amount = Fraction(0)

    @property
    def worst(self) -> Amount:
        """What the person pays who pays most."""
        return added(self._groups[None], self._largest)

    def charge(self, payer: Payer, amount: Amount) -> None:
        """Charge somebody."""
        people, increase = payer.people, amount
        if payer.publication is not None:
            publication, part = (people, payer.publication), (people, payer.publication, payer.part)
            paid = self._parts[part] = added(self._parts.get(part, Fraction(0)), amount)
            before = self._dearest.get(publication, Fraction(0))
            self._dearest[publication] = max(before, paid)
            increase = _difference(max(before, paid), before)
        self._groups[people] = added(self._groups.get(people, Fraction(0)), increase)
        if people is not None:
            self._largest = max(self._largest, self._groups[people])

    def paid_by(self, payer: Payer) -> Amount:
        """What the worst of those has paid so far to whom such a charge would be added."""
        people = payer.people
        mine = self._groups.get(people, Fraction(0))
        if payer.publication is not None:
            dearest = self._dearest.get((people, payer.publication), Fraction(0))
            paid = self._parts.get((people, payer.publication, payer.part), Fraction(0))
            mine = added(_difference(mine, dearest), paid)
        return added(mine, self._largest if people is None else self._groups[None])

    def copy(self) -> WorstSum:
        """Return another that goes its own way from here."""
        other = WorstSum()
        other._groups, other._largest = dict(self._groups), self._largest
        other._dearest, other._parts = dict(self._dearest), dict(self._parts)
        return other


def worst_sum(charges: Iterable[tuple[Payer, Amount]]) -> Amount:
    """Return what the person pays who pays most."""
    found = WorstSum()
    for payer, amount in charges:
        found.charge(payer, amount)
    return found.worst


def _difference(more: Amount, less: Amount) -> Amount:
    """Return `more - less` for `less` a part of `more`; never less than that where either has no bound."""
    if isinstance(less, Fraction):
        return more - less if isinstance(more, Fraction) else math.inf
    return math.inf
