"""Hypothesis strategies for mechanisms narrow enough to enumerate, and the table of all mechanisms."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st

from cyclic_enumeration import cyclic_law
from sfumato.errors import SourceFailed
from sfumato.mechanisms import (
    ArcResponse,
    BinaryHadamard,
    CyclicResponse,
    FlagsResponse,
    HadamardResponse,
    OptimisedUnary,
    PermanentUnary,
    RandomizedResponse,
    SetsResponse,
    SubsetSelection,
    SymmetricUnary,
    Tabulated,
)
from sfumato.mechanisms.cyclic import Family
from sfumato.prob import Channel
from sfumato.sampling import ScriptedBits

SETS = [*((q, t, Family.SINGER) for q in (2, 3) for t in (2, 3)), *((K, 1, Family.PALEY) for K in (7, 11))]


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
def unary_encodings(draw, forms=(SymmetricUnary, OptimisedUnary)) -> SymmetricUnary | OptimisedUnary:
    """At most 2^10 sequences of words: 2 answers at 5 bits a word, 3 at 3, 5 at 2."""
    size, width = draw(st.sampled_from([(2, 3), (2, 4), (2, 5), (3, 2), (3, 3), (5, 2)]))
    form = draw(st.sampled_from(forms))
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


@st.composite
def permanent_unaries(draw) -> PermanentUnary:
    """Two answers, two words a bit: 2^8 sequences."""
    odds, fresh = (1 + Fraction(draw(st.integers(0, 400)), draw(st.integers(1, 40))) for _ in range(2))
    return PermanentUnary(size=2, odds=odds, fresh_odds=fresh, width=2)


@st.composite
def cyclic_responses(draw) -> CyclicResponse:
    """Words of at most 8 bits, so that every pair of draws can be tried."""
    q, t, family = draw(st.sampled_from(SETS))
    width = draw(st.integers(7, 8))
    other = draw(st.integers(1, 3))
    own = draw(st.integers(other, 12))
    probe = CyclicResponse(size=2, odds=Fraction(9), q=q, t=t, family=family)
    size = draw(st.integers(2, probe.modulus))
    return CyclicResponse(size=size, odds=Fraction(own, other), q=q, t=t, family=family, width=width)


@st.composite
def flags_responses(draw) -> FlagsResponse:
    """Words of at most 8 bits, so that every pair of draws can be tried; one mask, so that all rows are alike."""
    width, length = draw(st.integers(7, 8)), draw(st.integers(2, 4))
    other = draw(st.integers(1, 3))
    own = draw(st.integers(other, 6).filter(lambda own: own > other))
    size = draw(st.integers(2, (1 << length) - 1))
    return FlagsResponse(size=size, odds=Fraction(own, other), length=length, dimension=1, width=width)


@st.composite
def sets_responses(draw) -> SetsResponse:
    """Words of at most 8 bits, so that every pair of draws can be tried; sets of one, so that all rows are alike."""
    width, other = draw(st.integers(7, 8)), draw(st.integers(1, 3))
    own = draw(st.integers(other, 12))
    return SetsResponse(size=draw(st.integers(2, 9)), odds=Fraction(own, other), chosen=1, width=width)


@st.composite
def arc_responses(draw) -> ArcResponse:
    """Words of at most 8 bits, so that every pair of draws can be tried."""
    apart = draw(st.booleans())
    size, length = draw(st.integers(2 + apart, 6)), draw(st.integers(1, 4))
    other = draw(st.integers(1, 3))
    return ArcResponse(
        size=size,
        odds=Fraction(draw(st.integers(other, 12)), other),
        length=length,
        apart=apart,
        width=draw(st.integers(7, 8)),
    )


@st.composite
def narrow_tables(draw, most_answers=3) -> Channel:
    """Channels whose rows are integer counts over at most 2^6."""
    outputs = draw(st.integers(1, 4))
    counts = st.lists(st.integers(0, 16), min_size=outputs, max_size=outputs).filter(any)
    rows = draw(st.lists(counts, min_size=1, max_size=most_answers))
    return Channel([[Fraction(count, sum(row)) for count in row] for row in rows])


@dataclass(frozen=True, kw_only=True)
class Case:
    """What the conformance suite has to know of a mechanism."""

    kind: type
    narrow: st.SearchStrategy[Any]
    """Narrow enough to feed it every word."""
    examples: tuple[Any, ...]
    """Small enough to write out every column of one or two reports."""
    noise: Any
    """One whose reports say nothing."""
    words: Callable[[Any], int] | None = None
    """How many words a report takes; None for one with an enumeration of its own."""
    packed: bool = False
    """Whether a report is a row of packed bits."""
    closeness: Fraction = Fraction(1, 1 << 20)
    """How far `within` may fall short of e^epsilon; 0 where there is no `within`."""
    sizes: int = 2000
    """Up to how many answers `within` is tried at."""

    def enumerated(self, mechanism: Any, x: int) -> tuple[Fraction, ...]:
        """Return the law found by feeding every sequence of words."""
        return cyclic_law(mechanism, x) if self.words is None else enumerated(mechanism, x, self.words(mechanism))

    def least(self, mechanism: Any) -> int:
        """Return how many reports an estimate needs."""
        return getattr(mechanism, "groups", 1)

    def law_at(self, mechanism: Any, x: int, position: int) -> tuple[Fraction, ...]:
        """P(.|x) of one at a position."""
        return mechanism.law(x, mechanism.question(position)) if hasattr(mechanism, "groups") else mechanism.law(x)

    def column(self, mechanism: Any, places: tuple[int, ...]) -> np.ndarray:
        """Return the reports at these places of the law."""
        if not self.packed:
            return np.array(places)
        labels = mechanism.channel().outputs
        return np.packbits([[int(digit) for digit in labels[place]] for place in places], axis=1)

    def tally(self, mechanism: Any, reports: np.ndarray, start: int) -> Any:
        """Count a part of a column, the first report of which stood at `start`."""
        return mechanism.tally(reports, positions=start) if hasattr(mechanism, "groups") else mechanism.tally(reports)


def enumerated(mechanism: Any, x: int, words: int = 1) -> tuple[Fraction, ...]:
    """Return the law found by feeding every sequence of so many words, those with a word drawn again left out."""
    labels = mechanism.channel().outputs
    places = {label: place for place, label in enumerate(labels)}
    hits = [0] * len(labels)
    for sequence in itertools.product(range(1 << mechanism.width), repeat=words):
        script = ScriptedBits(sequence)
        try:
            report = mechanism.privatize([x], script)[0]
        except SourceFailed:
            continue
        assert script.left == 0, "equally many words, whatever the answer"
        if report.ndim:
            hits[places["".join(map(str, np.unpackbits(report, count=mechanism.size)))]] += 1
        else:
            hits[int(report)] += 1
    return tuple(Fraction(hit, sum(hits)) for hit in hits)


class NarrowTable(Tabulated):
    """A table that remembers the width of its words."""

    width = 7

    def __init__(self, channel: Channel) -> None:
        super().__init__(channel, width=self.width)


_ROWS = [[Fraction(7, 10), Fraction(2, 10), Fraction(1, 10)], [Fraction(1, 10), Fraction(2, 10), Fraction(7, 10)]]
_THIRD = [Fraction(1, 4), Fraction(1, 2), Fraction(1, 4)]
_TWICE = [[Fraction(1, 2)] * 2] * 2

CASES = (
    Case(
        kind=RandomizedResponse,
        narrow=randomized_responses(),
        examples=(RandomizedResponse(size=3, odds=Fraction(4)), RandomizedResponse(size=2, odds=Fraction(3))),
        noise=RandomizedResponse(size=3, odds=Fraction(1)),
        words=lambda _: 1,
        closeness=Fraction(1, 1 << 24),
    ),
    Case(
        kind=CyclicResponse,
        narrow=cyclic_responses(),
        examples=(
            CyclicResponse(size=5, odds=Fraction(3), q=2, t=3),
            CyclicResponse(size=4, odds=Fraction(5, 2), q=7, t=1, family=Family.PALEY),
        ),
        noise=CyclicResponse(size=3, odds=Fraction(1), q=2, t=3),
        sizes=300,
    ),
    Case(
        kind=FlagsResponse,
        narrow=flags_responses(),
        examples=(
            FlagsResponse(size=5, odds=Fraction(3), length=3, dimension=1),
            FlagsResponse(size=3, odds=Fraction(5, 2), length=2, dimension=1),
        ),
        noise=FlagsResponse(size=3, odds=Fraction(1), length=3, dimension=1),
        sizes=300,
    ),
    Case(
        kind=SetsResponse,
        narrow=sets_responses(),
        examples=(
            SetsResponse(size=5, odds=Fraction(3), chosen=1),
            SetsResponse(size=3, odds=Fraction(5, 2), chosen=1),
        ),
        noise=SetsResponse(size=3, odds=Fraction(1), chosen=1),
        sizes=64,
    ),
    Case(
        kind=ArcResponse,
        narrow=arc_responses(),
        examples=(
            ArcResponse(size=3, odds=Fraction(3), length=2),
            ArcResponse(size=4, odds=Fraction(5, 2), length=3),
            ArcResponse(size=3, odds=Fraction(4), length=2, apart=True),
        ),
        noise=ArcResponse(size=3, odds=Fraction(1), length=2),
        sizes=60,
    ),
    Case(
        kind=SubsetSelection,
        narrow=subset_selections(),
        examples=tuple(SubsetSelection(size=4, odds=Fraction(7, 2), chosen=chosen) for chosen in (1, 2)),
        noise=SubsetSelection(size=3, odds=Fraction(1), chosen=1),
        words=lambda mechanism: 1 + mechanism.chosen,
        packed=True,
    ),
    Case(
        kind=HadamardResponse,
        narrow=hadamard_responses(),
        examples=tuple(
            HadamardResponse(size=size, odds=Fraction(7, 2), blocks=blocks)
            for size, blocks in [(3, 1), (4, 2), (5, 2), (3, 4)]
        ),
        noise=HadamardResponse(size=3, odds=Fraction(1)),
        words=lambda _: 1,
        closeness=Fraction(1, 1 << 12),
    ),
    Case(
        kind=BinaryHadamard,
        narrow=binary_hadamards(),
        examples=(
            BinaryHadamard(size=2, odds=Fraction(3)),
            BinaryHadamard(size=3, odds=Fraction(3)),
            BinaryHadamard(size=3, odds=Fraction(4), silence=Fraction(1, 2)),
            BinaryHadamard(size=3, odds=Fraction(2), yes=Fraction(1, 3)),
        ),
        noise=BinaryHadamard(size=3, odds=Fraction(1)),
        words=lambda _: 1,
        closeness=Fraction(1, 1 << 24),
    ),
    *(
        Case(
            kind=form,
            narrow=unary_encodings([form]),
            examples=(form(size=3, odds=Fraction(7, 2), width=3),),
            noise=form(size=3, odds=Fraction(1)),
            words=lambda mechanism: mechanism.size,
            packed=True,
        )
        for form in (SymmetricUnary, OptimisedUnary)
    ),
    Case(
        kind=PermanentUnary,
        narrow=permanent_unaries(),
        examples=(PermanentUnary(size=3, odds=Fraction(7, 2), width=3),),
        noise=PermanentUnary(size=3, odds=Fraction(1)),
        words=lambda mechanism: 2 * mechanism.size,
        packed=True,
    ),
    Case(
        kind=Tabulated,
        narrow=narrow_tables().map(NarrowTable),
        examples=(Tabulated(Channel(_ROWS)), Tabulated(Channel([*_ROWS, _THIRD]))),
        noise=Tabulated(Channel(_TWICE)),
        words=lambda _: 1,
        closeness=Fraction(0),
    ),
)
