"""A debit is given back where its publication provably never left staging, and nowhere else; a rerun ends it."""

import functools
import os
import shutil
from fractions import Fraction

import pytest

import sfumato as sf
from sfumato.account import Ledger, information
from sfumato.errors import BudgetSpent, InvalidParameter
from sfumato.io.record_files import held_record, read_record_file
from sfumato.study.reports import Reports
from sfumato.study.steps import void_debit
from study.crash_runner import CASES
from study.test_release_crashes import Runner, make_study, people, runner, visible

__all__ = ["Runner", "runner"]
BEFORE = {"rotated", "again"}
"""Cases in which something was published, and paid for, beforehand."""


def unsettled(folder):
    return [entry for entry in Ledger(folder / "budget").read().live if entry.settled is None]


def is_out(folder, published):
    """Whether any file outside staging holds reports of a publication, or one of its new keys is in place."""
    digests = {column.digest for column in published.columns}
    files = [path for path in folder.rglob("*.*") if path.suffix in {".csv", ".parquet"}]
    outside = [path for path in files if not any(part.endswith(".staged") for part in path.parts)]
    return any(
        {column.digest for column in Reports.read(path).note.columns.values()} & digests
        for path in outside
        if path.name != "answers.csv"
    )


def interrupted(runner, case, fatal):
    """A folder in which a publication was killed at a step."""
    folder = runner.folder(case)
    runner.run(folder, case, fatal)
    return folder


@functools.cache
def first_paid(runner, case):
    """The first step at which a kill leaves a publication paid for; all before are free, all after paid for."""
    free, paid = 0, runner.run(runner.folder(case), case)["steps"]
    while paid - free > 1:
        middle = (free + paid) // 2
        folder = interrupted(runner, case, middle)
        is_paid = len(Ledger(folder / "budget").entries()) > (case in BEFORE)
        free, paid = (free, middle) if is_paid else (middle, paid)
        shutil.rmtree(folder)
    return paid


def check_voided(folder, case, entry):
    """The debit is given back and noted as voided, and nothing of the publication is left anywhere."""
    book = Ledger(folder / "budget").read()
    found = book.entry_at(entry.receipt.number)
    assert found.voided is not None
    assert found.voided.reason == "it never left staging"
    assert not unsettled(folder)
    assert len(book.live) == (1 if case in BEFORE else 0)
    paid = [one.release.charges.bits for one in book.live]
    assert book.spent.bits == sum(paid, Fraction(0))
    assert not list(folder.rglob("*.staged"))
    assert not is_out(folder, entry.release.published)
    if (folder / "releases.json").exists():
        assert [one.published.id for one in read_record_file(folder / "releases.json")] == [
            one.receipt.release_id for one in book.live
        ]


def check_published(folder, case):
    """One payment that counts, settled, and the reports that it paid for."""
    live = Ledger(folder / "budget").read().live
    assert len(live) == (2 if case in BEFORE else 1)
    assert all(entry.settled for entry in live)
    reports = Reports.read(folder / CASES[case]["out"])
    made = {name: column.digest for name, column in reports.note.columns.items()}
    assert made == {column.question: column.digest for column in live[-1].release.published.columns}
    assert not list(folder.rglob("*.staged"))
    if case in {"keys", "keys csv"}:
        registrar = folder / CASES[case]["keys"] / "registrar.moved.key"
        assert sf.recover_answers(reports, registrar)["moved"].to_pylist() == people()["moved"]


@pytest.mark.parametrize("case", ["again", "keys", "public csv", "rotated"])
def test_voided_wherever_nothing_is_in_place_and_then_published_afresh(runner, case):
    """At some steps it can be voided, at others not; where it can, nothing can have been seen, and the reverse."""
    outcomes = {"voided": 0, "refused": 0}
    begin = first_paid(runner, case)
    # The table goes last: what is in place before it is a key, a note or a codebook.
    for fatal in (begin, begin + 2, begin + 5, begin + 9):
        folder = interrupted(runner, case, fatal)
        if not unsettled(folder):
            break
        (entry,) = unsettled(folder)
        number = entry.receipt.number
        out = is_out(folder, entry.release.published)
        seen = visible(folder)
        done = runner.run(folder, case, number=number)
        if done["code"] == 0:
            assert not out
            check_voided(folder, case, entry)
            outcomes["voided"] += 1
        else:
            assert done["said"].startswith("InvalidParameter: out="), done["said"]
            assert "nobody can prove that it was not seen" in done["said"]
            assert [one.receipt for one in unsettled(folder)] == [entry.receipt], "as before"
            assert visible(folder) == seen
            outcomes["refused"] += 1
        again = runner.run(folder, case)
        assert again["code"] == 0, again.get("said")
        check_published(folder, case)
        shutil.rmtree(folder)
    assert min(outcomes.values()) > 0, outcomes


def paid_and_staged(runner, case):
    """A folder in which all of a publication is paid for and still staged."""
    folder = interrupted(runner, case, first_paid(runner, case))
    (entry,) = unsettled(folder)
    return folder, entry


def kill_voiding(runner, case, every):
    """Kill it at steps in turn; the same command ends it, or the publication is finished after all, and counts once."""
    folder, entry = paid_and_staged(runner, case)
    number = entry.receipt.number
    kept = folder.with_name(f"{folder.name}-kept")
    shutil.copytree(folder, kept)
    done = runner.run(folder, case, number=number)
    assert done["code"] == 0, done.get("said")
    check_voided(folder, case, entry)
    assert done["steps"] > 6
    for turn, fatal in enumerate(range(every // 2, done["steps"], every)):
        for then in ("void", "publish") if every == 1 else (("void", "publish")[turn % 2],):
            shutil.rmtree(folder)
            shutil.copytree(kept, folder)
            assert runner.run(folder, case, fatal, number=number)["code"] < 0
            assert not is_out(folder, entry.release.published)
            if then == "void":
                ended = runner.run(folder, case, number=number)
                assert ended["code"] == 0, ended.get("said")
                check_voided(folder, case, entry)
            ended = runner.run(folder, case)
            assert ended["code"] == 0, ended.get("said")
            check_published(folder, case)
    shutil.rmtree(kept)
    shutil.rmtree(folder)


@pytest.mark.parametrize("case", ["keys csv", "ledger alone"])
def test_killed_while_voiding(runner, case):
    kill_voiding(runner, case, 4)


@pytest.mark.slow
@pytest.mark.parametrize("case", sorted(CASES))
def test_killed_at_every_step_of_voiding(runner, case):
    kill_voiding(runner, case, 1)


class TestWhatCannotBeVoided:
    @pytest.fixture
    def folder(self, tmp_path):
        return make_study(tmp_path / "study", "public")

    def waiting(self, runner, tmp_path, case="public csv"):
        folder, entry = paid_and_staged(runner, case)
        shutil.move(folder, tmp_path / "here")
        return tmp_path / "here", entry.receipt.number

    def test_what_was_released(self, folder):
        sf.publish(folder / "study.toml", people(), out=folder / "reports.csv")
        with pytest.raises(InvalidParameter, match=r"number=1 was released on \S+: 'reports: \w+' stays paid for"):
            void_debit(folder / "budget", 1, out=folder / "reports.csv")

    def test_what_was_made_by_other_means(self, folder):
        Ledger(folder / "budget").spend(information("Mean income", 1))
        with pytest.raises(InvalidParameter, match="nobody can prove that a release made by other means was not seen"):
            void_debit(folder / "budget", 1, out=folder / "reports.csv")

    @pytest.mark.parametrize("number", [0, 7, -1])
    def test_what_is_no_debit(self, folder, number):
        with pytest.raises(InvalidParameter, match="is not the number of a debit"):
            void_debit(folder / "budget", number, out=folder / "reports.csv")

    def test_what_is_not_where_it_is_said_to_be(self, runner, tmp_path):
        here, number = self.waiting(runner, tmp_path)
        for wrong in ("other.csv", "answers.csv", "out/reports.csv"):
            with pytest.raises(InvalidParameter, match="nobody can prove"):
                void_debit(here / "budget", number, out=here / wrong)
        void_debit(here / "budget", number, out=here / "reports.csv")

    def test_what_is_damaged_or_missing_in_part(self, runner, tmp_path):
        here, number = self.waiting(runner, tmp_path)
        (staged,) = here.glob(".*.staged")
        for path in sorted(staged.iterdir()):
            kept = path.read_bytes()
            path.unlink()
            with pytest.raises(InvalidParameter, match="nobody can prove"):
                void_debit(here / "budget", number, out=here / "reports.csv")
            path.write_bytes(kept)
        table = staged / "reports.csv"
        table.write_bytes(table.read_bytes().replace(b"yes", b"no", 1))
        with pytest.raises(InvalidParameter, match="nobody can prove"):
            void_debit(here / "budget", number, out=here / "reports.csv")

    def test_what_went_into_a_pipe(self, runner, tmp_path):
        """Reports that are written to a pipe are staged still, and were seen."""
        here, number = self.waiting(runner, tmp_path)
        os.mkfifo(here / "reports.csv")
        with pytest.raises(InvalidParameter, match="nobody can prove"):
            void_debit(here / "budget", number, out=here / "reports.csv")

    def test_what_the_record_says_was_released_or_does_not_know(self, runner, tmp_path):
        here, number = self.waiting(runner, tmp_path)
        (noted,) = read_record_file(here / "releases.json")
        kept = (here / "releases.json").read_bytes()
        with held_record(here / "releases.json") as record:
            record.settle(noted.published)
        with pytest.raises(InvalidParameter, match="record says that the publication was released"):
            void_debit(here / "budget", number, out=here / "reports.csv")
        (here / "releases.json").write_bytes(kept)
        with held_record(here / "releases.json") as record:
            record.void(noted.published)
        with pytest.raises(InvalidParameter, match="record does not know the publication"):
            void_debit(here / "budget", number, out=here / "reports.csv")

    def test_under_another_study(self, runner, tmp_path):
        here, number = self.waiting(runner, tmp_path)
        text = (here / "study.toml").read_text()
        (here / "study.toml").write_text(text.replace("Did you", "Have you"))
        with pytest.raises(InvalidParameter, match="is another study than the one that was published"):
            void_debit(here / "budget", number, out=here / "reports.csv")
        (here / "study.toml").rename(here / "elsewhere.toml")
        with pytest.raises(InvalidParameter, match="must say which study"):
            void_debit(here / "budget", number, out=here / "reports.csv")
        (here / "elsewhere.toml").write_text(text)
        void_debit(here / "budget", number, out=here / "reports.csv", study=here / "elsewhere.toml")

    def test_a_reason_is_one_line(self, runner, tmp_path):
        here, number = self.waiting(runner, tmp_path)
        with pytest.raises(InvalidParameter, match="reason must be one line"):
            void_debit(here / "budget", number, out=here / "reports.csv", reason="a\nb")
        assert unsettled(here), "nothing happened"
        book = void_debit(here / "budget", number, out=here / "reports.csv", reason="wrong region")
        assert book.entry_at(number).voided.reason == "wrong region"


def test_what_is_given_back_can_be_spent(runner):
    folder, entry = paid_and_staged(runner, "public")
    ledger = Ledger(folder / "budget")
    left = ledger.left.bits
    with pytest.raises(BudgetSpent):
        ledger.spend(information("x", 1000))
    runner.run(folder, "public", number=entry.receipt.number)
    ledger.spend(information("x", 1000))
    assert ledger.left.bits == 0 < left
    shutil.rmtree(folder)


def test_a_receipt_of_what_was_voided_settles_nothing(runner):
    folder, entry = paid_and_staged(runner, "public")
    runner.run(folder, "public", number=entry.receipt.number)
    with pytest.raises(InvalidParameter, match=r"was voided on .* nothing pays for it"):
        Ledger(folder / "budget").settle(entry.receipt)
    shutil.rmtree(folder)
