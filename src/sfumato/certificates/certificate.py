"""A certificate: a subject, and what is true of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.certificates.registry import Kind, kind_of_schema
from sfumato.certificates.sources import Source, cited_sources
from sfumato.errors import Place, SfumatoError
from sfumato.files import DEFAULT_LIMIT_BYTES, read_bytes
from sfumato.values import Claim, Claiming
from sfumato.values.shown import Shown


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
        from sfumato.certificates.document import seal  # noqa: PLC0415  the document knows the certificate

        return seal(self)

    @staticmethod
    def from_json(data: str | bytes) -> Certificate:
        """Open a sealed document of any kind; raises when a byte of it was changed."""
        from sfumato.certificates.document import unseal  # noqa: PLC0415  the document knows the certificate

        return unseal(data)

    @staticmethod
    def read(path: str | Path, *, limit_bytes: int = DEFAULT_LIMIT_BYTES) -> Certificate:
        """Open a sealed file of any kind. Reading checks the seal; `verify` checks the claims."""
        data = read_bytes(path, limit_bytes=limit_bytes)
        try:
            return Certificate.from_json(data)
        except SfumatoError as error:
            raise error.at(Place(file=str(path))) from None

    def to_html(self) -> str:
        """Return a page that needs nothing but itself."""
        from sfumato.render import certificate_html  # noqa: PLC0415  a door into a later room, opened when used

        return certificate_html(self)

    def to_markdown(self) -> str:
        """Return the claims as a Markdown table."""
        from sfumato.render import certificate_markdown  # noqa: PLC0415  a door into a later room, opened when used

        return certificate_markdown(self)
