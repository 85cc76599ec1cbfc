"""Bytes, locks, tables, CSV, JSON, TOML and Parquet: no noun of Sfumato in it, so every room above may use it."""

from sfumato.files.disk import DEFAULT_LIMIT_BYTES, create_atomically, read_bytes, write_atomically

__all__ = ["DEFAULT_LIMIT_BYTES", "create_atomically", "read_bytes", "write_atomically"]
