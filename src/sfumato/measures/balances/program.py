"""One concave program, solved well enough to be judged: largest H(Y) + gains·q over laws q of large entropy.

    maximise  H(qW) + gains·q   subject to   H(q) + sizes·q ≥ floor,   limits q ≥ 0,   q a law        (all in nats)

A primal-dual interior-point method that may start outside of the limits. Nothing is believed that it returns: its law
only proposes a lower bound and its multipliers an upper bound, and both are evaluated afterwards with their rounding.
Ref: docs/theory/balance.md
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sfumato.prob.exact import FloatArray

_MOST_STEPS = 60
_SHRINK = 0.15
_TINY = 1e-300


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Program:
    """The data of the program; `sizes` are the logarithms of the classes' member counts."""

    rows: FloatArray
    gains: FloatArray
    sizes: FloatArray
    floor: float
    limits: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Step:
    """Where the method stands: a law, the price of entropy, the prices of the limits, and how far it may have to go."""

    law: FloatArray
    entropy_price: float
    limit_prices: FloatArray
    gap: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Iterate:
    """The law, the slack of entropy and limits, their prices, the prices of q ≥ 0 and the one of Σq = 1."""

    law: FloatArray
    slack: FloatArray
    prices: FloatArray
    idle: FloatArray
    level: float


def interior_steps(program: Program, start: FloatArray) -> Iterator[Step]:
    """Yield steps that approach the optimum; it ends when Newton's matrix can no longer be solved."""
    slack = np.maximum(_margins(program, start), 0.1)
    iterate: _Iterate | None = _Iterate(
        law=start, slack=slack, prices=0.1 / slack, idle=np.full(len(start), 0.1), level=0.0
    )
    for _ in range(_MOST_STEPS):
        if iterate is None:
            return
        step, iterate = _advanced(program, iterate)
        yield step


def _advanced(program: Program, at: _Iterate) -> tuple[Step, _Iterate | None]:
    """Judge an iterate and take one step of Newton's method on the perturbed optimality conditions."""
    # Far from the optimum a quotient may overflow; such a step is not finite and ends the search.
    with np.errstate(all="ignore"):
        law, slack, prices, idle = at.law, at.slack, at.prices, at.idle
        outputs = np.maximum(law @ program.rows, _TINY)
        jacobian = np.vstack([program.sizes - np.log(law) - 1, program.limits])
        dual = program.rows @ (np.log(outputs) + 1) - program.gains - prices @ jacobian - idle + at.level
        primal = _margins(program, law) - slack
        excess = float(law.sum() - 1)
        gap = float(prices @ slack + idle @ law)
        off = float(np.abs(primal).max()) + abs(excess) + float(law @ np.abs(dual))
        step = Step(law=law / law.sum(), entropy_price=float(prices[0]), limit_prices=prices[1:], gap=gap + off)

        target = _SHRINK * gap / (len(law) + len(slack))
        matrix = (program.rows / outputs) @ program.rows.T + (jacobian.T * (prices / slack)) @ jacobian
        matrix[np.diag_indices(len(law))] += (prices[0] + idle) / law
        right = -dual + ((target - slack * prices - prices * primal) / slack) @ jacobian + (target - law * idle) / law
        try:
            both = np.linalg.solve(matrix, np.column_stack([right, np.ones(len(law))]))
        except np.linalg.LinAlgError:
            return step, None
        level_step = float((both[:, 0].sum() + excess) / both[:, 1].sum())
        law_step = both[:, 0] - level_step * both[:, 1]
        slack_step = jacobian @ law_step + primal
        price_step = (target - slack * prices - prices * slack_step) / slack
        idle_step = (target - law * idle - idle * law_step) / law
        if not all(np.isfinite(part).all() for part in (law_step, slack_step, price_step, idle_step)):
            return step, None
        forward = min(_longest(law, law_step), _longest(slack, slack_step))
        back = min(_longest(prices, price_step), _longest(idle, idle_step))
        return step, _Iterate(
            law=np.maximum(law + forward * law_step, _TINY),
            slack=np.maximum(slack + forward * slack_step, _TINY),
            prices=np.maximum(prices + back * price_step, _TINY),
            idle=np.maximum(idle + back * idle_step, _TINY),
            level=at.level + back * level_step,
        )


def _margins(program: Program, law: FloatArray) -> FloatArray:
    entropy = float(law @ (program.sizes - np.log(law))) - program.floor
    return np.concatenate([[entropy], program.limits @ law])


def _longest(point: FloatArray, direction: FloatArray) -> float:
    """How far one may go along `direction` and stay positive, at most one full step."""
    falling = direction < 0
    if not falling.any():
        return 1.0
    return min(1.0, 0.99 * float((-point[falling] / direction[falling]).min()))
