"""Every reader of the house, with files it reads, what is done to them, and what is shown of those that open."""

import base64
import contextlib
import hashlib
import io
import json
import shutil
import struct
import zipfile
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from rich.console import Console

import sfumato as sf
import sfumato_check
from fuzz import seeds
from fuzz.mutations import (
    certificate_bytes,
    certificate_document,
    json_mutated,
    ledger_rows,
    mutated,
    mutated_document,
    record_document,
    sealed_record,
    spelled,
)
from fuzz.processes import Target
from io_samples import READERS, VALID, assert_valid
from sfumato.errors import KeyRefused, NotChecked, SfumatoError
from sfumato.files.formats import DataFile
from sfumato.files.row_streams import RowStream, open_rows, row_source
from sfumato.files.tables import as_arrow, words_of
from sfumato.files.texts import decode_text
from sfumato.keys.draw_coding import Material
from sfumato.keys.key_documents import MAGIC as KEY_MAGIC
from sfumato.keys.key_documents import read_header
from sfumato.keys.key_files import read_key, read_key_header
from sfumato.keys.protection import OpenLock, Unprotected, seal_body
from sfumato.keys.sealed_files import (
    index_protection,
    open_index,
    protection_of_private_key,
    read_private_key,
    read_public_key,
)
from sfumato.ledger import Ledger
from sfumato.noise.private_data import read_distortion, read_private_number
from sfumato.output import certificate_table
from sfumato.output.accounts import ledger_table, releases_document, releases_table
from sfumato.output.estimates import estimates_document, estimates_markdown, estimates_tables
from sfumato.output.noise import query_tables
from sfumato.output.page_checks import read_page
from sfumato.output.plans import study_plan_document, study_plan_markdown, study_plan_tables
from sfumato.publications import read_registry
from sfumato.publications.coded_reports import codebook
from sfumato.publications.collected import SharesNote, read_shares
from sfumato.publications.manifest import NAME, read_manifest
from sfumato.publications.note import ReportsNote
from sfumato.publications.reports import Reports
from sfumato.publications.typed_reports import TypedReports
from sfumato.recoverable.query_files import read_query_design, read_query_table
from sfumato.study import Dictionary
from sfumato.study.collection import Collection, collection_words
from sfumato.study.file import as_toml, read_study
from sfumato.workflows import audit_publication
from sfumato.workflows.budget import read_ledger
from sfumato.workflows.disclosing import check_not_released
from sfumato.workflows.planning import plan
from sfumato.workflows.responding import DeviceMemory, respond
from small_studies import small_study


def shown(*parts):
    """Print to a terminal that nobody sees; nothing that a file says may move the cursor there."""
    sink = io.StringIO()
    console = Console(file=sink, width=100, force_terminal=True, color_system=None)
    for part in parts:
        console.print(part)
    assert all(line.isprintable() for line in sink.getvalue().split("\n")), "a control character was shown"


def calm(text):
    assert all(line.isprintable() for line in text.split("\n")), "a control character was shown"


def read_certificate(path):
    certificate = sf.Certificate.read(path)
    assert certificate.to_json().encode() == path.read_bytes()
    shown(certificate_table(certificate))
    calm(certificate.to_markdown())
    certificate.to_html()
    with contextlib.suppress(NotChecked):
        sf.verify(certificate)


def read_a_page(path):
    """Both verifiers read a page; neither calls it unexpected."""
    found = sfumato_check.answer(path.read_bytes())
    assert "did not expect" not in found["because"]
    read_page(path)


def read_key_file(path):
    header = read_key_header(path)
    opener = {"passphrase": seeds.CHEAP, "none": Unprotected()}.get(header.protection, seeds.PRIVATE)
    key = read_key(path, opener)
    repr(key), repr(header)
    if header.material is Material.DRAWS:
        assert key.material.shifts.size == header.rows


def read_any_private_key(path):
    needed = protection_of_private_key(path)
    private = read_private_key(path, seeds.CHEAP if needed == "passphrase" else Unprotected())
    assert private.public.to_pem()


def read_book(path):
    Ledger(path, patience_seconds=1).entries()
    book = read_ledger(path)
    shown(ledger_table(path, book))


def read_release_book(path):
    check_not_released(path, ["a"], pa.table({"a": ["x", "y"]}))


def read_releases(path):
    found = read_registry(seeds.record_study(), registry=path)
    shown(releases_table(found))
    json.dumps(releases_document(found))


def check_certificate(path):
    """The independent checker answers whatever it is given, and does not contradict the library."""
    data = path.read_bytes()
    found = sfumato_check.answer(data)
    calm(json.dumps(found))
    accepted, refused = sfumato_check.EXIT_CHECKED, sfumato_check.EXIT_REFUSED
    try:
        sf.verify(sf.Certificate.from_json(data))
    except NotChecked:
        assert found["exit_code"] not in {accepted, refused}, found["because"]
    except SfumatoError:
        assert found["exit_code"] != accepted, found["because"]
        raise
    else:
        assert found["exit_code"] != refused, found["because"]


def read_a_study(path):
    study = read_study(path)
    again = path.with_suffix(".again")
    again.write_text(as_toml(study), encoding="utf-8")
    assert read_study(again) == study
    repr(study)


def read_a_dictionary(path):
    found = Dictionary.read(path)
    again = path.with_suffix(".again")
    again.write_bytes(found.to_bytes())
    assert Dictionary.read(again) == found
    assert len(found.places) == found.count == len(found)
    calm("".join(found.texts))
    repr(found)


def plan_a_study(path):
    found = plan(path)
    shown(*study_plan_tables(found))
    calm(study_plan_markdown(found))
    json.dumps(study_plan_document(found))


def show_reports(found):
    repr(found), found._repr_html_(), codebook(found.note)
    estimates = sf.estimate_reports(found)
    shown(*estimates_tables(estimates))
    calm(estimates_markdown(estimates))
    json.dumps(estimates_document(estimates, found.note))


def read_parquet_reports(path):
    found = Reports.read(path)
    show_reports(found)
    calm("\n".join(audit_publication(path).findings))
    if found.note.study == small_study() and not found.is_opened:
        made = seeds.publication()
        sf.open_reports(found, [keys[1] for keys in made.keys.values() if 1 in keys])
        sf.recover_answers(found, [keys[0] for keys in made.keys.values()])


def read_csv_reports(path):
    """The file and its note are one case, cut at a mark, as one may be damaged without the other."""
    data, _, note = path.read_bytes().partition(MARK)
    Path(f"{path}.csv").write_bytes(data)
    Path(f"{path}.csv.about.json").write_bytes(note)
    show_reports(Reports.read(f"{path}.csv"))
    calm("\n".join(audit_publication(f"{path}.csv").findings))


def read_a_manifest(path):
    home = path.with_suffix(".folder")
    home.mkdir(exist_ok=True)
    (home / NAME).write_bytes(path.read_bytes())
    found = read_manifest(home)
    assert found.to_text().encode() == path.read_bytes()
    assert all(Path(part.file).name == part.file for part in found.parts), "a part lies outside the folder"


def read_a_note(path):
    note = ReportsNote.from_text(decode_text(path.read_bytes(), path), path)
    assert ReportsNote.from_text(note.to_text(), path).to_text() == note.to_text()
    repr(note), codebook(note)


def read_an_index(path):
    data = path.read_bytes()
    opener = {"passphrase": seeds.CHEAP, "none": Unprotected()}.get(index_protection(data), seeds.PRIVATE)
    index = open_index(data, opener)
    assert "p-2" not in repr(index)


def read_a_collection(path):
    """What a server says of its study; a device that believes it answers."""
    try:
        document = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        return
    found = Collection.from_document(document)
    calm(" ".join(collection_words(found)))
    assert Collection.from_document(found.to_document()).to_document() == found.to_document()
    assert len(respond(found, {"tired": "yes"}).row) == found.row_bytes


def read_a_device(path):
    """A memory that is read makes a submission of the right lengths, whatever it holds."""
    asked = seeds.collection()
    sent = respond(asked, {"tired": "yes"}, memory=DeviceMemory(path))
    asked.unpack_row(sent.row)
    asked.join_shares(sent.shares)


def read_sealed_shares(path):
    note = SharesNote.read(path)
    calm(repr(note))
    for numbers, ids, bodies in read_shares(path, note):
        assert len(numbers) == len(ids) == len(bodies)


def read_a_folder(path):
    """A publication is one case: its files by name, of which one or two were changed."""
    home = path.with_suffix(".folder")
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir()
    for name, data in msgspec.msgpack.decode(path.read_bytes(), type=dict[str, bytes]).items():
        (home / name).write_bytes(data)
    show_reports(Reports.read(home))


def read_typed(path):
    found = TypedReports.read(small_study(), path, group="region", count="n")
    shown(*estimates_tables(sf.estimate_reports(found, group="region")))


def read_a_table(path):
    table = as_arrow(path)
    for name in table.column_names:
        words_of(table, name)
    assert sum(chunk.num_rows for chunk in open_rows(path, columns=table.column_names).chunks(100)) == table.num_rows


def read_in_latin(path):
    """The same, declared to be of another encoding and with decimal commas."""
    table = as_arrow(DataFile(path, encoding="latin-1", decimal=","))
    for name in table.column_names:
        words_of(table, name)


def read_statistics(path):
    """Every cell, and the labels; cells may be empty."""
    source = row_source(path)
    for labels in source.value_labels.values():
        assert all(isinstance(word, str) for pair in labels.items() for word in pair)
    for table in RowStream(source, source.names).chunks(2):
        table.to_pylist()


def workbook_parts(dice, originals):
    """A workbook with one part changed, packed again, so that the change is met by the reader of that part."""
    sink = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(dice.choice(originals))) as old, zipfile.ZipFile(sink, "w") as new:
        chosen = dice.choice(old.namelist())
        for name in old.namelist():
            data = old.read(name)
            new.writestr(name, mutated(dice, (data,)) if name == chosen else data)
    return sink.getvalue()


def read_a_design(path):
    design = read_query_design(path)
    shown(*query_tables(design))


def read_law(noun):
    def read(path):
        assert_valid(READERS[noun](path))

    return read


MARK = b"\n--beside--\n"


def csv_reports():
    return tuple(data + MARK + note for data, note in seeds.reports("csv"))


def csv_note(dice, originals):
    """Reports in a CSV whose note, in a file beside it, was changed in its structure."""
    data, _, note = dice.choice(originals).partition(MARK)
    return data + MARK + json_mutated(dice, (note,))


def folders():
    return (msgspec.msgpack.encode(seeds.living()),)


def folder_files(dice, originals):
    """A publication with a part exchanged, changed or gone; mostly, the manifest vouches for what is there then."""
    files = msgspec.msgpack.decode(dice.choice(originals), type=dict[str, bytes])
    tables = [name for name in files if name.endswith(".parquet")]
    for name in dice.sample(tables, dice.choice((1, 1, 2))):
        what = dice.choice(("table", "note", "note", "swap", "gone", "manifest"))
        if what == "table":
            files[name] = parquet_parts(dice, (files[name],))
        elif what == "note":
            table, metadata = table_and_metadata(files[name])
            note = json_mutated(dice, (metadata[b"sfumato"],))
            files[name] = seeds.parquet(table.replace_schema_metadata({b"sfumato": note}))
            manifest = json.loads(files[NAME])
            mine = next(part for part in manifest["parts"] if part["file"] == name)
            mine["note"] = hashlib.sha256(note).hexdigest()
            files[NAME] = sealed_record(manifest)
        elif what == "swap":
            files[name] = files[dice.choice(tables)]
        elif what == "gone":
            files.pop(dice.choice(list(files)))
            break
        else:
            files[NAME] = record_document(dice, (files[NAME],))
            break
    return msgspec.msgpack.encode(files)


def folder_bytes(dice, originals):
    """A publication of which one file is damaged."""
    files = msgspec.msgpack.decode(dice.choice(originals), type=dict[str, bytes])
    name = dice.choice(list(files))
    return msgspec.msgpack.encode({**files, name: mutated(dice, (files[name],))})


def parquet_reports():
    return tuple(data for data, _ in seeds.reports("parquet"))


def table_and_metadata(data):
    """A note is written last, into the footer, when the schema of the columns stands already."""
    footer = pq.read_metadata(pa.BufferReader(data)).metadata or {}
    return pq.read_table(pa.BufferReader(data)), {key: text for key, text in footer.items() if key != b"ARROW:schema"}


def parquet_parts(dice, originals):
    """A Parquet file written anew: its note changed, or its columns renamed, left out or of other types."""
    table, metadata = table_and_metadata(dice.choice(originals))
    if b"sfumato" in metadata and dice.random() < 0.7:
        note = metadata[b"sfumato"]
        metadata[b"sfumato"] = json_mutated(dice, (note,)) if dice.random() < 0.8 else mutated(dice, (note,))
        return seeds.parquet(table.replace_schema_metadata(metadata))
    columns = dict(zip(table.column_names, table.columns, strict=True))
    name = dice.choice(list(columns))
    rows = table.num_rows
    new = dice.choice(
        (
            pa.nulls(rows), pa.array([0.5] * rows), pa.array([b"\xff"] * rows), pa.array([[1]] * rows),
            pa.array([-1] * rows), pa.array([2**64 - 1] * rows, pa.uint64()), pa.array(["\x1b[2J"] * rows),
            pa.array([{"a": 1}] * rows), pa.array([True] * rows), pa.array([1.5e300] * rows, pa.float64()),
            pa.array(["yes", None] * rows)[:rows], pa.array(["x" * 5000] * rows), pa.array([0] * rows, pa.date32()),
            pa.array(["a"] * rows).dictionary_encode(), pa.array(["1/3"] * rows), pa.array([float("nan")] * rows),
            pa.array([1] * rows, pa.int8()), pa.array(["0.5"] * rows, pa.large_string()),
            pa.DictionaryArray.from_arrays([0] * rows, [5]),
            pa.DictionaryArray.from_arrays([0] * rows, [1.5]), pa.array(["é"] * rows, pa.string_view()),
        )
    )  # fmt: skip
    what = dice.choice(("type", "type", "gone", "name", "none", "twice"))
    if what == "type":
        columns[name] = new
    elif what == "gone":
        del columns[name]
    elif what == "name":
        columns[dice.choice(("", "x", "input", "count", "\x1b[2J"))] = columns.pop(name)
    made = pa.table(columns)
    if what == "twice":
        made = made.append_column(name, columns[name])
    return seeds.parquet((made.slice(0, 0) if what == "none" else made).replace_schema_metadata(metadata))


def frame_parts(magic):
    """Take a sealed file apart, change its header or its body, and put it together as its maker would."""
    start = len(magic) + 4

    def forge(dice, originals):
        data = dice.choice(originals)
        end = start + int.from_bytes(data[len(magic) : start], "little")
        stop = end + read_header(data).box_bytes if magic == KEY_MAGIC else len(data)
        raw, sealed, segments = data[start:end], data[end:stop], data[stop:]
        is_open = json.loads(raw)["protection"] == {"kind": "none"}
        body = sealed[:-32] if is_open else sealed
        what = dice.choice(
            ("header", "header", "text", "body") + ("segment", "segment") * (is_open and segments != b"")
        )
        if what == "header":
            document = mutated_document(dice, json.loads(raw))
            if isinstance(document, dict) and isinstance(document.get("ladder"), str) and dice.random() < 0.4:
                document["ladder"] = declared(dice, document["ladder"])
            raw = sorted_text(document)
        elif what == "text":
            raw = mutated(dice, (raw,))
        elif what == "body":
            body = mutated(dice, (body,))
        else:
            segments = other_draws(dice, body, segments)
        opening = magic + len(raw).to_bytes(4, "little") + raw
        return opening + (seal_body(body, opening, Unprotected(), OpenLock()) if is_open else body) + segments

    return forge


def other_draws(dice, body, segment):
    """Change what the only segment of an open file holds, and seal it again: its content key lies there in clear."""
    cipher, nonce, associated = AESGCM(body[4:]), bytes(12), b"sfumato/segment/1" + struct.pack("<QQ", 0, 1)
    code = cipher.decrypt(nonce, segment[4:], associated)
    changed = mutated(dice, (code,))
    if dice.random() < 0.8:  # or its length alone gives it away
        changed = changed[: len(code)].ljust(len(code), b"\0")
    sealed = cipher.encrypt(nonce, changed, associated)
    return len(sealed).to_bytes(4, "little") + sealed


def declared(dice, text):
    """Change the ladder that a header declares, in its own spelling."""
    try:
        document = mutated_document(dice, json.loads(text))
    except ValueError:
        return text
    return json.dumps(document, sort_keys=dice.random() < 0.9, separators=(",", ":"))


def sorted_text(document):
    """Spell a header as its maker would, where that can be done."""
    data = spelled(document)
    try:
        return msgspec.json.encode(msgspec.json.decode(data), order="sorted")
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return data


def pem_parts(dice, originals):
    """A PEM file whose content was changed under its coat of base64."""
    head, *lines, foot = dice.choice(originals).strip().split(b"\n")
    return b"\n".join((head, base64.encodebytes(mutated(dice, (base64.b64decode(b"".join(lines)),))), foot))


def read_pem(path):
    try:
        read_public_key(path)
    except KeyRefused:
        read_any_private_key(path)


def tell_distortion(path):
    read_distortion(path)


LAWS = {
    f"{noun} {extension}": Target(
        name=f"{noun} {extension}",
        suffix=f".{extension}",
        seeds=lambda noun=noun, extension=extension: tuple(VALID[noun, extension]),
        read=read_law(noun),
        forgers={"json": (mutated, json_mutated), "parquet": (mutated, parquet_parts)}.get(extension, (mutated,)),
        share=8 if extension != "parquet" else 6,
        watch=("files/", "prob/"),
    )
    for noun, extension in VALID
}

TARGETS = (
    Target(
        name="certificates",
        suffix=".json",
        seeds=seeds.certificates,
        read=read_certificate,
        forgers=(certificate_bytes, certificate_document, certificate_document, certificate_document),
        share=16,
        watch=("certificates/", "ladders/", "disclosure/", "noise/"),
    ),
    Target(
        name="collections",
        suffix=".json",
        seeds=seeds.collections,
        read=read_a_collection,
        forgers=(json_mutated,),
        share=2,
        watch=("study/coll",),
    ),
    Target(
        name="device memories",
        suffix=".json",
        seeds=seeds.devices,
        read=read_a_device,
        forgers=(mutated, json_mutated),
        share=2,
        watch=("workflows/responding",),
    ),
    Target(
        name="sealed shares",
        suffix=".parquet",
        seeds=seeds.shares,
        read=read_sealed_shares,
        forgers=(mutated, parquet_parts),
        share=2,
        watch=("publications/collected",),
    ),
    Target(
        name="pages", suffix=".html", seeds=seeds.pages, read=read_a_page, share=2,
        watch=("output/page", "certificates/pages"),
    ),
    Target(name="certificates, old seal", suffix=".json", seeds=seeds.certificates, read=read_certificate, share=3),
    Target(
        name="certificates, checker",
        suffix=".json",
        seeds=seeds.certificates,
        read=check_certificate,
        forgers=(certificate_bytes, certificate_document),
        share=2,
        # Not guided: watching its arithmetic would take longer than the arithmetic.
    ),
    Target(
        name="keys", suffix=".key", seeds=seeds.keys, read=read_key_file, share=10,
        forgers=(mutated, frame_parts(KEY_MAGIC), frame_parts(KEY_MAGIC)), watch=("keys/", "ladders/keys"),
    ),
    Target(
        name="private keys", suffix=".private", seeds=seeds.private_keys, read=read_any_private_key, share=4,
        forgers=(mutated, frame_parts(b"SFUMATO PRIVATE KEY\n")), watch=("keys/", "ladders/keys"),
    ),
    Target(name="pem", suffix=".pem", seeds=seeds.pems, read=read_pem, forgers=(mutated, pem_parts), share=3),
    Target(
        name="ledgers", suffix=".ledger", seeds=seeds.ledgers, read=read_book, forgers=(mutated, ledger_rows), share=8,
        watch=("ledger/",),
    ),
    Target(
        name="records of releases", suffix=".json", seeds=lambda: seeds.released()[:1], read=read_releases,
        forgers=(mutated, record_document), watch=("ledger/", "publications/registry"),
    ),
    Target(
        name="books of releases", suffix=".releases.json", read=read_release_book, forgers=(mutated, json_mutated),
        seeds=lambda: (
            b'{"schema": "sfumato/releases/1", "releases": [{"columns": ["ab", "cd"], "release": "out.csv"}]}',
            b'{"schema": "sfumato/releases/1", "releases": []}',
        ),
        watch=("workflows/disclosing",),
    ),
    Target(
        name="studies", suffix=".toml", seeds=seeds.studies, read=read_a_study, share=10,
        watch=("files/", "publications/", "study/"),
    ),
    Target(name="dictionaries", suffix=".txt", seeds=seeds.dictionaries, read=read_a_dictionary, share=1),
    Target(name="plans", suffix=".toml", seeds=lambda: seeds.studies()[1:], read=plan_a_study, share=1),
    Target(
        name="reports parquet", suffix=".parquet", seeds=parquet_reports, read=read_parquet_reports,
        forgers=(mutated, parquet_parts), share=4, watch=("files/", "publications/", "study/"),
    ),
    Target(
        name="reports csv", suffix=".case", seeds=csv_reports, read=read_csv_reports, forgers=(mutated, csv_note),
        share=4, watch=("files/", "publications/", "study/"),
    ),
    Target(
        name="notes", suffix=".about.json", seeds=seeds.notes, read=read_a_note, forgers=(mutated, json_mutated),
        share=4, watch=("publications/",),
    ),
    Target(
        name="manifests", suffix=".json", seeds=seeds.manifests, read=read_a_manifest,
        forgers=(mutated, record_document), share=3, watch=("publications/manifest",),
    ),
    Target(
        name="indexes of people", suffix=".index", seeds=seeds.indexes, read=read_an_index, share=3,
        forgers=(mutated, frame_parts(b"SFUMATO INDEX\n")), watch=("keys/", "ladders/keys"),
    ),
    Target(
        name="publications in folders", suffix=".folder-case", seeds=folders, read=read_a_folder,
        forgers=(folder_bytes, folder_files, folder_files), share=4, watch=("publications/",),
    ),
    Target(
        name="typed reports csv", suffix=".csv", seeds=lambda: seeds.TYPED_CSV, read=read_typed, share=5,
        watch=("files/", "publications/typed"),
    ),
    Target(
        name="typed reports parquet", suffix=".parquet", seeds=seeds.typed_parquet, read=read_typed,
        forgers=(mutated, parquet_parts), share=3, watch=("files/", "prob/"),
    ),
    Target(
        name="tables csv", suffix=".csv", seeds=lambda: seeds.TABLES_CSV, read=read_a_table, share=5,
        watch=("files/",),
    ),
    Target(
        name="tables parquet", suffix=".parquet", seeds=seeds.tables_parquet, read=read_a_table,
        forgers=(mutated, parquet_parts), share=4,
    ),
    Target(
        name="tables latin", suffix=".csv", read=read_in_latin, share=3, watch=("files/",),
        seeds=lambda: seeds.TABLES_LATIN,
    ),
    Target(
        name="workbooks", suffix=".xlsx", seeds=seeds.workbooks, read=read_a_table,
        forgers=(mutated, workbook_parts), share=2, watch=("files/",),
    ),
    # Each case starts a process, because the library that reads these ends its own on some damaged ones.
    Target(
        name="files of Stata", suffix=".dta", seeds=lambda: seeds.statistics(".dta"), read=read_statistics, share=1,
    ),
    Target(
        name="files of SPSS", suffix=".sav", seeds=lambda: seeds.statistics(".sav"), read=read_statistics, share=1,
    ),
    Target(
        name="query tables", suffix=".csv", seeds=lambda: seeds.TABLES_CSV, read=read_query_table, share=3,
        watch=("files/", "prob/"),
    ),
    Target(
        name="query designs", suffix=".json", seeds=seeds.designs, read=read_a_design, forgers=(mutated, json_mutated),
        share=5, watch=("recoverable/", "prob/"),
    ),
    Target(
        name="distortions", suffix=".csv", read=tell_distortion, share=4, watch=("files/", "prob/"),
        seeds=lambda: (b"0,1\n1,0\n", b"x,a,b\na,0,1/2\nb,0.25,0\n", b"x;a\na;0\n"),
    ),
    Target(
        name="private values", suffix=".txt", read=read_private_number, share=2, watch=("files/",),
        seeds=lambda: (b"0.25\n", b"17", b" 1/3 \n"),
    ),
    *LAWS.values(),
)  # fmt: skip

BY_NAME = {target.name: target for target in TARGETS}
assert len(BY_NAME) == len(TARGETS)
