"""How the shares of two answers of one sample are compared; nothing is computed before somebody asks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from sfumato import infer
from sfumato.bits.mechanism import Mechanism
from sfumato.infer.answer_differences import Pairs
from sfumato.infer.contrasts import Side
from sfumato.infer.option_pairs import option_difference
from sfumato.infer.reported import LinearEstimate, ReportedShares
from sfumato.prob import AnyChannel, Channel
from sfumato.values import Interval, Tally

if TYPE_CHECKING:
    from sfumato.mechanisms.assigned_options import AssignedOptions


class ShareDifferences(Protocol):
    """What can be said of the difference of two shares."""

    @property
    def holds_together(self) -> bool:
        """Whether the intervals of all differences hold at once, at the confidence of the estimate."""

    def of(self, pairs: Pairs, confidence: float) -> tuple[LinearEstimate | None, ...]:
        """Return the share of the first minus that of the second, for each pair of places; None if nothing is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedDifferences:
    """Of answers whose reports were seen through a channel, which is made when it is needed."""

    channel: Callable[[], AnyChannel]
    counts: Sequence[int]
    holds_together: bool = False

    def of(self, pairs: Pairs, confidence: float) -> tuple[LinearEstimate, ...]:
        """Read each difference as one mean of scores."""
        return ReportedShares(self.channel(), self.counts).differences(pairs, confidence)


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoDifferences:
    """Of two answers: twice the share of one of them, less 1, and its interval is as exact as that of the share."""

    channel: Channel
    counts: Sequence[int]
    method: infer.Method
    raw: float
    error: float
    holds_together: bool = False

    def of(self, pairs: Pairs, confidence: float) -> tuple[LinearEstimate, ...]:
        """Read them off the share of the second answer; `raw` and `error` are of its unbiased share."""
        found = infer.estimate_share(self.channel, self.counts, confidence=confidence, method=self.method)
        ends = [2 * found.interval.lower - 1, 2 * found.interval.upper - 1]
        signs = [1 if first else -1 for first, _ in pairs]
        return tuple(
            LinearEstimate(
                value=sign * (2 * found.share - 1),
                raw=sign * (2 * self.raw - 1),
                standard_error=2 * self.error,
                interval=Interval(*sorted(sign * end for end in ends)),
            )
            for sign in signs
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionDifferences:
    """Of options of which some are asked of the same people, and some of others."""

    rung: AssignedOptions
    tally: Tally
    holds_together: bool = False

    def of(self, pairs: Pairs, confidence: float) -> tuple[LinearEstimate | None, ...]:
        """Compare two options at a time; nothing is known of one that nobody was asked about."""
        found = self.rung.estimate(self.tally, confidence=confidence)
        asked = self.rung.option_counts(self.tally).sum(axis=1).tolist()
        places = {pair: place for place, pair in enumerate(self.rung.pairs)}
        together = self.rung.pair_counts(self.tally)
        sides = [
            Side(
                value=found.projected[place],
                raw=found.raw[place],
                error=found.standard_errors[place],
                lower=found.intervals[place].lower,
                upper=found.intervals[place].upper,
                confidence=confidence,
            )
            for place in range(len(asked))
        ]
        made: list[LinearEstimate | None] = []
        for first, second in pairs:
            if not asked[first] or not asked[second]:
                made.append(None)
                continue
            place = places.get((min(first, second), max(first, second)))
            both = np.zeros(4, dtype=np.int64) if place is None else together[place]
            # Of 00, 01, 10 and 11 the two in the middle change places with the options.
            ordered = both if first < second else both[[0, 2, 1, 3]]
            counts = asked[first], asked[second]
            made.append(
                option_difference(sides[first], sides[second], counts, ordered, self.rung.probabilities, confidence)
            )
        return tuple(made)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberDifferences:
    """Of answers that reports hit or not, where it is not counted which of them a report hits together.

    The intervals of two shares that hold together at a confidence, each at half of what is left, give one of their
    difference: its ends subtracted crosswise. It is wider than it could be, and true.
    """

    mechanism: Mechanism
    tally: Tally
    holds_together: bool = False

    def of(self, pairs: Pairs, confidence: float) -> tuple[LinearEstimate, ...]:
        """Subtract them, pair by pair."""
        found = self.mechanism.estimate(self.tally, confidence=(1 + confidence) / 2)
        joint = JointDifferences(raw=found.raw, shares=found.projected, intervals=found.intervals)
        return joint.of(pairs, confidence)


@dataclass(frozen=True, slots=True, kw_only=True)
class JointDifferences:
    """Of texts that were picked by the same reports: from intervals that hold for all texts at once, picked or not.

    As these hold together, so does what follows from them: a difference lies between the ends subtracted crosswise.
    """

    raw: Sequence[float]
    shares: Sequence[float]
    intervals: Sequence[Interval]
    holds_together: bool = True

    def of(self, pairs: Pairs, confidence: float) -> tuple[LinearEstimate, ...]:
        """Subtract them; `confidence` is that of the intervals, whatever is asked."""
        del confidence
        return tuple(
            LinearEstimate(
                value=self.shares[first] - self.shares[second],
                raw=self.raw[first] - self.raw[second],
                standard_error=float("nan"),
                interval=Interval(
                    self.intervals[first].lower - self.intervals[second].upper,
                    self.intervals[first].upper - self.intervals[second].lower,
                ),
            )
            for first, second in pairs
        )
