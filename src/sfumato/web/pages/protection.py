"""What readers can do with a report, in sentences for the person who gives it. Every number is rounded up."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sfumato.study.audience import REGISTRAR
from sfumato.web.pages.page_messages import Messages


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """Who sees reports, None for everybody, and what that does to the odds at the most; None is without limit."""

    name: str | None
    odds: Fraction | None
    differs: bool = False

    @property
    def recovers(self) -> bool:
        """Whether it is the registrar, who gets answers back."""
        return self.name == REGISTRAR


def readers_of(questions: Sequence[Mapping[str, Any]]) -> tuple[Reader, ...]:
    """Return who sees reports of a form's questions, each with the worst that one report can do, the sharpest last."""
    found = [_reader(None, [one["odds"] for one in questions])]
    seen: dict[str, list[str | None]] = {}
    for question in questions:
        for one in question["sees"]:
            seen.setdefault(one["name"], []).append(one["odds"])
    keyed = sorted((_reader(name, odds) for name, odds in seen.items()), key=_sharpness)
    return (*found, *keyed)


def odds_text(odds: Fraction, decimal: str = ".") -> str:
    """Show odds with about three digits, rounded up: towards less privacy claimed.

    >>> odds_text(Fraction(271828, 100000)), odds_text(Fraction(20086, 1000)), odds_text(Fraction(7))
    ('2.72', '20.1', '7')
    """
    digits = 2 if odds < 10 else 1 if odds < 100 else 0
    scaled = -(-odds.numerator * 10**digits // odds.denominator)
    whole, rest = divmod(scaled, 10**digits)
    behind = f"{rest:0{digits}d}".rstrip("0") if digits else ""
    return f"{whole}{decimal}{behind}" if behind else str(whole)


def sight(odds: Fraction | None) -> float:
    """How blurred a reader sees, for a picture: 0 is sharp, and 1-fold odds, which tell nothing, the most."""
    if odds is None:
        return 0.0
    return max(0.6, 7.0 / math.pow(max(1.0, float(odds)), 0.6))


def question_sentences(question: Mapping[str, Any], messages: Messages, *, table: str) -> tuple[str, ...]:
    """Say what each reader can do with a report on one question."""
    decimal = messages("page.decimal")
    said = []
    for one in readers_of([question]):
        key = "public" if one.name is None else "registrar" if one.recovers else "analyst"
        if one.recovers:
            said.append(messages(f"{table}.registrar"))
        elif one.odds is None:
            said.append(messages(f"{table}.{key}_all", name=one.name))
        else:
            said.append(messages(f"{table}.{key}", name=one.name, odds=odds_text(one.odds, decimal)))
    return tuple(said)


def _sharpness(reader: Reader) -> tuple[bool, Fraction]:
    return reader.odds is None, reader.odds or Fraction(0)


def _reader(name: str | None, odds: Sequence[str | None]) -> Reader:
    known = [Fraction(one) for one in odds if one is not None]
    return Reader(name=name, odds=None if len(known) < len(odds) else max(known), differs=len(set(odds)) > 1)
