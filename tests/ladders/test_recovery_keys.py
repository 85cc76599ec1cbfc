"""Keys of private recoverability against brute force and vertices of the polytope."""

import itertools
import math
import re
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato import measures
from sfumato.errors import InvalidParameter
from sfumato.ladders import recovery as randomness
from sfumato.ladders import recovery as recovery_keys
from sfumato.ladders.recovery import (
    RecoveryKey,
    ShiftKey,
    favoured_share,
    key_costs,
    reduced_key_law,
    separate_bits,
    shift_channel,
    xor_ladder_bits,
)
from sfumato.prob import Distribution
from strategies import weight_lists


def entropy(law):
    return -math.fsum(float(p) * math.log2(p) for p in law if p)


def closed_key_bits(size, favoured, epsilon):
    """[B, Thm 4] in bits."""
    total = favoured * math.exp(epsilon) + size - favoured
    return math.log2(total) - favoured * math.exp(epsilon) / total * epsilon * math.log2(math.e)


@st.composite
def recovery_keys_of(draw, *, most_inputs=4, most_outputs=6, most_keys=7, private=False):
    """Random one-to-one maps with random weights; `private` adds every cyclic shift, so that odds are finite."""
    outputs = draw(st.integers(1, most_outputs))
    inputs = draw(st.integers(1, min(most_inputs, outputs)))
    orders = draw(st.lists(st.permutations(range(outputs)), min_size=1, max_size=most_keys))
    maps = [tuple(order[:inputs]) for order in orders]
    if private:
        maps += [tuple((x + shift) % outputs for x in range(inputs)) for shift in range(outputs)]
    weights = draw(weight_lists(len(maps), zeros=False))
    return RecoveryKey(
        law=Distribution([Fraction(weight, sum(weights)) for weight in weights]),
        maps=tuple(maps),
        inputs=tuple(range(inputs)),
        outputs=tuple(range(outputs)),
    )


class TestCheapestKey:
    @given(st.integers(2, 40), st.floats(1e-6, 30))
    def test_no_other_number_of_favoured_keys_is_better(self, size, epsilon):
        key = ShiftKey.within(size=size, epsilon=epsilon)
        least = min(replace(key, favoured=s).entropy_bits().lower for s in range(1, size))
        assert key.entropy_bits().lower <= least + 1e-12
        assert key.entropy_bits().upper < math.log2(size) or epsilon < 1e-4

    @pytest.mark.parametrize("size", [2, 3, 4])
    @pytest.mark.parametrize("epsilon", [0.1, 1.0, 2.5, 6.0])
    def test_no_vertex_of_the_polytope_is_better(self, size, epsilon):
        """Entropy is concave, so it is least at a vertex of {q : q_i ≤ odds·q_j}, where each q_i is min or odds·min."""
        key = ShiftKey.within(size=size, epsilon=epsilon)
        vertices = [
            entropy([level / sum(levels) for level in levels])
            for levels in itertools.product((Fraction(1), key.odds), repeat=size)
        ]
        assert key.entropy_bits().midpoint == pytest.approx(min(vertices), abs=1e-12)

    @given(st.integers(2, 6).flatmap(lambda size: weight_lists(size, zeros=False)), st.data())
    def test_no_admissible_law_is_cheaper(self, weights, data):
        epsilon = math.log(max(weights) / min(weights)) + data.draw(st.floats(1e-6, 1))
        law = [Fraction(weight, sum(weights)) for weight in weights]
        channel = shift_channel(law, size=len(law), epsilon=epsilon)
        assert measures.is_recoverable(channel)
        assert measures.odds(channel) == Fraction(max(weights), min(weights))
        assert ShiftKey.within(size=len(law), epsilon=epsilon).entropy_bits().lower <= entropy(law) + 1e-9

    @pytest.mark.parametrize(("size", "epsilon"), [(2, 5.0), (3, 0.01), (10, 1.0), (100, 2.0), (1000, 1.0)])
    def test_closed_form(self, size, epsilon):
        key = ShiftKey.within(size=size, epsilon=epsilon)
        assert key.entropy_bits().midpoint == pytest.approx(closed_key_bits(size, key.favoured, epsilon), abs=1e-9)

    def test_the_nearer_neighbour_is_not_always_the_better(self):
        key = ShiftKey.within(size=28, epsilon=4.1)
        assert 28 * favoured_share(4.1) == pytest.approx(1.495, abs=5e-4)
        assert key.favoured == 2
        assert closed_key_bits(28, 1, 4.1) - closed_key_bits(28, 2, 4.1) == pytest.approx(0.032, abs=5e-4)

    @pytest.mark.parametrize(("size", "saved"), [(2, 0.9420), (4, 0.9141), (10, 0.8503)])
    def test_storage_saved(self, size, saved):
        assert ShiftKey.within(size=size, epsilon=5.0).saved().midpoint == pytest.approx(saved, abs=5e-5)

    @given(st.integers(2, 20), st.floats(1e-3, 20))
    def test_the_promise_is_kept_and_the_law_is_exact(self, size, epsilon):
        key = ShiftKey.within(size=size, epsilon=epsilon)
        assert measures.odds(key.channel()) == key.odds
        assert measures.epsilon_interval(key.channel()).lower <= epsilon
        assert measures.epsilon(key.channel()) == pytest.approx(epsilon, abs=1e-9)
        assert key.law.exact
        assert tuple(key.channel().law) == key.law.probabilities
        assert measures.heaviest_output(key.channel()) == 1
        assert shift_channel(key.law, size=size, epsilon=epsilon) == key.channel()

    @given(st.integers(2, 9), st.floats(0.1, 5), st.data())
    def test_the_key_undoes_the_shift(self, size, epsilon, data):
        key = ShiftKey.within(size=size, epsilon=epsilon)
        x, u = (data.draw(st.integers(0, size - 1)) for _ in range(2))
        assert key.recover(key.report(x, u), u) == x

    def test_shares_near_zero(self):
        """The quotient itself loses every digit there; its series is 1/2 - ε/6 + ε³/180 - …"""
        for epsilon in (1e-300, 1e-12, 1e-7, 1e-5, 1e-3):
            assert favoured_share(epsilon) == pytest.approx(0.5 - epsilon / 6 + epsilon**3 / 180, rel=1e-15)
        assert ShiftKey.within(size=10, epsilon=1e-7).favoured == 5

    @given(st.floats(0.3, 300))
    def test_shares_as_printed(self, epsilon):
        printed = (math.exp(epsilon) * (epsilon - 1) + 1) / math.expm1(epsilon) ** 2
        assert favoured_share(epsilon) == pytest.approx(printed, rel=1e-12)

    def test_both_ways_to_write_the_share_meet(self):
        assert favoured_share(math.nextafter(1.0, 0)) == pytest.approx(favoured_share(1.0), rel=1e-14)

    def test_huge_epsilons(self):
        key = ShiftKey.within(size=10, epsilon=700)
        assert key.favoured == 1
        assert key.entropy_bits().upper < 1e-14


class TestRefusals:
    @pytest.mark.parametrize(
        ("law", "size", "epsilon", "says"),
        [
            ([Fraction(1, 2)] * 2, 3, 1.0, "law has 2 entries for 3 answers"),
            ([Fraction(1, 2), Fraction(1, 2), 0], 3, 1.0, r"law\[2\]=0 would let a report rule an answer out"),
            ([Fraction(3, 4), Fraction(1, 4)], 2, 1.0, r"epsilon=1.0 is less .* raise `epsilon` to 1.098613"),
            ([Fraction(1, 2)] * 2, 1, 1.0, "size=1 must be at least 2"),
            ([Fraction(1, 2)] * 2, 2, 0.0, "epsilon=0.0 must be a positive"),
        ],
    )
    def test_laws_that_are_no_key(self, law, size, epsilon, says):
        with pytest.raises(InvalidParameter, match=says):
            shift_channel(law, size=size, epsilon=epsilon)

    def test_the_way_out_is_one(self):
        law = [Fraction(3, 4), Fraction(1, 4)]
        with pytest.raises(InvalidParameter) as caught:
            shift_channel(law, size=2, epsilon=1.0)
        wanted = float(re.search(r"raise `epsilon` to ([\d.]+\d)", str(caught.value))[1])
        assert shift_channel(law, size=2, epsilon=wanted).law == tuple(law)

    def test_epsilon_is_compared_exactly(self):
        """The two ratios are one and the same double; e = 2.71828182845904523536… lies between them."""
        below, above = Fraction("2.7182818284590452353"), Fraction("2.7182818284590452354")
        assert float(below) == float(above) == math.e
        assert shift_channel([below / (below + 1), 1 / (below + 1)], size=2, epsilon=1.0).exact
        with pytest.raises(InvalidParameter, match="less than the law"):
            shift_channel([above / (above + 1), 1 / (above + 1)], size=2, epsilon=1.0)

    @pytest.mark.parametrize(
        ("arguments", "says"),
        [
            ({"size": 1, "epsilon": 1.0}, "size=1 must be at least 2"),
            ({"size": 3, "epsilon": -1.0}, "epsilon=-1.0 must be a positive"),
            ({"size": 3, "epsilon": math.inf}, "epsilon=inf must be a positive"),
            ({"size": 3, "epsilon": 1e9}, "all but public"),
        ],
    )
    def test_parameters(self, arguments, says):
        with pytest.raises(InvalidParameter, match=says):
            ShiftKey.within(**arguments)
        with pytest.raises(InvalidParameter, match="favoured=3 must lie in"):
            ShiftKey(size=3, favoured=3, odds=Fraction(2))

    def test_sentences_hold_no_answer_and_no_key(self):
        key = ShiftKey.within(size=3, epsilon=1.0)
        for wrong in (77, -77, 7.7, "77", True):
            for call in (lambda w=wrong: key.report(w, 0), lambda w=wrong: key.recover(0, w)):
                with pytest.raises(InvalidParameter, match="whole number from 0 to 2") as caught:
                    call()
                assert "7" not in str(caught.value)


class TestReduction:
    @given(recovery_keys_of(private=True))
    def test_no_more_entropy_no_larger_odds(self, key):
        reduced = reduced_key_law(key)
        assert len(reduced) == len(key.inputs)
        assert measures.entropy_bits(reduced) <= measures.entropy_bits(key.law) + 1e-12
        assert max(reduced.probabilities) <= measures.odds(key.channel()) * min(reduced.probabilities)

    def test_the_example_of_appendix_g(self):
        """Six keys and three answers: at output 0 keys 2 and 3 merge, and of 4, 5, 6 only the first stays."""
        weights = [Fraction(w, 21) for w in (6, 5, 4, 3, 2, 1)]
        maps = ((1, 2, 0), (1, 0, 2), (2, 0, 1), (1, 2, 3), (2, 3, 1), (0, 1, 2))
        key = RecoveryKey(law=Distribution(weights), maps=maps, inputs=(0, 1, 2), outputs=(0, 1, 2, 3))
        assert reduced_key_law(key, 0).probabilities == (Fraction(9, 18), Fraction(6, 18), Fraction(3, 18))

    def test_a_key_that_is_short_already_stays(self):
        key = ShiftKey.within(size=4, epsilon=1.0)
        maps = tuple(tuple(key.report(x, u) for x in range(4)) for u in range(4))
        long = RecoveryKey(law=key.law, maps=maps, inputs=(0, 1, 2, 3), outputs=(0, 1, 2, 3))
        assert reduced_key_law(long) == key.law
        assert long.channel() == key.channel().to_dense()

    def test_the_output_must_be_one_of_the_heaviest_key(self):
        """At output 2 the heaviest key would stay unmerged: odds 4/3, where the reports had 1."""
        maps = ((1, 2), (1, 0), (0, 1), (2, 0))
        law = Distribution([Fraction(w, 11) for w in (3, 1, 4, 3)])
        key = RecoveryKey(law=law, maps=maps, inputs=(0, 1), outputs=(0, 1, 2))
        assert measures.odds(key.channel()) == 1
        wrong = recovery_keys._merged_and_trimmed(key, 2).probabilities
        assert max(wrong) / min(wrong) == Fraction(4, 3)
        with pytest.raises(InvalidParameter, match="output=2 must be one that the most probable"):
            reduced_key_law(key, 2)
        assert set(reduced_key_law(key).probabilities) == {Fraction(1, 2)}

    def test_infinite_odds_are_refused(self):
        key = RecoveryKey(law=Distribution([1]), maps=((0, 1),), inputs=(0, 1), outputs=(0, 1))
        with pytest.raises(InvalidParameter, match="rules an input out"):
            reduced_key_law(key)


class TestRecoveryKey:
    @pytest.mark.parametrize(
        ("maps", "says"),
        [
            (((0, 0),), "sends two inputs to one output"),
            (((0,),), "must give each of the 2 inputs"),
            (((0, 2),), "an output between 0 and 1"),
            (((0, 1), (1, 0)), "one probability for each of the 2 maps"),
        ],
    )
    def test_maps_that_are_none(self, maps, says):
        with pytest.raises(InvalidParameter, match=says):
            RecoveryKey(law=Distribution([1]), maps=maps, inputs=("a", "b"), outputs=("c", "d"))

    def test_labels_and_what_does_not_belong_together(self):
        key = RecoveryKey(law=Distribution([1]), maps=((2, 0),), inputs=("a", "b"), outputs=("p", "q", "r"))
        assert [key.report(x, 0) for x in "ab"] == ["r", "p"]
        assert [key.recover(y, 0) for y in "rp"] == ["a", "b"]
        for wrong in ("q", "z"):
            with pytest.raises(InvalidParameter, match="do not belong together") as caught:
                key.recover(wrong, 0)
            assert f"{wrong!r}" not in str(caught.value)
        with pytest.raises(InvalidParameter, match="none of the inputs"):
            key.report("z", 0)
        with pytest.raises(InvalidParameter, match="u must be a whole number from 0 to 0"):
            key.recover("p", 1)


class TestCosts:
    def test_side_by_side(self):
        costs = key_costs(1000, 1.0)
        assert costs.residues == 1365
        found = [costs.minimum.midpoint, costs.cyclic.midpoint, costs.one_time_pad.midpoint]
        assert found == pytest.approx([9.7879, 10.2445, 9.9658], abs=5e-5)
        assert costs.cyclic.midpoint == pytest.approx(closed_key_bits(1365, 341, 1.0), abs=1e-8)

    @pytest.mark.parametrize(
        ("second", "ladder", "apart"), [(0.1, 1.83149, 1.83814), (0.5, 1.62657, 1.79623), (0.9, 1.09812, 1.70743)]
    )
    def test_two_levels(self, second, ladder, apart):
        assert xor_ladder_bits([1.0, second]) == pytest.approx(ladder, abs=5e-6)
        assert separate_bits([1.0, second]) == pytest.approx(apart, abs=5e-6)

    @given(st.lists(st.floats(0.01, 20), min_size=1, max_size=6, unique=True))
    def test_ladder_from_its_definition(self, epsilons):
        epsilons = sorted(epsilons, reverse=True)
        flips = [1 / (math.exp(epsilon) + 1) for epsilon in epsilons]
        steps = [flips[0]] + [(z - above) / (1 - 2 * above) for above, z in itertools.pairwise(flips)]
        expected = math.fsum(entropy([q, 1 - q]) for q in steps if q > 0)
        assert xor_ladder_bits(epsilons) == pytest.approx(expected, abs=1e-9)
        assert separate_bits(epsilons) == pytest.approx(math.fsum(entropy([z, 1 - z]) for z in flips), abs=1e-12)
        assert xor_ladder_bits(epsilons) <= separate_bits(epsilons) + 1e-12

    @pytest.mark.parametrize("bits", [randomness.xor_ladder_bits, randomness.separate_bits])
    @pytest.mark.parametrize(
        ("epsilons", "says"),
        [
            ([], "epsilons is empty"),
            ([1.0, 1.0], r"epsilons\[1\]=1.0 must be less than epsilons\[0\]=1.0"),
            ([1.0, 2.0], "Sort the levels"),
            ([1.0, 0.0], r"epsilons\[1\]=0.0 must be a positive"),
            ([1e4], "must lie in"),
        ],
    )
    def test_levels_that_are_none(self, bits, epsilons, says):
        with pytest.raises(InvalidParameter, match=says):
            bits(epsilons)
