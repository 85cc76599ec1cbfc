"""Killed at any flush, renaming, removal or debit, the same call finishes it: one payment, one set of draws.

What is visible changes by these alone, so whoever looks after each of them has looked at every moment.
"""

import contextlib
import os
import random
import signal
import subprocess
import sys
import time

import pytest

import sfumato as sf
from sfumato.ledger import Ledger
from workflows.crash_cases import CASES
from workflows.crash_checks import Observer, check_done, check_seen, files_in, is_staged
from workflows.crash_running import mounted, unmounted

DONE = {
    "publish": ("was published before in epoch", "was made already", "these keys have made reports"),
    "erase": ("names a person who is not in the indexes",),
    "combine": ("is there already, and not empty",),
}
"""What the same call says when all was done, and even tidied up; `check_done` sees that it was."""
COMMANDS = sorted(case for case in CASES if CASES[case].argv)


def is_whole(folder, case):
    """Whether all was done, and even tidied up: where nothing tells people apart, the same again is a further part."""
    found, entries = CASES[case], Ledger(folder / "budget").entries()
    staged = [path for path, _, _ in os.walk(folder, followlinks=True) if path.endswith(".staged")]
    is_paid = len(entries) == found.made_before + found.pays and all(entry.settled for entry in entries)
    return found.verb in {"append", "amend"} and is_paid and not staged


def contents(folder):
    return {path.relative_to(folder): path.read_bytes() for path in files_in(folder) if not is_staged(path)}


def check_before_its_moment(runner, folder, case):
    """Until the manifest, or the file, is replaced, an erasure has changed nothing at all."""
    out = CASES[case].out
    begun = contents(runner.template(case))
    moment = next(name for name in begun if str(name) in {out, f"{out}/publication.json"})
    now = contents(folder)
    if now[moment] == begun[moment]:
        beside = {f"{out}.about.json", f"{out}.codebook.md"}
        assert {name: now.get(name) for name in begun if str(name) not in beside} == {
            name: data for name, data in begun.items() if str(name) not in beside
        }


def check_after_kill(runner, folder, case, observer):
    check_seen(folder, case, observer)
    if CASES[case].verb == "erase":
        check_before_its_moment(runner, folder, case)
    if CASES[case].verb in {"append", "amend", "erase"} and (folder / CASES[case].out).is_dir():
        # Whoever reads a publication that grows or shrinks reads all of it, before or after, at any moment.
        reports = sf.read_reports(folder / CASES[case].out)
        for name in reports.note.columns:
            reports.column(name)


def finished(runner, folder, case, observer, argv=None):
    """Run it undisturbed, and check that it is done, once."""
    is_further = is_whole(folder, case)
    if not is_further:
        done = runner.run(folder, case) if argv is None else runner.ask(folder=str(folder), argv=argv)
        assert done["code"] == 0 or any(words in done["said"] for words in DONE.get(CASES[case].verb, ())), done["said"]
    check_done(folder, case, observer, or_locks=is_further)


def disturb_and_rerun(runner, case, *fatal, folder=None, how="kill", after_kill=check_after_kill):
    """End it at each of the steps in turn, run it undisturbed, and check."""
    folder, observer = folder or runner.folder(case), Observer()
    observer.look(folder)
    for number in fatal:
        done = runner.run(folder, case, number, how=how)
        after_kill(runner, folder, case, observer)
        if done["code"] == 0 or is_whole(folder, case):
            break
        assert done["code"] == -signal.SIGKILL or "said" in done
    finished(runner, folder, case, observer)
    runner.drop(folder)


def steps_of(runner, case, how="kill"):
    folder, observer = runner.folder(case), Observer()
    done = runner.run(folder, case, how=how)
    assert done["code"] == 0, done["said"]
    check_done(folder, case, observer)
    runner.drop(folder)
    return done["steps"]


def spread(case, steps, count):
    """So many steps of a case, spread over all of them, and others in each case; the slow suite takes all."""
    shift = sorted(CASES).index(case) / len(CASES)
    return [int(steps * (turn + shift) / count) for turn in range(count)]


def on_two_disks(folder):
    if folder.stat().st_dev == (folder / "other").stat().st_dev:
        pytest.skip("there is one disk only here")


@pytest.mark.parametrize("case", sorted(CASES))
def test_killed_at_a_step_it_is_finished(runner, case):
    if case.startswith("two disks"):
        on_two_disks(runner.template(case))
    steps = steps_of(runner, case)
    assert steps > 40
    for fatal in spread(case, steps, 2):
        disturb_and_rerun(runner, case, fatal)


@pytest.mark.parametrize(
    ("case", "first", "last"),
    [("append public", 0.6, 1), ("combine", 0.5, 1), ("erase csv", 0.2, 0.6), ("public csv", 0.6, 1)],
)
def test_killed_while_it_is_put_in_place_and_tidied_up(runner, case, first, last):
    """A table of texts and its note are renamed one after the other; and a part that is settled is not drawn again."""
    steps = steps_of(runner, case)
    for fatal in range(int(steps * first), int(steps * last), 3):
        disturb_and_rerun(runner, case, fatal)


@pytest.mark.slow
@pytest.mark.parametrize("case", sorted(CASES))
def test_killed_at_every_step_and_again_while_finishing(runner, case):
    if case.startswith("two disks"):
        on_two_disks(runner.template(case))
    steps, dice = steps_of(runner, case), random.Random(15)  # noqa: S311  kills, not reports
    for fatal in range(steps):
        disturb_and_rerun(runner, case, fatal)
    for _ in range(30):
        disturb_and_rerun(runner, case, dice.randrange(steps), dice.randrange(steps), dice.randrange(steps))


@contextlib.contextmanager
def with_disk(folder, name, size="4m"):
    """Make a folder in the folder of a case a disk of its own."""
    mounted(folder / name, size)
    try:
        assert folder.stat().st_dev != (folder / name).stat().st_dev
        yield folder
    finally:
        unmounted(folder / name)


@pytest.mark.parametrize(("case", "name"), [("index", "keys"), ("folder", "keys"), ("folder", "reports")])
def test_the_folder_is_a_disk_of_its_own(runner, case, name):
    """What is staged inside a folder is renamed within it; beside it, it would lie on another disk."""
    for fatal in (-1, 85, 95):
        folder, observer = runner.folder(case), Observer()
        with with_disk(folder, name):
            done = runner.run(folder, case, fatal)
            check_seen(folder, case, observer)
            if done["code"]:
                finished(runner, folder, case, observer)
            check_done(folder, case, observer)
        runner.drop(folder)


def kill_at_random(runner, case, dice, longest):
    folder, observer = runner.folder(case), Observer()
    observer.look(folder)
    runner.ask(folder=str(folder), argv=CASES[case].argv, seconds=dice.random() * longest)
    check_after_kill(runner, folder, case, observer)
    finished(runner, folder, case, observer, CASES[case].argv)
    runner.drop(folder)


def kill_at_instants(runner, count, seed):
    """Kill the command at so many instants, drawn over the time that it takes."""
    dice = random.Random(seed)  # noqa: S311  kills, not reports
    longest = {}
    for case in COMMANDS:
        folder = runner.folder(case)
        began = time.monotonic()
        done = runner.ask(folder=str(folder), argv=CASES[case].argv)
        longest[case] = time.monotonic() - began
        assert done["code"] == 0, done["said"]
        runner.drop(folder)
    for turn in range(count):
        case = COMMANDS[turn % len(COMMANDS)]
        kill_at_random(runner, case, dice, longest[case])


def test_killed_at_random(runner):
    kill_at_instants(runner, 6, 16)


@pytest.mark.slow
def test_killed_at_random_three_hundred_times(runner):
    kill_at_instants(runner, 300, 300)


@pytest.mark.slow
@pytest.mark.parametrize("case", COMMANDS)
def test_the_command_of_a_terminal_is_killed(runner, case):
    """As above, in a process that was started for it, and is killed from outside."""
    command = [sys.executable, "-c", "from sfumato.cli.app import main; main()", *CASES[case].argv]
    dice = random.Random(1)  # noqa: S311  kills, not reports
    began = time.monotonic()
    folder = runner.folder(case)
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    longest = time.monotonic() - began
    runner.drop(folder)
    for _ in range(5):
        folder, observer = runner.folder(case), Observer()
        observer.look(folder)
        with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            time.sleep(longest * (0.4 + 0.6 * dice.random()))
            process.kill()
        check_after_kill(runner, folder, case, observer)
        finished(runner, folder, case, observer)
        runner.drop(folder)
