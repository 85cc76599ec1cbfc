"""For people to look at: terminal tables, Markdown, plots, and pages that stand alone."""

from sfumato.on_demand import names_on_demand

__getattr__, __dir__ = names_on_demand(__name__, __file__)
