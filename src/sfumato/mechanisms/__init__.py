"""Randomisers that scale, one a module, each with its estimator and sampler."""

from sfumato.lazy import names_on_demand

__getattr__, __dir__ = names_on_demand(__name__, __file__)
