"""Paying for a release: the places are checked, the ledger is debited, the release is written, and that is noted.

A study names its ledger in [budget]; a step may be given another only if the study names none.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from sfumato.account import Ledger, Release
from sfumato.bits import BitSource, InsecureSeeded
from sfumato.errors import InvalidParameter
from sfumato.files.places import check_folder, check_places, check_table_place
from sfumato.study.report_files import check_reports_place
from sfumato.values import Guarantee


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

    If the release fails, the debit stays: nobody can know how much of it was seen.
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
