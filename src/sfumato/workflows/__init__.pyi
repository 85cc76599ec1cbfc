from sfumato.workflows.auditing import audit_publication, audit_samples
from sfumato.workflows.budget import new_ledger, pay_for, read_ledger, void_debit
from sfumato.workflows.collecting import export_part, open_collection, unseal_shares
from sfumato.workflows.fitting import weighted_shares
from sfumato.workflows.key_files import (
    make_key_pair,
    merge_key_files,
    protect_key_file,
    rotate_key_file,
    split_key_file,
)
from sfumato.workflows.publishing import write_publication
from sfumato.workflows.reading import asked_options, option_pairs
from sfumato.workflows.weighing import raw_shares, report_weights

__all__ = [
    "asked_options",
    "audit_publication",
    "audit_samples",
    "export_part",
    "make_key_pair",
    "merge_key_files",
    "new_ledger",
    "open_collection",
    "option_pairs",
    "pay_for",
    "protect_key_file",
    "raw_shares",
    "read_ledger",
    "report_weights",
    "rotate_key_file",
    "split_key_file",
    "unseal_shares",
    "void_debit",
    "weighted_shares",
    "write_publication",
]
