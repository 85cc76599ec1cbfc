"""What mechanisms share: declared odds, linear estimates, packed reports and two-level shifts."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter
from sfumato.numbers.checks import Number, as_number, check_at_least, check_between, check_integer, check_positive
from sfumato.numbers.columns import Column, Intervals
from sfumato.numbers.exact import LawLike
from sfumato.numbers.intervals import fraction_below_exp
from sfumato.prob.distribution import Distribution
from sfumato.prob.intervals import binomial_share_intervals, bounded_intervals, nearest_law
from sfumato.sampling.mechanism import Estimate, ReportArray, Tally, smallest_dtype, unmasked
from sfumato.sampling.sources import BitSource

# Laws of more outcomes than this are not written out.
MOST_OUTPUTS = 4096
# Odds promised as an epsilon are rounded down to multiples of 2^-32, or coarser where words are narrow: epsilon falls
# short by less than 2.4e-10.
_ODDS_BITS = 32
# Keeping the total weight this far below 2^width makes a redraw rarer than once in 256 reports.
_SPARE_BITS = 8


def exact_odds(odds: Number, maker: str, name: str = "odds") -> Fraction:
    """Return odds that are exact and at least 1."""
    number = exact_fraction(name, odds, maker)
    check_at_least(name, number, 1)
    return number


def exact_fraction(name: str, value: Number, maker: str) -> Fraction:
    """Return a number that is exact; `maker` is the class whose `within` finds one."""
    number = as_number(name, value)
    if not isinstance(number, Fraction):
        raise InvalidParameter(
            "must be exact",
            parameter=name,
            value=value,
            way_out=f"Pass a Fraction such as Fraction(3, 1), or use {maker}.within(size=…, epsilon=…).",
        )
    return number


def nominal_odds(epsilon: float) -> float:
    """Return e^epsilon for choosing sizes with, where a little more or less does not matter."""
    check_positive("epsilon", epsilon)
    return math.exp(min(epsilon, 700.0))


def odds_keeping(epsilon: float, *, weight: float, size: int, width: int) -> Fraction:
    """Return the largest odds on a fine grid that keep the promise of `epsilon`.

    `weight` is the total weight of a report's law when the smallest weight is 1; it must fit a word many times over.
    """
    check_positive("epsilon", epsilon)
    grid = min(_ODDS_BITS, math.floor(width - _SPARE_BITS - math.log2(weight)))
    if grid < 0:
        raise InvalidParameter(
            f"over {size} answers needs finer words than width={width} bits",
            parameter="epsilon",
            value=epsilon,
            way_out="At this epsilon the answers are all but public: lower `epsilon`.",
        )
    return fraction_below_exp(epsilon, denominator=1 << grid)


def check_weight(total: int, *, odds: Fraction, size: int, width: int) -> None:
    """Refuse a law whose total weight does not fit a word."""
    if total > 1 << width:
        raise InvalidParameter(
            f"over {size} answers weigh {total} in all, more than words of width={width} bits can tell apart",
            parameter="odds",
            value=odds,
            way_out="Use `odds` with a smaller numerator and denominator.",
        )


def law_of_answers(law: Distribution | LawLike, size: int, n: int) -> tuple[Fraction, ...]:
    """Read the shares at which a variance is wanted."""
    check_at_least("n", check_integer("n", n), 1)
    shares = law if isinstance(law, Distribution) else Distribution(law)
    if len(shares) != size:
        raise InvalidParameter(
            f"has {len(shares)} entries for {size} answers", parameter="law", way_out="Give one share to each answer."
        )
    return shares.fractions


# --- Linear estimators: checks of a tally, and an Estimate from unbiased numbers and their errors


FloatArray = npt.NDArray[np.float64]


def check_tally(tally: Tally, name: str) -> int:
    """Return the number of reports of a tally that this mechanism made and that is not empty."""
    if tally.mechanism != name:
        raise InvalidParameter(
            f"was made by [{tally.mechanism}], not by [{name}]",
            parameter="tally",
            way_out="Estimate with the mechanism that made the reports.",
        )
    total = tally.total
    if total == 0:
        raise InvalidParameter("is empty", parameter="tally", way_out="Collect at least one report.")
    return total


def check_confidence(confidence: float) -> None:
    """Refuse a confidence that no interval is meant for."""
    check_between("confidence", confidence, 0.5, 1 - 1e-12)


def member_estimate(hits: npt.ArrayLike, own: Fraction, other: Fraction, *, total: int, confidence: float) -> Estimate:
    """Shares of answers, when a report hits its own answer with probability `own` and any other with `other`.

    `hits[x]` is how many reports hit x. Intervals are Feldman and Cousins' for the chance of a hit, pulled back to the
    share: exact, right at 0 and 1 as well, and never of no width.   Theory: docs/theory/bounded_intervals.md
    """
    check_confidence(confidence)
    if own == other:
        raise InvalidParameter(
            "every report is pure noise; nothing can be estimated", way_out="Raise `odds`, or `width`."
        )
    counted = np.asarray(hits, dtype=np.float64)
    chances = counted / total
    base, gap = float(other), float(own - other)
    raw = (chances - base) / gap
    lower, upper = binomial_share_intervals(counted, total, base, base + gap, confidence)
    errors = np.sqrt(chances * (1 - chances) / total) / gap
    return replace(_estimate(raw, errors, lower, upper, total, confidence), exact=True)


def member_variance(
    law: Distribution | LawLike, size: int, n: int, own: Fraction, other: Fraction
) -> tuple[Fraction, ...]:
    """Return the exact variance of each share of `member_estimate`, from n reports, when answers follow `law`."""
    if own == other:
        raise InvalidParameter(
            "every report is pure noise; its variance has no end", way_out="Raise `odds`, or `width`."
        )
    chances = [other + (own - other) * share for share in law_of_answers(law, size, n)]
    return tuple(s * (1 - s) / (n * (own - other) ** 2) for s in chances)


def normal_estimate(raw: FloatArray, variances: FloatArray, *, total: int, confidence: float) -> Estimate:
    """Unbiased shares with errors, their nearest law, and intervals within [0, 1] that take them for normal."""
    check_confidence(confidence)
    errors = np.sqrt(np.maximum(variances, 0.0))
    # Reports that are all the same have no spread, and say nothing of how far the next would lie: as far as 0 from 1.
    lower, upper = bounded_intervals(raw, np.hypot(errors, 1 / total), 0.0, 1.0, confidence)
    return _estimate(raw, errors, lower, upper, total, confidence)


def _estimate(
    raw: FloatArray, errors: FloatArray, lower: FloatArray, upper: FloatArray, total: int, confidence: float
) -> Estimate:
    projected = nearest_law(raw)
    lower, upper = np.minimum(lower, projected), np.maximum(upper, projected)
    return Estimate(
        raw=Column(raw),
        standard_errors=Column(errors),
        projected=Column(projected),
        intervals=Intervals(lower, upper),
        confidence=confidence,
        total=total,
    )


# --- Reports that are sets of answers, as rows of packed bits


# The number of words held at a time, so that a column of a million answers needs no gigabytes.
_CHUNK = 1 << 20


def row_chunks(rows: int, columns: int) -> Iterator[slice]:
    """Cut a table of words into slices of rows that fit the processor's cache."""
    step = max(1, _CHUNK // columns)
    return (slice(start, min(start + step, rows)) for start in range(0, rows, step))


def check_packed(reports: npt.ArrayLike, size: int) -> npt.NDArray[np.uint8]:
    """Return reports as rows of packed bits, the first answer in the highest bit of the first byte."""
    array = unmasked("reports", reports)
    wide = -(-size // 8)
    if array.ndim != 2 or array.shape[1] != wide or array.dtype.kind not in "iu":
        raise InvalidParameter(
            f"must be a table of bytes, {wide} in a row for {size} answers, not of shape {array.shape} and type "
            f"{array.dtype}",
            parameter="reports",
            way_out="Pass what privatize returned.",
        )
    if len(array) == 0:
        raise InvalidParameter("is empty", parameter="reports", way_out="Pass at least one.")
    spare = (1 << (8 * wide - size)) - 1
    if ((array < 0) | (array > 255)).any() or (array[:, -1] & spare).any():
        raise InvalidParameter(
            f"hold bits beyond the {size} answers",
            parameter="reports",
            way_out="Pass what privatize of this mechanism returned.",
        )
    return array.astype(np.uint8)


def count_ones(reports: npt.NDArray[np.uint8], size: int) -> tuple[int, ...]:
    """How many reports hold each answer."""
    counts = np.zeros(size, dtype=np.int64)
    for rows in row_chunks(len(reports), size):
        counts += np.unpackbits(reports[rows], axis=1, count=size).sum(axis=0, dtype=np.int64)
    return tuple(counts.tolist())


# --- Two-level shifts: reports that are answers plus a random shift of two levels of probability
#
# Two integers decide a shift, each exactly uniform below its bound: whether it is favoured, and which one it is.


_PART = 1 << 15


def total_weight(odds: Fraction, favoured: int, modulus: int) -> int:
    """Return the whole numbers of all shifts together: the numerator of the odds for a favoured one, else the rest."""
    return odds.numerator * favoured + odds.denominator * (modulus - favoured)


def shifted(
    answers: npt.NDArray[np.int64],
    shifts: npt.NDArray[np.int64],
    favoured: int,
    odds: Fraction,
    *,
    width: int,
    source: BitSource,
) -> ReportArray:
    """Add a shift to each answer, modulo the number of shifts; the first `favoured` of them have weight `odds`."""
    from sfumato.mechanisms.kernels import shift_again, shift_by_two_levels  # noqa: PLC0415  brings in a compiler

    law = (
        np.uint64(width),
        np.uint64(total_weight(odds, favoured, shifts.size)),
        np.uint64(odds.numerator * favoured),
        np.uint64(favoured),
        shifts,
    )
    reports = np.empty(answers.size, dtype=smallest_dtype(shifts.size))
    # In parts that stay in the cache.
    part, pending = np.empty(_PART, dtype=np.int64), np.empty(_PART, dtype=np.int64)
    for start in range(0, answers.size, _PART):
        mine = answers[start : start + _PART]
        left = shift_by_two_levels(mine, _words(source, mine.size, width), *law, part, pending)
        # How often words are drawn again depends on the words alone, never on an answer.
        while left:
            left = shift_again(mine, _words(source, left, width), *law, part, pending, left)
        reports[start : start + mine.size] = part[: mine.size]
    return reports


def _words(source: BitSource, count: int, width: int) -> npt.NDArray[np.uint64]:
    return source.words(2 * count, width).astype(np.uint64, copy=False)
