"""What n independent responses of one kind tell, exactly, without writing out k^n sequences.

Only the counts of a sequence matter, its type; there are C(n+k-1, k-1) of them. With w_j the weight of row j, the best
guesser is right with probability Σ over types of (number of sequences) · max_j w_j Π_i V(i|j)^count_i. What is summed
here are the rows that lose, because the chance of a wrong guess may be tiny and would drown in a difference from 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter
from sfumato.values import Interval
from sfumato.values.checks import check_at_least, check_integer
from sfumato.values.rounding import float_above, float_below

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

MOST_TYPES = 5_000_000
# So few types are summed in fractions.
MOST_EXACT_TYPES = 3_000
MOST_EXACT_N = 60
_ROUNDOFF = 2.0**-53
# More than all the terms together that are too small for a double: at most MOST_TYPES of them below 1e-307.
_LOST = 1e-300


def type_count(n: int, size: int) -> int:
    """C(n+k-1, k-1)."""
    return math.comb(n + size - 1, size - 1)


def wrong_guesses(weights: Sequence[Fraction], rows: Sequence[Sequence[Fraction]], n: int) -> Interval:
    """Enclose the weight that the best guesser of the row misses after n responses, out of Σ weights."""
    check_at_least("n", check_integer("n", n), 1)
    _check_types(n, len(rows[0]))
    if type_count(n, len(rows[0])) <= MOST_EXACT_TYPES and n <= MOST_EXACT_N:
        missed = sum(weights, Fraction(0)) - exact_right_guesses(weights, rows, n)
        return Interval(max(0.0, float_below(missed)), float_above(missed))
    logs = _log_likelihoods(np.array([[float(p) for p in row] for row in rows]), [float(w) for w in weights], n)
    logs[np.arange(len(logs)), logs.argmax(axis=1)] = -np.inf
    if not np.isfinite(logs).any():
        return Interval(0.0, 0.0)
    return _loosened(math.fsum(np.exp(logs).sum(axis=1).tolist()), n, len(rows[0]))


def exact_right_guesses(weights: Sequence[Fraction], rows: Sequence[Sequence[Fraction]], n: int) -> Fraction:
    """Return how often the guesser is right, as a fraction; for few types."""
    total = Fraction(0)
    for counts in types(n, len(rows[0])).tolist():
        ways = math.factorial(n) // math.prod(map(math.factorial, counts))
        total += ways * max(
            weight * math.prod((p**c for p, c in zip(row, counts, strict=True) if c), start=Fraction(1))
            for weight, row in zip(weights, rows, strict=True)
        )
    return total


def group_right_guesses(
    weights: Sequence[Fraction], rows: Sequence[Sequence[Fraction]], groups: Sequence[int], n: int
) -> Interval:
    """Enclose how often the best guesser of the *group* of a row is right: rows of one group are added up first."""
    _check_types(n, len(rows[0]))
    merged: dict[tuple[int, tuple[Fraction, ...]], Fraction] = {}
    for weight, row, group in zip(weights, rows, groups, strict=True):
        merged[group, tuple(row)] = merged.get((group, tuple(row)), Fraction(0)) + weight
    laws = np.array([[float(p) for p in row] for _, row in merged])
    owners = np.array([group for group, _ in merged])
    logs = _log_likelihoods(laws, [float(w) for w in merged.values()], n)
    # Some types cannot come up under any row, as when a response names values of two blocks.
    logs = logs[np.isfinite(logs).any(axis=1)]
    shift = logs.max(axis=1, keepdims=True)
    scaled = np.exp(logs - shift)
    sums = np.stack([scaled[:, owners == group].sum(axis=1) for group in sorted(set(groups))], axis=1)
    found = math.fsum((np.exp(shift[:, 0]) * sums.max(axis=1)).tolist())
    return _loosened(found, n, len(rows[0]))


def types(n: int, size: int) -> IntArray:
    """Return every type as a row of counts."""
    _check_types(n, size)
    if size == 1:
        return np.array([[n]], dtype=np.int64)
    left = np.array([n], dtype=np.int64)
    columns: list[IntArray] = []
    for _ in range(size - 1):
        repeats = left + 1
        chosen = np.concatenate([np.arange(count, dtype=np.int64) for count in repeats.tolist()])
        columns = [np.repeat(column, repeats) for column in columns]
        columns.append(chosen)
        left = np.repeat(left, repeats) - chosen
    return np.stack([*columns, left], axis=1)


def _log_likelihoods(rows: FloatArray, weights: Sequence[float], n: int) -> FloatArray:
    """ln of (number of sequences) · weight · Π V^count for every type and row; -inf where a response is impossible."""
    from scipy.special import gammaln  # noqa: PLC0415  scipy is slow to import

    counts = types(n, rows.shape[1])
    ways = gammaln(n + 1) - gammaln(counts + 1).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(rows)
        # 0 · ln 0 is 0: a response that did not come says nothing.
        parts = np.where(counts[:, None, :] > 0, counts[:, None, :] * logs[None], 0.0).sum(axis=2)
    result: FloatArray = ways[:, None] + parts + np.log(np.array(weights))[None]
    return result


def _loosened(found: float, n: int, size: int) -> Interval:
    """Rounding of ln n! and of n·ln p, carried through the exponential, with room to spare."""
    slack = 64 * _ROUNDOFF * (size + 2) * (n * max(1.0, math.log(n + 1)) + 16)
    return Interval(max(0.0, found * (1 - slack) - _LOST), found * (1 + slack) + _LOST)


def _check_types(n: int, size: int) -> None:
    if type_count(n, size) * size > MOST_TYPES:
        raise InvalidParameter(
            f"responses over {size} values have {type_count(n, size)} types, too many to sum",
            parameter="n",
            value=n,
            way_out="Lower `n`, or use the bounds.",
        )
