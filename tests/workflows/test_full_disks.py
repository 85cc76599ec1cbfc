"""A full disk, a medium that may only be read, too little memory, an interrupt: a sentence, and nothing is lost.

Whatever happens, the same command ends it when there is room again: one payment, one set of draws.
"""

import os

import pytest

from sfumato.ledger import Ledger
from workflows.crash_cases import CASES
from workflows.crash_checks import Observer, check_done, check_seen, check_tidy
from workflows.crash_running import mounted, remounted, unmounted
from workflows.test_release_crashes import COMMANDS, finished, is_whole, spread


def is_sentence(done):
    """The input or the machine cannot be used, and it is said in one line that asks nobody to report a bug."""
    said = [line for line in done["said"].splitlines() if not line.startswith("note: ")]
    return done["code"] == 2 and len(said) == 1 and not any(word in said[0] for word in ("bug", "Traceback"))


def check_refused(folder, case):
    """What was refused before it was paid for has left nothing; what was paid for is staged, whole."""
    entries = Ledger(folder / "budget").read().live
    assert len(entries) <= CASES[case].made_before + CASES[case].pays
    if CASES[case].pays and len(entries) == CASES[case].made_before and not (folder / "releases.json").exists():
        check_tidy(folder)


def command(runner, folder, case, **more):
    return runner.ask(folder=str(folder), argv=CASES[case].argv, **more)


def fail_and_rerun(runner, case, fatal, how):
    folder, observer = runner.folder(case), Observer()
    observer.look(folder)
    done = command(runner, folder, case, fatal=fatal, how=how)
    expected = 130 if how == "interrupt" else 2
    assert done["code"] in {0, expected}, done["said"]
    if done["code"] == 2:
        assert is_sentence(done), done["said"]
    check_seen(folder, case, observer)
    if how == "fail":  # an interrupt may fall on the very removal of a trial
        check_refused(folder, case)
    finished(runner, folder, case, observer)
    runner.drop(folder)
    return done["code"]


def steps_of_failing(runner, case, how):
    folder = runner.folder(case)
    done = runner.run(folder, case, how=how)
    runner.drop(folder)
    return done["steps"]


@pytest.mark.parametrize("how", ["fail", "interrupt"])
@pytest.mark.parametrize("case", COMMANDS)
def test_the_disk_is_full_from_some_step_on_or_somebody_stops_it(runner, case, how):
    steps = steps_of_failing(runner, case, how)
    codes = {fail_and_rerun(runner, case, fatal, how) for fatal in spread(case, steps, 2)}
    assert codes - {0}


@pytest.mark.slow
@pytest.mark.parametrize("how", ["fail", "interrupt"])
@pytest.mark.parametrize("case", COMMANDS)
def test_the_disk_is_full_from_any_step_on_or_somebody_stops_it(runner, case, how):
    for fatal in range(steps_of_failing(runner, case, how)):
        fail_and_rerun(runner, case, fatal, how)


def limited_and_rerun(runner, case, **limit):
    folder, observer = runner.folder(case), Observer()
    observer.look(folder)
    done = command(runner, folder, case, **limit)
    assert done["code"] == 0 or is_sentence(done), (done["code"], done["said"])
    check_seen(folder, case, observer)
    finished(runner, folder, case, observer)
    runner.drop(folder)
    return done


@pytest.mark.parametrize("case", COMMANDS)
def test_no_file_may_grow_beyond_a_limit(runner, case):
    """The system refuses the bytes themselves, in the middle of a table, a key or the ledger."""
    codes = [limited_and_rerun(runner, case, limits={"RLIMIT_FSIZE": size})["code"] for size in (0, 2500)]
    assert codes[0] == 2


@pytest.mark.slow
@pytest.mark.parametrize("case", COMMANDS)
def test_no_file_may_grow_beyond_many_limits(runner, case):
    for size in range(0, 20_000, 500):
        limited_and_rerun(runner, case, limits={"RLIMIT_FSIZE": size})


@pytest.mark.parametrize("case", COMMANDS)
def test_memory_is_full(runner, case):
    assert "memory" in limited_and_rerun(runner, case, memory=0)["said"]


@pytest.mark.slow
@pytest.mark.parametrize("case", COMMANDS)
def test_memory_is_full_sooner_or_later(runner, case):
    for size in (1, 2, 4, 8, 16, 32, 64, 128):
        limited_and_rerun(runner, case, memory=size * 2**20)


@pytest.mark.parametrize(("case", "name"), [("keys", "keys"), ("folder", "reports")])
def test_a_disk_that_is_nearly_full(runner, case, name):
    """A real one: what is left of it is not enough, then there is room."""
    codes = []
    for left in (0, 65536):
        folder, observer = runner.folder(case), Observer()
        mounted(folder / name, "256k")
        try:
            (folder / name / "filler").write_bytes(b"x" * (262144 - 4096 - left))
            done = command(runner, folder, case)
            codes.append(done["code"])
            assert done["code"] == 0 or is_sentence(done), done["said"]
            check_seen(folder, case, observer)
            (folder / name / "filler").unlink()
            finished(runner, folder, case, observer, CASES[case].argv)
        finally:
            unmounted(folder / name)
        runner.drop(folder)
    assert codes[0] == 2


@pytest.mark.parametrize(("case", "name"), [("keys", "keys"), ("folder", "reports")])
def test_a_medium_that_may_only_be_read(runner, case, name):
    """It is found out before anything is drawn, paid for or noted."""
    folder = runner.folder(case)
    mounted(folder / name)
    try:
        remounted(folder / name, "ro")
        done = command(runner, folder, case)
        assert is_sentence(done), done["said"]
        option = {"keys": "--keys", "reports": "--out"}[name]
        assert f"{option} '{name}' cannot be written to" in done["said"]
        assert "nothing was debited" in done["said"]
        assert not Ledger(folder / "budget").entries()
        assert not (folder / "releases.json").exists()
        check_tidy(folder)
        remounted(folder / name, "rw")
        finished(runner, folder, case, Observer(), CASES[case].argv)
    finally:
        unmounted(folder / name)
    runner.drop(folder)


def test_room_is_asked_for_before_anything_is_drawn(runner):
    folder = runner.folder("keys")
    done = command(runner, folder, "keys", free=100)
    assert is_sentence(done), done["said"]
    assert "lies on a disk with 100 bytes left" in done["said"]
    assert "nothing was drawn" in done["said"]
    assert not Ledger(folder / "budget").entries()
    assert not (folder / "releases.json").exists()
    check_tidy(folder)
    finished(runner, folder, "keys", Observer(), CASES["keys"].argv)
    runner.drop(folder)


def test_the_disk_of_the_keys_is_named(runner):
    """Where keys lie on another disk than reports, the sentence says which of them is full."""
    folder = runner.folder("keys")
    mounted(folder / "keys", "64k")
    try:
        (folder / "keys" / "filler").write_bytes(b"x" * (65536 - 4096))
        done = command(runner, folder, "keys")
        assert is_sentence(done), done["said"]
        assert "--keys 'keys'" in done["said"]
        assert "No space left on device" in done["said"]
    finally:
        unmounted(folder / "keys")
    runner.drop(folder)


@pytest.mark.skipif(os.geteuid() == 0, reason="whoever may do everything may write everywhere")
def test_a_folder_that_may_only_be_read(runner):
    folder = runner.folder("keys")
    (folder / "keys").mkdir(mode=0o500)
    done = command(runner, folder, "keys")
    assert is_sentence(done), done["said"]
    assert "nothing was debited" in done["said"]
    runner.drop(folder)


def test_what_an_earlier_run_left_is_removed(runner):
    """Temporary files, and staging that was never complete, beside everything that is written."""
    folder, observer = runner.folder("folder"), Observer()
    (folder / "reports").mkdir()
    (folder / "keys").mkdir()
    number = "0123456789abcdef"
    stale = [
        folder / f".releases.json.{number}.tmp",
        folder / "reports" / f".publication.json.{number}.tmp",
        folder / "keys" / f".registrar.moved.key.{number}.tmp",
    ]
    for path in stale:
        path.write_text("half")
    for place in (folder / "reports" / f".{number}.staged", folder / "keys" / f".keys-{number}.staged"):
        place.mkdir()
        (place / "half").write_text("half")
    assert not is_whole(folder, "folder")
    finished(runner, folder, "folder", observer, CASES["folder"].argv)
    check_done(folder, "folder", observer)
    runner.drop(folder)
