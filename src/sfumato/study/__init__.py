"""The study file: what is asked, what is promised, who may see how much, and what it costs in respondents."""

from sfumato.study.costs import CostLevel, DesignCost, Rule, SurveyPlan, cost_levels, plan_survey
from sfumato.study.questions import Count, FreeText, OneOfMany, Question, Recoverable, YesNo
from sfumato.study.studies import Analyst, DisclosedColumns, Study
from sfumato.study.study_files import fingerprint, read_study, write_study
from sfumato.study.survey_files import read_survey, write_survey
from sfumato.study.surveys import Plan, StudyLimits, Survey, exact_number

__all__ = [
    "Analyst",
    "CostLevel",
    "Count",
    "DesignCost",
    "DisclosedColumns",
    "FreeText",
    "OneOfMany",
    "Plan",
    "Question",
    "Recoverable",
    "Rule",
    "Study",
    "StudyLimits",
    "Survey",
    "SurveyPlan",
    "YesNo",
    "cost_levels",
    "exact_number",
    "fingerprint",
    "plan_survey",
    "read_study",
    "read_survey",
    "write_study",
    "write_survey",
]
