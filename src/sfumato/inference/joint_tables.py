"""Joint tables of randomised questions, tests of association and homogeneity, and odds ratios.

Each question was randomised independently, so the reports pass through the product of the channels. The joint shares
are the maximum-likelihood shares under it, with the intervals of :mod:`sfumato.inference.estimates`.

**The test.** Let s and t be unbiased scores of the reports of two questions. Under independence the mean of (s - E s)(t
- E t)ᵀ is 0 and has covariance Σ_s ⊗ Σ_t / n. Σ_s and Σ_t are estimated from the reports of each question alone and do
not vanish where the channels randomise. So T = n·tr(Σ_s⁻¹CΣ_t⁻¹Cᵀ) has the distribution of χ² with (k-1)(l-1) degrees
of freedom for all shares, also at 0. Without randomisation T is Pearson's χ².
Theory: docs/theory/joint_tables.md
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter
from sfumato.inference.estimates import LinearEstimate, ReportedShares
from sfumato.inference.likelihood import MOST_NEWTON, DensePassage, LinearScores, maximum_likelihood, passage_of
from sfumato.numbers.checks import check_between
from sfumato.numbers.intervals import Interval
from sfumato.prob.channel import Channel
from sfumato.prob.intervals import nearest_law
from sfumato.prob.structured import AnyChannel

# --- The odds ratio of two randomised yes/no questions, with an interval by profile likelihood
# The profile is the greatest likelihood over all tables of four shares with a given odds ratio. At a ratio of 0 or ∞ a
# cell is empty; the interval ends there if the reports do not contradict it.


# Logarithms of odds ratios beyond which the ratio cannot be distinguished from 0 or ∞.
_FAR = 25.0
_NEAR = 1e-5
_EDGE = 1e-12
# The slope, a report, at which margins count as the likeliest.
_LEVEL = 1e-9
_STEPS = 200
# Which of the four cells have the second answer, to the first and to the second question.
_SECOND = np.array([[0.0, 0.0, 1.0, 1.0], [0.0, 1.0, 0.0, 1.0]])


@dataclass(frozen=True, slots=True, kw_only=True)
class OddsRatio:
    """How many times greater the odds of the second answer are among those who give the other's second answer."""

    value: float
    interval: Interval


def odds_ratio(
    first: AnyChannel, second: AnyChannel, counts: npt.ArrayLike, *, confidence: float = 0.95
) -> OddsRatio | None:
    """Return the odds ratio of the likeliest table; None where one of the questions has but one answer left."""
    from scipy.special import ndtri  # noqa: PLC0415  scipy is slow to import

    table = np.asarray(counts, dtype=np.float64)
    rows = np.asarray(np.kron(first.array, second.array), dtype=np.float64)
    seen = table.ravel()
    law = maximum_likelihood(
        DensePassage(rows), (seen / seen.sum())[None], np.full((1, 4), 0.25), seen.sum(keepdims=True)
    )
    shares = law[0].reshape(2, 2)
    if min(*shares.sum(axis=0), *shares.sum(axis=1)) <= _EDGE:
        return None
    top = _height(rows, seen, shares.ravel())
    drop = float(ndtri((1 + confidence) / 2)) ** 2 / 2
    above, below = shares[0, 0] * shares[1, 1], shares[0, 1] * shares[1, 0]
    value = math.inf if below == 0 else float(above / below)
    centre = min(_FAR, max(-_FAR, math.log(value) if 0 < value < math.inf else math.copysign(_FAR, above - below)))
    inside = np.maximum(shares, 1e-6)
    start = np.log([inside[1, 0] / inside[0, 0], inside[0, 1] / inside[0, 0]])

    def accepted(log_ratio: float) -> bool:
        return _profile(rows, seen, start, log_ratio) >= top - drop

    lower, upper = (_edge(centre, end, accepted) for end in (-_FAR, _FAR))
    ends = Interval(0.0 if lower <= -_FAR else math.exp(lower), math.inf if upper >= _FAR else math.exp(upper))
    return OddsRatio(value=value, interval=Interval(min(ends.lower, value), max(ends.upper, value)))


def _profile(rows: FloatArray, seen: FloatArray, start: FloatArray, log_ratio: float) -> float:
    """Return the greatest log-likelihood at an odds ratio.

    With the odds ratio fixed, the table is an exponential family of its margins: the slope is what the margins are
    given the reports, minus what they are without, and the curvature is a difference of covariances.
    """
    point, pull = start.copy(), 1e-9
    height = _height(rows, seen, _table(point, log_ratio))
    for _ in range(_STEPS):
        table = _table(point, log_ratio)
        given = table[:, None] * rows / np.maximum(table @ rows, 1e-300)
        held = given @ seen
        slope = _SECOND @ (held - seen.sum() * table)
        if np.abs(slope).max() <= _LEVEL * seen.sum():
            break
        centres = _SECOND @ given
        spread = seen.sum() * _covariance(table)
        curvature = spread - (_SECOND * held) @ _SECOND.T + (centres * seen) @ centres.T
        if np.linalg.eigvalsh(curvature)[0] <= pull * seen.sum():
            curvature = spread + pull * seen.sum() * np.eye(2)  # a step of scoring, which always leads upwards
        step = np.linalg.solve(curvature, slope)
        step *= min(1.0, 4.0 / float(np.abs(step).max()))
        while np.abs(step).max() > _EDGE:
            moved = np.clip(point + step, -_FAR - _FAR, _FAR + _FAR)
            reached = _height(rows, seen, _table(moved, log_ratio))
            if reached >= height:
                break
            step = step / 2
        else:
            break
        point, height = moved, reached
    return height


def _table(point: FloatArray, log_ratio: float) -> FloatArray:
    """Return the four shares, of neither, of the second question's second answer alone, of the first's, of both."""
    logs = np.array([0.0, point[1], point[0], point[0] + point[1] + log_ratio])
    found: FloatArray = np.exp(logs - logs.max())
    found /= found.sum()
    return found


def _covariance(table: FloatArray) -> FloatArray:
    centre = _SECOND @ table
    found: FloatArray = (_SECOND * table) @ _SECOND.T - np.outer(centre, centre)
    return found


def _height(rows: FloatArray, seen: FloatArray, shares: FloatArray) -> float:
    law = shares @ rows
    there = seen > 0
    if (law[there] <= 0).any():
        return -1e300
    return float(seen[there] @ np.log(law[there]))


def _edge(inside: float, outside: float, accepted: Callable[[float], bool]) -> float:
    if accepted(outside):
        return outside
    while abs(outside - inside) > _NEAR:
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if accepted(middle) else (inside, middle)
    return outside


FloatArray = npt.NDArray[np.float64]

MOST_CELLS = 20_000_000
"""Entries of the product of the channels up to which it is written out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AssociationTest:
    """Whether questions go together: the statistic, its degrees of freedom, and how likely so much is by chance."""

    statistic: float
    freedom: int
    p_value: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JointTable:
    """Shares of combinations of answers, an axis for each question.

    `shares` are the likeliest, `raw` unbiased, `lower` and `upper` hold `shares`. `cramers_v` is that of `shares`, from
    0 for independence to 1; it is given for two questions. `odds_ratio` is given for two questions of two answers.
    """

    shares: FloatArray
    raw: FloatArray
    standard_errors: FloatArray
    lower: FloatArray
    upper: FloatArray
    confidence: float
    total: int
    test: AssociationTest
    cramers_v: float | None
    odds_ratio: OddsRatio | None

    @property
    def margins(self) -> tuple[FloatArray, ...]:
        """The shares of each question alone, as the joint table has them."""
        axes = range(self.shares.ndim)
        return tuple(self.shares.sum(axis=tuple(other for other in axes if other != axis)) for axis in axes)


def joint_table(channels: Sequence[AnyChannel], counts: npt.ArrayLike, *, confidence: float = 0.95) -> JointTable:
    """Return the joint table of the answers to two or more questions.

    `counts` has an axis for each question, over its reports: how many people gave these reports together.
    """
    check_between("confidence", confidence, 0.5, 1 - 1e-12)
    table = _checked(channels, counts)
    sizes = tuple(channel.shape[0] for channel in channels)
    answers, reports = math.prod(sizes), table.size
    if answers > MOST_NEWTON or answers * reports > MOST_CELLS:
        raise InvalidParameter(
            f"have {answers:,} combinations of answers and {reports:,} of reports; a joint table has at most "
            f"{MOST_NEWTON} combinations of answers, and {MOST_CELLS:,} of both",
            parameter="questions",
            way_out="Take fewer questions, or ones with fewer answers.",
        )
    whole = reduce(_product, (channel.array for channel in channels))
    seen = ReportedShares(Channel(whole), table.ravel())
    cells = seen.shares(confidence)
    shares = seen.likeliest.reshape(sizes)
    in_twos = len(sizes) == 2
    return JointTable(
        shares=shares,
        raw=seen.raw.reshape(sizes),
        standard_errors=_column(cells, sizes, "standard_error"),
        lower=np.array([cell.interval.lower for cell in cells]).reshape(sizes),
        upper=np.array([cell.interval.upper for cell in cells]).reshape(sizes),
        confidence=confidence,
        total=int(table.sum()),
        test=association_test(channels, table),
        cramers_v=_cramers_v(shares) if in_twos else None,
        odds_ratio=odds_ratio(channels[0], channels[1], table, confidence=confidence) if sizes == (2, 2) else None,
    )


def association_test(channels: Sequence[AnyChannel], counts: npt.ArrayLike) -> AssociationTest:
    """Test whether the answers to all questions are independent of each other.

    Of more than two questions, each is held against the combinations of those before it; under independence of all,
    these statistics are independent for many reports, and add up.
    """
    from scipy.special import gammaincc  # noqa: PLC0415  scipy is slow to import

    table = _checked(channels, counts)
    statistic, freedom = 0.0, 0
    before = channels[0].array
    for place in range(1, len(channels)):
        later = tuple(range(place + 1, table.ndim))
        pair = table.sum(axis=later).reshape(-1, table.shape[place])
        part, degrees = _held_against(before, channels[place].array, pair)
        statistic, freedom = statistic + part, freedom + degrees
        if place + 1 < len(channels):
            before = _product(before, channels[place].array)
    return AssociationTest(
        statistic=statistic, freedom=freedom, p_value=float(gammaincc(freedom / 2, max(statistic, 0.0) / 2))
    )


def _held_against(first: FloatArray, second: FloatArray, counts: FloatArray) -> tuple[float, int]:
    """Return n·tr(Σ_s⁻¹CΣ_t⁻¹Cᵀ) and its degrees of freedom, of scores of all answers but one."""
    total = counts.sum()
    seen = counts / total
    sides = [_whitened(first, seen.sum(axis=1)), _whitened(second, seen.sum(axis=0))]
    together = sides[0].T @ (seen - np.outer(seen.sum(axis=1), seen.sum(axis=0))) @ sides[1]
    return float(total * (together**2).sum()), sides[0].shape[1] * sides[1].shape[1]


def _whitened(rows: FloatArray, law: FloatArray) -> FloatArray:
    """Return centred scores of the reports, in directions in which they do not vary together, each with variance 1.

    A direction in which nothing varies is left out: an answer that nobody gives, where nothing is randomised.
    """
    scores = scores_of(Channel(rows))[:, :-1]
    centred = scores - law @ scores
    variances, directions = np.linalg.eigh(centred.T @ (law[:, None] * centred))
    there = variances > 1e-12 * max(float(variances.max()), 1e-300)
    if not there.any() or float(variances.max()) <= 0:
        raise InvalidParameter(
            "all have the same report to one of the questions, so that nothing can go together with it",
            parameter="reports",
            way_out="Take a question with reports that differ.",
        )
    found: FloatArray = centred @ (directions[:, there] / np.sqrt(variances[there]))
    return found


def _product(first: FloatArray, second: FloatArray) -> FloatArray:
    return np.asarray(np.kron(first, second), dtype=np.float64)


def scores_of(channel: AnyChannel) -> FloatArray:
    """Return unbiased scores, a row for each report and a column for each answer."""
    scores, size = LinearScores(passage_of(channel), channel.shape[0]), channel.shape[0]
    # Scores are made for values about 0.
    columns = [scores.of(np.eye(size)[place] - 1 / size) + 1 / size for place in range(size)]
    return np.stack(columns, axis=1)


def _cramers_v(shares: FloatArray) -> float:
    expected = np.outer(shares.sum(axis=1), shares.sum(axis=0))
    there = expected > 0
    square = float((((shares - expected)[there]) ** 2 / expected[there]).sum())
    used = min(int((shares.sum(axis=axis) > 0).sum()) for axis in (0, 1))
    return math.sqrt(min(1.0, square / (used - 1))) if used > 1 else 0.0


def _checked(channels: Sequence[AnyChannel], counts: npt.ArrayLike) -> FloatArray:
    table = np.asarray(counts, dtype=np.float64)
    if len(channels) < 2:
        raise InvalidParameter(
            "must be at least two", parameter="questions", way_out="One question alone is estimated, not crossed."
        )
    if table.shape != tuple(channel.shape[1] for channel in channels):
        raise InvalidParameter(
            "must have an axis for each question, as long as it has reports",
            parameter="counts",
            way_out="Count reports in the order of the channels' outputs.",
        )
    if not (np.isfinite(table) & (table >= 0)).all() or not table.any():
        raise InvalidParameter(
            "must be whole numbers ≥ 0, and not all 0",
            parameter="counts",
            way_out="Take people who answered all of the questions.",
        )
    return table


def _column(cells: Sequence[LinearEstimate], sizes: tuple[int, ...], name: str) -> FloatArray:
    return np.array([getattr(cell, name) for cell in cells]).reshape(sizes)


# --- Test of homogeneity: whether groups or waves, each with its own channel, have the same shares
# Group g has unbiased shares r_g from scores s_g of n_g reports. If all shares equal p, r_g has the covariance V_g =
# Cov(s_g)/n_g, and T = Σ (r_g - r̄)ᵀV_g⁻¹(r_g - r̄) follows χ², r̄ being the mean weighted by precision. V_g is taken
# at the distribution nearest to the mean. It does not vanish where channels randomise, even if a share is 0.


def homogeneity_test(channels: Sequence[AnyChannel], counts: Sequence[npt.ArrayLike]) -> AssociationTest:
    """Test whether groups have the same shares; each has its channel, and its counts of reports in that order."""
    from scipy.special import gammaincc  # noqa: PLC0415  scipy is slow to import

    tables = [np.asarray(one, dtype=np.float64) for one in counts]
    sizes = {channel.shape[0] for channel in channels}
    if len(channels) != len(tables) or len(tables) < 2 or len(sizes) != 1:
        raise InvalidParameter(
            "must be two or more, with the same answers", parameter="groups", way_out="Name at least two groups."
        )
    if any(
        table.shape != (channel.shape[1],) or not (table >= 0).all() or not table.any()
        for channel, table in zip(channels, tables, strict=True)
    ):
        raise InvalidParameter(
            "must be counts of reports, one for each report of the channel, and not all 0",
            parameter="counts",
            way_out="Count reports in the order of the channel's outputs.",
        )
    # One answer is left out: shares sum to 1.
    scores = [scores_of(channel)[:, :-1] for channel in channels]
    totals = np.array([table.sum() for table in tables])
    means = np.stack([table @ score / table.sum() for table, score in zip(tables, scores, strict=True)])
    plain = totals @ means / totals.sum()
    law = nearest_law(np.append(plain, 1 - plain.sum()))
    precisions = [
        _precision(law @ channel.array, score) * total
        for channel, score, total in zip(channels, scores, totals.tolist(), strict=True)
    ]
    whole = np.sum(precisions, axis=0)
    centre = np.linalg.pinv(whole, hermitian=True) @ np.sum(
        [one @ mean for one, mean in zip(precisions, means, strict=True)], axis=0
    )
    statistic = float(sum((mean - centre) @ one @ (mean - centre) for one, mean in zip(precisions, means, strict=True)))
    freedom = sum(_rank(one) for one in precisions) - _rank(whole)
    if freedom <= 0:
        raise InvalidParameter(
            "all have the same report, so that they cannot differ", parameter="reports", way_out="Take more reports."
        )
    return AssociationTest(
        statistic=statistic, freedom=freedom, p_value=float(gammaincc(freedom / 2, max(statistic, 0.0) / 2))
    )


def _precision(law: FloatArray, scores: FloatArray) -> FloatArray:
    centred = scores - law @ scores
    found = np.linalg.pinv(centred.T @ (law[:, None] * centred), rcond=1e-12, hermitian=True)
    return np.asarray(found, dtype=np.float64)


def _rank(matrix: FloatArray) -> int:
    return int(np.linalg.matrix_rank(matrix, hermitian=True))
