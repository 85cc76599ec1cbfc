"""`sfumato verify` on a publication: what a file holds beyond its rows and its note is named and refused."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from living_publications import living_answers, living_study
from sfumato.errors import UnreadableFile
from sfumato.files.tables import NOTE_KEY, codebook_path, note_path
from sfumato.workflows import audit_publication
from sfumato.workflows.publishing import publish

ROWS = 60
OURS = {"store_schema": False, "write_statistics": False, "write_page_checksum": True}


@pytest.fixture
def folder(tmp_path):
    out = tmp_path / "reports"
    publish(living_study(recover=False, analysts=()), living_answers(ROWS), out=out, keep=["region"], insecure_seed=1)
    return out


@pytest.fixture
def file(folder):
    (found,) = folder.glob("*.parquet")
    return found


@pytest.fixture
def csv(tmp_path):
    out = tmp_path / "reports.csv"
    publish(living_study(recover=False, analysts=()), living_answers(ROWS), out=out, keep=["region"], insecure_seed=1)
    return out


def rewritten(path, *, table=None, metadata=(), **options):
    """Write a file again with its rows and its note, in another way."""
    rows = pq.read_table(path)
    note = pq.read_metadata(path).metadata[NOTE_KEY]
    rows = rows.replace_schema_metadata(None) if table is None else table(rows)
    options = OURS | {"use_dictionary": ["region"], "column_encoding": {"row": "DELTA_BINARY_PACKED"}} | options
    with pq.ParquetWriter(path, rows.schema, **options) as writer:
        writer.write_table(rows)
        writer.add_key_value_metadata({NOTE_KEY: note, **dict(metadata)})


def coded(rows, words):
    """The column of regions as a dictionary of these words."""
    codes = [words.index(word) for word in rows["region"].to_pylist()]
    column = pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), pa.array(words))
    return rows.replace_schema_metadata(None).set_column(rows.column_names.index("region"), "region", column)


def only_finding(path):
    (finding,) = audit_publication(path).findings
    return finding


def test_what_was_published_has_no_findings(folder, csv):
    assert audit_publication(folder).findings == audit_publication(csv).findings == ()
    assert audit_publication(folder).rows == ROWS


@pytest.mark.parametrize("key", ["pandas", "seen by"])
def test_metadata_of_another_program_is_named(folder, file, key):
    rewritten(file, table=lambda rows: coded(rows, ["coast", "hill"]), metadata={key: "x"})
    assert only_finding(folder) == f"{file.name}: metadata under the key {key!r}"


def test_a_dictionary_entry_without_a_row_is_named(folder, file):
    rewritten(file, table=lambda rows: coded(rows, ["canary", "coast", "hill"]))
    assert audit_publication(folder).findings == (
        f"{file.name}: a dictionary of column 'region' with values that are in no row",
    )


def test_a_dictionary_in_another_order_is_named(folder, file):
    rewritten(file, table=lambda rows: coded(rows, ["hill", "coast"]))
    assert only_finding(folder) == f"{file.name}: a dictionary of column 'region' that is not sorted"


def test_a_dictionary_of_numbers_is_named(folder, file):
    rewritten(file, use_dictionary=["row"], column_encoding=None)
    assert only_finding(folder) == f"{file.name}: a dictionary of column 'row', which is no text"


def test_statistics_that_are_not_of_the_rows_are_named(folder, file):
    rewritten(file, use_dictionary=False, write_statistics=["region"])
    data = file.read_bytes()
    length = int.from_bytes(data[-8:-4], "little")
    before, footer = data[: -8 - length], data[-8 - length :]
    assert b"coast" in footer
    file.write_bytes(before + footer.replace(b"coast", b"about"))
    found = audit_publication(folder).findings
    assert f"{file.name}: statistics of column 'region' that are not those of its rows" in found


def test_hidden_bytes_are_named(folder, file):
    data = file.read_bytes()
    length = int.from_bytes(data[-8:-4], "little")
    file.write_bytes(data[: -8 - length] + b"canary" + data[-8 - length :])
    assert only_finding(folder) == f"{file.name}: 6 bytes that belong to no column"


def test_row_groups_of_another_size_are_named(folder, file):
    rows, note = pq.read_table(file), pq.read_metadata(file).metadata[NOTE_KEY]
    with pq.ParquetWriter(file, rows.schema, use_dictionary=False, **OURS) as writer:
        writer.write_table(rows.slice(0, 7))
        writer.write_table(rows.slice(7))
        writer.add_key_value_metadata({NOTE_KEY: note})
    assert only_finding(folder) == f"{file.name}: row groups of another size"


def test_rows_that_are_coded_in_another_way_are_refused(folder, file):
    rewritten(file, use_dictionary=False)
    assert only_finding(folder) == f"{file.name}: bytes that do not follow from the rows and the note"


def test_another_writer_is_named(folder, file):
    data = file.read_bytes()
    file.write_bytes(data.replace(b"parquet-cpp-arrow version", b"canary lives in Hill Road"))
    assert only_finding(folder) == f"{file.name}: the name of another writer"


def test_another_version_of_arrow_is_not_compared(folder, file):
    written_by = pq.read_metadata(file).created_by
    other = written_by[:-1] + ("0" if written_by[-1] != "0" else "1")
    file.write_bytes(file.read_bytes().replace(written_by.encode(), other.encode()))
    found = audit_publication(folder)
    assert found.findings == ()
    assert len(found.remarks) == 1


@pytest.mark.parametrize("name", ["draft.parquet", ".hidden", "keys"])
def test_an_unlisted_file_is_named(folder, name):
    (folder / name).mkdir() if name == "keys" else (folder / name).touch()
    assert only_finding(folder) == f"{name}: a file that the publication does not name"


def test_a_note_beside_that_is_another_is_named(folder, file):
    path = note_path(file)
    path.write_text(path.read_text().replace('"epoch": 0', '"epoch":  0'))
    assert f"{path.name}: another note than the one in its table" in audit_publication(folder).findings


def test_a_codebook_with_a_line_more_is_named(folder, file):
    path = codebook_path(file)
    path.write_text(path.read_text() + "canary\n")
    assert only_finding(folder) == f"{path.name}: a codebook that does not follow from the note"


@pytest.mark.parametrize("change", [lambda text: "\ufeff" + text, lambda text: text + "\n", lambda text: text.rstrip()])
def test_a_csv_with_anything_between_its_cells_is_named(csv, change):
    csv.write_bytes(change(csv.read_text()).encode())
    assert only_finding(csv) == "reports.csv: something else than lines of cells"


def test_a_selection_is_named(csv):
    csv.write_text("".join(csv.read_text().splitlines(keepends=True)[:-5]))
    assert "some of the rows" in only_finding(csv)


def test_a_folder_without_a_manifest_is_no_publication(tmp_path):
    with pytest.raises(UnreadableFile, match="no publication"):
        audit_publication(tmp_path)
