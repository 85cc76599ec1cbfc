"""Published files hold nothing of people who are not in them, and nothing of the order of what was shuffled.

A canary is a person who was in the table that the answers come from, and is not among the rows that are published.
Every container that keeps more than its rows leaves traces of that person: in dictionaries, categories, slices, labels
or metadata. After every step all bytes that are left are searched.
"""

import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest

import sfumato as sf
from collected_studies import homes, kept
from living_publications import living_study
from public_bytes import blobs, blobs_of_table, holds, most_in_order
from sfumato.files.row_streams import open_rows
from sfumato.keys import Unprotected
from sfumato.publications.part import shuffled
from sfumato.sampling import SystemBits
from sfumato.study import CollectTerms
from sfumato.study.collection import collection_of
from sfumato.workflows import audit_publication
from sfumato.workflows.amending import amend
from sfumato.workflows.collecting import export_part
from sfumato.workflows.combining import combine
from sfumato.workflows.erasing import erase
from sfumato.workflows.publishing import publish
from sfumato.workflows.reading import open_reports, write_reports
from sfumato.workflows.responding import DeviceMemory, respond

CANARY, ERASED, UNKEPT = "Canary-on-Sea", "Erasedbury", "private name"
ROWS = 80
# Each four times; neither their order nor that of their spelling is the order of the rows.
TOWNS = [f"town-{37 * number % 41:02d}" for number in range(20)]


def people(prefix, *, erased=False):
    """Answers of 80 people, four a town; the last but one lives where nobody else does, if somebody is to be erased."""
    towns = [TOWNS[row // 4] for row in range(ROWS)]
    if erased:
        towns[-2] = ERASED
    return {
        "person": [f"{UNKEPT} {prefix}{row:03d}" for row in range(ROWS)],
        "moved": ["yes" if row % 3 == 0 else "no" for row in range(ROWS)],
        "place": ["north" if row % 2 else "south" for row in range(ROWS)],
        "name": [f"{UNKEPT} {row}" for row in range(ROWS)],
        "town": towns,
    }


def _with_canary(columns):
    canary = {name: CANARY if name == "town" else cells[0] for name, cells in columns.items()}
    return {name: [canary[name], *cells] for name, cells in columns.items()}


def csv(columns, folder):
    path = folder / "answers.csv"
    pd.DataFrame(columns).to_csv(path, index=False)
    return path


def parquet(columns, folder):
    """Metadata that other programs leave in a schema and in its fields."""
    path, table = folder / "answers.parquet", pa.table(columns)
    fields = [field.with_metadata({"seen": CANARY}) for field in table.schema]
    pq.write_table(table.cast(pa.schema(fields, metadata={"pandas": CANARY})), path)
    return path


def dictionary(columns, folder):
    """A file whose columns are dictionaries that were made before rows were dropped."""
    path, table = folder / "answers.parquet", sliced(columns, folder)
    pq.write_table(table, path)
    return path


def sliced(columns, _):
    """A slice of a table of dictionaries."""
    whole = pa.table({name: pa.array(cells).dictionary_encode() for name, cells in _with_canary(columns).items()})
    return whole.slice(1)


def category(columns, _):
    whole = pd.DataFrame(_with_canary(columns))
    whole["town"] = whole["town"].astype(pd.CategoricalDtype([CANARY, *dict.fromkeys(columns["town"])]))
    return whole[whole["town"] != CANARY]


def categorical(columns, _):
    whole = pl.DataFrame(_with_canary(columns)).with_columns(pl.col("town").cast(pl.Categorical))
    return whole.filter(pl.col("town") != CANARY)


def enum(columns, _):
    kind = pl.Enum([CANARY, *dict.fromkeys(columns["town"])])
    whole = pl.DataFrame(_with_canary(columns)).with_columns(pl.col("town").cast(kind))
    return whole.filter(pl.col("town") != CANARY)


def excel(columns, folder):
    path, book = folder / "answers.xlsx", openpyxl.Workbook()
    sheet = book.active
    for line in [tuple(columns), *zip(*columns.values(), strict=True)]:
        sheet.append(line)
    book.create_sheet("dropped").append([CANARY])
    book.properties.description = CANARY
    book.save(path)
    return path


def spss(columns, folder):
    """Value labels of a town that nobody lives in."""
    path, towns = folder / "answers.sav", [CANARY, *dict.fromkeys(columns["town"])]
    codes = [float(towns.index(town)) for town in columns["town"]]
    labels = {"town": {float(code): town for code, town in enumerate(towns)}}
    pyreadstat.write_sav(pd.DataFrame(columns | {"town": codes}), path, variable_value_labels=labels, note=CANARY)
    return path


CONTAINERS = (csv, parquet, dictionary, category, categorical, enum, sliced, excel, spss)
STEPS = ("filtered", "in memory", "shuffled", "shuffled csv", "appended", "amended", "erased", "combined", "opened")


class Life:
    """A publication whose tables come in a container: all that is left after each step."""

    def __init__(self, folder, container):
        self.folder, self.container, self.parts = folder, container, 0
        self.study, self.out = living_study(), folder / "reports"
        self.left = {}
        self.publish("filtered", self.out, erased=True)
        made = publish(self.study, self.table(), keep=["town"], insecure_seed=1).reports
        self.left["in memory"] = [*blobs_of_table(made.to_arrow()), *blobs_of_table(made.table)]
        self.publish("shuffled", folder / "shuffled.parquet", shuffle=True)
        self.publish("shuffled csv", folder / "shuffled.csv", shuffle=True)
        self.publish("appended", self.out, append=True)
        self.amend()
        self.left["amended"] = blobs(self.out)
        first = sf.read_reports(self.out).note.parts[0].id
        erase(self.out, rows=[(first, ROWS - 2)], keys=self.keys(self.out), unlock=Unprotected())
        self.left["erased"] = blobs(self.out)
        self.combine()
        self.left["combined"] = blobs(folder / "all")
        write_reports(open_reports(self.out, self.keys(self.out), unlock=Unprotected()), folder / "opened.parquet")
        self.left["opened"] = blobs(folder / "opened.parquet")

    def keys(self, out):
        return out.with_name(f"keys of {out.name}")

    def table(self, **more):
        self.parts += 1
        place = self.folder / f"answers {self.parts}"
        place.mkdir()
        return self.container(people("abcdefgh"[self.parts], **more), place)

    def publish(self, step, out, *, erased=False, **more):
        publish(
            self.study, self.table(erased=erased), out=out, keys=self.keys(out), protection=Unprotected(),
            keep=["town"], id_column="person", insecure_seed=self.parts, **more,
        )  # fmt: skip
        self.left[step] = blobs(out)

    def amend(self):
        """Correct some of the people of the appended part, who are known by their ids."""
        columns = people("abcdefgh"[self.parts])
        some = {name: columns[name][:9] for name in ("person", "moved", "name", "town")} | {"moved": ["yes"] * 9}
        place = self.folder / "amended"
        place.mkdir()
        amend(
            self.study, self.container(some, place), out=self.out, keys=self.keys(self.out), protection=Unprotected(),
            id_column="person", insecure_seed=99,
        )  # fmt: skip

    def combine(self):
        other, whole = self.folder / "other", self.folder / "all"
        self.publish("other office", other)
        combine([self.out, other], whole, keys=[self.keys(self.out), self.keys(other)], unlock=Unprotected())


@pytest.fixture(scope="module", params=CONTAINERS, ids=lambda container: container.__name__)
def life(request, tmp_path_factory):
    return Life(tmp_path_factory.mktemp("life"), request.param)


@pytest.mark.parametrize("step", STEPS)
def test_nobody_is_in_the_bytes_who_is_not_in_the_rows(life, step):
    left = life.left[step]
    assert holds(left, TOWNS[0]), "what is public is found"
    assert not holds(left, CANARY)
    assert not holds(left, UNKEPT)
    assert holds(left, ERASED) == (step in {"filtered", "appended", "amended"})


@pytest.mark.parametrize("step", ["shuffled", "shuffled csv"])
def test_the_order_of_the_input_is_not_in_shuffled_bytes(life, step):
    """Of 19 pairs of towns that follow each other, one is expected to do so in an order of chance."""
    assert most_in_order(life.left["filtered"], TOWNS) >= 18, "what is not shuffled has the order"
    assert most_in_order(life.left[step], TOWNS) < 8


@pytest.mark.parametrize("name", ["reports", "shuffled.parquet", "shuffled.csv", "all", "opened.parquet"])
def test_what_every_step_wrote_passes_its_audit(life, name):
    audit = audit_publication(life.folder / name)
    assert (audit.findings, audit.remarks) == ((), ())


def test_shuffled_rows_bring_no_dictionary_of_their_input(tmp_path):
    stream = shuffled(open_rows(sliced(people("a"), tmp_path), columns=["moved", "town"]), SystemBits())
    found = [blob for table in stream.chunks() for blob in blobs_of_table(table)]
    assert holds(found, TOWNS[0])
    assert not holds(found, CANARY)
    assert most_in_order(found, TOWNS) < 8


def test_combining_takes_nothing_over_but_rows_and_notes(tmp_path):
    """What another program left in the file of an office: metadata, and a dictionary of more than its rows."""
    for seed, name in enumerate(["north", "south"]):
        publish(
            living_study(), people(name), out=tmp_path / f"{name}.parquet", keys=tmp_path / name, keep=["town"],
            protection=Unprotected(), id_column="person", insecure_seed=seed,
        )  # fmt: skip
    path = tmp_path / "north.parquet"
    rows, note = pq.read_table(path), pq.read_metadata(path).metadata[b"sfumato"]
    towns = pa.array([CANARY, *rows["town"].to_pylist()]).dictionary_encode().slice(1)
    rows = rows.set_column(rows.column_names.index("town"), "town", towns)
    pq.write_table(rows.replace_schema_metadata({"sfumato": note, "pandas": CANARY}), path)
    path.with_name("north.parquet.codebook.md").write_text(CANARY)
    offices = [path, tmp_path / "south.parquet"]
    assert holds(blobs(path), CANARY)
    combine(offices, tmp_path / "all", keys=[tmp_path / "north", tmp_path / "south"], unlock=Unprotected())
    assert not holds(blobs(tmp_path / "all"), CANARY)
    assert audit_publication(tmp_path / "all").findings == ()


class TestPanels:
    """What a server collected: the pseudonym of who leaves goes too."""

    @pytest.fixture
    def exported(self, tmp_path):
        study = homes(tmp_path, collect=CollectTerms(mode="panel"), analysts=(), population=ROWS)
        panel = collection_of(study, tmp_path)
        said = {"place": "north", "moved": "no", "sold": "no"}
        sent = [respond(panel, said, memory=DeviceMemory()) for _ in range(ROWS)]
        self.names = [f"{7**40 * (row + 1) % 2**256:064x}" for row in range(ROWS)]
        rows = kept(panel, sent, [bytes.fromhex(name) for name in self.names])
        return export_part(panel, rows, tmp_path / "export").reports

    def test_an_export_passes_its_audit(self, exported):
        assert audit_publication(exported).findings == ()

    def test_who_is_erased_leaves_no_pseudonym(self, exported):
        (gone,) = pq.read_table(exported).slice(5, 1)["panel"].to_pylist()
        assert holds(blobs(exported.parent), gone)
        erase(exported, rows=[(None, 5)])
        left = blobs(exported.parent)
        assert not holds(left, gone)
        assert sum(holds(left, name) for name in self.names) == ROWS - 1
        assert audit_publication(exported).findings == ()


class TestTheSearch:
    """It finds what the files held before: the old writer handed dictionaries on as they came."""

    def written(self, table, path):
        pq.write_table(table, path, use_dictionary=["town"])
        return blobs(path)

    def test_of_a_slice(self, tmp_path):
        assert holds(self.written(sliced(people("a"), tmp_path), tmp_path / "t.parquet"), CANARY)

    def test_of_shuffled_rows(self, tmp_path):
        table = pa.table({"town": pa.array(people("a")["town"]).dictionary_encode()})
        order = pa.array([37 * row % ROWS for row in range(ROWS)])
        assert most_in_order(self.written(table.take(order), tmp_path / "t.parquet"), TOWNS) == 19
        plain = pa.table({"town": people("a")["town"]}).take(order)
        assert most_in_order(self.written(plain, tmp_path / "t.parquet"), TOWNS) < 8
