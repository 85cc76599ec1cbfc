"""Certificates and audits as a page, as terminal tables and as Markdown."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING

from sfumato.certificates.pages import checked_page, claim_mark, digest_in, name_of, status_of, value_of
from sfumato.display.notebooks import headline, html_table, paragraphs
from sfumato.display.tables import FittedTable, scroll_box
from sfumato.errors import printable
from sfumato.prob.channel import Channel
from sfumato.prob.pictures import heatmap_svg
from sfumato.prob.structured import AnyChannel

if TYPE_CHECKING:
    from rich.console import RenderableType

    from sfumato.certificates.auditing import Audit
    from sfumato.certificates.certificate import Certificate


# --- Certificates and audits for a terminal and as Markdown


_COLUMNS = ("measure", "value", "status", "in plain words")
# What Markdown or a browser would read as more than text.
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

    table = FittedTable(
        header=_COLUMNS,
        rows=[[printable(cell) for cell in row] for row in _cells(certificate)],
        title=printable(certificate.title),
        left=range(4),
    )
    below = [f"Note: {note}" for note in certificate.notes] + [f"Source: {source}" for source in certificate.sources]
    return Group(table, *(Text(printable(line)) for line in below))


def certificate_view(certificate: Certificate) -> str:
    """Return what a notebook shows of a certificate."""
    cited = "<br>".join(escape(str(source)) for source in certificate.sources)
    table = html_table(_COLUMNS, _cells(certificate))
    below = f"<p><small>{cited}</small></p>" if cited else ""
    return f"{headline(certificate.title)}{table}{paragraphs(certificate.notes)}{below}"


def _cells(certificate: Certificate) -> list[tuple[str, ...]]:
    return [
        (name_of(claim, certificate), value_of(claim), status_of(claim), claim.sentence) for claim in certificate.claims
    ]


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
