"""Leakage and capacity of small channels: ours beside qif and beside cvxpy with Clarabel, on the same channels.

Each peer has an environment of its own. CPU seconds (time.process_time) of all threads, everybody warm; qif is the best
of 5 runs of 300 calls, as ours is. qif reads an array as it is; ours is timed twice, from arrays, which are checked
first, and from a channel and a law that were made of them, as where one channel is asked several things.

The promise: either way ours takes at most 20 times qif's CPU seconds, and both find the same number.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from peers.environments import Broken, Peer, run_peer

from sfumato.measures import capacity_bits, min_entropy_leakage_bits
from sfumato.prob import Channel, Distribution

SIZES = (2, 5, 10, 30, 100)
CALLS, RUNS = 300, 5
MOST_TIMES_QIF = 20.0
QIF = Peer("qif", "run_qif.py", ("qif==1.6.0", "numpy"), "it is C++ behind Python, with no checks")
CLARABEL = Peer("cvxpy", "run_clarabel.py", ("cvxpy", "clarabel", "numpy"), "an exponential-cone program")


def best_seconds(action: Callable[[], object], calls: int = CALLS) -> float:
    """The fewest CPU seconds of one call."""
    action()
    best = float("inf")
    for _ in range(RUNS):
        start = time.process_time()
        for _ in range(calls):
            action()
        best = min(best, (time.process_time() - start) / calls)
    return best


def peer_rows(peer: Peer, folder: Path, data: Path) -> dict[str, dict[str, float]]:
    """What a peer printed, by channel; empty where it did not run."""
    try:
        printed = run_peer(peer, folder, str(data))
    except Broken as reason:
        print(f"{peer.name} broke: {reason}")
        printed = reason.printed
    return {row["name"]: row for row in map(json.loads, printed.splitlines())}


def main() -> None:
    generator = np.random.default_rng(0)
    held = {}
    for size in SIZES:
        held[f"rows-{size:04}"] = generator.dirichlet(np.ones(size), size)
        held[f"prior-{size:04}"] = generator.dirichlet(np.ones(size))
    with tempfile.TemporaryDirectory() as name:
        data = Path(name) / "channels.npz"
        np.savez(data, **held)
        qif, clarabel = (peer_rows(peer, Path(name), data) for peer in (QIF, CLARABEL))
    print(f"{'k':>5} {'leakage: from arrays':>21} {'from a channel':>15} {'qif':>9} {'ratios':>13}   (microseconds)")
    worst = 0.0
    for size in SIZES:
        rows, prior = held[f"rows-{size:04}"], held[f"prior-{size:04}"]
        channel, law = Channel(rows), Distribution(prior)
        cold = best_seconds(lambda rows=rows, prior=prior: min_entropy_leakage_bits(rows, prior))
        warm = best_seconds(lambda channel=channel, law=law: min_entropy_leakage_bits(channel, law))
        if theirs := qif.get(f"rows-{size:04}"):
            if abs(theirs["value"] - min_entropy_leakage_bits(channel, law)) > 1e-9:
                raise SystemExit(f"qif finds {theirs['value']} bits and we do not")
            ratios = [seconds / theirs["seconds"] for seconds in (cold, warm)]
            worst = max(worst, *ratios)
            end = f"{theirs['seconds'] * 1e6:9.2f} {ratios[0]:6.1f} {ratios[1]:6.1f}"
        else:
            end = "did not run"
        print(f"{size:5} {cold * 1e6:21.1f} {warm * 1e6:15.1f} {end}")
    print(f"{'k':>5} {'capacity, certified':>21} {'cvxpy+Clarabel':>15} {'ratio':>9}   (milliseconds)")
    for size in SIZES:
        channel = Channel(held[f"rows-{size:04}"])
        ours = best_seconds(lambda channel=channel: capacity_bits(channel), 1)
        if theirs := clarabel.get(f"rows-{size:04}"):
            found = capacity_bits(channel)
            if not found.lower - 1e-5 <= theirs["value"] <= found.upper + 1e-5:
                raise SystemExit(f"Clarabel finds {theirs['value']} bits and we {found}")
            print(f"{size:5} {ours * 1e3:21.2f} {theirs['seconds'] * 1e3:15.2f} {theirs['seconds'] / ours:9.1f}")
        else:
            print(f"{size:5} {ours * 1e3:21.2f} did not run")
    if not qif:
        raise SystemExit("qif did not run, so the promise about it was not checked")
    if worst > MOST_TIMES_QIF:
        raise SystemExit(f"{worst:.1f} times qif's CPU seconds, more than {MOST_TIMES_QIF:.0f}")


if __name__ == "__main__":
    main()
