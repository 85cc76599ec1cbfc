"""Several privacy levels of one report: steps, keys, coalitions and recovery [B]."""

from sfumato.lazy import names_on_demand

__getattr__, __dir__ = names_on_demand(__name__, __file__)
