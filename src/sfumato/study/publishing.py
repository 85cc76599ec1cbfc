"""From a table of answers to public reports and keys, in memory; nothing is paid for and nothing is written here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sfumato.account import Published
from sfumato.bits import BitSource, SystemBits
from sfumato.errors import InvalidParameter, KeyReused, UnreadableFile
from sfumato.files.tables import words_of
from sfumato.refine import Binding, Key
from sfumato.refine.keys import digest_of
from sfumato.study.codebooks import written_column
from sfumato.study.notes import ColumnNote, ReportsNote
from sfumato.study.reports import Reports
from sfumato.study.studies import Study
from sfumato.study.study_files import fingerprint
from sfumato.study.ways import Draw
from sfumato.values import Guarantee

Progress = Callable[[str], None]
Keys = Mapping[str, Mapping[int, Key]]
"""Keys by question and level."""
_INSECURE_KEYS = "INSECURE keys, drawn from a seed: a simulation, not a release"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class StudyPublication:
    """Public reports, and for each question the keys by level.

    `simulated` reports were drawn from a seed throughout, and are no release. `published` is what a record or a ledger
    remembers, `record` the file that does. `resumed` ones were drawn by an earlier run, which was interrupted; their
    keys are in their files only.
    """

    reports: Reports
    keys: Keys
    simulated: bool = False
    resumed: bool = False
    published: Published | None = None
    record: Path | None = None

    def __repr__(self) -> str:
        return f"<StudyPublication: {self.reports!r}, keys to {', '.join(self.keys) or 'nothing'}>"


def draw_publication(
    study: Study,
    table: Any,
    *,
    bits: BitSource | None = None,
    guarantee: Guarantee = Guarantee.INFORMATION_THEORETIC,
    epoch: int = 0,
    keep: Sequence[str] = (),
    keys: Keys | None = None,
    progress: Progress | None = None,
) -> StudyPublication:
    """Make one report for each row and question; the columns in `keep` are copied as they are, in public.

    With `keys`, by question and with level 0 among them, reports are made under keys that were drawn before.
    """
    tell = progress or (lambda _: None)
    _check_kept(table, keep, study)
    _check_first_time(study, keys)
    if table.num_rows == 0:
        raise UnreadableFile("the table has no rows", way_out="Give at least one respondent.")
    # Every column is read before anything is drawn, so that a mistake in the last costs nothing.
    source = SystemBits() if bits is None else bits
    answers = {way.question.id: way.read(words_of(table, way.question.id)) for way in study.ways}
    made: dict[str, Any] = {name: table.column(name) for name in keep}
    notes: dict[str, ColumnNote] = {}
    handed: dict[str, Mapping[int, Key]] = {}
    for way in study.ways:
        name = way.question.id
        tell(name)
        held = keys.get(name) if keys else None
        drawn = way.draw(
            answers[name],
            Draw(bits=source, guarantee=guarantee, binding=binding_of(study, name, epoch), keys=held),
        )
        made[name] = written_column(way, drawn.reports)
        notes[name] = ColumnNote(declaration=way.declaration, level=len(way.epsilons), digest=digest_of(drawn.reports))
        if drawn.keys:
            handed[name] = drawn.keys
    note = ReportsNote(
        study=study,
        epoch=epoch,
        rows=table.num_rows,
        source=source.label,
        insecure=source.guarantee is Guarantee.NONE,
        columns=notes,
    )
    if not note.insecure and any(key.guarantee is Guarantee.NONE for held in handed.values() for key in held.values()):
        note = replace(note, source=_INSECURE_KEYS, insecure=True)
    reports = Reports(table=arrow_table(made), note=note.marked())
    return StudyPublication(reports=reports, keys=handed, simulated=is_simulation(study, source, keys))


def is_simulation(study: Study, source: BitSource | None, keys: Keys | None) -> bool:
    """Whether everything is drawn from a seed that anyone can repeat: no release, whatever becomes of it.

    Keys know what they were drawn from; true keys make true reports, whatever the source of the rest is.
    """
    fresh = [way for way in study.ways if not (keys and keys.get(way.question.id))]
    held = [key for by_level in (keys or {}).values() for key in by_level.values()]
    seeded = source is not None and source.guarantee is Guarantee.NONE
    return (seeded or not fresh) and all(key.guarantee is Guarantee.NONE for key in held)


def binding_of(study: Study, question: str, epoch: int) -> Binding:
    """What the keys of a question are for."""
    return Binding(study=fingerprint(study), question=question, column=question, epoch=epoch)


def arrow_table(columns: Mapping[str, Any]) -> Any:
    """Return an Arrow table of Arrow columns."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    return pa.table(dict(columns))


def _check_first_time(study: Study, keys: Keys | None) -> None:
    """Keys make the same reports again, but a question without keys would be answered afresh."""
    used = any(key.produced is not None for by_level in (keys or {}).values() for key in by_level.values())
    fresh = [way.question.id for way in study.ways if not way.key_levels]
    if used and fresh:
        raise KeyReused(
            f"these keys have made reports, and question {fresh[0]!r} has none that could repeat its own: it would be "
            f"answered afresh, and two reports about one person tell more than one",
            way_out="Use the reports that were made; if none were given out, choose another folder for new keys.",
        )


def _check_kept(table: Any, keep: Sequence[str], study: Study) -> None:
    for name in keep:
        if name not in table.column_names:
            raise InvalidParameter(
                "names a column that the table does not have",
                parameter="keep",
                value=name,
                way_out="Name one that it has, or leave it out.",
            )
        if name in {question.id for question in study.questions}:
            raise InvalidParameter(
                "is a question: its answers are not made public", parameter="keep", value=name, way_out="Leave it out."
            )
