"""The ledger itself: made, read, and debited for releases that are made by other means."""

from __future__ import annotations

from pathlib import Path

from sfumato.account import Book, Ledger, Per, Release
from sfumato.account.ledger_entries import Receipt
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


def pay_for(
    path: str | Path, release: Release, *, release_id: str | None = None, released: bool = False
) -> tuple[Receipt, Book]:
    """Debit a release that is made by other means; with `released`, note that it was made."""
    ledger = Ledger(path)
    receipt = ledger.spend(release, release_id=release_id)
    if released:
        ledger.settle(receipt)
    return receipt, ledger.read()
