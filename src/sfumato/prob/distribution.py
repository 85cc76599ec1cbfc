"""Labelled finite distributions, exact or float64."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np

from sfumato.display.notebooks import Shown, cell_words, html_table, paragraphs
from sfumato.errors import InvalidLaw, InvalidParameter
from sfumato.files.texts import hidden_character, normal, short
from sfumato.numbers.checks import Number, check_at_least, check_integer
from sfumato.numbers.exact import (
    FloatArray,
    LawLike,
    SupportsArray,
    check_law,
    default_width,
    distinct_numbers,
    round_to_grid,
)

# --- Alphabets: the labels of a finite distribution, in order and without repetition


Label = str | int | tuple["Label", ...]
Alphabet = tuple[Label, ...]


def check_labels(name: str, labels: Iterable[object] | None, size: int) -> Alphabet:
    """Return the labels as a tuple, text in Unicode NFC; 0..size-1 when none are given."""
    if labels is None:
        return tuple(range(size))
    found = tuple(_check_label(name, label) for label in labels)
    if len(found) != size:
        raise InvalidLaw(
            f"has {len(found)} labels for {size} entries",
            parameter=name,
            way_out=f"Give one label to each entry, or leave `{name}` out to number them.",
        )
    seen: set[Label] = set()
    for label in found:
        if label in seen:
            raise InvalidLaw(f"holds the label {short(label)} twice", parameter=name, way_out="Rename one of the two.")
        seen.add(label)
    return found


def entry_place(entry: object, inputs: Sequence[Label], outputs: Sequence[Label]) -> tuple[int, int]:
    """Return where an entry of a channel stands."""
    if not isinstance(entry, tuple) or len(entry) != 2:
        raise InvalidParameter(
            "must be an input and an output", parameter="entry", way_out="Write channel[x, y], in places or labels."
        )
    return place_of("input", entry[0], inputs), place_of("output", entry[1], outputs)


def place_of(name: str, given: object, labels: Sequence[Label]) -> int:
    """Return the place of an input or an output: a whole number is one, anything else is a label."""
    if isinstance(given, (int, np.integer)) and not isinstance(given, bool):
        place = int(given)
        if -len(labels) <= place < len(labels):
            return place % len(labels)
        rule = "is no place"
    else:
        if isinstance(given, str | tuple) and normal_label(given) in labels:
            return labels.index(normal_label(given))
        rule = "is neither a place nor a label"
    way_out = f"Places run from 0 to {len(labels) - 1}; labels stand in `{name}s`."
    raise InvalidParameter(rule, parameter=name, value=given, way_out=way_out)


def product_labels(*alphabets: Alphabet) -> Alphabet:
    """Return the labels of a product alphabet: tuples, the last coordinate moving fastest."""
    result: tuple[tuple[Label, ...], ...] = ((),)
    for alphabet in alphabets:
        result = tuple((*prefix, label) for prefix in result for label in alphabet)
    return result


def normal_label(label: Label) -> Label:
    """Return a label as alphabets hold it: text in Unicode NFC."""
    if isinstance(label, tuple):
        return tuple(normal_label(part) for part in label)
    return normal(label) if isinstance(label, str) else label


def _check_label(name: str, label: object) -> Label:
    if isinstance(label, tuple):
        return tuple(_check_label(name, part) for part in label)
    if isinstance(label, str):
        hidden = hidden_character(label)
        if hidden is not None:
            raise InvalidLaw(
                f"holds a label with {hidden}, a control or zero-width character",
                parameter=name,
                way_out="Write the label without it.",
            )
        return normal(label)
    if isinstance(label, int) and not isinstance(label, bool):
        return label
    raise InvalidLaw(
        f"holds a label of type {type(label).__name__}",
        parameter=name,
        way_out="Use text, whole numbers, or tuples of them.",
    )


_MOST_SHOWN = 30


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
        """Return the exact law nearest by the rule of :mod:`sfumato.numbers.exact`; itself when exact already."""
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

    def _view(self) -> str:
        shown = list(zip(self.labels, self.probabilities, strict=True))[:_MOST_SHOWN]
        rows = [(str(label), cell_words(mass)) for label, mass in shown]
        rest = len(self.labels) - len(shown)
        return html_table(("value", "probability"), rows) + paragraphs([f"and {rest} more"] * bool(rest))

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
