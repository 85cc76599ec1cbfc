"""Every `privatize` at 64 bits, word by word against plain integers: no word of production gives another report."""

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import plain_integers as plain
from plain_integers import WORDS, Reader, corner_words, random_numbers, random_words
from sfumato import mechanisms
from sfumato.mechanisms import (
    ArcResponse,
    BinaryHadamard,
    CyclicResponse,
    FlagsResponse,
    HadamardResponse,
    OptimisedUnary,
    PermanentUnary,
    RandomizedResponse,
    SetsResponse,
    SubsetSelection,
    SymmetricUnary,
    Tabulated,
    kernels,
)
from sfumato.mechanisms.cyclic import Family
from sfumato.mechanisms.difference_sets import binary_field
from sfumato.mechanisms.set_systems import members_of_set, public_spaces, rows_of_space
from sfumato.prob import Channel
from sfumato.sampling import ScriptedBits

# How many answers the compiled loop of the cyclic response takes at a time.
PART = 1 << 15


def randomized_response(mechanism, answers, reader):
    own, other = mechanism.odds.numerator, mechanism.odds.denominator
    numbers = plain.uniform_below(reader, own + (mechanism.size - 1) * other, len(answers))
    return [
        x if number < own else (x + 1 + (number - own) // other) % mechanism.size
        for x, number in zip(answers, numbers, strict=True)
    ]


def favoured_shifts(mechanism):
    """What the theory pages say: a difference set, or the arc from 0 on."""
    if isinstance(mechanism, ArcResponse):
        return list(range(mechanism.length))
    if isinstance(mechanism, FlagsResponse | SetsResponse):  # the first numbers of elements
        return list(range(mechanism.favoured_count))
    return sorted(mechanism.difference_set.members.tolist())


def arc(mechanism, answers, reader):
    """An answer that stands apart begins where the arc of the one before it ends; the rest is the cyclic response."""
    last = mechanism.size - 1
    beyond = last - 1 + mechanism.length if mechanism.apart else last
    return cyclic(mechanism, [beyond if x == last else x for x in answers], reader)


def flags(mechanism, answers, reader):
    """The number of an element from two words, and the quotient of the answer by it, bit by bit."""
    numbers = cyclic(mechanism, [0] * len(answers), reader)
    length, c = mechanism.length, mechanism.dimension
    field = binary_field(length)
    codes = public_spaces(length, c, len(answers), 0).tolist() or [0] * len(answers)
    reports = []
    for x, number, code in zip(answers, numbers, codes, strict=True):
        odd, even = divmod(number - mechanism.favoured_count, 1 << (length - c))
        wanted, even = (0, number + 1) if number < mechanism.favoured_count else (odd + 1, even)
        rows = rows_of_space(code, length, c)
        pivots = [(row & -row).bit_length() - 1 for row in rows]
        others = [place for place in range(length) if place not in pivots]
        element = sum(((even >> i) & 1) << place for i, place in enumerate(others))
        for i, (row, pivot) in enumerate(zip(rows, pivots, strict=True)):
            if (row & element).bit_count() % 2 != (wanted >> i) & 1:
                element |= 1 << pivot
        reports.append((x - int(field.logs[element])) % mechanism.modulus)
    return reports


def sets(mechanism, answers, reader):
    """The number of a residue from two words, those of the row's set first, and the answer less that residue."""
    size, chosen = mechanism.size, mechanism.chosen
    numbers = cyclic(mechanism, [0] * len(answers), reader)
    codes = mechanism.publics(len(answers), 0).tolist() or [0] * len(answers)
    reports = []
    for x, number, code in zip(answers, numbers, codes, strict=True):
        members = members_of_set(code, chosen)
        stands = [*members, *(residue for residue in range(size) if residue not in members)]
        reports.append((x - stands[number]) % size)
    return reports


def cyclic(mechanism, answers, reader):
    """Rounds of two words for everybody who has no report yet; a level is kept once it is known."""
    members = favoured_shifts(mechanism)
    others = [u for u in range(mechanism.modulus) if u not in set(members)]
    own, other = mechanism.odds.numerator, mechanism.odds.denominator
    border, total = own * len(members), own * len(members) + other * len(others)
    reports = [0] * len(answers)
    for start in range(0, len(answers), PART):
        waiting = list(range(start, min(start + PART, len(answers))))
        levels: dict[int, list[int]] = {}
        while waiting:
            words = iter(reader.take(2 * len(waiting)))
            still = []
            for i, (first, second) in zip(waiting, zip(words, words, strict=True), strict=True):
                number, low = divmod(first * total, WORDS)
                if i not in levels and low >= WORDS % total:
                    levels[i] = members if number < border else others
                if i not in levels:
                    still.append(i)
                    continue
                place, low = divmod(second * len(levels[i]), WORDS)
                if low < WORDS % len(levels[i]):
                    still.append(i)
                else:
                    reports[i] = (answers[i] + levels[i][place]) % mechanism.modulus
            waiting = still
    return reports


def hadamard(mechanism, answers, reader):
    """Numbers are dealt out: `odds` to each favoured symbol of the block, 1 to its others, 1 to those abroad."""
    own, other, block = mechanism.odds.numerator, mechanism.odds.denominator, mechanism.block
    dealt = []
    for x in range(mechanism.size):
        home, row = divmod(x, block - 1)
        mine = [[y for y in range(block) if ((row + 1) & y).bit_count() % 2 == odd] for odd in (0, 1)]
        abroad = [y for y in range(mechanism.outputs) if y // block != home]
        dealt.append(
            [([home * block + y for y in mine[0]], own), ([home * block + y for y in mine[1]], other), (abroad, other)]
        )
    numbers = plain.uniform_below(reader, sum(len(symbols) * size for symbols, size in dealt[0]), len(answers))
    reports = []
    for x, drawn in zip(answers, numbers, strict=True):
        number = drawn
        for symbols, size in dealt[x]:
            if number < len(symbols) * size:
                reports.append(symbols[number // size])
                break
            number -= len(symbols) * size
    return reports


def splitmix(number):
    z = number * 0x9E3779B97F4A7C15 % WORDS
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % WORDS
    z = (z ^ z >> 27) * 0x94D049BB133111EB % WORDS
    return z ^ z >> 31


def binary_hadamard(mechanism, answers, reader):
    yes = [(1 - mechanism.silence) * mechanism.yes, (1 - mechanism.silence) * mechanism.yes / mechanism.odds]
    exact = [*yes, *(1 - mechanism.silence - p for p in yes), mechanism.silence]
    total = math.lcm(*(p.denominator for p in exact))
    saying_yes, answering = [int(p * total) for p in yes], int((1 - mechanism.silence) * total)
    reports = []
    for position, (x, number) in enumerate(zip(answers, plain.uniform_below(reader, total, len(answers)), strict=True)):
        rounds, place = divmod(position, mechanism.groups)
        question = (place + splitmix(rounds)) % mechanism.groups + 1
        odd = (x & question).bit_count() % 2
        reports.append(2 if number >= answering else int(number >= saying_yes[odd]))
    return reports


def tabulated(mechanism, answers, reader):
    """Answers in turn: all who hold the first get their numbers, then all who hold the second."""
    reports = [0] * len(answers)
    for x in range(mechanism.size):
        holders = [i for i, held in enumerate(answers) if held == x]
        law = mechanism.law(x)
        total = math.lcm(*(p.denominator for p in law))
        ends = [int(end * total) for end in itertools.accumulate(law)]
        for i, number in zip(holders, plain.uniform_below(reader, total, len(holders)) if holders else [], strict=True):
            reports[i] = next(y for y, end in enumerate(ends) if number < end)
    return reports


def rows_of_bits(rows):
    return [[int("".join(map(str, row[i : i + 8])).ljust(8, "0"), 2) for i in range(0, len(row), 8)] for row in rows]


def least(holds):
    """Return the smallest whole number up to 2^64 for which a growing condition holds, by halving."""
    low, high = 0, WORDS
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


def noisy_rows(mechanism, answers, reader, own, other):
    return [
        [int(word < (own if i == x else other)) for i, word in enumerate(reader.take(mechanism.size))] for x in answers
    ]


def symmetric_flip(mechanism):
    return least(lambda t: t and Fraction(WORDS - t, t) ** 2 <= mechanism.odds)


def symmetric_unary(mechanism, answers, reader):
    flip = symmetric_flip(mechanism)
    return rows_of_bits(noisy_rows(mechanism, answers, reader, WORDS - flip, flip))


def optimised_unary(mechanism, answers, reader):
    other = least(lambda t: t and Fraction(WORDS - t, t) <= mechanism.odds)
    return rows_of_bits(noisy_rows(mechanism, answers, reader, WORDS // 2, other))


def permanent_unary(mechanism, answers, reader):
    flip = symmetric_flip(mechanism)
    kept = noisy_rows(mechanism, answers, reader, WORDS - flip, flip)
    fresh = least(lambda t: t and Fraction(WORDS - t, t) <= mechanism.fresh_odds)
    return rows_of_bits(
        [[bit ^ int(word < fresh) for bit, word in zip(row, reader.take(len(row)), strict=True)] for row in kept]
    )


def subset(mechanism, answers, reader):
    """Everybody's first number, then everybody's first place in the shuffle of the others, and so on."""
    size, chosen = mechanism.size, mechanism.chosen
    own, other = mechanism.odds.numerator, mechanism.odds.denominator
    numbers = plain.uniform_below(reader, own * chosen + other * (size - chosen), len(answers))
    decks = [[y for y in range(size) if y != x] for x in answers]
    for i in range(chosen):
        for deck, place in zip(decks, plain.uniform_below(reader, size - 1 - i, len(answers)), strict=True):
            deck[i], deck[i + place] = deck[i + place], deck[i]
    rows = []
    for x, number, deck in zip(answers, numbers, decks, strict=True):
        held = set(deck[: chosen - 1]) | {x} if number < own * chosen else set(deck[:chosen])
        rows.append([int(y in held) for y in range(size)])
    return rows_of_bits(rows)


@dataclass(frozen=True, kw_only=True)
class Case:
    """A mechanism, its reports by plain integers, and words beside the borders of its outcomes."""

    mechanism: Any
    expected: Callable[..., list[Any]]
    borders: list[int]
    words: int = 1
    """How many words a report takes when none is drawn again."""


def remainders(borders, bound):
    return plain.words_by_remainder(borders, bound)


def products(bound):
    return plain.words_by_product(list(range(bound + 1)), bound)


def response(size, odds):
    mechanism = RandomizedResponse(size=size, odds=odds)
    own, other = odds.numerator, odds.denominator
    borders = [0, *(own + i * other for i in range(size))]
    return Case(mechanism=mechanism, expected=randomized_response, borders=remainders(borders, borders[-1]))


def cyclic_case(kind=CyclicResponse, expected=cyclic, **declared):
    mechanism = kind(**declared)
    members = len(favoured_shifts(mechanism))
    border = mechanism.odds.numerator * members
    total = border + mechanism.odds.denominator * (mechanism.modulus - members)
    levels = plain.words_by_product([0, border, total - 1], total)
    return Case(
        mechanism=mechanism,
        expected=expected,
        borders=[*levels, *products(members), *products(mechanism.modulus - members)],
        words=2,
    )


def hadamard_case(size, odds, blocks):
    mechanism = HadamardResponse(size=size, odds=odds, blocks=blocks)
    half, own, other = mechanism.block // 2, odds.numerator, odds.denominator
    borders = [own * i for i in range(half + 1)] + [own * half + other * i for i in range(mechanism.outputs - half + 1)]
    return Case(mechanism=mechanism, expected=hadamard, borders=remainders(borders, borders[-1]))


def flip_case(**declared):
    mechanism = BinaryHadamard(**declared)
    laws = [mechanism.law(x) for x in (0, 1)]
    total = math.lcm(*(p.denominator for law in laws for p in law))
    borders = [int(end * total) for law in laws for end in itertools.accumulate(law, initial=Fraction(0))]
    return Case(mechanism=mechanism, expected=binary_hadamard, borders=remainders(borders, total))


def table_case(*rows):
    borders = []
    for row in rows:
        total = math.lcm(*(p.denominator for p in row))
        borders += remainders([int(end * total) for end in itertools.accumulate(row)], total)
    return Case(mechanism=Tabulated(Channel(rows)), expected=tabulated, borders=borders)


def unary_case(kind, expected, words=1, **declared):
    mechanism = kind(**declared)
    borders = [*mechanism.thresholds, getattr(mechanism, "fresh_threshold", 0)]
    size = mechanism.size * words
    return Case(mechanism=mechanism, expected=expected, borders=plain.near(borders, WORDS), words=size)


def subset_case(size, odds, chosen):
    own, other = odds.numerator, odds.denominator
    total = own * chosen + other * (size - chosen)
    borders = remainders([0, own * chosen, total], total)
    for i in range(chosen):
        borders += remainders(list(range(size - i)), size - 1 - i)
    mechanism = SubsetSelection(size=size, odds=odds, chosen=chosen)
    return Case(mechanism=mechanism, expected=subset, borders=borders, words=1 + chosen)


# Odds as `within` finds them, odds that fill a word so that half of all words are drawn again, and small ones.
USUAL = Fraction(11674931554, 1 << 32)
ODD = Fraction(0x2AAAAAAAAAAAAAB1, 0x1000000000000001)
CASES = [
    response(4, USUAL),
    response(3, Fraction((1 << 63) - 1, 2)),
    response(2, Fraction((1 << 63) + 1, (1 << 63) - 1)),
    response(5, Fraction(3)),
    cyclic_case(size=5, odds=USUAL, q=2, t=3),
    cyclic_case(size=13, odds=USUAL, q=3, t=3),
    cyclic_case(size=3, odds=ODD, q=2, t=2),
    cyclic_case(size=9, odds=Fraction((1 << 60) - 1, (1 << 59) + 1), q=11, t=1, family=Family.PALEY),
    cyclic_case(size=5, odds=Fraction(3), q=2, t=3),
    cyclic_case(FlagsResponse, flags, size=5, odds=USUAL, length=3, dimension=1),
    cyclic_case(FlagsResponse, flags, size=13, odds=USUAL, length=4, dimension=2),
    cyclic_case(FlagsResponse, flags, size=3, odds=ODD, length=2, dimension=1),
    cyclic_case(SetsResponse, sets, size=5, odds=USUAL, chosen=1),
    cyclic_case(SetsResponse, sets, size=9, odds=USUAL, chosen=4),
    cyclic_case(SetsResponse, sets, size=3, odds=ODD, chosen=2),
    cyclic_case(ArcResponse, arc, size=7, odds=USUAL, length=3),
    cyclic_case(ArcResponse, arc, size=5, odds=USUAL, length=4, apart=True),
    cyclic_case(ArcResponse, arc, size=2, odds=ODD, length=2),
    hadamard_case(5, USUAL, 2),
    hadamard_case(3, Fraction((1 << 62) + 1, 1), 1),
    hadamard_case(3, Fraction(7, 2), 4),
    flip_case(size=2, odds=USUAL),
    flip_case(size=6, odds=USUAL),
    flip_case(size=3, odds=Fraction(4), silence=Fraction(1, 3)),
    flip_case(size=5, odds=Fraction(2), yes=Fraction(1, 3), silence=Fraction((1 << 61) + 5, (1 << 62) - 1)),
    table_case([Fraction(7, 10), Fraction(2, 10), Fraction(1, 10)], [Fraction(1, 10), Fraction(0), Fraction(9, 10)]),
    table_case([Fraction(1, WORDS - 1), Fraction(WORDS - 2, WORDS - 1)], [Fraction(1, 3), Fraction(2, 3)]),
    *(
        unary_case(kind, expected, size=size, odds=odds)
        for kind, expected in ((SymmetricUnary, symmetric_unary), (OptimisedUnary, optimised_unary))
        for size, odds in ((3, USUAL), (9, Fraction(7, 2)))
    ),
    unary_case(PermanentUnary, permanent_unary, words=2, size=3, odds=USUAL, fresh_odds=Fraction(7, 3)),
    subset_case(5, USUAL, 2),
    subset_case(9, Fraction(3), 1),
    subset_case(4, Fraction((1 << 61) - 1, 3), 3),
]
every = pytest.mark.parametrize("case", CASES, ids=lambda case: case.mechanism.name)


def compare(case, answers, words):
    """Both read one list; its end is spare, for words that are drawn again."""
    script, reader = ScriptedBits(words), Reader(words)
    reports = case.mechanism.privatize(answers, script)
    assert reports.tolist() == case.expected(case.mechanism, answers.tolist(), reader)
    assert script.left == reader.left
    return reports


def test_every_mechanism_has_its_plain_integers():
    exported = {kind for name in mechanisms.__all__ if hasattr(kind := getattr(mechanisms, name), "privatize")}
    assert {type(case.mechanism) for case in CASES} == exported
    assert all(getattr(case.mechanism, "width", 64) == 64 for case in CASES)


@every
def test_words_at_borders_and_with_carries(case):
    """Every such word in every place of a report, for every answer, beside words of all kinds."""
    special = [*case.borders, *corner_words()]
    size, words = case.mechanism.size, []
    # Steps that share no factor with the length pair each word with many others.
    for place, step in enumerate((1, 3, 7, 11)[: case.words + 1]):
        words += [special[(i * step + place) % len(special)] for i in range(len(special) * case.words)]
    for shift in range(size):
        count = len(words) // case.words
        answers = (np.arange(count) + shift) % size
        compare(case, answers, [*words, *random_words(1, 20_000 + 4 * len(words))])


@every
def test_random_words(case):
    count = 20_000 // case.words
    reports = compare(case, random_numbers(2, case.mechanism.size, count), random_words(3, 60_000))
    assert len({str(report) for report in reports.tolist()}) > 1


@pytest.mark.slow
@pytest.mark.parametrize("kind", dict.fromkeys(type(case.mechanism) for case in CASES), ids=lambda kind: kind.__name__)
def test_four_million_random_words(kind):
    """A report that gives the truth away for one word in 2^20, whichever they are, is missed once in e^4 times."""
    case = next(case for case in CASES if type(case.mechanism) is kind)
    for part in range(16):
        count = (1 << 18) // case.words
        compare(case, random_numbers(100 + part, case.mechanism.size, count), random_words(200 + part, 1 << 20))


def test_more_answers_than_the_loops_take_at_a_time():
    """Words are asked for in parts; none is skipped between them."""
    case = cyclic_case(size=3, odds=ODD, q=2, t=2)
    compare(case, random_numbers(4, case.mechanism.size, PART + 1000), random_words(5, 8 * PART))


numbers = st.integers(0, WORDS - 1) | st.sampled_from(corner_words())


@given(word=numbers, bound=numbers)
def test_the_product_of_two_words(word, bound):
    high, low = kernels._scaled(np.uint64(word), np.uint64(bound))
    assert (int(high), int(low)) == divmod(word * bound, WORDS)


@given(bound=numbers.filter(bool), width=st.integers(1, 64))
def test_what_a_bound_leaves_over(bound, width):
    if bound < 1 << width:
        assert int(kernels._spare(np.uint64(bound), np.uint64(64 - width))) == (1 << width) % bound << (64 - width)
