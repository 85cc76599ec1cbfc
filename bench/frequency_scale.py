"""The cyclic response from 1e5 to 1e8 reports, in chunks of 1e6: CPU seconds grow with n, memory does not.

Privatise and tally at k = 1000, ε = 1. 1e5 reports are the mean of 100 runs, so that both ends count as many chunks.
The same chunk of answers is used again and again: drawing answers is not what is measured.
"""

from __future__ import annotations

import resource
import time
import tracemalloc

import numpy as np

from sfumato.mechanisms import CyclicResponse
from sfumato.sampling import BulkBits, Tally

CHUNK = 1_000_000
MOST_GROWTH = 1100.0
MOST_PEAK_GROWTH = 1.01
MOST_RESIDENT_GROWTH = 1.05


def collect(mechanism: CyclicResponse, bits: BulkBits, answers: np.ndarray, count: int) -> Tally:
    """Privatise and count `count` answers, a chunk at a time."""
    total = mechanism.tally(mechanism.privatize(answers[: min(count, CHUNK)], bits))
    for start in range(CHUNK, count, CHUNK):
        total = total + mechanism.tally(mechanism.privatize(answers[: min(CHUNK, count - start)], bits))
    return total


def main() -> None:
    law = 0.8 ** np.arange(1000)
    answers = np.random.default_rng(0).choice(1000, p=law / law.sum(), size=CHUNK)
    mechanism, bits = CyclicResponse.within(size=1000, epsilon=1.0), BulkBits()
    collect(mechanism, bits, answers, 2 * CHUNK)  # warm: the first call compiles
    peaks, resident = [], []
    print(f"{'n':>12} {'peak of arrays':>15} {'resident':>12}")
    for count in (CHUNK, 10 * CHUNK, 100 * CHUNK):
        tracemalloc.start()
        collect(mechanism, bits, answers, count)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        resident.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
        print(f"{count:12,} {peaks[-1] / 1e6:12.2f} MB {resident[-1] / 1024:9.1f} MB")
    seconds = {}
    print(f"{'n':>12} {'CPU s':>15} {'× the first':>12}")
    for count, runs in ((CHUNK // 10, 100), (CHUNK, 10), (10 * CHUNK, 1), (100 * CHUNK, 1)):
        start = time.process_time()
        for _ in range(runs):
            found = collect(mechanism, bits, answers, count)
        seconds[count] = (time.process_time() - start) / runs
        if found.total != count:
            raise SystemExit(f"{found.total} reports were counted, not {count}")
        print(f"{count:12,} {seconds[count]:15.4f} {seconds[count] / seconds[CHUNK // 10]:12.1f}")
    growth = seconds[100 * CHUNK] / seconds[CHUNK // 10]
    print(f"1e8 reports cost {growth:.0f} × 1e5 (at most {MOST_GROWTH:.0f})")
    # The first row holds one tally, the others a running total beside it.
    if peaks[2] > MOST_PEAK_GROWTH * peaks[1] or resident[2] > MOST_RESIDENT_GROWTH * resident[0]:
        raise SystemExit("memory grows with the number of reports")
    if growth > MOST_GROWTH:
        raise SystemExit("costs grow faster than promised")


if __name__ == "__main__":
    main()
