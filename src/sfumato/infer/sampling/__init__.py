"""How a sample was drawn, and what its reports say about the population: weights, strata, clusters, known totals."""

from sfumato.on_demand import names_on_demand

__getattr__, __dir__ = names_on_demand(__name__, __file__)
