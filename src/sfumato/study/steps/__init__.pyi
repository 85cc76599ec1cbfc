from sfumato.study.steps.amending import amend
from sfumato.study.steps.analysing import compare, crosstab, fit, fits_by_group, weighted_shares
from sfumato.study.steps.answers import answer_query
from sfumato.study.steps.auditing import audit_samples
from sfumato.study.steps.collecting import ExportedPart, OpenedCollection, export_part, open_collection
from sfumato.study.steps.combining import combine
from sfumato.study.steps.erasing import erase
from sfumato.study.steps.keys import (
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
from sfumato.study.steps.ledgers import forecasts, new_ledger, pay_for, read_ledger
from sfumato.study.steps.numbers import release_noise
from sfumato.study.steps.options import asked_options, option_pairs
from sfumato.study.steps.plans import plan
from sfumato.study.steps.reading import (
    check_answers_place,
    check_opened_place,
    estimate_reports,
    open_reports,
    read_published,
    read_reports,
    recover_answers,
    recovery_for,
    write_reports,
)
from sfumato.study.steps.records import read_record
from sfumato.study.steps.studies import publish, write_publication
from sfumato.study.steps.tables import disclose_table
from sfumato.study.steps.unsealing import UnsealedShares, unseal_shares
from sfumato.study.steps.verifying import PublicationAudit, audit_publication
from sfumato.study.steps.voiding import void_debit
from sfumato.study.steps.weighing import raw_shares, report_weights

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
    "read_record",
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
