"""Planning and publishing a study."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from sfumato.account.published import checked_name
from sfumato.bits import BitSource
from sfumato.errors import InvalidParameter
from sfumato.files.frames import TableLike, as_arrow
from sfumato.files.tables import TABLE_LIMIT_BYTES
from sfumato.refine.key_protection import Protection
from sfumato.study.key_folders import KeyFolder, Unlocker
from sfumato.study.planning import StudyPlan, plan_study
from sfumato.study.publishing import Keys, Progress, StudyPublication, draw_publication, is_simulation
from sfumato.study.steps.keys import Unlocking, opener_of_found, unlocker_of
from sfumato.study.steps.paying import ledger_of, probe_folder, probe_reports, source_of, study_of
from sfumato.study.steps.releasing import check_admissible, finish, hand_out, intended, release_to
from sfumato.study.steps.remembering import memory_of
from sfumato.study.steps.staging import Destination
from sfumato.study.studies import Study
from sfumato.values import Guarantee

Protections = Protection | Mapping[str, Protection] | Callable[[tuple[str, ...]], Mapping[str, Protection]]
"""For all holders, by holder, or what is asked for the holders once new keys are needed."""


def plan(study: Study | str | Path) -> StudyPlan:
    """Work a study out: how each question is asked, what each reader sees, what it costs."""
    return plan_study(study_of(study))


def publish(
    study: Study | str | Path,
    data: TableLike,
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
    limit_bytes: int = TABLE_LIMIT_BYTES,
    progress: Progress | None = None,
    record: str | Path | None = None,
    again: str | None = None,
    people: str | None = None,
) -> StudyPublication:
    """Make public reports and keys from a table with a column of answers for each question.

    With `out` the reports are written there and the key files into the folder `keys`, protected by `protection`; the
    ledger of the study, or `ledger`, is debited before anything is written. A folder that holds the registrar's keys
    of this study makes the same reports again, and refuses changed answers; they are opened by `unlock`, or by what
    `protection` says, and only a passphrase, a private key or the word that they are unprotected will do. Without
    `out` everything stays in memory, which a study with a ledger does not allow: what is not written is not paid for.

    Every release is remembered in a record, `releases.json` beside the study's file unless `record` names another, and
    in the ledger; a study that is no file needs one of the two. The same study or file in the same epoch is about the
    same people, unless `people` declares that they are others. They are released about once: a further release is
    named by `again`, paid for, and added up in what readers see. A publication that was interrupted is finished as it
    was drawn then. Simulations, with `insecure_seed`, are no releases.
    """
    declared, payer = study_of(study), ledger_of(study, ledger)
    source = source_of(bits, insecure_seed, payer)
    memory = memory_of(study, record, payer)
    wanted = intended(
        declared, epoch, memory, people=checked_name("people", people), again=checked_name("again", again)
    )

    def draw(held: Keys | None = None) -> StudyPublication:
        return draw_publication(
            declared,
            as_arrow(data, limit_bytes=limit_bytes, columns={*keep, *(one.id for one in declared.questions)}),
            bits=source,
            guarantee=guarantee_of(guarantee),
            epoch=epoch,
            keep=keep,
            keys=held,
            progress=progress,
        )

    if out is None:
        if payer is not None:
            raise InvalidParameter(
                "must say where the reports are written: this study pays a ledger, and a release is paid for when it "
                "is written",
                parameter="out",
                way_out="Give `out`, or publish a study without a ledger.",
            )
        if keys is not None:
            raise InvalidParameter(
                "is for key files, which are written with the reports", parameter="keys", way_out="Give `out` too."
            )
        if is_simulation(declared, source, None):
            return draw()
        memory.check_there()
        check_admissible(wanted, memory.history())
        return hand_out(draw(), wanted, memory)
    place = _destination(declared, out, keys, epoch, opener_of_found(unlock, protection))
    if not is_simulation(declared, source, None):
        memory.check_there()
        finished = finish(place, wanted, memory, limit_bytes)
        if finished is not None:
            return finished
    held = place.folder.held_keys(place.unlock)
    if is_simulation(declared, source, held):
        return _simulate(draw(held), place, {} if held else _protections(place.folder, protection), payer)
    memory.check_there()
    if held is None:
        check_admissible(wanted, memory.history())
    protections = {} if held else _protections(place.folder, protection)
    made = draw(held)
    _check_secure(made, payer)
    return release_to(place, made, wanted, memory, protections)


def write_publication(
    publication: StudyPublication,
    out: str | Path,
    keys: str | Path | None = None,
    protection: Protections | None = None,
    *,
    record: str | Path | None = None,
) -> tuple[Path, ...]:
    """Write a publication that was made in memory: the reports to `out`, the key files into the folder `keys`.

    Returns the key files. `protection` has no default, because key files without one open for anyone. The record that
    remembers the publication is the one that knew it first, unless `record` names another.
    """
    note = publication.reports.note
    place = _destination(note.study, out, keys, note.epoch, unlocker_of(None))
    if place.folder.present:
        raise InvalidParameter(
            "holds key files of this study already, and keys that are lost cannot be had again",
            parameter="keys",
            value=str(keys),
            way_out="Choose another folder.",
        )
    payer, protections = ledger_of(note.study), _protections(place.folder, protection)
    if publication.simulated:
        _simulate(publication, place, protections, payer)
        return tuple(place.folder.files)
    _check_secure(publication, payer)
    memory = memory_of(note.study, publication.record if record is None else record, payer)
    memory.check_there()
    wanted = intended(note.study, note.epoch, memory, people=None, again=None)
    release_to(place, publication, wanted, memory, protections)
    return tuple(place.folder.files)


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


def _destination(study: Study, out: str | Path, keys: str | Path | None, epoch: int, unlock: Unlocker) -> Destination:
    """Say where a publication goes, and refuse places that cannot be written to."""
    folder = KeyFolder.of(study, None if keys is None else Path(keys), epoch)
    probe_reports(out)
    if folder.files and keys is not None:
        probe_folder(keys)
    return Destination(out=Path(out), keys=Path(keys) if folder.files and keys else None, folder=folder, unlock=unlock)


def _simulate(
    made: StudyPublication, place: Destination, protections: Mapping[str, Protection], ledger: Path | None
) -> StudyPublication:
    """Write what is no release: nothing remembers it, and no ledger pays for it."""
    _check_secure(made, ledger)
    place.folder.write(made.keys, protections, place.unlock)
    made.reports.write(place.out)
    return made


def _check_secure(made: StudyPublication, ledger: Path | None) -> None:
    if made.reports.note.insecure:
        source_of(None, 0, ledger)


def _protections(folder: KeyFolder, protection: Protections | None) -> Mapping[str, Protection]:
    if not folder.files:
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
        by_holder = protection(folder.holders)
    else:
        by_holder = dict.fromkeys(folder.holders, protection)
    missing = [holder for holder in folder.holders if by_holder.get(holder) is None]
    if missing:
        raise InvalidParameter(
            f"says nothing for {missing[0]}", parameter="protection", way_out="Give one to every holder of a key."
        )
    return by_holder
