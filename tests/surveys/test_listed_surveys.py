"""Surveys with a list of answers: published numbers, floors by fractions, columns by brute force, words, cards."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

import sfumato as sf
from sfumato.errors import InvalidParameter, NotCertified
from sfumato.surveys.design import AnswerLimits
from sfumato.surveys.lists import ANY, report_columns, total_variance, variance_floor

HALF = Fraction(1, 2)
SKEWED = (Fraction(3, 5), Fraction(3, 10), Fraction(1, 10))
FOUR = (Fraction(2, 5), Fraction(3, 10), Fraction(1, 5), Fraction(1, 10))
# shares, guess error, best survey, answer or silence, k-ary response, most trace of the information
TABLE = [
    ((Fraction(1, 3),) * 3, HALF, 2.66666667, 2.66666667, 10.667, 1.5),
    (SKEWED, HALF, 2.00951600, 2.16, 10.54, 3.70370370),
    ((Fraction(4, 5), Fraction(3, 20), Fraction(1, 20)), Fraction(3, 10), 0.54848014, 0.60909091, 1.872, 14.49269006),
    ((Fraction(1, 4),) * 4, Fraction(3, 5), 3.75, 3.75, 18.75, 2.4),
    ((Fraction(7, 10), *(Fraction(1, 10),) * 3), Fraction(3, 5), 2.2488800, 2.4, 18.48, 5.0),
    (FOUR, HALF, 2.0079416, 2.1, 6.70, 8.33333333),
]
WAYS = ("train", "car", "on foot")


def names(count):
    return tuple("abcdefghij"[:count])


def tangent_basis(size):
    return np.linalg.qr(np.eye(size) - 1 / size)[0][:, : size - 1]


def information(channel, shares):
    """J on the simplex in an orthonormal basis, in floats: another way than F⁻¹ - θθᵀ."""
    basis = tangent_basis(len(shares))
    columns = channel.array.T
    law = columns @ np.array([float(share) for share in shares])
    moved = columns @ basis
    return (moved.T / law) @ moved


def traces(columns, shares):
    """The trace of the information of each column."""
    table = np.array([[float(p) for p in column.chances] for column in columns])
    moved = table @ tangent_basis(len(shares))
    return (moved**2).sum(axis=1) / (table @ np.array([float(share) for share in shares]))


def most_trace(limits, columns, shares):
    """The largest trace of the information, by a linear program, and the survey that has it."""
    table = np.array([[float(p) for p in column.chances] for column in columns])
    costs = np.array([float(column.cost) for column in columns])
    found = linprog(
        -traces(columns, shares),
        A_ub=costs[None],
        b_ub=[float(limits.most_right)],
        A_eq=table.T,
        b_eq=np.ones(limits.size),
    )
    assert found.status == 0
    return -found.fun, found.x[:, None] * table


@pytest.mark.parametrize(("shares", "error", "best", "silence", "response", "trace"), TABLE)
def test_the_table(shares, error, best, silence, response, trace):
    """Each number of the table, and a proven floor under the best one."""
    labels = names(len(shares))
    design = sf.surveys.listed_survey(labels, guess_error=error, shares=shares)
    within = design.enclosure
    assert within.lower <= within.upper
    assert within.upper - within.lower < 1e-8
    assert within.upper == pytest.approx(best, abs=6e-8)
    by_tangents = np.trace(np.linalg.inv(information(design.channel, shares)))
    assert float(design.total_variance(shares)) == pytest.approx(by_tangents)
    quiet = sf.surveys.answer_or_silence(labels, guess_error=error)
    assert float(quiet.total_variance(shares)) == pytest.approx(silence, abs=6e-9)
    limits = AnswerLimits.of(len(shares), guess_error=error)
    classic = sf.surveys.list_response(labels, limits)
    assert float(total_variance(classic, shares)) == pytest.approx(response, rel=5e-4)
    assert most_trace(limits, report_columns(limits), shares)[0] == pytest.approx(trace, abs=6e-9)
    for channel in (design.channel, quiet.channel, classic):
        assert limits.kept_by(channel)
        assert sf.measures.guess_error(channel) - error < 1e-9


def test_silence_loses_little_and_saves_much():
    """At most 11.1 % more variance than the best of the table, and 3.1 to 7.7 times less than the classic response."""
    losses, savings = [], []
    for shares, error, best, silence, response, _ in TABLE:
        quiet = sf.surveys.answer_or_silence(names(len(shares)), guess_error=error).total_variance(shares)
        assert float(quiet) == pytest.approx(silence, abs=6e-9)
        losses.append(silence / best)
        savings.append(response / silence)
    assert max(losses) == pytest.approx(1.1105, abs=1e-4)
    assert min(losses) == pytest.approx(1.0, abs=1e-8)
    assert (min(savings), max(savings)) == pytest.approx((3.07, 7.7), abs=0.01)


def test_most_trace_is_the_wrong_wish():
    """In four cases of six the survey with the largest trace does not tell all answers apart."""
    singular = 0
    for shares, error, *_ in TABLE:
        limits = AnswerLimits.of(len(shares), guess_error=error)
        _, columns = most_trace(limits, report_columns(limits), shares)
        singular += np.linalg.matrix_rank(columns, tol=1e-6) < len(shares)
    assert singular == 4


@pytest.mark.parametrize(("epsilon", "best"), [(2.0, 3.0307266), (1.0, 6.2677829)])
def test_with_a_limit_on_epsilon(epsilon, best):
    design = sf.surveys.listed_survey(WAYS, guess_error=HALF, shares=SKEWED, max_epsilon=epsilon)
    assert design.enclosure.upper == pytest.approx(best, abs=6e-8)
    assert design.enclosure.upper - design.enclosure.lower < 1e-7
    assert sf.measures.epsilon(design.channel) <= epsilon
    assert sf.measures.guess_error(design.channel) >= HALF


def test_one_and_the_odds_are_not_enough_where_weights_differ():
    """With unequal weights there are reports of heights between, and a fine grid of heights adds nothing to them."""
    limits = AnswerLimits.of(
        3, guess_error=Fraction(42, 100), weights=(HALF, Fraction(3, 10), Fraction(1, 5)), max_epsilon=2.0
    )
    columns = report_columns(limits)
    odds = Fraction(limits.max_odds)
    assert most_trace(limits, columns, SKEWED)[0] == pytest.approx(2.3147732, abs=6e-8)
    plain = [c for c in columns if set(c.chances) <= {Fraction(1), odds}]
    assert most_trace(limits, plain, SKEWED)[0] == pytest.approx(1.6883513, abs=6e-8)
    heights = [1 + (odds - 1) * Fraction(i, 24) for i in range(25)]
    grid = [
        type(columns[0])(chances=p, cost=max(w * q for w, q in zip(limits.weights, p, strict=True)), favoured=(0,))
        for p in itertools.product(heights, repeat=3)
    ]
    assert most_trace(limits, [*columns, *grid], SKEWED)[0] == pytest.approx(2.3147732, abs=6e-8)


def test_several_laws():
    """The plain program over traces has .6875 where silence has .675; by variances hardly anything is lost."""
    laws = [(Fraction(1, 3),) * 3, SKEWED, SKEWED[::-1], (Fraction(4, 5), Fraction(1, 10), Fraction(1, 10))]
    limits = AnswerLimits.of(3, guess_error=HALF)
    columns = report_columns(limits)
    table = np.array([[float(p) for p in column.chances] for column in columns])
    parts = np.array([traces(columns, law) / most_trace(limits, columns, law)[0] for law in laws])
    found = linprog(
        np.append(np.zeros(len(columns)), -1),
        A_ub=np.vstack([np.append(np.ones(len(columns)), 0), np.hstack([-parts, np.ones((4, 1))])]),
        b_ub=[0.5, 0, 0, 0, 0],
        A_eq=np.hstack([table.T, np.zeros((3, 1))]),
        b_eq=np.ones(3),
    )
    assert -found.fun == pytest.approx(0.6875, abs=1e-9)
    quiet = sf.surveys.answer_or_silence(names(3), guess_error=HALF)
    amounts = np.array([{1: 1 / 12, 2: 0.0, 3: 1 / 4}[len(column.favoured)] for column in columns])
    assert min(parts @ amounts) == pytest.approx(0.675, abs=1e-9)

    steady = sf.surveys.listed_survey(names(3), guess_error=HALF, any_of=laws)
    alone = [sf.surveys.listed_survey(names(3), guess_error=HALF, shares=law).enclosure.upper for law in laws]

    def loss(design):
        return max(float(design.total_variance(law)) / best for law, best in zip(laws, alone, strict=True))

    assert loss(steady) == pytest.approx(1.00212575, abs=1e-7)
    assert loss(quiet) > 1.07
    assert steady.enclosure.upper - steady.enclosure.lower < 1e-7


def test_a_floor_needs_no_trust():
    """Whatever the proof says, what comes out is a floor; a bad proof proves less."""
    design = sf.surveys.listed_survey(WAYS, guess_error=HALF, shares=SKEWED)
    best = Fraction(20095160, 10**7)
    for scale in (Fraction(1, 2), Fraction(2)):
        bad = type(design.proof)(
            matrices=design.proof.matrices,
            counts=design.proof.counts,
            answer_prices=tuple(scale * price for price in design.proof.answer_prices),
            guess_price=design.proof.guess_price,
        )
        assert variance_floor(design.limits, design.laws, bad) < best
    # Prices that are too low everywhere are raised by as much, and prove the same.
    low = type(design.proof)(
        matrices=design.proof.matrices,
        counts=design.proof.counts,
        answer_prices=tuple(price - Fraction(1, 10) for price in design.proof.answer_prices),
        guess_price=design.proof.guess_price,
    )
    assert float(variance_floor(design.limits, design.laws, low)) == pytest.approx(2.00951600, abs=6e-9)
    negative = type(design.proof)(
        matrices=design.proof.matrices,
        counts=design.proof.counts,
        answer_prices=design.proof.answer_prices,
        guess_price=Fraction(-1),
    )
    with pytest.raises(InvalidParameter, match="guess_price"):
        variance_floor(design.limits, design.laws, negative)
    # Under a looser limit the same numbers prove less, as they must: more can be known there.
    looser = AnswerLimits.of(3, guess_error=Fraction(2, 5))
    assert variance_floor(looser, design.laws, design.proof) < 1.5
    # A survey that was not made for any shares has nothing to compare with.
    with pytest.raises(NotCertified):
        _ = sf.surveys.answer_or_silence(WAYS, guess_error=HALF).enclosure


@settings(max_examples=8)
@given(data=st.data())
def test_nothing_is_below_the_floor(data):
    """Random surveys within the limits, pulled together until they keep them, are never better."""
    size = data.draw(st.integers(2, 4))
    whole = st.lists(st.integers(1, 9), min_size=size, max_size=size)
    weights = data.draw(whole)
    weights = tuple(Fraction(w, sum(weights)) for w in weights)
    shares = data.draw(whole)
    shares = tuple(Fraction(w, sum(shares)) for w in shares)
    error = (1 - max(weights)) * Fraction(data.draw(st.integers(1, 8)), 10)
    epsilon = data.draw(st.sampled_from((None, 0.7, 2.0)))
    wishes = {"guess_error": error, "shares": shares, "weights": weights, "max_epsilon": epsilon}
    design = sf.surveys.listed_survey(names(size), **wishes)
    limits = design.limits
    assert limits.kept_by(design.channel)
    within = design.enclosure
    assert within.upper - within.lower <= 1e-6 * within.upper
    reports = data.draw(st.integers(size, size + 2))
    rows = [data.draw(st.lists(st.integers(1, 30), min_size=reports, max_size=reports)) for _ in range(size)]
    rows = [[Fraction(p, sum(row)) for p in row] for row in rows]
    middle = [sum(column, Fraction(0)) / size for column in zip(*rows, strict=True)]
    kept = Fraction(1)
    while not limits.kept_by(
        mixed := sf.Channel([[kept * p + (1 - kept) * q for p, q in zip(row, middle, strict=True)] for row in rows])
    ):
        kept *= Fraction(4, 5)
    variance = total_variance(mixed, shares)
    assert variance is None or variance >= design.floor


def test_a_report_splits_into_sets_and_costs_the_same():
    """The layers of any report have the guess error of the whole: sets are enough."""
    limits = AnswerLimits.of(3, guess_error=Fraction(1, 4), weights=(HALF, Fraction(3, 10), Fraction(1, 5)))
    columns = {column.favoured: column for column in report_columns(limits)}
    report = (Fraction(1, 3), Fraction(1, 2), Fraction(1, 7))
    heights = {x: w * p for x, (w, p) in enumerate(zip(limits.weights, report, strict=True))}
    levels = sorted({Fraction(0), *heights.values()})
    layers = [
        (high - low, columns[tuple(x for x, height in heights.items() if height >= high)])
        for low, high in itertools.pairwise(levels)
    ]
    assert sum(amount * column.cost for amount, column in layers) == max(heights.values())
    assert tuple(sum(amount * column.chances[x] for amount, column in layers) for x in range(3)) == report


def test_silence_is_best_where_all_is_even():
    """For equal weights and shares every tight survey has the same trace, and silence is symmetric: (k-1)²/tr J."""
    for size, error in ((2, Fraction(3, 8)), (3, HALF), (5, Fraction(2, 3))):
        even = (Fraction(1, size),) * size
        design = sf.surveys.listed_survey(names(size), guess_error=error)
        assert design.name == "answer or silence"
        trace = size * (size * (1 - error) - 1)
        assert design.total_variance(even) == Fraction((size - 1) ** 2) / trace
        assert float(design.floor) == pytest.approx(float(design.total_variance(even)), rel=1e-9)


def test_two_answers_are_the_survey_of_two():
    """With two answers it is the design with three reports, and 2/J its total variance."""
    theta = Fraction(1, 10)
    two = sf.surveys.survey(guess_error=Fraction(3, 8), weight=Fraction(2, 5))
    listed = sf.surveys.listed_survey(
        ("no", "yes"), guess_error=Fraction(3, 8), weights=(Fraction(3, 5), Fraction(2, 5)), shares=(1 - theta, theta)
    )
    assert listed.enclosure.upper == pytest.approx(2 / float(two.fisher_information(theta)), rel=1e-9)
    assert total_variance(two.channel, (1 - theta, theta)) == 2 / Fraction(two.fisher_information(theta))


def test_weights_and_silence():
    weights = (HALF, Fraction(3, 10), Fraction(1, 5))
    design = sf.surveys.answer_or_silence(WAYS, guess_error=Fraction(3, 10), weights=weights)
    assert [row[-1] for row in design.channel.rows] == [Fraction(3, 10), HALF, Fraction(3, 4)]
    assert sf.measures.guess_error(design.channel, weights) == Fraction(3, 10)
    # A weight that no word holds: a little more is silent than asked for.
    third = sf.surveys.answer_or_silence(WAYS, guess_error=Fraction(1, 3) + Fraction(1, 10**25))
    assert third.limits.kept_by(third.channel)
    assert third.channel.integers()[1] <= 1 << 64
    with pytest.raises(InvalidParameter, match="rare answers would be always silent"):
        sf.surveys.answer_or_silence(WAYS, guess_error=Fraction(45, 100), weights=weights)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"guess_error": Fraction(7, 10)}, "guess_error"),
        ({"guess_error": 0}, "guess_error"),
        ({"weights": (HALF, HALF)}, "weights"),
        ({"weights": (1, 0, 0)}, "weights"),
        ({"shares": (HALF, HALF, 0)}, "shares"),
        ({"shares": SKEWED, "any_of": [SKEWED]}, "any_of"),
        ({"answers": ("a", "a", "b")}, "answers"),
        ({"answers": ("a", ANY, "b")}, "answers"),
        ({"answers": names(10) + tuple("klm")}, "sets"),
        ({"guess_error": Fraction(2, 3)}, "tells apart"),
    ],
)
def test_refusals(wrong, said):
    asked = {"answers": WAYS, "guess_error": HALF} | wrong
    with pytest.raises(InvalidParameter, match=said):
        sf.surveys.listed_survey(asked.pop("answers"), **asked)


def test_the_certificate_says_that_answers_are_proved():
    design = sf.surveys.listed_survey(WAYS, guess_error=HALF, shares=SKEWED)
    certificate = design.certificate
    assert certificate["epsilon"].value == math.inf
    assert certificate["exposure"].value > 0
    assert certificate["guess_error"].value >= HALF
    sf.verify(certificate)


def test_cards_in_whole_faces():
    """Rounded down and topped up by "any", a survey keeps both limits and its meaning."""
    design = sf.surveys.listed_survey(WAYS, guess_error=HALF, shares=SKEWED)
    played = sf.surveys.playable_list(design, faces=1000)
    assert design.limits.kept_by(played.channel)
    assert 1 < played.total_variance(SKEWED) / design.total_variance(SKEWED) < 1.005
    quiet = sf.surveys.answer_or_silence(WAYS, guess_error=HALF)
    card = sf.surveys.spinner_card(sf.surveys.playable_list(quiet, faces=4).channel)
    assert card.lines()[1] == "If your true answer is “train”: 1: report “train”; 2 to 4: report “any”."
    with_limit = sf.surveys.listed_survey(WAYS, guess_error=HALF, shares=SKEWED, max_epsilon=2.0)
    limited = sf.surveys.playable_list(with_limit, faces=1000)
    assert with_limit.limits.kept_by(limited.channel)
    assert limited.total_variance(SKEWED) / with_limit.total_variance(SKEWED) < 1.03
    # Rounded down alone, "any" would be too good a guess here, and a few faces more are given to it.
    uneven = sf.surveys.listed_survey(
        WAYS, guess_error=Fraction(42, 100), shares=SKEWED, weights=(HALF, Fraction(3, 10), Fraction(1, 5))
    )
    for faces in (20, 100):
        assert uneven.limits.kept_by(sf.surveys.playable_list(uneven, faces=faces).channel)
    with pytest.raises(InvalidParameter, match="faces"):
        sf.surveys.playable_list(with_limit, faces=6)
