"""What a mapping of a table tells about records that it was not fitted on: for the owner, beside the in-sample figure.

The released records are cut in two at random. Where the law comes from them, a mapping is fitted on one half, under
noise of its own for a private histogram, and scored on the other; where it is declared or comes from other people, the
mapping is known beforehand, and only the reading of its symbols is fitted.   Theory: docs/theory/unknown_laws.md
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from sfumato.bits import SystemBits
from sfumato.disclose import Disclosure, Origin, optimum
from sfumato.disclose.told_scores import told_score
from sfumato.files.words import Words
from sfumato.study.law_sources import LawSource, MadeLaw, counts_of, feature_of_counts, law_of_counts, noisy
from sfumato.study.table_releases import OwnersFigures

# A half of fewer records scores nothing.
_LEAST_RECORDS = 10
Codes = npt.NDArray[np.int64]


def scored(
    figures: OwnersFigures,
    source: LawSource,
    columns: Sequence[Words],
    made: MadeLaw,
    found: Disclosure,
    *,
    seconds: float,
) -> OwnersFigures:
    """Add what is told out of sample; `columns` are the protected ones and, last, the one told about, if any."""
    size = len(made.law.shape)
    about = len(columns) > size
    cells = math.prod(made.law.shape)
    values = len(columns[-1].texts) if about else cells
    if found.law.size != cells or len(columns[0]) < 2 * _LEAST_RECORDS or values < 2:
        return figures
    halves = _halves(columns)
    mapping = found
    if Origin.RECORDS in (made.estimation.law, made.estimation.feature) or source.epsilon is not None:
        counts = counts_of(halves[0])
        if source.epsilon is not None:
            counts = noisy(counts, source.epsilon, SystemBits())
        law = made.law if source.law is not None else law_of_counts(counts, made.estimation, about=about)
        mapping = optimum(law, feature_of_counts(counts, made.estimation) if about else None, seconds=seconds)
    pairs = [_codes(half, size) for half in halves]
    told = told_score(mapping.channel.array, fitted=pairs[0], scored=pairs[1], values=values)
    return replace(figures, scored_bits=told.score_bits, proven_bits=told.lower_bits)


def _codes(columns: Sequence[Words], size: int) -> tuple[Codes, Codes]:
    """The cell of each record, and its feature, which is the cell itself where no column is told about."""
    shape = tuple(len(column.texts) for column in columns[:size])
    cells = np.ravel_multi_index(tuple(column.codes for column in columns[:size]), shape).astype(np.int64)
    return cells, cells if len(columns) == size else columns[-1].codes


def _halves(columns: Sequence[Words]) -> list[list[Words]]:
    """Cut the records in two at random: a sorted file must not put its first half against its second."""
    order = np.argsort(SystemBits().words(len(columns[0]), 64), kind="stable")
    cut = len(order) // 2
    return [[Words(column.codes[part], column.texts) for column in columns] for part in (order[:cut], order[cut:])]
