"""New channels and laws from old ones. All are functions; exact inputs give exact results."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction

import numpy as np

from sfumato.errors import InvalidLaw, InvalidParameter
from sfumato.prob.alphabet import Label, product_labels
from sfumato.prob.array_likes import ChannelLike, as_channel
from sfumato.prob.channel import Channel
from sfumato.prob.distribution import Distribution, DistributionLike, prior_on
from sfumato.values.checks import Number, check_at_least, check_integer

# More types than this and a power is no longer a table; the caller wants a formula instead.
MOST_TYPES = 2_000_000


def product(first: ChannelLike, second: ChannelLike) -> Channel:
    """Two channels side by side on independent data: (x1, x2) → (y1, y2).

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> coin = sf.Channel([[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]])
    >>> both = sf.prob.product(coin, coin)
    >>> both.shape, both.inputs[1], sf.measures.odds(both)
    ((4, 4), (0, 1), Fraction(9, 1))
    """
    first, second = as_channel(first, "first"), as_channel(second, "second")
    rows = [[p * q for p in first_row for q in second_row] for first_row in first.rows for second_row in second.rows]
    return Channel(rows, product_labels(first.inputs, second.inputs), product_labels(first.outputs, second.outputs))


def together(first: ChannelLike, second: ChannelLike) -> Channel:
    """Two reports about the same x, drawn independently: x → (y1, y2).

    Raises:
        InvalidLaw: the channels have different inputs.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> coin = sf.Channel([[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]])
    >>> twice = sf.prob.together(coin, coin)
    >>> twice.shape, sf.measures.odds(coin), sf.measures.odds(twice)  # odds multiply, at worst
    ((2, 4), Fraction(3, 1), Fraction(9, 1))
    """
    first, second = as_channel(first, "first"), as_channel(second, "second")
    if first.inputs != second.inputs:
        raise InvalidLaw(
            "must have the inputs of `first`",
            parameter="second",
            way_out="Reports about the same data share its labels.",
        )
    rows = [[p * q for p in a for q in b] for a, b in zip(first.rows, second.rows, strict=True)]
    return Channel(rows, first.inputs, product_labels(first.outputs, second.outputs))


def cascade(first: ChannelLike, second: ChannelLike) -> Channel:
    """Feed the output of one channel to another: x → y → z.

    Raises:
        InvalidLaw: the inputs of `second` are not the outputs of `first`.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> coin = sf.Channel([[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]])
    >>> again = sf.prob.cascade(coin, coin)
    >>> again.rows[0], sf.measures.odds(again)  # noise on noise tells less
    ((Fraction(5, 8), Fraction(3, 8)), Fraction(5, 3))
    """
    first, second = as_channel(first, "first").to_dense(), as_channel(second, "second").to_dense()
    if first.outputs != second.inputs:
        raise InvalidLaw(
            "must have the outputs of `first` as its inputs",
            parameter="second",
            way_out="Give both the same labels, in the same order.",
        )
    if first.exact and second.exact:
        left, left_denominator = first.integers()
        right, right_denominator = second.integers()
        denominator = left_denominator * right_denominator
        rows: Sequence[Sequence[Number]] = [[Fraction(value, denominator) for value in row] for row in left.dot(right)]
        return Channel(rows, first.inputs, second.outputs)
    return Channel(first.array @ second.array, first.inputs, second.outputs)


def post_process(channel: ChannelLike, mapping: Mapping[Label, Label] | Callable[[Label], Label]) -> Channel:
    """Publish a function of the output only: x → g(y).

    Raises:
        InvalidParameter: an output has no entry in `mapping`.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> guess = sf.Channel([[Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)], [0, Fraction(1, 2), Fraction(1, 2)]])
    >>> merged = sf.prob.post_process(guess, {0: "no", 1: "perhaps", 2: "perhaps"})
    >>> merged.outputs, merged.rows
    (('no', 'perhaps'), ((Fraction(1, 2), Fraction(1, 2)), (Fraction(0, 1), Fraction(1, 1))))
    """
    channel = as_channel(channel)
    image = mapping if callable(mapping) else mapping.__getitem__
    try:
        images = [image(label) for label in channel.outputs]
    except KeyError as error:
        raise InvalidParameter(
            f"has no entry for output {error.args[0]!r}", parameter="mapping", way_out="Map every output."
        ) from None
    outputs = list(dict.fromkeys(images))
    place = {label: i for i, label in enumerate(outputs)}
    rows = []
    for row in channel.rows:
        merged: list[Number] = [Fraction(0)] * len(outputs)
        for value, label in zip(row, images, strict=True):
            merged[place[label]] += value
        rows.append(merged)
    return Channel(rows, channel.inputs, outputs)


def as_prior(prior: DistributionLike | None, channel: ChannelLike) -> Distribution:
    """Read a prior for a channel: uniform when none is given, put in the order of the channel's labels.

    Raises:
        InvalidLaw: it has other labels than the channel's inputs, or not as many probabilities.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> coin = sf.Channel([[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]], ["no", "yes"])
    >>> sf.prob.as_prior(None, coin).probabilities
    (Fraction(1, 2), Fraction(1, 2))
    >>> sf.prob.as_prior(sf.Distribution([Fraction(1, 10), Fraction(9, 10)], ["yes", "no"]), coin).probabilities
    (Fraction(9, 10), Fraction(1, 10))
    """
    channel = as_channel(channel)
    if prior is None:
        # The answers of a structured channel are numbered, as outcomes are that have no labels.
        return Distribution.uniform(channel.shape[0], channel.inputs if isinstance(channel, Channel) else None)
    return prior_on(prior, channel.inputs)


def coarsen(
    channel: ChannelLike, prior: DistributionLike | None, of: Mapping[Label, Label] | Callable[[Label], Label]
) -> tuple[Channel, Distribution]:
    """Return the channel from h(X) to Y under a prior on X, and the law of h(X).

    Values of h that the prior never gives are left out.

    Raises:
        InvalidParameter: an input has no entry in `of`.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> ages = sf.Channel([[1, 0], [Fraction(1, 2), Fraction(1, 2)], [0, 1]], ["child", "adult", "old"])
    >>> prior = sf.Distribution([Fraction(1, 4), Fraction(1, 2), Fraction(1, 4)], ["child", "adult", "old"])
    >>> channel, law = sf.prob.coarsen(ages, prior, lambda age: "minor" if age == "child" else "major")
    >>> channel.inputs, channel.rows[1], law["major"]
    (('minor', 'major'), (Fraction(1, 3), Fraction(2, 3)), Fraction(3, 4))
    """
    image = of if callable(of) else of.__getitem__
    channel = as_channel(channel)
    law = as_prior(prior, channel)
    totals: dict[Label, Number] = {}
    rows: dict[Label, list[Number]] = {}
    for label, weight, row in zip(channel.inputs, law.probabilities, channel.rows, strict=True):
        if weight == 0:
            continue
        try:
            value = image(label)
        except KeyError:
            raise InvalidParameter(
                f"has no entry for input {label!r}", parameter="of", way_out="Give a value to every input."
            ) from None
        totals[value] = totals.get(value, Fraction(0)) + weight
        sums = rows.setdefault(value, [Fraction(0)] * len(row))
        rows[value] = [total + weight * entry for total, entry in zip(sums, row, strict=True)]
    averaged = [[entry / totals[value] for entry in sums] for value, sums in rows.items()]
    return Channel(averaged, rows, channel.outputs), Distribution(list(totals.values()), rows)


def power(channel: ChannelLike, n: int) -> Channel:
    """n independent reports about the same x, kept only as counts of each output (their "type").

    The type is a sufficient statistic, so every measure of what leaks about x is that of the n reports, at
    C(n+k-1, k-1) outputs instead of k^n.

    Raises:
        InvalidParameter: there are too many types for a table.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> coin = sf.Channel([[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]])
    >>> three = sf.prob.power(coin, 3)
    >>> three.outputs
    ((3, 0), (2, 1), (1, 2), (0, 3))
    >>> three.rows[0][0], sf.measures.odds(three)
    (Fraction(27, 64), Fraction(27, 1))
    """
    channel = as_channel(channel).to_dense()
    check_at_least("n", check_integer("n", n), 1)
    size = channel.shape[1]
    count = math.comb(n + size - 1, size - 1)
    if count * channel.shape[0] > MOST_TYPES:
        raise InvalidParameter(
            f"reports over {size} outputs have {count} types, too many for a table",
            parameter="n",
            value=n,
            way_out="Lower `n` or merge outputs.",
        )
    types = list(_types(n, size))
    ways = [math.factorial(n) // math.prod(map(math.factorial, kind)) for kind in types]
    if not channel.exact:
        counts = np.array(types, dtype=np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.where(counts[None] > 0, counts[None] * np.log(channel.array)[:, None, :], 0.0).sum(axis=2)
        rows = np.exp(logs + np.array([math.log(way) for way in ways]))
        return Channel(rows / rows.sum(axis=1, keepdims=True), channel.inputs, types)
    numerators, denominator = channel.integers()
    exact_rows = [
        [
            Fraction(way * math.prod(int(p) ** c for p, c in zip(row, kind, strict=True)), denominator**n)
            for way, kind in zip(ways, types, strict=True)
        ]
        for row in numerators
    ]
    return Channel(exact_rows, channel.inputs, types)


def _types(n: int, size: int) -> Iterator[tuple[int, ...]]:
    if size == 1:
        yield (n,)
        return
    for first in range(n, -1, -1):
        for rest in _types(n - first, size - 1):
            yield (first, *rest)
