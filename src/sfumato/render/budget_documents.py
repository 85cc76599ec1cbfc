"""A ledger for programs: amounts as exact text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sfumato.account import Book, Charges, Entry, Standing
from sfumato.account.amounts import amount_text
from sfumato.account.assumption_documents import correlation_json
from sfumato.study.charging import Forecast
from sfumato.values.correlation import ANYONE

SCHEMA = "sfumato/budget/3"


def budget_document(path: Path, book: Book) -> dict[str, Any]:
    """Return what is spent and left: in all, in the present period, and by the people of each name."""
    within = book.standing_in_period()
    return {
        "schema": SCHEMA,
        "ledger": str(path),
        "correlated": correlation_json(book.counting.correlated or ANYONE),
        **_standing(book.standing),
        "period": None
        if within is None or within.period is None
        else {
            "per": within.period.per.value,
            "name": within.period.name,
            "next_starts": within.period.end,
            **_standing(within),
        },
        "spent_by_people": {name: _amounts(spent) for name, spent in book.spent_by_people().items()},
        "unsettled": sum(entry.settled is None for entry in book.live),
    }


def entry_document(entry: Entry) -> dict[str, Any]:
    """Return a debit."""
    release, receipt, voided = entry.release, entry.receipt, entry.voided
    return {
        "number": receipt.number,
        "id": receipt.release_id,
        "time": receipt.time,
        "period": None if entry.period is None else entry.period.name,
        "title": release.title,
        "kind": release.kind.value,
        "people": release.people,
        "charges": _amounts(entry.charges),
        "correlated": None if release.assumption is None else correlation_json(release.assumption.correlated),
        "as_booked": _amounts(release.charges),
        "rows": list(release.rows),
        "notes": list(release.notes),
        "settled": entry.settled,
        "voided": None if voided is None else {"time": voided.time, "reason": voided.reason},
        "digest": receipt.digest,
        "how_it_adds": release.how_it_adds,
    }


def forecast_document(found: Forecast) -> dict[str, Any]:
    """Return what comes next for a study."""
    return {
        "study": found.study,
        "people": found.people,
        "corrected": found.corrected,
        "first": None if found.first is None else _amounts(found.first),
        "correction": _amounts(found.correction),
        "wave": _amounts(found.wave),
    }


def _standing(standing: Standing) -> dict[str, Any]:
    return {
        "limits": _amounts(standing.limits),
        "spent": _amounts(standing.spent),
        "left": _amounts(standing.left),
    }


def _amounts(charges: Charges) -> dict[str, str]:
    return {currency.value: amount_text(amount) for currency, amount in charges}
