"""A certificate as one HTML page that needs nothing but itself: no script, no font, no link to elsewhere."""

from __future__ import annotations

import re
from html import escape

from sfumato.certificates import Certificate
from sfumato.certificates.words import fraction_text
from sfumato.prob import Channel
from sfumato.render.heatmap import heatmap_svg
from sfumato.render.numbers import name_of, status_of, value_of

# A page stays light enough to open anywhere; larger certificates are named by their digest only.
_MOST_EMBEDDED = 400_000
_MOST_PRIOR = 40

_STYLE = """
:root{color-scheme:light dark;--ink:#1d2733;--soft:#5b6875;--paper:#fbfaf7;--line:#ddd8cc;--mark:#114a5c;--warn:#a33b12}
@media (prefers-color-scheme:dark){:root{--ink:#e8e4da;--soft:#a5adb5;--paper:#15191d;--line:#343b42;--mark:#7fc4d6;
--warn:#f0a37f}}
body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);margin:2rem auto;max-width:62rem;
padding:0 1.2rem}
h1{font-weight:600;font-size:1.7rem;margin:0}
h2{font-size:1.1rem;margin:2rem 0 .6rem}
.lead{color:var(--soft);margin:.2rem 0 1.4rem}
ul.plain{padding-left:1.1rem}ul.plain li{margin:.25rem 0}li.warn{color:var(--warn);font-weight:600}
table{border-collapse:collapse;width:100%;font-size:.93rem}
th,td{text-align:left;vertical-align:top;padding:.45rem .6rem;border-bottom:1px solid var(--line)}
td.value{font-variant-numeric:tabular-nums;overflow-wrap:anywhere;min-width:9.5em}td.status{white-space:nowrap}
p.caption{color:var(--soft);font-size:.86rem;margin:.2rem 0}
td.why{color:var(--soft);font-size:.86rem}
.wide{overflow-x:auto}
svg.heatmap{max-width:100%;height:auto;font:12px system-ui,sans-serif}svg.heatmap .label{fill:var(--ink)}
pre{background:rgba(127,127,127,.1);padding:.8rem;overflow:auto;max-height:26rem;font-size:.8rem}
code{overflow-wrap:anywhere}footer{color:var(--soft);font-size:.86rem;margin-top:2rem}
@media print{body{margin:0;max-width:none}details{display:none}}
"""


def certificate_html(certificate: Certificate) -> str:
    """Return the page."""
    document = certificate.to_json()
    found = re.search(r'"digest": "(sha256:[0-9a-f]+)"', document)
    digest = found.group(1) if found else ""
    inputs, outputs = certificate.subject.shape
    kind = "an exact channel" if isinstance(certificate.subject, Channel) else "a structured exact channel"
    notes = "".join(f"<p>{escape(note)}</p>" for note in certificate.notes)
    embedded = (
        f"<details><summary>The sealed certificate (JSON)</summary><pre>{escape(document)}</pre></details>"
        if len(document) <= _MOST_EMBEDDED
        else "<p>The sealed certificate is too large for this page; keep its JSON file beside it.</p>"
    )
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Privacy certificate</title><style>{_STYLE}</style></head><body>
<h1>Privacy certificate</h1>
<p class="lead">About {kind} with {inputs} possible answers and {outputs} possible reports.
{escape(_prior_words(certificate))}</p>
<h2>In plain words</h2><ul class="plain">{_sentences(certificate)}</ul>
<h2>The channel</h2><div class="wide">{heatmap_svg(certificate.subject)}</div>
<p class="caption">{_caption(certificate)}</p>{notes}
<h2>Every claim</h2><div class="wide"><table><thead><tr><th scope="col">Measure</th><th scope="col">Value</th>
<th scope="col">Status</th><th scope="col">Because</th></tr></thead><tbody>{_rows(certificate)}</tbody></table></div>
<h2>Check it yourself</h2>
<p>Save the sealed certificate as <code>certificate.json</code> and run <code>sfumato verify certificate.json</code>.
Every claim is recomputed from the channel itself.</p>{embedded}
<footer>Digest <code>{digest}</code></footer>
</body></html>
"""


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
