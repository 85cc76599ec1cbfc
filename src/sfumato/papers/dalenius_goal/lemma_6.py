"""[E, Lemma 6] term by term, as printed and by the chain rule, for a law of (x_1^1, x_1^2, y^1, y^2)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

from sfumato import measures
from sfumato.prob import Channel, Distribution

Law = Mapping[tuple[int, ...], Fraction]


def joint_bits(law: Law) -> float:
    """I(X_1; Y^1, Y^2) of the person whose records are both values."""
    masses = _marginal(law, (0, 1))
    pairs = sorted(masses)
    reports = sorted({x[2:] for x in law})
    rows = [[law.get((*pair, *report), Fraction(0)) / masses[pair] for report in reports] for pair in pairs]
    return measures.mutual_information_bits(Channel(rows), Distribution([masses[pair] for pair in pairs]))


def printed_lemma_6_bits(law: Law) -> float:
    """[E, (160) and (161)]: the last term weighs with p(y^1)·p(x_1^1)."""
    first, second = _marginal(law, (0,)), _marginal(law, (2,))
    weights: dict[tuple[int, ...], Fraction] = {(a, y): first[a,] * second[y,] for (a,) in first for (y,) in second}
    return _shared_terms(law) + _last_term(law, weights)


def chain_rule_bits(law: Law) -> float:
    """The same with p(x_1^1 | y^1) in the last term."""
    return _shared_terms(law) + _last_term(law, _marginal(law, (0, 2)))


def _shared_terms(law: Law) -> float:
    own = _bits(law, (0,), (2,))
    other = math.fsum(float(p) * _bits(_given(law, (0,), a), (1,), (2,)) for a, p in _marginal(law, (0,)).items())
    later = math.fsum(float(p) * _bits(_given(law, (2,), y), (0,), (3,)) for y, p in _marginal(law, (2,)).items())
    return math.fsum((own, other, later))


def _last_term(law: Law, weights: Mapping[tuple[int, ...], Fraction]) -> float:
    return math.fsum(float(p) * _bits(_given(law, (0, 2), at), (1,), (3,)) for at, p in weights.items())


def _marginal(law: Law, axes: Sequence[int]) -> dict[tuple[int, ...], Fraction]:
    found: dict[tuple[int, ...], Fraction] = {}
    for cell, p in law.items():
        key = tuple(cell[axis] for axis in axes)
        found[key] = found.get(key, Fraction(0)) + p
    return found


def _given(law: Law, axes: Sequence[int], values: Sequence[int]) -> Law:
    kept = {cell: p for cell, p in law.items() if all(cell[axis] == v for axis, v in zip(axes, values, strict=True))}
    whole = sum(kept.values(), Fraction(0))
    return {cell: p / whole for cell, p in kept.items()}


def _bits(law: Law, first: Sequence[int], second: Sequence[int]) -> float:
    left, right, both = _marginal(law, first), _marginal(law, second), _marginal(law, (*first, *second))
    cut = len(first)
    return math.fsum(float(p) * math.log2(p / (left[at[:cut]] * right[at[cut:]])) for at, p in both.items() if p)
