"""Queries and their responses on disk: a table of values with probabilities and what may be told, and sealed designs.

The table has the columns `value` and `tell`, and may have `probability` (all equal if left out) and `hide`, a predicate
to keep private instead of the value itself. A design is JSON with exact fractions; reading it checks every promise.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from sfumato import measures
from sfumato.design import Query
from sfumato.errors import InvalidInput, InvalidParameter, Place, UnreadableFile
from sfumato.files.csv_tables import decode_text
from sfumato.files.disk import read_bytes, write_atomically
from sfumato.files.json_documents import check_keys, check_schema
from sfumato.files.numbers import parse_number, read_fraction
from sfumato.files.tables import read_table, words_of
from sfumato.files.texts import short
from sfumato.prob import Channel, Distribution

SCHEMA = "sfumato/query/1"
_LIMIT_BYTES = 2**24
# Of a fraction, numerator and denominator together.
_MOST_DIGITS = 801
_KEYS = ("schema", "name", "values", "probabilities", "tell", "told", "rho", "privacy", "converse", "responses")


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryTable:
    """What a query is about: the law of the data, what may be told of each value, and perhaps what is to be hidden."""

    prior: Distribution
    tell: tuple[str, ...]
    hide: tuple[str, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryDesign:
    """A design as it stands in a file: the query, one channel a response, and what was promised."""

    name: str
    query: Query
    channels: tuple[Channel, ...]
    privacy: Fraction
    converse: Fraction


def read_query_table(path: str | Path, *, limit_bytes: int = _LIMIT_BYTES) -> QueryTable:
    """Read a table of values; what is wrong is refused by its row."""
    table, _ = read_table(path, limit_bytes=limit_bytes)
    unknown = set(table.column_names) - {"value", "probability", "tell", "hide"}
    if unknown:
        raise UnreadableFile(
            f"the file has the column {short(min(unknown))}, which a query has not",
            way_out="Keep only value, tell, and perhaps probability and hide.",
            place=Place(file=str(path)),
        )
    values = _texts(table, "value")
    if len(set(values)) != len(values):
        raise UnreadableFile(
            "the file lists the same value twice", way_out="List each once.", place=Place(file=str(path))
        )
    if not values:
        raise UnreadableFile("the file lists no value", way_out="List each value once.", place=Place(file=str(path)))
    masses: list[Fraction] = [Fraction(1, len(values))] * len(values)
    if "probability" in table.column_names:
        masses = [
            parse_number(text, f"the probability in row {i + 1}", Place(file=str(path)))
            for i, text in enumerate(_texts(table, "probability"))
        ]
    return QueryTable(
        prior=Distribution(masses, values),
        tell=_texts(table, "tell"),
        hide=_texts(table, "hide") if "hide" in table.column_names else None,
    )


def write_query_design(design: QueryDesign, path: str | Path) -> None:
    """Write a design."""
    query = design.query
    document = {
        "schema": SCHEMA,
        "name": design.name,
        "values": list(query.prior.labels),
        "probabilities": [str(p) for p in query.masses],
        "tell": list(query.f),
        "told": list(query.values),
        "rho": str(query.rho),
        "privacy": str(design.privacy),
        "converse": str(design.converse),
        "responses": [[[str(p) for p in row] for row in channel.rows] for channel in design.channels],
    }
    write_atomically(path, json.dumps(document, ensure_ascii=False, indent=1) + "\n")


def read_query_design(path: str | Path, *, limit_bytes: int = _LIMIT_BYTES) -> QueryDesign:
    """Read a design; every row must be a law, and every response must tell the truth as often as was promised."""
    text = decode_text(read_bytes(path, limit_bytes=limit_bytes), path)
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        raise UnreadableFile(
            "the file is not JSON",
            way_out="Name the design that `sfumato query design` wrote.",
            place=Place(file=str(path)),
        ) from None
    if not isinstance(document, dict):
        raise UnreadableFile(
            "the file is not a design",
            way_out="Name the file that `sfumato query design` wrote.",
            place=Place(file=str(path)),
        )
    check_schema(document, path, kind="query")
    check_keys(document, path, known=_KEYS, needed=_KEYS)
    try:
        return _read(document)
    except (InvalidInput, ValueError, TypeError, KeyError, IndexError, ArithmeticError, RecursionError):
        raise UnreadableFile(
            "the file is damaged, or was changed by hand",
            way_out="Design the query again.",
            place=Place(file=str(path)),
        ) from None


def _read(document: dict[str, Any]) -> QueryDesign:
    prior = Distribution([_exact(p) for p in document["probabilities"]], document["values"])
    told = document["told"]
    query = Query.of(prior, [told[place] for place in document["tell"]], _exact(document["rho"]), values=told)
    channels = tuple(
        Channel([[_exact(p) for p in row] for row in rows], prior.labels, query.values)
        for rows in document["responses"]
    )
    for channel in channels:
        if any(row[place] < query.rho for row, place in zip(channel.rows, query.f, strict=True)):
            raise InvalidParameter(
                "has a response that is right less often than `rho`",
                parameter="responses",
                way_out="Design the query again.",
            )
    if not isinstance(document["name"], str):
        raise TypeError("the name is a text")
    design = QueryDesign(
        name=document["name"],
        query=query,
        channels=channels,
        privacy=_exact(document["privacy"]),
        converse=_exact(document["converse"]),
    )
    if not 0 <= design.privacy <= design.converse <= 1:
        raise InvalidParameter(
            "must lie between 0 and `converse`", parameter="privacy", way_out="Design the query again."
        )
    if len(channels) == 1 and design.privacy > measures.guess_error(channels[0], prior):
        raise InvalidParameter("is not what the response has", parameter="privacy", way_out="Design the query again.")
    return design


def _exact(text: object) -> Fraction:
    return read_fraction(text, most_digits=_MOST_DIGITS)


def _texts(table: Any, name: str) -> tuple[str, ...]:
    words = words_of(table, name)
    return tuple(words.texts[code] for code in words.codes.tolist())
