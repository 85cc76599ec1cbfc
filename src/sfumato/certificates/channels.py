"""Certificates of channels, and their statements of how reports were collected."""

from __future__ import annotations

import math
import string
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import msgspec
import numpy as np

from sfumato.certificates.certificate import Certificate, Kind, Stated, register, subject_of
from sfumato.certificates.channel_claims import rules_for
from sfumato.certificates.claims import Claim, Context
from sfumato.display.text import fraction_text
from sfumato.errors import ClaimRefused, InvalidInput, InvalidLaw, InvalidParameter, NotCertified
from sfumato.measures.individual import check_shape
from sfumato.numbers.checks import Number
from sfumato.numbers.exact import MOST_DENOMINATOR_BITS, common_denominator, read_fraction
from sfumato.prob.channel import Channel
from sfumato.prob.distribution import Alphabet, Distribution, DistributionLike, Label
from sfumato.prob.operations import as_prior
from sfumato.prob.structured import AnyChannel, Circulant, as_channel

# --- Collection over the web, as a certificate states it: by its maker, where no file can show it
#
# It is part of the subject, so that software can read it there, and the notes say it to people. Contradictions with the
# rest of the file are refused: draws for levels that keys do not open, keys that were not sent sealed, answers that are
# sent back without a key for them, and a guarantee that a cipher does not give.   Theory: docs/theory/collection.md


MAKER_SAYS = "Its maker says, and this file alone cannot show, that"
COMPUTATIONAL = "computational"
_MODES = {
    "anonymous": "the mode is anonymous: whoever holds the server's files cannot tell by them who sent which report, "
    "but for the order in which they were written where few were waiting at the same time; times and network addresses "
    "seen on the way still link them.",
    "panel": "the mode is panel: each report is kept under a pseudonym that the office can link to the person, and all "
    "reports of one person can be linked to each other.",
}
_CIPHERS = ("mlkem768-x25519", "x25519")


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """That reports were collected over the web, and how.

    `mode` is anonymous or panel. Where keys open more than the public sees, `sealed_by` is the cipher under which
    devices sent what the keys are made of, and `guarantee` is computational. With `recover`, they sent the registrar
    what gives the answers back, as the study opts into.
    """

    mode: str
    sealed_by: str | None = None
    guarantee: str | None = None
    recover: bool = False


class CollectedRecord(msgspec.Struct, forbid_unknown_fields=True, frozen=True, omit_defaults=True):
    """The same in a file."""

    mode: str
    sealed_by: str | None = None
    guarantee: str | None = None
    recover: bool = False


def write_collected(collected: Collected | None) -> CollectedRecord | None:
    """Return it for a file."""
    if collected is None:
        return None
    return CollectedRecord(
        mode=collected.mode,
        sealed_by=collected.sealed_by,
        guarantee=collected.guarantee,
        recover=collected.recover,
    )


def read_collected(record: CollectedRecord | None) -> Collected | None:
    """Return what a file says; whether it can be so is for `check_collected`."""
    if record is None:
        return None
    return Collected(mode=record.mode, sealed_by=record.sealed_by, guarantee=record.guarantee, recover=record.recover)


def check_collected(collected: Collected | None, *, keyed_levels: int = 0, recoverable: bool = False) -> None:
    """Raise ClaimRefused where it cannot be so: `keyed_levels` are opened by keys, answers come back if `recoverable`.

    The refusal names the entry that says it.
    """
    if collected is None:
        return
    if collected.mode not in _MODES:
        raise _refused("mode", f"must be one of {', '.join(_MODES)}")
    if collected.recover and not recoverable:
        raise _refused("recover", "says that the registrar gets the answers back, and no key gives them back here")
    if keyed_levels or collected.recover:
        if collected.sealed_by not in _CIPHERS:
            raise _refused("sealed_by", f"must be one of {', '.join(_CIPHERS)}: keys show more, and their draws travel")
        if collected.guarantee != COMPUTATIONAL:
            raise _refused("guarantee", f"must be {COMPUTATIONAL}: what keys show has travelled under a cipher")
    elif collected.sealed_by is not None:
        raise _refused("sealed_by", "names a cipher, and no key shows more than everybody sees")
    elif collected.guarantee is not None:
        raise _refused("guarantee", "says how far keys are protected, and there are none")


def collected_notes(collected: Collected | None, *, recoverable: bool = False) -> tuple[str, ...]:
    """Say it to people."""
    if collected is None:
        return ()
    notes = [
        (
            f"{MAKER_SAYS} the reports were collected over the web, each drawn on the device of its respondent, which "
            f"the answer did not leave."
        ),
        f"{MAKER_SAYS} {_MODES.get(collected.mode, '')}",
    ]
    if collected.sealed_by is not None:
        notes.append(
            f"Computational: what keys show beyond the public report is made of draws that devices sealed, by HPKE "
            f"with {collected.sealed_by}. Who has these and no key sees no more than the public, as long as that "
            f"cipher is not broken and the public keys are the readers' own; an advantage of 2^-64 against it adds "
            f"what is said of seeds above. The public report alone needs no such assumption."
        )
    if collected.recover:
        notes.append(
            f"{MAKER_SAYS} the study opts into recovery over the web: devices sealed for the registrar what gives the "
            f"answers back."
        )
    elif recoverable:
        notes.append(
            f"{MAKER_SAYS} the study does not opt into recovery over the web: no device sent what gives the answers "
            f"back, and nobody can recover them from these reports."
        )
    return tuple(notes)


def as_collected(certificate: Certificate, collected: Collected) -> Certificate:
    """Return a certificate that also says how its reports were collected; refuses a collection that contradicts it."""
    subject: Any = certificate.subject
    if not hasattr(subject, "collected"):
        raise InvalidParameter(
            "is about nothing that is collected over the web",
            parameter="certificate",
            way_out="Give the certificate of a channel or of a ladder.",
        )
    told = replace(subject, collected=collected)
    told.check_collected()
    return replace(certificate, subject=told, notes=certificate.kind.notes(told))


def _refused(entry: str, why: str) -> ClaimRefused:
    return ClaimRefused(f"collected.{entry} {why}", way_out="Ask for the original certificate.")


# --- The subject of a certificate of a channel: an exact channel under an exact prior, and how the two became exact


# A structured channel up to this size is written out, so that every measure applies to it.
_SMALL_ENTRIES = 4096
# Below this, doubles are too small for the logarithms that certificates need.
_SMALLEST = Fraction(1, 1 << 900)
# Rows of floats sum to 1 up to 1e-9, and the largest entry takes the difference: no entry moves further.
_MOST_MOVED = 1e-8
# The most symbols of a structured channel that are examined one by one, in seconds.
MOST_SYMBOLS = 1 << 19
_MAKER = f"{MAKER_SAYS} this is"
# Families of mechanisms that a note may name; any other is called a mechanism.
FAMILIES = (
    "arc_response",
    "binary_hadamard",
    "cyclic_response",
    "flags",
    "hadamard_response",
    "mechanism",
    "optimised_unary",
    "permanent_unary",
    "randomized_response",
    "sets",
    "subset_selection",
    "symmetric_unary",
    "tabulated",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelSubject:
    """A channel under a prior. With `shape`, its inputs are tables of records with so many values each.

    `mechanism` is the family of the mechanism whose sampled law it is. `channel_moved` and `prior_moved` bound how far
    an entry moved when float64 was made exact, None where it was exact already. `collected` says how reports came in.

    >>> import sfumato as sf
    >>> subject = sf.certify(sf.Channel([[0.7, 0.3], [0.2, 0.8]])).subject
    >>> subject.channel.exact, subject.prior.probabilities
    (True, (Fraction(1, 2), Fraction(1, 2)))
    >>> 0 < subject.channel_moved < 1e-15  # what it took to make the float 0.7 a fraction on a grid
    True
    """

    channel: AnyChannel
    prior: Distribution
    shape: tuple[int, ...] | None = None
    mechanism: str | None = None
    channel_moved: float | None = None
    prior_moved: float | None = None
    collected: Collected | None = None

    def check_collected(self) -> None:
        """Refuse what cannot be: a channel has no keys."""
        check_collected(self.collected)


@subject_of.register
def channel_subject(
    thing: Channel, prior: DistributionLike | None = None, shape: Sequence[int] | None = None
) -> ChannelSubject:
    """Return the subject of a channel."""
    return _make(thing, prior, shape, None)


@subject_of.register
def _circulant_subject(
    thing: Circulant, prior: DistributionLike | None = None, shape: Sequence[int] | None = None
) -> ChannelSubject:
    return _make(thing, prior, shape, None)


@subject_of.register
def _mechanism_subject(
    thing: object, prior: DistributionLike | None = None, shape: Sequence[int] | None = None
) -> ChannelSubject:
    """Return the subject of what has a channel (a mechanism, a design), or of rows in lists or an array."""
    found: Any = getattr(thing, "channel", None)
    if isinstance(found, Channel | Circulant):
        return _make(found, prior, shape, None)
    if callable(found):
        return _make(found(), prior, shape, _family(str(getattr(thing, "name", ""))))
    if isinstance(thing, Sequence) or hasattr(thing, "__array__"):
        return _make(as_channel(thing, "thing"), prior, shape, None)
    raise InvalidParameter(
        f"must be something to certify, not {type(thing).__name__}",
        parameter="thing",
        way_out="Pass a channel, a mechanism, a ladder, a disclosure, a design, or the rows of a channel.",
    )


def check_subject(subject: ChannelSubject) -> None:
    """Raise ClaimRefused unless everything can be recomputed from the subject."""
    channel, prior = subject.channel, subject.prior
    if not (channel.exact and prior.exact):
        raise ClaimRefused("the channel and its prior must be exact, or nothing can be recomputed from them")
    if len(prior) != channel.shape[0] or min(prior.distinct) == 0:
        raise ClaimRefused("the prior must give every input of the channel a positive probability")
    if subject.mechanism is not None and subject.mechanism not in FAMILIES:
        raise ClaimRefused("the mechanism must be one of the families that are known here")
    subject.check_collected()
    _check_profiles(channel)
    for moved in (subject.channel_moved, subject.prior_moved):
        if moved is not None and not 0 <= moved <= _MOST_MOVED:
            raise ClaimRefused(f"an entry cannot have moved by {moved:g} when float64 was made exact")
    try:
        if subject.shape is not None:
            check_shape(channel, subject.shape)
    except InvalidInput as error:
        raise ClaimRefused(f"the records do not fit the channel: {error}") from None


def _check_profiles(channel: AnyChannel) -> None:
    """Count again, by another method, how often each level reaches each report; the claims follow from these counts."""
    if not isinstance(channel, Circulant) or not channel.is_coarse:
        return
    if sorted(channel.column_profiles()) != sorted(channel.column_profiles_again()):
        raise ClaimRefused("two ways of counting how often each level reaches each report disagree")


def state_notes(subject: ChannelSubject) -> tuple[str, ...]:
    """Return notes on how the subject was made exact and collected, by its maker's word: the file does not show it."""
    notes = []
    if subject.mechanism is not None:
        family = "a mechanism" if subject.mechanism == "mechanism" else subject.mechanism
        notes.append(f"{_MAKER} the law that {family} samples, read from its integer thresholds.")
    for what, moved in (("channel", subject.channel_moved), ("prior", subject.prior_moved)):
        if moved is not None:
            notes.append(
                f"{_MAKER} a {what} in float64 that was made exact by rounding each entry to a grid and putting what "
                f"was missing on the largest entry of its row; no entry moved by more than {moved:.2g}."
            )
    return (*notes, *collected_notes(subject.collected))


def _make(
    channel: AnyChannel,
    prior: DistributionLike | None,
    shape: Sequence[int] | None,
    mechanism: str | None,
) -> ChannelSubject:
    if channel.shape[1] > MOST_SYMBOLS:
        raise InvalidParameter(
            f"has {channel.shape[1]} reports, and certificates of channels speak of at most {MOST_SYMBOLS}",
            parameter="thing",
            way_out="Merge reports; or certify a ladder, which is judged from counts.",
        )
    exact, channel_moved = _exact_channel(channel)
    law, prior_moved = _exact_prior(as_prior(prior, exact))
    if isinstance(exact, Circulant) and exact.shape[0] * exact.shape[1] <= _SMALL_ENTRIES:
        exact = exact.to_dense()
    _check_range(exact, law)
    return ChannelSubject(
        channel=exact,
        prior=law,
        shape=None if shape is None else check_shape(exact, shape),
        mechanism=mechanism,
        channel_moved=channel_moved,
        prior_moved=prior_moved,
    )


def _family(name: str) -> str:
    first = name.split(" ", maxsplit=1)[0]
    return first if first in FAMILIES else "mechanism"


def _exact_channel(channel: AnyChannel) -> tuple[AnyChannel, float | None]:
    if channel.exact:
        return channel, None
    exact = channel.to_exact()
    if isinstance(channel, Channel) and isinstance(exact, Channel):
        return exact, max(_distance(old, new) for old, new in zip(channel.rows, exact.rows, strict=True))
    # Every row of a structured channel is its first one, turned.
    return exact, _distance(channel.row(0), exact.row(0))


def _exact_prior(prior: Distribution) -> tuple[Distribution, float | None]:
    if min(prior.distinct) == 0:
        label = prior.labels[prior.probabilities.index(0)]
        raise InvalidLaw(
            f"gives probability 0 to input {label!r}, and a certificate speaks of inputs that can happen",
            parameter="prior",
            way_out="Drop that input from the channel, or give it a positive probability.",
        )
    if prior.exact:
        return prior, None
    exact = prior.to_exact()
    return exact, _distance(prior.probabilities, exact.probabilities)


def _distance(before: Sequence[Number], after: Sequence[Number]) -> float:
    """How far the entries of a law moved, rounded up to two digits, so that the note is what the file says."""
    moved = max(abs(Fraction(old) - Fraction(new)) for old, new in zip(before, after, strict=True))
    if moved == 0:
        return 0.0
    step = 10.0 ** (math.floor(math.log10(moved)) - 1)
    return float(f"{(math.floor(float(moved) / step) + 1) * step:.2g}")


def _check_range(channel: AnyChannel, prior: Distribution) -> None:
    entries = channel.levels if isinstance(channel, Circulant) else [v for row in channel.rows for v in row]
    for law in (entries, prior.distinct):
        if common_denominator(Fraction(value) for value in law) is None:
            raise InvalidLaw(
                f"the fractions have no common denominator below {MOST_DENOMINATOR_BITS} bits, too slow to prove "
                f"anything exactly",
                way_out="Round the entries, or pass them as floats.",
            )
    if min((v for v in (*entries, *prior.distinct) if v > 0), default=1) < _SMALLEST:
        raise InvalidLaw(
            "a probability lies below 2^-900, where logarithms in double precision can no longer be certified",
            way_out="Replace it by 0 or by something larger.",
        )


SCHEMA = "sfumato/certificate/channel/1"
_CODE_DIGITS = string.digits + string.ascii_lowercase
_MOST_PRIOR = 40
# The deepest nesting of a label: pairs of pairs of answers, and some more.
_DEEPEST_LABEL = 16

_JsonLabel = str | int | list[Any]


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


class _Moved(msgspec.Struct, forbid_unknown_fields=True, frozen=True, omit_defaults=True):
    channel: float | None = None
    prior: float | None = None


class _Record(msgspec.Struct, forbid_unknown_fields=True, frozen=True, omit_defaults=True):
    channel: _Dense | _Circulant | _CirculantLaw
    prior: str
    shape: list[int] | None = None
    mechanism: str | None = None
    made_exact: _Moved | None = None
    collected: CollectedRecord | None = None


def state_claims(subject: ChannelSubject) -> tuple[Claim, ...]:
    """State every rule that applies."""
    context = Context(subject=subject.channel, prior=subject.prior, shape=subject.shape)
    return tuple(rule.state(context) for rule in rules_for(subject.channel, subject.shape))


def restate_claims(subject: ChannelSubject, stated: Stated) -> tuple[Claim, ...]:
    """State every rule again; where an optimum was searched for, its witness is evaluated instead."""
    check_subject(subject)
    found = []
    for rule in rules_for(subject.channel, subject.shape):
        claimed = stated.get(rule.measure)
        context = Context(subject=subject.channel, prior=subject.prior, shape=subject.shape, claimed=claimed)
        try:
            found.append(rule.state(context))
        except (InvalidInput, NotCertified) as error:
            raise ClaimRefused(f"{rule.measure} could not be recomputed: {error}") from None
    return tuple(found)


def _title(subject: ChannelSubject) -> str:
    inputs, outputs = subject.channel.shape
    return f"Certificate of a channel: {inputs} answers → {outputs} reports"


def _about(subject: ChannelSubject) -> str:
    inputs, outputs = subject.channel.shape
    kind = "an exact channel" if isinstance(subject.channel, Channel) else "a structured exact channel"
    return f"About {kind} with {inputs} possible answers and {outputs} possible reports. {_prior_words(subject.prior)}"


def _prior_words(prior: Distribution) -> str:
    if prior.is_uniform:
        return "Before a report, every answer is taken as equally likely."
    if len(prior) > _MOST_PRIOR:
        return "Claims about a prior use the stated one."
    shares = ", ".join(
        f"{label}: {fraction_text(share)}" for label, share in zip(prior.labels, prior.fractions, strict=True)
    )
    return f"Stated prior: {shares}."


def _picture(subject: ChannelSubject) -> AnyChannel:
    return subject.channel


def _write(subject: ChannelSubject) -> _Record:
    moved = _Moved(channel=subject.channel_moved, prior=subject.prior_moved)
    return _Record(
        channel=_write_channel(subject.channel),
        prior=_write_law(subject.prior.probabilities),
        shape=None if subject.shape is None else list(subject.shape),
        mechanism=subject.mechanism,
        made_exact=None if moved == _Moved() else moved,
        collected=write_collected(subject.collected),
    )


def _read(record: _Record) -> ChannelSubject:
    # Before the first fraction is made: a short file may say very much.
    if max(record.prior.count(" "), _symbols(record.channel)) >= MOST_SYMBOLS:
        raise ValueError(f"it speaks of more than {MOST_SYMBOLS} answers or reports")
    channel = _read_channel(record.channel)
    moved = record.made_exact or _Moved()
    return ChannelSubject(
        channel=channel,
        prior=Distribution(_read_law(record.prior), channel.inputs),
        shape=None if record.shape is None else tuple(record.shape),
        mechanism=record.mechanism,
        channel_moved=moved.channel,
        prior_moved=moved.prior,
        collected=read_collected(record.collected),
    )


def _write_channel(channel: AnyChannel) -> _Dense | _Circulant | _CirculantLaw:
    if isinstance(channel, Channel):
        return _Dense(
            inputs=[_write_label(label) for label in channel.inputs],
            outputs=[_write_label(label) for label in channel.outputs],
            rows=[_write_law(row) for row in channel.rows],
        )
    if len(channel.levels) > len(_CODE_DIGITS):
        return _CirculantLaw(input_count=channel.input_count, law=_write_law(channel.law))
    return _Circulant(
        input_count=channel.input_count,
        levels=_write_law(channel.levels),
        codes=np.frombuffer(_CODE_DIGITS.encode(), dtype=np.uint8)[channel.codes].tobytes().decode(),
    )


def _symbols(record: _Dense | _Circulant | _CirculantLaw) -> int:
    if isinstance(record, _Dense):
        return max(len(record.inputs), len(record.outputs)) - 1
    return len(record.codes) - 1 if isinstance(record, _Circulant) else record.law.count(" ")


def _read_channel(record: _Dense | _Circulant | _CirculantLaw) -> AnyChannel:
    if isinstance(record, _Dense):
        rows = [_read_law(row) for row in record.rows]
        _check_denominators([value for row in rows for value in row])
        return Channel(rows, _labels(record.inputs), _labels(record.outputs))
    if isinstance(record, _CirculantLaw):
        return Circulant(_read_law(record.law), record.input_count)
    levels = _read_law(record.levels)
    places = np.full(256, len(_CODE_DIGITS), dtype=np.uint8)
    places[np.frombuffer(_CODE_DIGITS.encode(), dtype=np.uint8)] = np.arange(len(_CODE_DIGITS))
    codes = places[np.frombuffer(record.codes.encode(), dtype=np.uint8)]
    if codes.size == 0 or codes.max() >= len(levels):
        raise ValueError("a code names no level")
    return Circulant.of_codes(levels, codes, record.input_count)


def _write_label(label: Label) -> _JsonLabel:
    return [_write_label(part) for part in label] if isinstance(label, tuple) else label


def _labels(labels: list[_JsonLabel]) -> Alphabet:
    def read(label: _JsonLabel, depth: int) -> Label:
        if not isinstance(label, list):
            return label
        if depth == _DEEPEST_LABEL:
            raise ValueError("a label is nested too deeply")
        return tuple(read(part, depth + 1) for part in label)

    return tuple(read(label, 0) for label in labels)


def _write_law(law: tuple[Fraction | float, ...]) -> str:
    texts = {id(value): str(Fraction(value)) for value in law}
    return " ".join([texts[id(value)] for value in law])


def _read_law(text: str) -> list[Fraction]:
    parts = text.split(" ")
    numbers = {part: read_fraction(part) for part in dict.fromkeys(parts)}
    law = [numbers[part] for part in parts]
    _check_denominators(law)
    return law


def _check_denominators(values: list[Fraction]) -> None:
    if common_denominator(values) is None:
        raise ValueError(f"the fractions have no common denominator below {MOST_DENOMINATOR_BITS} bits")


register(
    Kind(
        schema=SCHEMA,
        subject=ChannelSubject,
        record=_Record,
        write=_write,
        read=_read,
        title=_title,
        about=_about,
        notes=state_notes,
        state=state_claims,
        restate=restate_claims,
        picture=_picture,
    )
)
