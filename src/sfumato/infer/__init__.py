"""What do the reports say? Estimates with intervals, tests with exact errors, and how many respondents they need."""

from sfumato.on_demand import names_on_demand

__getattr__, __dir__ = names_on_demand(__name__, __file__)
