"""Binary Hadamard: each respondent answers one public yes/no question about x, within a budget of random bits.

Pad the answers to K, a power of two. Question j asks "do x and j share an even number of set bits?". Who is asked which
question is public and follows from their position alone: K-1 neighbours get the questions 1..K-1, once each. (Everybody
would say yes to question 0, so nobody is asked it.) A respondent who says yes reports 1 with probability q, one who
says no with probability q/odds; with probability `silence` either reports 2, "silent", instead.

With q = odds/(odds+1) a report uses R_c = H2(q) random bits. On a smaller budget R either q falls to H2inv(R)
[B, Thm 2], or some stay silent; `within` takes the smaller risk.   Proof: docs/theory/binary_hadamard.md

Sampling is one uniform integer below a common denominator, compared with integer thresholds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from sfumato.bits.mechanism import ReportArray, bits_or_default, check_symbols
from sfumato.bits.samplers import UniformBelow
from sfumato.bits.source import MOST_WIDTH, BitSource
from sfumato.errors import InvalidParameter
from sfumato.measures.enclosures import entropy_interval
from sfumato.mechanisms.linear import check_confidence, check_tally, normal_estimate
from sfumato.mechanisms.randomness_budget import odds_within, rarer_yes, silent_or_answer
from sfumato.mechanisms.walsh import assigned_questions, power_of_two_from, walsh_hadamard
from sfumato.prob import Channel, Distribution, LawLike
from sfumato.values import Estimate, Tally
from sfumato.values.checks import Number, as_number, check_at_least, check_between, check_integer, check_positive
from sfumato.values.interval import Interval

NO, YES, SILENT = 0, 1, 2

_CHUNK = 1 << 20

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class BinaryHadamard:
    """`size` answers; who is not silent reports 1 with probability `yes`, or `yes`/`odds` if their answer is no.

    Left out, `yes` is odds/(odds+1), the most that `odds` allow.
    """

    size: int
    odds: Fraction
    yes: Fraction | None = None
    silence: Fraction = Fraction(0)
    width: int = MOST_WIDTH

    def __post_init__(self) -> None:
        check_at_least("size", check_integer("size", self.size), 2)
        check_between("width", check_integer("width", self.width), 1, MOST_WIDTH)
        odds = _exact("odds", self.odds)
        check_at_least("odds", odds, 1)
        most = odds / (odds + 1)
        yes = most if self.yes is None else _exact("yes", self.yes)
        if not 0 < yes <= most:
            raise InvalidParameter(
                f"yes={yes} must lie in (0, odds/(odds+1)] = (0, {most}]: above, the report 0 would favour an answer "
                f"by more than odds={odds}. Lower yes, or raise odds."
            )
        silence = _exact("silence", self.silence)
        if not 0 <= silence < 1:
            raise InvalidParameter(f"silence={silence} must lie in [0, 1). Somebody has to answer.")
        for name, value in (("odds", odds), ("yes", yes), ("silence", silence)):
            object.__setattr__(self, name, value)
        if self._denominator > 1 << self.width:
            raise InvalidParameter(
                f"odds={odds}, yes={yes} and silence={silence} have the common denominator {self._denominator}, more "
                f"than words of width={self.width} bits can tell apart. Use fractions with smaller denominators."
            )

    @classmethod
    def within(
        cls, *, size: int, epsilon: float, random_bits: float | None = None, width: int = MOST_WIDTH
    ) -> BinaryHadamard:
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
                "random_bits=0 leaves no chance to hide behind: a report would be the same whatever the truth, or give "
                "it away, and nothing private can be learned. Raise random_bits."
            )
        if plain.randomness_bits().upper <= budget:
            return plain
        candidates = [
            cls._rarer_yes(size, epsilon, budget, width),
            cls._silent_or_answer(size, epsilon, budget, width),
        ]
        # A scarce yes first: a tie goes to the shorter report.
        return min(candidates, key=lambda mechanism: mechanism._uniform_risk())  # noqa: SLF001  its own class

    @classmethod
    def _rarer_yes(cls, size: int, epsilon: float, budget: Number, width: int) -> BinaryHadamard:
        odds, yes = rarer_yes(epsilon, budget, width)
        return cls(size=size, odds=odds, yes=yes, width=width)

    @classmethod
    def _silent_or_answer(cls, size: int, epsilon: float, budget: Number, width: int) -> BinaryHadamard:
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

    def privatize(self, values: npt.ArrayLike, bits: BitSource | None = None, offset: int = 0) -> ReportArray:
        """One report for each value; `offset` is the position of the first, when a column comes in parts."""
        _check_offset(offset)
        answers = check_symbols("values", values, self.size)
        source, denominator = bits_or_default(bits), self._denominator
        uniform = UniformBelow(bound=denominator, width=self.width)
        yes_if_in, yes_if_out = (np.uint64(int(law[YES] * denominator)) for law in self._laws())
        answered = int((1 - self.silence) * denominator)
        reports = np.empty(answers.size, dtype=np.uint8)
        for start in range(0, answers.size, _CHUNK):
            held = answers[start : start + _CHUNK]
            questions = self._questions(held.size, offset + start)
            draws = uniform.draw(source, held.size)
            outside = np.bitwise_count(held & questions) & np.uint8(1)
            chunk = (draws < np.where(outside, yes_if_out, yes_if_in)).astype(np.uint8)
            if answered < denominator:
                chunk[draws >= np.uint64(answered)] = SILENT
            reports[start : start + held.size] = chunk
        return reports

    def truths(self, values: npt.ArrayLike, offset: int = 0) -> ReportArray:
        """Return what each would report without noise: 1 where the answer to the question asked is yes."""
        _check_offset(offset)
        answers = check_symbols("values", values, self.size)
        shared = np.bitwise_count(answers & self._questions(answers.size, offset))
        truths: ReportArray = (shared & np.uint8(1)) ^ np.uint8(1)
        return truths

    def tally(self, reports: npt.ArrayLike, offset: int = 0) -> Tally:
        """Count reports by question; `offset` is the position of the first, as it was when they were made."""
        _check_offset(offset)
        column = check_symbols("reports", reports, self.outcomes)
        counts = np.zeros(self.groups * self.outcomes, dtype=np.int64)
        for start in range(0, column.size, _CHUNK):
            chunk = column[start : start + _CHUNK]
            places = (self._questions(chunk.size, offset + start) - 1) * self.outcomes + chunk
            counts += np.bincount(places, minlength=counts.size)
        return Tally(mechanism=self.name, counts=tuple(counts.tolist()))

    def estimate(self, tally: Tally, *, confidence: float = 0.95) -> Estimate:
        """Shares of the answers: unbiased contrasts of every question, put together by one transform.

        All shares have the same standard error; it is computed from the projected shares. Intervals are normal.
        """
        check_confidence(confidence)
        total = check_tally(tally, self.name)
        scores = np.array([float(score) for score in self._scores()])
        counts = np.array(tally.counts, dtype=np.float64)
        if counts.size != self.groups * self.outcomes:
            raise InvalidParameter(
                f"the tally has {counts.size} counts, not {self.groups} questions × {self.outcomes} reports. Count the "
                f"reports of this mechanism."
            )
        counts = counts.reshape(self.groups, self.outcomes)
        asked = counts.sum(axis=1)
        _check_everything_asked(asked, total)
        contrasts = np.concatenate([[1.0], counts @ scores / asked])
        raw = walsh_hadamard(contrasts)[: self.size] / self.padded_size
        point = normal_estimate(raw, np.zeros_like(raw), total=total, confidence=confidence)
        variance = self._variance(np.array(point.projected), asked)
        return normal_estimate(raw, np.full_like(raw, variance), total=total, confidence=confidence)

    def variance(self, law: Distribution | LawLike, n: int, offset: int = 0) -> float:
        """Var(raw_x) of n reports, the same for every x, when answers are drawn from this law."""
        check_at_least("n", check_integer("n", n), 1)
        shares = law if isinstance(law, Distribution) else Distribution(law)
        if len(shares) != self.size:
            raise InvalidParameter(f"law has {len(shares)} answers and the mechanism {self.size}. Give one share each.")
        _check_offset(offset)
        head = min(n, -offset % self.groups)
        rounds, tail = divmod(n - head, self.groups)
        asked = (rounds + self._asked(head, offset) + self._asked(tail, offset + n - tail)).astype(np.float64)
        _check_everything_asked(asked, n)
        return self._variance(shares.array, asked)

    def risk(self, law: Distribution | LawLike, n: int, offset: int = 0) -> float:
        """E‖raw - p‖² over the `size` answers, exact up to float rounding; every group must be asked at least once."""
        return self.size * self.variance(law, n, offset)

    def largest_risk(self, n: int) -> float:
        """max over all laws of the risk when n is a multiple of `groups`; else, the same for the multiple below."""
        rounds = check_integer("n", n) // self.groups
        check_at_least("n", n, self.groups)
        constant, slope = (float(c) for c in self._second_moment())
        K, k = self.padded_size, self.size
        # Σ_{j≥1} t_j = K·p_0 - 1 and Σ_{j≥1} t_j² = K·Σp² - 1, so all but one share are equal at the maximum.
        head = min(1.0, max(0.0, (slope / 2 * (k - 1) + 1) / k))
        squares = head**2 + (1 - head) ** 2 / (k - 1)
        return k / K**2 * (constant * (K - 1) + slope * (K * head - 1) - (K * squares - 1)) / rounds

    def _uniform_risk(self) -> Fraction | float:
        """The risk at uniform shares with one report a question, exact: how two mechanisms are compared."""
        if self.odds == 1:
            return math.inf
        K, k = self.padded_size, self.size
        constant, slope = self._second_moment()
        return Fraction(k, K**2) * (constant * (K - 1) + (slope - 1) * (Fraction(K, k) - 1))

    def _variance(self, shares: FloatArray, asked: FloatArray) -> float:
        padded = np.zeros(self.padded_size)
        padded[: self.size] = shares
        contrasts = walsh_hadamard(padded)[1:]
        constant, slope = (float(c) for c in self._second_moment())
        return math.fsum((constant + slope * contrasts - contrasts**2) / asked) / self.padded_size**2

    def _laws(self) -> tuple[tuple[Fraction, ...], tuple[Fraction, ...]]:
        """Return the law of those who say yes and of those who say no."""
        answered, rest = 1 - self.silence, (self.silence,) if self.silence else ()
        inside = answered * (self.yes or 0)
        outside = inside / self.odds
        return (answered - inside, inside, *rest), (answered - outside, outside, *rest)

    def _scores(self) -> tuple[Fraction, ...]:
        """What a report counts towards a question's contrast: mean 1 for those who say yes, -1 for no."""
        if self.odds == 1:
            raise InvalidParameter("odds=1 makes every report pure noise; nothing can be estimated. Raise odds.")
        inside, outside = self._laws()
        step = 2 / (inside[YES] - outside[YES])
        no = (1 - step * inside[YES]) / (1 - self.silence)
        return (no, no + step, Fraction(0))[: self.outcomes]

    def _second_moment(self) -> tuple[Fraction, Fraction]:
        """E[score²] = a + b·t for a question with contrast t = 2p(B) - 1."""
        scores = self._scores()
        inside, outside = (
            sum((p * s * s for p, s in zip(law, scores, strict=True)), Fraction(0)) for law in self._laws()
        )
        return (inside + outside) / 2, (inside - outside) / 2

    def _questions(self, count: int, offset: int) -> npt.NDArray[np.int64]:
        return assigned_questions(self.groups, count, offset)

    def _asked(self, count: int, offset: int) -> npt.NDArray[np.int64]:
        return np.bincount(self._questions(count, offset) - 1, minlength=self.groups)

    @property
    def _denominator(self) -> int:
        return math.lcm(*(p.denominator for law in self._laws() for p in law))


def _check_offset(offset: int) -> None:
    check_between("offset", check_integer("offset", offset), 0, 1 << 62)


def _exact(name: str, value: object) -> Fraction:
    number = as_number(name, value)
    if not isinstance(number, Fraction):
        raise InvalidParameter(
            f"{name}={value} must be exact. Pass a Fraction such as Fraction(3, 4), or use "
            f"BinaryHadamard.within(size=…, epsilon=…)."
        )
    return number


def _check_everything_asked(asked: FloatArray, total: int) -> None:
    missing = int(np.count_nonzero(asked == 0))
    if missing:
        raise InvalidParameter(
            f"{missing} of {asked.size} questions were asked of nobody in {total} reports, and every share needs them "
            f"all. Collect at least {asked.size} reports, at consecutive positions."
        )
