"""Publish, open and recover with levels ε = 2, 1, 0.5, k = 1000, n = 1e6, for both kinds of key; and draws alone.

Median of 5 after a warm-up, and the ratio to drawing as many words from the bulk source in the same run. Keys of true
draws come from the operating system, as they do when nothing else is asked for. Draws of rows, in pieces as they are
asked for when a column streams by, are told in nanoseconds of CPU for each row and step, system calls included.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np

from sfumato.files.columns import CHUNK_ROWS
from sfumato.ladders import Ladder
from sfumato.ladders.drawing import LevelDraws, shifts_at
from sfumato.ladders.keys import BLOCK_ROWS
from sfumato.sampling import BulkBits, Guarantee, RowStarts, SystemBits

ROWS = 1_000_000
LIMITS = {"publish": 1.0, "open": 0.2, "recover": 0.2}
# Nanoseconds of CPU for a row and step.
DRAW_LIMITS = {"rows of a seed": 10, "true draws": 45}
# And for a whole report of flags: the element and two spaces. What is compiled is the words of rows and the pass over
# them; around it lie the secrets of blocks of rows and the ciphers under them.
FLAGS_LIMITS = {"words and steps, compiled": 80, "made of a seed": 120, "masks counted": 120}


def median_of(action: Callable[[], object], times: int = 5, clock: Callable[[], float] = time.perf_counter) -> float:
    """The middle of a few runs, in seconds, after one that is not counted."""
    action()
    seconds = []
    for _ in range(times):
        start = clock()
        action()
        seconds.append(clock() - start)
    return statistics.median(seconds)


def least_of(action: Callable[[], object], times: int = 25) -> float:
    """The least of many runs, in seconds of CPU: what else runs on a machine only adds to it."""
    action()
    seconds = []
    for _ in range(times):
        start = time.process_time()
        action()
        seconds.append(time.process_time() - start)
    return min(seconds)


def slow_draws(ladder: Ladder) -> list[str]:
    """Time draws of a piece of rows; return what took longer than promised."""
    steps, bits = ladder.steps, BulkBits()
    key = ladder.draw_keys(1, guarantee=Guarantee.COMPUTATIONAL)[0]
    numbers, draws = np.arange(7 * CHUNK_ROWS, 8 * CHUNK_ROWS), LevelDraws(steps, SystemBits())
    step_rows = len(steps) * CHUNK_ROWS
    word = median_of(lambda: bits.words(step_rows), clock=time.process_time) / step_rows
    print(f"{'a word of the bulk source':31} {1e9 * word:8.1f} ns    1.00")
    actions = {
        "rows of a seed": lambda: shifts_at(key, steps, numbers),
        "true draws": lambda: draws.next(CHUNK_ROWS),
    }
    slow = []
    for name, action in actions.items():
        seconds = median_of(action, clock=time.process_time) / step_rows
        limit = DRAW_LIMITS[name]
        print(f"{name:31} {1e9 * seconds:8.1f} ns {seconds / word:7.2f}  (at most {limit} ns is promised)")
        if 1e9 * seconds > limit:
            slow.append(name)
    return slow


def slow_flags() -> list[str]:
    """Time reports of flags at odds 15, 3 and e^.5; return what took longer than promised."""
    ladder = Ladder.of_flags(size=1000, epsilons=[2.70805, 1.09861, 0.5], recover=True)
    key = ladder.draw_keys(1, guarantee=Guarantee.COMPUTATIONAL)[0]
    numbers, answers = np.arange(CHUNK_ROWS), np.arange(CHUNK_ROWS) % 1000
    rung = ladder.levels[0]
    made = ladder.publish(answers, guarantee=Guarantee.COMPUTATIONAL)
    view = ladder.open(made.reports, made.keys[1])
    walk, rows, sums = ladder.steps[0].together(ladder.steps), range(BLOCK_ROWS), np.empty(BLOCK_ROWS, dtype=np.int64)
    starts, secrets = RowStarts(BLOCK_ROWS), [bytes([number] * 32) for number in range(len(ladder.steps))]
    starts.take(rows)

    def words_and_steps() -> None:
        for _ in range(CHUNK_ROWS // BLOCK_ROWS):
            walk.add_numbered(secrets, starts, sums)

    actions: dict[str, Callable[[], object]] = {
        "words and steps, compiled": words_and_steps,
        "made of a seed": lambda: rung.made(answers, shifts_at(key, ladder.steps, numbers)),
        "masks counted": lambda: view.mechanism.tally(view.reports),
    }
    slow = []
    for name, action in actions.items():
        seconds = least_of(action) / CHUNK_ROWS
        limit = FLAGS_LIMITS[name]
        print(f"flags, {name:25} {1e9 * seconds:8.1f} ns a report  (at most {limit} ns is promised)")
        if 1e9 * seconds > limit:
            slow.append(f"flags, {name}")
    return slow


def main() -> None:
    ladder = Ladder.within(size=1000, epsilons=[2.0, 1.0, 0.5], recover=True)
    answers = np.random.default_rng(0).integers(1000, size=ROWS)
    bits = BulkBits()
    # At most a word for the level of each step, and one for the place.
    words = 2 * len(ladder.steps) * ROWS
    draw = median_of(lambda: bits.words(words))
    print(f"{ladder}, K = {ladder.modulus}")
    print(f"draw {words / 1e6:.0f} million words                {draw:8.3f} s    1.00")
    slow = [*slow_draws(ladder), *slow_flags()]
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
