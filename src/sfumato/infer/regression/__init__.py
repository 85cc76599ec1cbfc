"""Regression with randomised reports: outcomes or covariates seen through any channels, by likelihood."""

from sfumato.on_demand import names_on_demand

__getattr__, __dir__ = names_on_demand(__name__, __file__)
