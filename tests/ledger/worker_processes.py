"""Forks workers that spend from ledgers: importing once saves a tenth of a second for each that is killed.

Reads lines from standard input; for each it forks a worker, which connects to the socket that the first argument names,
says its process id, and then serves requests `{"path", "ledger", "spends": [[id, amount], ...]}`, one a line. It
answers `ack ID` after `spend` has returned, `refused ID`, `error ...`, and `done`.
"""

import json
import os
import signal
import socket
import sys
import threading
from fractions import Fraction
from pathlib import Path

from sfumato.errors import BudgetSpent
from sfumato.ledger.documents import Debited
from sfumato.ledger.ledger import Ledger, append, read_book, writing
from sfumato.ledger.releases import information


class ChecksTooEarly(Ledger):
    """A wrong ledger: it looks at the balance, and only then begins to write."""

    def spend(self, release, *, release_id=None):
        self.read().check_affordable(release)
        with writing(self.path, 60) as connection:
            book = read_book(connection, self._book)
            if book.entry_called(release_id) is None:
                record = Debited(time="2026-01-01T00:00:00Z", release_id=release_id, release=release)
                append(connection, book.row_for(record))


class AcknowledgesTooEarly(Ledger):
    """A wrong ledger: all is decided in the transaction, and it returns just before that is committed."""

    writer = None

    def spend(self, release, *, release_id=None):
        if self.writer is not None:
            self.writer.join()
        decided, refusals = threading.Event(), []
        self.writer = threading.Thread(target=self.write, args=(release, release_id, decided, refusals))
        self.writer.start()
        decided.wait()
        if refusals:
            raise refusals[0]

    def write(self, release, release_id, decided, refusals):
        try:
            with writing(self.path, 60) as connection:
                book = read_book(connection, self._book)
                if book.entry_called(release_id) is None:
                    append(connection, book.debit(release, release_id, "2026-01-01T00:00:00Z"))
                decided.set()
        except BudgetSpent as refusal:
            refusals.append(refusal)
        decided.set()


LEDGERS = {made.__name__: made for made in (Ledger, ChecksTooEarly, AcknowledgesTooEarly)}


def serve(address):
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(address)
        line.sendall(f"{os.getpid()}\n".encode())
        for request in line.makefile("r"):
            try:
                work(line, json.loads(request))
            except Exception as error:  # noqa: BLE001  whatever it is, the harness wants to know
                line.sendall(f"error {type(error).__name__}: {error}\n".encode())
            line.sendall(b"done\n")


def work(line, request):
    ledger = LEDGERS[request["ledger"]](Path(request["path"]))
    for release_id, amount in request["spends"]:
        try:
            ledger.spend(information(f"release {release_id}", Fraction(amount)), release_id=release_id)
        except BudgetSpent:
            line.sendall(f"refused {release_id}\n".encode())
        else:
            line.sendall(f"ack {release_id}\n".encode())


if __name__ == "__main__":
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for _ in sys.stdin:
        if os.fork() == 0:
            try:
                serve(sys.argv[1])
            finally:
                os._exit(0)
