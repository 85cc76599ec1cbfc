"""A row's words are its own: alone, in any company, in any order; and redrawing for one row moves no other."""

import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import InvalidParameter, SourceFailed
from sfumato.ladders import TwoLevelShift
from sfumato.sampling import Coin, RowStarts, RowWords, UniformBelow

KEY = bytes(range(32))


def reference_words(number, count):
    """The stream of a row by the book: half of AES of pair and attempt, least byte first, cut in two, high first."""
    stream = []
    for attempt in range(-(-count // 2)):
        block = (number // 2).to_bytes(8, "little") + attempt.to_bytes(8, "little")
        hidden = Cipher(algorithms.AES(KEY), modes.ECB()).encryptor().update(block)  # noqa: S305
        lane = int.from_bytes(hidden[8:] if number % 2 else hidden[:8], "little")
        stream += [lane >> 32, lane & 0xFFFFFFFF]
    return stream[:count]


def next_word(stream, width):
    """A word of a width from what is left of a stream: wide ones take two, the earlier high."""
    if width <= 32:
        return stream.pop(0) >> (32 - width)
    return (stream.pop(0) << 32 | stream.pop(0)) >> (64 - width)


@given(numbers=st.lists(st.integers(0, 2**63 - 1), min_size=1, max_size=12, unique=True), data=st.data())
def test_streams_are_those_of_the_book_whoever_asks_when(numbers, data):
    """At any width, also where a wide word begins in the middle of a lane."""
    source = RowWords(KEY, np.array(numbers, dtype=np.uint64))
    streams = [reference_words(number, 16) for number in numbers]
    for _ in range(data.draw(st.integers(1, 8))):
        rows = data.draw(st.lists(st.integers(0, len(numbers) - 1), unique=True, min_size=1))
        width = data.draw(st.sampled_from([1, 16, 31, 32, 33, 63, 64]))
        found = source.words(np.array(rows), width).tolist()
        assert found == [next_word(streams[row], width) for row in rows]


@given(
    numbers=st.lists(st.integers(0, 30) | st.sampled_from([4095, 4096, 2**40, 2**63 - 1]), max_size=12),
    dtype=st.sampled_from([np.int64, np.uint64]),
    attempt=st.integers(0, 2),
)
def test_lanes_of_any_rows_in_any_order(numbers, dtype, attempt):
    """Close together, where what lies between is hidden too, and far apart; twice, in any order, in used memory."""
    starts = RowStarts(12)
    starts.take(np.array([7, 3, 2**50]), 5)
    starts.under(KEY)
    starts.take(np.array(numbers, dtype=dtype), attempt)
    expected = [reference_words(number, 6)[2 * attempt :][:2] for number in numbers]
    assert [[lane >> 32, lane & 0xFFFFFFFF] for lane in starts.under(KEY).tolist()] == expected
    places = np.arange(len(numbers))[::-2]
    assert starts.numbers_at(places).tolist() == numbers[::-2]


@pytest.mark.parametrize("first", [0, 1, 4094, 4095, 2**40 - 1])
@pytest.mark.parametrize("count", [0, 1, 2, 3, 12])
def test_lanes_of_rows_that_follow_one_another(first, count):
    """From the first lane and from the second, to the first and to the second."""
    starts, rows = RowStarts(count), range(first, first + count)
    for key in (KEY[::-1], KEY):
        starts.take(rows)
        lanes = starts.under(key)
    assert [[lane >> 32, lane & 0xFFFFFFFF] for lane in lanes.tolist()] == [reference_words(row, 2) for row in rows]
    starts.take(np.arange(first, first + count))
    assert starts.under(KEY).tolist() == lanes.tolist()
    starts.take(rows)
    assert starts.numbers_at(np.arange(count)).tolist() == list(rows)


def test_narrow_words_are_the_first_bits():
    wide = RowWords(KEY, np.arange(50)).words(np.arange(50))
    for width in (1, 7, 32, 33, 63):
        narrow = RowWords(KEY, np.arange(50)).words(np.arange(50), width)
        assert (narrow == wide >> np.uint64(64 - width)).all()


def test_no_two_rows_share_a_word():
    """Both lanes of all blocks and three attempts: 60 000 numbers of 64 bits are alike by chance once in 10^10 keys."""
    source, rows = RowWords(KEY, np.arange(20_000)), np.arange(20_000)
    words = np.concatenate([source.words(rows) for _ in range(3)])
    assert np.unique(words).size == words.size


def test_a_key_of_another_length_is_refused():
    with pytest.raises(SourceFailed, match="key has 31 bytes"):
        RowWords(bytes(31), np.arange(3))


class Scripts:
    """A script for each row."""

    def __init__(self, scripts):
        self.scripts = [list(script) for script in scripts]

    def words(self, rows, width=64):
        return np.array([self.scripts[row].pop(0) for row in rows.tolist()], dtype=np.uint64)


STEPS = [
    TwoLevelShift(modulus=7, favoured=np.array([1, 2, 4]), inside=Fraction(5, 7), width=3),
    TwoLevelShift(modulus=5, favoured=np.array([0]), inside=Fraction(2, 3), width=3),
    TwoLevelShift(modulus=2, favoured=np.array([0]), inside=Fraction(3, 5), width=3),
]


@pytest.mark.parametrize("step", STEPS, ids=lambda step: f"mod {step.modulus}")
def test_a_row_in_company_draws_what_it_draws_alone(step):
    """Every pair of words for one row beside every pair for another, each with more to draw again from."""
    spare = [1, 0, 2, 3, 1, 0, 1, 2, 3, 1]
    scripts = [[*pair, *spare] for pair in itertools.product(range(8), repeat=2)]
    alone = [int(step.draw_rows(Scripts([script]), 1)[0]) for script in scripts]
    assert step.draw_rows(Scripts(scripts), len(scripts)).tolist() == alone
    assert step.draw_rows(Scripts(scripts[::-1]), len(scripts)).tolist() == alone[::-1]


def test_the_law_of_a_step_by_rows_is_its_law():
    """All words of a row, deep enough that what is left open is counted: the code is the one that production runs."""
    step, depth = STEPS[0], 4
    outcomes, open_ends = Counter(), 0
    for script in itertools.product(range(8), repeat=depth):
        try:
            outcomes[int(step.draw_rows(Scripts([script]), 1)[0])] += 1
        except IndexError:
            open_ends += 1
    total = 8**depth
    for shift, chance in enumerate(step.law()):
        assert Fraction(outcomes[shift], total) <= chance <= Fraction(outcomes[shift] + open_ends, total)
    assert open_ends < total / 8


def test_samplers_of_rows_and_of_sources_are_one_code():
    coin, below = Coin(chance=Fraction(1, 3), width=2), UniformBelow(bound=3, width=2)
    words = [[1, 0], [3, 2], [0, 3], [1, 2]]
    assert coin.sample_rows(Scripts(words), np.arange(4)).tolist() == [1, 0, 1, 0]
    assert below.draw_rows(Scripts(words), np.arange(4)).tolist() == [1, 2, 0, 1]


@pytest.mark.parametrize("step", STEPS, ids=lambda step: f"mod {step.modulus}")
@pytest.mark.parametrize("width", [1, 2, 3, 5, 8, 32, 64])
def test_the_compiled_pass_says_what_the_rows_say(step, width):
    """At narrow words most rows are left open by the first look; at 32 bits hardly one ever is."""
    if 1 << width < step.modulus:
        return
    narrow = TwoLevelShift(modulus=step.modulus, favoured=step.favoured, inside=step.inside, width=width)
    numbers = np.array([0, 1, 4095, 4096, 2**40, *range(100, 3000)])
    by_rows = narrow.draw_rows(RowWords(KEY, numbers), numbers.size)
    assert narrow.draw_numbered(KEY, numbers).tolist() == by_rows.tolist()
    alone = [int(narrow.draw_numbered(KEY, numbers[i : i + 1])[0]) for i in range(0, numbers.size, 97)]
    assert alone == by_rows[::97].tolist()


@pytest.mark.parametrize("inside", [0, 1])
def test_a_coin_that_is_not_thrown_takes_no_word(inside):
    step = TwoLevelShift(modulus=7, favoured=np.array([1, 2, 4]), inside=Fraction(inside))
    numbers = np.arange(500)
    found = step.draw_numbered(KEY, numbers)
    assert found.tolist() == step.draw_rows(RowWords(KEY, numbers), 500).tolist()
    assert (np.isin(found, [1, 2, 4]) == bool(inside)).all()


def test_a_row_has_words_of_32_bits_however_wide_others_are():
    for width, row_width in ((64, 32), (33, 32), (32, 32), (16, 16), (3, 3)):
        assert (
            TwoLevelShift(modulus=7, favoured=np.array([1]), inside=Fraction(1, 3), width=width).row_width == row_width
        )
    with pytest.raises(InvalidParameter, match="modulus=4294967297"):
        TwoLevelShift(modulus=2**32 + 1, favoured=np.array([1]), inside=Fraction(1, 3))


WORDS = 1 << 32
EDGES = [0, 1, 2**30, 2**31 - 1, 2**31, 2**31 + 1, WORDS - 4, WORDS - 3, WORDS - 2, WORDS - 1]


def check_words(step, coins, places):
    """Each coin with each place, by the compiled pass and by plain integers, beside sums at both ends."""
    from sfumato.ladders.shift_kernel import add_first, rows_left

    found, words = step.row_thresholds(), 1 << step.row_width
    spare = 32 - step.row_width
    border, inside = (1 - step.inside) * words, step.favoured.size
    sizes = (inside, step.modulus - inside)
    pairs = list(itertools.product(coins, places))
    # Bits to spare are set: they must not matter.
    lanes = [(c << spare | (1 << spare) - 1) << 32 | p << spare | (1 << spare) - 1 for c, p in pairs]
    lanes = np.array(lanes, dtype=np.uint64)
    left = rows_left(lanes, found.coin, found.levels).tolist()
    for before in (0, step.modulus - 1):
        sums = np.full(len(lanes), before, dtype=np.min_scalar_type(step.modulus - 1))
        assert add_first(lanes, *found, sums) == any(left)
        for (coin, place), total, is_left in zip(pairs, sums.tolist(), left, strict=True):
            size = sizes[coin < int(border)]
            assert is_left == ((coin == int(border) and border % 1 > 0) or place >= words - words % size)
            shift = int(step.order[place % size + inside * (coin < int(border))])
            assert total == (before if is_left else (before + shift) % step.modulus)


PRODUCTION = [
    TwoLevelShift(modulus=7, favoured=np.array([1, 2, 4]), inside=Fraction(5, 7)),
    TwoLevelShift(modulus=7, favoured=np.array([0, 1, 2]), inside=Fraction(3, 4)),
    TwoLevelShift(modulus=257, favoured=np.array([0]), inside=Fraction(1, 3)),
    TwoLevelShift(modulus=2, favoured=np.array([1]), inside=Fraction(1, 3)),
    TwoLevelShift(modulus=65_537, favoured=np.arange(5, 40_000), inside=Fraction(1, 10**12)),
    TwoLevelShift(modulus=1_000_003, favoured=np.array([3]), inside=1 - Fraction(1, 10**12)),
]


@pytest.mark.parametrize("step", PRODUCTION, ids=lambda step: f"mod {step.modulus} {step.inside}")
def test_boundary_words_at_full_width_against_plain_integers(step):
    border = int((1 - step.inside) * WORDS)
    sizes = (step.favoured.size, step.modulus - step.favoured.size)
    coins, places = {*EDGES, border - 1, border, border + 1}, {*EDGES}
    for size in sizes:
        full = WORDS - WORDS % size
        # Remainders 0 and size - 1 after many quotients: where multiplying instead of dividing would go wrong.
        multiples = {
            full,
            full - size,
            size,
            2 * size,
            *(n * size for n in range(1, full // size, full // size // 40 + 1)),
        }
        places |= {m + d for m in multiples for d in (-1, 0, 1)}
    check_words(step, sorted(c for c in coins if 0 <= c < WORDS), sorted(p for p in places if 0 <= p < WORDS))


@pytest.mark.parametrize("step", STEPS, ids=lambda step: f"mod {step.modulus}")
@pytest.mark.parametrize("width", [3, 5, 7])
def test_every_lane_of_narrow_words_against_plain_integers(step, width):
    narrow = TwoLevelShift(modulus=step.modulus, favoured=step.favoured, inside=step.inside, width=width)
    check_words(narrow, range(1 << width), range(1 << width))


@given(place=st.integers(0, WORDS - 1), size=st.integers(1, WORDS - 1))
def test_a_place_is_a_remainder_whatever_the_size(place, size):
    """The compiled pass without a step: sizes that no array could hold the shifts of, up to 2^32 - 1."""
    from sfumato.ladders.shift_kernel import add_first

    last = WORDS - WORDS % size - 1
    levels = np.array([[size, 1], [last, WORDS - 1], [(WORDS - 1) // size, WORDS - 1]], dtype=np.uint64)
    coin, sums = np.array([0, 0, WORDS], dtype=np.uint64), np.zeros(1, dtype=np.uint32)
    lanes = np.array([place], dtype=np.uint64)
    is_left = add_first(lanes, coin, levels, np.uint64(0), np.empty(0, dtype=np.uint32), np.uint64(size + 1), sums)
    assert is_left == (place > last)
    assert sums.tolist() == [0 if is_left else place % size]
