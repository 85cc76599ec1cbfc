"""The best disclosure, with both bounds: counts of many samples, a binary feature, and laws without any structure.

The promises: 200 exchangeable samples within 2 seconds; a binary feature of 8 samples within 10 and of 10 within 90;
random laws of 6 binary samples with a random feature of 3 values to a gap of 1e-6 bits within a minute each.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from fractions import Fraction
from typing import TypeVar

import numpy as np

from sfumato.disclosure import Disclosure, Solver, optimum
from sfumato.disclosure.counts import CountDisclosure, optimum_of_counts
from sfumato.disclosure.limits import Measurements
from sfumato.prob import Channel

GAP_BITS = 1e-6
SEEDS = range(10)
Found = TypeVar("Found", Disclosure, CountDisclosure)

SYMMETRIC = Measurements.of(
    [Fraction(2, 3), Fraction(1, 3)], Channel([[Fraction(9, 10), Fraction(1, 10)], [Fraction(1, 10), Fraction(9, 10)]])
)
THREE = Measurements.of(
    [Fraction(3, 10), Fraction(3, 10), Fraction(2, 5)],
    Channel([[Fraction(4, 5), Fraction(1, 5)], [Fraction(1, 2), Fraction(1, 2)], [Fraction(1, 5), Fraction(4, 5)]]),
)


def timed(name: str, call: Callable[[], Found], limit: int) -> Found:
    """Print time, bounds and gap; give up on the whole run when a promise is broken."""
    start = time.perf_counter()
    found = call()
    seconds = time.perf_counter() - start
    print(f"{name:>44} {seconds:8.2f} {limit:6d} {found.lower_bits:12.8f} {found.gap_bits:9.1e}", flush=True)
    if found.gap_bits > GAP_BITS:
        raise SystemExit(f"{name}: the gap is {found.gap_bits:.1e} bits, more than {GAP_BITS}")
    if seconds > limit:
        raise SystemExit(f"{name} took {seconds:.1f} s, more than {limit} s")
    return found


def through_bsc(n: int) -> Callable[[], Disclosure]:
    law, about = SYMMETRIC.data_law(n)
    return lambda: optimum(law, about, method=Solver.CELLS, tolerance=GAP_BITS / 2, seconds=90)


def without_structure(seed: int) -> Callable[[], Disclosure]:
    generator = np.random.default_rng(seed)
    law = generator.dirichlet(np.ones(64)).reshape((2,) * 6)
    about = generator.dirichlet(np.ones(3), 64).reshape((*(2,) * 6, 3))
    return lambda: optimum(law, about, tolerance=GAP_BITS / 2, seconds=60)


def main() -> None:
    optimum_of_counts([0.5, 0.5])  # warm: the first call imports scipy
    print(f"{'':>44} {'seconds':>8} {'limit':>6} {'bits':>12} {'gap':>9}")
    for n in (20, 200):
        law, about = THREE.count_law(n)
        timed(f"{n} samples by counts, 3 values", lambda law=law, about=about: optimum_of_counts(law, about), 2)
        law, about = SYMMETRIC.count_law(n)
        timed(f"{n} samples by counts, BSC", lambda law=law, about=about: optimum_of_counts(law, about), 2)
    for n, limit in ((6, 5), (8, 10), (10, 90)):
        cells = timed(f"{n} samples through BSC, cells refined", through_bsc(n), limit)
        counts = optimum_of_counts(*SYMMETRIC.count_law(n))
        if not (counts.lower_bits <= cells.upper_bits + 1e-9 and cells.lower_bits <= counts.upper_bits + 1e-9):
            raise SystemExit("the bounds of two methods do not overlap: one of them is wrong")
    for seed in SEEDS:
        timed(f"64 cells without structure, 3 values, seed {seed}", without_structure(seed), 60)


if __name__ == "__main__":
    main()
