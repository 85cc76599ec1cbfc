"""Key files of any number of rows: written as draws come, read by segments, copied and changed in little memory."""

import contextlib
import os
import resource
import signal
import stat
import subprocess
import sys
import textwrap
import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sfumato.errors import InvalidParameter, KeyRefused, UnreadableFile
from sfumato.files.columns import CHUNK_ROWS
from sfumato.files.disk import FileBytes
from sfumato.keys import Passphrase, PrivateKey, Unprotected
from sfumato.keys.key_documents import open_key
from sfumato.keys.key_files import (
    KeyWriter,
    key_file_bytes,
    overwrite_draws,
    protect_key,
    read_key,
    read_key_header,
    record_use,
    write_key,
)
from sfumato.ladders import Binding, Ladder
from sfumato.ladders.drawing import blank_key
from sfumato.ladders.keys import StoredDraws
from sfumato.sampling import Guarantee, InsecureSeeded
from sfumato.workflows.key_files import merge_key_files, protect_key_file, split_key_file

LADDER = Ladder.of_flips(size=2, epsilons=(2.0, 1.0), recover=True)
WIDE = Ladder.within(size=900, epsilons=(2.0, 1.0), recover=True)
SECRET = Passphrase("correct horse", memory_kib=8, passes=1, lanes=1)
OTHER = Passphrase("battery staple", memory_kib=8, passes=1, lanes=1)
PRIVATE = PrivateKey(bytes(range(32)))
OPEN = Unprotected()
ROWS = 2 * CHUNK_ROWS + 5000
BOUND = Binding(study="s", question="q", column="c")
DIGEST = "ab" * 32
LOCKS = [(SECRET, SECRET), (PRIVATE.public, PRIVATE), (PRIVATE, PRIVATE), (OPEN, OPEN)]
NAMES = ["passphrase", "public_key", "private_key", "none"]


def blank_of(rows, ladder=LADDER, level=1):
    source = InsecureSeeded(1)
    return replace(blank_key(ladder.declaration, rows, source, BOUND), level=level, guarantee=source.guarantee)


@pytest.fixture(scope="module")
def shifts():
    return LADDER.key_law(1).draw(InsecureSeeded(2), ROWS).astype(np.uint8)


def written(path, shifts, protection=OPEN, produced=None, step=100_000):
    with KeyWriter(blank_of(shifts.size), path, protection) as writer:
        for start in range(0, shifts.size, step):
            writer.append(shifts[start : start + step])
        writer.finish(produced)
    return path


def front_of(path):
    data = Path(path).read_bytes()
    header = read_key_header(path)
    return data, 16 + int.from_bytes(data[12:16], "little") + header.box_bytes


@pytest.mark.parametrize(("protection", "unlock"), LOCKS, ids=NAMES)
@pytest.mark.parametrize("produced", [None, DIGEST])
def test_draws_that_come_one_after_the_other_make_the_same_file(tmp_path, shifts, protection, unlock, produced):
    path = written(tmp_path / "k", shifts, protection, produced)
    key, header = read_key(path, unlock), read_key_header(path)
    assert isinstance(key.material, StoredDraws)
    np.testing.assert_array_equal(key.material.shifts, shifts)
    assert header.rows == ROWS
    assert (key.produced, header.produced, key.binding, key.level) == (produced, produced, BOUND, 1)
    # What is written at once has the same format, and is as long.
    np.testing.assert_array_equal(open_key(path.read_bytes(), unlock).material.shifts, shifts)
    write_key(key, tmp_path / "again", protection)
    assert (tmp_path / "again").stat().st_size == path.stat().st_size == key_file_bytes(blank_of(ROWS), protection)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert sorted(found.name for found in tmp_path.iterdir()) == ["again", "k"]


def test_nothing_has_its_name_before_it_is_complete(tmp_path, shifts):
    old = os.umask(0)
    try:
        writer = KeyWriter(blank_of(ROWS), tmp_path / "k", OPEN)
        writer.append(shifts[: CHUNK_ROWS + 1])
        (temporary,) = tmp_path.iterdir()
        assert temporary.name.startswith(".k.")
        assert stat.S_IMODE(temporary.stat().st_mode) == 0o600
        with pytest.raises(InvalidParameter, match="draws came for 262145 of the 529288 rows"):
            writer.finish()
        assert not (tmp_path / "k").exists()
        writer.append(shifts[CHUNK_ROWS + 1 :])
        with pytest.raises(InvalidParameter, match="more than the 529288 rows"):
            writer.append(shifts[:1])
        writer.finish()
        writer.discard()  # too late: it is in place
        np.testing.assert_array_equal(read_key(tmp_path / "k", OPEN).material.shifts, shifts)
        assert stat.S_IMODE((tmp_path / "k").stat().st_mode) == 0o600
    finally:
        os.umask(old)


def test_what_is_not_finished_is_gone(tmp_path, shifts):
    writer = KeyWriter(blank_of(ROWS), tmp_path / "k", OPEN)
    writer.append(shifts)
    writer.discard()
    writer.discard()
    assert list(tmp_path.iterdir()) == []
    with contextlib.suppress(KeyboardInterrupt), KeyWriter(blank_of(ROWS), tmp_path / "k", OPEN) as writer:
        writer.append(shifts[:9])
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_places_that_cannot_be_written(tmp_path, shifts):
    for path, words in (
        (tmp_path / "no" / "k", "lies in a folder that does not exist"),
        (tmp_path, "exists already"),
        (tmp_path / ("x" * 300), "could not be written"),
        (tmp_path / "a\0b", "path"),
    ):
        with pytest.raises(InvalidParameter, match=words):
            KeyWriter(blank_of(ROWS), path, OPEN)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InvalidParameter, match="is a pipe or a device"):
        KeyWriter(blank_of(ROWS), tmp_path / "pipe", OPEN, overwrite=True)
    written(tmp_path / "k", shifts)
    with pytest.raises(InvalidParameter, match="exists already"):
        KeyWriter(blank_of(ROWS), tmp_path / "k", OPEN)
    # One that came into being meanwhile is not replaced either.
    late = KeyWriter(blank_of(9), tmp_path / "late", OPEN)
    late.append(shifts[:9])
    (tmp_path / "late").write_bytes(b"mine")
    with late, pytest.raises(InvalidParameter, match="exists already"):
        late.finish()
    assert (tmp_path / "late").read_bytes() == b"mine"
    seeds = LADDER.draw_keys(50, InsecureSeeded(1), guarantee=Guarantee.COMPUTATIONAL)[1]
    with pytest.raises(InvalidParameter, match="holds a seed, and no draws"):
        KeyWriter(seeds, tmp_path / "seed", OPEN)
    assert sorted(found.name for found in tmp_path.iterdir()) == ["k", "late", "pipe"]


@contextlib.contextmanager
def limited(what, amount):
    soft, hard = resource.getrlimit(what)
    resource.setrlimit(what, (amount, hard))
    try:
        yield
    finally:
        resource.setrlimit(what, (soft, hard))


def test_a_full_disk_is_a_sentence_and_leaves_nothing(tmp_path, shifts):
    """The system's own limit on the size of a file stands for the disk."""
    path = written(tmp_path / "k", shifts[:5000])
    before = path.read_bytes()
    old = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        with limited(resource.RLIMIT_FSIZE, 30_000), pytest.raises(InvalidParameter, match="could not be written"):
            written(tmp_path / "large", shifts)
        with limited(resource.RLIMIT_FSIZE, 100):
            for act in (
                lambda: record_use(path, OPEN, DIGEST),
                lambda: protect_key(path, OPEN, SECRET),
                lambda: overwrite_draws(path, OPEN, [3], [1]),
            ):
                with pytest.raises(InvalidParameter, match="could not be written"):
                    act()
    finally:
        signal.signal(signal.SIGXFSZ, old)
    assert path.read_bytes() == before
    assert [found.name for found in tmp_path.iterdir()] == ["k"]


def test_the_header_is_read_without_what_follows(tmp_path, shifts):
    path = written(tmp_path / "k", shifts, SECRET, DIGEST)
    before, (data, front) = read_key_header(path), front_of(path)
    path.write_bytes(data[:front] + bytes(len(data) - front))
    assert read_key_header(path) == before
    # Opening notices what is missing or too much before any draw is asked for.
    for wrong in (data[:-1], data + b"\0", data[:front], data[: front + 4]):
        path.write_bytes(wrong)
        with pytest.raises(UnreadableFile, match="cut off, or something was added"):
            read_key(path, SECRET)


def test_a_size_that_does_not_fit_costs_nothing(tmp_path, shifts):
    """A file of a few bytes that stands for 2^40 rows, and a sparse one of terabytes."""
    import msgspec

    from sfumato.keys.key_documents import MAGIC
    from sfumato.keys.protection import OpenLock, seal_body

    path = written(tmp_path / "k", shifts[:300])
    data, front = front_of(path)
    length = int.from_bytes(data[12:16], "little")
    document = msgspec.json.decode(data[16 : 16 + length])
    document.update(stop=1 << 40, total=1 << 40)
    raw = msgspec.json.encode(document, order="sorted")
    opening = MAGIC + len(raw).to_bytes(4, "little") + raw
    path.write_bytes(opening + seal_body(data[front - 68 : front - 32], opening, OPEN, OpenLock()) + data[front:])
    tracemalloc.start()
    for size in (path.stat().st_size, 1 << 36):
        os.truncate(path, size)
        assert read_key_header(path).rows == 1 << 40
        with pytest.raises(UnreadableFile, match="cut off"):
            read_key(path, OPEN)
    assert tracemalloc.get_traced_memory()[1] < 1e6
    tracemalloc.stop()


@pytest.mark.parametrize(("protection", "unlock"), LOCKS, ids=NAMES)
def test_a_record_of_use_changes_the_front_alone(tmp_path, shifts, protection, unlock):
    path = written(tmp_path / "k", shifts, protection)
    (before, front), old = front_of(path), read_key(path, unlock)
    used = record_use(path, unlock, DIGEST)
    after = path.read_bytes()
    assert after[front:] == before[front:]
    assert after[:front] != before[:front]
    assert read_key_header(path).produced == DIGEST == used.produced
    # Keys that were read before and after still find their draws.
    for key in (used, old, read_key(path, unlock)):
        np.testing.assert_array_equal(key.material.shifts, shifts)


@pytest.mark.parametrize(("protection", "unlock"), LOCKS[:3], ids=NAMES[:3])
def test_a_new_protection_seals_every_segment_anew(tmp_path, shifts, protection, unlock):
    """Who has the old file and the old secret, and with it the old content key, has nothing of the new file."""
    path = written(tmp_path / "k", shifts, OPEN, DIGEST)
    before, front = front_of(path)
    content_key = before[front - 64 : front - 32]
    protect_key(path, OPEN, protection)
    after, _ = front_of(path)
    assert not set(blocks(before[front:])) & set(blocks(after))
    assert content_key not in after
    key = read_key(path, unlock)
    assert key.produced == DIGEST
    np.testing.assert_array_equal(key.material.shifts, shifts)


def test_a_key_whose_file_was_replaced_gives_no_other_draws(tmp_path, shifts):
    path = written(tmp_path / "k", shifts)
    key = read_key(path, OPEN)
    key.material.between(0, 9)
    overwrite_draws(path, OPEN, [CHUNK_ROWS], [1])
    with pytest.raises(KeyRefused, match="replaced while it was read") as caught:
        key.material.between(CHUNK_ROWS, CHUNK_ROWS + 9)
    assert str(path) in str(caught.value)
    path.unlink()
    with pytest.raises(UnreadableFile, match="does not exist"):
        key.material.between(CHUNK_ROWS, CHUNK_ROWS + 9)
    # A program that goes to another folder still means the same file.
    written(path, shifts)
    here = Path.cwd()
    os.chdir(tmp_path)
    try:
        key = read_key("k", OPEN)
        os.chdir("/")
        np.testing.assert_array_equal(key.material.shifts, shifts)
    finally:
        os.chdir(here)


def test_any_number_of_keys_can_be_held(tmp_path, shifts):
    path = written(tmp_path / "k", shifts[:5000])
    with limited(resource.RLIMIT_NOFILE, 40):
        held = [read_key(path, OPEN) for _ in range(100)]
        for key in held:
            np.testing.assert_array_equal(key.material.between(7, 50), shifts[7:50])


def test_a_key_through_a_pipe(tmp_path, shifts):
    path = written(tmp_path / "k", shifts[:5000])
    read, write = os.pipe()
    os.write(write, path.read_bytes())
    os.close(write)
    key = read_key(f"/dev/fd/{read}", OPEN)
    os.close(read)
    np.testing.assert_array_equal(key.material.shifts, shifts[:5000])


class TestOverwriting:
    """Erasing a person takes their draw out of the key, and nothing else."""

    @pytest.mark.parametrize(("protection", "unlock"), LOCKS, ids=NAMES)
    def test_the_draw_is_gone_and_all_others_stay(self, tmp_path, shifts, protection, unlock):
        path = written(tmp_path / "k", shifts, protection, DIGEST)
        (before, front), header = front_of(path), read_key_header(path)
        rows = [ROWS - 1, 0, CHUNK_ROWS - 1, CHUNK_ROWS, 77]
        fresh = [1 - int(shifts[row]) for row in rows]
        overwrite_draws(path, unlock, rows, fresh)
        key, (after, _) = read_key(path, unlock), front_of(path)
        expected = shifts.copy()
        expected[rows] = fresh
        np.testing.assert_array_equal(key.material.shifts, expected)
        assert len(after) == len(before)
        assert replace(read_key_header(path), lock=header.lock) == header
        assert key.produced == DIGEST
        # Nothing of the old file is left in the new one, and no part of it fits.
        assert not set(blocks(before[front:])) & set(blocks(after[front:]))
        path.write_bytes(after[:front] + before[front:])
        with pytest.raises(KeyRefused, match="do not open"):
            read_key(path, unlock).material.between(0, 1)

    def test_rows_are_those_of_the_reports(self, tmp_path, shifts):
        path = written(tmp_path / "k", shifts)
        _, part = split_key_file(path, [1000], tmp_path, protection=OPEN, unlock=OPEN)
        overwrite_draws(part, OPEN, [1000, 5000], [1 - int(shifts[1000]), 1 - int(shifts[5000])])
        changed = np.flatnonzero(read_key(part, OPEN).material.shifts != shifts[1000:])
        assert changed.tolist() == [0, 4000]

    @pytest.mark.parametrize(
        ("rows", "fresh", "words"),
        [
            ([], [], "rows must be rows"),
            ([5, 5], [0, 1], "each once"),
            ([-1], [0], "rows must be rows"),
            ([ROWS], [0], "rows must be rows"),
            ([10**30], [0], "rows must be rows"),
            ([5], [2], "fresh must be residues mod 2"),
            ([5], [-1], "fresh must be residues mod 2"),
            ([5], [10**30], "fresh must be residues mod 2"),
            ([5], [0, 1], "one for each"),
            ([5.5], [0], "rows"),
            ([5], ["x"], "fresh"),
        ],
    )
    def test_what_cannot_be_overwritten(self, tmp_path, shifts, rows, fresh, words):
        path = written(tmp_path / "k", shifts)
        before = path.read_bytes()
        with pytest.raises(InvalidParameter, match=words):
            overwrite_draws(path, OPEN, rows, fresh)
        assert path.read_bytes() == before
        assert [found.name for found in tmp_path.iterdir()] == ["k"]

    def test_seeds_have_no_single_draws(self, tmp_path):
        key = LADDER.draw_keys(50, InsecureSeeded(1), guarantee=Guarantee.COMPUTATIONAL)[1]
        write_key(key, tmp_path / "k", OPEN)
        with pytest.raises(KeyRefused, match="holds a seed"):
            overwrite_draws(tmp_path / "k", OPEN, [5], [0])
        with pytest.raises(KeyRefused, match="although a passphrase was given"):
            overwrite_draws(tmp_path / "k", SECRET, [5], [0])

    @pytest.mark.parametrize(("fatal", "is_new"), [(1, False), (2, True)])
    @pytest.mark.parametrize("act", ["overwrite_draws(path, OPEN, [3], [1])", "protect_key(path, OPEN, OPEN)"])
    def test_killed_in_between_the_file_is_the_old_or_the_new_one(self, tmp_path, shifts, act, fatal, is_new):
        changed = shifts[:5000].copy()
        changed[3] = 0
        path = written(tmp_path / "k", changed)
        before = path.read_bytes()
        program = f"""
            import os, signal
            from sfumato.keys.key_files import overwrite_draws, protect_key
            from sfumato.keys.protection import Unprotected
            path, OPEN, flushes = {str(path)!r}, Unprotected(), 0
            def fsync(descriptor):
                global flushes
                flushes += 1
                if flushes == {fatal}:
                    os.kill(os.getpid(), signal.SIGKILL)
            os.fsync = fsync
            {act}
        """
        done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], check=False, timeout=60)
        assert done.returncode == -9
        assert (path.read_bytes() == before) is not is_new
        changed[3] = is_new and "overwrite" in act
        np.testing.assert_array_equal(read_key(path, OPEN).material.shifts, changed)


def blocks(data):
    return [data[place : place + 64] for place in range(len(data) - 63)]


def test_a_damaged_segment_splits_into_nothing(tmp_path, shifts):
    """The damage is in the last part; the parts before it are not left behind as if all had gone well."""
    path = written(tmp_path / "k", shifts)
    data, _ = front_of(path)
    path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    with pytest.raises(KeyRefused, match="do not open"):
        split_key_file(path, [1000, CHUNK_ROWS], tmp_path / "parts", protection=OPEN, unlock=OPEN)
    assert list((tmp_path / "parts").iterdir()) == []
    before = path.read_bytes()
    for act in (
        lambda: protect_key(path, OPEN, SECRET),
        lambda: overwrite_draws(path, OPEN, [3], [1]),
        lambda: merge_key_files([path], tmp_path / "merged", protection=OPEN, unlock=OPEN),
    ):
        with pytest.raises(KeyRefused, match="do not open"):
            act()
    assert path.read_bytes() == before
    assert sorted(found.name for found in tmp_path.iterdir()) == ["k", "parts"]


def test_split_and_merged_across_segments(tmp_path, shifts):
    path = written(tmp_path / "k", shifts, SECRET, DIGEST)
    at = [1, CHUNK_ROWS - 3, CHUNK_ROWS + 100_000]
    parts = split_key_file(path, at, tmp_path / "parts", protection=OTHER, unlock=SECRET)
    assert len(parts) == 4
    edges = [0, *at, ROWS]
    for part, start, stop in zip(parts, edges, edges[1:], strict=False):
        key = read_key(part, OTHER)
        assert (key.start, key.stop, key.total, key.produced) == (start, stop, ROWS, DIGEST)
        np.testing.assert_array_equal(key.material.shifts, shifts[start:stop])
    merged = merge_key_files(parts[::-1], tmp_path / "merged", protection=SECRET, unlock=OTHER)
    assert merged.is_whole
    whole = read_key(tmp_path / "merged", SECRET)
    assert whole.produced == DIGEST
    np.testing.assert_array_equal(whole.material.shifts, shifts)
    assert (tmp_path / "merged").stat().st_size == path.stat().st_size


def through_everything(folder, rows):
    """Write, read, mark, protect, overwrite, split and merge keys of so many rows; return the most memory of each."""
    piece = WIDE.key_law(1).draw(InsecureSeeded(4), CHUNK_ROWS).astype(np.uint16)
    peaks, path = {}, folder / "k"

    def write():
        with KeyWriter(blank_of(rows, WIDE), path, OPEN) as writer:
            for start in range(0, rows, piece.size):
                writer.append(piece[: rows - start])
            writer.finish()

    def read():
        draws = read_key(path, OPEN).material
        for start in range(0, rows, 100_000):
            draws.between(start, min(start + 100_000, rows))

    acts = {
        "write": write,
        "header": lambda: read_key_header(path),
        "read": read,
        "record": lambda: record_use(path, OPEN, DIGEST),
        "protect": lambda: protect_key_file(path, protection=SECRET, unlock=OPEN),
        "overwrite": lambda: overwrite_draws(path, SECRET, [5, rows - 5], [0, 1]),
        "split": lambda: split_key_file(path, [rows // 3], folder / "parts", protection=OPEN, unlock=SECRET),
        "merge": lambda: merge_key_files(sorted((folder / "parts").iterdir()), folder / "m", protection=OPEN),
    }
    for name, act in acts.items():
        tracemalloc.start()
        act()
        peaks[name] = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert min(found.stat().st_size for found in (path, folder / "m")) > 0.9 * rows
    return peaks


def test_memory_does_not_grow_with_the_rows(tmp_path):
    """Four million draws are 8 MB as they are held and 32 MB as they are drawn; a segment takes the same each time."""
    few, many = tmp_path / "few", tmp_path / "many"
    few.mkdir()
    many.mkdir()
    through_everything(few, CHUNK_ROWS)  # what is built once: ladders, lengths, compiled parts
    for path in few.rglob("*"):
        if path.is_file():
            path.unlink()
    small, large = through_everything(few, 2 * CHUNK_ROWS), through_everything(many, 4_000_000)
    for name, peak in large.items():
        assert peak < small[name] + 1e6, name  # files are copied a mebibyte at a time
        assert peak < 10e6, name
    assert large["header"] < 200_000


def test_a_slow_reader_meets_a_quick_writer(tmp_path, shifts, monkeypatch):
    """Header and box are read at once: a record that is written in between does not tear them apart."""
    path = written(tmp_path / "k", shifts[:5000])
    honest, calls = FileBytes.read, []

    def late(self, start, length):
        calls.append(start)
        if len(calls) == 1:
            record_use(path, OPEN, DIGEST)
        return honest(self, start, length)

    monkeypatch.setattr(FileBytes, "read", late)
    key = read_key(path, OPEN)
    monkeypatch.undo()
    assert read_key_header(path).produced == DIGEST
    np.testing.assert_array_equal(key.material.shifts, shifts[:5000])
