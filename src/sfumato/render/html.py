"""A certificate as one HTML page that needs nothing but itself: no script, no font, no link to elsewhere."""

from __future__ import annotations

from html import escape

from sfumato.certificates import Certificate
from sfumato.certificates.words import fraction_text
from sfumato.prob import Channel
from sfumato.render.heatmap import heatmap_svg
from sfumato.render.numbers import name_of, status_of, value_of
from sfumato.render.page_style import digest_in, embedded_document, scroll_box, whole_page

_MOST_PRIOR = 40


def certificate_html(certificate: Certificate) -> str:
    """Return the page."""
    document = certificate.to_json()
    inputs, outputs = certificate.subject.shape
    kind = "an exact channel" if isinstance(certificate.subject, Channel) else "a structured exact channel"
    notes = "".join(f"<p>{escape(note)}</p>" for note in certificate.notes)
    table = f"""<table><thead><tr><th scope="col">Measure</th><th scope="col">Value</th>
<th scope="col">Status</th><th scope="col">Because</th></tr></thead><tbody>{_rows(certificate)}</tbody></table>"""
    body = f"""<main><h1>Privacy certificate</h1>
<p class="lead">About {kind} with {inputs} possible answers and {outputs} possible reports.
{escape(_prior_words(certificate))}</p>
<h2>In plain words</h2><ul class="plain">{_sentences(certificate)}</ul>
<h2>The channel</h2>{scroll_box("The channel", heatmap_svg(certificate.subject))}
<p class="caption">{_caption(certificate)}</p>{notes}
<h2>Every claim</h2>{scroll_box("Every claim", table)}
<h2>Check it yourself</h2>
<p>Save the sealed certificate as <code>certificate.json</code> and run <code>sfumato verify certificate.json</code>.
Every claim is recomputed from the channel itself.</p>
{embedded_document("The sealed certificate (JSON)", document)}</main>
<footer>Digest <code>{digest_in(document)}</code></footer>"""
    return whole_page("Privacy certificate", body)


def _prior_words(certificate: Certificate) -> str:
    prior = certificate.prior
    if prior.is_uniform:
        return "Before a report, every answer is taken as equally likely."
    if len(prior) > _MOST_PRIOR:
        return "Claims about a prior use the stated one."
    shares = ", ".join(
        f"{label}: {fraction_text(share)}" for label, share in zip(prior.labels, prior.fractions, strict=True)
    )
    return f"Stated prior: {shares}."


def _caption(certificate: Certificate) -> str:
    if isinstance(certificate.subject, Channel):
        return "How likely each report (to the right) is under each answer (downwards); darker is likelier."
    return "How likely each shift between answer and report is, from shift 0 on the left; darker is likelier."


def _sentences(certificate: Certificate) -> str:
    items = []
    for claim in certificate.claims:
        alarming = (claim.measure == "exposure" and claim.value != 0) or claim.value == float("inf")
        mark = ' class="warn"' if alarming else ""
        items.append(f"<li{mark}>{escape(claim.sentence)}</li>")
    return "".join(items)


def _rows(certificate: Certificate) -> str:
    return "".join(
        f'<tr><th scope="row">{escape(name_of(claim))}</th><td class="value">{escape(value_of(claim))}</td>'
        f'<td class="status">{escape(status_of(claim))}</td><td class="why">{escape(claim.because)}</td></tr>'
        for claim in certificate.claims
    )
