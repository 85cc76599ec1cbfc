from sfumato.values.claim import Claim, Claiming, Relation, Status
from sfumato.values.columns import Column, Intervals
from sfumato.values.correlation import ANYONE, NOBODY, Correlation
from sfumato.values.estimate import Estimate
from sfumato.values.guarantee import Guarantee
from sfumato.values.interval import Interval
from sfumato.values.tally import Tally

__all__ = [
    "ANYONE",
    "NOBODY",
    "Claim",
    "Claiming",
    "Column",
    "Correlation",
    "Estimate",
    "Guarantee",
    "Interval",
    "Intervals",
    "Relation",
    "Status",
    "Tally",
]
