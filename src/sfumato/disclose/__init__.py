"""Publish the whole, never the parts: mappings of a data set that are independent of every single sample."""

from sfumato.on_demand import names_on_demand

__getattr__, __dir__ = names_on_demand(__name__, __file__)
