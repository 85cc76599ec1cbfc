"""verify: state every claim again from the subject alone, and raise where the certificate says something else.

Claims are compared whole: number, unit, relation, status, reason, sentence, confidence and witness. So are the notes.
The works that are cited follow from the claims, and a file that spells others is refused when it is opened.
"""

from __future__ import annotations

import dataclasses

from sfumato.certificates.certificate import Certificate
from sfumato.errors import ClaimRefused, InvalidInput, InvalidParameter, NotCertified, NotChecked
from sfumato.values import Claim

_ASK = "Ask for the original certificate."


def verify(certificate: Certificate, *, opening: Certificate | None = None) -> None:
    """Return when every claim holds; raise ClaimRefused, naming the first that does not, otherwise.

    A certificate whose law is private proves nothing by itself: NotChecked is raised, unless `opening` is the private
    certificate that it commits to. Then that one is verified, and what the public one states is compared with it.

    Returns:
        Nothing, where every claim holds.

    Raises:
        ClaimRefused: a claim does not hold.
        NotChecked: the law is private and `opening` is not given.
        UnreadableFile: a file is damaged, of another kind, or not there.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> certificate = sf.certify(sf.mechanisms.RandomizedResponse(size=2, odds=Fraction(3)))
    >>> sf.verify(certificate)  # says nothing where all is well
    """
    for parameter, given in (("certificate", certificate), ("opening", opening)):
        if not isinstance(given, Certificate) and (parameter == "certificate" or given is not None):
            raise InvalidParameter(
                f"must be a certificate, not {type(given).__name__}",
                parameter=parameter,
                way_out="Read one with sf.Certificate.read, or make one with sf.certify.",
            )
    kind = certificate.kind
    if type(certificate.subject) is not kind.subject:
        raise ClaimRefused(f"the subject is not of the kind that {kind.schema} is about", way_out=_ASK)
    stated = {claim.measure: claim for claim in certificate.claims}
    if len(stated) != len(certificate.claims):
        raise ClaimRefused("a measure is claimed twice", way_out=_ASK)
    try:
        found, notes = kind.restate(certificate.subject, stated), kind.notes(certificate.subject)
    except (InvalidInput, NotCertified) as error:
        raise ClaimRefused(f"the claims could not be recomputed: {error}") from None
    compare_claims(certificate.claims, found)
    if certificate.notes != notes:
        raise ClaimRefused("the notes are not the ones that belong to the subject", way_out=_ASK)
    _verify_opened(certificate, opening)


def _verify_opened(certificate: Certificate, opening: Certificate | None) -> None:
    """Check what is stated against the private certificate, where there is one to commit to."""
    opened = certificate.kind.opened
    if opened is None:
        if opening is not None:
            raise InvalidParameter(
                "is for a certificate whose law is private, and this one proves itself",
                parameter="opening",
                way_out="Leave out `opening`.",
            )
        return
    if opening is None:
        raise NotChecked(
            "stated, not checked: the law is private",
            way_out="The file is whole and says what such a file may say, but whether its numbers are true only the "
            "private file shows; whoever holds it checks both with `opening`.",
        )
    proved = opened(certificate.subject, opening)
    verify(opening)
    compare_claims(certificate.claims, proved)


def compare_claims(stated: tuple[Claim, ...], found: tuple[Claim, ...]) -> None:
    """Raise unless the claims are those that were found: all of them, no others, in their order, word by word."""
    measures, wanted = [claim.measure for claim in stated], [claim.measure for claim in found]
    if missing := [measure for measure in wanted if measure not in measures]:
        raise ClaimRefused(f"the certificate leaves out {', '.join(missing)}, which applies to its subject")
    if unknown := [measure for measure in measures if measure not in wanted]:
        raise ClaimRefused(
            f"{', '.join(unknown)[:200]} is not a measure that this version can check for such a subject"
        )
    for claim, again in zip(stated, found, strict=True):
        _compare(claim, again)


def _compare(claim: Claim, found: Claim) -> None:
    if claim.measure != found.measure:
        raise ClaimRefused(f"{claim.measure} stands where {found.measure} belongs", way_out=_ASK)
    if claim.value != found.value:
        raise ClaimRefused(f"{claim.measure}: claimed {claim.value}, recomputed {found.value}")
    names = [field.name for field in dataclasses.fields(Claim)]
    if wrong := [name for name in names if getattr(claim, name) != getattr(found, name)]:
        raise ClaimRefused(
            f"{claim.measure}: its number is right, but its {' and '.join(wrong)} are not what belongs to it",
            way_out=_ASK,
        )
