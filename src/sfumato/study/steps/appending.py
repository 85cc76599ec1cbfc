"""New people for a publication in a folder: a further part, under the same seeds or with keys of its own."""

from __future__ import annotations

from dataclasses import replace

from sfumato.account.published import Role
from sfumato.errors import InvalidParameter
from sfumato.refine.keys import Seed
from sfumato.study.key_folders import KeyFolder
from sfumato.study.part_indexes import read_indexes
from sfumato.study.part_notes import new_part_id
from sfumato.study.publishing import Keys, StudyPublication, is_simulation
from sfumato.study.report_files import read_report_files
from sfumato.study.reports import Reports
from sfumato.study.steps.publishing import (
    Protections,
    PublishRequest,
    drawing,
    protections_of,
    securely,
    simulate,
)
from sfumato.study.steps.releasing import finish, intended, release_part
from sfumato.study.steps.remembering import Memory
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
    part = new_part_id(asked.bits)
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
    indexed = asked.id_column is not None
    protections = protections_of(later.files, protection, is_indexed=indexed) if later.files.files or indexed else None
    ids = [one.id for one in reports.note.parts]
    known = read_indexes(place.keys, reports.note.fingerprint, ids, place.unlock) if indexed else {}
    missing = [one for one in reports.note.parts if one.amends is None and one.id not in known]
    if indexed and missing:
        raise InvalidParameter(
            f"needs the index of every part, and part {missing[0].id[:8]} has none in `keys`",
            parameter="id_column",
            way_out="Leave it out: then nobody checks whether people are in already.",
        )
    stream = asked.stream()
    rows = asked.rows(stream)
    draw = drawing(plan, stream, asked, protections, known.values())
    draws = plan.guarantee is Guarantee.INFORMATION_THEORETIC
    if is_simulation(asked.study, asked.bits, seeds):
        simulate(later, draw, part, protections, memory.ledger, rows=rows, draws=draws)
        return StudyPublication(reports=read_report_files(place.out), keys={}, simulated=True)
    memory.check_there()
    checked = securely(draw, memory.ledger)
    _, published = release_part(later, checked, wanted, memory, protections, rows=rows, draws=draws)
    return StudyPublication(reports=read_report_files(place.out), keys={}, published=published, record=memory.record)


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
