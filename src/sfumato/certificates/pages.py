"""Pages that can be checked: what they show of claims, and texts marked with their place in the JSON of the page."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from fractions import Fraction
from html import escape, unescape
from html.parser import HTMLParser
from secrets import token_hex
from typing import TYPE_CHECKING, Any

import msgspec

from sfumato.certificates.claims import Claim, ClaimRecord, Relation, Status, read_claim
from sfumato.display.pages import page_frame
from sfumato.display.text import INFINITE, at_least, at_most, fraction_text, number_text, plain_number
from sfumato.errors import printable_lines
from sfumato.numbers.intervals import Interval

if TYPE_CHECKING:
    from sfumato.certificates.certificate import Certificate

# How a claim's number is shown to a person.


NAMES = {
    "guess_error": "guess error",
    "odds": "odds",
    "epsilon": "ε (local differential privacy)",
    "exposure": "exposure",
    "total_variation": "total variation",
    "min_entropy_leakage_bits": "min-entropy leakage",
    "maximal_leakage_bits": "maximal leakage",
    "mutual_information_bits": "mutual information",
    "max_information_bits": "max-information",
    "capacity_bits": "capacity",
    "randomness_bits": "randomness",
    "heaviest_output": "recovery: heaviest output",
    "chernoff_information": "Chernoff information",
    "fisher_information": "Fisher information",
    "neighbour_odds": "odds between neighbours",
    "correlated_odds": "odds with correlations",
    "individual_capacity_bits": "individual capacity",
}

# Measures with a promised minimum; all others have a promised maximum.
_AT_LEAST = ("randomness_bits", "separate_randomness_bits", "disclosed_bits", "key_bits")

# From here on a number is shown by its first digits, as in 1.2e20.
_LARGE = 1e15


def name_of(claim: Claim, certificate: Certificate) -> str:
    """The measure as a reader knows it."""
    called = certificate.kind.called(certificate.subject, claim.measure)
    return called or NAMES.get(claim.measure) or claim.measure.replace("_", " ").replace("epsilon", "ε")


def value_of(claim: Claim) -> str:
    """The number with its unit. A bound is shown as a bound, and an interval by the end that its promise rests on."""
    unit = "" if claim.unit in ("probability", "ratio", "sum") else f" {claim.unit}"
    value = claim.value
    sign = f"{claim.relation.value} " if claim.relation in (Relation.AT_LEAST, Relation.AT_MOST) else ""
    if isinstance(value, Interval):
        if claim.status is Status.STATED:  # rounded outwards already, and to be shown as it was
            return f"{sign or f'{value.lower:g} to '}{value.upper:g}{unit}"
        return f"{sign}{_end_of(claim, value)}{unit}"
    if isinstance(value, Fraction):
        return f"{sign}{fraction_text(value)}{unit}"
    return f"{sign}{'∞' if math.isinf(value) else f'{value:.6g}'}{unit}"


def status_of(claim: Claim) -> str:
    """How well the number is known."""
    if claim.status is Status.STATED:
        return "stated"
    if isinstance(claim.value, Interval):
        return f"certified ±{claim.value.width / 2:.0e}" if claim.relation is Relation.WITHIN else "certified"
    if claim.confidence is not None:
        return f"estimated, confidence 1 - {1 - claim.confidence:.0e}"
    return "exact"


def _end_of(claim: Claim, value: Interval) -> str:
    """The upper end rounded up, or the lower end rounded down where at least so much is promised."""
    promises_least = claim.relation is Relation.AT_LEAST or (
        claim.relation is Relation.WITHIN and claim.measure.startswith(_AT_LEAST)
    )
    end = value.lower if promises_least else value.upper
    if math.isinf(end):
        return "∞" if end > 0 else "-∞"
    if claim.relation is not Relation.WITHIN or abs(end) >= _LARGE:
        return at_least(end) if promises_least else at_most(end)
    digits = min(9, max(1, math.floor(-math.log10(value.width)))) if 0 < value.width < math.inf else 9
    step = Decimal(1).scaleb(-digits)
    shown = Decimal(end).quantize(step, rounding=ROUND_FLOOR if promises_least else ROUND_CEILING)
    text = format(shown, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


# --- Texts of a page, each marked with its place in the page's JSON
# The JSON has the certificates, and `texts`: what the page shows, in order, as words, numbers and places in the
# certificates. An element names the places of its texts in `data-at`, and that of an attribute such as aria-label in
# `data-at-aria-label`. `sfumato verify PAGE` and `sfumato_check.py PAGE` compute each text again.
# Format: docs/reference/files.md


SCHEMA = "sfumato/page/1"
TEXT_ATTRIBUTES = ("aria-label", "title", "alt")
# Elements without an end tag; a shape of a picture may end in its own tag.
VOID = frozenset({"meta", "br", "img"})
# Elements whose content is data or CSS, not text.
RAW = frozenset({"script", "style"})
# References begin with a random word, so that no other text contains it.
_WORD = token_hex(8)
_REFERENCE = re.compile(f"\x02{_WORD}([^\x02\x03]*)\x03")
# The texts of a certificate that pages show unchanged.
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


_DIGEST = re.compile(r'"digest": "(sha256:[0-9a-f]+)"')

_HOW_TO_CHECK = """<p>Check this page with <code>sfumato verify</code> or <code>python sfumato_check.py</code>: both
work out its certificates, and every text of this page from the data in it. This shows that the page says what its data
say, not that the data are true.</p>"""


def checked_page(
    title: str,
    body: str,
    style: str = "",
    *,
    footer: str = "",
    certificates: Sequence[Certificate] = (),
    places: Mapping[str, str] | None = None,
) -> str:
    """Return a page that carries certificates and its texts as JSON, so that `sfumato verify` can check it.

    `places` ties names of numbers to claims of the certificates: JSON pointers, as in `/certificates/0/claims/2`.
    """
    ending = f"<footer>{footer}{_HOW_TO_CHECK}</footer>"
    return mark_texts(page_frame(title, f"{body}\n{ending}", style), certificates, places or {})


def digest_in(document: str) -> str:
    """Return the digest that a sealed document carries."""
    found = _DIGEST.search(document)
    return found.group(1) if found else ""
