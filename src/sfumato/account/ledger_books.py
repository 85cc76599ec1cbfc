"""What the records of a ledger add up to, and what may still be spent. No files here.

Charges of one currency add up over all releases: bits by [E, Thm 5], ε by basic composition, maximal leakage for
answers that are independent given the data. Disjoint groups of people get no discount [E, Sec 7.3].
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction

from sfumato.account.amounts import NOTHING, Amount, Charges, Currency, decimal_above, decimal_below
from sfumato.account.ledger_records import (
    MOST_TEXT,
    NO_DIGEST,
    Damaged,
    Debited,
    Opened,
    Record,
    Settled,
    chained,
    record_from,
    record_text,
)
from sfumato.account.published import Published
from sfumato.account.releases import Release
from sfumato.errors import BudgetSpent, InvalidParameter

_MOST_PLACES = 1100


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
    """A debit: the release, its receipt, and when it was settled; None while nobody said that the release was made."""

    release: Release
    receipt: Receipt
    settled: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A record as it stands in the file."""

    number: int
    text: str
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Book:
    """All records up to some number, read and added up; `digest` is that of the last."""

    count: int = 0
    digest: str = NO_DIGEST
    opened: Opened | None = None
    entries: tuple[Entry, ...] = ()
    spent: Charges = NOTHING

    @property
    def limits(self) -> Charges:
        """What may be spent; infinite where there is no limit."""
        if self.opened is None:
            raise Damaged
        return self.opened.limits

    def row_for(self, record: Record) -> Row:
        """Return a record as the next row."""
        text = record_text(record)
        if len(text) > MOST_TEXT:
            raise InvalidParameter(
                f"takes {len(text)} letters to note, and at most {MOST_TEXT} are read again",
                parameter="release",
                way_out="Nothing was debited. Shorten titles and names, or publish fewer questions at once.",
            )
        return Row(number=self.count, text=text, digest=chained(self.digest, text))

    def with_rows(self, rows: Iterable[tuple[object, object, object]]) -> Book:
        """Return the book with the rows that follow it; raise Damaged at the first that does not."""
        count, digest, opened, spent = self.count, self.digest, self.opened, self.spent
        entries = list(self.entries)
        places = {entry.receipt.number: place for place, entry in enumerate(entries)}
        ids = {entry.receipt.release_id for entry in entries}
        for number, text, found in rows:
            record = record_from(text)
            digest = chained(digest, str(text))
            if number != count or found != digest or isinstance(record, Opened) != (count == 0):
                raise Damaged
            if isinstance(record, Opened):
                opened = record
            elif isinstance(record, Debited):
                if record.release_id in ids:
                    raise Damaged
                ids.add(record.release_id)
                places[count] = len(entries)
                receipt = Receipt(number=count, release_id=record.release_id, time=record.time, digest=digest)
                entries.append(Entry(release=record.release, receipt=receipt))
                spent += record.release.charges
            else:
                place = places.get(record.number)
                if place is None or entries[place].settled is not None:
                    raise Damaged
                entries[place] = replace(entries[place], settled=record.time)
            count += 1
        book = Book(count=count, digest=digest, opened=opened, entries=tuple(entries), spent=spent)
        rows_once = [row for entry in entries for row in entry.release.rows]
        made = {(column.drawing, column.digest) for one in book.published for column in one.columns}
        # No ledger writes what it would have refused.
        if (
            any(amount > book.limits[currency] for currency, amount in spent)
            or len(set(rows_once)) < len(rows_once)
            or len({drawing for drawing, _ in made}) < len(made)
        ):
            raise Damaged
        return book

    @property
    def published(self) -> tuple[Published, ...]:
        """The publications of reports among the debits, in their order."""
        return tuple(entry.release.published for entry in self.entries if entry.release.published is not None)

    def entry_called(self, release_id: str) -> Entry | None:
        """Return the debit with an id."""
        return next((entry for entry in self.entries if entry.receipt.release_id == release_id), None)

    def entry_at(self, number: int) -> Entry | None:
        """Return the debit that a record made."""
        return next((entry for entry in self.entries if entry.receipt.number == number), None)

    def debit(self, release: Release, release_id: str, time: str) -> Row:
        """Return the row that pays for a release; raise BudgetSpent when it cannot be paid for."""
        self.check_affordable(release)
        return self.row_for(Debited(time=time, release_id=release_id, release=release))

    def settling(self, receipt: Receipt, time: str) -> Row:
        """Return the row that says that a release was made."""
        return self.row_for(Settled(time=time, number=receipt.number))

    def check_affordable(self, release: Release) -> None:
        """Raise BudgetSpent if any limited currency would be exceeded, or rows be released a second time.

        Reports whose draws made others are refused, and those of people who were released about before, unless they
        are named as a further release.
        """
        if release.published is not None:
            release.published.check_draws(self.published)
            release.published.check_once(self.published)
        again = {row for entry in self.entries for row in entry.release.rows} & set(release.rows)
        if again:
            raise BudgetSpent(
                f"{len(again)} of the rows of {release.title!r} were released before, and perfect sample privacy does "
                f"not add up: two private releases of the same rows can leak together",
                way_out="Use the first, or design both jointly, as one release.",
            )
        left = self.spent.left_of(self.limits)
        short = [_shortage(c, asked, left[c], self.limits[c]) for c, asked in release.charges if asked > left[c]]
        if short:
            raise BudgetSpent(
                f"{release.title!r} cannot be paid for: {'; '.join(short)}",
                way_out="Nothing was debited. Make the release noisier or leave it out; a bound that is known and "
                "was not stated can be stated.",
            )


def _shortage(currency: Currency, asked: Amount, left: Amount, limit: Amount) -> str:
    if math.isinf(asked):
        return f"no bound in {currency.unit} is stated, and the ledger has a limit of {decimal_below(limit)} there"
    places = 6
    # As many as it takes to see the difference: a float may exceed what is left in its last digit only.
    while asked - left < Fraction(1, 10**places) and places < _MOST_PLACES:
        places *= 2
    of = f"{decimal_below(left, places)} of {decimal_below(limit)} are left"
    return f"it asks for {currency.words(decimal_above(asked, places))}, and {of}"
