"""A part of a publication as plain texts and numbers, in the one form that records and ledgers write and read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from sfumato.account.lines import check_line
from sfumato.account.published import Published, PublishedColumn, Role
from sfumato.account.readers import ANSWERS, PUBLIC, Seen

_DRAWING = re.compile(r"[0-9a-f]{32}")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_SPELLING = re.compile(r"[0-9]{1,20}(\.[0-9]{1,30})?(e[-+][0-9]{1,3})?")
_LINES = ("people", "again", "file")
_PARTS = ("of", "amends")
_KEYS = {"study", "fingerprint", "epoch", "rows", "columns", "seen", "part", "role", *_LINES, *_PARTS}


def published_json(published: Published) -> dict[str, Any]:
    """Return it as plain texts and numbers; what is not said is left out."""
    document: dict[str, Any] = {
        "study": published.study,
        "fingerprint": published.fingerprint,
        "epoch": published.epoch,
        "rows": published.rows,
        "columns": {one.question: {"digest": one.digest, "drawing": one.drawing} for one in published.columns},
        "seen": dict(published.seen),
        "part": published.part,
        "role": published.role.value,
    }
    optional = {name: getattr(published, name) for name in (*_LINES, *_PARTS)}
    return document | {name: text for name, text in optional.items() if text is not None}


def published_from(document: Mapping[str, Any]) -> Published:
    """Read it back; whatever `published_json` never says ends in some error, which the reader of the file knows."""
    columns = tuple(
        PublishedColumn(
            question=_line(question), drawing=_like(_DRAWING, one["drawing"]), digest=_like(_DIGEST, one["digest"])
        )
        for question, one in document["columns"].items()
    )
    if not columns or set(document) - _KEYS:
        raise ValueError("other entries than a publication has")
    optional = {name: _line(document[name]) for name in _LINES if name in document}
    optional |= {name: _like(_DRAWING, document[name]) for name in _PARTS if name in document}
    return Published(
        study=_line(document["study"]),
        fingerprint=_like(_DIGEST, document["fingerprint"]),
        epoch=_whole(document["epoch"]),
        rows=_whole(document["rows"]),
        columns=columns,
        seen=seen_from(document["seen"]),
        part=_like(_DRAWING, document["part"]),
        role=Role(document["role"]),
        **optional,
    )


def seen_from(document: Mapping[str, Any]) -> Seen:
    """Read what readers see; raises ValueError, AttributeError or InvalidParameter on anything else."""
    seen = tuple(sorted((_line(reader), _epsilon_text(text)) for reader, text in document.items()))
    if dict(seen).get(PUBLIC, ANSWERS) == ANSWERS:
        raise ValueError("what everybody sees is missing, or is the answers")
    return seen


def _epsilon_text(text: object) -> str:
    if not isinstance(text, str) or not (text in {ANSWERS, "inf"} or _SPELLING.fullmatch(text)):
        raise ValueError("no ε")
    return text


def _line(text: object) -> str:
    check_line("text", text, 1000)
    return str(text)


def _like(pattern: re.Pattern[str], text: object) -> str:
    if not isinstance(text, str) or pattern.fullmatch(text) is None:
        raise ValueError("no digest")
    return text


def _whole(value: object) -> int:
    if type(value) is not int or value < 0:
        raise ValueError("not a whole number")
    return value
