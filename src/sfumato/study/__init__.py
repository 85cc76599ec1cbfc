"""The study: what is asked and in which way, what is promised, who may see how much, and the steps to a page."""

from sfumato.study.audience import Analyst, Audience
from sfumato.study.studies import DisclosedColumns, Study
from sfumato.study.study_files import fingerprint, read_study, write_study
from sfumato.study.ways import (
    Card,
    Count,
    FreeText,
    Goal,
    MeanEstimate,
    OneOfMany,
    Question,
    QuestionEstimate,
    QuestionPlan,
    Recoverable,
    Way,
    YesNo,
    register,
)

__all__ = [
    "Analyst",
    "Audience",
    "Card",
    "Count",
    "DisclosedColumns",
    "FreeText",
    "Goal",
    "MeanEstimate",
    "OneOfMany",
    "Question",
    "QuestionEstimate",
    "QuestionPlan",
    "Recoverable",
    "Study",
    "Way",
    "YesNo",
    "fingerprint",
    "read_study",
    "register",
    "write_study",
]
