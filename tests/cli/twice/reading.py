"""Opening and recovering: keys that fit, and keys that do not."""

from dataclasses import replace

import sfumato as sf
from cli.twice.cases import Case, both
from cli.twice.publishing import published, without_ledger
from sfumato.errors import InvalidParameter, KeyRefused, UnreadableFile
from sfumato.keys.protection import Passphrase, Unprotected
from sfumato.ledger import Kind


def opened(folder):
    published(folder)
    sf.open_reports(folder / "reports.parquet", folder / "keys/ministry.place.key").write(folder / "opened.parquet")


def elsewhere(folder, **changes):
    """Another publication, whose keys are tried on the first."""
    published(folder, without_ledger)
    if changes:
        sf.write_study(replace(sf.read_study(folder / "study.toml"), **changes), folder / "study.toml")
    given = {"out": folder / "other.parquet", "keys": folder / "other", "protection": Unprotected(), "again": "other"}
    sf.publish(folder / "study.toml", folder / "answers.csv", **given)


def next_epoch(folder):
    published(folder, without_ledger)
    given = {"out": folder / "other.parquet", "keys": folder / "other", "protection": Unprotected(), "epoch": 1}
    sf.publish(folder / "study.toml", folder / "answers.csv", **given)


def open_with(key, reports="reports.parquet", **options):
    return lambda: sf.open_reports(reports, key, **options).write("seen.parquet")


def recover_with(key, reports="reports.parquet", out="back.csv", **options):
    return lambda: sf.recover_answers(reports, key, out=out, **options)


def weigh(**given):
    return lambda: sf.workflows.report_weights("reports.parquet", **given)


LOCKED = Passphrase("correct horse", memory_kib=8, passes=1, lanes=1)
OPEN = "open reports.parquet --out seen.parquet --key"
RECOVER = "recover reports.parquet --out back.csv --key"
PAID = (Kind.LOCAL,)
W = {"out": "w.csv"}
READING = [
    Case(
        name="open",
        prepare=published, debits=PAID,
        command=f"{OPEN} keys/ministry.place.key", call=open_with("keys/ministry.place.key"),
        makes=("seen.parquet", "seen.parquet.about.json", "seen.parquet.codebook.md"),
    ),
    Case(
        name="recover",
        prepare=published, debits=PAID,
        command=f"{RECOVER} keys/registrar.place.key", call=recover_with("keys/registrar.place.key"),
        makes=("back.csv",),
    ),
    *(
        Case(
            name=f"weights, {name}",
            prepare=published, debits=PAID,
            command=f"weights reports.parquet {line}", call=weigh(**given),
            makes=makes, refusal=refusal, words=words,
        )
        for name, line, given, makes, refusal, words in (
            ("written", "--out w.parquet", {"out": "w.parquet"}, ("w.parquet",), None, ""),
            ("of one question", "--question place -o w.csv", {**W, "questions": ["place"]}, ("w.csv",), None, ""),
            ("of none", "--question x -o w.csv", {**W, "questions": ["x"]}, (), InvalidParameter, "is not among"),
            ("as JSON", "-o w.json", {"out": "w.json"}, (), InvalidParameter, "tables are written as CSV or Parquet"),
        )
    ),
    *(
        case
        for verb, line, reader, call in (
            ("open", OPEN, "ministry", open_with),
            ("recover", RECOVER, "registrar", recover_with),
        )
        for case in (
            Case(
                name=f"{verb} with a key of another study",
                prepare=lambda folder: elsewhere(folder, name="Houses"),
                command=f"{line} other/{reader}.place.key", call=call(f"other/{reader}.place.key"),
                refusal=KeyRefused, words="a key is of another study than the reports",
            ),
            Case(
                name=f"{verb} with a key of other draws",
                prepare=elsewhere,
                command=f"{line} other/{reader}.place.key", call=call(f"other/{reader}.place.key"),
                refusal=KeyRefused, words="other reports",
            ),
            Case(
                name=f"{verb} with a key of another epoch",
                prepare=next_epoch,
                command=f"{line} other/{reader}.place.key", call=call(f"other/{reader}.place.key"),
                refusal=KeyRefused, words="a key is of epoch 1, and the reports are of epoch 0",
            ),
            Case(
                name=f"{verb} what was opened already",
                prepare=opened, debits=PAID,
                command=f"{line} keys/{reader}.place.key".replace("reports.parquet", "opened.parquet"),
                call=call(f"keys/{reader}.place.key", "opened.parquet"),
                refusal=InvalidParameter, words="column place was opened already",
            ),
            Case(
                name=f"{verb} with another passphrase",
                prepare=both(
                    lambda folder: published(folder, protection=LOCKED),
                    lambda folder: (folder / "wrong.txt").write_text("another horse\n"),
                ),
                debits=PAID,
                command=f"{line} keys/{reader}.place.key --passphrase-file wrong.txt",
                call=call(f"keys/{reader}.place.key", unlock=Passphrase("another horse")),
                refusal=KeyRefused,
            ),
            Case(
                name=f"{verb} with a key that is not there",
                prepare=published, debits=PAID,
                command=f"{line} keys/nobody.key", call=call("keys/nobody.key"),
                refusal=UnreadableFile, words="does not exist",
            ),
            Case(
                name=f"{verb} with what is no key",
                prepare=published, debits=PAID,
                command=f"{line} study.toml", call=call("study.toml"), refusal=UnreadableFile,
            ),
        )
    ),
    Case(
        name="the registrar's key opens no level",
        prepare=published, debits=PAID,
        command=f"{OPEN} keys/registrar.place.key", call=open_with("keys/registrar.place.key"),
        refusal=KeyRefused, words="a registrar's key recovers answers and opens no level",
    ),
    Case(
        name="an analyst's key recovers nothing",
        prepare=published, debits=PAID,
        command=f"{RECOVER} keys/ministry.place.key", call=recover_with("keys/ministry.place.key"),
        refusal=KeyRefused,
    ),
    Case(
        name="recover into a folder that is not there",
        prepare=published, debits=PAID,
        command=f"{RECOVER} keys/registrar.place.key".replace("back.csv", "no/back.csv"),
        call=recover_with("keys/registrar.place.key", out="no/back.csv"),
        refusal=InvalidParameter, words="lies in a folder that does not exist",
    ),
]  # fmt: skip
