"""The one-parameter family of a yes/no survey: p_θ = (1-θ)p_0 + θp_1, θ the share of the second answer.

Reports with equal likelihood ratio p_1/p_0 say the same about θ and are counted together, which loses nothing. The best
designs have at most three such classes; cards drawn again and again, or several reports of one person, have more.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidLaw, InvalidParameter
from sfumato.prob import Channel
from sfumato.prob.alphabet import Label
from sfumato.values.checks import check_integer

_HALVINGS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareModel:
    """The classes of reports, in ascending order of their likelihood ratio.

    `first` and `second` are the laws of the classes under either answer; `class_of[y]` is the class of report y, None
    for reports that never happen.

    >>> import sfumato as sf
    >>> silent = sf.Channel([[0.6, 0.1, 0.3], [0.1, 0.6, 0.3]], outputs=["no", "yes", "silent"])
    >>> model = sf.infer.ShareModel.of(silent)
    >>> model.class_of, model.first  # classes by how much they speak for the second answer
    ((0, 2, 1), (0.6, 0.3, 0.1))
    >>> counts = model.counts({"no": 50, "yes": 20, "silent": 30})
    >>> round(model.free_maximum(counts), 3), round(model.information(0.2), 3)
    (0.2, 1.75)
    """

    first: tuple[float, ...]
    second: tuple[float, ...]
    class_of: tuple[int | None, ...]
    reports: tuple[Label, ...]

    @classmethod
    def of(cls, channel: Channel) -> ShareModel:
        """Build the family of a channel with two answers."""
        if channel.shape[0] != 2:
            raise InvalidLaw(
                f"has {channel.shape[0]} inputs, and a yes/no question has 2",
                parameter="channel",
                way_out="Pick its two rows.",
            )
        first, second = (tuple(Fraction(p) for p in row) for row in channel.to_exact().rows)
        # p_1/(p_0+p_1) orders like p_1/p_0 and is never infinite.
        ranks = [None if p + q == 0 else q / (p + q) for p, q in zip(first, second, strict=True)]
        levels = sorted({rank for rank in ranks if rank is not None})
        if len(levels) < 2:
            raise InvalidLaw(
                "gives the same reports for both answers, so nothing can be learned",
                parameter="channel",
                way_out="Use a channel that differs.",
            )
        places_of = {level: place for place, level in enumerate(levels)}
        places = [None if rank is None else places_of[rank] for rank in ranks]

        def merged(row: Sequence[Fraction]) -> tuple[float, ...]:
            totals = [Fraction(0)] * len(levels)
            for p, place in zip(row, places, strict=True):
                if place is not None:
                    totals[place] += p
            return tuple(map(float, totals))

        return cls(first=merged(first), second=merged(second), class_of=tuple(places), reports=channel.outputs)

    @property
    def slopes(self) -> npt.NDArray[np.float64]:
        """dp_θ/dθ, the same for every θ."""
        slopes: npt.NDArray[np.float64] = np.array(self.second) - np.array(self.first)
        return slopes

    def law(self, theta: float) -> npt.NDArray[np.float64]:
        """p_θ of the classes."""
        law: npt.NDArray[np.float64] = (1 - theta) * np.array(self.first) + theta * np.array(self.second)
        return law

    def counts(self, reports: Mapping[Label, int] | Sequence[int]) -> tuple[int, ...]:
        """Read counts of reports, by label or in the channel's order, and add them up by class."""
        by_report = self._by_report(reports)
        totals = [0] * len(self.first)
        for label, count, place in zip(self.reports, by_report, self.class_of, strict=True):
            if count < 0:
                raise InvalidParameter(
                    "is negative", parameter=f"counts[{label!r}]", way_out="Counts are whole numbers from 0 on."
                )
            if place is None and count:
                raise InvalidParameter(
                    "was counted, but the design never gives that report",
                    parameter=f"counts[{label!r}]",
                    way_out="Check the design.",
                )
            if place is not None:
                totals[place] += count
        if not sum(totals):
            raise InvalidParameter("are all 0", parameter="counts", way_out="Collect at least one report.")
        return tuple(totals)

    def _by_report(self, reports: Mapping[Label, int] | Sequence[int]) -> list[int]:
        if isinstance(reports, Mapping):
            unknown = [label for label in reports if label not in self.reports]
            if unknown:
                raise InvalidParameter(
                    f"hold a report that the design does not know ({len(unknown)} such)",
                    parameter="counts",
                    way_out=f"Its reports are {', '.join(map(repr, self.reports))}; rename or drop the others.",
                )
            return [check_integer("counts", reports.get(label, 0)) for label in self.reports]
        if len(reports) != len(self.reports):
            raise InvalidParameter(
                f"has {len(reports)} entries and the design {len(self.reports)} reports",
                parameter="counts",
                way_out=f"Give one for each, in the order {', '.join(map(repr, self.reports))}.",
            )
        return [check_integer("counts", count) for count in reports]

    def score(self, counts: Sequence[int], theta: float) -> float:
        """Derivative of the log-likelihood; decreasing in θ."""
        law, slopes = self.law(theta), self.slopes
        if any(k and p <= 0 for k, p in zip(counts, law, strict=True)):
            return math.inf if theta < 0.5 else -math.inf
        return math.fsum(k * d / p for k, d, p in zip(counts, slopes, law, strict=True) if k)

    def log_likelihood(self, counts: Sequence[int], theta: float) -> float:
        """Σ k ln p_θ, -∞ where a counted report is impossible."""
        law = self.law(theta)
        if any(k and p <= 0 for k, p in zip(counts, law, strict=True)):
            return -math.inf
        return math.fsum(k * math.log(p) for k, p in zip(counts, law, strict=True) if k)

    def reach(self) -> tuple[float, float]:
        """The widest stretch around [0, 1] on which p_θ is still a law, ends included."""
        pairs = list(zip(self.first, self.slopes.tolist(), strict=True))
        return max(-p / d for p, d in pairs if d > 0), min(-p / d for p, d in pairs if d < 0)

    def free_maximum(self, counts: Sequence[int]) -> float:
        """Return the θ of greatest likelihood, not held to [0, 1] but to where p_θ is a law."""
        low, high = self.reach()
        if len(self.first) == 2:
            return (counts[1] / sum(counts) - self.first[1]) / float(self.slopes[1])
        if self.score(counts, low) <= 0:
            return low
        if self.score(counts, high) >= 0:
            return high
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            if middle in (low, high):
                break
            low, high = (middle, high) if self.score(counts, middle) > 0 else (low, middle)
        return (low + high) / 2

    def information(self, theta: float) -> float:
        """Fisher information of one report; infinite at an end where a report becomes possible."""
        total = 0.0
        for p, d in zip(self.law(theta).tolist(), self.slopes.tolist(), strict=True):
            if p > 0:
                total += d * d / p
            elif d:
                return math.inf
        return total

    def observed_information(self, counts: Sequence[int], theta: float) -> float:
        """Minus the second derivative of the log-likelihood at θ, of all reports together."""
        pieces = zip(counts, self.slopes.tolist(), self.law(theta).tolist(), strict=True)
        return math.fsum(k * (d / p) ** 2 for k, d, p in pieces if k)
