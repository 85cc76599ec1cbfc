"""Claims as they stand in a file: exact numbers are text, intervals have two ends."""

from __future__ import annotations

import math

import msgspec

from sfumato.files.numbers import read_fraction
from sfumato.values import Claim, Interval, Relation, Status
from sfumato.values.claim import Value


class Bounds(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The two ends of an interval."""

    lower: float
    upper: float


class ClaimRecord(msgspec.Struct, forbid_unknown_fields=True, frozen=True, omit_defaults=True):
    """A claim as it stands in a file."""

    measure: str
    relation: str
    value: str | float | Bounds
    unit: str
    status: str
    because: str
    sentence: str
    confidence: float | None = None
    witness: list[float] | None = None


def write_claim(claim: Claim) -> ClaimRecord:
    """Return a claim for a file."""
    return ClaimRecord(
        measure=claim.measure,
        relation=claim.relation.value,
        value=_write_value(claim.value, claim.status),
        unit=claim.unit,
        status=claim.status.value,
        because=claim.because,
        sentence=claim.sentence,
        confidence=claim.confidence,
        witness=None if claim.witness is None else list(claim.witness),
    )


def read_claim(record: ClaimRecord) -> Claim:
    """Return the claim of a file."""
    value: Value
    _check_signs(record)
    if isinstance(record.value, Bounds):
        value = Interval(record.value.lower, record.value.upper)
    elif isinstance(record.value, str):
        value = math.inf if record.value == "inf" else read_fraction(record.value)
    else:
        value = record.value
    return Claim(
        measure=record.measure,
        relation=Relation(record.relation),
        value=value,
        unit=record.unit,
        status=Status(record.status),
        because=record.because,
        sentence=record.sentence,
        confidence=record.confidence,
        witness=None if record.witness is None else tuple(record.witness),
    )


def _check_signs(record: ClaimRecord) -> None:
    ends = (record.value.lower, record.value.upper) if isinstance(record.value, Bounds) else ()
    # A zero with a sign would be a second spelling of the same claim.
    if any(number == 0 and math.copysign(1.0, number) < 0 for number in (*ends, *(record.witness or ()))):
        raise ValueError("a zero has a sign")


def _write_value(value: Value, status: Status) -> str | float | Bounds:
    if isinstance(value, Interval):
        return Bounds(lower=value.lower, upper=value.upper)
    return float(value) if status is Status.ESTIMATED else str(value)
