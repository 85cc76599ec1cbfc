from sfumato.study.kinds.card import Card
from sfumato.study.kinds.dictionaries import Dictionary, remember_dictionary
from sfumato.study.kinds.large_list import LargeList
from sfumato.study.kinds.listed_card import ListedCard
from sfumato.study.kinds.number import BoundedNumber, Count
from sfumato.study.kinds.ordered import Ordered
from sfumato.study.kinds.recoverable import Recoverable
from sfumato.study.kinds.registry import HEADING, kinds, read_question, register, unregister
from sfumato.study.kinds.several import Several
from sfumato.study.kinds.single_choice import OneOfMany, YesNo
from sfumato.study.kinds.text import FreeText

__all__ = [
    "HEADING",
    "BoundedNumber",
    "Card",
    "Count",
    "Dictionary",
    "FreeText",
    "LargeList",
    "ListedCard",
    "OneOfMany",
    "Ordered",
    "Recoverable",
    "Several",
    "YesNo",
    "kinds",
    "read_question",
    "register",
    "remember_dictionary",
    "unregister",
]
