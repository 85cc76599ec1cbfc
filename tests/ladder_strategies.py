"""Small ladders over every mechanism, and the plainest ways to add shifts up."""

import itertools
from collections import Counter
from fractions import Fraction

from hypothesis import strategies as st

from sfumato.errors import SourceFailed
from sfumato.ladders import Ladder
from sfumato.mechanisms import ArcResponse, BinaryHadamard, CyclicResponse
from sfumato.mechanisms.cyclic import Family
from sfumato.sampling import ScriptedBits

# Residues 3, 7, 13 and 7.
SETS = [(2, 2, Family.SINGER), (2, 3, Family.SINGER), (3, 3, Family.SINGER), (7, 1, Family.PALEY)]


def falling_odds(least=1, most=4):
    odds = st.builds(lambda above, other: 1 + Fraction(above, other), st.integers(1, 30), st.integers(1, 8))
    return st.sets(odds, min_size=least, max_size=most).map(lambda found: sorted(found, reverse=True))


@st.composite
def cyclic_ladders(draw, most=4, sets=SETS):
    q, t, family = draw(st.sampled_from(sets))
    modulus = CyclicResponse(size=2, odds=Fraction(2), q=q, t=t, family=family).modulus
    size = draw(st.integers(2, min(5, modulus)))
    over = CyclicResponse(size=size, odds=Fraction(2), q=q, t=t, family=family)
    return Ladder.of_odds(over, draw(falling_odds(most=most)), recover=draw(st.booleans()))


@st.composite
def hadamard_ladders(draw, most=4):
    size = draw(st.integers(2, 5))
    recover = size == 2 and draw(st.booleans())
    return Ladder.of_odds(BinaryHadamard(size=size, odds=Fraction(2)), draw(falling_odds(most=most)), recover=recover)


@st.composite
def arc_ladders(draw, most=4):
    """Up to 9 residues."""
    apart = draw(st.booleans())
    size, length = draw(st.integers(2 + apart, 4)), draw(st.integers(1, 3))
    over = ArcResponse(size=size, odds=Fraction(2), length=length, apart=apart)
    return Ladder.of_odds(over, draw(falling_odds(most=most)), recover=draw(st.booleans()))


def ladders(most=4, sets=SETS):
    return cyclic_ladders(most, sets) | arc_ladders(most) | hadamard_ladders(most)


def convolved(laws, modulus):
    """The law of a sum of independent shifts, term by term."""
    total = [Fraction(0)] * modulus
    total[0] = Fraction(1)
    for law in laws:
        following = [Fraction(0)] * modulus
        for u, v in itertools.product(range(modulus), repeat=2):
            following[(u + v) % modulus] += total[u] * law[v]
        total = following
    return tuple(total)


def groups_of(ladder):
    return [
        group
        for size in range(1, len(ladder.levels) + 1)
        for group in itertools.combinations(range(1, len(ladder.levels) + 1), size)
    ]


def drawn_law(shift):
    """Feed every pair of words: the level has the law of the first word, its place that of the second if kept."""
    levels, places = Counter(), {0: Counter(), 1: Counter()}
    members = set(shift.favoured.tolist())
    sure = shift.inside in {0, 1}
    for first in range(1 if sure else 1 << shift.width):
        for second in range(1 << shift.width):
            script = ScriptedBits([second] if sure else [first, second])
            try:
                value = int(shift.draw(script, 1)[0])
            except SourceFailed:
                continue  # the second word was refused; the level of the first is counted with another second word
            level = int(value not in members)
            places[level][value] += 1
            levels[level, first] = 1
    total = sum(levels.values())
    weight = {level: Fraction(sum(v for (kind, _), v in levels.items() if kind == level), total) for level in (0, 1)}
    law = [Fraction(0)] * shift.modulus
    for level in (0, 1):
        for value, hits in places[level].items():
            law[value] = weight[level] * Fraction(hits, sum(places[level].values()))
    return tuple(law)
