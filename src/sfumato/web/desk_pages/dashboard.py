"""The dashboard: live estimates for whoever may see them, and a place where a reader opens reports with their key."""

from __future__ import annotations

from html import escape

from starlette.responses import Response

from sfumato.study.collections import Collection
from sfumato.study.reading_documents import public_reckonings
from sfumato.web.desk_pages.layout import desk_page
from sfumato.web.settings import Settings
from sfumato.web.share_feeds import MOST_ROWS
from sfumato.web.static_files import script_url

_SCRIPT = "dashboard.js"
_WORKER = "reader_worker.js"
_ESTIMATES = "estimates_worker.js"


def dashboard_page(collection: Collection, settings: Settings) -> Response:
    """Return the page; there is no number of the study in it, which the script fetches with a token."""
    name, least = collection.study.name, settings.tally_reports
    readers = [one.name for one in collection.receivers]
    main = f"""<p class="kicker">Live results</p><h1>{escape(name)}</h1>
<noscript><p class="alarm">This page needs JavaScript. The command has the same numbers: sfumato
estimate.</p></noscript>
<form id="sign-in" class="pane" autocomplete="off" hidden><h2>Who is looking?</h2>
<p>Live numbers are for whoever runs the study, and for its readers.</p>
<div class="field"><label for="token">Administrator’s or reader’s token</label>
<input id="token" type="password" autocomplete="off" spellcheck="false" required></div>
<p class="actions"><button>Show the numbers</button></p>
<p class="help">The token stays in this tab and is forgotten when you close it.</p></form>
<p id="said" class="said" role="status"></p>
<div id="live" hidden>
<div class="state"><p><strong class="figure" id="reports">–</strong> reports <span id="ago" class="ago"></span></p>
<p class="actions"><button type="button" class="plain" id="pause">Pause</button></p></div>
<p id="note" class="help" role="status"></p>
<details class="told"><summary>What these numbers tell about people</summary>
<p>Each report is private by itself: it was randomised on the device that sent it. Still, two looks shortly after
each other
would show what the reports between them say. So reports are shown in batches of at least {least}, the same for all
readers, each
when the next one is full; a report that was withdrawn leaves with the next batch. All are shown when the study is
closed. Who sees
them is a setting of the server.</p></details>
<h2>What everybody can see</h2><p id="nothing" hidden>Nothing is shown yet: wait for more reports.</p>
<div id="estimates"></div>
<p class="actions" id="downloads" hidden><button type="button" class="plain" id="as-csv">Download as CSV</button>
<button type="button" class="plain" id="as-json">Download as JSON</button></p></div>
{_reader_part(readers)}"""
    data = {
        "is_public": settings.dashboard == "public",
        "texts": {question.id: question.text for question in collection.study.questions},
        "readings": public_reckonings(collection),
        "worker": script_url(_WORKER),
        "estimates_worker": script_url(_ESTIMATES),
    }
    links = (("/", "The study"), ("/certificate", "The certificate"), ("/admin", "For whoever runs it"))
    return desk_page(f"Live results: {name}", main, _SCRIPT, data, links)


def _reader_part(readers: list[str]) -> str:
    if not readers:
        return ""
    names = "".join(f'<option value="{escape(name, quote=True)}">{escape(name)}</option>' for name in readers)
    return f"""<section class="pane" aria-labelledby="key-title"><h2 id="key-title">See more with your key</h2>
<p>Each reader of the study has a private key, which shows the same reports more sharply. It is used in this
browser, by a
worker of this page: it is in no request and in no storage, and is forgotten when the reports are counted.</p>
<form id="open" autocomplete="off">
<div class="field"><label for="key-file">File of your private key</label><input id="key-file" type="file"></div>
<details class="told"><summary>Or paste a key in PEM</summary><div class="field"><label for="key-text">Private key
(PEM)</label>
<textarea id="key-text" rows="4" autocomplete="off" spellcheck="false"></textarea></div></details>
<div class="field"><label for="passphrase">Passphrase, if the key has one</label>
<input id="passphrase" type="password" autocomplete="off" spellcheck="false"></div>
<div class="field"><label for="reader-token">Your reader’s token, if you did not come by your link</label>
<input id="reader-token" type="password" autocomplete="off" spellcheck="false"></div>
<div class="field"><label for="receiver">Whose shares</label><select id="receiver"><option value="">those of my
token</option>
{names}</select></div>
<p class="actions"><button id="open-button">Open the reports</button>
<button type="button" class="plain" id="cancel" hidden>Cancel</button></p></form>
<progress id="progress" aria-label="Reports opened" hidden></progress><p id="progress-words" class="help"></p>
<p id="open-said" class="said" role="status"></p>
<p class="help">Up to {MOST_ROWS:,} reports, about a thousand a second. For more take the export and use the command:
<code>sfumato keys unseal</code>, then <code>open</code> and <code>estimate</code>.</p>
<div id="opened-part" hidden><h2 id="opened-title">As you see it</h2>
<p class="help">The thin lower band of each bar is what everybody can see.</p><div id="opened"></div>
<ul id="unread" class="plain"></ul>
<p class="actions"><button type="button" class="plain" id="opened-csv">Download as CSV</button>
<button type="button" class="plain" id="opened-json">Download as JSON</button></p></div></section>"""
