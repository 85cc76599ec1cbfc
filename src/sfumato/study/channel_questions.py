"""Handlers of questions that are asked once through one channel, and the share of the second of two answers."""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from typing import ClassVar

import numpy as np

from sfumato import inference, measures
from sfumato.certificates.certificate import Certificate
from sfumato.files.columns import Words
from sfumato.inference.results import QuestionEstimate, Reading, TwoDifferences, mean_of_two
from sfumato.measures.ldp import epsilon, epsilon_interval
from sfumato.mechanisms.tabulated import CertifiedDesign
from sfumato.numbers.intervals import Interval
from sfumato.prob.channel import Channel
from sfumato.sampling.mechanism import Tally
from sfumato.sampling.samplers import RowDraws
from sfumato.study.cells import SymbolArray, positions
from sfumato.study.handler import Draw, Drawer, FormPart, Handler
from sfumato.study.question import Question, listed_answers
from sfumato.study.readers import Audience


class ChannelHandler(Handler):
    """The handler of a question whose report is drawn from a row of one exact channel, chosen by the answer."""

    @property
    @abstractmethod
    def response(self) -> Channel:
        """From answers, by their labels, to reports."""

    @property
    def answers(self) -> tuple[str, ...]:
        """The answers that a column may hold."""
        return tuple(str(label) for label in self.response.inputs)

    @property
    def epsilons(self) -> tuple[float, ...]:
        """Of the channel; infinite where a report proves an answer."""
        return (epsilon_interval(self.response).upper,)

    def channel(self, level: int) -> Channel:
        """Return the channel; there is one level."""
        del level
        return self.response

    def describe(self) -> str:
        """Name the answers."""
        return listed_answers(self.answers)

    def read(self, column: Words) -> SymbolArray:
        """Return the positions of the answers."""
        return positions(self.question.id, column, self.answers)

    def drawer(self, draw: Draw) -> Drawer:
        """Draw a report for each answer, exactly."""
        rows = RowDraws(self.response.to_exact())
        return Drawer(lambda answers, bits: np.asarray(rows.draw(bits, answers)), draw)

    def form(self) -> FormPart:
        """Hand out the rows of the channel, over one denominator."""
        numerators, _ = self.response.to_exact().integers()
        counts = [[str(int(value)) for value in row] for row in numerators]
        odds = measures.odds(self.response)
        return FormPart(
            asks={"type": "one", "answers": list(self.answers)},
            draw={"type": "card", "counts": counts},
            odds=(odds if isinstance(odds, Fraction) else None,),
        )

    @property
    def report_labels(self) -> tuple[str, ...]:
        """The names of the reports."""
        return tuple(str(label) for label in self.response.outputs)

    @property
    def report_count(self) -> int:
        """As many as there are names."""
        return self.response.shape[1]


class CardedHandler(ChannelHandler):
    """The handler of a question with a designed channel, drawn by hand: a card says what to report."""

    on_paper: ClassVar[bool] = True

    def __init__(self, question: Question, audience: Audience, design: CertifiedDesign) -> None:
        self.question = question
        self.audience = audience
        self.design = design

    @property
    def response(self) -> Channel:
        """The design's channel."""
        return self.design.channel

    def certificate(self) -> Certificate:
        """Return the claims about the design."""
        return self.design.certificate


# --- The share of the second of two answers
# For every question kind whose channel has two rows.


METHOD_WORDS = {
    inference.Method.EXACT: "maximum likelihood, exact interval",
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
    found = inference.estimate_share(channel, tally.counts, confidence=reading.confidence, method=reading.method)
    upper = found.interval
    weights = inference.share_weights(channel)
    raw = np.array(tally.counts) @ weights / tally.total
    law = (1 - found.share) * channel.array[0] + found.share * channel.array[1]
    raw_error = float(np.sqrt(max(law @ weights[:, 1] ** 2 - found.share**2, 0.0) / tally.total))
    band = (
        None
        if reading.ignoring is None
        else inference.sensitivity_band(channel, tally.counts, ignoring=reading.ignoring)
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
