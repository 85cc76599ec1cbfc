"""Certificates and audits as a page, as terminal tables and as Markdown."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from sfumato.certificates.auditing import Audit
from sfumato.certificates.certificate import Certificate
from sfumato.display.tables import FittedTable, scroll_box
from sfumato.errors import printable
from sfumato.numbers.exact import FloatArray
from sfumato.output.pages import checked_page, claim_mark, digest_in, name_of, status_of, value_of
from sfumato.prob.channel import Channel
from sfumato.prob.structured import AnyChannel

if TYPE_CHECKING:
    from rich.console import RenderableType


# --- Certificates and audits for a terminal and as Markdown


# Characters that Markdown or a browser would read as markup.
_MARKS = str.maketrans({mark: f"\\{mark}" for mark in "\\|`*[]"} | {"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def certificate_table(certificate: Certificate) -> RenderableType:
    r"""Return a table for rich to print: the number, how well it is known, what it means, and on whose word.

    >>> from io import StringIO
    >>> from rich.console import Console
    >>> import sfumato as sf
    >>> table = sf.output.certificate_table(sf.certify(sf.Channel([[0.75, 0.25], [0.25, 0.75]])))
    >>> console = Console(file=StringIO(), width=100)
    >>> console.print(table)  # or rich.print(table), to a terminal
    >>> print(*console.file.getvalue().splitlines()[1:5], sep="\n")
    ┏━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┓
    ┃ measure                      ┃ value            ┃ status           ┃ in plain words              ┃
    ┡━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┩
    │ guess error                  │ 1/4              │ exact            │ A guesser who knows the     │
    """
    from rich.console import Group  # noqa: PLC0415  rich is only needed to print
    from rich.text import Text  # noqa: PLC0415

    cells = [
        (name_of(claim, certificate), value_of(claim), status_of(claim), claim.sentence) for claim in certificate.claims
    ]
    table = FittedTable(
        header=("measure", "value", "status", "in plain words"),
        rows=[[printable(cell) for cell in row] for row in cells],
        title=printable(certificate.title),
        left=range(4),
    )
    below = [f"Note: {note}" for note in certificate.notes] + [f"Source: {source}" for source in certificate.sources]
    return Group(table, *(Text(printable(line)) for line in below))


def certificate_markdown(certificate: Certificate) -> str:
    """Return the claims as a Markdown table, with the notes and the works they cite.

    >>> import sfumato as sf
    >>> lines = sf.output.certificate_markdown(sf.certify(sf.Channel([[0.75, 0.25], [0.25, 0.75]]))).splitlines()
    >>> lines[0], lines[4][:49]
    ('## Certificate of a channel: 2 answers → 2 reports', '| guess error | 1/4 | exact | A guesser who knows')
    """
    lines = [
        f"## {_escape(certificate.title)}",
        "",
        "| measure | value | status | in plain words | because |",
        "|---|---|---|---|---|",
    ]
    for claim in certificate.claims:
        cells = (name_of(claim, certificate), value_of(claim), status_of(claim), claim.sentence, claim.because)
        lines.append("| " + " | ".join(_escape(cell) for cell in cells) + " |")
    for note in certificate.notes:
        lines += ["", f"> {_escape(note)}"]
    if certificate.sources:
        lines += ["", "Sources:", "", *(f"- {_escape(str(source))}" for source in certificate.sources)]
    return "\n".join(lines) + "\n"


def audit_text(audit: Audit) -> str:
    """Return an audit in a few lines.

    >>> import sfumato as sf
    >>> found = sf.certificates.audit_counts([[820, 180], [190, 810]], claimed_epsilon=1.0, answers=("no", "yes"))
    >>> print(sf.output.audit_text(found))
    From 2000 draws ε is at least 1.09, which contradicts the claim of 1.
    Confidence 1 - 1e-06 for all bounds together; the strongest evidence is report 1 under answer yes against answer no.
    Bits: not known.
    """
    favoured, other, report = (printable(str(label)) for label in audit.pair)
    return (
        f"{audit.sentence}\n"
        f"Confidence 1 - {1 - audit.confidence:.0e} for all bounds together; the strongest evidence is report {report} "
        f"under answer {favoured} against answer {other}.\n"
        f"Bits: {printable(audit.bits)}."
    )


def _escape(cell: str) -> str:
    return printable(cell).translate(_MARKS)


# --- A channel as a picture: darker is likelier


_MOST_CELLS = 96
_MOST_NUMBERED = 10
_CELL = 56
_MARGIN_LEFT = 96
_MARGIN_TOP = 44
_PIXELS = 560
_LABEL_LENGTH = 12


def heatmap_svg(channel: AnyChannel) -> str:
    """Draw P(y|x), inputs downwards and outputs to the right; a large structured channel shows its shift law.

    Returns:
        The picture, as text of an SVG file.

    >>> import re
    >>> import sfumato as sf
    >>> picture = sf.output.heatmap_svg(sf.Channel([[0.75, 0.25], [0.25, 0.75]]))
    >>> re.findall("<title>(.*?)</title>", picture)
    ['P(report | answer): 2 answers downwards, 2 reports to the right', '0.75', '0.25', '0.25', '0.75']
    """
    if isinstance(channel, Channel):
        return _matrix_svg(_shrink(channel.array), channel)
    law = np.array([[float(value) for value in channel.law]])
    title = f"Law of the shift U in Y = X + U mod {channel.shape[1]}"
    return _svg(_shrink(law), title, ["U"], [], height=72)


def _matrix_svg(matrix: FloatArray, channel: Channel) -> str:
    rows, columns = channel.shape
    title = f"P(report | answer): {rows} answers downwards, {columns} reports to the right"
    whole = matrix.shape == channel.shape and max(matrix.shape) <= 2 * _MOST_NUMBERED
    inputs = [str(label) for label in channel.inputs] if whole else []
    outputs = [str(label) for label in channel.outputs] if whole else []
    return _svg(matrix, title, inputs, outputs, height=None)


def _svg(matrix: FloatArray, title: str, inputs: list[str], outputs: list[str], *, height: int | None) -> str:
    rows, columns = matrix.shape
    cell = min(float(_CELL), _PIXELS / columns)
    tall = cell if height is None else float(height)
    width = _MARGIN_LEFT + cell * columns + 8
    full = _MARGIN_TOP + tall * rows + 8
    top = float(matrix.max()) or 1.0
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="heatmap" role="img" viewBox="0 0 {width:.0f} {full:.0f}" '
        f'width="{width:.0f}" height="{full:.0f}"><title>{escape(title)}</title>'
    )
    parts = [head]
    for y, label in enumerate(outputs):
        centre = _MARGIN_LEFT + cell * (y + 0.5)
        parts.append(
            f'<text class="label" x="{centre:.1f}" y="{_MARGIN_TOP - 10}" text-anchor="middle">{_cut(label)}</text>'
        )
    for x in range(rows):
        middle = _MARGIN_TOP + tall * (x + 0.5)
        if x < len(inputs):
            parts.append(
                f'<text class="label" x="{_MARGIN_LEFT - 10}" y="{middle + 4:.1f}" text-anchor="end">'
                f"{_cut(inputs[x])}</text>"
            )
        for y in range(columns):
            share = float(matrix[x, y])
            left = _MARGIN_LEFT + cell * y
            shade = share / top
            parts.append(
                f'<rect class="cell" x="{left:.2f}" y="{_MARGIN_TOP + tall * x:.2f}" width="{cell + 0.3:.2f}" '
                f'height="{tall + 0.3:.2f}" fill="{_colour(shade)}"><title>{share:.6g}</title></rect>'
            )
            if max(rows, columns) <= _MOST_NUMBERED and height is None:
                ink = "#fff" if shade > 0.55 else "#1d2733"
                parts.append(
                    f'<text x="{left + cell / 2:.1f}" y="{middle + 4:.1f}" text-anchor="middle" fill="{ink}">'
                    f"{_number(share)}</text>"
                )
    parts.append("</svg>")
    return "".join(parts)


def _shrink(matrix: FloatArray) -> FloatArray:
    """Large tables are drawn by the largest entry of each block, so that nothing sharp is averaged away."""
    for axis in (0, 1):
        size = matrix.shape[axis]
        if size > _MOST_CELLS:
            starts = np.unique(np.linspace(0, size, _MOST_CELLS, endpoint=False).astype(int))
            matrix = np.maximum.reduceat(matrix, starts, axis=axis)
    return matrix


def _colour(shade: float) -> str:
    """From paper to deep blue-green, evenly in lightness."""
    low, high = (244, 241, 234), (17, 74, 92)
    red, green, blue = (round(a + (b - a) * shade) for a, b in zip(low, high, strict=True))
    return f"rgb({red},{green},{blue})"


def _number(share: float) -> str:
    if share in (0.0, 1.0):
        return f"{share:.0f}"
    return f"{share:.3f}".lstrip("0") if share >= 0.0005 else f"{share:.0e}"


def _cut(label: str) -> str:
    return escape(label if len(label) <= _LABEL_LENGTH else label[: _LABEL_LENGTH - 1] + "…")


def certificate_html(certificate: Certificate) -> str:
    """Return the page of a certificate of any kind.

    Returns:
        The page, complete in itself.

    >>> import sfumato as sf
    >>> made = sf.certify(sf.Channel([[0.75, 0.25], [0.25, 0.75]]))
    >>> page = sf.output.certificate_html(made)
    >>> page[:15], all(claim.sentence in page for claim in made.claims)
    ('<!doctype html>', True)
    """
    notes = "".join(f"<p>{escape(note)}</p>" for note in certificate.notes)
    table = f"""<table><thead><tr><th scope="col">Measure</th><th scope="col">Value</th>
<th scope="col">Status</th><th scope="col">Because</th></tr></thead><tbody>{_rows(certificate)}</tbody></table>"""
    body = f"""<main><h1>{escape(certificate.title)}</h1>
<p class="lead">{escape(certificate.kind.about(certificate.subject))}</p>
<h2>In plain words</h2><ul class="plain">{_sentences(certificate)}</ul>
{_picture(certificate.kind.picture(certificate.subject))}{notes}
<h2>Every claim</h2>{scroll_box("Every claim", table)}
{_sources(certificate)}<p>Digest of the certificate: <code>{digest_in(certificate.to_json())}</code></p></main>"""
    return checked_page(certificate.title, body, certificates=[certificate])


def _picture(channel: AnyChannel | None) -> str:
    if channel is None:
        return ""
    if isinstance(channel, Channel):
        caption = "How likely each report (to the right) is under each answer (downwards); darker is likelier."
    else:
        caption = "How likely each shift between answer and report is, from shift 0 on the left; darker is likelier."
    picture = scroll_box("The channel", heatmap_svg(channel))
    return f'<h2>The channel</h2>{picture}\n<p class="caption">{caption}</p>'


def _sentences(certificate: Certificate) -> str:
    items = []
    for claim in certificate.claims:
        alarming = (claim.measure == "exposure" and claim.value != 0) or claim.value == math.inf
        mark = ' class="warn"' if alarming else ""
        items.append(f"<li{mark}>{escape(claim.sentence)}</li>")
    return "".join(items)


def _rows(certificate: Certificate) -> str:
    return "".join(
        f'<tr><th scope="row">{escape(name_of(claim, certificate))}</th>'
        f'<td class="value">{claim_mark(0, place, "value")}</td>'
        f'<td class="status">{claim_mark(0, place, "status")}</td>'
        f'<td class="why">{escape(claim.because)}</td></tr>'
        for place, claim in enumerate(certificate.claims)
    )


def _sources(certificate: Certificate) -> str:
    items = "".join(f"<li>{escape(str(source))}</li>" for source in certificate.sources)
    return f'<h2>Sources</h2><ul class="plain">{items}</ul>\n' if items else ""
