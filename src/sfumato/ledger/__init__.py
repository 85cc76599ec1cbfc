"""The ledger of releases: composition, budgets and what was spent."""

from sfumato.lazy import names_on_demand

__getattr__, __dir__ = names_on_demand(__name__, __file__)
