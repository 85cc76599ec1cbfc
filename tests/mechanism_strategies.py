"""Hypothesis strategies for mechanisms narrow enough to enumerate."""

from fractions import Fraction

from hypothesis import strategies as st

from sfumato.mechanisms import (
    BinaryHadamard,
    HadamardResponse,
    OptimisedUnary,
    RandomizedResponse,
    SubsetSelection,
    SymmetricUnary,
)


@st.composite
def randomized_responses(draw) -> RandomizedResponse:
    """Words of at most 8 bits, so that every draw can be tried."""
    width = draw(st.integers(4, 8))
    size = draw(st.integers(2, 5))
    other = draw(st.integers(1, (1 << width) // size))
    own = draw(st.integers(other, (1 << width) - (size - 1) * other))
    return RandomizedResponse(size=size, odds=Fraction(own, other), width=width)


@st.composite
def binary_hadamards(draw) -> BinaryHadamard:
    """Words of at most 10 bits: a common denominator is drawn first, then how much of it each report owns."""
    width = draw(st.integers(4, 10))
    silent = draw(st.sampled_from([0, draw(st.integers(0, (1 << width) - 2))]))
    answered = draw(st.integers(2, (1 << width) - silent))
    outside = draw(st.integers(1, answered // 2))
    inside = draw(st.integers(outside, answered - outside))
    return BinaryHadamard(
        size=draw(st.integers(2, 9)),
        odds=Fraction(inside, outside),
        yes=Fraction(inside, answered),
        silence=Fraction(silent, answered + silent),
        width=width,
    )


@st.composite
def unary_encodings(draw) -> SymmetricUnary | OptimisedUnary:
    """At most 2^10 sequences of words: 2 answers at 5 bits a word, 3 at 3, 5 at 2."""
    size, width = draw(st.sampled_from([(2, 3), (2, 4), (2, 5), (3, 2), (3, 3), (5, 2)]))
    form = draw(st.sampled_from([SymmetricUnary, OptimisedUnary]))
    odds = 1 + Fraction(draw(st.integers(0, 400)), draw(st.integers(1, 40)))
    return form(size=size, odds=odds, width=width)


@st.composite
def subset_selections(draw) -> SubsetSelection:
    """At most 2^10 sequences of words: one for the true answer, one for each place in the set."""
    size, chosen, width = draw(
        st.sampled_from([(2, 1, 4), (3, 1, 4), (3, 1, 5), (3, 2, 3), (4, 1, 4), (4, 2, 3), (5, 1, 5), (5, 2, 3)])
    )
    other = draw(st.integers(1, (1 << width) // size))
    own = draw(st.integers(other, ((1 << width) - other * (size - chosen)) // chosen))
    return SubsetSelection(size=size, odds=Fraction(own, other), chosen=chosen, width=width)


@st.composite
def hadamard_responses(draw) -> HadamardResponse:
    """One word of at most 9 bits a report, over one block or several."""
    size, blocks, width = draw(
        st.sampled_from([(2, 1, 6), (3, 1, 7), (5, 1, 8), (7, 1, 8), (2, 2, 6), (5, 2, 8), (7, 4, 9), (3, 4, 7)])
    )
    block = HadamardResponse(size=size, odds=Fraction(1), blocks=blocks).block
    favoured, rest = block // 2, blocks * block - block // 2
    other = draw(st.integers(1, (1 << width) // (favoured + rest)))
    own = draw(st.integers(other, ((1 << width) - other * rest) // favoured))
    return HadamardResponse(size=size, odds=Fraction(own, other), blocks=blocks, width=width)
