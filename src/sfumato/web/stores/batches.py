"""Batches: which reports are in the views of readers. Both databases run these statements.

A report gets the number of a batch when it is kept. Batches up to the number `shown` in the state are in every view.
The one after it is held back, and the one after that is being filled. The held-back batch is shown when both have
`tally_reports` reports; reports that were withdrawn do not count, and new ones go into the held-back batch first.
So each change of the views adds at least `tally_reports` reports that were in none before.

A withdrawn report that no view has is deleted at once. One that is in the views stays there, listed in the table
`leaving`, and is deleted when the next batch is shown or the wave is closed. Proofs: docs/theory/collection.md
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sfumato.web.stores.base import Closing, State

Run = Callable[..., Any]
# All numbers in the statements are integers of ours, so that both databases read the same text.
_KEPT = "NOT EXISTS (SELECT 1 FROM leaving WHERE leaving.wave = reports.wave AND leaving.id = reports.id)"
_LEAVING = "(wave, id) IN (SELECT wave, id FROM leaving)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """Reports by the value of a column; `mark` is the placeholder of the database."""

    column: str
    value: bytes = field(repr=False)
    mark: str

    @property
    def condition(self) -> str:
        """The condition that a row is one of them."""
        return f"{self.column} = {self.mark}"


def in_view(wave: int) -> str:
    """Return the condition that a row of a wave is in the views; of an earlier wave there are no views any more."""
    shown = f"SELECT CASE WHEN state.wave = {wave:d} THEN shown ELSE -1 END FROM state"  # noqa: S608
    return f"wave = {wave:d} AND batch <= ({shown})"


def batch_of_new(run: Run, state: State) -> int:
    """Return the batch that new reports go into."""
    held = state.shown + 1
    return held if _at_most(run, state, held) < state.tally_reports else held + 1


def advance(run: Run, state: State) -> int | None:
    """Show the held-back batch if it and the next one are full, else return None.

    Withdrawn reports leave the views with that; returns how many.
    """
    if not is_due(run, state):
        return None
    run("UPDATE state SET shown = shown + 1")
    return _delete_leaving(run)


def is_due(run: Run, state: State) -> bool:
    """Whether the held-back batch and the next one are full."""
    return not state.closed and all(
        _at_most(run, state, state.shown + after) >= state.tally_reports for after in (2, 1)
    )


def take_out(run: Run, state: State, named: Named) -> int:
    """Withdraw reports; returns how many were not withdrawn before. What let them in stays spent.

    Those in the views of this wave leave at the next shown batch, others now. Views of a closed wave do not change.
    """
    viewed = f"(wave = {state.wave:d} AND batch <= {state.shown:d})"
    which = f"{named.condition} AND NOT {viewed}" if state.closed else named.condition
    once = "ON CONFLICT DO NOTHING"
    into = f"INSERT INTO withdrawn (credential, id) SELECT credential, id FROM reports WHERE {which} {once}"  # noqa: S608
    gone = run(into, (named.value,)).rowcount
    into = f"INSERT INTO leaving (wave, id) SELECT wave, id FROM reports WHERE {which} AND {viewed} {once}"  # noqa: S608
    run(into, (named.value,))
    run(f"DELETE FROM reports WHERE {which} AND NOT {viewed}", (named.value,))  # noqa: S608
    return int(gone)


def row_in_results(run: Run, state: State, named: Named) -> int | None:
    """Return the number of a report in the export of a closed wave, None where it is not in it."""
    results = f"FROM reports WHERE wave = {state.wave:d} AND batch <= {state.shown:d}"
    found = run(f"SELECT id {results} AND {named.condition}", (named.value,)).fetchone() if state.closed else None
    if found is None:
        return None
    return int(run(f"SELECT count(*) {results} AND id < {named.mark}", (found[0],)).fetchone()[0])


def close_wave(run: Run, state: State) -> Closing:
    """Make the last view of a wave, and forget which report was in which batch."""
    if state.closed:
        shown = run(f"SELECT count(*) FROM reports WHERE {in_view(state.wave)}").fetchone()[0]  # noqa: S608
        return Closing(reports=shown, tally_reports=state.tally_reports)
    rows = f"FROM reports WHERE wave = {state.wave:d} AND"
    kept = dict(run(f"SELECT batch, count(*) {rows} {_KEPT} GROUP BY batch").fetchall())
    leaving = dict(run(f"SELECT batch, count(*) {rows} {_LEAVING} GROUP BY batch").fetchall())
    plan = last_view(kept, leaving, shown=state.shown, least=state.tally_reports)
    if plan.without_new:
        run(f"DELETE {rows} batch > {state.shown:d}")
    if plan.left_out:
        chosen = f"SELECT wave, id {rows} batch <= {plan.up_to:d} AND {_KEPT} ORDER BY random() LIMIT {plan.left_out:d}"
        run(f"DELETE FROM reports WHERE (wave, id) IN ({chosen})")  # noqa: S608
    _delete_leaving(run)
    run(f"UPDATE reports SET batch = {int(plan.nothing):d} WHERE wave = {state.wave:d}")  # noqa: S608
    run("UPDATE state SET shown = 0")
    total = sum(kept.values())
    new = sum(count for batch, count in kept.items() if batch > state.shown) if plan.without_new else 0
    shown = 0 if plan.nothing else total - plan.left_out - new
    return Closing(reports=shown, left_out=total - shown, tally_reports=state.tally_reports)


@dataclass(frozen=True, slots=True, kw_only=True)
class LastView:
    """What the last view is made of: all reports that are kept, but for some.

    `left_out` reports of the batches up to `up_to` are left out, all that no view had if `without_new`, and all
    reports if `nothing`.
    """

    left_out: int = 0
    up_to: int = 0
    without_new: bool = False
    nothing: bool = False


def last_view(kept: Mapping[int, int], leaving: Mapping[int, int], *, shown: int, least: int) -> LastView:
    """Choose the last view, so that it is an earlier one or differs from each by at least `least` reports.

    `kept` and `leaving` count the reports of each batch that are not withdrawn, and that are and are still in the
    views. With `least` new reports, or where no batch was shown, it is everything that is kept; so it is where fewer
    than `least` are kept in all, the one exception. The proof of the rest is in docs/theory/collection.md.
    """
    total = sum(kept.values())
    new = sum(count for batch, count in kept.items() if batch > shown)
    if shown == 0 or new >= least or total < least:
        return LastView()
    missing, up_to, gone, old = least - new, 0, 0, 0
    while up_to < shown and gone + old < missing:
        up_to += 1
        gone += leaving.get(up_to, 0)
        old += kept.get(up_to, 0)
    left_out = max(0, missing - gone)
    later = sum(count for batch, count in kept.items() if batch > up_to)
    fits = gone + old >= missing and total - left_out >= least and (up_to == 1 or later >= least)
    if not leaving and (not fits or new <= left_out):
        return LastView(without_new=True)
    return LastView(left_out=left_out, up_to=up_to) if fits else LastView(nothing=True)


def _at_most(run: Run, state: State, batch: int) -> int:
    """Count the reports of a batch, as far as `tally_reports`."""
    some = f"SELECT 1 FROM reports WHERE wave = {state.wave:d} AND batch = {batch:d} LIMIT {state.tally_reports:d}"  # noqa: S608
    return int(run(f"SELECT count(*) FROM ({some}) AS counted").fetchone()[0])  # noqa: S608


def _delete_leaving(run: Run) -> int:
    gone = run(f"DELETE FROM reports WHERE {_LEAVING}").rowcount  # noqa: S608
    run("DELETE FROM leaving")
    return int(gone)
