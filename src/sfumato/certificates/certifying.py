"""certify: state every claim that applies to a channel, a mechanism, a ladder, a disclosure or a design."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any, Protocol

from sfumato.bits import Mechanism
from sfumato.certificates import channel_subjects  # noqa: F401  it has the last word on what no room knows
from sfumato.certificates.certificate import Certificate
from sfumato.certificates.registry import kind_of_subject, subject_maker
from sfumato.errors import InvalidParameter
from sfumato.prob import AnyChannel, ChannelLike, DistributionLike


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
    equally likely. A float64 channel or prior is made exact first, by the rule of :mod:`sfumato.prob.exact`; the
    certificate is about the exact one, carries it, and notes how far it moved. With `shape` the inputs are tables of
    records, ordered as the product of the records' alphabets, and what the report says about one record is claimed too.

    Of a disclosure: `estimated_from` is the number of protected data sets that its law was counted in, None where the
    law was declared. A counted law gives the data away, and so does the mapping made for it: that certificate is
    private, and :func:`sfumato.disclose.public_certificate` makes the one to publish.

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
    """Return the certificate of a subject that a room has made."""
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
