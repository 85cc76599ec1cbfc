"""Linear programs solved with their dual prices within a time limit."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter, NotCertified

# The time limit of a search. A search that reaches it returns what it has and says so.


class OutOfTime(Exception):
    """The time of a search is up; the search catches this and returns the best result so far."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """A moment on the clock until which a search may go on."""

    seconds: float
    until: float

    @classmethod
    def of(cls, seconds: float) -> Patience:
        """From now on for so many seconds; 0 means no search at all."""
        if not seconds >= 0:
            raise InvalidParameter(
                "must be a number of seconds ≥ 0", parameter="seconds", value=seconds, way_out="Write 5, or 0 for none."
            )
        return cls(seconds=seconds, until=time.monotonic() + seconds)

    @property
    def left(self) -> float:
        """Seconds that are left."""
        return max(0.0, self.until - time.monotonic())

    def check(self) -> None:
        """Raise OutOfTime when nothing is left."""
        if self.left <= 0:
            raise OutOfTime


FOREVER = Patience(seconds=math.inf, until=math.inf)


FloatArray = npt.NDArray[np.float64]

# Feasible and optimal up to this. A proof cleans the solution and recomputes it in fractions.
_TOLERANCE = 1e-10
_TIME_IS_UP = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Solved:
    """An optimum: the variables, the prices ≥ 0 of the inequalities, and the value."""

    values: FloatArray
    prices: FloatArray
    value: float


def get_ready() -> None:
    """Import the solver, so that the time of a search is not spent on that."""
    import scipy.optimize  # noqa: PLC0415  scipy is slow to import
    import scipy.sparse  # noqa: F401, PLC0415


def solve(
    costs: FloatArray,
    above: Any,
    limits: FloatArray,
    equal: Any,
    sums: FloatArray,
    bounds: FloatArray,
    patience: Patience = FOREVER,
    *,
    inner: bool = False,
) -> Solved:
    """Minimise costs·v with above·v ≤ limits, equal·v = sums and bounds; raises unless it is solved.

    With `inner` by interior points, which are faster for large programs without much structure.
    """
    from scipy.optimize import linprog  # noqa: PLC0415  scipy is slow to import

    options: dict[str, float] = {"primal_feasibility_tolerance": _TOLERANCE, "dual_feasibility_tolerance": _TOLERANCE}
    if patience.until < math.inf:
        patience.check()
        options["time_limit"] = patience.left
    found = linprog(
        costs,
        A_ub=above,
        b_ub=limits,
        A_eq=equal,
        b_eq=sums,
        bounds=bounds,
        method="highs-ipm" if inner else "highs",
        options=options,
    )
    if found.status == _TIME_IS_UP and patience.until < math.inf:
        raise OutOfTime
    if found.status != 0:
        raise NotCertified(
            "the solver did not reach the optimum of a response's program",
            way_out="Try fewer values or responses, or another `rho`.",
        )
    return Solved(
        values=np.asarray(found.x, dtype=np.float64),
        prices=np.maximum(0.0, -np.asarray(found.ineqlin.marginals, dtype=np.float64)),
        value=float(found.fun),
    )
