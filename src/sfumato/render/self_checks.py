"""Pages that check their own certificates in the browser of whoever reads them.

The checker is one classic script that stands in the page, made from `browser/src` and allowed by its hash alone. It
reads attributes: `data-certified` marks what belongs to one certificate (`data-whole` if all of it is shown),
`data-sealed` its document, `data-claim` and `data-part` what is shown of it. Without JavaScript a page says how to
check it by command.
"""

from __future__ import annotations

from functools import cache
from html import escape
from importlib.resources import files

CHECK_STYLE = """
.check{border-left:4px solid var(--soft);padding:.3rem .8rem;margin:1rem 0;overflow-wrap:anywhere}
.check[data-outcome=checked]{border-color:var(--s2)}
.check[data-outcome=open]{border-left-style:dashed}
.check[data-outcome=refused]{border:2px solid var(--warn);color:var(--warn);font-weight:600}
"""


@cache
def checker_script() -> str:
    """Return the script that checks a page's certificates."""
    return files("sfumato.render").joinpath("static", "checker.js").read_text(encoding="ascii")


def check_line() -> str:
    """Return the line that says what was found, in a place that screen readers listen to; until then, what to do."""
    return (
        '<p class="check" role="status" data-check>Not checked in this browser: that takes JavaScript. Save the sealed '
        "certificate and run <code>sfumato verify</code> on it.</p>"
    )


def certified(name: str, inside: str) -> str:
    """Put what is shown of one certificate among several into a block of its own."""
    return f'<div data-certified="{escape(name)}">{inside}</div>'
