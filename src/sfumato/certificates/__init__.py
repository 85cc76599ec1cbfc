"""Is it true? Claims about what leaks, made, sealed, checked again, and tested against draws."""

from sfumato.on_demand import names_on_demand

__getattr__, __dir__ = names_on_demand(__name__, __file__)
