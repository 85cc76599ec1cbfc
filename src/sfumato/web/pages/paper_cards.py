"""How a question is drawn by hand: a table of numbers and reports, and the card as a picture where there is one."""

from __future__ import annotations

from base64 import b64encode
from html import escape

from sfumato.design import SpinnerCard
from sfumato.render.sheets import scroll_box
from sfumato.render.spinner import CardWords, spinner_svg
from sfumato.web.pages.page_messages import Messages

# What people have at hand, by number of faces; everything else is drawn by a phone.
_DEVICES = {
    2: "coin", 4: "two_coins", 6: "die", 8: "die", 10: "die_ten", 12: "die", 20: "die", 36: "two_dice",
    100: "percent_dice", 1000: "three_dice",
}  # fmt: skip
_WORDS = ("draw", "find", "tell", "true_answer", "rule", "safe", "exposes", "either", "name")
# A picture has a wheel for each of two answers.
_WHEELS = 2


def drawing_words(card: SpinnerCard, messages: Messages) -> str:
    """Say how a number is drawn."""
    return messages(f"device.{_DEVICES.get(card.faces, 'any')}", faces=card.faces)


def proving_reports(card: SpinnerCard) -> tuple[str, ...]:
    """Return the reports that only one answer can give: a page must not promise what a card does not keep."""
    givers: dict[str, set[str]] = {}
    for answer, ranges in zip(card.answers, card.ranges, strict=True):
        for _, _, report in ranges:
            givers.setdefault(str(report), set()).add(str(answer))
    return tuple(report for report, answers in givers.items() if len(answers) == 1)


def card_table(card: SpinnerCard, messages: Messages, label: str) -> str:
    """Return the card as a table: a part for each true answer, a line for each range of numbers."""
    heads = "".join(
        f'<th scope="col">{escape(messages(f"paper.{key}"))}</th>' for key in ("true_answer", "number_is", "report_is")
    )
    parts = []
    for answer, ranges in zip(card.answers, card.ranges, strict=True):
        lines = []
        for place, (first, last, report) in enumerate(ranges):
            span = str(first) if first == last else messages("paper.span", first=first, last=last)
            head = f'<th scope="rowgroup" rowspan="{len(ranges)}">{escape(str(answer))}</th>' if place == 0 else ""
            lines.append(f"<tr>{head}<td>{escape(span)}</td><td><strong>{escape(str(report))}</strong></td></tr>")
        parts.append(f"<tbody>{''.join(lines)}</tbody>")
    return scroll_box(
        label,
        f'<table class="card"><caption>{escape(messages("paper.table"))}</caption>'
        f"<thead><tr>{heads}</tr></thead>{''.join(parts)}</table>",
    )


def card_picture(card: SpinnerCard, title: str, messages: Messages) -> str:
    """Return the card as a picture to print; empty where there are more answers than wheels."""
    if len(card.answers) != _WHEELS:
        return ""
    words = CardWords(
        **{name: messages(f"card.{name}") for name in _WORDS},
        quoted=messages("page.quoted"),
        span=messages("paper.span"),
    )
    drawn = spinner_svg(card, title=title, device=drawing_words(card, messages), words=words)
    data = b64encode(drawn.encode()).decode()
    said = f"{drawing_words(card, messages)} {messages('paper.step_find')}"
    alt = escape(messages("paper.card_alt", words=said), quote=True)
    return f'<figure><img src="data:image/svg+xml;base64,{data}" alt="{alt}"></figure>'
