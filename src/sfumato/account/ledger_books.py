"""What the records of a ledger add up to, and what may still be spent. No files here.

Charges of one currency add up over all releases that one person pays for: bits by [E, Thm 5], ε by basic composition,
maximal leakage for answers that are independent given the data. Who pays is in `payers`, the sums are in `ledger_sums`.
All bits are counted under one assumption about who depends on whom, which is in `assumptions`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import islice

from sfumato.account.amounts import NOTHING, Amount, Charges, added
from sfumato.account.assumptions import Counting, counted_anew, to_count
from sfumato.account.ledger_entries import Entry, Receipt, Row
from sfumato.account.ledger_records import (
    MOST_TEXT,
    NO_DIGEST,
    Damaged,
    Debited,
    Opened,
    Record,
    Settled,
    Voided,
    chained,
    record_from,
    record_text,
)
from sfumato.account.ledger_sums import LedgerSums, Standing
from sfumato.account.payers import people_key
from sfumato.account.periods import Period, believed, check_clock, now, period_of
from sfumato.account.published import Published, check_parts
from sfumato.account.refusals import Recounted, rows_again, short_of, voidable
from sfumato.account.releases import Release
from sfumato.errors import InvalidParameter
from sfumato.values.correlation import ANYONE


@dataclass(frozen=True, slots=True, kw_only=True)
class Book:
    """All records up to some number, read and added up; `digest` is that of the last.

    `latest` is the latest time of a record but the first, by which nothing was spent.

    `Ledger.read` returns it: limits, debits and sums of one moment, which belong together.

    >>> import tempfile
    >>> from pathlib import Path
    >>> import sfumato as sf
    >>> ledger = sf.account.Ledger.create(Path(tempfile.mkdtemp()) / "people.ledger", budget_bits=2, epsilon=3)
    >>> receipt = ledger.spend(sf.account.local("Health survey", 1, worst_case_bits=1))
    >>> book = ledger.read()
    >>> [entry.release.title for entry in book.live], str(book.spent.epsilon), str(book.standing.left.epsilon)
    (['Health survey'], '1', '2')
    """

    count: int = 0
    digest: str = NO_DIGEST
    opened: Opened | None = None
    entries: tuple[Entry, ...] = ()
    latest: str = ""
    counting: Counting = field(default_factory=Counting)
    _sums: LedgerSums = field(default_factory=LedgerSums, compare=False, repr=False)

    @property
    def limits(self) -> Charges:
        """What may be spent in all; infinite where there is no limit."""
        return self._opened.limits

    @property
    def spent(self) -> Charges:
        """What the person has paid who has paid most, in each currency."""
        return self._sums.total.worst

    @property
    def standing(self) -> Standing:
        """What is spent and left in all."""
        return Standing(limits=self.limits, spent=self.spent)

    def standing_in_period(self, time: str | None = None) -> Standing | None:
        """What is spent and left in the present period, or in that of a later time; None where there are none."""
        period = self.period_at(now() if time is None else time)
        if period is None:
            return None
        spent = self._sums.within(period).worst
        return Standing(limits=self._opened.period_limits, spent=spent, period=period)

    def spent_by_people(self) -> dict[str, Charges]:
        """What the worst of the people of each name has paid, with what everybody pays."""
        named = [entry.release for entry in self.live if entry.release.people is not None]
        first = {people_key(release.people): release for release in reversed(named)}
        return {
            str(release.people): self._sums.total.paid_by(replace(release.payer, publication=None, part=None))
            for release in reversed(first.values())
        }

    @property
    def live(self) -> tuple[Entry, ...]:
        """The debits that were not voided."""
        return tuple(entry for entry in self.entries if entry.voided is None)

    @property
    def published(self) -> tuple[Published, ...]:
        """The publications of reports among the debits, in their order."""
        return tuple(entry.release.published for entry in self.live if entry.release.published is not None)

    def parts_paid(self, publication: str) -> tuple[tuple[Published, ...], Amount]:
        """Return the parts of a publication that were paid for, and what they cost in bits together."""
        parts = tuple(one for one in self.published if one.publication == publication)
        bits = (entry.charges.bits for entry in self.live if entry.release.published in parts)
        return parts, reduce(added, bits, NOTHING.bits)

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
        book, entries = self, list(self.entries)
        afresh = False
        places = {entry.receipt.number: place for place, entry in enumerate(entries)}
        ids = {entry.receipt.release_id for entry in self.live}
        for number, text, found in rows:
            record = record_from(text)
            digest = chained(book.digest, str(text))
            if number != book.count or found != digest or isinstance(record, Opened) != (book.count == 0):
                raise Damaged
            book = replace(
                book,
                count=book.count + 1,
                digest=digest,
                opened=record if isinstance(record, Opened) else book.opened,
                latest=book.latest if isinstance(record, Opened) else max(book.latest, record.time),
                counting=Counting(stated=record.correlated) if isinstance(record, Opened) else book.counting,
            )
            if isinstance(record, Debited):
                if record.release_id in ids:
                    raise Damaged
                ids.add(record.release_id)
                places[book.count - 1] = len(entries)
                receipt = Receipt(number=book.count - 1, release_id=record.release_id, time=record.time, digest=digest)
                period = book.period_at(record.time)
                entries.append(Entry(release=record.release, receipt=receipt, period=period))
                book = book.with_figures(record, entries)
                afresh = afresh or bool(record.counted)
            elif isinstance(record, Settled | Voided):
                place = places.get(record.number)
                if place is None or entries[place].settled is not None or entries[place].voided is not None:
                    raise Damaged
                if isinstance(record, Settled):
                    entries[place] = replace(entries[place], settled=record.time)
                else:
                    afresh = True
                    ids.remove(entries[place].receipt.release_id)
                    entries[place] = replace(entries[place], voided=record)
        book = replace(book, entries=tuple(entries))
        # What was given back is not taken out of a sum, where a larger one may stand before it, nor is a figure that
        # was counted anew: all are added anew.
        debits = (entry.debit for entry in (book.live if afresh else entries[len(self.entries) :]))
        book = replace(book, _sums=LedgerSums(debits) if afresh else self._sums.extended(debits))
        book.check_sense()
        return book

    def check_sense(self) -> None:
        """Raise Damaged at what no ledger writes, because it would have refused it."""
        rows_once = [row for entry in self.live for row in entry.release.rows]
        made = {(one.question, one.drawing, one.digest) for published in self.published for one in published.columns}
        if (
            self._sums.exceed(self._opened.limits, self._opened.period_limits)
            or len(set(rows_once)) < len(rows_once)
            or len({(question, drawing) for question, drawing, _ in made}) < len(made)
            or any(entry.voided is not None and entry.release.published is None for entry in self.entries)
        ):
            raise Damaged
        try:
            check_parts(self.published)
        except InvalidParameter:
            raise Damaged from None

    def entry_called(self, release_id: str) -> Entry | None:
        """Return the debit with an id, if it was not voided."""
        return next((entry for entry in self.live if entry.receipt.release_id == release_id), None)

    def entry_at(self, number: int) -> Entry | None:
        """Return the debit that a record made."""
        return next((entry for entry in self.entries if entry.receipt.number == number), None)

    def debit(self, release: Release, release_id: str, time: str) -> Row:
        """Return the row that pays for a release; raise BudgetSpent when it cannot be paid for."""
        if self._opened.per is not None:
            check_clock(time, self.latest or self._opened.time)
        counted = self.check_affordable(release, time)
        return self.row_for(
            Debited(time=time, release_id=release_id, release=release, counted=tuple(sorted(counted.items())))
        )

    def as_booked(self, release: Release) -> Release:
        """Return a release as this ledger takes it: one that is for anyone, as all before version 3 are, as such."""
        if release.assumption is None or not self._opened.is_for_anyone:
            return release
        bits = max(release.charges.bits, release.assumption.bits_under(ANYONE))
        return replace(release, charges=replace(release.charges, bits=bits), assumption=None)

    def settling(self, entry: Entry, time: str) -> Row:
        """Return the row that says that a release was made."""
        return self.row_for(Settled(time=believed(time, self.latest), number=entry.receipt.number))

    def voiding(self, entry: Entry, reason: str, time: str) -> Row:
        """Return the row that gives a debit back; raise InvalidParameter where nobody can know that it was not seen."""
        published = voidable(entry.receipt.number, entry.release, settled=entry.settled)
        parts, _ = self.parts_paid(published.publication)
        if parts[-1:] != (published,):
            # What a later part of the publication cost counts on what this one paid.
            raise InvalidParameter(
                "paid for a part to which others were appended, or which was amended, since",
                parameter="number",
                value=entry.receipt.number,
                way_out="Finish its publication with the command that began it.",
            )
        return self.row_for(Voided(time=believed(time, self.latest), number=entry.receipt.number, reason=reason))

    def check_affordable(self, release: Release, time: str | None = None) -> dict[int, Amount]:
        """Raise BudgetSpent if any limit would be exceeded, or rows be released a second time.

        Reports whose draws made others are refused, and those of people who were released about before, unless they
        are named as a further release. Returns the bits of debits that the release has counted anew, by their number.
        """
        if release.published is not None:
            release.published.check_draws(self.published)
            release.published.check_once(self.published)
            check_parts((*self.published, release.published))
        again = {row for entry in self.live for row in entry.release.rows} & set(release.rows)
        if again:
            raise rows_again(release, len(again))
        after, counted = self.counted_with(release)
        asked = replace(release.charges, bits=counted.get(self.count, release.charges.bits))
        anew = {number: bits for number, bits in counted.items() if number != self.count}
        sums = LedgerSums(entry.counted_with(anew).debit for entry in self.live) if anew else self._sums
        today = now() if time is None else time
        refusal = short_of(
            release,
            self._standings(sums, release, asked, self.period_at(today), anew=bool(anew)),
            is_behind=today < self.latest,
            recounted=Recounted(counting=after, before=self.spent.bits, after=sums.total.worst.bits, debits=len(anew)),
        )
        if refusal is not None:
            raise refusal
        return counted

    def counted_with(self, release: Release) -> tuple[Counting, dict[int, Amount]]:
        """Return how the account is counted with a release, and the bits of debits that this changes."""
        after = self.counting.with_release(release.assumption, is_local=release.is_local)
        new = (self.count, release.assumption, release.charges.bits)
        return after, counted_anew(self.counting, after, (entry.figure for entry in self.entries), new)

    def _standings(
        self, sums: LedgerSums, release: Release, asked: Charges, period: Period | None, *, anew: bool
    ) -> list[tuple[Charges, Standing]]:
        """Pair what is asked with what is left for it: in all, in the present period, and in others counted anew."""
        found = [(asked, Standing(limits=self.limits, spent=sums.total.paid_by(release.payer)))]
        wanted = {*sums.periods, period} if anew else {period}
        for one in sorted((one for one in wanted if one is not None), key=lambda one: one.number):
            spent = sums.within(one).paid_by(release.payer) if one == period else sums.within(one).worst
            standing = Standing(limits=self._opened.period_limits, spent=spent, period=one)
            found.append((asked if one == period else NOTHING, standing))
        return found

    def with_figures(self, record: Debited, entries: list[Entry]) -> Book:
        """Write the figures of a debit over those of the entries; raise Damaged at figures that nobody writes."""
        after = self.counting.with_release(record.release.assumption, is_local=record.release.is_local)
        # All figures are looked at only where the assumption changes: a long ledger is read in linear time.
        figures = (entry.figure for entry in islice(entries, len(entries) - 1))
        standing = {number: bits for number, _, bits in to_count(self.counting, after, figures, entries[-1].figure)}
        counted = dict(record.counted)
        if tuple(sorted(counted.items())) != record.counted or counted.keys() != standing.keys():
            raise Damaged
        if any(bits < standing[number] for number, bits in counted.items()):
            raise Damaged
        if self._opened.is_for_anyone and record.release.assumption is not None:
            raise Damaged
        if counted:
            entries[:] = [entry.counted_with(counted) for entry in entries]
        return replace(self, counting=after)

    @property
    def _opened(self) -> Opened:
        if self.opened is None:
            raise Damaged
        return self.opened

    def period_at(self, time: str) -> Period | None:
        """Return the period that a time counts for: never one that is over for the latest record."""
        per = self._opened.per
        return None if per is None else period_of(per, max(time, self.latest))
