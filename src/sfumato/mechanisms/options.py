"""Several options: each respondent is asked about m of k options and each answer is flipped at random.

An answer is a set of options, written as a number: bit i is set where option i was chosen. A respondent's position
decides which m options they are asked about. The report is a number of m bits, the least for the first of these options
in the order of the list; each bit is the truth with probability o/(o+1) and its opposite otherwise, independently of
the others. So two answers that differ in all m are distinguished by odds of o^m, and no two by more: epsilon = m·ln(o).
m = 1 asks one option at the full epsilon, m = k asks all at epsilon/k.   Theory: docs/theory/several.md

Its answers are sets, and its shares do not sum to one, unlike those of the mechanisms for one answer of a list.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter
from sfumato.mechanisms.base import check_confidence, check_tally, exact_fraction
from sfumato.numbers.checks import check_at_least, check_between, check_integer
from sfumato.numbers.columns import Column, Intervals
from sfumato.prob.channel import Channel
from sfumato.prob.intervals import binomial_share_intervals
from sfumato.sampling.mechanism import (
    Estimate,
    Positions,
    ReportArray,
    Tally,
    bits_or_default,
    check_positions,
    check_symbols,
)
from sfumato.sampling.rows import RowStarts
from sfumato.sampling.samplers import Coin
from sfumato.sampling.sources import MOST_WIDTH, BitSource

# --- The options of a respondent: public, balanced, and decided by the position alone
#
# Positions come in rounds of as many as there are options. A round has a public order of the options; the first of its
# positions is asked about the first m of them, the next about those from the second on, and so on in a circle. So in
# every round each option is asked of exactly m respondents. Orders are those of words of a cipher under a public key,
# as good as drawn at random, so over many rounds every set of m options is asked equally often, and so is every pair.
# Theory: docs/theory/several.md


IntArray = npt.NDArray[np.int64]


def assigned_options(options: int, asked: int, count: int, positions: Positions) -> IntArray:
    """Return for each of `count` positions the `asked` options that it is asked about, ascending: a row a position."""
    if asked == options:
        return np.broadcast_to(np.arange(options, dtype=np.int64), (count, options))
    if isinstance(positions, np.ndarray):
        numbers = positions.astype(np.int64)
    else:
        numbers = np.arange(positions, positions + count, dtype=np.int64)
    rounds, turns = np.divmod(numbers, options)
    different, places = np.unique(rounds, return_inverse=True)
    orders = _orders(options, different)
    window = (turns[:, None] + np.arange(asked)) % options
    found: IntArray = np.sort(orders[places[:, None], window], axis=1)
    return found


def _orders(options: int, rounds: IntArray) -> IntArray:
    """Return the public order of the options in each of these rounds: those with the smallest words come first."""
    numbers = (rounds[:, None] * options + np.arange(options)).reshape(-1)
    words = RowStarts(numbers.size)
    words.take(numbers)
    key = sha256(f"sfumato assignment of {options} options".encode()).digest()
    lanes = words.under(key).reshape(-1, options)
    orders: IntArray = np.argsort(lanes, axis=1, kind="stable").astype(np.int64)
    return orders


# --- The number of options to ask about: more means more respondents for each option, and more noise in each report
#
# At ε/m each, the share of an option that a half chose has k/(4nm)·coth²(ε/2m) as its variance; that is least where
# each flip has about ε = 2.18.   Theory: docs/theory/several.md


MOST_ASKED = 16
"""Bits of a report."""


def choices(options: int) -> range:
    """How many options a respondent can be asked about."""
    return range(1, min(options, MOST_ASKED) + 1)


def flip_deviation(epsilon: float, share: float) -> float:
    """√n times the standard deviation of a share read from flips at epsilon, which are all asked the same."""
    gap = math.tanh(epsilon / 2)
    hit = (1 + gap * (2 * share - 1)) / 2
    return math.sqrt(hit * (1 - hit)) / gap


def option_deviation(options: int, asked: int, epsilon: float, share: float = 0.5) -> float:
    """√n times the standard deviation of the share of an option, when so many of them are asked at epsilon in all."""
    return math.sqrt(options / asked) * flip_deviation(epsilon / asked, share)


def best_asked(options: int, epsilons: Sequence[float], share: float = 0.5) -> int:
    """Return how many options to ask about: the worst ratio, over the levels, of error to least error is smallest.

    `share` is the share of those who choose an option at which errors are compared; a half is the worst.
    """
    errors = {m: [option_deviation(options, m, epsilon, share) for epsilon in epsilons] for m in choices(options)}
    least = [min(level) for level in zip(*errors.values(), strict=True)]
    return min(errors, key=lambda m: max(one / best for one, best in zip(errors[m], least, strict=True)))


MOST_OPTIONS = 60
"""An answer fits a machine word."""
# A channel of more entries than this is not written out.
_MOST_ENTRIES = 1 << 16


@dataclass(frozen=True, slots=True, kw_only=True)
class AssignedOptions:
    """`options` of which a respondent is asked about `asked`; `odds` are those of the whole report, o^asked."""

    options: int
    asked: int
    odds: Fraction
    width: int = MOST_WIDTH

    def __post_init__(self) -> None:
        check_between("options", check_integer("options", self.options), 2, MOST_OPTIONS)
        check_between("asked", check_integer("asked", self.asked), 1, min(self.options, MOST_ASKED))
        check_between("width", check_integer("width", self.width), 1, MOST_WIDTH)
        odds = exact_fraction("odds", self.odds, "AssignedOptions")
        check_at_least("odds", odds, 1)
        object.__setattr__(self, "odds", odds)
        if self.flip_odds**self.asked != odds:
            raise InvalidParameter(
                f"must be a power of `asked`={self.asked} of the odds of one flip",
                parameter="odds",
                value=float(odds),
                way_out="Raise the odds of one flip to that power.",
            )

    @property
    def flip_odds(self) -> Fraction:
        """The odds of the flip of one option."""
        return Fraction(_root(self.odds.numerator, self.asked), _root(self.odds.denominator, self.asked))

    @property
    def probabilities(self) -> tuple[Fraction, Fraction]:
        """Of reporting an option that was chosen, and one that was not."""
        return self.flip_odds / (self.flip_odds + 1), 1 / (self.flip_odds + 1)

    @property
    def size(self) -> int:
        """How many sets of options there are."""
        return 1 << self.options

    @property
    def modulus(self) -> int:
        """How many reports there are."""
        return 1 << self.asked

    @property
    def name(self) -> str:
        """What marks the tallies of this mechanism."""
        return f"assigned_options options={self.options} asked={self.asked} flip_odds={self.flip_odds}"

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """The pairs of options that are counted; none where one option is asked at a time."""
        return tuple(itertools.combinations(range(self.options), 2)) if self.asked > 1 else ()

    def assigned(self, count: int, positions: Positions = 0) -> IntArray:
        """Return which options the rows at these positions are asked about, ascending; bit j is about the j-th."""
        return assigned_options(self.options, self.asked, count, check_positions(positions, count))

    def truths(self, values: npt.ArrayLike, positions: Positions = 0) -> ReportArray:
        """Return what a report without noise would be."""
        answers = check_symbols("values", values, self.size)
        bits = (answers[:, None] >> self.assigned(answers.size, positions)) & 1
        found: ReportArray = (bits << np.arange(self.asked)).sum(axis=1)
        return found

    def privatize(self, values: npt.ArrayLike, bits: BitSource | None = None, positions: Positions = 0) -> ReportArray:
        """One report for each answer: all first bits are flipped or not, then all second bits."""
        reports = self.truths(values, positions)
        source, coin = bits_or_default(bits), Coin(chance=self.probabilities[1], width=self.width)
        for place in range(self.asked):
            reports = reports ^ (coin.sample(source, reports.size) << place)
        return reports.astype(np.min_scalar_type(self.modulus - 1))

    def by_flips(self) -> tuple[Fraction, ...]:
        """Return the probability of a single report by how many of its bits are not the truth."""
        own, other = self.probabilities
        return tuple(other**flips * own ** (self.asked - flips) for flips in range(self.asked + 1))

    def law(self, x: int, position: int = 0) -> tuple[Fraction, ...]:
        """P(.|x) of one at a position, exact."""
        check_between("x", check_integer("x", x), 0, self.size - 1)
        truth, by_flips = int(self.truths([x], position)[0]), self.by_flips()
        return tuple(by_flips[(report ^ truth).bit_count()] for report in range(self.modulus))

    def channel_at(self, position: int) -> Channel:
        """Return the channel from the answers about the options that a position is asked, as sets of them."""
        del position  # all are alike
        sets, by_flips = range(self.modulus), self.by_flips()
        self._check_entries(self.modulus, self.modulus)
        return Channel([[by_flips[(truth ^ report).bit_count()] for report in sets] for truth in sets])

    def channel(self) -> Channel:
        """What a report and the public options it is about say together: outputs are pairs of them.

        Each set of options is as frequent as any other.
        """
        subsets = list(itertools.combinations(range(self.options), self.asked))
        self._check_entries(self.size, len(subsets) * self.modulus)
        by_flips = [p / len(subsets) for p in self.by_flips()]
        rows = []
        for answer in range(self.size):
            truths = [sum(((answer >> option) & 1) << j for j, option in enumerate(some)) for some in subsets]
            rows.append([by_flips[(t ^ report).bit_count()] for t in truths for report in range(self.modulus)])
        return Channel(rows, outputs=[(some, report) for some in subsets for report in range(self.modulus)])

    def _check_entries(self, inputs: int, outputs: int) -> None:
        if inputs * outputs > _MOST_ENTRIES:
            raise InvalidParameter(
                f"and `asked`={self.asked} make a channel of {inputs}×{outputs} entries, which is not written out",
                parameter="options",
                value=self.options,
                way_out="Its bits are independent flips with the odds `flip_odds`.",
            )

    def tally(
        self, reports: npt.ArrayLike, positions: Positions = 0, counts: npt.NDArray[np.integer] | None = None
    ) -> Tally:
        """Count, for each option, those who report no and yes, and for each pair those who report 00, 01, 10 and 11.

        `counts` is how often each row stands for itself.
        """
        column = check_symbols("reports", reports, self.modulus)
        options = self.assigned(column.size, positions)
        bits = (column[:, None] >> np.arange(self.asked)) & 1
        found = _counted(2 * options + bits, 2 * self.options, counts)
        if self.asked > 1:
            number = np.zeros((self.options, self.options), dtype=np.int64)
            for place, pair in enumerate(self.pairs):
                number[pair] = place
            pairs = [
                4 * number[options[:, i], options[:, j]] + 2 * bits[:, i] + bits[:, j]
                for i, j in itertools.combinations(range(self.asked), 2)
            ]
            found = [*found, *_counted(np.stack(pairs, axis=1), 4 * len(self.pairs), counts)]
        total = column.size if counts is None else int(counts.sum())
        return Tally(mechanism=self.name, counts=tuple(found), reports=total)

    def option_counts(self, tally: Tally) -> IntArray:
        """Return of a tally, for each option, how many of those who were asked report no and yes."""
        check_tally(tally, self.name)
        return np.array(tally.counts[: 2 * self.options], dtype=np.int64).reshape(-1, 2)

    def pair_counts(self, tally: Tally) -> IntArray:
        """Return of a tally, for each of `pairs`, how many of those who were asked both report 00, 01, 10 and 11."""
        check_tally(tally, self.name)
        return np.array(tally.counts[2 * self.options :], dtype=np.int64).reshape(-1, 4)

    def estimate(self, tally: Tally, *, confidence: float = 0.95) -> Estimate:
        """Shares of those who chose each option, each from its own binomial; they need not sum to one.

        Of an option that nobody was asked about nothing is known: its interval is [0, 1].
        """
        check_confidence(confidence)
        own, other = (float(p) for p in self.probabilities)
        if own == other:
            raise InvalidParameter("every report is pure noise; nothing can be estimated", way_out="Raise `odds`.")
        no, yes = self.option_counts(tally).T
        asked = no + yes
        lower, upper = np.zeros(self.options), np.ones(self.options)
        for count in np.unique(asked[asked > 0]).tolist():
            here = asked == count
            lower[here], upper[here] = binomial_share_intervals(yes[here], count, other, own, confidence)
        chances = np.where(asked > 0, yes / np.maximum(asked, 1), 0.5)
        raw = (chances - other) / (own - other)
        errors = np.sqrt(chances * (1 - chances) / np.maximum(asked, 1)) / (own - other)
        return Estimate(
            raw=Column(raw),
            standard_errors=Column(errors),
            projected=Column(np.clip(raw, 0.0, 1.0)),
            intervals=Intervals(lower, upper),
            confidence=confidence,
            total=tally.total,
        )

    def share_deviation(self, share: float) -> float:
        """√n times the standard deviation of the unbiased share of an option that so many chose."""
        return math.sqrt(self.options / self.asked) * flip_deviation(math.log(self.flip_odds), share)


def _counted(places: IntArray, most: int, counts: npt.NDArray[np.integer] | None) -> list[int]:
    weights = None if counts is None else np.repeat(counts, places.shape[1])
    found = np.bincount(places.reshape(-1), weights=weights, minlength=most)
    return [int(count) for count in found.tolist()]


def _root(number: int, degree: int) -> int:
    """Return the whole part of the root of a number, by bisection."""
    low, high = 0, 1 << (number.bit_length() // degree + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**degree <= number else (low, middle)
    return low
