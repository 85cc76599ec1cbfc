from sfumato.study.cells import AskIf, Missing
from sfumato.study.collect_terms import CollectTerms
from sfumato.study.file import fingerprint, read_study, write_study
from sfumato.study.goals import Goal
from sfumato.study.handler import Handler
from sfumato.study.kinds.card import Card
from sfumato.study.kinds.dictionaries import Dictionary, remember_dictionary
from sfumato.study.kinds.large_list import LargeList
from sfumato.study.kinds.listed_card import ListedCard
from sfumato.study.kinds.number import BoundedNumber, Count
from sfumato.study.kinds.ordered import Ordered
from sfumato.study.kinds.recoverable import Recoverable
from sfumato.study.kinds.registry import register
from sfumato.study.kinds.several import Several
from sfumato.study.kinds.single_choice import OneOfMany, YesNo
from sfumato.study.kinds.text import FreeText
from sfumato.study.question import Question
from sfumato.study.question_plans import QuestionPlan
from sfumato.study.readers import Analyst, Audience
from sfumato.study.study import DisclosedColumns, Study

__all__ = [
    "Analyst",
    "AskIf",
    "Audience",
    "BoundedNumber",
    "Card",
    "CollectTerms",
    "Count",
    "Dictionary",
    "DisclosedColumns",
    "FreeText",
    "Goal",
    "Handler",
    "LargeList",
    "ListedCard",
    "Missing",
    "OneOfMany",
    "Ordered",
    "Question",
    "QuestionPlan",
    "Recoverable",
    "Several",
    "Study",
    "YesNo",
    "fingerprint",
    "read_study",
    "register",
    "remember_dictionary",
    "write_study",
]
