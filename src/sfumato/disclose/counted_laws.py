"""The law of counted records, smoothed over the whole alphabet, so that another true law has a bound.

Theory: docs/theory/unknown_laws.md
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.disclose.data_laws import DataLaw
from sfumato.disclose.law_estimates import BETA
from sfumato.disclose.unknown_laws import smoothed_law, unknown_law_bound
from sfumato.errors import InvalidParameter
from sfumato.values.checks import as_exact
from sfumato.values.types import Real


def counted_law(counts: Sequence[Any] | npt.NDArray[np.int64], beta: Real = BETA) -> DataLaw:
    """Return the law of counted data sets, an axis for each sample, as much added in every cell as the bound needs.

    How much depends on the number of records and cells and on `beta` alone. Certify what is made of it with
    `estimated_from` the number of records.

    >>> import sfumato as sf
    >>> law = sf.disclose.counted_law([[40, 10], [20, 30]])
    >>> law.masses[1], sum(law.masses)
    (Fraction(1, 9), Fraction(1, 1))
    """
    table = np.array(counts)
    if table.ndim == 0 or table.dtype.kind not in "iu" or table.size < 2 or table.min() < 0 or table.sum() < 1:
        raise InvalidParameter(
            "must be whole numbers ≥ 0, an axis for each sample, and not all 0",
            parameter="counts",
            way_out="Count the data sets in each cell of the alphabet.",
        )
    smoothing = unknown_law_bound(int(table.sum()), table.size, as_exact("beta", beta)).smoothing
    return smoothed_data_law(table, smoothing)


def smoothed_data_law(counts: npt.NDArray[np.int64], smoothing: Fraction) -> DataLaw:
    """Return (N + a)/(n + ma) over the whole alphabet: every cell has a probability, seen or not."""
    masses = np.array(smoothed_law(counts.ravel().tolist(), smoothing), dtype=object)
    return DataLaw.of(masses.reshape(counts.shape))
