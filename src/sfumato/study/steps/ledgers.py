"""The ledger itself: made, read, and debited for releases that are made by other means."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path

from sfumato.account import Book, Ledger, Per, Release, Role
from sfumato.account.amounts import NOTHING
from sfumato.account.ledger_entries import Receipt
from sfumato.errors import SfumatoError
from sfumato.study.charging import MANY, Forecast, forecast
from sfumato.study.steps.remembering import here
from sfumato.study.steps.study_places import study_of
from sfumato.study.studies import Study
from sfumato.study.study_files import fingerprint
from sfumato.values.correlation import Correlation
from sfumato.values.types import Real


def new_ledger(
    path: str | Path,
    *,
    budget_bits: Real | None = None,
    epsilon: Real | None = None,
    leakage_bits: Real | None = None,
    per: Per | str | None = None,
    budget_bits_per_period: Real | None = None,
    epsilon_per_period: Real | None = None,
    leakage_bits_per_period: Real | None = None,
    correlated: Correlation | str | int | None = None,
) -> Book:
    """Make a ledger with a limit in bits, in ε, in leakage, or in several; a file that exists is never overwritten.

    There may be limits in all, and for each calendar month, quarter or year as `per` says. Bits are counted for the
    most people who depend on each other in any release, and with `correlated` for so many at least.
    """
    return Ledger.create(
        path,
        budget_bits=budget_bits,
        epsilon=epsilon,
        leakage_bits=leakage_bits,
        per=per,
        budget_bits_per_period=budget_bits_per_period,
        epsilon_per_period=epsilon_per_period,
        leakage_bits_per_period=leakage_bits_per_period,
        correlated=correlated,
    ).read()


def read_ledger(path: str | Path) -> Book:
    """Return the whole account at one moment."""
    return Ledger(path).read()


def forecasts(path: str | Path, book: Book, study: str | Path | None = None) -> tuple[Forecast, ...]:
    """Say what comes next for a study, or for those that the ledger paid for whose files are where it remembers them.

    A study whose file is gone, or was changed since it was published, is left out unless it is named.
    """
    if study is not None:
        return (_forecast(study_of(study), book),)
    found: dict[str, Forecast] = {}
    for published in book.published:
        file = here(published, Path(path)).file
        if file is not None:
            with contextlib.suppress(SfumatoError, OSError):
                declared = study_of(file)
                if fingerprint(declared) == published.fingerprint:
                    found[file] = _forecast(declared, book)
    return tuple(found.values())


def _forecast(study: Study, book: Book) -> Forecast:
    made = [one for one in book.published if one.fingerprint == fingerprint(study)]
    parts, bits = book.parts_paid(made[-1].publication) if made else ((), NOTHING.bits)
    people = sum(one.rows for one in parts if one.role is not Role.AMEND) or study.population or MANY
    # A collection does not know how many will answer, and pays for as many as it takes to tell everything.
    earlier = [replace(one, rows=one.rows or MANY) for one in parts]
    return forecast(study, people, earlier=earlier, paid_bits=bits)


def pay_for(
    path: str | Path, release: Release, *, release_id: str | None = None, released: bool = False
) -> tuple[Receipt, Book]:
    """Debit a release that is made by other means; with `released`, note that it was made."""
    ledger = Ledger(path)
    receipt = ledger.spend(release, release_id=release_id)
    if released:
        ledger.settle(receipt)
    return receipt, ledger.read()
