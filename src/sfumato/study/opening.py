"""From public reports back towards the answers, as far as a key reaches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter, KeyRefused
from sfumato.files.tables import text_column
from sfumato.refine import Key
from sfumato.refine.key_operations import merge_keys
from sfumato.refine.keys import digest_of
from sfumato.study.codebooks import written_column
from sfumato.study.notes import ReportsNote
from sfumato.study.publishing import arrow_table
from sfumato.study.reports import Reports


def open_table(reports: Reports, keys: Iterable[Key]) -> Reports:
    """Return the reports as the keys show them: columns with a key sharper, the others as they were."""
    note, table = reports.note, reports.table
    merged = _by_question(note, keys)
    if any(key.level == 0 for key in merged.values()):
        raise KeyRefused("a registrar's key recovers answers and opens no level", way_out="Use recover.")
    start, stop = _common_rows(merged, note)
    columns = {name: table.column(name).slice(start, stop - start) for name in table.column_names}
    notes = dict(note.columns)
    for name, before in note.columns.items():
        if name in merged:
            seen, level = note.way(name).open(_public_reports(reports, name), merged[name])
            columns[name] = written_column(note.way(name), seen)
            notes[name] = replace(before, level=level, digest=digest_of(seen))
        elif stop - start < note.rows:
            notes[name] = replace(before, digest=digest_of(reports.column(name)[start:stop]))
    return Reports(table=arrow_table(columns), note=replace(note, columns=notes, offset=start))


def recover_table(reports: Reports, keys: Iterable[Key]) -> Any:
    """Return the answers themselves of every question that a registrar's key was given for, with kept columns."""
    note, table = reports.note, reports.table
    merged = _by_question(note, keys)
    start, stop = _common_rows(merged, note)
    kept = [name for name in table.column_names if name not in note.columns]
    columns: dict[str, Any] = {name: table.column(name).slice(start, stop - start) for name in kept}
    for name, key in merged.items():
        columns[name] = text_column(*note.way(name).recover(_public_reports(reports, name), key))
    return arrow_table(columns)


def _public_reports(reports: Reports, question: str) -> npt.NDArray[np.int64]:
    way = reports.note.way(question)
    if reports.note.column(question).level != len(way.epsilons) or reports.note.offset:
        raise InvalidParameter(
            f"column {question} was opened already", way_out="Use the public reports, with this key alone."
        )
    return reports.column(question)


def _by_question(note: ReportsNote, keys: Iterable[Key]) -> dict[str, Key]:
    """Check that keys belong to these reports, and put the parts of split keys together."""
    parts: dict[str, list[Key]] = {}
    for key in keys:
        if key.binding.study != note.fingerprint:
            raise KeyRefused("a key is of another study than the reports", way_out="Look for the reports it came with.")
        if key.binding.epoch != note.epoch:
            raise KeyRefused(
                f"a key is of epoch {key.binding.epoch}, and the reports are of epoch {note.epoch}",
                way_out="Rotate the key, or take the reports of its epoch.",
            )
        parts.setdefault(key.binding.question, []).append(key)
    if not parts:
        raise InvalidParameter("holds none", parameter="keys", way_out="Give at least one key.")
    return {name: group[0] if len(group) == 1 else merge_keys(group) for name, group in parts.items()}


def _common_rows(keys: Mapping[str, Key], note: ReportsNote) -> tuple[int, int]:
    ranges = {(key.start, key.stop) for key in keys.values()}
    if len(ranges) > 1:
        raise KeyRefused(
            "the keys open different rows of the reports", way_out="Use keys that were split at the same rows."
        )
    (start, stop), *_ = ranges
    if stop > note.rows:
        raise KeyRefused(
            f"a key opens rows up to {stop}, and there are {note.rows} reports",
            way_out="Look for the reports it came with.",
        )
    return start, stop
