"""Sources hand out the words they promise, and stop when they cannot."""

import multiprocessing
import os
import pickle
import warnings

import numpy as np
import pytest

from sfumato.errors import InsecureBitsWarning, InvalidParameter, SourceFailed
from sfumato.sampling import BulkBits, Guarantee, InsecureSeeded, ScriptedBits, SystemBits

SOURCES = [SystemBits, BulkBits, lambda: InsecureSeeded(7)]


@pytest.mark.parametrize("make", SOURCES)
@pytest.mark.parametrize(("width", "itemsize"), [(1, 1), (8, 1), (9, 2), (16, 2), (31, 4), (64, 8)])
def test_words_fit_their_width_and_use_all_of_it(make, width, itemsize):
    words = make().words(4096, width)
    assert words.dtype.itemsize == itemsize
    assert words.dtype.kind == "u"
    assert int(words.max()) < 1 << width
    # The top bit is set in 2048 ± 5 standard deviations (32 each) of the words: fails by chance below 1e-6.
    assert abs(int((words >> words.dtype.type(width - 1)).sum()) - 2048) < 160


@pytest.mark.parametrize("make", SOURCES)
def test_no_words_and_wrong_requests(make):
    assert make().words(0).size == 0
    with pytest.raises(InvalidParameter, match=r"width=65 must lie in \[1, 64\]"):
        make().words(1, 65)
    with pytest.raises(InvalidParameter, match="count=-1 must be at least 0"):
        make().words(-1)


def test_bulk_stream_crosses_its_chunks_without_repeating():
    words = BulkBits().words(300_000)  # 2.4 MB: three chunks
    assert np.unique(words).size == words.size  # a repeat among 3e5 64-bit words has probability 2.4e-9


def test_two_bulk_sources_and_two_calls_differ():
    source = BulkBits()
    a, b, c = source.words(4), source.words(4), BulkBits().words(4)
    assert a.tolist() != b.tolist()
    assert a.tolist() != c.tolist()


def _child_words(source, queue):
    queue.put(source.words(4).tolist())


def test_a_fork_gets_a_new_key():
    source = BulkBits()
    source.words(1)
    context = multiprocessing.get_context("fork")
    queue = context.SimpleQueue()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12 dislikes forking with threads around
        child = context.Process(target=_child_words, args=(source, queue))
        child.start()
    theirs = queue.get()
    child.join()
    assert theirs != source.words(4).tolist()


def test_a_secret_source_is_neither_copied_nor_shown():
    with pytest.raises(TypeError, match="cannot be copied"):
        pickle.dumps(BulkBits())
    assert "key" not in repr(BulkBits()).lower()


def test_seeded_bits_are_the_same_everywhere_and_say_what_they_are():
    with pytest.warns(InsecureBitsWarning, match="simulation, not a release"):
        source = InsecureSeeded(1)
    # Fixed by AES-256-CTR under the SHA-256 of the seed's name: other numbers would change every seeded test.
    assert source.words(2).tolist() == InsecureSeeded(1).words(2).tolist()
    assert source.words(2).tolist() != InsecureSeeded(2).words(2).tolist()
    assert "INSECURE" in source.label
    assert source.guarantee is Guarantee.NONE


def test_a_script_is_followed_and_runs_out():
    script = ScriptedBits([3, 1, 2])
    assert script.words(2, 2).tolist() == [3, 1]
    assert script.left == 1
    with pytest.raises(SourceFailed, match="1 words left and 2 were asked for"):
        script.words(2, 2)
    with pytest.raises(SourceFailed, match="does not fit 1 bits"):
        script.words(1, 1)


class TestFailingSystem:
    """A source that fails aborts; nothing falls back to something weaker."""

    @pytest.mark.parametrize("make", [SystemBits().words, lambda count: BulkBits().words(count)])
    def test_an_error_stops_everything(self, monkeypatch, make):
        def broken(_):
            raise OSError(5, "Input/output error")

        monkeypatch.setattr(os, "urandom", broken)
        with pytest.raises(SourceFailed, match="Nothing was released"):
            make(4)

    def test_short_reads_stop(self, monkeypatch):
        monkeypatch.setattr(os, "urandom", lambda count: b"\x01" * (count - 1))
        with pytest.raises(SourceFailed, match="gave 31 of 32 bytes"):
            SystemBits().words(4)

    def test_a_stuck_device_stops(self, monkeypatch):
        monkeypatch.setattr(os, "urandom", lambda count: b"\x00" * count)
        with pytest.raises(SourceFailed, match="repeats itself"):
            SystemBits().words(4)
        monkeypatch.setattr(os, "urandom", lambda count: bytes(range(count)))
        source = SystemBits()
        source.words(4)
        with pytest.raises(SourceFailed, match="repeats itself"):
            source.words(4)
