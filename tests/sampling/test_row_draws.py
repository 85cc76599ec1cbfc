"""Rows that a channel does not have are refused, not taken round to others."""

from fractions import Fraction

import numpy as np
import pytest

from sfumato import Channel
from sfumato.errors import InvalidParameter
from sfumato.sampling import RowDraws, SystemBits

DRAWS = RowDraws(Channel([[Fraction(1), Fraction(0)], [Fraction(0), Fraction(1)]]))


def test_rows_are_drawn_from_their_own_row():
    assert DRAWS.draw(SystemBits(), np.array([0, 1, 1, 0])).tolist() == [0, 1, 1, 0]
    assert DRAWS.draw(SystemBits(), np.array([], dtype=np.int64)).size == 0


@pytest.mark.parametrize("row", [2, 256, 257, -1, -255, 2**32, -(2**63)])
def test_rows_out_of_range_are_refused(row):
    """In 8 bits, 256 is row 0 and -255 is row 1: the draw would be of somebody else's law."""
    with pytest.raises(InvalidParameter, match=r"must lie in 0\.\.1; 1 of 2 do not, the first at position 1"):
        DRAWS.draw(SystemBits(), np.array([0, row]))
