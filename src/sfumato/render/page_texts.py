"""Texts of a page, each marked with its place in the JSON that the page carries.

The JSON has the certificates, and `texts`: what the page shows, in its order, as words, numbers and places in the
certificates. An element names the places of its texts in `data-at`, and that of an attribute such as aria-label in
`data-at-aria-label`.
`sfumato verify PAGE` and `sfumato_check.py PAGE` work every text out again.   Format: docs/reference/files.md
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from html import escape, unescape
from html.parser import HTMLParser
from secrets import token_hex
from typing import Any

import msgspec

from sfumato.certificates import Certificate
from sfumato.certificates.claim_records import ClaimRecord, read_claim
from sfumato.printing import printable_lines
from sfumato.render.numbers import status_of, value_of
from sfumato.render.words import INFINITE, number_text, plain_number
from sfumato.values import Interval

SCHEMA = "sfumato/page/1"
TEXT_ATTRIBUTES = ("aria-label", "title", "alt")
# Elements without an end; a shape of a picture may end in its own tag.
VOID = frozenset({"meta", "br", "img"})
# Not text: data, and rules of style.
RAW = frozenset({"script", "style"})
# References begin with a word that no text of others can hold.
_WORD = token_hex(8)
_REFERENCE = re.compile(f"\x02{_WORD}([^\x02\x03]*)\x03")
# The texts of a certificate that stand in pages as they are.
_CLAIM_TEXTS = ("sentence", "because")


def number_mark(number: float, form: str, place: str = "") -> str:
    """Return a reference to a number, which becomes its text when the page is put together.

    `form` is one of those that `number_text` knows. `place` is a name that the page may tie to a claim.
    """
    return f"\x02{_WORD}{form}|{plain_number(number)}|{place}\x03"


def is_marked(text: str) -> bool:
    """Whether a text holds a reference."""
    return _REFERENCE.search(text) is not None


def claim_mark(certificate: int, claim: int, form: str) -> str:
    """Return a reference to a claim of one of the page's certificates."""
    return f"\x02{_WORD}{form}||/certificates/{certificate}/claims/{claim}\x03"


def claim_text(record: Mapping[str, Any], form: str) -> str:
    """Return what a page shows of a claim: its value, its status, or the ε that it bounds."""
    claim = read_claim(msgspec.convert(record, ClaimRecord))
    if form == "epsilon":
        bound = claim.value.upper if isinstance(claim.value, Interval) else claim.value
        return number_text(plain_number(float(bound)), form)
    return {"value": value_of, "status": status_of}[form](claim)


def entry_text(document: Mapping[str, Any], entry: object) -> str:
    """Return the text that an entry of a page's `texts` stands for; raises LookupError, TypeError or ValueError.

    An entry is words, or a list of words, numbers in a form and places in a certificate.
    """
    pieces = entry if isinstance(entry, list) else [entry]
    return "".join(_piece_text(document, piece) for piece in pieces)


def mark_texts(html: str, certificates: Sequence[Certificate], places: Mapping[str, str]) -> str:
    """Return a page whose texts are marked, with its JSON before the end of its body.

    `places` ties names of numbers to claims; a number whose claim says something else is kept as a number.
    """
    marker = _Marker([json.loads(certificate.to_json()) for certificate in certificates], places)
    marker.feed(html)
    marker.close()
    # No text of the JSON can end the element that it stands in.
    data = json.dumps(marker.document, separators=(",", ":")).replace("<", "\\u003c")
    before, end, after = printable_lines("".join(marker.out)).rpartition("</body>")
    return f'{before}<script type="application/json" id="data">{data}</script>\n{end}{after}'


class _Marker(HTMLParser):
    """Writes a page again, with marks."""

    def __init__(self, certificates: list[dict[str, Any]], places: Mapping[str, str]) -> None:
        super().__init__(convert_charrefs=True)
        self.document: dict[str, Any] = {"schema": SCHEMA, "certificates": certificates, "texts": []}
        self.out: list[str] = []
        self._places = places
        self._open: list[tuple[str, int, list[str]]] = []
        self._known = _certificate_texts(certificates)

    def handle_decl(self, decl: str) -> None:
        self.out.append(f"<!{decl}>")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.out.append(self._start(attrs))
        if tag not in VOID:
            self._open.append((tag, len(self.out) - 1, []))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        self.out.append(self._start(attrs))

    def handle_endtag(self, tag: str) -> None:
        _, start, marks = self._open.pop()
        if marks:
            self.out[start] = _with_attribute(self.out[start], "data-at", " ".join(marks))
        self.out.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1][0] in RAW:
            self.out.append(data)
            return
        if data.strip():
            self._open[-1][2].append(self._place(data))
        self.out.append(escape(_REFERENCE.sub(self._shown, data), quote=False))

    def _start(self, attrs: list[tuple[str, str | None]]) -> str:
        raw = self.get_starttag_text() or ""
        raw = _REFERENCE.sub(lambda found: escape(self._shown(found)), raw)
        for name, value in attrs:
            if name in TEXT_ATTRIBUTES and value and value.strip():
                raw = _with_attribute(raw, f"data-at-{name}", self._place(value))
        return raw

    def _place(self, text: str) -> str:
        """Put a text into the JSON, and return its place there."""
        parts = _REFERENCE.split(text)
        # What stands between references is words.
        pieces = [printable_lines(part) if i % 2 == 0 else self._piece(part) for i, part in enumerate(parts)]
        if len(pieces) == 1 and (known := self._known.get(str(pieces[0]))):
            pieces = [{"at": known, "as": "text"}]
        words = len(pieces) == 1 and isinstance(pieces[0], str)
        self.document["texts"].append(pieces[0] if words else [piece for piece in pieces if piece])
        return f"/texts/{len(self.document['texts']) - 1}"

    def _piece(self, reference: str) -> dict[str, Any]:
        form, number, place = unescape(reference).split("|", 2)
        if not number:
            return {"at": place, "as": form}
        value = number if number in INFINITE else int(number) if number.lstrip("-").isdigit() else float(number)
        claimed = {"at": self._places.get(place, ""), "as": form}
        if claimed["at"] and _piece_text(self.document, claimed) == number_text(value, form):
            return claimed
        return {"number": value, "as": form}

    def _shown(self, found: re.Match[str]) -> str:
        return _piece_text(self.document, self._piece(found.group(1)))


def _certificate_texts(certificates: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """The places of the texts of certificates, the first where several say the same."""
    found: dict[str, str] = {}
    for i, certificate in enumerate(certificates):
        base = f"/certificates/{i}"
        texts = [(f"{base}/digest", certificate["digest"])]
        texts += [(f"{base}/notes/{k}", note) for k, note in enumerate(certificate["notes"])]
        texts += [
            (f"{base}/claims/{k}/{name}", claim[name])
            for k, claim in enumerate(certificate["claims"])
            for name in _CLAIM_TEXTS
        ]
        for pointer, text in texts:
            found.setdefault(printable_lines(text), pointer)
    return found


def _piece_text(document: Mapping[str, Any], piece: object) -> str:
    if isinstance(piece, str):
        return printable_lines(piece)
    if not isinstance(piece, dict):
        raise TypeError(piece)
    if "number" in piece:
        return number_text(piece["number"], piece["as"])
    found = _at(document, piece["at"])
    return _piece_text(document, found + "") if piece["as"] == "text" else claim_text(found, piece["as"])


def _at(document: Any, pointer: str) -> Any:
    """Return what a JSON pointer names."""
    found = document
    for step in pointer.split("/")[1:]:
        found = found[int(step)] if isinstance(found, list) else found[step]
    return found


def _with_attribute(tag: str, name: str, value: str) -> str:
    end = "/>" if tag.endswith("/>") else ">"
    return f'{tag[: -len(end)]} {name}="{value}"{end}'
