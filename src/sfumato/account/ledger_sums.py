"""What the debits of a ledger add up to for the person who pays most: in all, and in each period.

ε and maximal leakage are about a person's own answers, so charges to different people are not added. Bits are what
anyone can learn about one person from everybody's data, whatever is known of correlations: those add over disjoint
people too [E, Prop. 7].   Rule: docs/theory/composition.md
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sfumato.account.amounts import Charges, Currency
from sfumato.account.payers import EVERYBODY, Payer, WorstSum
from sfumato.account.periods import Period


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What is spent of limits and what is left, in all or in a period; infinite where there is no limit.

    A `Book` has one in all, and one for the present period where there are periods.

    >>> import tempfile
    >>> from pathlib import Path
    >>> import sfumato as sf
    >>> ledger = sf.account.Ledger.create(Path(tempfile.mkdtemp()) / "people.ledger", budget_bits=2, epsilon=3)
    >>> receipt = ledger.spend(sf.account.local("Health survey", 1, worst_case_bits=1))
    >>> standing = ledger.read().standing
    >>> str(standing.spent.epsilon), str(standing.left.epsilon), standing.left.leakage_bits, standing.period
    ('1', '2', inf, None)
    """

    limits: Charges
    spent: Charges
    period: Period | None = None

    @property
    def left(self) -> Charges:
        """What may still be spent."""
        return self.spent.left_of(self.limits)


Debit = tuple[Charges, Payer, Period | None]
"""What is paid, by whom, and in which period; None where there are no periods."""


class Sums:
    """Sums over debits, by currency and by who pays."""

    def __init__(self) -> None:
        self._by_currency = {currency: WorstSum() for currency in Currency}

    def charge(self, charges: Charges, payer: Payer) -> None:
        """Add what a release costs."""
        for currency, amount in charges:
            self._by_currency[currency].charge(_payer(currency, payer), amount)

    @property
    def worst(self) -> Charges:
        """What the person has paid who has paid most, in each currency."""
        return Charges(**{currency.value: one.worst for currency, one in self._by_currency.items()})

    def paid_by(self, payer: Payer) -> Charges:
        """What the worst of those has paid who would pay a release."""
        return Charges(
            **{currency.value: one.paid_by(_payer(currency, payer)) for currency, one in self._by_currency.items()}
        )

    def copy(self) -> Sums:
        """Return others that go their own way from here."""
        found = Sums()
        found._by_currency = {currency: one.copy() for currency, one in self._by_currency.items()}
        return found


class LedgerSums:
    """The sums of a ledger: over all debits, and over those of each period."""

    def __init__(self, debits: Iterable[Debit] = ()) -> None:
        self.total = Sums()
        self._periods: dict[Period, Sums] = {}
        for debit in debits:
            self.charge(*debit)

    def charge(self, charges: Charges, payer: Payer, period: Period | None) -> None:
        """Add a debit."""
        self.total.charge(charges, payer)
        if period is not None:
            self._periods.setdefault(period, Sums()).charge(charges, payer)

    def within(self, period: Period) -> Sums:
        """Return the sums of a period."""
        return self._periods.get(period, Sums())

    @property
    def periods(self) -> tuple[Period, ...]:
        """The periods in which anything was paid."""
        return tuple(self._periods)

    def exceed(self, limits: Charges, period_limits: Charges) -> bool:
        """Whether some sum is above its limit."""
        within = (sums.worst for sums in self._periods.values())
        return _exceeds(self.total.worst, limits) or any(_exceeds(spent, period_limits) for spent in within)

    def extended(self, debits: Iterable[Debit]) -> LedgerSums:
        """Return these with further debits; they themselves stay as they are."""
        found = LedgerSums()
        found.total = self.total.copy()
        found._periods = {period: sums.copy() for period, sums in self._periods.items()}
        for debit in debits:
            found.charge(*debit)
        return found


def _payer(currency: Currency, payer: Payer) -> Payer:
    return payer if currency.is_own else EVERYBODY


def _exceeds(spent: Charges, limits: Charges) -> bool:
    return any(amount > limits[currency] for currency, amount in spent)
