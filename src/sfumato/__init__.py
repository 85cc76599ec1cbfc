"""Sfumato: publish one private report; each reader sees it as sharply as their key allows.

Every claim about what leaks comes with a certificate that a machine can check. The façade is lazy: importing it costs
next to nothing, and a name brings in only the rooms behind it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sfumato import (
        account,
        bits,
        certificates,
        design,
        disclose,
        engines,
        errors,
        files,
        infer,
        io,
        measures,
        mechanisms,
        papers,
        prob,
        refine,
        render,
        study,
        values,
    )
    from sfumato.certificates import Audit, Certificate, audit, certify, verify
    from sfumato.files.layouts import DataFile
    from sfumato.prob import Channel, Circulant, Distribution
    from sfumato.refine import Ladder
    from sfumato.render.report_pages import study_report_html
    from sfumato.study import (
        Analyst,
        AskIf,
        BoundedNumber,
        Card,
        CollectTerms,
        Count,
        FreeText,
        LargeList,
        OneOfMany,
        Ordered,
        Recoverable,
        Several,
        Study,
        YesNo,
        read_study,
        write_study,
    )
    from sfumato.study.device_memory import DeviceMemory
    from sfumato.study.reports import Reports
    from sfumato.study.steps import (
        amend,
        answer_query,
        asked_options,
        audit_samples,
        combine,
        compare,
        crosstab,
        disclose_table,
        erase,
        estimate_reports,
        fit,
        open_reports,
        option_pairs,
        plan,
        publish,
        raw_shares,
        read_record,
        read_reports,
        recover_answers,
        release_noise,
        report_weights,
        weighted_shares,
        write_publication,
        write_reports,
    )
    from sfumato.study.submissions import respond
    from sfumato.study.ways.device_costs import compare_devices
    from sfumato.web.client import submit

__version__ = "0.1.0"

_ROOMS = (
    "account",
    "bits",
    "certificates",
    "design",
    "disclose",
    "engines",
    "errors",
    "files",
    "infer",
    "io",
    "measures",
    "mechanisms",
    "papers",
    "prob",
    "refine",
    "render",
    "study",
    "values",
)
_HOMES = {
    "Analyst": "study",
    "AskIf": "study",
    "Audit": "certificates",
    "BoundedNumber": "study",
    "Card": "study",
    "Certificate": "certificates",
    "Channel": "prob",
    "Circulant": "prob",
    "CollectTerms": "study",
    "Count": "study",
    "DataFile": "files.layouts",
    "DeviceMemory": "study.device_memory",
    "Distribution": "prob",
    "FreeText": "study",
    "Ladder": "refine",
    "LargeList": "study",
    "ListedCard": "study",
    "OneOfMany": "study",
    "Ordered": "study",
    "Recoverable": "study",
    "Reports": "study.reports",
    "Several": "study",
    "Study": "study",
    "YesNo": "study",
    "amend": "study.steps",
    "answer_query": "study.steps",
    "asked_options": "study.steps",
    "audit": "certificates",
    "audit_samples": "study.steps",
    "certify": "certificates",
    "combine": "study.steps",
    "compare": "study.steps",
    "compare_devices": "study.ways.device_costs",
    "crosstab": "study.steps",
    "disclose_table": "study.steps",
    "erase": "study.steps",
    "estimate_reports": "study.steps",
    "fit": "study.steps",
    "open_reports": "study.steps",
    "option_pairs": "study.steps",
    "plan": "study.steps",
    "publish": "study.steps",
    "raw_shares": "study.steps",
    "read_record": "study.steps",
    "read_reports": "study.steps",
    "read_study": "study",
    "recover_answers": "study.steps",
    "release_noise": "study.steps",
    "report_weights": "study.steps",
    "respond": "study.submissions",
    "study_report_html": "render.report_pages",
    "submit": "web.client",
    "verify": "certificates",
    "weighted_shares": "study.steps",
    "write_publication": "study.steps",
    "write_reports": "study.steps",
    "write_study": "study",
}

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
    "account",
    "amend",
    "answer_query",
    "asked_options",
    "audit",
    "audit_samples",
    "bits",
    "certificates",
    "certify",
    "combine",
    "compare",
    "compare_devices",
    "crosstab",
    "design",
    "disclose",
    "disclose_table",
    "engines",
    "erase",
    "errors",
    "estimate_reports",
    "files",
    "fit",
    "infer",
    "io",
    "measures",
    "mechanisms",
    "open_reports",
    "option_pairs",
    "papers",
    "plan",
    "prob",
    "publish",
    "raw_shares",
    "read_record",
    "read_reports",
    "read_study",
    "recover_answers",
    "refine",
    "release_noise",
    "render",
    "report_weights",
    "respond",
    "study",
    "study_report_html",
    "submit",
    "values",
    "verify",
    "weighted_shares",
    "write_publication",
    "write_reports",
    "write_study",
]


if not TYPE_CHECKING:  # a checker of types would take it for a promise that every name exists

    def __getattr__(name: str) -> Any:
        if name in _ROOMS:
            return import_module(f"sfumato.{name}")
        if name in _HOMES:
            return getattr(import_module(f"sfumato.{_HOMES[name]}"), name)
        raise AttributeError(f"module 'sfumato' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
