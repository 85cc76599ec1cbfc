"""Binary Hadamard: each respondent answers one public yes/no question about x, within a budget of random bits.

Pad the answers to K, a power of two. Question j asks "do x and j share an even number of set bits?". Who is asked which
question is public and follows from their position alone: K-1 neighbours get the questions 1..K-1, once each. (Everybody
would say yes to question 0, so nobody is asked it.) A respondent who says yes reports yes with probability q, one who
says no with probability q/odds; with probability `silence` either reports "silent" instead.

Reports are numbered as answers are: 0 is yes, 1 is no, 2 is silent. So of two answers, where the one question is "is it
the first?", a report is the answer itself, with noise.

With q = odds/(odds+1) a report uses R_c = H2(q) random bits. On a smaller budget R either q falls to H2inv(R)
[B, Thm 2], or some stay silent; `within` takes the smaller risk.   Proof: docs/theory/binary_hadamard.md

Sampling is one uniform integer below a common denominator, compared with integer thresholds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

import numpy as np
import numpy.typing as npt

from sfumato.bits.mechanism import (
    Positions,
    ReportArray,
    bits_or_default,
    check_positions,
    check_symbols,
    positions_from,
)
from sfumato.bits.samplers import UniformBelow
from sfumato.bits.source import MOST_WIDTH, BitSource
from sfumato.errors import InvalidParameter
from sfumato.measures.enclosures import entropy_interval
from sfumato.mechanisms import contrasts
from sfumato.mechanisms.declared import exact_fraction, law_of_answers
from sfumato.mechanisms.linear import check_confidence, check_tally, normal_estimate
from sfumato.mechanisms.randomness_budget import odds_within, rarer_yes, silent_or_answer
from sfumato.mechanisms.walsh import assigned_questions, power_of_two_from, walsh_hadamard
from sfumato.prob import Channel, Distribution, LawLike
from sfumato.values import Estimate, Tally
from sfumato.values.checks import Number, as_number, check_at_least, check_between, check_integer, check_positive
from sfumato.values.interval import Interval

YES, NO, SILENT = 0, 1, 2

_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class BinaryHadamard:
    """`size` answers; who is not silent reports 0, yes, with probability `yes`, or `yes`/`odds` if the truth is no.

    Left out, `yes` is odds/(odds+1), the most that `odds` allow.

    Each respondent answers one public yes/no question; `within` keeps to a budget of random bits [B, Thm 2].

    >>> import sfumato as sf
    >>> plain = sf.mechanisms.BinaryHadamard.within(size=100, epsilon=1.0)
    >>> thrifty = sf.mechanisms.BinaryHadamard.within(size=100, epsilon=1.0, random_bits=0.5)
    >>> [round(one.randomness_bits().upper, 3) for one in (plain, thrifty)]
    [0.84, 0.5]
    >>> round(float(thrifty.uniform_risk() / plain.uniform_risk()), 2)  # so many times the respondents
    11.48
    """

    size: int
    odds: Fraction
    yes: Fraction | None = None
    silence: Fraction = Fraction(0)
    width: int = MOST_WIDTH

    def __post_init__(self) -> None:
        check_at_least("size", check_integer("size", self.size), 2)
        check_between("width", check_integer("width", self.width), 1, MOST_WIDTH)
        odds = exact_fraction("odds", self.odds, "BinaryHadamard")
        check_at_least("odds", odds, 1)
        most = odds / (odds + 1)
        yes = most if self.yes is None else exact_fraction("yes", self.yes, "BinaryHadamard")
        if not 0 < yes <= most:
            raise InvalidParameter(
                f"must lie in (0, odds/(odds+1)] = (0, {most}]: above, the report 1 would favour an answer by more "
                f"than odds={odds}",
                parameter="yes",
                value=yes,
                way_out="Lower `yes`, or raise `odds`.",
            )
        silence = exact_fraction("silence", self.silence, "BinaryHadamard")
        if not 0 <= silence < 1:
            raise InvalidParameter(
                "must lie in [0, 1)", parameter="silence", value=silence, way_out="Somebody has to answer."
            )
        for name, value in (("odds", odds), ("yes", yes), ("silence", silence)):
            object.__setattr__(self, name, value)
        if self._denominator > 1 << self.width:
            raise InvalidParameter(
                f"with yes={yes} and silence={silence} has the common denominator {self._denominator}, more than words "
                f"of width={self.width} bits can tell apart",
                parameter="odds",
                value=odds,
                way_out="Use fractions with smaller denominators.",
            )

    @classmethod
    def within(cls, *, size: int, epsilon: float, random_bits: float | None = None, width: int = MOST_WIDTH) -> Self:
        """Return the mechanism that keeps both promises: odds ≤ e^epsilon and H(Y|X=x) ≤ random_bits for every x.

        Below R_c the choice between q = H2inv(R) and silent-or-answer is by the risk at uniform shares.
        """
        check_at_least("size", check_integer("size", size), 2)
        check_positive("epsilon", epsilon)
        plain = cls(size=size, odds=odds_within(epsilon, 1.0, width), width=width)
        if random_bits is None:
            return plain
        budget = as_number("random_bits", random_bits)
        check_at_least("random_bits", budget, 0)
        if budget == 0:
            raise InvalidParameter(
                "leaves no chance to hide behind: a report would be the same whatever the truth, or give it away, and "
                "nothing private can be learned",
                parameter="random_bits",
                value=0,
                way_out="Raise `random_bits`.",
            )
        if plain.randomness_bits().upper <= budget:
            return plain
        candidates = [
            cls._rarer_yes(size, epsilon, budget, width),
            cls._silent_or_answer(size, epsilon, budget, width),
        ]
        # A scarce yes first: a tie goes to the shorter report.
        return min(candidates, key=lambda mechanism: mechanism.uniform_risk())

    @classmethod
    def _rarer_yes(cls, size: int, epsilon: float, budget: Number, width: int) -> Self:
        odds, yes = rarer_yes(epsilon, budget, width)
        return cls(size=size, odds=odds, yes=yes, width=width)

    @classmethod
    def _silent_or_answer(cls, size: int, epsilon: float, budget: Number, width: int) -> Self:
        odds, silence = silent_or_answer(epsilon, budget, width)
        return cls(size=size, odds=odds, silence=silence, width=width)

    @property
    def name(self) -> str:
        """What marks the tallies of this mechanism."""
        silence = f" silence={self.silence}" if self.silence else ""
        return f"binary_hadamard size={self.size} odds={self.odds} yes={self.yes}{silence}"

    @property
    def padded_size(self) -> int:
        """K, the smallest power of two ≥ size."""
        return power_of_two_from(self.size)

    @property
    def groups(self) -> int:
        """How many questions there are, 1..K-1; each round of K-1 positions is asked all of them once."""
        return self.padded_size - 1

    @property
    def outcomes(self) -> int:
        """2 when everybody answers, 3 when some stay silent."""
        return 3 if self.silence else 2

    def question(self, position: int) -> int:
        """Return the question, 1..K-1, that this position is asked; public, and the same for all data."""
        check_at_least("position", check_integer("position", position), 0)
        return int(self._questions(1, position)[0])

    def law(self, x: int, group: int = 1) -> tuple[Fraction, ...]:
        """P(.|x) over the reports 0, 1 and, if there is silence, 2, of one who is asked question `group`; exact."""
        check_between("x", check_integer("x", x), 0, self.size - 1)
        check_between("group", check_integer("group", group), 1, self.groups)
        return self._laws()[(x & group).bit_count() % 2]

    def channel(self, group: int = 1) -> Channel:
        """All laws of one question together; every question has both kinds of row, so all leak and use the same."""
        return Channel([self.law(x, group) for x in range(self.size)])

    def randomness_bits(self) -> Interval:
        """Enclose max_x H(Y|X=x), the random bits that a report uses [B, eq. (2)]."""
        rows = [entropy_interval((p, 1) for p in law) for law in self._laws()]
        return Interval(max(row.lower for row in rows), max(row.upper for row in rows))

    def privatize(self, values: npt.ArrayLike, bits: BitSource | None = None, positions: Positions = 0) -> ReportArray:
        """One report for each value; `positions` is that of the first, when a column comes in parts, or of each."""
        answers = check_symbols("values", values, self.size)
        places = check_positions(positions, answers.size)
        source, denominator = bits_or_default(bits), self._denominator
        uniform = UniformBelow(bound=denominator, width=self.width)
        yes_if_in, yes_if_out = (np.uint64(int(law[YES] * denominator)) for law in self._laws())
        answered = int((1 - self.silence) * denominator)
        reports = np.empty(answers.size, dtype=np.uint8)
        for start in range(0, answers.size, _CHUNK):
            held = answers[start : start + _CHUNK]
            questions = self._questions(held.size, positions_from(places, start, start + held.size))
            draws = uniform.draw(source, held.size)
            outside = np.bitwise_count(held & questions) & np.uint8(1)
            chunk = (draws >= np.where(outside, yes_if_out, yes_if_in)).astype(np.uint8)
            if answered < denominator:
                chunk[draws >= np.uint64(answered)] = SILENT
            reports[start : start + held.size] = chunk
        return reports

    def truths(self, values: npt.ArrayLike, positions: Positions = 0) -> ReportArray:
        """Return what each would report without noise: 0 where the answer to the question asked is yes, else 1."""
        answers = check_symbols("values", values, self.size)
        asked = self._questions(answers.size, check_positions(positions, answers.size))
        shared = np.bitwise_count(answers & asked)
        truths: ReportArray = shared & np.uint8(1)
        return truths

    def tally(self, reports: npt.ArrayLike, positions: Positions = 0) -> Tally:
        """Count reports by question; `positions` is that of the first or of each, as when they were made."""
        column = check_symbols("reports", reports, self.outcomes)
        rows = check_positions(positions, column.size)
        counts = np.zeros(self.groups * self.outcomes, dtype=np.int64)
        for start in range(0, column.size, _CHUNK):
            chunk = column[start : start + _CHUNK]
            questions = self._questions(chunk.size, positions_from(rows, start, start + chunk.size))
            counts += np.bincount((questions - 1) * self.outcomes + chunk, minlength=counts.size)
        return Tally(mechanism=self.name, counts=tuple(counts.tolist()))

    def estimate(self, tally: Tally, *, confidence: float = 0.95) -> Estimate:
        """Shares of the answers: unbiased contrasts of every question, put together by one transform.

        All shares have the same standard error; it is computed from the projected shares. Intervals are normal.
        """
        check_confidence(confidence)
        total = check_tally(tally, self.name)
        weights = np.array([float(score) for score in contrasts.scores(*self._laws())])
        counts = np.array(tally.counts, dtype=np.float64)
        if counts.size != self.groups * self.outcomes:
            raise InvalidParameter(
                f"has {counts.size} counts, not {self.groups} questions × {self.outcomes} reports",
                parameter="tally",
                way_out="Count the reports of this mechanism.",
            )
        counts = counts.reshape(self.groups, self.outcomes)
        asked = counts.sum(axis=1)
        contrasts.check_everything_asked(asked, total)
        found = np.concatenate([[1.0], counts @ weights / asked])
        raw = walsh_hadamard(found)[: self.size] / self.padded_size
        point = normal_estimate(raw, np.zeros_like(raw), total=total, confidence=confidence)
        variance = contrasts.share_variance(np.array(point.projected), asked, self._moment())
        return normal_estimate(raw, np.full_like(raw, variance), total=total, confidence=confidence)

    def variance(self, law: Distribution | LawLike, n: int, positions: Positions = 0) -> tuple[Fraction, ...]:
        """Return the exact variance of each share in `raw`, from n reports, when answers follow `law`: all the same."""
        shares = law_of_answers(law, self.size, n)
        return (contrasts.exact_share_variance(shares, self._asked(n, positions), self._moment()),) * self.size

    def risk(self, law: Distribution | LawLike, n: int, positions: Positions = 0) -> float:
        """E‖raw - p‖² over the `size` answers, exact up to float rounding; every group must be asked at least once."""
        shares = np.array([float(share) for share in law_of_answers(law, self.size, n)])
        asked = self._asked(n, positions).astype(np.float64)
        return self.size * contrasts.share_variance(shares, asked, self._moment())

    def largest_risk(self, n: int) -> float:
        """max over all laws of the risk when n is a multiple of `groups`; else, the same for the multiple below."""
        check_at_least("n", check_integer("n", n), self.groups)
        return contrasts.largest_risk(self.size, self._moment()) / (n // self.groups)

    def uniform_risk(self) -> Fraction | float:
        """Return the risk at uniform shares with one report a question, exact: how two mechanisms are compared."""
        return math.inf if self.odds == 1 else contrasts.uniform_risk(self.size, self._moment())

    def _laws(self) -> tuple[tuple[Fraction, ...], tuple[Fraction, ...]]:
        """Return the law of those who say yes and of those who say no."""
        answered, rest = 1 - self.silence, (self.silence,) if self.silence else ()
        inside = answered * (self.yes or 0)
        outside = inside / self.odds
        return (inside, answered - inside, *rest), (outside, answered - outside, *rest)

    def _moment(self) -> contrasts.Moment:
        return contrasts.second_moment(*self._laws())

    def _questions(self, count: int, positions: Positions) -> npt.NDArray[np.int64]:
        return assigned_questions(self.groups, count, positions)

    def _asked(self, n: int, positions: Positions) -> npt.NDArray[np.int64]:
        """How many of n positions are asked each question; refused unless every question is asked."""
        places = check_positions(positions, n)
        if isinstance(places, np.ndarray):
            rounds, rest = 0, [self._questions(n, places)]
        else:  # whole rounds in the middle ask each of them once
            head = min(n, -places % self.groups)
            rounds, tail = divmod(n - head, self.groups)
            rest = [self._questions(head, places), self._questions(tail, places + n - tail)]
        asked: npt.NDArray[np.int64] = rounds + np.bincount(np.concatenate(rest) - 1, minlength=self.groups)
        contrasts.check_everything_asked(asked, n)
        return asked

    @property
    def _denominator(self) -> int:
        return math.lcm(*(p.denominator for law in self._laws() for p in law))
