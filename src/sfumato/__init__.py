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
    from sfumato.prob import Channel, Circulant, Distribution
    from sfumato.refine import Ladder
    from sfumato.render.report_pages import study_report_html
    from sfumato.study import Study, read_study, write_study
    from sfumato.study.reports import Reports
    from sfumato.study.steps import (
        amend,
        answer_query,
        audit_samples,
        combine,
        disclose_table,
        erase,
        estimate_reports,
        open_reports,
        plan,
        publish,
        read_record,
        read_reports,
        recover_answers,
        release_noise,
        report_weights,
        write_publication,
        write_reports,
    )

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
    "Audit": "certificates",
    "Certificate": "certificates",
    "Channel": "prob",
    "Circulant": "prob",
    "Distribution": "prob",
    "Ladder": "refine",
    "Reports": "study.reports",
    "Study": "study",
    "amend": "study.steps",
    "answer_query": "study.steps",
    "audit": "certificates",
    "audit_samples": "study.steps",
    "certify": "certificates",
    "combine": "study.steps",
    "disclose_table": "study.steps",
    "erase": "study.steps",
    "estimate_reports": "study.steps",
    "open_reports": "study.steps",
    "plan": "study.steps",
    "publish": "study.steps",
    "read_record": "study.steps",
    "read_reports": "study.steps",
    "read_study": "study",
    "recover_answers": "study.steps",
    "release_noise": "study.steps",
    "report_weights": "study.steps",
    "study_report_html": "render.report_pages",
    "verify": "certificates",
    "write_publication": "study.steps",
    "write_reports": "study.steps",
    "write_study": "study",
}

__all__ = [
    "Audit",
    "Certificate",
    "Channel",
    "Circulant",
    "Distribution",
    "Ladder",
    "Reports",
    "Study",
    "account",
    "amend",
    "answer_query",
    "audit",
    "audit_samples",
    "bits",
    "certificates",
    "certify",
    "combine",
    "design",
    "disclose",
    "disclose_table",
    "engines",
    "erase",
    "errors",
    "estimate_reports",
    "files",
    "infer",
    "io",
    "measures",
    "mechanisms",
    "open_reports",
    "papers",
    "plan",
    "prob",
    "publish",
    "read_record",
    "read_reports",
    "read_study",
    "recover_answers",
    "refine",
    "release_noise",
    "render",
    "report_weights",
    "study",
    "study_report_html",
    "values",
    "verify",
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
