"""Release a million records by each scheme for independent samples, and enclose what the release tells.

Median of 5 after a warm-up, and the ratio to drawing a million words from the bulk source in the same run.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from fractions import Fraction
from statistics import NormalDist

import numpy as np

from sfumato.disclosure.schemes import RunningSums, WindowScheme
from sfumato.disclosure.uniformising import ColumnSums, QuantileCells, UniformisedChain
from sfumato.prob import Distribution
from sfumato.sampling import BulkBits

ROWS = 1_000_000
LIMIT = 2.0


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
    generator = np.random.default_rng(0)
    law = Distribution([Fraction(7, 10), Fraction(3, 10)])
    binary = (generator.random(ROWS) < 0.3).astype(np.int64)
    weights = np.arange(1, 101)
    wide = Distribution([Fraction(int(w), 5050) for w in weights])
    hundred = generator.choice(100, size=ROWS, p=weights / 5050)
    normal = generator.normal(size=ROWS)
    cells = QuantileCells.of_law(NormalDist().inv_cdf, 1024)
    bits = BulkBits()
    pairs, triples = WindowScheme.best(law, 2), WindowScheme.best(law, 3)
    closest, lossless = UniformisedChain.closest(law), UniformisedChain.lossless(law)
    hundred_values, fine = UniformisedChain.closest(wide), UniformisedChain.lossless(wide)
    sums = RunningSums(modulus=100, window=3, masked=True)
    columns = ColumnSums(columns=(cells, cells))
    actions: dict[str, Callable[[], object]] = {
        "windows of 2": lambda: pairs.release(binary, bits),
        "windows of 3": lambda: triples.release(binary, bits),
        "chain, 2 values": lambda: closest.release(binary, bits),
        "chain, 2 values, lossless": lambda: lossless.release(binary, bits),
        "chain, 100 values": lambda: hundred_values.release(hundred, bits),
        "chain, 100 values, lossless": lambda: fine.release(hundred, bits),
        "running sums, 100 values": lambda: sums.release(hundred, bits),
        "1024 cells of a column": lambda: cells.release(normal),
        "1024 cells of two columns": lambda: columns.release([normal, normal[::-1]]),
        "information, windows of 3": lambda: triples.information_bits(ROWS),
        "information, 100 values": lambda: fine.information_bits(ROWS),
    }
    draw = median_of(lambda: bits.words(ROWS))
    print(f"{'draw a million words':32}{draw:8.4f} s    1.0")
    slow = []
    for name, action in actions.items():
        seconds = median_of(action)
        print(f"{name:32}{seconds:8.4f} s {seconds / draw:6.1f}")
        if seconds > LIMIT:
            slow.append(name)
    for name, scheme in (("windows of 2", pairs), ("windows of 3", triples), ("chain", closest), ("fine", lossless)):
        print(
            f"{name:14} tells {scheme.efficiency(ROWS).midpoint:.4f} of the data, efficiency of 20 samples "
            f"{scheme.efficiency(20).midpoint:.4f}"
        )
    if slow:
        raise SystemExit(f"slower than the {LIMIT} s that are promised: {', '.join(slow)}")


if __name__ == "__main__":
    main()
