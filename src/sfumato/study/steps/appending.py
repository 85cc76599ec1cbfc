"""New people for a publication in a folder: a further part, under the same seeds or with keys of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from sfumato.account.published import Role
from sfumato.bits import BitSource
from sfumato.errors import InvalidParameter
from sfumato.refine.keys import Seed
from sfumato.refine.people_indexes import PeopleIndex
from sfumato.study.key_folders import SHORT, KeyFolder
from sfumato.study.part_indexes import index_path, read_indexes
from sfumato.study.part_notes import new_part_id
from sfumato.study.part_sinks import Keys
from sfumato.study.publishing import StudyPublication, is_simulation
from sfumato.study.report_files import read_report_files
from sfumato.study.reports import Reports
from sfumato.study.steps.publishing import (
    Protections,
    drawing,
    protections_of,
    securely,
    simulate,
)
from sfumato.study.steps.releasing import finish, intended, release_part
from sfumato.study.steps.remembering import Memory
from sfumato.study.steps.requests import PublishRequest
from sfumato.study.steps.spark_parts import check_on_spark
from sfumato.study.steps.staging import Destination
from sfumato.study.studies import Study
from sfumato.study.study_files import fingerprint
from sfumato.values import Guarantee


def append_part(
    asked: PublishRequest, place: Destination, memory: Memory, protection: Protections | None
) -> StudyPublication:
    """Draw new people into a further part; who is in already is refused where an index says so."""
    reports = publication_at(place, asked.study, asked.epoch)
    _check_can_grow(reports, asked)
    first = reports.note.publication
    if asked.again is not None:
        raise InvalidParameter(
            "is for a further release about the same people, and new people are appended",
            parameter="again",
            way_out="Leave it out.",
        )
    part = later_part_id(reports, asked.bits)
    wanted = intended(asked.study, asked.epoch, memory, part, people=asked.people, role=Role.APPEND, of=first)
    if not asked.is_simulation:
        memory.check_there()
        finished = finish(place, wanted, memory)
        if finished is not None:
            return StudyPublication(
                reports=finished[0], keys={}, published=finished[1], resumed=True, record=memory.record
            )
    seeds = series_keys(place)
    is_new = seeds is None
    later = replace(place, files=KeyFolder.of(asked.study, place.keys, asked.epoch, later=part))
    if not is_new:
        later = replace(later, files=replace(later.files, files={}))
    plan = replace(
        asked.plan(part, seeds),
        publication=first,
        series=None if seeds is None else next(iter(next(iter(seeds.values())).values())).drawing,
    )
    if not is_new:
        plan = replace(plan, guarantee=Guarantee.COMPUTATIONAL)
    if asked.is_on_spark:
        check_on_spark(plan.guarantee, seeds, is_shuffled=asked.shuffle, is_folder=place.is_folder)
    indexed = asked.id_column is not None
    protections = protections_of(later.files, protection, is_indexed=indexed) if later.files.files or indexed else None
    known = _people_of(place, indexed=indexed)
    known()
    stream = asked.rows()
    rows = stream.count()
    draw = drawing(plan, stream, asked, protections, known)
    draws = plan.guarantee is Guarantee.INFORMATION_THEORETIC
    if is_simulation(asked.study, asked.bits, seeds):
        simulate(later, draw, part, protections, memory.ledger, rows=rows, draws=draws)
        return StudyPublication(reports=read_report_files(place.out), keys={}, simulated=True)
    memory.check_there()
    checked = securely(draw, memory.ledger)
    _, published = release_part(later, checked, wanted, memory, protections, rows=rows, draws=draws)
    return StudyPublication(reports=read_report_files(place.out), keys={}, published=published, record=memory.record)


def _people_of(place: Destination, *, indexed: bool) -> Callable[[], Iterable[PeopleIndex]]:
    """Return what finds who is in already; it is asked again when nobody else can add to the publication."""

    def known() -> Iterable[PeopleIndex]:
        note = read_report_files(place.out).note
        parts = [one.id for one in note.parts if one.amends is None]
        if not indexed:
            _check_not_indexed(place, parts)
            return ()
        found = read_indexes(place.keys, note.fingerprint, parts, place.unlock)
        missing = [part for part in parts if part not in found]
        if missing:
            raise InvalidParameter(
                f"needs the index of every part, and part {missing[0][:SHORT]} has none in `keys`",
                parameter="id_column",
                way_out="Leave it out: then nobody checks whether people are in already.",
            )
        return found.values()

    return known


def _check_not_indexed(place: Destination, parts: Iterable[str]) -> None:
    """Refuse to add people whom nobody could find where all others can be found."""
    if place.keys is not None and all(index_path(place.keys, part).exists() for part in parts):
        raise InvalidParameter(
            "must name the column of ids: this publication has an index of its people, and new ones would not be in it",
            parameter="id_column",
            way_out="Name the column, so that nobody gets in twice.",
        )


def later_part_id(reports: Reports, source: BitSource | None) -> str:
    """Return the id of a further part; a seed that made a part here already would make the same one again."""
    part = new_part_id(source)
    if any(part == one.id for one in reports.note.parts):
        raise InvalidParameter(
            "made a part of this publication already, and makes the same draws again",
            parameter="insecure_seed",
            way_out="Give another seed to each part.",
        )
    return part


def publication_at(place: Destination, study: Study, epoch: int) -> Reports:
    """Return the publication in a folder, of this study and epoch."""
    if not place.is_folder or not place.holds_parts:
        raise InvalidParameter(
            "must be the folder of a publication",
            parameter="out",
            value=str(place.out),
            way_out="Publish into a folder; `sfumato combine` makes one of files.",
        )
    reports = read_report_files(place.out)
    if reports.note.fingerprint != fingerprint(study) or reports.note.epoch != epoch:
        raise InvalidParameter(
            "holds a publication of another study or epoch", parameter="out", value=str(place.out), way_out="Choose it."
        )
    return reports


def _check_can_grow(reports: Reports, asked: PublishRequest) -> None:
    whole = [way.question.id for way in asked.study.ways if not way.by_row]
    if whole:
        raise InvalidParameter(
            f"cannot grow: question {whole[0]!r} is asked of all people together, in rounds",
            parameter="out",
            way_out="Publish new people on their own, as other `people`.",
        )
    if set(reports.kept) != set(asked.keep):
        raise InvalidParameter(
            f"must name the columns that the publication keeps: {', '.join(reports.kept) or 'none'}",
            parameter="keep",
            way_out="Keep the same.",
        )


def series_keys(place: Destination) -> Keys | None:
    """Return the registrar's seeds, which open later parts as well; None where new key files are needed."""
    if not place.files.registrars or not all(path.exists() for path in place.files.registrars):
        return None
    held = place.files.held_keys(place.unlock)
    if held is None or not all(isinstance(key.material, Seed) for by in held.values() for key in by.values()):
        return None
    return {
        name: {level: replace(key, produced=None) for level, key in by_level.items()} for name, by_level in held.items()
    }
