"""TOML read strictly: decimals keep their digits, keys come from closed tables, and a refusal names key and line."""

from __future__ import annotations

import json
import re
import tomllib
from decimal import Context, Decimal
from fractions import Fraction
from pathlib import Path

from sfumato.errors import InvalidParameter, UnreadableFile
from sfumato.files.json_documents import NumberText, check_keys
from sfumato.study.surveys import exact_number


def parse_toml(text: str, path: str | Path) -> dict[str, object]:
    """Parse a study; only the place of a mistake is repeated."""
    try:
        document: dict[str, object] = tomllib.loads(text, parse_float=NumberText)
    except RecursionError:
        raise UnreadableFile(f"file {path} nests lists within lists too deeply. Flatten it.") from None
    except ValueError as error:  # also a whole number of thousands of digits
        # Only the place is repeated: a file of reports may have been handed in by mistake.
        place = re.search(r"at line \d+, column \d+", str(error))
        ended = text.count("\n", 0, len(text.rstrip())) + 1 if "end of document" in str(error) else None
        where = place.group() if place else f"at line {ended}, where it ends" if ended else ""
        raise UnreadableFile(
            f"file {path} is not a study in TOML{where and f': something is wrong {where}'}. Correct it "
            f"there, or name the study file, which comes before the reports."
        ) from None
    return document


def as_table(value: object, path: str | Path, name: str, known: tuple[str, ...]) -> dict[str, object]:
    """Return a table with known keys only."""
    if not isinstance(value, dict):
        raise UnreadableFile(
            f"file {path}, {name} must be a table. Write [{name}] on a line of its own, its keys below."
        )
    check_keys(value, f"{path}, table [{name}],", known=known, needed=())
    return value


def as_number(value: object, name: str) -> Fraction:
    """Read a number exactly."""
    if isinstance(value, NumberText):
        return exact_number(name, value.replace("_", ""))
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise InvalidParameter(f'{name} must be a number such as 0.375, or a fraction in quotes such as "3/8".')
    return exact_number(name, value)


def as_whole(value: object, name: str) -> int:
    """Read a whole number."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidParameter(f"{name} must be a whole number. Write it without quotes or point.")
    if abs(value) > 10**12:
        raise InvalidParameter(f"{name} is too large. Write a smaller whole number.")
    return value


def as_text(value: object, name: str) -> str:
    """Read text."""
    if isinstance(value, NumberText) or not isinstance(value, str):
        raise InvalidParameter(f"{name} must be text. Put it in quotes.")
    return value


def decimal_text(value: Fraction) -> str:
    """Write 0.375 where that is exact, else 1/3."""
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    if rest != 1:
        return str(value)
    exact = Context(prec=60).divide(Decimal(value.numerator), Decimal(value.denominator))
    return format(exact, "f")


def toml_text(value: object) -> str:
    """Write text, or a list of texts."""
    # A TOML basic string and a JSON string agree on all that a study may hold.
    return json.dumps(value, ensure_ascii=False)


def toml_number(text: str) -> str:
    """Write a number that reads back as the same."""
    return toml_text(text) if "/" in text else text
