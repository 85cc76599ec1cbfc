"""Exact numbers: reading them, common denominators, rounding to a grid, and small linear systems.

**The rounding rule.** On the grid of multiples of 2^-width every entry is rounded to the nearest grid point (a positive
entry to at least one step). The difference to 1 is then added to the largest entry of the row, the first of them if
there are several. Rows therefore stay stochastic, zeros stay zeros, positive entries stay positive, and no entry but
the largest moves by more than one step.
"""

from __future__ import annotations

import functools
import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidLaw, InvalidParameter, Place, UnreadableFile, about
from sfumato.numbers.checks import Number, Reals, as_number, check_at_least, check_integer

FloatArray = npt.NDArray[np.float64]
IntegerArray = npt.NDArray[np.object_]  # Python integers, so that nothing overflows
RealArray = npt.NDArray[np.floating[Any] | np.integer[Any] | np.object_]


class SupportsArray(Protocol):
    """An object that numpy reads as an array: a data frame, a series, a tensor."""

    def __array__(self) -> npt.NDArray[Any]:
        """Return the array."""
        ...


LawLike = Reals | RealArray
"""What is read as a law: numbers in order."""
RowsLike = Sequence[LawLike | SupportsArray] | RealArray | SupportsArray
"""What is read as the rows of a channel: nested lists, or an array with two dimensions."""

# Decimal text and floats usually sum to 1 within this tolerance; a wrong row usually does not.
ROW_SUM_TOLERANCE = 1e-9
_PLAIN = {float, int, Fraction}
FEW_ENTRIES = 25
"""Of a table: up to here plain Python is quicker than calls of numpy."""
MOST_DENOMINATOR_BITS = 14_000
"""Of a law that is worked with exactly; Python writes numbers of up to 4,300 digits, which is a little more."""


Entries = Sequence[Any] | npt.NDArray[Any]


def entries_of(name: str, value: object, *, rule: str, way_out: str) -> Entries:
    """Return a list, a tuple or an array as it is and what offers `__array__` as an array; refuse all else."""
    if isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray | memoryview):
        return value
    if hasattr(value, "__array__"):
        array = np.asarray(value)
        if array.ndim > 0:
            return array
    raise InvalidLaw(f"{rule}, not {type(value).__name__}", parameter=name, way_out=way_out)


def check_law(name: str, given: object) -> tuple[Number, ...]:
    """Return one law as all-Fraction or all-float numbers, refusing what is not a probability law."""
    numbers = entries_of(
        name, given, rule="must be a list of probabilities", way_out="Give a list or an array with one dimension."
    )
    if isinstance(numbers, np.ndarray) and numbers.ndim != 1:
        raise InvalidLaw(
            f"must be one list of probabilities, not an array of shape {numbers.shape}",
            parameter=name,
            way_out="Give a list or an array with one dimension.",
        )
    if len(numbers) == 0:
        raise InvalidLaw("is empty", parameter=name, way_out="A law needs at least one outcome.")
    if isinstance(numbers, np.ndarray) and numbers.dtype == np.float64:
        numbers = numbers.tolist()
    kinds = set(map(type, numbers))
    if kinds == {float}:
        plain: tuple[float, ...] = tuple(numbers)
        # What is finite, not negative and sums to 1 needs no further look; anything else is examined below.
        if is_law(plain):
            return plain
    law = _plain_numbers(numbers) if kinds <= _PLAIN else _read_numbers(name, numbers)
    distinct = _objects(law)  # not by value: a float may equal a Fraction
    if not all(0 <= value < math.inf for value in distinct):
        raise _no_probability(name, law)
    if all(isinstance(value, Fraction) for value in distinct):
        # Numbers that are one object are added by their multiplicity: a law of many outcomes often has few of them.
        counts = Counter(map(id, law))
        total: Number = exact_sum([counts[id(value)] * Fraction(value) for value in distinct])
        if total != 1:
            raise _wrong_sum(name, total)
        return law
    floats = tuple(map(float, law))
    # Numbers near the end of the range would overflow on the way to a sum that is wrong anyway.
    added = math.fsum(floats) if max(floats) <= 2 else math.inf
    if not abs(added - 1) <= ROW_SUM_TOLERANCE:
        raise _wrong_sum(name, sum(floats) if math.isinf(added) else added)
    return floats


def distinct_numbers(law: Iterable[Number]) -> frozenset[Number]:
    """Return the different numbers of a law; quick where one object stands at many places."""
    return frozenset(_objects(law))


def _objects(law: Iterable[Number]) -> list[Number]:
    return list({id(value): value for value in law}.values())


def _plain_numbers(numbers: Iterable[Any]) -> tuple[Number, ...]:
    return tuple(Fraction(value) if type(value) is int else value for value in numbers)


def _read_numbers(name: str, numbers: Iterable[object]) -> tuple[Number, ...]:
    try:
        return tuple(as_number(f"{name}[{i}]", value) for i, value in enumerate(numbers))
    except InvalidParameter as error:
        raise InvalidLaw(error.rule, parameter=error.parameter, value=error.value, way_out=error.way_out) from None


def _no_probability(name: str, law: Sequence[Number]) -> InvalidLaw:
    """Say which number is the first that cannot be one."""
    _read_numbers(name, law)
    i = next(i for i, value in enumerate(law) if value < 0)
    return InvalidLaw("is negative", parameter=f"{name}[{i}]", value=law[i], way_out="Probabilities lie in [0, 1].")


def check_float_rows(name: str, array: RealArray) -> FloatArray:
    """Do the same for a float64 matrix at array speed; returns a read-only copy."""
    if array.ndim != 2 or 0 in array.shape:
        raise InvalidLaw(
            f"must be a table with rows and columns, not of shape {array.shape}",
            parameter=name,
            way_out="Give one row for each input.",
        )
    copy: FloatArray = np.add(array, 0.0, dtype=np.float64)  # no negative zeros, so that equal rows hash alike
    if not are_laws(copy):
        raise _no_law(name, copy)
    copy.setflags(write=False)
    return copy


def are_laws(rows: FloatArray) -> bool:
    """Whether every row of a table is a law, at array speed."""
    if rows.size <= FEW_ENTRIES:
        return all(map(is_law, rows.tolist()))
    # The least of numbers with a NaN among them is NaN, and infinite rows do not sum to 1.
    if not np.minimum.reduce(rows, axis=None) >= 0:
        return False
    totals = np.add.reduce(rows, axis=1).tolist()
    return bool(max(totals) - 1 <= ROW_SUM_TOLERANCE and 1 - min(totals) <= ROW_SUM_TOLERANCE)


def is_law(numbers: Sequence[float]) -> bool:
    """Whether none of the numbers is negative and they sum to 1; the sum of a NaN is none."""
    return min(numbers) >= 0 and abs(sum(numbers) - 1) <= ROW_SUM_TOLERANCE


def _no_law(name: str, copy: FloatArray) -> InvalidLaw:
    """Say what is wrong with a matrix: its first entry that is no probability, or its first row with another sum."""
    if not np.isfinite(copy).all():
        x, y = (int(i) for i in np.argwhere(~np.isfinite(copy))[0])
        return InvalidLaw(
            "must be finite",
            parameter=f"{name}[{x}][{y}]",
            value=float(copy[x, y]),
            way_out="Check how it was computed.",
        )
    if (copy < 0).any():
        x, y = (int(i) for i in np.argwhere(copy < 0)[0])
        return InvalidLaw(
            "is negative",
            parameter=f"{name}[{x}][{y}]",
            value=float(copy[x, y]),
            way_out="Probabilities lie in [0, 1].",
        )
    x = int(np.flatnonzero(np.abs(copy.sum(axis=1) - 1) > ROW_SUM_TOLERANCE)[0])
    return _wrong_sum(f"{name}[{x}]", float(copy[x].sum()))


def exact_sum(values: Sequence[Fraction]) -> Fraction:
    """Add fractions; over one denominator where it is no monster, which takes a tenth of the time."""
    common = common_denominator(values)
    if common is None:
        return sum(values, Fraction(0))
    return Fraction(sum(value.numerator * (common // value.denominator) for value in values), common)


def common_denominator(values: Iterable[Fraction]) -> int | None:
    """Return the common denominator, or None past `MOST_DENOMINATOR_BITS`: of unrelated ones it is a monster.

    It gives up early, so that no file can ask for a day of arithmetic in a few thousand digits.
    """
    common = 1
    for denominator in {value.denominator for value in values}:
        common = math.lcm(common, denominator)
        if common.bit_length() > MOST_DENOMINATOR_BITS:
            return None
    return common


def common_numerators(rows: Sequence[Sequence[Fraction]]) -> tuple[IntegerArray, int]:
    """Write exact rows as integers over one denominator."""
    denominator = math.lcm(*{value.denominator for row in rows for value in row})
    numerators = np.empty((len(rows), len(rows[0])), dtype=object)
    for x, row in enumerate(rows):
        numerators[x] = [value.numerator * (denominator // value.denominator) for value in row]
    numerators.setflags(write=False)
    return numerators, denominator


def default_width(array: FloatArray) -> int:
    """Give 64 bits of grid below the smallest positive entry, so that even ratios of tiny entries survive."""
    smallest = float(array[array > 0].min())
    return 64 - math.frexp(smallest)[1]


def round_to_grid(law: Sequence[Number], width: int) -> tuple[int, ...]:
    """Apply the rounding rule: integers that sum to 2^width. Raises when the grid is too coarse."""
    check_at_least("width", check_integer("width", width), 1)
    scale = 1 << width
    exact = [Fraction(value) for value in law]
    grid = [max(1, round(value * scale)) if value else 0 for value in exact]
    largest = max(range(len(grid)), key=lambda i: exact[i])
    grid[largest] += scale - sum(grid)
    if grid[largest] < 1:
        raise InvalidParameter(
            f"is too coarse for a law with {sum(v > 0 for v in exact)} possible outcomes: one of them would "
            "lose its place",
            parameter="width",
            value=width,
            way_out="Raise `width`.",
        )
    return tuple(grid)


def _wrong_sum(name: str, total: Number) -> InvalidLaw:
    # Beyond a few digits the difference of floats is rounding, and not a mistake.
    off = f"{total - 1:.3g}" if isinstance(total, float) else _show(total - 1)
    return InvalidLaw(
        f"sums to {_show(total)}, not 1 (off by {off})",
        parameter=name,
        way_out="Every row of a channel and every prior sums to 1; correct the entry that is wrong or divide the row "
        "by its sum.",
    )


def _show(value: Number) -> str:
    text = str(value)
    return text if len(text) <= 40 else f"about {about(Fraction(value), 17)}"


# --- Small linear systems in Fractions


def solve_exactly(matrix: Sequence[Sequence[int | Fraction]], goal: Sequence[Fraction]) -> list[Fraction] | None:
    """Solve a system with as many or more equations than unknowns in Fractions; None unless there is just one."""
    rows = [[Fraction(v) for v in row] + [Fraction(g)] for row, g in zip(matrix, goal, strict=True)]
    width = len(rows[0]) - 1
    pivot = 0
    for column in range(width):
        place = next((r for r in range(pivot, len(rows)) if rows[r][column] != 0), None)
        if place is None:
            return None
        rows[pivot], rows[place] = rows[place], rows[pivot]
        scale = rows[pivot][column]
        rows[pivot] = [v / scale for v in rows[pivot]]
        for r in range(len(rows)):
            if r != pivot and rows[r][column] != 0:
                factor = rows[r][column]
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[pivot], strict=True)]
        pivot += 1
    if any(row[-1] != 0 for row in rows[pivot:]):
        return None
    return [rows[i][-1] for i in range(width)]


# --- Numbers in text
#
# Text is read exactly: 0.1 is one tenth, and 1/3 is one third. The size of a number is bounded by its text, so that no
# file can ask for a billion digits.


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
    """Read the number given for a parameter exactly, as `parse_number` reads one of a file."""
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


# A channel of a million entries often has only two different values.
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
