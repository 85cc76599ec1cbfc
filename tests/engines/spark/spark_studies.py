"""Studies that are published by both engines from the same files, and what must then be equal."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from sfumato.keys import Unprotected
from sfumato.keys.key_files import read_key
from sfumato.publications.part import MemorySink, PartPlan, draw_part, open_answers
from sfumato.publications.reports import read_report_files
from sfumato.sampling import Guarantee, SystemBits
from sfumato.study import Analyst, Card, OneOfMany, Study, YesNo, write_study
from sfumato.workflows.publishing import publish

ANSWERS = tuple(str(number) for number in range(900))
PLACES = ("north", "south", "east", "west")
SEED = 7
ODD_SIZES = (4096, 1, 5000, 12288, 777)
"""Rows of files: a block, less, more, some whole ones, a few."""


def wide_study():
    """A ladder of 900 answers and a yes-no, with three levels and keys that recover."""
    return Study(
        name="Wide",
        questions=(OneOfMany(id="a", text="Which?", answers=ANSWERS), YesNo(id="b", text="Yes?")),
        analysts=(Analyst(name="mid", epsilon=Fraction(1)), Analyst(name="top", epsilon=Fraction(2))),
        public_epsilon=Fraction(1, 2),
        recover=True,
    )


def plain_study(**changes):
    """A ladder of four answers and a yes-no."""
    values = {
        "name": "Plain",
        "questions": (YesNo(id="moved", text="Did you move?"), OneOfMany(id="place", text="Where?", answers=PLACES)),
        "analysts": (Analyst(name="press", epsilon=Fraction(1)),),
        "public_epsilon": Fraction(1, 2),
        "recover": True,
    }
    return Study(**{**values, **changes})


def card_study():
    """The same with a question that nobody has keys to."""
    card = Card(id="debt", text="Are you in debt?", guess_error=Fraction(3, 8))
    return plain_study(questions=(*plain_study().questions, card))


def _cells(words, rows, seed):
    codes = np.random.default_rng(seed).integers(0, len(words), rows).astype(np.int32)
    return pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(words)).cast(pa.string())


def wide_answers(rows):
    return pa.table({"a": _cells(ANSWERS, rows, 1), "b": _cells(("no", "yes"), rows, 2)})


def plain_answers(rows, prefix="p"):
    """Answers, somebody's id in an order of its own, and a region."""
    order = np.random.default_rng(5).permutation(rows)
    return pa.table(
        {
            "moved": _cells(("no", "yes"), rows, 3),
            "place": _cells(PLACES, rows, 4),
            "region": _cells(("coast", "hill"), rows, 6),
            "debt": _cells(("no", "yes"), rows, 8),
            "person": [f"{prefix}{place:07d}" for place in order],
        }
    )


def written(folder, table, sizes=None, names=None):
    """Write a table as files of these sizes, in the order of their names; the last file holds the rest."""
    folder.mkdir(parents=True, exist_ok=True)
    sizes = (table.num_rows,) if sizes is None else sizes
    names = [f"f{number:03d}.parquet" for number in range(len(sizes))] if names is None else names
    start = 0
    for number, (name, size) in enumerate(zip(names, sizes, strict=True)):
        rows = size if number < len(sizes) - 1 else table.num_rows - start
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(table.slice(start, rows), folder / name, row_group_size=3000)
        start += rows
    return folder


def published(study, data, folder, **more):
    """Publish into a folder; a seed makes both engines draw the same keys."""
    folder.mkdir(exist_ok=True)
    write_study(study, folder / "study.toml")
    options = {"insecure_seed": SEED, "guarantee": "computational", "protection": Unprotected(), **more}
    return publish(folder / "study.toml", data, out=folder / "reports", keys=folder / "keys", **options)


def key_files(folder):
    return {path.name: path.read_bytes() for path in sorted((folder / "keys").iterdir())}


def check_same(folder, other):
    """Both folders hold the same part: its id, draws, salts and digests, its rows, and its keys to the byte."""
    found, expected = (read_report_files(place / "reports") for place in (folder, other))
    (part,), (wanted,) = found.note.parts, expected.note.parts
    assert (part.id, part.rows, part.salts) == (wanted.id, wanted.rows, wanted.salts)
    assert dict(part.roots) == dict(wanted.roots)
    assert found.note.to_text() == expected.note.to_text()
    assert found.table.equals(expected.table)
    assert key_files(folder) == key_files(other)


def check_equal_to_arrow(study, frame, files, folder, **more):
    """Publish a table of Spark, and the files that it was read from on one machine."""
    published(study, frame, folder / "spark", **more)
    published(study, files, folder / "arrow", **more)
    check_same(folder / "spark", folder / "arrow")


def seeds(folder):
    """The keys in a folder, by the names of their files."""
    return {path.stem: read_key(path, Unprotected()) for path in sorted((folder / "keys").glob("*.key"))}


def check_drawn_alone(study, table, folder, secret):
    """Under the keys that a job made and the secret that it had, one machine makes the part that is in the folder."""
    reports = read_report_files(folder / "reports")
    (part,) = reports.note.parts
    held = seeds(folder)
    plan = PartPlan(
        study=study,
        part=part.id,
        source=SystemBits(),
        guarantee=Guarantee.COMPUTATIONAL,
        keep=reports.kept,
        keys={
            way.question.id: {0: replace(held[f"registrar.{way.question.id}"], produced=None)}
            for way in study.handlers
            if way.key_levels
        },
        before=part,
        secret=secret,
    )
    sink = MemorySink()
    note, _ = draw_part(plan, open_answers(study, table, reports.kept), sink)
    assert dict(note.parts[0].roots) == dict(part.roots)
    assert note.parts[0].salts == part.salts
    # In memory a column may be coded in another way than in a file.
    assert reports.table.to_pydict() == sink.reports(note).table.to_pydict()
