from sfumato.values.claim import Claim, Claiming, Relation, Status
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
    "Correlation",
    "Estimate",
    "Guarantee",
    "Interval",
    "Relation",
    "Status",
    "Tally",
]
