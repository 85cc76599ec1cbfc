"""A query: data with a prior, a function of it, and the probability with which its value must be right.

A response Z to data x must equal f(x) with probability at least ρ, whatever x is. Privacy is how often the best guesser
of the data is still wrong after seeing Z.   Ref: [A, Defs 1-4]; theory: docs/theory/recoverable_answers.md
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from sfumato.errors import InvalidLaw, InvalidParameter
from sfumato.numbers.checks import Real, as_exact
from sfumato.numbers.exact import LawLike
from sfumato.prob.distribution import Distribution, Label, normal_label

Function = Mapping[Label, Label] | Callable[[Label], Label] | Sequence[Label]
Prior = Distribution | Mapping[Label, Real] | LawLike


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """`f` gives each value of the data the place of its function value in `values`; everything is exact.

    One asks it by `Query.of`, which takes f as a list, by name, or as a function. `total` is S, how often whoever knows
    f(x) guesses the data, and `critical_rho` is up to where an answer costs no privacy [A, eq. (16)].

    >>> import sfumato as sf
    >>> ill = {"flu": "ill", "cold": "ill", "none": "well"}
    >>> query = sf.recoverable.Query.of({"flu": 0.5, "cold": 0.3, "none": 0.2}, ill, 0.8)
    >>> query.values, query.f, query.total, query.critical_rho
    (('ill', 'well'), (0, 0, 1), Fraction(7, 10), Fraction(5, 7))
    """

    prior: Distribution
    values: tuple[Label, ...]
    f: tuple[int, ...]
    rho: Fraction

    @classmethod
    def of(cls, prior: Prior, f: Function, rho: Real, *, values: Iterable[Label] | None = None) -> Query:
        """Read a query; `values` fixes the order of the function's values, which f must take all of."""
        law = exact_prior(prior)
        places, order = _read_function("f", f, law.labels, values)
        if len(order) < 2:
            raise InvalidParameter(
                "takes only one value, so there is nothing to ask",
                parameter="f",
                way_out="Give a function with at least two.",
            )
        return cls(prior=law, values=order, f=places, rho=checked_rho(rho))

    @property
    def masses(self) -> tuple[Fraction, ...]:
        """P(x)."""
        return self.prior.fractions

    @property
    def maxima(self) -> tuple[Fraction, ...]:
        """m_i, the largest P(x) among the data with f(x) = i; what is to be had by knowing f(x) is their sum S."""
        best = [Fraction(0)] * len(self.values)
        for place, mass in zip(self.f, self.masses, strict=True):
            best[place] = max(best[place], mass)
        return tuple(best)

    @property
    def total(self) -> Fraction:
        """S = Σ m_i: how often the data are guessed right when f(x) is known."""
        return sum(self.maxima, Fraction(0))

    @property
    def critical_rho(self) -> Fraction:
        """ρ_c = max P / S: up to here a response costs no privacy at all [A, eq. (16)]."""
        return max(self.masses) / self.total

    @property
    def value_masses(self) -> tuple[Fraction, ...]:
        """P(f(X) = i)."""
        sums = [Fraction(0)] * len(self.values)
        for place, mass in zip(self.f, self.masses, strict=True):
            sums[place] += mass
        return tuple(sums)


def exact_prior(prior: Prior) -> Distribution:
    """Read a prior exactly; floats mean the decimals that they print as when these sum to 1."""
    if isinstance(prior, Distribution):
        law = prior
    else:
        labels = list(prior) if isinstance(prior, Mapping) else None
        numbers = list(prior.values()) if isinstance(prior, Mapping) else list(prior)
        exact = [as_exact("prior", number) for number in numbers]
        law = Distribution(exact if sum(exact) == 1 else numbers, labels)
    for label, mass in zip(law.labels, law.probabilities, strict=True):
        if mass == 0:
            raise InvalidLaw(
                f"gives probability 0 to {label!r}, and privacy is about data that can happen",
                parameter="prior",
                way_out="Drop the values with probability 0.",
            )
    return law.to_exact()


def checked_rho(rho: Real) -> Fraction:
    """Read how often an answer must be right."""
    number = as_exact("rho", rho)
    if not 0 <= number <= 1:
        raise InvalidParameter(
            "must lie in [0, 1]: it is how often an answer must be right",
            parameter="rho",
            value=rho,
            way_out="Write 0.9, not 90.",
        )
    return number


def places_of(name: str, function: Function, prior: Distribution) -> tuple[tuple[int, ...], tuple[Label, ...]]:
    """Return the place of each function value, and the values in the order in which they come up."""
    return _read_function(name, function, prior.labels, None)


def _read_function(
    name: str, function: Function, labels: Sequence[Label], values: Iterable[Label] | None
) -> tuple[tuple[int, ...], tuple[Label, ...]]:
    images = [normal_label(image) for image in _images(name, function, labels)]
    order = tuple(dict.fromkeys(images)) if values is None else tuple(map(normal_label, values))
    place = {value: i for i, value in enumerate(order)}
    if len(place) != len(order):
        raise InvalidParameter("has the same value twice", parameter="values", way_out="List each once.")
    for value in order:
        if value not in images:
            raise InvalidParameter(
                f"never takes the value {value!r}, and a response may only name values that can be true",
                parameter=name,
                way_out=f"Drop it from `values`, or correct `{name}`.",
            )
    for value in images:
        if value not in place:
            raise InvalidParameter(
                f"takes the value {value!r}, which is not among `values`", parameter=name, way_out="Add it."
            )
    return tuple(place[value] for value in images), order


def _images(name: str, function: Function, labels: Sequence[Label]) -> list[Label]:
    if callable(function):
        return [function(label) for label in labels]
    if isinstance(function, Mapping):
        entries = {normal_label(label): value for label, value in function.items()}
        missing = [label for label in labels if label not in entries]
        if missing:
            raise InvalidParameter(
                f"has no entry for {missing[0]!r}", parameter=name, way_out="Give a value to every value of the data."
            )
        return [entries[label] for label in labels]
    images = list(function)
    if len(images) != len(labels):
        raise InvalidParameter(
            f"has {len(images)} values for {len(labels)} values of the data", parameter=name, way_out="Give one each."
        )
    return images
