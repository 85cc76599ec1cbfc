"""The survey whose shares have the least variances in all: Frank and Wolfe's steps, each asked of a linear program.

Minimised is the largest over some laws θ of (tr F⁻¹ - |θ|²)/scale, over mixtures of the columns within the limits; one
law is the plain case. The criterion is convex, so it lies above its tangents, and a linear program finds the survey at
which the largest tangent is lowest. That is the next step, and what is there is a floor under all surveys [FW56],
[Jag13]. All surveys found so far are then mixed as well as can be. The prices of the last program are what
:mod:`sfumato.design.variance_floors` proves the floor from again, in fractions and without a solver.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from sfumato.design.answer_limits import AnswerLimits
from sfumato.design.column_rays import ReportColumn
from sfumato.design.variance_floors import FloorProof, Shares
from sfumato.errors import InvalidParameter, NotCertified

FloatArray = npt.NDArray[np.float64]

_MOST_STEPS = 60
_CLOSE = 1e-9
_DUST = 1e-9
# Relative to the largest: below this a direction is not seen at all.
_UNSEEN = 1e-9
# What a proof is written in.
_PROOF_BITS = 50


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LeastVariance:
    """How much of each column, the value that is reached, what none is below, and what proves it."""

    amounts: FloatArray
    value: float
    floor: float
    proof: FloorProof


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Step:
    """What the program says: the survey to go to, the floor, how much each law pulls, and the prices."""

    survey: FloatArray
    floor: float
    pulls: FloatArray
    answer_prices: FloatArray
    guess_price: float


def least_variance(
    limits: AnswerLimits, columns: Sequence[ReportColumn], laws: Sequence[Shares], scales: Sequence[float]
) -> LeastVariance:
    """Find the mixture of columns with the least of the largest scaled total variance.

    Where steps no longer help before value and floor meet, what was reached is returned with both.
    """
    problem = _Problem(limits, columns, laws, scales)
    mixed = problem.first_surveys()
    shares = np.full(len(mixed), 1 / len(mixed))
    value, floor = np.inf, -np.inf
    for _ in range(_MOST_STEPS):
        shares = problem.best_mixture(mixed, shares)
        amounts = shares @ np.array(mixed)
        values, inverses = problem.values(amounts)
        if values.max() < value:
            value, best = float(values.max()), amounts
        step = problem.step(values, inverses)
        if step.floor > floor:
            floor, proof = step.floor, problem.proof(inverses, step)
        if value - floor <= _CLOSE * value:
            break
        kept = shares > _DUST
        mixed = [*(survey for survey, stays in zip(mixed, kept, strict=True) if stays), step.survey]
        # The new one begins with a little.
        shares = np.append(shares[kept] / shares[kept].sum() * 0.9, 0.1)
    return LeastVariance(amounts=best, value=value, floor=floor, proof=proof)


class _Problem:
    """The columns as arrays, and the questions that are asked of them."""

    def __init__(
        self, limits: AnswerLimits, columns: Sequence[ReportColumn], laws: Sequence[Shares], scales: Sequence[float]
    ) -> None:
        self.columns = np.array([[float(p) for p in column.chances] for column in columns])
        self.costs = np.array([float(column.cost) for column in columns])
        self.most_right = float(limits.most_right)
        self.laws = np.array([[float(share) for share in law] for law in laws])
        self.scales = np.asarray(scales, dtype=np.float64)
        self.known = np.square(self.laws).sum(axis=1)
        self.chances = self.laws @ self.columns.T
        self.count, self.size = self.columns.shape

    def informations(self, amounts: FloatArray) -> FloatArray:
        """F of a survey, for each law."""
        found: FloatArray = np.einsum(
            "ly,yi,yj->lij", amounts / self.chances, self.columns, self.columns, optimize=True
        )
        return found

    def values(self, amounts: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the scaled total variances and F⁻¹, for each law."""
        return self._of(self.informations(amounts))

    def _of(self, informations: FloatArray) -> tuple[FloatArray, FloatArray]:
        inverses = np.asarray(np.linalg.inv(informations), dtype=np.float64)
        return (np.trace(inverses, axis1=1, axis2=2) - self.known) / self.scales, inverses

    def step(self, values: FloatArray, inverses: FloatArray) -> _Step:
        """Find the survey at which the largest tangent is lowest.

        tr F⁻¹ falls by |F⁻¹p|²/(θ·p) for each bit of a column p, and by tr F⁻¹ for all of what there is.
        """
        moved = np.einsum("lij,yj->lyi", inverses, self.columns)
        falls = np.square(moved).sum(axis=2) / self.chances / self.scales[:, None]
        tops = values + np.trace(inverses, axis1=1, axis2=2) / self.scales
        survey, level, pulls, prices, guess_price = self._program(falls, tops)
        return _Step(survey=survey, floor=level, pulls=pulls, answer_prices=prices, guess_price=guess_price)

    def _program(self, falls: FloatArray, tops: FloatArray) -> tuple[FloatArray, float, FloatArray, FloatArray, float]:
        """Minimise the largest of tops - falls·survey over surveys within the limits."""
        from scipy.optimize import linprog  # noqa: PLC0415  scipy is slow to import

        # The program is asked in numbers near 1: very large ones would stop it early.
        unit = float(falls.max())
        found = linprog(
            np.append(np.zeros(self.count), 1.0),
            A_ub=np.vstack(
                [np.append(self.costs, 0.0), np.hstack([-falls / unit, -np.ones((len(falls), 1))])],
            ),
            b_ub=np.append(self.most_right, -tops / unit),
            A_eq=np.hstack([self.columns.T, np.zeros((self.size, 1))]),
            b_eq=np.ones(self.size),
            bounds=[*[(0.0, None)] * self.count, (None, None)],
            method="highs",
            options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
        )
        if found.status != 0:
            raise NotCertified(
                "the solver did not reach the optimum of a survey's program",
                way_out="Give `guess_error` a little less, or weights that differ less.",
            )
        marginals = -np.asarray(found.ineqlin.marginals)
        pulls = np.maximum(marginals[1:], 0.0)
        return (
            np.maximum(found.x[:-1], 0.0),
            unit * float(found.x[-1]),
            pulls / pulls.sum(),
            -unit * np.asarray(found.eqlin.marginals),
            unit * max(0.0, float(marginals[0])),
        )

    def first_surveys(self) -> list[FloatArray]:
        """Return a few surveys that tell all shares together; refuses where none does."""
        zero = np.zeros(1)
        found = [self._program((np.square(self.columns).sum(axis=1) / self.chances[0])[None], zero)[0]]
        while True:
            information = self.informations(np.mean(found, axis=0))[0]
            sizes, directions = np.linalg.eigh(information)
            if sizes[0] > _UNSEEN * sizes[-1]:
                return found
            unseen = directions[:, sizes <= _UNSEEN * sizes[-1]]
            gains = np.square(self.columns @ unseen).sum(axis=1) / self.chances[0]
            survey = self._program(gains[None], zero)[0]
            if len(found) > self.size or gains @ survey <= _UNSEEN * sizes[-1]:
                raise InvalidParameter(
                    "leaves some answers that no report within it tells apart",
                    parameter="guess_error",
                    way_out="Lower `guess_error`.",
                )
            found.append(survey)

    def best_mixture(self, surveys: Sequence[FloatArray], start: FloatArray) -> FloatArray:
        """Return the best mixture of surveys: the least level that is above all values."""
        from scipy.optimize import minimize  # noqa: PLC0415  scipy is slow to import

        parts = np.stack([self.informations(survey) for survey in surveys], axis=1)  # law, survey, i, j
        unit = float(self._of(np.einsum("s,lsij->lij", start, parts))[0].max())

        def rooms(point: FloatArray) -> FloatArray:
            found: FloatArray = point[-1] - self._of(np.einsum("s,lsij->lij", point[:-1], parts))[0] / unit
            return found

        def slopes(point: FloatArray) -> FloatArray:
            inverses = self._of(np.einsum("s,lsij->lij", point[:-1], parts))[1]
            falls = np.einsum("lij,lsjk,lki->ls", inverses, parts, inverses, optimize=True)
            return np.hstack([falls / self.scales[:, None] / unit, np.ones((len(falls), 1))])

        towards = np.append(np.zeros(start.size), 1.0)
        one = np.append(np.ones(start.size), 0.0)
        found = minimize(
            lambda point: float(point[-1]),
            np.append(start, 1.0),
            jac=lambda _: towards,
            bounds=[*[(0.0, 1.0)] * start.size, (0.0, None)],
            constraints=[
                {"type": "eq", "fun": lambda point: point @ one - 1, "jac": lambda _: one},
                {"type": "ineq", "fun": rooms, "jac": slopes},
            ],
            method="SLSQP",
            options={"maxiter": 200, "ftol": 1e-16},
        )
        # Wherever it stopped: what is reached is judged afterwards, and against the floor.
        mixed = np.maximum(found.x[:-1], 0.0)
        mixed /= mixed.sum()
        reached = self._of(np.einsum("s,lsij->lij", mixed, parts))[0].max()
        return mixed if reached < unit else start

    def proof(self, inverses: FloatArray, step: _Step) -> FloorProof:
        """Write down what proves the floor, in short fractions."""
        return FloorProof(
            matrices=tuple(tuple(tuple(_short(v) for v in row) for row in matrix) for matrix in inverses),
            counts=tuple(_short(v) for v in step.pulls / self.scales),
            answer_prices=tuple(_short(v) for v in step.answer_prices),
            guess_price=_short(step.guess_price),
        )


def _short(value: float) -> Fraction:
    """A float to so many digits, in binary; a proof may be any numbers, and short ones are quicker to check."""
    mantissa, exponent = np.frexp(float(value))
    return Fraction(round(float(mantissa) * (1 << _PROOF_BITS))) * Fraction(2) ** (int(exponent) - _PROOF_BITS)
