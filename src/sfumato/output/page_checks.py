"""Checking the certificates and the texts of a page."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import msgspec

from sfumato.certificates.certificate import Certificate
from sfumato.certificates.certifying import verify
from sfumato.certificates.pages import RAW, SCHEMA, TEXT_ATTRIBUTES, VOID, entry_text
from sfumato.errors import ClaimRefused, NotChecked, Place, SfumatoError, UnreadableFile, printable
from sfumato.files.disk import DEFAULT_LIMIT_BYTES, read_bytes

_START = b"<!doctype html>"
_TAGS = frozenset({
    "html", "head", "meta", "title", "style", "script", "body", "header", "main", "nav", "section", "footer", "h1",
    "h2", "h3", "h4", "h5", "p", "ul", "ol", "li", "dl", "dt", "dd", "a", "div", "span", "strong", "code", "sup",
    "figure", "figcaption", "blockquote", "table", "thead", "tbody", "tr", "th", "td", "br", "svg", "g", "defs",
    "use", "clippath", "path", "line", "rect", "circle", "text", "tspan", "desc",
})  # fmt: skip
# Attributes that neither show text nor load anything; href may link to an element of the page.
_ATTRIBUTES = frozenset({
    "lang", "charset", "name", "content", "http-equiv", "class", "id", "role", "scope", "colspan", "rowspan",
    "tabindex", "href", "xlink:href", "style", "type", "aria-hidden", "aria-labelledby", "x", "y", "x1", "x2", "y1",
    "y2", "dx", "dy", "cx", "cy", "r", "rx", "width", "height", "viewbox", "preserveaspectratio", "overflow", "d",
    "transform", "clip-path", "fill", "stroke", "stroke-width", "text-anchor", "version", "xmlns", "xmlns:xlink",
    "data-at",
})  # fmt: skip
# CSS that can show text with digits or load something.
_STYLE = re.compile(
    r"""\\|<|@import|url\s*\((?!#)|counter|symbols|attr\s*\(|"[^"]*\d[^"]*"|'[^']*\d[^']*'""", re.IGNORECASE
)
_SHORT = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifiedPage:
    """What a page shows: its certificates, all of which hold, and how many texts follow from its JSON.

    `stated` counts the claims that nothing in the page proves, because the law is private.
    """

    certificates: tuple[Certificate, ...]
    texts: int
    stated: int

    @property
    def claims(self) -> int:
        """How many claims were worked out again."""
        return sum(len(certificate.claims) for certificate in self.certificates) - self.stated


def is_page_file(path: Path) -> bool:
    """Whether a file begins as pages do."""
    try:
        with path.open("rb") as file:
            return file.read(len(_START)).lower() == _START
    except OSError:
        return False


def read_page(path: Path, *, limit_bytes: int = DEFAULT_LIMIT_BYTES) -> VerifiedPage:
    """Read a page and check it as `verify_page` does."""
    data = read_bytes(path, limit_bytes=limit_bytes)
    try:
        return verify_page(data)
    except SfumatoError as error:
        raise error.at(Place(file=str(path))) from None


def verify_page(data: bytes) -> VerifiedPage:
    """Check a page: its certificates, every text that it shows, and that no text is unmarked.

    Raises:
        ClaimRefused: a claim does not hold, or the page shows what does not follow from its JSON.
        DigestMismatch: a certificate in the page was changed after it was sealed.
        UnreadableFile: it is no page of Sfumato.
    """
    reader = _Reader()
    try:
        reader.feed(data.decode())
        reader.close()
    except UnicodeDecodeError:
        raise _unreadable("it is not UTF-8") from None
    document = _document(reader.data)
    stated = 0
    certificates = []
    for record in document["certificates"]:
        certificate = _certificate(record)
        try:
            verify(certificate)
        except NotChecked:
            stated += len(certificate.claims)
        certificates.append(certificate)
    _check_texts(reader, document)
    return VerifiedPage(certificates=tuple(certificates), texts=len(reader.texts), stated=stated)


def _certificate(record: object) -> Certificate:
    try:
        spelled = msgspec.json.format(msgspec.json.encode(record, order="sorted"), indent=2) + b"\n"
    except (OverflowError, RecursionError, ValueError):
        raise _unreadable("a certificate in its data is damaged") from None
    return Certificate.from_json(spelled)


def _check_texts(reader: _Reader, document: dict[str, Any]) -> None:
    for place, ((text, mark), entry) in enumerate(zip(reader.texts, document["texts"], strict=False)):
        if mark != f"/texts/{place}":
            raise _refused(f"{_cut(text)} is marked as another text")
        try:
            wanted = entry_text(document, entry)
        except (LookupError, TypeError, ValueError, ArithmeticError, msgspec.MsgspecError):
            raise _refused(f"nothing gives {_cut(text)}") from None
        if text != wanted:
            raise _refused(f"it shows {_cut(text)} where its data say {_cut(wanted)}")
    if len(reader.texts) != len(document["texts"]):
        raise _refused("it shows more or fewer texts than its data have")


class _Reader(HTMLParser):
    """Collects what a page shows, with its marks; refuses what pages of ours do not have."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.texts: list[tuple[str, str]] = []
        self.data: list[str] = []
        self._open: list[tuple[str, list[str]]] = []

    def handle_decl(self, decl: str) -> None:
        if decl.lower() != "doctype html" or self._open:
            raise _refused("it has a declaration that no page of Sfumato has")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if len(dict(attrs)) != len(attrs):
            raise _refused("an element has an attribute twice")
        self._check_tag(tag, dict(attrs))
        marks = (dict(attrs).get("data-at") or "").split()
        if tag not in VOID:
            self._open.append((tag, marks))
        elif marks:
            raise _refused("an element without text is marked")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        opened, marks = self._open.pop() if self._open else ("", [])
        if opened != tag:
            raise _refused("its elements do not fit into one another")
        if marks:
            raise _refused("a text that it marks is missing")

    def handle_data(self, data: str) -> None:
        tag, marks = self._open[-1] if self._open else ("", [])
        if tag == "script":
            self.data.append(data)
        elif tag == "style":
            _check_style(data)
        elif data.strip():
            if not marks:
                raise _refused(f"it shows {_cut(data)}, which is not marked")
            self.texts.append((data, marks.pop(0)))

    def handle_comment(self, data: str) -> None:  # noqa: ARG002
        raise _refused("it has a comment")

    def handle_pi(self, data: str) -> None:  # noqa: ARG002
        raise _refused("it has an instruction")

    def unknown_decl(self, data: str) -> None:  # noqa: ARG002
        raise _refused("it has a declaration that no page of Sfumato has")

    def close(self) -> None:
        super().close()
        if self._open:
            raise _refused("its elements do not end")

    def _check_tag(self, tag: str, attributes: dict[str, str | None]) -> None:
        if tag not in _TAGS or (self._open and self._open[-1][0] in RAW):
            raise _refused(f"it has an element {_cut(tag)}, which could show or do anything")
        for name, value in attributes.items():
            self._check_attribute(name, value or "", attributes)
        is_data = attributes.get("type") == "application/json" and attributes.get("id") == "data"
        if tag == "script" and not is_data:
            raise _refused("it has a script")
        if attributes.get("http-equiv", "Content-Security-Policy") != "Content-Security-Policy":
            raise _refused("it has a header that could lead elsewhere")

    def _check_attribute(self, name: str, value: str, attributes: dict[str, str | None]) -> None:
        if name in TEXT_ATTRIBUTES:
            if value.strip():
                mark = attributes.get(f"data-at-{name}")
                if mark is None:
                    raise _refused(f"it says {_cut(value)} in an attribute, which is not marked")
                self.texts.append((value, mark))
        elif name.startswith("data-at-"):
            if not (attributes.get(name.removeprefix("data-at-")) or "").strip():
                raise _refused("a text that it marks is missing")
        elif name not in _ATTRIBUTES:
            raise _refused(f"it has an attribute {_cut(name)}, which could show or do anything")
        elif name == "style":
            _check_style(value)
        elif name in {"href", "xlink:href"} and not value.startswith("#"):
            raise _refused("it leads elsewhere")


def _check_style(text: str) -> None:
    if _STYLE.search(text):
        raise _refused("its style shows text, or loads something")


def _document(data: list[str]) -> dict[str, Any]:
    if len(data) != 1 or "<" in data[0]:
        raise _unreadable("it carries no data that could be checked")
    try:
        document = json.loads(data[0], object_pairs_hook=_each_once, parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise _unreadable("its data are not JSON") from None
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise _unreadable(f"its data have not the schema {SCHEMA}")
    if set(document) != {"schema", "certificates", "texts"}:
        raise _unreadable("its data are damaged")
    if not all(isinstance(document[name], list) for name in ("certificates", "texts")):
        raise _unreadable("its data are damaged")
    return document


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice")
    return found


def _no_number(text: str) -> float:
    raise ValueError(text)


def _cut(text: str) -> str:
    words = printable(" ".join(text.split()))
    return f"“{words if len(words) <= _SHORT else words[: _SHORT - 1] + '…'}”"


def _refused(rule: str) -> ClaimRefused:
    return ClaimRefused(f"the page does not follow from its data: {rule}", way_out="Ask for the original page.")


def _unreadable(rule: str) -> UnreadableFile:
    return UnreadableFile(
        f"this is no page of Sfumato that can be checked: {rule}",
        way_out="Pass a page that sfumato report, plan, certify or fit wrote.",
    )
