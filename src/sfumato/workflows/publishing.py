"""Publishing the first part of a publication, and appending parts of new people."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from sfumato.engines.spark import Engine, NumberedFrame, SparkFrame
from sfumato.errors import InvalidParameter, KeyReused, SfumatoError
from sfumato.files.row_streams import RowStream
from sfumato.files.staging import new_folders
from sfumato.files.tables import TableLike
from sfumato.keys.protection import Protection
from sfumato.keys.sealed_files import PeopleIndex
from sfumato.ladders.keys import Seed
from sfumato.ledger.releases import Role, checked_name
from sfumato.publications.key_folder import (
    SHORT,
    IndexBuilder,
    KeyFolder,
    Unlocker,
    index_path,
    read_indexes,
    write_index,
)
from sfumato.publications.note import PartNote, ReportsNote, new_part_id
from sfumato.publications.part import Keys, MemorySink, PartPlan, StudyPublication, draw_part, is_simulation
from sfumato.publications.place import Destination, StagedPart, is_folder_place
from sfumato.publications.registry import Memory, ledger_of, memory_of, study_of
from sfumato.publications.reports import Progress, Reports, read_report_files
from sfumato.publications.spark_writing import check_on_spark, draw_on_spark
from sfumato.sampling.sources import BitSource, Guarantee
from sfumato.study.file import fingerprint
from sfumato.study.readers import REGISTRAR
from sfumato.study.study import Study
from sfumato.workflows.key_files import Unlocking, opener_of_found, unlocker_of
from sfumato.workflows.releasing import (
    PublishRequest,
    check_admissible,
    finish,
    hand_out,
    intended,
    probe_folder,
    probe_reports,
    release_part,
    source_of,
)

# --- Publishing the first part: in memory, to a file, or into a folder


Protections = Protection | Mapping[str, Protection] | Callable[[tuple[str, ...]], Mapping[str, Protection]]
"""For all holders, by holder, or what is asked for the holders once new keys are needed."""


def publish_in_memory(asked: PublishRequest, memory: Memory) -> StudyPublication:
    """Draw a part that stays in memory; the registry knows of it before the caller does."""
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
                reports=finished[0], keys={}, published=finished[1], resumed=True, registry=memory.registry
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
    return StudyPublication(reports=place.made(note), keys={}, published=published, registry=memory.registry)


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
    """Return the note of a part that keys made before: without its salts it could not be distinguished from another.

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


# --- Appending new people to a publication in a folder
# They become a further part, under the same seeds or with keys of its own.


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
                reports=finished[0], keys={}, published=finished[1], resumed=True, registry=memory.registry
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
    return StudyPublication(
        reports=read_report_files(place.out), keys={}, published=published, registry=memory.registry
    )


def _people_of(place: Destination, *, indexed: bool) -> Callable[[], Iterable[PeopleIndex]]:
    """Return a function that finds who is in already; it is called again under the lock of the publication."""

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
    """Refuse to add people without an index where all others have one."""
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
    whole = [handler.question.id for handler in asked.study.handlers if not handler.by_row]
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


def publish(
    study: Study | str | Path,
    data: TableLike | SparkFrame,
    *,
    out: str | Path | None = None,
    keys: str | Path | None = None,
    protection: Protections | None = None,
    unlock: Unlocking = None,
    keep: Sequence[str] = (),
    epoch: int = 0,
    guarantee: Guarantee | str = Guarantee.INFORMATION_THEORETIC,
    ledger: str | Path | None = None,
    bits: BitSource | None = None,
    insecure_seed: int | None = None,
    progress: Progress | None = None,
    registry: str | Path | None = None,
    again: str | None = None,
    people: str | None = None,
    id_column: str | None = None,
    shuffle: bool = False,
    append: bool = False,
    engine: Engine | None = None,
) -> StudyPublication:
    """Make public reports and keys from a table with a column of answers for each question.

    With `out` the reports are written there, to a file or as a part of a folder, and the key files into the folder
    `keys`, protected by `protection`; the ledger of the study, or `ledger`, is debited before anything is seen. Rows
    are read, drawn and written chunk by chunk. A folder that holds the registrar's keys of this study makes the same
    reports again, and refuses changed answers; they are opened by `unlock`, or by what `protection` says, and only a
    passphrase, a private key or the word that they are unprotected will do. Without `out` everything stays in memory,
    which a study with a ledger does not allow: what is not written is not paid for.

    Every release is remembered in a registry, `releases.json` beside the study's file unless `registry` names another,
    and in the ledger; a study that is no file needs one of the two. The same study or file in the same epoch is about
    the same people, unless `people` declares that they are others. They are released about once: a further release is
    named by `again`, paid for, and added up in what readers see. A publication that was interrupted is finished as it
    was drawn then. Simulations, with `insecure_seed`, are no releases.

    With `append` the table holds new people, who become a further part of the publication in the folder `out`. With
    `id_column` the registrar gets a sealed index from person to row, beside the keys; no one may be in twice. `shuffle`
    puts the rows in an order of chance.

    The rows of a table of Spark stay on its executors, which write the part into the folder `out`; with `engine` spark,
    Spark reads the files of answers as well.

    Returns:
        The reports and the keys by question and level.

    Raises:
        InvalidParameter: an answer is none of the question, or a parameter does not fit.
        UnreadableFile: a file is damaged, of another kind, or not there.
        BudgetSpent: the ledger has not enough left.
        ReleasedBefore: the same people were released about already.
        KeyReused: the folder of keys belongs to other answers.
        KeyRefused: the registrar's keys do not open.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> study = sf.Study(name="Rest", questions=(sf.YesNo(id="tired", text="Tired?", epsilon=Fraction(1)),))
    >>> made = sf.publish(study, {"tired": ["no", "yes"] * 50}, insecure_seed=7)  # to try it; else without
    >>> made.reports
    <Reports on 'Rest': 100 rows; tired at its only level>
    """
    declared, payer = study_of(study), ledger_of(study, ledger)
    asked = PublishRequest(
        study=declared,
        data=data,
        bits=source_of(bits, insecure_seed, payer),
        guarantee=guarantee_of(guarantee),
        epoch=epoch,
        keep=tuple(keep),
        people=checked_name("people", people),
        again=checked_name("again", again),
        id_column=id_column,
        shuffle=shuffle,
        progress=progress,
        engine=engine,
    )
    memory = memory_of(study, registry, payer)
    if out is None:
        if payer is not None:
            raise InvalidParameter(
                "must say where the reports are written: this study pays a ledger, and a release is paid for when it "
                "is written",
                parameter="out",
                way_out="Give `out`, or publish a study without a ledger.",
            )
        for name, given in (("keys", keys is not None), ("append", append), ("id_column", id_column is not None)):
            if given:
                raise InvalidParameter(
                    "is for files, which are written with the reports", parameter=name, way_out="Give `out` too."
                )
        if asked.is_on_spark:
            raise InvalidParameter(
                "must say in which folder the executors write the part: its rows are not held here",
                parameter="out",
                way_out="Give `out`, a folder that all machines of the cluster see.",
            )
        return publish_in_memory(asked, memory)
    opener = opener_of_found(unlock, protection)
    place = destination(declared, out, keys, epoch, opener, is_indexed=id_column is not None)
    with new_folders(place.out, place.keys):
        return (append_part if append else publish_to)(asked, place, memory, protection)


def write_publication(
    publication: StudyPublication,
    out: str | Path,
    keys: str | Path | None = None,
    protection: Protections | None = None,
    *,
    registry: str | Path | None = None,
) -> tuple[Path, ...]:
    """Write a publication that was made in memory: the reports to `out`, the key files into the folder `keys`.

    Returns the key files. `protection` has no default, because key files without one open for anyone. The registry that
    remembers the publication is the one that knew it first, unless `registry` names another.

    Returns:
        The files that were written.

    Raises:
        InvalidParameter: a folder for keys is missing, or their protection.

    >>> import pathlib, tempfile
    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> study = sf.Study(name="Rest", questions=(sf.YesNo(id="tired", text="Tired?", epsilon=Fraction(1)),))
    >>> made = sf.publish(study, {"tired": ["no", "yes"] * 50}, insecure_seed=7)
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "reports.parquet"
    >>> sf.workflows.write_publication(made, path)  # no keys, for everybody sees the same
    ()
    >>> len(sf.Reports.read(path))
    100
    """
    note = publication.reports.note
    place = destination(note.study, out, keys, note.epoch, unlocker_of(None))
    if place.files.present:
        raise InvalidParameter(
            "holds key files of this study already, and keys that are lost cannot be had again",
            parameter="keys",
            value=str(keys),
            way_out="Choose another folder.",
        )
    payer, protections = ledger_of(note.study), protections_of(place.files, protection)
    memory = memory_of(note.study, publication.registry if registry is None else registry, payer)
    if not publication.simulated:
        check_secure(note, payer)
        memory.check_there()
    with new_folders(place.out, place.keys):
        write_made(publication, place, memory, protections)
    return tuple(place.files.files)


def guarantee_of(text: Guarantee | str) -> Guarantee:
    """Read a guarantee by its name: information-theoretic for true draws, computational for a seed."""
    offered = {
        "information-theoretic": Guarantee.INFORMATION_THEORETIC,
        "computational": Guarantee.COMPUTATIONAL,
    }
    if isinstance(text, Guarantee) and text in offered.values():
        return text
    found = offered.get(str(text).replace("_", "-"))
    if found is None:
        raise InvalidParameter(
            "is not offered", parameter="guarantee", value=str(text), way_out=f"Choose one of {', '.join(offered)}."
        )
    return found
