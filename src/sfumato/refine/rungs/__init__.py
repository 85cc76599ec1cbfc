"""The rungs of ladders: one class a family, and the table of them. Nobody else asks what a rung is made over."""

from sfumato.on_demand import names_on_demand

__getattr__, __dir__ = names_on_demand(__name__, __file__)
