"""Bytes, locks, tables, CSV, JSON, TOML and Parquet: no noun of Sfumato in it, so every room above may use it."""

from sfumato.on_demand import names_on_demand

__getattr__, __dir__ = names_on_demand(__name__, __file__)
