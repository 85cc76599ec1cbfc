"""Logarithms, exponentials and words of the checker against independent evaluations."""

import json
import math
from decimal import Context, Decimal
from fractions import Fraction

import msgspec
from hypothesis import given
from hypothesis import strategies as st

import sfumato_check as checker
from sfumato.display import text as words

# libmpdec's ln and exp are correctly rounded; 90 digits leave more than 30 beyond the checker's 58.
WIDE = Context(prec=90, Emax=10**9, Emin=-(10**9))
HAIR = Fraction(1, 10**80)
NARROW = Fraction(1, 1 << 150)

integers = st.one_of(st.integers(1, 1000), st.integers(1, 1 << 64), st.integers(1, 1 << 4000))


def decimal_of(number):
    return WIDE.divide(Decimal(number.numerator), Decimal(number.denominator))


def ends(near):
    return Fraction(near.low, checker.ONE), Fraction(near.high, checker.ONE)


@given(above=integers, below=integers)
def test_a_logarithm_lies_in_its_enclosure(above, below):
    number = Fraction(above, below)
    low, high = ends(checker.ln(number))
    true = Fraction(WIDE.ln(decimal_of(number)))
    off = HAIR * 10_000
    assert low - off <= true <= high + off
    assert high - low < NARROW * 10_000


@given(number=st.fractions(0, 3000))
def test_an_exponential_lies_in_its_enclosure(number):
    low, high = ends(checker.exp_of_minus(checker.exactly(number)))
    true = Fraction(WIDE.exp(WIDE.minus(decimal_of(number))))
    assert low - HAIR <= true <= high + HAIR
    assert high - low < NARROW


@given(number=st.fractions(Fraction(1, 10**6), 10**6))
def test_exponentials_and_logarithms_undo_each_other(number):
    if number < 1:
        number = 1 / number
    low, high = ends(checker.exp_of_minus(checker.ln(number)))
    assert low <= 1 / number <= high


def test_every_small_integer_and_every_step_of_the_table():
    for number in [*range(1, 600), *(k + d for e in range(1, 300, 7) for k in [1 << e] for d in (-1, 0, 1))]:
        if number < 1:
            continue
        low, high = ends(checker.ln_of_integer(number))
        true = Fraction(WIDE.ln(Decimal(number)))
        assert low - HAIR * 100 <= true <= high + HAIR * 100
        assert high - low < NARROW


def atanh_ticks(t):
    """atanh of t ticks, in ticks, by half a logarithm."""
    above, below = (decimal_of(1 + sign * Fraction(t, checker.ONE)) for sign in (1, -1))
    return Fraction(WIDE.ln(WIDE.divide(above, below))) / 2 * checker.ONE


def test_the_bound_of_the_series_is_not_reached():
    """The remainder that is proven is larger than what is seen, at the largest argument too."""
    for t in (0, 1, checker.ONE // 3, checker.ONE // 5, checker.ONE >> 8, (checker.ONE >> 8) - 1):
        found = checker._atanh_below(t)
        assert found <= atanh_ticks(t) + 1 < found + checker._ATANH_SHORT


def test_a_series_that_is_too_short_would_be_seen():
    """The test above can fail: one term less is outside."""
    t = checker.ONE // 3
    short = sum(Fraction(t, checker.ONE) ** (2 * k + 1) / (2 * k + 1) for k in range(50)) * checker.ONE
    assert bool(short + checker._ATANH_SHORT < atanh_ticks(t))


def test_powers_of_two_and_one_are_exact():
    for power in range(-70, 71):
        near = checker.log2(Fraction(2) ** power)
        assert near.low == near.high == power * checker.ONE
    assert checker.ln(Fraction(1)) == checker.ZERO


@given(
    low=st.fractions(-5, 5),
    width=st.fractions(0, 1),
    place=st.fractions(0, 1),
    other=st.fractions(0, 5),
    spread=st.fractions(0, 1),
)
def test_products_and_quotients_enclose(low, width, place, other, spread):
    near = checker.Near(checker.exactly(low).low, checker.exactly(low + width).high)
    factor = checker.Near(checker.exactly(other).low, checker.exactly(other + spread).high)
    x, y = low + place * width, other + place * spread
    product = ends(near.scaled(factor))
    assert product[0] <= x * y <= product[1]
    positive = checker.Near(factor.low + checker.ONE, factor.high + checker.ONE)
    quotient = ends(near.divided(positive))
    assert quotient[0] <= x / (y + 1) <= quotient[1]


@given(number=st.fractions(0, 10**9) | st.fractions(0, Fraction(1, 10**5)) | st.integers(0, 10**12).map(Fraction))
def test_words_are_those_of_the_product(number):
    assert checker.short(number, checker.UP) == words.at_most(number)
    assert checker.short(number, checker.DOWN) == words.at_least(number)
    assert checker.percent(number) == words.percent(number)
    assert checker.fraction_words(number) == words.fraction_text(number)


@given(number=st.floats(allow_nan=False, allow_infinity=False))
def test_doubles_have_the_spelling_of_the_files(number):
    assert checker.spell_float(number) == msgspec.json.encode(number).decode()


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)


@given(value=values)
def test_documents_have_the_spelling_of_the_files(value):
    try:
        expected = msgspec.json.format(msgspec.json.encode(value, order="sorted"), indent=2).decode() + "\n"
    except (UnicodeEncodeError, OverflowError):
        return
    assert checker.is_spelled(value, expected.encode())
    assert not checker.is_spelled(value, expected.encode()[:-1])
    assert not checker.is_spelled(value, json.dumps(value).encode())


@given(law=st.lists(st.integers(0, 9), min_size=1, max_size=30), length=st.integers(1, 30))
def test_windows_are_what_they_say(law, length):
    length = min(length, len(law))
    windows = [[law[(y - k) % len(law)] for k in range(length)] for y in range(len(law))]
    assert checker._window_extremes(law, length, max) == [max(w) for w in windows]
    assert checker._window_extremes(law, length, min) == [min(w) for w in windows]
    total = sum(law)
    if total:
        channel = checker.Structured([Fraction(entry, total) for entry in law], length)
        scale = Fraction(channel.whole, total)
        assert channel.column_sums() == [sum(w) * scale for w in windows]


def test_small_ladders_have_the_odds_that_every_joint_report_shows():
    """The checker's argument about coalitions against the product's table of every draw of every step."""
    import sfumato as sf
    from sfumato import measures
    from sfumato.ladders.evidence import held_channel

    for ladder in (
        sf.Ladder.within(size=3, epsilons=[2.0, 1.0], recover=True),
        sf.Ladder.of_flips(size=5, epsilons=[3.0, 2.0, 1.0]),
    ):
        mine = checker.read_ladder(ladder.declaration)
        for group in checker._coalitions(mine.depth):
            assert measures.odds(held_channel(ladder, group)) == mine.odds[min(group) - 1]
        for level in range(1, mine.depth + 1):
            law = ladder.levels[level - 1].shift_law()
            entropy = -math.fsum(count * float(p) * math.log2(p) for p, count in law.counted())
            assert abs(entropy - mine.level_entropy(level).low / checker.ONE) < 1e-12
