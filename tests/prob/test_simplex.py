"""The nearest law is a law, and no other law is nearer."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.prob.intervals import nearest_law
from strategies import float_laws

POINTS = st.lists(st.floats(-3, 3), min_size=1, max_size=6).map(np.array)


@given(POINTS, st.data())
def test_nearest_law_satisfies_the_optimality_condition(point, data):
    """A projection z onto a convex set makes an obtuse angle: <point - z, y - z> ≤ 0 for every law y.

    1e-12: sums of six terms below 10, rounded at 1e-16 each.
    """
    found = nearest_law(point)
    assert (found >= 0).all()
    assert abs(found.sum() - 1) <= 1e-12
    for corner in np.eye(len(point)):
        assert (point - found) @ (corner - found) <= 1e-12
    other = data.draw(float_laws(len(point)))
    assert ((point - found) ** 2).sum() <= ((point - other) ** 2).sum() + 1e-12


@given(st.integers(1, 6).flatmap(float_laws))
def test_a_law_is_its_own_nearest_law(law):
    assert np.abs(nearest_law(law) - law).max() <= 1e-15
