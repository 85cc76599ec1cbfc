"""certify: state every claim that applies to a channel or a mechanism."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from sfumato.bits import Mechanism
from sfumato.certificates.certificate import Certificate
from sfumato.certificates.record_statements import rules_for
from sfumato.certificates.rules import Context
from sfumato.errors import InvalidLaw, InvalidParameter
from sfumato.measures.individual.records import check_shape
from sfumato.prob import AnyChannel, Channel, Circulant, Distribution, LawLike, as_prior
from sfumato.values.checks import Number

# A structured channel no larger than this is written out, so that every measure applies to it.
_SMALL_ENTRIES = 4096
# Below this the logarithms that certificates need have left the range of doubles.
_SMALLEST = Fraction(1, 1 << 900)


def certify(
    subject: AnyChannel | Mechanism,
    prior: Distribution | LawLike | None = None,
    *,
    shape: Sequence[int] | None = None,
) -> Certificate:
    """Return every claim that applies, about the law that is really sampled when a mechanism is given.

    Without a prior every input is taken as equally likely. A float64 channel or prior is made exact first, by the rule
    of :mod:`sfumato.prob.exact`; the certificate is about the exact one, carries it, and notes how far it moved. With
    `shape` the inputs are tables of records, ordered as the product of the records' alphabets, and what the report says
    about one record is claimed too.
    """
    notes: list[str] = []
    channel = _exact_channel(_channel_of(subject, notes), notes)
    law = _exact_prior(as_prior(prior, channel), notes)
    if isinstance(channel, Circulant) and channel.shape[0] * channel.shape[1] <= _SMALL_ENTRIES:
        channel = channel.to_dense()
    _check_range(channel, law)
    sizes = None if shape is None else check_shape(channel, shape)
    context = Context(subject=channel, prior=law, shape=sizes)
    claims = tuple(rule.state(context) for rule in rules_for(channel, sizes))
    return Certificate(subject=channel, prior=law, claims=claims, notes=tuple(notes), shape=sizes)


def _channel_of(subject: AnyChannel | Mechanism, notes: list[str]) -> AnyChannel:
    if isinstance(subject, Channel | Circulant):
        return subject
    if not callable(getattr(subject, "channel", None)):
        raise InvalidParameter(
            f"subject must be a channel or a mechanism, not {type(subject).__name__}. Build a Channel from its rows."
        )
    notes.append(f"The law that {subject.name} samples, read from its integer thresholds.")
    return subject.channel()


def _exact_channel(channel: AnyChannel, notes: list[str]) -> AnyChannel:
    if channel.exact:
        return channel
    exact = channel.to_exact()
    if isinstance(channel, Channel) and isinstance(exact, Channel):
        moved = max(
            _distance(before, after)
            for old, new in zip(channel.rows, exact.rows, strict=True)
            for before, after in zip(old, new, strict=True)
        )
        notes.append(_moved("The channel", moved))
    else:
        notes.append("The shift law was float64 and was rounded to an exact one.")
    return exact


def _exact_prior(prior: Distribution, notes: list[str]) -> Distribution:
    if min(prior.probabilities) == 0:
        label = prior.labels[prior.probabilities.index(0)]
        raise InvalidLaw(
            f"prior gives probability 0 to input {label!r}, and a certificate speaks of inputs that can happen. Drop "
            f"that input from the channel, or give it a positive probability."
        )
    if prior.exact:
        return prior
    exact = prior.to_exact()
    moved = max(
        _distance(before, after) for before, after in zip(prior.probabilities, exact.probabilities, strict=True)
    )
    notes.append(_moved("The prior", moved))
    return exact


def _distance(before: Number, after: Number) -> Fraction:
    return abs(Fraction(before) - Fraction(after))


def _moved(what: str, moved: Fraction) -> str:
    return (
        f"{what} was float64. It was made exact by rounding each entry to a grid and putting what was missing on the "
        f"largest entry of its row; no entry moved by more than {math.nextafter(float(moved), math.inf):.2g}."
    )


def _check_range(channel: AnyChannel, prior: Distribution) -> None:
    entries = channel.levels if isinstance(channel, Circulant) else (v for row in channel.rows for v in row)
    if min((v for v in (*entries, *prior.probabilities) if v > 0), default=1) < _SMALLEST:
        raise InvalidLaw(
            "a probability lies below 2^-900, where logarithms in double precision can no longer be certified. "
            "Replace it by 0 or by something larger."
        )
