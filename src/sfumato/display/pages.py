"""The frame and the style that all pages share, and pictures inside them."""

from __future__ import annotations

import re
from html import escape

_METADATA = re.compile(r"<metadata>.*?</metadata>|<!--.*?-->", re.DOTALL)

_STYLE = """
:root{color-scheme:light dark;--ink:#1d2733;--soft:#545f6b;--paper:#fbfaf7;--line:#ddd8cc;--mark:#114a5c;--warn:#9a3610;
--pane:#f1eee6;--shade:#0004;--s0:#0072b2;--s1:#b04a00;--s2:#00755a;--s3:#7440a8}
@media (prefers-color-scheme:dark){:root{--ink:#e8e4da;--soft:#a5adb5;--paper:#15191d;--line:#343b42;--mark:#7fc4d6;
--warn:#f0a37f;--pane:#1f252b;--shade:#fff5;--s0:#6cc0f0;--s1:#f09a60;--s2:#4fd0a8;--s3:#c5a5f0}}
*{box-sizing:border-box}
body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);margin:2rem auto;max-width:62rem;
padding:0 1.2rem}
h1{font-weight:600;font-size:1.7rem;line-height:1.25;margin:0}
h2{font-size:1.25rem;margin:2.4rem 0 .6rem}h3{font-size:1.05rem;margin:1.6rem 0 .4rem}
h4,h5{font-size:1rem;margin:1.2rem 0 .3rem}h5{font-size:.95rem}
h1,h2,h3,h4,h5,p,li,dd,figcaption{overflow-wrap:anywhere}
a{color:var(--mark)}
.lead{color:var(--soft);margin:.2rem 0 1.4rem}
ul.plain{padding-left:1.1rem}ul.plain li,ol li{margin:.25rem 0}.warn{color:var(--warn);font-weight:600}
.alarm{border:2px solid var(--warn);color:var(--warn);font-weight:600;padding:.7rem 1rem;margin:1rem 0}
table{border-collapse:collapse;width:100%;font-size:.93rem}
caption{text-align:left;color:var(--soft);padding:.2rem 0}
th,td{text-align:left;vertical-align:top;padding:.45rem .6rem;border-bottom:1px solid var(--line)}
td.value{font-variant-numeric:tabular-nums;overflow-wrap:anywhere;min-width:9.5em}td.status{white-space:nowrap}
td.number,th.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
td.words{text-align:right;min-width:8em}td.lines{white-space:pre-line;min-width:6.5em;font-variant-numeric:tabular-nums}
p.caption,figcaption{color:var(--soft);font-size:.86rem;margin:.2rem 0}
td.why{color:var(--soft);font-size:.86rem}
/* What is wider than its place scrolls by itself: a shadow at the end that hides something, and words where the
   browser can tell that there is something to scroll. */
.wide{overflow-x:auto;margin:.6rem 0;scroll-timeline:--wide inline;
background:linear-gradient(90deg,var(--paper) 50%,transparent) 0/3rem 100% local,
linear-gradient(270deg,var(--paper) 50%,transparent) 100%/3rem 100% local,
linear-gradient(90deg,var(--shade),transparent) 0/1rem 100% scroll,
linear-gradient(270deg,var(--shade),transparent) 100%/1rem 100% scroll;background-repeat:no-repeat}
.wide:focus-visible,pre:focus-visible{outline:2px solid var(--mark)}
.cue{position:sticky;left:0;margin:0;max-height:0;overflow:hidden;opacity:0;text-align:right;font-size:.82rem;
color:var(--soft);animation:cue linear both;animation-timeline:--wide}
@keyframes cue{from,80%{opacity:1;max-height:1.6em}to{opacity:0;max-height:1.6em}}
@media (max-width:40rem){.wide th[scope=row]{position:sticky;left:0;background:var(--paper)}
.wide th[scope^=row]{max-width:9rem;overflow-wrap:break-word}}
figure{margin:1rem 0}
figure img,figure svg.drawing{display:block;max-width:100%;height:auto;background:#fff;padding:.6rem;border-radius:4px}
svg.heatmap{max-width:100%;height:auto;font:12px system-ui,sans-serif}svg.heatmap .label{fill:var(--ink)}
pre{background:var(--pane);padding:.8rem;overflow:auto;max-height:26rem;font-size:.8rem}
summary{cursor:pointer}
code{overflow-wrap:anywhere}footer{color:var(--soft);font-size:.86rem;margin-top:2rem}
@media print{:root{color-scheme:light;--ink:#000;--soft:#444;--paper:#fff;--line:#bbb;--mark:#114a5c;--warn:#9a3610;
--s0:#0072b2;--s1:#b04a00;--s2:#00755a;--s3:#7440a8}
body{margin:0;max-width:none;padding:0;font-size:10.5pt}table{font-size:8.5pt}th,td{padding:.25rem .35rem}
details,nav,.screen,.cue{display:none}.wide{overflow:visible;background:none}
figure,tr,li,.alarm{break-inside:avoid}h2,h3,h4,h5{break-after:avoid}}
"""


def shared_style() -> str:
    """Return the style that all pages share, for those that load it as a file."""
    return _STYLE


def page_frame(title: str, body: str, style: str = "") -> str:
    """Return a page without scripts, whose policy forbids everything that is not in the file itself."""
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>{escape(title)}</title><style>{_STYLE}{style}</style></head><body>
{body}
</body></html>
"""


def inline_svg(picture: str, words: str) -> str:
    """Return the text of an SVG file as a part of a page, with words for those who do not see it."""
    drawn = _METADATA.sub("", picture[picture.index("<svg") :]).replace(' role="img"', "", 1).strip()
    return drawn.replace("<svg ", f'<svg class="drawing" role="img" aria-label="{escape(words)}" ', 1)
