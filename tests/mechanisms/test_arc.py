"""The arc response: no arc wraps, an answer apart meets no other, and scores that are the best at even answers."""

import itertools
import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mechanism_strategies import arc_responses
from sfumato import measures
from sfumato.certificates import Certificate, certify, verify
from sfumato.errors import InvalidParameter
from sfumato.mechanisms import ArcResponse
from sfumato.mechanisms.arc import arc_moments, arc_noise, best_length, second_moments, unbiased_weights, worst_variance
from sfumato.sampling import InsecureSeeded

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "arc.json").read_text())


@given(mechanism=arc_responses().filter(lambda found: found.odds > 1))
def test_arcs_are_runs_that_never_wrap(mechanism):
    arcs = []
    for x in range(mechanism.size):
        law = mechanism.law(x)
        favoured = [y for y, p in enumerate(law) if p == max(law)]
        assert favoured == list(range(favoured[0], favoured[0] + mechanism.length))
        assert max(law) == mechanism.odds * min(law)
        arcs.append(set(favoured))
    scale = arcs[: len(arcs) - mechanism.apart]
    assert [min(arc) for arc in scale] == list(range(len(scale)))
    assert max(map(max, arcs)) == mechanism.modulus - 1
    if mechanism.apart:
        assert not any(arc & arcs[-1] for arc in scale)
    assert measures.odds(mechanism.channel()) == mechanism.odds
    assert measures.is_recoverable(mechanism.channel())


@given(mechanism=arc_responses().filter(lambda found: found.odds > 1), data=st.data())
def test_no_unbiased_score_has_less_variance_at_even_answers(mechanism, data):
    """Adding any score whose mean is 0 under every answer, which is what another unbiased score differs by, adds."""
    rows = np.array([[float(p) for p in mechanism.law(x)] for x in range(mechanism.size)])
    weights = mechanism.weights()
    assert rows @ weights == pytest.approx(np.eye(mechanism.size), abs=1e-9)
    assert weights.sum(axis=1) == pytest.approx(np.ones(mechanism.modulus), abs=1e-9)
    values = np.array(data.draw(st.lists(st.integers(-9, 9), min_size=mechanism.size, max_size=mechanism.size)))
    scores, chances = weights @ values, rows.mean(axis=0)
    *_, nothing = np.linalg.svd(rows)
    for other in nothing[mechanism.size :]:
        assert chances @ (scores * other) == pytest.approx(0.0, abs=1e-9 * max(1.0, np.abs(scores).max()))


@pytest.mark.parametrize(
    ("size", "length", "odds"), list(itertools.product([2, 3, 5, 8], [1, 2, 4, 7], [1.2, 3.0, 60.0]))
)
def test_the_noise_of_an_arc_by_its_closed_form_and_by_equations(size, length, odds):
    mechanism = ArcResponse(size=size, odds=Fraction(odds).limit_denominator(100), length=length)
    scores = mechanism.weights() @ np.linspace(-1, 1, size)
    moments = second_moments(mechanism.rows(), scores)
    assert arc_moments(size, length, odds) == pytest.approx(moments, rel=1e-9)
    assert arc_noise(size, length, odds) == pytest.approx(worst_variance(moments), rel=1e-9)


@pytest.mark.parametrize("steps", [None, 4, 12, 5000])
def test_the_worst_answer_is_found_among_all(steps):
    """Of every answer: rounded up or down, reported, scored; its variance is written out."""
    mechanism = ArcResponse(size=5, odds=Fraction(9), length=2)
    points = np.linspace(-1, 1, 5)
    rows, scores = mechanism.rows(), mechanism.weights() @ points
    found = []
    for answer in np.linspace(-1, 1, (steps or 10_000) + 1):
        below = min(3, int((answer + 1) * 2))
        up = (answer - points[below]) / 0.5
        law = (1 - up) * rows[below] + up * rows[below + 1]
        assert law @ scores == pytest.approx(answer, abs=1e-9)
        found.append(law @ scores**2 - answer**2)
    assert worst_variance(second_moments(rows, scores), steps) == pytest.approx(max(found), rel=1e-6)


@pytest.mark.parametrize("case", VECTORS["lengths"], ids=lambda case: f"{case['size']}, {case['epsilon']}")
def test_the_choice_of_length_never_changes(case):
    made = ArcResponse.within(size=case["size"], epsilon=case["epsilon"])
    assert [made.length, made.modulus] == [case["length"], case["modulus"]]


@pytest.mark.parametrize("case", VECTORS["laws"], ids=lambda case: str(case["x"]))
def test_vectors(case):
    arguments = {**VECTORS["mechanism"], "odds": Fraction(VECTORS["mechanism"]["odds"]), "apart": case["apart"]}
    assert ArcResponse(**arguments).law(case["x"]) == tuple(map(Fraction, case["law"]))


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0, 4.0])
def test_the_length_is_the_shortest_of_the_nearly_best(epsilon):
    odds = math.exp(epsilon)
    for size in (2, 3, 8, 15):
        noise = [arc_noise(size, length, odds) for length in range(1, 2 * size)]
        chosen = best_length(size, odds)
        assert noise[chosen - 1] <= 1.01 * min(noise)
        assert all(value > 1.01 * min(noise) for value in noise[: chosen - 1])


def test_measured_error_agrees_and_a_wrong_scale_is_noticed():
    """The mean of 200 000 reports about one answer, within four errors; read at odds 5 % off it is not."""
    made = ArcResponse.within(size=10, epsilon=1.0)
    values = np.linspace(-1, 1, 10)
    reports = made.privatize(np.full(200_000, 9), InsecureSeeded(5))
    scores = (made.weights() @ values)[reports]
    error = scores.std() / math.sqrt(scores.size)
    assert abs(scores.mean() - 1) < 4 * error
    assert scores.var() == pytest.approx(second_moments(made.rows(), made.weights() @ values)[9] - 1, rel=0.03)
    other = ArcResponse(size=10, odds=made.odds * Fraction(19, 20), length=made.length)
    assert abs((other.weights() @ values)[reports].mean() - 1) > 6 * error


def test_the_certificate_speaks_of_the_sampled_law():
    for apart in (False, True):
        mechanism = ArcResponse.within(size=30, epsilon=2.0, apart=apart)
        certificate = certify(mechanism)
        assert certificate["odds"].value == mechanism.odds
        assert certificate["heaviest_output"].value <= 1
        verify(Certificate.from_json(certificate.to_json()))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"size": 4, "odds": Fraction(3), "length": 0}, "length=0 must lie in"),
        ({"size": 2, "odds": Fraction(3), "length": 1, "apart": True}, "size=2 must be at least 3"),
        ({"size": 2000, "odds": Fraction(3), "length": 100}, "length=100 makes 2099 reports of 2000 answers"),
        ({"size": 5, "odds": Fraction(1 << 63), "length": 2}, "smaller numerator"),
    ],
)
def test_bad_parameters(arguments, sentence):
    with pytest.raises(InvalidParameter, match=sentence):
        ArcResponse(**arguments)


def test_scores_of_what_cannot_be_told_apart():
    with pytest.raises(InvalidParameter, match="cannot be told apart"):
        unbiased_weights(np.full((2, 3), 1 / 3))
