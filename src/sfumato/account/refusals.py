"""Why a ledger does not pay, or does not give back, in sentences that say which limit and what to do."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from sfumato.account.amounts import NOTHING, Amount, Charges, Currency, decimal_above, decimal_below
from sfumato.account.assumptions import Counting
from sfumato.account.ledger_sums import Standing
from sfumato.account.published import Published
from sfumato.account.releases import Release
from sfumato.errors import BudgetSpent, InvalidParameter

_MOST_PLACES = 1100
_NOISIER = "Make the release noisier or leave it out; a bound that is known and was not stated can be stated."
_WAY_OUT = (
    "Make the release for as few people as the account was counted for before, if that is true of them, or leave it "
    "out; bits under different assumptions are not added."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recounted:
    """Under which assumption an account would be counted with a release, and what its `debits` come to for that."""

    counting: Counting
    before: Amount
    after: Amount
    debits: int

    @property
    def words(self) -> str:
        """Name the assumption, and what came of counting for it; nothing where none was stated."""
        if self.counting.correlated is None:
            return ""
        if not self.debits:
            return f"; bits are counted for {self.counting.words}"
        others = f"{self.debits} earlier release{'s' if self.debits > 1 else ''}"
        return (
            f"; with it bits are counted for {self.counting.words}, and {others} anew: all so far come to "
            f"{decimal_above(self.after)} bits instead of {decimal_above(self.before)}"
        )


def short_of(
    release: Release, pairs: Iterable[tuple[Charges, Standing]], *, is_behind: bool, recounted: Recounted
) -> BudgetSpent | None:
    """Return the refusal of a release that exceeds a limit, in all or in a period; None if it can be paid for.

    Each pair is what is asked, and the standing that has to bear it.
    """
    short, ends, bits_lack = [], [], False
    for charges, one in pairs:
        lacking = [(c, asked) for c, asked in charges if asked > one.left[c]]
        short += [_shortage(c, asked, one) for c, asked in lacking]
        bits_lack = bits_lack or any(c is Currency.BITS for c, _ in lacking)
        # What is too much in a period that is over stays so when the next begins.
        if lacking and one.period is not None and charges is not NOTHING:
            late = ", by the latest record: this clock is behind it" if is_behind else ""
            ends.append(f"; the next period starts on {one.period.end}{late}")
    if not short:
        return None
    why = recounted.words if bits_lack else ""
    return BudgetSpent(
        f"{release.title!r} cannot be paid for{_by(release)}: {'; '.join(short)}{why}{''.join(ends)}",
        way_out=f"Nothing was debited. {_WAY_OUT if recounted.debits and bits_lack else _NOISIER}",
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
    if left < 0:
        return f"what was released{within} comes to {decimal_above(standing.spent[currency])} of {decimal_below(limit)}"
    places = 6
    # As many as it takes to see the difference: a float may exceed what is left in its last digit only.
    while asked - left < Fraction(1, 10**places) and places < _MOST_PLACES:
        places *= 2
    of = f"{decimal_below(left, places)} of {decimal_below(limit)} are left{within}"
    return f"it asks for {currency.words(decimal_above(asked, places))}, and {of}"
