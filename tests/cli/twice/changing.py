"""Publications that live: new people, corrections, people who are forgotten, and parts of several offices.

Ids hold what an error may never repeat.
"""

from functools import partial

import pyarrow as pa

import sfumato as sf
from cli.twice.cases import PRIVATE, Case, both, removed
from cli.twice.publishing import FOLDER, KEYS, PARTS, RECORD, ROWS, people, without_ledger
from sfumato.errors import BudgetSpent, InvalidParameter, KeyRefused, SharedPeople, UnreadableFile
from sfumato.files.public_tables import write_table
from sfumato.keys.protection import Passphrase, Unprotected
from sfumato.ledger import Kind, Ledger
from sfumato.study import FreeText
from small_studies import PLACES, answers, small_study

NEW = 6
LOCKED = Passphrase("correct horse", memory_kib=8, passes=1, lanes=1)


def person(number):
    return f"{PRIVATE}-{number}"


def with_ids(table, first=0):
    return table.append_column("person", pa.array([person(first + row) for row in range(table.num_rows)]))


def tables(folder):
    """Answers of those who are in, of new people, and corrections of two of the first."""
    write_table(with_ids(answers(ROWS)), folder / "answers.csv")
    write_table(with_ids(answers(NEW), ROWS), folder / "newcomers.csv")
    write_rows(folder, "corrections.csv", "person,place", f"{person(0)},{PLACES[3]}", f"{person(2)},{PLACES[3]}")


def write_rows(folder, name, *lines):
    (folder / name).write_text("".join(f"{line}\n" for line in lines))


def given(**changes):
    """How everything here is published, but for changes."""
    return {"out": "reports", "keys": "keys", "protection": Unprotected(), "id_column": "person", **changes}


def in_folder(folder, prepare=people, **changes):
    """A publication in a folder, of people with ids; the ledger pays ε 3 for a question, and has 10."""
    prepare(folder)
    tables(folder)
    options = given(**changes)
    options |= {name: folder / options[name] for name in ("out", "keys") if options[name] is not None}
    sf.publish(folder / "study.toml", folder / "answers.csv", **options)


def grown(folder, **changes):
    """The same with a second part."""
    in_folder(folder, **changes)
    options = given(out=folder / "reports", keys=folder / "keys", append=True)
    sf.publish(folder / "study.toml", folder / "newcomers.csv", **options)


def with_rows(name, *lines, prepare=in_folder):
    return both(prepare, lambda folder: write_rows(folder, name, *lines))


def renamed(folder):
    in_folder(folder, without_ledger)
    text = (folder / "study.toml").read_text()
    (folder / "study.toml").write_text(text.replace("Homes", "Houses"))


def rich(folder, **changes):
    people(folder, **changes)
    (folder / "budget").unlink()
    Ledger.create(folder / "budget", epsilon=50)


def hunted(folder):
    """Free text is asked of all people together, so nobody can come later."""
    people(folder, questions=(FreeText(id="place", text="Where?", longest=32),), recover=False, analysts=())
    (folder / "budget").unlink()
    Ledger.create(folder / "budget", epsilon=50)


def append(**changes):
    return lambda: sf.publish("study.toml", "newcomers.csv", **given(append=True, **changes))


def amend(data="corrections.csv", **changes):
    return lambda: sf.amend("study.toml", data, **given(**changes))


def erase(reports="reports", **options):
    return lambda: sf.erase(reports, **{"keys": "keys", "unlock": Unprotected(), **options})


def combine(*reports, **options):
    return lambda: sf.combine(list(reports), **{"out": "all", **options})


def erased(folder):
    in_folder(folder)
    sf.erase(folder / "reports", ids=[person(2)], keys=folder / "keys", unlock=Unprotected())


def opened(folder):
    in_folder(folder)
    seen = sf.open_reports(folder / "reports", folder / "keys", unlock=Unprotected())
    seen.write(folder / "opened.parquet")


def offices(folder, second="newcomers.csv", **changes):
    """Two offices with one study, which name their people; the second has one file."""
    rich(folder)
    tables(folder)
    for name, data, out in (("north", "answers.csv", "north"), ("south", second, "south.parquet")):
        options = {**given(out=folder / out, keys=folder / f"{name}-keys", people=name), **changes}
        sf.publish(folder / "study.toml", folder / data, **options)


def other_study(folder):
    offices(folder)
    sf.write_study(small_study(questions=small_study().questions[:2], name="Houses"), folder / "other.toml")
    options = given(out=folder / "other.parquet", keys=folder / "other-keys", registry=folder / "other.json")
    sf.publish(folder / "other.toml", folder / "answers.csv", **options)


PAID, TWICE = (Kind.LOCAL,), (Kind.LOCAL, Kind.LOCAL)
LATER_KEYS = tuple(name.replace(".key", ".PART.key") for name in KEYS[1:])
INDEX = ("keys/people.PART.index",)
IN_REPORTS = tuple(f"reports/{name}" for name in PARTS)
REWRITTEN = tuple(name.replace("PART.parquet", "PART.1.parquet") for name in IN_REPORTS)
PLACE_KEYS = tuple(name for name in LATER_KEYS if ".place." in name)
STUDY = "--study study.toml --out reports --keys keys"
PUBLISH = f"publish answers.csv {STUDY} --id person --unprotected"
APPEND = f"publish newcomers.csv {STUDY} --id person --append --unprotected"
AMEND = f"amend corrections.csv {STUDY} --id person --unprotected"
BY_ROW = AMEND.replace("--id person ", "")
ERASE = "erase reports --keys keys --allow-unprotected"
COMBINE = "combine north south.parquet --out all"
INDEXES = "--keys north-keys --keys south-keys --allow-unprotected"
ENTERED = ("releases.json", "reports/publication.json")

FIRST = [
    Case(
        name="a publication in a folder, with an index of its people",
        prepare=both(people, tables), command=PUBLISH, call=lambda: sf.publish("study.toml", "answers.csv", **given()),
        makes=("reports/", *KEYS, *INDEX, *RECORD, *(f"reports/{name}" for name in FOLDER)), debits=PAID,
    ),
    Case(
        name="a row order of chance",
        prepare=both(people, tables), command=f"{PUBLISH} --shuffle",
        call=lambda: sf.publish("study.toml", "answers.csv", **given(shuffle=True)),
        makes=("reports/", *KEYS, *INDEX, *RECORD, *(f"reports/{name}" for name in FOLDER)), debits=PAID,
    ),
    Case(
        name="somebody is in the table twice",
        prepare=both(people, tables, lambda folder: write_rows(
            folder, "answers.csv", "moved,place,person", *(f"no,north,{person(row)}" for row in (1, 2, 1))
        )),
        command=PUBLISH, call=lambda: sf.publish("study.toml", "answers.csv", **given()),
        refusal=UnreadableFile, words="column person, row 3 names somebody who is in row 1 already",
    ),
    Case(
        name="somebody without an id",
        prepare=both(people, tables, lambda folder: write_rows(
            folder, "answers.csv", "moved,place,person", f"no,north,{person(1)}", "no,south,"
        )),
        command=PUBLISH, call=lambda: sf.publish("study.toml", "answers.csv", **given()),
        refusal=UnreadableFile, words="row 2",
    ),
    Case(
        name="no such column of ids",
        prepare=both(people, tables), command=PUBLISH.replace("--id person", "--id name"),
        call=lambda: sf.publish("study.toml", "answers.csv", **given(id_column="name")),
        refusal=UnreadableFile, words="name",
    ),
    Case(
        name="an index needs a folder",
        prepare=both(partial(people, recover=False, analysts=()), tables), command=PUBLISH.replace("--keys keys", ""),
        call=lambda: sf.publish("study.toml", "answers.csv", **given(keys=None)),
        refusal=InvalidParameter, words="needs a folder for the index of people",
    ),
    Case(
        name="a folder that holds a publication is not published into with new keys",
        prepare=in_folder, command=PUBLISH.replace("--keys keys", "--keys other --again second"),
        call=lambda: sf.publish("study.toml", "answers.csv", **given(keys="other", again="second")),
        refusal=InvalidParameter, words="holds a publication already", debits=PAID,
    ),
]  # fmt: skip

APPENDING = [
    Case(
        name="append: new people pay what everybody pays",
        prepare=in_folder, command=APPEND, call=append(),
        makes=(*IN_REPORTS, *LATER_KEYS, *INDEX), changes=ENTERED, debits=TWICE,
    ),
    Case(
        name="append under seeds makes no new key files",
        prepare=partial(in_folder, guarantee="computational"), command=APPEND, call=append(),
        makes=(*IN_REPORTS, *INDEX), changes=ENTERED, debits=TWICE,
    ),
    Case(
        name="append without an index",
        prepare=partial(in_folder, id_column=None), command=APPEND.replace("--id person", ""),
        call=append(id_column=None), makes=(*IN_REPORTS, *LATER_KEYS), changes=ENTERED, debits=TWICE,
    ),
    Case(
        name="append somebody who is in already",
        prepare=with_rows("newcomers.csv", "moved,place,person", f"no,north,{person(90)}", f"no,north,{person(7)}"),
        command=APPEND, call=append(),
        refusal=UnreadableFile, words="column person, row 2 names somebody who is in the publication", debits=PAID,
    ),
    Case(
        name="append an answer that is none",
        prepare=with_rows(
            "newcomers.csv", "moved,place,person", f"no,north,{person(90)}", f"no,{PRIVATE},{person(91)}"
        ),
        command=APPEND, call=append(), refusal=UnreadableFile, words="column place, row 2", debits=PAID,
    ),
    Case(
        name="append without a question",
        prepare=with_rows("newcomers.csv", "moved,person", f"no,{person(90)}"),
        command=APPEND, call=append(), refusal=UnreadableFile, words="place", debits=PAID,
    ),
    Case(
        name="append nobody",
        prepare=with_rows("newcomers.csv", "moved,place,person"),
        command=APPEND, call=append(), refusal=UnreadableFile, words="no rows", debits=PAID,
    ),
    Case(
        name="append needs the index of every part",
        prepare=partial(in_folder, id_column=None), command=APPEND, call=append(),
        refusal=InvalidParameter, words="needs the index of every part", debits=PAID,
    ),
    Case(
        name="append to what is not there",
        prepare=both(people, tables), command=APPEND, call=append(),
        refusal=InvalidParameter, words="must be the folder of a publication",
    ),
    Case(
        name="append to a file",
        prepare=partial(in_folder, out="reports.parquet"),
        command=APPEND.replace("--out reports", "--out reports.parquet"), call=append(out="reports.parquet"),
        refusal=InvalidParameter, words="must be the folder of a publication", debits=PAID,
    ),
    Case(
        name="append to another study",
        prepare=renamed, command=APPEND, call=append(),
        refusal=InvalidParameter, words="holds a publication of another study or epoch",
    ),
    Case(
        name="append to another epoch",
        prepare=in_folder, command=f"{APPEND} --epoch 1", call=append(epoch=1),
        refusal=InvalidParameter, words="another study or epoch", debits=PAID,
    ),
    Case(
        name="append keeps what was kept",
        prepare=in_folder, command=f"{APPEND} --keep region", call=append(keep=["region"]),
        refusal=InvalidParameter, words="must name the columns that the publication keeps: none", debits=PAID,
    ),
    Case(
        name="append is no further release",
        prepare=in_folder, command=f"{APPEND} --again second", call=append(again="second"),
        refusal=InvalidParameter, words="new people are appended", debits=PAID,
    ),
    Case(
        name="append to what is asked of all together",
        prepare=partial(in_folder, prepare=hunted, keys=None, id_column=None),
        command=APPEND.replace("--keys keys --id person", ""), call=append(keys=None, id_column=None),
        refusal=InvalidParameter, words="cannot grow: question 'place'", debits=PAID,
    ),
    Case(
        name="append with keys that do not open",
        prepare=both(
            partial(in_folder, protection=LOCKED), lambda folder: (folder / "wrong.txt").write_text("another horse\n")
        ),
        command=APPEND.replace("--unprotected", "--passphrase-file wrong.txt"),
        call=append(protection=Passphrase("another horse")),
        refusal=KeyRefused, words="passphrase", debits=PAID,
    ),
    Case(
        name="append to a publication that its registry does not know",
        prepare=partial(in_folder, prepare=without_ledger),
        command=f"{APPEND} --registry mine.json", call=append(registry="mine.json"),
        refusal=InvalidParameter, words="that neither registry nor ledger remembers",
    ),
    Case(
        name="append with the seed of another part",
        prepare=partial(in_folder, prepare=without_ledger, insecure_seed=7),
        command=f"{APPEND} --insecure-seed 7", call=append(insecure_seed=7),
        refusal=InvalidParameter, words="makes the same draws again",
    ),
    Case(
        name="append with a seed that anyone can repeat",
        prepare=in_folder, command=f"{APPEND} --insecure-seed 7", call=append(insecure_seed=7),
        refusal=InvalidParameter, words="makes a simulation", debits=PAID,
    ),
]  # fmt: skip

AMENDING = [
    Case(
        name="amend: the cells that changed are paid for again",
        prepare=in_folder, command=AMEND, call=amend(),
        makes=(*IN_REPORTS, *PLACE_KEYS), changes=ENTERED, debits=TWICE,
    ),
    Case(
        name="amend by row",
        prepare=with_rows("corrections.csv", "row,place", f"2,{PLACES[3]}"),
        command=BY_ROW, call=amend(id_column=None),
        makes=(*IN_REPORTS, *PLACE_KEYS), changes=ENTERED, debits=TWICE,
    ),
    Case(
        name="amend under cover",
        prepare=in_folder, command=f"{AMEND} --cover 5", call=amend(cover=5),
        makes=(*IN_REPORTS, *PLACE_KEYS), changes=ENTERED, debits=TWICE,
    ),
    Case(
        name="amend what is right already",
        prepare=with_rows("corrections.csv", "person,place", f"{person(0)},{PLACES[0]}"),
        command=AMEND, call=amend(), refusal=InvalidParameter, words="corrects nothing", debits=PAID,
    ),
    Case(
        name="amend more than the ledger pays for",
        prepare=with_rows("corrections.csv", "person,moved,place", f"{person(0)},no,{PLACES[3]}"),
        command=AMEND, call=amend(), refusal=BudgetSpent, words="cannot be paid for", debits=PAID,
    ),
    Case(
        name="amend a stranger",
        prepare=with_rows("corrections.csv", "person,place", f"{person(99)},{PLACES[3]}"),
        command=AMEND, call=amend(),
        refusal=UnreadableFile, words="column person, row 1 names a person who is not in the indexes", debits=PAID,
    ),
    Case(
        name="amend somebody twice",
        prepare=with_rows("corrections.csv", "person,place", *[f"{person(2)},{PLACES[3]}"] * 2),
        command=AMEND, call=amend(), refusal=UnreadableFile, debits=PAID,
        words="column person, row 2 names somebody whom an earlier row names",
    ),
    Case(
        name="amend to an answer that is none",
        prepare=with_rows("corrections.csv", "person,place", f"{person(0)},{PLACES[3]}", f"{person(2)},{PRIVATE}"),
        command=AMEND, call=amend(), refusal=UnreadableFile, words="column place, row 2", debits=PAID,
    ),
    Case(
        name="amend a row that is none",
        prepare=with_rows("corrections.csv", "row,place", f"{ROWS},{PLACES[3]}"),
        command=BY_ROW, call=amend(id_column=None),
        refusal=InvalidParameter, words=f"is none of the rows 0 to {ROWS - 1}", debits=PAID,
    ),
    Case(
        name="amend a row that is no number",
        prepare=with_rows("corrections.csv", "row,place", f"1,{PLACES[3]}", f"{PRIVATE},{PLACES[3]}"),
        command=BY_ROW, call=amend(id_column=None), refusal=UnreadableFile, words="column row, row 2", debits=PAID,
    ),
    Case(
        name="amend somebody who was erased",
        prepare=with_rows("corrections.csv", "row,place", f"2,{PLACES[3]}", prepare=erased),
        command=BY_ROW, call=amend(id_column=None),
        refusal=InvalidParameter, words="was erased, and does not come back", debits=PAID,
    ),
    Case(
        name="amend nobody said whom",
        prepare=in_folder, command=BY_ROW, call=amend(id_column=None),
        refusal=InvalidParameter, words="has no column 'row'", debits=PAID,
    ),
    Case(
        name="amend nobody said what",
        prepare=with_rows("corrections.csv", "person,region", f"{person(0)},hill"),
        command=AMEND, call=amend(), refusal=InvalidParameter, words="has no column of a question", debits=PAID,
    ),
    Case(
        name="amend nothing but empty cells",
        prepare=with_rows("corrections.csv", "person,place", f"{person(0)},"),
        command=AMEND, call=amend(), refusal=UnreadableFile, words="corrects nothing", debits=PAID,
    ),
    Case(
        name="amend one of several parts, without saying which",
        prepare=with_rows("corrections.csv", "row,place", f"2,{PLACES[3]}", prepare=grown),
        command=BY_ROW, call=amend(id_column=None),
        refusal=InvalidParameter, words="which of the 2 parts a row is of", debits=TWICE,
    ),
    Case(
        name="amend a part that is none",
        prepare=with_rows("corrections.csv", "part,row,place", f"{PRIVATE},2,{PLACES[3]}", prepare=grown),
        command=BY_ROW, call=amend(id_column=None),
        refusal=UnreadableFile, words="column part, row 1 is not the id of a part", debits=TWICE,
    ),
    Case(
        name="amend two parts at once",
        prepare=with_rows(
            "corrections.csv", "person,place", f"{person(0)},{PLACES[3]}", f"{person(ROWS)},{PLACES[3]}", prepare=grown
        ),
        command=AMEND, call=amend(), refusal=InvalidParameter, words="one is amended at a time", debits=TWICE,
    ),
    Case(
        name="more cover than people",
        prepare=in_folder, command=f"{AMEND} --cover {ROWS}", call=amend(cover=ROWS),
        refusal=InvalidParameter, words=f"asks for more people than the {ROWS - 2}", debits=PAID,
    ),
    Case(
        name="less cover than none",
        prepare=in_folder, command=f"{AMEND} --cover -1", call=amend(cover=-1),
        refusal=InvalidParameter, words="cover", debits=PAID, own_words=True,
    ),
    Case(
        name="cover takes the registrar's keys",
        prepare=with_rows(
            "corrections.csv", "row,place", f"2,{PLACES[3]}",
            prepare=partial(in_folder, prepare=partial(people, recover=False)),
        ),
        command=f"{BY_ROW} --cover 3", call=amend(cover=3, id_column=None),
        refusal=InvalidParameter, words="takes the registrar's keys", debits=PAID,
    ),
    Case(
        name="amend a file",
        prepare=partial(in_folder, out="reports.parquet"),
        command=AMEND.replace("--out reports", "--out reports.parquet"), call=amend(out="reports.parquet"),
        refusal=InvalidParameter, words="must be the folder of a publication", debits=PAID,
    ),
    Case(
        name="amend with a table that is not there",
        prepare=removed("corrections.csv", in_folder), command=AMEND, call=amend(),
        refusal=UnreadableFile, words="does not exist", debits=PAID,
    ),
]  # fmt: skip

ERASING = [
    *(
        Case(
            name=f"erase {name}",
            prepare=both(in_folder, lambda folder: write_rows(folder, "gone.txt", person(2))),
            command=f"{ERASE} {line}", call=erase(**options), debits=PAID,
            makes=REWRITTEN, changes=("reports/publication.json", *IN_REPORTS, *KEYS[1:], *index),
        )
        for name, line, options, index in (
            ("somebody by id", f"--id {person(2)}", {"ids": [person(2)]}, INDEX),
            ("somebody in a list", "--ids-file gone.txt", {"ids": [person(2)]}, INDEX),
            ("a row", "--row 2", {"rows": [(None, 2)]}, INDEX),
        )
    ),
    Case(
        name="erase from a file",
        prepare=partial(in_folder, out="reports.parquet"),
        command=f"{ERASE} --row 2".replace("reports", "reports.parquet"),
        call=erase("reports.parquet", rows=[(None, 2)]), debits=PAID,
        changes=(
            *INDEX, *KEYS[1:], "reports.parquet", "reports.parquet.about.json", "reports.parquet.codebook.md"
        ),
    ),
    Case(
        name="erase without keys leaves them as they are",
        prepare=in_folder, command="erase reports --row 2", call=erase(keys=None, rows=[(None, 2)]),
        makes=REWRITTEN, changes=("reports/publication.json", *IN_REPORTS), debits=PAID,
    ),
    Case(
        name="erase a stranger",
        prepare=in_folder, command=f"{ERASE} --id {person(99)}", call=erase(ids=[person(99)]),
        refusal=InvalidParameter, words="names a person who is not in the indexes", debits=PAID,
    ),
    Case(
        name="erase by id without an index",
        prepare=partial(in_folder, id_column=None), command=f"{ERASE} --id {person(2)}", call=erase(ids=[person(2)]),
        refusal=InvalidParameter, words="needs the index of people", debits=PAID,
    ),
    Case(
        name="erase a row that is none",
        prepare=in_folder, command=f"{ERASE} --row {ROWS}", call=erase(rows=[(None, ROWS)]),
        refusal=InvalidParameter, words=f"is none of the rows 0 to {ROWS - 1}", debits=PAID,
    ),
    Case(
        name="erase a row that is no number",
        prepare=in_folder, command=f"{ERASE} --row two", call=erase(rows=[(None, "two")]),
        refusal=InvalidParameter, debits=PAID, own_words=True,
    ),
    Case(
        name="erase from one of several parts, without saying which",
        prepare=grown, command=f"{ERASE} --row 2", call=erase(rows=[(None, 2)]),
        refusal=InvalidParameter, words="must say which part it is of", debits=TWICE,
    ),
    Case(
        name="erase from a part that is none",
        prepare=in_folder, command=f"{ERASE} --row 0123456789:2", call=erase(rows=[("0123456789", 2)]),
        refusal=InvalidParameter, words="names a part that this publication does not have", debits=PAID,
    ),
    Case(
        name="erase nobody",
        prepare=in_folder, command=ERASE, call=erase(),
        refusal=InvalidParameter, words="names nobody", debits=PAID,
    ),
    Case(
        name="erase from what was opened",
        prepare=opened, command=f"{ERASE} --row 2".replace("reports", "opened.parquet"),
        call=erase("opened.parquet", rows=[(None, 2)]),
        refusal=InvalidParameter, words="are opened, or a selection", debits=PAID,
    ),
    Case(
        name="erase from what is not there",
        prepare=in_folder, command=f"{ERASE} --row 2".replace("erase reports", "erase nowhere"),
        call=erase("nowhere", rows=[(None, 2)]),
        refusal=InvalidParameter, words="must be a file, or the folder of a publication", debits=PAID,
    ),
    Case(
        name="erase with a passphrase that opens nothing changes nothing",
        prepare=both(
            partial(in_folder, protection=LOCKED), lambda folder: (folder / "wrong.txt").write_text("another horse\n")
        ),
        command=f"{ERASE} --row 2".replace("--allow-unprotected", "--passphrase-file wrong.txt"),
        call=erase(rows=[(None, 2)], unlock=Passphrase("another horse")),
        refusal=KeyRefused, words="passphrase", debits=PAID,
    ),
    Case(
        name="erase unprotected keys only where that is said",
        prepare=in_folder, command=f"{ERASE} --row 2".replace("--allow-unprotected", ""),
        call=erase(rows=[(None, 2)], unlock=None), refusal=KeyRefused, words="not protected", debits=PAID,
    ),
    Case(
        name="erase from what is read from all together",
        prepare=partial(in_folder, prepare=hunted, keys=None, id_column=None), command="erase reports --row 2",
        call=erase(keys=None, rows=[(None, 2)]),
        refusal=InvalidParameter, words="cannot lose single rows", debits=PAID,
    ),
]  # fmt: skip

ALL = ("all/", "all/publication.json", *(f"all/{name}" for name in (*PARTS, *PARTS)))
COMBINING = [
    Case(
        name="combine two offices",
        prepare=offices, command=f"{COMBINE} --assume-disjoint",
        call=combine("north", "south.parquet", assume_disjoint=True), makes=ALL, debits=TWICE,
    ),
    Case(
        name="combine two offices whose people were not compared",
        prepare=offices, command=COMBINE, call=combine("north", "south.parquet"),
        refusal=SharedPeople, words="may have the same person in two parts", debits=TWICE,
    ),
    Case(
        name="combine, and look for people who are in both",
        prepare=offices, command=f"{COMBINE} {INDEXES}",
        call=combine("north", "south.parquet", keys=["north-keys", "south-keys"], unlock=Unprotected()),
        makes=ALL, debits=TWICE,
    ),
    Case(
        name="combine people who are in both",
        prepare=partial(offices, second="answers.csv"), command=f"{COMBINE} {INDEXES}",
        call=combine("north", "south.parquet", keys=["north-keys", "south-keys"], unlock=Unprotected()),
        refusal=SharedPeople, words=f"have {ROWS} people in two parts", debits=TWICE,
    ),
    Case(
        name="combine a part with itself",
        prepare=offices, command=COMBINE.replace("south.parquet", "north"), call=combine("north", "north"),
        refusal=InvalidParameter, words="hold a part twice", debits=TWICE,
    ),
    Case(
        name="combine different studies",
        prepare=other_study, command=COMBINE.replace("south", "other"), call=combine("north", "other.parquet"),
        refusal=InvalidParameter, words="are of different studies", debits=TWICE,
    ),
    Case(
        name="combine into what is there",
        prepare=offices, command=COMBINE.replace("--out all", "--out north --assume-disjoint"),
        call=combine("north", "south.parquet", out="north", assume_disjoint=True),
        refusal=InvalidParameter, words="is there already, and not empty", debits=TWICE,
    ),
    Case(
        name="combine below a file",
        prepare=offices, command=COMBINE.replace("--out all", "--out study.toml/all"),
        call=combine("north", "south.parquet", out="study.toml/all"),
        refusal=InvalidParameter, words="cannot be written to", debits=TWICE,
    ),
    Case(
        name="combine what is not there",
        prepare=offices, command=COMBINE.replace("south", "west"), call=combine("north", "west.parquet"),
        refusal=UnreadableFile, words="does not exist", debits=TWICE,
    ),
    Case(
        name="combine what was opened",
        prepare=opened, command=COMBINE.replace("north south", "opened.parquet opened"),
        call=combine("opened.parquet", "opened.parquet"),
        refusal=InvalidParameter, words="hold a part twice", debits=PAID,
    ),
    Case(
        name="combine what was opened, alone",
        prepare=opened, command="combine opened.parquet --out all", call=combine("opened.parquet"),
        refusal=InvalidParameter, words="are opened, or a selection", debits=PAID,
    ),
    Case(
        name="combine with indexes that do not open",
        prepare=offices, command=f"{COMBINE} {INDEXES}".replace("--allow-unprotected", ""),
        call=combine("north", "south.parquet", keys=["north-keys", "south-keys"]),
        refusal=KeyRefused, words="not protected", debits=TWICE,
    ),
]  # fmt: skip

WEIGHING = [
    Case(
        name="weights of a publication in a folder",
        prepare=grown, command="weights reports --out w.csv",
        call=lambda: sf.workflows.report_weights("reports", out="w.csv"),
        makes=("w.csv",), debits=TWICE,
    ),
    Case(
        name="weights of what is not there",
        prepare=people, command="weights reports --out w.csv",
        call=lambda: sf.workflows.report_weights("reports", out="w.csv"),
        refusal=UnreadableFile, words="does not exist",
    ),
]  # fmt: skip

GROWING = [*FIRST, *APPENDING, *AMENDING, *ERASING, *COMBINING, *WEIGHING]
