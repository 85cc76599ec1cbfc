"""The explorer: one page with sliders for privacy, people, answers and analysts, which works everything out by itself.

The page needs nothing but this file. Its numbers are the library's: the script has the same formulas, and the sets that
a study chooses from are put into the page as whole numbers.   How to: docs/howto/explore.md
"""

from __future__ import annotations

import json
from functools import cache
from html import escape
from importlib.resources import files

from sfumato.render.explorer_style import EXPLORER_STYLE
from sfumato.render.explorer_tables import MOST_ANSWERS, explorer_table
from sfumato.render.page_style import whole_page

MOST_ANALYSTS = 4
TITLE = "Privacy, people, accuracy: a page with sliders"


def explorer_html(script: str | None = None) -> str:
    """Return the page; `script` stands in for the one that is built."""
    body = f"""<main><h1>Privacy, people, accuracy</h1>
<p class="lead">Every respondent’s device blurs its answer by chance and sends one report. Everybody may see the
reports; an analyst’s key shows the same reports sharper. Move a slider and see what that does to respondents, and to
what you learn. Everything is worked out on this page, which sends nothing to anybody.</p>
<noscript><p class="alarm">The sliders need JavaScript, which is switched off here. <code>sfumato plan</code> works out
the same numbers.</p></noscript>
<div class="bench">{_controls()}{_results()}</div>
<p id="told" class="unseen" role="status"></p>
<script type="application/json" id="table">{_table()}</script></main>
<footer>Made by <code>sfumato explain explorer</code>. The numbers are those of <code>sfumato plan</code>: odds,
chances, posteriors and guess errors are exact fractions, rounded only to be shown, and never in their own
favour.</footer>"""
    return whole_page(TITLE, body, EXPLORER_STYLE, script=_built() if script is None else script)


@cache
def _table() -> str:
    return json.dumps(explorer_table(), separators=(",", ":"))


def _built() -> str:
    return (files("sfumato.render") / "static" / "explorer.js").read_text(encoding="ascii").strip()


def _controls() -> str:
    analysts = "".join(
        _control(f"analyst-{i}", f"Analyst {i}, ε", "0.05 to 8", "0.05", hidden=True)
        for i in range(1, MOST_ANALYSTS + 1)
    )
    return f"""<form class="controls" aria-label="Settings">
<fieldset><legend>The survey</legend>
{_control("answers", "Possible answers", f"2 to {MOST_ANSWERS}", "1")}
{_control("people", "People who answer", "10 to 10,000,000", "1")}</fieldset>
<fieldset><legend>Who sees how much</legend>
<p class="hint">The smaller ε, the less a report tells.</p>
{_control("public", "The public, ε", "0.05 to 8", "0.05")}
{_control("analysts", "Analysts with keys", f"0 to {MOST_ANALYSTS}", "1")}
<div id="analyst-list">{analysts}</div></fieldset>
<fieldset><legend>Suppose that</legend>
{_control("share", "so many hold the answer, %", "0.1 to 99.9", "0.1")}
{_control("goal", "you want to know it to ± points", "0.1 to 50", "0.1")}</fieldset>
<p><button type="button" id="again">Back to where it began</button></p>
<p id="glance" aria-hidden="true"></p>
</form>"""


def _control(name: str, label: str, ends: str, step: str, *, hidden: bool = False) -> str:
    low, high = (end.replace(",", "") for end in ends.split(" to "))
    return (
        f'<div class="control" id="{name}"{" hidden" if hidden else ""}>'
        f'<label for="{name}-field">{escape(label)}</label>'
        f'<input type="number" id="{name}-field" min="{low}" max="{high}" step="{step}" inputmode="decimal" '
        f'aria-describedby="{name}-ends">'
        f'<input type="range" id="{name}-slider" aria-label="{escape(label)} (slider)" aria-describedby="{name}-ends">'
        f'<small id="{name}-ends">{ends}</small></div>'
    )


def _results() -> str:
    return """<div class="results">
<section id="short" aria-labelledby="short-title"><h2 id="short-title">In short</h2>
<div class="seen" role="radiogroup" aria-label="As seen by"></div><ul class="tiles"></ul></section>
<section id="channel" aria-labelledby="channel-title"><h2 id="channel-title">What a device reports</h2>
<div class="words"></div><figure><div class="picture"></div><figcaption></figcaption></figure></section>
<section id="risk" aria-labelledby="risk-title"><h2 id="risk-title">What a report gives away</h2>
<div class="words"></div><figure><div class="picture"></div><figcaption></figcaption></figure></section>
<section id="error" aria-labelledby="error-title"><h2 id="error-title">How well the share is known</h2>
<div class="words"></div><figure><div class="picture"></div><figcaption></figcaption></figure></section>
<section id="needed" aria-labelledby="needed-title"><h2 id="needed-title">How many people it takes</h2>
<div class="words"></div><figure><div class="picture"></div><figcaption></figcaption></figure></section>
<section id="price" aria-labelledby="price-title"><h2 id="price-title">Privacy against people</h2>
<figure><div class="picture"></div><figcaption></figcaption></figure></section>
<section aria-labelledby="numbers-title"><h2 id="numbers-title">Every number</h2>
<table id="numbers" role="table" aria-labelledby="numbers-title"><thead role="rowgroup"></thead>
<tbody role="rowgroup"></tbody></table></section>
<section aria-labelledby="file-title"><h2 id="file-title">As a study file</h2>
<p>Save this as <code>study.toml</code>; <code>sfumato plan study.toml</code> then says the same and more, with
certificates. <span id="file-words"></span></p>
<pre id="file" tabindex="0" role="region" aria-label="The study file"></pre></section>
</div>"""
