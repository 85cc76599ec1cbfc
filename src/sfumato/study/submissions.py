"""What a respondent's device sends: a row of reports, drawn there, and one sealed body for each receiver.

Answers stay on the device. What leaves it has one length, and its law is that of the study's ways of asking: the row is
drawn by the code that draws every part, and the bodies hold the shifts of that very draw.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sfumato.bits import BitSource
from sfumato.refine.drawing import random_bytes
from sfumato.refine.sealed_shares import seal_share, share_info
from sfumato.study.collections import SECRET_BYTES, Collection, checked_secret, collection_of, report_id
from sfumato.study.device_draws import DrawnCell, answer_mark, answers_table, cells_of, draw_cells
from sfumato.study.device_memory import DeviceMemory
from sfumato.study.publishing import source_or_system
from sfumato.study.studies import Study
from sfumato.study.study_files import read_study


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """What a device sends of one person; `secret` stays there, and withdraws the report."""

    secret: bytes = field(repr=False)
    row: bytes = field(repr=False)
    shares: Mapping[str, bytes] = field(repr=False)

    def __post_init__(self) -> None:
        checked_secret(self.secret)

    @property
    def id(self) -> bytes:
        """The name of the report."""
        return report_id(self.secret)

    def __repr__(self) -> str:
        return f"<Submission {self.id.hex()[:8]}…, sealed for {', '.join(self.shares) or 'nobody'}; not shown>"


def respond(
    study: Study | Collection | str | Path,
    answers: Mapping[str, str],
    *,
    bits: BitSource | None = None,
    memory: DeviceMemory | None = None,
) -> Submission:
    """Return what a respondent's device sends: reports that are drawn here, and what is sealed for each receiver.

    With a `memory`, an answer that was given before in this study gets the report that it got then, under the draws of
    then: repeating it tells nothing new. The same answers in the same wave give the very same submission.

    Returns:
        The submission, ready to be sent.

    Raises:
        InvalidParameter: an answer is missing or none of the question.
        UnreadableFile: a file is damaged, of another kind, or not there.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> study = sf.Study(name="Rest", questions=(sf.YesNo(id="tired", text="Tired?", epsilon=Fraction(1)),))
    >>> len(sf.respond(study, {"tired": "yes"}).row)
    1
    """
    collection, source = as_collection(study), source_or_system(bits)
    table = answers_table(collection, answers)
    cells = {name: cells_of(collection, name, table) for name in collection.columns}
    if memory is None:
        drawn = {name: draw_cells(collection, name, held, 1, source)[0] for name, held in cells.items()}
        return sealed(collection, drawn, random_bytes(source, SECRET_BYTES))
    marks = {name: answer_mark(cells[name]) for name in collection.ways}
    with memory.held(collection, source) as remembered:
        before = remembered.sent(marks)
        if before is not None:
            return Submission(secret=before.secret, row=before.row, shares=before.shares)
        drawn = {}
        for name, mark in marks.items():
            known = remembered.cell(name, mark)
            drawn[name] = draw_cells(collection, name, cells[name], 1, source)[0] if known is None else known
            remembered.keep(name, mark, drawn[name])
        # A sealed answer is drawn afresh each time: one that came again would tell that the answer has stayed.
        for name in set(collection.columns) - set(marks):
            drawn[name] = draw_cells(collection, name, cells[name], 1, source)[0]
        made = sealed(collection, drawn, remembered.secret())
        remembered.keep_sent(marks, secret=made.secret, row=made.row, shares=made.shares)
    return made


def respond_all(
    study: Study | Collection | str | Path, answers: Sequence[Mapping[str, str]] | Any, *, bits: BitSource | None = None
) -> list[Submission]:
    """Return what many devices send, drawn at once: for simulations. `answers` is a list, or an Arrow table."""
    collection, source = as_collection(study), source_or_system(bits)
    table = answers_table(collection, answers) if isinstance(answers, Sequence) else answers
    rows = table.num_rows
    columns = {
        name: draw_cells(collection, name, cells_of(collection, name, table), rows, source)
        for name in collection.columns
    }
    secrets = random_bytes(source, SECRET_BYTES * rows)
    return [
        sealed(
            collection,
            {name: column[place] for name, column in columns.items()},
            secrets[SECRET_BYTES * place : SECRET_BYTES * (place + 1)],
        )
        for place in range(rows)
    ]


def sealed(collection: Collection, drawn: Mapping[str, DrawnCell], secret: bytes) -> Submission:
    """Return the submission of what was drawn for one person."""
    row = collection.pack_row({name: cell.report for name, cell in drawn.items()})
    shares = {}
    for one in collection.receivers:
        shifts = [drawn[name].shifts[level] for name, level in one.levels.items()]
        info = share_info(collection.fingerprint, one.name, report_id(secret))
        shares[one.name] = seal_share(shifts, collection.moduli(one), one.kem, one.public_key, info)
    return Submission(secret=secret, row=row, shares=shares)


def as_collection(study: Study | Collection | str | Path) -> Collection:
    """Take a collection as it is, or make one of a study or its file."""
    if isinstance(study, Collection):
        return study
    return collection_of(study) if isinstance(study, Study) else collection_of(read_study(study), Path(study).parent)
