from sfumato.study.ways.base import Way
from sfumato.study.ways.card import Card
from sfumato.study.ways.counts import Count
from sfumato.study.ways.dictionaries import Dictionary, remember_dictionary
from sfumato.study.ways.drawing import Draw, Drawer
from sfumato.study.ways.estimates import Quantity, QuestionEstimate, Reading, Truth, Unit
from sfumato.study.ways.goals import Goal
from sfumato.study.ways.hunt import FreeText
from sfumato.study.ways.kind_table import HEADING, kinds, read_question, register, unregister
from sfumato.study.ways.large_lists import LargeList
from sfumato.study.ways.listed_card import ListedCard
from sfumato.study.ways.listed_questions import OneOfMany, YesNo
from sfumato.study.ways.no_answer import NO_ANSWER, AskIf, Missing
from sfumato.study.ways.numbers import BoundedNumber
from sfumato.study.ways.ordered import Ordered
from sfumato.study.ways.pictures import Picture
from sfumato.study.ways.plans import QuestionPlan
from sfumato.study.ways.question import Question
from sfumato.study.ways.several_questions import Several
from sfumato.study.ways.told import Recoverable

__all__ = [
    "HEADING",
    "NO_ANSWER",
    "AskIf",
    "BoundedNumber",
    "Card",
    "Count",
    "Dictionary",
    "Draw",
    "Drawer",
    "FreeText",
    "Goal",
    "LargeList",
    "ListedCard",
    "Missing",
    "OneOfMany",
    "Ordered",
    "Picture",
    "Quantity",
    "Question",
    "QuestionEstimate",
    "QuestionPlan",
    "Reading",
    "Recoverable",
    "Several",
    "Truth",
    "Unit",
    "Way",
    "YesNo",
    "kinds",
    "read_question",
    "register",
    "remember_dictionary",
    "unregister",
]
