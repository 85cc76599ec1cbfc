"""Segments: what was sealed comes back from any rows, and no segment can be changed, moved, repeated or exchanged."""

import copy
import itertools
import pickle
import threading
from fractions import Fraction

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import InvalidParameter, KeyRefused, SfumatoError, UnreadableFile
from sfumato.files.columns import CHUNK_ROWS
from sfumato.files.disk import HeldBytes
from sfumato.keys import Unprotected, seal_key
from sfumato.keys import key_documents as key_segments
from sfumato.keys.draw_coding import ContentKey, packed_length, padded_length
from sfumato.keys.key_documents import (
    MAGIC,
    KeySealer,
    SealedKey,
    SegmentLayout,
    SegmentSealer,
    open_key,
    segments_of,
    stored_draws,
)
from sfumato.keys.protection import OpenLock, Passphrase, PrivateKey, seal_body
from sfumato.ladders import Ladder, TwoLevelShift
from sfumato.ladders.keys import Draws, JoinedDraws
from sfumato.sampling import InsecureSeeded

FLIPS = Ladder.of_flips(size=2, epsilons=(2.0, 1.0), recover=True)
ROWS = 2 * CHUNK_ROWS + 5000
SECRET = Passphrase("correct horse", memory_kib=8, passes=1, lanes=1)
PRIVATE = PrivateKey(bytes(range(32)))
PROTECTIONS = [(SECRET, SECRET), (PRIVATE.public, PRIVATE), (PRIVATE, PRIVATE), (Unprotected(), Unprotected())]


def drawn(rows=ROWS, seed=1):
    return FLIPS.draw_keys(rows, InsecureSeeded(seed))[1]


@pytest.fixture(scope="module")
def key():
    return drawn()


@pytest.fixture(scope="module")
def sealed(key):
    return seal_key(key, Unprotected())


class Watched(HeldBytes):
    """Bytes that remember what was read of them."""

    __slots__ = ("seen",)

    def __init__(self, data):
        super().__init__(data)
        self.seen = []

    def read(self, start, length):
        self.seen.append((start, length))
        return super().read(start, length)


OPEN = Unprotected()


def stored(data, unlock=OPEN):
    return SealedKey.within(HeldBytes(data)).opened(unlock).key.material


def apart(data):
    """Everything before the segments, and the segments with their lengths, by the description of the format."""
    place = 16 + int.from_bytes(data[12:16], "little") + 36 + 32
    front, segments = data[:place], []
    while place < len(data):
        stop = place + 4 + int.from_bytes(data[place : place + 4], "little")
        segments.append(data[place:stop])
        place = stop
    return front, segments


@given(st.data())
def test_any_rows_come_back(key, sealed, data):
    draws = stored(sealed)
    whole = key.material.shifts
    for _ in range(3):
        near = [0, 1, CHUNK_ROWS - 1, CHUNK_ROWS, CHUNK_ROWS + 1, 2 * CHUNK_ROWS, ROWS - 1, ROWS]
        places = st.one_of(st.integers(0, ROWS), st.sampled_from(near))
        start, stop = sorted((data.draw(places), data.draw(places)))
        np.testing.assert_array_equal(draws.between(start, stop), whole[start:stop])
        cut = data.draw(st.integers(start, stop))
        joined = JoinedDraws([(draws, start, cut), (key.material, cut, stop)])
        assert joined.rows == stop - start
        np.testing.assert_array_equal(joined.shifts, whole[start:stop])
        first, last = sorted((data.draw(st.integers(0, stop - start)), data.draw(st.integers(0, stop - start))))
        np.testing.assert_array_equal(joined.between(first, last), whole[start + first : start + last])


@pytest.mark.parametrize("wrong", [(-1, 5), (5, 4), (0, ROWS + 1), (ROWS + 1, ROWS + 1)])
def test_rows_that_there_are_not(key, sealed, wrong):
    for draws in (key.material, stored(sealed), JoinedDraws([(key.material, 0, ROWS)])):
        with pytest.raises(InvalidParameter, match="must be among the"):
            draws.between(*wrong)


@given(st.lists(st.integers(1, CHUNK_ROWS), min_size=1, max_size=8))
def test_draws_may_come_in_any_pieces(key, sizes):
    """Only the content key differs: lengths, places and what is read are those of draws that came at once."""
    sealer, made = KeySealer(key, Unprotected()), []
    whole, place = key.material.shifts, 0
    for size in [*sizes, ROWS]:
        piece = whole[place : place + size].copy()
        made += sealer.add(piece)
        piece[:] = 0  # the caller may use its array again
        place += size
    data = sealer.front(None) + b"".join(made)
    assert len(data) == sealer.front_bytes + sealer.segment_bytes
    np.testing.assert_array_equal(open_key(data, Unprotected()).material.shifts, whole)


@pytest.mark.parametrize("step", [1000, CHUNK_ROWS, CHUNK_ROWS + 17, 100_000])
def test_going_through_in_order_opens_each_segment_once(sealed, step):
    source = Watched(sealed)
    draws = SealedKey.within(source).opened(Unprotected()).key.material
    del source.seen[:]
    for start in range(0, ROWS, step):
        draws.between(start, min(start + step, ROWS))
    assert len(source.seen) == 3
    assert sum(length for _, length in source.seen) == sum(map(len, apart(sealed)[1]))


def test_a_row_costs_one_segment(sealed):
    source = Watched(sealed)
    draws = SealedKey.within(source).opened(Unprotected()).key.material
    front, segments = apart(sealed)
    assert all(start + length <= len(front) for start, length in source.seen)
    del source.seen[:]
    draws.between(ROWS - 1, ROWS)
    assert source.seen == [(len(sealed) - len(segments[2]), len(segments[2]))]


def test_threads_share_a_key(key, sealed):
    draws, whole, wrong = stored(sealed), key.material.shifts, []

    def read(seed):
        dice = np.random.default_rng(seed)
        for start in dice.integers(ROWS - 50, size=40).tolist():
            wrong.extend(np.flatnonzero(draws.between(start, start + 50) != whole[start : start + 50]))

    threads = [threading.Thread(target=read, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_what_was_read_cannot_be_changed_by_its_readers(sealed):
    draws = stored(sealed)
    with pytest.raises(ValueError, match="read-only"):
        draws.between(0, 9)[0] = 1


def test_the_format_by_hand(key, sealed):
    """Opened as docs/reference/files.md says, by the cipher alone, and decoded by what reads a code."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    from sfumato.keys.draw_coding import decode_draws

    front, segments = apart(sealed)
    content_key = front[-64:-32]
    law = FLIPS.key_law(1)
    for index, segment in enumerate(segments):
        rows = min(CHUNK_ROWS, ROWS - index * CHUNK_ROWS)
        associated = b"sfumato/segment/1" + index.to_bytes(8, "little") + (3).to_bytes(8, "little")
        body = AESGCM(content_key).decrypt(index.to_bytes(12, "little"), segment[4:], associated)
        assert len(body) == padded_length(rows, law)
        first = index * CHUNK_ROWS
        np.testing.assert_array_equal(decode_draws(body, law, rows), key.material.between(first, first + rows))


def test_every_writing_has_a_content_key_of_its_own(key):
    """So a number may serve as nonce, and no segment of one file fits into another, not even of the same draws."""
    one, two = (apart(seal_key(key, Unprotected())) for _ in range(2))
    assert one[0][-64:-32] != two[0][-64:-32]
    assert not set(one[1]) & set(two[1])


EQUAL = 3 * CHUNK_ROWS


def forged(front, segments):
    return front + b"".join(segments)


@pytest.mark.parametrize(
    "change",
    [
        lambda own, other: [own[1], own[0], own[2]],
        lambda own, other: [own[0], own[2], own[1]],
        lambda own, other: [own[0], own[0], own[2]],
        lambda own, other: [own[0], own[1], own[1]],
        lambda own, other: [other[0], own[1], own[2]],
        lambda own, other: [own[0], own[1], other[2]],
        lambda own, other: other,
    ],
    ids=["swap", "swap the last", "repeat", "repeat the second", "mix", "mix the last", "all of another"],
)
def test_segments_cannot_be_moved_repeated_or_mixed(change):
    """Two writings of the same draws, of equal segments: nothing but the seal could tell them apart."""
    key = drawn(EQUAL)
    (front, own), (_, other) = (apart(seal_key(key, Unprotected())) for _ in range(2))
    assert len({len(segment) for segment in own + other}) == 1
    np.testing.assert_array_equal(open_key(forged(front, own), Unprotected()).material.shifts, key.material.shifts)
    with pytest.raises(KeyRefused, match="do not open"):
        open_key(forged(front, change(own, other)), Unprotected())


def test_segments_left_out_or_added():
    front, own = apart(seal_key(drawn(EQUAL), Unprotected()))
    for segments in ([], own[:1], own[:2], own[1:], own + own[:1], own + own):
        with pytest.raises(UnreadableFile, match="cut off, or something was added"):
            stored(forged(front, segments))  # before any draw is asked for


@pytest.mark.parametrize(("first", "last"), [(0, 2), (1, 3), (0, 1)])
def test_a_file_cut_at_segments_under_a_header_that_says_so(first, last):
    """Whoever has an unprotected file writes any header; segments that were sealed as three are no one or two."""
    front, own = apart(seal_key(drawn(EQUAL), Unprotected()))
    length = int.from_bytes(front[12:16], "little")
    document = msgspec.json.decode(front[16 : 16 + length])
    document.update(start=first * CHUNK_ROWS, stop=last * CHUNK_ROWS)
    raw = msgspec.json.encode(document, order="sorted")
    opening = MAGIC + len(raw).to_bytes(4, "little") + raw
    data = opening + seal_body(front[-68:-32], opening, Unprotected(), OpenLock()) + b"".join(own[first:last])
    draws = stored(data)
    assert draws.rows == (last - first) * CHUNK_ROWS
    for index in range(last - first):
        with pytest.raises(KeyRefused, match="do not open"):
            draws.between(index * CHUNK_ROWS, index * CHUNK_ROWS + 1)


def flipped(data, unlock, flips, seed):
    """Flip bits at random, at the ends of every segment and in every length, and read just the segment in question."""
    layout = SegmentLayout(ROWS, FLIPS.key_law(1))
    front = len(data) - layout.length
    starts = [front + layout.start(index) for index in range(layout.count)] + [len(data)]
    dice = np.random.default_rng(seed)
    places = dice.integers(front, len(data), size=flips).tolist()
    for start, stop in itertools.pairwise(starts):
        places += [*range(start, start + 6), stop - 17, stop - 16, stop - 1]
    changed = bytearray(data)
    for place, bit in zip(places, dice.integers(8, size=len(places)).tolist(), strict=True):
        changed[place] ^= 1 << bit
        index = sum(start <= place for start in starts) - 1
        draws = stored(bytes(changed), unlock)
        with pytest.raises(KeyRefused, match="do not open"):
            draws.between(index * CHUNK_ROWS, index * CHUNK_ROWS + 1)
        changed[place] ^= 1 << bit
    assert changed == data


@pytest.mark.parametrize(("protection", "unlock"), PROTECTIONS, ids=["passphrase", "public", "private", "none"])
def test_no_bit_of_a_segment_can_be_changed(key, protection, unlock, monkeypatch):
    """And nothing is decoded of a segment that was not sealed."""
    decoded = []
    monkeypatch.setattr(key_segments, "decode_draws", lambda *given: decoded.append(given))
    flipped(seal_key(key, protection), unlock, 300, 20261116)
    assert not decoded


@pytest.mark.slow
def test_a_hundred_thousand_flips(sealed):
    flipped(sealed, Unprotected(), 10**5, 20261117)


def test_a_changed_segment_leaves_the_others(key, sealed):
    front, segments = apart(sealed)
    changed = bytearray(sealed)
    changed[len(front) + len(segments[0]) + 1000] ^= 1
    draws = stored(bytes(changed))
    np.testing.assert_array_equal(draws.between(0, CHUNK_ROWS), key.material.between(0, CHUNK_ROWS))
    with pytest.raises(KeyRefused, match=r"its draws 262144\.\.524287 do not open"):
        draws.between(CHUNK_ROWS - 1, CHUNK_ROWS + 1)
    np.testing.assert_array_equal(draws.between(2 * CHUNK_ROWS, ROWS), key.material.between(2 * CHUNK_ROWS, ROWS))


EXTREME = TwoLevelShift(modulus=2, favoured=np.zeros(1, dtype=np.int64), inside=Fraction(99, 100))


def sealed_segments(shifts, law=EXTREME):
    key = ContentKey(bytes(range(32)))
    sealer = SegmentSealer(SegmentLayout(shifts.size, law), key)
    data = b"".join(sealer.add(shifts))
    assert sealer.is_complete
    return data, key


def test_a_segment_that_had_to_be_packed_is_found_among_the_others():
    """One chance in 2^80, so it is made by hand: the second segment holds what no law would give."""
    layout = SegmentLayout(ROWS, EXTREME)
    shifts = EXTREME.draw(InsecureSeeded(3), ROWS).astype(np.uint8)
    shifts[CHUNK_ROWS : 2 * CHUNK_ROWS] = 1
    data, key = sealed_segments(shifts)
    difference = packed_length(CHUNK_ROWS, EXTREME) - padded_length(CHUNK_ROWS, EXTREME)
    assert len(data) == layout.length + difference
    draws = stored_draws(HeldBytes(data), 0, layout, key)
    np.testing.assert_array_equal(draws.shifts, shifts)
    np.testing.assert_array_equal(draws.between(ROWS - 9, ROWS), shifts[-9:])
    for wrong in (data[:-1], data + b"\0", data[:100], b"", data[4:], data + data):
        with pytest.raises(UnreadableFile, match="cut off"):
            stored_draws(HeldBytes(wrong), 0, layout, key)
    changed = bytearray(data)
    for place in range(4):
        for bit in range(8):
            changed[layout.start(1) + place] ^= 1 << bit
            with pytest.raises(UnreadableFile, match="cut off"):
                stored_draws(HeldBytes(bytes(changed)), 0, layout, key)
            changed[layout.start(1) + place] ^= 1 << bit


def test_the_length_is_known_before_any_draw():
    for rows in (1, 5000, CHUNK_ROWS, CHUNK_ROWS + 1, ROWS):
        key = drawn(rows)
        sealer = KeySealer(key, SECRET)
        assert len(seal_key(key, SECRET)) == sealer.front_bytes + sealer.segment_bytes
        assert len(seal_key(key.having_produced("ab" * 32), SECRET)) == sealer.front_bytes + sealer.segment_bytes


def test_rows_too_few_too_many_or_of_another_kind():
    blank = drawn(1000)
    sealer = KeySealer(blank, Unprotected())
    list(sealer.add(np.zeros(999, dtype=np.uint8)))
    with pytest.raises(InvalidParameter, match="draws came for 999 of the 1000 rows"):
        sealer.front(None)
    with pytest.raises(InvalidParameter, match="draws are more than the 1000 rows"):
        list(sealer.add(np.zeros(2, dtype=np.uint8)))
    for wrong in (np.zeros((1, 1), dtype=np.uint8), np.zeros(1), np.array(["0"])):
        with pytest.raises(InvalidParameter, match="draws must be whole numbers"):
            list(sealer.add(wrong))
    with pytest.raises(InvalidParameter, match="residues mod 2"):
        list(sealer.add(np.array([2])))
    # What failed was not sealed, so the file is not complete, whatever comes after.
    with pytest.raises(InvalidParameter, match="draws"):
        sealer.front(None)


def test_a_digest_that_means_none_is_not_a_record():
    with pytest.raises(InvalidParameter, match="digest"):
        seal_key(drawn(50).having_produced("0" * 64), Unprotected())


def test_nothing_of_it_is_shown_or_pickled(sealed):
    opened = SealedKey.within(HeldBytes(sealed)).opened(Unprotected())
    joined = JoinedDraws([(opened.key.material, 0, 50)])
    content = ContentKey(apart(sealed)[0][-64:-32])
    for secret in (opened, opened.key.material, joined, content):
        shown = f"{secret!r} {secret}"
        assert "not shown" in shown
        assert content.raw.hex() not in shown
        assert repr(content.raw)[2:-1] not in shown
        for act in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError, match="not pickled"):
                act(secret)
        with pytest.raises(AttributeError, match="immutable"):
            secret.raw = b""


@given(st.binary(max_size=600), st.integers(1, 3))
def test_any_bytes_are_segments_or_refused(noise, repeats):
    layout, key = SegmentLayout(300, EXTREME), ContentKey(bytes(32))
    for data in (noise * repeats, (noise * repeats)[: layout.length].ljust(layout.length, b"\0")):
        with pytest.raises(SfumatoError):
            _ = stored_draws(HeldBytes(data), 0, layout, key).shifts


def test_pieces_of_draws_are_those_that_are_sealed(key):
    assert [piece.size for piece in segments_of(key.material)] == [CHUNK_ROWS, CHUNK_ROWS, 5000]
    assert isinstance(key.material, Draws)
