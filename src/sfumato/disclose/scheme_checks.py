"""Is each sample independent of everything that is published? By trying all datasets, in fractions.

For a few samples every dataset x^n and every sequence of outputs can be listed with its exact probability. Then
P(x_i, y) = P(x_i)P(y) either holds to the last digit for every sample, value and output, or it does not.
Theory: docs/theory/disclosure_schemes.md
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from sfumato.errors import ClaimRefused, InvalidLaw, InvalidParameter
from sfumato.measures.enclosures import entropy_interval, expected_log2_interval
from sfumato.prob import Distribution
from sfumato.values import Interval
from sfumato.values.checks import check_at_least, check_integer

Symbols = tuple[int, ...]
OutputLaw = Callable[[Symbols], Mapping[Symbols, Fraction]]
"""P(y|x^n) for one dataset, without its zeros."""

# Pairs of a dataset and an output that a second or two can list.
MOST_PAIRS = 1 << 18


@dataclass(frozen=True, slots=True, kw_only=True)
class IndependenceCheck:
    """What was compared, every time with equality: P(x_i, y) and P(x_i)P(y).

    Every scheme makes one with `certify_small`, which refuses where a comparison fails.

    >>> import sfumato as sf
    >>> sf.disclose.RunningSums(modulus=3).certify_small(3)
    IndependenceCheck(n=3, outputs=9, comparisons=81)
    """

    n: int
    outputs: int
    comparisons: int


@dataclass(frozen=True, slots=True)
class _Table:
    """P(x_G, y) for some samples G, with both marginals."""

    joint: Mapping[tuple[Symbols, Symbols], Fraction]
    values: Mapping[Symbols, Fraction]
    outputs: Mapping[Symbols, Fraction]

    def independent(self) -> bool:
        return all(
            self.joint.get((x, y), Fraction(0)) == p * q
            for x, p in self.values.items()
            for y, q in self.outputs.items()
        )

    def information(self) -> Interval:
        terms = []
        for (x, y), mass in self.joint.items():
            ratio = mass / (self.values[x] * self.outputs[y])
            if ratio != 1:
                terms.append((float(mass), float(ratio)))
        return expected_log2_interval(terms).at_least(0.0)


def certify_independence(law: Distribution, n: int, output_law: OutputLaw, *, together: int = 1) -> IndependenceCheck:
    """Check that any `together` samples in a row are independent of the outputs; refuse, with the leak, if not."""
    tables = _tables(law, n, output_law, together)
    for first, table in enumerate(tables):
        if not table.independent():
            rest = f" and the {together - 1} after it" if together > 1 else ""
            raise ClaimRefused(
                f"the outputs are not independent of sample {first + 1} of {n}{rest}: they leak "
                f"{table.information().midpoint:.4f} bits",
                way_out="Publish this with another mapping, or not at all.",
            )
    return IndependenceCheck(
        n=n,
        outputs=len(tables[0].outputs),
        comparisons=sum(len(table.values) * len(table.outputs) for table in tables),
    )


def leaks_interval(law: Distribution, n: int, output_law: OutputLaw) -> tuple[Interval, ...]:
    """Enclose I(X_i; Y) for each sample; exactly [0, 0] where it is independent."""
    return tuple(table.information() for table in _tables(law, n, output_law, 1))


def information_by_listing(law: Distribution, n: int, output_law: OutputLaw) -> Interval:
    """Enclose I(X^n; Y) by listing all datasets: slow, and independent of every formula."""
    return _tables(law, n, output_law, n)[0].information()


def _tables(law: Distribution, n: int, output_law: OutputLaw, together: int) -> list[_Table]:
    check_at_least("n", check_integer("n", n), together)
    shares = law.fractions
    _check_pairs(len(shares) ** n if n < 64 else MOST_PAIRS + 1)
    runs = range(n - together + 1)
    joint: list[dict[tuple[Symbols, Symbols], Fraction]] = [defaultdict(Fraction) for _ in runs]
    outputs: dict[Symbols, Fraction] = defaultdict(Fraction)
    pairs = 0
    for dataset in itertools.product(range(len(shares)), repeat=n):
        weight = math.prod((shares[x] for x in dataset), start=Fraction(1))
        reached = output_law(dataset)
        pairs += len(reached)
        _check_pairs(pairs)
        for y, chance in reached.items():
            mass = weight * chance
            outputs[y] += mass
            for first in runs:
                joint[first][dataset[first : first + together], y] += mass
    values = {
        x: math.prod((shares[part] for part in x), start=Fraction(1))
        for x in itertools.product(range(len(shares)), repeat=together)
    }
    return [_Table(table, values, outputs) for table in joint]


def _check_pairs(pairs: int) -> None:
    if pairs > MOST_PAIRS:
        raise InvalidParameter(
            f"asks for more than {MOST_PAIRS} pairs of a data set and an output",
            parameter="n",
            way_out="Check fewer samples; the proof for any number of them is on the theory page.",
        )


def check_sample_law(law: Distribution) -> Distribution:
    """Return the law of one sample as an exact one on two or more possible values."""
    exact = law.to_exact()
    if len(exact) < 2 or min(exact.fractions) == 0:
        raise InvalidLaw(
            "needs two or more outcomes, all of them possible",
            parameter="law",
            way_out="Drop the outcomes that never happen; a column that is always the same has nothing to disclose.",
        )
    return exact


def efficiency_interval(information: Interval, law: Distribution, n: int) -> Interval:
    """I(X^n; Y) / (n H(X)): the part of the data's information that is disclosed."""
    whole = entropy_interval((p, 1) for p in law.probabilities)
    return Interval(information.lower / (n * whole.upper), information.upper / (n * whole.lower)).widened(0.0)


def scaled_interval(information: Interval, factor: int) -> Interval:
    """`factor` ≥ 0 times an interval, rounded outwards."""
    if factor == 0:
        return Interval(0.0, 0.0)
    return Interval(information.lower * factor, information.upper * factor).widened(0.0).at_least(0.0)


def check_count(n: int, least: int) -> int:
    """Refuse a dataset too short for one output."""
    check_at_least("n", check_integer("n", n), least)
    return n


def slices(length: int, size: int) -> Sequence[slice]:
    """Cut a column into pieces that fit the cache."""
    return [slice(start, min(start + size, length)) for start in range(0, length, size)]
