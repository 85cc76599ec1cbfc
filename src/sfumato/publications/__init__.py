"""What a study publishes: reports, parts, manifests, notes, opening and analysis data."""

from sfumato.lazy import names_on_demand

__getattr__, __dir__ = names_on_demand(__name__, __file__)
