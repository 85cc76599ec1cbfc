"""Draws that nobody keeps belong to rows: the same in any partition, others in each block, round, question and part."""

import itertools

import numpy as np
import pyarrow as pa
import pytest

from engines.spark.spark_studies import card_study, plain_answers
from sfumato.engines.spark import BLOCK_ROWS
from sfumato.errors import SourceFailed
from sfumato.ladders.drawing import bits_of_block, blocks_within, question_secret
from sfumato.publications.part import MemorySink, PartDrawing, PartPlan
from sfumato.publications.spark_writing import SentPlan
from sfumato.sampling import Guarantee, SystemBits

SECRET, PART = b"s" * 32, "0" * 32


def test_no_two_names_share_a_stream():
    names = itertools.product((PART, "1" * 32), ("debt", "word"), (0, 1, 2**40), (0, 1))
    streams = [
        bits_of_block(question_secret(SECRET, part, question), block, round_).words(4).tolist()
        for part, question, block, round_ in names
    ]
    assert len({tuple(stream) for stream in streams}) == 24


def test_a_stream_is_the_same_again():
    once, again = (bits_of_block(question_secret(SECRET, PART, "debt"), 7).words(100) for _ in range(2))
    assert np.array_equal(once, again)


def test_blocks_within_numbers_with_gaps():
    numbers = np.array([3, 4095, 4096, 9000, 9001])
    assert blocks_within(numbers) == [(0, 0, 2), (1, 2, 3), (2, 3, 5)]
    assert blocks_within(numbers[:0]) == []


@pytest.fixture(scope="module")
def drawing():
    plan = PartPlan(
        study=card_study(), part=PART, source=SystemBits(), guarantee=Guarantee.COMPUTATIONAL, secret=SECRET
    )
    return PartDrawing(plan, MemorySink())


def test_a_block_alone_is_drawn_as_it_is_among_others(drawing):
    """By what was sent to a task, which has no bits of its own."""
    table = plain_answers(3 * BLOCK_ROWS + 5)
    numbers = np.arange(table.num_rows)
    whole = drawing.drawn(drawing.read(table, 0), numbers)
    for start, stop in ((0, BLOCK_ROWS), (BLOCK_ROWS, 3 * BLOCK_ROWS), (3 * BLOCK_ROWS, table.num_rows)):
        task = SentPlan.of(drawing).drawing()
        piece = task.drawn(task.read(table.slice(start, stop - start), start), numbers[start:stop])
        for name, reports in piece.items():
            assert np.array_equal(reports, whole[name][start:stop])
    # The same answers in two blocks are not answered by the same draws.
    alike = table.take(pa.array(np.zeros(2 * BLOCK_ROWS, dtype=np.int64)))
    debts = drawing.drawn(drawing.read(alike, 0), numbers[: 2 * BLOCK_ROWS])["debt"]
    assert not np.array_equal(debts[:BLOCK_ROWS], debts[BLOCK_ROWS:])


def test_what_is_sent_holds_one_key_a_question_and_draws_nothing(drawing):
    sent = SentPlan.of(drawing)
    assert set(sent.keys) == {"moved", "place"}
    assert sent.plan.keys is None
    assert "seed" not in repr(sent)
    assert not any(data.hex() in repr(sent) for data in sent.keys.values())
    with pytest.raises(SourceFailed, match="no bits of its own"):
        sent.drawing().plan.source.words(1)
