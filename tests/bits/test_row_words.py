"""A row's words are its own: alone, in any company, in any order; and redrawing for one row moves no other."""

import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from hypothesis import given
from hypothesis import strategies as st

from sfumato.bits import Coin, RowWords, UniformBelow
from sfumato.errors import SourceFailed
from sfumato.refine import TwoLevelShift

KEY = bytes(range(32))


def reference_words(number, count):
    """The stream of a row by the book: AES of the number and the attempt, two words a block, little end first."""
    stream = []
    for attempt in range(-(-count // 2)):
        block = number.to_bytes(8, "little") + attempt.to_bytes(8, "little")
        hidden = Cipher(algorithms.AES(KEY), modes.ECB()).encryptor().update(block)  # noqa: S305
        stream += [int.from_bytes(hidden[:8], "little"), int.from_bytes(hidden[8:], "little")]
    return stream[:count]


@given(numbers=st.lists(st.integers(0, 2**63 - 1), min_size=1, max_size=12, unique=True), data=st.data())
def test_streams_are_those_of_the_book_whoever_asks_when(numbers, data):
    source = RowWords(KEY, np.array(numbers, dtype=np.uint64))
    seen = {number: [] for number in numbers}
    for _ in range(data.draw(st.integers(1, 8))):
        rows = data.draw(st.lists(st.integers(0, len(numbers) - 1), unique=True, min_size=1))
        for row, word in zip(rows, source.words(np.array(rows)).tolist(), strict=True):
            seen[numbers[row]].append(word)
    assert all(words == reference_words(number, len(words)) for number, words in seen.items())


def test_narrow_words_are_the_first_bits():
    wide = RowWords(KEY, np.arange(50)).words(np.arange(50))
    for width in (1, 7, 32):
        narrow = RowWords(KEY, np.arange(50)).words(np.arange(50), width)
        assert (narrow == wide >> np.uint64(64 - width)).all()


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
    """At narrow words most rows are left open by the first look; at 64 bits hardly one ever is."""
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


EDGES = [0, 1, 2**62, 2**63 - 1, 2**63, 2**63 + 1, 2**64 - 4, 2**64 - 3, 2**64 - 2, 2**64 - 1]


def test_boundary_words_at_full_width_against_plain_integers():
    from sfumato.refine.shift_kernel import add_first, rows_left

    step = TwoLevelShift(modulus=7, favoured=np.array([1, 2, 4]), inside=Fraction(5, 7))
    chance, sizes = 1 - step.inside, (3, 4)
    border = int(chance * 2**64)
    words = sorted({*EDGES, border - 1, border, border + 1, 2**64 - 2**64 % 3 - 1, 2**64 - 2**64 % 3})
    blocks = np.array(list(itertools.product(words, repeat=2)), dtype=np.uint64)
    lasts = np.array([2**64 - 2**64 % size - 1 for size in sizes], dtype=np.uint64)
    sums = np.full(len(blocks), 5, dtype=np.uint8)
    seen = (blocks, np.uint64(0), np.uint64(border), True)
    assert add_first(*seen, np.array(sizes, dtype=np.uint64), lasts, step.order, 7, sums)
    for (first, second), total, is_left in zip(
        blocks.tolist(), sums.tolist(), rows_left(*seen, lasts).tolist(), strict=True
    ):
        outside = first < border
        size = sizes[outside]
        assert is_left == (first == border or second >= 2**64 - 2**64 % size)
        assert total == (5 if is_left else (5 + step.order[second % size + 3 * outside]) % 7)
