"""The capacity of channels as a convex program of cvxpy, solved by Clarabel, in an environment of its own."""

from __future__ import annotations

import json
import math
import sys
import time

import cvxpy as cp
import numpy as np


def main() -> None:
    held = np.load(sys.argv[1])
    for name in sorted(held.files):
        if name.startswith("rows"):
            rows = held[name]
            law = cp.Variable(len(rows), nonneg=True)
            own = (rows * np.log(np.where(rows > 0, rows, 1.0))).sum(axis=1)
            problem = cp.Problem(cp.Maximize(cp.sum(cp.entr(rows.T @ law)) + own @ law), [cp.sum(law) == 1])
            problem.solve(solver=cp.CLARABEL)  # warm: the first call compiles the problem
            start = time.process_time()
            value = problem.solve(solver=cp.CLARABEL)
            seconds = time.process_time() - start
            print(json.dumps({"name": name, "seconds": seconds, "value": value / math.log(2)}), flush=True)


if __name__ == "__main__":
    main()
