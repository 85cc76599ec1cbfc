from sfumato.account.amounts import Charges, Currency
from sfumato.account.assumptions import Assumption, Counting
from sfumato.account.composition import (
    Composed,
    Parallel,
    TwoDataSets,
    compose,
    compose_parallel,
    compose_two_data_sets,
    cross_capacity_bits,
    group_bound_bits,
    joint_of_two_data_sets,
)
from sfumato.account.ledger_books import Book
from sfumato.account.ledger_entries import Entry, Receipt
from sfumato.account.ledger_sums import Standing
from sfumato.account.ledgers import Ledger
from sfumato.account.periods import Per, Period
from sfumato.account.published import Published, PublishedColumn, Role
from sfumato.account.releases import Kind, Release, information, local, perfect_samples, recoverable

__all__ = [
    "Assumption",
    "Book",
    "Charges",
    "Composed",
    "Counting",
    "Currency",
    "Entry",
    "Kind",
    "Ledger",
    "Parallel",
    "Per",
    "Period",
    "Published",
    "PublishedColumn",
    "Receipt",
    "Release",
    "Role",
    "Standing",
    "TwoDataSets",
    "compose",
    "compose_parallel",
    "compose_two_data_sets",
    "cross_capacity_bits",
    "group_bound_bits",
    "information",
    "joint_of_two_data_sets",
    "local",
    "perfect_samples",
    "recoverable",
]
