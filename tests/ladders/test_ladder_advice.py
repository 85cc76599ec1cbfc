"""Which whole ladder: compared at every level, on one scale, with the reason said."""

import math
from dataclasses import replace

import numpy as np
import pytest

from sfumato.errors import InvalidParameter
from sfumato.inference import largest_information
from sfumato.inference.limits import odds_above
from sfumato.ladders import Ladder, advise_ladder
from sfumato.ladders.choice import FLAGS, LADDER_FAMILIES, SETS
from sfumato.ladders.nested_levels import FlagsLevel
from sfumato.ladders.shift_levels import CyclicLevel, FlipLevel
from sfumato.mechanisms import SubsetSelection
from sfumato.mechanisms.cyclic import candidate_sets, least_noise
from sfumato.prob import Distribution

# Whose reports are read without the number of their row.
NUMBERLESS = {name: family for name, family in LADDER_FAMILIES.items() if name not in {FLAGS, SETS}}
LN15, LN3 = math.log(15), math.log(3)


@pytest.mark.parametrize(
    ("epsilons", "q", "one_set", "flips", "flags"),
    [
        ((LN15, LN3, 0.5), 7, (1.225, 1.125, 1.479), (4.27, 1.33, 1.06), (0.998, 0.998, 1.061)),
        ((4.0, 0.5), 11, (1.911, 2.058), (14.2, 1.06), (1.010, 1.061)),
        ((3.5, 2.0, 1.0, 0.5), 8, (1.736, 1.001, 1.241, 1.620), (8.8, 2.4, 1.3, 1.06), (0.999, 0.999, 1.001, 1.061)),
        ((2.0, 1.0), 5, (1.097, 1.038), (2.38, 1.27), (0.999, 1.001)),
    ],
)
def test_a_thousand_answers(epsilons, q, one_set, flips, flags):
    """Variances over V* as published for K → ∞; regrets are those, a little more for the K that there is."""
    best = advise_ladder(size=1000, epsilons=epsilons)
    assert isinstance(best.ladder.levels[0], FlagsLevel)
    assert best.regrets == pytest.approx(flags, rel=0.012)
    advice = advise_ladder(size=1000, epsilons=epsilons, families=NUMBERLESS)
    rung = advice.ladder.levels[0]
    assert rung.q == q
    nobody = [level.favoured.noise(float(o)) / least_noise(float(o)) for level, o in pairs(advice.ladder)]
    assert nobody == pytest.approx(one_set, rel=0.01)
    assert advice.regrets == pytest.approx(one_set, rel=0.012)
    by_name = {one.name: one for one in advice.predictions}
    assert by_name["binary Hadamard by flips"].regrets == pytest.approx(flips, rel=0.025)
    assert advice.predictions[0].regrets == advice.regrets
    assert f"{math.ceil(100 * max(advice.regrets)) / 100:.2f} times the least" in advice.because


def pairs(ladder):
    return zip(ladder.levels, ladder.odds, strict=True)


def test_regret_is_one_where_nothing_is_lost():
    """Subset selection meets the bound exactly, at every size; flips of two answers do too."""
    for size, epsilon in ((5, 1.0), (30, 2.0)):
        given = SubsetSelection.within(size=size, epsilon=epsilon)
        sets = (replace(given, chosen=chosen) for chosen in range(1, size))
        risk = min(float(sum(one.variance(Distribution.uniform(size), 1))) for one in sets)
        bound = (size - 1) ** 2 / float(largest_information(size, odds_above(epsilon)))
        assert risk == pytest.approx(bound, rel=1e-6)
    assert advise_ladder(size=2, epsilons=(2.0, 1.0)).regrets == pytest.approx((1.0, 1.0), rel=1e-6)


def test_no_regret_is_below_one():
    generator = np.random.default_rng(11)
    for size in (2, 3, 6, 31, 200):
        epsilons = sorted(generator.uniform(0.1, 5, 3).tolist(), reverse=True)
        for one in advise_ladder(size=size, epsilons=epsilons).predictions:
            assert min(one.regrets) >= 1 - 1e-12


def test_as_good_means_shorter_reports():
    """At small epsilons a bit says all but as much as a symbol of ten; where keys must recover, it is refused."""
    advice = advise_ladder(size=1000, epsilons=(0.3, 0.1))
    assert isinstance(advice.ladder.levels[0], FlipLevel)
    assert "within 2% of the best, with the shortest reports of those as good (cyclic response" in advice.because
    for demand, reason in (({"recover": True}, "gives no answers back"), ({"same_question": True}, "another question")):
        other = advise_ladder(size=1000, epsilons=(0.3, 0.1), families=NUMBERLESS, **demand)
        assert isinstance(other.ladder.levels[0], CyclicLevel)
        assert "no other ladder meets the demands" in other.because
        refused = {one.name: one.refused for one in other.predictions}
        assert reason in refused["binary Hadamard by flips"]
    few = advise_ladder(size=1000, epsilons=(0.3, 0.1), n=500)
    assert not isinstance(few.ladder.levels[0], FlipLevel)


def test_the_best_of_all_sets_is_offered():
    """Fifty answers at 6, 3, 1: the set of least worst noise has 31 % more regret than the best one."""
    epsilons = (6.0, 3.0, 1.0)
    advice = advise_ladder(size=50, epsilons=epsilons, families=NUMBERLESS)
    served = Ladder.within(size=50, epsilons=epsilons)
    worst = {}
    for found in (one for one in candidate_sets(50) if one.modulus < 2000):
        rung = CyclicLevel(size=50, odds=served.odds[0], q=found.q, t=found.t, family=found.family)
        risks = [
            float(sum(rung.at(rung.odds_for(epsilon)).variance(Distribution.uniform(50), 1))) for epsilon in epsilons
        ]
        bounds = [49**2 / float(largest_information(50, odds_above(epsilon))) for epsilon in epsilons]
        worst[found] = max(risk / bound for risk, bound in zip(risks, bounds, strict=True))
    assert max(advice.regrets) == pytest.approx(min(worst.values()), rel=1e-6)
    assert worst[served.levels[0].favoured] / max(advice.regrets) == pytest.approx(1.3046, abs=1e-3)


def test_weights_count_levels():
    even = advise_ladder(size=1000, epsilons=(4.0, 0.5), families=NUMBERLESS)
    public = advise_ladder(size=1000, epsilons=(4.0, 0.5), weights=(0, 1))
    assert isinstance(public.ladder.levels[0], FlipLevel)
    assert isinstance(even.ladder.levels[0], CyclicLevel)
    assert "weighted over its levels the squared error is 1.07 times" in public.because
    for wrong in ((1,), (-1, 1), (0, 0), (math.nan, 1)):
        with pytest.raises(InvalidParameter, match="2 numbers, one a level"):
            advise_ladder(size=10, epsilons=(2.0, 1.0), weights=wrong)


def test_what_a_row_takes_is_the_ladders_own():
    for one in advise_ladder(size=40, epsilons=(2.0, 1.0, 0.5)).predictions:
        ladder = Ladder(one.rung, (2.0, 1.0, 0.5))
        assert one.report_bits == math.log2(ladder.modulus)
        assert one.key_bits == ladder.key_law(1).entropy_bits().upper
        assert advise_ladder(size=40, epsilons=(2.0,)).predictions[0].key_bits == 0
