"""What a certificate says of a ladder: the claims, in plain words, whatever way their numbers were found.

Ref: [B, Thm 3]; theory: docs/theory/ladders.md
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from sfumato.certificates.rules import certified_claim, exact_claim, settle
from sfumato.certificates.words import at_least, at_most
from sfumato.errors import NotCertified
from sfumato.measures.enclosures import ln_interval, log2_interval
from sfumato.measures.pseudorandomness import prf_gap_bits
from sfumato.refine.ladder_evidence import Coalition, Evidence, is_small
from sfumato.refine.level_words import LevelWords, Readers, words_of_levels
from sfumato.refine.outlines import Outline
from sfumato.values import Claim, Interval

# Up to so many levels every coalition is listed.
MOST_LISTED = 6
_ADVANTAGE = Fraction(1, 1 << 64)


def coalitions(depth: int) -> tuple[Coalition, ...]:
    """Which coalitions a certificate lists: all, or beyond `MOST_LISTED` levels single ones, pairs and everybody."""
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
