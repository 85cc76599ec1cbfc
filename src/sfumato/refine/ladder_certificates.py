"""Certificates of ladders: what each level tells, what coalitions see, what it costs.

The subject is the ladder's declaration. Claims are made from the ladder as it is built; verification makes the ladder
anew and finds every number by another way, and of a large one by counts alone.   Theory: docs/theory/ladders.md
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from sfumato.certificates.collected import (
    Collected,
    CollectedRecord,
    check_collected,
    collected_notes,
    read_collected,
    write_collected,
)
from sfumato.certificates.registry import Kind, Stated, register, subject_of
from sfumato.errors import ClaimRefused, InvalidInput, NotCertified
from sfumato.refine.ladder import Ladder
from sfumato.refine.ladder_claims import state_claims, state_notes
from sfumato.refine.ladder_counts import MOST_BUILT, FromCounts
from sfumato.refine.ladder_evidence import AsBuilt, Evidence, FromSteps
from sfumato.refine.level_words import LevelWords, Readers, checked_readers, words_of_levels
from sfumato.refine.outlines import Outline
from sfumato.values import Claim

SCHEMA = "sfumato/certificate/ladder/1"
_ABOUT_LEVELS = re.compile(r"(?P<what>odds|epsilon|key_bits)_(?P<of>level|coalition)_(?P<levels>\d+(_\d+)*)")


class _Record(msgspec.Struct, forbid_unknown_fields=True, frozen=True, omit_defaults=True):
    ladder: str
    readers: list[list[str]] | None = None
    collected: CollectedRecord | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderSubject:
    """A ladder, by its declaration; with `readers`, those of each level but the public one, it is spoken of by them.

    `collected` says how reports came in.

    It is what `sf.certify` makes of a ladder, and what a certificate's file holds.

    >>> import sfumato as sf
    >>> ladder = sf.Ladder.within(size=6, epsilons=[2, 1])
    >>> subject = sf.certify(ladder, readers=["Ana"]).subject
    >>> subject.readers, subject.outline.depth, subject.ladder
    ((('Ana',),), 2, <Ladder over CyclicResponse, 6 answers, odds 7.38906, 2.71828>)
    """

    declaration: str
    readers: Readers | None = None
    collected: Collected | None = None

    @property
    def outline(self) -> Outline:
        """What the declaration says, with nothing built."""
        return Outline.declared(self.declaration)

    @property
    def ladder(self) -> Ladder:
        """The ladder, made anew."""
        return Ladder.declared(self.declaration)

    def check_collected(self) -> None:
        """Refuse what cannot be with these levels."""
        outline = self.outline
        check_collected(self.collected, keyed_levels=outline.depth - 1, recoverable=outline.gives_answers)


@subject_of.register
def ladder_subject(thing: Ladder, *, readers: Sequence[str | Sequence[str]] | None = None) -> LadderSubject:
    """Return the subject of a ladder; raises NotCertified when it is not what its declaration makes."""
    if thing.levels[0].kind == "one_time_pad":
        raise NotCertified("a one-time pad is certified as a sealed column", way_out="Certify SealedAnswers(size=…).")
    _as_built(thing).check_premise()
    named = None if readers is None else checked_readers(readers, len(thing.levels))
    subject = LadderSubject(declaration=thing.declaration, readers=named)
    declared = subject.ladder
    same = thing.levels == declared.levels and len(thing.steps) == len(declared.steps)
    for one, other in zip(thing.steps, declared.steps, strict=False):
        same = same and one.is_like(other)
    if not same:
        raise NotCertified("the ladder has other levels or steps than its declaration makes", way_out="Build it anew.")
    return subject


# Where shifts are drawn there are two ways for all families; sets inside one another have others, which few load.
_NESTED = ("flags", "sets")


def _as_built(ladder: Ladder) -> Evidence:
    if ladder.levels[0].kind not in _NESTED:
        return AsBuilt(ladder)
    from sfumato.refine.nested_evidence import NestedBuilt  # noqa: PLC0415  see above

    return NestedBuilt(ladder)


def _found_again(outline: Outline) -> Evidence:
    if outline.rung.kind == "flags":
        from sfumato.refine.flags_evidence import FlagsCounted  # noqa: PLC0415  see above

        return FlagsCounted(outline)
    if outline.rung.kind == "sets":
        from sfumato.refine.sets_evidence import SetsCounted  # noqa: PLC0415  see above

        return SetsCounted(outline)
    return FromCounts(outline) if outline.modulus > MOST_BUILT else FromSteps(Ladder.declared(outline.declaration))


def _state(subject: LadderSubject) -> tuple[Claim, ...]:
    return state_claims(_as_built(subject.ladder), readers=subject.readers)


def _restate(subject: LadderSubject, stated: Stated) -> tuple[Claim, ...]:
    try:
        outline = subject.outline
        evidence = _found_again(outline)
    except InvalidInput as error:
        raise ClaimRefused(f"the ladder cannot be made from its declaration: {error}") from None
    subject.check_collected()
    return state_claims(evidence, stated, subject.readers)


def _title(subject: LadderSubject) -> str:
    outline = subject.outline
    return f"Certificate of a ladder: {outline.size} answers, {outline.depth} levels, {outline.modulus} reports"


def _about(subject: LadderSubject) -> str:
    outline = subject.outline
    back = "The answers themselves come back with a key of their own." if outline.gives_answers else ""
    words = _words_of(subject)
    levels = ", ".join(
        f"{float(value):.4g} ({who})" if (who := words.called((level,))) else f"{float(value):.4g}"
        for level, value in enumerate(outline.odds, start=1)
    )
    return (
        f"About one report of {outline.size} possible answers that keys sharpen by degrees, over "
        f"{outline.rung.base.__name__}. The levels have odds of about {levels}. {back}"
    ).strip()


def _notes(subject: LadderSubject) -> tuple[str, ...]:
    outline = subject.outline
    how = collected_notes(subject.collected, recoverable=outline.gives_answers)
    return (*state_notes(outline, subject.readers), *how)


def _words_of(subject: LadderSubject) -> LevelWords:
    return words_of_levels(subject.outline.depth, subject.readers)


def _called(subject: LadderSubject, measure: str) -> str | None:
    """Say who a measure is about, where readers are named."""
    found = _ABOUT_LEVELS.fullmatch(measure)
    who = "" if found is None else _words_of(subject).called(tuple(map(int, found["levels"].split("_"))))
    if found is None or not who:
        return None
    name = {"odds": "odds", "epsilon": "ε", "key_bits": "key bits"}[found["what"]]
    if found["of"] == "level":
        return f"{name}, {who}"
    if "_" in found["levels"]:
        return f"{name}, {who} together"
    return (
        f"{name}, {who} alone" if int(found["levels"]) == subject.outline.depth else f"{name}, {who} with both reports"
    )


def _write(subject: LadderSubject) -> _Record:
    named = None if subject.readers is None else [list(level) for level in subject.readers]
    return _Record(ladder=subject.declaration, readers=named, collected=write_collected(subject.collected))


def _read(record: _Record) -> LadderSubject:
    outline = Outline.declared(record.ladder)
    named = None if record.readers is None else checked_readers(record.readers, outline.depth)
    how = read_collected(record.collected)
    return LadderSubject(declaration=outline.declaration, readers=named, collected=how)


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
        called=_called,
    )
)
