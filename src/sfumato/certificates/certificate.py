"""The certificate: a subject with its claims, the kinds of certificates, and the sealed document on disk."""

from __future__ import annotations

import hashlib
import re
import struct
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import singledispatch
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

import msgspec

from sfumato.certificates.claims import Claim, Claiming, ClaimRecord, Source, cited_sources, read_claim, write_claim
from sfumato.certificates.rendering import certificate_html, certificate_markdown, certificate_view
from sfumato.display.notebooks import Shown
from sfumato.errors import (
    ClaimRefused,
    DigestMismatch,
    InvalidInput,
    InvalidParameter,
    Place,
    SfumatoError,
    UnknownSchema,
    UnreadableFile,
)
from sfumato.files.disk import DEFAULT_LIMIT_BYTES, read_bytes
from sfumato.prob.structured import AnyChannel

# --- Kinds of certificates: the subject of each, its claims, and how they are computed again
#
# A package that can certify something registers its kind when it is imported. The table of schemas is closed and names
# the module of each kind, which is imported when a file or a subject needs it.


HOMES: Mapping[str, str] = {
    "sfumato/certificate/belief-noise/1": "sfumato.noise.shared_bits",
    "sfumato/certificate/channel/1": "sfumato.certificates.channels",
    "sfumato/certificate/disclosure/1": "sfumato.disclosure.certificate",
    "sfumato/certificate/disclosure-public/1": "sfumato.disclosure.certificate",
    "sfumato/certificate/ladder/1": "sfumato.ladders.certificate",
    "sfumato/certificate/noise/1": "sfumato.noise.certificates",
    "sfumato/certificate/rank-noise/1": "sfumato.noise.certificates",
    "sfumato/certificate/sealed/1": "sfumato.ladders.sealed_column",
    "sfumato/certificate/vector-noise/1": "sfumato.noise.certificates",
}

Subject = TypeVar("Subject")
Stated = Mapping[str, Claim]


def _no_picture(_: object) -> None:
    return None


def _no_name(_: object, __: str) -> None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind(Generic[Subject]):
    """Everything that a kind of certificate needs; `subject` is the type of what it is about.

    `state` makes the claims. `restate` finds them again for a checker, by another way where there is one, and takes a
    stated interval over where it is true and not vague. `notes` follow from the subject, so no text can be slipped in.
    `record` is the subject in a file; `write` and `read` turn one into the other. `about` tells what the subject is in
    a sentence or two, `picture` gives the channel to draw, and `called` a name for a measure that only the subject
    knows. Where the proof is in another, private certificate, `opened` checks that it is the one that the subject
    commits to, and returns the claims that it proves.
    """

    schema: str
    subject: type[Subject]
    record: type[msgspec.Struct]
    write: Callable[[Subject], msgspec.Struct]
    read: Callable[[Any], Subject]
    title: Callable[[Subject], str]
    about: Callable[[Subject], str]
    notes: Callable[[Subject], tuple[str, ...]]
    state: Callable[[Subject], tuple[Claim, ...]]
    restate: Callable[[Subject, Stated], tuple[Claim, ...]]
    picture: Callable[[Subject], AnyChannel | None] = _no_picture
    called: Callable[[Subject, str], str | None] = _no_name
    opened: Callable[[Subject, Any], tuple[Claim, ...]] | None = None


_KINDS: dict[str, Kind[Any]] = {}


def register(kind: Kind[Any]) -> None:
    """Make a kind known; its schema must stand in the closed table."""
    if kind.schema not in HOMES:
        raise InvalidParameter(
            "is not in the table of certificates",
            parameter="schema",
            value=kind.schema,
            way_out="Add it to HOMES, with the module that registers it.",
        )
    _KINDS[kind.schema] = kind


def kind_of_schema(schema: str) -> Kind[Any]:
    """Return the kind of a schema, importing its module if necessary."""
    if schema not in HOMES:
        raise InvalidParameter(
            "is no kind of certificate",
            parameter="schema",
            value=schema[:60],
            way_out=f"There are {', '.join(HOMES)}.",
        )
    if schema not in _KINDS:
        import_module(HOMES[schema])
    return _KINDS[schema]


def kind_of_subject(subject: object) -> Kind[Any]:
    """Return the kind for a subject, importing its module if necessary."""
    kind = _known_kind(subject) or (import_kinds_of(type(subject)) and _known_kind(subject))
    if kind:
        return kind
    raise InvalidParameter(
        f"must be the subject of a certificate, not {type(subject).__name__}",
        parameter="subject",
        way_out="Make it with sf.certify.",
    )


def _known_kind(subject: object) -> Kind[Any] | None:
    return next((kind for kind in _KINDS.values() if kind.subject is type(subject)), None)


def import_kinds_of(thing: type) -> bool:
    """Import the kinds of certificates of the package that defines a type; return whether there are any."""
    package = ".".join(thing.__module__.split(".")[:2])
    homes = [home for home in HOMES.values() if home.startswith(f"{package}.")]
    for home in homes:
        import_module(home)
    return bool(homes)


def subject_maker(thing: type) -> Callable[..., Any]:
    """Return the function that makes the subject of a thing of a type; packages register it when they are imported."""
    make = subject_of.dispatch(thing)
    if make is subject_of.dispatch(object) and import_kinds_of(thing):
        return subject_of.dispatch(thing)
    return make


@singledispatch
def subject_of(thing: Any) -> Any:
    """Return the subject of a certificate about a thing. Packages register the types that they can certify."""
    # `certificates.channels` replaces this default when it is imported, and refuses what it cannot certify.
    raise InvalidParameter(
        f"must be something to certify, not {type(thing).__name__}", parameter="thing", way_out="Use sf.certify."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate(Claiming, Shown):
    """Claims about a subject: a channel, a ladder, a disclosure, noise; the schema says which kind it is.

    Subject and schema decide everything else: the notes, the works that are cited, and which claims there must be.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> certificate = sf.certify(sf.mechanisms.RandomizedResponse(size=2, odds=Fraction(3)))
    >>> certificate["odds"].value
    Fraction(3, 1)
    >>> sf.Certificate.from_json(certificate.to_json()) == certificate
    True
    """

    _fits_in_cell: ClassVar[bool] = False

    subject: Any
    claims: tuple[Claim, ...]
    notes: tuple[str, ...]
    schema: str

    @property
    def kind(self) -> Kind[Any]:
        """What the registry knows about certificates of this kind."""
        return kind_of_schema(self.schema)

    @property
    def title(self) -> str:
        """What it is a certificate of."""
        return self.kind.title(self.subject)

    @property
    def sources(self) -> tuple[Source, ...]:
        """The works that the claims cite, spelled out."""
        return cited_sources(self.claims)

    def to_json(self) -> str:
        """Return the sealed document, in the one spelling that verification accepts."""
        return seal(self)

    @staticmethod
    def from_json(data: str | bytes) -> Certificate:
        """Open a sealed document of any kind; raises when a byte of it was changed."""
        return unseal(data)

    @staticmethod
    def read(path: str | Path, *, limit_bytes: int = DEFAULT_LIMIT_BYTES) -> Certificate:
        """Open a sealed file of any kind. Reading checks the seal; `verify` checks the claims."""
        data = read_bytes(path, limit_bytes=limit_bytes)
        try:
            return Certificate.from_json(data)
        except SfumatoError as error:
            raise error.at(Place(file=str(path))) from None

    def _view(self) -> str:

        return certificate_view(self)

    def to_html(self) -> str:
        """Return a page that needs nothing but itself."""
        return certificate_html(self)

    def to_markdown(self) -> str:
        """Return the claims as a Markdown table."""
        return certificate_markdown(self)


# --- Errors for files that are not certificates of this version: newer ones, other files of Sfumato, and other files


SCHEMA_PREFIX = "sfumato/certificate/"
_SCHEMA = re.compile(r"sfumato/([a-z-]+)(?:/[a-z-]+)*/([0-9]+)")
_WRITTEN = re.compile(rb'"?schema"?\s*[:=]\s*"(sfumato/[a-z/-]{1,60}/[0-9]{1,9})"')
_KEY_MAGIC = b"SFUMATO KEY\n"
_LEDGER_ID = struct.pack(">I", 0x5366756D)
_CERTIFY = "Pass a JSON file that sfumato certify, plan, disclose or noise wrote as a certificate."

# Other files of Sfumato, by the second word of their schema.
_OTHERS = {
    "audit": "the result of an audit",
    "budget": "the state of a ledger",
    "channel": "a channel",
    "estimates": "estimates of a study",
    "key": "a key file",
    "ledger": "a ledger",
    "noise": "a calibration of noise",
    "noisy": "a noisy answer",
    "prior": "a prior",
    "private-key": "a private key",
    "publication": "the record of a publication",
    "query": "a query",
    "query-plan": "the plan of a query",
    "release": "the record of a release",
    "releases": "a book of releases",
    "report-page": "the record of a page",
    "reports": "a file of reports",
    "samples": "a table of samples",
    "study": "a study",
    "study-plan": "the plan of a study",
}


class _Schema(msgspec.Struct):
    schema: str = ""


def schema_in(raw: bytes, known: Collection[str]) -> str:
    """Return the schema of a certificate that this version knows; refuses any other file in a true sentence."""
    schema = _schema_of(raw)
    if schema is None:
        raise UnreadableFile(
            "this is not a Sfumato certificate: it is not a JSON object with a schema", way_out=_CERTIFY
        )
    if schema in known:
        return schema
    refuse_stranger(raw)
    if schema.startswith(SCHEMA_PREFIX) and _SCHEMA.fullmatch(schema):
        kind = schema.rpartition("/")[0]
        mine = [other for other in known if other.rpartition("/")[0] == kind]
        reads = ", ".join(mine or sorted(known))
        raise UnknownSchema(
            f"the certificate has the schema {schema[:60]}, of another version of Sfumato; this one reads {reads}",
            way_out="Upgrade sfumato to read it.",
        )
    if _SCHEMA.fullmatch(schema):
        raise UnknownSchema(f"this is a Sfumato file of the schema {schema[:60]}, not a certificate", way_out=_CERTIFY)
    raise UnreadableFile("this is not a Sfumato certificate: its schema is none of Sfumato's", way_out=_CERTIFY)


def refuse_stranger(raw: bytes) -> None:
    """Raise when a file is surely another of ours: it says so where it begins, or in its schema."""
    if (name := _name_of(raw)) is not None:
        raise UnknownSchema(f"this is {name}, not a certificate", way_out=_CERTIFY)


def _name_of(raw: bytes) -> str | None:
    if raw.startswith(_KEY_MAGIC):
        return _OTHERS["key"]
    if raw.startswith(b"SQLite format 3\0") and raw[68:72] == _LEDGER_ID:
        return _OTHERS["ledger"]
    if raw[:4] == b"PAR1" and b"sfumato/reports/" in raw:
        return _OTHERS["reports"]
    if raw[:15].lower() == b"<!doctype html>":
        return "a page"
    schema = _schema_of(raw)
    if schema is None:  # no JSON, but perhaps TOML
        written = _WRITTEN.search(raw[:4096])
        schema = "" if written is None else written.group(1).decode()
    found = _SCHEMA.fullmatch(schema)
    return None if found is None else _OTHERS.get(found.group(1))


def _schema_of(raw: bytes) -> str | None:
    try:
        return msgspec.json.decode(raw, type=_Schema).schema
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


# --- The seal of a document: its canonical spelling, and the digest of that spelling in it
#
# The digest is the SHA-256 of the file itself with the 64 digits of the digest written as zeros, so it covers every
# byte, white space included. It detects change, and is no signature: anyone can seal a file again.


_SEAL = re.compile(rb'"digest": "sha256:([0-9a-f]{64})"')
_ZEROS = b"0" * 64
# The text of a document where its digest will be.
NO_DIGEST = "sha256:" + _ZEROS.decode()
_ASK = "Ask for the original file."


def spell(document: msgspec.Struct) -> str:
    """Return the one spelling of a document whose `digest` is NO_DIGEST, with its digest filled in."""
    blank = msgspec.json.format(msgspec.json.encode(document, order="sorted"), indent=2) + b"\n"
    return blank.replace(_ZEROS, hashlib.sha256(blank).hexdigest().encode(), 1).decode()


def check_digest(raw: bytes) -> None:
    """Raise unless the bytes are the ones that were sealed; another file of ours is called what it is."""
    seals = list(_SEAL.finditer(raw))
    if len(seals) != 1:
        refuse_stranger(raw)
        if SCHEMA_PREFIX.encode() in raw or b'"sha256:' in raw:
            raise DigestMismatch("the certificate carries no digest that can be checked", way_out=_ASK)
        raise UnreadableFile(
            "this is not a Sfumato certificate", way_out="Pass the JSON file that sfumato certify wrote."
        )
    start, end = seals[0].span(1)
    whole = memoryview(raw)
    digest = hashlib.sha256(whole[:start])
    digest.update(_ZEROS)
    digest.update(whole[end:])
    found = digest.hexdigest().encode()
    if found != raw[start:end]:
        refuse_stranger(raw)
        raise DigestMismatch(
            "the digest does not match: at least one byte of the certificate was changed after it was sealed",
            way_out=_ASK,
        )


# --- The certificate on disk: one spelling, sealed by a digest, with one document for all kinds
#
# The document is read through closed tables of structs; any other spelling of the same content is refused too, so
# there is exactly one file for each certificate. Its sources follow from its claims, and are listed for the reader.


class _SourceRecord(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    authors: str
    title: str
    venue: str
    year: int


class _Document(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    schema: str
    digest: str
    subject: Any
    claims: list[ClaimRecord]
    notes: list[str]
    sources: dict[str, _SourceRecord]


class _Opened(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The same when read: what the subject is, the schema has to tell first."""

    schema: str
    digest: str
    subject: msgspec.Raw
    claims: list[ClaimRecord]
    notes: list[str]
    sources: dict[str, _SourceRecord]


def seal(certificate: Certificate) -> str:
    """Write a certificate in its one spelling, with its digest."""
    return spell(
        _Document(
            schema=certificate.schema,
            digest=NO_DIGEST,
            subject=certificate.kind.write(certificate.subject),
            claims=[write_claim(claim) for claim in certificate.claims],
            notes=list(certificate.notes),
            sources=_sources(certificate),
        )
    )


def unseal(data: str | bytes) -> Certificate:
    """Read a sealed certificate, or raise: DigestMismatch when a byte differs, UnreadableFile when it is none."""
    raw = data.encode() if isinstance(data, str) else bytes(data)
    check_digest(raw)
    kind = kind_of_schema(schema_in(raw, HOMES))
    try:
        opened = msgspec.json.decode(raw, type=_Opened)
        certificate = Certificate(
            subject=kind.read(msgspec.json.decode(opened.subject, type=kind.record)),
            claims=tuple(read_claim(claim) for claim in opened.claims),
            notes=tuple(opened.notes),
            schema=kind.schema,
        )
        again, sources = seal(certificate), _sources(certificate)
    except (msgspec.MsgspecError, InvalidInput, ValueError, IndexError, ArithmeticError, RecursionError) as error:
        raise UnreadableFile(
            f"the certificate is damaged: {_reason(error)}", way_out="Ask for it again from whoever made it."
        ) from None
    if opened.sources != sources:
        raise ClaimRefused(
            "the sources are not the works that the claims cite", way_out="Ask for the original certificate."
        )
    if again.encode() != raw:
        raise DigestMismatch(
            "the certificate is not in the one spelling that Sfumato writes", way_out="Ask for the original file."
        )
    return certificate


def _sources(certificate: Certificate) -> dict[str, _SourceRecord]:
    return {
        source.key: _SourceRecord(authors=source.authors, title=source.title, venue=source.venue, year=source.year)
        for source in certificate.sources
    }


def _reason(error: Exception) -> str:
    if isinstance(error, OverflowError | RecursionError):
        return "a number is too large, or lists are nested too deeply"
    text = error.rule if isinstance(error, InvalidInput) else str(error)
    return text.splitlines()[0][:200].rstrip(".") if text else type(error).__name__
