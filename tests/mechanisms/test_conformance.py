"""What every mechanism promises, tried on all of them: law, `within`, tallies, estimates, what is refused."""

import inspect
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mechanism_strategies import CASES
from sfumato import measures, mechanisms
from sfumato.errors import InvalidParameter
from sfumato.numbers.intervals import ln_bounds
from sfumato.sampling import InsecureSeeded

every = pytest.mark.parametrize("case", CASES, ids=lambda case: case.kind.__name__)
every_example = pytest.mark.parametrize(
    ("case", "mechanism"),
    [(case, mechanism) for case in CASES for mechanism in case.examples],
    ids=lambda value: getattr(value, "name", ""),
)
promising = pytest.mark.parametrize(
    "case", [case for case in CASES if case.closeness], ids=lambda case: case.kind.__name__
)
SECRET = 987_654


def test_every_mechanism_is_in_the_table():
    exported = {kind for name in mechanisms.__all__ if hasattr(kind := getattr(mechanisms, name), "privatize")}
    assert exported == {case.kind for case in CASES}
    assert all(isinstance(mechanism, case.kind) for case in CASES for mechanism in (*case.examples, case.noise))
    assert [case.kind for case in CASES if not hasattr(case.kind, "within")] == [mechanisms.Tabulated]


@every
@given(data=st.data())
def test_report_follows_its_law_exactly(case, data):
    """Enumerating every draw reproduces P(.|x): no tolerance, no flake."""
    mechanism = data.draw(case.narrow)
    x = data.draw(st.integers(0, mechanism.size - 1))
    assert case.enumerated(mechanism, x) == mechanism.law(x)


@every
@given(data=st.data())
def test_channel_holds_the_laws(case, data):
    mechanism = data.draw(case.narrow)
    channel = mechanism.channel()
    assert channel.exact
    assert channel.rows == tuple(mechanism.law(x) for x in range(mechanism.size))


@promising
@given(data=st.data(), epsilon=st.floats(1e-6, 20))
def test_within_keeps_its_promise_at_sixty_four_bits(case, data, epsilon):
    """The odds that are sampled stay below e^epsilon, and as close as the grid allows."""
    mechanism = case.kind.within(size=data.draw(st.integers(2, case.sizes)), epsilon=epsilon)
    assert mechanism.width == 64
    # What unlimited reports reveal, where reports are made again and again.
    kept = getattr(mechanism, "permanent_part", mechanism)
    odds = getattr(kept, "sampled_odds", kept.odds)
    assert ln_bounds(odds)[0] <= epsilon
    assert ln_bounds(odds * (1 + case.closeness) + case.closeness)[1] > epsilon


@promising
@given(size=st.integers(2, 6), epsilon=st.floats(0.01, 8))
def test_the_odds_of_the_channel_are_those_that_are_stated(case, size, epsilon):
    mechanism = case.kind.within(size=size, epsilon=epsilon)
    found = measures.odds(mechanism.channel())
    assert found == getattr(mechanism, "sampled_odds", mechanism.odds)
    assert ln_bounds(found)[0] <= epsilon


@promising
@pytest.mark.parametrize("epsilon", [0.0, -1.0, math.inf, math.nan, 60.0])
def test_bad_epsilon(case, epsilon):
    with pytest.raises(InvalidParameter, match=r"^epsilon"):
        case.kind.within(size=10, epsilon=epsilon)


@promising
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"size": 1, "odds": Fraction(3)}, "size=1 must be at least 2"),
        ({"size": 2.0, "odds": Fraction(3)}, "size=2.0 must be a whole number"),
        ({"size": 2, "odds": Fraction(1, 2)}, "odds=1/2 must be at least 1"),
        ({"size": 2, "odds": 3.0}, "odds=3.0 must be exact"),
        ({"size": 2, "odds": math.nan}, "odds is nan; it must be finite|odds=nan must be finite"),
        ({"size": 2, "odds": Fraction(3), "width": 65}, "width=65 must lie in"),
    ],
)
def test_bad_parameters(case, arguments, sentence):
    own = {
        mechanisms.CyclicResponse: {"q": 2, "t": 3},
        mechanisms.ArcResponse: {"length": 2},
        mechanisms.FlagsResponse: {"length": 3, "dimension": 1},
        mechanisms.SetsResponse: {"chosen": 1},
    }
    rest = own.get(case.kind, {})
    with pytest.raises(InvalidParameter, match=sentence):
        case.kind(**arguments, **rest)


@every
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_merged_tallies_in_any_order_are_the_whole(case, data):
    """A column tallied in parts gives the same estimate to the last bit."""
    mechanism = data.draw(st.sampled_from(case.examples))
    reports = mechanism.privatize(np.arange(200) % mechanism.size, InsecureSeeded(7))
    edges = [0, *sorted(data.draw(st.sets(st.integers(1, 199), max_size=5))), 200]
    parts = [case.tally(mechanism, reports[start:stop], start) for start, stop in itertools.pairwise(edges)]
    parts = data.draw(st.permutations(parts))
    merged = sum(parts[1:], parts[0])
    whole = mechanism.tally(reports)
    assert merged == whole
    assert whole.mechanism == mechanism.name
    assert whole.total == 200
    assert mechanism.estimate(merged) == mechanism.estimate(whole)


@every_example
@pytest.mark.parametrize("more", [0, 1])
def test_raw_is_unbiased_and_its_variance_exact_by_enumeration(case, mechanism, more):
    """Every answer drawn from a law, every column of reports: mean and variance of raw, up to float summation."""
    size, n = mechanism.size, case.least(mechanism) + more
    reports = len(case.law_at(mechanism, 0, 0))
    estimates = {
        places: np.array(mechanism.estimate(mechanism.tally(case.column(mechanism, places))).raw)
        for places in itertools.product(range(reports), repeat=n)
    }

    @settings(max_examples=5, deadline=None)
    @given(weights=st.lists(st.integers(0, 9), min_size=size, max_size=size).filter(any))
    def judge(weights):
        judge_estimates(case, mechanism, n, estimates, [Fraction(weight, sum(weights)) for weight in weights])

    judge()


def judge_estimates(case, mechanism, n, estimates, shares):
    """Whatever is seen is estimated in one way; how often it is seen depends on the shares."""
    size, seen = mechanism.size, []
    for position in range(n):
        rows = [case.law_at(mechanism, x, position) for x in range(size)]
        seen.append(
            [float(sum(p * q for p, q in zip(shares, column, strict=True))) for column in zip(*rows, strict=True)]
        )
    mean, square = np.zeros(size), np.zeros(size)
    for places, raw in estimates.items():
        weight = math.prod(law[place] for law, place in zip(seen, places, strict=True))
        mean += weight * raw
        square += weight * (raw - [float(share) for share in shares]) ** 2
    variance = mechanism.variance(law=shares, n=n)
    assert len(variance) == size
    assert mean == pytest.approx([float(share) for share in shares], abs=1e-11)
    assert square == pytest.approx([float(v) for v in variance], rel=1e-9, abs=1e-12)


@every
def test_variance_is_asked_for_alike_everywhere(case):
    _, law, n, *rest = inspect.signature(case.kind.variance).parameters.values()
    assert (law.name, n.name) == ("law", "n")
    assert all(parameter.default is not parameter.empty for parameter in rest)
    mechanism = case.examples[0]
    with pytest.raises(InvalidParameter, match=f"law has 7 entries for {mechanism.size} answers"):
        mechanism.variance([Fraction(1, 7)] * 7, 10)
    with pytest.raises(InvalidParameter, match="n=0 must be at least 1"):
        mechanism.variance([Fraction(1, mechanism.size)] * mechanism.size, 0)


@every
def test_pure_noise_is_refused(case):
    noise = case.noise
    tally = noise.tally(noise.privatize(np.arange(12) % noise.size, InsecureSeeded(1)))
    for question in (lambda: noise.estimate(tally), lambda: noise.variance([Fraction(1, noise.size)] * noise.size, 12)):
        with pytest.raises(InvalidParameter, match=r"pure noise|cannot be told apart"):
            question()


@every
def test_tallies_of_another_mechanism_are_refused(case):
    made = case.examples[0]
    tally = made.tally(made.privatize([0, 1, 1, 0], InsecureSeeded(2)))
    for other in (case.noise, *case.examples[1:]):
        assert other.name != made.name
        with pytest.raises(InvalidParameter, match="Estimate with the mechanism that made the reports"):
            other.estimate(tally)
        with pytest.raises(InvalidParameter, match="do not add"):
            tally + other.tally(other.privatize([0, 1], InsecureSeeded(3)))


BAD_VALUES = {
    "out of range": ([0, SECRET], "1 of 2 do not, the first at position 1"),
    "negative": ([-SECRET], "must lie in"),
    "float": ([SECRET + 0.5], "of type float64"),
    "whole float": ([0.0], "of type float64"),
    "bool": ([True], "of type bool"),
    "nothing": ([None], "of type object"),
    "text": ([str(SECRET)], "map labels to their positions"),
    "empty": ([], "is empty"),
    "table": ([[SECRET]], "must be one column"),
    "masked": (np.ma.masked_array([SECRET, 0], mask=[True, False]), "must not be masked"),
}


@every
@pytest.mark.parametrize(("values", "sentence"), BAD_VALUES.values(), ids=BAD_VALUES)
def test_bad_values_get_a_sentence_that_keeps_the_secret(case, values, sentence):
    with pytest.raises(InvalidParameter, match=rf"^values .*{sentence}") as caught:
        case.examples[0].privatize(values)
    assert str(SECRET) not in str(caught.value)


BAD_PACKED = {
    "out of range": ([[0x80], [0x81]], "bits beyond"),
    "above a byte": ([[SECRET]], "bits beyond"),
    "negative": ([[-SECRET]], "bits beyond"),
    "float": ([[SECRET + 0.5]], "must be a table of bytes"),
    "bool": ([[True]], "must be a table of bytes"),
    "nothing": ([[None]], "must be a table of bytes"),
    "text": ([[str(SECRET)]], "must be a table of bytes"),
    "empty": (np.zeros((0, 1), dtype=np.uint8), "is empty"),
    "column": ([SECRET], "must be a table of bytes, 1 in a row"),
    "wide": ([[1, 2]], "must be a table of bytes, 1 in a row"),
    "masked": (np.ma.masked_array([[SECRET]], mask=[[True]]), "must not be masked"),
}


def bad_reports():
    for case in CASES:
        for name, (reports, sentence) in (BAD_PACKED if case.packed else BAD_VALUES).items():
            yield pytest.param(case, reports, sentence, id=f"{case.kind.__name__}-{name}")


@pytest.mark.parametrize(("case", "reports", "sentence"), list(bad_reports()))
def test_bad_reports_get_a_sentence_that_keeps_the_secret(case, reports, sentence):
    with pytest.raises(InvalidParameter, match=rf"^reports .*{sentence}") as caught:
        case.examples[0].tally(reports)
    assert str(SECRET) not in str(caught.value)
