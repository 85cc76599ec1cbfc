"""Reports a second that are on disk when they are acknowledged, against the same server without storage, in one run.

Server and sender share the machine's cores; the sender has 64 connections, each with one request under way. Rate limits
are off, and every report's credential (RSA, 2048 bits) is verified: of a pool of signatures, told apart by what follows
them, for making a hundred thousand would take longer than the run. Needs PostgreSQL (`tools/system-packages`).

Limits: .6 of the rate without storage; 1,500 reports a second; 99 of 100 answers within 250 ms.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from hashlib import sha256
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))  # the cluster of PostgreSQL and the small collection are those of the tests

LEAST_SHARE = 0.6
LEAST_RATE = 1500
MOST_MS = 250
CONNECTIONS = 64
POOL = 64


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60, help="of each database; a quarter without storage")
    parser.add_argument("--only", nargs="*", default=["sqlite", "postgresql"])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--child", nargs="*")
    given = parser.parse_args()
    if given.child:
        {"serve": _serve, "send": _send}[given.child[0]](*given.child[1:])
        return
    sys.exit(_compare(given.seconds, given.only, as_json=given.json))


def _compare(seconds: float, kinds: list[str], *, as_json: bool) -> str | None:
    from server.databases import Postgres

    folder = Path(tempfile.mkdtemp())
    cluster = Postgres() if "postgresql" in kinds else None
    found = {}
    order = ["without storage", *(one for kind in kinds for one in (kind, "without storage"))]
    try:
        for number, kind in enumerate(order):
            place = {
                "sqlite": str(folder / "reports.sqlite"),
                "postgresql": cluster.new_database() if cluster and kind == "postgresql" else "",
            }.get(kind, "none")
            short = seconds / 4 if kind == "without storage" else seconds
            found[f"{kind} {number}" if kind == "without storage" else kind] = _run(kind, place, short, folder)
    finally:
        if cluster is not None:
            cluster.throw_away()
        shutil.rmtree(folder)
    bare = [one["rate"] for name, one in found.items() if name.startswith("without")]
    reference = sum(bare) / len(bare)
    if as_json:
        print(json.dumps({"without_storage": reference, **{kind: found[kind] for kind in kinds}}))
    else:
        cpu = next(iter(found.values()))["cpu_us"]
        print(
            f"without storage: {reference:,.0f} reports/s ({', '.join(f'{one:,.0f}' for one in bare)}), "
            f"{cpu:.0f} µs of the server's CPU each"
        )
    wrong = []
    for number, kind in enumerate(kinds):
        one = found[kind]
        # Against what was measured just before and just after: others may use the machine at other times.
        share = one["rate"] / (sum(bare[number : number + 2]) / 2)
        if not as_json:
            print(
                f"{kind}: {one['rate']:,.0f} durable reports/s for {one['seconds']:.0f} s, {share:.2f} of it "
                f"(at least {LEAST_SHARE}); half within {one['p50']:.0f} ms, 99 % within {one['p99']:.0f} ms "
                f"(at most {MOST_MS}); {one['cpu_us']:.0f} µs of the server's CPU each; {one['kept']:,} kept, "
                f"{one['acknowledged']:,} acknowledged, {one['other']} others"
            )
        if share < LEAST_SHARE or one["rate"] < LEAST_RATE or one["p99"] > MOST_MS:
            wrong.append(f"{kind}: {share:.2f}, {one['rate']:,.0f}/s, {one['p99']:.0f} ms")
        if one["kept"] < one["acknowledged"] or one["other"]:
            wrong.append(f"{kind}: kept {one['kept']} of {one['acknowledged']}, {one['other']} others")
    return f"too slow, or lost: {'; '.join(wrong)}" if wrong else None


def _run(kind: str, place: str, seconds: float, folder: Path) -> dict[str, Any]:
    serving = subprocess.Popen(  # noqa: S603  our own file
        [sys.executable, __file__, "--child", "serve", place, str(folder)], stdout=subprocess.PIPE, text=True
    )
    try:
        port = str(int(serving.stdout.readline()))  # type: ignore[union-attr]
        before = _cpu_seconds(serving.pid)
        sending = subprocess.run(  # noqa: S603
            [sys.executable, __file__, "--child", "send", port, str(seconds), str(folder)],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        used = _cpu_seconds(serving.pid) - before
    finally:
        serving.send_signal(signal.SIGTERM)
        serving.wait(30)
    found: dict[str, Any] = json.loads(sending.stdout)
    found["cpu_us"] = 1e6 * used / found["acknowledged"]
    found["kept"] = found["acknowledged"] if kind == "without storage" else _kept(place)
    return found


def _cpu_seconds(pid: int) -> float:
    """What a process has used, with all its threads."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _kept(place: str) -> int:
    from server.plain_server import store_at

    store = store_at(place)
    try:
        return int(store.counts().reports)
    finally:
        store.close()


def _serve(place: str, folder: str) -> None:
    from server.plain_server import plain_server, store_at
    from sfumato.server.admission import BlindSigning
    from sfumato.server.credentials import CredentialKey, credential_statement
    from sfumato.server.serving import bound_socket, run_server

    class Pooled(BlindSigning):
        """Verifies the first 256 bytes for real; what follows tells one use of it from another."""

        def verify(self, nonce: bytes, signature: bytes) -> bytes:
            super().verify(nonce, signature[:256])
            return sha256(signature).digest()

    from cryptography.hazmat.primitives.asymmetric import padding
    from cryptography.hazmat.primitives.hashes import SHA384

    from server import samples

    key = CredentialKey.generate()
    of = samples.collection()
    pool = []
    for _ in range(POOL):
        nonce = os.urandom(32)
        signed = key._private.sign(  # noqa: SLF001
            nonce + credential_statement(of.fingerprint), padding.PSS(padding.MGF1(SHA384()), 48), SHA384()
        )
        pool.append([nonce.hex(), signed.hex()])
    (Path(folder) / "pool.json").write_text(json.dumps(pool))
    store = _Nowhere() if place == "none" else store_at(place)
    server = plain_server(store, signing=Pooled(key, of.fingerprint))
    taken = bound_socket(server.settings)
    run_server(server, taken, lambda: print(taken.getsockname()[1], flush=True))


class _Nowhere:
    """Says that everything is kept, and keeps nothing."""

    def migrate(self) -> None:
        pass

    def state(self) -> Any:
        from sfumato.server.store_base import State

        return State(fingerprint="", mode="anonymous")

    def clone(self) -> _Nowhere:
        return self

    def close(self) -> None:
        pass

    def add(self, rows: list[Any]) -> list[Any]:
        from sfumato.server.store_base import Outcome

        return [Outcome.NEW] * len(rows)


class _Sender(asyncio.Protocol):
    """One connection: a request, its answer, the next request."""

    def __init__(self, told: _Told) -> None:
        self.told = told
        self.begun = 0.0
        self.heard = b""
        self.done = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        self.next()

    def next(self) -> None:
        self.begun = time.perf_counter()
        self.transport.write(self.told.request())

    def data_received(self, data: bytes) -> None:
        self.heard += data
        head = self.heard.find(b"\r\n\r\n")
        if head < 0:
            return
        at = self.heard.lower().index(b"content-length: ") + 16
        length = int(self.heard[at : self.heard.index(b"\r\n", at)])
        if len(self.heard) < head + 4 + length:
            return
        now = time.perf_counter()
        self.told.count(self.heard.startswith(b"HTTP/1.1 200"), now, now - self.begun)
        self.heard = b""
        if now < self.told.until:
            self.next()
        else:
            self.transport.close()

    def connection_lost(self, error: Exception | None) -> None:
        del error
        self.done.set_result(None)


class _Told:
    """Makes requests, and counts answers."""

    def __init__(self, seconds: float, pool: list[list[str]]) -> None:
        from server import samples

        of = samples.collection()
        body = samples.report(of, 1)
        shares = json.dumps(body["shares"])
        self.parts = []
        for nonce, signature in pool:
            begun = base64.b64encode(bytes.fromhex(signature) + b"\0" * 2).decode()  # 258 bytes: no rest of base64
            text = (
                f'{{"id":"%s","row":"{body["row"]}","shares":{shares},'
                f'"credential":{{"nonce":"{nonce}","signature":"{begun}%s"}}}}'
            )
            length = len(text % ("0" * 64, "0" * 32))
            head = f"POST /reports HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n\r\n"
            self.parts.append(head + text)
        self.number = 0
        self.until = time.perf_counter() + seconds
        self.begun = time.perf_counter()
        self.seen: list[float] = []
        self.other = 0
        self.last = 0.0

    def request(self) -> bytes:
        self.number += 1
        fresh = os.urandom(32)
        return (self.parts[self.number % POOL] % (fresh.hex(), base64.b64encode(fresh[:24]).decode())).encode()

    def count(self, is_kept: bool, now: float, took: float) -> None:
        self.last = now
        if is_kept:
            self.seen.append(took)
        else:
            self.other += 1


def _send(port: str, seconds: str, folder: str) -> None:
    import uvloop

    pool = json.loads((Path(folder) / "pool.json").read_text())

    async def send() -> dict[str, Any]:
        told = _Told(float(seconds), pool)
        loop = asyncio.get_running_loop()
        made = [await loop.create_connection(lambda: _Sender(told), "127.0.0.1", int(port)) for _ in range(CONNECTIONS)]
        await asyncio.gather(*(sender.done for _, sender in made))
        took = sorted(told.seen)
        lasted = told.last - told.begun
        return {
            "rate": len(took) / lasted,
            "seconds": lasted,
            "acknowledged": len(took),
            "other": told.other,
            "p50": 1000 * took[len(took) // 2],
            "p99": 1000 * took[int(len(took) * 0.99)],
        }

    print(json.dumps(uvloop.run(send())))


if __name__ == "__main__":
    main()
