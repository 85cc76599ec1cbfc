"""Likelihoods of logistic, ordered and mixture models, and the climb to their maximum.

A report has the likelihood l = Σ_k A_k·π_k with π the law of the answers given the covariates. With r_k = A_k·π_k/l,
the law of the answer given the report too, the gradient by the linear predictors is r - π and the Hessian Cov_r -
Cov_π: what the answers would tell, less what stays open after the report [Lou82].   Theory: docs/theory/regression.md
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from sfumato.errors import NotFitted
from sfumato.inference.regression.columns import IntArray

# Climb a log-likelihood: a few steps of EM to begin with, then Newton's on the observed Hessian.
#
# The gradient of EM's auxiliary function at the present point is that of the log-likelihood (Fisher's identity), so
# one Newton step of the M-step goes along I⁻¹g, I being the information that the answers themselves would have
# [Lan95]. It always climbs; Newton's own step does where the observed Hessian is negative definite, and ends in few
# steps [Lou82].


MOST_STEPS = 100
"""Steps after which a fit that is not at its end is refused."""

_EM_STEPS = 2
_HALVINGS = 30
# The gradient in units of its own standard error; the last step then leaves the square of it.
_AT_THE_TOP = 1e-7
# In units of standardised columns: a coefficient that still moves so far where nothing is gained has no end.
_STILL_MOVING = 1e-4
_LONGEST = 5.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Slope:
    """A log-likelihood at a point: its value, gradient, and minus its second derivatives or what stands for them."""

    value: float
    gradient: FloatArray
    information: FloatArray


class Hill(Protocol):
    """A log-likelihood that can be climbed."""

    @property
    def names(self) -> Sequence[str]:
        """What each coordinate is called where it is to be blamed."""
        ...

    def slope(self, point: FloatArray, *, complete: bool) -> Slope:
        """Return value and derivatives; `complete`: with the information of the answers instead of the reports."""
        ...

    def scores(self, point: FloatArray) -> FloatArray:
        """Return the gradient of each row's log-likelihood, without its weight."""
        ...

    @property
    def stuck(self) -> tuple[str, str]:
        """Rule and way out for a climb that ends at a wall."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Peak:
    """Where a log-likelihood is highest, and its observed information there."""

    point: FloatArray
    value: float
    information: FloatArray
    steps: int


def climbed(hill: Hill, start: FloatArray, *, most_steps: int = MOST_STEPS) -> Peak:
    """Return the maximum near `start`, or refuse with the columns that have no finite best coefficient."""
    point = start
    here = hill.slope(point, complete=True)
    if not np.isfinite(here.value):
        raise _stuck(hill)
    complete = True
    for step in range(1, most_steps + 1):
        way = _ascent(here)
        if way is None:
            here, complete = hill.slope(point, complete=True), True
            way = _ascent(here)
            if way is None:
                raise _endless(hill, np.ones(len(point)))
        size = float(np.abs(way).max())
        if np.abs(here.gradient / np.sqrt(np.diag(here.information))).max() <= _AT_THE_TOP:
            if size > _STILL_MOVING:
                raise _endless(hill, way)
            if not complete:
                return Peak(point=point + way, value=here.value, information=here.information, steps=step)
            if step > _EM_STEPS:
                # The gradient is zero and the observed Hessian is not definite: the reports leave a direction open.
                raise _endless(hill, _weakest(hill.slope(point, complete=False).information))
        way = way * min(1.0, _LONGEST / max(size, 1e-300))
        # EM's steps are short where much is hidden; the observed Hessian is asked for as soon as they are done.
        following = step < _EM_STEPS
        found = _higher(hill, point, here, way, complete=following)
        if found is None:
            raise _stuck(hill)
        point, here = found
        complete = following
    if np.abs(point - start).max() > _LONGEST * 3:
        raise _endless(hill, point - start)
    raise NotFitted(
        f"did not come to an end in {most_steps} steps",
        parameter="model",
        way_out="Leave out columns, merge answers, or take more reports.",
    )


def inverse(information: FloatArray) -> FloatArray:
    """Return the inverse of a positive definite matrix, scaled first so that units do not matter."""
    scale = 1 / np.sqrt(np.diag(information))
    found: FloatArray = np.linalg.inv(information * np.outer(scale, scale)) * np.outer(scale, scale)
    return (found + found.T) / 2


def _ascent(here: Slope) -> FloatArray | None:
    """I⁻¹g, or None where I is not positive definite beyond rounding."""
    diagonal = np.diag(here.information)
    if not (diagonal > 0).all():
        return None
    scale = 1 / np.sqrt(diagonal)
    try:
        root = np.linalg.cholesky(here.information * np.outer(scale, scale))
    except np.linalg.LinAlgError:
        return None
    if np.diag(root).min() < 1e-7:
        return None
    found: FloatArray = scale * np.linalg.solve(root.T, np.linalg.solve(root, scale * here.gradient))
    return found


def _higher(
    hill: Hill, point: FloatArray, here: Slope, way: FloatArray, *, complete: bool
) -> tuple[FloatArray, Slope] | None:
    slack = 1e-12 * (1 + abs(here.value))
    for _ in range(_HALVINGS):
        there = hill.slope(point + way, complete=complete)
        if there.value >= here.value - slack:
            return point + way, there
        way = way / 2
    return None


def _weakest(information: FloatArray) -> FloatArray:
    found: FloatArray = np.linalg.eigh(information)[1][:, 0]
    return found


def _stuck(hill: Hill) -> NotFitted:
    rule, way_out = hill.stuck
    return NotFitted(rule, parameter="model", way_out=way_out)


def _endless(hill: Hill, way: FloatArray) -> NotFitted:
    large = np.abs(way) > 0.1 * np.abs(way).max()
    blamed = list(dict.fromkeys(name for name, one in zip(hill.names, large, strict=True) if one))
    return NotFitted(
        "has no finite best coefficients: the reports fit ever better, or equally well, as these grow: "
        f"{', '.join(blamed)}. Either columns separate the answers, or the reports lean further to one side than any "
        "share explains, or they do not tell these coefficients apart",
        parameter="model",
        way_out="Leave out or merge the columns or answers named, take more reports, or fit a linear model.",
    )


FloatArray = npt.NDArray[np.float64]

# Rows that are gone through at a time: what is made of them stays in the processor's memory, and products of ten
# columns stay with one thread, so that a busy machine does not make them wait for each other.
CHUNK = 1 << 11
TINY = 1e-300


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LogitHill:
    """log-likelihood of coefficients, a block an answer after the first, over the columns of `design`."""

    table: FloatArray
    kinds: IntArray
    design: FloatArray
    labels: tuple[str, ...]
    columns: tuple[str, ...]
    weights: FloatArray | None = None

    @property
    def blocks(self) -> int:
        """How many answers have coefficients."""
        return len(self.labels) - 1

    @property
    def names(self) -> Sequence[str]:
        """The columns, once for each block."""
        return self.columns * self.blocks

    @property
    def stuck(self) -> tuple[str, str]:
        """What is wrong where no step climbs."""
        return "cannot be improved and is not at its maximum either", "Leave out columns or merge answers."

    def slope(self, point: FloatArray, *, complete: bool) -> Slope:
        """Value, gradient and information; see `Hill`."""
        blocks, width = self.blocks, self.design.shape[1]
        value = 0.0
        gradient = np.zeros((blocks, width))
        information = np.zeros((blocks, width, blocks, width))
        for rows, weights, seen, laws, posteriors in self._parts(point):
            x = self.design[rows]
            logs = np.log(np.maximum(seen, TINY))
            value += float(logs.sum() if weights is None else weights @ logs)
            for j in range(blocks):
                p, r = laws[j + 1], posteriors[j + 1]
                gradient[j] += _weighted(r - p, weights) @ x
                for k in range(j + 1):
                    curve = (p if j == k else 0.0) - p * laws[k + 1]
                    if not complete:
                        curve = curve - ((r if j == k else 0.0) - r * posteriors[k + 1])
                    information[j, :, k] += x.T @ (_weighted(curve, weights)[:, None] * x)
        for j in range(blocks):
            for k in range(j):
                information[k, :, j] = information[j, :, k].T
        size = blocks * width
        return Slope(value=value, gradient=gradient.reshape(size), information=information.reshape(size, size))

    def scores(self, point: FloatArray) -> FloatArray:
        """The gradient of each row; see `Hill`."""
        width = self.design.shape[1]
        found = np.empty((len(self.kinds), self.blocks * width))
        for rows, _, _, laws, posteriors in self._parts(point):
            for j in range(self.blocks):
                errors = posteriors[j + 1] - laws[j + 1]
                found[rows, j * width : (j + 1) * width] = errors[:, None] * self.design[rows]
        return found

    def _parts(
        self, point: FloatArray
    ) -> Iterator[tuple[slice, FloatArray | None, FloatArray, list[FloatArray], list[FloatArray]]]:
        """Rows at a time: their weights, likelihoods l, laws π and laws r, an array an answer."""
        columns = np.ascontiguousarray(self.table.T)
        steps = point.reshape(self.blocks, -1).T
        for at in range(0, len(self.kinds), CHUNK):
            rows = slice(at, at + CHUNK)
            laws = logit_laws((self.design[rows] @ steps).T)
            kinds = self.kinds[rows]
            joint = [column[kinds] * law for column, law in zip(columns, laws, strict=True)]
            seen = joint[0] + joint[1]
            for one in joint[2:]:
                seen += one
            over = 1 / np.maximum(seen, TINY)
            weights = None if self.weights is None else self.weights[rows]
            yield rows, weights, seen, laws, [one * over for one in joint]


def logit_laws(predictors: FloatArray) -> list[FloatArray]:
    """The law of the answers, an array an answer, the first having the predictor 0."""
    highest = np.maximum(predictors.max(axis=0), 0.0)
    powers = [np.exp(-highest), *(np.exp(one - highest) for one in predictors)]
    over = 1 / np.sum(powers, axis=0)
    return [one * over for one in powers]


def _weighted(numbers: FloatArray, weights: FloatArray | None) -> FloatArray:
    return numbers if weights is None else numbers * weights


# Cumulative logits of ordered answers that are seen through channels.
#
# An answer is at most the k-th with probability F(t_k), t_k = threshold_k - xβ and F the logistic function [McC80]. So
# the likelihood of a report, l = Σ_k A_k·(F(t_k) - F(t_(k-1))), is linear in the F(t_k) with factors D_k = A_k -
# A_(k+1); its derivatives are those of F.   Theory: docs/theory/regression.md


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Part:
    """Some rows: all arrays have a row a threshold (`laws`: an answer) and a column a respondent."""

    rows: slice
    seen: FloatArray
    laws: FloatArray
    chances: FloatArray
    densities: FloatArray
    falls: FloatArray
    """D_k over l."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OrderedHill:
    """log-likelihood of the coefficients of `design`, which has no constant, and then of the thresholds."""

    table: FloatArray
    kinds: IntArray
    design: FloatArray
    labels: tuple[str, ...]
    columns: tuple[str, ...]
    weights: FloatArray | None = None

    @property
    def names(self) -> Sequence[str]:
        """The columns, then the thresholds."""
        return (*self.columns, *threshold_names(self.labels))

    @property
    def stuck(self) -> tuple[str, str]:
        """What is wrong where no step climbs."""
        return (
            "has thresholds that meet: the reports are likeliest when nobody has an answer between them",
            "Merge a rare answer with its neighbour, or take more reports.",
        )

    def slope(self, point: FloatArray, *, complete: bool) -> Slope:
        """Value, gradient and information; see `Hill`."""
        width, count = self.design.shape[1], len(self.labels) - 1
        size = width + count
        gradient, information = np.zeros(size), np.zeros((size, size))
        if not (np.diff(point[width:]) > 0).all():
            return Slope(value=-np.inf, gradient=gradient, information=information)
        value = 0.0
        for part in self._parts(point):
            x = self.design[part.rows]
            weights = np.ones(len(x)) if self.weights is None else self.weights[part.rows]
            value += float(weights @ np.log(np.maximum(part.seen, TINY)))
            slopes = part.falls * part.densities
            gradient += np.concatenate([-((weights * slopes.sum(axis=0)) @ x), slopes @ weights])
            curves = _complete_curves(part) if complete else _observed_curves(part, slopes)
            curves = curves * weights
            beside = curves.sum(axis=1)
            information[:width, :width] += x.T @ (beside.sum(axis=0)[:, None] * x)
            information[width:, :width] -= beside @ x
            information[width:, width:] += curves.sum(axis=2)
        information[:width, width:] = information[width:, :width].T
        return Slope(value=value, gradient=gradient, information=information)

    def scores(self, point: FloatArray) -> FloatArray:
        """The gradient of each row; see `Hill`."""
        found = np.empty((len(self.kinds), self.design.shape[1] + len(self.labels) - 1))
        for part in self._parts(point):
            slopes = part.falls * part.densities
            sums = slopes.sum(axis=0)[:, None] * self.design[part.rows]
            found[part.rows] = np.concatenate([-sums, slopes.T], axis=1)
        return found

    def _parts(self, point: FloatArray) -> Iterator[_Part]:
        width = self.design.shape[1]
        columns = np.ascontiguousarray(self.table.T)
        for at in range(0, len(self.kinds), CHUNK):
            rows = slice(at, at + CHUNK)
            places = point[width:, None] - self.design[rows] @ point[:width]
            chances, laws = ordered_laws(places)
            likelihoods = columns[:, self.kinds[rows]]
            seen = (likelihoods * laws).sum(axis=0)
            yield _Part(
                rows=rows,
                seen=seen,
                laws=laws,
                chances=chances,
                densities=chances * _logistic(-places),
                falls=(likelihoods[:-1] - likelihoods[1:]) / np.maximum(seen, TINY),
            )


def ordered_laws(places: FloatArray) -> tuple[FloatArray, FloatArray]:
    """F(t_k) and the law of the answers, a row each; differences of F by a formula that does not cancel."""
    below, above = _logistic(places), _logistic(-places)
    # F(b) - F(a) = F(b)·(1 - F(a))·(1 - exp(a - b))
    between = below[1:] * above[:-1] * -np.expm1(np.minimum(places[:-1] - places[1:], 0.0))
    return below, np.concatenate([below[:1], between, above[-1:]])


def threshold_names(labels: tuple[str, ...]) -> tuple[str, ...]:
    """What thresholds are called: the answers that they lie between."""
    return tuple(f"{lower}|{upper}" for lower, upper in itertools.pairwise(labels))


def _observed_curves(part: _Part, slopes: FloatArray) -> FloatArray:
    """s·sᵀ - diag(D·f'/l), with f' = f·(1 - 2F)."""
    found: FloatArray = slopes[:, None] * slopes[None]
    for k, bend in enumerate(part.falls * part.densities * (1 - 2 * part.chances)):
        found[k, k] -= bend
    return found


def _complete_curves(part: _Part) -> FloatArray:
    """The information of an answer: Σ_k (∂π_k)(∂π_k)ᵀ/π_k, where π_k moves with its two thresholds only."""
    count = len(part.densities)
    found = np.zeros((count, count, part.densities.shape[1]))
    over = 1 / np.maximum(part.laws, TINY)
    for k, density in enumerate(part.densities):
        found[k, k] = density**2 * (over[k] + over[k + 1])
        if k + 1 < count:
            found[k, k + 1] = found[k + 1, k] = -density * part.densities[k + 1] * over[k + 1]
    return found


def _logistic(numbers: FloatArray) -> FloatArray:
    small = np.exp(-np.abs(numbers))
    found: FloatArray = np.where(numbers >= 0, 1.0, small) / (1 + small)
    return found


# Models with a covariate that is seen through a channel: a mixture over its answers.
#
# l = Σ_k A_k·π_k(z)·g_k(y), g_k being the law of the outcome if the covariate's answer is k. With r the law of that
# answer given everything seen, the gradient is the mean under r of what it would be if the answer were known, and the
# Hessian the mean of its Hessian plus the covariance, under r, of its gradient [Lou82].
# Theory: docs/theory/regression.md


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Bend:
    """log g at linear predictors: its value and derivatives, by the predictor and by a last number of the model."""

    log: FloatArray
    first: FloatArray
    second: FloatArray
    known: FloatArray
    """Minus the second derivative to be expected if the outcome were not randomised."""
    last: FloatArray | None = None
    crossed: FloatArray | None = None
    last_twice: FloatArray | None = None


class OutcomeLaw(Protocol):
    """The law of the outcome given its linear predictor."""

    @property
    def extra(self) -> int:
        """How many numbers it has beside the predictor: 1 for a spread, else 0."""
        ...

    def bend(self, rows: slice, predictor: FloatArray, last: float) -> Bend:
        """log g of some rows."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReportedAnswers:
    """An outcome of two answers through a channel: g = a_0 + (a_1 - a_0)·F(η)."""

    table: FloatArray
    kinds: IntArray

    @property
    def extra(self) -> int:
        """None."""
        return 0

    def bend(self, rows: slice, predictor: FloatArray, last: float) -> Bend:  # noqa: ARG002  no number beside it
        """Return derivatives by F' = F(1 - F) and F'' = F'(1 - 2F)."""
        none, chance = logit_laws(predictor[None])
        low, high = self.table[self.kinds[rows]].T
        seen = np.maximum(low * none + high * chance, TINY)
        slope = chance * none
        first = (high - low) * slope / seen
        second = (high - low) * slope * (none - chance) / seen - first**2
        return Bend(log=np.log(seen), first=first, second=second, known=slope)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NormalNumbers:
    """An outcome that is a number, normal about η; the last number is the logarithm of its spread."""

    numbers: FloatArray

    @property
    def extra(self) -> int:
        """The spread."""
        return 1

    def bend(self, rows: slice, predictor: FloatArray, last: float) -> Bend:
        """Return derivatives of -e²/2s² - log s."""
        precision = np.exp(-2 * last)
        rest = self.numbers[rows] - predictor
        squares = rest**2 * precision
        return Bend(
            log=-squares / 2 - last - np.log(2 * np.pi) / 2,
            first=rest * precision,
            second=np.full(len(rest), -precision),
            known=np.full(len(rest), precision),
            last=squares - 1,
            crossed=-2 * rest * precision,
            last_twice=-2 * squares,
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MixtureHill:
    """log-likelihood of: coefficients of the outcome, its last number, blocks of coefficients of the predictor."""

    law: OutcomeLaw
    designs: tuple[FloatArray, ...]
    table: FloatArray
    kinds: IntArray
    given: FloatArray
    columns: tuple[str, ...]
    weights: FloatArray | None = None

    @property
    def names(self) -> Sequence[str]:
        """Coordinates by the columns that they belong to."""
        return self.columns

    @property
    def stuck(self) -> tuple[str, str]:
        """What is wrong where no step climbs."""
        return "cannot be improved and is not at its maximum either", "Leave out columns or merge answers."

    def slope(self, point: FloatArray, *, complete: bool) -> Slope:
        """Value, gradient and information; see `Hill`."""
        width, size = self.designs[0].shape[1], len(point)
        head = width + self.law.extra
        value, gradient = 0.0, np.zeros(size)
        information = np.zeros((size, size))
        for rows, seen, laws, posteriors, bends in self._parts(point):
            z = self.given[rows]
            weights = np.ones(len(z)) if self.weights is None else self.weights[rows]
            value += float(weights @ seen)
            score = np.zeros((len(z), size))
            for k, (bend, r) in enumerate(zip(bends, posteriors, strict=True)):
                own = self._own(rows, k, bend, laws)
                score += r[:, None] * own
                share = weights * r
                x = self.designs[k][rows]
                curve = bend.known if complete else -bend.second
                information[:width, :width] += x.T @ ((share * curve)[:, None] * x)
                if bend.last_twice is not None and bend.crossed is not None:
                    information[width, width] += 2 * share.sum() if complete else -share @ bend.last_twice
                    if not complete:
                        information[:width, width] -= (share * bend.crossed) @ x
                        information[width, :width] -= (share * bend.crossed) @ x
                if not complete:
                    information -= own.T @ (share[:, None] * own)
            gradient += weights @ score
            if not complete:
                information += score.T @ (weights[:, None] * score)
            _add_law_information(information[head:, head:], laws, z, weights)
        return Slope(value=value, gradient=gradient, information=information)

    def scores(self, point: FloatArray) -> FloatArray:
        """The gradient of each row; see `Hill`."""
        found = np.zeros((len(self.kinds), len(point)))
        for rows, _, laws, posteriors, bends in self._parts(point):
            for k, (bend, r) in enumerate(zip(bends, posteriors, strict=True)):
                found[rows] += r[:, None] * self._own(rows, k, bend, laws)
        return found

    def _own(self, rows: slice, k: int, bend: Bend, laws: list[FloatArray]) -> FloatArray:
        """The gradient of each row if the covariate's answer is the k-th."""
        z = self.given[rows]
        parts = [bend.first[:, None] * self.designs[k][rows]]
        if bend.last is not None:
            parts.append(bend.last[:, None])
        parts += [(float(k == j) - law)[:, None] * z for j, law in enumerate(laws) if j]
        return np.concatenate(parts, axis=1)

    def _parts(
        self, point: FloatArray
    ) -> Iterator[tuple[slice, FloatArray, list[FloatArray], list[FloatArray], list[Bend]]]:
        """Rows at a time: log l, laws π and r of the covariate's answer, and the outcome's law under each."""
        width = self.designs[0].shape[1]
        head = width + self.law.extra
        last = float(point[width]) if self.law.extra else 0.0
        steps = point[head:].reshape(len(self.designs) - 1, -1).T
        columns = np.ascontiguousarray(self.table.T)
        for at in range(0, len(self.kinds), CHUNK):
            rows = slice(at, at + CHUNK)
            laws = logit_laws((self.given[rows] @ steps).T)
            bends = [self.law.bend(rows, design[rows] @ point[:width], last) for design in self.designs]
            kinds = self.kinds[rows]
            logs = np.stack([bend.log for bend in bends])
            highest = logs.max(axis=0)
            joint = np.stack([column[kinds] * law for column, law in zip(columns, laws, strict=True)])
            joint *= np.exp(logs - highest)
            total = np.maximum(joint.sum(axis=0), TINY)
            yield rows, np.log(total) + highest, laws, list(joint / total), bends


def _add_law_information(information: FloatArray, laws: list[FloatArray], z: FloatArray, weights: FloatArray) -> None:
    """Add Cov_π ⊗ zzᵀ, the information of the covariate's answers."""
    width = z.shape[1]
    for j in range(1, len(laws)):
        for k in range(1, len(laws)):
            curve = (laws[j] if j == k else 0.0) - laws[j] * laws[k]
            block = z.T @ ((weights * curve)[:, None] * z)
            information[(j - 1) * width : j * width, (k - 1) * width : k * width] += block
