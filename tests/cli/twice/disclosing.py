"""Disclosing tables as a whole: once, and paid for."""

from dataclasses import replace

import sfumato as sf
from cli.twice.cases import Case, both, having, removed
from cli.twice.publishing import people
from sfumato.errors import BudgetSpent, InvalidParameter, KeyReused, UnreadableFile
from sfumato.ledger import Kind, Ledger
from sfumato.study import DisclosedColumns
from small_studies import small_study


def whole(folder, **changes):
    """A table that a study with a ledger in bits discloses as a whole."""
    questions = (small_study().questions[2],)
    people(folder, questions=questions, disclosure=DisclosedColumns(protect=("moved", "place")), **changes)
    (folder / "budget").unlink()
    Ledger.create(folder / "budget", budget_bits=10)


def no_disclosure(folder):
    whole(folder)
    sf.write_study(replace(sf.read_study(folder / "study.toml"), disclosure=None), folder / "study.toml")


def disclosed(folder):
    whole(folder)
    sf.disclose_table(
        folder / "answers.csv",
        study=folder / "study.toml",
        distribution_from_these_records=True,
        out=folder / "first.csv",
        even_if_nothing=True,
    )


def disclose(data="answers.csv", out="whole.csv", **options):
    return lambda: sf.disclose_table(
        data, out=out, distribution_from_these_records=True, even_if_nothing=True, **options
    )


WHOLE = ("answers.csv.releases.json", "whole.csv", "whole.csv.PRIVATE.json", "whole.csv.certificate.json")
SAMPLES = (Kind.PERFECT_SAMPLES,)
DISCLOSE = "disclose answers.csv --out whole.csv --distribution-from-these-records --even-if-nothing --study study.toml"
FORCED = "--distribution-from-these-records --even-if-nothing"
GIVEN = f"disclose answers.csv --out whole.csv {FORCED} --protect moved,place --ledger budget"
DISCLOSING = [
    Case(
        name="disclose what a study says, paid by its ledger",
        prepare=whole, command=DISCLOSE, call=disclose(study="study.toml"), makes=WHOLE, debits=SAMPLES,
    ),
    Case(
        name="disclose what is said, paid by a ledger",
        prepare=whole, command=GIVEN, call=disclose(protect=["moved", "place"], ledger="budget"),
        makes=WHOLE, debits=SAMPLES,
    ),
    Case(
        name="rows of one column",
        prepare=whole,
        command=GIVEN.replace("moved,place", "moved --samples rows"),
        call=disclose(protect=["moved"], samples="rows", ledger="budget"),
        makes=WHOLE, debits=SAMPLES,
    ),
    Case(
        name="the private certificate of another release is not written over",
        prepare=both(whole, lambda folder: (folder / "whole.csv.PRIVATE.json").write_text("{}")),
        command=DISCLOSE, call=disclose(study="study.toml"),
        refusal=InvalidParameter, words="has the private certificate of another release beside it",
    ),
    Case(
        name="a second release is refused by the registry",
        prepare=disclosed, command=DISCLOSE, call=disclose(study="study.toml"),
        refusal=KeyReused, words="two private releases of the same data can leak together", debits=SAMPLES,
    ),
    Case(
        name="a second release in another registry is refused by the ledger",
        prepare=disclosed,
        command=f"{DISCLOSE} --registry fresh.json", call=disclose(study="study.toml", registry="fresh.json"),
        refusal=BudgetSpent, words="were released before", debits=SAMPLES,
    ),
    Case(
        name="a seed is refused with a ledger, before the table is read",
        prepare=removed("answers.csv", whole),
        command=f"{DISCLOSE} --insecure-seed 7", call=disclose(study="study.toml", insecure_seed=7),
        refusal=InvalidParameter, words="makes a simulation, and a ledger pays for releases only",
    ),
    *(
        Case(
            name=f"a release to {out}",
            prepare=whole,
            command=DISCLOSE.replace("whole.csv", out), call=disclose(out=out, study="study.toml"),
            refusal=InvalidParameter, words=words,
        )
        for out, words in (
            ("no/whole.csv", "lies in a folder that does not exist. Create the folder first; nothing was debited."),
            ("study.toml/whole.csv", "lies in a folder that does not exist"),
            ("whole.json", "is JSON; tables are written as CSV or Parquet. Name one of these; nothing was debited."),
            ("whole", "has an extension that is not known"),
        )
    ),
    Case(
        name="a folder in the place of the certificate",
        prepare=having("whole.csv.certificate.json", prepare=whole),
        command=DISCLOSE, call=disclose(study="study.toml"), refusal=InvalidParameter, words="is a folder",
    ),
    Case(
        name="a registry in a folder that is not there",
        prepare=whole,
        command=f"{DISCLOSE} --registry no/mine.json", call=disclose(study="study.toml", registry="no/mine.json"),
        refusal=InvalidParameter, words="registry='no/mine.json' lies in a folder that does not exist",
    ),
    Case(
        name="a file that is no registry",
        prepare=both(whole, lambda folder: (folder / "answers.csv.releases.json").write_text("{}")),
        command=DISCLOSE, call=disclose(study="study.toml"), refusal=UnreadableFile, words="it guards the data",
    ),
    Case(
        name="a ledger that is not the study's",
        prepare=whole,
        command=f"{DISCLOSE} --ledger elsewhere", call=disclose(study="study.toml", ledger="elsewhere"),
        refusal=InvalidParameter, words="is not the ledger of the study",
    ),
    Case(
        name="a disclosure is said once",
        prepare=whole,
        command=f"{DISCLOSE} --protect moved,place", call=disclose(study="study.toml", protect=["moved", "place"]),
        refusal=InvalidParameter, words="both say what to protect",
    ),
    Case(
        name="a question is not disclosed as well",
        prepare=no_disclosure,
        command=f"{DISCLOSE} --protect moved,rooms", call=disclose(study="study.toml", protect=["moved", "rooms"]),
        refusal=InvalidParameter, words="names 'rooms', which is a question as well",
    ),
    Case(
        name="a study without a disclosure",
        prepare=no_disclosure, command=DISCLOSE, call=disclose(study="study.toml"),
        refusal=InvalidParameter, words="the study has no [disclosure]",
    ),
    Case(
        name="a column that is not there",
        prepare=no_disclosure,
        command=f"{DISCLOSE} --protect moved,hope", call=disclose(study="study.toml", protect=["moved", "hope"]),
        refusal=UnreadableFile, words="hope",
    ),
]  # fmt: skip
