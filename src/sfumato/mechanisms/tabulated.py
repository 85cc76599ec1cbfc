"""Any dense channel as a mechanism, and designs that are channels.

The law sampled is the channel itself when its denominators fit a word, else the nearest one that does. `channel()`
returns the sampled one, and certificates are computed from it.   Proof: docs/theory/sampling.md
"""

from __future__ import annotations

from fractions import Fraction
from hashlib import sha256

import numpy as np
import numpy.typing as npt

from sfumato.certificates.certificate import Certificate
from sfumato.certificates.certifying import certify
from sfumato.display.notebooks import Shown
from sfumato.errors import InvalidParameter
from sfumato.mechanisms.base import check_confidence, check_tally, law_of_answers, normal_estimate
from sfumato.numbers.checks import check_between, check_integer
from sfumato.numbers.exact import LawLike
from sfumato.prob.channel import Channel
from sfumato.prob.distribution import Distribution
from sfumato.sampling.mechanism import Estimate, ReportArray, Tally, bits_or_default, check_symbols, smallest_dtype
from sfumato.sampling.samplers import Categorical
from sfumato.sampling.sources import MOST_WIDTH, BitSource


class Tabulated:
    """A mechanism that samples the rows of a channel, whatever its shape.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> channel = sf.Channel([[Fraction(2, 3), Fraction(1, 3), 0], [0, Fraction(1, 3), Fraction(2, 3)]])
    >>> mechanism = sf.mechanisms.Tabulated(channel)
    >>> mechanism.channel().rows == channel.rows  # thirds are drawn exactly
    True
    >>> reports = mechanism.privatize([0] * 700 + [1] * 300, sf.sampling.InsecureSeeded(7))
    >>> [round(share, 2) for share in mechanism.estimate(mechanism.tally(reports)).raw]
    [0.71, 0.29]
    """

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
        """Shares of the answers by least squares: unbiased, with normal intervals that know of 0 and 1."""
        check_confidence(confidence)
        total = check_tally(tally, self.name)
        inverse = self.weights().T
        shares = np.array(tally.counts) / total
        raw = inverse @ shares
        # Var(A s) for multinomial s: A (diag s - s sᵀ) Aᵀ / n.
        variances = ((inverse**2) @ shares - raw**2) / total
        return normal_estimate(raw, variances, total=total, confidence=confidence)

    def variance(self, law: Distribution | LawLike, n: int) -> tuple[float, ...]:
        """Return the variance of each share in `raw`, from n reports, when answers follow `law`; up to float rounding.

        Least squares has no exact coefficients here, so this is no Fraction.
        """
        shares = np.array([float(share) for share in law_of_answers(law, self.size, n)])
        inverse = self.weights().T
        reports = shares @ self._channel.array
        variances: list[float] = (((inverse**2) @ reports - (inverse @ reports) ** 2) / n).tolist()
        return tuple(variances)

    def weights(self) -> npt.NDArray[np.float64]:
        """Return what a report counts towards each answer, a row a report: least squares, so their mean is unbiased."""
        rows = self._channel.array
        if np.linalg.matrix_rank(rows) < len(rows):
            raise InvalidParameter(
                "some answers cannot be told apart from any number of reports, since a row of the channel is a mixture "
                "of others",
                way_out="Merge those answers.",
            )
        return np.asarray(np.linalg.pinv(rows.T).T, dtype=np.float64)


# --- Designs that are channels: a certificate, and a mechanism that draws from it


class DrawnDesign(Shown):
    """A design whose `channel` can be drawn from."""

    __slots__ = ()

    channel: Channel

    @property
    def mechanism(self) -> Tabulated:
        """The design as something to run: its sampled law is the channel, exactly."""
        return Tabulated(self.channel)


class CertifiedDesign(DrawnDesign):
    """A design that is certified under the prior that it was made for."""

    __slots__ = ()

    @property
    def certificate(self) -> Certificate:
        """Every claim about the channel, under the prior or the weights that the design was made for."""
        return certify(self)
