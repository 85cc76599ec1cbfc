"""From submissions to estimates: paid for once, exported as a part, shares turned into keys, bad ones dropped."""

import dataclasses
import json
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from collected_studies import HOMES, homes, kept
from sfumato.cli.app import whole_app
from sfumato.errors import BudgetSpent, InvalidParameter, KeyRefused, UnreadableFile
from sfumato.keys.key_files import read_key_header
from sfumato.keys.protection import Unprotected
from sfumato.keys.sealed_files import read_private_key
from sfumato.keys.shares import Kem, read_share_private, seal_share, share_info
from sfumato.ledger import Ledger
from sfumato.publications import read_registry
from sfumato.publications.collected import LiveTallies
from sfumato.publications.reports import Reports
from sfumato.sampling import Guarantee
from sfumato.study import CollectTerms, OneOfMany, write_study
from sfumato.study.collection import collection_of
from sfumato.workflows.collecting import export_part, open_collection, unseal_shares
from sfumato.workflows.reading import estimate_reports, open_reports, recover_answers
from sfumato.workflows.responding import respond, respond_all

SHARES = {"north": 0.4, "south": 0.3, "east": 0.2, "west": 0.1}


def people(rows, seed=4):
    """Answers in shares that are known; a tenth says nothing of selling."""
    draws = np.random.default_rng(seed)
    place = np.repeat(list(SHARES), [round(share * rows) for share in SHARES.values()])[draws.permutation(rows)]
    moved = np.repeat(["no", "yes"], [rows * 3 // 4, rows - rows * 3 // 4])[draws.permutation(rows)]
    sold = np.where(np.arange(rows) % 10 == 0, None, np.where(draws.permutation(rows) % 2 == 0, "no", "yes"))
    return pa.table({"place": place.tolist(), "moved": moved.tolist(), "sold": sold.tolist()})


@dataclasses.dataclass(frozen=True)
class Collected:
    """A collection of so many people, exported; the shares of rows 3 and 8 are corrupted and all zero."""

    folder: object
    collection: object
    answers: object
    part: object
    rows: int

    def key(self, name):
        return read_private_key(self.folder / name, Unprotected())


def collected(folder, rows, *, recover=False, kem="x25519", damage=True):
    asked = collection_of(homes(folder, recover=recover, kem=kem), folder)
    answers = people(rows)
    submissions = respond_all(asked, answers)
    stored = kept(asked, submissions)
    if damage:
        changed = {name: bytes([body[0] ^ 1]) + body[1:] for name, body in asked.split_shares(stored[3].shares).items()}
        stored[3] = dataclasses.replace(stored[3], shares=asked.join_shares(changed))
        stored[8] = dataclasses.replace(stored[8], shares=bytes(len(stored[8].shares)))
    order = np.argsort([one.id for one in submissions])
    part = export_part(asked, stored, folder / "out")
    return Collected(folder, asked, answers.take(pa.array(order)), part, rows)


@pytest.fixture(scope="module")
def two_thousand(tmp_path_factory):
    return collected(tmp_path_factory.mktemp("collected"), 2_000)


def check_near(estimates, sigmas=6.5):
    """Each share within so many of its own standard errors of the truth: a false alarm in less than 10⁸ runs once.

    Six shares are looked at, by three readers at most, and a normal estimate is further away with chance 8e-11.
    """
    truth = SHARES | {"no answer": 0.0}
    (place, moved, _) = estimates
    for label, raw, error in zip(place.labels, place.raw, place.standard_errors, strict=True):
        assert abs(raw - truth[label]) < sigmas * max(error, 1e-9)
    assert abs(moved.raw[1] - 0.25) < sigmas * moved.standard_errors[1]


def test_the_public_and_an_analyst_estimate_within_their_intervals(two_thousand):
    public = estimate_reports(Reports.read(two_thousand.part.reports))
    check_near(public)
    key = two_thousand.key("ministry")
    made = unseal_shares(
        two_thousand.part.shares["ministry"], two_thousand.part.reports, key, two_thousand.folder / "ministry keys"
    )
    assert (made.rows, made.dropped) == (1_998, (3, 8))
    opened = open_reports(made.reports, list(made.keys), unlock=key)
    assert len(opened) == 1_998
    sharper = estimate_reports(opened)
    check_near(sharper)
    assert [found.level for found in sharper] == [1, 1, 1]
    assert all(one < 0.75 * two for one, two in zip(sharper[0].standard_errors, public[0].standard_errors, strict=True))


def test_rows_that_were_counted_are_estimated_as_those_that_were_exported(tmp_path):
    """The live tally and `estimate` say the same to the last digit, with gaps."""
    asked = collection_of(homes(tmp_path), tmp_path)
    stored = kept(asked, respond_all(asked, people(400)))
    part = export_part(asked, stored, tmp_path / "out")
    counted = LiveTallies.of(asked, sorted(Counter(one.row for one in stored).items()))
    assert counted.reports == 400
    exported = estimate_reports(part.reports)
    assert counted.estimates().to_rows() == exported.to_rows()
    assert LiveTallies.of(asked, []).reports == 0


def test_each_analyst_opens_their_own_level_alone(two_thousand):
    press, out = two_thousand.key("press"), two_thousand.folder / "press keys"
    with pytest.raises(KeyRefused, match="none of the bodies opens"):
        unseal_shares(two_thousand.part.shares["ministry"], two_thousand.part.reports, press, out)
    assert not list(out.glob("*"))
    made = unseal_shares(two_thousand.part.shares["press"], two_thousand.part.reports, press, out)
    headers = [read_key_header(path) for path in made.keys]
    assert {(header.level, header.guarantee, header.protection) for header in headers} == {
        (2, Guarantee.COMPUTATIONAL, "private_key")
    }
    with pytest.raises(InvalidParameter):
        unseal_shares(two_thousand.part.shares["press"], two_thousand.part.reports, press, out)


def test_a_part_says_how_it_was_made_and_holds_no_more(two_thousand):
    part = two_thousand.part
    table = pq.read_table(part.reports)
    assert table.column_names == ["row", "place", "moved", "sold"]
    assert table.column("row").to_pylist() == list(range(2_000))
    assert sum(cell is None for cell in table.column("sold").to_pylist()) == 200
    assert part.note.source.startswith("collected over the web, anonymous")
    assert "computational" in part.note.source
    text = (part.reports.parent / "reports.parquet.codebook.md").read_text()
    assert "Computational" in text
    assert "anonymous" in text
    shares = pq.read_table(part.shares["press"])
    assert shares.column_names == ["row", "id", "body"]
    ids = shares.column("id").to_pylist()
    assert ids == sorted(ids)
    assert part.shares["press"].stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("wrong", ["order", "twice", "row", "shares"])
def test_rows_that_no_server_keeps_are_refused(tmp_path, wrong):
    asked = collection_of(homes(tmp_path), tmp_path)
    rows = kept(asked, respond_all(asked, people(10)))
    changed = {
        "order": rows[::-1],
        "twice": [rows[0], *rows],
        "row": [dataclasses.replace(rows[0], row=b"\xff" * 3), *rows[1:]],
        "shares": [*rows[:-1], dataclasses.replace(rows[-1], shares=b"")],
    }[wrong]
    with pytest.raises((InvalidParameter, UnreadableFile)):
        export_part(asked, changed, tmp_path / "out")
    assert not list((tmp_path / "out").glob("*"))


def test_nobody_and_another_wave_are_no_part(tmp_path):
    asked = collection_of(homes(tmp_path), tmp_path)
    rows = kept(asked, respond_all(asked, people(10)))
    with pytest.raises(UnreadableFile, match="no reports of this wave are shown"):
        export_part(asked.at_wave(2), rows, tmp_path / "out")
    assert export_part(asked, rows, tmp_path / "out").rows == 10
    with pytest.raises(InvalidParameter):
        export_part(asked, rows, tmp_path / "out")


def test_shares_of_another_export_are_refused(two_thousand, tmp_path):
    other = collected(tmp_path, 20, damage=False)
    with pytest.raises(InvalidParameter, match="exported with"):
        unseal_shares(
            two_thousand.part.shares["press"], other.part.reports, two_thousand.key("press"), tmp_path / "keys"
        )
    (tmp_path / "poem.parquet").write_bytes(other.part.reports.read_bytes())
    for file in (other.part.reports, tmp_path / "poem.parquet"):
        with pytest.raises(UnreadableFile):
            unseal_shares(file, other.part.reports, other.key("press"), tmp_path / "keys")


# The registrar.


def test_the_registrar_recovers_answers_where_devices_were_told_to_send_them(tmp_path):
    """A share that opens and leads to no answer drops its row too, in place of stopping all the others."""
    six = OneOfMany(id="place", text="Where do you live?", answers=(*HOMES, "abroad", "nowhere"))
    study = homes(tmp_path, recover=True, analysts=(), public_epsilon=Fraction(1, 2))
    asked = collection_of(dataclasses.replace(study, questions=(six, *study.questions[1:])), tmp_path)
    assert asked.handlers["place"].report_count == 7, "one of the reports is no answer"
    answers = people(200)
    submissions = respond_all(asked, answers)
    order = np.argsort([one.id for one in submissions])
    stored = kept(asked, submissions)
    registrar = asked.receiver("registrar")
    row = stored[5]
    bodies = asked.split_shares(row.shares)
    reports = asked.unpack_row(row.row)
    wrong = next(
        shift
        for shift in range(asked.handlers["place"].report_count)
        if not asked.handlers["place"].undone_by(np.array([reports["place"]]), np.array([shift]), 0)[0]
    )
    info = share_info(asked.fingerprint, "registrar", row.id)
    bodies["registrar"] = seal_share((wrong, 0, 0), asked.moduli(registrar), Kem.X25519, registrar.public_key, info)
    stored[5] = dataclasses.replace(row, shares=asked.join_shares(bodies))
    part = export_part(asked, stored, tmp_path / "out")
    key = read_private_key(tmp_path / "registrar", Unprotected())
    made = unseal_shares(part.shares["registrar"], part.reports, key, tmp_path / "keys")
    assert made.dropped == (5,)
    found = recover_answers(made.reports, list(made.keys), unlock=key)
    left = [number for number in range(200) if number != 5]
    told = answers.take(pa.array(order[left]))
    for name in ("place", "moved", "sold"):
        assert found.column(name).to_pylist() == told.column(name).to_pylist()


def test_without_the_word_there_is_nothing_for_the_registrar(two_thousand):
    assert set(two_thousand.part.shares) == {"ministry", "press"}


# Hybrid bodies, and the command.


def test_hybrid_bodies_are_unsealed(tmp_path):
    made = collected(tmp_path, 60, kem="mlkem768-x25519")
    key = read_share_private(tmp_path / "press", Kem.HYBRID, Unprotected())
    with pytest.raises(KeyRefused, match="sealed by mlkem768-x25519"):
        unseal_shares(made.part.shares["press"], made.part.reports, Reader.private(), tmp_path / "keys")
    with pytest.raises(InvalidParameter, match="protects no files"):
        unseal_shares(made.part.shares["press"], made.part.reports, key, tmp_path / "keys")
    done = unseal_shares(made.part.shares["press"], made.part.reports, key, tmp_path / "keys", protection=Unprotected())
    assert done.dropped == (3, 8)
    assert len(open_reports(done.reports, list(done.keys), unlock=Unprotected())) == 58


class Reader:
    """Somebody with a plain key."""

    @staticmethod
    def private():
        from sfumato.keys import new_key_pair

        return new_key_pair()[0]


def test_the_command_unseals(two_thousand, tmp_path):
    args = ["keys", "unseal", str(two_thousand.part.shares["press"]), str(two_thousand.part.reports)]
    args += ["--private-key", str(two_thousand.folder / "press"), "--out", str(tmp_path / "keys")]
    told = CliRunner().invoke(whole_app(), [*args, "--json"])
    assert told.exit_code == 0, told.output
    document = json.loads(told.stdout)
    assert (document["rows"], document["dropped"], document["guarantee"]) == (1_998, 2, "computational")
    keys = [part for key in document["keys"] for part in ("--key", key)]
    keys += ["--private-key", str(two_thousand.folder / "press"), "--out", str(tmp_path / "opened.parquet")]
    opened = CliRunner().invoke(whole_app(), ["open", document["reports"], *keys])
    assert opened.exit_code == 0, opened.output
    assert len(Reports.read(tmp_path / "opened.parquet")) == 1_998
    args[-1] = str(tmp_path / "again")
    told = CliRunner().invoke(whole_app(), args)
    assert "2 of 2,000 rows" in told.output


# Paying.


def with_ledger(folder, **changes):
    study = homes(folder, ledger="budget.ledger", **changes)
    write_study(study, folder / "study.toml")
    if not (folder / "budget.ledger").exists():
        Ledger.create(folder / "budget.ledger", epsilon=40)
    return folder / "study.toml"


def test_a_study_is_paid_for_once_when_it_opens(tmp_path):
    """ε of all three questions at the sharpest level, 9; opened again it costs nothing, changed it costs anew."""
    study = with_ledger(tmp_path)
    ledger = Ledger(tmp_path / "budget.ledger")
    first = open_collection(study)
    assert first.is_new
    assert ledger.spent.epsilon == 9
    for _ in range(3):
        again = open_collection(study)
        assert not again.is_new
        assert again.published == first.published
    assert len(ledger.entries()) == 1
    assert len(read_registry(study).releases) == 1
    second = open_collection(study, wave=2)
    assert second.is_new
    assert ledger.spent.epsilon == 18
    assert [one.release for one in second.earlier] == [first.published.token]
    open_collection(study)
    open_collection(study, wave=2)
    assert len(ledger.entries()) == 2
    with_ledger(tmp_path, public_epsilon=Fraction(1, 2))
    changed = open_collection(study)
    assert changed.is_new
    assert changed.published.fingerprint != first.published.fingerprint
    assert ledger.spent.epsilon == 27


def test_an_opening_that_cannot_be_paid_for_does_not_open(tmp_path):
    study = with_ledger(tmp_path)
    for wave in (1, 2, 3, 4):
        open_collection(study, wave=wave)
    with pytest.raises(BudgetSpent):
        open_collection(study, wave=5)
    assert len(Ledger(tmp_path / "budget.ledger").entries()) == 4
    assert len(read_registry(study).releases) == 4, "what was refused is not remembered as released"


def test_what_cannot_be_asked_or_sealed_costs_nothing(tmp_path):
    study = with_ledger(tmp_path)
    (tmp_path / "press.pub").unlink()
    with pytest.raises(UnreadableFile):
        open_collection(study)
    assert Ledger(tmp_path / "budget.ledger").entries() == ()
    assert not (tmp_path / "releases.json").exists()


def test_an_exported_part_tells_what_was_released_before(tmp_path):
    study = with_ledger(tmp_path)
    open_collection(study)
    opened = open_collection(study, wave=2)
    asked = opened.collection
    part = export_part(opened, kept(asked, respond_all(asked, people(10))), tmp_path / "out")
    note = Reports.read(part.reports).note
    assert note.again == "wave 2 over the web, study " + asked.fingerprint[:8]
    assert len(note.earlier) == 1
    assert math.isclose(next(one.epsilon for one in note.sums if one.holder == "public"), 6, rel_tol=1e-6)


def test_a_memory_is_needed(tmp_path):
    with pytest.raises(InvalidParameter, match="remembered"):
        open_collection(homes(tmp_path), folder=tmp_path)
    opened = open_collection(homes(tmp_path), folder=tmp_path, registry=tmp_path / "releases.json")
    assert opened.is_new


def test_one_by_one_is_as_good(tmp_path):
    """Devices alone, as they are: 40 of them; their rows make a part as those of a simulation do."""
    asked = collection_of(homes(tmp_path, collect=CollectTerms(mode="panel")), tmp_path)
    sent = [respond(asked, {"place": HOMES[n % 4], "moved": "no"}) for n in range(40)]
    names = [bytes([n]) * 32 for n in range(40)]
    part = export_part(asked, kept(asked, sent, names), tmp_path / "out")
    assert part.rows == 40
    assert set(Reports.read(part.reports).kept) == {"panel"}
    with pytest.raises(InvalidParameter, match="pseudonym"):
        export_part(asked, kept(asked, sent), tmp_path / "other")
