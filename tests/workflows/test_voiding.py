"""A debit is given back where its publication provably never left staging, and nowhere else; a rerun ends it."""

import functools
import os
import shutil
from fractions import Fraction

import pytest

import sfumato as sf
from sfumato.errors import BudgetSpent, InvalidParameter
from sfumato.ledger import Ledger, information
from sfumato.publications.manifest import ManifestPart, note_digest, read_manifest
from sfumato.publications.registry import held_record, read_record_file
from sfumato.workflows.budget import void_debit
from workflows.crash_cases import CASES, make, people
from workflows.crash_checks import Observer, check_done, check_tidy, note_of, outside

VOIDABLE = sorted(case for case in CASES if CASES[case].pays)
STAGED = "nobody can prove that it was not seen"


def unsettled(folder):
    return [entry for entry in Ledger(folder / "budget").read().live if entry.settled is None]


def is_out(folder, published):
    """Whether any file outside staging holds reports of a publication."""
    files = outside(folder, ".csv", ".parquet")
    return any(part.id == published.part for path in files for part in note_of(path).parts)


def seen(folder):
    observer = Observer()
    observer.look(folder)
    return observer.reports


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
        is_paid = len(Ledger(folder / "budget").entries()) > CASES[case].made_before
        free, paid = (free, middle) if is_paid else (middle, paid)
        runner.drop(folder)
    return paid


def check_voided(folder, case, entry):
    """The debit is given back and noted as voided, and nothing of the publication is left anywhere."""
    book = Ledger(folder / "budget").read()
    found = book.entry_at(entry.receipt.number)
    assert found.voided is not None
    assert found.voided.reason == "it never left staging"
    assert not unsettled(folder)
    assert len(book.live) == CASES[case].made_before
    if CASES[case].verb == "publish":  # those of one publication pay together, and less than the sum
        assert book.spent.bits == sum((one.release.charges.bits for one in book.live), Fraction(0))
    check_tidy(folder, or_locks=True)
    assert not is_out(folder, entry.release.published)
    assert entry.release.published.part[:8] not in " ".join(path.name for path in outside(folder, ".key", ".index"))
    if (folder / "releases.json").exists():
        assert [one.published.id for one in read_record_file(folder / "releases.json")] == [
            one.receipt.release_id for one in book.live
        ]


@pytest.mark.parametrize(
    "case", ["again", "amend", "append", "folder", "keys", "public csv", "public index", "rotated"]
)
def test_voided_wherever_nothing_is_in_place_and_then_published_afresh(runner, case):
    """At some steps it can be voided, at others not; where it can, nothing can have been seen, and the reverse."""
    outcomes = {"voided": 0, "refused": 0}
    begin = first_paid(runner, case)
    # The table goes last: what is in place before it is a key, an index, a note or a codebook.
    for fatal in (begin, begin + 3, begin + 7, begin + 12):
        folder = interrupted(runner, case, fatal)
        if not unsettled(folder):
            break
        (entry,) = unsettled(folder)
        number = entry.receipt.number
        out = is_out(folder, entry.release.published)
        before = seen(folder)
        done = runner.run(folder, case, number=number)
        if done["code"] == 0:
            assert not out
            check_voided(folder, case, entry)
            outcomes["voided"] += 1
        else:
            assert done["said"].startswith("InvalidParameter: out="), done["said"]
            assert STAGED in done["said"]
            assert [one.receipt for one in unsettled(folder)] == [entry.receipt], "as before"
            assert seen(folder) == before
            outcomes["refused"] += 1
        again = runner.run(folder, case)
        assert again["code"] == 0, again.get("said")
        check_done(folder, case, Observer())
        runner.drop(folder)
    assert min(outcomes.values()) > 0, outcomes


def paid_and_staged(runner, case):
    """A folder in which all of a publication is paid for and still staged."""
    folder = interrupted(runner, case, first_paid(runner, case))
    (entry,) = unsettled(folder)
    return folder, entry


def staged_in(folder):
    """What is staged, with where it is to stand."""
    places = [path for path in folder.rglob("*.staged") if path.is_dir()]
    return {path: place.parent / path.name for place in places for path in place.iterdir()}


@pytest.mark.parametrize("case", ["amend", "append", "folder", "index"])
def test_not_voided_once_anything_is_in_place(runner, case):
    """A key, the index, a codebook, a note, the part, each for itself, renamed or copied; or the manifest's entry."""
    folder, entry = paid_and_staged(runner, case)
    number, part = entry.receipt.number, entry.release.published.part
    files = staged_in(folder)
    assert len(files) >= 6
    for staged, target in files.items():
        staged.replace(target)
        done = runner.run(folder, case, number=number)
        assert STAGED in done["said"]
        target.replace(staged)
    own = {staged: target for staged, target in files.items() if target.parent.name != folder.name}
    for staged, target in own.items():
        shutil.copy(staged, target)
        done = runner.run(folder, case, number=number)
        assert STAGED in done["said"]
        target.unlink()
    if (folder / "reports" / "publication.json").exists():
        kept = (folder / "reports" / "publication.json").read_bytes()
        (table,) = [path for path in files if path.suffix == ".parquet"]
        note = note_of(table)
        entered = ManifestPart(id=part, file=table.name, note=note_digest(note.to_text()), amends=note.parts[0].amends)
        read_manifest(folder / "reports").with_part(entered).write(folder / "reports")
        assert STAGED in runner.run(folder, case, number=number)["said"]
        (folder / "reports" / "publication.json").write_bytes(kept)
    assert runner.run(folder, case, number=number)["code"] == 0
    check_voided(folder, case, entry)
    runner.drop(folder)


def kill_voiding(runner, case, every):
    """Kill it at steps in turn; the same command ends it, or the publication is finished after all, and counts once."""
    folder, entry = paid_and_staged(runner, case)
    number = entry.receipt.number
    kept = folder.with_name(f"{folder.name}-kept")
    shutil.copytree(folder, kept, symlinks=True)
    other = (folder / "other").resolve()
    shutil.copytree(other, kept / "kept other")

    def put_back():
        shutil.rmtree(folder)
        shutil.rmtree(other)
        shutil.copytree(kept, folder, symlinks=True, ignore=shutil.ignore_patterns("kept other"))
        shutil.copytree(kept / "kept other", other)

    done = runner.run(folder, case, number=number)
    assert done["code"] == 0, done.get("said")
    check_voided(folder, case, entry)
    assert done["steps"] > 6
    for turn, fatal in enumerate(range(every // 2, done["steps"], every)):
        for then in ("void", "publish") if every == 1 else (("void", "publish")[turn % 2],):
            put_back()
            assert runner.run(folder, case, fatal, number=number)["code"] < 0
            assert not is_out(folder, entry.release.published)
            if then == "void":
                ended = runner.run(folder, case, number=number)
                assert ended["code"] == 0, ended.get("said")
                check_voided(folder, case, entry)
            ended = runner.run(folder, case)
            assert ended["code"] == 0, ended.get("said")
            check_done(folder, case, Observer())
    shutil.rmtree(kept)
    runner.drop(folder)


@pytest.mark.parametrize("case", ["keys csv", "ledger alone"])
def test_killed_while_voiding(runner, case):
    kill_voiding(runner, case, 6)


@pytest.mark.slow
@pytest.mark.parametrize("case", VOIDABLE)
def test_killed_at_every_step_of_voiding(runner, case):
    kill_voiding(runner, case, 1)


class TestWhatCannotBeVoided:
    @pytest.fixture
    def folder(self, tmp_path):
        return make(tmp_path / "study", "public", tmp_path / "other")

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
        with held_record(here / "releases.json") as registry:
            registry.settle(noted.published)
        with pytest.raises(InvalidParameter, match="registry says that the publication was released"):
            void_debit(here / "budget", number, out=here / "reports.csv")
        (here / "releases.json").write_bytes(kept)
        with held_record(here / "releases.json") as registry:
            registry.void(noted.published)
        with pytest.raises(InvalidParameter, match="registry does not know the publication"):
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
    runner.drop(folder)


def test_a_receipt_of_what_was_voided_settles_nothing(runner):
    folder, entry = paid_and_staged(runner, "public")
    runner.run(folder, "public", number=entry.receipt.number)
    with pytest.raises(InvalidParameter, match=r"was voided on .* nothing pays for it"):
        Ledger(folder / "budget").settle(entry.receipt)
    runner.drop(folder)
