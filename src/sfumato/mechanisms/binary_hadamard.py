"""Binary Hadamard response: one public yes/no question a respondent, within a budget of random bits [B, Thm 2].

Pad the answers to K, a power of two. Question j asks "do x and j share an even number of set bits?". Which respondent
gets which question is public and follows from their position alone: K-1 neighbours get the questions 1..K-1, once each.
(Question 0 is not asked, because every respondent would say yes.) A respondent who says yes reports yes with
probability q, one who says no with probability q/odds; with probability `silence` either reports "silent" instead.

Reports are numbered as answers are: 0 is yes, 1 is no, 2 is silent. So of two answers, where the one question is "is it
the first?", a report is the answer itself, with noise.

With q = odds/(odds+1) a report uses R_c = H2(q) random bits. On a smaller budget R either q falls to H2inv(R)
[B, Thm 2], or some stay silent; `within` takes the smaller risk.   Proof: docs/theory/binary_hadamard.md

Sampling is one uniform integer below a common denominator, compared with integer thresholds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter
from sfumato.mechanisms.base import check_confidence, check_tally, exact_fraction, law_of_answers, normal_estimate
from sfumato.numbers.checks import Number, as_number, check_at_least, check_between, check_integer, check_positive
from sfumato.numbers.exact import LawLike, common_numerators
from sfumato.numbers.intervals import Interval, entropy_interval, fraction_below_exp
from sfumato.prob.channel import Channel
from sfumato.prob.distribution import Distribution
from sfumato.sampling.mechanism import (
    Estimate,
    Positions,
    ReportArray,
    Tally,
    bits_or_default,
    check_positions,
    check_symbols,
    positions_from,
)
from sfumato.sampling.samplers import UniformBelow
from sfumato.sampling.sources import MOST_WIDTH, BitSource

# --- The fast Walsh-Hadamard transform y_j = Σ_x (-1)^(bits that x and j share) v_x, and the row j of each respondent
#
# A transform of length K takes K log2 K additions. The matrix is Sylvester's, symmetric and its own inverse but for a
# factor K.   Ref: [Yat37]


# From this length on, compiled code saves more time than the second of its compilation.
_COMPILED_FROM = 1 << 15


def power_of_two_from(size: int) -> int:
    """The smallest power of two that is at least `size`."""
    return 1 << (size - 1).bit_length()


def assigned_questions(groups: int, count: int, positions: Positions) -> npt.NDArray[np.int64]:
    """Which of the questions 1..groups the rows at these positions are asked: in every round, each of them once.

    Rounds start at a scrambled place, so that a column with a rhythm does not beat in time with them.
    """
    if groups == 1:
        return np.ones(count, dtype=np.int64)
    modulus = np.uint64(groups)
    if isinstance(positions, np.ndarray):
        numbers = positions.astype(np.uint64)
    else:
        numbers = np.arange(positions, positions + count, dtype=np.uint64)
    rounds, places = np.divmod(numbers, modulus)
    questions: npt.NDArray[np.uint64] = (places + _scrambled(rounds) % modulus) % modulus
    return questions.astype(np.int64) + 1


def walsh_hadamard(vector: npt.ArrayLike) -> FloatArray:
    """Return the transform of a vector whose length is a power of two."""
    values = np.array(vector, dtype=np.float64)
    if values.ndim != 1 or values.size == 0 or values.size & (values.size - 1):
        raise InvalidParameter(
            f"of shape {values.shape} must be one column as long as a power of two",
            parameter="vector",
            way_out="Pad it with zeros.",
        )
    (_compiled() if values.size >= _COMPILED_FROM else _butterflies)(values)
    return values


def exact_walsh_hadamard(vector: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the transform of Python integers, in an array of objects as long as a power of two."""
    values = vector.copy()
    _butterflies(values)
    return values


def _butterflies(values: npt.NDArray[Any]) -> None:
    """Transform in place, one numpy step a level."""
    span = 1
    while span < values.size:
        pairs = values.reshape(-1, 2, span)
        sums = pairs[:, 0, :] + pairs[:, 1, :]
        np.subtract(pairs[:, 0, :], pairs[:, 1, :], out=pairs[:, 1, :])
        pairs[:, 0, :] = sums
        span *= 2


@cache
def _compiled() -> Callable[[FloatArray], None]:
    """Return the same transform as one compiled loop; the additions are the same, so the results are, too."""
    from numba import njit  # noqa: PLC0415  numba is slow to import

    def loop(values: FloatArray) -> None:
        span = 1
        while span < values.size:
            for start in range(0, values.size, 2 * span):
                for i in range(start, start + span):
                    first, second = values[i], values[i + span]
                    values[i], values[i + span] = first + second, first - second
            span *= 2

    compiled: Callable[[FloatArray], None] = njit(cache=True)(loop)
    return compiled


def _scrambled(rounds: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """SplitMix64's finish of each number, 0 for 0: public and fixed, as nothing here is secret.   Ref: [SLF14]"""
    z = rounds * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


# --- Shares from reports about public yes/no questions: scores and variances
#
# The contrast of question j is t_j = 2p(B_j) - 1, B_j being the answers that say yes. A report gets a score whose mean
# is 1 for yes and -1 for no, so the mean score of the respondents to question j estimates t_j, and one transform gives
# the shares. A score has E[score²] = a + b·t_j, and every share the variance Σ_j (a + b·t_j - t_j²)/n_j / K².
# Proof: docs/theory/binary_hadamard.md


FloatArray = npt.NDArray[np.float64]
Law = tuple[Fraction, ...]
Moment = tuple[Fraction, Fraction]
"""a and b of E[score²] = a + b·t."""


def scores(yes: Law, no: Law) -> tuple[Fraction, ...]:
    """Return what a report counts towards a contrast, given the laws of those who say yes and of those who say no.

    Reports are yes, no and, where some stay silent, silence, which counts nothing.
    """
    if yes == no:
        raise InvalidParameter(
            "makes every report pure noise; nothing can be estimated",
            parameter="odds",
            value=1,
            way_out="Raise `odds`.",
        )
    step = 2 / (yes[0] - no[0])
    base = (1 - step * yes[0]) / (yes[0] + yes[1])
    return (base + step, base, Fraction(0))[: len(yes)]


def second_moment(yes: Law, no: Law) -> Moment:
    """Return a and b of E[score²] = a + b·t for a question with contrast t."""
    counted = scores(yes, no)
    inside, outside = (sum((p * s * s for p, s in zip(law, counted, strict=True)), Fraction(0)) for law in (yes, no))
    return (inside + outside) / 2, (inside - outside) / 2


def share_variance(shares: FloatArray, asked: FloatArray, moment: Moment) -> float:
    """Var(raw_x), the same for every x, when question j was asked of `asked[j-1]` people."""
    padded = np.zeros(asked.size + 1)
    padded[: shares.size] = shares
    found = walsh_hadamard(padded)[1:]
    constant, slope = (float(c) for c in moment)
    return math.fsum((constant + slope * found - found**2) / asked) / padded.size**2


def exact_share_variance(shares: Sequence[Fraction], asked: npt.NDArray[np.int64], moment: Moment) -> Fraction:
    """Return the same as a Fraction: questions that were asked equally often are summed together."""
    numerators, whole = common_numerators([shares])
    padded: npt.NDArray[Any] = np.zeros(asked.size + 1, dtype=object)
    padded[: len(shares)] = numerators[0]
    found = exact_walsh_hadamard(padded)[1:]
    constant, slope = moment
    total = Fraction(0)
    for times in np.unique(asked).tolist():
        some = found[asked == times]
        squares = Fraction(int((some * some).sum()), whole**2)
        total += (constant * some.size + slope * Fraction(int(some.sum()), whole) - squares) / times
    return total / padded.size**2


def largest_risk(size: int, moment: Moment) -> float:
    """max over all laws of E‖raw - p‖² with one report a question."""
    K, k = power_of_two_from(size), size
    constant, slope = (float(c) for c in moment)
    # Σ_{j≥1} t_j = K·p_0 - 1 and Σ_{j≥1} t_j² = K·Σp² - 1, so all but one share are equal at the maximum.
    head = min(1.0, max(0.0, (slope / 2 * (k - 1) + 1) / k))
    squares = head**2 + (1 - head) ** 2 / (k - 1)
    return k / K**2 * (constant * (K - 1) + slope * (K * head - 1) - (K * squares - 1))


def uniform_risk(size: int, moment: Moment) -> Fraction:
    """E‖raw - p‖² at uniform shares with one report a question, exact."""
    K, k = power_of_two_from(size), size
    constant, slope = moment
    return Fraction(k, K**2) * (constant * (K - 1) + (slope - 1) * (Fraction(K, k) - 1))


def check_everything_asked(asked: npt.NDArray[Any], total: int) -> None:
    """Refuse reports that leave a question unasked: every share needs them all."""
    missing = int(np.count_nonzero(asked == 0))
    if missing:
        raise InvalidParameter(
            f"{missing} of {asked.size} questions were asked of nobody in {total} reports, and every share needs them "
            f"all",
            way_out=f"Collect at least {asked.size} reports, at consecutive positions.",
        )


# --- Probabilities that keep a budget of random bits, rounded the safe way
#
# Each pair of odds and a probability is exact, and the entropy of a report, rounded upwards, is within the budget.
# Theory: docs/theory/binary_hadamard.md


# Odds promised as an epsilon are rounded down to multiples of 2^-32: epsilon falls short by less than 2.4e-10.
_ODDS_BITS = 32
# Keeping the denominator this far below 2^width makes a redraw rarer than once in 256 reports.
_SPARE_BITS = 8


def binary_entropy_bits(p: float) -> float:
    """H2(p)."""
    if p in {0.0, 1.0}:
        return 0.0
    return -(p * math.log(p) + (1 - p) * math.log1p(-p)) / math.log(2)


def inverse_binary_entropy(bits: float) -> float:
    """Return the p ≤ 1/2 with H2(p) = bits."""
    check_between("bits", bits, 0, 1)
    return _last_below(lambda p: binary_entropy_bits(p) - bits, 0.5)


def rarer_yes(epsilon: float, budget: Number, width: int) -> tuple[Fraction, Fraction]:
    """Odds, and the probability q = H2inv(budget) of a yes, for a budget below R_c [B, Thm 2]."""
    most = inverse_binary_entropy(min(1.0, float(budget)))
    odds = odds_within(epsilon, most, width)
    own = odds.numerator
    denominator = _least_denominator(
        math.ceil(Fraction(own) / Fraction(most)),
        lambda total: entropy_interval(((Fraction(own, total), 1), (Fraction(total - own, total), 1))),
        budget,
    )
    return odds, Fraction(own, denominator)


def silent_or_answer(epsilon: float, budget: Number, width: int) -> tuple[Fraction, Fraction]:
    """Odds, and the probability 1-p of silence, H2(p) + p·R_c = budget, for a budget below R_c."""
    critical = binary_entropy_bits(1 / (1 + math.exp(-epsilon)))
    most = _last_below(lambda p: binary_entropy_bits(p) + p * critical - float(budget), 0.5)
    odds = odds_within(epsilon, most, width)
    own, other = odds.numerator, odds.denominator
    denominator = _least_denominator(
        math.ceil(Fraction(own + other) / Fraction(most)),
        lambda total: entropy_interval((Fraction(count, total), 1) for count in (own, other, total - own - other)),
        budget,
    )
    return odds, Fraction(denominator - own - other, denominator)


def _last_below(increasing: Callable[[float], float], high: float) -> float:
    """Return the last double in [0, high] at which an increasing function is still ≤ 0, by bisection."""
    low = 0.0
    if increasing(high) <= 0:
        return high
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if increasing(middle) <= 0 else (low, middle)
    return low


def odds_within(epsilon: float, chance: float, width: int) -> Fraction:
    """Odds ≤ e^epsilon on the finest grid that still allows an event of probability `chance`."""
    needed = math.log2(math.exp(min(epsilon, 700.0)) + 1) - math.log2(max(chance, 1e-300))
    grid = min(_ODDS_BITS, math.floor(width - _SPARE_BITS - needed))
    if grid < 0:
        raise InvalidParameter(
            f"and a budget that lets an answer through once in {1 / max(chance, 1e-300):.3g} times need finer words "
            f"than width={width} bits",
            parameter="epsilon",
            value=epsilon,
            way_out="Lower `epsilon`, or raise `random_bits`.",
        )
    return fraction_below_exp(epsilon, denominator=1 << grid)


def _least_denominator(start: int, entropy: Callable[[int], Interval], budget: Number) -> int:
    """Go up from `start` in growing steps until the entropy is surely within budget."""
    step = 1 + (start >> 50)
    while entropy(start).upper > budget:
        start += step
        step *= 2
    return start


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
        """2 when all respondents answer, 3 when some stay silent."""
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
        weights = np.array([float(score) for score in scores(*self._laws())])
        counts = np.array(tally.counts, dtype=np.float64)
        if counts.size != self.groups * self.outcomes:
            raise InvalidParameter(
                f"has {counts.size} counts, not {self.groups} questions × {self.outcomes} reports",
                parameter="tally",
                way_out="Count the reports of this mechanism.",
            )
        counts = counts.reshape(self.groups, self.outcomes)
        asked = counts.sum(axis=1)
        check_everything_asked(asked, total)
        found = np.concatenate([[1.0], counts @ weights / asked])
        raw = walsh_hadamard(found)[: self.size] / self.padded_size
        point = normal_estimate(raw, np.zeros_like(raw), total=total, confidence=confidence)
        variance = share_variance(np.array(point.projected), asked, self._moment())
        return normal_estimate(raw, np.full_like(raw, variance), total=total, confidence=confidence)

    def variance(self, law: Distribution | LawLike, n: int, positions: Positions = 0) -> tuple[Fraction, ...]:
        """Return the exact variance of each share in `raw`, from n reports, when answers follow `law`: all the same."""
        shares = law_of_answers(law, self.size, n)
        return (exact_share_variance(shares, self._asked(n, positions), self._moment()),) * self.size

    def risk(self, law: Distribution | LawLike, n: int, positions: Positions = 0) -> float:
        """E‖raw - p‖² over the `size` answers, exact up to float rounding; every group must be asked at least once."""
        shares = np.array([float(share) for share in law_of_answers(law, self.size, n)])
        asked = self._asked(n, positions).astype(np.float64)
        return self.size * share_variance(shares, asked, self._moment())

    def largest_risk(self, n: int) -> float:
        """max over all laws of the risk when n is a multiple of `groups`; else, the same for the multiple below."""
        check_at_least("n", check_integer("n", n), self.groups)
        return largest_risk(self.size, self._moment()) / (n // self.groups)

    def uniform_risk(self) -> Fraction | float:
        """Return the risk at uniform shares with one report a question, exact: how two mechanisms are compared."""
        return math.inf if self.odds == 1 else uniform_risk(self.size, self._moment())

    def _laws(self) -> tuple[tuple[Fraction, ...], tuple[Fraction, ...]]:
        """Return the law of those who say yes and of those who say no."""
        answered, rest = 1 - self.silence, (self.silence,) if self.silence else ()
        inside = answered * (self.yes or 0)
        outside = inside / self.odds
        return (inside, answered - inside, *rest), (outside, answered - outside, *rest)

    def _moment(self) -> Moment:
        return second_moment(*self._laws())

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
        check_everything_asked(asked, n)
        return asked

    @property
    def _denominator(self) -> int:
        return math.lcm(*(p.denominator for law in self._laws() for p in law))
