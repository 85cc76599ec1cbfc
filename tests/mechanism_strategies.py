"""Hypothesis strategies for mechanisms narrow enough to enumerate."""

from fractions import Fraction

from hypothesis import strategies as st

from sfumato.mechanisms import RandomizedResponse


@st.composite
def randomized_responses(draw) -> RandomizedResponse:
    """Words of at most 8 bits, so that every draw can be tried."""
    width = draw(st.integers(4, 8))
    size = draw(st.integers(2, 5))
    other = draw(st.integers(1, (1 << width) // size))
    own = draw(st.integers(other, (1 << width) - (size - 1) * other))
    return RandomizedResponse(size=size, odds=Fraction(own, other), width=width)
