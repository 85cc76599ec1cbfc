"""Private keys on disk: their owner's alone, replaced as a whole, never lost on the way."""

import os
import stat
from pathlib import Path

import pytest

from sfumato.errors import InvalidParameter, KeyRefused, UnreadableFile
from sfumato.keys.key_files import protect_key, read_key, read_key_header, write_key
from sfumato.keys.protection import Passphrase, Unprotected, new_key_pair
from sfumato.keys.sealed_files import (
    protect_private_key,
    protection_of_private_key,
    read_private_key,
    read_public_key,
    write_key_pair,
    write_private_key,
)
from sfumato.ladders import Ladder
from sfumato.sampling import InsecureSeeded

CHEAP = Passphrase("correct horse battery staple", memory_kib=8, passes=1, lanes=1)
NEW = Passphrase("another horse", memory_kib=16, passes=2, lanes=1)
OPEN = Unprotected()
KEYS = Ladder.within(size=5, epsilons=(2.0, 1.0), recover=True).draw_keys(300, InsecureSeeded(9))


def mode_of(path):
    return stat.S_IMODE(Path(path).stat().st_mode)


@pytest.fixture
def loose_umask():
    old = os.umask(0)
    yield
    os.umask(old)


def test_key_pairs_go_to_disk_and_come_back(tmp_path, loose_umask):
    private, public = new_key_pair()
    for protection, name in ((OPEN, "a.private"), (CHEAP, "b.private")):
        public_path = write_key_pair(private, tmp_path / name, protection)
        assert public_path == tmp_path / f"{name}.pub"
        assert mode_of(tmp_path / name) == 0o600
        assert mode_of(public_path) == 0o666
        assert read_private_key(tmp_path / name, protection).raw == private.raw
        assert read_public_key(public_path) == public
        for write in (write_key_pair, write_private_key):
            with pytest.raises(InvalidParameter, match="exists already"):
                write(private, tmp_path / name, OPEN)
    write_key(KEYS[1], tmp_path / "k", read_public_key(tmp_path / "a.private.pub"))
    read_key(tmp_path / "k", read_private_key(tmp_path / "a.private", OPEN))


@pytest.mark.parametrize(("old", "new"), [(CHEAP, NEW), (OPEN, NEW), (CHEAP, OPEN)], ids=["new", "first", "none"])
def test_protections_are_changed_in_place(tmp_path, loose_umask, old, new):
    private, public = new_key_pair()
    write_private_key(private, tmp_path / "own", old)
    write_key(KEYS[1].having_produced("ab" * 32), tmp_path / "key", old)
    protect_private_key(tmp_path / "own", old, new)
    protect_key(tmp_path / "key", old, new)
    assert read_private_key(tmp_path / "own", new).raw == private.raw
    assert read_key(tmp_path / "key", new).produced == "ab" * 32
    assert {mode_of(path) for path in tmp_path.iterdir()} == {0o600}
    assert len(list(tmp_path.iterdir())) == 2, "no lock and no copy is left"
    protect_key(tmp_path / "key", new, public)
    protect_key(tmp_path / "key", private, private)
    assert read_key_header(tmp_path / "key").protection == "private_key"
    assert read_key(tmp_path / "key", private).produced == "ab" * 32


def test_a_registrars_key_that_anyone_could_have_sealed_does_not_become_ones_own(tmp_path):
    private, public = new_key_pair()
    path = tmp_path / "key"
    write_key(KEYS[0], path, public)
    before = path.read_bytes()
    for own in (NEW, private):
        with pytest.raises(KeyRefused, match="whoever has that could have written it"):
            protect_key(path, private, own)
    assert path.read_bytes() == before
    protect_key(path, private, OPEN)
    for own in (NEW, private):
        with pytest.raises(KeyRefused, match="not protected, and nothing was said about that: anyone"):
            protect_key(path, None, own)
    protect_key(path, OPEN, NEW)
    assert read_key(path, NEW).level == 0


@pytest.mark.parametrize("act", [protect_private_key, protect_key])
def test_nothing_is_lost_when_it_fails(tmp_path, monkeypatch, act):
    """A wrong secret, a protection that is none, a full disk: the old file is as it was, and nothing lies beside it."""
    path = tmp_path / "file"
    if act is protect_key:
        write_key(KEYS[0], path, CHEAP)
    else:
        write_private_key(new_key_pair()[0], path, CHEAP)
    before = path.read_bytes()
    with pytest.raises(KeyRefused):
        act(path, NEW, NEW)
    with pytest.raises(KeyRefused):
        act(path, OPEN, NEW)
    with pytest.raises(InvalidParameter):
        act(path, CHEAP, "secret")

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InvalidParameter, match="No space left"):
        act(path, CHEAP, NEW)
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_what_a_private_key_needs_is_seen_without_it(tmp_path):
    private, _ = new_key_pair()
    write_private_key(private, tmp_path / "a", OPEN)
    write_private_key(private, tmp_path / "b", CHEAP)
    assert [protection_of_private_key(tmp_path / name) for name in "ab"] == ["none", "passphrase"]
    with pytest.raises(UnreadableFile, match="not exist"):
        protection_of_private_key(tmp_path / "c")
    for name in "ab":
        for reader in (read_private_key, protect_private_key):
            with pytest.raises((KeyRefused, InvalidParameter)) as caught:
                reader(*(tmp_path / name, NEW, NEW)[: 3 if reader is protect_private_key else 2])
            assert private.raw.hex() not in repr(caught.value)
