"""Several randomised questions at once: the joint table of their answers, whether they go together, and how much.

Each question was randomised on its own, so the reports pass through the product of the channels. The joint shares are
the likeliest ones under it, with the intervals of :mod:`sfumato.infer.reported`.

**The test.** Let s and t be unbiased scores of the reports of two questions. Under independence the mean of
(s - E s)(t - E t)ᵀ is 0 and has covariance Σ_s ⊗ Σ_t / n, where Σ_s and Σ_t are read from the reports of each question
alone, and never vanish where the channels hide something: so T = n·tr(Σ_s⁻¹CΣ_t⁻¹Cᵀ) has the law of χ² with
(k-1)(l-1) degrees of freedom wherever the shares lie, also at 0. If nothing is randomised, T is Pearson's χ².
Theory: docs/theory/joint_tables.md
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter
from sfumato.infer.likeliest_shares import MOST_NEWTON, passage_of
from sfumato.infer.linear_scores import LinearScores
from sfumato.infer.odds_ratios import OddsRatio, odds_ratio
from sfumato.infer.reported import LinearEstimate, ReportedShares
from sfumato.prob import AnyChannel, Channel
from sfumato.values.checks import check_between

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
