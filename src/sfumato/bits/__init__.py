"""Where random bits come from, exact samplers, and the protocol of a mechanism."""

from sfumato.on_demand import names_on_demand

__getattr__, __dir__ = names_on_demand(__name__, __file__)
