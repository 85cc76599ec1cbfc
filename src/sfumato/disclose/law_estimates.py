"""Where a law comes from: declared, or counted in the very records that are released, and what follows from that.

A mapping is made for its law, and either of the two gives the other away [D, Lemma 1]; so whatever was counted in
protected records is as private as they are. A counted law is not the true one either: here stands how far off it may
be, and what a release then tells at most. Everything that knows how a law was made asks this module.
Theory: docs/theory/disclosure.md
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

import msgspec
import numpy as np
import numpy.typing as npt

from sfumato.disclose.data_laws import DataLaw
from sfumato.disclose.law_drift import leak_within_bits
from sfumato.errors import InvalidParameter, NotCertified
from sfumato.prob import Distribution
from sfumato.values.checks import check_between, check_integer

# A law estimated from n data sets is this far from the truth at most, nineteen times out of twenty.
CONFIDENCE = 0.95
# Whole numbers that a double holds; more records there are not.
_MOST_RECORDS = 2**53


class Origin(StrEnum):
    """What a law was made from: a declaration that knows nothing of the records, or the records themselves."""

    DECLARED = "declared"
    RECORDS = "records"


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimation:
    """How the law was made, and the feature that is told most about, if there is one.

    What was counted in records says in how many: `data_sets`, where each record is one, or `samples`, where the records
    are independent samples of one law and the law of a data set is their product.
    """

    law: Origin = Origin.DECLARED
    feature: Origin | None = None
    data_sets: int | None = None
    samples: int | None = None

    def __post_init__(self) -> None:
        counts = [("data_sets", self.data_sets), ("samples", self.samples)]
        given = [(name, count) for name, count in counts if count is not None]
        for name, count in given:
            check_between(name, check_integer(name, count), 1, _MOST_RECORDS)
        if len(given) != (1 if self.is_private else 0):
            raise InvalidParameter(
                "must say in how many records the law was counted, once, and nothing where it was declared",
                parameter="data_sets",
                value=self.data_sets,
                way_out="Give `data_sets` or `samples`.",
            )

    @property
    def is_private(self) -> bool:
        """Whether the mapping was made from protected records, so that it must not be shown."""
        return Origin.RECORDS in (self.law, self.feature)

    @property
    def words(self) -> str:
        """How the law was made, to follow "The law of the data "."""
        if self.law is Origin.DECLARED:
            return "was declared"
        return f"was counted in {self.counted}, the protected ones themselves"

    @property
    def counted(self) -> str:
        """In what was counted."""
        return f"{self.samples} samples" if self.data_sets is None else f"{self.data_sets} data sets"


class EstimationRecord(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """An estimation as it stands in a file."""

    law: str
    feature: str | None
    data_sets: int | None
    samples: int | None


def write_estimation(estimation: Estimation) -> EstimationRecord:
    """Return an estimation for a file."""
    return EstimationRecord(
        law=estimation.law.value,
        feature=None if estimation.feature is None else estimation.feature.value,
        data_sets=estimation.data_sets,
        samples=estimation.samples,
    )


def read_estimation(record: EstimationRecord) -> Estimation:
    """Return the estimation of a file; raises ValueError."""
    return Estimation(
        law=Origin(record.law),
        feature=None if record.feature is None else Origin(record.feature),
        data_sets=record.data_sets,
        samples=record.samples,
    )


def counted_law(cells: npt.NDArray[np.int64], shape: tuple[int, ...]) -> DataLaw:
    """Return the law of one record drawn from these, in cells whose order does not depend on them."""
    counted = Counter(map(tuple, cells.tolist()))
    order = sorted(counted)
    masses = tuple(Fraction(counted[cell], len(cells)) for cell in order)
    return DataLaw(shape=shape, cells=np.array(order, dtype=np.int64), masses=masses)


def estimation_radius(records: int, cells: int) -> float:
    """Return how far, in total variation, a law of so many cells may be from its estimate, at 95 % [WOS+03]."""
    if cells > 8 * records:  # no estimate is nearer than that, and the number may be too large for a double
        return 1.0
    return min(1.0, math.sqrt((cells * math.log(2) + math.log(1 / (1 - CONFIDENCE))) / (2 * records)))


def leak_if_law_differs(radius: float, values: int) -> float:
    """Bound I(X_i;Y) in bits when the true law is within `radius` of the one the mapping was made for.

    The joint law of X_i and Y moves by at most the radius, and so do its two marginals, so it is within three radii of
    a product; conditional entropy is continuous at that rate [AS19b].
    """
    distance = 3 * radius
    if values < 2 or radius == 0:
        return 0.0
    if distance >= 1 - 1 / values:
        return math.log2(values)
    entropy = -(distance * math.log2(distance) + (1 - distance) * math.log2(1 - distance))
    return min(math.log2(values), entropy + distance * math.log2(max(1, values - 1)))


def leak_of_samples(law: DataLaw, samples: int) -> float:
    """Bound what all symbols of so many samples tell about one of them, when their law was counted in them."""
    one = _sample_law(law)
    return leak_within_bits(one, samples, estimation_radius(samples, len(one)))


def _sample_law(law: DataLaw) -> Distribution:
    """Return the law of one sample of a data set of independent, equal ones; refuse a law that is not their product."""
    masses = {tuple(cell): Fraction(mass) for cell, mass in zip(law.cells.tolist(), law.masses, strict=True)}
    values = law.shape[0]
    shares = [sum((m for cell, m in masses.items() if cell[0] == v), Fraction(0)) for v in range(values)]
    # As many cells as the product has, each with its mass, leaves no other.
    alike = set(law.shape) == {values} and len(masses) == math.prod(law.shape)
    if not alike or any(mass != math.prod(shares[v] for v in cell) for cell, mass in masses.items()):
        raise NotCertified(
            "the law of the data set is not that of independent samples of one law, which it was estimated as",
            way_out="Say in how many `data_sets` it was counted.",
        )
    return Distribution(shares)
