"""How numbers are asked: by a ladder, whose estimates are the mean alone, or shares with median and quartiles."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.design.mean_scales import choose_mean_scale
from sfumato.infer.reported import ReportedShares
from sfumato.refine.rungs.base import Rung
from sfumato.study.audience import Audience
from sfumato.study.ways.estimates import QuestionEstimate, Reading, Truth
from sfumato.study.ways.ladder import LadderWay
from sfumato.study.ways.no_answer import Missing
from sfumato.study.ways.number_scales import scale_words
from sfumato.study.ways.order_quantities import cumulative_shares, quantiles
from sfumato.study.ways.pictures import Picture
from sfumato.study.ways.plans import AccuracyCurve, PlanTable, QuestionPlan
from sfumato.values import Tally
from sfumato.values.rounding import float_below

if TYPE_CHECKING:
    from sfumato.study.ways.numbers import BoundedNumber

# Half of the interval's width that is planned for, in parts of the range.
_HALF_WIDTH = 0.02
_CONFIDENCE = 0.95


class NumberWay(LadderWay):
    """How a number is asked by a ladder."""

    question: BoundedNumber

    def __init__(
        self,
        question: BoundedNumber,
        audience: Audience,
        declaration: str | None = None,
        *,
        stated: BoundedNumber | None = None,
    ) -> None:
        LadderWay.__init__(self, question, audience, declaration)
        self._stated = question if stated is None else stated

    @property
    def _for_mean(self) -> bool:
        return self.question.goal == "mean"

    def estimate(self, tally: Tally, reading: Reading) -> QuestionEstimate:
        """Return the mean alone, or shares with the median and the quartiles."""
        found = replace(LadderWay.estimate(self, tally, reading), question=self._stated, picture=Picture.NUMBERS)
        question = self.question
        if self._for_mean:
            if question.point_count == question.steps + 1 and question.point_count > 2:
                return found
            return replace(found, labels=(), shares=(), raw=(), standard_errors=(), intervals=())
        reported = ReportedShares(self.rung_at(reading.level).channel(), tally.counts)
        sums = cumulative_shares(reported, question.choices, hides=question.hides, confidence=reading.confidence)
        edges = question.edges if question.in_bins else question.values or ()
        told = quantiles(sums, tuple(map(float, edges)), in_bins=question.in_bins)
        middles = tuple(float(low + high) / 2 for low, high in pairwise(edges)) if question.in_bins else ()
        return replace(found, numbers=middles, quantities=(*found.quantities, *told))

    def reckoning(self, level: int) -> dict[str, Any] | None:
        """Return that of a ladder; of a mean alone without the shares."""
        found, question = LadderWay.reckoning(self, level), self.question
        alone = self._for_mean and not (question.point_count == question.steps + 1 and question.point_count > 2)
        return found and found | {"picture": Picture.NUMBERS.value, "only_mean": alone}

    def order_reckoning(self, level: int) -> dict[str, Any] | None:
        """Median and quartiles, unless the mean alone is wanted."""
        del level
        question = self.question
        if self._for_mean:
            return None
        points = question.edges if question.in_bins else question.values or ()
        return {"type": "numbers", "told": None, "points": [*map(float, points)], "in_bins": question.in_bins}

    def truth(self, held: Counter[str]) -> Truth | None:
        """Return the true mean, or the true shares of bins."""
        found = self.question.true_mean(held)
        if found is None:
            raise self.no_answers()
        return found

    def plan(self) -> QuestionPlan:
        """Work it out; for a mean, by the error of the mean."""
        plan = replace(LadderWay.plan(self), question=self._stated)
        if not self._for_mean:
            return plan
        question, span = self.question, float(self.question.highest - self.question.lowest)
        levels = tuple(float_below(level) for level in self._levels)
        choice = choose_mean_scale(levels, steps=question.steps, points=self._stated.points)
        rows = self._rows(plan)
        return replace(
            plan,
            because=f"{plan.because} {scale_words(choice)}",
            tables=(_table(rows, span), *plan.tables[1:]),
            curve=self._curve(plan),
            document={**plan.document, "levels": rows, "goal": "mean", "goal_half_width": _HALF_WIDTH * span},
        )

    def share_deviation(self, level: int, share: float) -> float | None:
        """Nothing for a mean: shares are not estimated then."""
        return None if self._for_mean else LadderWay.share_deviation(self, level, share)

    def hidden_price(self) -> float | None:
        """Compare the error of the mean at the public level with and without one more answer."""
        if not self._for_mean:
            return LadderWay.hidden_price(self)
        chosen = replace(self._stated, points=self.question.points)
        ways = [replace(chosen, missing=missing).way(self.audience) for missing in (None, Missing.HIDDEN)]
        without, within = (way.mean_deviation(way.ladder.levels[-1]) for way in ways)
        return (within / without) ** 2

    def mean_deviation(self, rung: Rung) -> float:
        """√n times the standard deviation of the mean, in parts of the range, if answers are spread evenly over it."""
        question = self.question
        places = np.linspace(-0.5, 0.5, question.point_count)
        # A mean among those who answer: as far as each lies from the middle, and nothing of those who do not answer.
        scores = rung.linear_scores([*places, *([0.0] if question.hides else [])])
        channel = rung.channel()
        rows = channel.array if hasattr(channel, "array") else np.array(channel.rows, dtype=np.float64)
        moments = np.interp(np.linspace(-0.5, 0.5, 201), places, rows[: places.size] @ np.asarray(scores) ** 2)
        return math.sqrt(float(moments.mean()))

    def _rows(self, plan: QuestionPlan) -> list[dict[str, Any]]:
        reach, people = NormalDist().inv_cdf((1 + _CONFIDENCE) / 2), self.audience.population
        rows = []
        for row, rung in zip(plan.document["levels"], self.ladder.levels, strict=True):
            deviation = self.mean_deviation(rung)
            rows.append(
                {
                    **row,
                    "deviation": deviation,
                    "respondents": math.ceil((reach * deviation / _HALF_WIDTH) ** 2),
                    "half_width": None if people is None else reach * deviation / math.sqrt(people),
                }
            )
        return rows

    def _curve(self, plan: QuestionPlan) -> AccuracyCurve | None:
        """Privacy against the error of the mean: each ε with the scale that is best for it alone."""
        if plan.curve is None:
            return None
        points = []
        for epsilon, _ in plan.curve.points:
            # Answers spread evenly have a twelfth of the squared range; a report adds its noise to that.
            noise = choose_mean_scale((epsilon,), steps=self.question.steps).chosen.variances[0] / 4
            points.append((epsilon, math.sqrt(1 / 12 + noise)))
        marks = tuple(
            (epsilon, self.mean_deviation(rung), readers)
            for (epsilon, _, readers), rung in zip(plan.curve.marks, self.ladder.levels, strict=True)
        )
        return AccuracyCurve(points=tuple(points), marks=marks, half_width=_HALF_WIDTH)


def _table(rows: list[dict[str, Any]], span: float) -> PlanTable:
    return PlanTable(
        title=f"95 % intervals of the mean, if answers are spread evenly over the range; respondents for "
        f"± {_HALF_WIDTH * span:.4g}, which is {100 * _HALF_WIDTH:g} % of the range:",
        header=("readers", "ε", "± with all", "respondents", "key, bits a row"),
        rows=tuple(
            (
                ", ".join(row["readers"]) or "-",
                f"{math.ceil(row['epsilon'] * 1000 - 1e-9) / 1000:g}",
                "-" if row["half_width"] is None else f"{span * row['half_width']:.3g}",
                f"{row['respondents']:,}",
                "none" if row["key_bits"] is None else f"{row['key_bits']:.3f}",
            )
            for row in rows
        ),
    )
