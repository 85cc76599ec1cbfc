"""A finite probability law with labels: exact, or float64, and aware of which."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

import numpy as np

from sfumato.errors import InvalidLaw
from sfumato.prob.alphabet import Alphabet, Label, check_labels, normal_label
from sfumato.prob.exact import (
    FloatArray,
    LawLike,
    SupportsArray,
    check_law,
    default_width,
    distinct_numbers,
    round_to_grid,
)
from sfumato.values.checks import Number, check_at_least, check_integer
from sfumato.values.shown import Shown


class Distribution(Shown):
    """P(x) on labelled outcomes. Integers and Fractions make it exact; one float makes it float64.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> sf.Distribution([Fraction(7, 10), Fraction(3, 10)], ["no", "yes"]).exact
    True
    """

    __slots__ = ("_distinct", "array", "exact", "labels", "probabilities")

    labels: Alphabet
    probabilities: tuple[Number, ...]
    exact: bool
    array: FloatArray
    _distinct: frozenset[Number] | None

    def __init__(self, probabilities: LawLike | SupportsArray, labels: Iterable[Label] | None = None) -> None:
        self._read("probabilities", probabilities, labels)

    def _read(self, name: str, probabilities: LawLike | SupportsArray, labels: Iterable[Label] | None) -> None:
        law = check_law(name, probabilities)
        self._fill(law, np.array(law, dtype=np.float64), check_labels("labels", labels, len(law)))

    @classmethod
    def _of_numbers(cls, probabilities: LawLike | SupportsArray, parameter: str) -> Distribution:
        """Return the law of these numbers, without labels; errors name the parameter that they were given as."""
        self = cls.__new__(cls)
        self._read(parameter, probabilities, None)
        return self

    def _fill(self, law: tuple[Number, ...], array: FloatArray, labels: Alphabet) -> None:
        array.setflags(write=False)
        object.__setattr__(self, "probabilities", law)
        object.__setattr__(self, "labels", labels)
        object.__setattr__(self, "exact", isinstance(law[0], Fraction))
        object.__setattr__(self, "array", array)
        object.__setattr__(self, "_distinct", None)

    @classmethod
    def uniform(cls, size: int, labels: Iterable[Label] | None = None) -> Distribution:
        """Every outcome equally likely."""
        check_at_least("size", check_integer("size", size), 1)
        self = cls.__new__(cls)
        self._fill((Fraction(1, size),) * size, np.full(size, 1 / size), check_labels("labels", labels, size))
        return self

    def to_exact(self, width: int | None = None) -> Distribution:
        """Return the exact law nearest by the rule of :mod:`sfumato.prob.exact`; itself when exact already."""
        if self.exact:
            return self
        width = default_width(self.array) if width is None else width
        grid = round_to_grid(self.probabilities, width)
        return Distribution([Fraction(count, 1 << width) for count in grid], self.labels)

    @property
    def fractions(self) -> tuple[Fraction, ...]:
        """The exact probabilities, by the rounding rule when the law is float64."""
        return tuple(Fraction(value) for value in self.to_exact().probabilities)

    @property
    def distinct(self) -> frozenset[Number]:
        """The different probabilities: few, where there are many outcomes that are equally likely."""
        found = self._distinct
        if found is None:
            found = distinct_numbers(self.probabilities) if self.exact else frozenset(self.probabilities)
            object.__setattr__(self, "_distinct", found)
        return found

    @property
    def is_uniform(self) -> bool:
        """Whether every outcome has the same probability."""
        return len(self.distinct) == 1

    def __getitem__(self, label: Label) -> Number:
        try:
            return self.probabilities[self.labels.index(normal_label(label))]
        except ValueError:
            raise KeyError(f"no outcome is labelled {label!r}") from None

    def __len__(self) -> int:
        return len(self.probabilities)

    def __reduce__(self) -> tuple[type[Distribution], tuple[object, ...]]:
        return Distribution, (self.probabilities, self.labels)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a {type(self).__name__} is immutable; make a new one instead of setting {name}")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Distribution):
            return NotImplemented
        return (self.labels, self.exact, self.probabilities) == (
            other.labels,
            other.exact,
            other.probabilities,
        )

    def __hash__(self) -> int:
        return hash((self.labels, self.exact, self.probabilities))

    def __repr__(self) -> str:
        kind = "exact" if self.exact else "float64"
        return f"<Distribution on {len(self)} outcomes, {kind}>"


DistributionLike = Distribution | LawLike | SupportsArray
"""A distribution, or a list or an array of its probabilities."""


def as_distribution(value: DistributionLike, parameter: str) -> Distribution:
    """Return a distribution as it is, and a list or an array of probabilities as one; errors name the parameter.

    Parameters:
        value: A distribution, or its probabilities in a list or an array.
        parameter: What an error calls the value.

    >>> import sfumato as sf
    >>> sf.prob.as_distribution([0.75, 0.25], "prior")
    <Distribution on 2 outcomes, float64>
    """
    if isinstance(value, Distribution):
        return value
    return Distribution._of_numbers(value, parameter)  # noqa: SLF001  its own kind


def prior_on(prior: DistributionLike, inputs: Alphabet) -> Distribution:
    """Return a prior on the inputs of a channel, in their order; outcomes without labels are taken in order."""
    law = as_distribution(prior, "prior")
    if len(law) != len(inputs):
        raise InvalidLaw(
            f"has {len(law)} entries and the channel {len(inputs)} inputs",
            parameter="prior",
            way_out="Give one probability for each input.",
        )
    if law.labels == inputs:
        return law
    if isinstance(prior, Distribution) and set(law.labels) == set(inputs):
        return Distribution([law[label] for label in inputs], inputs)
    if law.labels == tuple(range(len(inputs))):
        return Distribution(law.probabilities, inputs)
    raise InvalidLaw(
        "has other labels than the channel's inputs", parameter="prior", way_out="Use the same labels for both."
    )
