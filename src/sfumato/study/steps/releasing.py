"""How a part is released: staged, noted in the record, paid for, put in place, settled. A rerun finishes it.

Until it is noted, a crash has cost nothing. From then on no crash calls for new draws: what is staged is complete, and
the same command finishes it, paid for once. The record is the first to know of a part and the last to be told that it
is in place, so whatever the ledger knows, one that is unfinished is found.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from sfumato.account import Book, Ledger, Published, PublishedColumn, Release
from sfumato.account.published import Role, check_parts
from sfumato.errors import BudgetSpent, InvalidParameter, KeyReused, ReleasedBefore, SfumatoError
from sfumato.files.locks import locked
from sfumato.io.record_files import Record
from sfumato.refine.key_protection import Protection
from sfumato.study.charging import release_of_reports
from sfumato.study.notes import ReportsNote
from sfumato.study.part_sinks import Keys
from sfumato.study.publishing import StudyPublication
from sfumato.study.reports import Reports
from sfumato.study.steps.remembering import Memory, Remembered
from sfumato.study.steps.staged_parts import StagedPart
from sfumato.study.steps.staging import Destination
from sfumato.study.studies import Study
from sfumato.study.study_files import fingerprint
from sfumato.study.totals import seen_by_readers

Drawing = Callable[[StagedPart], tuple[ReportsNote, Keys]]
"""What draws a part into its files."""


def intended(
    study: Study,
    epoch: int,
    memory: Memory,
    part: str,
    *,
    people: str | None = None,
    again: str | None = None,
    role: Role = Role.FIRST,
    of: str | None = None,
    amends: str | None = None,
    questions: Sequence[str] | None = None,
) -> Published:
    """Return a part before anything is drawn; `questions` are those of an amendment."""
    asked = [one.id for one in study.questions] if questions is None else list(questions)
    return Published(
        study=study.name,
        fingerprint=fingerprint(study),
        epoch=epoch,
        rows=0,
        columns=tuple(PublishedColumn(question=name, drawing=part, digest="") for name in study.with_sealed(asked)),
        seen=seen_by_readers(study, asked),
        part=part,
        people=people,
        again=again,
        role=role,
        of=of,
        amends=amends,
        file=memory.file,
    )


def check_admissible(wanted: Published, history: tuple[Remembered, ...]) -> Published:
    """Refuse draws that made other reports, and a second release that is not named as one.

    Returns the part, or the very same one as it was noted before.
    """
    others = [one.published for one in history]
    if all(column.digest for column in wanted.columns):
        wanted.check_draws(others)
    for other in others:
        if other.id == wanted.id:
            return other
    wanted.check_once(others)
    check_parts((*others, wanted))
    if wanted.of is not None and not any(other.part == wanted.of for other in others):
        raise InvalidParameter(
            "is the first part of a publication that neither record nor ledger remembers",
            parameter="out",
            value=wanted.of[:8],
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
    """Release a part into the memory of the caller; the record knows of it before the caller does."""
    with memory.held() as record:
        history = memory.history(record)
        published = check_admissible(_drawn(wanted, made.reports.note), history)
        if record is not None:
            noted = memory.noted(published)
            record.intend(noted)
            record.settle(noted)
    note = _with_earlier(made.reports.note, published, history)
    return replace(made, reports=replace(made.reports, note=note), published=published, record=memory.record)


def release_part(
    place: Destination,
    draw: Drawing,
    wanted: Published,
    memory: Memory,
    protections: Mapping[str, Protection] | None,
    *,
    rows: int,
    draws: bool = False,
) -> tuple[ReportsNote, Published]:
    """Draw a part into staging, note it, pay for it, and put it in place; `protections` are for new key files."""
    place.make_ready()
    with locked(place.lock), contextlib.ExitStack() as holding:
        place.tidy(one.published.part for one in memory.history() if not one.released)
        _check_affordable(wanted, memory, place.files.study, rows)
        with place.staged(wanted.part, protections, rows, draws=draws) as staged:
            note, keys = draw(staged)
            record = holding.enter_context(memory.held())
            history = memory.history(record)
            published = check_admissible(_drawn(wanted, note), history)
            _check_affordable(published, memory, place.files.study, published.rows)
            note = _with_earlier(note, published, history)
            staged.complete(note, keys)
        # What is complete stays staged, whatever goes wrong from here on, unless nobody will look for it.
        try:
            _put(place, note, keys, published, memory, record)
        except BaseException:
            if not _is_known(published, memory):
                place.discard(published.part)
            raise
    return note, published


def finish(place: Destination, wanted: Published, memory: Memory) -> tuple[Reports, Published] | None:
    """Finish a part of the same that was interrupted, without drawing; None if there is none.

    It is staged at its destination, or in place and not yet settled. If it is neither, nobody knows whether it was
    seen, and only a further release can follow. One that is settled, and only not tidied up, was interrupted as well.
    """
    place.make_ready()
    with locked(place.lock), memory.held() as record:
        history = memory.history(record)
        pending = [one.published for one in history if not one.released]
        published = next((one for one in pending if _is_same(wanted, one)), None)
        settled = [one.published for one in history if one.released and _is_same(wanted, one.published)]
        is_put = [one for one in settled if place.was_put(one)]
        place.tidy(one.part for one in pending)
        if published is None:
            return (place.read(), is_put[-1]) if is_put else None
        mine = place.for_part(published)
        reports = mine.found(published)
        if reports is None:
            raise ReleasedBefore(
                f"a publication of {published.study!r} was interrupted, and these places hold neither it nor what was "
                f"staged of it, so nobody knows whether it was seen",
                way_out="Give the same `out` and `keys` as then, which finishes it. `again` names a further release, "
                "which is paid for and added up.",
            )
        note = replace(reports.note, parts=(reports.note.part(published.part),))
        _put(mine, note, {}, published, memory, record)
        return place.made(note), published


def _is_known(published: Published, memory: Memory) -> bool:
    """Whether a rerun would look for a part: where nobody can tell, it might."""
    try:
        return any(one.published.id == published.id for one in memory.history())
    except (SfumatoError, OSError):
        return True


def _is_same(wanted: Published, noted: Published) -> bool:
    alike = ("fingerprint", "people", "again", "role", "of", "amends")
    same = all(getattr(wanted, name) == getattr(noted, name) for name in alike)
    return same and wanted.is_of_study(noted) and wanted.shares_questions(noted)


def _drawn(wanted: Published, note: ReportsNote) -> Published:
    """Return it with its draws and digests."""
    (part,) = note.parts
    columns = tuple(PublishedColumn(question=name, drawing=part.id, digest=root) for name, root in part.roots.items())
    return replace(wanted, rows=part.rows, columns=columns)


def _with_earlier(note: ReportsNote, published: Published, history: tuple[Remembered, ...]) -> ReportsNote:
    """Tell the readers of a release what those before it show of the same people."""
    if published.role is not Role.FIRST:
        return note
    before = []
    for one in history:
        if one.published.id == published.id:
            break
        if published.is_about(one.published):
            before.append(one.published.summary)
    return replace(note, again=published.again, earlier=tuple(before))


def _put(
    place: Destination, note: ReportsNote, keys: Keys, published: Published, memory: Memory, record: Record | None
) -> None:
    noted = memory.noted(published)
    if record is not None:
        record.intend(noted)
    payer = None if memory.ledger is None else Ledger(memory.ledger)
    receipt = None
    if payer is not None:
        try:
            receipt = payer.spend_priced(_price(published, memory, note.study, record), release_id=published.id)
        except (BudgetSpent, KeyReused, ReleasedBefore):
            # Nothing left staging: what was refused was not released, and need not be remembered.
            if record is not None and place.holds(published):
                record.void(noted)
                place.discard(published.part)
            raise
    place.put(note, keys)
    # The record last: while it says that something is unfinished, a rerun settles both.
    if payer is not None and receipt is not None:
        payer.settle(receipt)
    if record is not None:
        record.settle(noted)
    place.discard(published.part)


def _check_affordable(published: Published, memory: Memory, study: Study, rows: int) -> None:
    """Refuse what cannot be paid for before anything is drawn, staged or noted."""
    if memory.ledger is not None:
        book = Ledger(memory.ledger).read()
        # Under keys that were used it is only known once it is drawn whether it is the same, and paid for.
        is_drawn = all(column.digest for column in published.columns)
        is_again = not is_drawn and any(one.part == published.part for one in book.published)
        if not is_again and book.entry_called(published.id) is None:
            book.check_affordable(_price(replace(published, rows=rows), memory, study)(book))


def _price(
    published: Published, memory: Memory, study: Study, record: Record | None = None
) -> Callable[[Book], Release]:
    """Return what says what a part costs, given what the ledger was paid for its publication so far.

    Parts that the record alone knows, because the study had another ledger then or none, are in the publication and
    were not paid for here.
    """
    released = {
        one.published.part: one.published
        for one in memory.history(record)
        if one.released and one.published.publication == published.publication
    }

    def price(book: Book) -> Release:
        paid, bits = book.parts_paid(published.publication)
        known = released | {one.part: one for one in paid}
        known.pop(published.part, None)
        billed = memory.billed(published)
        return release_of_reports(study, published.rows, billed, earlier=known.values(), paid_bits=bits)

    return price
