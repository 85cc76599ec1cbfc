"""The debits of a ledger: what was released, what it costs as the account counts it, and what became of it.

Theory: docs/theory/composition.md
"""

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

    `Ledger.spend` returns it; `Ledger.settle` takes it back when the release was made.

    >>> import tempfile
    >>> from pathlib import Path
    >>> import sfumato as sf
    >>> ledger = sf.account.Ledger.create(Path(tempfile.mkdtemp()) / "people.ledger", budget_bits=2, epsilon=3)
    >>> survey = sf.account.local("Health survey", 1, worst_case_bits=1)
    >>> first = ledger.spend(survey, release_id="health-2026")
    >>> again = ledger.spend(survey, release_id="health-2026")
    >>> first.number, first.is_new, again.is_new, again == first
    (1, True, False, True)
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

    `Ledger.entries` returns them.

    >>> import tempfile
    >>> from pathlib import Path
    >>> import sfumato as sf
    >>> ledger = sf.account.Ledger.create(Path(tempfile.mkdtemp()) / "people.ledger", budget_bits=2, epsilon=3)
    >>> ledger.settle(ledger.spend(sf.account.local("Health survey", 1, worst_case_bits=1)))
    >>> entry = ledger.entries()[0]
    >>> entry.release.title, str(entry.charges.epsilon), entry.settled is not None, entry.voided
    ('Health survey', '1', True, None)
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
