"""A certificate: a subject, and what is true of it."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.prob import AnyChannel, Distribution
from sfumato.values import Claim, Claiming


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate(Claiming):
    """Claims about an exact channel under a prior. `notes` tell how the subject came to be exact.

    With `shape`, the inputs are tables of records with so many values each, and some claims are about one record.
    """

    subject: AnyChannel
    prior: Distribution
    claims: tuple[Claim, ...]
    notes: tuple[str, ...] = ()
    shape: tuple[int, ...] | None = None

    def to_json(self) -> str:
        """Return the sealed document, in the one spelling that verification accepts."""
        from sfumato.certificates.document import seal  # noqa: PLC0415  the document knows the certificate

        return seal(self)

    @staticmethod
    def from_json(data: str | bytes) -> Certificate:
        """Open a sealed document; raises when a byte of it was changed."""
        from sfumato.certificates.document import unseal  # noqa: PLC0415  the document knows the certificate

        return unseal(data)

    def to_html(self) -> str:
        """Return a page that needs nothing but itself."""
        from sfumato.render import certificate_html  # noqa: PLC0415  a door into a later room, opened when used

        return certificate_html(self)

    def to_markdown(self) -> str:
        """Return the claims as a Markdown table."""
        from sfumato.render import certificate_markdown  # noqa: PLC0415  a door into a later room, opened when used

        return certificate_markdown(self)
