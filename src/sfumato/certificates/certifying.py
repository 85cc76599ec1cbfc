"""Stating every claim that applies to a subject, and checking the claims of a certificate again."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Sequence
from typing import Any, Protocol

from sfumato.certificates import channels as channel_subjects  # noqa: F401  registers the subjects of channels
from sfumato.certificates.certificate import Certificate, kind_of_subject, subject_maker
from sfumato.certificates.claims import Claim
from sfumato.errors import ClaimRefused, InvalidInput, InvalidParameter, NotCertified, NotChecked
from sfumato.prob.distribution import DistributionLike
from sfumato.prob.structured import AnyChannel, ChannelLike
from sfumato.sampling.mechanism import Mechanism


class HasChannel(Protocol):
    """A disclosure, or a design that answers by a channel."""

    @property
    def channel(self) -> AnyChannel:
        """How it answers."""
        ...


class HasDeclaration(Protocol):
    """A ladder, which can be made again from what it declares."""

    @property
    def declaration(self) -> str:
        """What it is made from."""
        ...


class HasCertificate(Protocol):
    """A design that knows its own claims."""

    @property
    def certificate(self) -> Certificate:
        """The claims."""
        ...


Certifiable = ChannelLike | Mechanism | HasChannel | HasDeclaration | HasCertificate
"""What a certificate can be about."""


def certify(
    thing: Certifiable,
    prior: DistributionLike | None = None,
    *,
    shape: Sequence[int] | None = None,
    estimated_from: int | None = None,
    readers: Sequence[str | Sequence[str]] | None = None,
) -> Certificate:
    """Return every claim that applies; for a mechanism about the law that is really sampled.

    Of a channel (or its rows in nested lists or an array) or a mechanism: without a prior every input is taken as
    equally likely. A float64 channel or prior is made exact first, by the rule of :mod:`sfumato.numbers.exact`; the
    certificate is about the exact one, carries it, and notes how far it moved. With `shape` the inputs are tables of
    records, ordered as the product of the records' alphabets, and what the report says about one record is claimed too.

    Of a disclosure: `estimated_from` is the number of protected data sets that its law was counted in, None where the
    law was declared. A counted law gives the data away, and so does the mapping made for it: that certificate is
    private, and :func:`sfumato.disclosure.public_certificate` makes the one to publish.

    Of a ladder: `readers` names those of each level but the public one, the sharpest first, and sentences then speak of
    them and not of numbers. Designs say all by themselves.

    Returns:
        The certificate, whose claims `sf.verify` finds again.

    Raises:
        InvalidParameter: the thing has no certificate, or prior and shape do not fit it.
        InvalidLaw: rows or prior are no laws.
        NotCertified: a bound could not be proved.

    >>> import sfumato as sf
    >>> certificate = sf.certify(sf.Channel([[0.75, 0.25], [0.25, 0.75]]))
    >>> certificate["guess_error"].sentence
    'A guesser who knows the prior is wrong at least 25 % of the time, with every answer equally likely; before seeing
    the report it was 50 %.'
    >>> ladder = sf.certify(sf.Ladder.within(size=6, epsilons=[2, 1]), readers=["ministry"])
    >>> ladder["epsilon_level_1"].sentence
    'What ministry sees is ε-locally differentially private with ε = 2 (nats, rounded up).'
    """
    given = {"prior": prior, "shape": shape, "estimated_from": estimated_from, "readers": readers}
    subject = _subject(thing, {name: value for name, value in given.items() if value is not None})
    return certify_subject(subject)


def certify_subject(subject: Any) -> Certificate:
    """Return the certificate of a subject."""
    kind = kind_of_subject(subject)
    return Certificate(subject=subject, claims=kind.state(subject), notes=kind.notes(subject), schema=kind.schema)


def _subject(thing: Any, given: dict[str, Any]) -> Any:
    make = subject_maker(type(thing))
    known = inspect.signature(make).parameters
    for name in given:
        if name not in known:
            raise InvalidParameter(
                f"says nothing about {type(thing).__name__}: it has no such thing, or states its own",
                parameter=name,
                way_out=f"Leave out `{name}`.",
            )
    return make(thing, **given)


# --- verify: state every claim again from the subject alone, and raise where the certificate differs
#
# Claims are compared whole: number, unit, relation, status, reason, sentence, confidence and witness. So are the
# notes. The cited works follow from the claims, and a file that lists others is refused when it is opened.


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
