"""Ladders as text: what a key file or a file of reports says about the ladder behind it."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from typing import Any

from sfumato.errors import InvalidInput, UnreadableFile
from sfumato.refine.rungs import Rung, declared_rung

_LONGEST = 20_000


def declare(rung: Rung, odds: tuple[Fraction, ...], *, recover: bool) -> str:
    """Return the one spelling of a ladder."""
    document = {
        "mechanism": rung.kind,
        **rung.declaration(),
        "odds": [str(value) for value in odds],
        "recover": recover,
    }
    return json.dumps(document, separators=(",", ":"))


def read_declaration(text: str) -> tuple[Rung, tuple[Fraction, ...], bool]:
    """Return the rung, the odds of the levels, and whether answers are recovered; only `declare`'s spelling."""
    found = _read(text) if len(text) <= _LONGEST else None
    if found is None:
        raise UnreadableFile("the declaration of a ladder is damaged", way_out="Ask for the file again.")
    return found


def _read(text: str) -> tuple[Rung, tuple[Fraction, ...], bool] | None:
    try:
        document = json.loads(text)
        odds = tuple(_odds(value) for value in document["odds"])
        recover = document["recover"]
        if isinstance(recover, bool):
            rung = declared_rung(document)
            if declare(rung, odds, recover=recover) == text:
                return rung, odds, recover
    except (ValueError, TypeError, KeyError, AttributeError, ZeroDivisionError, InvalidInput, RecursionError):
        pass
    return None


def _odds(value: Any) -> Fraction:
    # "1e999999999" would be a fraction too, of a billion digits.
    if not isinstance(value, str) or not re.fullmatch(r"\d{1,300}(/\d{1,300})?", value):
        raise ValueError
    return Fraction(value)
