"""Keys that give the answer back: a report that hides x from everyone but the holder of the key.

A key value says which answer becomes which report, and no two answers become the same one; so report and key together
give the answer back, and the law of the key decides what the report alone says. The cheapest such key to store is a
shift that favours some of its values [B, Thm 4]. A key serves one report; several are in
:mod:`sfumato.refine.key_sequences`.   Theory: docs/theory/recovery.md
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from sfumato import measures
from sfumato.errors import InvalidParameter
from sfumato.measures.enclosures import entropy_interval, log2_interval
from sfumato.mechanisms.declared import exact_odds
from sfumato.prob import Channel, Circulant, Distribution, LawLike
from sfumato.prob.alphabet import Alphabet, Label, check_labels
from sfumato.values.checks import check_at_least, check_between, check_integer, check_positive
from sfumato.values.interval import Interval
from sfumato.values.rounding import fraction_below_exp, ln_bounds

# Odds promised as an epsilon are rounded down to multiples of 2^-40: epsilon falls short by less than 1e-12.
_ODDS_BITS = 40
# Odds beyond e^700 pass the largest double, and the answers have long been public.
_MOST_EPSILON = 700


@dataclass(frozen=True, slots=True, kw_only=True)
class ShiftKey:
    """y = x + u mod `size`, where the first `favoured` values of u are `odds` times as probable as the others.

    Who has y and u has x. `within` finds the cheapest to store for an ε [B, Thm 4].

    >>> import sfumato as sf
    >>> key = sf.refine.ShiftKey.within(size=6, epsilon=1)
    >>> key.favoured, round(key.entropy_bits().upper, 3), round(key.saved().upper, 3)
    (2, 2.407, 0.069)
    >>> key.report(4, 3), key.recover(1, 3)
    (1, 4)
    """

    size: int
    favoured: int
    odds: Fraction

    def __post_init__(self) -> None:
        check_at_least("size", check_integer("size", self.size), 2)
        check_between("favoured", check_integer("favoured", self.favoured), 1, self.size - 1)
        object.__setattr__(self, "odds", exact_odds(self.odds, "ShiftKey"))

    @classmethod
    def within(cls, *, size: int, epsilon: float) -> ShiftKey:
        """Return the key of least entropy among all that recover `size` answers and keep `epsilon` [B, Thm 4]."""
        check_at_least("size", check_integer("size", size), 2)
        _check_epsilon(epsilon)
        odds = fraction_below_exp(epsilon, denominator=1 << _ODDS_BITS)
        point = size * favoured_share(epsilon)
        # The entropy falls up to `point` and rises after it, so one of the two whole neighbours is best. 0 favoured
        # keys are a uniform key, which is never the cheapest; the print forgets to rule it out.
        neighbours = sorted({max(1, math.floor(point)), max(1, math.ceil(point))})
        return min(
            (cls(size=size, favoured=s, odds=odds) for s in neighbours), key=lambda key: key.entropy_bits().midpoint
        )

    @property
    def law(self) -> Distribution:
        """P(U = u), exact."""
        high, low = self._levels
        return Distribution([high] * self.favoured + [low] * (self.size - self.favoured))

    @property
    def _levels(self) -> tuple[Fraction, Fraction]:
        low = 1 / (self.favoured * self.odds + self.size - self.favoured)
        return self.odds * low, low

    def channel(self) -> Circulant:
        """What the report says to those without the key."""
        return Circulant.two_level(size=self.size, support=range(self.favoured), odds=self.odds)

    def entropy_bits(self) -> Interval:
        """H(U): what a key takes to store."""
        high, low = self._levels
        return entropy_interval(((high, self.favoured), (low, self.size - self.favoured)))

    def saved(self) -> Interval:
        """Which part of log2(size) is saved by storing the key instead of the answer."""
        bits, full = self.entropy_bits(), log2_interval(Fraction(self.size))
        return Interval(1 - bits.upper / full.lower, 1 - bits.lower / full.upper).widened(0.0)

    def report(self, x: int, u: int) -> int:
        """x + u mod size."""
        return (_place("x", x, self.size) + _place("u", u, self.size)) % self.size

    def recover(self, y: int, u: int) -> int:
        """Return the answer from its report and its key."""
        return (_place("y", y, self.size) - _place("u", u, self.size)) % self.size


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoveryKey:
    """Key value u has probability `law[u]` and turns the x-th input into the `maps[u][x]`-th output.

    Who has the output and u has the input; those without u see `channel()`.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> law = sf.Distribution([Fraction(2, 3), Fraction(1, 3)])
    >>> key = sf.refine.RecoveryKey(law=law, maps=((0, 1), (1, 0)), inputs=("no", "yes"), outputs=("heads", "tails"))
    >>> key.report("yes", 1), key.recover("heads", 1)
    ('heads', 'yes')
    >>> [[str(chance) for chance in row] for row in key.channel().rows]
    [['2/3', '1/3'], ['1/3', '2/3']]
    """

    law: Distribution
    maps: tuple[tuple[int, ...], ...]
    inputs: Alphabet
    outputs: Alphabet

    def __post_init__(self) -> None:
        maps = tuple(tuple(check_integer(f"maps[{u}]", y) for y in places) for u, places in enumerate(self.maps))
        object.__setattr__(self, "maps", maps)
        if not self.law.exact or len(self.law) != len(self.maps):
            raise InvalidParameter(
                f"must be exact and have one probability for each of the {len(self.maps)} maps",
                parameter="law",
                way_out="Write the probabilities as Fractions.",
            )
        object.__setattr__(self, "inputs", check_labels("inputs", self.inputs, len(self.inputs)))
        object.__setattr__(self, "outputs", check_labels("outputs", self.outputs, len(self.outputs)))
        for u, places in enumerate(self.maps):
            if len(places) != len(self.inputs) or not all(0 <= y < len(self.outputs) for y in places):
                raise InvalidParameter(
                    f"must give each of the {len(self.inputs)} inputs an output between 0 and {len(self.outputs) - 1}",
                    parameter=f"maps[{u}]",
                    way_out="Number the outputs from 0.",
                )
            if len(set(places)) < len(places):
                raise InvalidParameter(
                    "sends two inputs to one output, and then this key cannot tell them apart",
                    parameter=f"maps[{u}]",
                    way_out="Give every input its own output.",
                )

    def channel(self) -> Channel:
        """What the report says to those without the key: the mixture of the maps."""
        rows = [[Fraction(0)] * len(self.outputs) for _ in self.inputs]
        for weight, places in zip(self.law.fractions, self.maps, strict=True):
            for x, y in enumerate(places):
                rows[x][y] += weight
        return Channel(rows, self.inputs, self.outputs)

    def entropy_bits(self) -> Interval:
        """H(U): what a key takes to store."""
        return entropy_interval((p, 1) for p in self.law.probabilities)

    def report(self, x: Label, u: int) -> Label:
        """Return the output that key value u gives to an input."""
        places = self.maps[_place("u", u, len(self.maps))]
        if x not in self.inputs:
            raise InvalidParameter(
                "is none of the inputs of this key", parameter="x", way_out="Use the labels in key.inputs."
            )
        return self.outputs[places[self.inputs.index(x)]]

    def recover(self, y: Label, u: int) -> Label:
        """Return the input from its output and its key value."""
        places = self.maps[_place("u", u, len(self.maps))]
        if y not in self.outputs or self.outputs.index(y) not in places:
            raise InvalidParameter(
                "and u do not belong together",
                parameter="y",
                way_out="Use the key value that this report was made with.",
            )
        return self.inputs[places.index(self.outputs.index(y))]


def favoured_share(epsilon: float) -> float:
    """l/k of [B, Thm 4], (e^ε(ε-1)+1)/(e^ε-1)², with full precision for every ε; it falls from 1/2 to 0.

    `ShiftKey.within` favours about this share of the shifts.

    >>> import sfumato as sf
    >>> [round(sf.refine.favoured_share(epsilon), 4) for epsilon in (0.01, 1, 3)]
    [0.4983, 0.3387, 0.113]
    """
    _check_epsilon(epsilon)
    if epsilon >= 1:
        return math.exp(-epsilon) * (epsilon + math.expm1(-epsilon)) / math.expm1(-epsilon) ** 2
    # Near 0 the quotient is 0/0. Both halves are divided by ε² first; 20 terms of the series reach a double.
    rest = math.fsum((-epsilon) ** n / math.factorial(n + 2) for n in range(20))
    return math.exp(-epsilon) * rest / (math.expm1(-epsilon) / epsilon) ** 2


def shift_channel(law: Distribution | LawLike, *, size: int, epsilon: float) -> Circulant:
    """Y = X + U mod size for any key law that keeps `epsilon`; any other law is refused [B, Lemma 6].

    Raises:
        InvalidParameter: the law does not keep `epsilon`; the sentence says which it keeps.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> channel = sf.refine.shift_channel([Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)], size=3, epsilon=0.7)
    >>> [str(chance) for chance in channel.to_dense().rows[1]]
    ['1/4', '1/2', '1/4']
    """
    check_at_least("size", check_integer("size", size), 2)
    _check_epsilon(epsilon)
    key = law if isinstance(law, Distribution) else Distribution(law)
    probabilities = key.fractions
    if len(probabilities) != size:
        raise InvalidParameter(
            f"has {len(probabilities)} entries for {size} answers, and a shift needs one for each",
            parameter="law",
            way_out=f"Give {size} probabilities, or bring a longer key down with reduced_key_law.",
        )
    if min(probabilities) == 0:
        raise InvalidParameter(
            "would let a report rule an answer out: ε is infinite",
            parameter=f"law[{probabilities.index(Fraction(0))}]",
            value=0,
            way_out="Make every key value possible.",
        )
    ratio = max(probabilities) / min(probabilities)
    if ratio > fraction_below_exp(epsilon, denominator=ratio.denominator):
        needed = math.ceil(1e6 * ln_bounds(ratio)[1]) / 1e6
        raise InvalidParameter(
            f"is less than the law of the key keeps: its largest value is e^{needed} times the smallest",
            parameter="epsilon",
            value=epsilon,
            way_out=f"Level the law, or raise `epsilon` to {needed}.",
        )
    return Circulant(probabilities)


def reduced_key_law(key: RecoveryKey, output: Label | None = None) -> Distribution:
    """Bring a key down to as many values as there are inputs, with no more entropy and no larger odds [B, Lemma 7].

    Key values that send the same input to `output` are merged; of these and the rest the largest are kept and divided
    by their sum. `output` must be one that the most probable key value gives; without it, the one that ends cheapest.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> law = sf.Distribution([Fraction(1, 4), Fraction(1, 4), Fraction(1, 2)])
    >>> key = sf.refine.RecoveryKey(law=law, maps=((0, 1), (0, 1), (1, 0)), inputs=(0, 1), outputs=(0, 1))
    >>> [str(chance) for chance in sf.refine.reduced_key_law(key).fractions]
    ['1/2', '1/2']
    """
    weights = key.law.fractions
    heaviest = key.maps[weights.index(max(weights))]
    if output is None:
        laws = [_merged_and_trimmed(key, place) for place in heaviest]
        return min(laws, key=measures.entropy_bits)
    if output not in key.outputs or key.outputs.index(output) not in heaviest:
        # Otherwise that key value stays unmerged, and nothing bounds it by the odds of the reports.
        raise InvalidParameter(
            "must be one that the most probable key value gives",
            parameter="output",
            value=output,
            way_out="Leave `output` out to have it chosen.",
        )
    return _merged_and_trimmed(key, key.outputs.index(output))


def _merged_and_trimmed(key: RecoveryKey, place: int) -> Distribution:
    merged, single = [Fraction(0)] * len(key.inputs), []
    for weight, places in zip(key.law.fractions, key.maps, strict=True):
        if place in places:
            merged[places.index(place)] += weight
        else:
            single.append(weight)
    if min(merged) == 0:
        raise InvalidParameter(
            "rules an input out, so the report has no finite ε and the reduction of Lemma 7 does not apply",
            parameter="output",
            value=key.outputs[place],
            way_out="Start from a key whose channel has finite odds.",
        )
    kept = sorted(merged + single, reverse=True)[: len(key.inputs)]
    return Distribution([weight / sum(kept) for weight in kept])


def _check_epsilon(epsilon: float) -> None:
    check_positive("epsilon", epsilon)
    check_between(
        "epsilon", epsilon, 0, _MOST_EPSILON, way_out="At such an epsilon the answers are all but public: lower it."
    )


def _place(name: str, value: int, count: int) -> int:
    # The value stays out of the sentence: it is an answer, a report or a key.
    if isinstance(value, bool) or not hasattr(value, "__index__") or not 0 <= value.__index__() < count:
        raise InvalidParameter(
            f"must be a whole number from 0 to {count - 1}", parameter=name, way_out="Number the symbols from 0."
        )
    return value.__index__()
