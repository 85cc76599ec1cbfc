"""Certificates of ladders: what each level leaks, what coalitions see and what it costs.

The subject is the ladder's declaration. Claims are computed from the ladder as it is built. Verification builds the
ladder anew and computes every number by another method; for a large ladder it uses counts alone.
Theory: docs/theory/ladders.md
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import msgspec

from sfumato.certificates.certificate import Kind, Stated, register, subject_of
from sfumato.certificates.channels import (
    Collected,
    CollectedRecord,
    check_collected,
    collected_notes,
    read_collected,
    write_collected,
)
from sfumato.certificates.claims import Claim, certified_claim, exact_claim, settle
from sfumato.display.text import at_least, at_most
from sfumato.errors import ClaimRefused, InvalidInput, NotCertified
from sfumato.ladders.evidence import (
    MOST_BUILT,
    AsBuilt,
    Coalition,
    Evidence,
    FromCounts,
    FromSteps,
    NestedBuilt,
    is_small,
)
from sfumato.ladders.ladder import Ladder
from sfumato.ladders.level_names import LevelWords, Readers, checked_readers, words_of_levels
from sfumato.ladders.spec import Outline
from sfumato.measures.shannon import prf_gap_bits
from sfumato.numbers.intervals import Interval, ln_interval, log2_interval

# --- The claims of a certificate, for either method of computing their numbers
# Ref: [B, Thm 3]; theory: docs/theory/ladders.md


# Up to so many levels every coalition is listed.
MOST_LISTED = 6
_ADVANTAGE = Fraction(1, 1 << 64)


def coalitions(depth: int) -> tuple[Coalition, ...]:
    """Which coalitions a certificate lists: all, or beyond `MOST_LISTED` levels single ones, pairs and all readers."""
    sizes = range(1, depth + 1) if depth <= MOST_LISTED else (1, 2, depth)
    return tuple(group for size in sizes for group in itertools.combinations(range(1, depth + 1), size))


def state_notes(outline: Outline, readers: Readers | None = None) -> tuple[str, ...]:
    """What a reader of the claims has to know."""
    depth = outline.depth
    seeds = (
        f"The claims are about true draws. Keys that are expanded from a seed protect as much against readers who "
        f"cannot break the cipher, and against no others: if nothing that a reader can compute tells its output from "
        f"true draws with an advantage above 2^-64, then what a reader can compute from the reports tells at most "
        f"{seed_gap(outline.size)} bits more about an answer, and a guess is right at most 2^-64 more often."
    )
    amended = (
        "The claims are about one report for an answer. That an answer was amended later is seen by everybody and "
        "covered by no claim; of two answers it tells which one is true now. The report that is drawn anew adds its "
        "own odds."
    )
    notes = [words_of_levels(depth, readers).note(), seeds, amended, *outline.rung.remarks()]
    if depth > MOST_LISTED:
        notes.append(
            f"Of the coalitions of {depth} levels only single levels, pairs and all together are listed; any other has "
            f"the odds of its best member by the same argument."
        )
    return tuple(notes)


def seed_gap(size: int) -> str:
    """Say what an advantage of 2^-64 against the cipher is worth in bits, in two digits, rounded up.

    size - 1 is rounded up to a power of two first, so that checkers find the same digits by whole numbers alone.
    """
    gap = prf_gap_bits(_ADVANTAGE, (1 << (size - 2).bit_length()) + 1)
    whole, tenth = divmod(math.ceil(Fraction(gap) * 10**19), 10)
    return f"{whole}.{tenth}e-18"


def state_claims(
    evidence: Evidence, claimed: Mapping[str, Claim] | None = None, readers: Readers | None = None
) -> tuple[Claim, ...]:
    """Return every claim about the ladder; with `claimed`, intervals are those claimed where they are true.

    With `readers`, sentences name them, and else the numbers of the levels.
    """
    evidence.check_premise()
    outline = evidence.outline
    scribe = _Scribe(evidence, {} if claimed is None else claimed, words_of_levels(outline.depth, readers))
    depth = outline.depth
    claims = [claim for level in range(1, depth + 1) for claim in scribe.level(level)]
    claims += [claim for group in coalitions(depth) for claim in scribe.coalition(group)]
    claims += scribe.randomness()
    claims += [scribe.storage(level) for level in outline.key_levels]
    if outline.gives_answers:
        claims.append(scribe.recovery())
    return tuple(claims)


@dataclass(frozen=True)
class _Scribe:
    """Puts the numbers into words."""

    evidence: Evidence
    claimed: Mapping[str, Claim]
    words: LevelWords

    def _settle(self, measure: str, found: Interval) -> Interval:
        return settle(self.claimed.get(measure), found)

    def level(self, level: int) -> list[Claim]:
        value = self.evidence.odds[level - 1]
        if value != self.evidence.outline.odds[level - 1]:
            raise NotCertified(
                f"the reports of level {level} have other odds than the ladder declares",
                way_out="Build the ladder anew.",
            )
        measure = f"epsilon_level_{level}"
        nats = self._settle(measure, ln_interval(value))
        return [
            exact_claim(
                f"odds_level_{level}",
                value,
                "ratio",
                because="max P(y|x)/P(y|x') over the channel of the level [B, eq. (1)]",
                sentence=f"No report {self.words.seen_reports(level)} favours one answer over another by more than "
                f"{at_most(value)} times.",
            ),
            certified_claim(
                measure,
                nats,
                "nats",
                because="ln of the odds [B, eq. (1)]",
                sentence=f"{self.words.seen(level)} is ε-locally differentially private with ε = {at_most(nats)} "
                f"(nats, rounded up).",
            ),
        ]

    def coalition(self, group: Coalition) -> list[Claim]:
        value = self.evidence.joint_odds(group)
        if value != self.evidence.outline.odds[min(group) - 1]:
            raise NotCertified(
                "a coalition sees more than its best member", way_out="Nothing is certified; report the ladder."
            )
        name = "_".join(map(str, group))
        measure = f"epsilon_coalition_{name}"
        nats = self._settle(measure, ln_interval(value))
        seen = self.words.coalition(group)
        because = (
            "max P/P' over every joint report, written out [B, eq. (1)]"
            if is_small(self.evidence.outline)
            else self.evidence.outline.rung.level_reason
        )
        return [
            exact_claim(
                f"odds_coalition_{name}",
                value,
                "ratio",
                because=because,
                sentence=f"{seen}: odds {at_most(value)}.",
            ),
            certified_claim(
                measure,
                nats,
                "nats",
                because="ln of the joint odds",
                sentence=f"{seen}: ε = {at_most(nats)} (nats, rounded up).",
            ),
        ]

    def randomness(self) -> list[Claim]:
        together = self._settle("randomness_bits", self.evidence.step_bits())
        apart = self._settle("separate_randomness_bits", self.evidence.separate_bits())
        return [
            certified_claim(
                "randomness_bits",
                together,
                "bits",
                because="Σ H(step) [B, Thm 3]",
                sentence=f"One report that serves all levels needs at least {at_least(together)} random bits.",
            ),
            certified_claim(
                "separate_randomness_bits",
                apart,
                "bits",
                because="Σ H(Y|X) of the levels",
                sentence=f"Separate reports, one for each level, would need at least {at_least(apart)} random bits.",
            ),
        ]

    def storage(self, level: int) -> Claim:
        measure = f"key_bits_level_{level}"
        value = self._settle(measure, self.evidence.key_bits(level))
        plain = log2_interval(Fraction(self.evidence.outline.size))
        return certified_claim(
            measure,
            value,
            "bits",
            because=self.evidence.outline.rung.key_reason,
            sentence=f"A true key {self.words.key(level)} takes at least {at_least(value)} bits for each row; storing "
            f"the answer itself takes at most {at_most(plain)}.",
        )

    def recovery(self) -> Claim:
        value = self.evidence.recovered()
        if value != 1:
            raise NotCertified("some answers do not come back from their report and key", way_out="Report the ladder.")
        return exact_claim(
            "recovered",
            value,
            "probability",
            because=self.evidence.outline.rung.back_reason,
            sentence=f"Whoever holds {self.words.recovering_key()} gets every answer back, without exception.",
        )


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


# Families of nested sets have evidence classes of their own, which are imported only when needed.
_NESTED = ("flags", "sets")


def _as_built(ladder: Ladder) -> Evidence:
    if ladder.levels[0].kind not in _NESTED:
        return AsBuilt(ladder)

    return NestedBuilt(ladder)


def _found_again(outline: Outline) -> Evidence:
    if outline.rung.kind == "flags":
        from sfumato.ladders.evidence import FlagsCounted  # noqa: PLC0415  see above

        return FlagsCounted(outline)
    if outline.rung.kind == "sets":
        from sfumato.ladders.evidence import SetsCounted  # noqa: PLC0415  see above

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
