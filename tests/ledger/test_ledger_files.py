"""Files that are damaged, cut short, edited, foreign or half written: a sentence, or the very same account."""

import contextlib
import itertools
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from sfumato.errors import InvalidParameter, SfumatoError, UnknownSchema, UnreadableFile
from sfumato.ledger import Charges, Ledger, information, perfect_samples
from sfumato.ledger.accounts import Row
from sfumato.ledger.documents import Debited, Opened, Settled, chained, record_text
from sfumato.ledger.ledger import APPLICATION_ID, append


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    ledger = Ledger.create(tmp_path_factory.mktemp("made") / "whole.ledger", budget_bits=100, epsilon=3)
    for i in range(26):
        release = information(f"release {i}", Fraction(i, 7), epsilon=0, notes=["a note " * 20])
        receipt = ledger.spend(release, release_id=f"release {i}")
        if i % 3:
            ledger.settle(receipt)
    return ledger.path


@pytest.fixture
def whole(made, tmp_path):
    """A ledger of several pages, with every kind of record."""
    return Ledger(shutil.copy(made, tmp_path))


def account_of(path):
    """All that a ledger says, or the sentence with which it is refused; any other exception is a failure."""
    try:
        book = Ledger(path).read()
    except SfumatoError as error:
        return f"{type(error).__name__}: {error}"
    return book


def edit(path, *statements):
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def test_flipped_bytes(whole, tmp_path):
    """In a record or its digest: refused. Elsewhere: refused, or the very same account, where the byte is in no use."""
    edit(whole.path, "VACUUM")  # so that no page holds an old copy of a record
    data, good = whole.path.read_bytes(), account_of(whole.path)
    assert len(data) > 3 * 4096
    with contextlib.closing(sqlite3.connect(whole.path)) as connection:
        rows = [row.encode() for (row,) in connection.execute("SELECT text || digest FROM records")]
    used = {place for row in rows for place in range(data.index(row), data.index(row) + len(row))}
    dice = random.Random("flips")  # noqa: S311  seeded on purpose
    path = tmp_path / "flipped.ledger"
    for place in [*range(100), *dice.sample(range(len(data)), 200), *dice.sample(sorted(used), 100)]:
        changed = bytearray(data)
        changed[place] ^= dice.choice([1, 2, 3, 128, 255])
        path.write_bytes(changed)
        found = account_of(path)
        assert isinstance(found, str) or (found == good and place not in used), place
        for scrap in tmp_path.glob("flipped.ledger-*"):
            scrap.unlink()


def test_every_byte_of_a_record_is_guarded(whole, tmp_path):
    """A digit that is changed in the middle of a page, with no help from SQLite's own checks."""
    data = whole.path.read_bytes()
    path = tmp_path / "changed.ledger"
    for text in (b'"bits":"100"', b'"bits":"25/7"', b'"title":"release 3"', b'"number":2', b'"id":"'):
        place = data.index(text) + len(text) - 2
        path.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        assert "damaged or changed" in account_of(path), text


def test_cut_short(whole, tmp_path):
    data = whole.path.read_bytes()
    dice = random.Random("cuts")  # noqa: S311  seeded on purpose
    path = tmp_path / "cut.ledger"
    cuts = {1, 2, 15, 16, 99, 100, 101, 511, 512, 4095, 4096, 4097, len(data) - 4096, len(data) - 1}
    for cut in sorted(cuts | {dice.randrange(1, len(data)) for _ in range(100)}):
        path.write_bytes(data[:cut])
        assert str(account_of(path)).startswith("UnreadableFile: file "), cut
    path.write_bytes(data + b"\0" * 4096)
    assert account_of(path) == account_of(whole.path), "what follows the last page is not read"


EDITS = {
    "cheaper": "UPDATE records SET text = replace(text, '25/7', '1/7')",
    "higher limit": 'UPDATE records SET text = replace(text, \'"bits":"100"\', \'"bits":"900"\')',
    "one left out": "DELETE FROM records WHERE number = 5",
    "last left out": "DELETE FROM records WHERE number = (SELECT max(number) FROM records)",
    "all but the first left out": "DELETE FROM records WHERE number > 0",
    "nothing left": "DELETE FROM records",
    "one before the first": "INSERT INTO records VALUES (-1, '', '')",
    "one after the last": "INSERT INTO records SELECT 1000, text, digest FROM records WHERE number = 3",
    "two change places": "UPDATE records SET number = CASE number WHEN 2 THEN -2 WHEN 3 THEN -3 ELSE number END",
    "numbered otherwise": "UPDATE records SET number = 1000 WHERE number = (SELECT max(number) FROM records)",
    "a number for a text": "UPDATE records SET text = 5 WHERE number = 4",
    "bytes for a text": "UPDATE records SET text = x'ff00fe' WHERE number = 4",
    "text that is no text": "UPDATE records SET text = cast(x'fffefd' AS TEXT) WHERE number = 4",
    "a huge text": "UPDATE records SET text = hex(zeroblob(200000)) WHERE number = 4",
    "no digest": "UPDATE records SET digest = x'00' WHERE number = 4",
    "no head": "DELETE FROM head",
    "two heads": "INSERT INTO head VALUES (1, 2, 'x')",
    "another head": "UPDATE head SET count = count - 1",
    "a table more": "CREATE TABLE other (x)",
    "a trigger": "CREATE TRIGGER t AFTER INSERT ON records BEGIN DELETE FROM records; END",
    "a view for a table": "ALTER TABLE head RENAME TO head2",
    "a column more": "ALTER TABLE records ADD COLUMN x",
}


@pytest.mark.parametrize("name", EDITS)
def test_edited_by_hand(whole, name):
    edit(whole.path, EDITS[name])
    with pytest.raises(UnreadableFile, match="damaged or changed"):
        Ledger(whole.path)


TIME = "2026-01-01T00:00:00Z"
FORGED = {
    "an id twice": Debited(time=TIME, release_id="release 3", release=information("x", 0, epsilon=0)),
    "a second beginning": Opened(time=TIME, name="0" * 32, limits=Charges(bits=Fraction(9))),
    "what is no debit, settled": Settled(time=TIME, number=0),
    "what is not there, settled": Settled(time=TIME, number=999),
    "settled twice": Settled(time=TIME, number=2),
    "no time": Settled(time="yesterday", number=1),
    "more than the limit": Debited(time=TIME, release_id="x", release=information("x", 101, epsilon=0)),
    "no bound where there is a limit": Debited(time=TIME, release_id="x", release=information("x", 0)),
}


@pytest.mark.parametrize("name", FORGED)
def test_a_chain_that_holds_and_makes_no_sense(whole, name):
    with contextlib.closing(sqlite3.connect(whole.path, isolation_level=None)) as connection:
        append(connection, whole.read().row_for(FORGED[name]))
    with pytest.raises(UnreadableFile, match="damaged or changed"):
        Ledger(whole.path)


def test_a_chain_in_another_spelling(whole):
    book = whole.read()
    text = record_text(Settled(time=TIME, number=1)).replace(":1,", ": 1,")
    row = Row(number=book.count, text=text, digest=chained(book.digest, text))
    with contextlib.closing(sqlite3.connect(whole.path, isolation_level=None)) as connection:
        append(connection, row)
    with pytest.raises(UnreadableFile, match="damaged or changed"):
        Ledger(whole.path)


def test_rows_that_were_released_twice(tmp_path):
    ledger = Ledger.create(tmp_path / "l", budget_bits=1)
    release = perfect_samples("x", rows_id=["a", "b"], worst_case_bits=0)
    ledger.spend(release)
    with contextlib.closing(sqlite3.connect(ledger.path, isolation_level=None)) as connection:
        append(connection, ledger.read().row_for(Debited(time=TIME, release_id="y", release=release)))
    with pytest.raises(UnreadableFile, match="damaged or changed"):
        Ledger(ledger.path)


def test_a_page_that_could_still_be_read(whole):
    """SQLite miscounts the free bytes of a page: every record is there, and the next to be written might not be."""
    data = bytearray(whole.path.read_bytes())
    leaves = [page for page in range(4096, len(data), 4096) if data[page] == 13]
    data[leaves[-1] + 7] += 1
    whole.path.write_bytes(data)
    with pytest.raises(UnreadableFile, match="damaged or changed"):
        Ledger(whole.path)


def test_a_chain_that_holds_and_makes_sense(whole):
    """The same way of writing, to see that the forgeries are refused for what they say."""
    with contextlib.closing(sqlite3.connect(whole.path, isolation_level=None)) as connection:
        append(connection, whole.read().row_for(Settled(time=TIME, number=1)))
    assert Ledger(whole.path).entries()[0].settled == TIME


@pytest.mark.parametrize(
    "statement", ["PRAGMA user_version = 4", "PRAGMA user_version = 1", "PRAGMA user_version = -1"]
)
def test_another_version(whole, statement):
    edit(whole.path, statement)
    with pytest.raises(UnknownSchema, match=r"is a ledger of version -?\d, and this Sfumato knows versions 2 to 3"):
        Ledger(whole.path)


def test_another_journal(whole, tmp_path):
    """In WAL mode a copy of the file alone may lack debits that were acknowledged."""
    with contextlib.closing(sqlite3.connect(whole.path)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
    with pytest.raises(UnreadableFile, match="journal in another way"):
        Ledger(whole.path)


def test_files_that_are_something_else(tmp_path):
    (tmp_path / "empty").touch()
    (tmp_path / "folder").mkdir()
    (tmp_path / "text").write_text("bits: 2\n" * 1000)
    (tmp_path / "zeros").write_bytes(bytes(8192))
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    os.mkfifo(tmp_path / "pipe")
    edit(tmp_path / "foreign", "CREATE TABLE records (number INTEGER PRIMARY KEY, text TEXT, digest TEXT)")
    edit(
        tmp_path / "marked",
        f"PRAGMA application_id = {APPLICATION_ID}",
        "PRAGMA user_version = 2",
        "CREATE TABLE x (y)",
    )
    with (tmp_path / "large").open("wb") as stream:
        stream.truncate(2**28 + 1)
    sentences = {
        "missing": "does not exist",
        "empty": "is empty",
        "folder": "is a folder",
        "text": "is not a ledger",
        "zeros": "is not a ledger",
        "loop": "cannot be opened",
        "pipe": "pipe or a device",
        "foreign": "database of something else",
        "marked": "is not a ledger",
        "large": "at most",
        "text/inside": "cannot be opened",
        "nul\0": "a name that a file can have",
    }
    for name, sentence in sentences.items():
        with pytest.raises(UnreadableFile, match=sentence):
            Ledger(tmp_path / name)
    assert not (tmp_path / "missing").exists()


def test_a_ledger_that_may_only_be_read(whole):
    if os.geteuid() == 0:
        # Root may write anything; a file system that is read-only says the same.
        from sfumato.ledger.ledger import _sentence

        error = sqlite3.OperationalError("attempt to write a readonly database")
        error.sqlite_errorcode = sqlite3.SQLITE_READONLY
        assert "may not be written" in str(_sentence(error, whole.path, 1))
        return
    whole.path.chmod(0o400)
    assert Ledger(whole.path).entries()
    with pytest.raises(InvalidParameter, match="may not be written"):
        whole.spend(information("x", 0, epsilon=0))


@pytest.mark.parametrize("code", ["SQLITE_FULL", "SQLITE_IOERR"])
def test_a_full_or_broken_disk(whole, code, monkeypatch):
    def fail(*_):
        error = sqlite3.OperationalError("disk")
        error.sqlite_errorcode = getattr(sqlite3, code) | 3 << 8
        raise error

    monkeypatch.setattr("sfumato.ledger.ledger.append", fail)
    with pytest.raises(InvalidParameter, match=r"Release nothing.*not debited twice"):
        whole.spend(information("x", 0, epsilon=0))


KILLED = """
import os, signal, sys
from sfumato.ledger.ledger import append, read_book, writing
from sfumato.ledger.ledger import Ledger
from sfumato.ledger.releases import information
ledger = Ledger(sys.argv[1])
with writing(ledger.path, 1) as connection:
    connection.execute("PRAGMA cache_size = 1")  # so that pages are written before the end
    book = read_book(connection, ledger.read())
    for i in range(30):
        release = information(f"never {i}", 1, epsilon=0, notes=["x" * 500] * 20)
        row = book.debit(release, f"never {i}", "2026-01-01T00:00:00Z")
        append(connection, row)
        book = book.with_rows([(row.number, row.text, row.digest)])
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_kill_in_the_middle_of_a_transaction(whole, tmp_path):
    """The journal that it leaves undoes what was written; the file alone does not pass for a ledger."""
    before, data = account_of(whole.path), whole.path.read_bytes()
    done = subprocess.run([sys.executable, "-c", KILLED, whole.path], check=False, timeout=60)
    assert done.returncode == -signal.SIGKILL
    journal = Path(f"{whole.path}-journal")
    assert journal.exists()
    assert whole.path.read_bytes() != data, "the kill came after pages were written"
    alone = tmp_path / "alone.ledger"
    shutil.copy(whole.path, alone)
    assert "damaged or changed" in account_of(alone)
    both = tmp_path / "both.ledger"
    shutil.copy(whole.path, both)
    shutil.copy(journal, f"{both}-journal")
    for path in (both, whole.path):
        assert account_of(path) == before
        assert not Path(f"{path}-journal").exists()
        assert path.read_bytes() == data
    assert whole.spend(information("next", 1, epsilon=0)).number == before.count


def test_a_copy_made_while_pages_are_written(whole, tmp_path):
    """Any mixture of old and new pages: the account before, the account after, or refused."""
    old, before = whole.path.read_bytes(), account_of(whole.path)
    whole.spend(information("next", 1, epsilon=0, notes=["x" * 500] * 15))
    new, after = whole.path.read_bytes(), account_of(whole.path)
    page = 4096
    count = len(new) // page
    padded = old + bytes(len(new) - len(old))
    changed = [i for i in range(count) if padded[i * page : (i + 1) * page] != new[i * page : (i + 1) * page]]
    assert 3 <= len(changed) <= 8
    seen = {"before": 0, "after": 0, "refused": 0}
    path = tmp_path / "torn.ledger"
    for taken in itertools.chain.from_iterable(itertools.combinations(changed, k) for k in range(len(changed) + 1)):
        length = len(new) if any((i + 1) * page > len(old) for i in taken) else len(old)
        torn = bytearray(padded[:length])
        for i in taken:
            torn[i * page : (i + 1) * page] = new[i * page : (i + 1) * page]
        path.write_bytes(torn)
        found = account_of(path)
        assert isinstance(found, str) or found in (before, after), taken
        seen["refused" if isinstance(found, str) else "before" if found == before else "after"] += 1
    assert seen["before"] >= 1
    assert seen["after"] >= 1
    assert seen["refused"] > len(changed)


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
def test_an_acknowledgement_follows_the_last_flush(tmp_path):
    """A kill cannot tell whether the disk was waited for; the order of system calls can."""
    path = tmp_path / "l.ledger"
    code = (
        "import os, sys\n"
        "from sfumato.ledger.ledger import Ledger\n"
        "from sfumato.ledger.releases import information\n"
        "ledger = Ledger(sys.argv[1])\n"
        "os.write(1, b'BEGIN')\n"
        "ledger.spend(information('x', 1))\n"
        "os.write(1, b'ACKNOWLEDGED')\n"
    )
    Ledger.create(path, budget_bits=2)
    log = tmp_path / "calls"
    calls = "trace=fsync,fdatasync,unlink,unlinkat,write,pwrite64"
    done = subprocess.run(
        ["strace", "-y", "-e", calls, "-o", log, sys.executable, "-c", code, path],
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    if done.returncode != 0:
        pytest.skip(f"strace may not trace here: {done.stderr[-200:]}")
    lines = log.read_text().splitlines()
    begun = next(i for i, line in enumerate(lines) if "BEGIN" in line)
    ended = next(i for i, line in enumerate(lines) if "ACKNOWLEDGED" in line)
    between = lines[begun + 1 : ended]

    def places(call, name):
        return [i for i, line in enumerate(between) if line.startswith(call) and name in line]

    written = places("pwrite64", "l.ledger>")
    flushed = places(("fsync", "fdatasync"), "l.ledger>")
    deleted = places("unlink", "l.ledger-journal")
    folder = places(("fsync", "fdatasync"), f"<{tmp_path}>")
    journal = places(("fsync", "fdatasync"), "l.ledger-journal>")
    assert journal[0] < written[0], "the journal is on the disk before the file is touched"
    assert written[-1] < flushed[-1] < deleted[-1] < folder[-1], between
