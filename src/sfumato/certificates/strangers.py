"""Files that are not certificates of this version, told apart: newer ones, other files of ours, and everything else."""

from __future__ import annotations

import re
import struct
from collections.abc import Collection

import msgspec

from sfumato.errors import UnknownSchema, UnreadableFile

SCHEMA_PREFIX = "sfumato/certificate/"
_SCHEMA = re.compile(r"sfumato/([a-z-]+)(?:/[a-z-]+)*/([0-9]+)")
_WRITTEN = re.compile(rb'"?schema"?\s*[:=]\s*"(sfumato/[a-z/-]{1,60}/[0-9]{1,9})"')
_KEY_MAGIC = b"SFUMATO KEY\n"
_LEDGER_ID = struct.pack(">I", 0x5366756D)
_CERTIFY = "Pass a JSON file that sfumato certify, plan, disclose or noise wrote as a certificate."

# What our other files are, by the second word of their schema.
_OTHERS = {
    "audit": "the result of an audit",
    "budget": "the state of a ledger",
    "channel": "a channel",
    "estimates": "estimates of a study",
    "key": "a key file",
    "ledger": "a ledger",
    "noise": "a calibration of noise",
    "noisy": "a noisy answer",
    "prior": "a prior",
    "private-key": "a private key",
    "publication": "the record of a publication",
    "query": "a query",
    "query-plan": "the plan of a query",
    "release": "the record of a release",
    "releases": "a book of releases",
    "report-page": "the record of a page",
    "reports": "a file of reports",
    "samples": "a table of samples",
    "study": "a study",
    "study-plan": "the plan of a study",
}


class _Schema(msgspec.Struct):
    schema: str = ""


def schema_in(raw: bytes, known: Collection[str]) -> str:
    """Return the schema of a certificate that this version knows; refuses any other file in a true sentence."""
    schema = _schema_of(raw)
    if schema is None:
        raise UnreadableFile(
            "this is not a Sfumato certificate: it is not a JSON object with a schema", way_out=_CERTIFY
        )
    if schema in known:
        return schema
    refuse_stranger(raw)
    if schema.startswith(SCHEMA_PREFIX) and _SCHEMA.fullmatch(schema):
        kind = schema.rpartition("/")[0]
        mine = [other for other in known if other.rpartition("/")[0] == kind]
        reads = ", ".join(mine or sorted(known))
        raise UnknownSchema(
            f"the certificate has the schema {schema[:60]}, of another version of Sfumato; this one reads {reads}",
            way_out="Upgrade sfumato to read it.",
        )
    if _SCHEMA.fullmatch(schema):
        raise UnknownSchema(f"this is a Sfumato file of the schema {schema[:60]}, not a certificate", way_out=_CERTIFY)
    raise UnreadableFile("this is not a Sfumato certificate: its schema is none of Sfumato's", way_out=_CERTIFY)


def refuse_stranger(raw: bytes) -> None:
    """Raise when a file is surely another of ours: it says so where it begins, or in its schema."""
    if (name := _name_of(raw)) is not None:
        raise UnknownSchema(f"this is {name}, not a certificate", way_out=_CERTIFY)


def _name_of(raw: bytes) -> str | None:
    if raw.startswith(_KEY_MAGIC):
        return _OTHERS["key"]
    if raw.startswith(b"SQLite format 3\0") and raw[68:72] == _LEDGER_ID:
        return _OTHERS["ledger"]
    if raw[:4] == b"PAR1" and b"sfumato/reports/" in raw:
        return _OTHERS["reports"]
    if raw[:15].lower() == b"<!doctype html>":
        return "a page"
    schema = _schema_of(raw)
    if schema is None:  # no JSON, but perhaps TOML
        written = _WRITTEN.search(raw[:4096])
        schema = "" if written is None else written.group(1).decode()
    found = _SCHEMA.fullmatch(schema)
    return None if found is None else _OTHERS.get(found.group(1))


def _schema_of(raw: bytes) -> str | None:
    try:
        return msgspec.json.decode(raw, type=_Schema).schema
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
