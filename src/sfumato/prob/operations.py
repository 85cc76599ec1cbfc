"""Products, cascades and coarsenings of channels, and joint distributions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction

import numpy as np

from sfumato.errors import InvalidLaw, InvalidParameter
from sfumato.numbers.checks import Number, check_at_least, check_between, check_integer
from sfumato.numbers.exact import LawLike
from sfumato.prob.channel import Channel
from sfumato.prob.distribution import (
    Alphabet,
    Distribution,
    DistributionLike,
    Label,
    check_labels,
    prior_on,
    product_labels,
)
from sfumato.prob.structured import ChannelLike, as_channel

# With more types than this a power is too large for a table; the error names a formula instead.
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


# --- Joint distributions over tuples, with marginals and conditionals


class Joint:
    """P(x_1, …, x_n) on a product alphabet; the last coordinate moves fastest.

    Raises:
        InvalidLaw: the probabilities are no law, or are not as many as there are tuples.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> law = [Fraction(1, 2), 0, Fraction(1, 4), Fraction(1, 4)]
    >>> weather = sf.prob.Joint(law, [("dry", "wet"), ("sun", "clouds")])
    >>> weather.law[("wet", "sun")], weather
    (Fraction(1, 4), <Joint law on 2×2, exact>)
    """

    __slots__ = ("alphabets", "law")

    law: Distribution
    alphabets: tuple[Alphabet, ...]

    def __init__(self, probabilities: LawLike, alphabets: Sequence[Sequence[Label]]) -> None:
        checked = tuple(check_labels(f"alphabets[{i}]", a, len(a)) for i, a in enumerate(alphabets))
        if not checked:
            raise InvalidLaw("is empty", parameter="alphabets", way_out="A joint law needs at least one coordinate.")
        object.__setattr__(self, "alphabets", checked)
        object.__setattr__(self, "law", Distribution(probabilities, product_labels(*checked)))

    def __reduce__(self) -> tuple[type[Joint], tuple[object, ...]]:
        return Joint, (self.law.probabilities, self.alphabets)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a {type(self).__name__} is immutable; make a new one instead of setting {name}")

    def __repr__(self) -> str:
        sizes = "×".join(str(len(a)) for a in self.alphabets)
        return f"<Joint law on {sizes}, {'exact' if self.law.exact else 'float64'}>"


def joint_law(prior: DistributionLike, channel: ChannelLike) -> Joint:
    """Return P(x)P(y|x), the law of answer and report together.

    Raises:
        InvalidLaw: the labels of `prior` are not the inputs of `channel`.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> prior = sf.Distribution([Fraction(9, 10), Fraction(1, 10)], ["no", "yes"])
    >>> channel = sf.Channel([[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]], ["no", "yes"])
    >>> sf.prob.joint_law(prior, channel).law[("yes", 0)]
    Fraction(1, 40)
    """
    channel = as_channel(channel)
    law = prior_on(prior, channel.inputs)
    products = [p * q for p, row in zip(law.probabilities, channel.rows, strict=True) for q in row]
    return Joint(products, (channel.inputs, channel.outputs))


def marginal(joint: Joint, coordinate: int) -> Distribution:
    """Return the law of one coordinate.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> law = sf.prob.Joint([Fraction(1, 2), 0, Fraction(1, 4), Fraction(1, 4)], [("dry", "wet"), ("sun", "clouds")])
    >>> sf.prob.marginal(law, 1).probabilities
    (Fraction(3, 4), Fraction(1, 4))
    """
    axis = _check_axis(joint, "coordinate", coordinate)
    totals: dict[Label, Number] = dict.fromkeys(joint.alphabets[axis], Fraction(0))
    for label, value in zip(joint.law.labels, joint.law.probabilities, strict=True):
        totals[_tuple(label)[axis]] += value
    return Distribution(list(totals.values()), joint.alphabets[axis])


def conditional(joint: Joint, *, given: int) -> Channel:
    """The law of the other coordinates given one of them, as a channel; refuses impossible conditions.

    Raises:
        InvalidLaw: a label of that coordinate has probability 0.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> law = sf.prob.Joint([Fraction(1, 2), 0, Fraction(1, 4), Fraction(1, 4)], [("dry", "wet"), ("sun", "clouds")])
    >>> given_sky = sf.prob.conditional(law, given=1)
    >>> given_sky.inputs, given_sky.rows[0]
    (('sun', 'clouds'), (Fraction(2, 3), Fraction(1, 3)))
    """
    axis = _check_axis(joint, "given", given)
    condition = marginal(joint, axis)
    for label, value in zip(condition.labels, condition.probabilities, strict=True):
        if value == 0:
            raise InvalidLaw(
                f"names a coordinate that is never {label!r}, so nothing can be conditioned on it",
                parameter="given",
                value=axis,
                way_out="Drop that label.",
            )
    rest = [alphabet for i, alphabet in enumerate(joint.alphabets) if i != axis]
    outputs: Alphabet = rest[0] if len(rest) == 1 else product_labels(*rest)
    cells: dict[Label, dict[Label, Number]] = {label: dict.fromkeys(outputs, Fraction(0)) for label in condition.labels}
    for label, value in zip(joint.law.labels, joint.law.probabilities, strict=True):
        parts = _tuple(label)
        others = parts[:axis] + parts[axis + 1 :]
        cells[parts[axis]][others[0] if len(rest) == 1 else others] += value / condition[parts[axis]]
    return Channel([list(row.values()) for row in cells.values()], condition.labels, outputs)


def _check_axis(joint: Joint, name: str, coordinate: int) -> int:
    check_between(name, check_integer(name, coordinate), 0, len(joint.alphabets) - 1)
    return coordinate


def _tuple(label: Label) -> Alphabet:
    if not isinstance(label, tuple):
        raise InvalidLaw("a joint law needs tuples as labels", way_out="Make it with Joint or joint_law.")
    return label
