"""Certificates of channels: every measure that applies to a law P(y|x), and to its records where it has any."""

from __future__ import annotations

import string
from fractions import Fraction
from typing import Any

import msgspec
import numpy as np

from sfumato.certificates.channel_subjects import MOST_SYMBOLS, ChannelSubject, check_subject, state_notes
from sfumato.certificates.collected import CollectedRecord, read_collected, write_collected
from sfumato.certificates.record_statements import rules_for
from sfumato.certificates.registry import Kind, Stated, register
from sfumato.certificates.rules import Context
from sfumato.certificates.words import fraction_text
from sfumato.errors import ClaimRefused, InvalidInput, NotCertified
from sfumato.files.numbers import read_fraction
from sfumato.prob import AnyChannel, Channel, Circulant, Distribution
from sfumato.prob.alphabet import Alphabet, Label
from sfumato.prob.exact import MOST_DENOMINATOR_BITS, common_denominator
from sfumato.values import Claim

SCHEMA = "sfumato/certificate/channel/1"
_CODE_DIGITS = string.digits + string.ascii_lowercase
_MOST_PRIOR = 40
# Pairs of pairs of answers, and some more; a file may nest lists until nobody can look at them.
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
