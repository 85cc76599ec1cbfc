"""Binary Hadamard: its law, both of its promises, and what comes back out of the reports."""

import itertools
import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mechanism_strategies import binary_hadamards
from sfumato import measures
from sfumato.certificates import certify
from sfumato.errors import InvalidParameter, SourceFailed
from sfumato.inference import clip_normalise, critical_random_bits
from sfumato.mechanisms import BinaryHadamard
from sfumato.mechanisms.binary_hadamard import _butterflies, _compiled, walsh_hadamard
from sfumato.numbers.intervals import ln_bounds
from sfumato.prob import Distribution
from sfumato.sampling import BulkBits, InsecureSeeded, ScriptedBits, Tally

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "binary_hadamard.json").read_text())
BUDGETS = [0.2, 0.5, 0.7, 0.839, 0.84, 1]
QUIET = BinaryHadamard(size=3, odds=Fraction(4), silence=Fraction(1, 2))
PLAIN = BinaryHadamard(size=3, odds=Fraction(3))


def sylvester(size):
    return np.array([[(-1) ** (x & j).bit_count() for x in range(size)] for j in range(size)])


@pytest.mark.parametrize("size", [1, 2, 4, 64, 256])
def test_transform_is_the_hadamard_matrix(size):
    vector = np.arange(size) ** 2 % 17 - 5.5
    assert walsh_hadamard(vector).tolist() == (sylvester(size) @ vector).tolist()


def test_compiled_transform_is_the_same_to_the_last_bit():
    vector = np.sin(np.arange(1 << 15))
    slow = vector.copy()
    _butterflies(slow)
    fast = vector.copy()
    _compiled()(fast)
    assert np.array_equal(slow, fast)
    assert np.array_equal(slow, walsh_hadamard(vector))
    assert walsh_hadamard(slow) / (1 << 15) == pytest.approx(vector, abs=1e-12)


@pytest.mark.parametrize("vector", [[1.0, 2.0, 3.0], [], [[1.0, 2.0]]])
def test_transform_refuses_other_lengths(vector):
    with pytest.raises(InvalidParameter, match="power of two"):
        walsh_hadamard(vector)


@given(mechanism=binary_hadamards(), data=st.data())
def test_report_follows_its_law_exactly(mechanism, data):
    """Enumerating every draw reproduces P(.|x) of the question that the position is asked."""
    x = data.draw(st.integers(0, mechanism.size - 1))
    position = data.draw(st.integers(0, 40))
    hits = [0] * mechanism.outcomes
    for word in range(1 << mechanism.width):
        try:
            hits[int(mechanism.privatize([x], ScriptedBits([word]), positions=position)[0])] += 1
        except SourceFailed:
            continue
    assert tuple(Fraction(hit, sum(hits)) for hit in hits) == mechanism.law(x, mechanism.question(position))


@given(mechanism=binary_hadamards())
def test_every_question_leaks_and_uses_the_same(mechanism):
    for group in range(1, mechanism.groups + 1):
        channel = mechanism.channel(group)
        assert channel.rows == tuple(mechanism.law(x, group) for x in range(mechanism.size))
        assert measures.odds(channel) == mechanism.odds
        assert measures.largest_randomness_interval(channel) == mechanism.randomness_bits()


@pytest.mark.parametrize("budget", [None, *BUDGETS])
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0])
def test_both_promises_are_kept_by_the_exact_law(epsilon, budget):
    mechanism = BinaryHadamard.within(size=5, epsilon=epsilon, random_bits=budget)
    channel = mechanism.channel()
    assert mechanism.width == 64
    assert measures.odds(channel) == mechanism.odds
    assert ln_bounds(measures.odds(channel))[0] <= epsilon < ln_bounds(mechanism.odds + Fraction(1, 1 << 24))[1]
    if budget is not None:
        assert measures.largest_randomness_interval(channel).upper <= budget
        used = measures.largest_randomness_interval(channel).lower
        assert used > min(budget, critical_random_bits(epsilon)) - 1e-9, "no more of the budget is left than rounding"


@given(size=st.integers(2, 3000), epsilon=st.floats(1e-3, 15), budget=st.floats(1e-6, 1.5))
def test_promises_are_kept_for_any_parameters(size, epsilon, budget):
    mechanism = BinaryHadamard.within(size=size, epsilon=epsilon, random_bits=budget)
    assert ln_bounds(mechanism.odds)[0] <= epsilon
    assert mechanism.randomness_bits().upper <= budget
    assert mechanism.name.startswith("binary_hadamard")


@pytest.mark.parametrize("epsilon", [1e-12, 1e-9, 1e-6])
@pytest.mark.parametrize("budget", [1e-3, 0.5, 1.0, math.nextafter(1.0, 2.0), Fraction(1, 3)])
def test_odds_next_to_even(epsilon, budget):
    """R_c is 1 to the last digit here; whatever is chosen keeps the budget, and even odds are refused by `estimate`."""
    mechanism = BinaryHadamard.within(size=3, epsilon=epsilon, random_bits=budget)
    assert mechanism.randomness_bits().upper <= budget
    assert ln_bounds(mechanism.odds)[0] <= epsilon


def test_the_smaller_risk_is_chosen_below_the_critical_budget():
    for epsilon, budget in itertools.product([0.5, 1.0, 2.0, 3.0], [0.02, 0.2, 0.4, 0.9]):
        if budget * 0.999 >= critical_random_bits(epsilon):
            continue
        rarer = BinaryHadamard._rarer_yes(100, epsilon, budget, 64)
        silent = BinaryHadamard._silent_or_answer(100, epsilon, budget, 64)
        chosen = BinaryHadamard.within(size=100, epsilon=epsilon, random_bits=budget)
        risks = [m.risk(Distribution.uniform(100), 127_000) for m in (rarer, silent, chosen)]
        assert risks[2] == min(risks[:2])
    assert BinaryHadamard.within(size=100, epsilon=1.0, random_bits=0.7).outcomes == 2
    assert BinaryHadamard.within(size=100, epsilon=1.0, random_bits=0.02).outcomes == 3


def test_silent_or_answer_wins_near_the_critical_budget():
    case = VECTORS["bounds"]["silent_wins"]
    budget = case["share_of_critical"] * critical_random_bits(case["epsilon"])
    size = n = 1 << 14
    rarer = BinaryHadamard._rarer_yes(size, case["epsilon"], budget, 64)
    silent = BinaryHadamard._silent_or_answer(size, case["epsilon"], budget, 64)
    uniform = Distribution.uniform(size)
    assert silent.risk(uniform, n - 1) == pytest.approx(case["silent"], abs=0.05)
    assert rarer.risk(uniform, n - 1) == pytest.approx(case["rarer_yes"], abs=0.05)
    assert BinaryHadamard.within(size=size, epsilon=case["epsilon"], random_bits=budget) == silent


@pytest.mark.parametrize("case", VECTORS["laws"], ids=lambda case: f"{case['size']}, {case['odds']}")
def test_vectors(case):
    mechanism = BinaryHadamard(
        size=case["size"],
        odds=Fraction(case["odds"]),
        yes=case["yes"] and Fraction(case["yes"]),
        silence=Fraction(case["silence"]),
    )
    assert mechanism.law(0) == tuple(Fraction(p) for p in case["inside"])
    assert mechanism.law(1) == tuple(Fraction(p) for p in case["outside"])
    assert mechanism.law(1, 2) == mechanism.law(0)


def test_the_certificate_is_about_the_sampled_law():
    mechanism = BinaryHadamard.within(size=4, epsilon=1.0, random_bits=0.5)
    certificate = certify(mechanism)
    assert certificate["odds"].value == mechanism.odds < Fraction(math.e)
    assert "integer thresholds" in certificate.notes[0]


@given(mechanism=binary_hadamards().filter(lambda found: found.odds > 1), data=st.data())
def test_risk_is_the_sum_of_the_variances(mechanism, data):
    weights = data.draw(st.lists(st.integers(0, 9), min_size=mechanism.size, max_size=mechanism.size).filter(any))
    law = [Fraction(weight, sum(weights)) for weight in weights]
    n, offset = mechanism.groups + data.draw(st.integers(0, 40)), data.draw(st.integers(0, 40))
    assume((mechanism._questions(n, offset)[:, None] == np.arange(1, mechanism.groups + 1)).any(axis=0).all())
    variance = mechanism.variance(law, n, offset)
    assert len(set(variance)) == 1
    assert mechanism.risk(law, n, offset) == pytest.approx(float(sum(variance)), rel=1e-9)


@pytest.mark.slow
def test_largest_risk_is_the_largest():
    laws = [np.eye(5)[0], np.eye(5)[3], np.full(5, 0.2), np.array([0.6, 0.1, 0.1, 0.1, 0.1]), np.arange(5) / 10]
    for budget in (None, 0.8, 0.5, 0.1):
        mechanism = BinaryHadamard.within(size=5, epsilon=1.0, random_bits=budget)
        risks = [mechanism.risk(law.tolist(), 700) for law in laws]
        heads = np.linspace(0, 1, 2001)
        family = [mechanism.risk([h, *[(1 - h) / 4] * 4], 700) for h in heads]
        assert max(risks) <= mechanism.largest_risk(700) * (1 + 1e-12)
        assert max(family) == pytest.approx(mechanism.largest_risk(700), rel=1e-6)
        assert mechanism.risk(Distribution.uniform(5), 7) == pytest.approx(float(mechanism.uniform_risk()))


@pytest.mark.parametrize("budget", [None, 0.7, 0.2])
def test_mean_square_error_over_seeds_is_the_exact_risk(budget):
    """Within four Monte Carlo standard errors over 20 fixed seeds; a risk 30 % off would be seen."""
    size, n = 50, 20_001
    law = np.arange(1, size + 1) / (size * (size + 1) / 2)
    mechanism = BinaryHadamard.within(size=size, epsilon=1.0, random_bits=budget)
    errors = []
    for seed in range(20):
        answers = np.random.default_rng(seed).choice(size, n, p=law)
        raw = mechanism.estimate(mechanism.tally(mechanism.privatize(answers, InsecureSeeded(seed)))).raw
        errors.append(float(np.sum((np.array(raw) - law) ** 2)))
    spread = float(np.std(errors, ddof=1)) / math.sqrt(len(errors))
    assert 4 * spread < 0.3 * mechanism.risk(law.tolist(), n)
    assert abs(np.mean(errors) - mechanism.risk(law.tolist(), n)) < 4 * spread


@pytest.mark.parametrize("case", VECTORS["l1_errors"]["cases"], ids=lambda case: f"R={case['random_bits']}")
def test_l1_errors_of_the_paper(case):
    """The paper's ℓ1 errors come from clipping; the projection does four times better. 20 fixed seeds, 5 %."""
    setting = VECTORS["l1_errors"]
    law = setting["geometric"] ** np.arange(setting["size"])
    law /= law.sum()
    mechanism = BinaryHadamard.within(size=setting["size"], epsilon=setting["epsilon"], random_bits=case["random_bits"])
    assert mechanism.outcomes == 2
    clipped, projected, plain = [], [], []
    for seed in range(20):
        answers = np.random.default_rng(seed).choice(setting["size"], case["n"], p=law)
        estimate = mechanism.estimate(mechanism.tally(mechanism.privatize(answers, InsecureSeeded(seed))))
        clipped.append(np.abs(clip_normalise(estimate.raw) - law).sum())
        projected.append(np.abs(np.array(estimate.projected) - law).sum())
        plain.append(np.abs(np.array(estimate.raw) - law).sum())
    assert np.mean(clipped) == pytest.approx(case["clipped"], rel=0.05)
    assert np.mean(projected) == pytest.approx(case["projected"], rel=0.05)
    assert np.mean(plain) == pytest.approx(case["raw"], rel=0.05)


def test_a_poll_finds_the_shares_and_its_errors():
    mechanism = BinaryHadamard.within(size=4, epsilon=1.0)
    answers = np.tile([0, 0, 1, 3, 0, 1, 0, 3, 0, 0], 30_000)
    reports = mechanism.privatize(answers, InsecureSeeded(5))
    assert reports.dtype == np.uint8
    estimate = mechanism.estimate(mechanism.tally(reports))
    # Six standard errors: false alarm below 2e-9 over seeds, and the seed is fixed.
    for raw, truth, error in zip(estimate.raw, [0.6, 0.2, 0.0, 0.2], estimate.standard_errors, strict=True):
        assert abs(raw - truth) < 6 * error
    error = math.sqrt(mechanism.variance([0.6, 0.2, 0.0, 0.2], 300_000)[0])
    assert estimate.standard_errors == pytest.approx([error] * 4, rel=0.01)


@pytest.mark.parametrize("size", [2, 3, 5, 100])
def test_every_round_asks_every_question_once(size):
    mechanism = BinaryHadamard(size=size, odds=Fraction(3))
    groups = mechanism.groups
    for start in range(0, 5 * groups, groups):
        assert sorted(mechanism._questions(groups, start)) == list(range(1, groups + 1))
    whole = mechanism._questions(4 * groups, 0)
    assert [mechanism.question(i) for i in range(4 * groups)] == whole.tolist()
    offset, n = groups // 2 + 1, 3 * groups + 1
    asked = np.bincount(mechanism._questions(n, offset), minlength=groups + 1)[1:]
    assert mechanism._asked(n, offset).tolist() == asked.tolist()


def test_a_column_with_the_rhythm_of_the_questions():
    """Seven questions, and answers that follow the day of the week: each question is still asked on every day."""
    mechanism = BinaryHadamard(size=5, odds=Fraction(3))
    answers = np.tile([0, 0, 1, 4, 0, 2, 0], 30_000)
    estimate = mechanism.estimate(mechanism.tally(mechanism.privatize(answers, InsecureSeeded(1))))
    for raw, times in zip(estimate.raw, [4, 1, 1, 0, 1], strict=True):
        assert abs(raw - times / 7) < 5 * estimate.standard_errors[0]


def test_a_long_column_is_worked_through_in_pieces():
    """Beyond 2^20 rows the position goes on counting."""
    answers = np.arange((1 << 20) + 9) % 3
    source = InsecureSeeded(3)
    parts = [
        PLAIN.privatize(answers[: 1 << 20], source),
        PLAIN.privatize(answers[1 << 20 :], source, positions=1 << 20),
    ]
    assert np.array_equal(PLAIN.privatize(answers, InsecureSeeded(3)), np.concatenate(parts))


@given(data=st.data(), mechanism=st.sampled_from([PLAIN, QUIET, BinaryHadamard(size=2, odds=Fraction(3))]))
def test_rows_keep_their_positions_when_others_are_missing(data, mechanism):
    """Whatever rows are left, in whatever order: each is asked, reports and is counted as it was in the whole."""
    answers, start = np.arange(60) % mechanism.size, data.draw(st.integers(0, 1000))
    rows = np.array(data.draw(st.lists(st.integers(0, 59), min_size=1, unique=True)))
    dtype = data.draw(st.sampled_from([np.int64, np.uint32]))
    places = (rows + start).astype(dtype)
    truths = mechanism.truths(answers, start)
    assert mechanism.truths(answers[rows], places).tolist() == truths[rows].tolist()
    words = InsecureSeeded(8).words(60, 64).tolist()
    whole = mechanism.privatize(answers, ScriptedBits(words), start)
    script = ScriptedBits([words[row] for row in rows])
    assert mechanism.privatize(answers[rows], script, places).tolist() == whole[rows].tolist()
    single = [mechanism.tally(whole[[row]], start + int(row)) for row in rows]
    assert mechanism.tally(whole[rows], places) == sum(single[1:], single[0])


def test_the_variance_at_given_positions_is_that_of_the_questions_asked():
    law = [Fraction(1, 3)] * 3
    assert PLAIN.variance(law, 30, np.arange(7, 37)) == PLAIN.variance(law, 30, 7)
    assert PLAIN.risk(law, 30, np.arange(7, 37)) == pytest.approx(PLAIN.risk(law, 30, 7), rel=1e-12)
    some = np.arange(200)[np.arange(200) % 5 > 0][:30]
    assert PLAIN.variance(law, 30, some) == PLAIN.variance(law, 30, some[::-1])
    assert PLAIN.variance(law, 30, some) != PLAIN.variance(law, 30)


@pytest.mark.parametrize(
    "positions",
    [np.arange(4), np.array([0.0, 1.0, 2.0]), np.zeros((3, 1), dtype=int), np.array([0, 1, -1]), -1, 1 << 63, 0.5],
    ids=repr,
)
def test_positions_that_rows_cannot_have(positions):
    for act in (PLAIN.truths, PLAIN.tally, lambda held, where: PLAIN.privatize(held, BulkBits(), where)):
        with pytest.raises(InvalidParameter, match="positions"):
            act([0, 1, 0], positions)


def test_wrong_scale_is_rejected():
    """Reading odds 3 as odds 3.3 moves the estimate by more than six standard errors."""
    made, read = BinaryHadamard(size=2, odds=Fraction(3)), BinaryHadamard(size=2, odds=Fraction(33, 10))
    counts = made.tally(made.privatize(np.ones(1_000_000, dtype=int), InsecureSeeded(5))).counts
    estimate = read.estimate(Tally(mechanism=read.name, counts=counts))
    assert abs(estimate.raw[1] - 1) > 6 * estimate.standard_errors[1]


@given(data=st.data(), mechanism=st.sampled_from([PLAIN, QUIET]))
def test_merged_tallies_in_any_order_are_the_whole(data, mechanism):
    """A column privatised and tallied in parts, each told its position, gives the same estimate to the last bit."""
    answers = np.arange(200) % 3
    cuts = sorted(data.draw(st.sets(st.integers(1, 199), max_size=5)))
    edges = [0, *cuts, 200]
    words = InsecureSeeded(7).words(400, 64).tolist()
    whole = mechanism.privatize(answers, ScriptedBits(words))
    parts = []
    script = ScriptedBits(words)
    for start, stop in itertools.pairwise(edges):
        reports = mechanism.privatize(answers[start:stop], script, positions=start)
        assert np.array_equal(reports, whole[start:stop])
        parts.append(mechanism.tally(reports, positions=start))
    parts = data.draw(st.permutations(parts))
    merged = parts[0]
    for part in parts[1:]:
        merged += part
    assert merged == mechanism.tally(whole)
    assert merged.total == 200
    assert mechanism.estimate(merged) == mechanism.estimate(mechanism.tally(whole))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"size": 2, "odds": Fraction(3), "yes": Fraction(4, 5)}, "Lower `yes`, or raise `odds`"),
        ({"size": 2, "odds": Fraction(3), "yes": Fraction(0)}, "Lower `yes`, or raise `odds`"),
        ({"size": 2, "odds": Fraction(3), "silence": Fraction(1)}, "Somebody has to answer"),
        ({"size": 2, "odds": Fraction(3), "silence": 0.5}, "must be exact"),
        ({"size": 2, "odds": Fraction(2**65)}, "smaller denominators"),
        ({"size": 2, "odds": Fraction(3), "width": 1}, "smaller denominators"),
    ],
)
def test_bad_parameters(arguments, sentence):
    with pytest.raises(InvalidParameter, match=sentence):
        BinaryHadamard(**arguments)


@pytest.mark.parametrize(
    ("budget", "sentence"),
    [(0, "nothing private can be learned"), (-0.1, "at least 0"), (math.nan, "finite"), (1e-18, "raise `random_bits`")],
)
def test_bad_budget(budget, sentence):
    with pytest.raises(InvalidParameter, match=sentence):
        BinaryHadamard.within(size=2, epsilon=1.0, random_bits=budget)


def test_too_few_or_misplaced_reports_are_refused():
    wider = BinaryHadamard(size=5, odds=Fraction(3))
    with pytest.raises(InvalidParameter, match=r"7 questions × 2 reports"):
        wider.estimate(Tally(mechanism=wider.name, counts=(1,) * 6))
    with pytest.raises(InvalidParameter, match=r"reports must lie in 0\.\.1"):
        PLAIN.tally([2])
    with pytest.raises(InvalidParameter, match="2 of 3 questions were asked of nobody"):
        PLAIN.estimate(PLAIN.tally([0]))
    with pytest.raises(InvalidParameter, match="asked of nobody"):
        PLAIN.risk([0.5, 0.25, 0.25], 2)
    with pytest.raises(InvalidParameter, match="law has 2 entries for 3 answers"):
        PLAIN.risk([0.5, 0.5], 20)
    with pytest.raises(InvalidParameter, match="positions=-1 must lie"):
        PLAIN.tally([0], positions=-1)
