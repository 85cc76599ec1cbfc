"""Key files are private, replaced as a whole, and used once, whichever process uses them."""

import json
import os
import stat
import subprocess
import sys
import textwrap
import threading
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from sfumato.errors import InvalidParameter, KeyRefused, KeyReused, UnreadableFile
from sfumato.files import staging as locks
from sfumato.files.disk import write_atomically
from sfumato.keys import key_files
from sfumato.keys.key_files import publish_with_files, read_key, read_key_header, record_use, write_key
from sfumato.keys.protection import Passphrase, Unprotected, new_key_pair
from sfumato.ladders import Binding, Ladder
from sfumato.ladders.key_operations import rotate_key
from sfumato.ladders.keys import _MADE, digest_of
from sfumato.mechanisms import BinaryHadamard
from sfumato.sampling import Guarantee, InsecureSeeded

LADDER = Ladder.within(size=5, epsilons=(2.0, 1.0), recover=True)
HADAMARD = Ladder(BinaryHadamard(size=6, odds=Fraction(3)), (2.0, 1.0, 0.5))
CHEAP = Passphrase("correct horse battery staple", memory_kib=8, passes=1, lanes=1)
BOUND = Binding(study="s", question="q", column="c", epoch=0)
VALUES = np.arange(300) % 5
OPEN = Unprotected()


def drawn(folder, protection=OPEN, *, ladder=LADDER, rows=300, guarantee=Guarantee.INFORMATION_THEORETIC, bits=None):
    keys = ladder.draw_keys(rows, bits, guarantee=guarantee, binding=BOUND)
    paths = {level: folder / f"level{level}.key" for level in keys}
    for level, key in keys.items():
        write_key(key, paths[level], protection)
    return paths


def mode_of(path):
    return stat.S_IMODE(Path(path).stat().st_mode)


@pytest.fixture
def loose_umask():
    old = os.umask(0)
    yield
    os.umask(old)


def test_a_private_file_is_its_owners_from_the_start(tmp_path, loose_umask, monkeypatch):
    seen = []
    honest = os.fsync

    def watch(descriptor):
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            seen.append(stat.S_IMODE(os.fstat(descriptor).st_mode))
        honest(descriptor)

    monkeypatch.setattr(os, "fsync", watch)
    write_atomically(tmp_path / "secret", b"x", private=True)
    write_atomically(tmp_path / "open", b"x")
    assert seen == [0o600, 0o666]
    assert mode_of(tmp_path / "secret") == 0o600
    assert mode_of(tmp_path / "open") == 0o666
    # What was open to others before is not any more; what the owner had, the owner keeps.
    write_atomically(tmp_path / "open", b"y", private=True)
    assert mode_of(tmp_path / "open") == 0o600
    (tmp_path / "readonly").write_bytes(b"x")
    (tmp_path / "readonly").chmod(0o444)
    write_atomically(tmp_path / "readonly", b"y", private=True)
    assert mode_of(tmp_path / "readonly") == 0o400


@pytest.mark.parametrize("protection", [CHEAP, OPEN], ids=["passphrase", "none"])
def test_keys_go_to_disk_and_come_back(tmp_path, protection, loose_umask):
    key = LADDER.draw_keys(300, InsecureSeeded(9), binding=BOUND)[1]
    path = tmp_path / "level1.key"
    write_key(key, path, protection)
    assert mode_of(path) == 0o600
    assert [found.name for found in tmp_path.iterdir()] == ["level1.key"]
    np.testing.assert_array_equal(read_key(path, protection).material.shifts, key.material.shifts)
    header = read_key_header(path)
    assert (header.binding, header.level, header.total) == (BOUND, 1, 300)


def test_a_key_is_not_overwritten_unless_told(tmp_path):
    key = LADDER.draw_keys(300, InsecureSeeded(9), binding=BOUND)[1]
    path = tmp_path / "k"
    write_key(key, path, OPEN)
    before = path.read_bytes()
    with pytest.raises(InvalidParameter, match="exists already"):
        write_key(key, path, CHEAP)
    assert path.read_bytes() == before
    write_key(key, path, CHEAP, overwrite=True)
    assert read_key_header(path).protection == "passphrase"
    dangling = tmp_path / "link"
    dangling.symlink_to(tmp_path / "nowhere")
    with pytest.raises(InvalidParameter, match="exists already"):
        write_key(key, dangling, OPEN)


def test_places_that_cannot_be_written(tmp_path):
    key = LADDER.draw_keys(300, InsecureSeeded(9))[1]
    with pytest.raises(InvalidParameter, match="does not exist"):
        write_key(key, tmp_path / "no" / "k", OPEN)
    with pytest.raises(InvalidParameter, match="exists already"):
        write_key(key, tmp_path, OPEN)
    with pytest.raises(UnreadableFile, match="does not exist"):
        read_key(tmp_path / "k", OPEN)


def test_use_is_recorded_in_the_file(tmp_path):
    private, public = new_key_pair()
    sealed = [(CHEAP, Passphrase(CHEAP.text)), (public, private), (private, private), (OPEN, OPEN)]
    for number, (protection, unlock) in enumerate(sealed):
        path = tmp_path / f"{number}.key"
        write_key(LADDER.draw_keys(300, InsecureSeeded(9))[0], path, protection)
        before = read_key_header(path)
        assert record_use(path, unlock, "ab" * 32).produced == "ab" * 32
        first = path.read_bytes()
        after = read_key_header(path)
        assert after.produced == "ab" * 32
        assert replace(after, produced=None, lock=before.lock) == before
        assert after.protection == before.protection
        if protection is CHEAP:  # the cost of the file, not that of the secret handed in; salt and nonce are new
            assert (after.lock.memory_kib, after.lock.passes) == (8, 1)
            assert after.lock.nonce != before.lock.nonce
            assert after.lock.salt != before.lock.salt
        record_use(path, unlock, "ab" * 32)
        assert path.read_bytes() == first
        with pytest.raises(KeyReused, match="already made other reports"):
            record_use(path, unlock, "cd" * 32)
        assert path.read_bytes() == first
        assert mode_of(path) == 0o600
    assert len(list(tmp_path.iterdir())) == 4  # no lock is left


def test_a_key_that_was_exchanged_meanwhile_is_not_used(tmp_path):
    path = drawn(tmp_path)[0]
    with pytest.raises(KeyRefused, match="replaced while it was in use"):
        record_use(path, OPEN, "ab" * 32, drawing="0" * 32)
    assert read_key_header(path).produced is None


WORKER = """
import sys
from sfumato.errors import KeyReused
from sfumato.keys.key_files import record_use
from sfumato.keys.protection import Passphrase, Unprotected
unlock = Passphrase(sys.argv[1], memory_kib=8, passes=1, lanes=1) if len(sys.argv) > 1 else Unprotected()
print("ready", flush=True)
for line in sys.stdin:
    path, digest = line.split()
    try:
        print("won" if record_use(path, unlock, digest).produced == digest else "?", flush=True)
    except KeyReused:
        print("lost", flush=True)
"""


def start(*arguments):
    worker = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", WORKER, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert worker.stdout.readline() == "ready\n"
    return worker


def test_of_two_processes_exactly_one_wins(tmp_path):
    workers = [start(CHEAP.text) for _ in range(2)]
    try:
        for turn in range(10):
            path = tmp_path / f"{turn}.key"
            write_key(LADDER.draw_keys(5000, InsecureSeeded(turn))[0], path, CHEAP)
            digests = ["ab" * 32, "cd" * 32]
            for worker, digest in zip(workers, digests, strict=True):
                worker.stdin.write(f"{path} {digest}\n")
            gate = threading.Barrier(2)
            threads = [threading.Thread(target=_flush_at, args=(gate, worker)) for worker in workers]
            for thread in threads:
                thread.start()
            said = [worker.stdout.readline().strip() for worker in workers]
            for thread in threads:
                thread.join()
            assert sorted(said) == ["lost", "won"]
            assert read_key(path, CHEAP).produced == digests[said.index("won")]
    finally:
        for worker in workers:
            worker.stdin.close()
            worker.wait(timeout=30)
            worker.stdout.close()
    assert len(list(tmp_path.iterdir())) == 10


def _flush_at(gate, worker):
    gate.wait()
    worker.stdin.flush()


@pytest.mark.parametrize(("fatal", "recorded"), [(1, False), (2, True)])
def test_killed_in_between_the_file_is_the_old_or_the_new_one(tmp_path, fatal, recorded):
    """The process kills itself at its first flush, before the new file takes its place, or at its second, after."""
    path = drawn(tmp_path)[0]
    before = path.read_bytes()
    program = f"""
        import os, signal
        from sfumato.keys.key_files import record_use
        from sfumato.keys.protection import Unprotected
        flushes = 0
        def fsync(descriptor):
            global flushes
            flushes += 1
            if flushes == {fatal}:
                os.kill(os.getpid(), signal.SIGKILL)
        os.fsync = fsync
        record_use({str(path)!r}, Unprotected(), "ab" * 32)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], check=False, timeout=60)
    assert done.returncode == -9
    assert (path.read_bytes() == before) is not recorded
    assert read_key(path, OPEN).produced == ("ab" * 32 if recorded else None)
    # The lock died with its holder, although its file is still there.
    assert (tmp_path / ".level0.key.lock").exists()
    record_use(path, OPEN, "ab" * 32)
    assert not (tmp_path / ".level0.key.lock").exists()


def test_threads_take_turns(tmp_path):
    path = drawn(tmp_path)[0]
    won, lost = [], []

    def race(digest):
        try:
            won.append(record_use(path, OPEN, digest).produced)
        except KeyReused:
            lost.append(digest)

    threads = [threading.Thread(target=race, args=(f"{number:064x}",)) for number in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(won) == 1
    assert len(lost) == 7
    assert read_key_header(path).produced == won[0]


def test_a_lock_whose_name_is_gone_is_no_lock(tmp_path, monkeypatch):
    """Its holder took the name away between our opening and our locking; another process may hold the new one."""
    lock = tmp_path / ".k.lock"
    honest, calls = locks.fcntl.flock, []

    def late(descriptor, how):
        calls.append(descriptor)
        if len(calls) <= 2:
            lock.unlink()
        if len(calls) == 2:
            lock.touch()
        honest(descriptor, how)

    monkeypatch.setattr(locks.fcntl, "flock", late)
    descriptor = locks._take(lock)
    assert len(calls) == 3
    assert os.path.samestat(os.fstat(descriptor), lock.stat())
    os.close(descriptor)


@pytest.mark.parametrize("name", ["a\0b", "x" * 300])
def test_names_that_no_file_has(tmp_path, name):
    with pytest.raises(InvalidParameter, match="path"):
        write_key(LADDER.draw_keys(3, InsecureSeeded(9))[1], tmp_path / name, OPEN)
    with pytest.raises((InvalidParameter, UnreadableFile)):
        record_use(tmp_path / name, OPEN, "ab" * 32)


def test_a_file_that_is_not_there_cannot_be_used(tmp_path):
    with pytest.raises(UnreadableFile, match="does not exist"):
        record_use(tmp_path / "k", OPEN, "ab" * 32)
    assert list(tmp_path.iterdir()) == []


def test_without_locks_of_the_system_a_file_serves(tmp_path, monkeypatch):
    monkeypatch.setattr(locks, "_HAS_LOCKS", False)
    test_threads_take_turns(tmp_path)
    path = tmp_path / "level0.key"
    (tmp_path / ".level0.key.lock").touch()
    monkeypatch.setattr(locks, "_PATIENCE_SECONDS", 0.1)
    with pytest.raises(InvalidParameter, match="if it was killed, delete that file"):
        record_use(path, OPEN, "ab" * 32)


def test_two_names_of_one_file_share_its_record(tmp_path):
    path = drawn(tmp_path)[0]
    (tmp_path / "other").symlink_to(path)
    record_use(tmp_path / "other", OPEN, "ab" * 32)
    with pytest.raises(KeyReused):
        record_use(path, OPEN, "cd" * 32)
    assert (tmp_path / "other").is_symlink()


@pytest.mark.parametrize("guarantee", [Guarantee.INFORMATION_THEORETIC, Guarantee.COMPUTATIONAL])
@pytest.mark.parametrize("ladder", [LADDER, HADAMARD], ids=["cyclic", "hadamard"])
def test_publishing_under_files(tmp_path, ladder, guarantee):
    paths = drawn(tmp_path, CHEAP, ladder=ladder, guarantee=guarantee)
    made = publish_with_files(ladder, VALUES, paths, CHEAP, BOUND)
    assert {read_key_header(path).produced for path in paths.values()} == {digest_of(made.reports)}
    for level in range(1, len(ladder.levels)):
        seen = ladder.open(made.reports, read_key(paths[level], CHEAP))
        np.testing.assert_array_equal(seen.reports, ladder.open(made.reports, made.keys[level]).reports)
    if ladder.recover_answers:
        np.testing.assert_array_equal(ladder.recover(made.reports, read_key(paths[0], CHEAP)), VALUES)
    # The same again is no reuse; anything else is, even when this process forgot.
    again = publish_with_files(ladder, VALUES, paths, CHEAP, BOUND)
    np.testing.assert_array_equal(again.reports, made.reports)
    _MADE.clear()
    with pytest.raises(KeyReused):
        publish_with_files(ladder, (VALUES + 1) % 5, paths, CHEAP, BOUND)


def test_each_level_may_have_its_own_secret(tmp_path):
    private, public = new_key_pair()
    keys = LADDER.draw_keys(300, binding=BOUND)
    paths = {0: tmp_path / "0", 1: tmp_path / "1"}
    write_key(keys[0], paths[0], CHEAP)
    write_key(keys[1], paths[1], public)
    made = publish_with_files(LADDER, VALUES, paths, {0: CHEAP, 1: private}, BOUND)
    assert read_key_header(paths[1]).produced == digest_of(made.reports)
    with pytest.raises(InvalidParameter, match="a secret for every level"):
        publish_with_files(LADDER, VALUES, paths, {0: CHEAP}, BOUND)


@pytest.mark.parametrize(
    ("other", "words"),
    [
        ({"study": "s2"}, "another study"),
        ({"question": "q2"}, "another question"),
        ({"column": "c2"}, "another column"),
        ({"epoch": 1}, "another epoch"),
        ({"study": "s2", "epoch": 1}, "another study and another epoch"),
    ],
)
def test_keys_of_something_else_are_refused_by_what_differs(tmp_path, other, words):
    paths = drawn(tmp_path)
    with pytest.raises(KeyRefused, match=f"drawn for {words}. Use the key") as caught:
        publish_with_files(LADDER, VALUES, paths, OPEN, replace(BOUND, **other))
    assert "s2" not in str(caught.value)
    assert read_key_header(paths[0]).produced is None


def test_keys_that_do_not_belong_together(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    one, two = drawn(tmp_path / "a"), drawn(tmp_path / "b")
    with pytest.raises(KeyRefused, match="not of one drawing, each at its level"):
        publish_with_files(LADDER, VALUES, {0: one[0], 1: two[1]}, OPEN, BOUND)
    with pytest.raises(KeyRefused, match="not of one drawing, each at its level"):
        publish_with_files(LADDER, VALUES, {0: one[1], 1: one[0]}, OPEN, BOUND)
    with pytest.raises(KeyRefused, match="for 300 rows, and there are 299 values"):
        publish_with_files(LADDER, VALUES[:-1], one, OPEN, BOUND)
    with pytest.raises(KeyRefused, match="another ladder"):
        publish_with_files(HADAMARD, VALUES, one, OPEN, BOUND)
    with pytest.raises(InvalidParameter, match="key file of level 0"):
        publish_with_files(LADDER, VALUES, {1: one[1]}, OPEN, BOUND)
    assert read_key_header(one[0]).produced is None


def test_an_interrupted_publication_is_finished_by_the_same_values_only(tmp_path, monkeypatch):
    paths = drawn(tmp_path)
    honest = key_files.record_use

    def stop_after_the_first(path, *arguments, **options):
        if path != paths[0]:
            raise KeyboardInterrupt
        return honest(path, *arguments, **options)

    monkeypatch.setattr(key_files, "record_use", stop_after_the_first)
    with pytest.raises(KeyboardInterrupt):
        publish_with_files(LADDER, VALUES, paths, OPEN, BOUND)
    monkeypatch.undo()
    # Level 0 is claimed first, so nothing was handed out without a record.
    assert read_key_header(paths[0]).produced is not None
    assert read_key_header(paths[1]).produced is None
    _MADE.clear()
    with pytest.raises(KeyReused):
        publish_with_files(LADDER, VALUES[::-1], paths, OPEN, BOUND)
    made = publish_with_files(LADDER, VALUES, paths, OPEN, BOUND)
    assert read_key_header(paths[1]).produced == digest_of(made.reports)


def test_an_old_copy_of_level_0_is_caught_by_the_other_levels(tmp_path):
    paths = drawn(tmp_path)
    old = paths[0].read_bytes()
    publish_with_files(LADDER, VALUES, paths, OPEN, BOUND)
    paths[0].write_bytes(old)
    _MADE.clear()
    with pytest.raises(KeyReused):
        publish_with_files(LADDER, VALUES[::-1], paths, OPEN, BOUND)


def test_processes_with_different_values_publish_once(tmp_path):
    """Two processes publish different answers under one set of files: one of them gets reports."""
    paths = drawn(tmp_path)
    program = """
        import json, sys
        import numpy as np
        from sfumato.errors import KeyReused
        from sfumato.keys.key_files import publish_with_files
        from sfumato.ladders import Binding, Ladder
        from sfumato.keys.protection import Unprotected
        from sfumato.ladders.keys import digest_of
        ladder = Ladder.within(size=5, epsilons=(2.0, 1.0), recover=True)
        given = json.loads(sys.argv[1])
        try:
            made = publish_with_files(
                ladder, (np.arange(300) + given["shift"]) % 5, {0: given["paths"][0], 1: given["paths"][1]},
                Unprotected(), Binding(study="s", question="q", column="c"),
            )
            print(digest_of(made.reports))
        except KeyReused:
            print("reused")
    """
    runs = [
        subprocess.Popen(
            [
                sys.executable,
                "-c",
                textwrap.dedent(program),
                json.dumps({"shift": shift, "paths": [str(paths[0]), str(paths[1])]}),
            ],
            stdout=subprocess.PIPE,
            text=True,
        )
        for shift in (0, 1)
    ]
    said = [run.communicate(timeout=120)[0].strip() for run in runs]
    assert said.count("reused") == 1
    assert read_key_header(paths[0]).produced in said


def test_rotated_files_publish_the_next_epoch(tmp_path):
    paths = drawn(tmp_path, guarantee=Guarantee.COMPUTATIONAL)
    publish_with_files(LADDER, VALUES, paths, OPEN, BOUND)
    later = {}
    for level, path in paths.items():  # each holder alone
        later[level] = tmp_path / f"epoch1-level{level}.key"
        write_key(rotate_key(read_key(path, OPEN)), later[level], OPEN)
    changed = VALUES[::-1].copy()
    made = publish_with_files(LADDER, changed, later, OPEN, replace(BOUND, epoch=1))
    np.testing.assert_array_equal(LADDER.recover(made.reports, read_key(later[0], OPEN)), changed)
    with pytest.raises(KeyRefused, match="another epoch"):
        publish_with_files(LADDER, changed, later, OPEN, BOUND)


def test_no_refusal_shows_a_secret(tmp_path):
    paths = drawn(tmp_path, CHEAP, guarantee=Guarantee.COMPUTATIONAL)
    secret = read_key(paths[0], CHEAP).material.secret
    wrong = Passphrase("tr0ub4dor", memory_kib=8, passes=1, lanes=1)
    said = []
    for act in (
        lambda: read_key(paths[0], wrong),
        lambda: record_use(paths[0], wrong, "ab" * 32),
        lambda: publish_with_files(LADDER, VALUES, paths, wrong, BOUND),
        lambda: publish_with_files(LADDER, VALUES, paths, CHEAP, replace(BOUND, study="x")),
        lambda: (record_use(paths[0], CHEAP, "ab" * 32), record_use(paths[0], CHEAP, "cd" * 32)),
    ):
        with pytest.raises((KeyRefused, KeyReused)) as caught:
            act()
        said += [str(caught.value), repr(caught.value)]
    for hidden in (CHEAP.text, wrong.text, secret.hex(), repr(secret)[2:-1], "ab" * 32, "cd" * 32):
        assert not any(hidden in text for text in said)
