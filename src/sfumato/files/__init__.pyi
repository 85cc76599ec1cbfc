from sfumato.files.disk import DEFAULT_LIMIT_BYTES, create_atomically, read_bytes, write_atomically

__all__ = [
    "DEFAULT_LIMIT_BYTES",
    "create_atomically",
    "read_bytes",
    "write_atomically",
]
