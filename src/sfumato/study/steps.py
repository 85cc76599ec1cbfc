"""Each step of a study in one call. Paths, Arrow, pandas and polars tables all will do; so will keys or key files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sfumato.bits import BitSource
from sfumato.errors import InvalidParameter
from sfumato.files.frames import TableLike, as_arrow
from sfumato.io.key_files import read_key
from sfumato.refine import Key
from sfumato.refine.key_protection import Protection, Unlock, Unprotected
from sfumato.study.budgets import ledger_path, paid, release_of_reports
from sfumato.study.estimating import Estimates, estimate_table
from sfumato.study.key_folders import KeyFolder
from sfumato.study.planning import StudyPlan, plan_study
from sfumato.study.publishing import StudyPublication, open_table, publish_table, recover_table
from sfumato.study.reports import Reports
from sfumato.study.studies import Study
from sfumato.study.study_files import read_study
from sfumato.values import Guarantee

Keys = Key | str | Path | Iterable[Key | str | Path]


def plan(study: Study | str | Path) -> StudyPlan:
    """Work a study out: how each question is asked, what each reader sees, what it costs."""
    return plan_study(_study(study))


def publish(
    study: Study | str | Path,
    data: TableLike,
    *,
    bits: BitSource | None = None,
    guarantee: Guarantee = Guarantee.INFORMATION_THEORETIC,
    epoch: int = 0,
    keep: Sequence[str] = (),
    ledger: str | Path | None = None,
) -> StudyPublication:
    """Make public reports and keys from a table with a column of answers for each question.

    They are debited to `ledger`, or to the one that the study names, before they are returned.
    """
    declared = _study(study)
    made = publish_table(declared, as_arrow(data), bits=bits, guarantee=guarantee, epoch=epoch, keep=keep)
    file = None if isinstance(study, Study) else study
    book = ledger or ledger_path(declared, file)
    with paid(book, None if book is None else release_of_reports(declared, made.reports.note.rows)):
        return made


def write_publication(
    publication: StudyPublication,
    out: str | Path,
    keys: str | Path | None = None,
    protection: Protection | Mapping[str, Protection] | None = None,
) -> tuple[Path, ...]:
    """Write the reports to `out` and the key files into the folder `keys`; returns the key files.

    `protection` is for all holders, or by holder; there is no default, because key files without one open for anyone.
    """
    note = publication.reports.note
    folder = KeyFolder.of(note.study, None if keys is None else Path(keys), note.epoch)
    if folder.present:
        raise InvalidParameter(
            f"folder {keys} holds key files of this study already, and keys that are lost cannot be had again. Choose "
            f"another folder."
        )
    if folder.files and protection is None:
        raise InvalidParameter(
            "protection must say how key files are protected: Passphrase(…), PublicKey(…) or Unprotected()."
        )
    by_holder = protection if isinstance(protection, Mapping) else dict.fromkeys(folder.holders, protection)
    missing = [holder for holder in folder.holders if by_holder.get(holder) is None]
    if missing:
        raise InvalidParameter(f"protection says nothing for {missing[0]}. Give one to every holder of a key.")
    written = folder.write(publication.keys, by_holder, lambda _: Unprotected())  # type: ignore[arg-type]
    publication.reports.write(out)
    return written


def open_reports(reports: Reports | str | Path, keys: Keys, *, unlock: Unlock | None = None) -> Reports:
    """Return reports as sharp as the keys allow."""
    return open_table(_reports(reports), _keys(keys, unlock))


def recover_answers(reports: Reports | str | Path, keys: Keys, *, unlock: Unlock | None = None) -> Any:
    """Return the answers as an Arrow table, with the registrar's keys."""
    return recover_table(_reports(reports), _keys(keys, unlock))


def estimate_reports(
    reports: Reports | str | Path,
    *,
    confidence: float = 0.95,
    group: str | None = None,
    questions: Sequence[str] | None = None,
) -> Estimates:
    """Return what reports say about each question."""
    return estimate_table(_reports(reports), confidence=confidence, group=group, questions=questions)


def _study(study: Study | str | Path) -> Study:
    return study if isinstance(study, Study) else read_study(study)


def _reports(reports: Reports | str | Path) -> Reports:
    return reports if isinstance(reports, Reports) else Reports.read(reports)


def _keys(keys: Keys, unlock: Unlock | None) -> list[Key]:
    several = [keys] if isinstance(keys, Key | str | Path) else list(keys)
    return [key if isinstance(key, Key) else read_key(key, unlock or Unprotected()) for key in several]
