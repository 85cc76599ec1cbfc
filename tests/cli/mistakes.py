"""Mistakes that people who run surveys make, each as a small folder and a command: what docs/howto/mistakes.md shows.

`python tests/cli/mistakes.py` (with tests/ on the path) runs them all and writes the page again.
"""

import datetime as dt
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

import openpyxl
import pandas as pd
import pyreadstat

from cli.forks import Forks, fork_server

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "howto" / "mistakes.md"
SECRET = "zebra"  # noqa: S105  an answer that nobody may see

STUDY = """\
schema = "sfumato/study/2"
name = "Housing"
[public]
epsilon = 1
[registrar]
recover = true
[[analysts]]
name = "ministry"
epsilon = 2
[[questions]]
id = "moved"
text = "Have you moved?"
kind = "yes-no"
[[questions]]
id = "mood"
text = "How are you?"
kind = "one-of-many"
answers = ["good", "fair", "poor"]
[[questions]]
id = "rooms"
text = "How many rooms?"
kind = "count"
highest = 10
"""
CARD = """\
schema = "sfumato/study/2"
name = "Card"
question = "Have you ever?"
guess_error = 0.375
"""
ROWS = ["p1,north,no,good,3", "p2,north,yes,fair,4", "p3,south,no,poor,5", "p4,south,yes,good,2", "p5,south,no,good,4"]
HEAD = "person,region,moved,mood,rooms"
LATER = "\\n".join([*ROWS[:4], "p5,south,yes,poor,9"])
ANSWERS = "\n".join([HEAD, *ROWS, ""])

PUBLISH = "sfumato publish answers.csv --study study.toml --out reports.parquet --keys keys --unprotected"
DISCLOSE = "sfumato disclose answers.csv --study study.toml --protect moved,mood --out r.csv"
GROWING = "sfumato publish answers.csv --study study.toml --out reports --keys keys --id person --unprotected"


@dataclass(frozen=True, kw_only=True)
class Mistake:
    """What somebody did; `files` are beside or instead of a good study and good answers, `before` ran well."""

    title: str
    command: str = PUBLISH
    files: dict = field(default_factory=dict)
    before: tuple = ()
    code: int = 2


def with_row(row, at=2):
    """The answers with a row of somebody's own making."""
    return {"answers.csv": "\n".join([HEAD, *ROWS[:at], row, *ROWS[at:], ""])}


def with_study(old, new):
    """The study with a change."""
    assert old in STUDY
    return {"study.toml": STUDY.replace(old, new)}


def workbook(*lines, merge=None):
    """A workbook with one sheet."""
    made = openpyxl.Workbook()
    for line in lines:
        made.active.append(line)
    if merge:
        made.active.merge_cells(merge)
    sink = io.BytesIO()
    made.save(sink)
    return sink.getvalue()


def spss(labels):
    """A file of SPSS whose moods have these labels."""
    frame = pd.DataFrame({"moved": ["no", "yes"], "mood": [1.0, 2.0], "rooms": [3.0, 4.0]})
    with tempfile.TemporaryDirectory() as folder:
        pyreadstat.write_sav(frame, Path(folder) / "t.sav", variable_value_labels={"mood": labels})
        return (Path(folder) / "t.sav").read_bytes()


def archive():
    """A zip file that is no workbook."""
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as made:
        made.writestr("letter.txt", "Dear all")
    return sink.getvalue()


def publishing(name, more=""):
    """Publish another file."""
    return PUBLISH.replace("answers.csv", name) + more


NAMES = HEAD.split(",")
SEMICOLONS = ANSWERS.replace(",", ";")

FILES = [
    Mistake(title="The name of the file is mistyped", command=publishing("answer.csv")),
    Mistake(title="The file is empty", files={"answers.csv": ""}),
    Mistake(title="The file has names and no rows", files={"answers.csv": HEAD + "\n"}),
    Mistake(
        title="Excel on Windows saved it, with an umlaut",
        files={"answers.csv": ANSWERS.replace("good", "gööd").encode("cp1252")},
    ),
    Mistake(
        title="An encoding is declared, and the file is UTF-8 with its mark",
        files={"answers.csv": ANSWERS.encode("utf-8-sig")},
        command=PUBLISH + " --encoding latin-1",
    ),
    Mistake(title="The encoding is mistyped", command=PUBLISH + " --encoding latin1252"),
    Mistake(
        title="Commas are declared where semicolons stand",
        files={"answers.csv": SEMICOLONS},
        command=PUBLISH + " --separator ,",
    ),
    Mistake(
        title="The first line can be cut in two ways",
        files={"answers.csv": "moved;mood;rooms;x,moved,mood,rooms,y\nno;good;3;1,no,good,3,1\n"},
    ),
    Mistake(title="A comma between cells and before decimals", command=PUBLISH + " --separator , --decimal ,"),
    Mistake(title="A workbook was renamed to .csv", files={"answers.csv": workbook(NAMES)}),
    Mistake(title="A workbook of an old Excel", files={"answers.xls": "x"}, command=publishing("answers.xls")),
    Mistake(title="A letter instead of a table", files={"answers.docx": "x"}, command=publishing("answers.docx")),
    Mistake(title="An archive that is no workbook", files={"a.xlsx": archive()}, command=publishing("a.xlsx")),
    Mistake(
        title="The sheet is mistyped",
        files={"a.xlsx": workbook(NAMES, ["p1", "north", "no", "good", 3])},
        command=publishing("a.xlsx", " --sheet Antworten"),
    ),
    Mistake(title="A sheet of a CSV file", command=PUBLISH + " --sheet Sheet1"),
    Mistake(
        title="A title in merged cells above the names",
        files={"a.xlsx": workbook(["Housing 2026", None], NAMES, ["p1", "north", "no", "good", 3], merge="A1:E1")},
        command=publishing("a.xlsx"),
    ),
    Mistake(
        title="A formula that was never computed",
        files={"a.xlsx": workbook(NAMES, ["p1", "north", "no", "good", "=1+2"])},
        command=publishing("a.xlsx"),
    ),
    Mistake(
        title="Excel took an answer for a date",
        files={"a.xlsx": workbook(NAMES, ["p1", "north", "no", dt.date(2026, 2, 1), 3])},
        command=publishing("a.xlsx"),
    ),
    Mistake(
        title="Value labels of SPSS that are not the answers of the study",
        files={"a.sav": spss({1: "gut", 2: "mittel", 3: "schlecht"})},
        command=publishing("a.sav"),
    ),
    Mistake(title="Half of an SPSS file", files={"a.sav": b"$FL2@(#) SPSS"}, command=publishing("a.sav")),
    Mistake(title="The names of the columns are missing", files={"answers.csv": "\n".join([*ROWS, ""])}),
    Mistake(title="A blank line above the names", files={"answers.csv": "\n" + ANSWERS}),
    Mistake(title="Two columns of one name", files={"answers.csv": ANSWERS.replace("region", "moved")}),
    Mistake(title="A comma in a cell without quotes", files=with_row(f"p9,north,no,good, {SECRET},3")),
    Mistake(title="A quote that is never closed", files=with_row(f'p9,north,no,"{SECRET},3')),
]
CELLS = [
    Mistake(
        title="A column is called otherwise than its question", files={"answers.csv": ANSWERS.replace("mood", "Mood")}
    ),
    Mistake(title="An empty cell", files=with_row("p9,north,,good,3")),
    Mistake(title="NA for no answer", files=with_row("p9,north,NA,good,3")),
    Mistake(title="Capital letters", files=with_row("p9,north,no,Good,3")),
    Mistake(title="TRUE and FALSE, or 1 and 0", files=with_row("p9,north,TRUE,good,3")),
    Mistake(title="An answer that is not in the list", files=with_row(f"p9,north,no,{SECRET},3")),
    Mistake(title="Decimals in a count", files=with_row("p9,north,no,good,3.5")),
    Mistake(title="A decimal comma that is not declared", files={"answers.csv": SEMICOLONS.replace(";5\n", ";2,5\n")}),
    Mistake(
        title="A point between thousands beside a decimal comma",
        files={"answers.csv": SEMICOLONS.replace(";5\n", ";1.234\n")},
        command=PUBLISH + " --decimal ,",
    ),
    Mistake(title="A blank between thousands", files=with_row("p9,north,no,good,1 234")),
    Mistake(title="A unit beside the number", files=with_row("p9,north,no,good,3 rooms")),
    Mistake(title="A number beyond the range", files=with_row("p9,north,no,good,12")),
    Mistake(title="-99 for no answer", files=with_row("p9,north,no,good,-99")),
    Mistake(title="A word instead of a number", files=with_row(f"p9,north,no,good,{SECRET}")),
]
STUDIES = [
    Mistake(title="A quote is missing in the study", files=with_study('name = "Housing"', 'name = "Housing')),
    Mistake(title="A kind that does not exist", files=with_study('"one-of-many"', '"multiple-choice"')),
    Mistake(title="A key is mistyped", files=with_study("answers =", "answer =")),
    Mistake(title="A percentage instead of a number", files=with_study("epsilon = 1\n", 'epsilon = "50%"\n')),
    Mistake(
        title="A share in percent",
        files=with_study('kind = "yes-no"\n', 'kind = "yes-no"\nexpected_share = 30\n'),
        command="sfumato plan study.toml",
    ),
    Mistake(title="The same answer twice", files=with_study('"poor"]', '"good"]')),
    Mistake(title="Only one answer", files=with_study('["good", "fair", "poor"]', '["good"]')),
    Mistake(title="An answer with a blank at its end", files=with_study('"poor"]', '"poor "]')),
    Mistake(title="The range of a count is upside down", files=with_study("highest = 10", "highest = -1")),
    Mistake(title="An id with blanks", files=with_study('id = "rooms"', 'id = "how many rooms"')),
    Mistake(title="Two questions of one id", files=with_study('id = "rooms"', 'id = "moved"')),
    Mistake(title="Nothing is promised", files=with_study("[public]\nepsilon = 1\n", "")),
    Mistake(title="An analyst sees less than the public", files=with_study("epsilon = 2", "epsilon = 0.5")),
    Mistake(
        title="Aliases for what is no answer",
        files=with_study('kind = "yes-no"\n', 'kind = "yes-no"\naliases = { maybe = ["m"] }\n'),
    ),
    Mistake(
        title="No answer is to be hidden by a card",
        files={"card.toml": CARD + 'missing = "hidden"\n'},
        command="sfumato plan card.toml",
    ),
    Mistake(title="The answers instead of the study", command="sfumato plan answers.csv"),
]
PUBLISHING = [
    Mistake(title="A question is kept in public", command=PUBLISH + " --keep moved"),
    Mistake(title="A column is kept that is not there", command=PUBLISH + " --keep county"),
    Mistake(title="Nothing is said of how keys are protected", command=PUBLISH.replace(" --unprotected", "")),
    Mistake(title="No folder for the keys", command=PUBLISH.replace(" --keys keys", "")),
    Mistake(title="Reports as a workbook", command=PUBLISH.replace("reports.parquet", "reports.xlsx")),
    Mistake(title="A person is in the table twice", files=with_row("p1,north,no,good,3"), command=GROWING),
    Mistake(
        title="The same people are published a second time",
        before=(PUBLISH,),
        command=PUBLISH.replace("reports.", "again.").replace("--keys keys", "--keys others"),
        code=1,
    ),
    Mistake(
        title="Changed answers under the old keys",
        before=(PUBLISH, f"printf '{HEAD}\\n{LATER}\\n' > answers.csv"),
        code=1,
    ),
    Mistake(title="Somebody is appended who is in already", before=(GROWING,), command=GROWING + " --append"),
    Mistake(
        title="The budget is spent",
        before=("sfumato budget init housing.ledger --epsilon 1",),
        command=PUBLISH + " --ledger housing.ledger",
        code=1,
    ),
]
CORRECTING = [
    Mistake(
        title="A row is amended that nobody published",
        before=(GROWING,),
        files={"c.csv": "row,moved\n77,yes\n"},
        command="sfumato amend c.csv --study study.toml --out reports --keys keys --unprotected",
    ),
    Mistake(
        title="A person is amended whom nobody knows",
        before=(GROWING,),
        files={"c.csv": "person,moved\np77,yes\n"},
        command="sfumato amend c.csv --study study.toml --out reports --keys keys --id person --unprotected",
    ),
    Mistake(
        title="An amendment with a wrong answer",
        before=(GROWING,),
        files={"c.csv": f"person,mood\np2,{SECRET}\n"},
        command="sfumato amend c.csv --study study.toml --out reports --keys keys --id person --unprotected",
    ),
    Mistake(
        title="A publication in one file is amended",
        before=(PUBLISH,),
        files={"c.csv": "row,moved\n1,yes\n"},
        command="sfumato amend c.csv --study study.toml --out reports.parquet --keys keys --unprotected",
    ),
    Mistake(
        title="A person is erased whom nobody knows",
        before=(GROWING,),
        command="sfumato erase reports --keys keys --id p77 --allow-unprotected",
    ),
]
READING = [
    Mistake(
        title="The key of another publication",
        before=(PUBLISH, PUBLISH.replace("reports.", "b.").replace("keys keys", "keys b") + " --people others"),
        command="sfumato open reports.parquet --key b/ministry.moved.key --out o.parquet --allow-unprotected",
        code=1,
    ),
    Mistake(
        title="An analyst's key to recover the answers",
        before=(PUBLISH,),
        command="sfumato recover reports.parquet --key keys/ministry.moved.key --out o.csv --allow-unprotected",
        code=1,
    ),
    Mistake(
        title="A wrong passphrase",
        files={"right.txt": "correct horse battery\n", "wrong.txt": "battery horse\n"},
        before=(PUBLISH.replace("--unprotected", "--passphrase-file right.txt"),),
        command="sfumato open reports.parquet --key keys --out o.parquet --passphrase-file wrong.txt",
        code=1,
    ),
    Mistake(
        title="A group that is a question",
        before=(PUBLISH,),
        command="sfumato estimate reports.parquet --group mood",
    ),
    Mistake(
        title="A group that was not kept",
        before=(PUBLISH,),
        command="sfumato estimate reports.parquet --group region",
    ),
    Mistake(
        title="A confidence in percent",
        before=(PUBLISH,),
        command="sfumato estimate reports.parquet --confidence 95",
    ),
    Mistake(title="The answers instead of the reports", command="sfumato estimate answers.csv"),
    Mistake(
        title="A question that the study does not have",
        before=(PUBLISH,),
        command="sfumato estimate reports.parquet --question mud",
    ),
    Mistake(
        title="Typed-in reports that a card does not have",
        files={"card.toml": CARD, "typed.csv": f"answer\nyes\n{SECRET}\n"},
        command="sfumato estimate card.toml typed.csv",
    ),
]
OTHERS = [
    Mistake(
        title="A question is disclosed",
        command=DISCLOSE,
    ),
    Mistake(
        title="A record outside the range of a mean",
        files=with_row("p9,north,no,good,99"),
        command="sfumato noise mean answers.csv --column rooms --low 0 --high 10 --budget-bits 1 --correlated 5 "
        "--out m.json",
    ),
    Mistake(
        title="A mean that does not say who may depend on whom",
        command="sfumato noise mean answers.csv --column rooms --low 0 --high 10 --budget-bits 1 --out m.json",
    ),
    Mistake(
        title="Rows of a channel that do not sum to 1",
        files={"channel.csv": "answer,no,yes\nno,0.7,0.2\nyes,0.5,0.5\n"},
        command="sfumato certify channel.csv",
    ),
    Mistake(title="A study is verified as if it were a certificate", command="sfumato verify study.toml"),
    Mistake(title="A verb is mistyped", command="sfumato publsh answers.csv"),
    Mistake(title="An option is mistyped", command=PUBLISH + " --decimals ,"),
]

GROUPS = {
    "The file": FILES,
    "The cells": CELLS,
    "The study file": STUDIES,
    "Publishing": PUBLISHING,
    "Corrections": CORRECTING,
    "Reading reports": READING,
    "Other verbs": OTHERS,
}
MISTAKES = [mistake for group in GROUPS.values() for mistake in group]

TOP = """\
# What it says when something is wrong

<!-- Made by tests/cli/mistakes.py; a test runs every line. -->

Below are {count} mistakes that people who run surveys make, and the sentence that each gets. Every line was run as it
stands: one sentence on the standard error, exit code 2 (1 where the request was fine and the answer is no), nothing
written, nobody's answer repeated. Where a sentence proposes something to write, that is what to write.

The study is called `study.toml` and asks `moved` (no, yes), `mood` (good, fair, poor) and `rooms` (0 to 10); the table
is `answers.csv` with the columns person, region, moved, mood, rooms. Unless another command is shown, it is:

```text
{command}
```

How files are written, and what to say of them, is in [your data](your_data.md).
"""


def page(sentences):
    """The page, from what each mistake got."""
    parts = [TOP.format(count=len(MISTAKES), command=PUBLISH)]
    for name, group in GROUPS.items():
        parts += [f"\n## {name}\n", "| What happened | What it says |\n|---|---|"]
        for mistake in group:
            shown = "" if mistake.command == PUBLISH else f"<br>`{mistake.command}`"
            sentence = sentences[mistake.title].replace("|", "\\|").replace("<", "&lt;")
            parts.append(f"| {mistake.title}{shown} | {sentence} |")
    return "\n".join(parts) + "\n"


def prepared(mistake, folder, run):
    """Put the files of a mistake into a folder, and run what went well before it."""
    files = {"study.toml": STUDY, "answers.csv": ANSWERS} | mistake.files
    for name, data in files.items():
        (folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())
    for command in mistake.before:
        if command.startswith("printf "):
            text, _, name = command.removeprefix("printf ").rpartition(" > ")
            (folder / name).write_text(text.strip("'").replace("\\n", "\n"))
            continue
        done = run(*shlex.split(command)[1:])
        assert done.returncode == 0, f"{mistake.title}: {command}\n{done.stderr}"


def calm(text):
    """A sentence without what chance decides: the ids of parts."""
    return re.sub(r"part [0-9a-f]{8}", "part 1f3a5c7e", text)


def runner(server, said, folder):
    """Return what runs the command in a folder, by a server that forks."""

    def run(*words):
        request = {"arguments": list(words), "folder": str(folder), "said": str(said), "signal": None}
        answer = server.ask(environment={}, **request)
        out, err = ((Path(said) / name).read_text(encoding="utf-8") for name in ("stdout", "stderr"))
        return subprocess.CompletedProcess(words, answer["code"], out, err)

    return run


def write_page():
    """Run all of them and write the page."""
    found = {}
    with tempfile.TemporaryDirectory() as said:
        server = Forks(fork_server(said, os.getpid()), said)
        for mistake in MISTAKES:
            with tempfile.TemporaryDirectory() as place:
                run = runner(server, said, place)
                prepared(mistake, Path(place), run)
                done = run(*shlex.split(mistake.command)[1:])
                found[mistake.title] = calm(done.stderr.strip())
                sys.stdout.write(f"[{done.returncode}] {mistake.title}\n    {found[mistake.title]}\n")
        server.close()
    PAGE.write_text(page(found), encoding="utf-8")


if __name__ == "__main__":
    write_page()
