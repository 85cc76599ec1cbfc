"""The best disclosure by column generation: weights on corners of S that average to the prior, with least H(W|Y).

The master program knows some corners; its prices ask the pricer for a better one. The least reduced cost, bounded by
branch and bound, bounds how much is still missing, so both ends of the answer are known at any moment: whatever the
prices are, Σ price·p plus the least of H(W) - price·v over S is at most H(W|Y). A solver that gives up, or time that
runs out, leaves the last cover of the prior and the best bound.   Theory: docs/theory/skewed_laws.md
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

import numpy as np

from sfumato.bits import KeyedBits
from sfumato.disclose.data_laws import FloatArray
from sfumato.disclose.master_program import Master
from sfumato.disclose.polytope import entropy_bits
from sfumato.disclose.pricing import Priced, Pricer
from sfumato.disclose.scaled_rows import floored
from sfumato.errors import NotCertified

Progress = Callable[[float, float], None]
# More than the rounding of an entropy and of Σ price·p, relative to the sum of absolute values.
_ROUNDING = 2.0**-48


@dataclass(frozen=True, slots=True, kw_only=True)
class Mixture:
    """Laws in S with weights that average to the prior: `laws[y]` is the posterior of the data given output y.

    `classes` numbers the cells that every law treats alike, where it is known; empty otherwise.
    """

    laws: FloatArray
    weights: FloatArray
    lower_bits: float
    upper_bits: float
    rounds: int
    classes: tuple[int, ...] = ()


def generate_columns(
    rows: FloatArray,
    prior: FloatArray,
    feature: FloatArray,
    *,
    tolerance: float,
    seconds: float,
    progress: Progress | None = None,
) -> Mixture:
    """Solve to the tolerance, or as far as the time allows; the bounds say how far that is."""
    deadline = time.monotonic() + seconds
    whole = _entropy(feature, prior)
    raised, is_raised = floored(prior)
    if is_raised:
        found = generate_columns(rows, raised, feature, tolerance=tolerance, seconds=seconds, progress=progress)
        return replace(found, upper_bits=whole)
    try:
        pricer = Pricer(rows, rows @ prior, feature)
    except NotCertified:
        return _prior_alone(prior, whole)
    master = Master(prior, pricer.most, whole)
    directions = _directions(len(prior))
    _first_columns(pricer, master, feature, directions)
    bound, rounds = -math.inf, 0
    while True:
        rounds += 1
        price = master.prices()
        if price is None:
            break
        if progress is not None:
            progress(whole - master.cover().cost, whole - bound)
        added = _cheap_columns(pricer, master, price, feature, directions, tolerance, deadline)
        if not added:
            priced = _priced(pricer, price, tolerance / 2, deadline)
            if priced is None:
                break
            bound = max(bound, _bound(price, prior, priced))
            for law in priced.found:
                if pricer.worth(law, price) < -tolerance / 10:
                    added += master.add(law, _entropy(feature, law))
            if master.cover().cost - bound <= tolerance or not added:
                break
        if time.monotonic() > deadline:
            if bound == -math.inf:
                # Not one full pricing fitted into the time: the box around S still gives a bound.
                priced = _priced(pricer, price, tolerance, time.monotonic() + 1.0)
                bound = bound if priced is None else _bound(price, prior, priced)
            break
    cover = master.cover()
    return Mixture(
        laws=cover.laws,
        weights=cover.weights,
        lower_bits=max(0.0, whole - cover.cost),
        upper_bits=min(whole, max(0.0, whole - bound)) + 64 * _ROUNDING,
        rounds=rounds,
    )


def _bound(price: FloatArray, prior: FloatArray, priced: Priced) -> float:
    """Every cover costs at least this: its laws cost no less than their price and the least that is left over."""
    return float(price @ prior) + priced.bound - _ROUNDING * float(np.abs(price) @ prior)


def _priced(pricer: Pricer, price: FloatArray, tolerance: float, deadline: float) -> Priced | None:
    try:
        return pricer.least(price, tolerance=tolerance, deadline=deadline)
    except NotCertified:
        return None


def _first_columns(pricer: Pricer, master: Master, feature: FloatArray, directions: Any) -> None:
    """Corners in random directions, in turn by the mass of a cell and by the part of what it can hold."""
    for attempt in range(min(2 * pricer.size, 200)):
        way = next(directions)
        corner = _corner(pricer, way if attempt % 2 else way / pricer.most)
        if corner is not None:
            master.add(corner, _entropy(feature, corner))


def _cheap_columns(
    pricer: Pricer,
    master: Master,
    price: FloatArray,
    feature: FloatArray,
    directions: Any,
    tolerance: float,
    deadline: float,
    tries: int = 20,
) -> int:
    """Look for columns that help by walking from corner to corner, before branch and bound has to."""
    added = 0
    for attempt in range(tries):
        if time.monotonic() > deadline:
            break
        way = next(directions) / (pricer.most if attempt % 4 < 2 else 1.0)
        start = _corner(pricer, way - (price if attempt % 2 else 0.0))
        if start is None:
            continue
        try:
            law, value = pricer.descend(start, price)
        except NotCertified:
            continue
        if value < -tolerance:
            added += master.add(law, _entropy(feature, law))
    return added


def _corner(pricer: Pricer, cost: FloatArray) -> FloatArray | None:
    try:
        return pricer.solve(cost)
    except NotCertified:
        return None


def _entropy(feature: FloatArray, law: FloatArray) -> float:
    return float(entropy_bits((feature @ law)[:, None])[0])


def _prior_alone(prior: FloatArray, whole: float) -> Mixture:
    """Tell nothing, of which everything may be missing: an answer where the solver has none."""
    return Mixture(laws=prior[None], weights=np.ones(1), lower_bits=0.0, upper_bits=whole, rounds=0)


def _directions(size: int) -> Any:
    """Yield directions to look in, the same ones every time: a search has to be repeatable, not secret."""
    bits = KeyedBits(sha256(b"sfumato disclosure directions").digest())
    while True:
        words = bits.words(4 * size, 16).astype(np.float64).reshape(4, size)
        yield words.sum(axis=0) / 2.0**16 - 2.0
