"""The currencies of a ledger, the payers of a release, and one-line texts.

Amounts are exact. A float amount is taken at its exact value, because measures have already rounded it up. A limit is
written by a person, so a float limit means the decimal that it prints as.
Theory: docs/theory/composition.md
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from numbers import Rational, Real

from sfumato.errors import InvalidParameter
from sfumato.numbers.checks import as_exact
from sfumato.numbers.exact import read_fraction

Amount = Fraction | float
"""A Fraction, or math.inf: no bound is known, or no limit was set."""

# Every double fits, the smallest has 1 074 binary places, and so does one converted from nats into bits.
_MOST_BITS = 1200
_MOST_CHARACTERS = 800


class Currency(StrEnum):
    """What is counted; each has its own limit.

    >>> import sfumato as sf
    >>> [currency.words("1") for currency in sf.ledger.Currency]
    ['1 bit', '1 nat of ε', '1 bit of leakage']
    >>> [currency.value for currency in sf.ledger.Currency if currency.is_own]
    ['epsilon', 'leakage_bits']
    """

    BITS = "bits"
    """Bits about one person that any adversary can learn, whatever is known of correlations: C_1 of [E, Def 5]."""
    EPSILON = "epsilon"
    """Differential privacy in nats: how one person's own answer may change the odds of what is seen."""
    LEAKAGE = "leakage_bits"
    """Maximal leakage in bits: by how much the best guess about a person's own answers gets better."""

    @property
    def is_own(self) -> bool:
        """Whether it counts what a release reveals about a person's own answers, so that other people do not pay it."""
        return self is not Currency.BITS

    @property
    def unit(self) -> str:
        """How an amount of it is written."""
        return {Currency.BITS: "bits", Currency.EPSILON: "nats of ε", Currency.LEAKAGE: "bits of leakage"}[self]

    def words(self, number: str) -> str:
        """Write a number of it: 1 bit, 0.5 bits."""
        return f"{number} {self.unit.replace('s', '', 1) if number == '1' else self.unit}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Charges:
    """An amount in each currency; math.inf where nothing is known, or, of limits, where there is none.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> first = sf.ledger.Charges(bits=Fraction(1, 2), epsilon=Fraction(1))
    >>> both = first + sf.ledger.Charges(bits=Fraction(1, 4), epsilon=Fraction(1))
    >>> str(both.bits), str(both[sf.ledger.Currency.EPSILON]), both.leakage_bits
    ('3/4', '2', inf)
    >>> str(both.left_of(sf.ledger.Charges(bits=Fraction(2))).bits)
    '5/4'
    """

    bits: Amount = math.inf
    epsilon: Amount = math.inf
    leakage_bits: Amount = math.inf

    def __getitem__(self, currency: Currency) -> Amount:
        amount: Amount = getattr(self, currency.value)
        return amount

    def __iter__(self) -> Iterator[tuple[Currency, Amount]]:
        return ((currency, self[currency]) for currency in Currency)

    def __add__(self, other: Charges) -> Charges:
        return Charges(**{currency.value: added(amount, other[currency]) for currency, amount in self})

    def left_of(self, limits: Charges) -> Charges:
        """What of the limits is left when these are spent; without a limit, any amount is."""
        return Charges(**{currency.value: _difference(limits[currency], spent) for currency, spent in self})


NO_LIMITS = Charges()
NOTHING = Charges(bits=Fraction(0), epsilon=Fraction(0), leakage_bits=Fraction(0))


def charge_of(name: str, value: object) -> Amount:
    """Read what a release costs: not negative, exact, perhaps infinite."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise InvalidParameter(
            f"must be a number (int, Fraction or float), not {type(value).__name__}",
            parameter=name,
            way_out="Convert it first.",
        )
    if isinstance(value, Rational):
        exact = Fraction(int(value.numerator), int(value.denominator))
    else:
        number = float(value)
        if math.isnan(number):
            raise InvalidParameter(
                "is NaN", parameter=name, way_out="Check how it was computed; math.inf says that no bound is known."
            )
        if number == math.inf:
            return math.inf
        exact = Fraction(max(number, -1.0))
    if exact < 0:
        raise InvalidParameter(
            "must be at least 0: nothing can be earned back", parameter=name, value=value, way_out=f"Raise `{name}`."
        )
    _check_size(name, exact)
    return exact


def limit_of(name: str, value: object) -> Amount:
    """Read a limit: positive and finite; None is no limit."""
    if value is None:
        return math.inf
    exact = as_exact(name, value)
    if exact <= 0:
        raise InvalidParameter(
            "must be a positive finite number", parameter=name, value=value, way_out=f"Choose `{name}` > 0."
        )
    _check_size(name, exact)
    return exact


def amount_text(amount: Amount) -> str:
    """Write an amount so that it can be read back exactly: `1/2`, `3`, `inf`."""
    return str(amount) if isinstance(amount, Fraction) else "inf"


def amount_from(text: str) -> Amount:
    """Read an amount that `amount_text` wrote; ValueError for any other spelling."""
    if text == "inf":
        return math.inf
    amount = read_fraction(text, most_digits=_MOST_CHARACTERS)
    if amount < 0 or str(amount) != text:
        raise ValueError
    return amount


def decimal_above(amount: Amount, places: int = 6) -> str:
    """Show an amount with at most so many decimal places, rounded up: what is spent or asked."""
    return _decimal(amount, places, up=True)


def decimal_below(amount: Amount, places: int = 6) -> str:
    """Show an amount with at most so many decimal places, rounded down: what is left."""
    return _decimal(amount, places, up=False)


def _decimal(amount: Amount, places: int, *, up: bool) -> str:
    if not isinstance(amount, Fraction):
        return "∞"
    scaled = amount * 10**places
    whole = math.ceil(scaled) if up else math.floor(scaled)
    if whole == 0 or abs(whole) >= 10 ** (places + 15):
        return "0" if whole == 0 else f"{whole // 10**places:,}"
    sign, digits = ("-" if whole < 0 else ""), str(abs(whole)).rjust(places + 1, "0")
    return sign + f"{digits[:-places]}.{digits[-places:]}".rstrip("0").rstrip(".")


def added(one: Amount, other: Amount) -> Amount:
    """Add two amounts."""
    # Not one + math.inf: that would turn the fraction into a float, and a huge one has none.
    return one + other if isinstance(one, Fraction) and isinstance(other, Fraction) else math.inf


def _difference(limit: Amount, spent: Amount) -> Amount:
    # Where there is a limit, what is spent has a bound: a release without one is never debited.
    return limit - spent if isinstance(limit, Fraction) else math.inf


def _check_size(name: str, exact: Fraction) -> None:
    if max(exact.numerator.bit_length(), exact.denominator.bit_length()) > _MOST_BITS:
        raise InvalidParameter(
            f"has more than {_MOST_BITS} binary digits", parameter=name, way_out="Round it up to a float."
        )


# --- Payers of a release, and the sum of the person who pays most
# People with a name are declared to differ from people with another name. The parts of a publication are about
# different people. People without a name may be anyone. So a person is in at most one group by name and in at most one
# part of each publication, and the largest sum is
#
# Σ charges to everyone + max over names (Σ charges to the name),
#
# where a publication counts with the most expensive of its parts, and an amendment adds to the part that it amends.
# This bounds what is revealed by a person's own answers; what people reveal about each other adds up over everyone.
# Rule and reasons: docs/theory/composition.md


@dataclass(frozen=True, slots=True, kw_only=True)
class Payer:
    """Whom a release is charged to: people of a name or anyone, and of a publication those in one part."""

    people: str | None = None
    publication: str | None = None
    part: str | None = None


EVERYBODY = Payer()


def people_key(name: str | None) -> str | None:
    """Return the normalised name: `South` and ` SOUTH ` are the same group of people."""
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
        """Charge a payer."""
        people, increase = payer.people, amount
        if payer.publication is not None:
            publication, part = (people, payer.publication), (people, payer.publication, payer.part)
            paid = self._parts[part] = added(self._parts.get(part, Fraction(0)), amount)
            before = self._dearest.get(publication, Fraction(0))
            self._dearest[publication] = max(before, paid)
            increase = _bounded_difference(max(before, paid), before)
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
            mine = added(_bounded_difference(mine, dearest), paid)
        return added(mine, self._largest if people is None else self._groups[None])

    def copy(self) -> WorstSum:
        """Return an independent copy."""
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


def _bounded_difference(more: Amount, less: Amount) -> Amount:
    """Return `more - less` for `less` a part of `more`; never less than that where either has no bound."""
    if isinstance(less, Fraction):
        return more - less if isinstance(more, Fraction) else math.inf
    return math.inf


# --- Lines of text in an account: control characters are refused, so no line can move the cursor of a reader


MOST_TITLE = 200
MOST_NOTE = 500
MOST_NOTES = 100


def checked_lines(name: str, lines: tuple[object, ...]) -> tuple[str, ...]:
    """Return several notes, each one line."""
    if len(lines) > MOST_NOTES:
        raise InvalidParameter(
            f"has {len(lines)} lines, and at most {MOST_NOTES} are kept", parameter=name, way_out="Leave some out."
        )
    for line in lines:
        check_line(name, line, MOST_NOTE)
    return tuple(str(line) for line in lines)


def check_line(name: str, line: object, most: int) -> None:
    """Refuse what is not one line of text."""
    # What is wrong is not repeated: it may have come from the data.
    if not isinstance(line, str) or not line.strip() or len(line) > most or any(map(_breaks_lines, line)):
        raise InvalidParameter(
            f"must be one line of text, of 1 to {most} characters",
            parameter=name,
            way_out="Shorten it, or leave out what is no text.",
        )


def _breaks_lines(letter: str) -> bool:
    """Whether this is a control character, the end of a line or a paragraph, or half of a character."""
    return unicodedata.category(letter) in {"Cc", "Zl", "Zp", "Cs"}


# --- Readers of a release, and what a record keeps of what they see


PUBLIC = "public"
"""Whoever reads what is published, and holds no key."""
ANSWERS = "answers"
"""What a reader sees who gets the answers back."""

Seen = tuple[tuple[str, str], ...]
"""By reader: ε over all questions as text, rounded up, `inf` where none is promised, or `answers`."""
