"""What samplers in production are held against: plain integers, written from the definitions and not from the code.

Words come from a list, in the order in which they are asked for, so that the code and its reference are fed alike and
must use equally many. Beside random words there are those at which an error would hide: ends, borders of outcomes,
borders of rejection, and long runs of equal bits, which make carries.
"""

import bisect
import decimal
import functools
import itertools
import math
from fractions import Fraction

import numpy as np

from sfumato.sampling import Guarantee, InsecureSeeded, ScriptedBits

WORDS = 1 << 64
HALVES = (0, 1, 2, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF, 0xDEADBEEF)


class Reader:
    """Words from a list, in order."""

    def __init__(self, words):
        self.words, self.used = words, 0

    def take(self, count):
        taken = list(self.words[self.used : self.used + count])
        assert len(taken) == count, "the list is too short"
        self.used += count
        return taken

    @property
    def left(self):
        return len(self.words) - self.used


class ByWidth:
    """A script of its own for every width of words: some samplers ask for two kinds."""

    guarantee = Guarantee.NONE
    label = "INSECURE script: a test, not a release"

    def __init__(self, **scripts):
        self.scripts = {int(name.removeprefix("bits_")): ScriptedBits(words) for name, words in scripts.items()}

    def words(self, count, width=64):
        return self.scripts[width].words(count, width)


def random_words(seed, count, width=64):
    return InsecureSeeded(seed).words(count, width).tolist()


def corner_words(seed=1):
    """Both ends, halves that carry, and runs of zeros and ones of every length at either end of random words."""
    halves = [high << 32 | low for high, low in itertools.product(HALVES, repeat=2)]
    runs = []
    for size, word in enumerate(random_words(seed, 64)):
        low = (1 << size) - 1
        runs += [word | low, word & ~low, word >> size, word >> size | (low << (64 - size)), 1 << size, WORDS - 1 - low]
    return halves + runs


def near(numbers, bound):
    """Whole numbers with their neighbours, below a bound."""
    return sorted({number + i for number in numbers for i in (-1, 0, 1) if 0 <= number + i < bound})


def words_by_remainder(numbers, bound, width=64):
    """Words that stand for these numbers when a number is word mod bound, and those beside the border of rejection."""
    full = (1 << width) // bound
    times = (0, full // 3, full - 1)
    wanted = [number + k * bound for number in near(numbers, bound) for k in times]
    return wanted + near([full * bound, (1 << width) - 1], 1 << width)


def words_by_product(numbers, bound):
    """Words beside the first that stands for each number, when a number is the high half of word · bound."""
    return near([-(-number * WORDS // bound) for number in near(numbers, bound)], WORDS)


def uniform_below(reader, bound, count, width=64):
    """Word mod bound; words beyond the last full multiple are drawn again, all of them together, in order."""
    words = reader.take(count)
    full = (1 << width) // bound * bound
    while again := [i for i, word in enumerate(words) if word >= full]:
        for i, word in zip(again, reader.take(len(again)), strict=True):
            words[i] = word
    return [word % bound for word in words]


def coin(reader, chance, count, width=64):
    """Word w is the interval [w, w+1)/2^width: 1 below the chance, 0 above it, and thrown again where it is inside."""
    if chance in {0, 1}:
        return [int(chance)] * count
    throws, open_places, rest = [], [], None
    for i, word in enumerate(reader.take(count)):
        if Fraction(word + 1, 1 << width) <= chance:
            throws.append(1)
        elif Fraction(word, 1 << width) >= chance:
            throws.append(0)
        else:
            throws.append(None)
            open_places.append(i)
            rest = chance * (1 << width) - word
    if open_places:
        for i, throw in zip(open_places, coin(reader, rest, len(open_places), width), strict=True):
            throws[i] = throw
    return throws


@functools.cache
def exponential_digits(exponent, count):
    """⌊e^-exponent·2^count⌋, by the exponential function of decimal numbers, which is correctly rounded."""
    with decimal.localcontext(prec=count // 3 + 60) as context:
        power = (-decimal.Decimal(exponent.numerator) / exponent.denominator).exp() * 2**count
        # Nothing is rounded the wrong way: the power is not as near to a whole number as decimals may be off.
        margin = decimal.Decimal(10) ** (power.adjusted() + 2 - context.prec)
        assert exponent == 0 or power < 1 - margin or abs(power - round(power)) > margin
        return math.floor(power)


def exponential_coin(reader, exponent, width=64):
    """Words are the digits of a number below 1; it is compared with e^-exponent digit by digit."""
    number = depth = 0
    while True:
        (word,) = reader.take(1)
        number, depth = (number << width) + word, depth + width
        border = exponential_digits(exponent, depth)
        if number < border:
            return 1
        if number > border:
            return 0


def recycled(reader, counts, count):
    """Outcomes with probability counts/2^32: a uniform number below `reach` is cut into an outcome and what is left."""
    ends = list(itertools.accumulate(counts))
    outcomes, value, reach = [], 0, 1
    while len(outcomes) < count:
        while reach < 1 << 48:
            (word,) = reader.take(1)
            value, reach = value << 16 | word, reach << 16
        assert value < reach <= WORDS
        whole = reach >> 32
        if value >= whole << 32:
            value, reach = value - (whole << 32), reach - (whole << 32)
            continue
        high, low = divmod(value, 1 << 32)
        outcome = bisect.bisect_right(ends, low)
        outcomes.append(outcome)
        size = counts[outcome]
        value, reach = high * size + low - (ends[outcome] - size), whole * size
    return outcomes


def thrifty_coin(narrow, wide, chance, count):
    """A recycled throw of three outcomes: 0, 1, and 2^-32 of the time undecided, which is thrown again with words."""
    if chance in {0, 1}:
        return [int(chance)] * count
    ones, rest = divmod(chance * (1 << 32), 1)
    undecided = int(rest > 0)
    throws = recycled(narrow, ((1 << 32) - int(ones) - undecided, int(ones), undecided), count)
    places = [i for i, throw in enumerate(throws) if throw == 2]
    for i, throw in zip(places, coin(wide, rest, len(places)), strict=True):
        throws[i] = throw
    return throws


def two_level_shift(reader, modulus, favoured, inside, width=64):
    """A coin decides whether the shift is outside; then it gets its place among those inside, or those outside."""
    (outside,) = coin(reader, 1 - inside, 1, width)
    members = sorted(set(range(modulus)) - set(favoured)) if outside else sorted(favoured)
    (place,) = uniform_below(reader, len(members), 1, width) if len(members) > 1 else (0,)
    return members[place]


def random_numbers(seed, bound, count):
    """Random answers; that remainders are not quite uniform does not matter."""
    return (InsecureSeeded(seed).words(count) % np.uint64(bound)).astype(np.int64)
