"""Draws belong to rows: a row's shift is the same alone, in any company, order, piece, part, process and thread."""

import itertools
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from hashlib import sha256

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import InvalidParameter, KeyRefused
from sfumato.files.columns import CHUNK_ROWS
from sfumato.ladders import Binding, Ladder
from sfumato.ladders.drawing import LevelDraws, blank_key, draw_keys, shifts_at, shifts_of
from sfumato.ladders.groups import Residues
from sfumato.ladders.key_operations import merge_keys, rotate_key, split_key
from sfumato.ladders.keys import BLOCK_ROWS
from sfumato.mechanisms import BinaryHadamard
from sfumato.sampling import BulkBits, Guarantee, InsecureSeeded, ScriptedBits, SystemBits

CYCLIC = Ladder.within(size=5, epsilons=(2.0, 1.0, 0.5), recover=True)
WIDE = Ladder.within(size=300, epsilons=(2.0, 1.0), recover=True)
FLIPS = Ladder(BinaryHadamard(size=6, odds=Fraction(3)), (2.0, 1.0, 0.5))
TRUE, SEEDED = Guarantee.INFORMATION_THEORETIC, Guarantee.COMPUTATIONAL
ROWS = 3 * BLOCK_ROWS + 100
PART = "0123456789abcdef" * 2

each = pytest.mark.parametrize("ladder", [CYCLIC, WIDE, FLIPS], ids=["cyclic", "wide", "flips"])


def keys_of(ladder, guarantee=SEEDED, rows=ROWS, seed=1):
    """The same seed and part id whatever the number of rows."""
    binding = Binding(study="s", question="q", column="c")
    return ladder.draw_keys(rows, InsecureSeeded(seed), guarantee=guarantee, binding=binding, drawing=PART)


def shifts_alone(key, steps, number):
    (shift,) = shifts_at(key, steps, np.array([number])).tolist()
    return shift


@each
@settings(max_examples=25)
@given(data=st.data())
def test_any_rows_in_any_order_draw_what_they_draw_alone(ladder, data):
    level = data.draw(st.integers(0, len(ladder.steps) - 1))
    key = keys_of(ladder)[level]
    numbers = data.draw(
        st.lists(
            st.integers(0, ROWS + 9000) | st.sampled_from([0, 4095, 4096, 8191, 1 << 32, (1 << 40) - 1]),
            min_size=0,
            max_size=12,
        )
    )
    dtype = data.draw(st.sampled_from([np.int64, np.uint64]))
    found = shifts_at(key, ladder.steps, np.array(numbers, dtype=dtype))
    assert found.dtype == np.min_scalar_type(ladder.modulus - 1)
    assert found.tolist() == [shifts_alone(key, ladder.steps, number) for number in numbers]


@each
def test_subsets_orders_and_pieces_of_a_whole_part(ladder):
    for level, key in keys_of(ladder).items():
        whole = shifts_of(key, ladder.steps)
        assert whole.size == ROWS
        assert level == key.level
        order = np.random.default_rng(level).permutation(ROWS)
        assert (shifts_at(key, ladder.steps, order) == whole[order]).all()
        some = np.sort(order[: ROWS // 3])
        assert (shifts_at(key, ladder.steps, some) == whole[some]).all()
        twice = np.concatenate([some, some[::-1]])
        assert (shifts_at(key, ladder.steps, twice) == whole[twice]).all(), "more rows of a block than it has numbers"
        for size in (777, 1000, BLOCK_ROWS, 5000):
            pieces = [np.arange(start, min(start + size, ROWS)) for start in range(0, ROWS, size)]
            found = [shifts_at(key, ladder.steps, piece) for piece in pieces]
            assert (np.concatenate(found) == whole).all()


@each
def test_runs_that_begin_and_end_anywhere(ladder):
    """In either row of a pair, within a block and across; with a row missing, twice or out of place it is no run."""
    key = keys_of(ladder)[0]
    whole = shifts_of(key, ladder.steps)
    for first, count in itertools.product((0, 1, 4094, 4095, 4096, 4097), (1, 2, 3, 5000, 5001)):
        rows = np.arange(first, first + count)
        assert (shifts_at(key, ladder.steps, rows) == whole[rows]).all()
        for place in (0, count // 2, count - 1):
            for other in (np.delete(rows, place), np.insert(rows, place, rows[place]), np.roll(rows, place)):
                assert (shifts_at(key, ladder.steps, other) == whole[other]).all()
    # As far from its first as a run's last, and yet none.
    for rows in ([0, 0, 2], [5, 9, 3, 8], [1, 3, 3, 4], [7, 6, 9]):
        assert (shifts_at(key, ladder.steps, np.array(rows)) == whole[rows]).all()


def test_numbers_in_few_bytes():
    """Also where a block has more rows than their type counts."""
    key = keys_of(WIDE)[0]
    whole = shifts_of(key, WIDE.steps)
    for dtype, last in ((np.uint8, 255), (np.int8, 127), (np.int16, 12_000), (np.uint32, 12_000)):
        for rows in (np.arange(last + 1), np.arange(last + 1)[::-3]):
            assert (shifts_at(key, WIDE.steps, rows.astype(dtype)) == whole[rows]).all()
            draws = keys_of(WIDE, TRUE)[0]
            assert (shifts_at(draws, WIDE.steps, rows.astype(dtype)) == draws.material.shifts[rows]).all()


@each
def test_how_many_rows_there_are_does_not_matter(ladder):
    """The case that went wrong once: one seed, 5 000 rows against 5 001; and a part of one row."""
    for level in range(len(ladder.steps)):
        longer = shifts_of(keys_of(ladder, rows=5001)[level], ladder.steps)
        for rows in (1, 4096, 4097, 5000):
            shorter = keys_of(ladder, rows=rows)[level]
            assert (shifts_of(shorter, ladder.steps) == longer[:rows]).all()
            assert (shifts_at(shorter, ladder.steps, np.arange(5001)) == longer).all(), "a seed opens longer parts"


def test_a_long_part_is_expanded_piece_by_piece():
    key = keys_of(CYCLIC, rows=CHUNK_ROWS + 5000)[1]
    whole = shifts_of(key, CYCLIC.steps)
    rows = np.arange(CHUNK_ROWS - 3, CHUNK_ROWS + 3)
    assert whole[rows].tolist() == shifts_at(key, CYCLIC.steps, rows).tolist()
    # Pieces do not begin alike: a part of 2^18 rows is not its own continuation.
    assert (whole[:5000] != whole[CHUNK_ROWS:]).mean() > 0.2


def test_threads_draw_what_one_draws():
    key = keys_of(WIDE)[0]
    whole = shifts_of(key, WIDE.steps)
    pieces = [np.arange(start, start + 700) for start in range(0, ROWS - 700, 350)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda piece: shifts_at(key, WIDE.steps, piece), pieces))
    for piece, shifts in zip(pieces, found, strict=True):
        assert (shifts == whole[piece]).all()


CHILD = """
import sys
from hashlib import sha256
from sfumato.sampling import ScriptedBits
from sfumato.ladders import Binding, Ladder
from sfumato.ladders.drawing import shifts_of
from sfumato.sampling import Guarantee

ladder = Ladder.within(size=300, epsilons=(2.0, 1.0), recover=True)
keys = ladder.draw_keys(
    9000, ScriptedBits(range(32)), guarantee=Guarantee.COMPUTATIONAL, binding=Binding(study="s"), drawing="ab" * 16
)
print(*(sha256(shifts_of(key, ladder.steps).astype("<u4").tobytes()).hexdigest() for key in keys.values()))
"""


def test_another_process_draws_the_same():
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    child = subprocess.run([sys.executable, "-c", CHILD], capture_output=True, text=True, check=True, env=environment)
    source, binding = ScriptedBits(range(32)), Binding(study="s")
    keys = WIDE.draw_keys(9000, source, guarantee=SEEDED, binding=binding, drawing="ab" * 16)
    columns = [shifts_at(key, WIDE.steps, np.arange(9000)[::-1])[::-1] for key in keys.values()]
    assert child.stdout.split() == [sha256(column.astype("<u4").tobytes()).hexdigest() for column in columns]


def test_what_names_a_row_changes_its_draw():
    """Another part, epoch, question, study, column, seed, step or block: nothing is shared."""
    key = keys_of(WIDE)[0]
    whole = shifts_of(key, WIDE.steps)
    other_part = replace(key, drawing="f" * 32)
    others = [other_part, rotate_key(key), keys_of(WIDE, seed=2)[0]]
    others += [
        replace(key, binding=replace(key.binding, **{name: "other"})) for name in ("study", "question", "column")
    ]
    columns = [whole, *(shifts_of(other, WIDE.steps) for other in others)]
    columns += [whole[BLOCK_ROWS : 2 * BLOCK_ROWS], whole[2 * BLOCK_ROWS : 3 * BLOCK_ROWS]]
    for one, two in itertools.combinations(columns, 2):
        rows = min(one.size, two.size)
        # Two independent draws agree about once in the number of reports; six times that is far away.
        assert (one[:rows] == two[:rows]).mean() < 6 / WIDE.modulus + 0.01


@each
def test_split_merged_and_rotated_keys_by_number(ladder):
    for key in (keys_of(ladder)[1], rotate_key(keys_of(ladder)[1])):
        whole = shifts_of(key, ladder.steps)
        parts = split_key(key, ladder, [BLOCK_ROWS, 3 * BLOCK_ROWS])
        for part in parts:
            rows = np.arange(part.start, part.stop)[::-7]
            assert (shifts_at(part, ladder.steps, rows) == whole[rows]).all()
        both = merge_keys(parts[1:])
        rows = np.array([ROWS - 1, BLOCK_ROWS, 3 * BLOCK_ROWS])
        assert (shifts_at(both, ladder.steps, rows) == whole[rows]).all()


@each
def test_true_draws_by_number(ladder):
    key = keys_of(ladder, TRUE)[1]
    first, second = split_key(key, ladder, [100])
    rows = np.array([150, 100, ROWS - 1, 150])
    assert (shifts_at(second, ladder.steps, rows) == key.material.shifts[rows]).all()
    assert shifts_at(first, ladder.steps, np.array([], dtype=np.int64)).size == 0


@each
def test_stored_draws_stand_at_their_places_and_those_of_seeds_at_their_numbers(ladder):
    """An amendment has a draw for each of its rows, in their order, whatever their numbers are."""
    numbers, rest = np.array([7, 900, 4097, 70_000]), np.array([100, 3, ROWS - 1, 3])
    for places in (np.arange(40, 44), rest, rest.astype(np.uint16)):
        true = keys_of(ladder, TRUE)[1]
        assert (shifts_at(true, ladder.steps, numbers, places) == true.material.shifts[places]).all()
        seed = keys_of(ladder)[1]
        assert (shifts_at(seed, ladder.steps, numbers, places) == shifts_at(seed, ladder.steps, numbers)).all()
    with pytest.raises(KeyRefused, match="and others were asked for"):
        shifts_at(true, ladder.steps, numbers, np.array([0, 1, 2, ROWS]))


def test_rows_that_a_key_does_not_open_are_refused():
    """Also those that numpy would count from the end."""
    seed = keys_of(CYCLIC)[1]
    block = split_key(seed, CYCLIC, [BLOCK_ROWS, 2 * BLOCK_ROWS])[1]
    draws = split_key(keys_of(CYCLIC, TRUE)[1], CYCLIC, [100, 200])[1]
    for key, outside in (
        (seed, [-1, 1 << 40]),
        (block, [BLOCK_ROWS - 1, 2 * BLOCK_ROWS, -1]),
        (draws, [99, 200, -1]),
    ):
        for number in outside:
            with pytest.raises(KeyRefused, match=r"the key opens rows \d+\.\.\d+, and others were asked for"):
                shifts_at(key, CYCLIC.steps, np.array([key.start, number]))
    for numbers in (np.array([1.0]), np.array([[1]]), np.array([True])):
        with pytest.raises(InvalidParameter, match="numbers must be one column of whole numbers"):
            shifts_at(seed, CYCLIC.steps, numbers)
    with pytest.raises(KeyRefused, match="another ladder: other levels"):
        shifts_at(block, CYCLIC.steps[:2], np.array([BLOCK_ROWS]))


@each
def test_true_draws_come_piece_by_piece(ladder):
    """Levels are sums of the steps below them, whatever the pieces; no two pieces are alike."""
    draws = LevelDraws(ladder.steps, BulkBits())
    pieces = [draws.next(count) for count in (5000, 1, 0, 5000)]
    for piece, count in zip(pieces, (5000, 1, 0, 5000), strict=True):
        assert list(piece) == list(range(len(ladder.steps)))
        assert {(column.size, column.dtype) for column in piece.values()} == {
            (count, np.min_scalar_type(ladder.modulus - 1))
        }
    for level, law in enumerate(ladder.key_law(level) for level in range(len(ladder.steps))):
        column = np.concatenate([piece[level] for piece in pieces])
        inside = np.isin(column, law.favoured).mean()
        chance = float(law.inside)
        # 10 001 rows: six standard deviations.
        assert abs(inside - chance) < 6 * (chance * (1 - chance) / column.size) ** 0.5
        assert (pieces[0][level] != pieces[3][level]).any()
    with pytest.raises(InvalidParameter, match="count=-1"):
        draws.next(-1)


def test_true_draws_take_no_more_bits_than_their_rows():
    """Words of 16 bits, one for each coin and one for each place that is needed: a quarter of what 64 bits take."""

    class Counted:
        guarantee, label = Guarantee.NONE, "a test"

        def __init__(self):
            self.source, self.bits, self.calls = SystemBits(), 0, 0

        def words(self, count, width=64):
            self.bits, self.calls = self.bits + count * width, self.calls + 1
            return self.source.words(count, width)

    meter, rows = Counted(), CHUNK_ROWS
    LevelDraws(WIDE.steps, meter).next(rows)
    first, second = WIDE.steps
    redrawn = 1 + max((1 << 16) % size / (1 << 16) for size in (first.favoured.size, WIDE.modulus - 1))
    most = rows * 16 * (1 + redrawn + 1 + redrawn * float(1 - second.inside))
    assert meter.bits < 1.01 * most
    assert meter.calls < 60, "large pieces: a few system calls for 2^18 rows"


def test_keys_of_a_part_that_is_named_already():
    named = CYCLIC.draw_keys(10, InsecureSeeded(1), drawing=PART)
    assert {key.drawing for key in named.values()} == {PART}
    source = ScriptedBits(range(32))
    blank = blank_key(CYCLIC.declaration, 10, source, None, PART)
    made = draw_keys(blank, CYCLIC.steps, source, guarantee=SEEDED)
    assert made[0].material.secret == bytes(range(32)), "no bits are spent on a name"
    for wrong in ("", "0" * 31, "0" * 33, "G" * 32, "0" * 31 + "A", PART + "\n"):
        with pytest.raises(InvalidParameter, match="drawing must be 32 hexadecimal digits"):
            CYCLIC.draw_keys(10, drawing=wrong)


@given(modulus=st.sampled_from([2, 3, 127, 128, 129, 255, 256, 257, 32768, 65535, 65536, 65537, 1 << 20]))
def test_moving_is_adding_and_taking_away(modulus):
    """At the ends of every width of integers, against plain remainders."""
    edge = sorted({0, 1, modulus // 2, modulus - 2, modulus - 1} & set(range(modulus)))
    pairs = np.array(list(itertools.product(edge, repeat=2)))
    small = pairs.astype(np.min_scalar_type(modulus - 1))
    for symbols in (pairs[:, 0], small[:, 0]):
        there = Residues(modulus).moved(symbols, small[:, 1])
        assert there.dtype == np.min_scalar_type(modulus - 1)
        assert there.tolist() == [(x + u) % modulus for x, u in pairs.tolist()]
        back = Residues(modulus).moved_back(symbols, small[:, 1])
        assert back.tolist() == [(x - u) % modulus for x, u in pairs.tolist()]
        assert (Residues(modulus).moved_back(there, small[:, 1]) == symbols).all()
