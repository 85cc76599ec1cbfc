"""The assumption about dependence under which a release is counted.

Bits under different assumptions are never added. An account is counted under the widest assumption of its releases, and
those made for a narrower one are counted again under it. A release that states no assumption has bits that hold under
arbitrary dependence, hence for any number of people who depend on each other. It keeps its figure and needs no other.
Rule and proof: docs/theory/composition.md
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sfumato.ledger.amounts import Amount, charge_of, check_line, decimal_above
from sfumato.measures.dependence import ANYONE, Correlation
from sfumato.noise.reaccounting import Reaccounting, bits_of
from sfumato.numbers.exact import read_fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumption:
    """Who may depend on whom for the bits of a release to hold, and what it takes to count them for others.

    >>> import sfumato as sf
    >>> noise = sf.noise.private_mean(0, 100, 1000, budget_bits=0.1, correlated="nobody")
    >>> assumed = sf.ledger.Assumption(correlated=noise.correlated, reaccounting=noise.reaccounting)
    >>> for said in ("nobody", 5):
    ...     print(said, round(float(assumed.bits_under(sf.measures.Correlation.of(said))), 2))
    nobody 0.1
    5 1.12
    """

    correlated: Correlation
    reaccounting: Reaccounting

    def bits_under(self, correlated: Correlation) -> Amount:
        """The most that the release reveals about one person if so many depend on each other."""
        return charge_of("bits", bits_of(self.reaccounting, correlated))


@dataclass(frozen=True, slots=True, kw_only=True)
class Counting:
    """The widest assumption that was stated so far; None: none was, and every figure holds for anyone.

    `is_mixed` says that there is a release that is neither local nor made for a belief of few shared bits: what is
    seen of it may tie people together, so sums under such a belief are no longer proved.

    A ledger's book has one; it says for whom the sum of bits holds.

    >>> import sfumato as sf
    >>> noise = sf.noise.private_mean(0, 100, 1000, budget_bits=0.1, correlated=5)
    >>> assumed = sf.ledger.Assumption(correlated=noise.correlated, reaccounting=noise.reaccounting)
    >>> first = sf.ledger.Counting().with_release(assumed, is_local=False)
    >>> sf.ledger.Counting().words, first.words
    ('anyone', 'at most 5 people')
    """

    stated: Correlation | None = None
    is_mixed: bool = False

    @property
    def correlated(self) -> Correlation | None:
        """The assumption under which the account is counted."""
        if self.stated is not None and self.stated.shared_bits is not None and self.is_mixed:
            return ANYONE
        return self.stated

    @property
    def words(self) -> str:
        """Who may depend on whom, in a few words."""
        return (self.correlated or ANYONE).words

    def with_release(self, assumption: Assumption | None, *, is_local: bool) -> Counting:
        """Return the counting of an account that has one release more."""
        if assumption is None:
            return Counting(stated=self.stated, is_mixed=self.is_mixed or not is_local)
        one = assumption.correlated
        return Counting(
            stated=one if self.stated is None else widest(self.stated, one),
            is_mixed=self.is_mixed or one.shared_bits is None,
        )


def widest(one: Correlation, other: Correlation) -> Correlation:
    """Return the narrowest available assumption that includes everyone whom one of the two includes.

    Households of at most m are among those of at most m' ≥ m, and beliefs that share c bits among those that share
    c' ≥ c, beyond households or not. A household of two that is all alike may share any number of bits, and a belief
    that shares one may be about everybody; noise that was made for the first only is not known to divide, so the two
    kinds have only anyone in common.
    """
    if one == other:
        return one
    if one.people is not None and other.people is not None:
        return Correlation(people=max(one.people, other.people))
    if one.shared_bits is not None and other.shared_bits is not None:
        people = max(one.people or 1, other.people or 1)
        return Correlation(people=people, shared_bits=max(one.shared_bits, other.shared_bits))
    return ANYONE


Figure = tuple[int, Assumption | None, Amount]
"""A debit: its number, what it assumes, and its bits as the account counts them now."""


def condition(correlated: Correlation) -> str:
    """Say for whom bits hold, in words that follow them."""
    if correlated.shared_bits is not None:
        shared = decimal_above(correlated.shared_bits)
        apart = "people" if correlated.people is None else f"households of at most {correlated.people}"
        return f"for everybody whose beliefs differ from independent {apart} by at most {shared} bits in all"
    if correlated.people is None:
        return "with any correlations in mind"
    if correlated.people == 1:
        return "if nobody depends on anybody else"
    return f"if at most {correlated.people} people depend on each other"


def to_count(before: Counting, after: Counting, figures: Iterable[Figure], new: Figure) -> list[Figure]:
    """Return the debits whose bits change when a new one comes in: those counted for others than they were made for."""
    touched = (*figures, new) if after.correlated != before.correlated else (new,)
    return [one for one in touched if one[1] is not None and one[1].correlated != after.correlated]


def counted_anew(before: Counting, after: Counting, figures: Iterable[Figure], new: Figure) -> dict[int, Amount]:
    """Return the bits of those debits under the assumption that holds from now on, by their numbers.

    No figure is lowered: the one on the books bounds the narrower case, and the wider one cannot cost less.
    """
    found = {}
    for number, assumption, bits in to_count(before, after, figures, new):
        assert assumption is not None
        found[number] = max(bits, assumption.bits_under(after.correlated or ANYONE))
    return found


# --- Assumptions as plain texts and numbers, in the one form that ledgers write and read


_MOST_PARAMETERS = 20
_MOST_TEXT = 1000


def assumption_json(assumption: Assumption) -> dict[str, Any]:
    """Return it as plain texts and numbers."""
    reaccounting = assumption.reaccounting
    return {
        "correlated": correlation_json(assumption.correlated),
        "recount": {"kind": reaccounting.kind, "parameters": dict(reaccounting.parameters)},
    }


def assumption_from(document: Mapping[str, Any]) -> Assumption:
    """Read it back; whatever `assumption_json` never says ends in some error, which the reader of the file knows.

    What a recount says is not computed here: that takes a while, and is done when it is counted anew.
    """
    reaccounting = document["recount"]
    parameters = reaccounting["parameters"]
    check_line("kind", reaccounting["kind"], _MOST_TEXT)
    if not isinstance(parameters, dict) or len(parameters) > _MOST_PARAMETERS:
        raise ValueError("no parameters of noise")
    for name, value in parameters.items():
        check_line("name", name, _MOST_TEXT)
        if type(value) is not int:
            check_line("value", value, _MOST_TEXT)
    return Assumption(
        correlated=correlation_from(document["correlated"]),
        reaccounting=Reaccounting(kind=reaccounting["kind"], parameters=parameters),
    )


def correlation_json(correlated: Correlation) -> str | dict[str, int | str]:
    """Write who may depend on whom."""
    if correlated.shared_bits is not None:
        shared: dict[str, int | str] = {"shared_bits": str(correlated.shared_bits)}
        return shared if correlated.people is None else shared | {"people": correlated.people}
    return "anyone" if correlated.people is None else {"people": correlated.people}


def correlation_from(document: object) -> Correlation:
    """Read who may depend on whom; ValueError for anything that is never written."""
    if document == "anyone":
        return ANYONE
    if isinstance(document, dict) and document and document.keys() <= {"people", "shared_bits"}:
        people, shared = document.get("people"), document.get("shared_bits")
        if shared is None and type(people) is int:
            return Correlation(people=people)
        if isinstance(shared, str) and ("people" not in document or (type(people) is int and people > 1)):
            return Correlation(people=people, shared_bits=read_fraction(shared, most_digits=_MOST_TEXT))
    raise ValueError("no assumption")
