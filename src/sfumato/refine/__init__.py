"""Who may see more: levels over one report, the keys that climb them, and keys that recover."""

from sfumato.on_demand import names_on_demand

__getattr__, __dir__ = names_on_demand(__name__, __file__)
