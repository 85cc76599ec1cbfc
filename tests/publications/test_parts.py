"""Parts: trees that find every change, notes and manifests that lie, and rows that other tools selected."""

import base64
import json
import shutil
import tracemalloc
from dataclasses import replace
from hashlib import sha256

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sfumato as sf
from living_publications import Living, living_answers
from sfumato.errors import DigestMismatch, InvalidParameter, KeyRefused, SfumatoError, SharedPeople, UnreadableFile
from sfumato.files.public_tables import write_table
from sfumato.keys import Passphrase, Unprotected
from sfumato.keys.digests import ReportTree, root_of
from sfumato.keys.sealed_files import People, PeopleIndex, open_index, seal_index
from sfumato.ladders.keys import BLOCK_ROWS
from sfumato.publications.key_folder import index_path
from sfumato.publications.manifest import NAME, Manifest, ManifestPart, note_digest, read_manifest
from sfumato.publications.note import PartNote, ReportsNote, part_from, part_json
from sfumato.publications.reports import read_report_files
from sfumato.workflows.combining import combine
from sfumato.workflows.erasing import erase
from sfumato.workflows.reading import estimate_reports, open_reports, recover_answers, write_reports

DIGITS = st.text("0123456789abcdef", min_size=32, max_size=32)


def salt(block):
    return sha256(f"salt {block}".encode()).digest()[:16]


def root(numbers, reports, cuts=(), salt_of=salt, blocks=()):
    """The root of one column that comes in pieces, cut at some places."""
    tree = ReportTree(["q"], salt_of)
    for piece, cells in zip(np.split(numbers, list(cuts)), np.split(reports, list(cuts)), strict=True):
        tree.add(piece, {"q": cells})
    tree.finish(blocks)
    return tree.root("q")


@st.composite
def columns(draw):
    """Numbers that rise, over several blocks or a few, and a report for each."""
    start = draw(st.integers(0, 3 * BLOCK_ROWS))
    dense = draw(st.booleans())
    size = draw(st.integers(1, 2 * BLOCK_ROWS + 40)) if dense else draw(st.integers(1, 40))
    if dense:
        numbers = np.arange(start, start + size, dtype=np.int64)
    else:
        steps = draw(st.lists(st.integers(1, BLOCK_ROWS), min_size=size, max_size=size))
        numbers = start + np.cumsum(np.array(steps, dtype=np.int64))
    seed = draw(st.integers(0, 2**32 - 1))
    return numbers, np.random.default_rng(seed).integers(0, 3, size)


class TestTrees:
    @given(column=columns(), data=st.data())
    def test_the_root_does_not_depend_on_the_pieces_it_comes_in(self, column, data):
        numbers, reports = column
        cuts = sorted(data.draw(st.lists(st.integers(0, numbers.size), max_size=6)))
        assert root(numbers, reports, cuts) == root(numbers, reports)

    @given(column=columns(), data=st.data())
    def test_any_change_is_found(self, column, data):
        """A changed, dropped, swapped or doubled report, a row under another number, a block that was moved."""
        numbers, reports = column
        true = root(numbers, reports)
        place = data.draw(st.integers(0, numbers.size - 1))
        changed = reports.copy()
        changed[place] = (changed[place] + data.draw(st.integers(1, 2))) % 3
        others = {"changed": root(numbers, changed)}
        if numbers.size > 1:
            others["dropped"] = root(np.delete(numbers, place), np.delete(reports, place))
            doubled = np.insert(reports, place, reports[place])[: numbers.size]
            if not np.array_equal(doubled, reports):
                others["doubled"] = root(numbers, doubled)
            swapped = reports.copy()
            at = data.draw(st.integers(0, numbers.size - 2))
            swapped[[at, at + 1]] = swapped[[at + 1, at]]
            if not np.array_equal(swapped, reports):
                others["swapped"] = root(numbers, swapped)
        later = numbers.copy()
        later[-1] += 1
        others["renumbered"] = root(later, reports)
        others["moved"] = root(numbers + BLOCK_ROWS, reports)
        others["longer"] = root(np.append(numbers, numbers[-1] + 1), np.append(reports, 0))
        others["another salt"] = root(numbers, reports, salt_of=lambda block: salt(block + 1))
        others["an empty block more"] = root(numbers, reports, blocks=[int(numbers[-1]) // BLOCK_ROWS + 1])
        assert true not in others.values(), [name for name, found in others.items() if found == true]

    def test_two_questions_with_the_same_reports_have_different_roots(self):
        digests = {0: b"\0" * 32}
        assert root_of("a", digests) != root_of("b", digests)

    def test_digests_of_before_stand_in_for_blocks(self):
        digests = {0: b"\0" * 32, 1: b"\1" * 32}
        old = {1: (b"\2" * 32).hex()}
        assert root_of("a", digests, old) == root_of("a", {0: b"\0" * 32, 1: b"\2" * 32})


@st.composite
def parts(draw):
    rows = draw(st.integers(1, 3 * BLOCK_ROWS))
    start = draw(st.integers(0, 2 * BLOCK_ROWS))
    is_amendment = draw(st.booleans())
    if is_amendment:
        blocks = tuple(sorted(draw(st.sets(st.integers(0, 50), min_size=-(-rows // BLOCK_ROWS), max_size=8))))
        start = 0
    else:
        blocks = None
    erased = draw(st.sets(st.integers(start, start + rows - 1), max_size=min(rows, 12)))
    blank = PartNote(
        id=draw(DIGITS), rows=rows, roots={"q": "0" * 64, "r": "1" * 64}, salts=b"", start=start, blocks=blocks,
        series=draw(st.none() | DIGITS), amends=draw(DIGITS) if is_amendment else None,
        turn=draw(st.integers(1, 9)) if is_amendment else 0, erased=tuple(sorted(erased)),
    )  # fmt: skip
    rewritten = {block: {"q": "2" * 64, "r": "3" * 64} for block in blank.all_blocks[:2]} if erased else {}
    return replace(blank, salts=draw(st.binary(min_size=16, max_size=16)) * blank.block_count, rewritten=rewritten)


class TestNotes:
    @given(part=parts())
    def test_a_note_comes_back_as_it_was(self, part):
        back = part_from(json.loads(json.dumps(part_json(part))))
        for name in PartNote.__dataclass_fields__:
            assert getattr(back, name) == getattr(part, name), name

    @given(part=parts(), data=st.data())
    def test_the_numbers_of_a_part_are_those_that_are_left(self, part, data):
        if not part.is_dense:
            return
        left = [number for number in range(part.start, part.start + part.rows) if number not in set(part.erased)]
        place = data.draw(st.integers(0, len(left)))
        count = data.draw(st.integers(0, len(left) - place))
        assert part.numbers_from(place, count).tolist() == left[place : place + count]

    def test_numbers_of_many_rows_take_no_memory(self):
        """1e10 rows, of whom some were erased: a chunk of numbers is a chunk long."""
        part = PartNote(id="0" * 32, rows=10**10, roots={"q": "0" * 64}, salts=b"", erased=(5, 10**9))
        tracemalloc.start()
        found = part.numbers_from(10**9 - 3, 4)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert found.tolist() == [10**9 - 2, 10**9 - 1, 10**9 + 1, 10**9 + 2]
        assert peak < 2**20

    @given(part=parts(), data=st.data())
    @settings(suppress_health_check=[HealthCheck.too_slow])
    def test_hostile_notes_are_refused_without_memory(self, part, data):
        good = part_json(part)
        wrong = {
            "rows far beyond the salts": {"rows": 2**40},
            "rows beyond any": {"rows": 2**41},
            "half a row": {"rows": 1.5},
            "true": {"rows": True},
            "fewer than none": {"rows": -1},
            "a start far away": {"start": 2**41},
            "no salts": {"salts": ""},
            "a salt too many": {"salts": base64.b64encode(part.salts + b"\0" * 16).decode()},
            "half a salt": {"salts": base64.b64encode(part.salts[:-8]).decode()},
            "salts in no code": {"salts": "*" * len(good["salts"])},
            "erased out of order": {"erased": [2, 1]},
            "erased twice": {"erased": [part.start, part.start]},
            "a turn of no amendment": {"turn": 0 if part.amends else 1},
            "an entry that nobody knows": {"covered": 3},
            "an id of another length": {"id": part.id + "0"},
            "an id in capitals": {"id": "A" * 32},
            "no roots": {"roots": {}},
            "a root that is none": {"roots": {"q": "0" * 63}},
            "blocks out of order": {"blocks": [*range(part.block_count, 0, -1)] if part.block_count > 1 else [-1]},
            "rewritten to nothing": {"rewritten": {"0": {"q": ""}}},
            "rewritten in one question": {"rewritten": {"0": {"q": "2" * 64}}},
            "rewritten in none": {"rewritten": {"0": {}}},
            "more blocks than salts": {"blocks": [*range(part.block_count + 1)]},
        }
        if part.is_dense:
            wrong["erased before the part"] = {"erased": [part.start - 1]}
            wrong["erased behind the part"] = {"erased": [part.start + part.rows]}
        else:
            wrong["more rows than its blocks hold"] = {"rows": BLOCK_ROWS * part.block_count + 1}
        name = data.draw(st.sampled_from(sorted(wrong)))
        tracemalloc.start()
        with pytest.raises((ValueError, TypeError, KeyError, AttributeError)):
            part_from({**good, **wrong[name]})
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 2**20, name

    def test_a_note_of_huge_rows_is_refused_when_the_file_is_read(self, tmp_path):
        """One file, whose note says that it has a thousand million rows in an amendment, or two erased of none."""
        living = made(tmp_path, 50)
        (path,) = living.part_files()
        note = json.loads((living.reports / f"{path.name}.about.json").read_text())
        for changed in ({"rows": 10**9}, {"rows": 10**9, "blocks": [0]}, {"erased": [*range(51)]}):
            lie = {**note, "parts": [{**note["parts"][0], **changed}]}
            with pytest.raises(UnreadableFile, match="damaged"):
                ReportsNote.from_text(json.dumps(lie), "reports.parquet")


def made(folder, rows, **more):
    living = Living(folder / "office")
    living.publish(living_answers(rows), **more)
    return living


class TestManifests:
    @pytest.fixture
    def living(self, tmp_path):
        living = made(tmp_path, 60)
        living.publish(living_answers(40, "q"), append=True)
        living.amend({"part": [self.first(living)], "row": [0], "moved": ["no"]})
        return living

    @staticmethod
    def first(living):
        return read_manifest(living.reports).parts[0].id

    @staticmethod
    def forged(living, change):
        """Write a manifest that is sealed as it should be and says something else: anybody can."""
        found = read_manifest(living.reports)
        parts = [change(number, part) for number, part in enumerate(found.parts)]
        text = Manifest(
            study=found.study, fingerprint=found.fingerprint, parts=tuple(one for one in parts if one is not None)
        ).to_text()
        (living.reports / NAME).write_text(text)

    @pytest.mark.parametrize("name", ["../secret.parquet", "/etc/passwd", "00000000/../x.parquet", "..", "x.parquet"])
    def test_a_file_outside_the_folder_is_not_looked_for(self, living, name):
        self.forged(living, lambda number, part: replace(part, file=name) if number == 0 else part)
        with pytest.raises(UnreadableFile, match="not the manifest"):
            living.read()

    def test_a_part_twice_is_refused(self, living):
        found = read_manifest(living.reports)
        twice = Manifest(study=found.study, fingerprint=found.fingerprint, parts=(*found.parts, found.parts[0]))
        (living.reports / NAME).write_text(twice.to_text())
        with pytest.raises(DigestMismatch):
            living.read()

    def test_a_missing_file_is_refused(self, living):
        living.part_files()[0].unlink()
        with pytest.raises(UnreadableFile):
            living.read()

    def test_an_amendment_of_what_is_not_there_is_refused(self, living):
        self.forged(living, lambda number, part: None if number == 0 else part)
        with pytest.raises(InvalidParameter, match="amend a part that is not among them"):
            living.read()

    def test_a_part_under_another_id_or_role_is_refused(self, living):
        for change in (
            lambda number, part: replace(part, id="0" * 32) if number == 1 else part,
            lambda number, part: replace(part, amends=None) if number == 2 else part,
            lambda number, part: replace(part, amends="0" * 32) if number == 1 else part,
            lambda number, part: replace(part, note="0" * 64) if number == 1 else part,
        ):
            kept = (living.reports / NAME).read_bytes()
            self.forged(living, change)
            with pytest.raises(UnreadableFile, match="not the part that the manifest speaks of"):
                living.read()
            (living.reports / NAME).write_bytes(kept)

    def test_a_manifest_of_another_study_is_refused(self, living):
        found = read_manifest(living.reports)
        (living.reports / NAME).write_text(replace(found, fingerprint="0" * 64).to_text())
        with pytest.raises(UnreadableFile, match="not the part that the manifest speaks of"):
            living.read()

    def test_a_flipped_letter_is_refused(self, living):
        text = (living.reports / NAME).read_text()
        for place in range(0, len(text), 37):
            changed = text[:place] + ("x" if text[place] != "x" else "y") + text[place + 1 :]
            (living.reports / NAME).write_text(changed)
            with pytest.raises(SfumatoError):
                living.read()

    def test_rows_of_one_part_in_the_file_of_another_are_refused(self, living):
        first, later = (living.reports / part.file for part in read_manifest(living.reports).parts[:2])
        first.write_bytes(later.read_bytes())
        with pytest.raises(UnreadableFile, match="not the part that the manifest speaks of"):
            living.read()

    def test_a_changed_report_is_refused_by_every_verb(self, living):
        first = living.reports / read_manifest(living.reports).parts[0].file
        table = pq.read_table(first)
        cells = table["moved"].to_pylist()
        cells[3] = "yes" if cells[3] == "no" else "no"
        changed = table.set_column(table.column_names.index("moved"), "moved", pa.array(cells).dictionary_encode())
        pq.write_table(changed.replace_schema_metadata(pq.read_metadata(first).metadata), first)
        with pytest.raises(UnreadableFile, match="column moved is not"):
            estimate_reports(living.reports)
        with pytest.raises(UnreadableFile, match="column moved is not"):
            living.recovered()
        with pytest.raises(UnreadableFile, match="column moved is not"):
            estimate_reports(open_reports(living.reports, living.keys, unlock=Unprotected()))
        with pytest.raises(UnreadableFile, match="column moved is not"):
            erase(living.reports, rows=[(self.first(living), 5)], keys=living.keys, unlock=Unprotected())

    def test_reports_that_a_forger_noted_anew_are_refused_by_every_key(self, living):
        """Anybody can change reports, note and manifest so that they fit one another; keys know what they made."""
        found = read_manifest(living.reports)
        first = living.reports / found.parts[0].file
        table = pq.read_table(first)
        cells = table["moved"].to_pylist()
        cells[3] = "yes" if cells[3] == "no" else "no"
        noted = ReportsNote.from_text(first.with_name(f"{first.name}.about.json").read_text(), first)
        tree = noted.parts[0].tree(["moved"])
        tree.add(np.arange(60), {"moved": np.array([cell == "yes" for cell in cells], dtype=np.int64)})
        tree.finish()
        roots = {**noted.parts[0].roots, "moved": tree.root("moved")}
        text = replace(noted, parts=(replace(noted.parts[0], roots=roots),)).to_text()
        changed = table.set_column(table.column_names.index("moved"), "moved", pa.array(cells).dictionary_encode())
        write_table(changed, first, text)
        found.with_part(replace(found.parts[0], note=note_digest(text))).write(living.reports)
        assert estimate_reports(living.reports)[0].total == 100, "without a key nobody can tell"
        with pytest.raises(KeyRefused, match="made for other reports"):
            living.recovered()
        with pytest.raises(KeyRefused, match="made for other reports"):
            estimate_reports(open_reports(living.reports, living.keys, unlock=Unprotected()))

    def test_an_old_copy_beside_the_new_is_a_part_twice(self, living, tmp_path):
        shutil.copytree(living.reports, tmp_path / "before")
        erase(living.reports, rows=[(self.first(living), 5)], keys=living.keys, unlock=Unprotected())
        with pytest.raises(InvalidParameter, match="hold a part twice"):
            read_report_files([tmp_path / "before", living.reports])
        with pytest.raises(InvalidParameter, match="hold a part twice"):
            combine([living.reports, tmp_path / "before"], tmp_path / "both")
        assert not (tmp_path / "both").exists()

    def test_an_unknown_entry_stays_out_of_a_part(self, living):
        document = json.loads((living.reports / NAME).read_text())
        document["parts"][0]["offset"] = 3
        (living.reports / NAME).write_text(json.dumps(document))
        with pytest.raises(DigestMismatch):
            living.read()

    def test_entries_are_what_they_are(self):
        part = ManifestPart(id="0" * 32, file="00000000.parquet", note="1" * 64)
        manifest = Manifest(study="s", fingerprint="2" * 64, parts=(part,))
        assert manifest.with_part(replace(part, note="3" * 64)).parts == (replace(part, note="3" * 64),)


def by_pandas(source, target, region):
    table = pd.read_parquet(source)
    chosen = table[table["region"] == region]
    chosen.to_parquet(target, index=False) if target.suffix == ".parquet" else chosen.to_csv(target, index=False)


def by_polars(source, target, region):
    chosen = pl.read_parquet(source).filter(pl.col("region") == region)
    chosen.write_parquet(target) if target.suffix == ".parquet" else chosen.write_csv(target)


def by_duckdb(source, target, region):
    with duckdb.connect() as base:
        base.read_parquet(str(source)).filter(f"region = '{region}'").create_view("chosen")
        base.execute(f"COPY chosen TO '{target}'")


def by_arrow(source, target, region):
    """Carries along what is inside the file beside the rows, so the note that speaks of the whole."""
    table = pq.read_table(source, filters=[("region", "=", region)])
    table = table.replace_schema_metadata(pq.read_metadata(source).metadata)
    pq.write_table(table, target) if target.suffix == ".parquet" else pa.csv.write_csv(table, target)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A publication in one part, in several blocks, and what is true of it."""
    living = Living(tmp_path_factory.mktemp("whole") / "office")
    living.publish(living_answers(9000))
    return living


@pytest.mark.parametrize("select", [by_pandas, by_polars, by_duckdb, by_arrow])
@pytest.mark.parametrize("ending", [".parquet", ".csv"])
class TestSelections:
    def test_are_estimated_and_opened_as_the_group_is(self, whole, tmp_path, select, ending):
        (source,) = whole.part_files()
        beside = source.with_name(f"{source.name}.about.json")
        target = tmp_path / f"chosen{ending}"
        select(source, target, "hill")
        if select is by_arrow and ending == ".parquet":
            with pytest.raises(UnreadableFile, match="A selection of rows is read with `note`"):
                estimate_reports(read_report_files(target))
        else:
            shutil.copyfile(beside, tmp_path / f"{target.name}.about.json")
            (remark,) = read_report_files(target).remarks
            assert "4,500 of 9,000 rows" in remark
            (tmp_path / f"{target.name}.about.json").unlink()
            with pytest.raises(UnreadableFile, match="does not say which study"):
                read_report_files(target)
        found = read_report_files(target, note=beside)
        assert "not checked against the digest" in found.remarks[0]
        assert len(found) == 4500
        same(estimate_reports(found), estimate_reports(whole.reports, group="region"), "hill")
        opened = open_reports(found, whole.keys, unlock=Unprotected())
        assert "not checked against the digest" in opened.remarks[0]
        sharp = open_reports(whole.reports, whole.keys, unlock=Unprotected())
        same(estimate_reports(opened), estimate_reports(sharp, group="region"), "hill")
        back = recover_answers(found, whole.keys, unlock=Unprotected())
        true = living_answers(9000)
        assert back["row"].to_pylist() == [*range(1, 9000, 2)]
        assert back["place"].to_pylist() == true["place"].to_pylist()[1::2]
        assert back["moved"].to_pylist() == true["moved"].to_pylist()[1::2]
        # What was opened can be written and read again.
        opened.write(tmp_path / f"opened{ending}")
        again = read_report_files(tmp_path / f"opened{ending}")
        same(estimate_reports(again, group="region"), estimate_reports(sharp, group="region"), "hill")

    def test_one_question_alone_can_be_selected(self, whole, tmp_path, select, ending):
        (source,) = whole.part_files()
        target, narrow = tmp_path / f"chosen{ending}", tmp_path / "narrow.parquet"
        pq.write_table(pq.read_table(source, columns=["row", "place", "region"]).replace_schema_metadata(), narrow)
        select(narrow, target, "coast")
        found = read_report_files(target, note=source.with_name(f"{source.name}.about.json"))
        (estimate,) = estimate_reports(found)
        assert estimate.question.id == "place"
        same([estimate], estimate_reports(whole.reports, questions=["place"], group="region"), "coast")


def same(found, expected, region):
    wanted = {one.question.id: one for one in expected if one.group == region}
    mine = [one for one in found if one.group is None]
    assert mine
    for one in mine:
        other = wanted[one.question.id]
        assert one.total == other.total
        assert one.raw == pytest.approx(other.raw, abs=1e-9)
        assert one.standard_errors == pytest.approx(other.standard_errors, abs=1e-9)


class TestSelectionsThatAreNone:
    @pytest.fixture
    def selected(self, whole, tmp_path):
        """A function that writes some rows, by their places, and reads them with the note of the whole."""
        (source,) = whole.part_files()
        note = source.with_name(f"{source.name}.about.json")

        def read(places=None, note=note, **columns):
            table = pq.read_table(source).replace_schema_metadata()
            table = table.take(pa.array(places, pa.int64())) if places is not None else table
            for name, values in columns.items():
                table = table.set_column(table.column_names.index(name), name, pa.array(values))
            pq.write_table(table, tmp_path / "chosen.parquet")
            return read_report_files(tmp_path / "chosen.parquet", note=note)

        return read

    def test_a_good_one_is_read(self, selected):
        assert len(selected([3, 5000, 8999])) == 3

    @pytest.mark.parametrize("places", [[5, 4, 3], [3, 3, 4], [8999, 0]])
    def test_rows_that_do_not_rise_are_refused(self, selected, places):
        found = selected(places)
        with pytest.raises(UnreadableFile, match="must rise from row to row"):
            estimate_reports(found)

    @pytest.mark.parametrize("rows", [[1, 9000], [1, 2**40], [-1, 3]])
    def test_rows_that_the_part_never_had_are_refused(self, selected, rows):
        found = selected([1, 2], row=rows)
        with pytest.raises(UnreadableFile, match=r"the note does not know|must rise"):
            estimate_reports(found)
        with pytest.raises(UnreadableFile, match=r"the note does not know|must rise"):
            len(found)

    def test_rows_without_numbers_are_refused(self, selected, tmp_path, whole):
        selected([1, 2, 3])
        table = pq.read_table(tmp_path / "chosen.parquet")
        pq.write_table(table.drop_columns(["row"]), tmp_path / "bare.parquet")
        (source,) = whole.part_files()
        with pytest.raises(InvalidParameter, match="no column 'row'"):
            read_report_files(tmp_path / "bare.parquet", note=source.with_name(f"{source.name}.about.json"))

    def test_more_rows_than_there_are_are_refused(self, selected):
        with pytest.raises(UnreadableFile, match="has 9001 rows, and its note speaks of 9000"):
            selected([*range(9000), 8999])

    def test_as_many_rows_as_there_are_are_held_against_the_digest(self, selected):
        found = selected([*range(8999), 8998])
        with pytest.raises(UnreadableFile, match="not the column that its note speaks of"):
            estimate_reports(found)

    def test_a_report_that_is_none_is_named_by_its_place(self, selected):
        found = selected([1, 2], moved=["yes", "perhaps"])
        with pytest.raises(UnreadableFile, match="column moved, row 2") as refusal:
            estimate_reports(found)
        assert "perhaps" not in str(refusal.value)

    def test_a_selection_of_a_selection_and_of_nobody(self, selected):
        with pytest.raises(UnreadableFile):
            estimate_reports(selected([]))

    def test_an_erased_row_does_not_come_back_in_a_selection_of_before(self, tmp_path):
        living = made(tmp_path, 500)
        (source,) = living.part_files()
        table = pq.read_table(source).replace_schema_metadata()
        pq.write_table(table.slice(100, 50), tmp_path / "chosen.parquet")
        living.erase(120)
        (now,) = living.part_files()
        found = read_report_files(tmp_path / "chosen.parquet", note=now.with_name(f"{now.name}.about.json"))
        with pytest.raises(UnreadableFile, match="erased since"):
            estimate_reports(found)
        with pytest.raises(UnreadableFile, match="erased since"):
            recover_answers(found, living.keys, unlock=Unprotected())

    def test_a_selection_of_what_is_left_opens(self, tmp_path):
        living = made(tmp_path, 500)
        living.erase(120, 121, 0)
        (now,) = living.part_files()
        table = pq.read_table(now).replace_schema_metadata()
        pq.write_table(table.slice(100, 50), tmp_path / "chosen.parquet")
        found = read_report_files(tmp_path / "chosen.parquet", note=now.with_name(f"{now.name}.about.json"))
        back = recover_answers(found, living.keys, unlock=Unprotected())
        truth = living_answers(500)["moved"].to_pylist()
        assert back["moved"].to_pylist() == [truth[row] for row in back["row"].to_pylist()]
        assert 120 not in back["row"].to_pylist()

    def test_a_selection_beside_its_amendment_is_refused_and_one_of_what_was_opened_is_right(self, tmp_path):
        """Rows of the amendment that were not selected would be counted; what is opened has amended cells in place."""
        living = made(tmp_path, 500)
        truth = living_answers(500)["moved"].to_pylist()
        rows = [*range(0, 500, 5)]
        for row in rows:
            truth[row] = "no" if truth[row] == "yes" else "yes"
        living.amend({"row": rows, "moved": [truth[row] for row in rows]})
        base, later = (living.reports / part.file for part in read_manifest(living.reports).parts)
        by_polars(base, tmp_path / "chosen.parquet", "hill")
        shutil.copyfile(f"{base}.about.json", tmp_path / "chosen.parquet.about.json")
        with pytest.raises(InvalidParameter, match="a selection and an amendment"):
            read_report_files([tmp_path / "chosen.parquet", later])
        opened = open_reports(living.reports, living.keys, unlock=Unprotected())
        opened.write(tmp_path / "opened.parquet")
        by_polars(tmp_path / "opened.parquet", tmp_path / "sharp.parquet", "hill")
        found = read_report_files(tmp_path / "sharp.parquet", note=tmp_path / "opened.parquet.about.json")
        same(estimate_reports(found), estimate_reports(opened, group="region"), "hill")

    def test_a_selection_of_an_amendment_is_refused(self, tmp_path):
        """The draws of its rows stand in the order of all of them, so a part of it would open to nonsense."""
        living = made(tmp_path, 500)
        truth = living_answers(500)["moved"].to_pylist()
        rows = [*range(0, 500, 5)]
        living.amend({"row": rows, "moved": ["no" if truth[row] == "yes" else "yes" for row in rows]})
        path = next(path for path in living.part_files() if pq.read_metadata(path).num_rows == 100)
        pq.write_table(pq.read_table(path).replace_schema_metadata().slice(7, 20), tmp_path / "chosen.parquet")
        with pytest.raises(UnreadableFile, match="selection from an amendment"):
            read_report_files(tmp_path / "chosen.parquet", note=path.with_name(f"{path.name}.about.json"))


class TestIndexes:
    """Ids are for whoever opens the index, and for nobody else."""

    IDS = ("p00003", "p00042")

    @pytest.fixture
    def living(self, tmp_path):
        living = made(tmp_path, 60, id_column="person")
        living.publish(living_answers(30, "q"), append=True, id_column="person")
        living.amend({"person": ["p00003"], "moved": ["no"]}, id_column="person")
        living.erase(ids=["p00042"])
        return living

    def test_an_id_is_in_no_public_file(self, living):
        """Not in the reports, notes, manifest, codebooks, key files nor the record; the control finds a region."""
        public = [path for path in living.folder.rglob("*") if path.is_file() and path.suffix != ".index"]
        assert len(public) > 12
        for path in public:
            data = path.read_bytes()
            assert b"p000" not in data, path.name
            assert b"person" not in data, path.name
        # Parquet packs texts, so tables are read as well.
        for path in living.part_files():
            table = pq.read_table(path)
            assert "hill" in str(table.to_pylist())
            assert "p000" not in str(table.to_pylist())

    def test_a_sealed_index_shows_nobody(self, living):
        index = PeopleIndex(study="0" * 64, part="1" * 32, column="person", people=People({"p00003": 3}))
        data = seal_index(index, Passphrase("a good long passphrase"))
        assert b"p00003" not in data
        assert open_index(data, Passphrase("a good long passphrase")).people.rows == {"p00003": 3}
        for shown in (repr(index), str(index), repr(index.people), str(index.people), f"{index!r}"):
            assert "p00003" not in shown

    def test_refusals_do_not_repeat_an_id(self, living):
        for call in (
            lambda: living.erase(ids=["p99999"]),
            lambda: living.erase(ids=["p00042"]),
            lambda: living.amend({"person": ["p99999"], "moved": ["no"]}, id_column="person"),
            lambda: living.amend({"person": ["p00042"], "moved": ["no"]}, id_column="person"),
            lambda: living.amend({"person": ["p00001", "p00001"], "moved": ["no", "yes"]}, id_column="person"),
            lambda: living.publish(living_answers(30, "q"), append=True, id_column="person"),
            lambda: living.publish(living_answers(61), append=True, id_column="person"),
        ):
            with pytest.raises(SfumatoError) as refusal:
                call()
            for shown in (str(refusal.value), repr(refusal.value), repr(refusal.value.__dict__)):
                assert "p0" not in shown
                assert "p9" not in shown
                assert "q0" not in shown

    def test_a_wrong_passphrase_is_refused(self):
        index = PeopleIndex(study="0" * 64, part="1" * 32, column="person", people=People({"p00003": 3}))
        data = seal_index(index, Passphrase("a good long passphrase"))
        for wrong in (Passphrase("another long passphrase"), Unprotected()):
            with pytest.raises(KeyRefused) as refusal:
                open_index(data, wrong)
            assert "p00003" not in str(refusal.value)

    @given(data=st.data())
    def test_a_flipped_bit_is_refused(self, data):
        index = PeopleIndex(study="0" * 64, part="1" * 32, column="person", people=People({"p00003": 3}))
        sealed = bytearray(seal_index(index, Unprotected()))
        place = data.draw(st.integers(0, len(sealed) - 1))
        sealed[place] ^= 1 << data.draw(st.integers(0, 7))
        with pytest.raises(SfumatoError):
            open_index(bytes(sealed), Unprotected())

    def test_an_index_of_another_part_is_refused(self, living):
        """Under the name of the first part, the index of the second would erase somebody else."""
        first, later = (part.id for part in living.read().note.parts if part.amends is None)
        kept = index_path(living.keys, first).read_bytes()
        index_path(living.keys, first).write_bytes(index_path(living.keys, later).read_bytes())
        for call in (
            lambda: living.erase(ids=["q00003"]),
            lambda: living.amend({"person": ["q00003"], "moved": ["no"]}, id_column="person"),
            lambda: living.publish(living_answers(5, "r"), append=True, id_column="person"),
            lambda: combine([living.reports], living.folder / "new", keys=[living.keys], unlock=Unprotected()),
        ):
            with pytest.raises(KeyRefused, match="another study or part"):
                call()
        index_path(living.keys, first).write_bytes(kept)
        assert living.erase(ids=["q00003"]).people == 1

    def test_an_index_of_another_study_is_refused(self, living):
        (first, *_) = living.read().note.parts
        forged = PeopleIndex(study="0" * 64, part=first.id, column="person", people=People({"p00001": 2}))
        index_path(living.keys, first.id).write_bytes(seal_index(forged, Unprotected()))
        with pytest.raises(KeyRefused, match="another study or part"):
            living.erase(ids=["p00001"])

    def test_rows_that_a_forged_index_names_are_looked_at(self, living):
        """Nobody is where the index says: nothing is written, and the publication is read as before."""
        (first, *_) = living.read().note.parts
        before = {path.name: path.read_bytes() for path in living.reports.iterdir()}
        for row in (60, 2**50, -1):
            forged = PeopleIndex(
                study=living.read().note.fingerprint, part=first.id, column="person", people=People({"p00001": row})
            )
            index_path(living.keys, first.id).write_bytes(seal_index(forged, Unprotected()))
            for call in (
                lambda: living.erase(ids=["p00001"]),
                lambda: living.amend({"person": ["p00001"], "moved": ["no"]}, id_column="person"),
            ):
                with pytest.raises(InvalidParameter, match="none of the rows 0 to 59"):
                    call()
        assert {path.name: path.read_bytes() for path in living.reports.iterdir()} == before

    def test_an_index_that_anyone_could_have_written_is_not_trusted_unasked(self, living):
        with pytest.raises(KeyRefused, match="not protected"):
            erase(living.reports, ids=["p00001"], keys=living.keys)

    def test_who_was_erased_is_gone_from_the_index_and_may_come_back(self, living):
        first = living.read().note.parts[0]
        index = open_index(index_path(living.keys, first.id).read_bytes(), Unprotected())
        assert "p00042" not in index.people.rows
        assert len(index.people.rows) == 59
        back = living_answers(60).slice(42, 1)
        living.publish(back, append=True, id_column="person")
        assert len(living.read()) == 60 + 30

    def test_nobody_is_in_one_table_twice(self, tmp_path):
        """Not within a chunk nor across chunks; the refusal has rows, and nothing was drawn or noted."""
        twice = living_answers(60).set_column(0, "person", pa.array([f"p{row % 59:05d}" for row in range(60)]))
        living = Living(tmp_path / "other")
        with pytest.raises(UnreadableFile, match="row 60 names somebody who is in row 1 already"):
            living.publish(twice, id_column="person")
        assert not (living.folder / "releases.json").exists()
        assert not [*living.folder.rglob("*.key"), *living.folder.rglob("*.index"), *living.folder.rglob("*.parquet")]

    def test_who_is_in_two_offices_is_found_where_both_indexes_open(self, living, tmp_path):
        second = Living(tmp_path / "second")
        second.publish(living_answers(40), id_column="person")
        places = [living.reports, second.reports]
        both = [living.keys, second.keys]
        for assumed in (False, True):  # what is known is not assumed away
            with pytest.raises(SharedPeople, match="have 40 people in two parts"):
                combine(places, tmp_path / "both", keys=both, unlock=Unprotected(), assume_disjoint=assumed)
        assert not (tmp_path / "both").exists()

    def test_people_who_were_not_compared_are_assumed_to_be_others_only_when_that_is_said(self, living, tmp_path):
        second = Living(tmp_path / "second")
        second.publish(living_answers(40, "s"), id_column="person")
        places, sentence = [living.reports, second.reports], "assumed, and not checked, that no person is in two"
        with pytest.raises(SharedPeople, match="2 of 3 indexes of people were opened"):
            combine(places, tmp_path / "both", keys=[living.keys], unlock=Unprotected())
        assert not (tmp_path / "both").exists()
        made = combine(places, tmp_path / "both", keys=[living.keys], unlock=Unprotected(), assume_disjoint=True)
        assert (made.compared, made.parts, made.is_compared) == (2, 3, False)
        assert read_manifest(tmp_path / "both").assumed_disjoint
        # It stays with the publication, also when that is combined again, and with what is opened from it.
        combine([tmp_path / "both"], tmp_path / "again")
        opened = open_reports(tmp_path / "again", [living.keys, second.keys], unlock=Unprotected())
        write_reports(opened, tmp_path / "opened.parquet")
        for held in (tmp_path / "both", tmp_path / "again", tmp_path / "opened.parquet", places):
            assert all(any(sentence in note for note in one.notes) for one in estimate_reports(held))
            assert sf.Reports.read(held).note.assumed_disjoint
        compared = combine(places, tmp_path / "known", keys=[living.keys, second.keys], unlock=Unprotected())
        assert compared.is_compared
        for held in (tmp_path / "known", living.reports):
            assert not any(sentence in note for one in estimate_reports(held) for note in one.notes)
            assert not sf.Reports.read(held).note.assumed_disjoint

    def test_a_later_part_of_one_office_is_compared_with_the_others(self, living, tmp_path):
        """North and south were compared; what north appended since was compared with north alone."""
        second = Living(tmp_path / "second")
        second.publish(living_answers(40, "s"), id_column="person")
        both = [living.keys, second.keys]
        combine([living.reports, second.reports], tmp_path / "both", keys=both, unlock=Unprotected())
        known = {part.id for part in living.read().note.parts}
        living.publish(living_answers(20, "s"), append=True, id_column="person")
        (later,) = [one for one in read_manifest(living.reports).parts if one.id not in known]
        places = [tmp_path / "both", living.reports / later.file]
        with pytest.raises(SharedPeople, match="may have the same person"):
            combine(places, tmp_path / "more")
        with pytest.raises(SharedPeople, match="have 20 people in two parts"):
            combine(places, tmp_path / "more", keys=both, unlock=Unprotected())

    def test_an_index_that_is_not_there_is_asked_for(self, living):
        index_path(living.keys, living.read().note.parts[0].id).unlink()
        with pytest.raises(InvalidParameter, match="needs the index of every part"):
            living.publish(living_answers(5, "r"), append=True, id_column="person")


def test_when_everybody_was_erased_nothing_is_left_to_say(tmp_path):
    living = made(tmp_path, 5)
    living.erase(0, 1, 2, 3, 4)
    assert len(living.read()) == 0
    with pytest.raises(UnreadableFile, match="no report"):
        estimate_reports(living.reports)
    for call in (living.recovered, lambda: open_reports(living.reports, living.keys, unlock=Unprotected())):
        with pytest.raises(UnreadableFile, match="nobody is left"):
            call()
