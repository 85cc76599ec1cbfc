"""Planning and publishing a study."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from sfumato.bits import BitSource
from sfumato.errors import InvalidParameter
from sfumato.files.frames import TableLike, as_arrow
from sfumato.files.tables import TABLE_LIMIT_BYTES
from sfumato.refine.key_protection import Protection
from sfumato.study.charging import id_of_reports, release_of_reports
from sfumato.study.key_folders import KeyFolder, Unlocker
from sfumato.study.planning import StudyPlan, plan_study
from sfumato.study.publishing import Keys, Progress, StudyPublication, draw_publication
from sfumato.study.steps.keys import Unlocking, opener_of_found, unlocker_of
from sfumato.study.steps.paying import ledger_of, paid, probe_folder, probe_reports, source_of, study_of
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
) -> StudyPublication:
    """Make public reports and keys from a table with a column of answers for each question.

    With `out` the reports are written there and the key files into the folder `keys`, protected by `protection`; the
    ledger of the study, or `ledger`, is debited before anything is written. A folder that holds the registrar's keys
    of this study makes the same reports again, and refuses changed answers; they are opened by `unlock`, or by what
    `protection` says, and only a passphrase, a private key or the word that they are unprotected will do. Without
    `out` everything stays in memory, which a study with a ledger does not allow: what is not written is not paid for.
    """
    declared, book = study_of(study), ledger_of(study, ledger)
    source = source_of(bits, insecure_seed, book)

    def draw(held: Keys | None = None) -> StudyPublication:
        return draw_publication(
            declared,
            as_arrow(data, limit_bytes=limit_bytes),
            bits=source,
            guarantee=guarantee_of(guarantee),
            epoch=epoch,
            keep=keep,
            keys=held,
            progress=progress,
        )

    if out is None:
        if book is not None:
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
        return draw()
    folder = KeyFolder.of(declared, None if keys is None else Path(keys), epoch)
    _check_out(out, keys if folder.files else None)
    opener = opener_of_found(unlock, protection)
    held = folder.held_keys(opener)
    protections = {} if held else _protections(folder, protection)
    made = draw(held)
    _release(made, out, folder, protections, opener, book)
    return made


def write_publication(
    publication: StudyPublication,
    out: str | Path,
    keys: str | Path | None = None,
    protection: Protections | None = None,
) -> tuple[Path, ...]:
    """Write a publication that was made in memory: the reports to `out`, the key files into the folder `keys`.

    Returns the key files. `protection` has no default, because key files without one open for anyone.
    """
    note = publication.reports.note
    folder = KeyFolder.of(note.study, None if keys is None else Path(keys), note.epoch)
    _check_out(out, keys if folder.files else None)
    if folder.present:
        raise InvalidParameter(
            "holds key files of this study already, and keys that are lost cannot be had again",
            parameter="keys",
            value=str(keys),
            way_out="Choose another folder.",
        )
    _release(publication, out, folder, _protections(folder, protection), unlocker_of(None), ledger_of(note.study))
    return tuple(folder.files)


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


def _release(
    made: StudyPublication,
    out: str | Path,
    folder: KeyFolder,
    protections: Mapping[str, Protection],
    unlock: Unlocker,
    ledger: Path | None,
) -> None:
    note = made.reports.note
    if note.insecure:
        source_of(None, 0, ledger)
    release = None if ledger is None else release_of_reports(note.study, note.rows)
    with paid(ledger, release, id_of_reports(note, made.keys)):
        # Keys before reports: reports whose keys were lost could never be opened, keys alone open nothing.
        folder.write(made.keys, protections, unlock)
        made.reports.write(out)


def _check_out(out: str | Path, keys: str | Path | None) -> None:
    probe_reports(out)
    if keys is not None:
        probe_folder(keys)


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
