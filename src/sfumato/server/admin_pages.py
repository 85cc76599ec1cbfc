"""The administrator's page and the dashboard of a study."""

from __future__ import annotations

import asyncio
import base64
import functools
import hashlib
import json
from collections.abc import Mapping, Sequence
from html import escape
from http import HTTPStatus
from importlib import resources
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from sfumato.display.pages import shared_style
from sfumato.errors import printable_lines
from sfumato.server.admission import DrawnInvitation, drawn_invitations, qr_svg
from sfumato.server.api import check_admin, check_reader
from sfumato.server.credentials import check_link, invite_link
from sfumato.server.page_parts import integrity, script_url
from sfumato.server.requests import MOST_INVITED, InvitationBody, Problem, body_of, read_body
from sfumato.server.service import MOST_ROWS, CollectionServer
from sfumato.server.settings import Settings
from sfumato.study.collection import Collection, public_reckonings

# --- What both pages share: head and foot, style, and headers
# There is no inline script and no inline style. Data for a script is in the page as JSON, which is not executed.


STYLE_PATH = "/desk.css"
POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "worker-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data:",
    "connect-src": "'self'",
    "form-action": "'none'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
}
"""What a page may load and send: only from here, and only to here."""
_HEADERS = {"Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin"}


@functools.cache
def desk_style() -> bytes:
    """Return the style of these pages."""
    own = resources.files("sfumato.server").joinpath("static", "desk.css").read_text("utf-8")
    return f"{shared_style()}\n{own}".encode()


@functools.cache
def style_version() -> str:
    """Return a part of its hash: an address with it never changes what it means."""
    return hashlib.sha384(desk_style()).hexdigest()[:16]


def desk_page(
    title: str, main: str, script: str, data: Mapping[str, Any], links: Sequence[tuple[str, str]] = ()
) -> Response:
    """Return a page with one script, which reads `data`; `main` is HTML, `title` and the words of `links` are text."""
    style_hash = base64.b64encode(hashlib.sha384(desk_style()).digest()).decode()
    foot = "".join(f'<a href="{escape(address)}">{escape(words)}</a>' for address, words in links)
    held = json.dumps(data, ensure_ascii=True, separators=(",", ":")).replace("<", "\\u003c")
    page = printable_lines(f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark">
<title>{escape(title)}</title><link rel="icon" href="data:,">
<link rel="stylesheet" href="{STYLE_PATH}?{style_version()}" integrity="sha384-{style_hash}" crossorigin="anonymous">
<script defer src="{script_url(script)}" integrity="{integrity(script)}" crossorigin="anonymous"></script></head>
<body class="desk"><a class="skip" href="#main">Skip to the content</a>
<header class="bar"><span class="brand" aria-hidden="true">sfumato</span></header>
<main id="main" tabindex="-1">{main}</main>
<footer><p class="links">{foot}</p></footer>
<script type="application/json" id="page-data">{held}</script>
</body></html>
""")
    policy = "; ".join(f"{name} {value}" for name, value in POLICY.items())
    return Response(page, media_type="text/html", headers={"Content-Security-Policy": policy, **_HEADERS})


# --- The administrator's page
# It requires one secret, which is typed into the page and stays in its tab.


MOST_CODES = 500
_ADMIN_SCRIPT = "admin.js"


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
    return desk_page(f"Desk: {name}", main, _ADMIN_SCRIPT, {"most_codes": MOST_CODES}, links)


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


# --- The dashboard
# It shows live estimates to those who may see them, and lets a reader open reports with their key.


_DASHBOARD_SCRIPT = "dashboard.js"
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
    return desk_page(f"Live results: {name}", main, _DASHBOARD_SCRIPT, data, links)


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


_SMALL_BODY = 16_384


async def dashboard(server: CollectionServer, request: Request) -> Response:
    """The dashboard, for those who may see live numbers, which its script fetches."""
    del request
    return dashboard_page(server.collection, server.settings)


async def admin(server: CollectionServer, request: Request) -> Response:
    """The administrator's page; its script fetches all contents with the administrator's token."""
    del request
    return admin_page(server.collection)


async def style(server: CollectionServer, request: Request) -> Response:
    """The style of the dashboard and the desk."""
    del server
    is_named = request.scope["query_string"].decode("latin-1") == style_version()
    kept = "public, max-age=31536000, immutable" if is_named else "no-cache"
    return Response(desk_style(), media_type="text/css", headers={"Cache-Control": kept})


async def counts(server: CollectionServer, request: Request) -> Response:
    """How much is kept, and the tokens of readers."""
    check_admin(server, request)
    known, state = await server.read(lambda store: (store.counts(), store.state()))
    return _json(
        {
            "reports": known.reports,
            "invited": known.invited,
            "spent": known.spent,
            "withdrawn": known.withdrawn,
            "open": state is not None and not state.closed,
            "mode": server.collection.mode.value,
            "wave": server.collection.wave,
            "fingerprint": server.collection.fingerprint,
            "least_reports": server.settings.tally_reports,
            "readers": [
                {"name": one.name, "token": server.reader_token(one.name)} for one in server.collection.receivers
            ],
        }
    )


async def invite(server: CollectionServer, request: Request) -> Response:
    """Let people in. Their tokens are in the answer and nowhere else."""
    check_admin(server, request)
    given = read_body(InvitationBody, await body_of(request, _SMALL_BODY))
    check_link(given.link)
    if given.codes and (given.link is None or given.count > MOST_CODES):
        raise Problem(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            f"need the address of the server, and are drawn for at most {MOST_CODES} people at once",
            parameter="codes",
            way_out="Say `link`, and invite fewer at a time.",
        )
    drawn = await asyncio.to_thread(drawn_invitations, given.count, is_panel=server.is_panel)
    await server.writer.act(lambda store: store.invite([one.known for one in drawn]))
    made = await asyncio.to_thread(_shown, drawn, given, server)
    return _json({"schema": "sfumato/invitations/1", "invitations": made})


def _shown(drawn: tuple[DrawnInvitation, ...], given: InvitationBody, server: CollectionServer) -> list[dict[str, Any]]:
    fingerprint = server.collection.fingerprint
    key = None if server.signing is None else server.signing.document["key_digest"]
    made = []
    for one in drawn:
        found: dict[str, Any] = {"token": one.shown}
        if given.link is not None:
            found["link"] = invite_link(given.link, one.token, fingerprint, key)
        if given.codes:
            found["code"] = qr_svg(found["link"])
        if one.panel is not None:
            found["panel"] = one.panel
        made.append(found)
    return made


async def shares(server: CollectionServer, request: Request) -> Response:
    """Rows and sealed bodies of one reader, for their own browser."""
    receiver = check_reader(server, request)
    return Response(await server.feeds.of(receiver), media_type="application/octet-stream")


def _json(document: object) -> Response:
    return Response(msgspec.json.encode(document), media_type="application/json")
