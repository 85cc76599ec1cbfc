"""What order and time still link, and how far waiting helps: one report in 1 + m, where m people wait at a time.

Tokens are spent at random times and each report follows after an exponential wait. Whoever waits is as likely as any
other to be the next, however long they have waited; so to whoever knows all times, each report belongs to one of the
tokens that are waiting, the last one being the likeliest. Proof: docs/theory/collection.md
"""

import itertools
import random
import secrets
from fractions import Fraction

import psycopg
import pytest

from server import samples
from server.databases import KINDS, made_store
from server.linking import in_time, last_before
from server.plain_server import InThread, plain_server
from server.senders import Sender
from server.test_linking import Remembering, a_key, devices, evidence_of, opened
from sfumato.server.client import drawn_wait, report_body
from sfumato.server.credentials import token_hash
from sfumato.server.store_base import Invitation, Spending, State
from sfumato.study.collection import StoredRow


def timetable(people, waiting):
    """Who does what when somebody comes every second, on average, and so many wait at a time."""
    now, events = 0.0, []
    for person in range(people):
        now += drawn_wait(1.0)
        events += [(now, "token", person), (now + max(drawn_wait(float(waiting)), 1e-9), "report", person)]
    return [(what, person) for _, what, person in sorted(events)]


def right(events):
    """How many reports the best guess by order gets right."""
    return sum(report == token for report, token in last_before(events).items())


@pytest.mark.parametrize("waiting", [0.25, 1, 4, 19])
def test_one_report_in_one_and_those_who_wait_is_linked_by_order(waiting):
    people = 20_000
    share, wanted = right(timetable(people, waiting)) / people, 1 / (1 + waiting)
    assert abs(share - wanted) <= 7 * (wanted * (1 - wanted) / people) ** 0.5
    # The figure can be wrong: it is not that of twice or half as many who wait, which lie more than 14 errors away.
    for other in (1 / (1 + 2 * waiting), 1 / (1 + waiting / 2)):
        assert abs(share - other) > 7 * (wanted * (1 - wanted) / people) ** 0.5


def test_without_a_wait_everybody_is_linked():
    assert right(timetable(1000, 0)) == 1000


def linkings(pattern):
    """Every way in which tokens and reports can belong together, with its chance: who waits is next with equal ones."""
    found = {(): Fraction(1)}
    spent = 0
    for what in pattern:
        if what == "t":
            spent += 1
            continue
        found = {
            (*said, token): chance / (spent - len(said))
            for said, chance in found.items()
            for token in range(spent)
            if token not in said
        }
    return found


def test_no_guess_by_order_is_better_than_the_last_token():
    """Every order of five tokens and their reports, every linking: for each report, no token is likelier."""
    tried = 0
    for spent in itertools.combinations(range(10), 5):
        pattern = ["t" if place in spent else "r" for place in range(10)]
        if any(pattern[:end].count("r") > pattern[:end].count("t") for end in range(11)):
            continue
        law = linkings(pattern)
        assert sum(law.values()) == 1
        names = iter(range(5))
        events = [("token", next(names)) if what == "t" else ("report", pattern[:place].count("r"))
                  for place, what in enumerate(pattern)]  # fmt: skip
        for report, guess in last_before(events).items():
            chances = [sum(chance for said, chance in law.items() if said[report] == token) for token in range(5)]
            assert chances[guess] == max(chances)
            tried += 1
    assert tried == 42 * 5


def play(store, events):
    """Let people come to a real server in this order; what they were is the truth."""
    of, tokens, credentials, made = devices(len(events) // 2)
    server = plain_server(store, signing=Remembering(a_key(), of.fingerprint))
    people = len(events) // 2
    store.invite([Invitation(token=token_hash(one)) for one in tokens[:people]])
    whole = {}
    with InThread(server) as running:
        sender = Sender(running.socket.getsockname()[1])
        for what, person in events:
            if what == "token":
                blinded = samples.text(credentials[person].blinding.blinded)
                status, answer = sender.post("/credentials", {"token": tokens[person], "blinded": blinded})
                whole[person] = credentials[person].signed(samples.base64.b64decode(answer["signature"]))
            else:
                status, _ = sender.post("/reports", report_body(made[person], credential=whole[person]))
            assert status == 200
        sender.close()
    return {made[person].id: token_hash(tokens[person]) for person in range(people)}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("waiting", "least", "most"), [(0, 150, 150), (30, 0, 25)])
def test_a_real_server_gives_away_the_order_and_no_more(kind, waiting, least, most, tmp_path, postgres):
    """150 people: without waits all are linked by `xmin`, or by the log; where 30 wait at a time, 6 are expected.

    More than 25 are less likely than 1e-9: the number varies less than one of Poisson with its mean, 5.8.
    """
    store, place, keeps = opened(kind, tmp_path, postgres)
    events = timetable(150, waiting)
    truth = play(store, events)
    seen = in_time(evidence_of(kind, place, "", postgres))
    assert len(seen) == 300
    guesses = last_before(seen)
    found = sum(truth[report] == token for report, token in guesses.items())
    assert found == right(events)
    assert least <= found <= most
    if keeps is not None:
        keeps.close()


PEOPLE = 80
ROWS = [
    StoredRow(id=bytes([n]) * 32, credential=bytes([n, 1]) * 16, row=b"\0\0", shares=secrets.token_bytes(200))
    for n in range(PEOPLE)
]


def filled(kind, folder, postgres, seed):
    """The same tokens and reports, in another order, some withdrawn; then closed and written anew."""
    folder.mkdir()
    store = made_store(kind, folder, postgres)
    store.set_state(State(fingerprint="f", mode="anonymous"))
    store.invite([Invitation(token=bytes([n]) * 32) for n in range(PEOPLE)])
    order = list(range(PEOPLE))
    random.Random(seed).shuffle(order)  # noqa: S311  a test's order
    for n in order:
        store.spend([Spending(token=bytes([n]) * 32, blinded=bytes([n]) * 32, signature=bytes([n]) * 64)])
        store.add([ROWS[n]])
    for n in [n for n in order if n % 10 == 0]:
        store.withdraw(ROWS[n].id)
    return store


def test_a_file_that_was_written_anew_shows_no_order(tmp_path):
    """Two orders of the same people leave the same bytes, but for the counter of changes; before they did not."""
    stores = [filled("sqlite", tmp_path / str(seed), None, seed) for seed in (1, 2)]
    files = [store.path for store in stores]

    def contents():
        return [path.read_bytes()[100:] for path in files]  # without the header

    for store in stores:
        store._fold_log()
    first, second = contents()
    assert first != second
    for store in stores:
        store.close_wave()
        store.compact()
        assert store.path.with_name(f"{store.path.name}-wal").stat().st_size == 0
    first, second = contents()
    assert first == second
    for store in stores:
        assert [one.id for one in store.snapshot()] == [row.id for n, row in enumerate(ROWS) if n % 10]
        assert store.counts().withdrawn == 8
        store.close()


def test_a_postgres_that_was_written_anew_shows_no_order(tmp_path, postgres):
    """One `xmin`, and places that go by the name of a row; before, `xmin` links everybody."""
    store = filled("postgresql", tmp_path / "1", postgres, 3)
    with psycopg.connect(store.url) as reading:

        def seen(table, key):
            return reading.execute(f"SELECT xmin::text, ctid::text, {key} FROM {table} ORDER BY {key}").fetchall()  # noqa: S608

        assert len({one[0] for one in seen("reports", "id")}) == 72
        reading.commit()
        store.compact()
        together = set()
        for table, key in (("reports", "id"), ("tokens", "token"), ("withdrawn", "credential")):
            rows = seen(table, key)
            places = [tuple(map(int, one[1].strip("()").split(","))) for one in rows]
            assert places == sorted(places)
            together |= {one[0] for one in rows}
        assert len(together) == 1
        reading.commit()
    assert [one.id for one in store.snapshot()] == [row.id for n, row in enumerate(ROWS) if n % 10]
    # Everything is as it was: what is there is the same, what was withdrawn stays so, and nothing enters twice.
    assert store.add([ROWS[1]]) == ["same"]
    assert store.add([ROWS[10]]) == ["withdrawn"]
    store.close()


def test_an_export_that_waits_for_the_writing_anew_is_not_empty(tmp_path, postgres):
    """A table that is written anew looks empty to whoever looked at the clock before: nobody may."""
    import threading

    store = filled("postgresql", tmp_path / "1", postgres, 4)
    found = []
    with psycopg.connect(store.url) as holding:
        holding.execute("LOCK TABLE tokens IN ACCESS SHARE MODE")  # keeps the writing from ending
        writing = threading.Thread(target=store.compact)
        writing.start()
        other = store.clone()
        while not holding.execute("SELECT 1 FROM pg_locks WHERE NOT granted").fetchone():
            pass
        reading = threading.Thread(target=lambda: found.extend(other.snapshot()))
        reading.start()
        while holding.execute("SELECT count(*) FROM pg_locks WHERE NOT granted").fetchone()[0] < 2:
            pass
    for thread in (writing, reading):
        thread.join(20)
    assert len(found) == 72
    other.close()
    store.close()
