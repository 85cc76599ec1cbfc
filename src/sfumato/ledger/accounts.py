"""Sums of the entries of a ledger, and what may still be spent.

Charges of one currency add up over all releases that one person pays for: bits by [E, Thm 5], ε by basic composition,
maximal leakage for answers that are independent given the data. All bits are counted under one assumption about
dependence. Payers and their sums are in :mod:`sfumato.ledger.amounts`, assumptions in :mod:`sfumato.ledger.dependence`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import reduce
from itertools import islice

from sfumato.errors import BudgetSpent, InvalidParameter
from sfumato.ledger.amounts import (
    EVERYBODY,
    NOTHING,
    Amount,
    Charges,
    Currency,
    Payer,
    WorstSum,
    added,
    decimal_above,
    decimal_below,
    people_key,
)
from sfumato.ledger.dependence import Counting, Figure, counted_anew, to_count
from sfumato.ledger.documents import (
    MOST_TEXT,
    NO_DIGEST,
    Damaged,
    Debited,
    Opened,
    Period,
    Record,
    Settled,
    Voided,
    believed,
    chained,
    check_clock,
    now,
    period_of,
    record_from,
    record_text,
)
from sfumato.ledger.releases import Published, Release, check_parts
from sfumato.measures.dependence import ANYONE

# --- Sums of the debits for the person who pays most: in total, and in each period
# ε and maximal leakage are about a person's own answers, so charges to different people are not added. Bits are what
# can be learned about one person from everyone's data under any correlation, so they add over disjoint people too [E,
# Prop. 7].
# Rule: docs/theory/composition.md


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What is spent of limits and what is left, in all or in a period; infinite where there is no limit.

    A `LedgerState` has one in all, and one for the present period where there are periods.

    >>> import tempfile
    >>> from pathlib import Path
    >>> import sfumato as sf
    >>> ledger = sf.ledger.Ledger.create(Path(tempfile.mkdtemp()) / "people.ledger", budget_bits=2, epsilon=3)
    >>> receipt = ledger.spend(sf.ledger.local("Health survey", 1, worst_case_bits=1))
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
        """Return an independent copy."""
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


# --- Debits: what was released, its cost as the account counts it, and its state
# Theory: docs/theory/composition.md


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """Proof that a release is paid for: which record of the ledger says so, and the digest of that record.

    `is_new` is False when this id had been debited before, and nothing was taken this time.

    `Ledger.spend` returns it; `Ledger.settle` takes it back when the release was made.

    >>> import tempfile
    >>> from pathlib import Path
    >>> import sfumato as sf
    >>> ledger = sf.ledger.Ledger.create(Path(tempfile.mkdtemp()) / "people.ledger", budget_bits=2, epsilon=3)
    >>> survey = sf.ledger.local("Health survey", 1, worst_case_bits=1)
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
    """A debit: the release, its receipt, and when it was settled; None until the release is confirmed.

    `period` is the one whose limits it counts for, None where there are none; `voided` says when and why it was given
    back, if it was. `bits` is what the account counts it with now, where that is another figure than its own.

    `Ledger.entries` returns them.

    >>> import tempfile
    >>> from pathlib import Path
    >>> import sfumato as sf
    >>> ledger = sf.ledger.Ledger.create(Path(tempfile.mkdtemp()) / "people.ledger", budget_bits=2, epsilon=3)
    >>> ledger.settle(ledger.spend(sf.ledger.local("Health survey", 1, worst_case_bits=1)))
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


# --- Refusals of debits and refunds: sentences that name the limit and what to do


_MOST_PLACES = 1100
_NOISIER = "Make the release noisier or leave it out; a bound that is known and was not stated can be stated."
_WAY_OUT = (
    "Make the release for as few people as the account was counted for before, if that is true of them, or leave it "
    "out; bits under different assumptions are not added."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recounted:
    """Under which assumption an account would be counted with a release, and what its `debits` come to for that."""

    counting: Counting
    before: Amount
    after: Amount
    debits: int

    @property
    def words(self) -> str:
        """Name the assumption, and what came of counting for it; nothing where none was stated."""
        if self.counting.correlated is None:
            return ""
        if not self.debits:
            return f"; bits are counted for {self.counting.words}"
        others = f"{self.debits} earlier release{'s' if self.debits > 1 else ''}"
        return (
            f"; with it bits are counted for {self.counting.words}, and {others} anew: all so far come to "
            f"{decimal_above(self.after)} bits instead of {decimal_above(self.before)}"
        )


def short_of(
    release: Release, pairs: Iterable[tuple[Charges, Standing]], *, is_behind: bool, recounted: Recounted
) -> BudgetSpent | None:
    """Return the refusal of a release that exceeds a limit, in all or in a period; None if it can be paid for.

    Each pair is what is asked, and the standing that has to bear it.
    """
    short, ends, bits_lack = [], [], False
    for charges, one in pairs:
        lacking = [(c, asked) for c, asked in charges if asked > one.left[c]]
        short += [_shortage(c, asked, one) for c, asked in lacking]
        bits_lack = bits_lack or any(c is Currency.BITS for c, _ in lacking)
        # What is too much in a period that is over stays so when the next begins.
        if lacking and one.period is not None and charges is not NOTHING:
            late = ", by the latest record: this clock is behind it" if is_behind else ""
            ends.append(f"; the next period starts on {one.period.end}{late}")
    if not short:
        return None
    why = recounted.words if bits_lack else ""
    return BudgetSpent(
        f"{release.title!r} cannot be paid for{_by(release)}: {'; '.join(short)}{why}{''.join(ends)}",
        way_out=f"Nothing was debited. {_WAY_OUT if recounted.debits and bits_lack else _NOISIER}",
    )


def rows_again(release: Release, count: int) -> BudgetSpent:
    """Return the refusal of a second release of perfect samples."""
    return BudgetSpent(
        f"{count} of the rows of {release.title!r} were released before, and perfect sample privacy does not add up: "
        f"two private releases of the same rows can leak together",
        way_out="Use the first, or design both jointly, as one release.",
    )


def voidable(number: int, release: Release, *, settled: str | None) -> Published:
    """Return the publication of a debit; refuse what was released or may have been."""
    if settled is not None:
        raise InvalidParameter(
            f"was released on {settled[:10]}: {release.title!r} stays paid for",
            parameter="number",
            value=number,
            way_out="Only a publication that never left staging can be voided.",
        )
    if release.published is None:
        raise InvalidParameter(
            f"paid for {release.title!r}, which is no publication of reports, and nobody can prove that a release made "
            f"by other means was not seen",
            parameter="number",
            value=number,
            way_out="It stays paid for.",
        )
    return release.published


def _by(release: Release) -> str:
    return "" if release.people is None else f" by the people called {release.people!r}"


def _shortage(currency: Currency, asked: Amount, standing: Standing) -> str:
    limit, left = standing.limits[currency], standing.left[currency]
    within = "" if standing.period is None else f" in {standing.period.name}"
    if math.isinf(asked):
        each = "" if standing.period is None else f" for each {standing.period.per}"
        return (
            f"no bound in {currency.unit} is stated, and the ledger has a limit of {decimal_below(limit)} there{each}"
        )
    if left < 0:
        return f"what was released{within} comes to {decimal_above(standing.spent[currency])} of {decimal_below(limit)}"
    places = 6
    # As many as it takes to see the difference: a float may exceed what is left in its last digit only.
    while asked - left < Fraction(1, 10**places) and places < _MOST_PLACES:
        places *= 2
    of = f"{decimal_below(left, places)} of {decimal_below(limit)} are left{within}"
    return f"it asks for {currency.words(decimal_above(asked, places))}, and {of}"


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerState:
    """All records up to some number, read and added up; `digest` is that of the last.

    `latest` is the latest time of a record but the first, by which nothing was spent.

    `Ledger.read` returns it: limits, debits and sums of one moment, which belong together.

    >>> import tempfile
    >>> from pathlib import Path
    >>> import sfumato as sf
    >>> ledger = sf.ledger.Ledger.create(Path(tempfile.mkdtemp()) / "people.ledger", budget_bits=2, epsilon=3)
    >>> receipt = ledger.spend(sf.ledger.local("Health survey", 1, worst_case_bits=1))
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
        """The most that a person of each name has paid, with what everyone pays."""
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

    def with_rows(self, rows: Iterable[tuple[object, object, object]]) -> LedgerState:
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
        """Return the row that gives a debit back; raise InvalidParameter where it may have been seen."""
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

    def with_figures(self, record: Debited, entries: list[Entry]) -> LedgerState:
        """Write the figures of a debit over those of the entries; raise Damaged at impossible figures."""
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
