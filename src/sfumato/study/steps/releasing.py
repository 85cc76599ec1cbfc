"""How a publication is released: staged, noted in the record, paid for, put in place, settled. A rerun finishes it.

Until it is noted, a crash has cost nothing. From then on no crash calls for new draws: what is staged is complete, and
the same command finishes it, paid for once. The record is the first to know of a publication and the last to be told
that it is in place, so whatever the ledger knows, one that is unfinished is found.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sfumato.account import Book, Ledger, Published, PublishedColumn, Release
from sfumato.account.published import check_parts
from sfumato.bits import SystemBits
from sfumato.errors import BudgetSpent, InvalidParameter, KeyReused, ReleasedBefore
from sfumato.io.record_files import Record
from sfumato.refine.drawing import random_bytes
from sfumato.refine.key_protection import Protection
from sfumato.study.charging import release_of_reports
from sfumato.study.publishing import StudyPublication
from sfumato.study.steps.remembering import Memory, Remembered
from sfumato.study.steps.staging import Destination
from sfumato.study.studies import Study
from sfumato.study.study_files import fingerprint
from sfumato.study.totals import seen_by_readers


def intended(study: Study, epoch: int, memory: Memory, *, people: str | None, again: str | None) -> Published:
    """Return a publication before anything is drawn."""
    return Published(
        study=study.name,
        fingerprint=fingerprint(study),
        epoch=epoch,
        rows=0,
        columns=tuple(PublishedColumn(question=one.id, drawing="", digest="") for one in study.questions),
        seen=seen_by_readers(study),
        part="",
        people=people,
        again=again,
        file=memory.file,
    )


def check_admissible(wanted: Published, history: tuple[Remembered, ...]) -> Published:
    """Refuse draws that made other reports, and a second release that is not named as one.

    Returns the publication, or the very same one as it was noted before.
    """
    others = [one.published for one in history]
    wanted.check_draws(others)
    for other in others:
        if other.id == wanted.id:
            return other
    wanted.check_once(others)
    check_parts((*others, wanted))
    if wanted.of is not None and not any(other.part == wanted.of for other in others):
        raise InvalidParameter(
            "names the first part of a publication, and none is remembered that has this id",
            parameter="of",
            value=wanted.of,
            way_out="Name the `record` or the `ledger` that remembers the publication.",
        )
    if wanted.again is not None and not any(wanted.is_about(other) for other in others):
        raise InvalidParameter(
            "names a further release, and none is remembered that came before it",
            parameter="again",
            value=wanted.again,
            way_out="Leave it out, or name the `record` or the `ledger` that remembers the first.",
        )
    return wanted


def hand_out(made: StudyPublication, wanted: Published, memory: Memory) -> StudyPublication:
    """Release a publication into the memory of the caller; the record knows of it before the caller does."""
    with memory.held() as record:
        history = memory.history(record)
        published = check_admissible(_drawn(wanted, made), history)
        if record is not None:
            noted = memory.noted(published)
            record.intend(noted)
            record.settle(noted)
    return replace(_with_earlier(made, published, history), record=memory.record)


def release_to(
    place: Destination,
    made: StudyPublication,
    wanted: Published,
    memory: Memory,
    protections: Mapping[str, Protection],
) -> StudyPublication:
    """Stage a publication that was drawn, note it, pay for it, and put it in place."""
    with memory.held(place.out) as record:
        history = memory.history(record)
        published = check_admissible(made.published or _drawn(wanted, made), history)
        _check_affordable(published, made, memory)
        told = _with_earlier(made, published, history)
        place.tidy(one.published for one in history if not one.released)
        place.stage(told, published, protections)
        return _put(place, told, published, memory, record)


def finish(place: Destination, wanted: Published, memory: Memory, limit_bytes: int) -> StudyPublication | None:
    """Finish a publication of the same that was interrupted, without drawing; None if there is none.

    It is staged beside its destination, or in place and not yet settled. If it is neither, nobody knows whether it was
    seen, and only a further release can follow.
    """
    with memory.held(place.out) as record:
        history = memory.history(record)
        pending = [one.published for one in history if not one.released]
        published = next((one for one in pending if _is_same(wanted, one)), None)
        if published is None:
            place.tidy(pending)
            return None
        reports = place.found(published, limit_bytes)
        if reports is None:
            raise ReleasedBefore(
                f"a publication of {published.study!r} was interrupted, and these places hold neither it nor what was "
                f"staged of it, so nobody knows whether it was seen",
                way_out="Give the same `out` and `keys` as then, which finishes it. `again` names a further release, "
                "which is paid for and added up.",
            )
        made = StudyPublication(reports=reports, keys={}, published=published, resumed=True)
        return _put(place, made, published, memory, record)


def _is_same(wanted: Published, noted: Published) -> bool:
    names = ("fingerprint", "people", "again", "role", "of", "amends")
    same = all(getattr(wanted, name) == getattr(noted, name) for name in names)
    return same and wanted.is_of_study(noted) and wanted.shares_questions(noted)


def _drawn(wanted: Published, made: StudyPublication) -> Published:
    """Return it with its draws and digests; reports without keys are a drawing by themselves, which nothing repeats."""
    note = made.reports.note
    columns = []
    for name, column in note.columns.items():
        keys = made.keys.get(name)
        drawing = next(iter(keys.values())).drawing if keys else random_bytes(SystemBits(), 16).hex()
        columns.append(PublishedColumn(question=name, drawing=drawing, digest=column.digest))
    # Where all questions share a drawing, it is the part's id; else the part has one of its own.
    drawings = {column.drawing for column in columns}
    part = drawings.pop() if len(drawings) == 1 else random_bytes(SystemBits(), 16).hex()
    return replace(wanted, part=part, rows=note.rows, columns=tuple(columns))


def _with_earlier(made: StudyPublication, published: Published, history: tuple[Remembered, ...]) -> StudyPublication:
    """Tell the readers of a release what those before it show of the same people."""
    before = []
    for one in history:
        if one.published.id == published.id:
            break
        if published.is_about(one.published):
            before.append(one.published.summary)
    note = replace(made.reports.note, again=published.again, earlier=tuple(before))
    return replace(made, reports=replace(made.reports, note=note), published=published)


def _put(
    place: Destination, made: StudyPublication, published: Published, memory: Memory, record: Record | None
) -> StudyPublication:
    noted = memory.noted(published)
    if record is not None:
        record.intend(noted)
    payer = None if memory.ledger is None else Ledger(memory.ledger)
    receipt = None
    if payer is not None:
        try:
            receipt = payer.spend(_bill(published, made, memory, payer.read()), release_id=published.id)
        except (BudgetSpent, KeyReused, ReleasedBefore):
            # Nothing left staging: what was refused was not released, and need not be remembered.
            if record is not None and place.holds(published):
                record.void(noted)
                place.discard(published)
            raise
    place.put(published, made.keys)
    # The record last: while it says that something is unfinished, a rerun settles both.
    if payer is not None and receipt is not None:
        payer.settle(receipt)
    if record is not None:
        record.settle(noted)
    place.discard(published)
    return replace(made, record=memory.record)


def _check_affordable(published: Published, made: StudyPublication, memory: Memory) -> None:
    """Refuse what cannot be paid for before anything is staged or noted."""
    if memory.ledger is not None:
        book = Ledger(memory.ledger).read()
        if book.entry_called(published.id) is None:
            book.check_affordable(_bill(published, made, memory, book))


def _bill(published: Published, made: StudyPublication, memory: Memory, book: Book) -> Release:
    note = made.reports.note
    paid_rows = book.rows_paid(published)
    return release_of_reports(note.study, note.rows, memory.billed(published), paid_rows=paid_rows)
