"""A ledger for the terminal: what is spent and left, each debit, and how releases add up."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.account.amounts import Amount, Currency, decimal_above, decimal_below
from sfumato.account.ledger_books import Book, Entry
from sfumato.account.releases import Kind, Release
from sfumato.printing import printable
from sfumato.study.charging import release_of_reports
from sfumato.study.studies import Study

if TYPE_CHECKING:  # rich waits until something is printed
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
    Currency.BITS: "what anyone can learn about one person, with any correlations in mind",
    Currency.EPSILON: "nats; how far a person's own answer can change the odds of what is seen",
    Currency.LEAKAGE: "maximal leakage in bits; how much better the best guess gets",
}
_ALWAYS = (
    "What is made from releases alone costs nothing: it needs no debit.",
    "Releases about different people cost as much as about the same people: there is no discount.",
)
_BAR = 30
_LABEL = 9
_PLACES = 4
_MOST_NAMED = 5
_MANY = 10**9


def charge_rows(release: Release) -> tuple[tuple[str, str, str], ...]:
    """What a release costs a person in each currency: its name, the amount rounded up, and what it bounds."""
    return tuple((CURRENCIES[c], _charge(release.charges[c]), _MEANINGS[c]) for c in Currency)


def debit_words(study: Study) -> str:
    """Say what publishing a study will debit, and to which ledger; nothing for a study that names none."""
    if study.ledger is None:
        return ""
    # Without a number of respondents, as many as it takes to tell everything.
    release = release_of_reports(study, study.population or _MANY)
    amounts = ", ".join(f"{name} {amount}" for name, amount, _ in charge_rows(release))
    return f"Publishing debits the ledger {study.ledger} for each person: {amounts}. All analysts' keys are counted."


def ledger_table(path: Path, book: Book) -> RenderableType:
    """Return the whole account for rich to print."""
    from rich.console import Group  # noqa: PLC0415  rich is only needed to print
    from rich.text import Text  # noqa: PLC0415

    parts: list[RenderableType] = [Text(printable(path.name), style="bold"), *_bars(book)]
    if not book.entries:
        parts.append(Text("Nothing was debited yet."))
        return Group(*parts)
    parts.append(_debits(book))
    parts += [Text(sentence, style=style) for sentence, style in _open_debits(book.entries)]
    parts += [Text(), Text("How they add", style="bold"), _adding(book.entries)]
    return Group(*parts)


def _bars(book: Book) -> list[Text]:
    from rich.text import Text  # noqa: PLC0415

    lines = []
    left = book.spent.left_of(book.limits)
    for currency, limit in book.limits:
        if math.isinf(limit):
            continue
        share = min(Fraction(1), Fraction(book.spent[currency]) / Fraction(limit))
        # A bar that is not full has something left, and one that is not empty has something spent.
        full = _BAR if share == 1 else min(_BAR - 1, math.ceil(share * _BAR))
        spent = f"{decimal_above(book.spent[currency], _PLACES)} of {decimal_below(limit, _PLACES)} spent"
        line = Text(CURRENCIES[currency].ljust(_LABEL))
        line.append("█" * full, style="red" if share == 1 else "")
        line.append("·" * (_BAR - full), style="dim")
        line.append(f"  {spent}, {decimal_below(left[currency], _PLACES)} left")
        lines += [line, Text(" " * _LABEL + _MEANINGS[currency], style="dim")]
    return lines


def _debits(book: Book) -> Table:
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
        amounts = [_charge(entry.release.charges[currency]) for currency in shown]
        title = Text(printable(entry.release.title)).append(f"\n{KINDS[entry.release.kind]}", style="dim")
        made = Text("yes") if entry.settled else Text("not noted", style="yellow")
        table.add_row(Text(entry.receipt.time[:10]), title, *map(Text, amounts), made)
    return table


def _is_stated(entry: Entry, currency: Currency) -> bool:
    return math.isfinite(entry.release.charges[currency])


def _charge(amount: Amount) -> str:
    return "no bound" if math.isinf(amount) else decimal_above(amount, _PLACES)


def _open_debits(entries: Sequence[Entry]) -> list[tuple[str, str]]:
    """Say which debits may have no release, for instance because a program was killed in between."""
    names = [printable(entry.receipt.release_id) for entry in entries if entry.settled is None]
    if not names:
        return []
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    which = ", ".join(names[:_MOST_NAMED]) + more
    sentence = (
        f"Not noted as released: {which}. This stays spent, for nobody can tell from here whether anything of it was "
        f"seen."
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
    for name, sentence in zip(("always", ""), _ALWAYS, strict=True):
        table.add_row(Text(name), Text(sentence))
    return table
