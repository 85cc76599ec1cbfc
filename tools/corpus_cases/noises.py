"""Every design of noise: its numbers, its certificate, and what it releases under a seed."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sfumato as sf
from corpus_cases.record import case, claims, plain

RECORDS = [(place * 7) % 11 for place in range(200)]
SHARES = [one % 2 for one in RECORDS]


def _design(made: Any, value: Any) -> object:
    return {
        "bits": plain(made.capacity_bits),
        "certificate": claims(sf.certify(made)),
        "released": [plain(made.release(value, sf.sampling.InsecureSeeded(seed))) for seed in (1, 2, 3)],
    }


@case("noise/gaussian, anyone")
def _gaussian() -> object:
    made = sf.noise.gaussian(low=0, high=10, budget_bits=0.5)
    return {"variance": made.variance, "by the print": made.paper_variance, **_design(made, 7.25)}


@case("noise/gaussian, between bounds")
def _gaussian_bound() -> object:
    made = sf.noise.gaussian(bound=1, budget_bits=1, steps=8)
    return {"variance": made.variance, **_design(made, Fraction(1, 2))}


@case("noise/gaussian, two who depend on each other")
def _gaussian_pairs() -> object:
    made = sf.noise.gaussian(low=0, high=1000, budget_bits=1, change=1, correlated=2)
    return {"variance": made.variance, **_design(made, 77)}


@case("noise/gaussian, records of two values")
def _gaussian_values() -> object:
    made = sf.noise.gaussian(low=0, high=9, budget_bits=0.9, change=1, correlated=3, values=2, steps=8)
    return {"variance": made.variance, **_design(made, 4)}


@case("noise/mean")
def _mean() -> object:
    found = {}
    for who in ("anyone", 4, "nobody"):
        made = sf.noise.private_mean(0, 10, 200, 0.5, correlated=who)
        found[str(who)] = {"variance": made.variance, **_design(made, RECORDS)}  # type: ignore[dict-item]
    return found


@case("noise/sum")
def _sum() -> object:
    made = sf.noise.private_sum(0, 10, 200, 0.5, correlated=2)
    return {"variance": made.variance, **_design(made, RECORDS)}


@case("noise/count")
def _count() -> object:
    made = sf.noise.private_count(200, 0.5, correlated=1)
    return {"variance": made.variance, **_design(made, 90)}


@case("noise/quantile")
def _quantile() -> object:
    made = sf.noise.private_quantile(range(11), 0.5, 200, 1, correlated=2)
    return {"rate": made.rate, **_design(made, RECORDS)}


@case("noise/histogram")
def _histogram() -> object:
    made = sf.noise.private_histogram(["train", "car", "on foot"], 200, 1, correlated=2)
    return {"variance": made.variance, **_design(made, [50, 100, 50])}


@case("noise/exponential")
def _exponential() -> object:
    line = [[abs(a - b) for b in range(6)] for a in range(6)]
    found = {}
    for values in (None, 2):
        made = sf.noise.exponential(line, budget_bits=0.5, values=values)
        found[str(values)] = {"rate": made.rate, **_design(made, 3)}  # type: ignore[dict-item]
    return found


@case("noise/flip")
def _flip() -> object:
    made = sf.noise.flip(budget_bits=0.5)
    return {"flip": made.flip, **_design(made, True)}


def _believed(made: Any, value: Any) -> object:
    return {
        "deviation": made.deviation,
        "without other knowledge": made.independent_deviation,
        "against anyone": made.anyone_deviation,
        **_design(made, value),  # type: ignore[dict-item]
    }


@case("noise/mean against bounded beliefs")
def _believed_mean() -> object:
    return _believed(sf.noise.believed_mean(0, 10, 200, budget_bits=0.5, shared_bits=3), RECORDS)


@case("noise/sum against bounded beliefs")
def _believed_sum() -> object:
    return _believed(sf.noise.believed_sum(0, 10, 200, budget_bits=0.5, shared_bits=3), RECORDS)


@case("noise/count against bounded beliefs")
def _believed_count() -> object:
    return _believed(sf.noise.believed_count(1000, budget_bits=0.3, shared_bits=3, people=2), 400)


@case("noise/histogram against bounded beliefs")
def _believed_histogram() -> object:
    return _believed(sf.noise.believed_histogram(4, 900, budget_bits=0.3, shared_bits=2), [225, 225, 225, 225])
