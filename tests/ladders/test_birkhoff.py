"""A key for any channel that has one: exact, one to one, and refused where there is none."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato import measures
from sfumato.errors import InvalidParameter, NotCertified
from sfumato.ladders import recovery as birkhoff
from sfumato.ladders.recovery import key_for_channel, reduced_key_law
from sfumato.mechanisms import HadamardResponse, RandomizedResponse
from sfumato.prob import Channel, Circulant
from strategies import circulants, exact_channels, weight_lists


@st.composite
def recoverable_channels(draw, most_outputs=7):
    """A mixture of random one-to-one maps, added up here without the code that is tested."""
    outputs = draw(st.integers(1, most_outputs))
    inputs = draw(st.integers(1, outputs))
    orders = draw(st.lists(st.permutations(range(outputs)), min_size=1, max_size=8))
    weights = draw(weight_lists(len(orders), zeros=False))
    rows = [
        [
            Fraction(sum(w for w, order in zip(weights, orders, strict=True) if order[x] == y), sum(weights))
            for y in range(outputs)
        ]
        for x in range(inputs)
    ]
    return Channel(rows, [f"in {x}" for x in range(inputs)], [f"out {y}" for y in range(outputs)])


def check_key(key, channel):
    """Everything that a key promises, from its record alone."""
    inputs, outputs = channel.shape
    assert sum(key.law.probabilities) == 1
    assert min(key.law.probabilities) > 0
    assert len(set(key.maps)) == len(key.maps) <= (outputs - 1) ** 2 + 1
    for x in range(inputs):
        for y in range(outputs):
            assert channel.row(x)[y] == sum(
                p for p, m in zip(key.law.probabilities, key.maps, strict=True) if m[x] == y
            )
    for u in range(len(key.maps)):
        reports = [key.report(x, u) for x in channel.inputs]
        assert len(set(reports)) == inputs
        assert [key.recover(y, u) for y in reports] == list(channel.inputs)
    # A key decides the report, so it has at least the report's randomness.
    assert key.entropy_bits().upper >= measures.largest_randomness_interval(channel).lower


@given(recoverable_channels())
def test_recoverable_channels_get_a_key(channel):
    check_key(key_for_channel(channel), channel)


@given(exact_channels(max_inputs=4, max_outputs=6))
def test_a_key_exists_exactly_when_no_output_weighs_more_than_one(channel):
    heaviest = max(sum(column) for column in zip(*channel.rows, strict=True))
    if heaviest <= 1:
        check_key(key_for_channel(channel), channel)
    else:
        with pytest.raises(InvalidParameter, match="has no recovery key: output"):
            key_for_channel(channel)


@given(circulants(max_size=8))
def test_the_key_of_a_shift_is_the_shift(channel):
    key = key_for_channel(channel)
    check_key(key, channel.to_dense())
    assert key.law.probabilities == tuple(p for p in channel.law if p)
    check_key(key_for_channel(channel.to_dense()), channel.to_dense())


def test_more_inputs_than_outputs():
    with pytest.raises(InvalidParameter, match="has no recovery key"):
        key_for_channel(Channel([[Fraction(1, 2), Fraction(1, 2)]] * 3))


class TestHadamardResponse:
    """[B, Thm 5] says that each of these has a key."""

    @pytest.mark.parametrize(
        ("size", "epsilon", "blocks"), [(4, 2.0, 1), (4, 2.0, 4), (5, 0.5, 2), (7, 1.5, 4), (10, 2.0, 8)]
    )
    def test_some_have_a_key(self, size, epsilon, blocks):
        channel = HadamardResponse.within(size=size, epsilon=epsilon, blocks=blocks).channel()
        key = key_for_channel(channel)
        check_key(key, channel)
        reduced = reduced_key_law(key)
        assert max(reduced.probabilities) <= measures.odds(channel) * min(reduced.probabilities)
        assert measures.entropy_bits(reduced) < key.entropy_bits().lower

    @pytest.mark.parametrize(("size", "epsilon", "blocks", "weight"), [(7, 0.5, 1, "1.0893"), (10, 2.0, 4, "1.01352")])
    def test_some_have_none(self, size, epsilon, blocks, weight):
        channel = HadamardResponse.within(size=size, epsilon=epsilon, blocks=blocks).channel()
        with pytest.raises(InvalidParameter, match=rf"output 0 weighs Σ_x P\(y\|x\) = {weight}"):
            key_for_channel(channel)


class TestFewKeyValues:
    def test_randomised_response_needs_no_more_than_its_shifts(self):
        channel = RandomizedResponse.within(size=16, epsilon=1.0).channel()
        key = key_for_channel(channel.to_dense())
        assert len(key.maps) == 16
        assert key.entropy_bits().midpoint == pytest.approx(measures.entropy_bits(key.law), abs=1e-12)

    def test_a_fixed_map_has_one_key_value(self):
        key = key_for_channel(Channel([[0, 0, 1], [1, 0, 0]]))
        assert key.maps == ((2, 0),)
        assert key.entropy_bits().upper < 1e-14


class TestRefusals:
    def test_floats(self):
        with pytest.raises(InvalidParameter, match="to_exact"):
            key_for_channel(Channel([[0.5, 0.5], [0.5, 0.5]]))

    def test_too_large(self):
        size = birkhoff.MOST_SYMBOLS + 1
        with pytest.raises(InvalidParameter, match=f"channel has {size} outputs, more than {size - 1}"):
            key_for_channel(Circulant([Fraction(1, size)] * size))

    def test_a_wrong_mixture_is_noticed(self, monkeypatch):
        half = Channel([[Fraction(1, 2), Fraction(1, 2)]] * 2)
        monkeypatch.setattr(birkhoff, "_mixture", lambda _: {(0, 1): Fraction(1)})
        with pytest.raises(NotCertified, match="do not mix to the channel"):
            key_for_channel(half)


def test_the_limit_is_in_reach():
    """40 by 64, from as many maps with weights of many digits as make every entry positive."""
    weights = [1 + 3**i % (2**40 + 15) for i in range(128)]
    rows = [[Fraction(0)] * 64 for _ in range(40)]
    for i, weight in enumerate(weights):
        for x in range(40):
            rows[x][((2 * i + 1) * x + i // 2 + i % 2) % 64] += Fraction(weight, sum(weights))
    key = key_for_channel(Channel(rows))
    assert 128 <= len(key.maps) <= 63**2 + 1
