from sfumato import (
    certificates,
    disclosure,
    errors,
    inference,
    keys,
    ladders,
    ledger,
    measures,
    mechanisms,
    noise,
    output,
    prob,
    recoverable,
    sampling,
    study,
    surveys,
    workflows,
)
from sfumato.certificates.auditing import audit
from sfumato.certificates.certificate import Certificate
from sfumato.certificates.certifying import certify, verify
from sfumato.ladders.ladder import Ladder
from sfumato.prob.channel import Channel
from sfumato.prob.distribution import Distribution
from sfumato.publications.reports import Reports
from sfumato.server.client import submit
from sfumato.study.file import read_study, write_study
from sfumato.study.kinds.card import Card
from sfumato.study.kinds.large_list import LargeList
from sfumato.study.kinds.listed_card import ListedCard
from sfumato.study.kinds.number import BoundedNumber, Count
from sfumato.study.kinds.ordered import Ordered
from sfumato.study.kinds.recoverable import Recoverable
from sfumato.study.kinds.several import Several
from sfumato.study.kinds.single_choice import OneOfMany, YesNo
from sfumato.study.kinds.text import FreeText
from sfumato.study.readers import Analyst
from sfumato.study.study import Study
from sfumato.workflows.amending import amend
from sfumato.workflows.combining import combine
from sfumato.workflows.disclosing import disclose_table
from sfumato.workflows.erasing import erase
from sfumato.workflows.fitting import compare, crosstab, fit
from sfumato.workflows.noise import release_noise
from sfumato.workflows.planning import plan
from sfumato.workflows.publishing import publish
from sfumato.workflows.query import answer_query
from sfumato.workflows.reading import estimate_reports, open_reports, read_reports, recover_answers, write_reports
from sfumato.workflows.responding import respond

__version__: str

__all__ = [
    "Analyst",
    "BoundedNumber",
    "Card",
    "Certificate",
    "Channel",
    "Count",
    "Distribution",
    "FreeText",
    "Ladder",
    "LargeList",
    "ListedCard",
    "OneOfMany",
    "Ordered",
    "Recoverable",
    "Reports",
    "Several",
    "Study",
    "YesNo",
    "amend",
    "answer_query",
    "audit",
    "certificates",
    "certify",
    "combine",
    "compare",
    "crosstab",
    "disclose_table",
    "disclosure",
    "erase",
    "errors",
    "estimate_reports",
    "fit",
    "inference",
    "keys",
    "ladders",
    "ledger",
    "measures",
    "mechanisms",
    "noise",
    "open_reports",
    "output",
    "plan",
    "prob",
    "publish",
    "read_reports",
    "read_study",
    "recover_answers",
    "recoverable",
    "release_noise",
    "respond",
    "sampling",
    "study",
    "submit",
    "surveys",
    "verify",
    "workflows",
    "write_reports",
    "write_study",
]
