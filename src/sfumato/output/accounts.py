"""Ledgers and releases as tables and documents."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.display.text import counted
from sfumato.errors import printable
from sfumato.ledger.accounts import Entry, LedgerState, Standing
from sfumato.ledger.amounts import (
    PUBLIC,
    Amount,
    Charges,
    Currency,
    amount_text,
    decimal_above,
    decimal_below,
    people_key,
)
from sfumato.ledger.dependence import condition, correlation_json
from sfumato.ledger.releases import Kind, Published, Release, Role
from sfumato.measures.dependence import ANYONE, Correlation
from sfumato.publications.note import sum_words, sums_words
from sfumato.publications.registry import StudyRecord
from sfumato.study.planning import MANY, Forecast, forecast
from sfumato.study.study import Study

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text


CURRENCIES = {Currency.BITS: "bits", Currency.EPSILON: "ε", Currency.LEAKAGE: "leakage"}
KINDS = {
    Kind.INFORMATION: "information",
    Kind.LOCAL: "local",
    Kind.RECOVERABLE: "recoverable",
    Kind.PERFECT_SAMPLES: "perfect samples",
}
_MEANINGS = {
    Currency.BITS: "what anyone can learn about one person",
    Currency.EPSILON: "nats; how far a person's own answer can change the odds of what is seen",
    Currency.LEAKAGE: "maximal leakage in bits; how much better the best guess about a person's own answers gets",
}
_ALWAYS = (
    "What is made from releases alone costs nothing: it needs no debit.",
    "Spent is what the person has paid who has paid most; a debit that names no people is paid by everybody.",
    "In bits there is no discount for different people: those who are alike tell about each other.",
)
_DECLARED = (
    "People of different names are declared to be different by the office, and nobody has checked it. Their ε and "
    "leakage are not added to each other."
)
_BAR = 30
_LABEL = 9
_PLACES = 4
_MOST_NAMED = 5


def charge_rows(release: Release) -> tuple[tuple[str, str, str], ...]:
    """What a release costs a person in each currency: its name, the amount rounded up, and what it bounds."""
    return tuple((CURRENCIES[c], _charge(release.charges[c]), _meaning(c, ANYONE)) for c in Currency)


def debit_words(study: Study) -> str:
    """Say what publishing a study will debit, and to which ledger; nothing for a study that names none."""
    if study.ledger is None:
        return ""
    found = forecast(study, study.population or MANY)
    return (
        f"Publishing debits the ledger {study.ledger} for each person: {_amounts(found.wave)}. "
        f"{_correction(found)}; the next wave as much as the first. All analysts' keys are counted."
    )


def forecast_words(found: Forecast) -> str:
    """Say what comes next for a study, and what it will cost each person."""
    first = "" if found.first is None else f" The first release will cost {_amounts(found.first)}."
    wave = "as much" if found.first is not None else _amounts(found.wave)
    return f"What comes next for {printable(found.study)}.{first} {_correction(found)}; the next wave {wave}."


def _correction(found: Forecast) -> str:
    who = "1 % of the people" if found.people >= MANY else f"1 % of {found.people:,} people"
    return f"Correcting {who} in all questions will cost {_amounts(found.correction)}"


def _amounts(charges: Charges) -> str:
    return ", ".join(f"{CURRENCIES[currency]} {_charge(amount)}" for currency, amount in charges)


def ledger_table(path: Path, book: LedgerState, forecasts: Sequence[Forecast] = ()) -> RenderableType:
    """Return the whole account for rich to print, and what comes next."""
    from rich.console import Group  # noqa: PLC0415  rich is only needed to print
    from rich.text import Text  # noqa: PLC0415

    parts: list[RenderableType] = [Text(printable(path.name), style="bold")]
    parts += _bars(book.standing, book.counting.correlated or ANYONE)
    within = book.standing_in_period()
    if within is not None and within.period is not None:
        parts += [Text(f"in {within.period.name}; the next {within.period.per} starts on {within.period.end}")]
        parts += _bars(within)
    if not book.entries:
        parts.append(Text("Nothing was debited yet."))
        return Group(*parts, *(Text(forecast_words(one)) for one in forecasts))
    parts.append(_debits(book))
    parts += [Text(forecast_words(one)) for one in forecasts[-_MOST_NAMED:]]
    parts += [Text(sentence) for sentence in _assumed(book)]
    parts += [Text(sentence, style=style) for sentence, style in _open_debits(book.entries)]
    parts += [Text(sentence) for sentence in _by_people(book)]
    parts += [Text(), Text("How they add", style="bold"), _adding(book.entries)]
    return Group(*parts)


def _meaning(currency: Currency, correlated: Correlation) -> str:
    said = _MEANINGS[currency]
    return f"{said}, {condition(correlated)}" if currency is Currency.BITS else said


def _assumed(book: LedgerState) -> list[str]:
    """Say for whom bits are counted, and whom that leaves out."""
    found = book.counting.correlated
    if found is None:
        return []
    said = [f"All bits hold {condition(found)}; as booked, under the assumption that the release was made for."]
    if found.shared_bits is not None:
        said.append("Up to twice as many if the size of some noise was chosen after seeing earlier releases.")
    if not found.is_anyone:
        said.append(
            "That is assumed, and not checked. A common cause that nobody knows makes everybody depend on everybody, "
            "and is left out."
        )
    return said


def _bars(standing: Standing, correlated: Correlation | None = None) -> list[Text]:
    from rich.text import Text  # noqa: PLC0415

    lines = []
    for currency, limit in standing.limits:
        if math.isinf(limit):
            continue
        share = min(Fraction(1), Fraction(standing.spent[currency]) / Fraction(limit))
        # A bar that is not full has something left, and one that is not empty has something spent.
        full = _BAR if share == 1 else min(_BAR - 1, math.ceil(share * _BAR))
        spent = f"{decimal_above(standing.spent[currency], _PLACES)} of {decimal_below(limit, _PLACES)} spent"
        line = Text(CURRENCIES[currency].ljust(_LABEL))
        line.append("█" * full, style="red" if share == 1 else "")
        line.append("·" * (_BAR - full), style="dim")
        line.append(f"  {spent}, {decimal_below(standing.left[currency], _PLACES)} left")
        lines.append(line)
        if correlated is not None:
            lines.append(Text(" " * _LABEL + _meaning(currency, correlated), style="dim"))
    return lines


def _by_people(book: LedgerState) -> list[str]:
    """Say what the people of each name have paid, with what all people pay."""
    by_name = book.spent_by_people()
    if not by_name:
        return []
    # In bits everybody pays for everybody; where no bound is known there is nothing to compare.
    shown = [c for c in Currency if c.is_own and all(math.isfinite(spent[c]) for spent in by_name.values())]
    named = [
        f"{printable(name)}: {', '.join(c.words(decimal_above(spent[c], _PLACES)) for c in shown)}"
        for name, spent in by_name.items()
    ]
    said = [f"Spent by the people of each name, with what everybody pays. {'; '.join(named)}."] if shown else []
    return [*said, _DECLARED]


def _debits(book: LedgerState) -> Table:
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    shown = [c for c in Currency if math.isfinite(book.limits[c]) or any(_is_stated(e, c) for e in book.entries)]
    table = Table()
    table.add_column("day", no_wrap=True)
    table.add_column("release", overflow="fold", min_width=20)
    for currency in shown:
        table.add_column(CURRENCIES[currency], justify="right")
    table.add_column("released")
    for entry in book.entries:
        amounts = [_charge(entry.charges[currency]) for currency in shown]
        about = "" if entry.release.people is None else f", people: {printable(entry.release.people)}"
        kind = f"{KINDS[entry.release.kind]}{about}{_as_booked(entry)}"
        title = Text(printable(entry.release.title)).append(f"\n{kind}", style="dim")
        day = Text(entry.receipt.time[:10]).append(f"\nno. {entry.receipt.number}", style="dim")
        table.add_row(day, title, *map(Text, amounts), _state(entry))
    return table


def _as_booked(entry: Entry) -> str:
    if entry.release.assumption is None:
        return ""
    bits = _charge(entry.release.charges.bits)
    return f"\nas booked: {bits} bits {condition(entry.release.assumption.correlated)}"


def _state(entry: Entry) -> Text:
    from rich.text import Text  # noqa: PLC0415

    if entry.voided is not None:
        return Text("voided", style="dim")
    return Text("yes") if entry.settled else Text("not noted", style="yellow")


def _is_stated(entry: Entry, currency: Currency) -> bool:
    return math.isfinite(entry.release.charges[currency])


def _charge(amount: Amount) -> str:
    return "no bound" if math.isinf(amount) else decimal_above(amount, _PLACES)


def _open_debits(entries: Sequence[Entry]) -> list[tuple[str, str]]:
    """Say which debits may have no release, for instance because a program was killed in between."""
    unsettled = [entry for entry in entries if entry.settled is None and entry.voided is None]
    names = [printable(entry.receipt.release_id) for entry in unsettled]
    if not names:
        return []
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    which = ", ".join(names[:_MOST_NAMED]) + more
    sentence = (
        f"Not noted as released: {which}. This stays spent, for nobody can tell from here whether anything of it was "
        f"seen."
    )
    if any(entry.release.published is not None for entry in unsettled):
        sentence += (
            " A publication that was interrupted is finished by the command that began it; if all of it is still "
            "staged, `sfumato budget void` gives it back."
        )
    return [(sentence, "yellow")]


def _adding(entries: Sequence[Entry]) -> Table:
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    kinds = {entry.release.kind for entry in entries}
    for kind in Kind:
        if kind in kinds:
            table.add_row(Text(KINDS[kind]), Text(kind.how_it_adds))
    for name, sentence in zip(("always", "", ""), _ALWAYS, strict=True):
        table.add_row(Text(name), Text(sentence))
    return table


# --- A ledger as a document: amounts as exact text


SCHEMA = "sfumato/budget/3"


def budget_document(path: Path, book: LedgerState) -> dict[str, Any]:
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
        "spent_by_people": {name: _amount_texts(spent) for name, spent in book.spent_by_people().items()},
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
        "charges": _amount_texts(entry.charges),
        "correlated": None if release.assumption is None else correlation_json(release.assumption.correlated),
        "as_booked": _amount_texts(release.charges),
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
        "first": None if found.first is None else _amount_texts(found.first),
        "correction": _amount_texts(found.correction),
        "wave": _amount_texts(found.wave),
    }


def _standing(standing: Standing) -> dict[str, Any]:
    return {
        "limits": _amount_texts(standing.limits),
        "spent": _amount_texts(standing.spent),
        "left": _amount_texts(standing.left),
    }


def _amount_texts(charges: Charges) -> dict[str, str]:
    return {currency.value: amount_text(amount) for currency, amount in charges}


# --- The releases of a study as a table and a document


_HEADER = ("release", "noted", "epoch", "people", "part", "rows", "questions", "public", "public so far", "state")


def releases_table(found: StudyRecord) -> RenderableType:
    """Return every release of a study, and what they add up to, for rich to print."""
    from rich.console import Group  # noqa: PLC0415  rich is only needed to print
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    title = Text(printable(found.study.name), style="bold")
    if not found.releases:
        return Group(title, Text("Nothing of it was released, as far as its registry knows."))
    table = Table()
    for i, name in enumerate(_HEADER):
        table.add_column(name, justify="right" if i in {2, 5} else "left")
    for number, one in enumerate(found.releases):
        published = one.published
        table.add_row(
            Text(printable(published.again or ("the first" if published.of is None else ""))),
            one.time,
            str(published.epoch),
            Text(printable(published.people or "of the study")),
            _part_words(published),
            f"{published.rows:,}",
            Text(printable(", ".join(column.question for column in published.columns))),
            sum_words(_public(found, number, alone=True)),
            sum_words(_public(found, number)),
            "released" if one.released else "unfinished",
        )
    parts: list[RenderableType] = [title, table, Text(adding_words(found))]
    if not all(one.released for one in found.releases):
        parts.append(Text("An unfinished release is finished by the command that began it.", style="red"))
    return Group(*parts)


def adding_words(found: StudyRecord) -> str:
    """Say what the person gives away of whom most is seen."""
    count = counted(len(found.releases), "release")
    said = f"Of one person, {count} show at most: {sums_words(found.sums)}."
    names = {people_key(one.published.people) for one in found.releases} - {None}
    parts = {one.published.role for one in found.releases} & {Role.APPEND}
    if len(names) > 1 or parts:
        whom = " and ".join(["people of different names"] * (len(names) > 1) + ["parts of a publication"] * bool(parts))
        said += f" That {whom} have nobody in common was declared, and is not checked here."
    return said


def releases_document(found: StudyRecord) -> dict[str, Any]:
    """Return every release of a study as one document."""
    return {
        "schema": "sfumato/released/2",
        "study": found.study.name,
        "registry": None if found.registry is None else str(found.registry),
        "ledger": None if found.ledger is None else str(found.ledger),
        "releases": [
            {
                "release": one.published.token,
                "id": one.published.id,
                "name": one.published.again,
                "people": one.published.people,
                "part": one.published.part,
                "role": one.published.role.value,
                "of": one.published.of,
                "amends": one.published.amends,
                "time": one.time,
                "released": one.released,
                "epoch": one.published.epoch,
                "rows": one.published.rows,
                "fingerprint": one.published.fingerprint,
                "columns": {
                    column.question: {"drawing": column.drawing, "digest": column.digest}
                    for column in one.published.columns
                },
                "epsilon": dict(one.published.seen),
                "total_epsilon_of_releases": {total.holder: total.as_json for total in found.sums_at(number)},
            }
            for number, one in enumerate(found.releases)
        ],
        "total_epsilon_of_releases": {total.holder: total.as_json for total in found.sums} if found.releases else {},
    }


def _part_words(published: Published) -> str:
    short = published.part[:8]
    if published.amends is not None:
        return f"{short} amends {published.amends[:8]}"
    return f"{short} added" if published.role is Role.APPEND else short


def _public(found: StudyRecord, number: int, *, alone: bool = False) -> float | None:
    """What is public: of one release, or up to it."""
    if alone:
        return float(dict(found.releases[number].published.seen)[PUBLIC])
    return found.sums_at(number)[0].epsilon
