"""Plans and estimates of surveys for a terminal, and as Markdown."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from sfumato.certificates import Certificate
from sfumato.certificates.words import at_most, percent, percent_at_least, percent_at_most
from sfumato.values import Interval

if TYPE_CHECKING:  # rich, and rooms that are slow to enter, wait until something is printed
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

    from sfumato.infer import ShareEstimate
    from sfumato.study import DesignCost, Plan, SurveyPlan

_TOO_FINE = (
    "The draw is too fine for coins, dice or a phone. Set faces = 1000 in the study (--faces of the command) for a "
    "card, or let the software draw."
)
_COST_HEADER = ("design", "respondents", "J", "guess error", "ε (nats)", "exposure")
_NAME_WIDTH = 20
_LEAST_BAR = 20


def plan_table(plan: SurveyPlan, certificate: Certificate) -> RenderableType:
    """Return the whole plan for rich to print: what respondents do, what protects them, what it costs."""
    from rich.console import Group  # noqa: PLC0415  rich is only needed to print
    from rich.text import Text  # noqa: PLC0415

    study = plan.study
    parts: list[RenderableType] = [Text(f"{study.name}: {study.question}", style="bold"), Text()]
    parts.append(Text(f"What each respondent does ({plan.design.name})", style="bold"))
    lines = plan.card.lines() if plan.card is not None else (_TOO_FINE,)
    parts += [_indented(Text(f"{i}. {line}")) for i, line in enumerate(lines, start=1)]
    parts += [Text(), Text("What it protects", style="bold")]
    for is_alarming, sentence in protection(certificate):
        mark, style = ("!", "red") if is_alarming else ("·", "")
        parts.append(_indented(Text(f"{mark} {sentence}", style=style)))
    costs = _table(_COST_HEADER, _cost_rows(plan), chosen=0)
    levels = _table(_level_header(plan), _level_rows(plan), chosen=_chosen_level(plan))
    parts += [Text(), Text(goal_words(study.plan, study.answers[1]), style="bold"), costs]
    parts += [Text(), Text("About how many respondents each level of privacy costs", style="bold"), levels]
    return Group(*parts)


def plan_markdown(plan: SurveyPlan, certificate: Certificate) -> str:
    """Return the same plan as Markdown."""
    study = plan.study
    lines = plan.card.lines() if plan.card is not None else (_TOO_FINE,)
    said = [f"## {escaped(study.name)}: {escaped(study.question)}", ""]
    said += [f"**What each respondent does** ({plan.design.name})", ""]
    said += [f"{i}. {escaped(line)}" for i, line in enumerate(lines, start=1)]
    said += ["", "**What it protects**", ""]
    said += [f"- {'**!** ' if alarming else ''}{sentence}" for alarming, sentence in protection(certificate)]
    said += ["", f"**{escaped(goal_words(study.plan, study.answers[1]))}**", ""]
    said += markdown_table(_COST_HEADER, _cost_rows(plan))
    said += ["", "**About how many respondents each level of privacy costs**", ""]
    said += markdown_table(_level_header(plan), _level_rows(plan))
    return "\n".join(said) + "\n"


def protection(certificate: Certificate) -> list[tuple[bool, str]]:
    """Return the sentences that a respondent should know, and whether each is an alarm."""
    claims = [certificate[measure] for measure in ("guess_error", "exposure", "epsilon")]
    return [
        ((claim.measure == "exposure" and claim.value != 0) or claim.value == math.inf, claim.sentence)
        for claim in claims
    ]


def goal_words(plan: Plan, answer: str) -> str:
    """Say what the respondents are needed for."""
    from sfumato.study.surveys import DEFAULT_HALF_WIDTH  # noqa: PLC0415  a room that is slow to enter

    if plan.theta_1 is not None and plan.theta_2 is not None and plan.error is not None:
        return (
            f"Respondents needed to tell a share of {percent(plan.theta_1)} “{answer}” from {percent(plan.theta_2)}, "
            f"wrong at most {percent(plan.error)} of the time either way"
        )
    half_width = 100 * float(DEFAULT_HALF_WIDTH if plan.half_width is None else plan.half_width)
    return (
        f"Respondents needed for a {percent(plan.confidence)} interval of ± {half_width:.6g} percentage points"
        f"{' (no goal was given)' if plan.half_width is None else ''}, if {percent(plan.share)} hold “{answer}”"
    )


def estimates_text(
    estimates: Mapping[str, ShareEstimate],
    *,
    question: str,
    answer: str,
    together: float | None = None,
    bands: Mapping[str, Interval] | None = None,
    ignoring: float = 0.0,
    width: int = 100,
) -> str:
    """Return one line a group: number of reports, estimate, interval, and the interval on an axis of 0 to 100 %.

    `together` is the confidence at which all intervals hold at once, if they were made so.
    """
    from rich.cells import cell_len, set_cell_size  # noqa: PLC0415  rich is only needed to print

    names = {name: _fitted(name) for name in estimates}
    widest = max(5, *(cell_len(name) for name in names.values()))
    heads = ["reports", "estimate", "interval"]
    rows = {
        name: (f"{found.total:,}", f"{100 * found.share:.1f} %", interval_words(found.interval))
        for name, found in estimates.items()
    }
    widths = [max(len(head), *(len(row[i]) for row in rows.values())) for i, head in enumerate(heads)]
    bar = max(_LEAST_BAR, width - widest - sum(widths) - 2 * (len(widths) + 1))
    axis = "0 %" + "50 %".center(bar - 8) + "100 %"
    first = next(iter(estimates.values()))
    said = [
        printable(question),
        f"Share of “{printable(answer)}” with {interval_name(first, together)}",
        "",
        "  ".join([" " * widest, *(head.rjust(w) for head, w in zip(heads, widths, strict=True)), axis]).rstrip(),
    ]
    for name, found in estimates.items():
        cells = [cell.rjust(w) for cell, w in zip(rows[name], widths, strict=True)]
        said.append("  ".join([set_cell_size(names[name], widest), *cells, interval_bar(found, bar)]))
    notes = [
        textwrap.fill(f"{names[name]}: {note}", width, subsequent_indent="  ")
        for name, found in estimates.items()
        for note in found.notes
    ]
    if bands:
        share = f"{100 * ignoring:.6g} %"
        notes.append(f"If {share} of the respondents ignored the instructions, the estimate could be anywhere in:")
        notes += [f"  {names[name]}: {interval_words(band)}" for name, band in bands.items()]
    return "\n".join([*said, *([""] if notes else []), *notes]) + "\n"


def estimates_markdown(
    estimates: Mapping[str, ShareEstimate], *, question: str, answer: str, bands: Mapping[str, Interval] | None = None
) -> str:
    """Return the estimates as a Markdown table."""
    header = ("group", "reports", f"share of {answer}", "interval", *(("band",) if bands else ()), "notes")
    rows = [
        (
            printable(name),
            f"{found.total:,}",
            f"{100 * found.share:.1f} %",
            interval_words(found.interval),
            *((interval_words(bands[name]),) if bands else ()),
            " ".join(found.notes),
        )
        for name, found in estimates.items()
    ]
    return "\n".join([f"## {escaped(question)}", "", *markdown_table(header, rows)]) + "\n"


def interval_bar(found: ShareEstimate, width: int) -> str:
    """Draw an interval and its estimate on a line of `width` cells from 0 to 100 %."""
    cells = ["·"] * width
    low, point, high = (
        min(width - 1, int(value * width)) for value in (found.interval.lower, found.share, found.interval.upper)
    )
    cells[low : high + 1] = "─" * (high + 1 - low)
    cells[low], cells[high] = "├", "┤"
    cells[point] = "●"
    return "".join(cells)


def interval_name(found: ShareEstimate, together: float | None = None) -> str:
    """Say what kind of intervals these are."""
    if together is not None:
        return f"{found.method} intervals that hold together at {100 * together:.6g} %"
    return f"{found.method} {100 * found.confidence:.6g} % intervals"


def interval_words(interval: Interval) -> str:
    """Write an interval in percent, rounded outwards."""
    low = math.floor(interval.lower * 1000 + 1e-9) / 10
    high = math.ceil(interval.upper * 1000 - 1e-9) / 10
    return f"{low:.1f} – {high:.1f} %"


def printable(text: str) -> str:
    """Replace what would move a cursor or break a picture; labels of groups come from a file."""
    return "".join(letter if letter.isprintable() or letter == "\u00a0" else "\ufffd" for letter in text)


def _cost_rows(plan: SurveyPlan) -> list[tuple[str, ...]]:
    return [
        (
            cost.name,
            _respondents(cost),
            f"{cost.information:.4f}" if math.isfinite(cost.information) else "∞",
            percent_at_least(cost.guess_error),
            "∞" if cost.epsilon == math.inf else at_most(cost.epsilon),
            percent_at_most(cost.exposure),
        )
        for cost in plan.costs
    ]


def _respondents(cost: DesignCost) -> str:
    if cost.respondents is None:
        return "too many"
    return f"{cost.respondents:,}" if cost.rule == "exact" else f"≈ {_rounded(cost.respondents, 3):,}"


def _level_header(plan: SurveyPlan) -> tuple[str, ...]:
    return ("guess error", *(name for name, _ in plan.levels[0].respondents))


def _level_rows(plan: SurveyPlan) -> list[tuple[str, ...]]:
    return [(percent(level.guess_error), *(_about(n) for _, n in level.respondents)) for level in plan.levels]


def _chosen_level(plan: SurveyPlan) -> int:
    return [level.guess_error for level in plan.levels].index(plan.study.limits.guess_error)


def _about(respondents: float) -> str:
    """Round to two digits: the approximation is good for no more."""
    if not math.isfinite(respondents):
        return "too many"
    return f"{_rounded(max(1, math.ceil(respondents)), 2):,}"


def _rounded(whole: int, digits: int) -> int:
    return round(whole, digits - len(str(whole)))


def _indented(text: Text) -> RenderableType:
    from rich.padding import Padding  # noqa: PLC0415  rich is only needed to print

    return Padding(text, (0, 0, 0, 2))


def _table(header: Sequence[str], rows: Iterable[Sequence[str]], *, chosen: int) -> Table:
    from rich.table import Table  # noqa: PLC0415  rich is only needed to print
    from rich.text import Text  # noqa: PLC0415

    table = Table()
    for i, name in enumerate(header):
        table.add_column(name, justify="right" if i else "left")
    for i, row in enumerate(rows):
        first = f"▸ {row[0]}" if i == chosen else f"  {row[0]}"
        table.add_row(*(Text(cell) for cell in (first, *row[1:])), style="bold" if i == chosen else "")
    return table


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return a table as lines of Markdown."""
    lines = ["| " + " | ".join(map(escaped, header)) + " |", "|---" * len(header) + "|"]
    return lines + ["| " + " | ".join(map(escaped, row)) + " |" for row in rows]


def escaped(cell: str) -> str:
    """Keep text from being read as Markdown."""
    return printable(cell).replace("\\", "\\\\").replace("|", "\\|")


def _fitted(name: str) -> str:
    from rich.cells import cell_len, set_cell_size  # noqa: PLC0415  rich is only needed to print

    shown = printable(name)
    return shown if cell_len(shown) <= _NAME_WIDTH else set_cell_size(shown, _NAME_WIDTH - 1) + "…"
