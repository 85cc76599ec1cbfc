"""Whatever is sent is answered, in the shape that the OpenAPI document says, and never with a fault of the server."""

import json
import os
import random
import signal
from collections import Counter
from copy import deepcopy
from pathlib import Path

import hypothesis
import pytest
import schemathesis
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from server import samples
from server.databases import KINDS, made_store
from server.plain_server import InThread, plain_server
from server.senders import Sender
from sfumato.server.app import ROUTES

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
OF = samples.collection()


def tried(url, examples):
    """Send what Schemathesis makes of the document to every operation; returns how often each status came."""
    schema = schemathesis.openapi.from_url(f"{url}/openapi.json")
    operations = [found.ok() for found in schema.get_all_operations()]
    assert len(operations) == len(ROUTES) - 1  # the document itself is not tried
    seen = Counter()
    for operation in operations:
        try_operation(operation, examples, seen)
    return seen


def try_operation(operation, examples, seen):
    headers = {"Authorization": f"Bearer {samples.ADMIN}"} if operation.path == "/export" else {}

    @hypothesis.settings(
        max_examples=examples, deadline=None, database=None, suppress_health_check=list(hypothesis.HealthCheck)
    )
    @hypothesis.given(case=operation.as_strategy())
    def send(case):
        answer = case.call(headers=headers)
        case.validate_response(answer, checks=CHECKS)
        seen[answer.status_code] += 1

    send()


@pytest.mark.parametrize(
    ("mode", "kind"), [pytest.param("anonymous", "sqlite", marks=pytest.mark.slow), ("panel", "postgresql")]
)
def test_the_server_is_as_its_openapi_document_says(tmp_path, mode, kind, postgres):
    store = made_store(kind, tmp_path, postgres)
    with InThread(plain_server(store, mode=mode)) as running:
        seen = tried(running.url, 20)
    assert sum(seen.values()) > 150
    assert max(seen) < 500
    assert len(set(seen)) >= 4


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_server_is_as_its_openapi_document_says_for_long(tmp_path, kind, postgres):
    store = made_store(kind, tmp_path, postgres)
    with InThread(plain_server(store)) as running:
        assert max(tried(running.url, 500)) < 500


JUNK = (None, True, -1, 10**400, 1.5, "", "\0", "\ud800", [], {}, [[]], {"a": {}}, "A" * 3000, "ÄÖ", "=" * 10)


def mutated(dice, body):
    """A body that was good, with something wrong in it: in its tree, or in its bytes."""
    tree = json.loads(json.dumps(body))
    for _ in range(dice.randint(0, 2)):
        at = dice.choice([tree, tree["shares"], tree["credential"]] if isinstance(tree.get("shares"), dict) and
                         isinstance(tree.get("credential"), dict) else [tree])  # fmt: skip
        key = dice.choice(sorted(at) or ["id"])
        match dice.randrange(4):
            case 0:
                at.pop(key, None)
            case 1:
                at[key] = deepcopy(dice.choice(JUNK))
            case 2:
                at[dice.choice(["answer", "id", "token", "ministry", "x"])] = deepcopy(dice.choice(JUNK))
            case _:
                if isinstance(at.get(key), str):
                    at[key] = at[key][: dice.randrange(len(at[key]) + 1)] + dice.choice("A0=!é")
    data = bytearray(json.dumps(tree).encode())
    for _ in range(dice.choice([0, 0, 1, 1, 3, 20])):
        place = dice.randrange(len(data))
        match dice.randrange(4):
            case 0:
                data[place] = dice.randrange(256)
            case 1:
                del data[place : place + dice.randrange(1, 9)]
            case 2:
                data[place:place] = data[place : place + dice.randrange(1, 30)]
            case _:
                data[place:place] = bytes(dice.randrange(256) for _ in range(3))
        data = data or bytearray(b" ")
    return bytes(data)


def memory_of(pid):
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def mutate_and_send(servers, place, folder, count, seed=20):
    """Send mutated bodies to all paths that take one; returns the statuses, and how much the server's memory grew."""
    pid, port = servers.start(place, log=str(folder / "log"))
    dice, sender, seen = random.Random(seed), Sender(port), Counter()  # noqa: S311
    paths = ["/reports"] * 8 + ["/credentials", "/withdrawals"]
    before = 0
    for number in range(count):
        if number == count // 10:
            before = memory_of(pid)
        answer = sender.post(dice.choice(paths), mutated(dice, samples.plain_report(OF, number)))
        assert answer is not None
        seen[answer[0]] += 1
        if answer[0] != 200:
            assert set(answer[1]["error"]) == {"status", "rule", "parameter", "way_out"}
    growth = memory_of(pid) / before - 1
    sender.close()
    os.kill(pid, signal.SIGTERM)
    assert servers.wait(pid) == 0
    assert "Traceback" not in (folder / "log").read_text()
    return seen, growth


@pytest.mark.parametrize("count", [1000, pytest.param(100_000, marks=pytest.mark.slow)], ids=["quick", "slow"])
@pytest.mark.parametrize("kind", KINDS)
def test_mutated_bodies_break_nothing_and_leave_nothing_in_memory(servers, tmp_path, kind, count, postgres):
    place = tmp_path / "reports.sqlite" if kind == "sqlite" else postgres().new_place()
    seen, growth = mutate_and_send(servers, place, tmp_path, count)
    assert max(seen) < 500
    assert {200, 400, 403, 422} <= set(seen)
    assert growth < 0.1
