from sfumato.workflows.auditing import audit_publication, audit_samples
from sfumato.workflows.fitting import weighted_shares
from sfumato.workflows.publishing import write_publication
from sfumato.workflows.reading import asked_options, option_pairs
from sfumato.workflows.weighing import raw_shares, report_weights

__all__ = [
    "asked_options",
    "audit_publication",
    "audit_samples",
    "option_pairs",
    "raw_shares",
    "report_weights",
    "weighted_shares",
    "write_publication",
]
