"""An independent optimum: a linear programme over likelihood ratios.

A yes/no channel is a set of reports, each with a mass c and a position t = p_1/(p_0+p_1). Both laws summing to 1, the
guess limit and any sum of a function of (p_0, p_1) that is homogeneous are linear in the masses, so the optimum over
all channels whose positions lie on a grid is a linear programme. The grid holds the ends and the kink.
"""

import math

import numpy as np
from scipy.optimize import linprog

from sfumato.surveys import Limits


def optimum(limits: Limits, gain, points: int = 401) -> float:
    """max Σ gain(p_0, p_1) over all channels within the limits; gain must be homogeneous of degree one."""
    w = float(limits.weight)
    least = 0.0 if limits.max_odds == math.inf else 1 / (1 + float(limits.max_odds))
    grid = np.unique(np.concatenate([np.linspace(least, 1 - least, points), [1 - w]]))
    grid = grid[(grid >= least) & (grid <= 1 - least)]
    first, second = 1 - grid, grid
    result = linprog(
        -np.array([gain(p, q) for p, q in zip(first, second, strict=True)]),
        A_ub=[np.abs((1 - w) * first - w * second)],
        b_ub=[float(limits.delta)],
        A_eq=[first, second],
        b_eq=[1, 1],
        method="highs-ds",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    assert result.status == 0, result.message
    return -result.fun


def fisher_gain(theta: float):
    return lambda p, q: (q - p) ** 2 / ((1 - theta) * p + theta * q)


def divergence_gain(theta_1: float, theta_2: float, f, slope_at_infinity: float = math.inf):
    def gain(p, q):
        first, second = (1 - theta_1) * p + theta_1 * q, (1 - theta_2) * p + theta_2 * q
        return second * f(first / second) if second > 0 else first * slope_at_infinity

    return gain
