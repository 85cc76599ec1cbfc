"""Killed at any flush, renaming or debit, a publication is finished by the same call: one payment, one set of draws."""

import json
import random
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import sfumato as sf
from sfumato.account import Ledger
from sfumato.io.record_files import read_record_file
from sfumato.refine import Unprotected
from sfumato.study.reports import Reports
from sfumato.study.steps import read_record, rotate_key_file
from small_studies import small_study
from study.crash_runner import CASES

ROWS = 30
KEYED = {"keys", "keys csv", "rotated"}


class Runner:
    """A process that publishes in forks of itself."""

    def __init__(self, root):
        self.root, self.folders = root, 0
        make_study(root / "warm", "public")
        self.process = subprocess.Popen(
            [sys.executable, Path(__file__).parent / "crash_runner.py", root / "warm"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self.process.stdout.readline() == "ready\n"

    def run(self, folder, case, fatal=-1, **more):
        self.process.stdin.write(json.dumps({"folder": str(folder), "case": case, "fatal": fatal, **more}) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def folder(self, case):
        self.folders += 1
        return make_study(self.root / str(self.folders), case)

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


@pytest.fixture(scope="module")
def runner(tmp_path_factory):
    # In memory where that can be had: a kill tests the order of writes, and waiting for a disk adds nothing to it.
    memory = Path("/dev/shm")  # noqa: S108
    root = Path(tempfile.mkdtemp(dir=memory)) if memory.is_dir() else tmp_path_factory.mktemp("crashes")
    found = Runner(root)
    yield found
    found.close()
    shutil.rmtree(root)


def people():
    return {
        "moved": ["yes" if i % 3 == 0 else "no" for i in range(ROWS)],
        "debt": ["yes" if i % 4 == 0 else "no" for i in range(ROWS)],
        "region": ["hill" if i % 2 else "coast" for i in range(ROWS)],
    }


def make_study(folder, case):
    """A study with a ledger; with keys it has a card as well, which nothing can answer twice alike."""
    folder.mkdir()
    questions = small_study().questions
    if case in KEYED:
        asked = questions[:1] if case == "rotated" else (questions[0], questions[3])
        study = small_study(questions=asked, ledger="budget")
    else:
        study = small_study(questions=questions[:1], analysts=(), recover=False, ledger="budget")
    sf.write_study(study, folder / "study.toml")
    table = people()
    lines = [",".join(table), *(",".join(row) for row in zip(*table.values(), strict=True))]
    (folder / "answers.csv").write_text("\n".join(lines) + "\n")
    Ledger.create(folder / "budget", budget_bits=1000)
    (folder / "out").mkdir()
    if case == "rotated":
        given = {"protection": Unprotected(), "guarantee": "computational"}
        sf.publish(folder / "study.toml", table, out=folder / "first.csv", keys=folder / "first", **given)
        for path in (folder / "first").iterdir():
            rotate_key_file(path, folder / "rotated" / path.name, protection=Unprotected())
    if case == "again":
        sf.publish(folder / "study.toml", table, out=folder / "first.csv")
    return folder


def visible(folder):
    """The reports that anybody could see: files outside staging, read whatever their state."""
    found = {}
    for path in [*folder.glob("*.csv"), *folder.glob("out/*.csv"), *folder.glob("*.parquet")]:
        if path.name != "answers.csv":
            found[path.name] = Reports.read(path)
    return {name: [reports.table[q].to_pylist() for q in reports.note.columns] for name, reports in found.items()}


def check(folder, case, seen):
    """One payment that is settled, one release that is complete, and what was seen before is what is there."""
    options = CASES[case]
    before = 1 if case in {"rotated", "again"} else 0
    entries = Ledger(folder / "budget").entries()
    assert len(entries) == before + 1
    assert all(entry.settled for entry in entries)
    reports = Reports.read(folder / options["out"])
    paid = entries[-1].release.published
    made = {name: column.digest for name, column in reports.note.columns.items()}
    assert made == {column.question: column.digest for column in paid.columns}
    for name in made:
        reports.column(name)
    if case == "ledger alone":
        assert not (folder / "releases.json").exists()
    else:
        noted = read_record_file(folder / "releases.json")
        assert [one.published.id for one in noted] == [entry.receipt.release_id for entry in entries]
        assert all(one.released for one in noted)
    assert len(read_record(folder / "study.toml").releases) == before + 1
    assert len(reports.note.earlier) == (1 if case == "again" else 0)
    now = visible(folder)
    assert all(now[name] == columns for name, columns in seen.items()), "what was seen is what is there"
    if case in KEYED:
        keys = folder / options["keys"]
        assert sorted(path.name for path in keys.iterdir() if path.suffix == ".key") == [
            "ministry.moved.key", "press.moved.key", "registrar.moved.key",
        ]  # fmt: skip
        back = sf.recover_answers(reports, keys / "registrar.moved.key")
        assert back["moved"].to_pylist() == people()["moved"]
        assert sf.open_reports(reports, keys / "ministry.moved.key").note.column("moved").level == 1
    assert not list(folder.rglob("*.staged"))
    assert (folder / f"{options['out']}.codebook.md").exists()


def check_paid(folder):
    """Whatever anybody could see is paid for: before, not after."""
    published = [entry.release.published for entry in Ledger(folder / "budget").entries()]
    paid = {column.digest for one in published for column in one.columns}
    for path in [*folder.glob("*.csv"), *folder.glob("out/*.csv"), *folder.glob("*.parquet")]:
        if path.name != "answers.csv":
            assert {column.digest for column in Reports.read(path).note.columns.values()} <= paid


def steps_of(runner, case):
    folder = runner.folder(case)
    done = runner.run(folder, case)
    assert done["code"] == 0, done["said"]
    check(folder, case, {})
    return done["steps"]


def kill_and_rerun(runner, case, *fatal):
    """Kill it at each of the steps in turn, run it undisturbed, and check; a run that is whole ends it."""
    folder = runner.folder(case)
    seen = {}
    for number in (*fatal, -1):
        done = runner.run(folder, case, number)
        check_paid(folder)
        now = visible(folder)
        assert all(now[name] == columns for name, columns in seen.items())
        seen |= now
        if done["code"] != -signal.SIGKILL:
            break
    # Killed after everything was in place and settled, it is simply refused a second time; `check` sees that it was.
    whole = done.get("said", "").startswith(("ReleasedBefore", "KeyReused: these keys have made reports"))
    assert done["code"] == 0 or whole, done.get("said")
    check(folder, case, seen)
    shutil.rmtree(folder)


@pytest.mark.parametrize("case", sorted(CASES))
def test_killed_at_a_step_it_is_finished(runner, case):
    steps = steps_of(runner, case)
    assert steps > 20
    # Every seventh, and others in each case; the slow suite takes all, and several kills in a row.
    for fatal in range(sorted(CASES).index(case), steps, 7):
        kill_and_rerun(runner, case, fatal)


@pytest.mark.slow
@pytest.mark.parametrize("case", sorted(CASES))
def test_killed_at_every_step_and_again_while_finishing(runner, case):
    steps, dice = steps_of(runner, case), random.Random(15)  # noqa: S311  kills, not reports
    for fatal in range(steps):
        kill_and_rerun(runner, case, fatal)
    for _ in range(60):
        kill_and_rerun(runner, case, dice.randrange(steps), dice.randrange(steps), dice.randrange(steps))
