from sfumato.ledger.amounts import Charges, Currency
from sfumato.ledger.composition import (
    compose,
    compose_parallel,
    compose_two_data_sets,
    cross_capacity_bits,
    group_bound_bits,
    joint_of_two_data_sets,
)
from sfumato.ledger.dependence import Assumption, Counting
from sfumato.ledger.documents import Per, Period
from sfumato.ledger.ledger import Ledger
from sfumato.ledger.releases import (
    Kind,
    Published,
    PublishedColumn,
    Release,
    Role,
    information,
    local,
    perfect_samples,
    recoverable,
)

__all__ = [
    "Assumption",
    "Charges",
    "Counting",
    "Currency",
    "Kind",
    "Ledger",
    "Per",
    "Period",
    "Published",
    "PublishedColumn",
    "Release",
    "Role",
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
