"""From a table of answers to public reports and keys, and back as far as a key reaches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.bits import BitSource, KeyedBits, RowDraws, SystemBits
from sfumato.errors import InvalidParameter, KeyRefused, KeyReused, UnreadableFile
from sfumato.files.tables import Words, number_column, text_column, words_of
from sfumato.refine import Binding, Key, Ladder
from sfumato.refine.key_operations import merge_keys
from sfumato.refine.keys import digest_of
from sfumato.study.collecting import channel_for, hunt_for, ladder_for
from sfumato.study.hunts import hunt_reports
from sfumato.study.notes import ColumnNote, ReportsNote
from sfumato.study.questions import Count, FreeText, Question
from sfumato.study.reports import Reports
from sfumato.study.studies import Study, has_levels
from sfumato.study.study_files import fingerprint
from sfumato.values import Guarantee

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StudyPublication:
    """Public reports, and for each question the keys by level."""

    reports: Reports
    keys: Mapping[str, Mapping[int, Key]]


def publish_table(
    study: Study,
    table: Any,
    *,
    bits: BitSource | None = None,
    guarantee: Guarantee = Guarantee.INFORMATION_THEORETIC,
    epoch: int = 0,
    keep: Sequence[str] = (),
    keys: Mapping[str, Mapping[int, Key]] | None = None,
    progress: Progress | None = None,
) -> StudyPublication:
    """Make one report for each row and question; the columns in `keep` are copied as they are, in public.

    With `keys`, by question and with level 0 among them, reports are made under keys that were drawn before.
    """
    tell = progress or (lambda _: None)
    _check_kept(table, keep, study)
    _check_first_time(study, keys)
    if table.num_rows == 0:
        raise UnreadableFile("the table has no rows. Give at least one respondent.")
    # Every column is read before anything is drawn, so that a mistake in the last costs nothing.
    source = SystemBits() if bits is None else bits
    columns = {
        question.id: _read_answers(question, words_of(table, question.id), source) for question in study.questions
    }
    made: dict[str, Any] = {name: table.column(name) for name in keep}
    notes: dict[str, ColumnNote] = {}
    handed: dict[str, Mapping[int, Key]] = {}
    for question in study.questions:
        tell(question.id)
        if not has_levels(question):
            column = columns[question.id]
            made[question.id], notes[question.id] = (
                _by_hunt(study, question, column, source)
                if isinstance(question, FreeText)
                else _by_channel(study, question, column, source)
            )
            continue
        ladder = ladder_for(study, question)
        bound = binding_of(study, question.id, epoch)
        drawn = keys[question.id] if keys else ladder.draw_keys(len(table), source, guarantee=guarantee, binding=bound)
        answers = columns[question.id]
        if isinstance(question, Count):
            words = words_of(table, question.id)
            answers = question.symbols(words, _rounding_bits(question.id, drawn[0].drawing))
        published = ladder.publish(answers, binding=bound, keys=drawn)
        made[question.id] = published.reports
        notes[question.id] = ColumnNote(
            ladder=ladder.declaration, level=len(ladder.levels), digest=digest_of(published.reports)
        )
        handed[question.id] = published.keys
    note = ReportsNote(study=study, epoch=epoch, rows=table.num_rows, source=source.label, columns=notes)
    return StudyPublication(reports=Reports(table=_arrow(made), note=note), keys=handed)


def binding_of(study: Study, question: str, epoch: int) -> Binding:
    """What the keys of a question are for."""
    return Binding(study=fingerprint(study), question=question, column=question, epoch=epoch)


def open_table(reports: Reports, keys: Iterable[Key]) -> Reports:
    """Return the reports as the keys show them: columns with a key sharper, the others as they were."""
    note, table = reports.note, reports.table
    merged = _by_question(note, keys)
    if any(key.level == 0 for key in merged.values()):
        raise KeyRefused("a registrar's key recovers answers and opens no level. Use recover.")
    start, stop = _common_rows(merged, note)
    columns = {name: table.column(name).slice(start, stop - start) for name in table.column_names}
    notes = dict(note.columns)
    for name, before in note.columns.items():
        if name in merged:
            view = note.ladder(name).open(_public_reports(reports, name), merged[name])
            columns[name] = view.reports
            notes[name] = replace(before, level=view.level, digest=digest_of(view.reports))
        elif stop - start < note.rows:
            notes[name] = replace(before, digest=digest_of(reports.column(name)[start:stop]))
    return Reports(table=_arrow(columns), note=replace(note, columns=notes, offset=start))


def recover_table(reports: Reports, keys: Iterable[Key]) -> Any:
    """Return the answers themselves of every question that a registrar's key was given for, with kept columns."""
    note, table = reports.note, reports.table
    merged = _by_question(note, keys)
    start, stop = _common_rows(merged, note)
    kept = [name for name in table.column_names if name not in note.columns]
    columns: dict[str, Any] = {name: table.column(name).slice(start, stop - start) for name in kept}
    for name, key in merged.items():
        answers = note.ladder(name).recover(_public_reports(reports, name), key)
        columns[name] = text_column(answers, note.study.question(name).labels)
    return _arrow(columns)


def _public_reports(reports: Reports, question: str) -> npt.NDArray[np.int64]:
    ladder = reports.note.ladder(question)
    if reports.note.column(question).level != len(ladder.levels) or reports.note.offset:
        raise InvalidParameter(f"column {question} was opened already. Use the public reports, with this key alone.")
    return reports.column(question)


def _by_question(note: ReportsNote, keys: Iterable[Key]) -> dict[str, Key]:
    """Check that keys belong to these reports, and put the parts of split keys together."""
    parts: dict[str, list[Key]] = {}
    for key in keys:
        if key.binding.study != note.fingerprint:
            raise KeyRefused("a key is of another study than the reports. Look for the reports it came with.")
        if key.binding.epoch != note.epoch:
            raise KeyRefused(
                f"a key is of epoch {key.binding.epoch}, and the reports are of epoch {note.epoch}. Rotate the key, or "
                f"take the reports of its epoch."
            )
        parts.setdefault(key.binding.question, []).append(key)
    if not parts:
        raise InvalidParameter("no key was given. Give at least one.")
    return {name: group[0] if len(group) == 1 else merge_keys(group) for name, group in parts.items()}


def _common_rows(keys: Mapping[str, Key], note: ReportsNote) -> tuple[int, int]:
    ranges = {(key.start, key.stop) for key in keys.values()}
    if len(ranges) > 1:
        raise KeyRefused("the keys open different rows of the reports. Use keys that were split at the same rows.")
    (start, stop), *_ = ranges
    if stop > note.rows:
        raise KeyRefused(f"a key opens rows up to {stop}, and there are {note.rows} reports.")
    return start, stop


def _read_answers(question: Question, column: Words, bits: BitSource) -> Any:
    return question.keys(column) if isinstance(question, FreeText) else question.symbols(column, bits)


def _by_hunt(study: Study, question: FreeText, keys: list[int], bits: BitSource) -> tuple[Any, ColumnNote]:
    reports = hunt_reports(hunt_for(study, question), keys, bits)
    return reports, ColumnNote(ladder=None, level=1, digest=digest_of(reports))


def _by_channel(
    study: Study, question: Question, symbols: npt.NDArray[np.int64], bits: BitSource
) -> tuple[Any, ColumnNote]:
    channel = channel_for(study, question)
    reports = RowDraws(channel.to_exact()).draw(bits, symbols)
    labels = tuple(str(label) for label in channel.outputs)
    return text_column(reports, labels), ColumnNote(ladder=None, level=1, digest=digest_of(reports))


def _rounding_bits(question: str, drawing: str) -> KeyedBits:
    """Return what a count is rounded with: fixed by the drawing, so that publishing again makes the same reports.

    Rounding need not be secret: whatever it is, the ladder after it keeps its ε; it must only not depend on answers.
    """
    return KeyedBits(sha256(f"sfumato rounding {drawing} {question}".encode()).digest())


def _arrow(columns: Mapping[str, Any]) -> Any:
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    return pa.table({name: number_column(c) if isinstance(c, np.ndarray) else c for name, c in columns.items()})


def _check_first_time(study: Study, keys: Mapping[str, Mapping[int, Key]] | None) -> None:
    """Keys make the same reports again, but a card, a told part or free text would be answered afresh."""
    used = any(key.produced is not None for by_level in (keys or {}).values() for key in by_level.values())
    fresh = [question.id for question in study.questions if not has_levels(question)]
    if used and fresh:
        raise KeyReused(
            f"these keys have made reports, and question {fresh[0]!r} has none that could repeat its own: it would be "
            f"answered afresh, and two reports about one person tell more than one. Use the reports that were made; if "
            f"none were given out, choose another folder for new keys."
        )


def _check_kept(table: Any, keep: Sequence[str], study: Study) -> None:
    for name in keep:
        if name not in table.column_names:
            raise InvalidParameter(f"keep names the column {name!r}, which the table does not have.")
        if name in {question.id for question in study.questions}:
            raise InvalidParameter(f"keep names {name!r}, which is a question: its answers are not made public.")


def all_ladders(study: Study) -> dict[str, Ladder]:
    """Return the ladder of every question that has one."""
    return {question.id: ladder_for(study, question) for question in study.questions if has_levels(question)}
