"""Ladders: every level's law, keys and recovery, exactly; the choice of the set; what is refused."""

import itertools
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ladder_strategies import convolved, drawn_law, hadamard_ladders, ladders
from sfumato import measures
from sfumato.errors import InvalidParameter, KeyRefused, UnreadableFile
from sfumato.ladders import Binding, Key, Ladder
from sfumato.ladders.drawing import block_secrets, lower_seed, shifts_of
from sfumato.ladders.keys import BLOCK_ROWS, BlockSeeds, Draws
from sfumato.mechanisms import BinaryHadamard, CyclicResponse, RandomizedResponse
from sfumato.mechanisms.cyclic import WORTH, candidate_sets, least_noise
from sfumato.numbers.intervals import fraction_below_exp
from sfumato.prob import Channel, Circulant
from sfumato.sampling import Coin, Guarantee, InsecureSeeded, Metered, ScriptedBits

SEVEN = CyclicResponse(size=5, odds=Fraction(2), q=2, t=3)
KINDS = [Guarantee.INFORMATION_THEORETIC, Guarantee.COMPUTATIONAL]
LARGEST = 2**16 - 1


def truth(ladder, x, group=1):
    if isinstance(ladder.levels[0], BinaryHadamard):
        return (x & group).bit_count() % 2
    if getattr(ladder.levels[0], "apart", False) and x == ladder.size - 1:
        return x - 1 + ladder.levels[0].length
    return x


@given(ladder=ladders(), data=st.data())
def test_each_level_has_the_law_of_its_mechanism(ladder, data):
    """The steps down to a level, added term by term, are P(.|x) of the mechanism at that level's odds."""
    level = data.draw(st.integers(1, len(ladder.levels)))
    x = data.draw(st.integers(0, ladder.size - 1))
    law = convolved([step.law() for step in ladder.steps[:level]], ladder.modulus)
    rung = ladder.levels[level - 1]
    groups = range(1, rung.groups + 1) if isinstance(rung, BinaryHadamard) else [None]
    for group in groups:
        at = truth(ladder, x, group)
        found = tuple(law[(y - at) % ladder.modulus] for y in range(ladder.modulus))
        assert found == (rung.law(x) if group is None else rung.law(x, group))


@pytest.mark.parametrize(
    ("over", "odds"),
    [
        (SEVEN, [Fraction(4), Fraction(12, 7), Fraction(76, 71)]),
        (CyclicResponse(size=3, odds=Fraction(2), q=2, t=2), [Fraction(2), Fraction(14, 9)]),
    ],
    ids=["seven residues", "three residues"],
)
def test_what_the_samplers_draw_adds_up_to_each_level(over, odds):
    """Odds for which a word of four bits decides every step: each is fed every word, and the laws found are added."""
    ladder = Ladder.of_odds(over, odds)
    drawn = [drawn_law(replace(step, width=4)) for step in ladder.steps]
    for level, rung in enumerate(ladder.levels, start=1):
        found = convolved(drawn[:level], ladder.modulus)
        assert found == rung.law(0)
        assert convolved(drawn[level - 1 :], ladder.modulus) == ladder.key_law(level - 1).law()
    # One word that falls on the wrong side would be seen.
    off = replace(ladder.steps[1], inside=ladder.steps[1].inside + Fraction(1, 16), width=4)
    assert convolved([drawn[0], drawn_law(off)], ladder.modulus) != ladder.levels[1].law(0)


@given(ladder=ladders(), data=st.data())
def test_a_key_has_the_law_of_the_steps_that_it_undoes(ladder, data):
    level = data.draw(st.sampled_from(range(len(ladder.levels))))
    expected = convolved([step.law() for step in ladder.steps[level:]], ladder.modulus)
    assert ladder.key_law(level).law() == expected


@given(ladder=ladders())
def test_without_a_key_exactly_the_lowest_odds_are_seen(ladder):
    law = convolved([step.law() for step in ladder.steps], ladder.modulus)
    if isinstance(ladder.levels[0], BinaryHadamard):
        channel = Channel([[law[(y - truth(ladder, x)) % 2] for y in range(2)] for x in range(ladder.size)])
    else:
        channel = Circulant(law, ladder.size)
    assert measures.odds(channel) == ladder.odds[-1]
    view = ladder.open(ladder.publish(np.arange(ladder.size)).reports)
    assert view.mechanism.odds == ladder.odds[-1]
    assert view.level == len(ladder.levels)


def key_of_draws(ladder, level, shifts):
    return Key(
        ladder=ladder.declaration,
        binding=Binding(),
        level=level,
        start=0,
        stop=shifts.size,
        total=shifts.size,
        drawing="for a test",
        guarantee=Guarantee.NONE,
        material=Draws(shifts),
    )


@given(ladder=ladders().filter(lambda found: found.recover_answers))
def test_every_answer_comes_back_under_every_key(ladder):
    pairs = np.array(list(itertools.product(range(ladder.size), range(ladder.modulus))))
    symbols = np.array([truth(ladder, int(x)) for x in pairs[:, 0]])
    reports = (symbols + pairs[:, 1]) % ladder.modulus
    assert (ladder.recover(reports, key_of_draws(ladder, 0, pairs[:, 1])) == pairs[:, 0]).all()


@pytest.mark.parametrize("guarantee", KINDS)
@settings(max_examples=25)
@given(ladder=ladders(), data=st.data())
def test_open_shows_the_step_in_between(guarantee, ladder, data):
    """What each step drew is the difference of two keys; a level is the truth and the steps down to it."""
    values = np.array(data.draw(st.lists(st.integers(0, ladder.size - 1), min_size=1, max_size=40)))
    keys = ladder.draw_keys(values.size, guarantee=guarantee)
    published = ladder.publish(values, keys=keys)
    assert list(published.keys) == list(ladder.key_levels)
    held = [shifts_of(keys[level], ladder.steps).astype(int) for level in range(len(ladder.levels))]
    held.append(np.zeros(values.size, dtype=int))
    seen = ladder.levels[0].truths(values).astype(int)
    for level in range(1, len(ladder.levels)):
        seen = (seen + held[level - 1] - held[level]) % ladder.modulus
        view = ladder.open(published.reports, published.keys[level])
        assert (view.reports == seen).all()
        assert view.mechanism == ladder.levels[level - 1]
    if ladder.recover_answers:
        assert (ladder.recover(published.reports, published.keys[0]) == values).all()


def test_a_script_of_draws_gives_the_reports_that_it_says():
    """Two rows. Step 2: keep, then replace by the 4th other residue; step 1: the 2nd favoured, then the 3rd other."""
    ladder = Ladder.of_odds(SEVEN, [Fraction(4), Fraction(2)], recover=True)
    first, second = ladder.steps
    assert first.favoured.size == 3
    drawing = [1] * 16
    step_two = [LARGEST, 0, 3]  # a coin for the first row (largest word: inside), coin and place for the second
    step_one = [LARGEST, 1, 0, 2]  # coin and place for either row
    script = ScriptedBits(drawing + step_two + step_one)
    published = ladder.publish([4, 1], script)
    assert script.left == 0
    ones = [int(first.favoured[1]), int(first.order[3 + 2])]
    twos = [0, int(second.order[1 + 3])]
    assert published.reports.tolist() == [(x + a + b) % 7 for x, a, b in zip([4, 1], ones, twos, strict=True)]
    opened = ladder.open(published.reports, published.keys[1]).reports
    assert opened.tolist() == [(x + a) % 7 for x, a in zip([4, 1], ones, strict=True)]
    assert ladder.recover(published.reports, published.keys[0]).tolist() == [4, 1]


def test_steps_are_drawn_apart_from_each_other():
    """One step's draws say nothing of another's: mutual information 2n·I is chi-squared, 1e-9 at 4 degrees is 48.5."""
    ladder = Ladder.of_odds(CyclicResponse(size=3, odds=Fraction(2), q=2, t=2), [Fraction(4), Fraction(2)])
    n = 200_000
    keys = ladder.draw_keys(n, InsecureSeeded(61))
    below = keys[1].material.shifts.astype(int)
    above = (keys[0].material.shifts.astype(int) - below) % 3

    def dependence(first, second):
        table = np.bincount(3 * first + second, minlength=9).reshape(3, 3) / n
        expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0, keepdims=True)
        return n * float(((table - expected) ** 2 / expected).sum())

    assert dependence(above, below) < 48.5
    assert dependence(above, above) > 48.5
    # One row in fifty that shares its draw would be noticed.
    mixed = np.where(np.arange(n) % 50 == 0, above, below)
    assert dependence(above, mixed) > 48.5


def test_erasures_of_thirteen_residues():
    over = CyclicResponse(size=5, odds=Fraction(2), q=3, t=3)
    ladder = Ladder.of_odds(over, [Fraction(9), Fraction(4), Fraction(2), Fraction(3, 2)])
    chances = [1 - (high - low) for high, low in (step.probabilities for step in ladder.steps[1:])]
    assert chances == [Fraction(13, 40), Fraction(26, 51), Fraction(13, 30)]


@given(ladder=hadamard_ladders())
def test_flips_are_those_of_the_theorem(ladder):
    """q_1 = z_1 and q_j = (z_j - z_(j-1))/(1 - 2z_(j-1)), z = 1/(odds+1)."""
    chances = [1 / (odds + 1) for odds in ladder.odds]
    expected = [chances[0]] + [(low - top) / (1 - 2 * top) for top, low in itertools.pairwise(chances)]
    assert [step.law()[1] for step in ladder.steps] == expected


@pytest.mark.parametrize(
    ("q", "t", "expected"), [(4, 6, (1.09, 1.00, 1.21)), (8, 5, (1.62, 1.24, 1.00))], ids=["q = 4", "q = 8"]
)
def test_one_set_for_three_levels(q, t, expected):
    over = CyclicResponse(size=1000, odds=Fraction(2), q=q, t=t)
    ratios = Ladder(over, [2.0, 1.0, 0.5]).ratios
    assert tuple(round(ratio, 2) for ratio in reversed(ratios)) == expected
    # In the limit of many residues V(q)/V* = (o-1+q)²/(4o(q-1)); a finite set differs by less than two in a hundred.
    for epsilon, ratio in zip((2.0, 1.0, 0.5), ratios, strict=True):
        o = math.exp(epsilon)
        assert ratio == pytest.approx((o - 1 + q) ** 2 / (4 * o * (q - 1)), rel=0.02)


@pytest.mark.parametrize(
    ("size", "epsilons"), [(1000, (2.0, 1.0, 0.5)), (20, (3.0, 0.5)), (300, (1.0,)), (5, (4.0, 2.0, 1.0, 0.2))]
)
def test_within_takes_the_set_whose_worst_level_is_best(size, epsilons):
    ladder = Ladder.within(size=size, epsilons=epsilons)

    def worst(found):
        return max(found.noise(math.exp(e)) / least_noise(math.exp(e)) for e in epsilons)

    judged = {candidate: worst(candidate) for candidate in candidate_sets(size)}
    chosen = ladder.levels[0].favoured
    assert judged[chosen] == pytest.approx(max(ladder.ratios), rel=1e-6)
    least = min(judged.values())
    assert judged[chosen] <= WORTH * least
    # Nothing smaller is as good.
    assert all(bad > WORTH * least for found, bad in judged.items() if found.modulus < chosen.modulus)


@given(
    epsilons=st.sets(st.integers(1, 300), min_size=1, max_size=4),
    over=st.sampled_from([SEVEN, BinaryHadamard(size=9, odds=Fraction(2))]),
)
def test_odds_never_exceed_what_was_promised(epsilons, over):
    wanted = sorted((value / 60 for value in epsilons), reverse=True)
    for odds, epsilon in zip(Ladder(over, wanted).odds, wanted, strict=True):
        assert odds <= fraction_below_exp(epsilon, denominator=odds.denominator)
        assert odds + Fraction(1, 1 << 20) > fraction_below_exp(epsilon, denominator=1 << 64)


@pytest.mark.parametrize(
    ("epsilons", "together", "apart"),
    [((1.0, 0.5), 1.62657, 1.79623), ((1.0, 0.1), 1.83149, 1.83814), ((1.0, 0.9), 1.09812, 1.70743)],
)
def test_one_report_for_two_levels_draws_fewer_bits(epsilons, together, apart):
    """Bits that were really drawn for 200 000 rows, within a hundredth of ΣH2(q_j) and ΣH2(z_j)."""
    n = 200_000
    ladder = Ladder(BinaryHadamard(size=2, odds=Fraction(2)), epsilons)
    meter = Metered(InsecureSeeded(71))
    for step in ladder.steps:
        step.draw(meter, n)
    assert ladder.randomness_bits().midpoint == pytest.approx(together, abs=5e-6)
    assert meter.drawn_bits / n == pytest.approx(together, rel=0.01)
    meter = Metered(InsecureSeeded(72))
    for odds in ladder.odds:
        Coin(chance=1 / (odds + 1), thrifty=True).sample(meter, n)
    assert meter.drawn_bits / n == pytest.approx(apart, rel=0.01)


SMALL = Ladder.of_odds(SEVEN, [Fraction(4), Fraction(2), Fraction(3, 2)], recover=True)


def seeded_keys(seed, rows=9000, **options):
    return SMALL.draw_keys(rows, InsecureSeeded(seed), guarantee=Guarantee.COMPUTATIONAL, **options)


def test_a_seed_gives_the_same_draws_to_every_holder():
    one, two, other = seeded_keys(1), seeded_keys(1), seeded_keys(2)
    for level in range(3):
        assert (shifts_of(one[level], SMALL.steps) == shifts_of(two[level], SMALL.steps)).all()
        assert (shifts_of(one[level], SMALL.steps) != shifts_of(other[level], SMALL.steps)).any()


def test_seeds_go_down_and_never_up():
    keys = seeded_keys(1)
    for high, low in itertools.combinations(range(3), 2):
        assert lower_seed(keys[high], low).secret == keys[low].material.secret
        with pytest.raises(KeyRefused, match=f"level {low} cannot make one of level {high}"):
            lower_seed(keys[low], high)
    assert len({key.material.secret for key in keys.values()}) == 3


def test_a_key_for_something_else_draws_something_else():
    plain = seeded_keys(1)
    for binding in (Binding(study="a"), Binding(question="a"), Binding(column="a"), Binding(epoch=1)):
        keys = seeded_keys(1, binding=binding)
        assert keys[0].material.secret == plain[0].material.secret
        for level in range(3):
            drawn = [shifts_of(held[level], SMALL.steps) for held in (plain, keys)]
            assert (drawn[0] != drawn[1]).mean() > 0.02
    # Every holder can go on to the next epoch alone: the seed of a level does not depend on it.
    assert seeded_keys(1, binding=Binding(epoch=1))[2].material.secret == plain[2].material.secret


def test_blocks_do_not_depend_on_each_other():
    """Rows of a part are those of the whole, by the seed of the level or by the secrets of the blocks alone."""
    key = seeded_keys(3)[1]
    whole = shifts_of(key, SMALL.steps)
    for start, stop in ((0, BLOCK_ROWS), (BLOCK_ROWS, 2 * BLOCK_ROWS), (BLOCK_ROWS, 9000), (2 * BLOCK_ROWS, 9000)):
        part = replace(key, start=start, stop=stop)
        assert (shifts_of(part, SMALL.steps) == whole[start:stop]).all()
        alone = replace(part, material=BlockSeeds(block_secrets(part, 3)))
        assert (shifts_of(alone, SMALL.steps) == whole[start:stop]).all()
    part = replace(key, start=5, stop=BLOCK_ROWS)
    assert (shifts_of(part, SMALL.steps) == whole[5:BLOCK_ROWS]).all()
    with pytest.raises(KeyRefused, match="whole blocks of 4096 rows"):
        block_secrets(part, 3)


def test_expanded_draws_follow_their_law():
    """The shift of level 1 over seven residues, 90 000 rows: chi-squared with 6 degrees, 53.6 at 1e-9."""
    keys = seeded_keys(4, rows=90_000)
    for level, other in ((0, 1), (1, 0)):
        hits = np.bincount(shifts_of(keys[level], SMALL.steps), minlength=7)
        expected, wrong = (90_000 * np.array(SMALL.key_law(at).law(), dtype=float) for at in (level, other))
        assert ((hits - expected) ** 2 / expected).sum() < 53.6
        assert ((hits - wrong) ** 2 / wrong).sum() > 53.6


def test_keys_say_how_true_their_draws_are():
    assert {key.guarantee for key in seeded_keys(1).values()} == {Guarantee.NONE}
    assert {key.guarantee for key in SMALL.draw_keys(5, InsecureSeeded(2)).values()} == {Guarantee.NONE}
    assert {key.guarantee for key in SMALL.draw_keys(5).values()} == {Guarantee.INFORMATION_THEORETIC}
    drawn = SMALL.draw_keys(5, guarantee=Guarantee.COMPUTATIONAL)
    assert {key.guarantee for key in drawn.values()} == {Guarantee.COMPUTATIONAL}


@given(ladder=ladders())
def test_a_declaration_makes_the_ladder_again(ladder):
    again = Ladder.declared(ladder.declaration)
    assert again.declaration == ladder.declaration
    assert again.levels == ladder.levels
    assert [step.law() for step in again.steps] == [step.law() for step in ladder.steps]
    with pytest.raises(UnreadableFile, match="declaration of a ladder is damaged"):
        Ladder.declared(ladder.declaration.replace(",", ", ", 1))


@pytest.mark.parametrize(
    ("build", "sentence"),
    [
        (lambda: Ladder(SEVEN, [1.0, 2.0]), "epsilons must fall from level to level"),
        (lambda: Ladder(SEVEN, [1.0, 1.0]), "must fall"),
        (lambda: Ladder(SEVEN, []), "between 1 and 32 levels, not 0"),
        (lambda: Ladder(SEVEN, [2.0 - j / 100 for j in range(33)]), "not 33"),
        (lambda: Ladder(SEVEN, [1.0, -1.0]), "epsilons"),
        (lambda: Ladder(SEVEN, [math.nan]), "epsilons"),
        (lambda: Ladder(SEVEN, [1.0, 1e-12]), "pure noise"),
        (lambda: Ladder(SEVEN, [1.0, 1.0 - 1e-12]), "too close to be told apart"),
        (lambda: Ladder.of_odds(SEVEN, ["two"]), "odds"),
        (lambda: Ladder.of_odds(SEVEN, [Fraction(2), Fraction(1)]), "pure noise"),
        (lambda: Ladder(RandomizedResponse(size=3, odds=Fraction(2)), [1.0]), "must be one of CyclicResponse, "),
        (
            lambda: Ladder(BinaryHadamard(size=5, odds=Fraction(2)), [1.0], recover=True),
            "recover=True is impossible over BinaryHadamard with 5 answers: there are 2 reports.*Use CyclicResponse",
        ),
        (lambda: Ladder.within(size=1, epsilons=[1.0]), "size=1"),
        (lambda: SMALL.draw_keys(0), "rows=0"),
        (lambda: SMALL.publish([]), "values is empty"),
        (lambda: SMALL.publish([0, 5]), "the first at position 1"),
        (lambda: SMALL.publish([0], keys={}), "must have the key of level 0"),
        (lambda: SMALL.open([7]), "reports must lie in"),
    ],
)
def test_bad_ladders(build, sentence):
    with pytest.raises(InvalidParameter, match=sentence):
        build()


WIDE = Ladder.within(size=1000, epsilons=[2.0, 1.0], recover=True)


def refused_uses():
    """Each with the answers 888, so that a leak into a sentence would be seen."""
    answers = np.full(20, 888)
    made, other = (WIDE.publish(answers) for _ in range(2))
    keys = WIDE.draw_keys(20)
    foreign = Ladder.within(size=1000, epsilons=[2.0, 0.9], recover=True).publish(answers)
    closed = Ladder.within(size=1000, epsilons=[2.0, 1.0])
    bound = WIDE.draw_keys(20, binding=Binding(study="one"))
    return [
        (lambda: WIDE.open(made.reports, made.keys[0]), "recovers answers; it is not for a level"),
        (lambda: WIDE.recover(made.reports, made.keys[1]), "opens level 1 and recovers nothing"),
        (lambda: WIDE.open(other.reports, made.keys[1]), "made for other reports than these"),
        (lambda: WIDE.recover(other.reports, made.keys[0]), "made for other reports than these"),
        (lambda: WIDE.open(made.reports[:7], made.keys[1]), r"rows 0\.\.19 of 20, and 7 reports were given"),
        (lambda: WIDE.open(made.reports, foreign.keys[1]), "belongs to another ladder"),
        (lambda: closed.recover(made.reports, made.keys[0]), "does not recover answers"),
        (lambda: WIDE.publish(answers, keys=foreign.keys), "belong to another ladder"),
        (lambda: WIDE.publish(answers[:7], keys=keys), "for 20 rows, and there are 7 values"),
        (lambda: WIDE.publish(answers, keys={0: keys[0], 1: made.keys[1]}), "not of one drawing"),
        (lambda: WIDE.publish(answers, keys={0: keys[1]}), "not of one drawing"),
        (lambda: WIDE.publish(answers, keys=bound, binding=Binding(study="two")), "another study"),
        (
            lambda: WIDE.recover((made.reports + 600) % WIDE.modulus, replace(made.keys[0], produced=None)),
            "not the ones",
        ),
    ]


@pytest.mark.parametrize("number", range(13))
def test_wrong_keys_are_refused_without_a_word_about_the_data(number):
    use, sentence = refused_uses()[number]
    with pytest.raises(KeyRefused, match=sentence) as caught:
        use()
    assert "888" not in str(caught.value)
    assert str(caught.value).endswith(".")


def test_nothing_secret_is_shown():
    keys = WIDE.draw_keys(20, InsecureSeeded(8), guarantee=Guarantee.COMPUTATIONAL)
    drawn = WIDE.draw_keys(20)
    for key in (*keys.values(), *drawn.values()):
        material = key.material
        secret = material.secret if hasattr(material, "secret") else material.shifts.tobytes()
        for text in (repr(key), repr(material), str(key)):
            assert secret.hex() not in text
            assert repr(secret) not in text
            assert not any(str(shift) in text for shift in getattr(material, "shifts", np.empty(0)) if shift > 99)
        with pytest.raises(TypeError, match="not pickled"):
            key.__reduce__()
    published = WIDE.publish(np.full(20, 888), keys=drawn)
    assert "888" not in repr(published) + repr(WIDE.open(published.reports))


def test_a_ladder_cannot_be_changed():
    with pytest.raises(AttributeError, match="immutable"):
        SMALL.levels = ()


@pytest.mark.parametrize("ladder", [SMALL, Ladder.of_flips(size=2, epsilons=[2.0, 1.0], recover=True)], ids=repr)
def test_what_a_row_draws_does_not_depend_on_how_many_there_are(ladder):
    """Once the last block was drawn by its length: 5,000 rows and 5,001 agreed in none of the last 904."""
    keys = ladder.draw_keys(5001, guarantee=Guarantee.COMPUTATIONAL)
    for level, key in keys.items():
        longer = shifts_of(key, ladder.steps)
        for total in (1, 4095, 4096, 4097, 5000):
            shorter = replace(key, total=total, stop=total)
            assert (shifts_of(shorter, ladder.steps) == longer[:total]).all(), (level, total)
    assert np.unique(longer).size > 1
