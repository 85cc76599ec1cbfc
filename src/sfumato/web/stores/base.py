"""What a store does for the server, whatever database it is: one small protocol, and what it says back.

A row is its report, its id and the hash of the credential that let it in, in one row of one table: so a report is
counted once or not at all. Nothing else is written in the transaction of a report but the batch that readers may see
(`batches.py`): no tally, no time, no address. What lets somebody in (tokens) is written in transactions of its own, so
that no transaction holds a token and a report.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from sfumato.errors import Refused
from sfumato.study.collections import StoredRow


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
