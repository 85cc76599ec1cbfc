"""Any dense channel as a mechanism: each answer has its own row of integer thresholds.

The law sampled is the channel itself when its denominators fit a word, else the nearest one that does; `channel()`
tells which, and certificates are computed from it.   Proof: docs/theory/sampling.md
"""

from __future__ import annotations

import math
from fractions import Fraction
from hashlib import sha256

import numpy as np
import numpy.typing as npt

from sfumato.bits.mechanism import ReportArray, bits_or_default, check_symbols, smallest_dtype
from sfumato.bits.samplers import Categorical
from sfumato.bits.source import MOST_WIDTH, BitSource
from sfumato.errors import InvalidParameter
from sfumato.prob import Channel
from sfumato.prob.simplex import nearest_law
from sfumato.values import Estimate, Interval, Tally
from sfumato.values.checks import check_between, check_integer


class Tabulated:
    """A mechanism that samples the rows of a channel."""

    __slots__ = ("_channel", "_name", "_samplers")

    def __init__(self, channel: Channel, *, width: int = MOST_WIDTH) -> None:
        self._samplers = tuple(Categorical.near(row, width=width) for row in channel.to_exact().rows)
        self._channel = Channel([s.law() for s in self._samplers], channel.inputs, channel.outputs)
        digest = sha256(repr((channel.inputs, channel.outputs, self._channel.rows)).encode()).hexdigest()
        self._name = f"tabulated {channel.shape[0]}×{channel.shape[1]} law={digest[:16]}"

    @property
    def size(self) -> int:
        """How many answers there are."""
        return self._channel.shape[0]

    @property
    def name(self) -> str:
        """What marks the tallies of this mechanism."""
        return self._name

    def law(self, x: int) -> tuple[Fraction, ...]:
        """P(.|x) as it is really sampled."""
        check_between("x", check_integer("x", x), 0, self.size - 1)
        return self._samplers[x].law()

    def channel(self) -> Channel:
        """All laws together."""
        return self._channel

    def privatize(self, values: npt.ArrayLike, bits: BitSource | None = None) -> ReportArray:
        """One report for each value 0..size-1."""
        answers = check_symbols("values", values, self.size)
        source = bits_or_default(bits)
        reports = np.empty(answers.size, dtype=smallest_dtype(self._channel.shape[1]))
        for x, sampler in enumerate(self._samplers):
            holders = np.flatnonzero(answers == x)
            if holders.size:
                reports[holders] = sampler.sample(source, holders.size)
        return reports

    def tally(self, reports: npt.ArrayLike) -> Tally:
        """Count reports."""
        outputs = self._channel.shape[1]
        counts = np.bincount(check_symbols("reports", reports, outputs), minlength=outputs)
        return Tally(mechanism=self.name, counts=tuple(counts.tolist()))

    def estimate(self, tally: Tally, *, confidence: float = 0.95) -> Estimate:
        """Shares of the answers by least squares: unbiased, with normal intervals cut to [0, 1]."""
        check_between("confidence", confidence, 0.5, 1 - 1e-12)
        if tally.mechanism != self.name:
            raise InvalidParameter(
                f"the tally was made by [{tally.mechanism}], not by [{self.name}]. Estimate with the mechanism that "
                f"made the reports."
            )
        if tally.total == 0:
            raise InvalidParameter("the tally is empty. Collect at least one report.")
        rows = self._channel.array
        if np.linalg.matrix_rank(rows) < len(rows):
            raise InvalidParameter(
                "some answers cannot be told apart from any number of reports, since a row of the channel is a mixture "
                "of others. Merge those answers."
            )
        from scipy.special import ndtri  # noqa: PLC0415  scipy is slow to import

        shares = np.array(tally.counts) / tally.total
        inverse = np.linalg.pinv(rows.T)
        raw = inverse @ shares
        # Var(A s) for multinomial s: A (diag s - s sᵀ) Aᵀ / n.
        variances = ((inverse**2) @ shares - raw**2) / tally.total
        errors = np.sqrt(np.maximum(variances, 0.0))
        reach = float(ndtri((1 + confidence) / 2))
        return Estimate(
            raw=tuple(raw.tolist()),
            standard_errors=tuple(errors.tolist()),
            projected=tuple(nearest_law(raw).tolist()),
            intervals=tuple(_cut(p, reach * e) for p, e in zip(raw.tolist(), errors.tolist(), strict=True)),
            confidence=confidence,
            total=tally.total,
        )


def _cut(centre: float, reach: float) -> Interval:
    low = min(1.0, max(0.0, centre - reach))
    return Interval(low, min(1.0, max(low, centre + reach))) if math.isfinite(reach) else Interval(0.0, 1.0)
