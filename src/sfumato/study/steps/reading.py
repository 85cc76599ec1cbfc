"""Opening, recovering and estimating: what readers do with reports and keys. Nothing here is paid for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from sfumato.errors import InvalidParameter
from sfumato.files.places import check_table_place
from sfumato.files.table_writers import TableWriter
from sfumato.files.tables import TABLE_LIMIT_BYTES
from sfumato.infer import Method
from sfumato.study.estimating import Collected, Estimates, estimate_collected
from sfumato.study.opening import open_table, recover_table, recovered_chunks
from sfumato.study.report_files import Paths, has_note
from sfumato.study.report_rows import ROW
from sfumato.study.reports import Progress, Reports
from sfumato.study.steps.keys import Keys, Unlocking, keys_for
from sfumato.study.steps.paying import study_of
from sfumato.study.studies import Study
from sfumato.study.study_files import fingerprint
from sfumato.study.typed_reports import TypedReports


def read_reports(
    path: Paths,
    study: Study | str | Path | None = None,
    *,
    note: str | Path | None = None,
    questions: Sequence[str] | None = None,
    column: str | None = None,
    group: str | None = None,
    count: str | None = None,
    limit_bytes: int = TABLE_LIMIT_BYTES,
    progress: Callable[[int], None] | None = None,
) -> Reports | TypedReports:
    """Read reports that were published or opened; with a `study`, also reports of a card that were typed in.

    Published reports carry their note, and a study given with them must be theirs. `column`, `group` and `count` name
    columns of typed-in reports; a column of counts is used only when it is named.
    """
    if study is None:
        _refuse(column=column, count=count)
        return Reports.read(path, note=note)
    declared = study_of(study)
    several = [path] if isinstance(path, str | Path) else list(path)
    typed = note is None and not all(has_note(one) for one in several)
    if typed and len(several) > 1:
        raise InvalidParameter(
            f"takes one file of reports that were typed in, not {len(several)}",
            parameter="reports",
            way_out="Put them into one table; reports that were published are read without the study.",
        )
    if not typed:
        _refuse(column=column, count=count)
        found = Reports.read(path, note=note)
        _check_study(declared, found, f"the reports in {path}")
        return found
    return TypedReports.read(
        declared,
        several[0],
        questions=None if questions is None else tuple(questions),
        column=column,
        group=group,
        count=count,
        limit_bytes=limit_bytes,
        progress=progress,
    )


def open_reports(reports: Reports | Paths, keys: Keys, *, unlock: Unlocking = None) -> Reports:
    """Return reports as sharp as the keys allow: each row is opened when it is read.

    Reports are a file, a folder, a glob or several of them. Keys are key files, or folders of them; of a folder the
    keys of these reports are used that open a level.
    """
    found = _reports(reports)
    return open_table(found, keys_for(found.note, keys, unlock, recover=False))


def recover_answers(
    reports: Reports | Paths,
    keys: Keys,
    *,
    unlock: Unlocking = None,
    out: str | Path | None = None,
    progress: Progress | None = None,
) -> Any:
    """Return the answers as an Arrow table, with the registrar's keys.

    With `out` they are written there, chunk by chunk, so that only their owner may read them; then it is their number
    that is returned.
    """
    found = _reports(reports)
    if out is None:
        return recover_table(found, keys_for(found.note, keys, unlock, recover=True))
    check_table_place("out", out)
    with TableWriter(out, private=True, ascending=ROW) as writer:
        for table in recovered_chunks(found, keys_for(found.note, keys, unlock, recover=True)):
            writer.write(table)
            if progress is not None:
                progress(table.num_rows, found.note.rows)
        writer.finish()
    return writer.rows


def estimate_reports(
    reports: Collected | Paths,
    study: Study | str | Path | None = None,
    *,
    note: str | Path | None = None,
    confidence: float = 0.95,
    group: str | None = None,
    questions: Sequence[str] | None = None,
    method: Method | str = Method.EXACT,
    ignoring: float | None = None,
    simultaneous: bool = False,
    column: str | None = None,
    count: str | None = None,
) -> Estimates:
    """Return what reports say about each question; typed-in reports of a card need the `study`.

    Reports are a file, a folder, a glob or several of them; `note` is that of rows which another tool selected.
    """
    found: Collected
    if isinstance(reports, str | Path | Sequence):
        found = read_reports(reports, study, note=note, questions=questions, column=column, group=group, count=count)
    else:
        _refuse(column=column, count=count, note=None if note is None else str(note))
        found = reports
        if study is not None:
            _check_study(study_of(study), found, "these reports")
    return estimate_collected(
        found,
        confidence=confidence,
        group=group,
        questions=questions,
        method=method,
        ignoring=ignoring,
        simultaneous=simultaneous,
    )


def _check_study(study: Study, reports: Collected, which: str) -> None:
    if fingerprint(study) != reports.note.fingerprint:
        raise InvalidParameter(
            f"is not the study of {which}, or was changed since",
            parameter="study",
            way_out="Name the study that they were published with, or the reports alone.",
        )


def _reports(reports: Reports | Paths) -> Reports:
    return reports if isinstance(reports, Reports) else Reports.read(reports)


def _refuse(**given: str | None) -> None:
    for parameter, value in given.items():
        if value is not None:
            raise InvalidParameter(
                "is for reports that were typed in; these say themselves where everything stands",
                parameter=parameter,
                value=value,
                way_out=f"Leave out `{parameter}`.",
            )
