"""One connection to PostgreSQL: what every session asks for, its transactions, and what is said where it fails."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg

from sfumato.web.stores.base import StoreFailed
from sfumato.web.stores.byte_arrays import take_byte_arrays
from sfumato.web.stores.postgres_tables import place_of
from sfumato.web.stores.turns import IN_THE_WAY, InTheWay


class PostgresConnection:
    """One connection to a database of PostgreSQL.

    `synchronous` is on wherever reports are collected; a test takes off, to see that its absence is noticed.
    """

    def __init__(self, url: str, *, synchronous: bool = True) -> None:
        self.url = url
        self._synchronous = synchronous
        self.place = place_of(url)
        with self._sentences():
            self._connection = psycopg.connect(url, autocommit=True, connect_timeout=10)
        try:
            self._begin()
        except StoreFailed:
            self._connection.close()
            raise

    def _begin(self) -> None:
        """Say what every transaction of this connection needs; refuse a server that does not flush."""
        take_byte_arrays(self._connection)
        with self._sentences():
            self._connection.prepare_threshold = 1
            self._connection.execute(f"SET synchronous_commit TO {'on' if self._synchronous else 'off'}")
            # Under another default of the database, who waited at the door would see what was before it was closed.
            self._connection.execute("SET default_transaction_isolation TO 'read committed'")
            flushing = self._connection.execute("SELECT current_setting('fsync')").fetchone()
        if self._synchronous and flushing != ("on",):
            raise StoreFailed(
                "runs with fsync=off, so what is acknowledged could be lost",
                parameter="database",
                value=self.place,
                way_out="Set fsync = on in postgresql.conf, and restart it.",
            )

    def close(self) -> None:
        """Let go of the database."""
        self._connection.close()

    @contextmanager
    def _transaction(self) -> Iterator[Any]:
        """One transaction: committed at the end, which is when it is on disk, or rolled back as a whole."""
        with self._sentences(), self._connection.transaction(), self._connection.cursor(binary=True) as cursor:
            yield cursor.execute

    @contextmanager
    def _sentences(self) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as error:
            # Its own message may quote what it was given, so only its kind is passed on.
            kind = InTheWay if isinstance(error, IN_THE_WAY) else StoreFailed
            raise kind(
                f"could not be reached, written or read: {type(error).__name__}",
                parameter="database",
                value=self.place,
                way_out="Check that it runs and has room. What was acknowledged is kept; senders try again.",
            ) from None
