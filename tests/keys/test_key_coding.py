"""Draws take no more bytes than their law says, the length tells nothing, and no bytes at all break the reader."""

import math
import time
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import binom

from sfumato.errors import InvalidParameter, KeyRefused
from sfumato.files.columns import CHUNK_ROWS
from sfumato.keys.draw_coding import code_ranks, decode_draws, encode_draws, packed_length, padded_length
from sfumato.keys.key_documents import segments_of
from sfumato.ladders import Ladder, TwoLevelShift
from sfumato.sampling import InsecureSeeded


@st.composite
def laws(draw):
    modulus = draw(st.one_of(st.integers(2, 40), st.sampled_from([256, 257, 1365, 4096, 4098, 8191, 20_011])))
    members = draw(st.sampled_from(sorted({1, (modulus - 1) // 2 or 1, modulus - 1})))
    favoured = np.arange(members) + draw(st.integers(0, modulus - members))
    inside = draw(
        st.one_of(
            st.fractions(Fraction(1, 1000), Fraction(999, 1000)),
            st.sampled_from([Fraction(1, 10**12), 1 - Fraction(1, 10**12), Fraction(1, 1 << 24), Fraction(1, 2)]),
        )
    )
    return TwoLevelShift(modulus=modulus, favoured=favoured, inside=inside)


def code_length_bytes(shifts, law):
    """-Σ log2 p(u) / 8, at the law's own probabilities."""
    high, low = (math.log2(float(p)) for p in law.probabilities)
    inside = int(np.isin(shifts, law.favoured).sum())
    return -(inside * high + (shifts.size - inside) * low) / 8


def thousand_answers(epsilons=(2.0, 1.0, 0.5)):
    return Ladder.within(size=1000, epsilons=epsilons, recover=True)


@pytest.fixture(scope="module")
def million():
    ladder = thousand_answers()
    return ladder, ladder.draw_keys(10**6, InsecureSeeded(1))


@pytest.mark.parametrize("level", [0, 1, 2])
def test_a_million_draws_take_what_their_law_says(million, level):
    """Segment by segment: the code is at the entropy, and filling it up costs less than two in a hundred."""
    ladder, keys = million
    law, segments = ladder.key_law(level), list(segments_of(keys[level].material))
    assert len(segments) == 4
    padded = 0
    for shifts in segments:
        least = code_length_bytes(shifts, law)
        assert least - 16 < len(code_ranks(law.ranks(shifts), law)) <= 1.01 * least + 64
        body = encode_draws(shifts, law)
        assert len(body) == padded_length(shifts.size, law)
        np.testing.assert_array_equal(decode_draws(body, law, shifts.size), shifts)
        padded += len(body)
    assert padded < 1.02 * code_length_bytes(keys[level].material.shifts, law)


def test_a_wrong_law_would_take_more(million):
    """The bound above can fail: the same draws under the law of another level cost too much."""
    ladder, keys = million
    shifts = keys[1].material.shifts
    other = TwoLevelShift.erasure(ladder.modulus, Fraction(1, 10))
    assert len(code_ranks(other.ranks(shifts), other)) > 1.01 * code_length_bytes(shifts, ladder.key_law(1)) + 64


def test_reading_a_segment_is_quick(million):
    """Against a yardstick of the same size on the same machine: sorting the same draws."""
    ladder, keys = million
    law, shifts = ladder.key_law(0), keys[0].material.between(0, CHUNK_ROWS)
    body = encode_draws(shifts, law)

    def best(work):
        spans = []
        for _ in range(5):
            begun = time.perf_counter()
            work()
            spans.append(time.perf_counter() - begun)
        return min(spans)

    wide = shifts.astype(np.float64)
    assert best(lambda: decode_draws(body, law, CHUNK_ROWS)) < 5 * best(lambda: np.sort(wide)) + 0.1


@pytest.mark.parametrize("size", [3_355_445, 3_400_000, (1 << 22) - 1, 5000, 4097])
def test_classes_just_above_a_power_cost_no_more_either(size):
    law = TwoLevelShift(modulus=size + 1, favoured=np.zeros(1, dtype=np.int64), inside=Fraction(1, 2))
    shifts = law.draw(InsecureSeeded(4), 50_000)
    coded = code_ranks(law.ranks(shifts), law)
    assert len(coded) <= 1.01 * code_length_bytes(shifts, law) + 64
    np.testing.assert_array_equal(decode_draws(encode_draws(shifts, law), law, 50_000), shifts)


@given(laws(), st.integers(1, 300), st.integers(0, 2**32))
def test_draws_come_back(law, rows, seed):
    shifts = law.draw(InsecureSeeded(seed), rows)
    body = encode_draws(shifts, law)
    assert len(body) == padded_length(rows, law)
    np.testing.assert_array_equal(decode_draws(body, law, rows), shifts)


@given(laws(), st.data())
def test_any_shifts_come_back_however_improbable(law, data):
    """Whatever the law says, every residue can be coded, or is packed."""
    rows = data.draw(st.integers(1, 60))
    shifts = np.array(data.draw(st.lists(st.integers(0, law.modulus - 1), min_size=rows, max_size=rows)))
    np.testing.assert_array_equal(decode_draws(encode_draws(shifts, law), law, rows), shifts)


@pytest.mark.parametrize("level", [0, 1, 2])
def test_fifty_drawings_have_one_length(level):
    ladder = thousand_answers()
    coded, padded = set(), set()
    for seed in range(50):
        shifts = ladder.key_law(level).draw(InsecureSeeded(seed), 3000)
        coded.add(len(code_ranks(ladder.key_law(level).ranks(shifts), ladder.key_law(level))))
        padded.add(len(encode_draws(shifts, ladder.key_law(level))))
    assert len(coded) > 1
    assert padded == {padded_length(3000, ladder.key_law(level))}


@pytest.mark.parametrize("rows", [1000, 10**5, 10**7])
@pytest.mark.parametrize(
    ("modulus", "inside"),
    [(2, Fraction(1, 2)), (2, Fraction(99, 100)), (1365, Fraction(1, 4)), (1365, Fraction(9, 10)), (2, Fraction(1, 5))],
)
def test_the_length_is_exceeded_less_than_once_in_2_to_the_80(rows, modulus, inside):
    """The exact tail of the binomial, at the costs of the law itself."""
    law = TwoLevelShift(modulus=modulus, favoured=np.zeros(1, dtype=np.int64), inside=inside)
    high, low = (-math.log2(float(p)) for p in law.probabilities)
    capacity = 8 * (padded_length(rows, law) - 12)
    dear, cheap, chance = (low, high, 1 - inside) if low > high else (high, low, inside)
    if rows * dear <= capacity:
        return  # it can never be exceeded
    fitting = math.floor((capacity - rows * cheap) / (dear - cheap))
    assert binom.logsf(fitting, rows, float(chance)) / math.log(2) < -80
    # And it is not just enormous: blocks apart, the margin is a few standard deviations.
    mean = rows * float(inside * Fraction(high) + (1 - inside) * Fraction(low))
    spread = math.sqrt(rows * float(inside * (1 - inside))) * (dear - cheap)
    assert capacity < max(mean + 20 * spread + 0.02 * rows + 56 * dear, rows / 8) + 8 * 4096


def extreme():
    """Draws that no chance would give: every row takes the improbable side."""
    law = TwoLevelShift(modulus=2, favoured=np.zeros(1, dtype=np.int64), inside=Fraction(99, 100))
    return law, np.ones(20_000, dtype=np.uint8)


def test_draws_out_of_all_proportion_are_packed():
    law, shifts = extreme()
    body = encode_draws(shifts, law)
    assert len(body) == packed_length(20_000, law) != padded_length(20_000, law)
    np.testing.assert_array_equal(decode_draws(body, law, 20_000), shifts)
    wide = TwoLevelShift(modulus=1365, favoured=np.zeros(1, dtype=np.int64), inside=Fraction(99, 100))
    shifts = np.arange(20_000) % 1364 + 1
    body = encode_draws(shifts, wide)
    assert len(body) == packed_length(20_000, wide)
    np.testing.assert_array_equal(decode_draws(body, wide, 20_000), shifts)


def test_the_code_is_the_same_on_every_machine():
    """Files written by one version of the coder must be read by the next."""
    law = TwoLevelShift(modulus=13, favoured=np.array([0, 1, 3, 9]), inside=Fraction(2, 3))
    shifts = np.array([0, 5, 9, 12, 1, 3, 2, 0, 7, 9, 9, 1])
    body = encode_draws(shifts, law)
    assert body.rstrip(b"\0").hex() == "01000000c226245ea259440a"
    assert len(body) == 256
    digits = TwoLevelShift(modulus=70_001, favoured=np.zeros(1, dtype=np.int64), inside=Fraction(1, 3))
    assert encode_draws(np.array([0, 70_000, 1, 33_333]), digits).rstrip(b"\0").hex() == "01000000de0b004e0e5155f431"


SMALL = TwoLevelShift(modulus=13, favoured=np.array([0, 1, 3, 9]), inside=Fraction(2, 3))
GOOD = encode_draws(np.arange(40) % 13, SMALL)
SPLIT = TwoLevelShift(modulus=5000, favoured=np.zeros(1, dtype=np.int64), inside=Fraction(1, 3))


@given(st.sampled_from([SMALL, SPLIT]), st.integers(1, 60), st.integers(0, 5), st.binary(max_size=400))
@example(SMALL, 40, 1, b"")
@example(SMALL, 40, 2, b"\xff" * 300)
def test_any_bytes_are_draws_or_refused(law, rows, tag, noise):
    for length in (padded_length(rows, law), packed_length(rows, law), len(noise)):
        body = (tag.to_bytes(4, "little") + noise).ljust(length, b"\0")[:length]
        try:
            shifts = decode_draws(body, law, rows)
        except KeyRefused:
            continue
        assert shifts.shape == (rows,)
        assert shifts.max() < law.modulus


def test_lengths_are_checked_before_anything_is_made():
    for rows in (39, 41_000, 10**9, 10**30, CHUNK_ROWS + 1):
        begun = time.process_time()
        if padded_length(min(rows, 10**9), SMALL) != len(GOOD):
            with pytest.raises(KeyRefused):
                decode_draws(GOOD, SMALL, rows)
        assert time.process_time() - begun < 1.0
    # Draws without any entropy are no way to ask for much memory with few bytes.
    still = TwoLevelShift(modulus=2, favoured=np.zeros(1, dtype=np.int64), inside=1 - Fraction(1, 10**12))
    assert padded_length(CHUNK_ROWS, still) * 64 >= CHUNK_ROWS


def test_draws_of_another_ladder_are_not_written():
    with pytest.raises(InvalidParameter, match="residues mod 13"):
        encode_draws(np.array([13]), SMALL)
    with pytest.raises(InvalidParameter, match="residues mod 13"):
        encode_draws(np.array([-1]), SMALL)
    with pytest.raises(InvalidParameter, match="between 1 and"):
        encode_draws(np.array([], dtype=np.int64), SMALL)
    with pytest.raises(InvalidParameter, match="between 1 and"):
        encode_draws(np.zeros(CHUNK_ROWS + 1, dtype=np.int64), SMALL)
