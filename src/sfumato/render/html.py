"""A certificate as one HTML page that needs nothing but itself: no font, no script, no link to elsewhere."""

from __future__ import annotations

import math
from html import escape

from sfumato.certificates import Certificate
from sfumato.prob import AnyChannel, Channel
from sfumato.render.heatmap import heatmap_svg
from sfumato.render.numbers import name_of
from sfumato.render.page_style import checked_page, digest_in
from sfumato.render.page_texts import claim_mark
from sfumato.render.sheets import scroll_box


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
