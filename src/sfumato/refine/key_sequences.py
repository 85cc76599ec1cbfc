"""Several answers: each under a key of its own, and what a key that serves twice gives away.

Keys of their own cost T times one key, and no scheme takes less [B, Thm 6]. Two reports under one key show their
difference to everyone.   Theory: docs/theory/recovery.md
"""

from __future__ import annotations

from fractions import Fraction

from sfumato.errors import InvalidParameter
from sfumato.prob import Channel
from sfumato.prob.alphabet import product_labels
from sfumato.refine.recovery_keys import ShiftKey
from sfumato.values.checks import check_at_least, check_integer
from sfumato.values.interval import Interval

# Tables of more entries than this are not written out.
MOST_ENTRIES = 1 << 16


def sequence_entropy_bits(key: ShiftKey, samples: int) -> Interval:
    """T·H(U): a key of its own for each of T answers. With the cheapest key no scheme takes less [B, Thm 6].

    >>> import sfumato as sf
    >>> key = sf.refine.ShiftKey.within(size=6, epsilon=1)
    >>> round(sf.refine.sequence_entropy_bits(key, 100).upper, 1)
    240.7
    """
    check_at_least("samples", check_integer("samples", samples), 1)
    one = key.entropy_bits()
    return Interval(samples * one.lower, samples * one.upper).widened(0.0)


def sequence_channel(key: ShiftKey, samples: int) -> Channel:
    """T answers, each under its own key, as one channel on tuples; answers that differ in one place keep the odds.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> key = sf.refine.ShiftKey(size=2, favoured=1, odds=Fraction(3))
    >>> two = sf.refine.sequence_channel(key, 2)
    >>> two.inputs, [str(chance) for chance in two.rows[0]]
    (((0, 0), (0, 1), (1, 0), (1, 1)), ['9/16', '3/16', '3/16', '1/16'])
    """
    check_at_least("samples", check_integer("samples", samples), 1)
    _check_entries(f"{samples} answers", key.size, 2 * samples)
    one = key.channel().to_dense()
    rows = one.rows
    for _ in range(samples - 1):
        rows = tuple(tuple(p * q for p in first for q in second) for first in rows for second in one.rows)
    return Channel(rows, product_labels(*[one.inputs] * samples), product_labels(*[one.outputs] * samples))


def reused_channel(key: ShiftKey) -> Channel:
    """Two answers under one key, (x, x') → (y, y'): y - y' is x - x', so the odds are infinite.

    It is why a key serves one report.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> key = sf.refine.ShiftKey(size=2, favoured=1, odds=Fraction(3))
    >>> sf.measures.odds(key.channel()), sf.measures.odds(sf.refine.reused_channel(key))
    (Fraction(3, 1), inf)
    """
    _check_entries("two answers", key.size, 4)
    pairs = [(x, other) for x in range(key.size) for other in range(key.size)]
    rows = []
    for x, other in pairs:
        row = [Fraction(0)] * len(pairs)
        for u, weight in enumerate(key.law.fractions):
            row[key.report(x, u) * key.size + key.report(other, u)] = weight
        rows.append(row)
    return Channel(rows, pairs, pairs)


def _check_entries(what: str, size: int, power: int) -> None:
    if size**power > MOST_ENTRIES:
        raise InvalidParameter(
            f"{what} out of {size} make a table of {size}^{power} entries, more than {MOST_ENTRIES}",
            way_out="Lower `size` or the number of answers.",
        )
