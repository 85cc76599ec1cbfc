"""What grows with the alphabet: certificates of structured channels, estimates, and difference sets, in CPU seconds.

The promises: at k = 1e5, ε = 1 a channel of 349,525 reports is certified in 1 CPU second, and verified in 1; at k = 1e6
shares are estimated in .3; no difference set that `within` chooses up to k = 1e6 and ε = 10 takes more than 2 to make.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import sfumato as sf
from sfumato.mechanisms import CyclicResponse, difference_sets
from sfumato.mechanisms import difference_sets as finite_fields
from sfumato.sampling import BulkBits

CHECKER = Path(__file__).parents[1] / "src" / "sfumato_check.py"
CHILD = "import resource,runpy,sys;sys.argv=sys.argv[1:]\ntry: runpy.run_path(sys.argv[0],run_name='__main__')\nexcept SystemExit: pass\nprint(resource.getrusage(resource.RUSAGE_SELF).ru_utime)"  # noqa: E501


def seconds(action: Callable[[], object], runs: int = 3) -> float:
    """The fewest CPU seconds."""
    best = float("inf")
    for _ in range(runs):
        start = time.process_time()
        action()
        best = min(best, time.process_time() - start)
    return best


def certificates() -> dict[str, float]:
    """Certify, verify, read and check the sampled law of a hundred thousand answers."""
    mechanism = CyclicResponse.within(size=100_000, epsilon=1.0)
    certificate = sf.certify(mechanism)
    text = certificate.to_json()
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "certificate.json"
        path.write_text(text, encoding="utf-8")
        done = subprocess.run(  # noqa: S603  our own checker
            [sys.executable, "-c", CHILD, str(CHECKER), str(path)], capture_output=True, text=True, check=True
        )
    if "checked: every claim" not in done.stdout:
        raise SystemExit("the checker does not agree")
    return {
        "certify": seconds(lambda: sf.certify(mechanism)),
        "verify": seconds(lambda: sf.verify(certificate)),
        "read": seconds(lambda: sf.Certificate.from_json(text)),
        "checker, alone": float(done.stdout.splitlines()[-1]),
    }


def estimates() -> dict[str, float]:
    """Estimate a million shares from a million reports."""
    mechanism = CyclicResponse.within(size=1_000_000, epsilon=1.0)
    answers = np.random.default_rng(0).integers(0, 1000, 1_000_000)
    tally = mechanism.tally(mechanism.privatize(answers, BulkBits()))
    mechanism.estimate(tally)  # warm: the spectrum of the set is kept
    return {"estimate": seconds(lambda: mechanism.estimate(tally), 5)}


def sets() -> tuple[float, str]:
    """Make every set anew; return the slowest."""
    worst = (0.0, "")
    for size in (100, 1000, 10_000, 100_000, 1_000_000):
        for epsilon in (0.5, 1, 2, 3, 4, 4.2, 5, 6, 8, 10):
            favoured = CyclicResponse.within(size=size, epsilon=epsilon).favoured
            for cached in (
                difference_sets.singer_set,
                difference_sets.paley_set,
                finite_fields.field_of,
            ):
                cached.cache_clear()
            worst = max(worst, (seconds(favoured.members, 1), f"k = {size}, ε = {epsilon}, K = {favoured.modulus}"))
    return worst


def main() -> None:
    found = certificates() | estimates()
    for name, spent in found.items():
        print(f"{name:>16} {spent:7.3f} CPU s")
    slowest, where = sets()
    print(f"{'slowest set':>16} {slowest:7.3f} CPU s, at {where}")
    limits = {"certify": 1.0, "verify": 1.0, "estimate": 0.3}
    slow = [name for name, most in limits.items() if found[name] > most]
    if slow or slowest > 2:
        raise SystemExit(f"slower than promised: {', '.join([*slow, 'a set' * (slowest > 2)])}")


if __name__ == "__main__":
    main()
