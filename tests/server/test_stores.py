"""What both databases promise: once or not at all, the same again, and one moment in every snapshot."""

import hashlib
import threading
import time
from collections import Counter

import psycopg
import pytest

from server.databases import made_store
from sfumato.errors import UnknownSchema
from sfumato.server.postgres_store import PostgresStore
from sfumato.server.store_base import InResults, Invitation, Issue, Outcome, Spending, State, StoreFailed
from sfumato.study.collection import StoredRow

OPEN = State(fingerprint="f" * 64, mode="anonymous")


def row(number, **changes):
    digest = hashlib.sha256(f"id {number}".encode()).digest()
    credential = hashlib.sha256(f"credential {number}".encode()).digest()
    return StoredRow(**{"id": digest, "credential": credential, "row": b"\x01\x02", "shares": b"s" * 40} | changes)


@pytest.fixture
def opened(store):
    store.set_state(OPEN)
    return store


def test_a_report_is_kept_once_and_the_same_again_is_the_same(opened):
    assert opened.add([row(1), row(2)]) == [Outcome.NEW, Outcome.NEW]
    assert opened.add([row(1), row(3)]) == [Outcome.SAME, Outcome.NEW]
    assert opened.counts().reports == 3
    assert list(opened.snapshot()) == sorted((row(1), row(2), row(3)), key=lambda one: one.id)


def test_equal_rows_of_a_wave_that_are_shown_are_counted_together(opened):
    opened.add([row(number, row=bytes([number % 3])) for number in range(10)])
    assert opened.shown_counts(1) == []
    opened.withdraw(row(0).id)
    assert opened.close_wave().reports == 9
    assert sorted(opened.shown_counts(1)) == [(b"\x00", 3), (b"\x01", 3), (b"\x02", 3)]
    assert opened.shown_counts(2) == []


def test_a_withdrawn_report_leaves_the_views_with_the_next_batch(opened):
    """It is withdrawn at once, whoever asks; the views change when a batch does, and then nothing of it is kept."""
    opened.set_tally_reports(2)
    for number in range(4):
        opened.add([row(number)])
    opened.advance()
    assert {one.id for one in opened.shown_rows(1)} == {row(0).id, row(1).id}
    assert (opened.withdraw(row(0).id), opened.withdraw(row(0).id)) == (1, 0)
    assert opened.add([row(0)]) == [Outcome.WITHDRAWN]
    assert opened.counts().reports == 3
    assert {one.id for one in opened.shown_rows(1)} == {row(0).id, row(1).id}
    opened.add([row(4), row(5)])
    opened.advance()
    assert {one.id for one in opened.shown_rows(1)} == {row(number).id for number in (1, 2, 3)}
    assert row(0).id not in {one.id for one in opened.snapshot()}


def test_a_report_in_the_results_of_a_closed_study_is_not_withdrawn(opened):
    opened.add([row(number) for number in range(5)])
    opened.close_wave()
    names = [one.id for one in opened.shown_rows(1)]
    with pytest.raises(InResults, match="is row 3 of the results"):
        opened.withdraw(names[3])
    assert [one.id for one in opened.shown_rows(1)] == names
    assert (opened.counts().reports, opened.counts().withdrawn) == (5, 0)
    assert opened.withdraw(b"x" * 32) is None


def test_a_study_that_closes_with_few_reports_shows_all_with_a_sentence(opened):
    opened.add([row(number) for number in range(5)])
    assert "fewer than 50 reports" in opened.close_wave().note
    assert len(list(opened.shown_rows(1))) == 5


def test_rows_that_come_together_lie_in_no_order_of_arrival(store):
    """On a page of SQLite cells lie as they were written, and PostgreSQL numbers rows so."""
    store.set_state(OPEN)
    rows = sorted(
        (row(number, shares=bytes([number + 100]) * 40) for number in range(20)), key=lambda one: one.credential
    )
    assert store.add(rows) == [Outcome.NEW] * 20
    names = [one.id for one in sorted(rows, key=lambda one: one.id)]
    assert names != [one.id for one in rows]
    if isinstance(store, PostgresStore):
        with psycopg.connect(store.url) as reading:
            assert [one[0] for one in reading.execute("SELECT id FROM reports ORDER BY ctid")] == names
    else:
        store._fold_log()
        data = store.path.read_bytes()
        shares = [one.shares for one in sorted(rows, key=lambda one: one.id)]
        places = [data.index(one) for one in shares]
        assert places == sorted(places, reverse=True)  # a page is filled from its end


def test_copies_in_one_batch_are_counted_once(opened):
    assert sorted(opened.add([row(1)] * 5)) == [Outcome.NEW, *[Outcome.SAME] * 4]
    assert opened.counts().reports == 1


def test_what_does_not_fit_an_earlier_report_is_told_apart(opened):
    opened.add([row(1)])
    other = opened.add(
        [
            row(1, row=b"\x03\x04"),
            row(1, credential=b"c" * 32),
            row(2, credential=row(1).credential),
            row(3),
        ]
    )
    assert other == [Outcome.OTHER_BODY, Outcome.OTHER_BODY, Outcome.USED_CREDENTIAL, Outcome.NEW]
    assert opened.find([row(1).id, row(2).id, row(3).id], wave=1) == {row(1).id, row(3).id}


def test_two_bodies_of_one_id_in_one_batch_keep_the_first(opened):
    assert opened.add([row(1), row(1, row=b"\x03\x04")]) == [Outcome.NEW, Outcome.OTHER_BODY]
    assert [one.row for one in opened.snapshot()] == [b"\x01\x02"]


def test_one_credential_twice_in_one_batch_lets_one_in(opened):
    outcomes = opened.add([row(1), row(2, credential=row(1).credential)])
    assert sorted(outcomes) == [Outcome.NEW, Outcome.USED_CREDENTIAL]
    assert opened.counts().reports == 1


def test_a_closed_store_takes_nothing_new_and_still_knows_what_it_has(opened):
    opened.add([row(1)])
    opened.set_state(State(fingerprint="f" * 64, mode="anonymous", closed=True))
    assert opened.add([row(1), row(2)]) == [Outcome.SAME, Outcome.CLOSED]
    assert opened.state().closed


def test_a_withdrawn_report_is_gone_and_its_credential_lets_nobody_in_again(opened):
    opened.add([row(1), row(2)])
    assert opened.withdraw(row(1).id) == 1
    assert opened.withdraw(row(1).id) == 0  # a retry
    assert opened.withdraw(b"x" * 32) is None
    assert opened.add([row(1), row(5, credential=row(1).credential)]) == [Outcome.WITHDRAWN] * 2
    assert list(opened.snapshot()) == [row(2)]
    assert opened.counts().withdrawn == 1


def test_the_office_withdraws_a_pseudonym_in_every_wave(opened):
    opened.add([row(1, panel=b"p" * 16), row(2, panel=b"q" * 16)])
    opened.set_state(State(fingerprint="f" * 64, mode="panel", wave=2))
    second = row(1, panel=b"p" * 16, wave=2, credential=b"w" * 32)
    assert opened.add([second, row(9)]) == [Outcome.NEW, Outcome.CLOSED]  # the same id in another wave is another row
    assert [one.wave for one in opened.snapshot()] == [1, 1, 2]
    assert list(opened.snapshot(2)) == [second]
    assert opened.withdraw_panel(b"p" * 16) == 2
    assert [one.panel for one in opened.snapshot()] == [b"q" * 16]


def test_a_token_is_spent_once_and_the_same_request_gets_the_same_signature(opened):
    opened.invite([Invitation(token=b"t" * 32), Invitation(token=b"u" * 32)])
    first = Spending(token=b"t" * 32, blinded=b"b" * 32, signature=b"first")
    again = Spending(token=b"t" * 32, blinded=b"b" * 32, signature=b"second")
    other = Spending(token=b"t" * 32, blinded=b"c" * 32, signature=b"third")
    unknown = Spending(token=b"v" * 32, blinded=b"c" * 32, signature=b"fourth")
    found = opened.spend([first, again, other, unknown])
    assert [one.outcome for one in found] == [Issue.NEW, Issue.SAME, Issue.OTHER_NONCE, Issue.UNKNOWN_TOKEN]
    assert [one.signature for one in found] == [b"first", b"first", None, None]
    assert opened.spend([again])[0].signature == b"first"
    assert opened.invitation(b"t" * 32).signature == b"first"
    assert opened.invitation(b"u" * 32).signature is None
    assert opened.invitation(b"v" * 32) is None
    opened.set_state(State(fingerprint="f" * 64, mode="anonymous", closed=True))
    closed = opened.spend([again, Spending(token=b"u" * 32, blinded=b"c" * 32, signature=b"x")])
    assert [one.outcome for one in closed] == [Issue.SAME, Issue.CLOSED]
    assert opened.counts().spent == 1


def test_a_snapshot_is_one_moment_while_batches_go_in(opened):
    """Each transaction holds ten rows, so every snapshot holds all or none of each ten.

    The writer goes on until five snapshots of different sizes were seen: who is quicker does not matter.
    """
    enough, written = threading.Event(), []
    writing = opened.clone()

    def write():
        while not enough.is_set() and len(written) < 5000:
            batch = len(written)
            writing.add([row(10 * batch + one, row=batch.to_bytes(2, "big")) for one in range(10)])
            written.append(batch)

    thread = threading.Thread(target=write)
    thread.start()
    sizes = set()
    try:
        while len(sizes) < 5 and thread.is_alive():
            found = list(opened.snapshot())
            assert [one.id for one in found] == sorted(one.id for one in found)
            sizes.add(len(found))
            assert set(Counter(one.row for one in found).values()) <= {10}
    finally:
        enough.set()
        thread.join()
        writing.close()
    assert len(sizes) == 5
    assert opened.counts().reports == 10 * len(written)


def test_rows_of_many_threads_with_shared_credentials_are_each_counted_once(opened):
    """Deadlocks between writers end in turns, not in errors."""
    errors, new = [], []

    def write(part):
        mine = opened.clone()
        try:
            for batch in range(10):
                # The same credentials under other ids, in another order: what two writers can block each other with.
                rows = [row((part, batch, one), credential=row((batch, one)).credential) for one in range(20)]
                new.extend(mine.add(rows))
        except StoreFailed as error:
            errors.append(error)
        finally:
            mine.close()

    threads = [threading.Thread(target=write, args=(part,)) for part in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert new.count(Outcome.NEW) == 200
    assert new.count(Outcome.USED_CREDENTIAL) == 400
    assert opened.counts().reports == 200


def test_nothing_is_kept_where_a_batch_fails(opened):
    with pytest.raises(StoreFailed, match="database=") as found:
        opened.add([row(1), row(2, row=None)])
    assert "id" not in str(found.value).split("database")[0]
    assert opened.counts().reports == 0
    assert opened.add([row(1)]) == [Outcome.NEW]


def test_tables_are_made_once_and_newer_ones_are_refused(opened):
    opened.add([row(1)])
    opened.migrate()
    again = opened.clone()
    again.migrate()
    assert again.counts().reports == 1
    if hasattr(opened, "url"):
        opened._connection.execute("UPDATE sfumato_tables SET version = 99")
    else:
        opened._connection.execute("PRAGMA user_version=99")
    with pytest.raises(UnknownSchema, match="newer version"):
        again.migrate()
    again.close()


def test_a_store_without_a_study_takes_nothing(store):
    assert store.state() is None
    with pytest.raises(StoreFailed, match="was not opened for a study"):
        store.add([row(1)])


def test_no_row_is_told_by_its_repr():
    secret = row(1, row=b"canary", panel=b"canary")
    assert "canary" not in repr(secret)
    assert "t" * 5 not in repr(Invitation(token=b"t" * 32, panel=b"t" * 16))


def test_a_database_that_does_not_flush_is_refused(postgres):
    """And one that loses its connection says so without its password."""
    url = postgres().new_place()
    with psycopg.connect(postgres().url("postgres"), autocommit=True) as connection:
        connection.execute("ALTER SYSTEM SET fsync = off")
        connection.execute("SELECT pg_reload_conf()")
        try:
            with pytest.raises(StoreFailed, match="fsync=off"):
                _wait_for_refusal(url)
        finally:
            connection.execute("ALTER SYSTEM RESET fsync")
            connection.execute("SELECT pg_reload_conf()")
            while not _flushes(url):  # whoever comes next finds it as it was
                pass
    with pytest.raises(StoreFailed) as found:
        PostgresStore("postgresql://someone:canary@127.0.0.1:1/x")
    assert "canary" not in str(found.value)
    assert "someone" not in str(found.value)


def _wait_for_refusal(url):
    deadline = time.monotonic() + 30  # it reads its settings again when it gets to it
    while time.monotonic() < deadline:
        PostgresStore(url).close()


def _flushes(url):
    with psycopg.connect(url) as asked:
        return asked.execute("SHOW fsync").fetchone() == ("on",)


def test_deleted_rows_leave_no_bytes_in_the_file_of_sqlite(tmp_path):
    made = made_store("sqlite", tmp_path, None)
    made.set_state(OPEN)
    made.add([row(1, shares=b"canary" * 20), *(row(number) for number in range(2, 50))])
    assert _holds(tmp_path, b"canarycanary")
    made.withdraw(row(1).id)
    assert not _holds(tmp_path, b"canarycanary")
    made.close()


def _holds(folder, text):
    return any(text in path.read_bytes() for path in folder.iterdir())
