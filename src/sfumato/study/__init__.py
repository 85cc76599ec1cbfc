"""The study: what is asked and in which way, what is promised, who may see how much, and the steps to a page."""

from sfumato.on_demand import names_on_demand

__getattr__, __dir__ = names_on_demand(__name__, __file__)
