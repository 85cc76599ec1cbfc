"""How ignorant an adversary may be and still learn the most: where the balance function of a yes/no answer leaves 0.

For a function f of the records with values 0 and 1, published through any binary symmetric channel, C_1^b = C_1 exactly
up to a b that counting gives: 1 + (log2|A_0| + log2|A_1|)/2, the largest over records i and sets T of its values, with
A_1 = {x : x_i ∈ T, f(x) = 1} and A_0 = {x : x_i ∉ T, f(x) = 0}.   Ref: [E, Def. 11]; proof: docs/theory/balance.md
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter
from sfumato.measures.enclosures import log2_interval
from sfumato.measures.individual.records import check_sizes, datasets_by_value
from sfumato.prob.exact import entries_of
from sfumato.values.interval import Interval

Truth = Sequence[int] | npt.NDArray[np.integer[Any] | np.bool]


def plateau_bits(truth: Truth, shape: Sequence[int]) -> float:
    """Return the largest b with g(b) = 0; `truth` is f(x) for every data set x, the last record running fastest.

    >>> import sfumato as sf
    >>> round(sf.measures.plateau_bits([0, 1, 1, 0], (2, 2)), 4)  # of the parity of two bits, for any noise
    1.0
    >>> round(sf.measures.plateau_bits([0, 0, 0, 1], (2, 2)), 4)  # of "both"
    1.5
    """
    return plateau_interval(truth, shape).midpoint


def plateau_interval(truth: Truth, shape: Sequence[int]) -> Interval:
    """Enclose the b up to which g(b) = 0, a few ulps wide.

    >>> import sfumato as sf
    >>> found = sf.measures.plateau_interval([0, 0, 0, 1], (2, 2))
    >>> 1.5 in found, found.width < 1e-15
    (True, True)
    """
    sizes = check_sizes(shape)
    answers = _answers(truth, sizes)
    if len(set(answers)) == 1:  # a constant says nothing, whatever the adversary knows
        return log2_interval(Fraction(len(answers)))
    best = max(_largest_product(answers, sizes, record) for record in range(len(sizes)))
    twice = log2_interval(Fraction(4 * best))
    return Interval(twice.lower / 2, twice.upper / 2)


def _answers(truth: Truth, shape: tuple[int, ...]) -> tuple[int, ...]:
    way_out = "Give f(x) for every data set, the last record running fastest."
    entries = entries_of("truth", truth, rule="must be a list of answers", way_out=way_out)
    if len(entries) != math.prod(shape):
        raise InvalidParameter(
            f"has {len(entries)} entries and `shape`={shape} means {math.prod(shape)} data sets",
            parameter="truth",
            way_out=way_out,
        )
    answers = []
    for value in entries:
        if isinstance(value, np.ndarray) or value not in (0, 1):
            raise InvalidParameter(
                f"holds {value!r}, and the plateau is known for answers 0 and 1 only",
                parameter="truth",
                way_out="Write the two values of f as 0 and 1, or bound the balance of the channel itself with "
                "balance().",
            )
        answers.append(int(bool(value)))
    return tuple(answers)


def _largest_product(answers: tuple[int, ...], shape: tuple[int, ...], record: int) -> int:
    """The largest |A_0|·|A_1| over all sets T of values.

    Each value of the record goes into T, and adds its ones, or stays out, and adds its zeros; for each number of ones
    only the largest number of zeros is worth keeping, so there are never more cases than data sets.
    """
    most_zeros = {0: 0}
    for here in datasets_by_value(shape, (record,)):
        ones = sum(answers[x] for x in here)
        zeros = len(here) - ones
        fresh: dict[int, int] = {}
        for one, zero in most_zeros.items():
            fresh[one + ones] = max(fresh.get(one + ones, 0), zero)
            fresh[one] = max(fresh.get(one, 0), zero + zeros)
        most_zeros = fresh
    return max(one * zero for one, zero in most_zeros.items())
