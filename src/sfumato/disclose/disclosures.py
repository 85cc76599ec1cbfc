"""A disclosure: a mapping of the data set to a public symbol that is independent of every protected group.

From laws and weights comes the channel p(y|x) = u_y t_y(x)/p(x). Where the law is exact and small, laws and weights are
solved for again in Fractions, and independence holds to the last digit; elsewhere the mutual information between the
symbol and each group is bounded from above, rounding included.
Ref: [D, Def. 1]; theory: docs/theory/disclosure.md
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from sfumato.bits.mechanism import ReportArray, bits_or_default, smallest_dtype, unmasked
from sfumato.bits.row_draws import RowDraws
from sfumato.bits.source import MOST_WIDTH, BitSource
from sfumato.disclose.column_generation import Mixture
from sfumato.disclose.data_laws import DataLaw, FloatArray, Groups
from sfumato.disclose.exact_rows import rows_in_fractions
from sfumato.errors import ClaimRefused, NotCertified
from sfumato.measures import mutual_information_interval
from sfumato.prob import Channel, Distribution
from sfumato.prob.operations import coarsen
from sfumato.values import Interval

MOST_EXACT = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Disclosure:
    """`channel` maps each cell that can happen to a symbol; between `lower_bits` and `upper_bits` lies the optimum.

    `leak_bits` bounds what the symbol tells about any protected group: 0 exactly, or a bound with its rounding.
    `because` says why nothing can be told, where that is so.

    `optimum` makes one.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> told = sf.disclose.optimum(sf.disclose.DataLaw.independent([Fraction(1, 2), Fraction(1, 2)], 2))
    >>> [[str(chance) for chance in row] for row in told.channel.rows]
    [['0', '1'], ['1', '0'], ['1', '0'], ['0', '1']]
    >>> round(told.lower_bits, 4), told.leak_bits, told.is_exact
    (1.0, 0.0, True)
    >>> told.release([[0, 0], [0, 1]]).tolist()
    [1, 0]
    """

    law: DataLaw
    groups: Groups
    channel: Channel
    lower_bits: float
    upper_bits: float
    method: str
    leak_bits: float
    is_exact: bool
    because: str = ""

    @property
    def gap_bits(self) -> float:
        """How much the optimum may lie above."""
        return self.upper_bits - self.lower_bits

    def release(
        self, cells: Sequence[Sequence[int]] | npt.NDArray[np.int64], bits: BitSource | None = None
    ) -> ReportArray:
        """Draw a symbol for each data set, given as rows of sample values."""
        for row in [cells] if isinstance(cells, np.ndarray) else cells:
            unmasked("cells", row)
        place = {tuple(cell): c for c, cell in enumerate(self.law.cells.tolist())}
        symbols = np.array([place.get(tuple(row), -1) for row in cells], dtype=np.int64)
        if symbols.size and symbols.min() < 0:
            raise NotCertified(
                f"data set {int(np.flatnonzero(symbols < 0)[0]) + 1} has probability 0 under the law, so nothing is "
                f"known about what it would reveal",
                way_out="Correct the law.",
            )
        # Drawn from the channel itself: a neighbour with denominators that fit a word would no longer be private.
        drawn = RowDraws(self.channel.to_exact(), MOST_WIDTH).draw(bits_or_default(bits), symbols)
        return drawn.astype(smallest_dtype(self.channel.shape[1]))


def make_disclosure(
    law: DataLaw, groups: Groups, mixture: Mixture, feature: FloatArray | None, method: str, upper_bits: float
) -> Disclosure:
    """Return the disclosure of a mixture: exact if the law allows, else with a bound on its leak."""
    exact = None
    if law.exact and law.size <= MOST_EXACT:
        exact = rows_in_fractions(law, groups, mixture.laws, mixture.weights, mixture.classes)
    labels = [tuple(cell) for cell in law.cells.tolist()]
    if exact is not None:
        channel = Channel(exact, labels)
        check_independence(law, groups, channel)
        leak = 0.0
    else:
        channel = Channel(_float_rows(mixture, law.array).tolist(), labels).to_exact()
        leak = leak_bound(law, groups, channel)
    told = told_bits(law, channel, feature)
    return Disclosure(
        law=law,
        groups=groups,
        channel=channel,
        lower_bits=max(0.0, told.lower),
        upper_bits=max(told.upper, upper_bits),
        method=method,
        leak_bits=leak,
        is_exact=exact is not None,
    )


def _float_rows(mixture: Mixture, prior: FloatArray) -> FloatArray:
    """Return P(y|x) as the mixture has it; a cell that it leaves uncovered gets the law of the symbols themselves."""
    # A solver's zero may lie a little below; what is cut off is in the bound on the leak.
    joint = np.maximum(mixture.weights[:, None] * mixture.laws, 0.0)
    covered = joint.sum(axis=0)
    is_covered = covered > 0.5 * prior
    rows = np.where(is_covered, joint / np.where(is_covered, covered, 1.0), joint.sum(axis=1, keepdims=True)).T
    made: FloatArray = rows / rows.sum(axis=1, keepdims=True)
    return made


def told_bits(law: DataLaw, channel: Channel, feature: FloatArray | None) -> Interval:
    """Enclose I(W;Y), or I(X^n;Y) without a feature; with a float feature the enclosure is up to its rounding."""
    prior = Distribution(law.masses, channel.inputs)
    if feature is None:
        return mutual_information_interval(channel, prior)
    masses = law.array
    weights = feature @ masses
    rows = (feature * masses) @ channel.array / weights[:, None]
    from_feature = Channel((rows / rows.sum(axis=1, keepdims=True)).tolist())
    return mutual_information_interval(from_feature, Distribution((weights / weights.sum()).tolist()))


def check_independence(law: DataLaw, groups: Groups, channel: Channel) -> None:
    """Raise unless the symbol is independent of every protected group, in Fractions."""
    masses = [Fraction(mass) for mass in law.masses]
    # Rows are made anew each time they are asked for.
    rows = channel.rows
    outputs = range(channel.shape[1])
    totals = [sum((m * row[y] for m, row in zip(masses, rows, strict=True)), Fraction(0)) for y in outputs]
    for group in groups:
        codes = law.group_codes(group).tolist()
        for value in set(codes):
            mine = [c for c, code in enumerate(codes) if code == value]
            mass = sum((masses[c] for c in mine), Fraction(0))
            for y in outputs:
                if sum((masses[c] * rows[c][y] for c in mine), Fraction(0)) != mass * totals[y]:
                    raise ClaimRefused(
                        f"the symbol depends on the samples {group}; the mapping is not private",
                        way_out="Make the disclosure again, and do not publish with this one.",
                    )


def leak_bound(law: DataLaw, groups: Groups, channel: Channel) -> float:
    """Return the largest I(X_group;Y) over the protected groups, rounded up."""
    prior = Distribution(law.masses, channel.inputs).to_exact()
    worst = 0.0
    for group in groups:
        codes = law.group_codes(group).tolist()
        of = dict(zip(channel.inputs, codes, strict=True))
        merged, merged_law = coarsen(channel, prior, of)
        worst = max(worst, mutual_information_interval(merged, merged_law).upper)
    return worst
