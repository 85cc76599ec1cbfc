"""The whole way of twenty thousand people, through a real server and each database: from answers to estimates."""

from dataclasses import replace

import pytest

from collected_studies import homes
from server import samples
from server.plain_server import InThread, PlainSteps
from server.senders import send_all
from sfumato.keys.protection import Unprotected
from sfumato.keys.sealed_files import read_private_key
from sfumato.publications.reports import Reports
from sfumato.server.service import CollectionServer
from sfumato.server.settings import Settings
from sfumato.server.store_base import State
from sfumato.study.collection import collection_of
from sfumato.workflows.collecting import export_part, unseal_shares
from sfumato.workflows.reading import estimate_reports, open_reports
from sfumato.workflows.responding import respond_all
from workflows.test_collecting import check_near, people

PEOPLE = 20_000


def body_of(one, number):
    return {
        "id": one.id.hex(),
        "row": samples.text(one.row),
        "shares": {name: samples.text(share) for name, share in one.shares.items()},
        "credential": samples.plain_credential(number),
    }


@pytest.mark.slow
def test_twenty_thousand_respond_and_are_estimated(store, tmp_path):
    """One sends a corrupted share and one a share of zeros: both are dropped and counted, and stop nobody."""
    of = collection_of(homes(tmp_path), tmp_path)
    sent = sorted(respond_all(of, people(PEOPLE)), key=lambda one: one.id)
    sent[3] = replace(sent[3], shares={name: bytes([one[0] ^ 1]) + one[1:] for name, one in sent[3].shares.items()})
    sent[8] = replace(sent[8], shares={name: bytes(len(one)) for name, one in sent[8].shares.items()})
    store.set_state(State(fingerprint=of.fingerprint, mode="anonymous"))
    server = CollectionServer(
        of,
        store.clone(),
        Settings(port=0, rate=0.0),
        admin=bytes(32),
        signing=samples.PlainSigning(),
        steps=PlainSteps(),
    )
    with InThread(server) as running:
        port = running.socket.getsockname()[1]
        answers = send_all(port, "/reports", [body_of(one, number) for number, one in enumerate(sent)])
    assert {answer[0] for answer in answers} == {200}
    part = export_part(of, store.snapshot(1), tmp_path / "out")
    assert part.rows == PEOPLE
    check_near(estimate_reports(Reports.read(part.reports)))
    for name in ("ministry", "press"):
        key = read_private_key(tmp_path / name, Unprotected())
        done = unseal_shares(part.shares[name], part.reports, key, tmp_path / f"{name} keys", processes=2)
        assert (done.rows, done.dropped) == (PEOPLE - 2, (3, 8))
        check_near(estimate_reports(open_reports(done.reports, list(done.keys), unlock=key)))
