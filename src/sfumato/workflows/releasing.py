"""How a part is released: staged, entered in the registry, paid for, put in place and settled.

Until a part is entered in the registry, a crash has cost nothing. From then on no crash requires new draws: what is
staged is complete, and the same command finishes it, paid for once. The registry is the first to name a part and the
last to note that it is in place, so an unfinished part that is in the ledger is always found.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sfumato.engines.spark import (
    Engine,
    NumberedFrame,
    SparkFrame,
    frame_of_files,
    is_spark_frame,
    number_rows,
    session_of,
)
from sfumato.errors import BudgetSpent, InvalidParameter, KeyReused, ReleasedBefore, SfumatoError
from sfumato.files.formats import check_folder, check_places, check_table_place
from sfumato.files.row_streams import RowStream
from sfumato.files.staging import locked
from sfumato.files.tables import TableLike
from sfumato.keys.protection import Protection
from sfumato.ladders.drawing import new_secret
from sfumato.ledger.accounts import LedgerState
from sfumato.ledger.ledger import Ledger
from sfumato.ledger.releases import Published, PublishedColumn, Release, Role, check_parts
from sfumato.publications.note import PartNote, ReportsNote
from sfumato.publications.part import (
    Keys,
    PartPlan,
    StudyPublication,
    answer_columns,
    is_simulation,
    open_answers,
    shuffled,
    source_or_system,
)
from sfumato.publications.place import Destination, StagedPart
from sfumato.publications.registry import Memory, Record, Remembered
from sfumato.publications.reports import Progress, Reports, check_reports_place
from sfumato.sampling.sources import BitSource, Guarantee, InsecureSeeded
from sfumato.study.file import fingerprint
from sfumato.study.planning import release_of_reports
from sfumato.study.study import Study, seen_by_readers

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
            "is the first part of a publication that neither registry nor ledger remembers",
            parameter="out",
            value=wanted.of[:8],
            way_out="Name the `registry` or the `ledger` that remembers the publication.",
        )
    if wanted.again is not None and not any(wanted.is_about(other) for other in others):
        raise InvalidParameter(
            "names a further release, and none is remembered that came before it",
            parameter="again",
            value=wanted.again,
            way_out="Leave it out, or name the `registry` or the `ledger` that remembers the first.",
        )
    return wanted


def hand_out(made: StudyPublication, wanted: Published, memory: Memory) -> StudyPublication:
    """Release a part into the memory of the caller; the registry knows of it before the caller does."""
    with memory.held() as registry:
        history = memory.history(registry)
        published = check_admissible(_drawn(wanted, made.reports.note), history)
        if registry is not None:
            noted = memory.noted(published)
            registry.intend(noted)
            registry.settle(noted)
    note = _with_earlier(made.reports.note, published, history)
    return replace(made, reports=replace(made.reports, note=note), published=published, registry=memory.registry)


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
            registry = holding.enter_context(memory.held())
            history = memory.history(registry)
            published = check_admissible(_drawn(wanted, note), history)
            _check_affordable(published, memory, place.files.study, published.rows)
            note = _with_earlier(note, published, history)
            staged.complete(note, keys)
        # From here on a complete part stays staged after any error, unless no rerun would look for it.
        try:
            _put(place, note, keys, published, memory, registry)
        except BaseException:
            if not _is_known(published, memory):
                place.discard(published.part)
            raise
    return note, published


def finish(place: Destination, wanted: Published, memory: Memory) -> tuple[Reports, Published] | None:
    """Finish a part of the same that was interrupted, without drawing; None if there is none.

    It is staged at its destination, or in place and not yet settled. If it is neither, it is unknown whether it was
    seen, and only a further release can follow. One that is settled, and only not tidied up, was interrupted as well.
    """
    place.make_ready()
    with locked(place.lock), memory.held() as registry:
        history = memory.history(registry)
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
        _put(mine, note, {}, published, memory, registry)
        return place.made(note), published


def _is_known(published: Published, memory: Memory) -> bool:
    """Whether a rerun would look for a part; true where that is unknown."""
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
    """Add to the note of a release what those before it show of the same people."""
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
    place: Destination, note: ReportsNote, keys: Keys, published: Published, memory: Memory, registry: Record | None
) -> None:
    noted = memory.noted(published)
    if registry is not None:
        registry.intend(noted)
    payer = None if memory.ledger is None else Ledger(memory.ledger)
    receipt = None
    if payer is not None:
        try:
            receipt = payer.spend_priced(_price(published, memory, note.study, registry), release_id=published.id)
        except (BudgetSpent, KeyReused, ReleasedBefore):
            # Nothing left staging: what was refused was not released, and need not be remembered.
            if registry is not None and place.holds(published):
                registry.void(noted)
                place.discard(published.part)
            raise
    place.put(note, keys)
    # The registry last: while it says that something is unfinished, a rerun settles both.
    if payer is not None and receipt is not None:
        payer.settle(receipt)
    if registry is not None:
        registry.settle(noted)
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
    published: Published, memory: Memory, study: Study, registry: Record | None = None
) -> Callable[[LedgerState], Release]:
    """Return what says what a part costs, given what the ledger was paid for its publication so far.

    Parts that the registry alone knows, because the study had another ledger then or none, are in the publication and
    were not paid for here.
    """
    released = {
        one.published.part: one.published
        for one in memory.history(registry)
        if one.released and one.published.publication == published.publication
    }

    def price(book: LedgerState) -> Release:
        paid, bits = book.parts_paid(published.publication)
        known = released | {one.part: one for one in paid}
        known.pop(published.part, None)
        billed = memory.billed(published)
        return release_of_reports(study, published.rows, billed, earlier=known.values(), paid_bits=bits)

    return price


# --- Paying for a release
# The places are checked, the ledger is debited, the release is written, and that is noted. A study names its ledger in
# [budget]; a step may be given another only if the study names none.


def source_of(bits: BitSource | None, insecure_seed: int | None, ledger: Path | None) -> BitSource | None:
    """Return where draws come from; None is the system. Refuses to pay for what anyone can repeat."""
    source = bits if insecure_seed is None else InsecureSeeded(insecure_seed)
    if source is not None and source.guarantee is Guarantee.NONE and ledger is not None:
        raise InvalidParameter(
            "makes a simulation, and a ledger pays for releases only",
            parameter="insecure_seed",
            way_out="Leave out the seed, or the ledger.",
        )
    return source


@contextlib.contextmanager
def paid(ledger: Path | None, release: Release | None, release_id: str | None = None) -> Iterator[None]:
    """Debit the ledger, let the release happen, and note that it did; without a ledger just let it happen.

    If the release fails, the debit stays, because it is unknown how much of it was seen.
    """
    if ledger is None or release is None:
        yield
        return
    book = Ledger(ledger)
    receipt = book.spend(release, release_id=release_id)
    yield
    book.settle(receipt)


def probe(*paths: str | Path | None, parameter: str = "out") -> None:
    """Refuse places that cannot be written to, before anything is drawn or paid for."""
    with _before_paying():
        for path in paths:
            check_places(**{parameter: path})


def probe_table(path: str | Path) -> None:
    """Refuse a place that no table can be written to."""
    with _before_paying():
        check_table_place("out", path)


def probe_reports(path: str | Path) -> None:
    """Refuse a place where reports, their note or their codebook cannot be written."""
    with _before_paying():
        check_reports_place(path)


def probe_folder(folder: str | Path, *, parameter: str = "keys") -> None:
    """Refuse a folder that cannot be made or written to; what is missing of it will be made."""
    with _before_paying():
        check_folder(parameter, folder)


@contextlib.contextmanager
def _before_paying() -> Iterator[None]:
    try:
        yield
    except InvalidParameter as error:
        error.way_out = f"{error.way_out.rstrip('.')}; nothing was debited."
        raise


# --- A request to publish: the study, the table and how it is drawn


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishRequest:
    """What is to be published, and how it is drawn."""

    study: Study
    data: TableLike | SparkFrame
    bits: BitSource | None
    guarantee: Guarantee
    epoch: int
    keep: tuple[str, ...]
    people: str | None
    again: str | None
    id_column: str | None
    shuffle: bool
    progress: Progress | None
    engine: Engine | None = None

    @property
    def is_simulation(self) -> bool:
        """Whether all of it comes from a seed that anyone can repeat."""
        return is_simulation(self.study, self.bits, None)

    def plan(self, part: str, keys: Keys | None = None, before: PartNote | None = None) -> PartPlan:
        """Return what the part is made of; on a cluster everything is drawn by the names of rows."""
        source = source_or_system(self.bits)
        return PartPlan(
            study=self.study,
            part=part,
            source=source,
            secret=new_secret(part, source) if self.is_on_spark else None,
            guarantee=self.guarantee,
            epoch=self.epoch,
            keep=self.keep,
            keys=keys,
            before=before,
        )

    @property
    def is_on_spark(self) -> bool:
        """Whether the rows are Spark's."""
        return self.engine is not None or is_spark_frame(self.data)

    def rows(self) -> RowStream | NumberedFrame:
        """Open the table wherever its rows are."""
        if not self.is_on_spark:
            return self.stream()
        held: Any = self.data
        frame = held if self.engine is None else frame_of_files(held, session_of(self.engine))
        return number_rows(frame, answer_columns(self.study, frame.columns, self.keep, self._ids), by=self.id_column)

    @property
    def _ids(self) -> tuple[str, ...]:
        return () if self.id_column is None else (self.id_column,)

    def stream(self) -> RowStream:
        """Open the table: the columns that are needed, and no others."""
        table: Any = self.data
        stream = open_answers(self.study, table, self.keep, self._ids)
        return shuffled(stream, source_or_system(self.bits)) if self.shuffle else stream
