"""Ladders as text: what a key file or a file of reports says about the ladder behind it."""

from __future__ import annotations

import json
from fractions import Fraction

from sfumato.errors import InvalidInput, UnreadableFile
from sfumato.files.numbers import read_fraction
from sfumato.refine.rungs import Rung, declared_rung

_LONGEST = 20_000
# Of an odds, numerator and denominator together.
_MOST_DIGITS = 600


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
        odds = tuple(read_fraction(value, most_digits=_MOST_DIGITS) for value in document["odds"])
        recover = document["recover"]
        if isinstance(recover, bool):
            rung = declared_rung(document)
            if declare(rung, odds, recover=recover) == text:
                return rung, odds, recover
    except (ValueError, TypeError, KeyError, AttributeError, ZeroDivisionError, InvalidInput, RecursionError):
        pass
    return None
