"""What a store does for the server, whatever database it is: one small protocol, and what it says back.

A row is its report, its id and the hash of the credential that let it in, in one row of one table: so a report is
counted once or not at all. Nothing else is written in the transaction of a report: no tally, no time, no address. What
lets somebody in (tokens) is written in transactions of its own, so that no transaction holds a token and a report.
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
    """What a store is for, and whether it takes reports."""

    fingerprint: str
    mode: str
    wave: int = 1
    closed: bool = False


class StoreFailed(Refused):
    """A database that could not do what it was asked; nothing was acknowledged."""


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
        """Delete the report of an id in every wave; its credential stays spent.

        Returns how many rows are gone by this, or None for an id that was never there.
        """
        ...

    def withdraw_panel(self, panel: bytes) -> int:
        """Delete all reports of a pseudonym, as the office of a panel may; returns how many."""
        ...

    def compact(self) -> None:
        """Write all rows anew in the order of their names, so that the database shows neither in which order they came
        nor what was deleted. Others wait until it is done.
        """
        ...

    def snapshot(self, wave: int | None = None) -> Iterator[StoredRow]:
        """Go through all rows, sorted by wave and id, as they were at one moment."""
        ...

    def row_counts(self, wave: int) -> list[tuple[bytes, int]]:
        """Return each row of reports that there is in a wave, and how often, as they were at one moment."""
        ...

    def counts(self) -> Counts:
        """Count what is kept."""
        ...

    def state(self) -> State | None:
        """Return what the store is for; None for a new one."""
        ...

    def set_state(self, state: State) -> None:
        """Open, close, or go to another wave. Once this returns, no report is taken under the old state."""
        ...
