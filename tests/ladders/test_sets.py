"""Ladders of sets inside one another: laws by complete enumeration, feasible levels, keys, files, certificates."""

import itertools
import json
import math
from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest

import sfumato as sf
import sfumato_check
from nested_chains import chains, check_words_make_the_law
from sfumato import measures
from sfumato.errors import InvalidParameter
from sfumato.keys import Unprotected, open_key, seal_key
from sfumato.ladders import Ladder, advise_ladder, merge_keys, split_key
from sfumato.ladders.choice import SETS
from sfumato.ladders.evidence import NestedBuilt, SetsCounted
from sfumato.ladders.nested_levels import SetsLevel, best_sizes
from sfumato.ladders.nested_steps import InnerSetStep, MemberStep
from sfumato.mechanisms import SetsResponse, SubsetSelection
from sfumato.mechanisms.cyclic import least_noise
from sfumato.mechanisms.set_systems import members_of_set
from sfumato.mechanisms.sets import set_noise
from sfumato.sampling import Guarantee, InsecureSeeded


def ladder_of(size, sizes, odds):
    rung = SetsLevel(size=size, odds=Fraction(2), chosen=sizes[0], sizes=tuple(sizes))
    return Ladder.of_odds(rung, [Fraction(value) for value in odds], recover=True)


SMALL = [
    (6, (1, 2, 3), (Fraction(7), Fraction(5, 2), Fraction(3, 2))),
    (5, (1, 3), (Fraction(4), Fraction(2))),
    (5, (2, 2), (Fraction(4), Fraction(3, 2))),
    (7, (2, 4), (Fraction(5), Fraction(2))),
]


def moved_by(size, public):
    """Where residues stand that are numbered with the members of a set first."""
    others = [residue for residue in range(size) if residue not in public]
    return [*public, *others]


@pytest.mark.parametrize(("size", "sizes", "odds"), SMALL)
def test_every_prefix_of_what_a_reader_holds_has_exactly_the_odds_of_its_level(size, sizes, odds):
    """X → (report, sets of the public level up to j), written out in fractions for every public set."""
    ladder = ladder_of(size, sizes, odds)
    found, rung = chains(ladder), ladder.levels[0]
    assert sum(found.values()) == 1
    for public in range(math.comb(size, sizes[-1])):
        shifts = rung.shifts_among(np.arange(size), np.full(size, public)).tolist()
        stands = moved_by(size, members_of_set(public, sizes[-1]))
        assert shifts == [-residue % size for residue in stands]
        for level, value in enumerate(odds, start=1):
            laws = defaultdict(lambda: [Fraction(0)] * size)
            keys = len(sizes) - level + 1  # the public set is one of them
            for chain, p in found.items():
                laws[chain[:keys]][shifts[chain[-1]]] += p
            for held, law in laws.items():
                # A report y of answer x is shifted by y - x, so these are all P(y, keys | x).
                assert max(law) / min(law) == value
                favoured = {-stands[place] % size for place in members_of_set(held[-1], sizes[level - 1])}
                assert {shift for shift, p in enumerate(law) if p == max(law)} == favoured
                assert len(set(law)) == 2


@pytest.mark.parametrize(("size", "sizes", "odds"), SMALL)
def test_keys_are_independent_of_the_answer_and_have_their_law(size, sizes, odds):
    """No answer enters a draw; and what a level draws, given the public set, has the law and the bits of its key."""
    ladder = ladder_of(size, sizes, odds)
    found = chains(ladder)
    for level in range(len(sizes)):
        law = defaultdict(Fraction)
        for chain, p in found.items():
            law[chain[len(sizes) - level]] += p
        assert tuple(law[code] for code in range(ladder.key_law(level).modulus)) == ladder.key_law(level).law()
        bits = -sum(float(p) * math.log2(p) for p in law.values() if p)
        assert ladder.key_law(level).entropy_bits().midpoint == pytest.approx(bits, abs=1e-9)
        assert SetsCounted(ladder.outline).key_bits(level).midpoint == pytest.approx(bits, abs=1e-9)


@pytest.mark.parametrize(("size", "sizes", "odds"), SMALL)
def test_a_level_is_subset_selection_at_its_odds(size, sizes, odds):
    """Moved by the report and seen over all public sets, a level's set is any: o_j times as probable around x."""
    ladder = ladder_of(size, sizes, odds)
    found, publics = chains(ladder), math.comb(size, sizes[-1])
    for level, value in enumerate(odds, start=1):
        law, x = defaultdict(Fraction), 2
        for public in range(publics):
            stands = moved_by(size, members_of_set(public, sizes[-1]))
            for chain, p in found.items():
                y = (x - stands[chain[-1]]) % size
                held = members_of_set(chain[len(sizes) - level], sizes[level - 1])
                law[frozenset((stands[place] + y) % size for place in held)] += p / publics
        expected = SubsetSelection(size=size, odds=value, chosen=sizes[level - 1])
        for kept, p in zip(itertools.combinations(range(size), sizes[level - 1]), expected.law(x), strict=True):
            assert law[frozenset(kept)] == p
        assert ladder.levels[level - 1].probabilities == expected.probabilities


@pytest.mark.parametrize(("size", "sizes", "odds"), SMALL)
def test_every_answer_comes_back_from_every_draw(size, sizes, odds):
    rung = ladder_of(size, sizes, odds).levels[0]
    for position in range(5):
        answers, draws = (a.ravel() for a in np.meshgrid(np.arange(size), np.arange(size)))
        places = np.full(answers.size, position)
        reports = rung.made(answers, draws, places)
        assert (rung.recovered(reports, draws, places) == answers).all()


def test_numbers_of_the_example():
    """k = 63, odds 15, 3 and e^.5: sets of 4, 16 and 24, each level with .9686 of the noise of many answers."""
    epsilons = (math.log(15), math.log(3), 0.5)
    assert best_sizes(63, [math.exp(epsilon) for epsilon in epsilons]) == (4, 16, 24)
    for chosen, epsilon in zip((4, 16, 24), epsilons, strict=True):
        odds = math.exp(epsilon)
        assert set_noise(63, chosen, odds, 1 / 63) / least_noise(odds) == pytest.approx(0.9686, abs=2e-4)
    ladder = ladder_of(63, (4, 16, 24), (15, 3, Fraction(8, 5)))
    assert ladder.levels[0].odds_left(16) == Fraction(9, 2)
    assert ladder.levels[1].odds_left(24) == Fraction(7, 3)
    # λ/(1-λ) = k(o'-o)/((k + d'(o'-1))(o-1)) = 63·(3/2)/((63 + 56)·2)
    assert ladder.steps[1].erased == Fraction(189, 476) / (1 + Fraction(189, 476))
    with pytest.raises(InvalidParameter, match=r"odds=5 of level 2 cannot be made: .* has odds 9/2"):
        ladder_of(63, (4, 16, 24), (15, 5, Fraction(8, 5)))
    with pytest.raises(InvalidParameter, match="must not fall"):
        ladder_of(9, (3, 1), (7, 2))
    with pytest.raises(InvalidParameter, match="has 2 entries for 3 levels"):
        ladder_of(9, (1, 3), (7, 2, Fraction(3, 2)))
    with pytest.raises(InvalidParameter, match="more than words can number"):
        ladder_of(64, (30, 32), (7, 2))
    with pytest.raises(InvalidParameter, match="size=65"):
        Ladder.of_sets(size=65, epsilons=[2, 1])


def test_levels_have_the_error_of_subset_selection():
    """What is published for three levels is read as well as if each had a report of its own."""
    ladder = Ladder.of_sets(size=63, epsilons=[math.log(15), math.log(3), 0.5])
    law = [Fraction(1, 63)] * 63
    for level in ladder.levels:
        alone = SubsetSelection(size=63, odds=level.odds, chosen=level.chosen)
        assert level.variance(law, 1000) == alone.variance(law, 1000)


STEPS = [
    InnerSetStep(size=5, outer=3, inner=2, erased=Fraction(3, 8), width=4),
    MemberStep(size=5, members=2, inside=Fraction(5, 16), width=4),
]


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("start", [0, 1])
def test_words_make_the_law_of_a_step(step, start):
    check_words_make_the_law(step, start)


@pytest.mark.parametrize("guarantee", [Guarantee.INFORMATION_THEORETIC, Guarantee.COMPUTATIONAL])
@pytest.mark.parametrize(("size", "epsilons"), [(60, [3.0, 1.0]), (64, [3.5, 2.0, 1.0]), (12, [1.0])])
def test_publish_open_and_recover(guarantee, size, epsilons):
    ladder = Ladder.of_sets(size=size, epsilons=epsilons, recover=True)
    values = np.repeat([5, 7, size - 1], [4000, 2500, 1000])
    made = ladder.publish(values, InsecureSeeded(11), guarantee=guarantee)
    assert made.reports.max() < size
    assert (ladder.recover(made.reports, made.keys[0]) == values).all()
    truth = np.bincount(values, minlength=size) / values.size
    for level in range(1, len(epsilons) + 1):
        view = ladder.open(made.reports, made.keys.get(level))
        found = view.mechanism.estimate(view.mechanism.tally(view.reports, view.positions))
        deviation = view.mechanism.share_deviation(0.5) / math.sqrt(values.size)
        assert np.abs(np.array(found.raw) - truth).max() < 5 * deviation
        # Read with the sets of other rows it says something else.
        other = view.mechanism.estimate(view.mechanism.tally(view.reports, 1 + np.arange(values.size)))
        assert np.abs(np.array(other.raw) - truth).max() > 5 * deviation
    for level, key in made.keys.items():
        again = open_key(seal_key(key, Unprotected()), Unprotected())
        parts = split_key(key, ladder, [4096])
        for other in (again, merge_keys(parts)):
            if level == 0:
                assert (ladder.recover(made.reports, other) == values).all()
            else:
                assert (ladder.open(made.reports, other).reports == ladder.open(made.reports, key).reports).all()


@pytest.mark.slow
def test_measured_errors_are_those_of_the_levels_and_not_of_one_set():
    """ℓ2² at three levels within four Monte Carlo errors of the exact variances, and far from those of one set."""
    epsilons = [math.log(15), math.log(3), 0.5]
    ladder, single = (make(size=63, epsilons=epsilons) for make in (Ladder.of_sets, Ladder.within))
    rng, people, runs, law = np.random.default_rng(3), 2000, 40, [Fraction(1, 63)] * 63
    expected = np.array([float(sum(level.variance(law, people))) for level in ladder.levels])
    others = np.array([float(sum(level.variance(law, people))) for level in single.levels])
    found = []
    for run in range(runs):
        values = rng.integers(63, size=people)
        made = ladder.publish(values, InsecureSeeded(run), guarantee=Guarantee.COMPUTATIONAL)
        views = [ladder.open(made.reports, made.keys.get(level)) for level in (1, 2, 3)]
        raw = [one.mechanism.estimate(one.mechanism.tally(one.reports, one.positions)).raw for one in views]
        found.append([((np.array(shares) - 1 / 63) ** 2).sum() for shares in raw])
    mean, error = np.mean(found, axis=0), np.std(found, axis=0, ddof=1) / math.sqrt(runs)
    assert (np.abs(mean - expected) < 4 * error).all()
    assert (others - mean > 4 * error).all()


@pytest.mark.parametrize(("size", "epsilons"), [(50, [4.0, 0.5]), (63, [2.7, 1.1, 0.5]), (12, [3.4, 2.8]), (9, [1.0])])
def test_certificates_are_found_again_by_other_ways(size, epsilons, tmp_path):
    ladder = Ladder.of_sets(size=size, epsilons=epsilons, recover=True)
    certificate = sf.certify(ladder)
    sf.verify(certificate)
    path = tmp_path / "certificate.json"
    path.write_text(certificate.to_json(), encoding="utf-8")
    assert sfumato_check.main([str(path)]) == 0
    built, counted = NestedBuilt(ladder), SetsCounted(ladder.outline)
    built.check_premise()
    counted.check_premise()
    assert built.odds == counted.odds == ladder.odds
    assert built.recovered() == counted.recovered() == 1
    for name in ("step_bits", "separate_bits"):
        assert getattr(built, name)().midpoint == pytest.approx(getattr(counted, name)().midpoint, abs=1e-9)
    together = certificate["odds_coalition_" + "_".join(str(i + 1) for i in range(len(epsilons)))]
    assert together.value == ladder.odds[0]


def test_the_checker_refuses_levels_that_cannot_be_made(tmp_path):
    """k = 9: odds 7 of one answer leave 3 to sets of three: a file that claims 7/2 there is refused."""
    text = sf.certify(ladder_of(9, (1, 3), (7, 3))).to_json()
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text(text, encoding="utf-8")
    forged = text.replace('\\"odds\\":[\\"7\\",\\"3\\"]', '\\"odds\\":[\\"7\\",\\"7/2\\"]')
    assert forged != text
    bad.write_text(forged, encoding="utf-8")
    assert sfumato_check.main([str(good)]) == 0
    with pytest.raises(sfumato_check.Refused, match="cannot be made from the one above it"):
        sfumato_check.read_ladder(json.loads(forged)["subject"]["ladder"])
    assert sfumato_check.main([str(bad)]) != 0
    declared = json.loads(text)["subject"]["ladder"]
    for wrong, why in (("[3,1]", "do not lie inside"), ("[1,9]", "cannot be")):
        with pytest.raises((sfumato_check.Refused, sfumato_check.Unreadable), match=why):
            sfumato_check.read_ladder(declared.replace("[1,3]", wrong))


def test_a_ladder_of_sets_is_what_it_declares():
    ladder = Ladder.of_sets(size=63, epsilons=[2.7, 0.5], recover=True)
    assert '"mechanism":"sets","size":63,"sizes":[4,24]' in ladder.declaration
    again = Ladder.declared(ladder.declaration)
    assert again.levels == ladder.levels
    assert all(one.is_like(other) for one, other in zip(again.steps, ladder.steps, strict=True))
    level = ladder.levels[0]
    assert measures.odds(level.channel()) == level.odds == measures.odds(level.channel_at(3))
    assert (level.weights(), level.hitting(), level.linear_scores([0.0] * 63)) == (None, None, None)
    assert "sets of 4, 24 residues" in level.remarks()[0]
    assert "of 4, 24 answers" in ladder.because()


@pytest.mark.parametrize(("size", "epsilons"), [(63, (2.708, 1.0986, 0.5)), (20, (2.0, 1.0)), (50, (4.0, 0.5))])
def test_the_advice_takes_sets_for_few_answers(size, epsilons):
    """Their regret is 1 at every level: no unbiased estimate from one report with as much privacy has less error."""
    advice = advise_ladder(size=size, epsilons=epsilons)
    assert isinstance(advice.ladder.levels[0], SetsLevel)
    assert max(advice.regrets) <= 1.001
    assert min(advice.regrets) >= 1 - 1e-9
    assert advice.predictions[0].name == SETS
    assert all(one.name != SETS for one in advise_ladder(size=65, epsilons=epsilons).predictions)


def test_any_sets_response_has_levels():
    ladder = Ladder(SetsResponse(size=12, odds=Fraction(2), chosen=3), [2.0, 1.0])
    assert ladder.levels[0].sizes == (3, 3)
    assert ladder.steps[1].sizes[0] == 1
