"""Every verb says how it is used, and what it says is run."""

import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cli.verb_tree import verbs
from collected_studies import homes, kept
from sfumato.cli import main
from sfumato.cli.app import VERBS as TABLE
from sfumato.study.collection import collection_of
from sfumato.workflows.collecting import export_part
from sfumato.workflows.responding import respond_all

HEAVY = ("numpy", "scipy", "numba", "pyarrow", "matplotlib", "highspy", "cryptography", "constriction")

STUDY = """schema = "sfumato/study/2"
name = "Marriage survey"
[public]
epsilon = 0.5
[registrar]
recover = true
[[analysts]]
name = "ministry"
epsilon = 2
[[questions]]
id = "affair"
text = "Have you had an affair?"
kind = "yes-no"
"""
SURVEY = """schema = "sfumato/study/2"
name = "Overtime"
question = "Did you work unpaid overtime in the last four weeks?"
guess_error = 0.375
"""
ROWS = 6366


def examples(text):
    lines = text[text.index("Example") :].splitlines() if "Example" in text else []
    return [line.strip() for line in lines if line.strip().startswith("sfumato ")]


VERBS = {verb: command.help or "" for verb, command in verbs()}
EXAMPLES = [pytest.param(verb, line, id=line) for verb, text in VERBS.items() for line in examples(text)]


def run(monkeypatch, folder, arguments):
    monkeypatch.chdir(folder)
    monkeypatch.setattr("sys.argv", ["sfumato", *arguments])
    with pytest.raises(SystemExit) as stop:
        main()
    return stop.value.code


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """A folder with every file that an example names."""
    folder = tmp_path_factory.mktemp("examples")
    (folder / "secret.txt").write_text("correct horse\n")
    (folder / "study.toml").write_text(STUDY)
    (folder / "survey.toml").write_text(SURVEY)
    rows = [("yes" if i % 4 == 0 else "no", "south" if i % 3 else "north", f"p{i}") for i in range(ROWS)]
    (folder / "answers.csv").write_text("affair,region,person\n" + "".join(f"{','.join(row)}\n" for row in rows))
    for part in ("north", "south"):
        mine = [row for row in rows if row[1] == part]
        (folder / f"{part}.csv").write_text("affair,region,person\n" + "".join(f"{','.join(row)}\n" for row in mine))
    (folder / "corrections.csv").write_text("person,affair\np4711,yes\n")
    (folder / "channel.csv").write_text("answer,no,yes\nno,3/4,1/4\nyes,0.25,0.75\n")
    (folder / "distortion.csv").write_text("0,1,2\n1,0,1\n2,1,0\n")
    (folder / "blood.csv").write_text("value,tell\nA,no\nB,no\nO,yes\n")
    (folder / "people.csv").write_text("value\n" + "A\nB\nO\n" * 50)
    typed = "either,north\nno,south\nyes,north\nyes,south\nno,north\neither,south\n"
    (folder / "typed.csv").write_text("report,region\n" + typed * 20)
    publish = ["publish", "answers.csv", "--study", "study.toml", "--unprotected", "-q", "--keep", "region"]
    split = ["keys", "split", "keys/ministry.affair.key", "--at", "1000", "--out", "parts", "--unprotected"]
    with pytest.MonkeyPatch.context() as patch:
        for arguments in (
            [*publish, "--out", "reports.parquet", "--keys", "keys"],
            [
                *publish,
                "--out",
                "seeds.parquet",
                "--keys",
                "seeds",
                "--guarantee",
                "computational",
                "--registry",
                "seeds.json",
            ],
            ["open", "reports.parquet", "-k", "keys/ministry.affair.key", "-o", "opened.parquet", "-q"],
            split,
            ["certify", "channel.csv", "-o", "certificate.json"],
        ):
            assert run(patch, folder, arguments) == 0, arguments
    return folder


INTERRUPTED = (
    "sfumato publish answers.csv --study study.toml --out reports.parquet --keys keys --unprotected "
    "--ledger people.ledger"
)
PUBLISH = "sfumato publish answers.csv --study study.toml --out reports --keys keys --id person"
REGION = (
    "sfumato publish {0}.csv --study study.toml --keys {0}-keys --id person --people {0} --passphrase-file secret.txt"
)
SERVED = """schema = "sfumato/study/2"
name = "Served"

[public]
epsilon = 1

[[questions]]
id = "affair"
text = "Did you?"
kind = "yes-no"
"""
# What is there when the example of a verb begins; these change a publication that is there.
EARLIER = {
    "amend": [f"{PUBLISH} --unprotected"],
    "erase": [f"{PUBLISH} --passphrase-file secret.txt"],
    "combine": [f"{REGION.format('north')} --out north", f"{REGION.format('south')} --out south.parquet"],
    "budget void": [
        "sfumato budget init people.ledger --epsilon 20",
        "sfumato budget spend people.ledger --title first --epsilon 1",
        "sfumato budget spend people.ledger --title second --epsilon 1",
        INTERRUPTED,
    ],
}


def interrupt(folder):
    """Publish, and be killed when it is paid for and nothing is in place yet."""
    code = (
        "import os, sys\n"
        "from sfumato.publications.place import Destination\n"
        "Destination.put = lambda *_: os._exit(9)\n"
        f"sys.argv = {shlex.split(INTERRUPTED)}\n"
        "from sfumato.cli import main\n"
        "main()"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=folder, check=False, timeout=60).returncode == 9


def make_room(folder, verb, line):
    """What an example makes must not be there before it, and names have another meaning for some verbs."""
    words = shlex.split(line)
    for option in ("--out", "-o", "--keys"):
        if option in words:
            made = folder / words[words.index(option) + 1]
            if made.is_dir():
                shutil.rmtree(made)
            elif made.name != "answers.csv":
                made.unlink(missing_ok=True)
    if verb == "publish" or verb in EARLIER:
        (folder / "releases.json").unlink()
    if verb == "plan":
        shutil.copy(folder / "survey.toml", folder / "study.toml")
    if verb == "serve":
        (folder / "releases.json").unlink()
        (folder / "study.toml").write_text(SERVED)
    if verb == "keys unseal":
        asked = collection_of(homes(folder), folder)
        answers = [{"place": "north", "moved": "yes", "sold": "no"}] * 20
        export_part(asked, kept(asked, respond_all(asked, answers)), folder / "out")
        (folder / "ministry").rename(folder / "ministry.private")
    if verb == "disclose":
        rows = "no,town\nno,land\nyes,town\nyes,land\nno,town\n"
        (folder / "answers.csv").write_text("moved,place\n" + rows * 40)
        (folder / "old.csv").write_text("moved,place\n" + rows * 30)
    if verb.split()[-1] in {"mean", "sum", "count", "histogram", "quantile"}:
        (folder / "answers.csv").write_text("children\n" + "3\n4\n2.5\n" * 20)
    if verb == "audit":
        (folder / "reports.csv").write_text("input,output\n" + "no,no\nno,no\nno,yes\nyes,yes\nyes,yes\nyes,no\n" * 200)
        (folder / "counted.csv").write_text("input,output,n\nno,no,731\nno,yes,269\nyes,no,269\nyes,yes,731\n")


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_and_an_example_of_itself(verb):
    text = VERBS[verb]
    assert text.strip(), f"{verb} has no help"
    found = examples(text)
    assert found, f"{verb} has no example: write 'Example:' and a command that can be run"
    assert all(line.startswith(f"sfumato {verb} ") or line == f"sfumato {verb}" for line in found)


def test_the_walk_finds_verbs_in_sub_apps():
    assert {"new", "plan", "publish", "open", "recover", "keys split", "certify"} <= set(VERBS)
    assert len(EXAMPLES) >= len(VERBS)


@pytest.mark.parametrize(("verb", "line"), EXAMPLES)
def test_the_example_runs(prepared, monkeypatch, capsys, tmp_path, verb, line):
    folder = tmp_path / "here"
    shutil.copytree(prepared, folder)
    make_room(folder, verb, line)
    for earlier in before(verb):
        if earlier == INTERRUPTED:
            interrupt(folder)
        else:
            assert run(monkeypatch, folder, shlex.split(earlier)[1:]) == 0, capsys.readouterr().err
    code = run(monkeypatch, folder, shlex.split(line)[1:])
    said = capsys.readouterr()
    assert code == 0, said.err
    assert said.out or said.err
    for word in shlex.split(line):
        if word.endswith((".svg", ".html", ".json", ".parquet", ".key", ".toml", ".private")) and verb != "budget void":
            assert (folder / word).exists(), word


def before(verb):
    """Some verbs follow each other: each needs what those before it made."""
    for steps in (["query design", "query answer", "query attack"], ["budget init", "budget spend", "budget show"]):
        if verb in steps:
            return [examples(VERBS[step])[0] for step in steps[: steps.index(verb)]]
    return EARLIER.get(verb, [])


@pytest.mark.parametrize("name", TABLE)
def test_the_table_says_of_every_verb_what_it_does_in_a_line(name):
    summary = TABLE[name].summary
    assert 20 <= len(summary) <= 100
    assert summary[0].isupper()
    assert summary.endswith(".")
    assert "\n" not in summary


def test_the_first_page_shows_the_summaries_and_the_page_of_a_verb_its_docstring(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("COLUMNS", "120")
    assert run(monkeypatch, tmp_path, ["--help"]) == 0
    first = " ".join(capsys.readouterr().out.split())
    assert all(f"{name} {verb.summary}" in first for name, verb in TABLE.items())
    assert run(monkeypatch, tmp_path, ["certify", "--help"]) == 0
    page = capsys.readouterr().out
    assert VERBS["certify"].splitlines()[0] in page
    assert TABLE["certify"].summary not in page


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_the_heavy_libraries_wait(option):
    code = (
        "import atexit, json, sys\n"
        f"atexit.register(lambda: print(json.dumps([m for m in {HEAVY} if m in sys.modules])))\n"
        f"sys.argv = ['sfumato', {option!r}]\n"
        "from sfumato.cli import main\n"
        "main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert json.loads(done.stdout.splitlines()[-1]) == []
    assert "sfumato" in done.stdout


def test_the_help_of_every_verb_is_light_too():
    """One process asks for all of them, and would show what any of them brought in."""
    code = (
        "import json, sys\n"
        "from sfumato.cli import main\n"
        f"for verb in {sorted(VERBS)}:\n"
        "    sys.argv = ['sfumato', *verb.split(), '--help']\n"
        "    try:\n"
        "        main()\n"
        "    except SystemExit as stop:\n"
        "        assert not stop.code, verb\n"
        f"print(json.dumps([m for m in {HEAVY} if m in sys.modules]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert json.loads(done.stdout.splitlines()[-1]) == []


def test_the_test_of_heavy_libraries_can_fail():
    code = f"import sys, numpy; print([m for m in {HEAVY} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert "numpy" in done.stdout


def test_the_installed_command_answers():
    command = Path(sys.executable).parent / "sfumato"
    done = subprocess.run([command, "--help"], capture_output=True, text=True, check=True, timeout=60)
    for verb in VERBS:
        assert verb.split()[0] in done.stdout
