"""What a release tells at most about somebody whom its law was not counted in, whatever the true law is.

A mapping that is independent of a group under p̂ tells at most D(p‖p̂) bits about it under p, whatever the mapping is:
I_p(X_G;Y) ≤ D(p‖p̂) - D(p_G‖p̂_G) - D(q‖q̂). Of n independent samples, (n-1) D(p‖p̂). A mapping that is independent up
to rounding adds the largest log2 P̂(y|x_G)/P̂(y). How large D(p‖p̂) is, at confidence 1 - β, takes records, cells and
terms only: nothing of the table.   Theory: docs/theory/disclosure.md
"""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from functools import lru_cache

from sfumato.disclose.data_laws import DataLaw, Groups
from sfumato.disclose.law_estimates import BETA, BoundTerms, Estimation
from sfumato.disclose.private_histograms import noise_odds, private_bound_with, private_law_bound
from sfumato.disclose.unknown_laws import bound_with, unknown_law_bound
from sfumato.errors import NotCertified
from sfumato.prob import Channel
from sfumato.values.rounding import log2_bounds

# What rounding may leave of a leak is said to be at most this, so that its last digits tell nothing of the table.
ROUNDING_BITS = 1e-6
# Another program that encloses the same supremum may find it so much lower or higher; then four digits are shown.
MARGIN = Fraction(1, 10**4)
ROOM = Fraction(1, 100)
_DIGITS = 4


def chosen_terms(records: int, cells: int, beta: Fraction = BETA, *, epsilon: Fraction | None = None) -> BoundTerms:
    """Choose the terms of the bound, by the number of records and cells alone."""
    found = (
        unknown_law_bound(records, cells, beta) if epsilon is None else private_law_bound(records, cells, beta, epsilon)
    )
    return BoundTerms(
        beta=beta, smoothing=found.smoothing, rate=Fraction(repr(found.rate)), price=Fraction(repr(found.price))
    )


@lru_cache(maxsize=256)
def divergence_bits(estimation: Estimation) -> float:
    """Bound D(p‖p̂) in bits for a law that was counted, at confidence 1 - β, for every true law p."""
    terms = estimation.terms
    if terms is None or estimation.records is None or estimation.cells is None:
        return math.inf
    rate, price = float(terms.rate), float(terms.price)
    if estimation.epsilon is None:
        found = bound_with(
            estimation.records, estimation.cells, terms.beta, smoothing=terms.smoothing, rate=rate, price=price
        )
        return found.bits
    return private_bound_with(
        estimation.records,
        estimation.cells,
        terms.beta,
        odds=noise_odds(estimation.epsilon),
        smoothing=terms.smoothing,
        rate=rate,
        price=price,
    ).bits


def leak_at_most(
    shape: tuple[int, ...],
    groups: Groups,
    estimation: Estimation,
    excess: float = 0.0,
    *,
    margin: Fraction = MARGIN,
    bits: float | None = None,
) -> Fraction:
    """Bound I(X_G;Y) under every true law; never more than there is to say of a group.

    `bits` is the bound on D(p‖p̂), computed where it is not given; `margin` the part that is added to it.
    """
    if estimation.samples is None:
        # Plain integers: 63 binary samples have more values than a machine word can count.
        values = max(math.prod(shape[i] for i in group) for group in groups)
        factor = 1
    else:
        values, factor = shape[0], estimation.samples - 1
    everything = Fraction(log2_bounds(Fraction(values))[1])
    found = divergence_bits(estimation) if bits is None else bits
    return min(everything, factor * Fraction(found) * (1 + margin) + Fraction(excess))


def settled_leak(
    shape: tuple[int, ...], groups: Groups, estimation: Estimation, excess: float, claimed: float | None
) -> float | None:
    """Return the bound to state or, when checking, the claimed one if it holds and is not much vaguer; else None."""
    if claimed is None:
        return four_digits_up(leak_at_most(shape, groups, estimation, excess))
    least, most = (leak_at_most(shape, groups, estimation, excess, margin=part) for part in (Fraction(0), ROOM))
    # Written so that -0.0 is refused too.
    has_four_digits = repr(float(f"{claimed:.{_DIGITS}g}")) == repr(claimed)
    return claimed if has_four_digits and least <= claimed <= four_digits_up(most) else None


def four_digits_up(number: Fraction) -> float:
    """Round a number ≥ 0 up to four digits, as the double that is written so."""
    if number == 0:
        return 0.0
    wide = Context(prec=60, rounding=ROUND_CEILING).divide(Decimal(number.numerator), Decimal(number.denominator))
    return float(Context(prec=_DIGITS, rounding=ROUND_CEILING).plus(wide))


def excess_bits(law: DataLaw, groups: Groups, channel: Channel) -> float:
    """Bound log2 P(y|x_G)/P(y) over groups, values and symbols: 0 where the mapping is independent exactly.

    What is no more than rounding is said to be ROUNDING_BITS.
    """
    # Whole numbers over one denominator each; the denominators of rows fall out of the ratios.
    masses, whole = _whole([Fraction(mass) for mass in law.masses])
    width = channel.shape[1]
    flat, _ = _whole([Fraction(entry) for row in channel.rows for entry in row])
    rows = [flat[c * width : (c + 1) * width] for c in range(len(masses))]
    totals = [sum(map(int.__mul__, masses, column)) for column in zip(*rows, strict=True)]
    worst = Fraction(1)
    for group in groups:
        codes = law.group_codes(group).tolist()
        shares = dict.fromkeys(codes, 0)
        joint = {code: [0] * width for code in codes}
        for code, mass, row in zip(codes, masses, rows, strict=True):
            shares[code] += mass
            joint[code] = [old + mass * entry for old, entry in zip(joint[code], row, strict=True)]
        for code, sums in joint.items():
            for mine, every in zip(sums, totals, strict=True):
                if mine * whole * worst.denominator > shares[code] * every * worst.numerator:
                    worst = Fraction(mine * whole, shares[code] * every)
    if worst == 1:
        return 0.0
    return max(ROUNDING_BITS, log2_bounds(worst)[1])


def check_smoothed(law: DataLaw, estimation: Estimation) -> None:
    """Refuse a law that is not counts of so many records, each cell of the alphabet smoothed: it would have no bound.

    Of a private histogram only that every cell has some probability: how large its noisy counts were is not kept.
    """
    terms, records, cells = estimation.terms, estimation.records, estimation.cells
    if terms is None or records is None or cells is None:
        return
    masses, size = [Fraction(mass) for mass in law.masses], math.prod(law.shape)
    if estimation.samples is not None:
        masses, size = _sample_masses(law), law.shape[0]
    if len(masses) != size or (cells != size if estimation.epsilon is None else cells % size):
        raise _not_smoothed("leaves out cells of the alphabet, or counts others")
    if estimation.epsilon is None:
        counts = [mass * (records + cells * terms.smoothing) - terms.smoothing for mass in masses]
        if any(count.denominator != 1 or count < 0 for count in counts):
            raise _not_smoothed(f"is not that of {records} records with {terms.smoothing} added in each cell")


def _not_smoothed(why: str) -> NotCertified:
    return NotCertified(
        f"the law {why}, so nothing bounds what the release tells if the true law is another",
        way_out="Make the law with sf.disclose.counted_law, or declare it.",
    )


def _sample_masses(law: DataLaw) -> list[Fraction]:
    """Return the law of one sample of a data set of independent, equal ones; refuse a law that is not their product."""
    masses = {tuple(cell): Fraction(mass) for cell, mass in zip(law.cells.tolist(), law.masses, strict=True)}
    values = law.shape[0]
    shares = [Fraction(sum(m for cell, m in masses.items() if cell[0] == v)) for v in range(values)]
    # As many cells as the product has, each with its mass, leaves no other.
    alike = set(law.shape) == {values} and len(masses) == math.prod(law.shape)
    if not alike or any(mass != math.prod(shares[v] for v in cell) for cell, mass in masses.items()):
        raise NotCertified(
            "the law of the data set is not that of independent samples of one law, which it was estimated as",
            way_out="Leave out `samples`.",
        )
    return shares


def _whole(numbers: list[Fraction]) -> tuple[list[int], int]:
    """Write fractions as whole numbers over one denominator."""
    scale = math.lcm(*(number.denominator for number in numbers))
    return [int(number * scale) for number in numbers], scale
