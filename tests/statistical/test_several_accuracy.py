"""Choose any, measured: the plan asks about the best number of options, and intervals cover what they say."""

import itertools
import math
from functools import cache

import numpy as np
import pytest
from scipy.stats import binom

from sfumato.inference.estimates import pair_shares
from sfumato.ladders import Ladder
from sfumato.mechanisms.options import best_asked, option_deviation
from sfumato.prob.intervals import binomial_share_intervals
from sfumato.sampling import InsecureSeeded

OPTIONS, ROWS, SAMPLES = 8, 400, 2500
# Of a root mean square over 2500 samples of 8 options the Monte Carlo error is 1/√(2·2500·8) = .5 %.
ROOM = 1.02


def measured(epsilon, asked, share):
    """√n times the root mean square error of a share, over samples of 400 respondents and all eight options."""
    rung = Ladder.of_options(options=OPTIONS, epsilons=[float(epsilon)], asked=asked).levels[0]
    total = ROWS * SAMPLES
    chosen = np.random.default_rng(asked).random((total, OPTIONS)) < share
    answers = (chosen << np.arange(OPTIONS)).sum(axis=1)
    reports = rung.privatize(answers, InsecureSeeded(round(100 * epsilon) + asked)).astype(np.int64)
    options, bits = rung.assigned(total), reports[:, None] >> np.arange(asked) & 1
    places = (np.arange(total) // ROWS * OPTIONS)[:, None] + options
    counts = np.bincount(places.ravel(), minlength=SAMPLES * OPTIONS)
    hits = np.bincount(places.ravel(), bits.ravel(), minlength=SAMPLES * OPTIONS)
    own, other = (float(p) for p in rung.probabilities)
    raw = (hits / counts - other) / (own - other)
    return math.sqrt(ROWS * ((raw - share) ** 2).mean())


@cache
def error(epsilon, asked, share=0.5):
    return measured(epsilon, asked, share)


@pytest.mark.parametrize("epsilon", [1, 2, 4, 6])
def test_the_error_of_the_plan_is_that_of_the_best_number(epsilon):
    best = min(option_deviation(OPTIONS, m, epsilon) for m in range(1, OPTIONS + 1))
    asked = best_asked(OPTIONS, [epsilon])
    assert best / ROOM < error(epsilon, asked) < best * ROOM


@pytest.mark.parametrize("epsilon", [4, 6])
def test_the_best_number_beats_both_ends(epsilon):
    """One option at the full ε and all eight at ε/8; and its neighbours, which are measured as well."""
    asked = best_asked(OPTIONS, [epsilon])
    others = {m: error(epsilon, m) for m in (1, asked + 1, OPTIONS)}
    assert min(others.values()) > error(epsilon, asked)
    for m, found in others.items():
        assert found == pytest.approx(option_deviation(OPTIONS, m, epsilon), rel=ROOM - 1)


def test_rare_options_are_asked_fewer_at_a_time():
    """With an expected share the plan is the best for that share, and that is measured too."""
    asked = best_asked(OPTIONS, [4.0], 0.02)
    assert asked == 1 < best_asked(OPTIONS, [4.0])
    assert error(4, 1, 0.02) < error(4, 2, 0.02)
    assert error(4, 1, 0.02) == pytest.approx(option_deviation(OPTIONS, 1, 4, 0.02), rel=ROOM - 1)


@pytest.mark.parametrize(("epsilon", "asked", "n"), list(itertools.product((1, 4, 6), (1, 2, 8), (25, 250, 1000))))
def test_intervals_of_shares_cover_what_they_say(epsilon, asked, n):
    """Exactly, by summing over counts, at seven truths; never of zero width."""
    own = 1 / (1 + math.exp(-epsilon / asked))
    hits = np.arange(n + 1)
    lower, upper = binomial_share_intervals(hits, n, 1 - own, own, 0.95)
    assert (upper > lower).all()
    for share in (0, 0.01, 0.1, 0.3, 0.5, 0.9, 1):
        chance = 1 - own + (2 * own - 1) * share
        covered = binom.pmf(hits, n, chance)[(lower <= share) & (share <= upper)].sum()
        assert covered > 0.95 - 1e-9
        # Counts come in steps, so exact coverage cannot be 95 % everywhere: .96014 at worst, with 47 hits expected.
        if n >= 1000 and n * min(chance, 1 - chance) > 20:
            assert covered < 0.9605


@pytest.mark.parametrize("n", [50, pytest.param(300, marks=pytest.mark.slow), 2000])
@pytest.mark.parametrize("law", [(1, 0, 0, 0), (0.9, 0.05, 0.05, 0), (0.6, 0.2, 0.1, 0.1), (0, 0, 0, 1)], ids=str)
@pytest.mark.parametrize("draws", [4000, pytest.param(20_000, marks=pytest.mark.slow)])
def test_intervals_of_pairs_cover_what_they_say(n, law, draws):
    """Draws of counts, judged with four Monte Carlo errors; at the corners as well."""
    from fractions import Fraction

    own = Fraction(22, 25)  # about ε = 4, two options at a time
    flip = np.array([[own, 1 - own], [1 - own, own]], dtype=float)
    chances = np.array(law) @ np.kron(flip, flip)
    counts = np.random.default_rng(round(n + 10 * law[0])).multinomial(n, chances, draws)
    found = pair_shares(counts, own, 1 - own, 0.95)
    covered = np.mean([one.interval.lower <= law[3] <= one.interval.upper for one in found])
    assert covered > 0.94 - 4 * math.sqrt(0.94 * 0.06 / draws)
    assert all(one.interval.lower <= one.value <= one.interval.upper for one in found)
    assert min(one.interval.upper - one.interval.lower for one in found) > 0
    assert abs(np.mean([one.raw for one in found]) - law[3]) < 5 * np.std([one.raw for one in found]) / math.sqrt(draws)
