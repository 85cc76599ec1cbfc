"""Eight workers that spend from one ledger, some of them killed at any moment, and what must be true afterwards."""

import contextlib
import json
import os
import selectors
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from sfumato.errors import SfumatoError
from sfumato.ledger.ledger import Ledger

NURSERY = Path(__file__).parent / "ledger" / "worker_processes.py"
CREW = 8
SPENDS = 6
PATIENCE_SECONDS = 60


class Worker:
    """A process that spends; it is told what, and says line by line what came of it."""

    def __init__(self, connection):
        self.connection = connection
        self._rest = b""
        self.plan = []
        self.kill_at = None  # ("time", when) or ("ack", how many)
        self.acknowledged = 0
        while not (lines := self.lines()):
            pass
        self.pid = int(lines[0])

    def lines(self):
        """Lines that have arrived; None when the process is gone."""
        try:
            data = self.connection.recv(65536)
        except ConnectionResetError:
            data = b""
        if not data:
            return None
        *lines, self._rest = (self._rest + data).split(b"\n")
        return [line.decode() for line in lines]

    def begin(self, path, ledger, plan):
        self.plan, self.acknowledged = list(plan), 0
        request = {"path": str(path), "ledger": ledger, "spends": self.plan}
        with contextlib.suppress(BrokenPipeError):  # it was killed before it was asked: its plan is taken over
            self.connection.sendall(json.dumps(request).encode() + b"\n")

    def kill(self):
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        self.kill_at = None


@dataclass
class Outcome:
    """What was asked for in one interleaving, and what the workers were told."""

    limit: Fraction
    asked: dict[str, Fraction]
    acknowledged: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    killed: int = 0


class Crew:
    """Workers that stay from one interleaving to the next; a killed one is replaced."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self.folder / "socket"))
        self._listener.listen(CREW)
        self._nursery = subprocess.Popen(
            [sys.executable, NURSERY, str(self.folder / "socket")], stdin=subprocess.PIPE, text=True
        )
        self.workers = [self._hire() for _ in range(CREW)]

    def _hire(self):
        self._nursery.stdin.write("another\n")
        self._nursery.stdin.flush()
        connection, _ = self._listener.accept()
        return Worker(connection)

    def close(self):
        for worker in self.workers:
            worker.connection.close()
        self._listener.close()
        self._nursery.stdin.close()
        self._nursery.wait(timeout=30)

    def interleave(self, dice, path, ledger="Ledger"):
        """Let all spend at once and kill some; who replaces one goes on with what is not acknowledged."""
        places = [f"{i}-{j}" for i in range(CREW) for j in range(SPENDS)]
        asked = {place: Fraction(dice.randint(1, 40), dice.choice([7, 16, 30])) for place in places}
        outcome = Outcome(limit=sum(asked.values()) * Fraction(dice.randint(30, 90), 100), asked=asked)
        Ledger.create(path, budget_bits=outcome.limit)
        begun = time.monotonic()
        together = begun + dice.uniform(0.001, 0.05) if dice.random() < 0.3 else None
        with selectors.DefaultSelector() as selector:
            for i, worker in enumerate(self.workers):
                worker.kill_at = ("time", together) if together else self._fate(dice, begun)
                selector.register(worker.connection, selectors.EVENT_READ, i)
                worker.begin(path, ledger, [(f"{i}-{j}", str(asked[f"{i}-{j}"])) for j in range(SPENDS)])
            busy = set(range(CREW))
            while busy:
                assert time.monotonic() < begun + PATIENCE_SECONDS, "the workers hang"
                for key, _ in selector.select(timeout=0.002):
                    self._listen(selector, key.data, busy, outcome, path, ledger)
                for i in busy:
                    fate = self.workers[i].kill_at
                    if fate is not None and fate[0] == "time" and fate[1] <= time.monotonic():
                        self.workers[i].kill()
        return outcome

    def _fate(self, dice, begun):
        if dice.random() < 0.6:
            return None
        if dice.random() < 0.5:
            return "ack", dice.randint(1, SPENDS)
        return "time", begun + dice.uniform(0.001, 0.06)

    def _listen(self, selector, i, busy, outcome, path, ledger):
        worker = self.workers[i]
        lines = worker.lines()
        if lines is None:
            selector.unregister(worker.connection)
            worker.connection.close()
            outcome.killed += 1
            self.workers[i] = self._hire()
            selector.register(self.workers[i].connection, selectors.EVENT_READ, i)
            if i in busy:  # one that was done has no successor to wait for
                self.workers[i].begin(path, ledger, worker.plan)
            return
        for line in lines:
            word, _, rest = line.partition(" ")
            if word == "done":
                worker.kill_at = None
                busy.discard(i)
                continue
            if word == "error":
                outcome.errors.append(rest)
                continue
            {"ack": outcome.acknowledged, "refused": outcome.refused}[word].append(rest)
            worker.plan = [step for step in worker.plan if step[0] != rest]
            worker.acknowledged += word == "ack"
            if worker.kill_at == ("ack", worker.acknowledged):
                worker.kill()


def violations(outcome, path):
    """Return what is wrong after an interleaving, by reading the file without the ledger's own code."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        records = [json.loads(text) for (text,) in connection.execute("SELECT text FROM records ORDER BY number")]
    debits = Counter({})
    total = Fraction(0)
    for record in records:
        if record["event"] == "debited":
            debits[record["id"]] += 1
            total += Fraction(record["charges"]["bits"])
    found = [f"error: {error}" for error in outcome.errors]
    if total > outcome.limit:
        found.append(f"overspent by {total - outcome.limit}")
    found += [f"the acknowledged debit {name} is lost" for name in outcome.acknowledged if name not in debits]
    found += [f"the debit {name} was not asked for, or made twice" for name in debits if debits[name] != 1]
    found += [f"the debit {name} was refused and made" for name in outcome.refused if name in debits]
    left = outcome.limit - total
    found += [f"{name} was refused and could be paid for" for name in outcome.refused if outcome.asked[name] <= left]
    if not set(debits) <= set(outcome.asked):
        found.append("a debit that nobody asked for")
    try:
        ledger = Ledger(path)
    except SfumatoError as error:
        return [*found, f"the ledger does not open: {error}"]
    if ledger.spent.bits != total or ledger.limits.bits != outcome.limit:
        found.append("the ledger adds up to something else")
    if Path(f"{path}-journal").exists():
        found.append("a journal is left")
    return found
