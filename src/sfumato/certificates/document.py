"""The certificate on disk: one spelling, sealed by a digest, the same for every kind but for its subject.

The document is read through closed tables of structs; any other spelling of the same content is refused too, so there
is exactly one file for each certificate. Its sources follow from its claims, and stand there for its reader.
"""

from __future__ import annotations

from typing import Any

import msgspec

from sfumato.certificates.certificate import Certificate
from sfumato.certificates.claim_records import ClaimRecord, read_claim, write_claim
from sfumato.certificates.registry import HOMES, kind_of_schema
from sfumato.certificates.seals import NO_DIGEST, check_digest, spell
from sfumato.certificates.strangers import schema_in
from sfumato.errors import ClaimRefused, DigestMismatch, InvalidInput, UnreadableFile


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
