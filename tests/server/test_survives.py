"""Acknowledged means on disk: servers are killed, and what they said yes to is there, once."""

import os
import signal
import threading
import time

import pytest

from server import samples
from server.databases import KINDS
from server.plain_server import store_at
from server.senders import Sender, send_all

AT_LEAST = 50


def place_of(kind, folder, postgres):
    return str(folder / "reports.sqlite") if kind == "sqlite" else postgres().new_place()


def wait_for(place, reports):
    """Until so many are kept."""
    store, deadline = store_at(place), time.monotonic() + 60
    while store.counts().reports < reports:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    store.close()


def round_of_killing(servers, place, of, number):
    """Kill a server that is sent reports, once at least 50 are acknowledged; return which, and which were not."""
    pid, port = servers.start(place)
    bodies = []
    acknowledged, unsure = [], []
    lock, enough = threading.Lock(), threading.Event()

    def work():
        sender = Sender(port)
        while True:
            with lock:
                place = len(bodies)
                bodies.append(samples.plain_report(of, (number, place)))
            answer = sender.post("/reports", bodies[place])
            with lock:
                (acknowledged if answer and answer[0] == 200 else unsure).append(place)
                if len(acknowledged) >= AT_LEAST:
                    enough.set()
            if answer is None or place > 5000:
                break
        sender.close()

    workers = [threading.Thread(target=work) for _ in range(8)]
    for one in workers:
        one.start()
    assert enough.wait(30)
    assert servers.kill(pid) == -signal.SIGKILL
    for one in workers:
        one.join()
    return bodies, acknowledged, unsure


def check_after(place, of, rounds):
    """What was acknowledged is kept once; what was not is kept once or not at all."""
    store = store_at(place)
    kept = [one.id.hex() for one in store.snapshot()]
    store.close()
    assert len(kept) == len(set(kept))
    expected = {bodies[one]["id"] for bodies, acknowledged, _ in rounds for one in acknowledged}
    sent = {body["id"] for bodies, _, _ in rounds for body in bodies}
    lost = expected - set(kept)
    assert not lost
    assert set(kept) <= sent
    return len(expected)


def kill_again_and_again(servers, place, rounds):
    of = samples.collection()
    done = [round_of_killing(servers, place, of, number) for number in range(rounds)]
    total = check_after(place, of, done)
    # Whoever got no answer sends the same again, and so does everybody else: the same answer, and nothing twice.
    pid, port = servers.start(place)
    again = [bodies[one] for bodies, acknowledged, unsure in done for one in (*acknowledged[:10], *unsure)]
    answers = send_all(port, "/reports", again, threads=8)
    assert all(answer == (200, {"id": body["id"], "kept": True}) for answer, body in zip(answers, again, strict=True))
    os.kill(pid, signal.SIGTERM)
    assert servers.wait(pid) == 0
    store = store_at(place)
    kept = [one.id.hex() for one in store.snapshot()]
    store.close()
    assert len(kept) == len(set(kept)) >= total
    assert {body["id"] for body in again} <= set(kept)
    return total


@pytest.mark.parametrize("kind", KINDS)
def test_no_acknowledged_report_is_lost_and_none_is_kept_twice(kind, servers, tmp_path, postgres):
    assert kill_again_and_again(servers, place_of(kind, tmp_path, postgres), 20) >= 20 * AT_LEAST


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_lost_in_five_hundred_kills(kind, servers, tmp_path, postgres):
    assert kill_again_and_again(servers, place_of(kind, tmp_path, postgres), 500) >= 500 * AT_LEAST


def test_the_database_may_be_killed_as_well(servers, postgres):
    """PostgreSQL goes down without a warning: nothing acknowledged is lost, and the server is ready again after it."""
    cluster = postgres()
    place = cluster.new_place()
    of = samples.collection()
    pid, port = servers.start(place)
    bodies = [samples.plain_report(of, one) for one in range(3000)]
    stop = threading.Event()
    found = []
    sending = threading.Thread(target=lambda: found.extend(send_all(port, "/reports", bodies, threads=8, until=stop)))
    sending.start()
    wait_for(place, AT_LEAST)
    cluster.stop(immediately=True)
    watch = Sender(port)
    assert watch.post("/reports", samples.plain_report(of, "down"))[0] == 503
    stop.set()
    sending.join()
    statuses = {answer[0] for answer in found if answer}
    assert {200} <= statuses <= {200, 503}
    cluster.start()
    deadline = time.monotonic() + 60
    while watch.post("/reports", samples.plain_report(of, "up"))[0] != 200:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    watch.close()
    os.kill(pid, signal.SIGTERM)
    assert servers.wait(pid) == 0
    store = store_at(place)
    kept = {one.id.hex() for one in store.snapshot()}
    store.close()
    acknowledged = {body["id"] for body, answer in zip(bodies, found, strict=True) if answer and answer[0] == 200}
    assert len(acknowledged) >= AT_LEAST
    assert acknowledged <= kept


@pytest.mark.parametrize("kind", KINDS)
def test_a_server_that_is_told_to_stop_answers_what_is_under_way(kind, servers, tmp_path, postgres):
    """SIGTERM in the middle: whatever was answered is kept, nobody gets half an answer, and the exit is clean."""
    place = place_of(kind, tmp_path, postgres)
    of = samples.collection()
    pid, port = servers.start(place)
    bodies = [samples.plain_report(of, one) for one in range(2000)]
    found = []
    sending = threading.Thread(target=lambda: found.extend(send_all(port, "/reports", bodies, threads=8)))
    sending.start()
    wait_for(place, AT_LEAST)
    os.kill(pid, signal.SIGTERM)
    assert servers.wait(pid) == 0
    sending.join()
    store = store_at(place)
    kept = {one.id.hex() for one in store.snapshot()}
    store.close()
    statuses = {answer[0] for answer in found if answer}
    assert 200 in statuses
    assert statuses <= {200, 503}
    acknowledged = {body["id"] for body, answer in zip(bodies, found, strict=True) if answer and answer[0] == 200}
    assert acknowledged == kept
