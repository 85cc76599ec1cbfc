"""What the registrar recovers of a question, as columns of a table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sfumato.files.columns import DECIMAL, WHOLE, number_spelled, single_spelled
from sfumato.files.tables import number_column, text_column, with_gaps
from sfumato.keys.digests import NOTHING
from sfumato.numbers.exact import written

if TYPE_CHECKING:
    from sfumato.study.ladder_questions import SealedHandler
    from sfumato.study.question import Question


# --- Recovered answers as columns
# In the type of the table, in the type of the question, or as canonical text. `kind` names an Arrow type, which the
# registrar's key remembers. It is used only where every allowed answer can be written in it, so that the type does not
# depend on the answers.


Places = npt.NDArray[np.int64]
_EXACT = 1 << 53
_MOST_DIGITS = 38


def label_column(codes: Places, labels: Sequence[str], kind: str) -> Any:
    """Return a column of labels, in the type of the table where each label is a value of that type."""
    typed = _typed_labels(labels, kind)
    return text_column(codes, labels) if typed is None else typed.take(number_column(codes))


def scale_column(places: Places, lowest: Fraction, step: Fraction, steps: int, kind: str) -> Any:
    """Return the numbers that lie so many steps above the lowest: whole ones as integers, others as floats."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    ends = (lowest, lowest + steps * step)
    is_whole = lowest.denominator == step.denominator == 1
    if (decimal := DECIMAL.fullmatch(kind)) is not None:
        digits = int(decimal[3])
        needed = digits + len(str(int(max(map(abs, ends)))))
        if all((value * 10**digits).denominator == 1 for value in (lowest, step)) and needed <= _MOST_DIGITS:
            return _by_texts(places, lowest, step).cast(_decimal(decimal, needed))
    if kind in {"double", "float"}:
        return _floats(places, lowest, step).cast(pa.type_for_alias(kind))
    if not is_whole:
        return _floats(places, lowest, step)
    found = number_column(int(lowest) + places * int(step))
    if kind in WHOLE and kind != "int64":
        limits = np.iinfo(kind)
        if limits.min <= ends[0] and ends[1] <= limits.max:
            return found.cast(pa.type_for_alias(kind))
    return found


def scale_texts(places: Places, lowest: Fraction, step: Fraction) -> Any:
    """Return the numbers that lie so many steps above the lowest, as text."""
    return _by_texts(places, lowest, step)


def _floats(places: Places, lowest: Fraction, step: Fraction) -> Any:
    """Return the nearest floats: a quotient of two numbers that floats hold is rounded once."""
    below = np.lcm(lowest.denominator, step.denominator).item()
    start, by = int(lowest * below), int(step * below)
    most = int(places.max()) if places.size else 0
    if below < _EXACT and max(abs(start), abs(start + by * most)) < _EXACT:
        return number_column((start + places * by) / below)
    different, codes = np.unique(places, return_inverse=True)
    found = np.array([float(lowest + int(place) * step) for place in different])
    return number_column(found[codes.reshape(-1)])


def _by_texts(places: Places, lowest: Fraction, step: Fraction) -> Any:
    different, codes = np.unique(places, return_inverse=True)
    texts = [written(lowest + int(place) * step) for place in different]
    return text_column(codes.reshape(-1).astype(np.int64), texts)


def _typed_labels(labels: Sequence[str], kind: str) -> Any:
    """Return labels as values of a type, None where some label is none."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    try:
        if kind in WHOLE:
            numbers = [int(label) for label in labels]
            is_same = [str(number) for number in numbers] == list(labels)
            return pa.array(numbers, pa.type_for_alias(kind)) if is_same else None
        if kind in {"double", "float"}:
            spell = single_spelled if kind == "float" else number_spelled
            is_same = [spell(float(label)) for label in labels] == list(labels)
            return pa.array([float(label) for label in labels], pa.type_for_alias(kind)) if is_same else None
        if kind == "bool":
            return pa.array([label == "True" for label in labels]) if {*labels} <= {"True", "False"} else None
        if (decimal := DECIMAL.fullmatch(kind)) is not None:
            found = pa.array(list(labels), pa.string()).cast(_decimal(decimal))
            return found if found.cast(pa.string()).to_pylist() == list(labels) else None
    except (ValueError, OverflowError, pa.ArrowException):
        return None
    return None


def _decimal(found: re.Match[str], needed: int = 0) -> Any:
    """Return a type of decimals, with as many digits as are needed where it has fewer."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    make = pa.decimal128 if found[1] == "128" else pa.decimal256
    return make(max(needed, int(found[2])), int(found[3]))


class Recovering:
    """A question as a registrar gets its answers back: not at all, unless its handler says otherwise."""

    question: Question

    @property
    def sealed(self) -> SealedHandler | None:
        """The column with which rounded answers come back as they were; None where there is none."""
        return None

    @property
    def not_recovered(self) -> str | None:
        """Why the registrar's key does not give the answers back; None where it does."""
        return "its reports are made without keys"

    @property
    def gives_rounded(self) -> bool:
        """Whether its reports without their noise say at least what answers were rounded to."""
        return False

    def answer_columns(self, values: Places, *, as_text: bool = False, kind: str = "") -> dict[str, Any]:
        """Return recovered answers as columns of a table, by name; a cell is empty where there was no answer.

        `kind` is the type that the table had; with `as_text` cells are canonical text.
        """
        there, labels = values != NOTHING, self.question.labels
        if self.question.hides:
            labels = labels[:-1]
            there &= values != len(labels)
        column = label_column(np.where(there, values, 0), labels, "" if as_text else kind)
        return {self.question.id: with_gaps(column, there)}
