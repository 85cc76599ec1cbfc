"""What every peer's script shares: the same answers for all, CPU seconds of both halves, one line of JSON a method."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

SIZE = 1000
EPSILON = 1.0
# Calls before the clock runs: caches are filled and nothing is compiled any more.
_WARM = 200


def measure(
    name: str,
    count: int,
    privatise: Callable[[int], Any],
    estimate: Callable[[list[Any]], Any],
    *,
    clipped: bool = False,
) -> None:
    """Privatise the first `count` answers one by one, as the peer wants it, and estimate the shares."""
    answers = np.load(sys.argv[1])[:count].tolist()
    for answer in answers[:_WARM]:
        privatise(answer)
    start = time.process_time()
    reports = [privatise(answer) for answer in answers]
    middle = time.process_time()
    shares = np.asarray(estimate(reports), dtype=np.float64)
    end = time.process_time()
    line = {
        "name": name,
        "count": count,
        "privatise": middle - start,
        "estimate": end - middle,
        "shares": shares[:SIZE].tolist(),
        "clipped": clipped,
    }
    print(json.dumps(line), flush=True)
