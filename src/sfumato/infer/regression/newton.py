"""Climb a log-likelihood: a few steps of EM to begin with, then Newton's on the observed Hessian.

The gradient of EM's auxiliary function at the present point is that of the log-likelihood (Fisher's identity), so one
Newton step of the M-step goes along I⁻¹g, I being the information that the answers themselves would have [Lan95]. It
always climbs; Newton's own step does where the observed Hessian is negative definite, and ends in few steps [Lou82].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from sfumato.errors import NotFitted

FloatArray = npt.NDArray[np.float64]

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
