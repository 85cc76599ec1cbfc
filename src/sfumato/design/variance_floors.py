"""How well any survey within given limits can tell the shares of a list of answers: a floor, in fractions.

One report of a survey has the information F = Σ_y p_y p_yᵀ/(θ·p_y) about the shares θ, p_y the column of report y. With
n reports no unbiased estimate has variances that sum to less than (tr F⁻¹ - |θ|²)/n, and the likeliest shares come to
it. For every symmetric M, tr F⁻¹ ≥ 2 tr M - tr MFM, which is linear in the survey. What it is at best follows from the
duality of linear programs: if u·p + s·cost(p) ≥ |Mp|²/(θ·p) for every kind of report p, then tr MFM ≤ Σu + (1-a)s for
every survey within the limits. So a matrix and k + 1 numbers prove a floor, whoever found them and however. No solver
is asked, and nothing is rounded.   Theory: docs/theory/listed_survey.md
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from sfumato.design.answer_limits import AnswerLimits
from sfumato.design.column_rays import ReportColumn, report_columns
from sfumato.errors import InvalidParameter
from sfumato.prob import Channel
from sfumato.prob.exact_systems import solve_exactly

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
    >>> best = sf.design.listed_survey(ways, guess_error=0.5, shares=[0.2, 0.5, 0.3])
    >>> floor = sf.design.variance_floor(best.limits, best.laws, best.proof)
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
    >>> channel = sf.design.warner(guess_error=0.25).channel
    >>> shares = (Fraction(9, 10), Fraction(1, 10))
    >>> sf.design.total_variance(channel, shares), 2 / sf.measures.fisher_information(channel, Fraction(1, 10))
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
