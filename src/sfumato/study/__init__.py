"""The study file: what is asked, what is promised, and what it costs in respondents."""

from sfumato.study.costs import CostLevel, DesignCost, Rule, SurveyPlan, cost_levels, plan_survey
from sfumato.study.studies import Plan, Study, StudyLimits, exact_number
from sfumato.study.study_files import read_study, write_study

__all__ = [
    "CostLevel",
    "DesignCost",
    "Plan",
    "Rule",
    "Study",
    "StudyLimits",
    "SurveyPlan",
    "cost_levels",
    "exact_number",
    "plan_survey",
    "read_study",
    "write_study",
]
