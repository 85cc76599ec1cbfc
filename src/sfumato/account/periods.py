"""Times in an account, in UTC to the second, and the calendar periods that limits may be set for.

A clock can be wound back, and a budget that starts afresh each month must not be had twice for it. So a debit belongs
to the period of the latest time that its ledger has seen, never to an earlier one. A clock that runs ahead begins the
next period early, and there the ledger stays until the true time has caught up. So that this cannot take for ever, a
time that is more than five years after the latest record is not believed: nothing is debited by such a clock.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from sfumato.errors import InvalidParameter

MOST_YEARS_AHEAD = 5
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T([01][0-9]|2[0-3]):[0-9]{2}:[0-9]{2}Z")


class Per(StrEnum):
    """How long a period is; each begins with the first day of a month, at midnight UTC.

    >>> import sfumato as sf
    >>> [(per.value, per.months) for per in sf.account.Per]
    [('month', 1), ('quarter', 3), ('year', 12)]
    """

    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"

    @property
    def months(self) -> int:
        """How many months it has."""
        return {Per.MONTH: 1, Per.QUARTER: 3, Per.YEAR: 12}[self]


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """One month, quarter or year, by its number among those of its length, counted from the year 0.

    >>> import sfumato as sf
    >>> spring = sf.account.Period(per=sf.account.Per.QUARTER, number=4 * 2026 + 1)
    >>> spring.name, spring.end
    ('2026-Q2', '2026-07-01')
    """

    per: Per
    number: int

    @property
    def name(self) -> str:
        """How it is written: 2026, 2026-Q2 or 2026-05."""
        year, place = divmod(self.number, 12 // self.per.months)
        return f"{year:04}{_WITHIN[self.per].format(place + 1)}"

    @property
    def end(self) -> str:
        """The day on which the next one starts."""
        year, month = divmod((self.number + 1) * self.per.months, 12)
        return f"{year:04}-{month + 1:02}-01"


_WITHIN = {Per.MONTH: "-{:02}", Per.QUARTER: "-Q{}", Per.YEAR: ""}


def period_of(per: Per, time: str) -> Period:
    """Return the period that a time lies in."""
    return Period(per=per, number=(12 * int(time[:4]) + int(time[5:7]) - 1) // per.months)


def per_of(word: str) -> Per:
    """Read how long a period is."""
    try:
        return Per(word)
    except ValueError:
        raise InvalidParameter(
            f"must be one of {', '.join(Per)}", parameter="per", value=str(word), way_out="Choose a calendar period."
        ) from None


def now() -> str:
    """Return the time as an account writes it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def believed(time: str, latest: str) -> str:
    """Return the time that a clock shows, or that of the latest record if the clock is far ahead of it."""
    return time if int(time[:4]) - int(latest[:4]) <= MOST_YEARS_AHEAD else latest


def check_clock(time: str, latest: str) -> None:
    """Refuse a debit by a clock that is far ahead: the ledger would stay in that period until the time has come."""
    if believed(time, latest) != time:
        raise InvalidParameter(
            f"cannot be: the clock shows {time[:10]}, and the latest record of the ledger is of {latest[:10]}",
            parameter="time",
            way_out="Nothing was debited: set the clock, or begin another ledger if it is right.",
        )


def checked_time(text: object) -> str:
    """Return a time in the one spelling that is written; ValueError for what is no time, such as the 31st of June."""
    if not isinstance(text, str) or not _TIME.fullmatch(text):
        raise ValueError("no time")
    datetime.fromisoformat(text)
    return text
