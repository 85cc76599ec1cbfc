"""Many byte strings as one parameter of PostgreSQL: an array in its binary form, made in one go.

psycopg looks at every element of a list by itself, in Python, which costs a report more than its way to the database.
All bodies of a study have one length, so what stands between two of them is always the same: one `join` makes it all.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from psycopg import Connection
from psycopg.adapt import Buffer, Dumper
from psycopg.pq import Format

_BYTEA, _BYTEA_ARRAY = 17, 1001
# Dimensions, whether there are nulls, the type of elements, how many, and the number of the first.
_HEAD = struct.Struct(">iiIii")
_NULL = (-1).to_bytes(4, "big", signed=True)


class ByteArray(bytes):
    """An array of byte strings as PostgreSQL reads it."""

    __slots__ = ()


class _AsItIs(Dumper):
    format = Format.BINARY
    oid = _BYTEA_ARRAY

    def dump(self, obj: Buffer) -> Buffer:
        return obj


def byte_array(values: Sequence[bytes | None]) -> ByteArray:
    """Return byte strings as one array; None is a null."""
    if not values:
        return ByteArray(_HEAD.pack(0, 0, _BYTEA, 0, 1)[:12])
    marks = {_NULL if value is None else len(value).to_bytes(4, "big") for value in values}
    head = _HEAD.pack(1, int(_NULL in marks), _BYTEA, len(values), 1)
    if len(marks) == 1:
        return ByteArray(marks.pop().join([head, *(value or b"" for value in values)]))
    each = (_NULL if value is None else len(value).to_bytes(4, "big") + value for value in values)
    return ByteArray(head + b"".join(each))


def take_byte_arrays(connection: Connection) -> None:
    """Let a connection take such arrays as they are."""
    connection.adapters.register_dumper(ByteArray, _AsItIs)
