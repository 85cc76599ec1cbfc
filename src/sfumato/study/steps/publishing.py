"""Publishing the first part of a publication: in memory, to a file, or into a folder."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from sfumato.engines.spark import (
    NumberedFrame,
)
from sfumato.errors import InvalidParameter, KeyReused, SfumatoError
from sfumato.files.row_streams import RowStream
from sfumato.refine.key_protection import Protection
from sfumato.refine.people_indexes import PeopleIndex
from sfumato.study.audience import REGISTRAR
from sfumato.study.key_folders import KeyFolder, Unlocker
from sfumato.study.notes import ReportsNote
from sfumato.study.part_indexes import IndexBuilder, index_path, write_index
from sfumato.study.part_notes import PartNote, new_part_id
from sfumato.study.part_plans import PartPlan
from sfumato.study.part_sinks import Keys, MemorySink
from sfumato.study.publishing import StudyPublication, draw_part, is_simulation
from sfumato.study.steps.paying import probe_folder, probe_reports, source_of
from sfumato.study.steps.releasing import check_admissible, finish, hand_out, intended, release_part
from sfumato.study.steps.remembering import Memory
from sfumato.study.steps.requests import PublishRequest
from sfumato.study.steps.spark_parts import check_on_spark, draw_on_spark
from sfumato.study.steps.staged_parts import StagedPart
from sfumato.study.steps.staging import Destination, is_folder_place
from sfumato.study.studies import Study
from sfumato.study.study_files import fingerprint
from sfumato.values import Guarantee

Protections = Protection | Mapping[str, Protection] | Callable[[tuple[str, ...]], Mapping[str, Protection]]
"""For all holders, by holder, or what is asked for the holders once new keys are needed."""


def publish_in_memory(asked: PublishRequest, memory: Memory) -> StudyPublication:
    """Draw a part that stays in memory; the record knows of it before the caller does."""
    part = new_part_id(asked.bits)
    wanted = intended(asked.study, asked.epoch, memory, part, people=asked.people, again=asked.again)
    if not asked.is_simulation:
        memory.check_there()
        check_admissible(wanted, memory.history())
    sink = MemorySink()
    note, keys = draw_part(asked.plan(part), asked.stream(), sink, asked.progress)
    made = StudyPublication(reports=sink.reports(note), keys=sink.keys(keys), simulated=asked.is_simulation)
    return made if asked.is_simulation else hand_out(made, wanted, memory)


def publish_to(
    asked: PublishRequest, place: Destination, memory: Memory, protection: Protections | None
) -> StudyPublication:
    """Draw the first part of a publication into files, or finish one that was interrupted."""
    held = None
    if not asked.is_simulation:
        memory.check_there()
        wanted = intended(asked.study, asked.epoch, memory, new_part_id(None), people=asked.people, again=asked.again)
        finished = finish(place, wanted, memory)
        if finished is not None:
            return StudyPublication(
                reports=finished[0], keys={}, published=finished[1], resumed=True, record=memory.record
            )
    held = place.files.held_keys(place.unlock)
    if asked.is_on_spark:
        check_on_spark(asked.guarantee, held, is_shuffled=asked.shuffle, is_folder=place.is_folder)
    part = new_part_id(asked.bits) if held is None else next(iter(next(iter(held.values())).values())).drawing
    plan = asked.plan(part, held, _made_before(place, part, held))
    protections = None if held else protections_of(place.files, protection, is_indexed=asked.id_column is not None)
    stream = asked.rows()
    rows = stream.count()  # key files must know before the first draw
    draw = drawing(plan, stream, asked, protections)
    draws = plan.guarantee is Guarantee.INFORMATION_THEORETIC
    if is_simulation(asked.study, asked.bits, held):
        note = simulate(place, draw, part, protections, memory.ledger, rows=rows, draws=draws)
        return StudyPublication(reports=place.made(note), keys={}, simulated=True)
    memory.check_there()
    wanted = intended(asked.study, asked.epoch, memory, part, people=asked.people, again=asked.again)
    if held is None:
        check_admissible(wanted, memory.history())
        _check_new_folder(place)
    note, published = release_part(
        place, securely(draw, memory.ledger), wanted, memory, protections, rows=rows, draws=draws
    )
    return StudyPublication(reports=place.made(note), keys={}, published=published, record=memory.record)


def drawing(
    plan: PartPlan,
    stream: RowStream | NumberedFrame,
    asked: PublishRequest,
    protections: Mapping[str, Protection] | None,
    known: Callable[[], Iterable[PeopleIndex]] = tuple,
) -> Callable[[StagedPart], tuple[ReportsNote, Keys]]:
    """Return what draws a part into its files, and writes the index of its people where there is a column of ids."""

    def draw(staged: StagedPart) -> tuple[ReportsNote, Keys]:
        # Asked now, when this is the only process that adds to the publication.
        others = known()
        index = None if asked.id_column is None else IndexBuilder(asked.id_column, others)
        staged.kept = plan.keep
        if isinstance(stream, NumberedFrame):
            note, keys = draw_on_spark(plan, stream, staged, asked.progress, index)
        else:
            note, keys = draw_part(plan, stream, staged, asked.progress, index)
        if index is not None and staged.keys is not None and protections is not None:
            found = index.finished(fingerprint(plan.study), plan.part)
            write_index(found, index_path(staged.keys, plan.part), protections[REGISTRAR])
        return note, keys

    return draw


def simulate(
    place: Destination,
    draw: Callable[[StagedPart], tuple[ReportsNote, Keys]],
    part: str,
    protections: Mapping[str, Protection] | None,
    ledger: Path | None,
    *,
    rows: int,
    draws: bool,
) -> ReportsNote:
    """Write what is no release: nothing remembers it, and no ledger pays for it."""
    source_of(None, 0, ledger)
    place.make_ready()
    with place.staged(part, protections, rows, draws=draws) as staged:
        note, keys = draw(staged)
        staged.complete(note, keys)
        place.put(note, keys)
    place.discard(part)
    return note


def write_made(
    publication: StudyPublication, place: Destination, memory: Memory, protections: Mapping[str, Protection]
) -> None:
    """Write a part that was drawn in memory."""
    note = publication.reports.note

    def draw(staged: StagedPart) -> tuple[ReportsNote, Keys]:
        staged.kept = publication.reports.kept
        for chunk in publication.reports.chunks(list(note.columns), publication.reports.kept):
            staged.write(chunk.table)
        return note, publication.keys

    (part,) = note.parts
    if publication.simulated:
        simulate(place, draw, part.id, protections, memory.ledger, rows=part.rows, draws=False)
        return
    wanted = publication.published or intended(note.study, note.epoch, memory, part.id)
    release_part(place, draw, wanted, memory, protections, rows=part.rows)


def destination(
    study: Study, out: str | Path, keys: str | Path | None, epoch: int, unlock: Unlocker, *, is_indexed: bool = False
) -> Destination:
    """Say where a publication goes, and refuse places that cannot be written to."""
    files = KeyFolder.of(study, None if keys is None else Path(keys), epoch)
    if is_folder_place(Path(out)):
        probe_folder(out, parameter="out")
    else:
        probe_reports(out)
    if is_indexed and keys is None:
        raise InvalidParameter(
            "needs a folder for the index of people", parameter="id_column", way_out="Say which one: give `keys`."
        )
    if (files.files or is_indexed) and keys is not None:
        probe_folder(keys)
    folder = Path(keys) if (files.files or is_indexed) and keys else None
    return Destination(out=Path(out), keys=folder, files=files, unlock=unlock)


def check_secure(note: ReportsNote, ledger: Path | None) -> None:
    """Refuse to pay for what anyone can repeat."""
    if note.insecure:
        source_of(None, 0, ledger)


def protections_of(
    files: KeyFolder, protection: Protections | None, *, is_indexed: bool = False
) -> Mapping[str, Protection]:
    """Return how the files of each holder are protected; the registrar's also where there is an index."""
    holders = tuple(dict.fromkeys((*files.holders, *([REGISTRAR] if is_indexed else []))))
    if not holders:
        return {}
    if protection is None:
        raise InvalidParameter(
            "must say how key files are protected",
            parameter="protection",
            way_out="Use Passphrase(…), PublicKey(…), PrivateKey(…) or Unprotected().",
        )
    if isinstance(protection, Mapping):
        by_holder = protection
    elif callable(protection):
        by_holder = protection(holders)
    else:
        by_holder = dict.fromkeys(holders, protection)
    missing = [holder for holder in holders if by_holder.get(holder) is None]
    if missing:
        raise InvalidParameter(
            f"says nothing for {missing[0]}", parameter="protection", way_out="Give one to every holder of a key."
        )
    return by_holder


def securely(
    draw: Callable[[StagedPart], tuple[ReportsNote, Keys]], ledger: Path | None
) -> Callable[[StagedPart], tuple[ReportsNote, Keys]]:
    """Draw, and refuse to go on to pay for what anyone can repeat."""

    def checked(staged: StagedPart) -> tuple[ReportsNote, Keys]:
        note, keys = draw(staged)
        check_secure(note, ledger)
        return note, keys

    return checked


def _made_before(place: Destination, part: str, held: Keys | None) -> PartNote | None:
    """Return the note of a part that keys made before: without its salts it could not be told from another.

    A copy of the keys need not know that they were used; the reports at `out` do.
    """
    if held is None:
        return None
    try:
        return place.read().note.part(part)
    except (SfumatoError, StopIteration):
        if not any(key.produced is not None for by_level in held.values() for key in by_level.values()):
            return None
        raise KeyReused(
            "these keys have made reports already, and `out` does not hold them, so nobody can tell whether the same "
            "answers are published again; under the same draws, the difference of two reports is the difference of the "
            "answers",
            way_out="Use the reports that were made, give the `out` of then, or choose another folder for new keys.",
        ) from None


def _check_new_folder(place: Destination) -> None:
    if place.is_folder and place.holds_parts:
        raise InvalidParameter(
            "holds a publication already",
            parameter="out",
            value=str(place.out),
            way_out="Add new people to it with `append`, or choose another folder.",
        )
