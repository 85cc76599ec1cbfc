"""Randomised-response surveys: optimal and classic designs, lists and cards [C]."""

from sfumato.lazy import names_on_demand

__getattr__, __dir__ = names_on_demand(__name__, __file__)
