"""Group commit: waiting reports are written in one transaction and acknowledged after it.

Requests put work into lanes (reports; tokens; single actions). Threads with a connection each take the waiting work of
one lane, so work of two lanes is never in one transaction. After a database error a writer reconnects, and requests are
refused at once until the database answers. A writer that has stopped for good is not replaced. In both cases the
server reports that it is not ready.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from sfumato.errors import Refused, SfumatoError
from sfumato.server.store_base import Outcome, Spending, Spent, Store, StoreFailed
from sfumato.study.collection import StoredRow

T = TypeVar("T")
LOG = logging.getLogger("sfumato.server")

_MOST_TOGETHER = 512
_MOST_WAITING = 20_000
_PAUSE_SECONDS = 0.5


class WriterFailed(Refused):
    """What was handed in could not be written, and is not acknowledged."""


@dataclass(slots=True)
class _Lane:
    """Work of one kind: what writes several at once, and what waits."""

    write: Callable[[Store, list[Any]], Sequence[Any]]
    waiting: deque[tuple[Any, asyncio.Future[Any]]] = field(default_factory=deque)


@dataclass(slots=True)
class WriterFigures:
    """What the writer did since it started, for the metrics; about all of it together, never about one report."""

    commits: int = 0
    written: int = 0
    failures: int = 0
    seconds: float = 0.0
    slowest: float = 0.0


class GroupWriter:
    """Threads that write what waits. Start it inside a running event loop."""

    def __init__(self, store: Store, *, threads: int = 1) -> None:
        self.figures = WriterFigures()
        self._stores = _clones(store, threads)
        self._lanes = {
            "reports": _Lane(lambda to, rows: to.add(rows)),
            "tokens": _Lane(lambda to, spendings: to.spend(spendings)),
            "actions": _Lane(lambda to, actions: [action(to) for action in actions]),
        }
        self._arrived: list[tuple[str, Any, asyncio.Future[Any]]] = []
        self._work = threading.Condition()
        self._stopping = False
        self._failing: set[int] = set()
        self._loop = asyncio.get_running_loop()
        self._threads = [threading.Thread(target=self._run, args=(number,), daemon=True) for number in range(threads)]
        for thread in self._threads:
            thread.start()

    @property
    def waiting(self) -> int:
        """How much waits."""
        return sum(len(lane.waiting) for lane in self._lanes.values())

    @property
    def is_ready(self) -> bool:
        """Whether every writer is alive and its database answered last time."""
        return not self._stopping and not self._failing and all(thread.is_alive() for thread in self._threads)

    async def add(self, row: StoredRow) -> Outcome:
        """Keep a report; when this returns, it is on disk, or the outcome says why it is not."""
        outcome: Outcome = await self._hand_in("reports", row)
        return outcome

    async def spend(self, spending: Spending) -> Spent:
        """Spend a token."""
        spent: Spent = await self._hand_in("tokens", spending)
        return spent

    async def act(self, action: Callable[[Store], T]) -> T:
        """Do something else with a store, in a transaction of its own."""
        done: T = await self._hand_in("actions", action)
        return done

    async def stop(self) -> None:
        """Write what waits, and end; nothing is taken any more."""
        with self._work:
            self._stopping = True
            self._work.notify_all()
        for thread in self._threads:
            await asyncio.to_thread(thread.join)
        _fail([one for lane in self._lanes.values() for one in lane.waiting], _unwritten())

    def _hand_in(self, lane: str, item: Any) -> asyncio.Future[Any]:
        """Put work into a lane; who arrives in the same turn of the event loop wakes a writer together.

        All of this happens in the loop's own thread. Only handing over takes the lock: once a turn, not once a request.
        """
        future: asyncio.Future[Any] = self._loop.create_future()
        if self.is_ready and self.waiting + len(self._arrived) < _MOST_WAITING:
            if not self._arrived:
                self._loop.call_soon(self._hand_over)
            self._arrived.append((lane, item, future))
        else:
            future.set_exception(_unwritten())
        return future

    def _hand_over(self) -> None:
        arrived, self._arrived = self._arrived, []
        with self._work:
            if self.is_ready:
                for lane, item, future in arrived:
                    self._lanes[lane].waiting.append((item, future))
                self._work.notify()
                return
        _fail([(item, future) for _, item, future in arrived], _unwritten())

    def _refuse_all(self, number: int, taken: list[tuple[Any, asyncio.Future[Any]]]) -> None:
        """Refuse new and waiting requests, under the lock, so that none is accepted in between."""
        with self._work:
            self._failing.add(number)
            for lane in self._lanes.values():
                taken = [*taken, *lane.waiting]
                lane.waiting.clear()
        self._tell(_fail, taken, _unwritten())

    def _run(self, number: int) -> None:
        taken: list[tuple[Any, asyncio.Future[Any]]] = []
        try:
            while True:
                lane, taken = self._take()
                if lane is None:
                    break
                self._write(number, lane, taken)
                taken = []
        except BaseException as error:  # noqa: BLE001  however this thread ends, waiting requests are answered
            LOG.critical("a writer died: %s", type(error).__name__)
            self._refuse_all(number, taken)
        finally:
            self._stores[number].close()

    def _take(self) -> tuple[_Lane | None, list[tuple[Any, asyncio.Future[Any]]]]:
        with self._work:
            while True:
                for lane in self._lanes.values():
                    if lane.waiting:
                        most = 1 if lane is self._lanes["actions"] else _MOST_TOGETHER
                        return lane, [lane.waiting.popleft() for _ in range(min(most, len(lane.waiting)))]
                if self._stopping:
                    return None, []
                self._work.wait()

    def _write(self, number: int, lane: _Lane, taken: list[tuple[Any, asyncio.Future[Any]]]) -> None:
        begun = time.perf_counter()
        try:
            results = lane.write(self._stores[number], [item for item, _ in taken])
        except StoreFailed:
            self.figures.failures += 1
            self._refuse_all(number, taken)
            self._reconnect(number)
            return
        except SfumatoError as error:
            self._tell(_fail, taken, error)
            return
        seconds = time.perf_counter() - begun
        self.figures.commits += 1
        self.figures.written += len(taken)
        self.figures.seconds += seconds
        self.figures.slowest = max(self.figures.slowest, seconds)
        # On disk: now, and not before, it is acknowledged.
        self._tell(_resolve, taken, results)

    def _reconnect(self, number: int) -> None:
        """Try until the database answers again; until then requests are refused."""
        while not self._stopping:
            try:
                fresh = self._answering(number)
            except StoreFailed:
                time.sleep(_PAUSE_SECONDS)
                continue
            self._stores[number].close()
            self._stores[number] = fresh
            self._failing.discard(number)
            return

    def _answering(self, number: int) -> Store:
        """Return a new connection that answers; one that does not is closed."""
        fresh = self._stores[number].clone()
        try:
            fresh.ping()
        except StoreFailed:
            fresh.close()
            raise
        return fresh

    def _tell(self, what: Callable[..., None], *arguments: Any) -> None:
        try:
            self._loop.call_soon_threadsafe(what, *arguments)
        except RuntimeError:  # the loop is closed
            return


def _clones(store: Store, count: int) -> list[Store]:
    """Return so many connections, or none."""
    made: list[Store] = []
    try:
        for _ in range(count):
            made.append(store.clone())  # noqa: PERF401  those that are made are closed where one cannot be
    except StoreFailed:
        for one in made:
            one.close()
        raise
    return made


def _resolve(taken: list[tuple[Any, asyncio.Future[Any]]], results: Sequence[Any]) -> None:
    for (_, future), result in zip(taken, results, strict=True):
        if not future.done():  # the client may have gone away
            future.set_result(result)


def _fail(taken: list[tuple[Any, asyncio.Future[Any]]], error: SfumatoError) -> None:
    for _, future in taken:
        if not future.done():
            future.set_exception(error)


def _unwritten() -> WriterFailed:
    return WriterFailed(
        "cannot be written at this moment; nothing was acknowledged",
        parameter="report",
        way_out="Send the same again in a while: it is kept once.",
    )
