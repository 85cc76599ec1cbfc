"""The debits of a ledger: what was released, what it costs as the account counts it, and what became of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from sfumato.account.amounts import Amount, Charges
from sfumato.account.assumptions import Figure
from sfumato.account.ledger_records import Voided
from sfumato.account.ledger_sums import Debit
from sfumato.account.periods import Period
from sfumato.account.releases import Release


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """Proof that a release is paid for: which record of the ledger says so, and the digest of that record.

    `is_new` is False when this id had been debited before, and nothing was taken this time.
    """

    number: int
    release_id: str
    time: str
    digest: str
    is_new: bool = field(default=True, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A debit: the release, its receipt, and when it was settled; None while nobody said that the release was made.

    `period` is the one whose limits it counts for, None where there are none; `voided` says when and why it was given
    back, if it was. `bits` is what the account counts it with now, where that is another figure than its own.
    """

    release: Release
    receipt: Receipt
    settled: str | None = None
    period: Period | None = None
    voided: Voided | None = None
    bits: Amount | None = None

    @property
    def charges(self) -> Charges:
        """What it costs as the account counts it, in each currency."""
        return self.release.charges if self.bits is None else replace(self.release.charges, bits=self.bits)

    def counted_with(self, bits: Mapping[int, Amount]) -> Entry:
        """Return it with other bits, if its number has some."""
        number = self.receipt.number
        return replace(self, bits=bits[number]) if number in bits else self

    @property
    def debit(self) -> Debit:
        """What is paid, by whom, and when."""
        return self.charges, self.release.payer, self.period

    @property
    def figure(self) -> Figure:
        """Its bits as they stand now, and what it takes to count them for others."""
        return self.receipt.number, self.release.assumption, self.charges.bits


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A record as it stands in the file."""

    number: int
    text: str
    digest: str
