"""Asking once through one channel: one level, no keys, reports that have names. Cards and told parts are such ways."""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from typing import ClassVar

import numpy as np

from sfumato import measures
from sfumato.bits import RowDraws
from sfumato.certificates import Certificate
from sfumato.design.channel_designs import CertifiedDesign
from sfumato.files.words import Words
from sfumato.measures import epsilon_interval
from sfumato.prob import Channel
from sfumato.study.audience import Audience
from sfumato.study.ways.answers import SymbolArray, positions
from sfumato.study.ways.base import Way
from sfumato.study.ways.drawing import Draw, Drawer
from sfumato.study.ways.form_parts import FormPart
from sfumato.study.ways.question import Question, listed_answers


class ChannelWay(Way):
    """A way whose report is drawn from a row of one exact channel, chosen by the answer."""

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


class CardedWay(ChannelWay):
    """A way whose channel was designed, and which is drawn by hand: a card says what to report."""

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
