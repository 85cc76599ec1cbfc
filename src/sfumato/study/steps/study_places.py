"""What a step is given for a study: the study itself or its file, and the ledger that it names."""

from __future__ import annotations

import os
from pathlib import Path

from sfumato.errors import InvalidParameter
from sfumato.study.studies import Study
from sfumato.study.study_files import read_study

RECORD = "releases.json"
"""What the record is called, in the folder of a study."""


def study_of(study: Study | str | Path) -> Study:
    """Read a study, or take it as it is."""
    return study if isinstance(study, Study) else read_study(study)


def ledger_of(study: Study | str | Path | None, ledger: str | Path | None = None) -> Path | None:
    """Return the ledger to debit: the one given, else the one that the study names, else none.

    The name in a study is relative to the study's file, as links in a page are.
    """
    named = None
    if study is not None:
        declared = study_of(study)
        if declared.ledger is not None:
            folder = Path() if isinstance(study, Study) else Path(study).parent
            named = folder / declared.ledger
    given = None if ledger is None else Path(ledger)
    if given is not None and named is not None and given.resolve() != named.resolve():
        raise InvalidParameter(
            f"is not the ledger of the study, {named}",
            parameter="ledger",
            value=str(given),
            way_out="Leave out `ledger`, or change [budget] in the study.",
        )
    return given or named


def record_beside(study: str | Path) -> Path:
    """Return where the record of a study's file stands; beside the file itself, not beside a link to it."""
    file = Path(study)
    return (Path(os.path.realpath(file)) if file.is_symlink() else file).parent / RECORD


def may_be_remembered(path: Path, study: Study) -> bool:
    """Whether there is a place that may know of releases of a study: a ledger, or a record beside its file."""
    return study.ledger is not None or os.path.lexists(record_beside(path))
