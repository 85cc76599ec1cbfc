"""The account over many releases: what adds up, what does not, and a ledger that refuses when the budget is spent."""

from sfumato.on_demand import names_on_demand

__getattr__, __dir__ = names_on_demand(__name__, __file__)
