"""Auditing draws of a mechanism, and auditing the files of a publication."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from sfumato.certificates.auditing import (
    INPUT,
    OUTPUT,
    Audit,
    PairCounts,
    as_table,
    audit_counts,
    check_columns,
    check_pairs,
    check_types,
    count_batch,
    read_samples,
)
from sfumato.engines.spark import Engine, frame_of_files, gather_batches, is_spark_frame, session_of
from sfumato.errors import Place, UnreadableFile
from sfumato.files.disk import read_bytes
from sfumato.files.formats import Format, format_of
from sfumato.files.public_tables import TableAudit, audit_table
from sfumato.files.row_streams import open_rows
from sfumato.files.tables import NOTE_LIMIT_BYTES, codebook_path, note_inside, note_path, numbers_of
from sfumato.files.texts import decode_text
from sfumato.publications.coded_reports import codebook
from sfumato.publications.manifest import NAME, is_publication, read_manifest
from sfumato.publications.note import ReportsNote
from sfumato.publications.reports import ROW, Reports, read_report_files

_TABLE = "the table of Spark"


def audit_samples(
    samples: Any,
    *,
    count: str | None = None,
    epsilon: float | None = None,
    failure: float = 1e-6,
    engine: Engine | None = None,
) -> Audit:
    r"""Let draws contradict a claimed ε: columns `input` and `output`, and `count` if pairs were counted.

    `samples` is a file, or a table of Spark; with `engine` spark, Spark reads the file. Only counts of pairs come back.

    Returns:
        The largest ε that the samples prove, and what it is held against.

    Raises:
        UnreadableFile: columns are missing, or a count is none.

    >>> import pathlib, tempfile
    >>> import sfumato as sf
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "draws.csv"
    >>> _ = path.write_text("input,output,count\nno,no,750\nno,yes,250\nyes,no,250\nyes,yes,750\n")
    >>> sf.workflows.audit_samples(path, count="count").claim.value < 1.0987  # it bounds ln 3 from below
    True
    """
    if engine is not None:
        samples = frame_of_files(samples, session_of(engine))
    found = _counted_in_spark(samples, count) if is_spark_frame(samples) else read_samples(samples, count=count)
    return audit_counts(
        found.counts,
        claimed_epsilon=epsilon,
        failure=failure,
        bits="made elsewhere, not known",
        answers=found.inputs,
        reports=found.outputs,
    )


def _counted_in_spark(frame: Any, count: str | None) -> Any:
    check_columns(frame.columns, count, Place(file=_TABLE))
    names = [name for name in (INPUT, OUTPUT, count) if name is not None]
    pairs: PairCounts = Counter()
    for counted in gather_batches(frame.select(*[f"`{name}`" for name in names]), partial(_count, count)):
        pairs.update(counted)
        check_pairs(pairs, _TABLE)
    return as_table(pairs, _TABLE)


def _count(count: str | None, batches: Iterator[Any]) -> PairCounts:
    pairs: PairCounts = Counter()
    for batch in batches:
        check_types(batch.schema, _TABLE, count)
        pairs.update(count_batch(batch, _TABLE, count))
        check_pairs(pairs, _TABLE)
    return pairs


# --- Auditing a publication
# Files and folders must hold the published rows, their notes and codebooks, and nothing else.


_TASK_FILE = re.compile(r"(?:[0-9]{3}-)?([0-9]{13})\.parquet")


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicationAudit:
    """What a publication holds that its rows and notes do not explain, by file; none when it is as it should be.

    `remarks` say what could not be compared.
    """

    rows: int
    findings: tuple[str, ...]
    remarks: tuple[str, ...] = ()


def audit_publication(reports: str | Path) -> PublicationAudit:
    """Return what a published file or folder holds beyond its rows and notes; rows are checked against their digests.

    Metadata, entries of dictionaries without a row, dictionaries that are not sorted, statistics that are not those of
    the rows, notes and codebooks that are not written as Sfumato does, and files that no manifest names are found.

    Returns:
        What was found, by file.

    Raises:
        DigestMismatch: rows or notes are not those that were published.
        UnreadableFile: a file is damaged, of another kind, or not there.

    >>> import pathlib, tempfile
    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> study = sf.Study(name="Rest", questions=(sf.YesNo(id="tired", text="Tired?", epsilon=Fraction(1)),))
    >>> out = pathlib.Path(tempfile.mkdtemp()) / "reports"
    >>> made = sf.publish(study, {"tired": ["no", "yes"] * 50}, out=out, insecure_seed=7)
    >>> sf.workflows.audit_publication(out).findings
    ()
    >>> (out / "draft.txt").touch()
    >>> sf.workflows.audit_publication(out).findings
    ('draft.txt: a file that the publication does not name',)
    """
    here = Path(reports)
    if here.is_dir() and not is_publication(here) and not note_path(here).exists():
        raise UnreadableFile(
            "this folder holds no publication",
            way_out="Name a folder with a manifest, or a file of reports.",
            place=Place(file=str(here)),
        )
    found = read_report_files(here)
    for _ in found.chunks(list(found.note.columns), found.kept):
        pass
    is_folder = is_publication(here)
    tables = [here / part.file for part in read_manifest(here).parts] if is_folder else [here]
    audits = [pair for table in tables for pair in _of_table(table)]
    findings = [f"{_name(path, here)}: {finding}" for path, audit in audits for finding in audit.findings]
    remarks = [f"{_name(path, here)}: {remark}" for path, audit in audits for remark in audit.remarks]
    if not all(source.is_whole for source in found.sources):
        findings.append(f"{here.name}: some of the rows that its note speaks of, which nothing can be checked against")
    if is_folder:
        findings += [
            f"{_name(path, here)}: a file that the publication does not name" for path in _unlisted(found, here)
        ]
    return PublicationAudit(rows=found.note.rows, findings=tuple(findings), remarks=tuple(dict.fromkeys(remarks)))


def _name(path: Path, here: Path) -> str:
    return str(path.relative_to(here)) if path.is_relative_to(here) and path != here else path.name


def _unlisted(reports: Reports, folder: Path) -> Iterator[Path]:
    """Yield what lies in the folder of a publication and is not part of it."""
    tables = [part.file for part in read_manifest(folder).parts]
    known = {NAME, *(name for question in reports.note.study.questions for name in question.files_beside())}
    known |= {path.name for table in tables for path in (Path(table), note_path(table), codebook_path(table))}
    yield from (path for path in sorted(folder.iterdir()) if path.name not in known)


def _of_table(table: Path) -> Iterator[tuple[Path, TableAudit]]:
    """Audit a part: its table or the files of its folder, its note, its codebook."""
    alone = read_report_files(table)
    yield note_path(table), TableAudit(findings=tuple(_of_note(table)))
    if codebook_path(table).exists():
        yield codebook_path(table), TableAudit(findings=tuple(_of_codebook(table, alone)))
    if table.is_dir():
        yield from _of_files(sorted(table.iterdir()))
    else:
        yield table, audit_table(table)


def _of_files(paths: Iterable[Path]) -> Iterator[tuple[Path, TableAudit]]:
    """Audit the files of a part that several tasks wrote, each called by the number of its first row."""
    for path in paths:
        named = _TASK_FILE.fullmatch(path.name)
        if named is None:
            yield path, TableAudit(findings=("a file that the publication does not name",))
            continue
        audit = audit_table(path)
        first = int(numbers_of(next(open_rows(path, columns=[ROW]).chunks()), ROW)[0])
        if first != int(named[1]):
            audit = replace(audit, findings=(*audit.findings, "a name that is not the number of its first row"))
        yield path, audit


def _of_note(table: Path) -> Iterator[str]:
    beside = note_path(table)
    texts = [decode_text(read_bytes(beside, limit_bytes=NOTE_LIMIT_BYTES), beside)] if beside.exists() else []
    inside = None if table.is_dir() or format_of(table) is not Format.PARQUET else note_inside(table)
    texts += [] if inside is None else [inside]
    if len(set(texts)) > 1:
        yield "another note than the one in its table"
    if any(ReportsNote.from_text(text, table).to_text() != text for text in texts):
        yield "a note that is not spelled as Sfumato does"


def _of_codebook(table: Path, reports: Reports) -> Iterator[str]:
    path = codebook_path(table)
    text = decode_text(read_bytes(path, limit_bytes=NOTE_LIMIT_BYTES), path)
    wanted = codebook(reports.note, reports.kept)
    # Of a collection it also says how reports came in; that does not follow from the note.
    if text != wanted and (reports.note.study.collect is None or _columns(text) != _columns(wanted)):
        yield "a codebook that does not follow from the note"


def _columns(text: str) -> str:
    return text[text.find("\n## ") :]
