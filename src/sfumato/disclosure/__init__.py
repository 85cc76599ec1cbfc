"""Perfect sample privacy: optimal disclosures, limits, schemes and unknown distributions [D]."""

from sfumato.lazy import names_on_demand

__getattr__, __dir__ = names_on_demand(__name__, __file__)
