"""Files: CSV, JSON and Parquet in, atomic output out. Every refusal is an `InvalidInput` with a way out."""

from sfumato.on_demand import names_on_demand

__getattr__, __dir__ = names_on_demand(__name__, __file__)
