"""Joint laws: a distribution over tuples, with its marginals and conditionals."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from sfumato.errors import InvalidLaw
from sfumato.prob.alphabet import Alphabet, Label, check_labels, product_labels
from sfumato.prob.array_likes import ChannelLike, as_channel
from sfumato.prob.channel import Channel
from sfumato.prob.distribution import Distribution, DistributionLike, prior_on
from sfumato.prob.exact import LawLike
from sfumato.values.checks import Number, check_between, check_integer


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
