"""The respondent's card as an SVG picture."""

from __future__ import annotations

import math
import textwrap
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from sfumato.errors import printable

if TYPE_CHECKING:
    from sfumato.prob.distribution import Label
    from sfumato.surveys.cards import SpinnerCard


# Fill and ink; they differ in lightness too, for printers without colour. Paper is for draws that give no answer.
_PAPER = ("#ece5d5", "#1d2733")
_ANSWERS = (("#2b5d7d", "#ffffff"), ("#e39a4a", "#1d2733"))
_WIDTH = 840
_RADIUS = 150
_CENTRES = (210, 630)
_MOST_TICKS = 40
_STYLE = (
    "text{font-family:system-ui,'Segoe UI','DejaVu Sans',sans-serif;fill:#1d2733}"
    ".title{font-size:22px;font-weight:600}.step{font-size:17px}.soft{font-size:14px;fill:#5b6875}"
    ".head{font-size:19px;font-weight:600}.report{font-size:18px;font-weight:600}.range{font-size:15px}"
    ".tick{font-size:13px;fill:#5b6875}"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CardWords:
    """What stands on a card beside its labels and numbers; names in braces are filled in."""

    draw: str = "{device} Keep the number to yourself."
    find: str = "Find your number on the wheel of your true answer."
    tell: str = "Report what is written there, and nothing else."
    true_answer: str = "My true answer is"
    quoted: str = "“{text}”"
    span: str = "{first} to {last}"
    rule: str = "{span}: report {report}"
    safe: str = "Chance protects you: no report proves what your true answer is."
    exposes: str = "Good to know: the report {reports} reveals the true answer; any other report leaves it open."
    either: str = " or "
    name: str = "Spinner card"


ENGLISH = CardWords()


def spinner_svg(card: SpinnerCard, *, title: str = "", device: str = "", words: CardWords = ENGLISH) -> str:
    """Draw the card. It stands alone: no script, no font, no link; labels are escaped.

    `words` and `device`, which says how to draw a number, are for other languages.

    Returns:
        The picture, as text of an SVG file.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> asked = sf.Card(id="tired", text="Tired?", guess_error=Fraction(3, 8))
    >>> planned, = sf.plan(sf.Study(name="Rest", questions=(asked,))).questions
    >>> picture = sf.output.spinner_svg(planned.card, title="Tired?")
    >>> planned.card.device
    'Toss a coin twice: heads-heads counts as 1, heads-tails as 2, tails-heads as 3, tails-tails as 4.'
    >>> picture.count('class="sector"')
    4
    """
    colours = {report: _PAPER for ranges in card.ranges for _, _, report in ranges}
    colours |= dict(zip(card.answers, _ANSWERS, strict=False))
    parts: list[str] = []
    y = 54
    for line in textwrap.wrap(printable(title), 54)[:6] if title else []:
        parts.append(_text(420, y, line, "title", anchor="middle"))
        y += 30
    y += 4
    steps = [
        f"1.  {words.draw.format(device=printable(device or card.device))}",
        f"2.  {words.find}",
        f"3.  {words.tell}",
    ]
    for step in steps:
        for i, line in enumerate(textwrap.wrap(step, 84)):
            parts.append(_text(48 if i == 0 else 72, y, line, "step"))
            y += 26
    y += 22
    legends = [_legend(ranges, words) for ranges in card.ranges]
    longest = max(sum(len(lines) for _, lines in legend) for legend in legends)
    height = y + 2 * _RADIUS + 150 + 26 * longest
    for centre, answer, ranges, legend in zip(_CENTRES, card.answers, card.ranges, legends, strict=True):
        parts.append(_text(centre, y, words.true_answer, "step", anchor="middle"))
        parts.append(_text(centre, y + 26, words.quoted.format(text=_cut(str(answer), 30)), "head", anchor="middle"))
        middle = y + _RADIUS + 66
        parts += _wheel(centre, middle, card.faces, ranges, colours, words)
        below = middle + _RADIUS + 56
        for report, lines in legend:
            parts.append(
                f'<rect x="{centre - 170}" y="{below - 15}" width="18" height="18" rx="3" '
                f'fill="{colours[report][0]}" stroke="#1d2733"/>'
            )
            for line in lines:
                parts.append(_text(centre - 142, below, line, "step"))
                below += 26
    foot, exposing = words.safe, _exposing(card, words)
    if exposing:
        foot = words.exposes.format(reports=exposing)
    parts.append(_text(420, height - 24, foot, "soft", anchor="middle"))
    name = escape(printable(title) or words.name, quote=True)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" '
        f'height="{height}"><title>{name}</title><style>{_STYLE}</style>'
        f'<rect x="8" y="8" width="{_WIDTH - 16}" height="{height - 16}" rx="18" fill="#ffffff" stroke="#1d2733" '
        f'stroke-width="2"/>{"".join(parts)}</svg>\n'
    )


def _wheel(
    x: float,
    y: float,
    faces: int,
    ranges: tuple[tuple[int, int, Label], ...],
    colours: dict[Label, tuple[str, str]],
    words: CardWords,
) -> list[str]:
    parts = []
    for first, last, report in ranges:
        fill, _ = colours[report]
        start, end = (first - 1) / faces, last / faces
        if end - start >= 1:
            parts.append(
                f'<circle class="sector" cx="{x}" cy="{y}" r="{_RADIUS}" fill="{fill}" stroke="#1d2733" '
                f'stroke-width="1.5"/>'
            )
            continue
        (x1, y1), (x2, y2) = _at(x, y, start, _RADIUS), _at(x, y, end, _RADIUS)
        large = int(end - start > 0.5)
        parts.append(
            f'<path class="sector" d="M{x} {y}L{x1:.2f} {y1:.2f}A{_RADIUS} {_RADIUS} 0 {large} 1 {x2:.2f} {y2:.2f}Z" '
            f'fill="{fill}" stroke="#1d2733" stroke-width="1.5"/>'
        )
    for first, last, report in ranges:
        parts += _label(x, y, first, last, faces, report, colours[report][1], words)
    return parts + _ticks(x, y, faces, ranges)


def _legend(ranges: tuple[tuple[int, int, Label], ...], words: CardWords) -> list[tuple[Label, list[str]]]:
    """Say each range in words, wrapped to the width of its column."""
    found = []
    for first, last, report in ranges:
        named = words.quoted.format(text=_cut(str(report), 40))
        found.append((report, textwrap.wrap(words.rule.format(span=_span(first, last, words), report=named), 36)))
    return found


def _label(
    x: float, y: float, first: int, last: int, faces: int, report: Label, ink: str, words: CardWords
) -> list[str]:
    """Write a report into its sector, with its numbers where both fit; the legend below says it all in any case."""
    share = (last - first + 1) / faces
    place, room = (0.0, 20) if share >= 1 else (0.5, 14) if share > 0.5 else (0.6, 10) if share >= 0.25 else (0.66, 5)
    text = printable(str(report))
    if share < 0.1 or (share < 0.25 and len(text) > room):
        return []
    cx, cy = _at(x, y, (first - 1 + last) / 2 / faces, _RADIUS * place)
    lines = [_text(cx, cy, _cut(text, room), "report", anchor="middle", ink=ink)]
    if share >= 0.15:
        lines.append(_text(cx, cy + 20, _span(first, last, words), "range", anchor="middle", ink=ink))
    return lines


def _ticks(x: float, y: float, faces: int, ranges: tuple[tuple[int, int, Label], ...]) -> list[str]:
    """Number every face around the rim, or only where a sector begins when there are too many faces."""
    numbers = range(1, faces + 1) if faces <= _MOST_TICKS else [first for first, _, _ in ranges]
    parts = []
    for number in numbers:
        # With few faces a number belongs in the middle of its own piece; with many, at the line where it begins.
        turn = (number - 0.5) / faces if faces <= _MOST_TICKS else (number - 1) / faces
        cx, cy = _at(x, y, turn, _RADIUS + 16)
        parts.append(_text(cx, cy + 5, str(number), "tick", anchor="middle"))
        if faces <= _MOST_TICKS:
            (x1, y1), (x2, y2) = (_at(x, y, (number - 1) / faces, _RADIUS + d) for d in (-6, 6))
            parts.append(f'<path d="M{x1:.2f} {y1:.2f}L{x2:.2f} {y2:.2f}" stroke="#1d2733"/>')
    return parts


def _exposing(card: SpinnerCard, words: CardWords) -> str:
    """Name the reports that only one answer can give; a card must not promise what its design does not keep."""
    seen: dict[Label, int] = {}
    for ranges in card.ranges:
        for report in {report for _, _, report in ranges}:
            seen[report] = seen.get(report, 0) + 1
    proving = (words.quoted.format(text=_cut(str(report), 22)) for report, times in seen.items() if times == 1)
    return words.either.join(proving)


def _at(x: float, y: float, turn: float, radius: float) -> tuple[float, float]:
    """Return the point at a part of a turn, clockwise from the top."""
    angle = 2 * math.pi * turn
    return x + radius * math.sin(angle), y - radius * math.cos(angle)


def _text(x: float, y: float, text: str, kind: str, *, anchor: str = "start", ink: str = "") -> str:
    colour = f' style="fill:{ink}"' if ink else ""
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{colour}>{escape(text)}</text>'


def _span(first: int, last: int, words: CardWords) -> str:
    return str(first) if first == last else words.span.format(first=first, last=last)


def _cut(label: str, room: int) -> str:
    shown = printable(label)
    return shown if len(shown) <= room else shown[: room - 1] + "…"
