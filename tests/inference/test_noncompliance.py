"""Designs with more unknowns than the share: published numbers, closed forms, coverage, and what cannot be known."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import binom, fisher_exact

from sfumato.errors import InvalidLaw, InvalidParameter, Refused
from sfumato.inference import (
    GroupLaw,
    GroupModel,
    Unknown,
    allow_for_noncompliance,
    anchor_test,
    estimate_share,
    fit_groups,
    mirror_test,
    sensitivity_band,
)
from sfumato.inference.noncompliance import Likelihood, polynomial
from sfumato.surveys import (
    anchored_crosswise,
    cheating_detection_groups,
    crosswise_device,
    extended_crosswise_groups,
    lie_detector_groups,
    unrelated_question_groups,
    warner_device,
)

F = Fraction
LIES = lie_detector_groups([F(2, 12), F(10, 12)]).model
LIES_SEEN = [[564 - 373, 373], [692 - 398, 398]]


def test_published_stochastic_lie_detector():
    """[HM18]: errors there divide the variances of the groups' shares by n - 1; the likelihood divides by n."""
    found = fit_groups(LIES, LIES_SEEN, divisor="n - 1")
    assert found.share.value == pytest.approx(0.870695, abs=1e-6)
    assert found.of("honest").value == pytest.approx(0.635806, abs=1e-6)
    assert found.share.standard_error == pytest.approx(0.041118, abs=1e-6)
    assert found.of("honest").standard_error == pytest.approx(0.017344, abs=1e-6)
    by_n = fit_groups(LIES, LIES_SEEN)
    assert by_n.share.standard_error == pytest.approx(0.041085, abs=1e-6)
    assert (found.degrees, found.misfit) == (0, None)
    wrong = fit_groups(lie_detector_groups([F(3, 12), F(10, 12)]).model, LIES_SEEN)
    assert wrong.share.value != pytest.approx(0.870695, abs=1e-2)


def test_published_crosswise_with_anchor():
    """cWise [Ats21]: 1427 and 1541 of 2000 "both or neither", p = p' = .15; the naive error is a binomial's, by n."""
    naive = estimate_share(crosswise_device(0.15).channel, [1427, 573])
    assert naive.share == pytest.approx(0.1950, abs=5e-5)
    assert naive.standard_error == pytest.approx(0.0144, abs=5e-5)
    model = anchored_crosswise(0.15, anchor_p=0.15).model
    found = fit_groups(model, {"question": [1427, 573], "anchor": [1541, 459]})
    assert found.share.value == pytest.approx(0.1054, abs=5e-5)
    assert found.of("attentive").value == pytest.approx(0.7729, abs=5e-5)
    assert fit_groups(anchored_crosswise(0.15, anchor_p=0.2).model, [[1427, 573], [1541, 459]]).share.value > 0.15


def delta_errors(model, point, totals):
    """Standard errors of a model with as many unknowns as groups, by numerical derivatives of its laws."""
    likelihood = Likelihood(model, [[1, 1]] * len(totals))
    step = 1e-6
    columns = []
    for j in range(len(point)):
        move = np.eye(len(point))[j] * step
        columns.append((likelihood.law(point + move) - likelihood.law(point - move))[1::2] / (2 * step))
    back = np.linalg.inv(np.stack(columns, axis=1))
    chances = likelihood.law(point)[1::2]
    return np.sqrt(np.diag(back @ np.diag(chances * (1 - chances) / totals) @ back.T))


CLOSED = {
    "unrelated": (
        unrelated_question_groups([0.7, 0.3]).model,
        (0.2, 0.6),
        lambda a, b: ((0.7 * a - 0.3 * b) / 0.4, (0.7 * b - 0.3 * a) / 0.4),
    ),
    "lies": (
        lie_detector_groups([0.25, 0.75]).model,
        (0.4, 0.7),
        lambda a, b: (1 - (a - b) / 0.5, (a - 0.75 * (a - b) / 0.5) / (1 - (a - b) / 0.5)),
    ),
    "cheating": (
        cheating_detection_groups([0.25, 0.75]).model,
        (0.3, 0.2),
        lambda a, b: (1.5 * a - 0.5 * b, 1 - (b - a) / 0.5 - (1.5 * a - 0.5 * b)),
    ),
    "extended": (
        extended_crosswise_groups(0.2).model,
        (0.3, 0.2),
        # What is counted is the second report, 1 - λ.
        lambda a, b: (0.5 - ((1 - a) - (1 - b)) / (2 - (1 - a) - (1 - b)) / 1.2, (1 - a) + (1 - b) - 1),
    ),
    "anchor": (
        anchored_crosswise(0.2, anchor_p=0.1).model,
        (0.25, 0.8),
        lambda a, b: (0.5 - (0.5 - a) / 0.6 / ((0.5 - b) / 0.4), (0.5 - b) / 0.4),
    ),
}


@pytest.mark.parametrize("name", CLOSED)
def test_inside_the_bounds_the_maximum_is_the_closed_form(name):
    model, truth, closed = CLOSED[name]
    law = Likelihood(model, [[1, 1], [1, 1]]).law(np.array(truth))
    seen = np.random.default_rng(4).binomial([900, 1100], law[1::2])
    found = fit_groups(model, [[900 - seen[0], seen[0]], [1100 - seen[1], seen[1]]])
    assert [one.value for one in found.unknowns] == pytest.approx(closed(seen[0] / 900, seen[1] / 1100), abs=1e-7)
    point = np.array([one.value for one in found.unknowns])
    expected = delta_errors(model, point, np.array([900, 1100]))
    assert [one.standard_error for one in found.unknowns] == pytest.approx(expected, rel=1e-5)
    assert found.deviance == pytest.approx(0, abs=1e-8)
    for one in found.unknowns:
        assert 0 <= one.interval.lower < one.value < one.interval.upper <= 1


@pytest.mark.parametrize("seen", [[[5, 995], [600, 400]], [[990, 10], [20, 980]], [[1000, 0], [0, 1000]]])
@pytest.mark.parametrize("name", CLOSED)
def test_at_the_bounds_no_point_of_a_grid_is_likelier(name, seen):
    model = CLOSED[name][0]
    found = fit_groups(model, seen)
    likelihood = Likelihood(model, seen)
    grid = np.linspace(0, 1, 41)
    points = [np.array([x, y]) for x in grid for y in grid if not model.sums or x + y <= 1 + 1e-12]
    assert found.log_likelihood >= max(likelihood.height(point) for point in points) - 1e-5
    for one in found.unknowns:
        assert 0 <= one.interval.lower <= one.value <= one.interval.upper <= 1
        assert one.interval.width > 0


def covers(name, draws, seed, wrong=None):
    """How often the profile intervals hold the truth, for each unknown; `wrong` is the model that is fitted instead."""
    model, truth, _ = CLOSED[name]
    law = Likelihood(model, [[1, 1], [1, 1]]).law(np.array(truth))
    table = np.random.default_rng(seed).binomial([800, 800], law[1::2], size=(draws, 2))
    held = np.zeros(2)
    for a, b in table.tolist():
        likelihood = Likelihood(wrong or model, [[800 - a, a], [800 - b, b]])
        point, height = likelihood.maximum()
        held += [2 * (height - likelihood.profile(j, truth[j], point)) <= 1.959964**2 for j in (0, 1)]
    return held / draws


@pytest.mark.parametrize("name", CLOSED)
@pytest.mark.parametrize(("draws", "least"), [(40, 0.85), pytest.param(2000, 0.94, marks=pytest.mark.slow)])
def test_both_unknowns_are_recovered(name, draws, least):
    assert (covers(name, draws, 21) >= least).all()


def test_a_wrong_chance_is_not_recovered():
    """The control: who takes .7 for .6 misses both unknowns."""
    assert covers("unrelated", 40, 21, unrelated_question_groups([0.6, 0.3]).model)[0] < 0.6
    assert covers("lies", 40, 21, lie_detector_groups([0.4, 0.75]).model)[0] < 0.6


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (
            unrelated_question_groups([0.7]).model,
            "“share” and “prevalence”.*2 unknowns, and the reports of one group fix 1",
        ),
        (unrelated_question_groups([0.7, 0.7]).model, "the groups' devices do the same"),
        (lie_detector_groups([0.2]).model, "“share” and “honest”"),
        (lie_detector_groups([0.2, 0.2]).model, "the groups' devices do the same"),
        (cheating_detection_groups([0.3, 0.3]).model, "“share” and “cheating”"),
        (anchored_crosswise(0.2, anchor_p=0.5).model, "“share” and “attentive”"),
        (extended_crosswise_groups(0.5).model, "“share”"),
    ],
)
def test_what_is_not_determined_is_refused_with_the_reason(model, sentence):
    with pytest.raises(Refused, match=sentence):
        fit_groups(model, [[60, 40]] * len(model.groups))


def test_random_answering_at_even_odds_is_not_seen_by_the_extended_crosswise():
    """Both groups move alike: share and attention cannot be told apart, and the rank says so."""
    groups = []
    for p in (F(1, 5), F(4, 5)):
        same = polynomial({(): F(1, 2), (1,): F(1, 2) - p, (0, 1): 2 * p - 1})
        other = polynomial({(): F(1, 2), (1,): p - F(1, 2), (0, 1): 1 - 2 * p})
        groups.append(GroupLaw(name=f"{p}", reports=("same", "other"), laws=(same, other)))
    unknowns = (Unknown(name="share", meaning=""), Unknown(name="attentive", meaning=""))
    model = GroupModel(name="mine", unknowns=unknowns, groups=tuple(groups))
    assert model.loose_unknowns() == ("share", "attentive")


def test_pairs_say_more_than_margins():
    """With pairs the four cells have the law of two answers by the same people, and one degree is left to test it."""
    model = anchored_crosswise(0.2, anchor_p=0.1, joint=True).model
    (group,) = model.groups
    share, attentive = 0.25, 0.8
    law = Likelihood(model, [[1, 1, 1, 1]]).law(np.array([share, attentive]))
    asked = share * 0.2 + (1 - share) * 0.8
    expected = [attentive * a * b + (1 - attentive) / 4 for a in (asked, 1 - asked) for b in (0.9, 0.1)]
    assert law == pytest.approx(expected)
    assert group.reports[1] == ("both or neither", "one of the two")
    seen = np.random.default_rng(8).multinomial(3000, law).reshape(2, 2)
    pairs = fit_groups(model, [seen.ravel().tolist()])
    margins = fit_groups(
        anchored_crosswise(0.2, anchor_p=0.1).model, [seen.sum(axis=1).tolist(), seen.sum(axis=0).tolist()]
    )
    assert pairs.degrees == 1
    assert pairs.misfit > 0.001
    assert pairs.share.standard_error <= margins.share.standard_error
    assert pairs.share.interval.lower <= share <= pairs.share.interval.upper
    # Reports that go together far more than attention explains contradict the design.
    assert fit_groups(model, [[1500, 200, 200, 1100]]).misfit < 1e-6


def test_one_function_leads_to_the_estimate_or_to_the_band():
    found = allow_for_noncompliance(LIES, LIES_SEEN)
    assert found.band is None
    assert found.estimate.share.value == pytest.approx(0.870695, abs=1e-6)
    channel = warner_device(0.8).channel
    with pytest.raises(Refused, match="cannot tell who followed"):
        allow_for_noncompliance(channel, [700, 300])
    held = allow_for_noncompliance(channel, [700, 300], ignoring=0.1)
    assert held.estimate is None
    assert held.band == sensitivity_band(channel, [700, 300], ignoring=0.1)
    with pytest.raises(InvalidParameter, match="need not be stated"):
        allow_for_noncompliance(LIES, LIES_SEEN, ignoring=0.1)


def test_the_anchor_tells_random_answering_exactly():
    found = anchor_test(1541, 2000, chance=0.85)
    assert found.if_all_follow == pytest.approx(binom.cdf(1541, 2000, 0.85))
    assert found.if_all_at_random == pytest.approx(binom.sf(1540, 2000, 0.5))
    assert found.if_all_follow < 1e-15
    assert found.if_all_at_random < 1e-15
    assert found.following == pytest.approx(0.7729, abs=5e-5)
    assert found.interval.lower < 0.7729 < found.interval.upper
    # A rare report mirrors it.
    mirrored = anchor_test(459, 2000, chance=0.15)
    assert mirrored.if_all_follow == pytest.approx(found.if_all_follow)
    assert anchor_test(1700, 2000, chance=0.85).if_all_follow > 0.4
    assert anchor_test(1000, 2000, chance=0.85).if_all_at_random > 0.4
    with pytest.raises(Refused, match="tells nothing about them"):
        anchor_test(10, 20, chance=0.5)


def test_the_level_of_the_anchor_test_is_kept_exactly():
    """Summed over all counts, it rejects those who all follow at most as often as its level says."""
    n = 40
    for chance in (0.85, 0.3):
        tests = [anchor_test(k, n, chance=chance) for k in range(n + 1)]
        for level in (0.01, 0.05):
            wrong = [k for k, one in enumerate(tests) if one.if_all_follow <= level]
            assert 0 < binom.pmf(wrong, n, chance).sum() <= level
            wrong = [k for k, one in enumerate(tests) if one.if_all_at_random <= level]
            assert 0 < binom.pmf(wrong, n, 0.5).sum() <= level


def test_mirrored_groups_are_fishers_tests():
    found = mirror_test((300, 700), (720, 280))
    assert found.if_all_follow == pytest.approx(fisher_exact([[300, 700], [280, 720]]).pvalue, rel=1e-6)
    assert found.if_all_at_random == pytest.approx(fisher_exact([[300, 700], [720, 280]]).pvalue, rel=1e-6)
    assert found.if_all_follow > 0.3
    assert found.if_all_at_random < 1e-60
    biased = mirror_test((450, 550), (750, 250))
    assert biased.if_all_follow < 1e-10
    with pytest.raises(InvalidParameter, match="first must be two whole numbers"):
        mirror_test((0, 0), (3, 4))
    with pytest.raises(InvalidParameter, match="second must be two whole numbers"):
        mirror_test((3, 4), (5, -1))


@pytest.mark.parametrize(
    ("counts", "sentence"),
    [
        ([[1, 2]], "are of 1 groups and the design has 2"),
        ([[1, 2], [0, 0]], "not all 0"),
        ([[1, 2], [-1, 5]], "whole numbers from 0"),
        ([{"no": 3, "perhaps": 2}, [1, 2]], "does not know"),
        ({"group 1": [1, 2]}, "must name the groups"),
    ],
)
def test_bad_counts_get_a_sentence(counts, sentence):
    with pytest.raises(InvalidParameter, match=sentence):
        fit_groups(LIES, counts)


def test_bad_laws_get_a_sentence():
    one = (Unknown(name="share", meaning=""),)

    def model(*laws):
        group = GroupLaw(name="all", reports=("a", "b"), laws=laws)
        return GroupModel(name="mine", unknowns=one, groups=(group,))

    with pytest.raises(InvalidLaw, match="sum to 1"):
        model(polynomial({(0,): 1}), polynomial({(): 1}))
    with pytest.raises(InvalidLaw, match="negative"):
        model(polynomial({(): 1, (0,): -2}), polynomial({(0,): 2}))
    with pytest.raises(InvalidLaw, match="linear in each"):
        model(polynomial({(0, 0): 1}), polynomial({(): 1, (0, 0): -1}))
    with pytest.raises(InvalidParameter, match="divisor='two' is not known"):
        fit_groups(LIES, LIES_SEEN, divisor="two")
    with pytest.raises(InvalidParameter, match="no unknown"):
        fit_groups(LIES, LIES_SEEN).of("prevalence")


def test_intervals_widen_with_the_confidence():
    widths = [fit_groups(LIES, LIES_SEEN, confidence=level).share.interval.width for level in (0.8, 0.95, 0.99)]
    assert all(a < b for a, b in pairwise(widths))
    assert widths[1] == pytest.approx(2 * 1.96 * 0.041085, rel=0.03)
    assert not math.isnan(widths[0])
