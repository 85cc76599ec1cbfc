"""Sources of random bits, exact samplers, and draws addressed by row."""

from sfumato.lazy import names_on_demand

__getattr__, __dir__ = names_on_demand(__name__, __file__)
