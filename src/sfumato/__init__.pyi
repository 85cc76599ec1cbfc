from sfumato import (
    certificates,
    disclosure,
    display,
    engines,
    errors,
    files,
    inference,
    keys,
    ladders,
    ledger,
    measures,
    mechanisms,
    noise,
    numbers,
    output,
    prob,
    publications,
    recoverable,
    sampling,
    study,
    surveys,
    workflows,
)
from sfumato.certificates.auditing import Audit, audit
from sfumato.certificates.certificate import Certificate
from sfumato.certificates.certifying import certify, verify
from sfumato.files.formats import DataFile
from sfumato.ladders.ladder import Ladder
from sfumato.output.report import study_report_html
from sfumato.prob.channel import Channel
from sfumato.prob.distribution import Distribution
from sfumato.prob.structured import Circulant
from sfumato.publications.registry import read_registry
from sfumato.publications.reports import Reports
from sfumato.server.client import submit
from sfumato.study.cells import AskIf
from sfumato.study.collect_terms import CollectTerms
from sfumato.study.compared_designs import compare_devices
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
from sfumato.workflows.auditing import audit_publication, audit_samples
from sfumato.workflows.combining import combine
from sfumato.workflows.disclosing import disclose_table
from sfumato.workflows.erasing import erase
from sfumato.workflows.fitting import compare, crosstab, fit, weighted_shares
from sfumato.workflows.noise import release_noise
from sfumato.workflows.planning import plan
from sfumato.workflows.publishing import publish, write_publication
from sfumato.workflows.query import answer_query
from sfumato.workflows.reading import (
    asked_options,
    estimate_reports,
    open_reports,
    option_pairs,
    read_reports,
    recover_answers,
    write_reports,
)
from sfumato.workflows.responding import DeviceMemory, respond
from sfumato.workflows.weighing import raw_shares, report_weights

__version__: str

__all__ = [
    "Analyst",
    "AskIf",
    "Audit",
    "BoundedNumber",
    "Card",
    "Certificate",
    "Channel",
    "Circulant",
    "CollectTerms",
    "Count",
    "DataFile",
    "DeviceMemory",
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
    "asked_options",
    "audit",
    "audit_publication",
    "audit_samples",
    "certificates",
    "certify",
    "combine",
    "compare",
    "compare_devices",
    "crosstab",
    "disclose_table",
    "disclosure",
    "display",
    "engines",
    "erase",
    "errors",
    "estimate_reports",
    "files",
    "fit",
    "inference",
    "keys",
    "ladders",
    "ledger",
    "measures",
    "mechanisms",
    "noise",
    "numbers",
    "open_reports",
    "option_pairs",
    "output",
    "plan",
    "prob",
    "publications",
    "publish",
    "raw_shares",
    "read_registry",
    "read_reports",
    "read_study",
    "recover_answers",
    "recoverable",
    "release_noise",
    "report_weights",
    "respond",
    "sampling",
    "study",
    "study_report_html",
    "submit",
    "surveys",
    "verify",
    "weighted_shares",
    "workflows",
    "write_publication",
    "write_reports",
    "write_study",
]
