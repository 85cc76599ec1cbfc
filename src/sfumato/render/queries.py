"""Designs of recoverable answers for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato import measures
from sfumato.certificates.words import percent, percent_at_least, percent_at_most
from sfumato.design.partners import PROMISE
from sfumato.io.query_files import QueryDesign
from sfumato.printing import printable

if TYPE_CHECKING:
    from rich.console import RenderableType

_MOST_ROWS = 20


def query_tables(design: QueryDesign) -> list[RenderableType]:
    """Return what is promised in words, and how often to say what."""
    from rich.text import Text  # noqa: PLC0415  rich is only needed to print

    parts: list[RenderableType] = [Text(printable(line)) for line in query_words(design)]
    if design.partners is not None:
        rows = [[float(p) for p in row] for row in design.partners.rows]
        return [*parts, _matrix(design, rows, "Who the partner is, drawn once and kept secret")]
    different = list(dict.fromkeys(design.channels))
    for channel in different:
        repeats = design.channels.count(channel)
        title = "" if len(design.channels) == 1 else f"{repeats} of the {len(design.channels)} answers"
        parts.append(_matrix(design, [[float(p) for p in row] for row in channel.rows], title))
    return parts


def query_words(design: QueryDesign) -> list[str]:
    """Say what a design promises."""
    query = design.query
    blind = 1 - max(query.masses)
    known = 1 - query.total
    lines = [
        f"{design.name}: each answer is right at least {percent(query.rho)} of the time.",
        f"The best guess of the data stays wrong at least {percent_at_least(design.privacy)} of the time.",
        f"Without any answer it is wrong {percent_at_least(blind)}, with the true value {percent_at_least(known)}.",
        f"Answers that are right up to {percent_at_least(query.critical_rho)} of the time would cost nothing.",
    ]
    if len(design.channels) == 1 and design.partners is None:
        place, error = measures.worst_report(design.channels[0], query.prior)
        worst = query.values[place]
        lines.append(
            f"Whatever the answer, it is wrong at least {percent_at_least(error)}; the worst answer is {worst}."
        )
    if design.search is not None:
        lines.append(f"The search for answers: {design.search}.")
    if design.partners is not None:
        lines.append(PROMISE)
    if design.converse > design.privacy:
        lines.append(f"No answers could keep it wrong more than {percent_at_most(design.converse)} of the time.")
    elif len(design.channels) > 1:
        lines.append("No answers could keep it wrong more often.")
    return lines


def _matrix(design: QueryDesign, rows: list[list[float]], title: str) -> RenderableType:
    from rich.table import Table  # noqa: PLC0415  rich is only needed to print

    table = Table(title=title or "How often to say what", title_justify="left", title_style="")
    table.add_column("if the data is")
    for value in design.query.values:
        table.add_column(printable(str(value)), justify="right")
    for label, row in list(zip(design.query.prior.labels, rows, strict=True))[:_MOST_ROWS]:
        table.add_row(printable(str(label)), *(f"{100 * p:.2f} %" for p in row))
    if len(rows) > _MOST_ROWS:
        table.caption = f"and {len(rows) - _MOST_ROWS} more values; --json has them all"
    return table
