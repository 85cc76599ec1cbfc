"""Publishing: who pays, where keys and reports go, and what is never drawn twice."""

from dataclasses import replace
from fractions import Fraction

import sfumato as sf
from cli.twice.cases import PRIVATE, Case, both, having, removed
from sfumato.errors import BudgetSpent, InvalidParameter, KeyRefused, KeyReused, UnreadableFile
from sfumato.files.public_tables import write_table
from sfumato.keys.protection import Passphrase, Unprotected
from sfumato.ledger import Kind, Ledger
from small_studies import answers, small_study

ROWS = 40


def people(folder, **changes):
    """Answers of few people, a study of two questions with a ladder each, and a ledger that can pay once."""
    write_table(answers(ROWS), folder / "answers.csv")
    given = {"questions": small_study().questions[:2], "ledger": "budget", **changes}
    sf.write_study(small_study(**given), folder / "study.toml")
    Ledger.create(folder / "budget", epsilon=10)


def without_ledger(folder):
    people(folder, ledger=None)


def with_card(folder):
    """A card has no ε, so only bits can be limited; it is drawn afresh each time."""
    people(folder, questions=small_study().questions)
    (folder / "budget").unlink()
    Ledger.create(folder / "budget", budget_bits=100)


def published(folder, prepare=people, **options):
    prepare(folder)
    given = {"out": folder / "reports.parquet", "keys": folder / "keys", "protection": Unprotected(), **options}
    return sf.publish(folder / "study.toml", folder / "answers.csv", **given)


def changed_answers(folder):
    published(folder)
    text = (folder / "answers.csv").read_text()
    (folder / "answers.csv").write_text(text.replace('"no"', '"yes"', 1))


def poor(folder):
    people(folder)
    (folder / "budget").unlink()
    Ledger.create(folder / "budget", epsilon=Fraction(1, 2))


KEYS = (
    "keys/",
    *(f"keys/{name}.{question}.key" for name in ("ministry", "press", "registrar") for question in ("moved", "place")),
)
REPORTS = ("reports.parquet", "reports.parquet.about.json", "reports.parquet.codebook.md")
PARTS = ("PART.parquet", "PART.parquet.about.json", "PART.parquet.codebook.md")
FOLDER = ("publication.json", *PARTS)
RECORD = ("releases.json",)


def publish(study="study.toml", data="answers.csv", out="reports.parquet", keys="keys", **options):
    given = {"protection": Unprotected(), **options}
    return lambda: sf.publish(study, data, out=out, keys=keys, **given)


PUBLISH = "publish answers.csv --study study.toml --out reports.parquet --keys keys --unprotected"
PUBLISH_TWO = PUBLISH.replace("reports.parquet --keys keys", "two.parquet --keys other")
PUBLISHING = [
    Case(
        name="publish pays, and writes keys and reports",
        prepare=people, command=PUBLISH, call=publish(), makes=(*KEYS, *REPORTS, *RECORD), debits=(Kind.LOCAL,),
    ),
    Case(
        name="publish debits a ledger that is given",
        prepare=without_ledger,
        command=f"{PUBLISH} --ledger budget",
        call=publish(ledger="budget"),
        makes=(*KEYS, *REPORTS, *RECORD), debits=(Kind.LOCAL,),
    ),
    Case(
        name="the study's own ledger may be given",
        prepare=people, command=f"{PUBLISH} --ledger budget", call=publish(ledger="budget"),
        makes=(*KEYS, *REPORTS, *RECORD), debits=(Kind.LOCAL,),
    ),
    Case(
        name="publish without a ledger pays nobody",
        prepare=without_ledger, command=PUBLISH, call=publish(), makes=(*KEYS, *REPORTS, *RECORD),
    ),
    Case(
        # The data are not there: who reads them before the seed is refused says something else.
        name="a seed is refused with a ledger, before anything is read",
        prepare=removed("answers.csv", people),
        command=f"{PUBLISH} --insecure-seed 7",
        call=publish(insecure_seed=7),
        refusal=InvalidParameter, words="makes a simulation, and a ledger pays for releases only",
    ),
    Case(
        name="a seed without a ledger simulates",
        prepare=without_ledger,
        command=f"{PUBLISH} --insecure-seed 7",
        call=publish(insecure_seed=7),
        makes=(*KEYS, *REPORTS),
    ),
    Case(
        name="out in a folder that is not there",
        prepare=people,
        command=PUBLISH.replace("reports.parquet", "no/reports.parquet"),
        call=publish(out="no/reports.parquet"),
        refusal=InvalidParameter, words="lies in a folder that does not exist. Create the folder first; nothing was",
    ),
    Case(
        name="out below a file",
        prepare=people,
        command=PUBLISH.replace("reports.parquet", "study.toml/reports.parquet"),
        call=publish(out="study.toml/reports.parquet"),
        refusal=InvalidParameter, words="lies in a folder that does not exist",
    ),
    Case(
        name="a folder that is there is a publication's, whatever it is called",
        prepare=having("reports.parquet", prepare=people), command=PUBLISH, call=publish(),
        makes=(*KEYS, *RECORD, *(f"reports.parquet/{name}" for name in FOLDER)), debits=(Kind.LOCAL,),
    ),
    Case(
        name="a folder in the place of the codebook",
        prepare=having("reports.parquet.codebook.md", prepare=people), command=PUBLISH, call=publish(),
        refusal=InvalidParameter, words="is a folder",
    ),
    Case(
        name="a folder in the place of the note",
        prepare=having("reports.csv.about.json", prepare=people),
        command=PUBLISH.replace("reports.parquet", "reports.csv"),
        call=publish(out="reports.csv"),
        refusal=InvalidParameter, words="is a folder",
    ),
    *(
        Case(
            name=f"reports cannot be called {name}",
            prepare=people,
            command=PUBLISH.replace("reports.parquet", name),
            call=publish(out=name),
            refusal=InvalidParameter, words=words,
        )
        for name, words in (("reports.json", "is JSON"), ("reports.xlsx", "has an extension that is not known"))
    ),
    *(
        Case(
            name=f"keys in {keys}",
            prepare=people,
            command=PUBLISH.replace("--keys keys", f"--keys {keys}"),
            call=publish(keys=keys),
            refusal=InvalidParameter, words="cannot be written to. Choose another folder; nothing was debited.",
        )
        for keys in ("study.toml", "study.toml/keys")
    ),
    Case(
        name="nobody said where the keys go",
        prepare=people,
        command=PUBLISH.replace("--keys keys", ""),
        call=publish(keys=None),
        refusal=InvalidParameter, words="the study has readers with keys",
    ),
    Case(
        name="nobody said how the keys are protected",
        prepare=people,
        command=PUBLISH.replace("--unprotected", ""),
        call=publish(protection=None),
        refusal=InvalidParameter, words="must say how key files are protected", own_words=True,
    ),
    Case(
        name="the same answers under the same keys are the same release",
        prepare=published, command=PUBLISH, call=publish(), debits=(Kind.LOCAL,),
    ),
    Case(
        name="changed answers never meet old draws",
        prepare=changed_answers, command=PUBLISH, call=publish(),
        refusal=KeyReused, words="the difference of two reports", debits=(Kind.LOCAL,),
    ),
    Case(
        name="keys of another study",
        prepare=both(published, lambda folder: sf.write_study(
            replace(sf.read_study(folder / "study.toml"), name="Houses"), folder / "study.toml"
        )),
        command=PUBLISH, call=publish(),
        refusal=KeyRefused, words="was drawn for another study", debits=(Kind.LOCAL,),
    ),
    Case(
        name="keys of another epoch",
        prepare=published, command=f"{PUBLISH} --epoch 1", call=publish(epoch=1),
        refusal=KeyRefused, words="was drawn for another epoch", debits=(Kind.LOCAL,),
    ),
    Case(
        name="keys that another passphrase opens",
        prepare=both(
            lambda folder: published(folder, protection=Passphrase("correct horse", memory_kib=8, passes=1, lanes=1)),
            lambda folder: (folder / "wrong.txt").write_text("another horse\n"),
        ),
        command=PUBLISH.replace("--unprotected", "--passphrase-file wrong.txt"),
        call=publish(unlock=Passphrase("another horse")),
        refusal=KeyRefused, words="passphrase", debits=(Kind.LOCAL,),
    ),
    Case(
        name="keys without the registrar's",
        prepare=removed("keys/registrar.place.key", published), command=PUBLISH, call=publish(),
        refusal=InvalidParameter, words="but not the registrar's", debits=(Kind.LOCAL,),
    ),
    Case(
        name="a card is not published twice",
        prepare=lambda folder: published(folder, with_card), command=PUBLISH, call=publish(),
        refusal=KeyReused, words="it would be answered afresh", debits=(Kind.LOCAL,),
    ),
    Case(
        name="more than the ledger has",
        prepare=poor, command=PUBLISH, call=publish(), refusal=BudgetSpent, words="cannot be paid for",
    ),
    Case(
        name="new keys are a new release, and the money is gone",
        prepare=published,
        command=f"{PUBLISH_TWO} --again second",
        call=publish(out="two.parquet", keys="other", again="second"),
        refusal=BudgetSpent, words="are left", debits=(Kind.LOCAL,),
    ),
    Case(
        name="a ledger that is not the study's",
        prepare=people,
        command=f"{PUBLISH} --ledger elsewhere",
        call=publish(ledger="elsewhere"),
        refusal=InvalidParameter, words="is not the ledger of the study, budget",
    ),
    Case(
        name="a ledger that is not there",
        prepare=removed("budget", people), command=PUBLISH, call=publish(),
        refusal=UnreadableFile, words="the file does not exist. Check the name, or make a ledger",
    ),
    Case(
        name="a guarantee that is none",
        prepare=people,
        command=f"{PUBLISH} --guarantee absolute",
        call=publish(guarantee="absolute"),
        refusal=InvalidParameter, words="is not offered", own_words=True,
    ),
    Case(
        name="a question is not kept",
        prepare=people,
        command=f"{PUBLISH} --keep moved",
        call=publish(keep=["moved"]),
        refusal=InvalidParameter, words="its answers are not made public",
    ),
    Case(
        name="an answer that is none is not shown",
        prepare=both(people, lambda folder: (folder / "answers.csv").write_text(f"moved,place\nno,{PRIVATE}\n")),
        command=PUBLISH, call=publish(), refusal=UnreadableFile, words="row 1",
    ),
    Case(
        name="nobody answered",
        prepare=both(people, lambda folder: (folder / "answers.csv").write_text("moved,place\n")),
        command=PUBLISH, call=publish(), refusal=UnreadableFile, words="no rows",
    ),
]  # fmt: skip
