"""What the reports say, for the terminal and as Markdown: of two answers a line a group, of more a table a group."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from sfumato.printing import printable
from sfumato.render.words import epsilon_text, escaped, interval_words, markdown_table
from sfumato.values import Interval

if TYPE_CHECKING:
    from rich.console import RenderableType

    from sfumato.study import QuestionEstimate

MOST_ANSWERS = 30
_BAR = 34


def estimates_tables(estimates: Sequence[QuestionEstimate]) -> list[RenderableType]:
    """Return the tables for rich to print."""
    return [_table(part) for part in _parts(estimates)]


def estimates_markdown(estimates: Sequence[QuestionEstimate]) -> str:
    """Return the same tables as Markdown."""
    lines: list[str] = []
    for part in _parts(estimates):
        header, rows, _ = _rows(part)
        lines += [f"**{escaped(_title(part))}**", "", *markdown_table(header, rows), ""]
        lines += [f"> {escaped(note)}" for note in _notes(part)] + [""] * bool(_notes(part))
    return "\n".join(lines)


def shown_order(shares: Sequence[float]) -> list[int]:
    """Which answers to show: all in their order, or the most common of many."""
    if len(shares) <= MOST_ANSWERS:
        return list(range(len(shares)))
    return sorted(range(len(shares)), key=lambda place: -shares[place])[:MOST_ANSWERS]


def share_bar(share: float, interval: Interval, width: int) -> str:
    """Draw an interval from 0 to 1 as a bar with a dot."""
    cells = ["·"] * width
    for place in range(int(interval.lower * (width - 1)), int(interval.upper * (width - 1)) + 1):
        cells[place] = "─"
    cells[round(min(max(share, 0.0), 1.0) * (width - 1))] = "●"
    return "".join(cells)


def group_name(found: QuestionEstimate) -> str:
    """Name a group; everybody has none."""
    return "all" if found.group is None else printable(found.group)


def is_pair(found: QuestionEstimate) -> bool:
    """Whether there are two answers, so that the share of the second says it all."""
    return len(found.labels) == 2


def _parts(estimates: Sequence[QuestionEstimate]) -> Iterator[list[QuestionEstimate]]:
    """Put together what goes into one table."""
    for _, same in groupby(estimates, key=lambda found: (found.question.id, found.level)):
        several = list(same)
        if all(is_pair(found) for found in several):
            yield several
        else:
            yield from ([found] for found in several)


def _table(part: list[QuestionEstimate]) -> RenderableType:
    from rich.table import Table  # noqa: PLC0415  rich is only needed to print
    from rich.text import Text  # noqa: PLC0415  rich is only needed to print

    header, rows, bars = _rows(part)
    # As Text: a question may hold brackets, which rich would read as markup.
    table = Table(title=Text(_title(part)), title_justify="left", title_style="bold")
    for i, name in enumerate(header):
        table.add_column(Text(name), justify="left" if i == 0 else "right", overflow="fold" if i == 0 else "ellipsis")
    table.add_column(Text("0 %".ljust(_BAR - 5) + "100 %"), no_wrap=True)
    for row, bar in zip(rows, bars, strict=True):
        table.add_row(*map(Text, row), bar)
    notes = _notes(part)
    table.caption = Text("\n".join(notes)) if notes else None
    table.caption_justify = "left"
    return table


def _rows(part: list[QuestionEstimate]) -> tuple[tuple[str, ...], list[tuple[str, ...]], list[str]]:
    first = part[0]
    interval = f"{100 * first.confidence:.6g} % interval"
    if is_pair(first):
        header: tuple[str, ...] = ("group", "reports", f"share of “{printable(first.labels[1])}”", interval)
        rows: list[tuple[str, ...]] = [(group_name(found), f"{found.total:,}", *_share(found, 1)) for found in part]
        return header, rows, [share_bar(found.shares[1], found.intervals[1], _BAR) for found in part]
    order = shown_order(first.shares)
    rows = [(printable(first.labels[place]), *_share(first, place)) for place in order]
    return (
        ("answer", "share", interval),
        rows,
        [share_bar(first.shares[place], first.intervals[place], _BAR) for place in order],
    )


def _share(found: QuestionEstimate, place: int) -> tuple[str, str]:
    return f"{100 * found.shares[place]:.1f} %", interval_words(found.intervals[place])


def _title(part: list[QuestionEstimate]) -> str:
    first = part[0]
    where = "" if first.group is None or is_pair(first) else f" · {group_name(first)}"
    seen = f"ε = {epsilon_text(first.epsilon)}"
    return f"{printable(first.question.text)}{where}  ({first.total:,} reports, {seen})"


def _notes(part: list[QuestionEstimate]) -> list[str]:
    notes = []
    rest = len(part[0].shares) - len(shown_order(part[0].shares))
    if rest:
        notes.append(f"and {rest} rarer answers; --json has them all")
    if part[0].together is not None:
        notes.append(f"intervals that hold together at {100 * part[0].together:.6g} %")
    for found in part:
        who = f"{group_name(found)}: " if len(part) > 1 else ""
        if found.mean is not None:
            inside = found.mean.interval
            notes.append(
                f"{who}mean {found.mean.mean:.4g}, {100 * found.confidence:.6g} % {inside.lower:.4g} to "
                f"{inside.upper:.4g}"
            )
        if found.band is not None:
            share = f"{100 * (found.ignoring or 0):g} %"
            notes.append(f"{who}{interval_words(found.band)} if {share} of the respondents ignored the instructions")
        notes += [f"{who}{note}" for note in found.notes]
    return notes
