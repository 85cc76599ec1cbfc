"""Bounds on what a release leaks under another assumption about dependence.

Bits under different assumptions are not added: an account counts every release again under the weakest of its
assumptions. The data needed for that is a `Reaccounting`, which a file can hold. Under the assumption that beliefs
share few bits, noise is counted as if nothing were assumed, except normal noise, which is made for that assumption.
Theory: docs/theory/correlated_noise.md
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache

from sfumato.errors import InvalidParameter
from sfumato.measures.beliefs import Ball, believed_bits, people_bits
from sfumato.measures.dependence import Correlation
from sfumato.measures.gaussian import least_power_bound
from sfumato.noise.certificates import bound_noise, published, rank_bits, squared_radius, steps_moved
from sfumato.numbers.exact import read_fraction
from sfumato.numbers.intervals import Interval, log2_bounds

Plain = Mapping[str, str | int]
NORMAL = "normal"
"""Noise that divides among the records, for beliefs that share few bits."""
_MOST_DIGITS = 400
# Up to this many steps the capacity is searched for in about a second; above, it is bounded by power.
_MOST_STEPS = 48


@dataclass(frozen=True, slots=True, kw_only=True)
class Reaccounting:
    """A kind of noise and its parameters, as words and whole numbers.

    >>> import sfumato as sf
    >>> kept = sf.noise.private_sum(0, 1, 1000, 1, correlated=2).reaccounting
    >>> kept.kind, kept.parameters["change"]
    ('number', '1')
    >>> [round(sf.noise.bits_of(kept, sf.measures.Correlation(people=many)), 3) for many in (1, 2, 4)]
    [0.558, 1.0, 1.611]
    """

    kind: str
    parameters: Plain = field(default_factory=dict)


def against_anyone(bits: Interval) -> Reaccounting:
    """Return the reaccounting of a bound that holds under arbitrary dependence."""
    return Reaccounting(kind="anyone", parameters={"bits": repr(bits.upper)})


def bits_of(reaccounting: Reaccounting, correlation: Correlation) -> float:
    """Bound from above what one release reveals about a person under an assumption, in bits.

    Raises:
        InvalidParameter: the recount is of no known kind, or something of it is missing or damaged.

    >>> import sfumato as sf
    >>> kept = sf.noise.private_histogram(4, 1000, 1, correlated="nobody").reaccounting
    >>> [round(sf.noise.bits_of(kept, sf.measures.Correlation(people=many)), 3) for many in (1, 2, 4, None)]
    [1.0, 2.821, 5.865, 37.324]
    """
    if reaccounting.kind not in _KINDS:
        raise InvalidParameter(
            "is no kind of noise that can be counted again",
            parameter="kind",
            value=reaccounting.kind[:60],
            way_out=f"There are {', '.join(_KINDS)}.",
        )
    people = None if correlation.shared_bits is not None else correlation.people
    try:
        if reaccounting.kind == NORMAL and correlation.shared_bits is not None:
            return _believed(reaccounting.parameters, correlation.shared_bits, correlation.people or 1)
        return _KINDS[reaccounting.kind](reaccounting.parameters, people)
    except (KeyError, TypeError, ValueError, OverflowError, ZeroDivisionError):
        raise InvalidParameter(
            f"lacks something that noise of the kind {reaccounting.kind} has, or it is damaged",
            parameter="recount",
            way_out="Take the one that the design gives.",
        ) from None


def _against_anyone(parameters: Plain, _: int | None) -> float:
    """A bound under arbitrary dependence holds under every assumption."""
    bits = float(parameters["bits"])
    if not 0 <= bits < math.inf:
        raise ValueError(bits)
    return bits


def _of_number(parameters: Plain, people: int | None) -> float:
    width, grid, variance = (_exact(parameters, name) for name in ("width", "grid", "variance"))
    change = _exact(parameters, "change") if "change" in parameters else None
    moved = steps_moved(people, change, width, grid)
    # Those who move it no further than the ones whom it was made for learn no more than is certified.
    if moved <= 2 * int(parameters["steps"]):
        certified = _against_anyone(parameters, None)
        if moved == 2 * int(parameters["steps"]):
            return certified
        return min(certified, _number_bits(moved, variance, _values(parameters)))
    return _number_bits(moved, variance, _values(parameters))


def _values(parameters: Plain) -> int | None:
    return int(parameters["values"]) if "values" in parameters else None


@lru_cache(maxsize=4096)
def _number_bits(moved: int, variance: Fraction, values: int | None) -> float:
    # Inputs are -steps..steps; one more than needed where they move it by an odd number of steps.
    steps = (moved + 1) // 2
    by_power = published(least_power_bound(1, Fraction(moved, 2) ** 2, variance)).upper
    if values is not None:
        # A record with so many values holds no more.
        by_power = min(by_power, log2_bounds(Fraction(values))[1])
    if steps > _MOST_STEPS:
        return by_power
    return min(by_power, bound_noise(variance, steps, values).bits.upper)


def _of_vector(parameters: Plain, people: int | None) -> float:
    dimension, records = (int(parameters[name]) for name in ("dimension", "records"))
    many = records if people is None else min(people, records)
    return _vector_bits(dimension, squared_radius(dimension, many), _exact(parameters, "variance"))


@lru_cache(maxsize=4096)
def _vector_bits(dimension: int, radius: Fraction, variance: Fraction) -> float:
    return published(least_power_bound(dimension, radius, variance)).upper


def _of_ranks(parameters: Plain, people: int | None) -> float:
    candidates, records = (int(parameters[name]) for name in ("candidates", "records"))
    many = records if people is None else min(people, records)
    return published(rank_bits(many, _exact(parameters, "rate"), candidates)).upper


def _of_normal(parameters: Plain, people: int | None) -> float:
    records, ratio, ball = _normal(parameters)
    return people_bits(records if people is None else min(people, records), ratio, ball=ball).upper


def _believed(parameters: Plain, shared_bits: Fraction, people: int) -> float:
    records, ratio, ball = _normal(parameters)
    return believed_bits(records, shared_bits, ratio, people=people, ball=ball).upper


def _normal(parameters: Plain) -> tuple[int, Fraction, Ball]:
    ratio = _exact(parameters, "squared_reach") / _exact(parameters, "deviation") ** 2
    ball = Ball(squared_radius=_exact(parameters, "squared_radius"), dimension=int(parameters["dimension"]))
    return int(parameters["records"]), ratio, ball


def _exact(parameters: Plain, name: str) -> Fraction:
    found = read_fraction(str(parameters[name]), most_digits=_MOST_DIGITS)
    if found <= 0:
        raise ValueError(name)
    return found


_KINDS: Mapping[str, Callable[[Plain, int | None], float]] = {
    "anyone": _against_anyone,
    "number": _of_number,
    "vector": _of_vector,
    "ranks": _of_ranks,
    NORMAL: _of_normal,
}
