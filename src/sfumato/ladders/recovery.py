"""Keys that recover the answer, their entropy, and what using them twice reveals [B].

A key value maps answers to reports one to one. So report and key together give the answer, and the distribution of the
key determines what the report alone reveals. The key with the least entropy is a shift that favours some of its values
[B, Thm 4]. A key serves one report.
Theory: docs/theory/recovery.md
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from sfumato import measures
from sfumato.errors import InvalidParameter, NotCertified
from sfumato.mechanisms.base import exact_odds
from sfumato.mechanisms.binary_hadamard import binary_entropy_bits
from sfumato.mechanisms.cyclic import CyclicResponse
from sfumato.numbers.checks import check_at_least, check_between, check_integer, check_positive
from sfumato.numbers.exact import LawLike
from sfumato.numbers.intervals import Interval, entropy_interval, fraction_below_exp, ln_bounds, log2_interval
from sfumato.prob.channel import Channel
from sfumato.prob.distribution import Alphabet, Distribution, Label, check_labels, product_labels
from sfumato.prob.structured import AnyChannel, Circulant

# Odds promised as an epsilon are rounded down to multiples of 2^-40: epsilon falls short by less than 1e-12.
_ODDS_BITS = 40
# Odds beyond e^700 exceed the largest double; such a report is public for any practical purpose.
_MOST_EPSILON = 700


@dataclass(frozen=True, slots=True, kw_only=True)
class ShiftKey:
    """y = x + u mod `size`, where the first `favoured` values of u are `odds` times as probable as the others.

    Who has y and u has x. `within` finds the cheapest to store for an ε [B, Thm 4].

    >>> import sfumato as sf
    >>> key = sf.ladders.ShiftKey.within(size=6, epsilon=1)
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
    >>> key = sf.ladders.RecoveryKey(law=law, maps=((0, 1), (1, 0)), inputs=("no", "yes"), outputs=("heads", "tails"))
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
    >>> [round(sf.ladders.favoured_share(epsilon), 4) for epsilon in (0.01, 1, 3)]
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
    >>> channel = sf.ladders.shift_channel([Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)], size=3, epsilon=0.7)
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
    >>> key = sf.ladders.RecoveryKey(law=law, maps=((0, 1), (0, 1), (1, 0)), inputs=(0, 1), outputs=(0, 1))
    >>> [str(chance) for chance in sf.ladders.reduced_key_law(key).fractions]
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


# --- Keys for any channel that has one: a mixture of one-to-one maps equal to the channel
# A key that recovers the answer exists exactly when Σ_x Q(y|x) ≤ 1 for every output y. Then rows can be added that
# bring every column to 1, and a table whose rows and columns all sum to 1 is a mixture of permutations [Bir46]: take a
# permutation inside the positive entries, subtract as much of it as fits, and repeat. Each round empties an entry, so
# it ends. All is done in whole numbers over one denominator.
# Theory: docs/theory/recovery.md


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
    >>> key = sf.ladders.key_for_channel(channel)
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


# --- Several answers, each with its own key, and what a key that is used twice reveals
# Separate keys cost T times one key, and no scheme costs less [B, Thm 6]. Two reports under one key show their
# difference to everyone.
# Theory: docs/theory/recovery.md


# Tables of more entries than this are not listed.
MOST_ENTRIES = 1 << 16


def sequence_entropy_bits(key: ShiftKey, samples: int) -> Interval:
    """T·H(U): a key of its own for each of T answers. With the cheapest key no scheme takes less [B, Thm 6].

    >>> import sfumato as sf
    >>> key = sf.ladders.ShiftKey.within(size=6, epsilon=1)
    >>> round(sf.ladders.sequence_entropy_bits(key, 100).upper, 1)
    240.7
    """
    check_at_least("samples", check_integer("samples", samples), 1)
    one = key.entropy_bits()
    return Interval(samples * one.lower, samples * one.upper).widened(0.0)


def sequence_channel(key: ShiftKey, samples: int) -> Channel:
    """T answers, each under its own key, as one channel on tuples; answers that differ in one place keep the odds.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> key = sf.ladders.ShiftKey(size=2, favoured=1, odds=Fraction(3))
    >>> two = sf.ladders.sequence_channel(key, 2)
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
    >>> key = sf.ladders.ShiftKey(size=2, favoured=1, odds=Fraction(3))
    >>> sf.measures.odds(key.channel()), sf.measures.odds(sf.ladders.reused_channel(key))
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


# --- The cost of privacy in random bits: levels on one report, separate levels, and separate keys
# Refs: [B, Thm 3] for the ladder, [B, Thm 4] for keys. Theory: docs/theory/recovery.md


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyCosts:
    """Bits to store a key for one of `size` answers, for three kinds of key; all recover the answer.

    >>> import sfumato as sf
    >>> costs = sf.ladders.key_costs(6, 1.0)
    >>> [round(bits.upper, 3) for bits in (costs.minimum, costs.cyclic, costs.one_time_pad)], costs.residues
    ([2.407, 2.44, 2.585], 6)
    """

    size: int
    epsilon: float
    minimum: Interval
    """The cheapest key that keeps epsilon [B, Thm 4]."""
    cyclic: Interval
    """The shift of a cyclic response, which strangers can count by with the least error known."""
    residues: int
    """How many reports that response has."""
    one_time_pad: Interval
    """A uniform key on `size` values, under which the report says nothing; and what storing the answer takes."""


def key_costs(size: int, epsilon: float) -> KeyCosts:
    """Compare the cheapest key, the key of a cyclic response and a one-time pad.

    The cheapest key is that of `ShiftKey.within`.

    >>> import sfumato as sf
    >>> for epsilon in (0.5, 1.0, 3.0):
    ...     print(epsilon, round(sf.ladders.key_costs(6, epsilon).minimum.upper, 3))
    0.5 2.541
    1.0 2.407
    3.0 1.183
    """
    response = CyclicResponse.within(size=size, epsilon=epsilon)
    return KeyCosts(
        size=size,
        epsilon=epsilon,
        minimum=ShiftKey.within(size=size, epsilon=epsilon).entropy_bits(),
        cyclic=measures.largest_randomness_interval(response.channel()),
        residues=response.modulus,
        one_time_pad=log2_interval(Fraction(size)),
    )


def xor_ladder_bits(epsilons: Sequence[float]) -> float:
    """ΣH2(q_j): random bits of one yes/no report that serves every level, from the largest epsilon down [B, Thm 3].

    >>> import sfumato as sf
    >>> [round(sf.ladders.xor_ladder_bits(levels), 3) for levels in ([2], [2, 1], [2, 1, 0.5])]
    [0.527, 1.242, 2.029]
    """
    _check_levels(epsilons)
    bits = [binary_entropy_bits(_flip(epsilons[0]))]
    for above, below in pairwise(epsilons):
        # (z_j - z_{j-1})/(1 - 2z_{j-1}), written so that close levels do not cancel.
        step = math.sinh((above - below) / 2) / (2 * math.sinh(above / 2) * math.cosh(below / 2))
        bits.append(binary_entropy_bits(step))
    return math.fsum(bits)


def separate_bits(epsilons: Sequence[float]) -> float:
    """ΣH2(z_j): random bits of a yes/no report for each level, drawn apart.

    >>> import sfumato as sf
    >>> round(sf.ladders.separate_bits([2, 1, 0.5]), 3), round(sf.ladders.xor_ladder_bits([2, 1, 0.5]), 3)
    (2.323, 2.029)
    """
    _check_levels(epsilons)
    return math.fsum(binary_entropy_bits(_flip(epsilon)) for epsilon in epsilons)


def _flip(epsilon: float) -> float:
    """z = 1/(e^ε+1)."""
    return math.exp(-epsilon) / (1 + math.exp(-epsilon))


def _check_levels(epsilons: Sequence[float]) -> None:
    if len(epsilons) == 0:
        raise InvalidParameter(
            "is empty", parameter="epsilons", way_out="Give one epsilon for each level, the largest first."
        )
    for j, epsilon in enumerate(epsilons):
        check_positive(f"epsilons[{j}]", epsilon)
        check_between(f"epsilons[{j}]", epsilon, 0, _MOST_EPSILON)
    for j, (above, below) in enumerate(pairwise(epsilons)):
        if not below < above:
            raise InvalidParameter(
                f"must be less than epsilons[{j}]={above}: a level is blurrier than the one before it",
                parameter=f"epsilons[{j + 1}]",
                value=below,
                way_out="Sort the levels from the largest epsilon down and drop repeats.",
            )
