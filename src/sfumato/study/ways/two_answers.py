"""The share of the second of two answers, for every way whose reports are those of a channel with two rows."""

from __future__ import annotations

import numpy as np

from sfumato import infer
from sfumato.measures import epsilon
from sfumato.prob import Channel
from sfumato.study.ways.estimates import QuestionEstimate, Reading
from sfumato.study.ways.means import mean_of_two
from sfumato.study.ways.question import Question
from sfumato.study.ways.share_differences import TwoDifferences
from sfumato.values import Interval, Tally

METHOD_WORDS = {
    infer.Method.EXACT: "maximum likelihood, exact interval",
}


def estimate_two(
    question: Question,
    channel: Channel,
    tally: Tally,
    reading: Reading,
    *,
    values: tuple[float, float] | None = None,
) -> QuestionEstimate:
    """Return both shares; with `values` of the two answers, their mean as well.

    Shares are the likeliest within [0, 1], `raw` ones unbiased.
    """
    found = infer.estimate_share(channel, tally.counts, confidence=reading.confidence, method=reading.method)
    upper = found.interval
    weights = infer.share_weights(channel)
    raw = np.array(tally.counts) @ weights / tally.total
    law = (1 - found.share) * channel.array[0] + found.share * channel.array[1]
    raw_error = float(np.sqrt(max(law @ weights[:, 1] ** 2 - found.share**2, 0.0) / tally.total))
    band = (
        None if reading.ignoring is None else infer.sensitivity_band(channel, tally.counts, ignoring=reading.ignoring)
    )
    return QuestionEstimate(
        question=question,
        group=reading.group,
        level=reading.level,
        epsilon=epsilon(channel),
        labels=question.labels,
        shares=(1 - found.share, found.share),
        raw=tuple(raw.tolist()),
        standard_errors=(found.standard_error, found.standard_error),
        intervals=(Interval(1 - upper.upper, 1 - upper.lower), upper),
        confidence=found.confidence,
        total=found.total,
        method=METHOD_WORDS.get(found.method, f"maximum likelihood, {found.method.value} interval"),
        quantities=() if values is None else (mean_of_two(values, found.share, raw[1], found.standard_error, upper),),
        raw_errors=(raw_error, raw_error),
        band=band,
        ignoring=reading.ignoring,
        notes=tuple(found.notes),
        differences=TwoDifferences(
            channel=channel, counts=tally.counts, method=reading.method, raw=float(raw[1]), error=raw_error
        ),
    )
