"""From numbers in a file to a law, by one rule.

Decimal text is exact, so a row whose entries sum to exactly 1 is taken as it stands. A row that misses 1 by no
more than 1e-9 was printed from floats, and makes the whole table float64. Anything else is no law, and the
refusal names the row. A writer that knows its numbers are float64 says so, and then no row is taken as exact.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

import numpy as np

from sfumato.errors import InvalidLaw, UnreadableFile
from sfumato.files.texts import check_size, short
from sfumato.prob import Channel, Distribution
from sfumato.prob.alphabet import Label
from sfumato.prob.exact import ROW_SUM_TOLERANCE, FloatArray
from sfumato.values.checks import Number

FLOAT64 = "float64"
"""The word by which a file says that its numbers were floats."""
MOST_DENOMINATOR_BITS = 2**14
MOST_EXACT_BITS = 2**32

Rows = Sequence[Sequence[Fraction]]


def read_law(source: str, rows: Rows, name: Callable[[int], str], *, float64: bool) -> Rows | FloatArray:
    """Apply the rule: exact rows, or a float64 table. `name` says which row a refusal is about."""
    check_size(source, sum(map(len, rows)))
    for x, row in enumerate(rows):
        if not row:
            raise InvalidLaw(f"{source}, {name(x)} is empty. A law needs at least one outcome.")
        if min(row) < 0:
            raise InvalidLaw(f"{source}, {name(x)} has a negative entry. Probabilities lie in [0, 1]; correct it.")
        if max(row) > 1 + Fraction(ROW_SUM_TOLERANCE):
            raise InvalidLaw(f"{source}, {name(x)} has an entry above 1. Divide the row by its sum.")
    if float64:
        return check_float_table(source, np.array([[float(value) for value in row] for row in rows]), name)
    scale = _denominator(source, rows)
    steps = {value.denominator: scale // value.denominator for row in rows for value in row}
    is_exact = True
    for x, row in enumerate(rows):
        missing = Fraction(sum(value.numerator * steps[value.denominator] for value in row), scale) - 1
        is_exact = is_exact and missing == 0
        if abs(missing) > Fraction(ROW_SUM_TOLERANCE):
            raise InvalidLaw(_wrong_sum(source, name(x), float(missing + 1)))
    if not is_exact:
        return check_float_table(source, np.array([[float(value) for value in row] for row in rows]), name)
    if scale.bit_length() * sum(map(len, rows)) > MOST_EXACT_BITS:
        raise UnreadableFile(
            f"{source} has so many entries with such long denominators that exact arithmetic would not fit in "
            f"memory. Round the entries to fewer digits."
        )
    return rows


def check_float_table(source: str, table: FloatArray, name: Callable[[int], str]) -> FloatArray:
    """Refuse a row of a float64 table that is no law, by name."""
    rules = {
        "holds a number that is not finite (NaN or infinity). Check how it was computed": ~np.isfinite(table),
        "has a negative entry. Probabilities lie in [0, 1]; correct it": table < 0,
    }
    for sentence, broken in rules.items():
        if broken.any():
            raise InvalidLaw(f"{source}, {name(int(np.argwhere(broken)[0][0]))} {sentence}.")
    # Entries up to 1e308 may add up to infinity, which is as wrong as any other sum.
    with np.errstate(over="ignore"):
        sums = table.sum(axis=1)
    off = np.flatnonzero(~(np.abs(sums - 1) <= ROW_SUM_TOLERANCE))
    if len(off):
        raise InvalidLaw(_wrong_sum(source, name(int(off[0])), float(sums[off[0]])))
    return table


def make_channel(
    source: str, law: Rows | FloatArray, inputs: Iterable[Label] | None, outputs: Iterable[Label] | None
) -> Channel:
    """Build the channel; whatever is still wrong (labels, most often) is told with the file's name."""
    try:
        return Channel(law, inputs, outputs)
    except InvalidLaw as error:
        raise InvalidLaw(f"{source}: {error}") from None


def make_distribution(
    source: str, values: Sequence[Fraction], labels: Sequence[Label] | None, *, float64: bool = False
) -> Distribution:
    """Read a prior by the same rule."""
    law = read_law(source, [values], lambda _: "the law", float64=float64)
    numbers: list[Number] = list(law[0]) if not isinstance(law, np.ndarray) else law[0].tolist()
    try:
        return Distribution(numbers, labels)
    except InvalidLaw as error:
        raise InvalidLaw(f"{source}: {error}") from None


def row_name(inputs: Sequence[object] | None, x: int, place: str) -> str:
    """Name a row in a sentence, by its label if it has one."""
    return f"the row of input {short(inputs[x])} ({place})" if inputs and x < len(inputs) else f"the row at {place}"


def _denominator(source: str, rows: Rows) -> int:
    """Return the common denominator, giving up early: thousands of unrelated denominators have a monstrous one."""
    common = 1
    for denominator in {value.denominator for row in rows for value in row}:
        common = math.lcm(common, denominator)
        if common.bit_length() > MOST_DENOMINATOR_BITS:
            raise UnreadableFile(
                f"{source} holds fractions with no common denominator below {MOST_DENOMINATOR_BITS} bits, too "
                f"slow to add exactly. Write them as decimals."
            )
    return common


def _wrong_sum(source: str, name: str, total: float) -> str:
    return (
        f"{source}, {name} sums to {total:.12g}, not 1 (off by {total - 1:.3g}). Every row of a channel and every "
        f"prior sums to 1; correct the entry that is wrong or divide the row by its sum."
    )
