"""What a plan says of a question, whatever way it is asked: words, levels, tables, curves, a card, a certificate.

A way of asking fills in what it has; terminal, Markdown and pages show whatever is there and ask nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from sfumato.certificates import Certificate
from sfumato.values.shown import Shown

if TYPE_CHECKING:
    from sfumato.design import SpinnerCard
    from sfumato.study.ways.group_needs import GroupNeeds
    from sfumato.study.ways.question import Question
    from sfumato.study.ways.risks import QuestionRisk


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelPlan:
    """One level of a question, 1 the sharpest: its ε, and who sees it."""

    level: int
    epsilon: float
    readers: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanTable:
    """Rows of words under a title; `chosen` is the row that the study has, `words` how many columns are no numbers."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    chosen: int | None = None
    words: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """Comparisons as a plan has them: in words, in tables, and for programs."""

    words: tuple[str, ...] = ()
    tables: tuple[PlanTable, ...] = ()
    documents: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AccuracyCurve:
    """Privacy against accuracy: √n times the standard deviation of a share, by ε; `marks` are the study's levels."""

    points: tuple[tuple[float, float], ...]
    marks: tuple[tuple[float, float, tuple[str, ...]], ...]
    half_width: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CostLevel:
    """At one guess error, about how many respondents each design needs, by name; inf when it learns nothing."""

    guess_error: Fraction
    respondents: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CostCurve:
    """Privacy against respondents: what each design costs at each guess error, for one goal."""

    levels: tuple[CostLevel, ...]
    guess_error: Fraction
    goal: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A sentence about what a respondent risks; an alarm is shown as one."""

    sentence: str
    is_alarm: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionPlan(Shown):
    """A question worked out.

    `because` says how it is asked and why, `words` what that costs; `instructions` is what a respondent does by hand,
    `protection` what they should know before. `sentences` are the claims that matter most, for a page. `costs`
    draws a curve that takes a second to work out; `document` holds what is particular to the way, for programs.
    `arguments` say what the tables compare, `closeness` how close the estimates come to what nobody can beat.
    `risk` is what reports tell, `groups` what it takes to see a difference; a study's plan fills them in for every way.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> study = sf.Study(name="Rest", questions=(sf.YesNo(id="tired", text="Tired?", epsilon=Fraction(1)),))
    >>> planned, = sf.plan(study).questions
    >>> planned.because
    'Two answers: each report is the answer or its opposite, one level, by flips.'
    >>> planned.tables[0].header[3], planned.tables[0].rows[0][3], planned.readers_of(1)
    ('respondents', '1,799', 'public')
    """

    question: Question
    because: str
    levels: tuple[LevelPlan, ...]
    certificate: Certificate
    sentences: tuple[Said, ...]
    words: tuple[str, ...] = ()
    instructions: tuple[str, ...] = ()
    protection: tuple[Said, ...] = ()
    arguments: tuple[str, ...] = ()
    closeness: str = ""
    tables: tuple[PlanTable, ...] = ()
    curve: AccuracyCurve | None = None
    costs: Callable[[], CostCurve] | None = None
    card: SpinnerCard | None = None
    document: Mapping[str, Any] = field(default_factory=dict)
    risk: QuestionRisk | None = None
    groups: GroupNeeds | None = None

    def readers_of(self, level: int) -> str:
        """Name who sees a level."""
        return ", ".join(self.levels[level - 1].readers) or f"level {level}"
