"""Queries and their responses as files.

The table has the columns `value` and `tell`, and may have `probability` (all equal if left out) and `hide`, a predicate
to keep private instead of the value itself. A design is JSON with exact fractions; reading it checks every promise.
With persistent secrets it also has the distribution of the secret that each person keeps, and its responses are to
pairs.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from sfumato import measures
from sfumato.errors import InvalidInput, InvalidParameter, Place, UnreadableFile
from sfumato.files.disk import read_bytes, write_atomically
from sfumato.files.documents import check_keys, check_schema
from sfumato.files.tables import read_table, words_of
from sfumato.files.texts import decode_text, short
from sfumato.numbers.exact import parse_number, read_fraction
from sfumato.numbers.intervals import float_above, float_below
from sfumato.prob.channel import Channel
from sfumato.prob.distribution import Distribution, Label, product_labels
from sfumato.prob.operations import joint_law
from sfumato.recoverable.persistent import design_persistent_secret
from sfumato.recoverable.queries import Query

SCHEMA = "sfumato/query/1"
_LIMIT_BYTES = 2**24
# Of a fraction, numerator and denominator together.
_MOST_DIGITS = 801
_KEYS = ("schema", "name", "values", "probabilities", "tell", "told", "rho", "privacy", "converse", "responses")
_OPTIONAL = ("partners", "search")
# A fraction with more digits than this is written as the double on its safe side.
_MOST_WRITTEN = 700


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryTable:
    """A query: the distribution of the data, the answer to each value, and optionally what is to be hidden."""

    prior: Distribution
    tell: tuple[str, ...]
    hide: tuple[str, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryDesign:
    """A design as it stands in a file: the query, one channel a response, and what was promised.

    With `partners`, the law of a secret that each person draws once and keeps, the channels answer to pairs of the data
    and the secret. `search` says how far a search for several responses went.
    """

    name: str
    query: Query
    channels: tuple[Channel, ...]
    privacy: Fraction
    converse: Fraction
    partners: Channel | None = None
    search: str | None = None

    @property
    def pairs(self) -> tuple[Distribution, tuple[Label, ...], tuple[int, ...]]:
        """Return the law of what the channels answer to, and of each case the value of the data and the place of f."""
        prior, places = self.query.prior, self.query.f
        if self.partners is None:
            return prior, prior.labels, places
        law = joint_law(prior, self.partners).law
        size = len(self.query.values)
        return law, tuple(x for x in prior.labels for _ in range(size)), tuple(f for f in places for _ in range(size))


def partners_design(query: Query, n: int) -> QueryDesign:
    """Return n answers with a persistent secret as a file has them."""
    made = design_persistent_secret(query)
    privacy = made.privacy(n)
    return QueryDesign(
        name="a persistent secret",
        query=query,
        channels=(made.answers,) * n,
        privacy=privacy,
        converse=privacy,
        partners=made.partners,
    )


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
    document: dict[str, object] = {
        "schema": SCHEMA,
        "name": design.name,
        "values": list(query.prior.labels),
        "probabilities": [str(p) for p in query.masses],
        "tell": list(query.f),
        "told": list(query.values),
        "rho": str(query.rho),
        "privacy": _written(design.privacy, float_below),
        "converse": _written(design.converse, float_above),
        "responses": [_write_rows(channel) for channel in design.channels],
    }
    if design.partners is not None:
        document["partners"] = _write_rows(design.partners)
    if design.search is not None:
        document["search"] = design.search
    write_atomically(path, json.dumps(document, ensure_ascii=False, indent=1) + "\n")


def read_query_design(path: str | Path, *, limit_bytes: int = _LIMIT_BYTES) -> QueryDesign:
    """Read a design; every row must be a distribution, and every response must be right as often as promised."""
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
    check_keys(document, path, known=_KEYS + _OPTIONAL, needed=_KEYS)
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
    partners = None
    asked = prior.labels
    if "partners" in document:
        partners = Channel([[_exact(p) for p in row] for row in document["partners"]], prior.labels, query.values)
        asked = product_labels(prior.labels, query.values)
    channels = tuple(
        Channel([[_exact(p) for p in row] for row in rows], asked, query.values) for rows in document["responses"]
    )
    if partners is not None:
        _check_partners(query, partners, channels, _exact(document["privacy"]))
    for channel in () if partners is not None else channels:
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
        partners=partners,
        search=document.get("search"),
    )
    if not isinstance(design.search, str | None):
        raise TypeError("how a search ended is a text")
    if not 0 <= design.privacy <= design.converse <= 1:
        raise InvalidParameter(
            "must lie between 0 and `converse`", parameter="privacy", way_out="Design the query again."
        )
    if partners is None and len(channels) == 1 and design.privacy > measures.guess_error(channels[0], prior):
        raise InvalidParameter("is not what the response has", parameter="privacy", way_out="Design the query again.")
    return design


def _check_partners(query: Query, partners: Channel, channels: tuple[Channel, ...], privacy: Fraction) -> None:
    """Refuse other persistent secrets than those of the closed form."""
    made = design_persistent_secret(query)
    if partners != made.partners or not channels or any(channel != made.answers for channel in channels):
        raise InvalidParameter(
            "are not the partners of this query", parameter="partners", way_out="Design the query again."
        )
    if privacy > made.privacy(len(channels)):
        raise InvalidParameter("is not what the partners have", parameter="privacy", way_out="Design the query again.")


def _write_rows(channel: Channel) -> list[list[str]]:
    return [[str(p) for p in row] for row in channel.rows]


def _written(value: Fraction, safe: Callable[[Fraction], float]) -> str:
    text = str(value)
    return text if len(text) <= _MOST_WRITTEN else str(Fraction(safe(value)))


def _exact(text: object) -> Fraction:
    return read_fraction(text, most_digits=_MOST_DIGITS)


def _texts(table: Any, name: str) -> tuple[str, ...]:
    words = words_of(table, name)
    return tuple(words.texts[code] for code in words.codes.tolist())
