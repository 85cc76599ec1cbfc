"""Labels and probabilities, read from and written to files.

Decimal text is exact, so a row whose entries sum to exactly 1 is taken as it is. A row that misses 1 by at most 1e-9
was printed from floats, and makes the whole table float64. Any other row is refused by name. A writer can declare that
its numbers are float64, and then no row is taken as exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidLaw, InvalidParameter, Place, UnreadableFile
from sfumato.files.documents import NumberText
from sfumato.files.texts import check_size, check_text, short
from sfumato.numbers.checks import Number
from sfumato.numbers.exact import (
    MOST_CHARACTERS,
    MOST_DENOMINATOR_BITS,
    ROW_SUM_TOLERANCE,
    FloatArray,
    common_denominator,
)
from sfumato.prob.distribution import Alphabet, Distribution, Label

FLOAT64 = "float64"
"""The word by which a file says that its numbers were floats."""
MOST_EXACT_BITS = 2**32

Rows = Sequence[Sequence[Fraction]]


def read_law(rows: Rows, name: Callable[[int], str], place: Place | None = None, *, float64: bool) -> Rows | FloatArray:
    """Apply the rule: exact rows, or a float64 table. `name` says which row a refusal is about."""
    check_size(sum(map(len, rows)), place)
    for x, row in enumerate(rows):
        if not row:
            raise InvalidLaw(f"{name(x)} is empty", way_out="A law needs at least one outcome; write one.", place=place)
        if min(row) < 0:
            raise _negative(name(x), place)
        if max(row) > 1 + Fraction(ROW_SUM_TOLERANCE):
            raise InvalidLaw(f"{name(x)} has an entry above 1", way_out="Divide the row by its sum.", place=place)
    if float64:
        return check_float_table(np.array([[float(value) for value in row] for row in rows]), name, place)
    scale = common_denominator(value for row in rows for value in row)
    if scale is None:
        raise UnreadableFile(
            f"the fractions have no common denominator below {MOST_DENOMINATOR_BITS} bits, too slow to add exactly",
            way_out="Write them as decimals.",
            place=place,
        )
    steps = {value.denominator: scale // value.denominator for row in rows for value in row}
    is_exact = True
    for x, row in enumerate(rows):
        missing = Fraction(sum(value.numerator * steps[value.denominator] for value in row), scale) - 1
        is_exact = is_exact and missing == 0
        if abs(missing) > Fraction(ROW_SUM_TOLERANCE):
            raise _wrong_sum(name(x), float(missing + 1), place)
    if not is_exact:
        return check_float_table(np.array([[float(value) for value in row] for row in rows]), name, place)
    if scale.bit_length() * sum(map(len, rows)) > MOST_EXACT_BITS:
        raise UnreadableFile(
            "there are so many entries with such long denominators that exact arithmetic would not fit in memory",
            way_out="Round the entries to fewer digits.",
            place=place,
        )
    return rows


def check_float_table(table: FloatArray, name: Callable[[int], str], place: Place | None = None) -> FloatArray:
    """Refuse a row of a float64 table that is no law, by name."""
    endless = ~np.isfinite(table)
    if endless.any():
        raise InvalidLaw(
            f"{name(_first_row(endless))} holds a number that is not finite (NaN or infinity)",
            way_out="Check how it was computed.",
            place=place,
        )
    if (table < 0).any():
        raise _negative(name(_first_row(table < 0)), place)
    # Entries up to 1e308 may add up to infinity, which is as wrong as any other sum.
    with np.errstate(over="ignore"):
        sums = table.sum(axis=1)
    off = np.flatnonzero(~(np.abs(sums - 1) <= ROW_SUM_TOLERANCE))
    if len(off):
        raise _wrong_sum(name(int(off[0])), float(sums[off[0]]), place)
    return table


def make_distribution(
    values: Sequence[Fraction],
    labels: Sequence[Label] | None,
    place: Place | None = None,
    *,
    name: str = "the law",
    float64: bool = False,
) -> Distribution:
    """Read a prior by the same rule; a refusal calls it `name`."""
    law = read_law([values], lambda _: name, place, float64=float64)
    numbers: list[Number] = list(law[0]) if not isinstance(law, np.ndarray) else law[0].tolist()
    try:
        return Distribution(numbers, labels)
    except InvalidLaw as error:
        raise (error if place is None else error.at(place)) from None


def row_name(inputs: Sequence[Label] | None, x: int, spot: str) -> str:
    """Name a row in a sentence, by its label if it has one."""
    return f"the row of input {short(inputs[x])} ({spot})" if inputs and x < len(inputs) else f"the row at {spot}"


def _first_row(broken: npt.NDArray[np.bool_]) -> int:
    return int(np.argwhere(broken)[0][0])


def _negative(name: str, place: Place | None) -> InvalidLaw:
    return InvalidLaw(f"{name} has a negative entry", way_out="Probabilities lie in [0, 1]; correct it.", place=place)


def _wrong_sum(name: str, total: float, place: Place | None) -> InvalidLaw:
    return InvalidLaw(
        f"{name} sums to {total:.12g}, not 1 (off by {total - 1:.3g})",
        way_out="Every row of a channel and every prior sums to 1; correct the entry that is wrong or divide the row "
        "by its sum.",
        place=place,
    )


# --- Labels as text


def as_text(label: Label) -> str:
    """Write a label as text: tuples like (yes, 0), so that a product channel's labels stay readable."""
    if isinstance(label, tuple):
        return f"({', '.join(as_text(part) for part in label)})"
    if isinstance(label, int):
        if label.bit_length() > 3 * MOST_CHARACTERS:
            raise InvalidParameter(
                f"a label is a number of more than {label.bit_length()} bits, too long to be read back",
                way_out="Use text.",
            )
        return str(label)
    try:
        label.encode("utf-8")
    except UnicodeEncodeError:
        raise InvalidParameter(
            f"the label {label!a} is not valid text, so no file can hold it", way_out="Rename it."
        ) from None
    return label


def as_json(label: Label) -> object:
    """Write a label as JSON: text, a number, or a list of them."""
    if isinstance(label, tuple):
        return [as_json(part) for part in label]
    as_text(label)
    return label


def in_reading_order(labels: Iterable[Label]) -> Alphabet:
    """Sort labels so that 2 comes before 10, whether they are numbers or text, whatever order they came in."""
    return tuple(sorted(labels, key=_order))


def _order(label: Label) -> tuple[int, int, str]:
    if isinstance(label, int):
        return 0, label, ""
    text = as_text(label)
    if text.isascii() and text.isdecimal() and len(text) <= 18:
        return 0, int(text), text
    return 1, 0, text


def as_label(value: object, what: str, place: Place | None = None) -> Label:
    """Read a label: text, a whole number, or a list of labels."""
    if isinstance(value, list):
        return tuple(as_label(part, what, place) for part in value)
    if isinstance(value, NumberText):
        if len(value) > MOST_CHARACTERS or not value.removeprefix("-").isdecimal():
            raise UnreadableFile(
                f"{what} is a number that is not whole, or too long", way_out="Use text for the label.", place=place
            )
        return int(value)
    if isinstance(value, str):
        return check_text(value, what, place)
    raise UnreadableFile(
        f"{what} must be text, a whole number, or a list of them", way_out="Write the label as text.", place=place
    )
