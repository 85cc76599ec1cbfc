"""Certificates: claims about what leaks, stated, sealed, verified and audited."""

from sfumato.lazy import names_on_demand

__getattr__, __dir__ = names_on_demand(__name__, __file__)
