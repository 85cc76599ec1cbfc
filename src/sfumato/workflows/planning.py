"""Planning a study from its file."""

from __future__ import annotations

from pathlib import Path

from sfumato.publications.registry import study_of
from sfumato.study.planning import StudyPlan, plan_study
from sfumato.study.study import Study


def plan(study: Study | str | Path) -> StudyPlan:
    """Work a study out: how each question is asked, what each reader sees, what it costs.

    Returns:
        The plan: ways of asking, what readers see, sizes and costs.

    Raises:
        InvalidParameter: limits contradict each other.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> study = sf.Study(name="Rest", questions=(sf.YesNo(id="tired", text="Tired?", epsilon=Fraction(1)),))
    >>> sf.plan(study).questions[0].because
    'Two answers: each report is the answer or its opposite, one level, by flips.'
    """
    return plan_study(study_of(study))
