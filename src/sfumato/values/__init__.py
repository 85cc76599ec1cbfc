"""Plain values that every room may hold: no numerics, no randomness, no files."""

from sfumato.on_demand import names_on_demand

__getattr__, __dir__ = names_on_demand(__name__, __file__)
