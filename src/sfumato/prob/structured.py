"""Circulant channels, which answer questions without their entries, and channels from nested lists and arrays.

U takes few distinct probabilities ("levels"; two for a difference-set mechanism): the law is one small code for each
shift. Only the first `inputs` of the K symbols need be possible inputs. 87 381 codes certify a channel of 7.6e9
entries.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.display.heatmaps import shifts_heatmap
from sfumato.display.notebooks import Shown, headline
from sfumato.errors import InvalidLaw, InvalidParameter
from sfumato.numbers.checks import Number, Profile
from sfumato.numbers.exact import FloatArray, IntegerArray, LawLike, RowsLike, common_numerators
from sfumato.prob.channel import Channel
from sfumato.prob.distribution import Alphabet, Distribution, DistributionLike, entry_place, place_of, prior_on
from sfumato.prob.shifts import CodeArray, ShiftLaw, checked_law, law_of_shifts, two_level_law

# --- Profiles: how often each level of a structured channel reaches each output, counted in two ways
#
# Output y of Y = X + U mod K is reached by the shifts y, y-1, …, y-k+1, so its column holds the levels of a window of k
# codes. Outputs whose windows hold each level equally often are equal to every measure, and there are few kinds of
# them.


Profiles = Iterator[tuple[tuple[int, ...], int]]
"""How many inputs reach an output with each level, and how many outputs share that."""


def profiles_by_sums(codes: CodeArray, levels: int, inputs: int) -> Profiles:
    """By running sums: a window is the difference of two of them."""
    size = len(codes)
    if inputs == size:
        yield tuple(np.bincount(codes, minlength=levels).tolist()), size
        return
    within = []
    for code in range(1, levels):
        held = codes == code
        running = np.cumsum(np.concatenate([held[size - inputs :], held]), dtype=np.int32)
        within.append(running[inputs:] - running[:size])
    yield from _counted(within, inputs, size)


def profiles_by_doubling(codes: CodeArray, levels: int, inputs: int) -> Profiles:
    """By doubling: over 2^j shifts from two halves, and over any number of them from its binary digits."""
    within = []
    for code in range(1, levels):
        part = (codes == code).astype(np.int32)
        total, reach = np.zeros_like(part), 0
        for place in range(inputs.bit_length()):
            if inputs >> place & 1:
                total, reach = total + np.roll(part, reach), reach + (1 << place)
            part = part + np.roll(part, 1 << place)
        within.append(total)
    yield from _counted(within, inputs, len(codes))


def _counted(within: list[CodeArray], inputs: int, size: int) -> Profiles:
    """Count the outputs that the levels but the lowest reach equally often; `within` has one row a level."""
    if not within:
        yield (inputs,), size
        return
    if len(within) == 1:
        counts = np.bincount(within[0])
        kinds = np.flatnonzero(counts)[None]
        outputs = counts[kinds[0]]
    else:
        kinds, outputs = np.unique(np.stack(within), axis=1, return_counts=True)
    for held, many in zip(kinds.T.tolist(), outputs.tolist(), strict=True):
        yield (inputs - sum(held), *held), many


# A general prior on a structured channel costs inputs × outputs steps; above this it is refused.
MOST_ENTRIES = 50_000_000
# With at most this many levels outputs are compared by their profiles; with more, by their entries.
_FEW_LEVELS = 8
# The most entries that are written out as Fractions, of a hundred bytes each.
MOST_WRITTEN = 10_000_000


class Circulant(Shown):
    """Y = X + U mod K with X among the first `input_count` symbols and U of a given law.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> channel = sf.prob.Circulant.two_level(size=7, support=[1, 2, 4], odds=Fraction(3))
    >>> channel.shape, sf.measures.odds(channel)
    ((7, 7), Fraction(3, 1))
    """

    __slots__ = ("codes", "exact", "input_count", "levels")

    levels: tuple[Number, ...]
    """The distinct probabilities of U, ascending."""
    codes: CodeArray
    """Which level each shift has."""
    input_count: int
    exact: bool

    def __init__(self, law: LawLike, input_count: int | None = None) -> None:
        self._fill(law_of_shifts(law, input_count))

    @classmethod
    def two_level(
        cls, *, size: int, support: Iterable[int], odds: Fraction, input_count: int | None = None
    ) -> Circulant:
        """U favours the shifts in `support` over the others by exactly `odds`."""
        return cls.of_law(two_level_law(size=size, support=support, odds=odds, input_count=input_count))

    @classmethod
    def of_law(cls, law: ShiftLaw) -> Circulant:
        """U has this law."""
        self = cls.__new__(cls)
        self._fill(law)
        return self

    @classmethod
    def of_codes(cls, levels: Sequence[Fraction], codes: npt.NDArray[np.integer[Any]], input_count: int) -> Circulant:
        """U has the probability `levels[code]` at the shift that stands at the place of each code."""
        counts = np.bincount(codes, minlength=len(levels)).tolist()
        is_law = len(counts) == len(levels) and sum(map(operator.mul, counts, levels)) == 1 and min(levels) >= 0
        if not is_law:
            raise InvalidLaw("must be probabilities that sum to 1", parameter="levels", way_out="Scale them.")
        used = sorted({level for level, count in zip(levels, counts, strict=True) if count})
        places = np.array([used.index(level) if count else -1 for level, count in zip(levels, counts, strict=True)])
        return cls.of_law(checked_law(tuple(used), places[codes].astype(np.int32), input_count))

    def _fill(self, law: ShiftLaw) -> None:
        object.__setattr__(self, "levels", law.levels)
        object.__setattr__(self, "codes", law.codes)
        object.__setattr__(self, "input_count", law.input_count)
        object.__setattr__(self, "exact", isinstance(law.levels[0], Fraction))

    @property
    def inputs(self) -> Alphabet:
        """The symbols that can be true."""
        return tuple(range(self.input_count))

    @property
    def outputs(self) -> Alphabet:
        """The symbols that can be published."""
        return tuple(range(len(self.codes)))

    @property
    def shape(self) -> tuple[int, int]:
        """Number of inputs and of outputs."""
        return self.input_count, len(self.codes)

    @property
    def is_full(self) -> bool:
        """Whether every symbol is a possible input, which makes the channel symmetric."""
        return self.input_count == len(self.codes)

    @property
    def law(self) -> tuple[Number, ...]:
        """P(U = u) for u = 0..K-1."""
        return tuple(self.levels[code] for code in self.codes)

    def row(self, x: int) -> tuple[Number, ...]:
        """P(.|x) for the x-th input."""
        return tuple(self.levels[code] for code in np.roll(self.codes, place_of("input", x, range(self.input_count))))

    @property
    def rows(self) -> tuple[tuple[Number, ...], ...]:
        """The entries, Fractions when exact; refused where there are too many to write out."""
        self._check_entries("writing out every row of the channel", MOST_WRITTEN)
        return tuple(self.row(x) for x in range(self.input_count))

    @property
    def array(self) -> FloatArray:
        """The entries as float64; refused where there are too many to write out."""
        self._check_entries("writing out every entry of the channel")
        law = np.array([float(value) for value in self.levels])[self.codes]
        return np.stack([np.roll(law, x) for x in range(self.input_count)])

    def __getitem__(self, entry: tuple[int, int]) -> Number:
        """P(y|x) for the x-th input and the y-th output."""
        x, y = entry_place(entry, *map(range, self.shape))
        found: Number = self.levels[self.codes[(y - x) % len(self.codes)]]
        return found

    def to_exact(self, width: int | None = None) -> Circulant:
        """Return the exact channel whose shift law is rounded by the rule of :mod:`sfumato.numbers.exact`."""
        if self.exact:
            return self
        return Circulant(Distribution(self.law).to_exact(width).probabilities, self.input_count)

    def to_dense(self) -> Channel:
        """Write out all entries."""
        self._check_entries("writing out every entry of the channel")
        return Channel([self.row(x) for x in range(self.input_count)])

    def _view(self) -> str:
        return f"{headline(repr(self).strip('<>'))}{self._picture()}"

    def _picture(self) -> str:
        return shifts_heatmap(np.array([float(value) for value in self.law]))

    def column_profiles(self) -> Profiles:
        """How many inputs reach an output with each level, and how many outputs share that."""
        return profiles_by_sums(self.codes, len(self.levels), self.input_count)

    def column_profiles_again(self) -> Profiles:
        """Return the column profiles, computed by another method."""
        return profiles_by_doubling(self.codes, len(self.levels), self.input_count)

    def _columns(self) -> Iterator[tuple[Number, Number, Number, int]]:
        """Largest and smallest probability of an output and the sum of its column, and how many outputs share them."""
        numerators, denominator = self._common_levels()
        for held, outputs in self.column_profiles():
            reached = [level for level, times in zip(self.levels, held, strict=True) if times]
            total = sum(map(operator.mul, held, numerators))
            yield reached[-1], reached[0], Fraction(total, denominator) if self.exact else total / denominator, outputs

    @property
    def is_coarse(self) -> bool:
        """Whether there are so few levels that outputs are compared by how often each level reaches them."""
        return len(self.levels) <= _FEW_LEVELS

    def column_extremes(self) -> Iterator[tuple[Number, Number, int]]:
        """For each output its largest and smallest probability, with how many outputs share the pair."""
        if self.is_coarse:
            found: Counter[tuple[Number, Number]] = Counter()
            for high, low, _, outputs in self._columns():
                found[high, low] += outputs
            yield from ((high, low, outputs) for (high, low), outputs in found.items())
            return
        highest = self._window(self.codes, np.maximum)
        lowest = self._window(self.codes, np.minimum)
        pairs, counts = np.unique(np.stack([highest, lowest]), axis=1, return_counts=True)
        for high_code, low_code, count in zip(*pairs.tolist(), counts.tolist(), strict=True):
            yield self.levels[high_code], self.levels[low_code], count

    def column_sums(self) -> Iterator[tuple[Number, int]]:
        """For each output the sum of its column, with how many outputs share it."""
        if self.is_coarse:
            yield from ((total, outputs) for _, _, total, outputs in self._columns())
            return
        yield from Counter(self._window_sums()).items()

    def column_peaks(self) -> Iterator[tuple[Number, Number, int]]:
        """For each output its largest probability and the sum of its column, with how many outputs share them."""
        if self.is_coarse:
            yield from ((high, total, outputs) for high, _, total, outputs in self._columns())
            return
        highest = [self.levels[code] for code in self._window(self.codes, np.maximum)]
        peaks = Counter(zip(highest, self._window_sums(), strict=True))
        yield from ((high, total, outputs) for (high, total), outputs in peaks.items())

    def row_profiles(self) -> Iterator[tuple[Profile, range]]:
        """Every row holds the same probabilities in another order, so one profile speaks for all inputs."""
        counts = np.bincount(self.codes, minlength=len(self.levels)).tolist()
        yield tuple(zip(self.levels, counts, strict=True)), range(self.input_count)

    def output_law(self, prior: DistributionLike) -> tuple[Number, ...]:
        """P(y) under a prior on the inputs."""
        prior = prior_on(prior, self.inputs)
        if prior.is_uniform:
            return tuple(total / self.input_count for total in self._window_sums())
        self._check_entries("a prior that is not uniform")
        if self.exact and prior.exact:
            return self.to_dense().output_law(prior)
        law = np.array([float(value) for value in self.law])
        result = np.zeros(len(law))
        for x, weight in enumerate(prior.array):
            result += weight * np.roll(law, x)
        return tuple(result.tolist())

    def weighted_maxima(self, prior: DistributionLike) -> tuple[Number, ...]:
        """max_x P(x)P(y|x) for each output y."""
        prior = prior_on(prior, self.inputs)
        if prior.is_uniform:
            share = prior.probabilities[0]
            highest = [self.levels[-1]] * len(self.codes)
            if not self.is_full:
                highest = [self.levels[code] for code in self._window(self.codes, np.maximum)]
            return tuple(share * value for value in highest)
        self._check_entries("a prior that is not uniform")
        return self.to_dense().weighted_maxima(prior)

    def _window(self, codes: CodeArray, extreme: np.ufunc) -> CodeArray:
        """Extreme code over the shifts y, y-1, …, y-k+1 that output y is reached by, for every y.

        Doubling: extremes over 2^j shifts come from two extremes over 2^(j-1); two of them cover any k.
        """
        best, reach = codes, 1
        while 2 * reach <= self.input_count:
            best, reach = extreme(best, np.roll(best, reach)), 2 * reach
        result: CodeArray = extreme(best, np.roll(best, self.input_count - reach))
        return result

    def _window_sums(self) -> list[Number]:
        """Sum over the shifts y, …, y-k+1, for every y; exact when the law is, correctly rounded when it is not."""
        size, count = len(self.codes), self.input_count
        numerators, denominator = self._common_levels()
        law = numerators[self.codes]
        running = np.concatenate([[0], np.cumsum(np.concatenate([law, law]))])
        sums = running[size + 1 :] - running[size + 1 - count : 2 * size + 1 - count]
        return [Fraction(value, denominator) if self.exact else value / denominator for value in sums]

    def _common_levels(self) -> tuple[IntegerArray, int]:
        """Floats too as the exact numbers they are: a running float sum would drown the small ones."""
        numerators, denominator = common_numerators([[Fraction(value) for value in self.levels]])
        return numerators[0], denominator

    def _check_entries(self, what: str, most: int = MOST_ENTRIES) -> None:
        if self.shape[0] * self.shape[1] > most:
            raise InvalidParameter(
                f"{what} would take {self.shape[0]}×{self.shape[1]} entries, more than {most}",
                way_out="Use a uniform prior, a smaller alphabet, or row(x) and channel[x, y], which write out little.",
            )

    def __reduce__(self) -> tuple[type[Circulant], tuple[object, ...]]:
        return Circulant, (self.law, self.input_count)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a {type(self).__name__} is immutable; make a new one instead of setting {name}")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Circulant):
            return NotImplemented
        return (self.levels, self.input_count) == (other.levels, other.input_count) and np.array_equal(
            self.codes, other.codes
        )

    def __hash__(self) -> int:
        return hash((self.levels, self.input_count, self.codes.tobytes()))

    def __repr__(self) -> str:
        kind = "exact" if self.exact else "float64"
        return f"<Circulant {self.shape[0]}×{self.shape[1]}, {len(self.levels)} levels, {kind}>"


AnyChannel = Channel | Circulant


# --- Conversion: the one place where nested lists and arrays become channels


ChannelLike = AnyChannel | RowsLike
"""A channel, or its rows: nested lists, an array with two dimensions, or a data frame."""


def as_channel(value: ChannelLike, parameter: str = "channel") -> AnyChannel:
    """Return a channel as it is, and rows as a channel; errors name the parameter.

    Rows of integers and Fractions make an exact channel, one float makes it float64, as `Channel(rows)` does.

    Parameters:
        value: A channel, or its rows in nested lists, an array or a data frame.
        parameter: What an error calls the value.

    Raises:
        InvalidLaw: the rows are not those of a channel.

    >>> import sfumato as sf
    >>> sf.prob.as_channel([[0.75, 0.25], [0.25, 0.75]])
    <Channel 2×2, float64>
    """
    if isinstance(value, Channel | Circulant):
        return value
    return Channel._of_rows(value, parameter)  # noqa: SLF001  its own kind
