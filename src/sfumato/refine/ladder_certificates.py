"""Certificates of ladders: what each level tells, what coalitions see, what it costs.

The subject is the ladder's declaration. Claims are made from the ladder as it is built; verification makes the ladder
anew and finds every number by another way, and of a large one by counts alone.   Theory: docs/theory/ladders.md
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec
import numpy as np

from sfumato.certificates.registry import Kind, Stated, register, subject_of
from sfumato.errors import ClaimRefused, InvalidInput, NotCertified
from sfumato.refine.ladder import Ladder
from sfumato.refine.ladder_claims import state_claims, state_notes
from sfumato.refine.ladder_counts import MOST_BUILT, FromCounts
from sfumato.refine.ladder_evidence import AsBuilt, Evidence, FromSteps
from sfumato.refine.outlines import Outline
from sfumato.values import Claim

SCHEMA = "sfumato/certificate/ladder/1"


class _Record(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    ladder: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderSubject:
    """A ladder, by its declaration."""

    declaration: str

    @property
    def outline(self) -> Outline:
        """What the declaration says, with nothing built."""
        return Outline.declared(self.declaration)

    @property
    def ladder(self) -> Ladder:
        """The ladder, made anew."""
        return Ladder.declared(self.declaration)


@subject_of.register
def ladder_subject(thing: Ladder) -> LadderSubject:
    """Return the subject of a ladder; raises NotCertified when it is not what its declaration makes."""
    AsBuilt(thing).check_premise()
    subject = LadderSubject(declaration=thing.declaration)
    declared = subject.ladder
    same = thing.levels == declared.levels and len(thing.steps) == len(declared.steps)
    for one, other in zip(thing.steps, declared.steps, strict=False):
        same = same and (one.modulus, one.inside) == (other.modulus, other.inside)
        same = same and np.array_equal(one.favoured, other.favoured)
    if not same:
        raise NotCertified("the ladder has other levels or steps than its declaration makes", way_out="Build it anew.")
    return subject


def _state(subject: LadderSubject) -> tuple[Claim, ...]:
    return state_claims(AsBuilt(subject.ladder))


def _restate(subject: LadderSubject, stated: Stated) -> tuple[Claim, ...]:
    try:
        outline = subject.outline
        evidence: Evidence = FromCounts(outline) if outline.modulus > MOST_BUILT else FromSteps(subject.ladder)
    except InvalidInput as error:
        raise ClaimRefused(f"the ladder cannot be made from its declaration: {error}") from None
    return state_claims(evidence, stated)


def _title(subject: LadderSubject) -> str:
    outline = subject.outline
    return f"Certificate of a ladder: {outline.size} answers, {outline.depth} levels, {outline.modulus} reports"


def _about(subject: LadderSubject) -> str:
    outline = subject.outline
    back = "The answers themselves come back with a key of their own." if outline.recover_answers else ""
    levels = ", ".join(f"{float(value):.4g}" for value in outline.odds)
    return (
        f"About one report of {outline.size} possible answers that keys sharpen by degrees, over "
        f"{outline.rung.base.__name__}. The levels have odds of about {levels}. {back}"
    ).strip()


def _notes(subject: LadderSubject) -> tuple[str, ...]:
    return state_notes(subject.outline)


def _write(subject: LadderSubject) -> _Record:
    return _Record(ladder=subject.declaration)


def _read(record: _Record) -> LadderSubject:
    return LadderSubject(declaration=Outline.declared(record.ladder).declaration)


register(
    Kind(
        schema=SCHEMA,
        subject=LadderSubject,
        record=_Record,
        write=_write,
        read=_read,
        title=_title,
        about=_about,
        notes=_notes,
        state=_state,
        restate=_restate,
    )
)
