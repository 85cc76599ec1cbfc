"""Pages that show commands and what they print: finding the commands, running them, comparing what is shown.

A page with the comment `<!-- run: FOLDER -->` has its ```console blocks run, in order, in a folder that is prepared as
the comment says. What is shown must be what is printed, line by line; a line that is only … stands for lines left out.
"""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from surname_laws import drawn_names, surname_law

ROOT = Path(__file__).parents[1]
LEFT_OUT = "…"
_BARS = r"[·─├┤●█]+"


def marked_pages():
    """Pages that ask to be run, each with the folder that it asks for."""
    found = {}
    for page in sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]):
        marker = re.search(r"<!-- run: (\w+) -->", page.read_text(encoding="utf-8"))
        if marker:
            found[page] = marker.group(1)
    return found


def commands_of(text):
    """The commands of the console blocks, each with the lines that are shown as its output."""
    found = []
    for block in re.findall(r"^```console\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line.removeprefix("$ "), []))
            else:
                assert found, f"a console block must begin with a command, not with {line!r}"
                found[-1][1].append(line)
    return found


def prepare(kind, folder):
    """Put into a folder what a page expects there: nothing, examples, surnames, a survey, or the study of the demo."""
    if kind == "fair":
        shutil.copy(ROOT / "demo" / "fair.toml", folder / "fair.toml")
        spec = importlib.util.spec_from_file_location("demo", ROOT / "demo" / "demo.py")
        demo = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(demo)
        demo.write_answers(folder / "answers.csv")
    elif kind == "office":
        from statsmodels.datasets import fair  # slow to import

        shutil.copy(Path(fair.__file__).with_name("fair.csv"), folder / "survey.csv")
    elif kind == "surnames":
        write_surnames(folder)
    elif kind == "examples":
        for table in (ROOT / "docs" / "examples").glob("*.csv"):
            shutil.copy(table, folder)
    else:
        assert kind == "empty", f"no folder is called {kind}"


def write_surnames(folder):
    """A dictionary of 5,000 made-up surnames, and those of 100,000 people."""
    parts = [[a + b for a in first for b in "aeiou"] for first in ("BDGKLMNRST", "bdgklmnprst", "dklmnrstvz")]
    names = [a + b + c for b in parts[1] for c in parts[2] for a in parts[0]][: 5000 * 5 : 5]
    (folder / "surnames.txt").write_text("".join(f"{name}\n" for name in names), encoding="utf-8")
    held = drawn_names(surname_law(len(names)), 100_000, 1)
    (folder / "answers.csv").write_text("\n".join(["answer", *(names[i] for i in held)]) + "\n", encoding="utf-8")


def run(command, folder, environment=None):
    """Run one command as a person would, and return the lines that both of its streams print.

    `environment` may be that of the fixture `shell`, where the command starts faster.
    """
    places = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment or {**os.environ, "PATH": places},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, f"$ {command}\n{done.stdout}"
    return done.stdout.splitlines()


def masked(line):
    """Hide what chance decides: the numbers and bars of an estimate, digests, ids of parts, and how wide a table is."""
    line = re.sub(r"\b[0-9a-f]{8}…", "DIGEST…", line)
    line = re.sub(r"\b[0-9a-f]{8}(?=(\.\d+)?\.(key|index|parquet)\b)", "PART", line)
    has_bar = re.search(r"[·─├┤●]{5,}", line) is not None
    has_intervals = re.search(r"[0-9.]+ \([0-9.]+ to [0-9.]+\)", line) is not None
    if (has_bar and "█" not in line) or has_intervals:
        line = re.sub(_BARS, "~", re.sub(r"[0-9]+(\.[0-9]+)?", "#", line))
    return re.sub(r"([ ━─])\1+", r"\1", line).strip()


def first_difference(shown, said):
    """None when every line shown was said, in order, with nothing left out but where it says so; else what differs."""
    left = [masked(line) for line in said if line.strip()]
    may_skip = False
    for line in (line for line in shown if line.strip()):
        if line.strip() == LEFT_OUT:
            may_skip = True
            continue
        wanted = masked(line)
        if may_skip:
            while left and left[0] != wanted:
                left.pop(0)
        if not left:
            return f"shown, but not printed: {line!r}"
        if left[0] != wanted:
            return f"shown: {line!r}, printed: {left[0]!r}"
        left.pop(0)
        may_skip = False
    return None if may_skip or not left else f"printed, but not shown: {left[0]!r} (a line … stands for the rest)"
