"""Numbers in text are exact: 0.1 is one tenth, and 1/3 is one third.

What a number may cost is bounded by its text, so that no file can ask for a billion digits.
"""

from __future__ import annotations

import functools
import re
from fractions import Fraction

from sfumato.errors import InvalidParameter, Place, UnreadableFile

MOST_CHARACTERS = 400
"""Length of a decimal, and of each side of a fraction."""
MOST_EXPONENT = 400

_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE]([+-]?[0-9]+))?")
_FRACTION = re.compile(r"([+-]?[0-9]+)\s*/\s*([0-9]+)")
_EXACT = re.compile(r"-?[0-9]+(/[0-9]+)?")
_NOT_FINITE = re.compile(r"[+-]?(?:nan|inf|infinity)", re.IGNORECASE)
_ATTEMPT = re.compile(r"(?=[^0-9]*[0-9])[-+0-9.,/%eE\s]+")
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+")


def parse_number(text: str, what: str, place: Place | None = None) -> Fraction:
    """Read "3", "0.1", "1e-3" or "1/3" exactly; a refusal calls the number `what` and says its place.

    The text itself is never repeated: a file handed in by mistake may hold answers.
    """
    number = _read_short(text) if len(text) <= 40 else _read(text)
    if number is None:
        rule, way_out = _why_not(text.strip())
        raise UnreadableFile(f"{what} {rule}", way_out=way_out, place=place)
    return number


def parse_given(text: str, parameter: str) -> Fraction:
    """Read the number that somebody gave for a parameter, exactly, as `parse_number` reads one of a file."""
    number = _read_short(text) if len(text) <= 40 else _read(text)
    if number is None:
        rule, way_out = _why_not(text.strip())
        raise InvalidParameter(rule, parameter=parameter, way_out=way_out)
    return number


def read_fraction(text: object, *, most_digits: int | None = None) -> Fraction:
    """Read what `str` of a Fraction wrote, in as many digits; raises ValueError for anything else."""
    # "1e999999999" would be a fraction too, of a billion digits.
    if not isinstance(text, str) or (most_digits is not None and len(text) > most_digits) or not _EXACT.fullmatch(text):
        raise ValueError("not a fraction of whole numbers")
    return Fraction(text)


def looks_like_number(text: str) -> bool:
    """Whether a number was meant, even a broken one: such a cell must not pass for the label of a column."""
    stripped = text.strip()
    return not stripped or bool(_ATTEMPT.fullmatch(stripped) or _NOT_FINITE.fullmatch(stripped))


def parse_count(text: str, what: str, place: Place | None = None, *, most: int) -> int:
    """Read a whole number from 0 to `most`, written with digits only."""
    stripped = text.strip()
    # isdecimal alone would let in digits of other scripts.
    if not (stripped.isascii() and stripped.isdecimal()) or len(stripped) > len(str(most)) or int(stripped) > most:
        raise UnreadableFile(
            f"{what} must be a whole number from 0 to {most}", way_out="Write it with digits only.", place=place
        )
    return int(stripped)


def _read(text: str) -> Fraction | None:
    stripped = text.strip()
    # Length comes first: after it, no pattern and no conversion can take long.
    if len(stripped) > 2 * MOST_CHARACTERS + 1:
        return None
    fraction = _FRACTION.fullmatch(stripped)
    if fraction:
        numerator, denominator = fraction.groups()
        if max(len(numerator), len(denominator)) > MOST_CHARACTERS or int(denominator) == 0:
            return None
        return Fraction(int(numerator), int(denominator))
    decimal = _DECIMAL.fullmatch(stripped)
    if len(stripped) > MOST_CHARACTERS or decimal is None or abs(int(decimal[1] or 0)) > MOST_EXPONENT:
        return None
    return Fraction(stripped)


# A channel of a million entries often has two different ones.
_read_short = functools.lru_cache(maxsize=2**16)(_read)


def _why_not(text: str) -> tuple[str, str]:
    """Return what is wrong with a number, and what to do."""
    if not text:
        return "is empty", "Write a number there, 0 if nothing is meant."
    if len(text) > MOST_CHARACTERS:
        return f"has {len(text)} characters and a number may have {MOST_CHARACTERS}", "Write fewer digits."
    if _FRACTION.fullmatch(text):
        return "divides by zero", "Write a denominator of at least 1."
    if _DECIMAL.fullmatch(text):
        return f"has an exponent beyond ±{MOST_EXPONENT}", "No probability needs one; write 0 if that is meant."
    if _NOT_FINITE.fullmatch(text):
        return "is not finite", "Check how it was computed; a probability lies in [0, 1]."
    if _DECIMAL_COMMA.fullmatch(text):
        return "has a decimal comma", "Write a point: 0.5, not 0,5."
    if text.endswith("%"):
        return "is a percentage", "Write 0.5, not 50%."
    return "is not a number", "Write it like 0.25, 1/4 or 2.5e-1."


def decimals(value: Fraction) -> int:
    """How many digits a decimal has after the point."""
    digits = 0
    while (value * 10**digits).denominator != 1:
        digits += 1
    return digits


def is_decimal(value: Fraction) -> bool:
    """Whether a number can be written with digits alone."""
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    return rest == 1


def written(value: Fraction | float) -> str:
    """Write a number with as many digits as it has, or six that matter where they do not end."""
    number = Fraction(value)
    if number.denominator == 1:
        return str(number.numerator)
    if not is_decimal(number):
        return f"{float(number):.6g}"
    digits = decimals(number)
    whole = f"{abs(number.numerator) * 10**digits // number.denominator:0{digits + 1}d}"
    return f"{'-' if number < 0 else ''}{whole[:-digits]}.{whole[-digits:]}"
