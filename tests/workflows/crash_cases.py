"""What is published, appended, amended, erased and combined while it is killed: how it begins, and how it is run.

Everything of a case lies in one folder: the study, its record and ledger, tables, reports and keys. `other` in it is a
folder on another disk. `make` prepares the folder; `run` is the call that is killed, in the folder.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import sfumato as sf
from sfumato.keys import Unprotected
from sfumato.ledger import Ledger
from sfumato.workflows.amending import amend
from sfumato.workflows.combining import combine
from sfumato.workflows.erasing import erase
from sfumato.workflows.key_files import rotate_key_file
from small_studies import small_study

ROWS, MORE = 30, 12
ERASED = ("p3", "n2")
CORRECTED = {"row": [3, 8], "moved": ["no", "yes"]}
"""Rows 3 and 8 said yes and no."""
INPUTS = {"answers.csv", "more.csv", "corrections.csv"}
OPEN = {"protection": Unprotected(), "unlock": Unprotected()}


@dataclass(frozen=True, kw_only=True)
class Case:
    """One command, and what stands before it and after: base parts, amendments, payments."""

    run: Callable[[], object]
    before: Callable[[], object] = lambda: None
    keyed: bool = True
    out: str = "reports"
    keys: str | None = "keys"
    argv: tuple[str, ...] = ()
    """The same as a command."""
    made_before: int = 0
    pays: bool = True
    verb: str = "publish"
    bases: int = 1
    amendments: int = 0
    indexed: bool = False
    has_record: bool = True
    seeds: bool = False

    def void_options(self):
        """Where a debit is voided."""
        found = {"out": self.out} | ({"keys": self.keys} if self.keys else {})
        return found if self.has_record else found | {"study": sf.read_study("study.toml")}


def people(start=0, rows=ROWS, name="p"):
    numbers = range(start, start + rows)
    return {
        "moved": ["yes" if i % 3 == 0 else "no" for i in numbers],
        "debt": ["yes" if i % 4 == 0 else "no" for i in numbers],
        "region": ["hill" if i % 2 else "coast" for i in numbers],
        "person": [f"{name}{i}" for i in numbers],
    }


def _write(path, table):
    lines = [",".join(table), *(",".join(map(str, row)) for row in zip(*table.values(), strict=True))]
    Path(path).write_text("\n".join(lines) + "\n")


def make(folder, case, other):
    """Make the folder of a case; with keys its study has a card as well, which nothing can answer twice alike."""
    folder.mkdir()
    other.mkdir(parents=True, exist_ok=True)
    (folder / "other").symlink_to(other)
    found, questions = CASES[case], small_study().questions
    if found.keyed:
        # Keys that were used answer a card afresh, so where they are there before there is none.
        asked = questions[:1] if case == "rotated" else (questions[0], questions[3])
        study = small_study(questions=asked, ledger="budget")
    else:
        study = small_study(questions=questions[:1], analysts=(), recover=False, ledger="budget")
    sf.write_study(study, folder / "study.toml")
    _write(folder / "answers.csv", people())
    _write(folder / "more.csv", people(0, MORE, "n"))
    _write(folder / "corrections.csv", CORRECTED)
    Ledger.create(folder / "budget", budget_bits=1000)
    (folder / "out").mkdir()
    here = Path.cwd()
    os.chdir(folder)
    try:
        found.before()
    finally:
        os.chdir(here)
    return folder


def _publish(table="answers.csv", *, study="study.toml", **options):
    return lambda: sf.publish(study, table, **options)


def _from_memory():
    sf.publish(sf.read_study("study.toml"), "answers.csv", out="reports.csv")


def _rotated():
    sf.publish("study.toml", people(), out="first.csv", keys="first", guarantee="computational", **OPEN)
    for path in Path("first").iterdir():
        rotate_key_file(path, Path("rotated") / path.name, protection=Unprotected())


def _grown(*, keys=True, guarantee="information-theoretic", indexed=True, amended=True):
    """A publication in a folder of two parts, with an amendment."""

    def grow():
        given = {"out": "reports", "guarantee": guarantee}
        given |= ({"keys": "keys"} | OPEN) if keys else {}
        both = given | ({"id_column": "person"} if indexed else {})
        sf.publish("study.toml", "answers.csv", **both)
        sf.publish("study.toml", "more.csv", append=True, **both)
        if amended:
            first = sf.read_reports("reports").note.parts[0].id
            table = CORRECTED | {"part": [first] * 2}
            amend("study.toml", table, **given)

    return grow


def _to_combine():
    sf.publish("study.toml", "answers.csv", out="north", keys="keys", people="north", id_column="person", **OPEN)
    sf.publish("study.toml", "more.csv", out="south.csv", keys="south", people="south", id_column="person", **OPEN)


def _append(**options):
    return lambda: sf.publish("study.toml", "more.csv", out="reports", append=True, **options)


def _amend(**options):
    return lambda: amend("study.toml", "corrections.csv", out="reports", **options)


_PUBLISH = ("publish", "answers.csv", "--study", "study.toml", "--unprotected", "--keys", "keys")
KEYS = {"keys": "keys"} | OPEN
SEEDS = KEYS | {"guarantee": "computational"}
FIRST = {"made_before": 1, "verb": "append", "bases": 2}
AMENDED = {"made_before": 1, "verb": "amend", "amendments": 1}
GROWN = {"made_before": 3, "pays": False, "verb": "erase", "bases": 2, "amendments": 1, "indexed": True}

CASES = {
    "public": Case(run=_publish(out="reports.parquet"), out="reports.parquet", keys=None, keyed=False),
    "public csv": Case(run=_publish(out="reports.csv"), out="reports.csv", keys=None, keyed=False),
    "keys": Case(
        run=_publish(out="reports.parquet", **KEYS), out="reports.parquet", argv=(*_PUBLISH, "--out", "reports.parquet")
    ),
    "keys csv": Case(
        run=_publish(out="out/reports.csv", keep=["region"], **(KEYS | {"keys": "elsewhere/keys"})),
        out="out/reports.csv",
        keys="elsewhere/keys",
    ),
    "seeds": Case(run=_publish(out="reports.parquet", **SEEDS), out="reports.parquet", seeds=True),
    "index": Case(run=_publish(out="reports.parquet", id_column="person", **KEYS), out="reports.parquet", indexed=True),
    "public index": Case(
        run=_publish(out="reports.csv", id_column="person", **KEYS), out="reports.csv", keyed=False, indexed=True
    ),
    "folder": Case(
        run=_publish(out="reports", id_column="person", **KEYS),
        indexed=True,
        argv=(*_PUBLISH, "--out", "reports", "--id", "person"),
    ),
    "public folder": Case(run=_publish(out="reports"), keys=None, keyed=False),
    "rotated": Case(
        run=_publish(out="reports.csv", keys="rotated", epoch=1, unlock=Unprotected()),
        before=_rotated,
        out="reports.csv",
        keys="rotated",
        made_before=1,
        seeds=True,
    ),
    "ledger alone": Case(run=_from_memory, out="reports.csv", keys=None, keyed=False, has_record=False),
    "again": Case(
        run=_publish(out="second.csv", again="second"),
        before=_publish(out="first.csv"),
        out="second.csv",
        keys=None,
        keyed=False,
        made_before=1,
    ),
    "two disks": Case(
        run=_publish(out="reports.parquet", id_column="person", **(KEYS | {"keys": "other/keys"})),
        out="reports.parquet",
        keys="other/keys",
        indexed=True,
    ),
    "two disks, folder": Case(
        run=_publish(out="other/reports", **KEYS),
        out="other/reports",
    ),
    "append": Case(
        run=_append(id_column="person", **KEYS),
        before=_publish(out="reports", id_column="person", **KEYS),
        indexed=True,
        argv=(_PUBLISH[0], "more.csv", *_PUBLISH[2:], "--out", "reports", "--id", "person", "--append"),
        **FIRST,
    ),
    "append seeds": Case(run=_append(**SEEDS), before=_publish(out="reports", **SEEDS), seeds=True, **FIRST),
    "append public": Case(run=_append(), before=_publish(out="reports"), keys=None, keyed=False, **FIRST),
    "amend": Case(
        run=_amend(**KEYS),
        before=_publish(out="reports", **KEYS),
        argv=("amend", "corrections.csv", *_PUBLISH[2:], "--out", "reports"),
        **AMENDED,
    ),
    "amend seeds": Case(run=_amend(**SEEDS), before=_publish(out="reports", **SEEDS), seeds=True, **AMENDED),
    "amend public": Case(run=_amend(), before=_publish(out="reports"), keys=None, keyed=False, **AMENDED),
    "erase": Case(
        run=lambda: erase("reports", ids=ERASED, keys="keys", unlock=Unprotected()),
        before=_grown(),
        argv=("erase", "reports", "--id", ERASED[0], "--id", ERASED[1], "--keys", "keys", "--allow-unprotected"),
        **GROWN,
    ),
    "erase seeds": Case(
        run=lambda: erase("reports", ids=ERASED, keys="keys", unlock=Unprotected()),
        before=_grown(guarantee="computational"),
        seeds=True,
        **GROWN,
    ),
    "erase file": Case(
        run=lambda: erase("reports.parquet", ids=ERASED[:1], keys="keys", unlock=Unprotected()),
        before=_publish(out="reports.parquet", id_column="person", **KEYS),
        out="reports.parquet",
        **(GROWN | {"made_before": 1, "bases": 1, "amendments": 0}),
    ),
    "erase csv": Case(
        run=lambda: erase("reports.csv", rows=[(None, 3)], keys="keys", unlock=Unprotected()),
        before=_publish(out="reports.csv", **KEYS),
        out="reports.csv",
        **(GROWN | {"made_before": 1, "bases": 1, "amendments": 0, "indexed": False}),
    ),
    "combine": Case(
        run=lambda: combine(["north", "south.csv"], "country", keys=["keys", "south"], unlock=Unprotected()),
        before=_to_combine,
        argv=(
            "combine",
            "north",
            "south.csv",
            "--out",
            "country",
            "--keys",
            "keys",
            "--keys",
            "south",
            "--allow-unprotected",
        ),
        out="country",
        **(GROWN | {"made_before": 2, "verb": "combine", "amendments": 0}),
    ),
}
