"""Withdrawal removes the row everywhere: the raw files are searched for its bytes, before and after."""

import secrets
from contextlib import suppress

import psycopg
import pytest

from server.databases import KINDS, made_store
from sfumato.server.store_base import State
from sfumato.study.collection import StoredRow

PEOPLE = 60


def people(count):
    return [
        StoredRow(
            id=secrets.token_bytes(32),
            credential=secrets.token_bytes(32),
            row=secrets.token_bytes(40),
            shares=secrets.token_bytes(200),
            panel=secrets.token_bytes(16),
        )
        for _ in range(count)
    ]


@pytest.fixture(params=KINDS)
def kept(request, tmp_path, postgres):
    """A store with rows that can be recognised in raw bytes, and what reads all files in which they could be."""
    kind = request.param
    store = made_store(kind, tmp_path, postgres)
    store.set_state(State(fingerprint="f", mode="panel"))
    rows = people(PEOPLE)
    for start in range(0, PEOPLE, 7):
        store.add(rows[start : start + 7])

    def files():
        if kind == "sqlite":
            return {path.name: path.read_bytes() for path in sorted(tmp_path.iterdir()) if path.is_file()}
        with psycopg.connect(store.url, autocommit=True) as found:
            found.execute("CHECKPOINT")
        return files_of(postgres().data / "base")

    yield store, rows, files, kind
    store.close()


def files_of(folder):
    held = {}
    for path in sorted(folder.rglob("*")):
        with suppress(IsADirectoryError, FileNotFoundError):  # what the database removed just now
            held[str(path)] = path.read_bytes()
    return held


def found_in(files, value):
    return {name for name, data in files.items() if value in data}


def parts(row):
    return {"row": row.row, "shares": row.shares[:100], "panel": row.panel}


def test_what_is_withdrawn_is_in_no_file_once_the_database_is_written_anew(kept):
    """Before, each part is found: the search can find. Another row is found all the time."""
    store, rows, files, kind = kept
    gone, stays = rows[5], rows[6]
    before = files()
    for name, value in parts(gone).items():
        assert found_in(before, value), name
    assert store.withdraw(gone.id) == 1
    if kind == "sqlite":  # at once: what is deleted is overwritten, and the log is emptied
        assert not any(found_in(files(), value) for value in parts(gone).values())
    else:  # a dead row lies on its page until somebody cleans up
        assert found_in(files(), gone.row)
    store.compact()
    after = files()
    for name, value in parts(gone).items():
        assert not found_in(after, value), name
    for name, value in parts(stays).items():
        assert found_in(after, value), name
    # It stays withdrawn: of it only its name and the hash of what let it in are kept.
    assert found_in(after, gone.credential)
    assert store.add([gone]) == ["withdrawn"]
    assert {one.id for one in store.snapshot()} == {one.id for one in rows} - {gone.id}


def test_a_report_that_readers_see_is_overwritten_with_the_next_batch(kept):
    store, rows, files, kind = kept
    store.set_tally_reports(20)
    store.add(people(20))
    store.advance()
    gone = next(row for row in rows if row.id == next(store.shown_rows(1)).id)
    assert store.withdraw(gone.id) == 1
    assert all(found_in(files(), value) for value in parts(gone).values())  # all readers see it until the views change
    store.add(people(20))
    store.advance()
    assert gone.id not in {one.id for one in store.shown_rows(1)}
    if kind == "postgresql":
        store.compact()
    assert not any(found_in(files(), value) for value in parts(gone).values())


def test_a_person_of_a_panel_is_removed_as_a_whole(kept):
    store, rows, files, _ = kept
    assert store.withdraw_panel(rows[3].panel) == 1
    store.compact()
    assert not any(found_in(files(), value) for value in parts(rows[3]).values())


def test_vacuum_removes_a_dead_row_from_the_pages_too(tmp_path, postgres):
    """What an office with PostgreSQL may do by itself; the write-ahead log keeps the row until it is recycled."""
    store = made_store("postgresql", tmp_path, postgres)
    store.set_state(State(fingerprint="f", mode="anonymous"))
    row = StoredRow(
        id=secrets.token_bytes(32),
        credential=secrets.token_bytes(32),
        row=secrets.token_bytes(40),
        shares=secrets.token_bytes(200),
    )
    store.add([row])
    store.withdraw(row.id)
    with psycopg.connect(store.url, autocommit=True) as found:
        found.execute("VACUUM (FULL) reports")
        found.execute("CHECKPOINT")
    held = files_of(postgres().data / "base")
    assert not found_in(held, row.shares)
    log = {path.name: path.read_bytes() for path in (postgres().data / "pg_wal").glob("0*")}
    assert found_in(log, row.shares[:32])
    store.close()


def test_an_export_after_it_has_neither_row_nor_share(tmp_path):
    """The tally and the export are made from the rows that are there."""
    from collected_studies import homes
    from sfumato.study.collection import collection_of
    from sfumato.workflows.collecting import export_part
    from sfumato.workflows.responding import respond_all

    of = collection_of(homes(tmp_path), tmp_path)
    store = made_store("sqlite", tmp_path, None)
    store.set_state(State(fingerprint=of.fingerprint, mode="anonymous"))
    sent = respond_all(of, [{"place": "south", "moved": "yes", "sold": "no"}] * 20)
    for one in sent:
        shares = of.join_shares(one.shares)
        store.add([StoredRow(id=one.id, credential=secrets.token_bytes(32), row=one.row, shares=shares)])
    export_part(of, store.snapshot(1), tmp_path / "before")
    store.withdraw(sent[0].id)
    made = export_part(of, store.snapshot(1), tmp_path / "after")
    assert made.rows == store.counts().reports == 19

    def ids(folder):
        import pyarrow.parquet as pq

        return set(pq.read_table(tmp_path / folder / "shares-ministry.parquet")["id"].to_pylist())

    assert ids("before") - ids("after") == {sent[0].id}
    bodies = {path.name: path.read_bytes() for path in (tmp_path / "after").iterdir()}
    assert not any(found_in(bodies, body) for body in sent[0].shares.values())
    store.close()
