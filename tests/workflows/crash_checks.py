"""What must be so after a kill, and after the same call was made again."""

import os
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

import sfumato as sf
from sfumato.files.tables import codebook_path, note_inside, note_path
from sfumato.keys import Unprotected
from sfumato.keys.key_files import read_key, read_key_header
from sfumato.ledger import Ledger
from sfumato.publications import read_registry
from sfumato.publications.key_folder import read_index
from sfumato.publications.manifest import read_manifest
from sfumato.publications.note import ReportsNote
from sfumato.publications.registry import read_record_file
from workflows.crash_cases import CASES, CORRECTED, ERASED, INPUTS, MORE, people


def files_in(folder):
    """Every file of a case, on whichever disk."""
    return [Path(here) / name for here, _, names in os.walk(folder, followlinks=True) for name in names]


def is_staged(path):
    return any(part.startswith(".") and part.endswith(".staged") for part in path.parts)


def outside(folder, *endings):
    """What anybody can see: files outside staging that are called by their names."""
    found = [path for path in files_in(folder) if path.suffix in endings and not is_staged(path)]
    return [path for path in found if not path.name.startswith(".") and path.name not in INPUTS]


def note_of(path):
    text = note_inside(path) if path.suffix == ".parquet" else None
    return ReportsNote.from_text(text or note_path(path).read_text(), path)


def reports_in(path):
    """The reports in a file, whatever its state, by part, question and row."""
    note = note_of(path)
    table = pq.read_table(path) if path.suffix == ".parquet" else pa.csv.read_csv(path)
    (part,) = note.parts
    return part, {
        (part.id, name, row): report
        for name in part.roots
        for row, report in zip(table["row"].to_pylist(), table[name].to_pylist(), strict=True)
        if report is not None
    }


class Observer:
    """Somebody who keeps a copy of everything that could ever be seen, and compares."""

    def __init__(self):
        self.reports, self.parts = {}, {}

    def look(self, folder):
        for path in outside(folder, ".csv", ".parquet"):
            part, reports = reports_in(path)
            for cell, report in reports.items():
                assert self.reports.setdefault(cell, report) == report, "two reports under one part"
            self.parts.setdefault(part.id, part.amends)


def known_parts(folder):
    """Parts that the ledger paid for."""
    return {entry.release.published.part for entry in Ledger(folder / "budget").read().live}


def check_seen(folder, case, observer):
    """After a kill at any moment: whatever is in place is paid for, and can be finished."""
    observer.look(folder)
    paid = known_parts(folder)
    assert set(observer.parts) <= paid, "seen before it was paid for"
    for path in outside(folder, ".key"):
        header = read_key_header(path)
        assert header.drawing in paid or (case == "rotated" and header.produced is None)
    for path in outside(folder, ".index"):
        assert path.name.split(".")[1] in {part[:8] for part in paid}


def expected(case):
    """The true answers, by the batch of people that a part is of and the row."""
    found = CASES[case]
    truth = {("p", row): answer for row, answer in enumerate(people()["moved"])}
    if found.bases == 2:
        truth |= {("n", row): answer for row, answer in enumerate(people(0, MORE, "n")["moved"])}
    if found.amendments:
        truth |= {("p", row): answer for row, answer in zip(CORRECTED["row"], CORRECTED["moved"], strict=True)}
    if found.verb == "erase":
        for person in ERASED[: found.bases]:
            del truth[person[0], int(person[1:])]
    return truth


def check_done(folder, case, observer, *, or_locks=False):
    """One payment that is settled, one part that is complete, nothing that is left over."""
    found = CASES[case]
    entries = Ledger(folder / "budget").read().live
    assert len(entries) == found.made_before + found.pays
    assert all(entry.settled for entry in entries)
    if found.has_record:
        noted = read_record_file(folder / "releases.json")
        assert [one.published.id for one in noted] == [entry.receipt.release_id for entry in entries]
        assert all(one.released for one in noted)
    else:
        assert not (folder / "releases.json").exists()
    assert len(read_registry(folder / "study.toml").releases) == len(entries)
    check_tidy(folder, or_locks=or_locks)
    _check_parts(folder, case, entries, observer)
    if found.keyed:
        _check_keys(folder, case)
    if found.indexed:
        _check_indexes(folder, case)


def check_tidy(folder, *, or_locks=False):
    """Nothing is left over; the lock of a process that was killed is removed by whoever locks the same next."""
    left = [path for path in files_in(folder) if path.name.startswith(".") or path.name.endswith("-journal")]
    left += [Path(here) for here, _, _ in os.walk(folder, followlinks=True) if is_staged(Path(here))]
    left = [path for path in left if not (or_locks and path.suffix == ".lock")]
    assert not left, left


def _check_parts(folder, case, entries, observer):
    found, out = CASES[case], folder / CASES[case].out
    reports = sf.read_reports(out)
    for name in reports.note.columns:  # reads every row, against the roots
        reports.column(name)
    parts = reports.note.parts
    assert (sum(one.amends is None for one in parts), sum(one.amends is not None for one in parts)) == (
        found.bases,
        found.amendments,
    )
    paid = {entry.release.published.part: entry.release.published for entry in entries}
    if found.verb != "erase":
        for part in parts:
            assert dict(part.roots) == {column.question: column.digest for column in paid[part.id].columns}
    assert len(reports.note.earlier) == (1 if case == "again" else 0)
    observer.look(folder)
    assert set(observer.parts) == set(paid), "nothing was ever seen that is not there now"
    if out.is_dir():
        names = [out / one.file for one in read_manifest(out).parts]
        wanted = {path for name in names for path in (name, note_path(name), codebook_path(name))}
        assert {path for path in out.iterdir() if path.suffix != ".lock"} == wanted | {out / "publication.json"}
    else:
        assert note_path(out).exists()
        assert codebook_path(out).exists()


def _batches(folder, case):
    """Which people a part is of: those who were published first, or those who came later."""
    parts = [one.id for one in sf.read_reports(folder / CASES[case].out).note.parts if one.amends is None]
    return dict(zip(parts, "pn", strict=False))


def _key_folders(folder, case):
    return [folder / CASES[case].keys, *([folder / "south"] if case == "combine" else [])]


def _check_keys(folder, case):
    """Every key file is there and whole, no other, and together they give back the answers."""
    found = CASES[case]
    out, folders = folder / found.out, _key_folders(folder, case)
    batches = _batches(folder, case)
    back = sf.recover_answers(out, folders, unlock=Unprotected(), rounded=True)  # a card has no answers
    parts = back["part"].to_pylist() if "part" in back.column_names else [next(iter(batches))] * back.num_rows
    rows = zip(parts, back["row"].to_pylist(), back["moved"].to_pylist(), strict=True)
    assert {(batches[part], row): answer for part, row, answer in rows} == expected(case)
    opened = sf.open_reports(
        out, [path for one in folders for path in one.glob("ministry.*.key")], unlock=Unprotected()
    )
    assert opened.note.column("moved").level == 1
    names = {f"{holder}.moved" for holder in ("ministry", "press", "registrar")}
    later = [] if found.seeds or case == "combine" else [one.id[:8] for one in sf.read_reports(out).note.parts[1:]]
    wanted = {f"{name}.key" for name in names} | {f"{name}.{part}.key" for name in names for part in later}
    for one in folders:
        files = list(one.glob("*.key"))
        assert {path.name for path in files} == wanted
        for path in files:
            assert path.stat().st_mode & 0o077 == 0
            read_key(path, Unprotected())


def _check_indexes(folder, case):
    batches, wanted = _batches(folder, case), {}
    for batch, row in expected(case):
        wanted.setdefault(batch, {})[f"{batch}{row}"] = row
    indexes = [path for one in _key_folders(folder, case) for path in one.glob("*.index")]
    found = {
        batches[index.part]: dict(index.people.rows)
        for index in (read_index(path, lambda _: Unprotected()) for path in indexes)
    }
    assert found == wanted
