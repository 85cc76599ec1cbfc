"""Crossings of zero: between the two ends, on the safe side, and as near as doubles go."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.prob.intervals import last_below


@given(roots=st.lists(st.floats(0.001, 0.999), min_size=1, max_size=8), power=st.sampled_from([1, 3, 9]))
def test_the_place_is_before_the_crossing_and_next_to_it(roots, power):
    places = np.array(roots)
    calls = []

    def function(given, which):
        calls.append(len(given))
        return np.sign(given - places[which]) * np.abs(given - places[which]) ** power

    found = last_below(function, np.zeros(len(places)), np.ones(len(places)))
    assert (found <= places).all()
    flat = 0.0 if power == 1 else 1e-30 ** (1 / power)  # below this a power is no number any more
    assert (places - found <= 1e-14 + flat).all()
    assert power > 1 or len(calls) < 10


def test_a_step_is_found_by_halves():
    found = last_below(lambda given, _: np.where(given > 0.3, 1.0, -1e-9), np.zeros(1), np.ones(1))
    assert 0.3 - 1e-15 < found[0] <= 0.3
