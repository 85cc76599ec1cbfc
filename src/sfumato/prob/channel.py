"""The privacy channel P(y|x) as a labelled matrix of exact or float64 rows.

Rows are inputs (what is true), columns are outputs (what is published).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import cast

import numpy as np

from sfumato.display.heatmaps import channel_heatmap
from sfumato.display.notebooks import MOST_DRAWN, Shown, headline
from sfumato.errors import InvalidLaw, Place, UnreadableFile
from sfumato.files.disk import DEFAULT_LIMIT_BYTES
from sfumato.files.texts import MOST_TEXT_ENTRIES
from sfumato.numbers.checks import Number, Profile
from sfumato.numbers.exact import (
    Entries,
    FloatArray,
    IntegerArray,
    RowsLike,
    check_float_rows,
    check_law,
    common_numerators,
    default_width,
    entries_of,
    round_to_grid,
)
from sfumato.prob.channel_tables import ChannelTable, read_table
from sfumato.prob.distribution import Alphabet, DistributionLike, Label, check_labels, entry_place, place_of, prior_on


class Channel(Shown):
    """A dense channel. Rows of integers and Fractions make it exact; one float makes it float64.

    An exact channel is kept as integers over one denominator, so that sums and comparisons are exact and quick.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> truth, lie = Fraction(3, 4), Fraction(1, 4)
    >>> channel = sf.Channel([[truth, lie], [lie, truth]], inputs=["no", "yes"])
    >>> channel.exact, sf.measures.odds(channel)
    (True, Fraction(3, 1))
    """

    __slots__ = ("_denominator", "_numerators", "array", "inputs", "outputs")

    array: FloatArray
    inputs: Alphabet
    outputs: Alphabet
    _numerators: IntegerArray | None
    _denominator: int

    def __init__(
        self,
        rows: RowsLike,
        inputs: Iterable[Label] | None = None,
        outputs: Iterable[Label] | None = None,
    ) -> None:
        self._fill(*_read_rows("rows", rows), inputs, outputs)

    @classmethod
    def _of_rows(cls, rows: RowsLike, parameter: str) -> Channel:
        """Return the channel of these rows, without labels; errors name the parameter that they were given as."""
        made = object.__new__(cls)
        made._fill(*_read_rows(parameter, rows), None, None)
        return made

    @classmethod
    def from_integers(
        cls,
        numerators: IntegerArray,
        denominator: int,
        inputs: Iterable[Label] | None = None,
        outputs: Iterable[Label] | None = None,
    ) -> Channel:
        """Return the exact channel whose entries are integers over one denominator, none of them negative."""
        for x, row in enumerate(numerators):
            if min(row) < 0 or sum(row) != denominator:
                raise InvalidLaw(
                    "must be integers from 0 on that sum to the denominator",
                    parameter=f"numerators[{x}]",
                    way_out="Check how they were counted.",
                )
        shared = math.gcd(denominator, *numerators.ravel())
        reduced = numerators // shared
        reduced.setflags(write=False)
        array = np.array([[value / denominator for value in row] for row in numerators])
        array.setflags(write=False)
        made = object.__new__(cls)
        made._fill(array, reduced, denominator // shared, inputs, outputs)
        return made

    def _fill(
        self,
        array: FloatArray,
        numerators: IntegerArray | None,
        denominator: int,
        inputs: Iterable[Label] | None,
        outputs: Iterable[Label] | None,
    ) -> None:
        object.__setattr__(self, "array", array)
        object.__setattr__(self, "_numerators", numerators)
        object.__setattr__(self, "_denominator", denominator)
        object.__setattr__(self, "inputs", check_labels("inputs", inputs, array.shape[0]))
        object.__setattr__(self, "outputs", check_labels("outputs", outputs, array.shape[1]))

    @classmethod
    def of_table(cls, table: ChannelTable) -> Channel:
        """Return the channel of rows and labels that were read; refusals name the place that they were read from."""
        try:
            return cls(table.law, table.inputs, table.outputs)
        except InvalidLaw as error:
            raise error.at(table.place) from None

    @classmethod
    def read(cls, path: str | Path, *, limit_bytes: int = DEFAULT_LIMIT_BYTES) -> Channel:
        """Read a channel from a CSV, JSON or Parquet file, and write out all its entries.

        Raises:
            UnreadableFile: the file is damaged, of another kind, not there, or has too many entries to write out.
            InvalidLaw: a row is no law.
        """
        found = read_table(path, limit_bytes=limit_bytes)
        if isinstance(found, ChannelTable):
            return cls.of_table(found)
        inputs, outputs = found.input_count, len(found.codes)
        if inputs * outputs > MOST_TEXT_ENTRIES:
            raise UnreadableFile(
                f"the file holds a structured channel of {inputs}×{outputs} entries, too many to write out",
                way_out="Keep it structured with `read_any_channel`.",
                place=Place(file=str(path)),
            )
        return cls(found.rows())

    @property
    def exact(self) -> bool:
        """Whether the entries are Fractions rather than float64."""
        return self._numerators is not None

    @property
    def shape(self) -> tuple[int, int]:
        """Number of inputs and of outputs."""
        return self.array.shape[0], self.array.shape[1]

    @property
    def rows(self) -> tuple[tuple[Number, ...], ...]:
        """The entries, Fractions when exact."""
        return tuple(self.row(x) for x in range(self.shape[0]))

    def row(self, x: Label) -> tuple[Number, ...]:
        """P(.|x) for the x-th input, or for that of this label."""
        x = place_of("input", x, self.inputs)
        if self._numerators is None:
            return tuple(self.array[x].tolist())
        return tuple(Fraction(value, self._denominator) for value in self._numerators[x])

    def __getitem__(self, entry: tuple[Label, Label]) -> Number:
        """P(y|x) for the x-th input and the y-th output, or for those of these labels."""
        x, y = entry_place(entry, self.inputs, self.outputs)
        return (
            float(self.array[x, y]) if self._numerators is None else Fraction(self._numerators[x, y], self._denominator)
        )

    def integers(self) -> tuple[IntegerArray, int]:
        """Return the entries as integers over one denominator; a float64 channel goes through `to_exact` first."""
        if self._numerators is None:
            return self.to_exact().integers()
        return self._numerators, self._denominator

    def to_exact(self, width: int | None = None) -> Channel:
        """Return the exact channel nearest by the rule of :mod:`sfumato.numbers.exact`; itself when exact already."""
        if self.exact:
            return self
        width = default_width(self.array) if width is None else width
        grid = [round_to_grid(row.tolist(), width) for row in self.array]
        return Channel([[Fraction(count, 1 << width) for count in row] for row in grid], self.inputs, self.outputs)

    def to_dense(self) -> Channel:
        """Itself: the answer that structured channels give with work."""
        return self

    # The questions that measures ask of any channel, dense or structured.

    def column_extremes(self) -> Iterator[tuple[Number, Number, int]]:
        """For each output its largest and smallest probability over the inputs, and how many outputs share them."""
        if self._numerators is None:
            pairs = zip(self.array.max(axis=0).tolist(), self.array.min(axis=0).tolist(), strict=True)
            yield from ((high, low, 1) for high, low in pairs)
            return
        # Outputs that are alike are many where several reports are seen together, and fractions take time.
        counts = Counter(zip(self._numerators.max(axis=0), self._numerators.min(axis=0), strict=True))
        for (high, low), count in counts.items():
            yield Fraction(high, self._denominator), Fraction(low, self._denominator), count

    def column_sums(self) -> Iterator[tuple[Number, int]]:
        """For each output the sum of its column, and how many outputs share it."""
        sums: list[Number] = self.array.sum(axis=0).tolist()
        if self._numerators is not None:
            sums = self._fractions(self._numerators.sum(axis=0))
        yield from ((total, 1) for total in sums)

    def column_peaks(self) -> Iterator[tuple[Number, Number, int]]:
        """For each output its largest probability and the sum of its column, and how many outputs share them."""
        peaks: list[Number] = self.array.max(axis=0).tolist()
        if self._numerators is not None:
            peaks = self._fractions(self._numerators.max(axis=0))
        yield from ((high, total, 1) for high, (total, _) in zip(peaks, self.column_sums(), strict=True))

    def row_profiles(self) -> Iterator[tuple[Profile, range]]:
        """For each input the probabilities in its row, and the inputs that share them."""
        for x in range(self.shape[0]):
            yield tuple((value, 1) for value in self.row(x)), range(x, x + 1)

    def output_law(self, prior: DistributionLike) -> tuple[Number, ...]:
        """P(y) under a prior on the inputs."""
        prior = prior_on(prior, self.inputs)
        if self._numerators is None or not prior.exact:
            return tuple((prior.array @ self.array).tolist())
        weights, denominator = common_numerators([prior.fractions])
        return tuple(Fraction(value, denominator * self._denominator) for value in weights[0].dot(self._numerators))

    def weighted_maxima(self, prior: DistributionLike) -> tuple[Number, ...]:
        """max_x P(x)P(y|x) for each output y."""
        prior = prior_on(prior, self.inputs)
        if self._numerators is None or not prior.exact:
            return tuple(np.maximum.reduce(prior.array[:, None] * self.array, axis=0).tolist())
        weights, denominator = common_numerators([prior.fractions])
        best = (weights[0][:, None] * self._numerators).max(axis=0)
        return tuple(Fraction(value, denominator * self._denominator) for value in best)

    def _fractions(self, numerators: IntegerArray) -> list[Number]:
        return [Fraction(value, self._denominator) for value in numerators]

    def _view(self) -> str:
        kind = "exact" if self.exact else "float64"
        title = f"A channel: {self.shape[0]} inputs, {self.shape[1]} outputs, {kind}"
        return f"{headline(title)}{self._picture()}"

    def _picture(self) -> str:
        small = self.shape[0] * self.shape[1] <= MOST_DRAWN
        return channel_heatmap(self.array, self.inputs, self.outputs) if small else ""

    def __reduce__(self) -> tuple[type[Channel], tuple[object, ...]]:
        return Channel, (self.rows if self.exact else self.array, self.inputs, self.outputs)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a {type(self).__name__} is immutable; make a new one instead of setting {name}")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Channel):
            return NotImplemented
        same = (self.inputs, self.outputs, self.exact) == (other.inputs, other.outputs, other.exact)
        return same and (self.rows == other.rows if self.exact else np.array_equal(self.array, other.array))

    def __hash__(self) -> int:
        return hash((self.inputs, self.outputs, self.exact, self.array.tobytes()))

    def __repr__(self) -> str:
        kind = "exact" if self.exact else "float64"
        return f"<Channel {self.shape[0]}×{self.shape[1]}, {kind}>"


def _read_rows(name: str, rows: object) -> tuple[FloatArray, IntegerArray | None, int]:
    """Return the entries as float64, and where they are exact as integers over one denominator."""
    way_out = "Give nested lists or an array, one row for each input; of a mechanism its `.channel()`."
    table = entries_of(name, rows, rule="must be the rows of a channel", way_out=way_out)
    if isinstance(table, np.ndarray) and table.dtype == np.float64:
        return check_float_rows(name, table), None, 1
    laws = _check_rows(name, table)
    array = np.array([[float(value) for value in law] for law in laws])
    if not all(isinstance(law[0], Fraction) for law in laws):
        return check_float_rows(name, array), None, 1
    array.setflags(write=False)
    return array, *common_numerators(cast("list[tuple[Fraction, ...]]", laws))


def _check_rows(name: str, rows: Entries) -> list[tuple[Number, ...]]:
    if len(rows) == 0:
        raise InvalidLaw("is empty", parameter=name, way_out="A channel needs at least one input and one output.")
    laws: list[tuple[Number, ...]] = []
    way_out, width = "Give one list for each input.", 0
    for x, row in enumerate(rows):
        place = f"{name}[{x}]"
        entries = entries_of(place, row, rule="must be a list of probabilities", way_out=way_out)
        width = len(entries) if x == 0 else width
        if len(entries) != width:
            raise InvalidLaw(
                f"has {len(entries)} entries and {name}[0] has {width}",
                parameter=place,
                way_out="Every row needs one entry for each output.",
            )
        laws.append(check_law(place, entries))
    return laws
