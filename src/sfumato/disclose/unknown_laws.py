"""What a disclosure tells when nobody knows the law: a bound for every law at once, from the number of records alone.

A mapping that tells nothing about X_G under p̂ tells at most D(p‖p̂) - D(p_G‖p̂_G) - D(q‖q̂) under p, whatever it is.
Counts of n records over an alphabet of m cells, each with a ≥ 0 added, give p̂ = (N+a)/(n+ma), and with probability
1-β over those records D(p‖p̂) ≤ B for *every* p. B depends on n, m and β; never on the records. It is about a person
who is not among them.
Theory, with proofs: docs/theory/unknown_laws.md
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from sfumato.disclose.cell_moments import Cell, Enclosed, supremum
from sfumato.disclose.law_witnesses import good_witness
from sfumato.errors import InvalidParameter, NotCertified
from sfumato.measures.enclosures import LOG2_E
from sfumato.values.checks import as_exact, check_between, check_integer, check_positive
from sfumato.values.rounding import ln_bounds
from sfumato.values.types import Real

MOST_RECORDS = 10**9
MOST_CELLS = 2**40
# Of β this part pays for counts that are left out, far below their means.
LEFT_OUT = Fraction(1, 10)
_LEAST_SMOOTHING, _MOST_SMOOTHING = Fraction(1, 1024), 1024
# At 1 moments are infinite, and near it sums are long.
_MOST_RATE = 31 / 32
_MOST_PRICE = 1e6
# Nobody needs less doubt than this, and a double still holds it.
_LEAST_BETA = Fraction(1, 10**300)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownLawBound:
    """At most `bits` with confidence 1-`beta`, for a law counted in `records` over `cells`, `smoothing` added to each.

    `rate` and `price` are the witness: whoever has them evaluates the bound, and need not search for it.

    >>> import sfumato as sf
    >>> bound = sf.disclose.unknown_law_bound(1000, 4, 0.05)
    >>> bound.records, str(bound.beta), round(bound.bits, 4), round(bound.nats, 2)
    (1000, '1/20', 0.0181, 12.55)
    """

    records: int
    cells: int
    beta: Fraction
    smoothing: Fraction
    rate: float
    price: float
    bits: float

    @property
    def nats(self) -> float:
        """The bound on n·D(p‖p̂), in nats."""
        return self.bits * self.records / LOG2_E


@lru_cache(maxsize=256)
def unknown_law_bound(records: int, cells: int, beta: Real) -> UnknownLawBound:
    """Bound D(p‖p̂), hence what any mapping made for p̂ tells under p, with the best `smoothing` that was found.

    The records must be independent draws of p; the bound is about a person who is not among them.

    >>> import sfumato as sf
    >>> for records in (100, 1000):
    ...     print(records, round(sf.disclose.unknown_law_bound(records, 4, 0.05).bits, 4))
    100 0.1673
    1000 0.0181
    """
    exact = check_confidence(records, cells, beta)
    smoothing, rate, price = good_witness(records, cells, ln_bounds(1 / exact)[1], _cut(cells, exact))
    return bound_with(records, cells, exact, smoothing=smoothing, rate=rate, price=price)


def bound_with(records: int, cells: int, beta: Real, *, smoothing: Real, rate: float, price: float) -> UnknownLawBound:
    """Evaluate the bound at a witness; it holds for any that was chosen without looking at the records.

    >>> import sfumato as sf
    >>> round(sf.disclose.bound_with(1000, 4, 0.05, smoothing=1, rate=0.5, price=0.0).bits, 4)
    0.0273
    >>> round(sf.disclose.unknown_law_bound(1000, 4, 0.05).bits, 4)
    0.0181
    """
    exact = check_confidence(records, cells, beta)
    cell = _cell(records, cells, exact, smoothing=smoothing, rate=rate, price=price)
    bits = bits_of_supremum(records, cells, exact, rate=rate, price=price, highest=supremum(cell))
    added = as_exact("smoothing", smoothing)
    return UnknownLawBound(records=records, cells=cells, beta=exact, smoothing=added, rate=rate, price=price, bits=bits)


def check_unknown_law_bound(bound: UnknownLawBound) -> None:
    """Prove a bound again from its witness; raises `NotCertified`. Quicker than finding it: it need only stay below.

    Raises:
        NotCertified: the witness does not prove so few bits.

    >>> from dataclasses import replace
    >>> import sfumato as sf
    >>> bound = sf.disclose.unknown_law_bound(1000, 4, 0.05)
    >>> sf.disclose.check_unknown_law_bound(bound)  # says nothing: the bound is proved
    >>> try:
    ...     sf.disclose.check_unknown_law_bound(replace(bound, bits=0.001))
    ... except sf.errors.NotCertified as error:
    ...     print(error.rule)
    no bound of 0.001 bits follows from 1000 records over 4 cells
    """
    exact = check_confidence(bound.records, bound.cells, bound.beta)
    cell = _cell(bound.records, bound.cells, exact, smoothing=bound.smoothing, rate=bound.rate, price=bound.price)
    prove_bits(cell, bound.records, bound.cells, exact, rate=bound.rate, price=bound.price, bits=bound.bits)


def prove_bits(
    cell: Enclosed, records: int, cells: int, beta: Fraction, *, rate: float, price: float, bits: float
) -> None:
    """Raise unless the moments of a cell prove the bound of so many bits."""
    fixed = bits_of_supremum(records, cells, beta, rate=rate, price=price, highest=0.0)
    unit = bits_of_supremum(records, cells, beta, rate=rate, price=price, highest=1.0) - fixed
    target = (bits - fixed) / unit
    # Aimed at a little less, for the rounding on the way there and back.
    highest = supremum(cell, target=target - 2.0**-34 * (1 + (abs(bits) + abs(fixed)) / unit))
    if not bits_of_supremum(records, cells, beta, rate=rate, price=price, highest=highest) <= bits < math.inf:
        raise NotCertified(
            f"no bound of {bits} bits follows from {records} records over {cells} cells",
            way_out="Use the bound that is found for them.",
        )


def smoothed_law(counts: Sequence[int], smoothing: Real) -> tuple[Fraction, ...]:
    """(N+a)/(n+ma) over the declared alphabet: counts of all its cells, also of those that nobody is in.

    It is p̂ of `unknown_law_bound`.

    Returns:
        The probability of each cell, in fractions.

    Raises:
        InvalidParameter: counts are no whole numbers, or nothing is added.

    >>> import sfumato as sf
    >>> [str(mass) for mass in sf.disclose.smoothed_law([8, 2, 0], 1)]
    ['9/13', '3/13', '1/13']
    """
    added = as_exact("smoothing", smoothing)
    check_positive("smoothing", added)
    whole = check_counts(counts)
    total = sum(whole) + len(whole) * added
    return tuple((count + added) / total for count in whole)


def check_counts(counts: Sequence[int]) -> list[int]:
    """Return counts as whole numbers; the error does not say which one is wrong, since they are protected."""
    try:
        whole = [operator.index(count) for count in counts]
    except TypeError:
        whole = []
    if not whole or min(whole) < 0:
        raise InvalidParameter(
            "must be one whole number of records for each cell",
            parameter="counts",
            way_out="Count over the declared alphabet.",
        )
    return whole


def bits_of_supremum(records: int, cells: int, beta: Fraction, *, rate: float, price: float, highest: float) -> float:
    """B = t·log2(e)/n, t = (ln√(2πn) + 1/(12n) + ln(1/(.9β)) + νn + m·sup)/λ, rounded up."""
    parts = (
        0.5 * math.log(2 * math.pi * records),
        1 / (12 * records),
        -ln_bounds((1 - LEFT_OUT) * beta)[0],
        price * records,
        cells * highest,
    )
    # More than all roundings together, so that whoever computes this in another way finds it to hold.
    nats = math.fsum(parts) + 2.0**-32 * math.fsum(map(abs, parts))
    return math.nextafter(nats / rate * LOG2_E / records * (1 + 2.0**-48), math.inf)


def _cell(records: int, cells: int, beta: Fraction, *, smoothing: Real, rate: float, price: float) -> Cell:
    added = as_exact("smoothing", smoothing)
    check_between("smoothing", added, _LEAST_SMOOTHING, _MOST_SMOOTHING)
    if not 0 < rate <= _MOST_RATE:
        raise InvalidParameter(
            f"must lie in (0, {_MOST_RATE}]", parameter="rate", value=rate, way_out="Use `unknown_law_bound`."
        )
    if not abs(price) <= _MOST_PRICE:
        raise InvalidParameter(
            f"must be at most {_MOST_PRICE:g} either way",
            parameter="price",
            value=price,
            way_out="Use `unknown_law_bound`.",
        )
    return Cell(
        rate=rate,
        smoothing=float(added),
        scale=float(1 + cells * added / records),
        price=price,
        cut=_cut(cells, beta),
        most=float(records),
    )


def _cut(cells: int, beta: Fraction) -> float:
    """ln(m/(.1β)), from above: what is rarer may be left out in every cell."""
    return ln_bounds(cells / (LEFT_OUT * beta))[1]


def check_confidence(records: int, cells: int, beta: Real) -> Fraction:
    """Return β, exact, if it and the two numbers can be dealt with."""
    check_between("records", check_integer("records", records), 1, MOST_RECORDS)
    check_between("cells", check_integer("cells", cells), 2, MOST_CELLS)
    exact = as_exact("beta", beta)
    if not _LEAST_BETA <= exact < 1:
        raise InvalidParameter(
            "must lie between 0 and 1, and be no less than 1e-300",
            parameter="beta",
            value=float(exact),
            way_out="Take a small one, such as 1/1000000.",
        )
    return exact
