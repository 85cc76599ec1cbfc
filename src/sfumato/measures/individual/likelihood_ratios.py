"""Whether larger reports speak for larger counts, throughout: the monotone likelihood ratio of a channel on a line.

A channel P(y|s) has it, for an order of its outputs, if P(y|s+1)/P(y|s) never falls as y rises, for each s; outputs
that neither row gives are passed over. Neighbouring rows are enough: the property goes on from s, s+1 and s+1, s+2 to
s, s+2, zeros included. If any order will do, that of E[s|y] under equal weights does.

Doubles have it up to a slip only: ratios that are equal in truth differ in the last digits. If no log-ratio falls by
more than v, the ratios of each two neighbours can be made monotone by moving each by v/2 at most, so a channel with the
property is within a factor of e^(±nv) in each entry.   Theory: docs/theory/correlations.md
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np

from sfumato.errors import InvalidParameter
from sfumato.measures.enclosures import UNIT_ROUNDOFF
from sfumato.prob import ChannelLike, as_channel
from sfumato.prob.exact import FloatArray, IntegerArray


def has_monotone_ratio(channel: ChannelLike) -> bool:
    """Whether some order of the outputs has a monotone likelihood ratio, in exact arithmetic.

    Raises:
        InvalidParameter: the channel is not exact.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> third, rest = Fraction(1, 3), Fraction(2, 3)
    >>> sf.measures.has_monotone_ratio(sf.Channel([[rest, third], [third, rest], [0, 1]]))
    True
    """
    dense = as_channel(channel).to_dense()
    if not dense.exact:
        raise InvalidParameter(
            "is not exact, and doubles for equal ratios are not equal",
            parameter="channel",
            way_out="Write its rows in Fractions.",
        )
    numerators, _ = dense.integers()
    table = np.asarray(numerators, dtype=object)
    table = table[:, (table > 0).any(axis=0)]
    places = np.arange(len(table), dtype=object)
    means = [Fraction(int(total), int(mass)) for total, mass in zip(places @ table, table.sum(axis=0), strict=True)]
    table = table[:, sorted(range(len(means)), key=means.__getitem__)]
    return all(_rises(low, high) for low, high in itertools.pairwise(table))


def _rises(low: IntegerArray, high: IntegerArray) -> bool:
    seen = np.array([a > 0 or b > 0 for a, b in zip(low, high, strict=True)])
    below, above = low[seen], high[seen]
    # above/below of one output against the next one, cross-multiplied: infinite ratios need no case of their own.
    return bool((above[:-1] * below[1:] <= above[1:] * below[:-1]).all())


def ratio_slip(rows: FloatArray) -> float:
    """How many nats a log-ratio of neighbouring rows falls at most, rounding included; infinite if zeros forbid it."""
    table = rows[:, rows.max(axis=0) > 0]
    means = np.arange(len(table)) @ table / table.sum(axis=0)
    table = table[:, np.argsort(means, kind="stable")]
    with np.errstate(divide="ignore"):
        logs = np.log(table)
    worst = max(_fall(low, high) for low, high in itertools.pairwise(logs))
    largest = float(np.abs(logs[np.isfinite(logs)]).max())
    return worst + 8 * UNIT_ROUNDOFF * (largest + 1)


def _fall(low: FloatArray, high: FloatArray) -> float:
    seen = np.isfinite(low) | np.isfinite(high)
    ratios = high[seen] - low[seen]  # -inf where only the lower row gives the output, inf where only the higher does
    finite = np.flatnonzero(np.isfinite(ratios))
    within = ratios[finite[0] : finite[-1] + 1] if len(finite) else ratios[:0]
    edge = finite[0] if len(finite) else int((ratios == -np.inf).sum())
    if not np.isfinite(within).all() or (ratios[:edge] > 0).any() or (ratios[edge + len(within) :] < 0).any():
        return math.inf
    return float((np.maximum.accumulate(within) - within).max(initial=0.0))
