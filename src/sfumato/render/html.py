"""A certificate as one HTML page that needs nothing but itself, and checks itself: no font, no link to elsewhere."""

from __future__ import annotations

import math
from html import escape

from sfumato.certificates import Certificate
from sfumato.prob import AnyChannel, Channel
from sfumato.render.heatmap import heatmap_svg
from sfumato.render.numbers import name_of, status_of, value_of
from sfumato.render.page_style import checking_page, digest_in, embedded_document, saving_link, scroll_box
from sfumato.render.self_checks import check_line


def certificate_html(certificate: Certificate) -> str:
    """Return the page of a certificate of any kind.

    Returns:
        The page, complete in itself.

    >>> import sfumato as sf
    >>> made = sf.certify(sf.Channel([[0.75, 0.25], [0.25, 0.75]]))
    >>> page = sf.render.certificate_html(made)
    >>> page[:15], all(claim.sentence in page for claim in made.claims)
    ('<!doctype html>', True)
    """
    document = certificate.to_json()
    notes = "".join(f'<p data-part="note">{escape(note)}</p>' for note in certificate.notes)
    table = f"""<table><thead><tr><th scope="col">Measure</th><th scope="col">Value</th>
<th scope="col">Status</th><th scope="col">Because</th></tr></thead><tbody>{_rows(certificate)}</tbody></table>"""
    body = f"""<main data-certified="" data-whole><h1>{escape(certificate.title)}</h1>
<p class="lead">{escape(certificate.kind.about(certificate.subject))}</p>
{check_line()}
<h2>In plain words</h2><ul class="plain">{_sentences(certificate)}</ul>
{_picture(certificate.kind.picture(certificate.subject))}{notes}
<h2>Every claim</h2>{scroll_box("Every claim", table)}
{_sources(certificate)}<h2>Check it yourself</h2>
<p>This page works every claim out again in your browser and compares what it shows with the sealed certificate. A page
that is made to deceive could pretend to. So save the sealed certificate as <code>certificate.json</code> and run
<code>sfumato verify certificate.json</code>, or <code>python sfumato_check.py certificate.json</code>, where you trust
the machine. Every claim is recomputed from what the certificate is about.</p>
{saving_link("certificate.json", document)}{embedded_document("The sealed certificate (JSON)", document)}
<footer>Digest <code data-part="digest">{digest_in(document)}</code></footer></main>"""
    return checking_page(certificate.title, body)


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
        items.append(
            f'<li{mark} data-claim="{escape(claim.measure)}" data-part="sentence">{escape(claim.sentence)}</li>'
        )
    return "".join(items)


def _rows(certificate: Certificate) -> str:
    return "".join(
        f'<tr data-claim="{escape(claim.measure)}">'
        f'<th scope="row" data-part="name">{escape(name_of(claim, certificate))}</th>'
        f'<td class="value" data-part="value">{escape(value_of(claim))}</td>'
        f'<td class="status" data-part="status">{escape(status_of(claim))}</td>'
        f'<td class="why" data-part="because">{escape(claim.because)}</td></tr>'
        for claim in certificate.claims
    )


def _sources(certificate: Certificate) -> str:
    items = "".join(f'<li data-part="source">{escape(str(source))}</li>' for source in certificate.sources)
    return f'<h2>Sources</h2><ul class="plain">{items}</ul>\n' if items else ""
