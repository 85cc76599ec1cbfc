"""The entries of a ledger as text, chained by digests, and the calendar periods of limits.

A record is JSON in one spelling only (sorted keys, no blanks, ASCII). Its digest is the SHA-256 of the digest before it
and of its own text, so no record can be changed, left out or moved without changing every digest after it. The chain is
not a signature: it detects damage and edits, but not a chain that was written anew as a whole.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from fractions import Fraction
from hashlib import sha256
from typing import Any

from sfumato.errors import InvalidParameter
from sfumato.ledger.amounts import MOST_NOTE, NO_LIMITS, Amount, Charges, Currency, amount_from, amount_text, check_line
from sfumato.ledger.dependence import assumption_from, assumption_json, correlation_from, correlation_json
from sfumato.ledger.releases import Kind, Release, checked_id, published_from, published_json
from sfumato.measures.dependence import ANYONE, Correlation

# --- Times in an account, in UTC to the second, and the calendar periods of limits
# A clock that is set back must not make a monthly budget available twice. So a debit belongs to the period of the
# latest time that its ledger has seen. A clock that runs ahead begins the next period early, and the ledger stays there
# until the true time has caught up. A time more than five years after the latest record is refused, and nothing is
# debited.


MOST_YEARS_AHEAD = 5
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T([01][0-9]|2[0-3]):[0-9]{2}:[0-9]{2}Z")


class Per(StrEnum):
    """How long a period is; each begins with the first day of a month, at midnight UTC.

    >>> import sfumato as sf
    >>> [(per.value, per.months) for per in sf.ledger.Per]
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
    >>> spring = sf.ledger.Period(per=sf.ledger.Per.QUARTER, number=4 * 2026 + 1)
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


SCHEMA = "sfumato/ledger/3"
# Records without assumptions: their bits hold under arbitrary dependence.
FOR_ANYONE = "sfumato/ledger/2"
NO_DIGEST = "0" * 64
# Enough for a thousand questions, each with its drawing and digest.
MOST_TEXT = 1_000_000

_NAME = re.compile(r"[0-9a-f]{32}")


class Damaged(Exception):
    """The text is not a record of a ledger; the caller, who knows the file, adds its name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """The first record: the limits in all, those for each period if there are any, and a name no other ledger has.

    `correlated` says for whom the limits in bits hold at least, whatever releases assume; None leaves that to them.
    """

    time: str
    name: str
    limits: Charges
    per: Per | None = None
    period_limits: Charges = NO_LIMITS
    correlated: Correlation | None = None
    schema: str = SCHEMA

    @property
    def is_for_anyone(self) -> bool:
        """Whether it was made before there were assumptions, so that its records know none."""
        return self.schema == FOR_ANYONE


@dataclass(frozen=True, slots=True, kw_only=True)
class Debited:
    """A release was paid for; it may follow from now on.

    `counted` has the bits of debits, by their numbers, that are counted for others from now on than before, and its own
    if it is counted for others than those whom it was made for.
    """

    time: str
    release_id: str
    release: Release
    counted: tuple[tuple[int, Amount], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """The release that the record of this number paid for was really made."""

    time: str
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Voided:
    """Nothing of the release that the record of this number paid for was ever seen, nor can be: it is given back."""

    time: str
    number: int
    reason: str


Record = Opened | Debited | Settled | Voided


def chained(before: str, text: str) -> str:
    """Return the digest of a record, given the digest of the record before it."""
    return sha256(f"{before}\n{text}".encode()).hexdigest()


def record_text(record: Record) -> str:
    """Write a record in its only spelling."""
    content: dict[str, Any]
    if isinstance(record, Opened):
        content = {"event": "opened", "limits": _charges_json(record.limits), "name": record.name}
        content["schema"] = record.schema
        if record.correlated is not None and not record.is_for_anyone:
            content["correlated"] = correlation_json(record.correlated)
        if record.per is not None:
            content |= {"per": record.per.value, "period_limits": _charges_json(record.period_limits)}
    elif isinstance(record, Debited):
        release = record.release
        content = {
            "charges": _charges_json(release.charges),
            "event": "debited",
            "id": record.release_id,
            "kind": release.kind.value,
            "notes": list(release.notes),
            "rows": list(release.rows),
            "title": release.title,
        }
        if release.published is not None:
            content["published"] = published_json(release.published)
        elif release.people is not None:
            content["people"] = release.people
        if release.assumption is not None:
            content["assumption"] = assumption_json(release.assumption)
        if record.counted:
            content["counted"] = [[number, amount_text(bits)] for number, bits in record.counted]
    elif isinstance(record, Settled):
        content = {"event": "settled", "number": record.number}
    else:
        content = {"event": "voided", "number": record.number, "reason": record.reason}
    return json.dumps({**content, "time": record.time}, sort_keys=True, separators=(",", ":"))


def record_from(text: object) -> Record:
    """Read a record; only the spelling that `record_text` writes is read."""
    if not isinstance(text, str) or len(text) > MOST_TEXT:
        raise Damaged
    try:
        record = _read(json.loads(text))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, ZeroDivisionError):
        raise Damaged from None
    # Whatever was accepted but means something else, such as a key twice or a number for a text, is spelt otherwise.
    if record_text(record) != text:
        raise Damaged
    return record


def _read(content: dict[str, Any]) -> Record:
    time = checked_time(content["time"])
    if content["event"] == "opened":
        return _opened(content, time)
    if content["event"] == "debited":
        published = published_from(content["published"]) if "published" in content else None
        release = Release(
            title=content["title"],
            kind=Kind(content["kind"]),
            charges=_charges(content["charges"]),
            rows=tuple(content["rows"]),
            notes=tuple(content["notes"]),
            published=published,
            people=content.get("people") if published is None else published.people,
            assumption=assumption_from(content["assumption"]) if "assumption" in content else None,
        )
        counted = tuple((_place(number), amount_from(text)) for number, text in content.get("counted", ()))
        return Debited(time=time, release_id=checked_id(content["id"]), release=release, counted=counted)
    if content["event"] == "settled":
        return Settled(time=time, number=_place(content["number"]))
    if content["event"] == "voided":
        check_line("reason", content["reason"], MOST_NOTE)
        return Voided(time=time, number=_place(content["number"]), reason=content["reason"])
    raise Damaged


def _opened(content: dict[str, Any], time: str) -> Opened:
    limits = _charges(content["limits"])
    per = Per(content["per"]) if "per" in content else None
    period_limits = NO_LIMITS if per is None else _charges(content["period_limits"])
    # Opening sets at least one limit, at least one for a period if there are periods, and each is positive.
    finite = [[amount for _, amount in some if isinstance(amount, Fraction)] for some in (limits, period_limits)]
    schema = content["schema"]
    if schema not in {SCHEMA, FOR_ANYONE} or not _NAME.fullmatch(content["name"]) or min(finite[0] + finite[1]) <= 0:
        raise Damaged
    if per is not None and not finite[1]:
        raise Damaged
    correlated = correlation_from(content["correlated"]) if "correlated" in content else None
    return Opened(
        time=time,
        name=content["name"],
        limits=limits,
        per=per,
        period_limits=period_limits,
        correlated=ANYONE if schema == FOR_ANYONE else correlated,
        schema=schema,
    )


def _place(number: object) -> int:
    if type(number) is not int:
        raise Damaged
    return number


def _charges_json(charges: Charges) -> dict[str, str]:
    # No bound, or no limit, is left out: what is written is what is promised.
    return {currency.value: amount_text(amount) for currency, amount in charges if not math.isinf(amount)}


def _charges(content: object) -> Charges:
    if not isinstance(content, dict):
        raise Damaged
    return Charges(**{Currency(name).value: amount_from(text) for name, text in content.items()})
