"""Measures, certificates and operations take nested lists and arrays for channels and priors, and refuse wrong shapes.

The functions are enumerated from the public names: a new one is tested here without being listed.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest

import sfumato as sf
from sfumato.errors import InvalidInput, SfumatoError
from sfumato.prob import Channel, Circulant, Distribution

TRUTH, LIE = Fraction(3, 4), Fraction(1, 4)
ROWS = [[TRUTH, LIE], [LIE, TRUTH]]
FLOAT_ROWS = [[0.75, 0.25], [0.25, 0.75]]
LAW, FLOAT_LAW = [Fraction(2, 5), Fraction(3, 5)], [0.4, 0.6]

# What a parameter of these names takes.
CHANNELS, LAWS = {"channel"}, {"prior", "first", "second", "law", "witness"}
# What the other required parameters are called with.
OTHERS = {
    "b": 0.5,
    "bs": [0.5],
    "contributions": (0, 1),
    "derivative": [-1, 1],
    "f": lambda ratio: (ratio - 1) ** 2,
    "mapping": {0: "a", 1: "b"},
    "members": [0],
    "n": 2,
    "of": lambda answer: answer,
    "order": 2,
    "people": 1,
    "record": 0,
    "report": 0,
    "shape": (2,),
    "share": Fraction(1, 10),
    "size": 1,
    "slope_at_infinity": math.inf,
    "theta": Fraction(1, 3),
    "weight": Fraction(1, 2),
}
# Functions of numbers, of a table of answers or of a joint law: they take neither a channel nor a law.
WITHOUT = {
    *("parse_prior", "read_any_channel", "read_channel", "read_prior"),  # of files
    "amplitude_capacity", "amplitude_ratio", "believed_bits", "composed_bits",
    "noisy_sum_limit", "plateau_bits",
    "plateau_interval", "prf_gap_bits", "raised_share", "totals_of",
    "as_channel", "as_distribution", "conditional", "marginal",
}  # fmt: skip
OPERATIONS = ("as_prior", "cascade", "coarsen", "joint_law", "post_process", "power", "product", "together")


class Frame:
    """As data frames and tensors do, it offers itself as an array and is no sequence."""

    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return np.array(self.values)


def functions(package):
    return [name for name in package.__all__ if inspect.isfunction(getattr(package, name))]


def taking(names, package=sf.measures):
    return [name for name in functions(package) if names & set(inspect.signature(getattr(package, name)).parameters)]


def arguments(function, channel, law, channels=CHANNELS):
    """This for each channel, that for each law, and something for whatever else is required."""
    found = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if name in channels | LAWS:
            found[name] = channel if name in channels else law
        elif parameter.default is inspect.Parameter.empty:
            found[name] = OTHERS[name]
    return found


def result(function, channel, law, channels=CHANNELS):
    """What is found; a refusal as its sentence."""
    try:
        return called(function, arguments(function, channel, law, channels))
    except SfumatoError as error:
        return str(error)


def called(function, given):
    found = function(**given)
    return list(found) if isinstance(found, Iterator) else found


def wrong_channels():
    return [
        5, None, "text", {}, 0.5, Distribution([1, 0]), sf.mechanisms.RandomizedResponse(size=2, odds=3), iter(ROWS),
        [], [[]], [0.5, 0.5], [[0.5, 0.5], 1], [[0.5, 0.5], [1]], [[0.5, 0.6], [0.5, 0.5]], [[1.5, -0.5], [0, 1]],
        [[math.nan, 1.0], [0, 1]], [["a", "b"]], [[[1]]],
        np.array(0.5), np.array([]), np.zeros((0, 2)), np.array([0.5, 0.5]), np.array([1, 0]), np.full((2, 2, 2), 0.5),
        np.array([[0.5, 0.6], [0.5, 0.5]]), np.array([[math.inf, 0.0]]), np.array([["a", "b"]]),
        np.ones((1, 1, 1), int), np.array([[0.5, 0.5], [1.0]], dtype=object), Frame([0.5, 0.5]), Frame(0.5),
    ]  # fmt: skip


def wrong_laws():
    return [
        5, "text", {}, Channel(ROWS), iter(LAW),
        [], [0.5, 0.6], [1.5, -0.5], [math.nan, 1.0], [[0.5, 0.5]], [[0.5, 0.5], [0.5, 0.5]], ["a", "b"],
        np.array(0.5), np.array([]), np.full((2, 2), 0.5), np.ones((1, 1), int), np.array([0.5, 0.6]), Frame(ROWS),
    ]  # fmt: skip


def assert_refused(parameter, make):
    """The error names the parameter and a way out; of a witness that proves nothing it says only that."""
    with pytest.raises(SfumatoError) as caught:
        make()
    assert caught.value.parameter.partition("[")[0] == parameter
    assert parameter == "witness" or (isinstance(caught.value, InvalidInput) and caught.value.way_out)


def test_every_function_is_tested_here_or_takes_neither_channels_nor_laws():
    for package in (sf.measures, sf.prob):
        tested = {*taking(CHANNELS | LAWS, package), *OPERATIONS}
        assert set(functions(package)) <= tested | WITHOUT
        assert not tested & WITHOUT
        for name in set(functions(package)) - {"write_channel"}:  # a channel has one form in a file
            hints = {p.annotation for p in inspect.signature(getattr(package, name)).parameters.values()}
            assert not hints & {"AnyChannel", "Channel", "Distribution", "LawLike", "Sequence[Number]"}, name


@pytest.mark.parametrize("name", taking(CHANNELS | LAWS))
def test_lists_and_arrays_measure_as_the_channel_does(name):
    function = getattr(sf.measures, name)
    exact = result(function, Channel(ROWS), Distribution(LAW))
    assert not isinstance(exact, str)
    for form in (tuple, lambda rows: np.array(rows, dtype=object)):
        assert result(function, form(ROWS), form(LAW)) == exact
    floats = result(function, Channel(FLOAT_ROWS), Distribution(FLOAT_LAW))
    for form in (list, np.array, Frame):
        assert result(function, form(FLOAT_ROWS), form(FLOAT_LAW)) == floats


@pytest.mark.parametrize("name", taking(CHANNELS))
def test_what_is_no_channel_is_refused_by_every_measure(name):
    function = getattr(sf.measures, name)
    for wrong in wrong_channels():
        given = arguments(function, wrong, LAW)
        assert_refused("channel", lambda given=given: called(function, given))


@pytest.mark.parametrize("name", taking(LAWS))
def test_what_is_no_law_is_refused_by_every_measure(name):
    function = getattr(sf.measures, name)
    fine = arguments(function, ROWS, LAW)
    for parameter in LAWS & set(fine):
        # Two laws of different sizes are refused by the name of the second; a law alone has any size.
        wrong_size = [] if parameter in {"first", "law"} else [[0.25, 0.25, 0.5], np.array([1.0])]
        for wrong in [*wrong_laws(), *wrong_size]:
            given = {**fine, parameter: wrong}
            assert_refused(parameter, lambda given=given: called(function, given))


@pytest.mark.parametrize("name", OPERATIONS)
def test_operations_take_lists_and_arrays(name):
    function = getattr(sf.prob, name)
    channels = {"channel", "first", "second"}
    expected = result(function, Channel(FLOAT_ROWS), Distribution(FLOAT_LAW), channels)
    for form in (list, np.array, Frame):
        found = result(function, form(FLOAT_ROWS), form(FLOAT_LAW), channels)
        assert getattr(found, "law", found) == getattr(expected, "law", expected)
    fine = arguments(function, ROWS, LAW, channels)
    for parameter in channels & set(fine):
        for wrong in wrong_channels():
            assert_refused(parameter, lambda given={**fine, parameter: wrong}: called(function, given))
    for wrong in [*wrong_laws(), [1], [0.25, 0.25, 0.5]] if "prior" in fine else []:
        assert_refused("prior", lambda given={**fine, "prior": wrong}: called(function, given))


@pytest.mark.parametrize("channel", [Channel(ROWS), Circulant([TRUTH, LIE])])
@pytest.mark.parametrize("method", ["output_law", "weighted_maxima"])
def test_methods_of_channels_take_priors_in_lists_and_arrays(channel, method):
    function = getattr(channel, method)
    expected = function(Distribution(LAW))
    assert function(LAW) == function(np.array(LAW, dtype=object)) == expected
    for wrong in [*wrong_laws(), [1], [0.25, 0.25, 0.5]]:
        assert_refused("prior", lambda wrong=wrong: function(wrong))


def test_priors_with_labels_are_put_in_the_order_of_the_channel():
    channel = Channel(ROWS, ["no", "yes"])
    turned = Distribution(LAW[::-1], ["yes", "no"])
    assert channel.output_law(turned) == channel.output_law(LAW)
    assert sf.measures.posterior(channel, turned, 0) == sf.measures.posterior(channel, LAW, 0)


def test_laws_whose_outcomes_are_in_another_order_are_not_compared():
    first, second = Distribution(LAW, ["no", "yes"]), Distribution(LAW, ["yes", "no"])
    assert_refused("second", lambda: sf.measures.total_variation(first, second))


def test_certify_takes_the_rows_of_a_channel():
    expected = sf.certify(Channel(FLOAT_ROWS), Distribution(FLOAT_LAW)).to_json()
    for form in (list, np.array, Frame):
        assert sf.certify(form(FLOAT_ROWS), form(FLOAT_LAW)).to_json() == expected
    for wrong in wrong_channels():
        if not hasattr(wrong, "channel"):  # a mechanism has a certificate
            assert_refused("thing", lambda wrong=wrong: sf.certify(wrong))
    for wrong in [*wrong_laws(), [1], [0.25, 0.25, 0.5]]:
        assert_refused("prior", lambda wrong=wrong: sf.certify(ROWS, wrong))


def test_channels_and_distributions_are_made_of_arrays_of_other_libraries():
    assert Channel(Frame(FLOAT_ROWS)) == Channel(FLOAT_ROWS)
    assert Distribution(Frame(FLOAT_LAW)) == Distribution(FLOAT_LAW)
    assert Channel(np.eye(2, dtype=int)).exact
    for wrong in wrong_channels():
        assert_refused("rows", lambda wrong=wrong: Channel(wrong))
    for wrong in wrong_laws():
        assert_refused("probabilities", lambda wrong=wrong: Distribution(wrong))


@pytest.mark.parametrize("wrong", [3, "text", [], [[-1, 1]], [-1], np.array(1), np.array([[-1.0], [1.0]]), ["a", "b"]])
def test_a_derivative_is_one_number_for_each_outcome(wrong):
    assert_refused("derivative", lambda: sf.measures.family_information(LAW, wrong))


@pytest.mark.parametrize("wrong", [3, "text", [], [[0, 1]], np.array(1), np.array([[0], [1]]), [0.5, 1]])
def test_a_table_of_answers_is_one_answer_for_each_data_set(wrong):
    assert_refused("truth", lambda: sf.measures.plateau_bits(wrong, (2,)))


@pytest.mark.parametrize("wrong", [2, "2", [], [[2]], np.array(2), np.array([[2]]), [[1], [1, 2]], [2.5]])
def test_a_shape_is_a_list_of_whole_numbers(wrong):
    assert_refused("shape", lambda: sf.measures.neighbour_odds(ROWS, wrong))
    assert_refused("shape", lambda: sf.measures.plateau_bits([0, 1], wrong))
