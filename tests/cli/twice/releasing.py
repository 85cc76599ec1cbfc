"""Releases about the same people: remembered, refused a second time, and named when they are made again."""

import json
import shutil
from dataclasses import replace

import sfumato as sf
from cli.twice.cases import Case, both, removed
from cli.twice.publishing import KEYS, PUBLISH, PUBLISH_TWO, RECORD, REPORTS, people, publish, published, without_ledger
from sfumato.errors import DigestMismatch, InvalidParameter, KeyReused, ReleasedBefore, UnreadableFile
from sfumato.keys.protection import Unprotected
from sfumato.ladders import keys as reuse
from sfumato.ledger import Kind, Ledger
from sfumato.workflows.key_files import rotate_key_file

TWO = (
    "other/",
    *(name.replace("keys/", "other/") for name in KEYS[1:]),
    "two.parquet",
    "two.parquet.about.json",
    "two.parquet.codebook.md",
)


def unpaid(folder):
    published(folder, without_ledger)


def rich(folder):
    """A ledger that can pay three times."""
    people(folder)
    (folder / "budget").unlink()
    Ledger.create(folder / "budget", epsilon=20)


def rich_and_published(folder):
    published(folder, rich)


def public_only(folder):
    people(folder, analysts=(), recover=False, ledger=None)


def released(folder):
    public_only(folder)
    sf.publish(folder / "study.toml", folder / "answers.csv", out=folder / "reports.parquet")


def edited(folder, **changes):
    sf.write_study(replace(sf.read_study(folder / "study.toml"), **changes), folder / "study.toml")


def copied(folder):
    """A rotated folder of keys, copied before its first use; the copy is tried on other answers."""
    people(folder)
    (folder / "budget").unlink()
    Ledger.create(folder / "budget", epsilon=50)
    given = {"protection": Unprotected(), "guarantee": "computational", "keys": folder / "first"}
    sf.publish(folder / "study.toml", folder / "answers.csv", out=folder / "first.parquet", **given)
    for path in (folder / "first").iterdir():
        rotate_key_file(path, folder / "keys" / path.name, protection=Unprotected())
    shutil.copytree(folder / "keys", folder / "other")
    given = {"keys": folder / "keys", "epoch": 1, "unlock": Unprotected()}
    sf.publish(folder / "study.toml", folder / "answers.csv", out=folder / "one.parquet", **given)
    text = (folder / "answers.csv").read_text()
    (folder / "answers.csv").write_text(text.replace('"no"', '"yes"', 1))
    reuse._MADE.clear()  # as in a process of its own


def tampered(folder):
    unpaid(folder)
    text = (folder / "releases.json").read_text()
    (folder / "releases.json").write_text(text.replace('"epoch": 0', '"epoch": 1'))


def stranger(folder):
    without_ledger(folder)
    (folder / "releases.json").write_text(json.dumps({"v1.0": "our first release"}))


PUBLIC = "publish answers.csv --study study.toml --out"
RELEASING = [
    Case(
        name="public reports are released once, to the same file",
        prepare=released, command=f"{PUBLIC} reports.parquet", call=publish(keys=None, protection=None),
        refusal=ReleasedBefore, words="again",
    ),
    Case(
        name="public reports are released once, to another file",
        prepare=released, command=f"{PUBLIC} two.csv", call=publish(out="two.csv", keys=None, protection=None),
        refusal=ReleasedBefore, words="enough of them tell everything",
    ),
    Case(
        name="an edited study is about the same people",
        prepare=both(released, lambda folder: edited(folder, name="Houses", population=10)),
        command=f"{PUBLIC} two.csv", call=publish(out="two.csv", keys=None, protection=None),
        refusal=ReleasedBefore, words="same people",
    ),
    Case(
        name="a study under another name of its file is about the same people",
        prepare=both(released, lambda folder: shutil.move(folder / "study.toml", folder / "copy.toml")),
        command=f"{PUBLIC} two.csv".replace("study.toml", "copy.toml"),
        call=publish(study="copy.toml", out="two.csv", keys=None, protection=None),
        refusal=ReleasedBefore, words="same people",
    ),
    Case(
        name="new keys are a second release",
        prepare=rich_and_published, command=PUBLISH_TWO, call=publish(out="two.parquet", keys="other"),
        refusal=ReleasedBefore, words="same people", debits=(Kind.LOCAL,),
    ),
    Case(
        name="other reports under a copy of used keys",
        prepare=copied,
        command="publish answers.csv --study study.toml --out two.parquet --keys other --unprotected --epoch 1",
        call=publish(out="two.parquet", keys="other", epoch=1),
        refusal=KeyReused, words="perhaps under a copy of the key files", debits=(Kind.LOCAL, Kind.LOCAL),
    ),
    Case(
        name="the ledger knows when the registry is gone",
        prepare=removed("releases.json", rich_and_published),
        command=PUBLISH_TWO, call=publish(out="two.parquet", keys="other"),
        refusal=ReleasedBefore, words="same people", debits=(Kind.LOCAL,),
    ),
    Case(
        name="the ledger knows what a copy of used keys made",
        prepare=removed("releases.json", copied),
        command="publish answers.csv --study study.toml --out two.parquet --keys other --unprotected --epoch 1",
        call=publish(out="two.parquet", keys="other", epoch=1),
        refusal=KeyReused, words="perhaps under a copy of the key files", debits=(Kind.LOCAL, Kind.LOCAL),
    ),
    Case(
        name="a registry of their own is asked instead",
        prepare=without_ledger,
        command=f"{PUBLISH} --registry mine.json", call=publish(registry="mine.json"),
        makes=(*KEYS, *REPORTS, "mine.json"),
    ),
    Case(
        name="a registry in a folder that is not there",
        prepare=without_ledger, command=f"{PUBLISH} --registry no/mine.json", call=publish(registry="no/mine.json"),
        refusal=InvalidParameter, words="lies in a folder that does not exist",
    ),
    Case(
        name="a registry that was edited",
        prepare=tampered, command=PUBLISH_TWO, call=publish(out="two.parquet", keys="other"),
        refusal=DigestMismatch, words="does not match its seal",
    ),
    Case(
        name="a file that is no registry",
        prepare=stranger, command=PUBLISH, call=publish(),
        refusal=UnreadableFile, words="is not a registry of releases",
    ),
    Case(
        name="a further release without a first",
        prepare=without_ledger, command=f"{PUBLISH} --again second", call=publish(again="second"),
        refusal=InvalidParameter, words="none is remembered that came before it",
    ),
    Case(
        name="a further release needs a name",
        prepare=unpaid, command=f"{PUBLISH} --again=", call=publish(again=""),
        refusal=InvalidParameter, words="must be one line of text",
    ),
    Case(
        name="a new epoch is another time",
        prepare=released,
        command=f"{PUBLIC} two.parquet --epoch 1", call=publish(out="two.parquet", keys=None, protection=None, epoch=1),
        makes=TWO[-3:], changes=RECORD,
    ),
    Case(
        name="other people are declared",
        prepare=released,
        command=f"{PUBLIC} two.parquet --people South",
        call=publish(out="two.parquet", keys=None, protection=None, people="South"),
        makes=TWO[-3:], changes=RECORD,
    ),
    Case(
        name="a further release is named, paid for and added up",
        prepare=rich_and_published,
        command=f"{PUBLISH_TWO} --again second", call=publish(out="two.parquet", keys="other", again="second"),
        makes=TWO, changes=RECORD, debits=(Kind.LOCAL, Kind.LOCAL),
    ),
]  # fmt: skip
