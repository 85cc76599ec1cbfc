"""Each value once, as numpy finds them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.numbers.columns import distinct


@given(st.lists(st.integers(-5, 5)))
def test_it_is_what_numpy_finds(values):
    array = np.array(values, dtype=np.int64)
    assert distinct(array).tolist() == np.unique(array).tolist()
    assert distinct(array).dtype == np.int64
