"""Heavy hitters: the ranking is as sure as it says, prefixes are placed exactly, and hunts find what is predicted."""

import math
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import InvalidParameter
from sfumato.inference import PrefixSearch, hashed_keys, key_text, string_keys, top_answers
from sfumato.mechanisms import (
    BinaryHadamard,
    CyclicResponse,
    HadamardResponse,
    OptimisedUnary,
    RandomizedResponse,
    SubsetSelection,
)
from sfumato.numbers.columns import Column, Intervals
from sfumato.sampling import Estimate, InsecureSeeded

SECRET = 0xDEADBEEF


def estimate_of(raw, errors):
    return Estimate(
        raw=Column(raw),
        standard_errors=Column(errors),
        projected=Column(raw),
        intervals=Intervals([0.0] * len(raw), [1.0] * len(raw)),
        confidence=0.95,
        total=100,
    )


def held_keys(shares, n, key_bits, seed):
    """Keys of n users: the planted ones with their shares, all others evenly."""
    rng = np.random.default_rng(seed)
    keys = rng.integers(0, 1 << key_bits, n, dtype=np.uint64)
    draws, low = rng.random(n), 0.0
    for key, share in shares.items():
        keys[(draws >= low) & (draws < low + share)] = key
        low += share
    return keys


# Top answers on a known alphabet


def test_the_top_is_sure_where_the_gap_is_two_radii():
    top = top_answers(estimate_of([0.1, 0.5, 0.3, 0.05, 0.29], [0.001] * 5), 2)
    assert top.answers == (1, 2)
    assert top.raw == (0.5, 0.3)
    assert top.radius == pytest.approx(0.001 * 2.5758293, abs=1e-9)  # 1 - 0.05/10 of a normal law
    assert top.certain == (1, 2)
    assert top.contenders == ()
    wider = top_answers(estimate_of([0.1, 0.5, 0.3, 0.05, 0.29], [0.002] * 5), 2)
    assert (wider.certain, wider.doubtful, wider.contenders) == ((1,), (2,), (4,))


def test_a_standard_error_of_zero_is_no_guarantee():
    """An answer whose report was never seen gets the radius of the others."""
    top = top_answers(estimate_of([0.01, 0.0, 0.99], [0.01, 0.0, 0.02]), 2)
    assert top.radius == max(top.half_widths) > 0
    assert top.contenders == (1,)
    with pytest.raises(InvalidParameter, match="Collect more reports"):
        top_answers(estimate_of([1.0, 0.0], [0.0, 0.0]), 1)


@given(
    raw=st.lists(st.floats(-0.2, 1), min_size=1, max_size=12),
    moves=st.lists(st.floats(-1, 1), min_size=12, max_size=12),
    data=st.data(),
)
def test_whatever_the_truth_within_the_radius_the_certain_are_in_its_top(raw, moves, data):
    t = data.draw(st.integers(1, len(raw)))
    top = top_answers(estimate_of(raw, [0.05] * len(raw)), t)
    truth = np.array(raw) + top.radius * np.array(moves[: len(raw)])
    rank = {answer: int((truth > truth[answer]).sum()) for answer in range(len(raw))}
    assert all(rank[answer] < t for answer in top.certain)
    assert set(top.certain) | set(top.doubtful) == set(top.answers)
    strictly_in = {answer for answer in rank if (truth >= truth[answer]).sum() <= t}
    assert strictly_in <= set(top.answers) | set(top.contenders)


@pytest.mark.slow
def test_all_shares_lie_within_the_radius_as_often_as_promised():
    """400 fixed seeds: at least 95 % less three Monte Carlo errors; and a halved radius is caught."""
    mechanism = CyclicResponse.within(size=50, epsilon=1.0)
    truth = np.array([2.0 ** -min(x + 1, 49) for x in range(50)])
    bounds = np.cumsum(truth)
    good = narrow = 0
    seeds = 400
    for seed in range(seeds):
        values = np.searchsorted(bounds, np.random.default_rng(seed).random(4000), side="right").clip(0, 49)
        estimate = mechanism.estimate(mechanism.tally(mechanism.privatize(values, InsecureSeeded(seed))))
        error = np.abs(np.array(estimate.raw) - truth).max()
        radius = top_answers(estimate, 3).radius
        good += error <= radius
        narrow += error <= radius / 2
    least = seeds * 0.95 - 3 * math.sqrt(seeds * 0.95 * 0.05)
    assert narrow < least <= good


@pytest.mark.parametrize(
    ("t", "confidence"), [(0, 0.95), (4, 0.95), (1.0, 0.95), (True, 0.95), (1, 0.2), (1, math.nan)]
)
def test_bad_questions_are_refused(t, confidence):
    with pytest.raises(InvalidParameter):
        top_answers(estimate_of([0.5, 0.3, 0.2], [0.1] * 3), t, confidence=confidence)


# Keys and their places


@st.composite
def hunts_at_a_level(draw):
    key_bits = draw(st.integers(1, 100))
    step_bits = draw(st.integers(1, min(key_bits, 11)))
    hunt = PrefixSearch.within(key_bits=key_bits, step_bits=step_bits, keep=4, epsilon=1.0)
    level = draw(st.integers(0, hunt.levels - 1))
    prefixes = st.integers(0, (1 << level * step_bits) - 1)
    candidates = draw(st.lists(prefixes, min_size=1, max_size=6, unique=True))
    rest = key_bits - level * step_bits
    inside = st.tuples(st.sampled_from(candidates), st.integers(0, (1 << rest) - 1)).map(
        lambda p: (p[0] << rest) | p[1]
    )
    keys = draw(st.lists(inside | st.integers(0, (1 << key_bits) - 1), min_size=1, max_size=20))
    return hunt, level, candidates, keys


@given(hunts_at_a_level())
def test_each_key_has_the_place_that_whole_numbers_give_it(case):
    hunt, level, candidates, keys = case
    start, depth = level * hunt.step_bits, hunt.depth(level)
    step = depth - start
    expected = [
        (candidates.index(key >> (hunt.key_bits - start)) << step) + ((key >> (hunt.key_bits - depth)) % (1 << step))
        if key >> (hunt.key_bits - start) in candidates
        else len(candidates) << step
        for key in keys
    ]
    assert hunt.level_values(keys, candidates, level).tolist() == expected
    if hunt.key_bits <= 64:
        assert hunt.level_values(np.array(keys, dtype=np.uint64), candidates, level).tolist() == expected


@given(hunts_at_a_level())
def test_a_place_names_the_prefix_of_its_key(case):
    """An estimate that puts everything on one place yields the prefix of the keys there."""
    hunt, level, candidates, keys = case
    size = hunt.mechanism(candidates, level).size
    for key, place in zip(keys, hunt.level_values(keys, candidates, level).tolist(), strict=True):
        estimate = estimate_of([float(y == place) for y in range(size)], [0.01] * size)
        expected = (key >> (hunt.key_bits - hunt.depth(level)),) if place < size - 1 else ()
        assert hunt.survivors(estimate, candidates, level) == expected


@given(n=st.integers(1, 300), key_bits=st.integers(1, 40), step_bits=st.integers(1, 16))
def test_every_user_is_asked_exactly_once(n, key_bits, step_bits):
    hunt = PrefixSearch.within(key_bits=key_bits, step_bits=min(step_bits, key_bits), keep=2, epsilon=1.0)
    if n >= hunt.levels:
        asked = [user for level in range(hunt.levels) for user in range(n)[hunt.group(n, level)]]
        assert sorted(asked) == list(range(n))


@given(st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=5), max_size=5))
def test_strings_come_back(texts):
    assert [key_text(key, max_bytes=20) for key in string_keys(texts, max_bytes=20)] == texts


def test_hashes_fill_their_bits():
    keys = hashed_keys([f"text {i}" for i in range(200)], key_bits=13)
    assert max(keys).bit_length() == 13
    assert hashed_keys(["abc"]) == hashed_keys(["abc"], key_bits=64)
    assert hashed_keys(["abc"], key_bits=13)[0] == hashed_keys(["abc"], key_bits=16)[0] >> 3


# Hunts


def test_planted_keys_are_found_in_order_of_their_shares():
    planted = {SECRET << 32: 0.3, 17: 0.2, (1 << 64) - 1: 0.12}
    hunt = PrefixSearch.within(key_bits=64, step_bits=8, keep=8, epsilon=3.0)
    found = hunt.hunt(held_keys(planted, 60_000, 64, 1), InsecureSeeded(1))
    assert found.keys == tuple(planted)
    assert all(abs(r - s) < 5 * e for r, s, e in zip(found.raw, planted.values(), found.standard_errors, strict=True))
    assert len(found.candidates) == hunt.levels
    assert min(hunt.predicted_recall(planted, 60_000).values()) > 0.999


@pytest.mark.parametrize(
    "mechanism",
    [BinaryHadamard, HadamardResponse, OptimisedUnary, RandomizedResponse, SubsetSelection],
    ids=lambda m: m.__name__,
)
def test_any_mechanism_serves_and_is_forecast(mechanism):
    hunt = PrefixSearch(
        key_bits=16, step_bits=4, keep=4, mechanism_for=lambda size: mechanism.within(size=size, epsilon=3.0)
    )
    planted = {0xBEEF: 0.4, 0x1234: 0.3}
    assert hunt.hunt(held_keys(planted, 12_000, 16, 2), InsecureSeeded(2)).keys == tuple(planted)
    assert min(hunt.predicted_recall(planted, 12_000).values()) > 0.99


def test_rounds_by_hand_are_the_hunt():
    hunt = PrefixSearch.within(key_bits=24, step_bits=8, keep=4, epsilon=3.0)
    keys = held_keys({0xABCDEF: 0.4}, 9000, 24, 3)
    bits, candidates = InsecureSeeded(3), (0,)
    for level in range(hunt.levels):
        mechanism = hunt.mechanism(candidates, level)
        values = hunt.level_values(keys[hunt.group(keys.size, level)], candidates, level)
        estimate = mechanism.estimate(mechanism.tally(mechanism.privatize(values, bits)))
        candidates = hunt.survivors(estimate, candidates, level)
    assert candidates == hunt.hunt(keys, InsecureSeeded(3)).keys == (0xABCDEF,)


def test_strings_longer_than_a_word_are_found():
    texts = ["https://a.example"] * 3000 + ["https://b.example"] * 3000 + ["elsewhere"] * 100
    order = np.random.default_rng(0).permutation(len(texts))
    keys = string_keys([texts[i] for i in order], max_bytes=18)
    hunt = PrefixSearch.within(key_bits=144, step_bits=12, keep=4, epsilon=4.0)
    found = hunt.hunt(keys, InsecureSeeded(4))
    assert {key_text(key, max_bytes=18) for key in found.keys} == {"https://a.example", "https://b.example"}


def test_nothing_is_found_where_nothing_is_frequent():
    """40 seeds: false finds at most 1 - confidence a hunt on average, plus three Monte Carlo errors."""
    hunt = PrefixSearch.within(key_bits=32, step_bits=8, keep=8, epsilon=2.0)
    finds = sum(len(hunt.hunt(held_keys({}, 8000, 32, seed), InsecureSeeded(seed)).keys) for seed in range(40))
    assert finds <= 40 * 0.05 + 3 * math.sqrt(40 * 0.05)


@cache
def measured(key_bits, keep, shares, n, confidence, seeds):
    hunt = PrefixSearch.within(key_bits=key_bits, step_bits=8, keep=keep, epsilon=2.0, confidence=confidence)
    planted = {0x9E3779B9 * (i + 1) % (1 << key_bits): share for i, share in enumerate(shares)}
    hits, false = dict.fromkeys(planted, 0), 0
    for seed in range(seeds):
        for key in hunt.hunt(held_keys(planted, n, key_bits, seed), InsecureSeeded(seed)).keys:
            if key in hits:
                hits[key] += 1
            else:
                false += 1
    return hunt.forecast(planted, n), hits, false


SETTINGS = [
    (32, 8, (0.1, 0.06, 0.05, 0.045, 0.04), 20_000, 0.5, 60),  # the threshold decides
    (8, 2, (0.09, 0.08, 0.07), 5000, 0.95, 200),  # the places decide
]


@pytest.mark.parametrize(
    "setting",
    [pytest.param(SETTINGS[0], id="threshold", marks=pytest.mark.slow), pytest.param(SETTINGS[1], id="places")],
)
def test_recall_and_precision_are_as_predicted(setting):
    """60 or 200 fixed seeds, four Monte Carlo errors, and 0.05 for what the normal approximation leaves out."""
    seeds = setting[-1]
    forecast, hits, false = measured(*setting)
    assert any(0.1 < chance < 0.9 for chance in forecast.recall.values())  # else the test says nothing
    for key, chance in forecast.recall.items():
        slack = 4 * math.sqrt(max(chance * (1 - chance), 1 / seeds) / seeds)
        assert abs(hits[key] / seeds - chance) <= slack + 0.05
    assert (
        abs(false / seeds - forecast.false_finds) <= 4 * math.sqrt(max(forecast.false_finds, 1 / seeds) / seeds) + 0.05
    )
    finds = sum(hits.values()) + false
    slack = 4 * math.sqrt(forecast.precision * (1 - forecast.precision) / finds)
    assert abs(sum(hits.values()) / finds - forecast.precision) <= slack + 0.02


@pytest.mark.slow
def test_with_too_few_places_over_several_levels_the_forecast_is_too_modest():
    """A rival that lost its place stays lost, which the forecast does not know: it errs to the careful side."""
    forecast, hits, _ = measured(32, 2, (0.09, 0.08, 0.07), 20_000, 0.95, 60)
    for key, chance in forecast.recall.items():
        assert hits[key] / 60 >= chance - 4 * math.sqrt(max(chance * (1 - chance), 1 / 60) / 60)
    assert sum(hits.values()) / 60 > forecast.true_finds + 0.2


@pytest.mark.slow
def test_the_comparison_can_fail():
    """Half the users would give another recall: the test above would see it."""
    key_bits, keep, shares, n, confidence, seeds = SETTINGS[0]
    _, hits, _ = measured(*SETTINGS[0])
    hunt = PrefixSearch.within(key_bits=key_bits, step_bits=8, keep=keep, epsilon=2.0, confidence=confidence)
    wrong = hunt.predicted_recall(dict(zip(hits, shares, strict=True)), n // 2)
    assert any(abs(hits[key] / seeds - wrong[key]) > 4 * math.sqrt(0.25 / seeds) + 0.05 for key in hits)


@settings(max_examples=15)
@given(share=st.floats(0.01, 0.3), n=st.integers(1000, 50_000))
def test_more_users_or_more_holders_are_never_predicted_worse(share, n):
    hunt = PrefixSearch.within(key_bits=16, step_bits=8, keep=8, epsilon=2.0)
    base = hunt.predicted_recall({5: share}, n)[5]
    assert 0 <= base <= 1
    assert hunt.predicted_recall({5: share}, 2 * n)[5] >= base - 0.02  # thresholds move as more prefixes survive
    assert hunt.predicted_recall({5: 1.5 * share}, n)[5] >= base - 0.02


# Bad input


@pytest.mark.parametrize(
    "change",
    [{"key_bits": 0}, {"key_bits": 5000}, {"step_bits": 0}, {"step_bits": 17}, {"keep": 0}, {"confidence": 1.0}],
)
def test_bad_hunts_are_refused(change):
    with pytest.raises(InvalidParameter, match=next(iter(change))):
        PrefixSearch.within(**{"key_bits": 32, "step_bits": 8, "keep": 4, "epsilon": 1.0} | change)


def test_bad_keys_are_refused_and_never_shown():
    hunt = PrefixSearch.within(key_bits=16, step_bits=8, keep=4, epsilon=1.0)
    bad = [
        [1, SECRET],
        [1, -SECRET],
        np.array([1, SECRET]),
        np.array([1, -SECRET]),
        [1, f"{SECRET}"],
        [1, float(SECRET)],
        [1, True],
        [1, None],
    ]
    for keys in bad:
        with pytest.raises(InvalidParameter, match="position 1") as caught:
            hunt.hunt(keys)
        assert str(SECRET) not in str(caught.value)
    for keys in ([], np.zeros((2, 2), dtype=int)):
        with pytest.raises(InvalidParameter, match="keys"):
            hunt.hunt(keys)
    with pytest.raises(InvalidParameter, match="groups"):
        hunt.hunt([1])
    for texts in (["ok", "too long to fit"], ["ok", "a\0b"], ["ok", 7], ["ok", "\ud800"]):
        with pytest.raises(InvalidParameter, match="position 1") as caught:
            string_keys(texts, max_bytes=4)
        assert str(texts[1]) not in str(caught.value).replace("position 1", "")
    with pytest.raises(InvalidParameter, match="position 0"):
        hashed_keys([b"bytes"])
    with pytest.raises(InvalidParameter, match="max_bytes"):
        key_text(1 << 40, max_bytes=4)
    with pytest.raises(InvalidParameter, match="key='Ada' must be a whole number"):
        key_text("Ada", max_bytes=4)


def test_bad_rounds_and_forecasts_are_refused():
    hunt = PrefixSearch.within(key_bits=16, step_bits=8, keep=4, epsilon=1.0)
    for candidates, level in [((), 0), ((1,), 0), ((1, 1), 1), ((256,), 1), ((-1,), 1), ((0,), 2)]:
        with pytest.raises(InvalidParameter, match=r"candidates|level"):
            hunt.level_values([1], candidates, level)
    with pytest.raises(InvalidParameter, match="of one level"):
        hunt.survivors(estimate_of([1.0, 0.0], [0.1, 0.1]), (0,), 0)
    for shares in ({}, {1: -0.1}, {1: 0.7, 2: 0.7}, {1: math.nan}, {1 << 16: 0.1}):
        with pytest.raises(InvalidParameter):
            hunt.forecast(shares, 100)
    fixed = CyclicResponse.within(size=9, epsilon=1.0)
    stubborn = PrefixSearch(key_bits=16, step_bits=8, keep=4, mechanism_for=lambda size: fixed)
    with pytest.raises(InvalidParameter, match="size it is given"):
        stubborn.hunt([1, 2])
    with pytest.raises(InvalidParameter, match="mechanism_for"):
        PrefixSearch(key_bits=16, step_bits=8, keep=4, mechanism_for=None)
