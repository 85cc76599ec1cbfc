"""Question kinds, one or a few a module, and their table."""

from sfumato.lazy import names_on_demand

__getattr__, __dir__ = names_on_demand(__name__, __file__)
