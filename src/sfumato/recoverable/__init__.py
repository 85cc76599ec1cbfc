"""Answers that are right with a stated probability, once or many times [A]."""

from sfumato.lazy import names_on_demand

__getattr__, __dir__ = names_on_demand(__name__, __file__)
