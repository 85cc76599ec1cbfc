"""How long honest clients wait while others attack a server without a proxy, against the same server idle, in one run.

Attackers at 127.0.0.2 open 1,100 connections at once, and each again about a second after it was closed. They send a
header field a second (and eight of them headers without end), or a byte of a body a second, or half a body and nothing
more. Honest clients at 127.0.0.3 send reports, each over a new connection, which are on disk (SQLite) when they are
answered. The server may have 1,024 files open. At last 200 clients of one address send at once, under attack. Rate
limits are off.

Limits: 99 of 100 answers within 5 times what it takes without an attack; every honest request answered; memory grows by
at most a tenth between the first attack's end and the last one's.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import os
import resource
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))  # the small collection and the plain server are those of the tests

ATTACKER, HONEST, CROWD = "127.0.0.2", "127.0.0.3", "127.0.0.4"
CONNECTIONS = 1100
CLIENTS, PAUSE_SECONDS = 8, 0.03
MOST_RATIO = 5.0
MOST_GROWTH = 1.1
FILES = 1024
KINDS = ("slow header", "slow body", "half-sent bodies")
HEADER = b"POST /reports HTTP/1.1\r\nHost: x\r\n"
BODY = HEADER + b"Content-Length: 400\r\n\r\n{"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=4, help="of each measurement; there are six")
    parser.add_argument("--child", nargs="*")
    given = parser.parse_args()
    if given.child:
        {"serve": _serve, "attack": _attack}[given.child[0]](*given.child[1:])
        return
    sys.exit(_compare(given.seconds))


def _compare(seconds: float) -> str | None:
    import uvloop

    with tempfile.TemporaryDirectory() as folder, _child("serve", folder) as serving:
        port = int(serving.stdout.readline())  # type: ignore[union-attr]
        try:
            return uvloop.run(_measure(port, serving.pid, seconds))
        finally:
            serving.send_signal(signal.SIGTERM)
            serving.wait(30)


async def _measure(port: int, pid: int, seconds: float) -> str | None:
    honest = _Honest(port)
    await honest.send(1.0)
    idle: list[float] = []
    attacked: dict[str, list[float]] = {}
    memory = [_memory(pid)]
    for kind in KINDS:
        idle += await honest.send(seconds)
        with _child("attack", str(port), kind, str(seconds + 20)) as attacking:
            try:
                attacking.stdout.readline()  # type: ignore[union-attr]
                await asyncio.sleep(1)
                attacked[kind] = await honest.send(seconds)
                memory.append(_memory(pid))
                served = await honest.crowd(200) if kind == KINDS[-1] else 0
            finally:
                attacking.terminate()
                attacking.wait(10)
    usual = _p99(idle)
    print(f"idle: {len(idle)} answers, 99 % within {1000 * usual:.1f} ms")
    for kind, took in attacked.items():
        print(
            f"{kind}: {len(took)} answers, 99 % within {1000 * _p99(took):.1f} ms, {_p99(took) / usual:.2f} times that"
        )
    print(f"at most {MOST_RATIO:g} times; {honest.failed} honest requests of {honest.sent} without an answer")
    print(f"200 clients of one address under attack: {served} served")
    shown = ", ".join(f"{one / 2**20:.0f}" for one in memory)
    print(f"memory before and at the end of each attack: {shown} MB")
    worst = max(_p99(took) / usual for took in attacked.values())
    wrong = [f"{worst:.1f} times as slow"] if worst > MOST_RATIO else []
    wrong += [f"{honest.failed} honest requests failed"] if honest.failed else []
    wrong += [f"{200 - served} of 200 not served"] if served < 200 else []
    wrong += ["memory grows"] if memory[-1] > MOST_GROWTH * memory[1] else []
    return f"not as promised: {'; '.join(wrong)}" if wrong else None


class _Honest:
    """Clients that send their request at once and read the answer."""

    def __init__(self, port: int) -> None:
        from server import samples

        of = samples.collection()
        self._port = port
        self._numbers = itertools.count()
        self._body: Callable[[int], bytes] = lambda one: samples.encoded(samples.plain_report(of, one))
        self.sent = self.failed = 0

    async def send(self, seconds: float) -> list[float]:
        """Send reports for so long; returns how long each took."""
        until, took = time.perf_counter() + seconds, []

        async def client() -> None:
            while time.perf_counter() < until:
                took.append(await self._once(HONEST))
                await asyncio.sleep(PAUSE_SECONDS)

        await asyncio.gather(*(client() for _ in range(CLIENTS)))
        return took

    async def crowd(self, count: int) -> int:
        """Send so many reports at once from one address; returns how many were kept."""
        before = self.failed
        await asyncio.gather(*(self._once(CROWD) for _ in range(count)))
        return count - (self.failed - before)

    async def _once(self, address: str) -> float:
        body = self._body(next(self._numbers))
        self.sent += 1
        begun, status = time.perf_counter(), b""
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", self._port, local_addr=(address, 0))
            writer.write(HEADER + b"Content-Length: %d\r\nConnection: close\r\n\r\n" % len(body) + body)
            status = await asyncio.wait_for(reader.read(), 30)
            writer.close()
        except OSError:
            pass
        self.failed += not status.startswith(b"HTTP/1.1 200")
        return time.perf_counter() - begun


def _p99(took: list[float]) -> float:
    return sorted(took)[int(len(took) * 0.99)]


def _memory(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _child(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(  # noqa: S603  our own file
        [sys.executable, __file__, "--child", *arguments], stdout=subprocess.PIPE, text=True
    )


def _serve(folder: str) -> None:
    from server.plain_server import plain_server, store_at
    from sfumato.server.serving import bound_socket, run_server

    resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, FILES))
    server = plain_server(store_at(str(Path(folder) / "reports.sqlite")))
    taken = bound_socket(server.settings)
    run_server(server, taken, lambda: print(taken.getsockname()[1], flush=True))


def _attack(port: str, kind: str, seconds: str) -> None:
    """Attack until the time is over, at the latest; says on a line when every connection was tried once."""
    import uvloop

    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))

    async def attack() -> None:
        many = [_keep_open(int(port), *_sent(kind, one)) for one in range(CONNECTIONS)]
        tasks = [asyncio.create_task(one) for one in many]
        await asyncio.sleep(1)
        print("ready", flush=True)
        await asyncio.wait(tasks, timeout=float(seconds))

    uvloop.run(attack())


def _sent(kind: str, number: int) -> tuple[bytes, bytes, float]:
    """Return what a connection sends at first, what it sends then, and after how long each time."""
    if kind == "slow header":
        return (HEADER, b"A" * 65536, 0.05) if number < 8 else (HEADER, b"A: b\r\n", 1.0)
    return BODY, b" " if kind == "slow body" else b"", 1.0


async def _keep_open(port: int, begun: bytes, more: bytes, pause: float) -> None:
    """Open a connection, send a little now and then, and open it again a while after it was closed."""
    loop = asyncio.get_running_loop()
    while True:
        made = socket.socket()
        made.setblocking(False)
        try:
            made.bind((ATTACKER, 0))
            await loop.sock_connect(made, ("127.0.0.1", port))
            await loop.sock_sendall(made, begun)
            while True:
                await asyncio.sleep(pause)
                await asyncio.wait_for(loop.sock_sendall(made, more), 1)
                if _is_closed(made):
                    break
        except OSError:
            pass
        finally:
            made.close()
        await asyncio.sleep(0.5 + secrets.randbelow(1000) / 1000)


def _is_closed(made: Any) -> bool:
    try:
        return made.recv(65536) == b""
    except BlockingIOError:
        return False


if __name__ == "__main__":
    main()
