"""A key for any channel that has one: a mixture of one-to-one maps whose mixture is the channel.

A key that gives the answer back exists exactly when no output weighs more than 1, Σ_x Q(y|x) ≤ 1. Then rows can be
added that bring every column to 1, and a table whose rows and columns all sum to 1 is a mixture of permutations
[Bir46]: take a permutation inside the positive entries, subtract as much of it as fits, and go on with what is left.
Each round empties an entry, so it ends. All is done in whole numbers over one denominator.
Theory: docs/theory/recovery.md
"""

from __future__ import annotations

from fractions import Fraction

from sfumato.errors import InvalidParameter, NotCertified
from sfumato.prob import AnyChannel, Channel, Circulant, Distribution
from sfumato.refine.recovery_keys import RecoveryKey

MOST_SYMBOLS = 64

Table = list[list[int]]


def key_for_channel(channel: AnyChannel) -> RecoveryKey:
    """Return a key whose reports follow `channel` exactly. It need not be the cheapest one for that channel.

    The key of a shift is the shift. A channel with an output that weighs more than 1 has no key and is refused.

    Raises:
        InvalidParameter: the channel is not exact, too large, or has an output that weighs more than 1.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> channel = sf.Channel([[Fraction(1, 2), Fraction(1, 2), 0], [0, Fraction(1, 2), Fraction(1, 2)]])
    >>> key = sf.refine.key_for_channel(channel)
    >>> key.maps, [str(chance) for chance in key.law.fractions], key.channel() == channel
    (((1, 2), (0, 1)), ['1/2', '1/2'], True)
    """
    if not channel.exact:
        raise InvalidParameter(
            "has float64 entries, and a key reproduces a channel exactly",
            parameter="channel",
            way_out="Use channel.to_exact() first.",
        )
    inputs, outputs = channel.shape
    if outputs > MOST_SYMBOLS:
        raise InvalidParameter(
            f"has {outputs} outputs, more than {MOST_SYMBOLS}: its key would have thousands of values",
            parameter="channel",
            way_out="Use a channel that is a shift, whose key is the shift.",
        )
    if isinstance(channel, Circulant):
        shifts = [u for u, weight in enumerate(channel.law) if weight]
        found = {tuple((x + u) % outputs for x in range(inputs)): Fraction(channel.law[u]) for u in shifts}
    else:
        _check_columns(channel)
        found = _mixture(channel)
    key = RecoveryKey(
        law=Distribution(list(found.values())), maps=tuple(found), inputs=channel.inputs, outputs=channel.outputs
    )
    if key.channel() != channel.to_dense():
        raise NotCertified("the maps that were found do not mix to the channel", way_out="Please report the channel.")
    return key


def _check_columns(channel: Channel) -> None:
    for label, (total, _) in zip(channel.outputs, channel.column_sums(), strict=True):
        if total > 1:
            raise InvalidParameter(
                f"has no recovery key: output {label!r} weighs Σ_x P(y|x) = {float(total):.6g}, more than 1, so "
                "some key value would send two inputs to it",
                parameter="channel",
                way_out="Make that output rarer, or use a shift.",
            )


def _mixture(channel: Channel) -> dict[tuple[int, ...], Fraction]:
    """Map → weight. Permutations that differ only in the added rows are one map of the inputs."""
    inputs = channel.shape[0]
    table, whole = _padded(channel)
    found: dict[tuple[int, ...], Fraction] = {}
    left, least = whole, whole
    matched: list[int | None] = [None] * len(table)
    while left:
        matched = [y if y is not None and row[y] >= least else None for row, y in zip(table, matched, strict=True)]
        places = _completed(table, matched, least)
        if places is None:
            # Entries only shrink, so what does not fit now never will. Large shares first makes fewer key values.
            least = max(1, least // 2)
            continue
        weight = min(row[y] for row, y in zip(table, places, strict=True))
        for row, y in zip(table, places, strict=True):
            row[y] -= weight
        first = tuple(places[:inputs])
        found[first] = found.get(first, Fraction(0)) + Fraction(weight, whole)
        left -= weight
        matched = list(places)
    return found


def _padded(channel: Channel) -> tuple[Table, int]:
    """Add rows that bring every column to the denominator, filled from the left to leave few entries positive."""
    numerators, whole = channel.integers()
    table: Table = [[int(value) for value in row] for row in numerators]
    lacking = [whole - sum(column) for column in zip(*table, strict=True)]
    for _ in range(len(lacking) - len(table)):
        room, row = whole, []
        for y, amount in enumerate(lacking):
            row.append(min(room, amount))
            room -= row[y]
            lacking[y] -= row[y]
        table.append(row)
    return table, whole


def _completed(table: Table, matched: list[int | None], least: int) -> list[int] | None:
    """Give every row a column of its own among the entries ≥ least, starting from the rows that have one already."""
    owner = {y: x for x, y in enumerate(matched) if y is not None}

    def settle(x: int, seen: set[int]) -> bool:
        for y, amount in enumerate(table[x]):
            if amount >= least and y not in seen:
                seen.add(y)
                if y not in owner or settle(owner[y], seen):
                    owner[y] = x
                    return True
        return False

    for x, y in enumerate(matched):
        if y is None and not settle(x, set()):
            return None
    places = {x: y for y, x in owner.items()}
    return [places[x] for x in range(len(table))]
