"""Bytes, locks, tables and documents in, and canonical files out."""

from sfumato.lazy import names_on_demand

__getattr__, __dir__ = names_on_demand(__name__, __file__)
