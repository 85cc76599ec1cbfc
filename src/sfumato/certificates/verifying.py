"""verify: state every claim again from the subject alone, and raise where the certificate says something else."""

from __future__ import annotations

from sfumato.certificates.certificate import Certificate
from sfumato.certificates.record_statements import rules_for
from sfumato.certificates.rules import Context
from sfumato.errors import ClaimRefused, InvalidInput, NotCertified
from sfumato.measures.individual.records import check_shape
from sfumato.values import Claim


def verify(certificate: Certificate) -> None:
    """Return when every claim holds; raise ClaimRefused, naming the first that does not, otherwise."""
    subject = certificate.subject
    if not (subject.exact and certificate.prior.exact):
        raise ClaimRefused("the subject and its prior must be exact, or nothing can be recomputed from them.")
    if len(certificate.prior) != subject.shape[0] or min(certificate.prior.probabilities) == 0:
        raise ClaimRefused("the prior must give every input of the subject a positive probability.")
    try:
        shape = None if certificate.shape is None else check_shape(subject, certificate.shape)
    except InvalidInput as error:
        raise ClaimRefused(f"the records do not fit the subject: {error}") from None
    rules = {rule.measure: rule for rule in rules_for(subject, shape)}
    stated = [claim.measure for claim in certificate.claims]
    if len(set(stated)) != len(stated):
        raise ClaimRefused("a measure is claimed twice. Ask for the original certificate.")
    if missing := [measure for measure in rules if measure not in stated]:
        raise ClaimRefused(f"the certificate leaves out {', '.join(missing)}, which applies to its subject.")
    for claim in certificate.claims:
        if claim.measure not in rules:
            raise ClaimRefused(f"{claim.measure} is not a measure that this version can check for such a subject.")
        context = Context(subject=subject, prior=certificate.prior, shape=shape, claimed=claim)
        try:
            _compare(claim, rules[claim.measure].state(context))
        except (InvalidInput, NotCertified) as error:
            raise ClaimRefused(f"{claim.measure} could not be recomputed: {error}") from None


def _compare(claim: Claim, found: Claim) -> None:
    if claim.value != found.value:
        raise ClaimRefused(f"{claim.measure}: claimed {claim.value}, recomputed {found.value}.")
    if claim != found:
        raise ClaimRefused(
            f"{claim.measure}: its number is right, but its words, unit, status or reason are not the ones that belong "
            f"to it."
        )
