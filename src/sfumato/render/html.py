"""A certificate as one HTML page that needs nothing but itself: no script, no font, no link to elsewhere."""

from __future__ import annotations

import math
from html import escape

from sfumato.certificates import Certificate
from sfumato.printing import printable_lines
from sfumato.prob import AnyChannel, Channel
from sfumato.render.heatmap import heatmap_svg
from sfumato.render.notebooks import html_table
from sfumato.render.numbers import name_of, status_of, value_of
from sfumato.render.page_style import digest_in, embedded_document, scroll_box, whole_page


def certificate_html(certificate: Certificate) -> str:
    """Return the page of a certificate of any kind."""
    document = certificate.to_json()
    notes = "".join(f"<p>{escape(note)}</p>" for note in certificate.notes)
    table = f"""<table><thead><tr><th scope="col">Measure</th><th scope="col">Value</th>
<th scope="col">Status</th><th scope="col">Because</th></tr></thead><tbody>{_rows(certificate)}</tbody></table>"""
    body = f"""<main><h1>{escape(certificate.title)}</h1>
<p class="lead">{escape(certificate.kind.about(certificate.subject))}</p>
<h2>In plain words</h2><ul class="plain">{_sentences(certificate)}</ul>
{_picture(certificate.kind.picture(certificate.subject))}{notes}
<h2>Every claim</h2>{scroll_box("Every claim", table)}
{_sources(certificate)}<h2>Check it yourself</h2>
<p>Save the sealed certificate as <code>certificate.json</code> and run <code>sfumato verify certificate.json</code>.
Every claim is recomputed from what the certificate is about.</p>
{embedded_document("The sealed certificate (JSON)", document)}</main>
<footer>Digest <code>{digest_in(document)}</code></footer>"""
    return whole_page(certificate.title, body)


def certificate_notebook_html(certificate: Certificate) -> str:
    """Return what a notebook shows of a certificate."""
    rows = [(name_of(claim), value_of(claim), status_of(claim), claim.sentence) for claim in certificate.claims]
    below = "".join(f"<p>{escape(note)}</p>" for note in certificate.notes)
    cited = "<br>".join(escape(str(source)) for source in certificate.sources)
    return printable_lines(
        f"<p><strong>{escape(certificate.title)}</strong></p>"
        + html_table(("measure", "value", "status", "in plain words"), rows)
        + below
        + (f"<p><small>{cited}</small></p>" if cited else "")
    )


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
        f'<tr><th scope="row">{escape(name_of(claim))}</th><td class="value">{escape(value_of(claim))}</td>'
        f'<td class="status">{escape(status_of(claim))}</td><td class="why">{escape(claim.because)}</td></tr>'
        for claim in certificate.claims
    )


def _sources(certificate: Certificate) -> str:
    items = "".join(f"<li>{escape(str(source))}</li>" for source in certificate.sources)
    return f'<h2>Sources</h2><ul class="plain">{items}</ul>\n' if items else ""
