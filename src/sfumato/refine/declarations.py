"""Ladders as text: what a key file or a file of reports says about the ladder behind it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from sfumato.errors import InvalidInput, UnreadableFile
from sfumato.mechanisms import BinaryHadamard, CyclicResponse
from sfumato.mechanisms.favoured_sets import Family
from sfumato.refine.rungs import Rung

_LONGEST = 20_000
_DAMAGED = "the declaration of a ladder is damaged. Ask for the file again."


def declare(mechanism: Rung, odds: tuple[Fraction, ...], *, recover: bool) -> str:
    """Return the one spelling of a ladder."""
    if isinstance(mechanism, BinaryHadamard):
        over: dict[str, object] = {"mechanism": "binary_hadamard", "size": mechanism.size}
    else:
        over = {
            "mechanism": "cyclic_response",
            "size": mechanism.size,
            "family": mechanism.family.value,
            "q": mechanism.q,
            "t": mechanism.t,
        }
    return json.dumps({**over, "odds": [str(value) for value in odds], "recover": recover}, separators=(",", ":"))


def read_declaration(text: str) -> tuple[Rung, tuple[Fraction, ...], bool]:
    """Return the mechanism, the odds of the levels, and whether answers are recovered; only `declare`'s spelling."""
    if len(text) > _LONGEST:
        raise UnreadableFile(_DAMAGED)
    try:
        document = json.loads(text)
        odds = tuple(_odds(value) for value in document["odds"])
        recover = document["recover"]
        if isinstance(recover, bool):
            mechanism = _mechanism(document)
            if declare(mechanism, odds, recover=recover) == text:
                return mechanism, odds, recover
    except (ValueError, TypeError, KeyError, ZeroDivisionError, InvalidInput, RecursionError):
        pass
    raise UnreadableFile(_DAMAGED)


def _odds(value: object) -> Fraction:
    # "1e999999999" would be a fraction too, of a billion digits.
    if not isinstance(value, str) or not re.fullmatch(r"\d{1,300}(/\d{1,300})?", value):
        raise ValueError
    return Fraction(value)


def _mechanism(document: Mapping[str, Any]) -> Rung:
    if any(type(document.get(name, 0)) is not int for name in ("size", "q", "t")):
        raise ValueError
    size = document["size"]
    if document["mechanism"] == "binary_hadamard":
        return BinaryHadamard(size=size, odds=Fraction(2))
    if document["mechanism"] == "cyclic_response":
        family = Family(document["family"])
        q, t = document["q"], document["t"]
        return CyclicResponse(size=size, odds=Fraction(2), q=q, t=t, family=family)
    raise ValueError
