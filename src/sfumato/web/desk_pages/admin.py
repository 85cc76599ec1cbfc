"""The desk of whoever runs a study: behind one secret, which is typed into the page and stays in its tab."""

from __future__ import annotations

from html import escape

from starlette.responses import Response

from sfumato.study.collections import Collection
from sfumato.web.bodies import MOST_INVITED
from sfumato.web.desk_pages.layout import desk_page

MOST_CODES = 500
_SCRIPT = "admin.js"


def admin_page(collection: Collection) -> Response:
    """Return the page; there is nothing of the study in it but its name."""
    name = collection.study.name
    main = f"""<p class="kicker">For whoever runs the study</p><h1>{escape(name)}</h1>
<noscript><p class="alarm">This page needs JavaScript. The command does the same: sfumato serve --help.</p></noscript>
<form id="sign-in" class="pane" autocomplete="off"><h2>Sign in</h2>
<div class="field"><label for="token">Administrator’s token</label>
<input id="token" type="password" autocomplete="off" spellcheck="false" required></div>
<p class="actions"><button>Sign in</button></p>
<p class="help">It was shown when the server started for the first time. It stays in this tab and is forgotten when
you close
it.</p><p id="sign-in-said" class="said" role="status"></p></form>
<div id="desk" hidden>{_state()}{_invite()}{_end()}</div>"""
    links = (("/dashboard", "Live results"), ("/", "The study"), ("/certificate", "The certificate"))
    return desk_page(f"Desk: {name}", main, _SCRIPT, {"most_codes": MOST_CODES}, links)


def _state() -> str:
    counted = (("reports", "Reports"), ("invited", "Invited"), ("withdrawn", "Withdrawn"))
    items = "".join(f'<div><dt>{words}</dt><dd id="count-{key}">–</dd></div>' for key, words in counted)
    return f"""<h2 id="desk-title" tabindex="-1">The study now</h2><p>It is <strong id="state">–</strong>.</p>
<dl class="facts">{items}<div id="spent-part"><dt>Credentials taken</dt><dd id="count-spent">–</dd></div></dl>
<p id="desk-said" class="said" role="status"></p>
<h3>Links for readers</h3><p>With their link a reader sees the live numbers, and opens reports with their own
private key. Give
each theirs: it lets its holder fetch sealed shares, and opens nothing.</p><ul id="readers" class="plain"></ul>
<p class="actions"><button type="button" class="plain" id="sign-out">Sign out</button></p>"""


def _invite() -> str:
    return f"""<section class="pane" aria-labelledby="invite-title"><h2 id="invite-title">Invite people</h2>
<form id="invite"><div class="field narrow"><label for="invite-count">How many</label>
<input id="invite-count" type="number" min="1" max="{MOST_INVITED}" value="10" required></div>
<div class="field"><label for="invite-link">Address of this server, as people reach it</label>
<input id="invite-link" type="url" required></div>
<p class="check"><input id="invite-codes" type="checkbox" checked><label for="invite-codes">with QR codes to print
(up to
{MOST_CODES} at once)</label></p><p class="actions"><button>Invite</button></p></form>
<p id="invite-said" class="said" role="status"></p>
<div id="invited" hidden><p class="actions"><button type="button" class="plain" id="invited-csv">Download as
CSV</button>
<button type="button" class="plain" id="print">Print the sheet</button></p><ul id="sheet"
class="sheet"></ul></div></section>"""


def _end() -> str:
    return """<section class="pane" aria-labelledby="end-title"><h2 id="end-title">What was collected</h2>
<p class="actions"><button type="button" class="plain" id="export">Download the export</button>
<button type="button" class="danger" id="close">Close the study</button></p>
<p id="export-said" class="said" role="status"></p><p id="close-said" class="said" role="status"></p>
<form id="withdraw"><div id="withdraw-part" hidden><h3>Withdraw a person of the panel</h3>
<div class="field"><label for="panel">Pseudonym, 32 letters and digits</label>
<input id="panel" type="text" pattern="[0-9a-f]{32}" autocomplete="off" spellcheck="false" required></div>
<p class="actions"><button class="plain">Delete all their reports</button></p></div></form>
<p id="withdraw-said" class="said" role="status"></p>
<p class="help">In anonymous mode nobody here can find the report of a person: only the device that sent it can
withdraw it.</p>
</section>"""
