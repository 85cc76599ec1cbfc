"""Whenever a verb that writes is interrupted or killed, each file is as it was or complete."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cli.forks import Forks
from sfumato.cli import interrupts
from sfumato.keys.key_files import read_key
from sfumato.keys.protection import Unprotected
from sfumato.publications.reports import Reports

STUDY = """schema = "sfumato/study/2"
name = "Poll"
[public]
epsilon = 0.5
[registrar]
recover = true
[[analysts]]
name = "ministry"
epsilon = 2
[[questions]]
id = "affair"
text = "Have you?"
kind = "yes-no"
[[questions]]
id = "children"
text = "How many?"
kind = "count"
highest = 6
points = 7
"""
ROWS = 3000
CUT = 1000
OLD = b"old and precious"
SENTENCE = "sfumato: stopped. Every file is as it was before, or complete."
MOMENTS, QUICK = 20, 8

PUBLISH = ["publish", "../in/answers.csv", "--study", "../in/study.toml", "--keys", "keys", "--unprotected", "-q"]
# Each verb, and the outputs that are there already when it starts.
VERBS = {
    "publish parquet": ([*PUBLISH, "--out", "reports.parquet"], ["reports.parquet"]),
    "publish csv": ([*PUBLISH, "--out", "reports.csv"], ["reports.csv", "reports.csv.about.json"]),
    "open": (
        ["open", "../in/reports.csv", "-k", "../in/keys/ministry.affair.key", "--out", "opened.csv", "-q"],
        ["opened.csv", "opened.csv.about.json"],
    ),
    "recover": (
        ["recover", "../in/reports.csv", "-k", "../in/keys/registrar.affair.key", "--out", "back.csv"],
        ["back.csv"],
    ),
    "plan": (
        ["plan", "../in/study.toml", "-o", "certificates", "--plot", "plan.svg"],
        ["certificates/affair.certificate.json", "certificates/children.certificate.json", "plan.svg"],
    ),
    "report": (["report", "../in/reports.csv", "--out", "page.html"], ["page.html"]),
    "certify": (["certify", "../in/channel.csv", "-o", "c.json", "--html", "c.html"], ["c.json", "c.html"]),
    "split": (
        ["keys", "split", "../in/keys/ministry.affair.key", "--at", str(CUT), "--out", "parts", "--unprotected"],
        [],
    ),
    "new": (["new", "study.toml", "--yes"], []),
}
# These refuse to replace what is there, so the next run may have to choose another name.
NEVER_OVERWRITE = {"split", "new"}


class Stage:
    """A folder with inputs, and a process that runs verbs in forks of itself."""

    def __init__(self, server, root):
        self.root, self.inputs, self.folder = root, root / "in", root / "out"
        self.inputs.mkdir()
        (self.inputs / "study.toml").write_text(STUDY)
        cells = "".join(f"{'yes' if i % 5 == 0 else 'no'},{i % 7}\n" for i in range(ROWS))
        (self.inputs / "answers.csv").write_text("affair,children\n" + cells)
        (self.inputs / "channel.csv").write_text("answer,no,yes\nno,3/4,1/4\nyes,0.25,0.75\n")
        self.folder.mkdir()
        (root / "warm").mkdir()
        self._known = {}
        self._forks = Forks(server, root / "warm")
        self.close = self._forks.close
        self._warm_up([*PUBLISH[:5], "../in/keys", *PUBLISH[6:], "--out", "../in/reports.csv"])

    def _warm_up(self, arguments):
        """Let the server compile what its forks will need."""
        (self.inputs / "releases.json").unlink(missing_ok=True)
        self._forks.ask(arguments=arguments, folder=None)

    def set_up(self, outputs):
        (self.inputs / "releases.json").unlink(missing_ok=True)
        shutil.rmtree(self.folder)
        self.folder.mkdir()
        for name in outputs:
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(OLD)

    def run(self, arguments, number=None, after=0.0):
        """Return the exit code, how long it took, and what was said on standard error."""
        answer = self._forks.ask(arguments=arguments, folder=str(self.folder), signal=number, after=after)
        return answer["code"], answer["seconds"], (self.root / "stderr").read_text()

    def reference(self, arguments, outputs):
        """Run undisturbed, twice; return the time, and the files that come out the same each time."""
        key = " ".join(arguments)
        if key not in self._known:
            self._warm_up(arguments)
            found, times = [], []
            for _ in range(2):
                self.set_up(outputs)
                code, seconds, said = self.run(arguments)
                assert code == 0, said
                times.append(seconds)
                found.append({path.name: path.read_bytes() for path in self.files()})
            self._known[key] = min(times), {name: data for name, data in found[0].items() if found[1].get(name) == data}
        return self._known[key]

    def files(self):
        return [path for path in self.folder.rglob("*") if path.is_file()]


@pytest.fixture(scope="module")
def stage(command_server, tmp_path_factory):
    stage = Stage(command_server, tmp_path_factory.mktemp("interrupts"))
    yield stage
    stage.close()


def is_scrap(path):
    return path.name.startswith(".") and path.suffix in {".tmp", ".lock"}


def check_complete(path, same):
    """A file that is not the old one must be a whole new one."""
    data = path.read_bytes()
    if data == OLD:
        return
    if path.name in same:
        assert data == same[path.name], path.name
    elif path.suffix == ".key":
        key = read_key(path, Unprotected())
        assert key.material.shifts.size == key.stop - key.start  # which opens every segment
        assert (key.start, key.stop) in {(0, ROWS), (0, CUT), (CUT, ROWS)}
    elif path.suffix == ".parquet":
        assert len(Reports.read(path)) == ROWS
    elif path.suffix == ".json":
        assert [part["rows"] for part in json.loads(data)["parts"]] == [ROWS]
    elif path.suffix == ".csv":
        assert data.endswith(b"\n")
        assert data.count(b"\n") == ROWS + 1
    elif path.suffix == ".svg":
        assert data.rstrip().endswith(b"</svg>")
    elif path.suffix == ".html":
        assert data.rstrip().endswith(b"</html>")
    else:
        assert data.endswith(b"IEND\xaeB`\x82"), path.name


def disturb(stage, name, arguments, outputs, number, moments):
    seconds, same = stage.reference(arguments, outputs)
    dice = random.Random(f"{name} {number}")  # noqa: S311  seeded on purpose
    ended = 0
    for turn in range(moments):
        stage.set_up(outputs)
        code, _, said = stage.run(arguments, number, after=dice.uniform(0.002, seconds))
        scraps = [path for path in stage.files() if is_scrap(path)]
        for path in stage.files():
            if path not in scraps:
                check_complete(path, same)
        if number == signal.SIGINT:
            assert code in {0, 130}, said
            # A lock is held by the process, not by its file, which may stay.
            assert not [path for path in scraps if path.suffix == ".tmp"]
            assert "Traceback" not in said
            lines = [line for line in said.splitlines() if not line.startswith(("wrote ", "recovered "))]
            assert lines == ([SENTENCE] if code == 130 else []), said
        else:
            assert code in {0, -signal.SIGKILL}, said
            if turn % 4 == 0 or "publish" in name:
                check_next_run(stage, name, arguments)
        ended += code != 0
        # Done before the signal came: the machine is quicker now than when the time was taken.
        seconds *= 1 if code else 0.8
    return ended


def check_next_run(stage, name, arguments):
    """What a killed run left behind, even half of its key files, does not stand in the way."""
    before = {path for path in stage.files() if not is_scrap(path)}
    code, _, said = stage.run(arguments)
    if name in NEVER_OVERWRITE and before:
        assert code == 2
        assert "exists already" in said
    else:
        assert code == 0, said
    if "publish" in name:
        assert len(list((stage.folder / "keys").glob("*.key"))) == 4
        assert not list(stage.folder.rglob("*.staged"))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL], ids=["SIGINT", "SIGKILL"])
@pytest.mark.parametrize("moments", [QUICK, pytest.param(MOMENTS, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", VERBS)
def test_each_file_is_old_or_complete(stage, name, moments, number):
    ended = disturb(stage, name, *VERBS[name], number, moments)
    # Not more: on a machine that is shared, runs are quicker at one time than at another.
    assert ended >= moments // 6, "some runs should have been cut short"


@pytest.mark.parametrize("share", [0.02, 0.15, 0.3, 0.5, 0.75])
def test_an_interrupt_while_libraries_are_loaded(tmp_path, share):
    """A fresh process, from its first line of Sfumato on; before that, the interpreter speaks for itself."""
    (tmp_path / "channel.csv").write_text("answer,no,yes\nno,3/4,1/4\nyes,0.25,0.75\n")
    ready, begun = os.pipe()
    code = (
        "import os, sys; from sfumato.cli import main; sys.argv[1:] = ['certify', 'channel.csv', '-o', 'c.json'];"
        f"os.write({begun}, b'!'); sys.exit(main())"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], cwd=tmp_path, pass_fds=[begun], stderr=subprocess.PIPE, text=True
    )
    os.close(begun)
    os.read(ready, 1)
    os.close(ready)
    time.sleep(share)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    if process.returncode == 0:
        assert (tmp_path / "c.json").exists()
    else:
        # It may have written its file already and said so; it may not say more than that.
        assert process.returncode == 130
        assert said.removeprefix("wrote c.json\n") == SENTENCE + "\n"
        assert not list(tmp_path.glob(".*"))


def test_who_switched_interrupts_off_is_not_interrupted(tmp_path):
    """As a background job of a shell: the verb goes on."""
    (tmp_path / "channel.csv").write_text("1/2,1/2\n1/2,1/2\n")
    process = subprocess.Popen(
        [Path(sys.executable).parent / "sfumato", "certify", "channel.csv", "-o", "c.json"],
        cwd=tmp_path, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),  # noqa: PLW1509  no threads here
    )  # fmt: skip
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (0, "wrote c.json\n")


def test_an_interrupt_while_the_interpreter_closes_down_changes_nothing(tmp_path):
    """When handlers have been taken away already: what is deleted last strikes, and the exit code stays."""
    code = (
        "import os, signal, sys; from sfumato.cli import main\n"
        "class Last:\n"
        "    def __del__(self, kill=os.kill, pid=os.getpid(), number=signal.SIGINT):\n"
        "        kill(pid, number)\n"
        "sys.last_of_all = Last()\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler); sys.argv[1:] = ['--version']; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("sfumato ")


@pytest.mark.parametrize("way", ["returns", "exits"])
def test_an_interrupt_while_the_command_ends_is_one_line_too(monkeypatch, capsys, way):
    """In the last moment before interrupts are laid to rest: nothing is left of the command but its exit."""
    rest, struck = interrupts._Watch.rest, []

    def struck_first():
        if not struck:
            struck.append(True)
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.01)
        rest()

    # Whoever runs the tests in the background has switched interrupts off.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    monkeypatch.setattr(interrupts._Watch, "rest", struck_first)
    # The handler itself rests too; the one of the test must not strike again from there.
    monkeypatch.setattr(interrupts._Watch, "stop", classmethod(stopped))
    try:
        with pytest.raises(SystemExit) as stop:
            interrupts.end_on_interrupt((lambda: None) if way == "returns" else (lambda: sys.exit(0)))
    finally:
        signal.signal(signal.SIGINT, before)
    assert struck
    assert stop.value.code == 130
    assert capsys.readouterr().err == SENTENCE + "\n"


def stopped(watch, number, frame):
    del number, frame
    watch.came = True
    raise KeyboardInterrupt
