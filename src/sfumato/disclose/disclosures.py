"""A disclosure: a mapping of the data set to a public symbol that is independent of every protected group.

From laws and weights comes the channel p(y|x) = u_y t_y(x)/p(x). Where the law is exact and small, laws and weights are
solved for again in Fractions, and independence holds to the last digit; elsewhere the mutual information between the
symbol and each group is bounded from above, rounding included.   Ref: [D, Def. 1]
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
from sfumato.disclose.polytope import marginal_matrix, null_directions, solve_exactly
from sfumato.errors import ClaimRefused, NotCertified
from sfumato.measures import mutual_information_interval
from sfumato.prob import Channel, Distribution
from sfumato.prob.exact import round_to_grid
from sfumato.prob.operations import coarsen
from sfumato.values import Interval

MOST_EXACT = 64
_GRID_BITS = 48


@dataclass(frozen=True, slots=True, kw_only=True)
class Disclosure:
    """`channel` maps each cell that can happen to a symbol; between `lower_bits` and `upper_bits` lies the optimum.

    `leak_bits` bounds what the symbol tells about any protected group: 0 exactly, or a bound with its rounding.
    `because` says why nothing can be told, where that is so.
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
        exact = _exact_rows(law, groups, mixture) or _repaired_rows(law, groups, mixture)
    labels = [tuple(cell) for cell in law.cells.tolist()]
    if exact is not None:
        channel = Channel(exact, labels)
        check_independence(law, groups, channel)
        leak = 0.0
    else:
        # A solver's zero may lie a little below; what is cut off is in the bound on the leak.
        joint = np.maximum(mixture.weights[:, None] * mixture.laws, 0.0)
        channel = Channel((joint / joint.sum(axis=0, keepdims=True)).T.tolist(), labels).to_exact()
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


def _exact_rows(law: DataLaw, groups: Groups, mixture: Mixture) -> list[list[Fraction]] | None:
    """Solve for the corners and weights again in Fractions; None when they are no corners, or degenerate."""
    masses = [Fraction(mass) for mass in law.masses]
    matrix = [[int(v) for v in row] for row in marginal_matrix(law, groups)]
    goal = [sum((m for v, m in zip(row, masses, strict=True) if v), Fraction(0)) for row in matrix]
    laws = []
    for found in mixture.laws:
        support = np.flatnonzero(found > 1e-9).tolist()
        solution = solve_exactly([[row[c] for c in support] for row in matrix], goal)
        if solution is None or min(solution) < 0:
            return None
        exact = [Fraction(0)] * law.size
        for c, value in zip(support, solution, strict=True):
            exact[c] = value
        laws.append(exact)
    weights = solve_exactly([[exact[c] for exact in laws] for c in range(law.size)], masses)
    if weights is None or min(weights) < 0:
        return None
    return [[w * exact[c] / masses[c] for w, exact in zip(weights, laws, strict=True)] for c in range(law.size)]


def _repaired_rows(law: DataLaw, groups: Groups, mixture: Mixture) -> list[list[Fraction]]:
    """Move laws by a hair so that marginals and mean are exact, then towards the prior until nothing is negative.

    A law in S is the prior plus a direction that no marginal sees; the free entries of the direction are rounded, the
    others follow exactly, and all directions are shifted so that their weighted mean is 0.
    """
    masses = [Fraction(mass) for mass in law.masses]
    free, follow = null_directions(marginal_matrix(law, groups))
    weights = [Fraction(count, 1 << _GRID_BITS) for count in round_to_grid(mixture.weights.tolist(), _GRID_BITS)]
    moves = []
    for found in mixture.laws:
        chosen = {c: Fraction(round((found[c] - float(masses[c])) * (1 << _GRID_BITS)), 1 << _GRID_BITS) for c in free}
        moves.append([chosen[c] if c in chosen else _follow(follow[c], chosen) for c in range(law.size)])
    means = [sum((w * move[c] for w, move in zip(weights, moves, strict=True)), Fraction(0)) for c in range(law.size)]
    moves = [[value - mean for value, mean in zip(move, means, strict=True)] for move in moves]
    limits = [m / -v for move in moves for m, v in zip(masses, move, strict=True) if v < 0]
    scale = min([Fraction(1), *limits])
    return [
        [w * (masses[c] + scale * move[c]) / masses[c] for w, move in zip(weights, moves, strict=True)]
        for c in range(law.size)
    ]


def _follow(row: dict[int, Fraction], chosen: dict[int, Fraction]) -> Fraction:
    return sum((factor * chosen[c] for c, factor in row.items()), Fraction(0))
