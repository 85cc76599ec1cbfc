"""The best survey on a list of answers under a limit on guessing, with a proved floor.

"Answer or silence": the report is "any" with a probability that depends on the answer only through its weight, and
otherwise the answer. Where all answers have equal weights and equal expected shares, no survey within the limit is
better; elsewhere it loses little. The best survey for expected shares reports sets that contain the answer. Both prove
answers, so ε is infinite unless it is limited as well.
Theory: docs/theory/listed_survey.md
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from sfumato.certificates.certificate import subject_of
from sfumato.certificates.channels import ChannelSubject, channel_subject
from sfumato.errors import InvalidParameter, NotCertified
from sfumato.mechanisms.tabulated import CertifiedDesign
from sfumato.numbers.checks import Real, as_exact
from sfumato.numbers.exact import round_to_grid, solve_exactly
from sfumato.numbers.intervals import Interval, float_above, float_below
from sfumato.prob.channel import Channel
from sfumato.surveys.design import AnswerLimits

# --- The kinds of report that a survey with a list needs: sets that contain the answer
# A report y is a column p(y|·) of the channel, up to a factor; its part of the guess success is max_x w_x p(y|x). Cut
# w_x p(y|x) into layers: each is constant on a set S and 0 elsewhere, the costs add up, and seeing the layer reveals
# more. So "report a set that contains your answer", with p(S|x) = λ_S/w_x, suffices for every criterion [Bla53].
#
# With odds of at most o, the columns with s ≤ p_x ≤ o·s and w_x p_x ≤ M form a cone with s and M, whose extreme rays
# suffice: p_x is 1 or min(o, M/w_x), with M one of w_x and o·w_x, and no M/w_x below 1. For equal weights that is 1 or
# o.
# Theory: docs/theory/listed_survey.md


MOST_COLUMNS = 1 << 10
"""Beyond this the programs take minutes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportColumn:
    """A kind of report: its chances under the answers up to a factor, and what it adds to how often guesses are right.

    `favoured` are the places of the answers that it speaks for.
    """

    chances: tuple[Fraction, ...]
    cost: Fraction
    favoured: tuple[int, ...]


def report_columns(limits: AnswerLimits) -> tuple[ReportColumn, ...]:
    """Return the columns of which every survey within the limits is a mixture, or worse than one.

    Raises:
        InvalidParameter: there are too many answers to look through all their sets.

    >>> import sfumato as sf
    >>> from sfumato.surveys.lists import report_columns
    >>> limits = sf.surveys.AnswerLimits.of(3, guess_error=0.5)
    >>> columns = report_columns(limits)
    >>> [column.favoured for column in columns]
    [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)]
    """
    size = limits.size
    bounded = limits.max_odds != math.inf
    if (1 << size) * (2 * size if bounded and not limits.even else 1) > MOST_COLUMNS:
        raise InvalidParameter(
            f"{size} answers have more sets than the {MOST_COLUMNS:,} kinds of report that are looked through",
            parameter="answers",
            value=size,
            way_out="Ask by answer or silence, or group some answers.",
        )
    return _bounded_columns(limits, Fraction(limits.max_odds)) if bounded else _set_columns(limits.weights)


def _set_columns(weights: tuple[Fraction, ...]) -> tuple[ReportColumn, ...]:
    size = len(weights)
    sets = [chosen for count in range(1, size + 1) for chosen in itertools.combinations(range(size), count)]
    return tuple(
        ReportColumn(
            chances=tuple(1 / weight if x in chosen else Fraction(0) for x, weight in enumerate(weights)),
            cost=Fraction(1),
            favoured=chosen,
        )
        for chosen in sets
    )


def _bounded_columns(limits: AnswerLimits, odds: Fraction) -> tuple[ReportColumn, ...]:
    weights = limits.weights
    found: dict[tuple[Fraction, ...], ReportColumn] = {}
    ceilings = sorted({ceiling for w in weights for ceiling in (w, odds * w) if ceiling >= max(weights)})
    for ceiling in ceilings:
        tall = [min(odds, ceiling / w) for w in weights]
        for raised in itertools.product((False, True), repeat=len(weights)):
            chances = tuple(high if up else Fraction(1) for up, high in zip(raised, tall, strict=True))
            least = min(chances)
            # The same column up to a factor is the same report.
            column = tuple(chance / least for chance in chances)
            cost = max(w * chance for w, chance in zip(weights, column, strict=True))
            favoured = tuple(x for x, chance in enumerate(column) if chance > 1) or tuple(range(len(weights)))
            found.setdefault(column, ReportColumn(chances=column, cost=cost, favoured=favoured))
    return tuple(found.values())


# --- A floor in fractions for the variances of any survey within given limits
# One report has the information F = Σ_y p_y p_yᵀ/(θ·p_y) about the shares θ, p_y the column of report y. With n reports
# the variances of an unbiased estimate sum to at least (tr F⁻¹ - |θ|²)/n, which maximum likelihood reaches
# asymptotically. For every symmetric M, tr F⁻¹ ≥ 2 tr M - tr MFM, which is linear in the survey. By linear programming
# duality, if u·p + s·cost(p) ≥ |Mp|²/(θ·p) for every kind of report p, then tr MFM ≤ Σu + (1-a)s for every survey
# within the limits. So a matrix and k + 1 numbers prove a floor, exactly and without a solver.
# Theory: docs/theory/listed_survey.md


Shares = tuple[Fraction, ...]
Matrix = tuple[tuple[Fraction, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FloorProof:
    """What proves a floor: a matrix for each law of the answers, what it counts, and prices of answers and guesses."""

    matrices: tuple[Matrix, ...]
    counts: tuple[Fraction, ...]
    answer_prices: tuple[Fraction, ...]
    guess_price: Fraction


def variance_floor(limits: AnswerLimits, laws: Sequence[Shares], proof: FloorProof) -> Fraction:
    """Return what Σ counts·variances of no survey within the limits is below.

    Prices that fall short for some report are raised by what is missing there, so the floor holds whatever they are.

    >>> import sfumato as sf
    >>> ways = ("train", "car", "on foot")
    >>> best = sf.surveys.listed_survey(ways, guess_error=0.5, shares=[0.2, 0.5, 0.3])
    >>> floor = sf.surveys.variance_floor(best.limits, best.laws, best.proof)
    >>> round(float(floor), 6), round(float(best.total_variance([0.2, 0.5, 0.3])), 6)
    (2.44, 2.44)
    """
    if proof.guess_price < 0:
        raise InvalidParameter("must not be negative", parameter="guess_price", way_out="Solve the program again.")
    short = Fraction(0)
    for column in report_columns(limits):
        missing = _worth(column, laws, proof) - proof.guess_price * column.cost
        missing -= _dot(proof.answer_prices, column.chances)
        short = max(short, missing / _dot(limits.weights, column.chances))
    # Prices of answers that are raised by short·w_x cost Σ short·w_x = short in all.
    ceiling = sum(proof.answer_prices, short) + limits.most_right * proof.guess_price
    trace = sum((n * _trace(m) for n, m in zip(proof.counts, proof.matrices, strict=True)), Fraction(0))
    known = sum((n * _dot(law, law) for n, law in zip(proof.counts, laws, strict=True)), Fraction(0))
    # 2t·tr M - t²·tr MFM is largest at t = tr M / tr MFM.
    return trace**2 / ceiling - known


def total_variance(channel: Channel, shares: Shares) -> Fraction | None:
    """Return tr F⁻¹ - |θ|²: the sum of the variances of all shares, times the number of reports.

    None where some answers are not told apart. For two answers it is 2/J_θ: both shares have the same variance.

    >>> import sfumato as sf
    >>> from fractions import Fraction
    >>> channel = sf.surveys.warner(guess_error=0.25).channel
    >>> shares = (Fraction(9, 10), Fraction(1, 10))
    >>> sf.surveys.total_variance(channel, shares), 2 / sf.measures.fisher_information(channel, Fraction(1, 10))
    (Fraction(42, 25), Fraction(42, 25))
    """
    rows = [[Fraction(p) for p in row] for row in channel.to_exact().rows]
    size = len(rows)
    columns = [[row[y] for row in rows] for y in range(channel.shape[1])]
    seen = [(column, _dot(shares, column)) for column in columns if any(column)]
    information = [
        [sum((column[i] * column[j] / chance for column, chance in seen), Fraction(0)) for j in range(size)]
        for i in range(size)
    ]
    total = -_dot(shares, shares)
    for place in range(size):
        solution = solve_exactly(information, [Fraction(int(i == place)) for i in range(size)])
        if solution is None:
            return None
        total += solution[place]
    return total


def _worth(column: ReportColumn, laws: Sequence[Shares], proof: FloorProof) -> Fraction:
    """Σ counts·|Mp|²/(θ·p)."""
    found = Fraction(0)
    for count, matrix, law in zip(proof.counts, proof.matrices, laws, strict=True):
        moved = [_dot(row, column.chances) for row in matrix]
        found += count * _dot(moved, moved) / _dot(law, column.chances)
    return found


def _trace(matrix: Matrix) -> Fraction:
    return sum((row[i] for i, row in enumerate(matrix)), Fraction(0))


def _dot(first: Sequence[Fraction], second: Sequence[Fraction]) -> Fraction:
    return sum((a * b for a, b in zip(first, second, strict=True)), Fraction(0))


# --- The survey with the least sum of variances, by Frank and Wolfe's steps over a linear program
# Minimised is the largest over some θ of (tr F⁻¹ - |θ|²)/scale, over mixtures of the columns within the limits. The
# criterion is convex, so it lies above its tangents. A linear program finds the survey at which the largest tangent is
# lowest: the next step, and a floor under all surveys [FW56], [Jag13]. The prices of the last program give the matrix
# and numbers from which the floor is proved in fractions.


FloatArray = npt.NDArray[np.float64]

_MOST_STEPS = 60
_CLOSE = 1e-9
# Relative to the largest: a direction below this cannot be estimated.
_UNSEEN = 1e-9
# What a proof is written in.
_PROOF_BITS = 50


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LeastVariance:
    """How much of each column, the value that is reached, what none is below, and what proves it."""

    amounts: FloatArray
    value: float
    floor: float
    proof: FloorProof


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Step:
    """What the program says: the survey to go to, the floor, how much each law pulls, and the prices."""

    survey: FloatArray
    floor: float
    pulls: FloatArray
    answer_prices: FloatArray
    guess_price: float


def least_variance(
    limits: AnswerLimits, columns: Sequence[ReportColumn], laws: Sequence[Shares], scales: Sequence[float]
) -> LeastVariance:
    """Find the mixture of columns with the least of the largest scaled total variance.

    Where steps no longer help before value and floor meet, what was reached is returned with both.
    """
    problem = _Problem(limits, columns, laws, scales)
    mixed = problem.first_surveys()
    shares = np.full(len(mixed), 1 / len(mixed))
    value, floor = np.inf, -np.inf
    for _ in range(_MOST_STEPS):
        shares = problem.best_mixture(mixed, shares)
        amounts = shares @ np.array(mixed)
        values, inverses = problem.values(amounts)
        if values.max() < value:
            value, best = float(values.max()), amounts
        step = problem.step(values, inverses)
        if step.floor > floor:
            floor, proof = step.floor, problem.proof(inverses, step)
        if value - floor <= _CLOSE * value:
            break
        kept = shares > _DUST
        mixed = [*(survey for survey, stays in zip(mixed, kept, strict=True) if stays), step.survey]
        # The new one begins with a little.
        shares = np.append(shares[kept] / shares[kept].sum() * 0.9, 0.1)
    return LeastVariance(amounts=best, value=value, floor=floor, proof=proof)


class _Problem:
    """The columns as arrays, and the questions that are asked of them."""

    def __init__(
        self, limits: AnswerLimits, columns: Sequence[ReportColumn], laws: Sequence[Shares], scales: Sequence[float]
    ) -> None:
        self.columns = np.array([[float(p) for p in column.chances] for column in columns])
        self.costs = np.array([float(column.cost) for column in columns])
        self.most_right = float(limits.most_right)
        self.laws = np.array([[float(share) for share in law] for law in laws])
        self.scales = np.asarray(scales, dtype=np.float64)
        self.known = np.square(self.laws).sum(axis=1)
        self.chances = self.laws @ self.columns.T
        self.count, self.size = self.columns.shape

    def informations(self, amounts: FloatArray) -> FloatArray:
        """F of a survey, for each law."""
        found: FloatArray = np.einsum(
            "ly,yi,yj->lij", amounts / self.chances, self.columns, self.columns, optimize=True
        )
        return found

    def values(self, amounts: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the scaled total variances and F⁻¹, for each law."""
        return self._of(self.informations(amounts))

    def _of(self, informations: FloatArray) -> tuple[FloatArray, FloatArray]:
        inverses = np.asarray(np.linalg.inv(informations), dtype=np.float64)
        return (np.trace(inverses, axis1=1, axis2=2) - self.known) / self.scales, inverses

    def step(self, values: FloatArray, inverses: FloatArray) -> _Step:
        """Find the survey at which the largest tangent is lowest.

        tr F⁻¹ falls by |F⁻¹p|²/(θ·p) for each bit of a column p, and by tr F⁻¹ for all of what there is.
        """
        moved = np.einsum("lij,yj->lyi", inverses, self.columns)
        falls = np.square(moved).sum(axis=2) / self.chances / self.scales[:, None]
        tops = values + np.trace(inverses, axis1=1, axis2=2) / self.scales
        survey, level, pulls, prices, guess_price = self._program(falls, tops)
        return _Step(survey=survey, floor=level, pulls=pulls, answer_prices=prices, guess_price=guess_price)

    def _program(self, falls: FloatArray, tops: FloatArray) -> tuple[FloatArray, float, FloatArray, FloatArray, float]:
        """Minimise the largest of tops - falls·survey over surveys within the limits."""
        from scipy.optimize import linprog  # noqa: PLC0415  scipy is slow to import

        # The program is asked in numbers near 1: very large ones would stop it early.
        unit = float(falls.max())
        found = linprog(
            np.append(np.zeros(self.count), 1.0),
            A_ub=np.vstack(
                [np.append(self.costs, 0.0), np.hstack([-falls / unit, -np.ones((len(falls), 1))])],
            ),
            b_ub=np.append(self.most_right, -tops / unit),
            A_eq=np.hstack([self.columns.T, np.zeros((self.size, 1))]),
            b_eq=np.ones(self.size),
            bounds=[*[(0.0, None)] * self.count, (None, None)],
            method="highs",
            options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
        )
        if found.status != 0:
            raise NotCertified(
                "the solver did not reach the optimum of a survey's program",
                way_out="Give `guess_error` a little less, or weights that differ less.",
            )
        marginals = -np.asarray(found.ineqlin.marginals)
        pulls = np.maximum(marginals[1:], 0.0)
        return (
            np.maximum(found.x[:-1], 0.0),
            unit * float(found.x[-1]),
            pulls / pulls.sum(),
            -unit * np.asarray(found.eqlin.marginals),
            unit * max(0.0, float(marginals[0])),
        )

    def first_surveys(self) -> list[FloatArray]:
        """Return a few surveys that together determine all shares; refuses where none does."""
        zero = np.zeros(1)
        found = [self._program((np.square(self.columns).sum(axis=1) / self.chances[0])[None], zero)[0]]
        while True:
            information = self.informations(np.mean(found, axis=0))[0]
            sizes, directions = np.linalg.eigh(information)
            if sizes[0] > _UNSEEN * sizes[-1]:
                return found
            unseen = directions[:, sizes <= _UNSEEN * sizes[-1]]
            gains = np.square(self.columns @ unseen).sum(axis=1) / self.chances[0]
            survey = self._program(gains[None], zero)[0]
            if len(found) > self.size or gains @ survey <= _UNSEEN * sizes[-1]:
                raise InvalidParameter(
                    "leaves some answers that no report within it tells apart",
                    parameter="guess_error",
                    way_out="Lower `guess_error`.",
                )
            found.append(survey)

    def best_mixture(self, surveys: Sequence[FloatArray], start: FloatArray) -> FloatArray:
        """Return the best mixture of surveys: the least level that is above all values."""
        from scipy.optimize import minimize  # noqa: PLC0415  scipy is slow to import

        parts = np.stack([self.informations(survey) for survey in surveys], axis=1)  # law, survey, i, j
        unit = float(self._of(np.einsum("s,lsij->lij", start, parts))[0].max())

        def rooms(point: FloatArray) -> FloatArray:
            found: FloatArray = point[-1] - self._of(np.einsum("s,lsij->lij", point[:-1], parts))[0] / unit
            return found

        def slopes(point: FloatArray) -> FloatArray:
            inverses = self._of(np.einsum("s,lsij->lij", point[:-1], parts))[1]
            falls = np.einsum("lij,lsjk,lki->ls", inverses, parts, inverses, optimize=True)
            return np.hstack([falls / self.scales[:, None] / unit, np.ones((len(falls), 1))])

        towards = np.append(np.zeros(start.size), 1.0)
        one = np.append(np.ones(start.size), 0.0)
        found = minimize(
            lambda point: float(point[-1]),
            np.append(start, 1.0),
            jac=lambda _: towards,
            bounds=[*[(0.0, 1.0)] * start.size, (0.0, None)],
            constraints=[
                {"type": "eq", "fun": lambda point: point @ one - 1, "jac": lambda _: one},
                {"type": "ineq", "fun": rooms, "jac": slopes},
            ],
            method="SLSQP",
            options={"maxiter": 200, "ftol": 1e-16},
        )
        # Wherever it stopped: what is reached is judged afterwards, and against the floor.
        mixed = np.maximum(found.x[:-1], 0.0)
        mixed /= mixed.sum()
        reached = self._of(np.einsum("s,lsij->lij", mixed, parts))[0].max()
        return mixed if reached < unit else start

    def proof(self, inverses: FloatArray, step: _Step) -> FloorProof:
        """Write down what proves the floor, in short fractions."""
        return FloorProof(
            matrices=tuple(tuple(tuple(_short(v) for v in row) for row in matrix) for matrix in inverses),
            counts=tuple(_short(v) for v in step.pulls / self.scales),
            answer_prices=tuple(_short(v) for v in step.answer_prices),
            guess_price=_short(step.guess_price),
        )


def _short(value: float) -> Fraction:
    """A float to so many digits, in binary; a proof may be any numbers, and short ones are quicker to check."""
    mantissa, exponent = np.frexp(float(value))
    return Fraction(round(float(mantissa) * (1 << _PROOF_BITS))) * Fraction(2) ** (int(exponent) - _PROOF_BITS)


ANY = "any"
"""What is reported by whoever tells nothing."""
SILENCE = "answer or silence"
# Probabilities are multiples of 2^-64, which one word draws exactly; limits are tightened slightly before rounding.
_WORD_BITS = 64
_HAIRS = tuple(Fraction(1, 1 << bits) for bits in (42, 34, 26))
_DUST = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedSurvey(CertifiedDesign):
    """A survey with a list of answers: how to report, and what it protects.

    `laws` are the shares that it was made for, each with what its total variance is measured in; `proof` shows how good
    any other can be. It is certified with the weights as the prior, so that the guess error is the weighted one.

    >>> import sfumato as sf
    >>> ways = ("train", "car", "on foot")
    >>> best = sf.surveys.listed_survey(ways, guess_error=0.5, shares=[0.2, 0.5, 0.3])
    >>> best.channel.outputs
    ('train', 'car', 'on foot', 'train or car', 'train or on foot', 'car or on foot', 'any')
    >>> round(best.enclosure.lower, 4), round(best.enclosure.upper, 4)
    (2.44, 2.44)
    >>> round(float(best.certificate["guess_error"].value), 4)
    0.5
    """

    name: str
    channel: Channel
    limits: AnswerLimits
    laws: tuple[Shares, ...] = ()
    proof: FloorProof | None = None

    def total_variance(self, shares: Sequence[Real]) -> Fraction | None:
        """Return n times the sum of the variances of all shares, from n reports; None if not all are estimable."""
        return total_variance(self.channel, checked_shares("shares", shares, self.limits.size))

    @property
    def floor(self) -> Fraction | None:
        """What Σ counts·(total variance) over the laws is at least, for every survey within the limits; proved exactly.

        None where the survey was not made for expected shares. For one law the count is 1.
        """
        return None if self.proof is None else variance_floor(self.limits, self.laws, self.proof)

    @property
    def enclosure(self) -> Interval:
        """Between a proven floor and what this survey has lies the least that any survey within the limits can have."""
        if self.proof is None or self.floor is None:
            raise NotCertified(
                "the survey was not made for expected shares, so nothing says how good others are",
                way_out="Make it by `listed_survey` with `shares`.",
            )
        found = Fraction(0)
        for count, law in zip(self.proof.counts, self.laws, strict=True):
            variance = total_variance(self.channel, law)
            if variance is None:
                raise NotCertified("some answers are not told apart", way_out="Lower `guess_error`.")
            found += count * variance
        return Interval(float_below(self.floor), float_above(found))


@subject_of.register
def _listed_subject(thing: ListedSurvey) -> ChannelSubject:
    return channel_subject(thing.channel, thing.limits.weights)


def answer_or_silence(
    answers: Sequence[str], *, guess_error: Real, weights: Sequence[Real] | None = None
) -> ListedSurvey:
    """Say "any" with probability μ/w_x, else the answer x; μ = a/(k-1) makes the guess limit tight.

    Guesses are right with probability μ for "any" and Σ(w_x - μ) for the answers: 1 - (k-1)μ in all.

    Raises:
        InvalidParameter: so much guess error would silence the answers of least weight altogether.

    >>> import sfumato as sf
    >>> ways = ("train", "car", "on foot")
    >>> quiet = sf.surveys.answer_or_silence(ways, guess_error=0.5)
    >>> quiet.channel.outputs, quiet.channel.rows[0]
    (('train', 'car', 'on foot', 'any'), (Fraction(1, 4), Fraction(0, 1), Fraction(0, 1), Fraction(3, 4)))
    """
    labels = checked_answers(answers)
    limits = AnswerLimits.of(len(labels), guess_error=guess_error, weights=weights)
    level = silent_level(limits)
    if level is None:
        raise InvalidParameter(
            f"must lie below {float((limits.size - 1) * min(limits.weights)):.6g} for answer or silence: beyond, rare "
            f"answers would be always silent",
            parameter="guess_error",
            value=float(limits.guess_error),
            way_out="Use `listed_survey`, lower `guess_error`, or weigh the answers more evenly.",
        )
    rows = []
    for x, weight in enumerate(limits.weights):
        silent = level / weight
        rows.append([1 - silent if y == x else Fraction(0) for y in range(limits.size)] + [silent])
    channel = Channel(rows, labels, (*labels, ANY))
    if channel.integers()[1] > 1 << _WORD_BITS:
        # More silence than asked for: every right guess of an answer becomes one of several.
        words = [math.ceil(row[-1] * (1 << _WORD_BITS)) for row in rows]
        silences = [Fraction(words[x], 1 << _WORD_BITS) for x in range(limits.size)]
        channel = Channel(
            [
                [1 - silent if y == x else Fraction(0) for y in range(limits.size)] + [silent]
                for x, silent in enumerate(silences)
            ],
            labels,
            (*labels, ANY),
        )
        if not limits.kept_by(channel):
            raise _too_fine()
    return ListedSurvey(name=SILENCE, channel=channel, limits=limits)


def silent_level(limits: AnswerLimits) -> Fraction | None:
    """Return how often "any" would be said by a person of weight 1; None where some answer would never be reported."""
    level = limits.guess_error / (limits.size - 1)
    return level if limits.max_odds == math.inf and level < min(limits.weights) else None


def listed_survey(
    answers: Sequence[str],
    *,
    guess_error: Real,
    shares: Sequence[Real] | None = None,
    any_of: Sequence[Sequence[Real]] = (),
    weights: Sequence[Real] | None = None,
    max_epsilon: float | None = None,
) -> ListedSurvey:
    """Return the survey within the limits whose shares have the least variances in all, if `shares` are expected.

    With several laws in `any_of` it is the one that loses least, in the worst of them, against what is best for that
    law alone. Without either, all answers are expected to be as frequent.

    Where the shares are not alike it reports sets, and has a little less variance than answer or silence.

    Raises:
        InvalidParameter: shares or weights are no laws, or there are too many answers to look through all their sets.

    >>> import sfumato as sf
    >>> ways = ("train", "car", "on foot")
    >>> best = sf.surveys.listed_survey(ways, guess_error=0.5, shares=[0.2, 0.5, 0.3])
    >>> quiet = sf.surveys.answer_or_silence(ways, guess_error=0.5)
    >>> [round(float(one.total_variance([0.2, 0.5, 0.3])), 3) for one in (best, quiet)]
    [2.44, 2.48]
    """
    labels = checked_answers(answers)
    limits = AnswerLimits.of(len(labels), guess_error=guess_error, weights=weights, max_epsilon=max_epsilon)
    if shares is not None and any_of:
        raise InvalidParameter(
            "and `any_of` are two different wishes", parameter="shares", way_out="Put all laws into `any_of`."
        )
    even = (Fraction(1, limits.size),) * limits.size
    wished = [shares] if shares is not None else list(any_of) or [even]
    return _best(limits, labels, tuple(checked_shares("shares", law, limits.size) for law in wished))


@lru_cache(maxsize=128)
def _best(limits: AnswerLimits, labels: tuple[str, ...], laws: tuple[Shares, ...]) -> ListedSurvey:
    columns = report_columns(limits)
    scales = [1.0]
    if len(laws) > 1:
        scales = [least_variance(limits, columns, [law], [1.0]).value for law in laws]
    found = least_variance(limits, columns, laws, scales)
    if silent_level(limits) is not None:
        silence = answer_or_silence(labels, guess_error=limits.guess_error, weights=limits.weights)
        if _largest(silence.channel, laws, scales) <= found.value * (1 + 1e-9):
            # As good, in round numbers.
            return replace(silence, laws=laws, proof=found.proof)
    channel = _drawn(limits, labels, laws, scales)
    return ListedSurvey(name="sets", channel=channel, limits=limits, laws=laws, proof=found.proof)


def _drawn(limits: AnswerLimits, labels: tuple[str, ...], laws: tuple[Shares, ...], scales: list[float]) -> Channel:
    """Round the survey to words so that both limits still hold, by aiming a hair inside them."""
    for hair in _HAIRS:
        tighter = replace(
            limits,
            guess_error=min(limits.guess_error * (1 + hair), 1 - max(limits.weights)),
            max_odds=limits.max_odds if limits.max_odds == math.inf else Fraction(limits.max_odds) * (1 - hair),
        )
        columns = report_columns(tighter)
        amounts = least_variance(tighter, columns, laws, scales).amounts
        channel = _rounded(labels, *_met(columns, amounts))
        if limits.kept_by(channel):
            return channel
    raise _too_fine()


def _met(
    columns: Sequence[ReportColumn], amounts: npt.NDArray[np.float64]
) -> tuple[list[ReportColumn], npt.NDArray[np.float64]]:
    """Drop what is nearly nothing, and move the rest so that rows sum to 1 as nearly as floats can."""
    kept = np.flatnonzero(amounts > _DUST * amounts.max()).tolist()
    table = np.array([[float(p) for p in columns[y].chances] for y in kept])
    used = amounts[kept]
    for _ in range(2):
        # Changes in proportion to what there is, so that nothing falls below 0.
        scaled = table * used[:, None]
        used = used * (1 + np.linalg.lstsq(scaled.T, 1 - scaled.sum(axis=0))[0])
    return [columns[y] for y in kept], used


def _rounded(labels: tuple[str, ...], columns: Sequence[ReportColumn], amounts: npt.NDArray[np.float64]) -> Channel:
    exact = [Fraction(float(amount)) for amount in amounts]
    rows = []
    for x in range(len(labels)):
        row = [amount * column.chances[x] for amount, column in zip(exact, columns, strict=True)]
        total = sum(row, Fraction(0))
        counts = round_to_grid([p / total for p in row], _WORD_BITS)
        rows.append([Fraction(count, 1 << _WORD_BITS) for count in counts])
    return Channel(rows, labels, report_names(labels, columns))


def report_names(labels: tuple[str, ...], columns: Sequence[ReportColumn]) -> tuple[str, ...]:
    """Name each report by the answers that it speaks for; the second of the same name gets a number."""
    named: list[str] = []
    for column in columns:
        whole = len(column.favoured) == len(labels)
        name = ANY if whole else " or ".join(labels[x] for x in column.favoured)
        number, tried = 2, name
        while tried in named:
            tried, number = f"{name} ({number})", number + 1
        named.append(tried)
    return tuple(named)


def checked_answers(answers: Sequence[str]) -> tuple[str, ...]:
    """Return the labels of a list of answers."""
    labels = tuple(answers)
    if len(labels) < 2 or len(set(labels)) != len(labels) or ANY in labels or "" in labels:
        raise InvalidParameter(
            f"must be at least two different texts, none of them {ANY!r} (which is a report of its own)",
            parameter="answers",
            way_out="Give for instance ('train', 'car', 'on foot').",
        )
    return labels


def checked_shares(name: str, shares: Sequence[Real], size: int) -> Shares:
    """Return a law of the answers, exact, with none of them at 0."""
    law = tuple(as_exact(name, share) for share in shares)
    if len(law) != size or min(law) <= 0 or sum(law) != 1:
        raise InvalidParameter(
            f"must be {size} numbers above 0 that sum to 1",
            parameter=name,
            way_out="Write fractions where decimals do not sum to 1.",
        )
    return law


def _largest(channel: Channel, laws: tuple[Shares, ...], scales: list[float]) -> float:
    found = [total_variance(channel, law) for law in laws]
    return max(math.inf if one is None else float(one) / scale for one, scale in zip(found, scales, strict=True))


def _too_fine() -> InvalidParameter:
    return InvalidParameter(
        "and the weights leave no room in which the survey can be drawn with 64-bit words",
        parameter="guess_error",
        way_out="Lower `guess_error` a little, or give weights with smaller denominators.",
    )
