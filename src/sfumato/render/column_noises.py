"""Noise for what a column says, for the terminal and for programs: how far off, under which assumption, and without."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from sfumato.account.assumption_documents import correlation_json
from sfumato.account.assumptions import condition
from sfumato.certificates.words import at_most, fraction_text
from sfumato.design.belief_releases import BelievedNoise
from sfumato.render.noises import Lines
from sfumato.values.correlation import ANYONE, NOBODY, Correlation
from sfumato.values.rounding import log2_bounds

# Of a normal law, 95 % lie within so many deviations; the noise's law is close to one.
_TWO_SIDED_95 = 1.959964
_RARE = 0.05

Designs = Mapping[Correlation, Any]
"""What was asked for, and the same for nobody and for anyone."""


def number_lines(designs: Designs, who: Correlation, values: int | None) -> Lines:
    """What a person wants to know of noise on one number; a record holds one of so many `values`, if that is known."""
    return (
        *_deviation_lines(designs[who]),
        *assumption_lines(designs, who, values),
        *_beside(designs, who, _deviation_words),
    )


def number_document(designs: Designs, who: Correlation, values: int | None) -> dict[str, Any]:
    """The same for programs."""
    return {**_deviation_document(designs, who), **_assumption_document(designs, who, values)}


def histogram_lines(designs: Designs, who: Correlation, values: int | None) -> Lines:
    """What a person wants to know of noise on the counts of cells, each of which gets as much."""
    return (
        *_deviation_lines(designs[who], "each count"),
        *assumption_lines(designs, who, values),
        *_beside(designs, who, _deviation_words),
    )


def quantile_lines(designs: Designs, who: Correlation) -> Lines:
    """What a person wants to know of a quantile that is drawn by rank."""
    design = designs[who]
    return (
        ("told", f"one of {len(design.grid):,} values from {float(design.grid[0]):g} to {float(design.grid[-1]):g}"),
        ("which", f"{100 * float(design.share):g} % of the records lie below it, or nearly so"),
        ("rank", f"95 % of the time at most {_ranks_words(design)} farther off than the best value of the grid"),
        *assumption_lines(designs, who, None),
        *_beside(designs, who, _ranks_words),
    )


def quantile_document(designs: Designs, who: Correlation) -> dict[str, Any]:
    """The same for programs."""
    return {
        "values": len(designs[who].grid),
        "rate": str(designs[who].rate),
        "ranks_off_95": _ranks_off(designs[who]),
        "ranks_off_95_for_nobody": _ranks_off(designs[NOBODY]),
        "ranks_off_95_for_anyone": _ranks_off(designs[ANYONE]),
        **_assumption_document(designs, who, None),
    }


def assumption_lines(designs: Designs, who: Correlation, values: int | None) -> Lines:
    """What is told, to whom, whom that leaves out, and what it would be for these: no more than a record holds."""
    design = designs[who]
    told = ("tells at most", f"{at_most(design.capacity_bits)} bits about one person, {condition(who)} (certified)")
    if who.is_anyone:
        return (told, ("assumes", "nothing: people may be alike in any way"))
    shared: Lines = ()
    if who.shared_bits is not None:
        said = f"at most {fraction_text(who.shared_bits)} bits over the whole data set (assumed, never measured)"
        shared, excluded = (("shared knowledge", said),), "who believes that all records move together"
    else:
        more = "on anybody else" if who.people == 1 else f"on {who.people} others or more"
        excluded = f"who depends {more}; a common cause that nobody knows makes everybody depend on everybody"
    return (
        told,
        *shared,
        ("leaves out", excluded),
        ("if that is false", _anyone_words(design, values)),
    )


def _anyone_words(design: Any, values: int | None) -> str:
    """What is told to a reader who knows how all people are alike."""
    told, held = design.bits_for(ANYONE), _held_bits(values)
    if values is None or told < held:
        return f"at most {at_most(told)} bits, to a reader who knows how all are alike"
    what = (
        "at most 1 bit, which is all that a yes/no answer"
        if values == 2
        else f"at most {at_most(held)} bits, which is all that one of {values:,} values"
    )
    return f"{what} holds: the answer may be told"


def _held_bits(values: int | None) -> float:
    """log2 of how many values a record can hold, rounded up."""
    return math.inf if values is None else log2_bounds(Fraction(values))[1]


def _assumption_document(designs: Designs, who: Correlation, values: int | None) -> dict[str, Any]:
    design = designs[who]
    told = design.bits_for(ANYONE)
    return {
        "correlated": correlation_json(who),
        "budget_bits": design.budget_bits,
        "capacity_bits": design.capacity_bits.upper,
        "bits_for_anyone": min(told, _held_bits(values)),
        "channel_bits_for_anyone": told,
    }


def _beside(designs: Designs, who: Correlation, words: Callable[[Any], str]) -> Lines:
    """The noise of the neighbouring assumptions, for the same budget."""
    shown = (("for nobody it would be", NOBODY), ("for anyone it would be", ANYONE))
    return tuple((label, words(designs[one])) for label, one in shown if one != who)


def _deviation_lines(design: Any, what: str = "noise") -> Lines:
    deviation = _deviation(design)
    return (
        (what, f"standard deviation {deviation:.5g}"),
        ("", f"about 95 % of releases lie within ± {_TWO_SIDED_95 * deviation:.4g} of the truth"),
    )


def _deviation_words(design: Any) -> str:
    return f"standard deviation {_deviation(design):.5g}"


def _deviation_document(designs: Designs, who: Correlation) -> dict[str, Any]:
    return {
        "deviation": _deviation(designs[who]),
        "half_width_95": _TWO_SIDED_95 * _deviation(designs[who]),
        "deviation_for_nobody": _deviation(designs[NOBODY]),
        "deviation_for_anyone": _deviation(designs[ANYONE]),
    }


def _deviation(design: Any) -> float:
    return float(design.deviation) if isinstance(design, BelievedNoise) else math.sqrt(design.variance)


def _ranks_words(design: Any) -> str:
    ranks = _ranks_off(design)
    return f"{ranks:,} ranks ({100 * min(1.0, ranks / design.records):.3g} % of the records)"


def _ranks_off(design: Any) -> int:
    """P(d farther off than the best) ≤ k·e^(-λd) for k values, which is 5 % at ln(k/.05)/λ."""
    records: int = design.records
    return min(records, math.ceil(math.log(len(design.grid) / _RARE) / float(design.rate)))
