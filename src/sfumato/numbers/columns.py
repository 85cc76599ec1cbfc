"""Columns of numbers and of intervals, and the distinct values of an array.

A column behaves like a tuple: it has indexing, slices and an order, and equals the tuple of the same values. Number and
interval objects are made when an item is read. `np.asarray(column)` is the column's own array, not a copy.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter
from sfumato.numbers.intervals import Interval


class Column(Sequence[float]):
    """An immutable column of numbers in one array.

    >>> import sfumato as sf
    >>> from sfumato.numbers.columns import Column
    >>> column = Column([0.5, 0.25, 0.25])
    >>> column[0], column[1:], column == (0.5, 0.25, 0.25)
    (0.5, Column([0.25, 0.25]), True)
    """

    __slots__ = ("_numbers",)

    _numbers: memoryview[float]

    def __init__(self, numbers: Iterable[float]) -> None:
        if isinstance(numbers, Column):
            held = numbers._numbers  # noqa: SLF001  its own kind
        else:
            doubles: Any = numbers if _is_doubles(numbers) else array("d", numbers)
            held = memoryview(bytes(doubles)).cast("d")
        object.__setattr__(self, "_numbers", held)

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, place: int) -> float: ...
    @overload
    def __getitem__(self, place: slice) -> Column: ...
    def __getitem__(self, place: int | slice) -> float | Column:
        if isinstance(place, slice):
            return Column(self._numbers[place])
        number: float = self._numbers[place]
        return number

    def __iter__(self) -> Iterator[float]:
        return iter(self._numbers.tolist())

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Column):
            return self._numbers == other._numbers
        if isinstance(other, tuple | list):
            return len(self) == len(other) and self._numbers.tolist() == list(other)
        return NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        import numpy as np  # noqa: PLC0415  plain values need no numpy; a caller who wants an array has it

        found = np.frombuffer(self._numbers.cast("B"), dtype=np.float64)
        return found.astype(found.dtype if dtype is None else dtype, copy=bool(copy))

    def __reduce__(self) -> tuple[type[Column], tuple[list[float]]]:
        return Column, (list(self),)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a {type(self).__name__} is immutable; make a new one instead of setting {name}")

    def __repr__(self) -> str:
        return f"Column({_first(self)})"


class Intervals(Sequence[Interval]):
    """Intervals in order, kept as the columns of their ends.

    Raises:
        InvalidParameter: the two columns are not of one length.

    >>> import sfumato as sf
    >>> from sfumato.numbers.columns import Intervals
    >>> Intervals([0.0, 0.25], [0.5, 0.75])[1]
    Interval(lower=0.25, upper=0.75)
    """

    __slots__ = ("lower", "upper")

    lower: Column
    upper: Column

    def __init__(self, lower: Iterable[float], upper: Iterable[float]) -> None:
        object.__setattr__(self, "lower", Column(lower))
        object.__setattr__(self, "upper", Column(upper))
        if len(self.lower) != len(self.upper):
            raise InvalidParameter(
                f"has {len(self.lower)} ends and `upper` has {len(self.upper)}",
                parameter="lower",
                way_out="An interval has two ends.",
            )

    @classmethod
    def of(cls, intervals: Iterable[Interval]) -> Intervals:
        """Return the columns of intervals that are objects already."""
        several = list(intervals)
        return cls([one.lower for one in several], [one.upper for one in several])

    def __len__(self) -> int:
        return len(self.lower)

    @overload
    def __getitem__(self, place: int) -> Interval: ...
    @overload
    def __getitem__(self, place: slice) -> Intervals: ...
    def __getitem__(self, place: int | slice) -> Interval | Intervals:
        if isinstance(place, slice):
            return Intervals(self.lower[place], self.upper[place])
        return Interval(self.lower[place], self.upper[place])

    def __iter__(self) -> Iterator[Interval]:
        return map(Interval, self.lower, self.upper)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Intervals):
            return self.lower == other.lower and self.upper == other.upper
        if isinstance(other, tuple | list):
            return len(self) == len(other) and list(self) == list(other)
        return NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __reduce__(self) -> tuple[type[Intervals], tuple[Column, Column]]:
        return Intervals, (self.lower, self.upper)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"an {type(self).__name__} is immutable; make a new one instead of setting {name}")

    def __repr__(self) -> str:
        return f"Intervals({_first(self)})"


_SHOWN = 10


def _first(column: Sequence[object]) -> str:
    shown = ", ".join(repr(one) for one in column[:_SHOWN])
    return f"[{shown}]" if len(column) <= _SHOWN else f"[{shown}, … of {len(column)}]"


def _is_doubles(numbers: object) -> bool:
    """Whether these are doubles in memory already, one after another or at even distances."""
    try:
        view = memoryview(numbers)  # type: ignore[arg-type]
    except TypeError:
        return False
    return view.ndim == 1 and view.format == "d"


# --- The distinct values of an array
#
# `np.unique` is not used: it loads numpy's masked arrays first, which takes longer than most plans.


def distinct(values: npt.ArrayLike) -> npt.NDArray[Any]:
    """Return the values ascending, each once.

    >>> distinct([3, 1, 3]).tolist()
    [1, 3]
    """
    ordered = np.sort(np.asarray(values), axis=None)
    is_new = np.ones(ordered.size, dtype=np.bool_)
    is_new[1:] = ordered[1:] != ordered[:-1]
    return ordered[is_new]
