"""Samplers at 64 bits, word by word against plain integers: what production runs is what narrow widths prove."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import plain_integers as plain
from plain_integers import WORDS, ByWidth, Reader, corner_words, random_words, words_by_remainder
from sfumato.prob import Channel
from sfumato.sampling import (
    Categorical,
    Coin,
    DiscreteGaussian,
    EntropyRecycling,
    KeyedBits,
    RowDraws,
    ScriptedBits,
    UniformBelow,
)
from sfumato.sampling.noise import TwoSidedNoise

BOUNDS = [1, 2, 3, 1000, (1 << 32) - 1, 1 << 32, (1 << 63) - 1, 1 << 63, (1 << 63) + 1, WORDS - 1, WORDS]
CHANCES = [
    *(Fraction(1, 3), Fraction(1, 2), Fraction(1, WORDS), Fraction(WORDS - 1, WORDS), Fraction(5, 7 * WORDS)),
    *(1 - Fraction(1, 3 * WORDS), Fraction(0x123456789ABCDEF01, WORDS * 2), Fraction(0xFFFFFFFF, 1 << 32)),
]
SPARE = random_words(2, 4000)


@pytest.mark.parametrize("bound", BOUNDS)
def test_uniform_below(bound):
    words = [*words_by_remainder([0, bound // 2, bound - 1], bound), *corner_words(), *SPARE]
    count = len(words) - 3000
    script, reader = ScriptedBits(words), Reader(words)
    drawn = UniformBelow(bound=bound).draw(script, count)
    assert drawn.tolist() == plain.uniform_below(reader, bound, count)
    assert script.left == reader.left
    assert set(drawn.tolist()) >= {0, bound - 1}
    if bound < 1 << 63:
        assert UniformBelow(bound=bound).sample(ScriptedBits(words), count).tolist() == drawn.tolist()


@given(bound=st.integers(1, WORDS), words=st.lists(st.integers(0, WORDS - 1), min_size=1, max_size=20))
def test_uniform_below_anything(bound, words):
    words += [0] * len(words)
    assert UniformBelow(bound=bound).draw(ScriptedBits(words), len(words) // 2).tolist() == plain.uniform_below(
        Reader(words), bound, len(words) // 2
    )


@pytest.mark.parametrize(
    "counts", [(1, 2), (5, 0, 3), (1, WORDS - 2, 1), (WORDS // 2, 0, WORDS // 2), (3, (1 << 40) + 1, 1 << 62), (9,)]
)
def test_categorical(counts):
    total = sum(counts)
    borders = list(itertools.accumulate(counts, initial=0))
    words = [*words_by_remainder(borders, total), *corner_words(), *SPARE]
    count, reader = len(words) - 3000, Reader(words)
    numbers = plain.uniform_below(reader, total, count)
    expected = [sum(number >= border for border in borders[1:]) for number in numbers]
    script = ScriptedBits(words)
    assert Categorical(counts=counts).sample(script, count).tolist() == expected
    assert script.left == reader.left
    assert set(expected) == {i for i, size in enumerate(counts) if size}


@pytest.mark.parametrize("chance", CHANCES)
def test_coin(chance):
    border = int(chance * WORDS)
    words = [*plain.near([border, 0, WORDS - 1], WORDS), *[border] * 5, *corner_words(), *SPARE]
    count = len(words) - 3000
    script, reader = ScriptedBits(words), Reader(words)
    assert Coin(chance=chance).sample(script, count).tolist() == plain.coin(reader, chance, count)
    assert script.left == reader.left


def test_a_coin_goes_on_where_a_word_leaves_it_open():
    """1/3 is 0.(01) in bits: after k words that agree with it, the next decides, and either way."""
    third = WORDS // 3
    for agreeing in range(4):
        for last, throw in ((third - 1, 1), (third + 1, 0)):
            script = ScriptedBits([third] * agreeing + [last])
            assert Coin(chance=Fraction(1, 3)).sample(script, 1).tolist() == [throw]
            assert script.left == 0


@pytest.mark.parametrize(
    "chance", [Fraction(1, 3), Fraction(1, 2), Fraction(1, 1 << 33), Fraction((1 << 33) - 1, 1 << 33)]
)
@pytest.mark.parametrize("first", [[0] * 3, [0, 0, 1], [7, 0xFFFF, 0xFFFF], [0xFFFF] * 3, [0, 0xAAAA, 0xAAAA]])
def test_thrifty_coin(chance, first):
    """Words that leave the first throw undecided are among the first ones: 2^-32 of the time is not waited for."""
    narrow, wide = [*first, *random_words(3, 4000, 16)], [int(chance * 2**96) % WORDS, *SPARE]
    expected = plain.thrifty_coin(Reader(narrow), Reader(wide), chance, 900)
    assert Coin(chance=chance, thrifty=True).sample(ByWidth(bits_16=narrow, bits_64=wide), 900).tolist() == expected


# Where the last outcome has an odd count, words of ones pass the last multiple of 2^32 in the range.
LAWS = [
    *((1 << 31, 1 << 31), ((1 << 32) - 1, 1), (123_456_788, (1 << 32) - 123_456_788 - 5, 5), (1, 0, (1 << 32) - 2, 1)),
    *((5, (1 << 32) - 5), (1 << 32,), (1 << 20,) * 4096),
]


@pytest.mark.parametrize("counts", LAWS, ids=len)
@pytest.mark.parametrize("kind", ["random", "zeros", "ones", "mixed"])
def test_economical(counts, kind):
    """Also at the ends of the range, where a number would pass 2^64 if it were refilled a word too late."""
    words = {
        "random": random_words(4, 20_000, 16),
        "zeros": [0] * 20_000,
        "ones": [0xFFFF] * 20_000,
        "mixed": [word if i % 3 else 0xFFFF * (i % 2) for i, word in enumerate(random_words(5, 20_000, 16))],
    }[kind]
    expected = plain.recycled(Reader(words), counts, 2000)
    assert EntropyRecycling(counts=counts).sample(ScriptedBits(words), 2000).tolist() == expected


@pytest.mark.parametrize("at_once", [1, 2, 3000])
def test_economical_whatever_is_asked_for_at_a_time(at_once):
    """What is left of a range lives on from one request for words to the next."""
    counts = ((1 << 32) - (1 << 23) - 1, (1 << 23) + 1)
    words = random_words(6, 3000, 16)

    class Dripping(ScriptedBits):
        def words(self, count, width=64):
            return super().words(min(count, at_once), width)

    drawn = EntropyRecycling(counts=counts).sample(Dripping(words), 40_000)
    assert drawn.tolist() == plain.recycled(Reader(words), counts, 40_000)
    assert set(drawn.tolist()) == {0, 1}


ROWS = [
    [Fraction(1, 3), Fraction(1, 6), Fraction(0), Fraction(1, 2)],
    [Fraction(1, 3 * WORDS), 1 - Fraction(2, 3 * WORDS), Fraction(0), Fraction(1, 3 * WORDS)],
    [Fraction(0), Fraction(0), Fraction(1), Fraction(0)],
]


def row_draw(reader, law, word):
    """The outcome whose interval holds that of the word, found by cutting further with more words until one does."""
    low, size = Fraction(word, WORDS), Fraction(1, WORDS)
    while True:
        end = Fraction(0)
        for outcome, chance in enumerate(law):
            if chance and end <= low and low + size <= end + chance:
                return outcome
            end += chance
        size /= WORDS
        low += reader.take(1)[0] * size


@pytest.mark.parametrize("row", range(len(ROWS)))
def test_row_draws(row):
    """Each border of a row with its neighbours, and words that agree with a border once and twice."""
    draws = RowDraws(Channel(ROWS))
    ends = list(itertools.accumulate(ROWS[row], initial=Fraction(0)))
    borders = plain.near([int(end * WORDS) for end in ends], WORDS)
    further = [int(end * WORDS**2) % WORDS for end in ends]
    for word in [*borders, *corner_words(), *SPARE[:500]]:
        for more in (
            [0],
            [WORDS - 1],
            *([next_word, 5] for next_word in further),
            *([w, w + 1] for w in further if w < 9),
        ):
            script, reader = ScriptedBits([word, *more, *SPARE[:4]]), Reader([*more, *SPARE[:4]])
            assert draws.draw(script, np.array([row])).tolist() == [row_draw(reader, ROWS[row], word)]
            assert script.left == reader.left


def test_row_draws_of_many_records():
    """Every record has a word of its own, in the order of the records whatever their rows are."""
    rows = plain.random_numbers(7, len(ROWS), 3000)
    words = random_words(8, 3000)
    drawn = RowDraws(Channel(ROWS)).draw(ScriptedBits(words), rows)
    assert drawn.tolist() == [row_draw(Reader([]), ROWS[row], word) for row, word in zip(rows, words, strict=True)]


def keystream(key, blocks):
    """AES-256 of the block numbers 0, 1, …: counter mode spelled out."""
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    cipher = Cipher(algorithms.AES(key), modes.ECB()).encryptor()  # noqa: S305  the numbers never repeat
    return cipher.update(b"".join(number.to_bytes(16, "big") for number in range(blocks)))


@pytest.mark.parametrize(("width", "size"), [(64, 8), (32, 4), (16, 2), (8, 1), (5, 1), (33, 8), (63, 8)])
def test_words_under_a_key(width, size):
    """Each word is the top of the next bytes of the stream, least byte first, across chunks and from call to call."""
    key = bytes(range(32))
    stream = keystream(key, (1 << 17) + 64)
    count = (1 << 20) // size + 7
    bits = KeyedBits(key)
    parts = [bits.words(5, width), bits.words(count, width), bits.words(3, width)]
    start = 0
    for part in parts:
        data = stream[start : start + part.size * size]
        whole = np.frombuffer(data, dtype=f"<u{size}") >> (8 * size - width)
        assert part.tolist() == whole.tolist()
        assert int.from_bytes(data[-size:], "little") >> (8 * size - width) == int(part[-1])
        # The cipher goes on where it stopped; nothing of the stream is skipped or used twice.
        start += part.size * size


def two_sided_number(reader, scale, exponent_of):
    """One word for remainder and sign, coins of chance 1/e in a row, and a coin that brings the rest of the law."""
    while True:
        (word,) = reader.take(1)
        if word >= WORDS // (2 * scale) * (2 * scale):
            continue
        remainder, negative = divmod(word % (2 * scale), 2)
        size = remainder
        while plain.exponential_coin(reader, Fraction(1)) == 1:
            size += scale
        if (size or not negative) and plain.exponential_coin(reader, exponent_of(size) - size // scale) == 1:
            return -size if negative else size


def gaussian_number(reader, variance):
    """z²/2s, and what makes it as large as |z|/t everywhere."""
    scale = math.isqrt(math.floor(variance)) + 1
    return two_sided_number(
        reader, scale, lambda size: (size - variance / scale) ** 2 / (2 * variance) + Fraction(size, scale)
    )


def laplace_number(reader, scale):
    return two_sided_number(reader, scale, lambda size: Fraction(size, scale))


VARIANCES = [
    *(
        Fraction(1, 10**30),
        Fraction(1, 1000),
        Fraction(1, 127),
        Fraction(1, 3),
        Fraction(1),
        Fraction(2),
        Fraction(61, 3),
    ),
    *(Fraction(10**12, 7), Fraction(123_456_789_012_345, 1 << 20), Fraction((1 << 80) - 1, 3), Fraction(1 << 80)),
]


def words_of_attempts(seed, variance, count):
    """Random words, among them whole attempts each of whose words is at an end or beside the border that it meets."""
    scale = math.isqrt(math.floor(variance)) + 1
    unit = plain.exponential_digits(Fraction(1), 64)
    off = [0, 0, 1, -1, 2, -2, 1 << 20, -(1 << 20), 1 << 30, -(1 << 30), 1 << 40, -(1 << 40)]
    words, choices = [], iter(plain.random_numbers(seed, 1 << 30, 12 * count).tolist())
    pick = lambda options: options[next(choices) % len(options)]  # noqa: E731
    corners = corner_words(seed)
    for _ in range(count):
        number = pick([0, 1, 2, 3, scale, 2 * scale - 2, 2 * scale - 1, pick(corners) % (2 * scale)]) % (2 * scale)
        whole = pick([0, 0, 0, 1, 1, 2, 3])
        words.append(number + 2 * scale * (pick(corners) % (WORDS // (2 * scale))))
        words += [pick([0, 1, unit - 1, unit, unit - (1 << 31)]) for _ in range(whole)]
        words.append(pick([WORDS - 1, unit + 1, unit + (1 << 31), unit]))
        size = number // 2 + scale * whole
        exponent = (size - variance / scale) ** 2 / (2 * variance) + Fraction(size, scale) - whole
        border = plain.exponential_digits(exponent, 64) if exponent < 100 else 0
        words.append(min(max(border + pick(off), 0), WORDS - 1))
        words += [pick(corners) for _ in range(pick([0, 0, 0, 1, 2]))]
    return words


@pytest.mark.parametrize("variance", VARIANCES, ids=lambda variance: f"{float(variance):.4g}")
@pytest.mark.parametrize("few", [1 << 30, 0], ids=["plain", "compiled"])
def test_discrete_gaussian(variance, few):
    """Many numbers from one stream: attempts at borders and ends, with carries, and random ones."""
    scale = math.isqrt(math.floor(variance)) + 1
    noise = TwoSidedNoise.gaussian(variance, scale)
    words = [*words_of_attempts(9, variance, 150), *SPARE]
    script, reader = ScriptedBits(words), Reader(words)
    count = 250
    expected = [gaussian_number(reader, variance) for _ in range(count)]
    assert noise.sample(script, count, few=few).tolist() == expected
    assert script.left == reader.left
    if variance >= 1:
        assert len(set(expected)) > 5


@pytest.mark.parametrize("variance", [Fraction(1, 3), Fraction(61, 3), Fraction(1 << 80)])
def test_discrete_gaussian_as_it_is_called(variance):
    """Few numbers, and so many that the compiler is loaded for them."""
    words = random_words(10, 20_000)
    for count in (1, 2, 1024, 1025):
        script, reader = ScriptedBits(words), Reader(words)
        expected = [gaussian_number(reader, variance) for _ in range(count)]
        assert DiscreteGaussian(variance=variance).sample(script, count).tolist() == expected
        assert script.left == reader.left


@pytest.mark.parametrize("scale", [1, 2, 3, 1000, (1 << 47) - 1, 1 << 47, (1 << 47) + 1, 1 << 50])
@pytest.mark.parametrize("few", [1 << 30, 0], ids=["plain", "compiled"])
def test_discrete_laplace(scale, few):
    """Also where the scale is beyond what the compiled loop can divide."""
    script, reader = ScriptedBits(SPARE), Reader(SPARE)
    expected = [laplace_number(reader, scale) for _ in range(300)]
    assert TwoSidedNoise.laplace(scale).sample(script, 300, few=few).tolist() == expected
    assert script.left == reader.left
    assert len(set(expected)) > 3


def test_the_compiled_loop_leaves_long_runs_to_plain_integers():
    """More than thirty coins in a row, which e^-31 of the attempts see."""
    for successes in (29, 30, 31, 32, 60):
        words = [2, *[0] * successes, WORDS - 1, 0, *SPARE]
        for noise, number in (
            (TwoSidedNoise.laplace(7), lambda reader: laplace_number(reader, 7)),
            (TwoSidedNoise.gaussian(Fraction(40), 7), lambda reader: gaussian_number(reader, Fraction(40))),
        ):
            reader = Reader(words)
            assert noise.sample(ScriptedBits(words), 3, few=0).tolist() == [number(reader) for _ in range(3)]
