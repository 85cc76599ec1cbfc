"""Rows arrive anyhow and leave as whole blocks, each row once; what is not whole is said to be left. No Spark here."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.engines import spark as block_jobs
from sfumato.engines import spark as whole_blocks
from sfumato.engines.spark import BLOCK_ROWS, RUN_BLOCKS, BlockGatherer, BlockSizes
from sfumato.errors import UnreadableFile

NUMBER = "number"


def batch(numbers):
    """Rows whose cell tells which number they have."""
    held = pa.array(numbers, pa.int64())
    return pa.record_batch({NUMBER: held, "cell": pc.negate(held)})


def gathered(sizes, batches):
    """Return the runs of a task as numbers by block, and the blocks of rows that it left.

    The cells must have gone with their numbers, and every row must have gone somewhere.
    """
    gatherer = BlockGatherer(sizes, NUMBER)
    runs, left = [], []
    for one in [*batches, None]:
        for run in gatherer.finish() if one is None else gatherer.take(one):
            for _, numbers, table in run:
                assert np.array_equal(table["cell"].to_numpy(), -numbers)
                assert np.array_equal(table[NUMBER].to_numpy(), numbers)
            runs.append([(block, numbers) for block, numbers, _ in run])
        for rows in gatherer.left():
            assert rows.column("cell").equals(pc.negate(rows.column(NUMBER)))
            left += rows.column(NUMBER).to_pylist()
    taken = [int(number) for run in runs for _, numbers in run for number in numbers]
    given_in = [number for one in batches for number in one.column(NUMBER).to_pylist()]
    assert sorted(taken + left) == sorted(given_in)
    return runs, sorted({number // BLOCK_ROWS for number in left})


@st.composite
def tables(draw):
    """Which rows there are: some that were erased are missing, and a part of the rows may begin anywhere."""
    rows = draw(st.integers(1, 4 * BLOCK_ROWS + 5) | st.sampled_from([1, BLOCK_ROWS, 2 * BLOCK_ROWS]))
    start = draw(st.sampled_from([0, 0, 3 * BLOCK_ROWS, BLOCK_ROWS - 1, 5000]))
    places = st.integers(start, start + rows - 1)
    missing = draw(st.lists(places, unique=True, max_size=min(rows - 1, 40)))
    return BlockSizes(rows=rows, start=start, missing=tuple(sorted(missing)))


@st.composite
def partitions(draw, sizes):
    """The rows in an order, cut into batches and tasks."""
    numbers = np.concatenate([sizes.numbers(block) for block in sizes.blocks])
    seed = np.random.default_rng(draw(st.integers(0, 2**32)))
    how = draw(st.sampled_from(["in order", "backwards", "mixed", "stretches"]))
    if how == "backwards":
        numbers = numbers[::-1]
    elif how == "mixed":
        numbers = seed.permutation(numbers)
    elif how == "stretches":
        pieces = np.array_split(numbers, draw(st.integers(1, 9)))
        numbers = np.concatenate([pieces[place] for place in seed.permutation(len(pieces))])
    tasks = np.array_split(numbers, draw(st.integers(1, 4)))
    size = draw(st.sampled_from([500, 4096, 5000, 65536]))
    return [[batch(task[place : place + size]) for place in range(0, len(task), size)] for task in tasks]


@given(st.data())
def test_each_row_leaves_once_in_its_block_or_the_block_is_left(data):
    sizes = data.draw(tables())
    tasks = data.draw(partitions(sizes))
    seen = []
    for batches in tasks:
        runs, left = gathered(sizes, batches)
        here = {int(n) // BLOCK_ROWS for one in batches for n in one.column(NUMBER).to_numpy()}
        whole = [block for run in runs for block, _ in run]
        assert sorted(whole + left) == sorted(here)
        for run in runs:
            assert [block for block, _ in run] == list(range(run[0][0], run[0][0] + len(run)))
            assert all(np.array_equal(numbers, sizes.numbers(block)) for block, numbers in run)
        seen += whole
    assert len(seen) == len(set(seen))
    if len(tasks) == 1:
        assert sorted(seen) == [block for block in sizes.blocks if sizes.count(block)]


@given(tables())
def test_the_sizes_of_blocks_add_up(sizes):
    numbers = [sizes.numbers(block) for block in sizes.blocks]
    assert [held.size for held in numbers] == [sizes.count(block) for block in sizes.blocks]
    expected = sorted(set(range(sizes.start, sizes.start + sizes.rows)) - set(sizes.missing))
    assert np.concatenate(numbers).tolist() == expected


class TestRowsThatAreNotNumberedFromFirstToLast:
    sizes = BlockSizes(rows=2 * BLOCK_ROWS)

    def test_one_twice_for_one_that_is_missing_is_refused(self):
        numbers = np.arange(2 * BLOCK_ROWS)
        numbers[17] = 16
        with pytest.raises(UnreadableFile, match="each number once"):
            gathered(self.sizes, [batch(numbers)])

    def test_a_number_of_an_erased_row_is_refused(self):
        sizes = BlockSizes(rows=BLOCK_ROWS, missing=(5,))
        numbers = np.delete(np.arange(BLOCK_ROWS), 6)
        with pytest.raises(UnreadableFile, match="each number once"):
            gathered(sizes, [batch(numbers)])

    def test_a_missing_row_leaves_its_block(self):
        runs, left = gathered(self.sizes, [batch(np.delete(np.arange(2 * BLOCK_ROWS), 5000))])
        assert left == [1]
        assert [[block for block, _ in run] for run in runs] == [[0]]

    def test_a_number_beyond_the_last_is_refused(self):
        with pytest.raises(UnreadableFile, match="each number once"):
            gathered(self.sizes, [batch([2 * BLOCK_ROWS])])

    def test_a_row_without_a_number_is_refused(self):
        with pytest.raises(UnreadableFile, match="each number once"):
            gathered(self.sizes, [batch([0, None])])

    def test_a_whole_block_that_comes_again_is_not_passed_over(self):
        twice = [batch(np.arange(BLOCK_ROWS)), batch(np.arange(BLOCK_ROWS))]
        runs, left = gathered(self.sizes, twice)
        # Both are handed on; whoever puts results together finds the block twice.
        assert [block for run in runs for block, _ in run] + left == [0, 0]


def test_a_task_whose_blocks_do_not_become_whole_lets_go_of_them(monkeypatch):
    monkeypatch.setattr(whole_blocks, "_MOST_HELD", 6000)
    sizes = BlockSizes(rows=4 * BLOCK_ROWS)
    scattered = np.arange(4 * BLOCK_ROWS).reshape(-1, 4).T.ravel()  # every fourth row, four times
    runs, left = gathered(sizes, [batch(scattered[place : place + 1000]) for place in range(0, scattered.size, 1000)])
    assert runs == []
    assert left == [0, 1, 2, 3]


def test_a_run_is_no_longer_than_a_chunk_of_a_file():
    sizes = BlockSizes(rows=(RUN_BLOCKS + 3) * BLOCK_ROWS)
    runs, left = gathered(sizes, [batch(np.arange(sizes.rows))])
    assert [len(run) for run in runs] == [RUN_BLOCKS, 3]
    assert left == []


@given(st.data())
def test_every_block_comes_to_one_task_and_only_once(data):
    sizes = data.draw(tables())
    filled = [block for block in sizes.blocks if sizes.count(block)]
    block_jobs._check_once([(block, block + 1) for block in filled], sizes)
    lost = data.draw(st.sampled_from(filled))
    for wrong in ([block for block in filled if block != lost], [*filled, lost]):
        with pytest.raises(UnreadableFile, match="each number once"):
            block_jobs._check_once([(block, block + 1) for block in wrong], sizes)
