"""The ledger: releases made so far, what they add up to, and what is left of a budget.

A release is paid for before it is made. When `spend` returns, the debit is on the disk, so no kill or power failure can
let a release happen that the ledger does not know of. What is paid for and never made stays spent: the safe side.

Post-processing costs nothing, so it has no entry [E, Prop 1]. What is spent is what the person has paid who has paid
most: people with different names are declared to be different, which nobody checks.
Theory: docs/theory/composition.md
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from sfumato.account.amounts import NO_LIMITS, Charges, Currency, limit_of
from sfumato.account.ledger_books import Book
from sfumato.account.ledger_entries import Entry, Receipt
from sfumato.account.ledger_files import append, check_file, create_file, read_book, reading, writing
from sfumato.account.ledger_records import Opened
from sfumato.account.lines import MOST_NOTE, check_line
from sfumato.account.periods import Per, now, per_of
from sfumato.account.releases import Release, checked_id
from sfumato.errors import DigestMismatch, InvalidParameter, Place
from sfumato.values.checks import check_positive
from sfumato.values.correlation import Correlation
from sfumato.values.types import Real

PATIENCE_SECONDS = 60.0


class Ledger:
    """A budget on disk, shared by any number of processes; opening it checks every record.

    Each method connects, works and disconnects, so a ledger may be used from threads and across forks. Limits and sums
    are infinite where nothing is limited or no bound is known.

    `create` makes one; afterwards it is opened by its path.

    >>> import tempfile
    >>> from pathlib import Path
    >>> import sfumato as sf
    >>> ledger = sf.account.Ledger.create(Path(tempfile.mkdtemp()) / "people.ledger", budget_bits=2, epsilon=3)
    >>> receipt = ledger.spend(sf.account.local("Health survey", 1, worst_case_bits=1))
    >>> ledger.settle(receipt)  # when the release was made
    >>> str(ledger.left.bits), str(ledger.left.epsilon)
    ('1', '2')
    >>> sf.account.Ledger(ledger.path).entries()[0].release.title
    'Health survey'
    """

    def __init__(self, path: str | Path, *, patience_seconds: float = PATIENCE_SECONDS) -> None:
        check_positive("patience_seconds", patience_seconds)
        self._path = Path(path)
        self._patience_seconds = patience_seconds
        with reading(self._path, patience_seconds) as connection:
            check_file(connection, self._path)
            self._book = read_book(connection, Book())

    def __repr__(self) -> str:
        return f"<Ledger {self._path}: {len(self._book.entries)} debits when last read>"

    @classmethod
    def create(
        cls,
        path: str | Path,
        *,
        budget_bits: Real | None = None,
        epsilon: Real | None = None,
        leakage_bits: Real | None = None,
        per: Per | str | None = None,
        budget_bits_per_period: Real | None = None,
        epsilon_per_period: Real | None = None,
        leakage_bits_per_period: Real | None = None,
        correlated: Correlation | str | int | None = None,
    ) -> Ledger:
        """Make a new ledger and open it. A file that exists is never overwritten; at least one limit is needed.

        Beside the limits in all, or instead, there may be limits for each calendar month, quarter or year, in UTC. Bits
        are counted for the most people who depend on each other in any release, and with `correlated` for so many at
        least: anyone, nobody (who is alike), or a number.
        """
        limits = Charges(
            bits=limit_of("budget_bits", budget_bits),
            epsilon=limit_of("epsilon", epsilon),
            leakage_bits=limit_of("leakage_bits", leakage_bits),
        )
        period_limits = Charges(
            bits=limit_of("budget_bits_per_period", budget_bits_per_period),
            epsilon=limit_of("epsilon_per_period", epsilon_per_period),
            leakage_bits=limit_of("leakage_bits_per_period", leakage_bits_per_period),
        )
        length = None if per is None else per_of(per)
        _check_limits(limits, period_limits, length)
        opened = Opened(
            time=now(),
            name=secrets.token_hex(16),
            limits=limits,
            per=length,
            period_limits=period_limits,
            correlated=None if correlated is None else Correlation.of(correlated),
        )
        create_file(Path(path), opened)
        return cls(path)

    @property
    def path(self) -> Path:
        """Where the ledger is."""
        return self._path

    @property
    def limits(self) -> Charges:
        """What may be spent in each currency, in all; they never change."""
        return self._book.limits

    @property
    def spent(self) -> Charges:
        """What the person has paid by now who has paid most, also for releases that never followed."""
        return self.read().spent

    @property
    def left(self) -> Charges:
        """What may still be spent now, in all; another process may spend it first, so only `spend` decides."""
        return self.read().standing.left

    def entries(self) -> tuple[Entry, ...]:
        """Return all debits in their order."""
        return self.read().entries

    def read(self) -> Book:
        """Return the whole account at one moment: limits, entries and sum belong together."""
        with reading(self._path, self._patience_seconds) as connection:
            self._book = read_book(connection, self._book)
        return self._book

    def spend(self, release: Release, *, release_id: str | None = None) -> Receipt:
        """Pay for a release; make it only when this has returned. Raise BudgetSpent if it cannot be paid for.

        With a `release_id`, the same release again returns the first receipt and debits nothing, so a program that was
        killed can begin anew. One id is one release: repeat it only to hand out the very same content, or when
        nobody can have seen anything of the first attempt. Another release under that id is refused.
        """
        if not isinstance(release, Release):
            raise InvalidParameter(
                f"must be a Release, not {type(release).__name__}",
                parameter="release",
                way_out="Make one with `information`.",
            )
        name = secrets.token_hex(8) if release_id is None else checked_id(release_id)
        if release.assumption is not None:
            # Figures are remembered, so whoever else writes need not wait until they are found.
            self.read().counted_with(release)
        book, before = self._debit(lambda _: release, name)
        if before is None:
            return book.entries[-1].receipt
        if before.release != book.as_booked(release):
            raise InvalidParameter(
                f"belongs to another release, {before.release.title!r}",
                parameter="release_id",
                value=name,
                way_out="Choose another id; an id stands for one release with one title and one price.",
            )
        return replace(before.receipt, is_new=False)

    def spend_priced(self, price: Callable[[Book], Release], *, release_id: str) -> Receipt:
        """Pay for a release whose charge depends on what was paid before; as `spend` otherwise.

        `price` is given the account at a moment when no other process can debit it. For an id that was debited before
        it is not asked: what was paid then is the charge.
        """
        book, before = self._debit(price, checked_id(release_id))
        return book.entries[-1].receipt if before is None else replace(before.receipt, is_new=False)

    def _debit(self, price: Callable[[Book], Release], name: str) -> tuple[Book, Entry | None]:
        """Return the account with the debit, and the entry that had paid for it already, if there was one."""
        with writing(self._path, self._patience_seconds) as connection:
            book = read_book(connection, self._book)
            before = book.entry_called(name)
            if before is None:
                row = book.debit(book.as_booked(price(book)), name, now())
                append(connection, row)
                book = book.with_rows([(row.number, row.text, row.digest)])
        self._book = book
        return book, before

    def settle(self, receipt: Receipt) -> None:
        """Note that the release was really made. It changes no sum; it tells debits whose release never followed."""
        with writing(self._path, self._patience_seconds) as connection:
            book, entry = self._entry_of(receipt, read_book(connection, self._book))
            if entry.voided is not None:
                raise InvalidParameter(
                    f"was voided on {entry.voided.time[:10]}, and nothing pays for it",
                    parameter="receipt",
                    value=receipt.release_id,
                    way_out="Pay for it anew before it is released.",
                )
            if entry.settled is None:
                row = book.settling(entry, now())
                append(connection, row)
                book = book.with_rows([(row.number, row.text, row.digest)])
        self._book = book

    def void(self, receipt: Receipt, reason: str) -> None:
        """Give back a debit of reports of which nothing was ever seen, and note why; twice is the same as once.

        Whoever calls this has the proof, and sees to it that nothing of it can be seen from now on: `void_debit` of
        the steps does. What was released, and releases that are not reports, are refused.
        """
        check_line("reason", reason, MOST_NOTE)
        with writing(self._path, self._patience_seconds) as connection:
            book, entry = self._entry_of(receipt, read_book(connection, self._book))
            if entry.voided is None:
                row = book.voiding(entry, reason, now())
                append(connection, row)
                book = book.with_rows([(row.number, row.text, row.digest)])
        self._book = book

    def _entry_of(self, receipt: Receipt, book: Book) -> tuple[Book, Entry]:
        entry = book.entry_at(receipt.number)
        if entry is None or entry.receipt != receipt:
            raise DigestMismatch(
                f"the receipt of {receipt.release_id!r} is not from the ledger, or an older copy of the ledger was put "
                f"back",
                way_out="Use the ledger that was debited.",
                place=Place(file=str(self._path)),
            )
        return book, entry


def _check_limits(limits: Charges, period_limits: Charges, per: Per | None) -> None:
    if limits == period_limits == NO_LIMITS:
        raise InvalidParameter(
            "a ledger needs a limit", way_out="Give `budget_bits`, `epsilon` or `leakage_bits`, or several."
        )
    if (per is None) != (period_limits == NO_LIMITS):
        raise InvalidParameter(
            "goes with limits for each period, and they with it",
            parameter="per",
            way_out="Give `per` and, for instance, `epsilon_per_period`, or neither.",
        )
    names = {Currency.BITS: "budget_bits", Currency.EPSILON: "epsilon", Currency.LEAKAGE: "leakage_bits"}
    for currency, amount in period_limits:
        if isinstance(amount, Fraction) and amount > limits[currency]:
            raise InvalidParameter(
                f"is more than `{names[currency]}`, the limit in all, and would never be reached",
                parameter=f"{names[currency]}_per_period",
                value=float(amount),
                way_out="Lower it, or leave it out.",
            )
