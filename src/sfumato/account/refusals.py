"""Why a ledger does not pay, or does not give back, in sentences that say which limit and what to do."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

from sfumato.account.amounts import Amount, Currency, decimal_above, decimal_below
from sfumato.account.ledger_sums import Standing
from sfumato.account.published import Published
from sfumato.account.releases import Release
from sfumato.errors import BudgetSpent, InvalidParameter

_MOST_PLACES = 1100


def short_of(release: Release, standings: Iterable[Standing], *, is_behind: bool) -> BudgetSpent | None:
    """Return the refusal of a release that exceeds a limit, in all or in a period; None if it can be paid for."""
    short, ends = [], []
    for one in standings:
        found = [_shortage(c, asked, one) for c, asked in release.charges if asked > one.left[c]]
        short += found
        if found and one.period is not None:
            late = ", by the latest record: this clock is behind it" if is_behind else ""
            ends.append(f"; the next period starts on {one.period.end}{late}")
    if not short:
        return None
    return BudgetSpent(
        f"{release.title!r} cannot be paid for{_by(release)}: {'; '.join(short)}{''.join(ends)}",
        way_out="Nothing was debited. Make the release noisier or leave it out; a bound that is known and was not "
        "stated can be stated.",
    )


def rows_again(release: Release, count: int) -> BudgetSpent:
    """Return the refusal of a second release of perfect samples."""
    return BudgetSpent(
        f"{count} of the rows of {release.title!r} were released before, and perfect sample privacy does not add up: "
        f"two private releases of the same rows can leak together",
        way_out="Use the first, or design both jointly, as one release.",
    )


def voidable(number: int, release: Release, *, settled: str | None) -> Published:
    """Return the publication of a debit; refuse what was released, or may have been for all that anybody can prove."""
    if settled is not None:
        raise InvalidParameter(
            f"was released on {settled[:10]}: {release.title!r} stays paid for",
            parameter="number",
            value=number,
            way_out="Only a publication that never left staging can be voided.",
        )
    if release.published is None:
        raise InvalidParameter(
            f"paid for {release.title!r}, which is no publication of reports, and nobody can prove that a release made "
            f"by other means was not seen",
            parameter="number",
            value=number,
            way_out="It stays paid for.",
        )
    return release.published


def _by(release: Release) -> str:
    return "" if release.people is None else f" by the people called {release.people!r}"


def _shortage(currency: Currency, asked: Amount, standing: Standing) -> str:
    limit, left = standing.limits[currency], standing.left[currency]
    within = "" if standing.period is None else f" in {standing.period.name}"
    if math.isinf(asked):
        each = "" if standing.period is None else f" for each {standing.period.per}"
        return (
            f"no bound in {currency.unit} is stated, and the ledger has a limit of {decimal_below(limit)} there{each}"
        )
    places = 6
    # As many as it takes to see the difference: a float may exceed what is left in its last digit only.
    while asked - left < Fraction(1, 10**places) and places < _MOST_PLACES:
        places *= 2
    of = f"{decimal_below(left, places)} of {decimal_below(limit)} are left{within}"
    return f"it asks for {currency.words(decimal_above(asked, places))}, and {of}"
