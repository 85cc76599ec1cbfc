"""Certificates of ladders: what each level tells, what coalitions see, what it costs; made, sealed, checked again.

The file is spelled and sealed like every certificate (:mod:`sfumato.certificates.document`); its subject is the
ladder's declaration. Verification makes the ladder anew from it and finds every number by another way.
Theory: docs/theory/ladders.md
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from sfumato.certificates.document import NO_DIGEST, ClaimRecord, open_sealed, read_claim, spell, write_claim
from sfumato.errors import ClaimRefused, InvalidInput, NotCertified
from sfumato.refine.ladder import Ladder
from sfumato.refine.ladder_claims import state_claims, state_notes
from sfumato.refine.ladder_evidence import AsBuilt, FromSteps
from sfumato.values import Claim, Claiming

SCHEMA = "sfumato/ladder-certificate/1"


class _Document(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    schema: str
    digest: str
    ladder: str
    notes: list[str]
    claims: list[ClaimRecord]


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderCertificate(Claiming):
    """Claims about the ladder of a declaration."""

    declaration: str
    claims: tuple[Claim, ...]
    notes: tuple[str, ...] = ()

    @property
    def ladder(self) -> Ladder:
        """The ladder, made anew."""
        return Ladder.declared(self.declaration)

    def to_json(self) -> str:
        """Return the sealed document, in the one spelling that verification accepts."""
        return spell(
            _Document(
                schema=SCHEMA,
                digest=NO_DIGEST,
                ladder=self.declaration,
                notes=list(self.notes),
                claims=[write_claim(claim) for claim in self.claims],
            )
        )

    @staticmethod
    def from_json(data: str | bytes) -> LadderCertificate:
        """Open a sealed document; raises when a byte of it was changed."""
        return open_sealed(data, SCHEMA, _Document, _read, LadderCertificate.to_json)

    @property
    def title(self) -> str:
        """What it is a certificate of."""
        ladder = self.ladder
        return f"Certificate of a ladder: {ladder.size} answers, {len(ladder.levels)} levels, {ladder.modulus} reports"

    def to_markdown(self) -> str:
        """Return the claims as a Markdown table."""
        from sfumato.render.text import claims_markdown  # noqa: PLC0415  a door into a later room, opened when used

        return claims_markdown(self.title, self.claims, self.notes)


def _read(document: _Document) -> LadderCertificate:
    return LadderCertificate(
        declaration=Ladder.declared(document.ladder).declaration,
        claims=tuple(read_claim(claim) for claim in document.claims),
        notes=tuple(document.notes),
    )


def certify_ladder(ladder: Ladder) -> LadderCertificate:
    """Return every claim about a ladder; raises NotCertified when a step does not do what its level needs."""
    return LadderCertificate(
        declaration=ladder.declaration, claims=state_claims(AsBuilt(ladder)), notes=state_notes(ladder)
    )


def verify_ladder(certificate: LadderCertificate) -> None:
    """Return when every claim holds; raise ClaimRefused, naming the first that does not, otherwise."""
    try:
        ladder = Ladder.declared(certificate.declaration)
    except InvalidInput as error:
        raise ClaimRefused(f"the ladder cannot be made from its declaration: {error}") from None
    if certificate.notes != state_notes(ladder):
        raise ClaimRefused("the notes are not the ones that belong to this ladder. Ask for the original certificate.")
    stated = {claim.measure: claim for claim in certificate.claims}
    if len(stated) != len(certificate.claims):
        raise ClaimRefused("a measure is claimed twice. Ask for the original certificate.")
    try:
        found = state_claims(FromSteps(ladder), stated)
    except (InvalidInput, NotCertified) as error:
        raise ClaimRefused(f"the claims could not be recomputed: {error}") from None
    wanted = [claim.measure for claim in found]
    if missing := [measure for measure in wanted if measure not in stated]:
        raise ClaimRefused(f"the certificate leaves out {', '.join(missing)}, which applies to its ladder.")
    if unknown := [measure for measure in stated if measure not in wanted]:
        raise ClaimRefused(f"{', '.join(unknown)[:200]} is not a measure that this version can check for this ladder.")
    for claim, again in zip(certificate.claims, found, strict=True):
        _compare(claim, again)


def _compare(claim: Claim, found: Claim) -> None:
    if claim.measure != found.measure:
        raise ClaimRefused(f"{claim.measure} stands where {found.measure} belongs. Ask for the original certificate.")
    if claim.value != found.value:
        raise ClaimRefused(f"{claim.measure}: claimed {claim.value}, recomputed {found.value}.")
    if claim != found:
        raise ClaimRefused(
            f"{claim.measure}: its number is right, but its words, unit, status or reason are not the ones that belong "
            f"to it."
        )
