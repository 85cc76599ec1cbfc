"""Publish, open and recover with levels ε = 2, 1, 0.5, k = 1000, n = 1e6, for both kinds of key.

Median of 5 after a warm-up, and the ratio to drawing as many words from the bulk source in the same run. Keys of true
draws come from the operating system, as they do when nothing else is asked for.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np

from sfumato.bits import BulkBits
from sfumato.refine import Ladder
from sfumato.values import Guarantee

ROWS = 1_000_000
LIMITS = {"publish": 1.0, "open": 0.2, "recover": 0.2}


def median_of(action: Callable[[], object], times: int = 5) -> float:
    """The middle of a few runs, in seconds, after one that is not counted."""
    action()
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        action()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def main() -> None:
    ladder = Ladder.within(size=1000, epsilons=[2.0, 1.0, 0.5], recover=True)
    answers = np.random.default_rng(0).integers(1000, size=ROWS)
    bits = BulkBits()
    # At most a word for the level of each step, and one for the place.
    words = 2 * len(ladder.steps) * ROWS
    draw = median_of(lambda: bits.words(words))
    print(f"{ladder}, K = {ladder.modulus}")
    print(f"draw {words / 1e6:.0f} million words                {draw:8.3f} s    1.00")
    slow = []
    for guarantee in (Guarantee.INFORMATION_THEORETIC, Guarantee.COMPUTATIONAL):
        published = ladder.publish(answers, guarantee=guarantee)
        level, top = published.keys[1], published.keys[0]
        actions: dict[str, Callable[[], object]] = {
            "publish": lambda chosen=guarantee: ladder.publish(answers, guarantee=chosen),
            "open": lambda made=published, key=level: ladder.open(made.reports, key),
            "recover": lambda made=published, key=top: ladder.recover(made.reports, key),
        }
        for name, action in actions.items():
            seconds = median_of(action)
            limit = LIMITS[name]
            print(
                f"{name:8} {guarantee.value:22} {seconds:8.3f} s {seconds / draw:7.2f}  (at most {limit} s is promised)"
            )
            if seconds > limit:
                slow.append(f"{name} ({guarantee.value})")
    if slow:
        raise SystemExit(f"slower than promised: {', '.join(slow)}")


if __name__ == "__main__":
    main()
