"""A channel on a table of records: which of its rows one record can pick, if the others follow it.

The inputs of the channel are data sets x = (x_1, …, x_n), ordered as the product of the records' alphabets (the last
record runs fastest). Whoever believes that the other records follow record i by a rule sees, for each value a of that
record, one of the rows P(·|x) with x_i = a: the rows that `groups` lists.   Ref: [E, Sec. 3]; theory:
docs/theory/individual_capacity.md
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter
from sfumato.prob import AnyChannel, Channel, ChannelLike, as_channel
from sfumato.prob.exact import FloatArray
from sfumato.values.checks import check_at_least, check_between, check_integer

Places = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """The different rows that one value of a record (or of a group of records) can meet, and a data set for each."""

    rows: FloatArray
    datasets: Places


def check_shape(channel: AnyChannel, shape: Sequence[int]) -> tuple[int, ...]:
    """Return the sizes of the records' alphabets, whose product is the number of inputs of the channel."""
    sizes = check_sizes(shape)
    if math.prod(sizes) != channel.shape[0]:
        raise InvalidParameter(
            f"means {math.prod(sizes)} data sets, but the channel has {channel.shape[0]} inputs",
            parameter="shape",
            value=sizes,
            way_out="Order its rows as the product of the records' alphabets and give their sizes.",
        )
    return sizes


def check_sizes(shape: object) -> tuple[int, ...]:
    """Return the sizes of the records' alphabets."""
    way_out = "Give the number of values of each record, such as (2, 2, 3)."
    if isinstance(shape, str) or not isinstance(shape, Sequence | np.ndarray) or getattr(shape, "shape", 1) == ():
        raise InvalidParameter(f"must be whole numbers, not {type(shape).__name__}", parameter="shape", way_out=way_out)
    sizes = tuple(check_integer("shape", size) for size in shape)
    if not sizes:
        raise InvalidParameter("is empty", parameter="shape", way_out=way_out)
    for size in sizes:
        check_at_least("shape", size, 1)
    return sizes


def check_members(members: Sequence[int], records: int) -> tuple[int, ...]:
    """Return the records of a group, counted from 0, each once."""
    found = tuple(check_integer("members", member) for member in members)
    for member in found:
        check_between("members", member, 0, records - 1, way_out="Count the records from 0.")
    if not found or len(set(found)) != len(found):
        raise InvalidParameter(
            "must name at least one record, and none twice", parameter="members", value=found, way_out="Count from 0."
        )
    return found


def normalised_rows(channel: AnyChannel) -> FloatArray:
    """Return the rows as float64, each summing to 1 as nearly as it can."""
    array = channel.to_dense().array
    rows: FloatArray = array / array.sum(axis=1, keepdims=True)
    return rows


def groups(rows: FloatArray, shape: tuple[int, ...], members: tuple[int, ...]) -> tuple[Choices, ...]:
    """For every value of the members together, the different rows that the other records can choose from."""
    places = datasets_by_value(shape, members)
    found = []
    for here in places:
        _, first = np.unique(rows[here], axis=0, return_index=True)
        kept = here[np.sort(first)]
        found.append(Choices(rows=rows[kept], datasets=kept))
    return tuple(found)


def datasets_by_value(shape: tuple[int, ...], members: tuple[int, ...]) -> Places:
    """Row a lists the data sets in which the members together have their a-th value."""
    cube = np.arange(math.prod(shape), dtype=np.int64).reshape(shape)
    values = math.prod(shape[member] for member in members)
    return np.moveaxis(cube, members, range(len(members))).reshape(values, -1)


def selected_channels(channel: ChannelLike, shape: Sequence[int], record: int) -> Iterator[Channel]:
    """Every channel from one record to the report that a rule for the other records can make [E, Thm 2].

    There are |X_(i)|^|X_i| of them, equal ones included: for looking at small cases, not for finding the best.

    >>> import sfumato as sf
    >>> says = ([0.9, 0.1], [0.1, 0.9])
    >>> both = sf.Channel([says[a and b] for a in (0, 1) for b in (0, 1)])
    >>> rules = sf.measures.selected_channels(both, (2, 2), record=0)
    >>> [round(sf.measures.capacity_bits(one).upper, 3) for one in rules]
    [0.0, 0.531, 0.0, 0.531]
    >>> round(sf.measures.individual_capacity_bits(both, (2, 2)).upper, 3)  # the largest of them
    0.531
    """
    channel = as_channel(channel)
    sizes = check_shape(channel, shape)
    (member,) = check_members((record,), len(sizes))
    rows = channel.to_dense().rows
    for datasets in itertools.product(*datasets_by_value(sizes, (member,)).tolist()):
        yield Channel([rows[x] for x in datasets], None, channel.outputs)
