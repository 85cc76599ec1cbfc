"""Steps of ladders in production, against plain integers: what is drawn, what a seed is expanded to, what is published.

True draws take words of 16 bits, or of 32 where there are many reports; seeds give each row words of 32.
"""

import hmac
import itertools
import json
import struct
from fractions import Fraction
from hashlib import sha256

import numpy as np
import pytest

import plain_integers as plain
from plain_integers import WORDS, ByWidth, Reader, corner_words, random_words
from sfumato.ladders import Binding, Ladder, TwoLevelShift
from sfumato.ladders import steps as shifts
from sfumato.ladders.drawing import shifts_of
from sfumato.ladders.key_operations import rotate_key
from sfumato.ladders.keys import BLOCK_ROWS
from sfumato.mechanisms import ArcResponse, BinaryHadamard, CyclicResponse
from sfumato.sampling import Guarantee, RowStarts, RowWords, ScriptedBits

CYCLIC = Ladder(CyclicResponse(size=5, odds=Fraction(2), q=2, t=3), (2.0, 1.0, 0.5), recover=True)
FLIPS = Ladder(BinaryHadamard(size=2, odds=Fraction(2)), (2.0, 1.0), recover=True)
ARC = Ladder(ArcResponse(size=5, odds=Fraction(2), length=3, apart=True), (3.0, 1.0, 0.5), recover=True)
SHIFTS = [
    *CYCLIC.steps,
    *ARC.steps,
    TwoLevelShift(modulus=7, favoured=np.array([1, 2, 4]), inside=Fraction(1, 3)),
    TwoLevelShift(modulus=5, favoured=np.array([3]), inside=Fraction(WORDS - 1, WORDS)),
    TwoLevelShift(modulus=5, favoured=np.array([0, 1, 2, 3]), inside=Fraction(0)),
    TwoLevelShift(modulus=5, favoured=np.array([0, 2]), inside=Fraction(1)),
]
MANY = [
    TwoLevelShift(modulus=16_384, favoured=np.arange(1, 5000), inside=Fraction(2, 7)),
    TwoLevelShift(modulus=16_385, favoured=np.arange(0, 16_385, 3), inside=Fraction(2, 7)),
    TwoLevelShift.erasure(137_257, Fraction(3, 11)),
]
NARROW, WIDE = random_words(11, 60_000, 16), random_words(12, 200_000)


def chance_words(shift, width, count):
    """The first words of the chance to lie outside, as a coin is compared with them."""
    digits, rest = [], 1 - shift.inside
    for _ in range(count):
        digit, rest = divmod(rest * (1 << width), 1)
        digits.append(int(digit) % (1 << width))
    return digits


def shifts_in_turn(reader, shift, count, width):
    favoured = shift.favoured.tolist()
    return [plain.two_level_shift(reader, shift.modulus, favoured, shift.inside, width) for _ in range(count)]


@pytest.mark.parametrize("shift", [*SHIFTS, *MANY], ids=lambda shift: f"{shift.modulus} {shift.inside}")
def test_a_step_word_by_word(shift):
    """Words beside the border of the level, those that leave it open, and those that are drawn again for a place.

    What a source hands out beyond the words that rows use would be lost: nothing may be left or asked for in vain.
    """
    width = 16 if shift.modulus <= 1 << 14 else 32
    assert shift.stream_width == width
    words = 1 << width
    deep = chance_words(shift, width, 40)
    special = [*plain.near(deep[:2], words), deep[0], deep[0], *(word % words for word in corner_words())]
    for size in (shift.favoured.size, shift.modulus - shift.favoured.size):
        special += plain.words_by_remainder([*range(min(size, 40)), size - 1], size, width)
    # A coin that agrees with its chance for longer than it was written out, and then lies below, above, or goes on.
    for length in (1, 2, 7, 8, 9, 15, 16, 17, 33):
        special += [*deep[:length], 0, 1, *deep[:length], words - 1, 1]
    rows = 25 if shift.modulus > 100 else len(special)
    filler = random_words(14, 8000, width)
    for start in range(0, 40, 7):
        for script in ([*special[start:], *special, *filler], [*special[-start - 1 :], *filler]):
            reader = Reader(script)
            expected = shifts_in_turn(reader, shift, rows, width)
            source = ScriptedBits(script)
            assert shift.draw(source, rows).tolist() == expected
            assert source.left == reader.left


@pytest.mark.parametrize("shift", [CYCLIC.steps[0], SHIFTS[3]], ids=lambda shift: str(shift.inside))
def test_every_word_of_a_true_draw(shift):
    """All words of 16 bits, which production draws, as coin and as place: each level and each place has its share."""
    words, (border, after) = 1 << 16, chance_words(shift, 16, 2)
    assert 0 < border < words - 1
    coins = [word for word in range(words) if word != border]
    outside = ~np.isin(shift.draw(ScriptedBits([w for coin in coins for w in (coin, 0)]), len(coins)), shift.favoured)
    assert outside.tolist() == [coin < border for coin in coins]
    coins = [word for word in range(words) if word != after]
    script = ScriptedBits([w for coin in coins for w in (border, coin, 0)])
    outside = ~np.isin(shift.draw(script, len(coins)), shift.favoured)
    assert outside.tolist() == [coin < after for coin in coins]
    for level, size in ((words - 1, shift.favoured.size), (0, shift.modulus - shift.favoured.size)):
        kept = words - words % size
        places = shift.draw(ScriptedBits([w for place in range(kept) for w in (level, place)]), kept)
        hits = np.bincount(places, minlength=shift.modulus)
        assert set(hits.tolist()) == {0, kept // size}
        assert (hits > 0).sum() == size
        script = ScriptedBits([level, *range(kept, words), 1])
        assert shift.draw(script, 1).tolist() == places[1:2].tolist()
        assert script.left == 0, "every word beyond the last full multiple is drawn again"


@pytest.mark.parametrize("step", FLIPS.steps, ids=lambda step: str(step.inside))
def test_a_flip_word_by_word(step):
    for first in ([0, 0xFFFF, 0xFFFF], [0] * 3, [0xFFFF] * 3):
        narrow = [*first, *NARROW]
        expected = plain.thrifty_coin(Reader(narrow), Reader(WIDE), 1 - step.inside, 5000)
        assert step.draw(ByWidth(bits_16=narrow, bits_64=WIDE), 5000).tolist() == expected
        assert 0 < sum(expected) < 5000


@pytest.mark.parametrize("ladder", [CYCLIC, FLIPS, ARC], ids=["cyclic", "flips", "arc"])
def test_true_draws_are_the_sums_of_fresh_steps(ladder):
    """The lowest step is drawn first, each from words of its own; the key of a level is the sum of those below it."""
    count = 700
    scripts = {"bits_8": random_words(ladder.modulus, 16, 8), "bits_16": NARROW, "bits_64": WIDE}
    keys = ladder.draw_keys(count, ByWidth(**scripts))
    again, reader = ByWidth(**scripts), Reader(NARROW)
    sums = [0] * count
    for level in reversed(range(len(ladder.steps))):
        # How many narrow words a flip asks for beyond those it uses is its own business, so flips are drawn again.
        step = ladder.steps[level]
        is_flip = ladder.modulus == 2
        fresh = step.draw(again, count).tolist() if is_flip else shifts_in_turn(reader, step, count, 16)
        sums = [(one + other) % ladder.modulus for one, other in zip(sums, fresh, strict=True)]
        assert keys[level].material.shifts.tolist() == sums
    values = plain.random_numbers(13, ladder.size, count)
    published = ladder.publish(values, keys=keys)
    assert published.reports.tolist() == [
        (x + (2 if ladder is ARC and x == 4 else 0) + shift) % ladder.modulus
        for x, shift in zip(values.tolist(), sums, strict=True)
    ]
    assert ladder.recover(published.reports, published.keys[0]).tolist() == values.tolist()


class ScriptedRows:
    """Stands for words under a key: the words of each row are written down, and taken one after the other."""

    def __init__(self, table):
        self.table, self.taken = table, [0] * len(table)

    def numbers_at(self, places):
        return places

    def under(self, key):
        return np.array([high << 32 | low for high, low, *_ in self.table], dtype=np.uint64)

    def words(self, rows, width=64):
        assert width == 32
        found = []
        for row in rows.tolist():
            found.append(self.table[row][self.taken[row]])
            self.taken[row] += 1
        return np.array(found, dtype=np.uint64)


@pytest.mark.parametrize("shift", [*SHIFTS, *MANY, *FLIPS.steps], ids=lambda shift: f"{shift.modulus} {shift.inside}")
def test_a_step_row_by_row(shift, monkeypatch):
    """Each special word as the first, the second and the third of a row; what the compiled pass leaves open as well."""
    words = 1 << 32
    border = int((1 - shift.inside) * words) % words
    special = [*plain.near([border], words), border, *(word % words for word in corner_words())]
    for size in (shift.favoured.size, shift.modulus - shift.favoured.size):
        special += plain.words_by_remainder([*range(min(size, 9)), size - 1], size, 32)
    starts = [
        *([word, other] for word, other in zip(special, [*special[7:], *special[:7]], strict=True)),
        *([border, word] for word in special),
        *([border, word, other] for word, other in zip(special, reversed(special), strict=True)),
        *([word, words - 1, other] for word, other in zip(special, [*special[3:], *special[:3]], strict=True)),
    ][:: 1 if shift.modulus < 100 else 17]
    filler = random_words(16, len(starts) + 60, 32)
    table = [[*start, *filler[i : i + 60]] for i, start in enumerate(starts)]
    # Those that are left open are asked for anew, from their first word on.
    monkeypatch.setattr(shifts, "RowWords", lambda key, numbers: ScriptedRows([table[n] for n in numbers.tolist()]))
    sums = plain.random_numbers(15, shift.modulus, len(table)).astype(np.min_scalar_type(shift.modulus - 1))
    expected = [
        (before + shifts_in_turn(Reader(row), shift, 1, 32)[0]) % shift.modulus
        for before, row in zip(sums.tolist(), table, strict=True)
    ]
    shift.add_numbered(b"", ScriptedRows(table), sums)
    assert sums.tolist() == expected


def derived(secret, salt, purpose, number, block):
    """HKDF-SHA256 [RFC 5869] of one block of output, spelled out."""
    info = b"sfumato/ladder/2 " + purpose + struct.pack("<IQ", number, block)
    return hmac.digest(hmac.digest(salt, secret, "sha256"), info + b"\x01", "sha256")


def salt_of(ladder, binding, *, with_epoch):
    parts = [binding.study, binding.question, binding.column, binding.epoch if with_epoch else None]
    bound = sha256(b"sfumato/binding/1" + json.dumps(parts).encode()).digest()
    return sha256(bound + ladder.declaration.encode()).digest()


def row_stream(secret, number, count=16):
    """Words of a row: of AES-256 of its pair and 0, 1, …, its half, least bytes first, cut in two, high first."""
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    cipher = Cipher(algorithms.AES(secret), modes.ECB()).encryptor()  # noqa: S305  no block is used twice
    data = cipher.update(b"".join(struct.pack("<QQ", number // 2, attempt) for attempt in range(-(-count // 2))))
    lanes = struct.unpack(f"<{len(data) // 8}Q", data)[number % 2 :: 2]
    return [word for lane in lanes for word in divmod(lane, 1 << 32)][:count]


def test_words_of_rows():
    """In any order, any number at a time, at any width: the next words of a row are its own."""
    key, numbers = bytes(range(50, 82)), [0, 1, 4095, 4096, 1 << 40, (1 << 63) - 1]
    streams = [row_stream(key, number) for number in numbers]
    starts = RowStarts(len(numbers) + 3)
    for some in (numbers, numbers[::-2], [1, 0], numbers[:2]):
        starts.take(np.array(some))
        firsts = [streams[numbers.index(number)][:2] for number in some]
        assert starts.under(key).tolist() == [high << 32 | low for high, low in firsts]
    source = RowWords(key, np.array(numbers))
    taken = [0] * len(numbers)
    for asked, width in (
        ([0, 2, 4], 32),
        ([5, 4, 3, 2, 1, 0], 32),
        ([2], 31),
        ([2, 3], 1),
        ([2, 5], 64),
        ([5, 2, 0], 16),
        ([5, 4], 33),
        ([0, 5], 32),
    ):
        wide = 2 if width > 32 else 1
        expected = []
        for row in asked:
            first, second = streams[row][taken[row] : taken[row] + 2]
            expected.append((first << 32 | second) >> (64 - width))
            taken[row] += wide
        assert source.words(np.array(asked), width).tolist() == expected
    assert max(taken) > 6, "beyond the third lane"


def expanded(ladder, seed, binding, drawing, rows, level):
    """What the key of a level undoes, from the registrar's seed: down the chain, step by step, row by row."""
    chain = [seed]
    for number in range(1, len(ladder.steps)):
        chain.append(derived(chain[-1], salt_of(ladder, binding, with_epoch=False), b"level", number, 0))
    salt, sums = salt_of(ladder, binding, with_epoch=True), [0] * rows
    for number in range(level, len(ladder.steps)):
        step = ladder.steps[number]
        for row in range(rows):
            if row % BLOCK_ROWS == 0:
                purpose = b"draw" + bytes.fromhex(drawing)
                secret = derived(chain[number], salt, purpose, number + 1, row // BLOCK_ROWS)
            words = Reader(row_stream(secret, row, 8))
            shift = plain.two_level_shift(words, step.modulus, step.favoured.tolist(), step.inside, 32)
            sums[row] = (sums[row] + shift) % ladder.modulus
    return sums, chain[level]


@pytest.mark.parametrize("ladder", [CYCLIC, FLIPS, ARC], ids=["cyclic", "flips", "arc"])
def test_a_seed_is_expanded_as_the_pages_say(ladder):
    """Every level of two epochs over more than a block of rows, from HMAC, AES and plain integers alone."""
    rows, binding = BLOCK_ROWS + 300, Binding(study="s", question="q", column="c", epoch=3)
    source = ScriptedBits([*range(16), *range(100, 132)])
    keys = ladder.draw_keys(rows, source, guarantee=Guarantee.COMPUTATIONAL, binding=binding)
    assert source.left == 0
    for level, epochs in itertools.product(keys, (0, 1)):
        key = keys[level]
        for _ in range(epochs):
            key = rotate_key(key)
        assert (key.drawing == bytes(range(16)).hex()) == (epochs == 0)
        now = Binding(study="s", question="q", column="c", epoch=3 + epochs)
        sums, secret = expanded(ladder, bytes(range(100, 132)), now, key.drawing, rows, level)
        assert key.binding == now
        assert key.material.secret == secret
        assert shifts_of(key, ladder.steps).tolist() == sums
