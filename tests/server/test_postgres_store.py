"""What PostgreSQL alone can do to a batch: stand in its own way, and wait at the door. Provoked in a real one."""

import threading
from dataclasses import replace

import psycopg
import pytest

from server.databases import made_store
from server.test_stores import OPEN, row
from sfumato.server.postgres_store import _ALONE, Conflicting, PostgresStore
from sfumato.server.store_base import Outcome, StoreFailed

_HALFWAY = 19


def _halting(postgres, batches):
    """A store of PostgreSQL in which the second row of a batch goes in when a lock is let go, as `_together` does."""
    place = postgres().new_place()
    made = PostgresStore(f"{place}%20-cdeadlock_timeout%3D50ms")
    made.migrate()
    made.set_state(OPEN)
    made._connection.execute(
        "CREATE FUNCTION halt() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN PERFORM pg_advisory_xact_lock_shared({_HALFWAY}); RETURN NEW; END $$"
    )
    second = ", ".join(f"'\\x{batch[1].id.hex()}'::bytea" for batch in batches)
    made._connection.execute(
        f"CREATE TRIGGER halting BEFORE INSERT ON reports FOR EACH ROW WHEN (NEW.id IN ({second})) "
        "EXECUTE FUNCTION halt()"
    )
    return made


def _crosswise():
    """Two batches with the same two credentials, taken in the opposite order: sorting by id does not help."""
    low, high = sorted((row(1), row(2)), key=lambda one: one.id)
    other_low, other_high = sorted((row(3), row(4)), key=lambda one: one.id)
    return (
        [replace(low, credential=b"a" * 32), replace(high, credential=b"b" * 32)],
        [replace(other_low, credential=b"b" * 32), replace(other_high, credential=b"a" * 32)],
    )


def _together(stores, batches):
    """Let two batches go in at once: each goes on when both have their first row in."""
    found = [None, None]

    def write(number):
        try:
            found[number] = stores[number].add(batches[number])
        except StoreFailed as error:
            found[number] = error

    threads = [threading.Thread(target=write, args=(number,)) for number in range(2)]
    halted = f"SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = {_HALFWAY} AND NOT granted"  # noqa: S608  # noqa: S608
    with psycopg.connect(stores[0].url) as holding:
        holding.execute(f"SELECT pg_advisory_xact_lock({_HALFWAY})")
        for thread in threads:
            thread.start()
        while holding.execute(halted).fetchone() != (2,):
            assert all(thread.is_alive() for thread in threads)
    for thread in threads:
        thread.join()
    return found


def test_two_writers_in_a_deadlock_take_turns(postgres, monkeypatch):
    """PostgreSQL undoes one of the two; it is written again, and each credential lets one report in."""
    batches = _crosswise()
    first = _halting(postgres, batches)
    stores = (first, first.clone())
    undone = []
    noted = Conflicting.__init__

    def note(self, *given, **named):
        undone.append(str(given[0]))
        noted(self, *given, **named)

    monkeypatch.setattr(Conflicting, "__init__", note)
    outcomes = _together(stores, batches)
    assert any("DeadlockDetected" in one for one in undone)
    assert sorted(one for batch in outcomes for one in batch) == [
        *[Outcome.NEW] * 2,
        *[Outcome.USED_CREDENTIAL] * 2,
    ]
    assert {one.credential for one in first.snapshot()} == {b"a" * 32, b"b" * 32}
    for store in stores:
        store.close()


def test_without_turns_a_deadlock_is_an_error(postgres, monkeypatch):
    """The control: what the test above provokes is a deadlock, and somebody must write again."""
    batches = _crosswise()
    first = _halting(postgres, batches)
    stores = (first, first.clone())
    monkeypatch.setattr("sfumato.server.postgres_store._TURNS", 1)
    outcomes = _together(stores, batches)
    (failed,) = [one for one in outcomes if isinstance(one, StoreFailed)]
    assert "DeadlockDetected" in str(failed)
    assert first.counts().reports == 2  # all of one batch, nothing of the other
    for store in stores:
        store.close()


def test_a_transaction_that_cannot_be_serialised_is_done_again_and_not_for_ever(postgres):
    """Raised in the database itself, as it would be under a stricter isolation; five times is a failure."""
    store = made_store("postgresql", None, postgres)
    store.set_state(OPEN)
    run = store._connection.execute
    run("CREATE SEQUENCE refusals")
    run(
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF nextval('refusals') <= 4 THEN "
        "RAISE EXCEPTION 'no' USING ERRCODE = 'serialization_failure'; END IF; RETURN NEW; END $$"
    )
    run("CREATE TRIGGER refusing BEFORE INSERT ON reports FOR EACH STATEMENT EXECUTE FUNCTION refuse()")
    assert store.add([row(1), row(2)]) == [Outcome.NEW] * 2
    assert run("SELECT last_value FROM refusals").fetchone() == (5,)
    run("ALTER SEQUENCE refusals MINVALUE -100 RESTART WITH -100")
    with pytest.raises(StoreFailed, match="SerializationFailure"):
        store.add([row(3)])
    assert run("SELECT last_value FROM refusals").fetchone() == (-96,)
    assert store.counts().reports == 2
    store.close()


@pytest.mark.parametrize("isolation", ["repeatable read", "serializable"])
def test_who_waited_at_the_door_sees_that_it_was_closed(postgres, isolation):
    """Whatever the database's own default is: a report that comes while the study is closed is not taken."""
    place = postgres().new_place() + f"%20-cdefault_transaction_isolation%3D{isolation.replace(' ', '%5C%20')}"
    store = PostgresStore(place)
    store.migrate()
    store.set_state(OPEN)
    waiting, outcomes = store.clone(), []
    with psycopg.connect(place) as closing:
        closing.execute(_ALONE)
        thread = threading.Thread(target=lambda: outcomes.extend(waiting.add([row(1)])))
        thread.start()
        waits = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
        while thread.is_alive() and not closing.execute(waits).fetchone():
            thread.join(0.01)
        closing.execute("UPDATE state SET closed = true")
    thread.join()
    assert outcomes == [Outcome.CLOSED]
    assert store.counts().reports == 0
    waiting.close()
    store.close()


def test_a_row_whose_obstacle_went_away_is_taken_after_all(postgres, monkeypatch):
    """Between the two transactions of a batch a study may open: what was refused is tried again under the lock."""
    store = made_store("postgresql", None, postgres)
    store.set_state(replace(OPEN, closed=True))
    told_apart = store._tell_apart

    def opened_in_between(rows):
        store.set_state(OPEN)
        return told_apart(rows)

    monkeypatch.setattr(store, "_tell_apart", opened_in_between)
    assert store.add([row(1), row(1), row(2)]) == [Outcome.NEW, Outcome.SAME, Outcome.NEW]
    assert store.counts().reports == 2
    store.close()
