"""The protocol of a store of reports, and the statements that its databases share.

A report, its id and the hash of the credential that admitted it are one row of one table, so a report is counted once
or not at all. The transaction of a report writes nothing else except the batch number that decides when readers see it:
no tally, no time, no address. Tokens are written in transactions of their own, so that no transaction holds a token and
a report.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, LiteralString, Protocol

from sfumato.errors import Refused, UnknownSchema
from sfumato.study.collection import StoredRow


class Outcome(StrEnum):
    """What became of a report that was handed in."""

    NEW = "new"
    SAME = "same"
    OTHER_BODY = "other-body"
    USED_CREDENTIAL = "used-credential"
    WITHDRAWN = "withdrawn"
    CLOSED = "closed"


class Issue(StrEnum):
    """What became of a token that was handed in for a credential."""

    NEW = "new"
    SAME = "same"
    OTHER_NONCE = "other-nonce"
    UNKNOWN_TOKEN = "unknown-token"  # noqa: S105  a word, not a secret
    CLOSED = "closed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """A token to be spent: its hash, the hash of the blinded nonce, and the signature that it is spent for."""

    token: bytes = field(repr=False)
    blinded: bytes = field(repr=False)
    signature: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What became of a token; the signature is the one that was given first."""

    outcome: Issue
    signature: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Invitation:
    """A token as the server knows it: its hash, in panel mode the pseudonym, and what it was spent for, if it was."""

    token: bytes = field(repr=False)
    panel: bytes | None = field(default=None, repr=False)
    blinded: bytes | None = field(default=None, repr=False)
    signature: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How much a store holds."""

    reports: int
    invited: int
    spent: int
    withdrawn: int


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """What a store is for, whether it takes reports, and which batches are in the views of readers.

    `shown` is the number of the last batch that is shown; `tally_reports` is how many reports a batch has at least.
    """

    fingerprint: str
    mode: str
    wave: int = 1
    closed: bool = False
    shown: int = 0
    tally_reports: int = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Closing:
    """What a wave was closed with: the reports that are shown, and those that were left out and deleted."""

    reports: int
    left_out: int = 0
    tally_reports: int = 50

    @property
    def note(self) -> str | None:
        """The sentence that belongs to it, where there is one."""
        if self.left_out:
            withdrawn = "so many were withdrawn since the last batch that showing all would single some out"
            return f"{self.left_out:,} reports are left out: {withdrawn}."
        return few_words(self.reports, self.tally_reports)


def few_words(reports: int, least: int) -> str | None:
    """Return the sentence for a closed study with fewer reports than a batch has, None for others."""
    if not 0 < reports < least:
        return None
    return f"The study closed with fewer than {least:,} reports, less than one batch: all are shown at once."


class StoreFailed(Refused):
    """A database that could not do what it was asked; nothing was acknowledged."""


class InResults(Refused):
    """A report that cannot be withdrawn, because it is in the results of a closed study."""


def in_results(row: int) -> InResults:
    """Return the refusal of a withdrawal after the close; `row` is the number of the report in the export."""
    return InResults(
        f"is row {row} of the results of a study that is closed",
        parameter="report",
        way_out=f"Ask whoever runs the study: sfumato erase --row {row} takes it out of what was published.",
    )


class Store(Protocol):
    """One connection to a database. It belongs to one thread at a time; `clone` makes another."""

    def migrate(self) -> None:
        """Make the tables, or bring those of an older version up to date. Newer ones are refused."""
        ...

    def clone(self) -> Store:
        """Return another connection to the same database."""
        ...

    def close(self) -> None:
        """Let go of the database."""
        ...

    def ping(self) -> None:
        """Ask something small, and raise if no answer comes."""
        ...

    def add(self, rows: Sequence[StoredRow]) -> list[Outcome]:
        """Keep reports, in one transaction that is on disk when this returns; say what became of each."""
        ...

    def find(self, ids: Sequence[bytes], *, wave: int) -> set[bytes]:
        """Return which of these reports are kept."""
        ...

    def invitation(self, token: bytes) -> Invitation | None:
        """Return what is known of a token, by its hash."""
        ...

    def spend(self, spendings: Sequence[Spending]) -> list[Spent]:
        """Spend tokens for credentials, in one transaction; the same again gives the same signature again."""
        ...

    def invite(self, invitations: Sequence[Invitation]) -> None:
        """Let tokens in, in one transaction."""
        ...

    def withdraw(self, report: bytes) -> int | None:
        """Withdraw the report of an id in every wave; its credential stays spent.

        Returns how many rows are withdrawn by this, or None for an id that was never there. What is in the views leaves
        them when the next batch is shown; what is in the results of a closed wave raises `InResults`.
        """
        ...

    def withdraw_panel(self, panel: bytes) -> int:
        """Withdraw all reports of a pseudonym, as the office of a panel may; returns how many."""
        ...

    def compact(self) -> None:
        """Write all rows anew in the order of their names, so that the database shows neither in which order they came
        nor what was deleted. Others wait until it is done.
        """
        ...

    def snapshot(self, wave: int | None = None) -> Iterator[StoredRow]:
        """Go through all rows, sorted by wave and id, as they were at one moment."""
        ...

    def shown_rows(self, wave: int) -> Iterator[StoredRow]:
        """Go through the rows of a wave that readers may see, sorted by id, as they were at one moment."""
        ...

    def shown_counts(self, wave: int) -> list[tuple[bytes, int]]:
        """Return each row of reports that readers may see in a wave, and how often, as they were at one moment."""
        ...

    def counts(self) -> Counts:
        """Count what is kept; what was withdrawn is not counted as a report although it may still be in the views."""
        ...

    def state(self) -> State | None:
        """Return what the store is for; None for a new one."""
        ...

    def set_state(self, state: State) -> None:
        """Open, close, or go to another wave. Once this returns, no report is taken under the old state."""
        ...

    def set_tally_reports(self, count: int) -> None:
        """Say how many reports a batch has at least, from now on."""
        ...

    def advance(self) -> None:
        """Show the next batch if it is due and was not shown when the last report came."""
        ...

    def close_wave(self) -> Closing:
        """Take no more reports and show what was not shown yet; where it is closed already, say what is shown."""
        ...


# --- Batches: which reports are in the views of readers
# Both databases run these statements. A report gets the number of a batch when it is kept. Batches up to the number
# `shown` in the state are in every view. The one after it is held back, and the one after that is being filled. The
# held-back batch is shown when both have `tally_reports` reports; withdrawn reports do not count, and new ones go into
# the held-back batch first. So each change of the views adds at least `tally_reports` reports that were in none before.
#
# A withdrawn report that no view has is deleted at once. One that is in the views stays there, listed in the table
# `leaving`, and is deleted when the next batch is shown or the wave is closed. Proofs: docs/theory/collection.md


Run = Callable[..., Any]
# All numbers in the statements are internal integers, so that both databases read the same text.
_KEPT = "NOT EXISTS (SELECT 1 FROM leaving WHERE leaving.wave = reports.wave AND leaving.id = reports.id)"
_LEAVING = "(wave, id) IN (SELECT wave, id FROM leaving)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """Reports by the value of a column; `mark` is the placeholder of the database."""

    column: str
    value: bytes = field(repr=False)
    mark: str

    @property
    def condition(self) -> str:
        """The condition that a row is one of them."""
        return f"{self.column} = {self.mark}"


def in_view(wave: int) -> str:
    """Return the condition that a row of a wave is in the views; of an earlier wave there are no views any more."""
    shown = f"SELECT CASE WHEN state.wave = {wave:d} THEN shown ELSE -1 END FROM state"  # noqa: S608
    return f"wave = {wave:d} AND batch <= ({shown})"


def batch_of_new(run: Run, state: State) -> int:
    """Return the batch that new reports go into."""
    held = state.shown + 1
    return held if _at_most(run, state, held) < state.tally_reports else held + 1


def advance(run: Run, state: State) -> int | None:
    """Show the held-back batch if it and the next one are full, else return None.

    Withdrawn reports leave the views with that; returns how many.
    """
    if not is_due(run, state):
        return None
    run("UPDATE state SET shown = shown + 1")
    return _delete_leaving(run)


def is_due(run: Run, state: State) -> bool:
    """Whether the held-back batch and the next one are full."""
    return not state.closed and all(
        _at_most(run, state, state.shown + after) >= state.tally_reports for after in (2, 1)
    )


def take_out(run: Run, state: State, named: Named) -> int:
    """Withdraw reports; returns how many were not withdrawn before. What let them in stays spent.

    Those in the views of this wave leave at the next shown batch, others now. Views of a closed wave do not change.
    """
    viewed = f"(wave = {state.wave:d} AND batch <= {state.shown:d})"
    which = f"{named.condition} AND NOT {viewed}" if state.closed else named.condition
    once = "ON CONFLICT DO NOTHING"
    into = f"INSERT INTO withdrawn (credential, id) SELECT credential, id FROM reports WHERE {which} {once}"  # noqa: S608
    gone = run(into, (named.value,)).rowcount
    into = f"INSERT INTO leaving (wave, id) SELECT wave, id FROM reports WHERE {which} AND {viewed} {once}"  # noqa: S608
    run(into, (named.value,))
    run(f"DELETE FROM reports WHERE {which} AND NOT {viewed}", (named.value,))  # noqa: S608
    return int(gone)


def row_in_results(run: Run, state: State, named: Named) -> int | None:
    """Return the number of a report in the export of a closed wave, None where it is not in it."""
    results = f"FROM reports WHERE wave = {state.wave:d} AND batch <= {state.shown:d}"
    found = run(f"SELECT id {results} AND {named.condition}", (named.value,)).fetchone() if state.closed else None
    if found is None:
        return None
    return int(run(f"SELECT count(*) {results} AND id < {named.mark}", (found[0],)).fetchone()[0])


def close_wave(run: Run, state: State) -> Closing:
    """Make the last view of a wave, and forget which report was in which batch."""
    if state.closed:
        shown = run(f"SELECT count(*) FROM reports WHERE {in_view(state.wave)}").fetchone()[0]  # noqa: S608
        return Closing(reports=shown, tally_reports=state.tally_reports)
    rows = f"FROM reports WHERE wave = {state.wave:d} AND"
    kept = dict(run(f"SELECT batch, count(*) {rows} {_KEPT} GROUP BY batch").fetchall())
    leaving = dict(run(f"SELECT batch, count(*) {rows} {_LEAVING} GROUP BY batch").fetchall())
    plan = last_view(kept, leaving, shown=state.shown, least=state.tally_reports)
    if plan.without_new:
        run(f"DELETE {rows} batch > {state.shown:d}")
    if plan.left_out:
        chosen = f"SELECT wave, id {rows} batch <= {plan.up_to:d} AND {_KEPT} ORDER BY random() LIMIT {plan.left_out:d}"
        run(f"DELETE FROM reports WHERE (wave, id) IN ({chosen})")  # noqa: S608
    _delete_leaving(run)
    run(f"UPDATE reports SET batch = {int(plan.nothing):d} WHERE wave = {state.wave:d}")  # noqa: S608
    run("UPDATE state SET shown = 0")
    total = sum(kept.values())
    new = sum(count for batch, count in kept.items() if batch > state.shown) if plan.without_new else 0
    shown = 0 if plan.nothing else total - plan.left_out - new
    return Closing(reports=shown, left_out=total - shown, tally_reports=state.tally_reports)


@dataclass(frozen=True, slots=True, kw_only=True)
class LastView:
    """What the last view is made of: all reports that are kept, but for some.

    `left_out` reports of the batches up to `up_to` are left out, all that no view had if `without_new`, and all
    reports if `nothing`.
    """

    left_out: int = 0
    up_to: int = 0
    without_new: bool = False
    nothing: bool = False


def last_view(kept: Mapping[int, int], leaving: Mapping[int, int], *, shown: int, least: int) -> LastView:
    """Choose the last view, so that it is an earlier one or differs from each by at least `least` reports.

    `kept` and `leaving` count the reports of each batch that are not withdrawn, and that are and are still in the
    views. With `least` new reports, or where no batch was shown, it is everything that is kept; so it is where fewer
    than `least` are kept in all, the one exception. The proof of the rest is in docs/theory/collection.md.
    """
    total = sum(kept.values())
    new = sum(count for batch, count in kept.items() if batch > shown)
    if shown == 0 or new >= least or total < least:
        return LastView()
    missing, up_to, gone, old = least - new, 0, 0, 0
    while up_to < shown and gone + old < missing:
        up_to += 1
        gone += leaving.get(up_to, 0)
        old += kept.get(up_to, 0)
    left_out = max(0, missing - gone)
    later = sum(count for batch, count in kept.items() if batch > up_to)
    fits = gone + old >= missing and total - left_out >= least and (up_to == 1 or later >= least)
    if not leaving and (not fits or new <= left_out):
        return LastView(without_new=True)
    return LastView(left_out=left_out, up_to=up_to) if fits else LastView(nothing=True)


def _at_most(run: Run, state: State, batch: int) -> int:
    """Count the reports of a batch, as far as `tally_reports`."""
    some = f"SELECT 1 FROM reports WHERE wave = {state.wave:d} AND batch = {batch:d} LIMIT {state.tally_reports:d}"  # noqa: S608
    return int(run(f"SELECT count(*) FROM ({some}) AS counted").fetchone()[0])  # noqa: S608


def _delete_leaving(run: Run) -> int:
    gone = run(f"DELETE FROM reports WHERE {_LEAVING}").rowcount  # noqa: S608
    run("DELETE FROM leaving")
    return int(gone)


# --- The columns of the state, and the refusal of tables of another version


STATE: LiteralString = "fingerprint, mode, wave, closed, shown, tally_reports"
"""The columns of the state, in the order in which `state_of` reads them."""

COUNTS: LiteralString = (
    "SELECT (SELECT count(*) FROM reports) - (SELECT count(*) FROM leaving), (SELECT count(*) FROM tokens), "
    "(SELECT count(*) FROM tokens WHERE blinded IS NOT NULL), (SELECT count(*) FROM withdrawn)"
)
"""What is counted, in the order of `Counts`."""


def state_of(found: Sequence[Any]) -> State:
    """Return the state of a row of its table."""
    fingerprint, mode, wave, closed, shown, least = found
    return State(fingerprint=fingerprint, mode=mode, wave=wave, closed=bool(closed), shown=shown, tally_reports=least)


def newer_tables(where: str) -> UnknownSchema:
    """Return the refusal of tables that a newer version made."""
    return UnknownSchema(
        "holds tables of a newer version",
        parameter="database",
        value=where,
        way_out="Update Sfumato here, or choose another database.",
    )


def unmade(where: str) -> StoreFailed:
    """Return the refusal of a database that was not opened for a study."""
    return StoreFailed(
        "was not opened for a study", parameter="database", value=where, way_out="Open it with `sfumato serve`."
    )
