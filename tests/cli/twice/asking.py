"""Answering queries for every row of a table."""

from fractions import Fraction
from pathlib import Path

import sfumato as sf
from cli.twice.cases import PRIVATE, Case, both, removed
from sfumato.errors import BudgetSpent, InvalidParameter, UnknownSchema, UnreadableFile
from sfumato.ledger import Kind, Ledger
from sfumato.recoverable import Query, best_answer
from sfumato.recoverable.query_files import QueryDesign, read_query_table, write_query_design
from small_studies import small_study

BLOOD = Path(__file__).parents[3] / "docs" / "examples" / "blood.csv"


def asked(folder, leakage_bits=3):
    """People with blood groups, a design of answers, and a ledger in leakage."""
    read = read_query_table(BLOOD)
    query = Query.of(read.prior, read.tell, Fraction(9, 10))
    made = best_answer(query)
    design = QueryDesign(
        name=made.name, query=query, channels=(made.channel,), privacy=made.privacy, converse=made.privacy
    )
    write_query_design(design, folder / "design.json")
    (folder / "people.csv").write_text("value\n" + "O+\nA-\n" * 20)
    Ledger.create(folder / "budget", leakage_bits=leakage_bits)
    sf.write_study(small_study(ledger="budget"), folder / "study.toml")


def answer(out="told.csv", **options):
    return lambda: sf.answer_query("people.csv", "design.json", out=out, **options)


ANSWER = "query answer people.csv --design design.json --out told.csv"
ASKING = [
    Case(
        name="answers are paid for",
        prepare=asked, command=f"{ANSWER} --study study.toml", call=answer(study="study.toml"),
        makes=("told.csv",), debits=(Kind.RECOVERABLE,),
    ),
    Case(name="answers without a ledger", prepare=asked, command=ANSWER, call=answer(), makes=("told.csv",)),
    Case(
        name="more answers than the ledger has",
        prepare=lambda folder: asked(folder, Fraction(1, 10)),
        command=f"{ANSWER} --ledger budget", call=answer(ledger="budget"),
        refusal=BudgetSpent, words="cannot be paid for",
    ),
    Case(
        name="answers from a seed are refused with a ledger, before the data are read",
        prepare=removed("people.csv", asked),
        command=f"{ANSWER} --ledger budget --insecure-seed 7", call=answer(ledger="budget", insecure_seed=7),
        refusal=InvalidParameter, words="makes a simulation, and a ledger pays for releases only",
    ),
    *(
        Case(
            name=f"answers to {out}",
            prepare=asked,
            command=f"{ANSWER} --ledger budget".replace("told.csv", out), call=answer(out, ledger="budget"),
            refusal=InvalidParameter, words=words,
        )
        for out, words in (
            ("no/told.csv", "lies in a folder that does not exist. Create the folder first; nothing was debited."),
            ("people.csv/told.csv", "lies in a folder that does not exist"),
            ("told.json", "is JSON"),
        )
    ),
    Case(
        name="a value that the query does not know is not shown",
        prepare=both(asked, lambda folder: (folder / "people.csv").write_text(f"value\nO+\n{PRIVATE}\n")),
        command=f"{ANSWER} --ledger budget", call=answer(ledger="budget"), refusal=UnreadableFile, words="row 2",
    ),
    Case(
        name="a design that is none",
        prepare=both(asked, lambda folder: (folder / "design.json").write_text("{}")),
        command=f"{ANSWER} --ledger budget", call=answer(ledger="budget"), refusal=UnknownSchema,
    ),
]  # fmt: skip
