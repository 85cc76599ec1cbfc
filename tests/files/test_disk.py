"""Reading is bounded before it begins; writing is all or nothing."""

import contextlib
import os
import stat
import threading
from pathlib import Path

import pytest

from sfumato.certificates import read_samples
from sfumato.errors import InvalidInput, InvalidParameter, UnreadableFile
from sfumato.files.disk import DEFAULT_LIMIT_BYTES, create_atomically, read_bytes, write_atomically
from sfumato.prob import read_channel, read_prior


def test_bytes_come_back(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"\0abc")
    assert read_bytes(path, limit_bytes=4) == b"\0abc"


def test_one_byte_over_the_limit_is_refused(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"12345")
    with pytest.raises(
        UnreadableFile, match=r"holds 5 bytes and at most 4 are read. Raise `limit_bytes` if"
    ) as refusal:
        read_bytes(path, limit_bytes=4)
    assert str(path) in str(refusal.value)


@pytest.mark.parametrize("reader", [read_bytes, read_channel, read_prior, read_samples])
@pytest.mark.parametrize("extension", ["csv", "json", "parquet"])
def test_a_terabyte_is_refused_before_it_is_read(tmp_path, reader, extension):
    """The file is sparse: reading it would take minutes and all memory, refusing it takes a stat."""
    path = tmp_path / f"huge.{extension}"
    with path.open("wb") as stream:
        stream.truncate(2**40)
    with pytest.raises(UnreadableFile, match="limit_bytes"):
        reader(path)


def test_a_pipe_is_read_no_further_than_the_limit(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    written = []

    def pour():
        # The reader hangs up after the limit; without that, this would go on until memory is full.
        with contextlib.suppress(BrokenPipeError), path.open("wb", buffering=0) as stream:
            written.extend(stream.write(b"x" * 2**16) for _ in range(2**14))

    thread = threading.Thread(target=pour)
    thread.start()
    with pytest.raises(UnreadableFile, match="more than 131072 bytes"):
        read_bytes(path, limit_bytes=2**17)
    thread.join(timeout=30)
    assert not thread.is_alive()
    assert sum(written) < 2**20


@pytest.mark.parametrize("reader", [read_bytes, read_channel, read_prior, read_samples])
@pytest.mark.parametrize("extension", ["csv", "json", "parquet"])
def test_missing_empty_and_folder_are_told_apart(tmp_path, reader, extension):
    missing, empty, folder = (tmp_path / f"{name}.{extension}" for name in ("missing", "empty", "folder"))
    empty.touch()
    folder.mkdir()
    for path, sentence in ((missing, "does not exist"), (empty, "is empty"), (folder, "is a folder")):
        with pytest.raises(UnreadableFile, match=sentence) as refusal:
            reader(path)
        assert str(path) in str(refusal.value)


def test_a_file_that_may_not_be_read(tmp_path, monkeypatch):
    def deny(*_args, **_kwargs):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.open", deny)
    with pytest.raises(UnreadableFile, match="permissions"):
        read_bytes(tmp_path / "x")


@pytest.mark.parametrize("name", ["nul\0byte.csv", "n" * 5000 + ".csv"])
def test_names_that_no_file_can_have(name):
    with pytest.raises(InvalidInput, match="Check the name"):
        read_bytes(name)
    with pytest.raises(InvalidInput):
        write_atomically(name, "x")


def test_the_limit_is_64_mebibytes():
    assert DEFAULT_LIMIT_BYTES == 67_108_864


def test_write_replaces_the_whole_file_and_leaves_nothing_beside_it(tmp_path):
    path = tmp_path / "x"
    write_atomically(path, "a much longer text")
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("step", ["os.fsync", "pathlib.Path.replace", "os.fchmod"])
def test_a_failure_in_the_middle_leaves_the_old_file_and_no_other(tmp_path, monkeypatch, step):
    path = tmp_path / "x"
    path.write_text("old")

    def fail(*_args):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(step, fail)
        with pytest.raises(InvalidParameter, match=r"No space left on device.*untouched"):
            write_atomically(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_an_interrupt_in_the_middle_leaves_the_old_file_and_no_other(tmp_path, monkeypatch):
    path = tmp_path / "x"
    path.write_text("old")

    def interrupt(*_args):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", interrupt)
        with pytest.raises(KeyboardInterrupt):
            write_atomically(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_content_is_flushed_before_the_name_and_the_folder_after(tmp_path, monkeypatch):
    steps = []
    fsync, replace = os.fsync, type(tmp_path).replace
    monkeypatch.setattr("os.fsync", lambda fd: (steps.append(stat.S_IFMT(os.fstat(fd).st_mode)), fsync(fd))[1])
    monkeypatch.setattr("pathlib.Path.replace", lambda a, b: (steps.append("replace"), replace(a, b))[1])
    write_atomically(tmp_path / "x", "new")
    assert steps == [stat.S_IFREG, "replace", stat.S_IFDIR]


def test_a_folder_that_cannot_be_flushed_is_told(tmp_path, monkeypatch):
    fsync = os.fsync

    def fail_on_folders(descriptor):
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(5, "Input/output error")
        fsync(descriptor)

    monkeypatch.setattr("os.fsync", fail_on_folders)
    with pytest.raises(InvalidParameter, match="power failure"):
        write_atomically(tmp_path / "x", "new")


def test_a_missing_folder_and_a_folder_as_target(tmp_path):
    with pytest.raises(InvalidParameter, match="Create the folder first"):
        write_atomically(tmp_path / "no" / "x", "new")
    with pytest.raises(InvalidParameter, match="is a folder"):
        write_atomically(tmp_path, "new")
    (tmp_path / "file").write_text("old")
    with pytest.raises(InvalidParameter, match="folder"):
        write_atomically(tmp_path / "file" / "x", "new")


def test_a_folder_that_may_not_be_written(tmp_path, monkeypatch):
    def deny(*_args):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("os.open", deny)
    with pytest.raises(InvalidParameter, match="Choose another folder"):
        write_atomically(tmp_path / "x", "new")


def test_an_existing_file_keeps_its_mode_and_a_new_one_takes_the_umask(tmp_path):
    old = tmp_path / "old"
    old.touch()
    old.chmod(0o640)
    write_atomically(old, "new")
    assert stat.S_IMODE(old.stat().st_mode) == 0o640
    umask = os.umask(0o027)
    try:
        write_atomically(tmp_path / "new", "new")
    finally:
        os.umask(umask)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "target").write_text("old")
    (tmp_path / "link").symlink_to("target")
    write_atomically(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_text() == "new"


def test_a_device_is_written_to_and_not_replaced():
    write_atomically("/dev/null", "new")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_a_new_file_is_made_whole_and_never_over_another(tmp_path):
    path = tmp_path / "new"
    create_atomically(path, b"whole")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    for taken in (path, tmp_path / "dangling"):
        with pytest.raises(InvalidParameter, match="exists already, and is never overwritten") as refusal:
            create_atomically(taken, b"other")
        assert (refusal.value.parameter, refusal.value.value) == ("path", str(taken))
    assert path.read_bytes() == b"whole"
    assert sorted(found.name for found in tmp_path.iterdir()) == ["dangling", "new"]


def test_a_new_file_is_on_the_disk_before_it_has_its_name(tmp_path, monkeypatch):
    """A name that leads to bytes that a power failure may take back would be half a file."""
    done = []
    sync, link = os.fsync, os.link
    monkeypatch.setattr(os, "fsync", lambda descriptor: (done.append("fsync"), sync(descriptor))[1])
    monkeypatch.setattr(os, "link", lambda *names: (done.append("link"), link(*names))[1])
    create_atomically(tmp_path / "new", b"whole")
    assert done == ["fsync", "link", "fsync"], "the bytes, the name, the folder"
