from sfumato.workflows.amending import amend
from sfumato.workflows.auditing import PublicationAudit, audit_publication, audit_samples
from sfumato.workflows.budget import forecasts, new_ledger, pay_for, read_ledger, void_debit
from sfumato.workflows.collecting import (
    ExportedPart,
    OpenedCollection,
    UnsealedShares,
    export_part,
    open_collection,
    unseal_shares,
)
from sfumato.workflows.combining import combine
from sfumato.workflows.disclosing import disclose_table
from sfumato.workflows.erasing import erase
from sfumato.workflows.fitting import compare, crosstab, fit, fits_by_group, weighted_shares
from sfumato.workflows.key_files import (
    keys_for,
    keys_of,
    make_key_pair,
    merge_key_files,
    opening_keys,
    protect_key_file,
    protection_of,
    questions_wanted,
    rotate_key_file,
    split_key_file,
)
from sfumato.workflows.noise import release_noise
from sfumato.workflows.planning import plan
from sfumato.workflows.publishing import publish, write_publication
from sfumato.workflows.query import answer_query
from sfumato.workflows.reading import (
    asked_options,
    check_answers_place,
    check_opened_place,
    estimate_reports,
    open_reports,
    option_pairs,
    read_published,
    read_reports,
    recover_answers,
    recovery_for,
    write_reports,
)
from sfumato.workflows.weighing import raw_shares, report_weights

__all__ = [
    "ExportedPart",
    "OpenedCollection",
    "PublicationAudit",
    "UnsealedShares",
    "amend",
    "answer_query",
    "asked_options",
    "audit_publication",
    "audit_samples",
    "check_answers_place",
    "check_opened_place",
    "combine",
    "compare",
    "crosstab",
    "disclose_table",
    "erase",
    "estimate_reports",
    "export_part",
    "fit",
    "fits_by_group",
    "forecasts",
    "keys_for",
    "keys_of",
    "make_key_pair",
    "merge_key_files",
    "new_ledger",
    "open_collection",
    "open_reports",
    "opening_keys",
    "option_pairs",
    "pay_for",
    "plan",
    "protect_key_file",
    "protection_of",
    "publish",
    "questions_wanted",
    "raw_shares",
    "read_ledger",
    "read_published",
    "read_reports",
    "recover_answers",
    "recovery_for",
    "release_noise",
    "report_weights",
    "rotate_key_file",
    "split_key_file",
    "unseal_shares",
    "void_debit",
    "weighted_shares",
    "write_publication",
    "write_reports",
]
