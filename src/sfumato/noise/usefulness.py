"""Checks whether noise leaves an answer useful, by its standard deviation and the width of the answer.

A constant in the middle of a range errs by at most half its width. Where the standard deviation of the noise is at
least as large, a guess without the data is as good, so the release is refused. Both numbers are known before the data
are read.
Theory: docs/theory/gaussian_noise.md
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from functools import singledispatch

from sfumato.errors import NoisyReleaseWarning, UselessRelease
from sfumato.measures.dependence import Correlation
from sfumato.noise.channels import ExponentialDesign, FlipDesign
from sfumato.noise.gaussian_designs import GaussianDesign, OfRecords
from sfumato.noise.quantiles import PrivateQuantile
from sfumato.noise.shared_bits_designs import BelievedNoise
from sfumato.noise.vectors import VectorDesign

_USELESS, _POOR = 1 / 2, 1 / 4
_ALL_ALIKE = "the answer is drawn in the same way whatever the truth is"


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseScale:
    """The standard deviation of the noise on a number, and the `width` of the range that the number can lie in."""

    deviation: float
    width: float

    @property
    def ratio(self) -> float:
        """The deviation as a part of the width."""
        return self.deviation / self.width


@singledispatch
def scale_of(design: object) -> NoiseScale | None:  # noqa: ARG001  what is registered reads it
    """Return the scale of the noise on a number; None where the answer is no number.

    For several numbers it is that of each. A quantile is drawn by rank, with a deviation in ranks that the data do not
    change; in units of its grid that is exact for records that are spread evenly over the grid.

    >>> import sfumato as sf
    >>> from sfumato.noise.usefulness import scale_of
    >>> scale = scale_of(sf.noise.private_count(10_095, 0.1, correlated="anyone"))
    >>> round(scale.deviation), round(scale.width)
    (13087, 10095)
    """
    return None


@scale_of.register
def _of_number(design: GaussianDesign) -> NoiseScale:
    return NoiseScale(deviation=math.sqrt(design.variance), width=float(design.high - design.low))


@scale_of.register
def _of_records(design: OfRecords) -> NoiseScale:
    return _of_number(design.design)


@scale_of.register
def _of_vector(design: VectorDesign) -> NoiseScale:
    return NoiseScale(deviation=math.sqrt(design.variance), width=float(design.records))


@scale_of.register
def _of_beliefs(design: BelievedNoise) -> NoiseScale:
    subject = design.subject
    times = 1 if subject.statistic == "mean" else subject.records
    return NoiseScale(deviation=float(subject.deviation), width=float(times * (subject.high - subject.low)))


@scale_of.register
def _of_quantile(design: PrivateQuantile) -> NoiseScale:
    # A two-sided geometric law with the ratio e^-λ has the variance 2e^-λ/(1 - e^-λ)² = 1/(2 sinh²(λ/2)).
    ranks = 1 / (math.sqrt(2) * math.sinh(min(float(design.rate), 1e3) / 2))
    width = float(design.grid[-1] - design.grid[0])
    return NoiseScale(deviation=ranks / design.records * width, width=width)


def check_useful(design: object, *, allow_useless: bool = False) -> None:
    """Refuse noise with which a guess without the data is as good, and warn (`NoisyReleaseWarning`) from half as much.

    A yes or no, and one of several answers, are refused where they are drawn alike whatever the truth is. With
    `allow_useless` nothing is refused.

    Raises:
        UselessRelease: the standard deviation is at least half the width of what the answer can be.
    """
    scale = scale_of(design)
    if scale is None:
        is_blind = (isinstance(design, FlipDesign) and 2 * design.flip >= 1) or (
            isinstance(design, ExponentialDesign) and design.ratio >= 1
        )
        if not is_blind:
            return
    elif scale.ratio < _POOR:
        return
    is_useless = scale is None or scale.ratio >= _USELESS
    what = _ALL_ALIKE if scale is None else _numbers(scale, design)
    if not is_useless:
        warnings.warn(f"the noise hides most of the answer: {what}", NoisyReleaseWarning, stacklevel=3)
    elif allow_useless:
        warnings.warn(f"a guess without the data is as good: {what}", NoisyReleaseWarning, stacklevel=3)
    else:
        raise UselessRelease(
            f"a guess without the data is as good: {what}",
            way_out=f"{_help(design)}; `allow_useless` releases it all the same.",
        )


def _numbers(scale: NoiseScale, design: object) -> str:
    spread = " if records are spread evenly over the grid" if isinstance(design, PrivateQuantile) else ""
    return (
        f"the noise has a standard deviation of {_short(scale.deviation)}{spread}, and the range of what the answer "
        f"can be has a width of {_short(scale.width)}"
    )


def _short(number: float) -> str:
    return f"{number:,.0f}" if number >= 1000 else f"{number:.4g}"


def _help(design: object) -> str:
    """Say what would help: people, budget, assumption."""
    who = getattr(design, "correlated", Correlation())
    if isinstance(design, FlipDesign | ExponentialDesign):
        return "Raise `budget_bits`"
    if isinstance(design, GaussianDesign) and design.change is None:
        return (
            "Raise `budget_bits`, or compute the number from a column and say how many people may depend on each other"
        )
    if who.is_anyone:
        return (
            "Raise `budget_bits`, or say with `correlated` how many people may depend on each other, and more people "
            "will help as well"
        )
    return "Raise `budget_bits`, take more people, or assume that fewer of them depend on each other"
