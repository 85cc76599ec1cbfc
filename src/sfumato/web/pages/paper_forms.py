"""A study on paper: which questions can be drawn by hand, who types in what was drawn, and what was typed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sfumato.design import SpinnerCard, spinner_card
from sfumato.errors import InvalidParameter
from sfumato.prob import Channel
from sfumato.study.collect_terms import Paper
from sfumato.study.collections import Collection
from sfumato.study.ways import Way

LEFT_OUT = "-"
"""What a form sends for a question that is left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperQuestion:
    """A question on paper: its card, if it can be drawn by hand, and whether it may be left out."""

    id: str
    text: str
    reports: tuple[str, ...]
    card: SpinnerCard | None
    may_be_left: bool

    @property
    def is_possible(self) -> bool:
        """Whether paper can serve it."""
        return self.card is not None or self.may_be_left


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperForm:
    """All questions of a study as paper has them."""

    collection: Collection
    questions: tuple[PaperQuestion, ...]

    @classmethod
    def of(cls, collection: Collection) -> PaperForm:
        """Work out what can be drawn by hand."""
        return cls(collection=collection, questions=tuple(map(_on_paper, collection.ways.values())))

    @property
    def is_possible(self) -> bool:
        """Whether the whole study can be answered on paper."""
        drawn = any(one.card is not None for one in self.questions)
        return drawn and all(one.is_possible for one in self.questions)

    @property
    def typed_by(self) -> Paper | None:
        """Who types in what was drawn; None if nobody."""
        said = self.collection.terms.paper
        return None if said is None or not self.is_possible else Paper(said)

    def name(self, place: int) -> str:
        """The name of a question's field: its place, which says nothing."""
        return f"report-{place + 1}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Typed:
    """What was typed in: by field, and which fields are wrong; `code` is a message about the code."""

    fields: Mapping[str, str] = field(default_factory=dict, repr=False)
    wrong: frozenset[str] = frozenset()
    has_wrong_code: bool = False

    @property
    def is_wrong(self) -> bool:
        """Whether anything is."""
        return bool(self.wrong) or self.has_wrong_code


def _on_paper(way: Way) -> PaperQuestion:
    question = way.question
    return PaperQuestion(
        id=question.id,
        text=question.text,
        reports=way.report_labels or (),
        card=_card(way) if way.on_paper else None,
        may_be_left=question.has_gaps,
    )


def _card(way: Way) -> SpinnerCard | None:
    """Return the card to draw by; None where the draw is too fine to be made by hand or phone."""
    channel = way.channel(len(way.epsilons))
    try:
        return spinner_card(channel) if isinstance(channel, Channel) else None
    except InvalidParameter:
        return None
