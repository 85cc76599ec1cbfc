"""The certificate on disk: one spelling, sealed by a digest.

The digest is the SHA-256 of the file itself with the 64 digits of the digest written as zeros, so it covers every
byte, white space included. The document is read through the closed table of structs below; any other spelling of the
same content is refused too, so there is exactly one file for each certificate.
"""

from __future__ import annotations

import hashlib
import math
import re
import string
from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeVar

import msgspec
import numpy as np

from sfumato.certificates.certificate import Certificate
from sfumato.errors import DigestMismatch, InvalidInput, UnknownSchema, UnreadableFile
from sfumato.prob import AnyChannel, Channel, Circulant, Distribution
from sfumato.prob.alphabet import Alphabet, Label
from sfumato.values import Claim, Interval, Relation, Status
from sfumato.values.claim import Value

SCHEMA = "sfumato/certificate/1"
_SEAL = re.compile(rb'"digest": "sha256:([0-9a-f]{64})"')
_ZEROS = b"0" * 64
# What a document says where its digest will be.
NO_DIGEST = "sha256:" + _ZEROS.decode()
_CODE_DIGITS = string.digits + string.ascii_lowercase

_JsonLabel = str | int | list[Any]
Document = TypeVar("Document", bound=msgspec.Struct)
Opened = TypeVar("Opened")


class _Bounds(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    lower: float
    upper: float


class ClaimRecord(msgspec.Struct, forbid_unknown_fields=True, frozen=True, omit_defaults=True):
    """A claim as it stands in a file."""

    measure: str
    relation: str
    value: str | float | _Bounds
    unit: str
    status: str
    because: str
    sentence: str
    confidence: float | None = None
    witness: list[float] | None = None


class _Dense(msgspec.Struct, forbid_unknown_fields=True, frozen=True, tag_field="kind", tag="dense"):
    inputs: list[_JsonLabel]
    outputs: list[_JsonLabel]
    rows: list[str]
    """One string a row, fractions separated by blanks."""


class _Circulant(msgspec.Struct, forbid_unknown_fields=True, frozen=True, tag_field="kind", tag="circulant"):
    input_count: int
    levels: str
    codes: str
    """One digit a shift, naming its level."""


class _CirculantLaw(msgspec.Struct, forbid_unknown_fields=True, frozen=True, tag_field="kind", tag="circulant-law"):
    input_count: int
    law: str


class _Document(msgspec.Struct, forbid_unknown_fields=True, frozen=True, omit_defaults=True):
    schema: str
    digest: str
    subject: _Dense | _Circulant | _CirculantLaw
    prior: str
    notes: list[str]
    claims: list[ClaimRecord]
    shape: list[int] | None = None


def seal(certificate: Certificate) -> str:
    """Write a certificate in its one spelling, with its digest."""
    document = _Document(
        schema=SCHEMA,
        digest=NO_DIGEST,
        subject=_write_subject(certificate.subject),
        prior=_write_law(certificate.prior.probabilities),
        notes=list(certificate.notes),
        claims=[write_claim(claim) for claim in certificate.claims],
        shape=None if certificate.shape is None else list(certificate.shape),
    )
    return spell(document)


def unseal(data: str | bytes) -> Certificate:
    """Read a sealed certificate, or raise: DigestMismatch when a byte differs, UnreadableFile when it is none."""
    return open_sealed(data, SCHEMA, _Document, _read_certificate, seal)


def _read_certificate(document: _Document) -> Certificate:
    subject = _read_subject(document.subject)
    return Certificate(
        subject=subject,
        prior=Distribution(_read_law(document.prior), subject.inputs),
        claims=tuple(read_claim(claim) for claim in document.claims),
        notes=tuple(document.notes),
        shape=None if document.shape is None else tuple(document.shape),
    )


def open_sealed(
    data: str | bytes,
    schema: str,
    kind: type[Document],
    read: Callable[[Document], Opened],
    write: Callable[[Opened], str],
) -> Opened:
    """Open a sealed document of any kind: its digest must hold, and writing it again must give the same bytes."""
    raw = checked_bytes(data, schema)
    try:
        opened = read(msgspec.json.decode(raw, type=kind))
    except (msgspec.MsgspecError, InvalidInput, ValueError, IndexError, ZeroDivisionError) as error:
        reason = str(error).splitlines()[0][:200].rstrip(".") if str(error) else type(error).__name__
        raise UnreadableFile(f"the certificate is damaged: {reason}. Ask for it again from whoever made it.") from None
    if write(opened).encode() != raw:
        raise DigestMismatch(
            "the certificate is not in the one spelling that Sfumato writes. Ask for the original file."
        )
    return opened


def spell(document: msgspec.Struct) -> str:
    """Return the one spelling of a document whose `digest` is NO_DIGEST, with its digest filled in."""
    blank = msgspec.json.format(msgspec.json.encode(document, order="sorted"), indent=2) + b"\n"
    return blank.replace(_ZEROS, hashlib.sha256(blank).hexdigest().encode(), 1).decode()


def says_schema(data: bytes, schema: str) -> bool:
    """Whether a file says that it is a document of this kind; nothing else of it is looked at."""
    return b'"schema": "' + schema.encode() + b'"' in data


def checked_bytes(data: str | bytes, schema: str) -> bytes:
    """Return a sealed document whose digest holds and whose schema is the one asked for."""
    raw = data.encode() if isinstance(data, str) else bytes(data)
    _check_digest(raw, schema)
    _check_schema(raw, schema)
    return raw


def _check_digest(raw: bytes, schema: str) -> None:
    seals = list(_SEAL.finditer(raw))
    if len(seals) != 1:
        if schema.rstrip(string.digits).encode() in raw or b'"sha256:' in raw:
            raise DigestMismatch("the certificate carries no digest that can be checked. Ask for the original file.")
        raise UnreadableFile("this is not a Sfumato certificate. Pass the JSON file that `sfumato certify` wrote.")
    start, end = seals[0].span(1)
    found = hashlib.sha256(raw[:start] + _ZEROS + raw[end:]).hexdigest().encode()
    if found != raw[start:end]:
        raise DigestMismatch(
            "the digest does not match: at least one byte of the certificate was changed after it was sealed. Ask for "
            "the original file."
        )


class _Schema(msgspec.Struct):
    schema: str = ""


def _check_schema(raw: bytes, wanted: str) -> None:
    try:
        schema = msgspec.json.decode(raw, type=_Schema).schema
    except msgspec.MsgspecError:
        raise UnreadableFile("this is not a Sfumato certificate: it is not a JSON object with a schema.") from None
    if schema != wanted:
        raise UnknownSchema(
            f"the certificate has schema {schema[:60]!r}; this version reads {wanted!r}. Upgrade sfumato to read it."
        )


def _write_subject(subject: AnyChannel) -> _Dense | _Circulant | _CirculantLaw:
    if isinstance(subject, Channel):
        return _Dense(
            inputs=[_write_label(label) for label in subject.inputs],
            outputs=[_write_label(label) for label in subject.outputs],
            rows=[_write_law(row) for row in subject.rows],
        )
    if len(subject.levels) > len(_CODE_DIGITS):
        return _CirculantLaw(input_count=subject.input_count, law=_write_law(subject.law))
    return _Circulant(
        input_count=subject.input_count,
        levels=_write_law(subject.levels),
        codes="".join(_CODE_DIGITS[code] for code in subject.codes),
    )


def _read_subject(document: _Dense | _Circulant | _CirculantLaw) -> AnyChannel:
    if isinstance(document, _Dense):
        return Channel(
            [_read_law(row) for row in document.rows],
            _read_labels(document.inputs),
            _read_labels(document.outputs),
        )
    if isinstance(document, _CirculantLaw):
        return Circulant(_read_law(document.law), document.input_count)
    levels = _read_law(document.levels)
    codes = np.array([_CODE_DIGITS.index(digit) for digit in document.codes])
    if codes.size == 0 or codes.max() >= len(levels):
        raise ValueError("a code names no level")
    return Circulant([levels[code] for code in codes], document.input_count)


def _write_label(label: Label) -> _JsonLabel:
    return [_write_label(part) for part in label] if isinstance(label, tuple) else label


def _read_labels(labels: list[_JsonLabel]) -> Alphabet:
    def read(label: _JsonLabel) -> Label:
        return tuple(read(part) for part in label) if isinstance(label, list) else label

    return tuple(read(label) for label in labels)


def _write_law(law: tuple[Fraction | float, ...]) -> str:
    return " ".join(str(Fraction(value)) for value in law)


def _read_law(text: str) -> list[Fraction]:
    return [_read_fraction(part) for part in text.split(" ")]


def _read_fraction(text: str) -> Fraction:
    # "1e999999999" would be a fraction too, of a billion digits.
    if not re.fullmatch(r"-?\d+(/\d+)?", text):
        raise ValueError("not a fraction of whole numbers")
    return Fraction(text)


def write_claim(claim: Claim) -> ClaimRecord:
    """Return a claim for a file."""
    return ClaimRecord(
        measure=claim.measure,
        relation=claim.relation.value,
        value=_write_value(claim.value, claim.status),
        unit=claim.unit,
        status=claim.status.value,
        because=claim.because,
        sentence=claim.sentence,
        confidence=claim.confidence,
        witness=None if claim.witness is None else list(claim.witness),
    )


def _write_value(value: Value, status: Status) -> str | float | _Bounds:
    if isinstance(value, Interval):
        return _Bounds(lower=value.lower, upper=value.upper)
    return float(value) if status is Status.ESTIMATED else str(value)


def read_claim(document: ClaimRecord) -> Claim:
    """Return the claim of a file."""
    value: Value
    if isinstance(document.value, _Bounds):
        value = Interval(document.value.lower, document.value.upper)
    elif isinstance(document.value, str):
        value = math.inf if document.value == "inf" else _read_fraction(document.value)
    else:
        value = document.value
    return Claim(
        measure=document.measure,
        relation=Relation(document.relation),
        value=value,
        unit=document.unit,
        status=Status(document.status),
        because=document.because,
        sentence=document.sentence,
        confidence=document.confidence,
        witness=None if document.witness is None else tuple(document.witness),
    )
