"""Lower bounds on what a release discloses about a feature, from records that the mapping has not seen.

A mapping K that was fitted to records seems to disclose more than it does. So K, a decoder q(w|y) and a distribution
r(w) are made from one half, and scored on the other: Z = Σ_y K(y|x) log2(q(w|y)/r(w)). Since

    I(W;Y) = E Z + E D(P(·|Y)‖q(·|Y)) - D(p_W‖r),

the mean score, less its empirical Bernstein margin and less a bound on D(p_W‖r), is a lower confidence bound.
Ref: [MP09] for the margin; theory: docs/theory/unknown_laws.md
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from sfumato.disclosure.unknown_distributions import smoothed_law, unknown_law_bound
from sfumato.errors import InvalidParameter
from sfumato.numbers.checks import Real, as_exact, check_at_least, check_integer
from sfumato.numbers.intervals import ln_bounds

Codes = npt.ArrayLike
Table = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]
# Records added to each cell, distributed as r(w). The mapping favours cells that differ by chance, and without them the
# decoder would overfit and score less. Any decoder of the first half is valid.
_SHRINKING = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class DisclosedScore:
    """The score on the fitted half, the score on the other half, and the lower bound, in bits.

    `lower_bits` holds with confidence 1-`beta`; 0 says that nothing was shown to be told. `fitted` and `scored` are the
    numbers of records, and `law_bits` the bound on D(p_W‖r) that was paid.

    >>> import sfumato as sf
    >>> cells, features = [0, 1, 2, 3] * 250, [0, 1, 1, 0] * 250
    >>> half = (cells, features)
    >>> score = sf.disclosure.disclosed_score([[1, 0], [0, 1], [0, 1], [1, 0]], fitted=half, scored=half, values=2)
    >>> score.fitted, round(score.in_sample_bits, 3), round(score.lower_bits, 3)
    (1000, 1.0, 0.901)
    """

    in_sample_bits: float
    score_bits: float
    lower_bits: float
    law_bits: float
    fitted: int
    scored: int
    beta: Fraction


def disclosed_score(
    rows: npt.ArrayLike,
    *,
    fitted: tuple[Codes, Codes],
    scored: tuple[Codes, Codes],
    values: int,
    beta: Real = Fraction(1, 20),
) -> DisclosedScore:
    """Score a mapping with `rows` P(y|cell), made from the records `fitted`, on the records `scored`.

    Records are pairs of columns: the code of a record's cell, and of its feature, one of `values`.

    Raises:
        InvalidParameter: rows are no laws, or codes are not of the declared alphabet.

    >>> import sfumato as sf
    >>> cells, features = [0, 1, 2, 3] * 250, [0, 1, 1, 0] * 250
    >>> mapping = [[1, 0], [0, 1], [0, 1], [1, 0]]
    >>> told = sf.disclosure.disclosed_score(mapping, fitted=(cells, features), scored=(cells, features), values=2)
    >>> round(told.score_bits, 3), round(told.lower_bits, 3)
    (0.994, 0.901)
    >>> shifted = features[1:] + features[:1]
    >>> sf.disclosure.disclosed_score(mapping, fitted=(cells, features), scored=(cells, shifted), values=2).lower_bits
    0.0
    """
    exact = as_exact("beta", beta)
    if not 0 < exact < 1:
        raise InvalidParameter(
            "must lie between 0 and 1", parameter="beta", value=exact, way_out="Take a small one, such as 1/20."
        )
    mapping = _mapping(rows)
    check_at_least("values", check_integer("values", values), 2)
    first = _counts("fitted", fitted, len(mapping), values)
    second = _counts("scored", scored, len(mapping), values)
    fitted_count, scored_count = int(first.sum()), int(second.sum())
    law = unknown_law_bound(fitted_count, values, exact / 3)
    base = np.array([float(mass) for mass in smoothed_law(first.sum(axis=0).tolist(), law.smoothing)])
    joint = (first + _SHRINKING * base).T @ mapping
    seen = joint.sum(axis=0)
    decoder = np.where(seen > 0, joint / np.where(seen > 0, seen, 1.0), base[:, None])
    scores = mapping @ np.log2(decoder / base[:, None]).T
    score = float((second * scores).sum()) / scored_count
    return DisclosedScore(
        in_sample_bits=_information(first.T @ mapping / fitted_count),
        score_bits=score,
        lower_bits=max(0.0, score - _margin(scores, second, score, exact) - law.bits),
        law_bits=law.bits,
        fitted=fitted_count,
        scored=scored_count,
        beta=exact,
    )


def _margin(scores: Table, counts: Counts, score: float, beta: Fraction) -> float:
    """√(2Vl/n) + 7bl/(3(n-1)), l = ln(3/β), V the sample's variance and b the range of all scores, rounded up."""
    number = float(counts.sum())
    doubt = ln_bounds(3 / beta)[1]
    spread = float(np.ptp(scores))
    variance = float((counts * np.square(scores - score)).sum()) / (number - 1)
    margin = math.sqrt(2 * variance * doubt / number) + 7 * spread * doubt / (3 * (number - 1))
    # Products and sums of positive terms, each known to far more digits than these.
    return margin * (1 + 2.0**-30) + 2.0**-30 * spread


def _information(joint: Table) -> float:
    """I(W;Y) of a joint law; never below 0."""
    outer = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    seen = joint > 0
    return max(0.0, float((joint[seen] * np.log2(joint[seen] / outer[seen])).sum()))


def _mapping(rows: npt.ArrayLike) -> Table:
    mapping = np.asarray(rows, dtype=np.float64)
    # A row for every cell of the alphabet, also for those that were not seen: somebody may be in them.
    if mapping.ndim != 2 or not mapping.size or (mapping < 0).any() or (abs(mapping.sum(axis=1) - 1) > 1e-9).any():
        raise InvalidParameter(
            "must be one law of the output for each cell of the alphabet",
            parameter="rows",
            way_out="Pass the rows of the channel, `channel.array`.",
        )
    return mapping


def _counts(name: str, records: tuple[Codes, Codes], cells: int, values: int) -> Counts:
    codes, features = (np.asarray(column) for column in records)
    whole = codes.dtype.kind in "iu" and features.dtype.kind in "iu"
    if not whole or codes.ndim != 1 or codes.shape != features.shape or codes.size < 2:
        raise InvalidParameter(
            "must be two columns of whole numbers, equally long, of two records or more",
            parameter=name,
            way_out="Give each record the number of its cell, and of its feature.",
        )
    if codes.min() < 0 or codes.max() >= cells or features.min() < 0 or features.max() >= values:
        raise InvalidParameter(
            f"must have cells below {cells} and features below {values}",
            parameter=name,
            way_out="Code records by the declared alphabet.",
        )
    table = np.zeros((cells, values), dtype=np.int64)
    np.add.at(table, (codes, features), 1)
    return table
