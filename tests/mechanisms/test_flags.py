"""The flags response: numbered spaces, the field, exact laws, and what a tally says."""

import itertools
import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from sfumato import measures
from sfumato.errors import InvalidParameter
from sfumato.mechanisms import FlagsResponse
from sfumato.mechanisms.difference_sets import binary_field, primitive_polynomial
from sfumato.mechanisms.flags import dimensions_for, lengths_for, mask_counts, mask_noise
from sfumato.mechanisms.set_systems import (
    code_of_space,
    public_spaces,
    reduced_rows,
    rows_of_space,
    space_table,
    spaces,
)
from sfumato.sampling import InsecureSeeded, Tally

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "flags.json").read_text(encoding="utf-8"))


def span(rows):
    found = {0}
    for row in rows:
        found |= {row ^ other for other in found}
    return frozenset(found)


def every_space(length, dimension):
    """All spaces of masks, grown mask by mask: no counting formula in it."""
    found = {frozenset({0})}
    for _ in range(dimension):
        found = {
            held | {mask ^ a for a in held} for held in found for mask in range(1, 1 << length) if mask not in held
        }
    return found


def is_even(mask, element):
    return (mask & element).bit_count() % 2 == 0


@pytest.mark.parametrize(("length", "dimension"), [(t, c) for t in range(2, 6) for c in range(1, t)])
def test_numbers_and_spaces_are_one_to_one_in_python_and_compiled(length, dimension):
    """Whichever masks come first; the compiled way reads its table where it stands, behind others."""
    from sfumato.mechanisms.set_kernels import number_space, spell_space

    every, written = every_space(length, dimension), np.empty(64, dtype=np.int64)
    for held in range(dimension + 1):
        table, seen = np.concatenate([np.arange(5), space_table(length, dimension, held)]), set()
        table.setflags(write=False)
        for code in range(spaces(length, dimension)):
            rows = rows_of_space(code, length, dimension, held)
            assert reduced_rows(rows) == rows
            assert code_of_space(rows, length, held) == code
            pivots = spell_space(code, table, 5, written)
            assert tuple(written[:dimension].tolist()) == rows
            assert pivots == sum(row & -row for row in rows)
            assert number_space(written, pivots, table, 5) == code
            seen.add(span(rows))
        assert seen == every


@pytest.mark.parametrize(("length", "dimension", "held"), [(10, 4, 1), (13, 6, 2), (13, 12, 0), (14, 5, 3), (21, 2, 1)])
def test_numbers_of_many_spaces_come_back(length, dimension, held):
    """The first, the last and those between, where they cannot all be tried: as the definition has them."""
    from sfumato.mechanisms.set_kernels import number_space, spell_space

    table, written, count = (
        space_table(length, dimension, held),
        np.empty(64, dtype=np.int64),
        spaces(length, dimension),
    )
    leading = spaces(length - held, dimension - held)
    tried = {0, 1, leading - 1, leading, count // 2, count - 2, count - 1, *(count * i // 97 for i in range(97))}
    for code in sorted(code for code in tried if 0 <= code < count):
        pivots = spell_space(code, table, 0, written)
        assert tuple(written[:dimension].tolist()) == rows_of_space(code, length, dimension, held)
        assert number_space(written, pivots, table, 0) == code


@pytest.mark.parametrize(("length", "low", "high"), [(4, 1, 2), (4, 1, 3), (5, 2, 4), (5, 1, 4), (5, 3, 4)])
def test_the_first_numbers_are_those_above_the_first_space(length, low, high):
    first = span(rows_of_space(0, length, low, low))
    assert first == span(1 << place for place in range(low))
    above = [first <= span(rows_of_space(code, length, high, low)) for code in range(spaces(length, high))]
    count = spaces(length - low, high - low)
    assert above == [True] * count + [False] * (len(above) - count)


@pytest.mark.parametrize("length", [2, 3, 5, 8])
def test_multiplying_moves_masks_as_it_moves_elements(length):
    field = binary_field(length)
    order = (1 << length) - 1
    assert sorted(field.powers.tolist()) == sorted(field.masks.tolist()) == list(range(1, order + 1))
    rng = np.random.default_rng(length)
    for b, v, g in rng.integers(0, order, (200, 3)).tolist():
        before = is_even(int(field.masks[b]), int(field.powers[v]))
        assert before == is_even(int(field.masks[(b - g) % order]), int(field.powers[(v + g) % order]))


@pytest.mark.parametrize("length", range(2, 21))
def test_a_polynomial_is_primitive(length):
    """α's powers are all elements: nothing comes back before the order."""
    polynomial, seen, element = primitive_polynomial(length), 0, 1
    while True:
        element <<= 1
        element ^= polynomial * (element >> length)
        seen += 1
        if element == 1:
            break
    assert seen == (1 << length) - 1


def test_variance_of_the_example():
    mechanism = FlagsResponse(size=31, odds=Fraction(7), length=5, dimension=3)
    assert mechanism.variance([Fraction(1, 31)] * 31, 1)[0] == Fraction(8575, 11532)


@pytest.mark.parametrize(
    ("length", "dimension", "odds"), [(4, 2, Fraction(4)), (4, 1, Fraction(3)), (5, 3, Fraction(7))]
)
def test_hits_are_what_all_spaces_say(length, dimension, odds):
    """p* and q* by writing every space and every element out: one formula beside none."""
    order, found = (1 << length) - 1, {}
    for held in every_space(length, dimension):
        even = [all(is_even(mask, x) for mask in held) for x in range(1, order + 1)]
        for x in range(order):
            for y in (0, 1, 5):
                found.setdefault((x == y, x, y), []).append((odds if even[x] else 1, even[y]))
    mechanism = FlagsResponse(size=order, odds=odds, length=length, dimension=dimension)
    own, other = mechanism.probabilities
    for (same, _, _), pairs in found.items():
        total = sum(weight for weight, _ in pairs)
        assert sum((weight for weight, hit in pairs if hit), Fraction(0)) / total == (own if same else other)
    share = 0.1
    hit = float(other + (own - other) * Fraction(1, 10))
    expected = hit * (1 - hit) / float(own - other) ** 2
    assert mask_noise(length, dimension, float(odds), share) == pytest.approx(expected, rel=1e-12)
    b, r, _ = mask_counts(length, dimension)
    assert Fraction(r, b) == Fraction(mechanism.favoured_count, mechanism.modulus)


@pytest.mark.parametrize("position", [0, 1, 7, 123456])
@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_the_channel_of_each_row_has_the_odds_and_the_law(position, dimension):
    """P(y|x) is high where all masks of the row are even at x/y: found from the public space by the definition."""
    mechanism = FlagsResponse(size=12, odds=Fraction(5), length=4, dimension=dimension)
    channel, field = mechanism.channel_at(position), binary_field(4)
    code = public_spaces(4, dimension, 1, position)
    held = span(rows_of_space(int(code[0]) if code.size else 0, 4, dimension))
    assert measures.odds(channel) == 5
    weight = 5 * mechanism.favoured_count + 15 - mechanism.favoured_count
    for x, y in itertools.product(range(12), range(15)):
        quotient = int(field.powers[(x - y) % 15])
        even = all(is_even(mask, quotient) for mask in held)
        assert channel.row(x)[y] == Fraction(5 if even else 1, weight)


@pytest.mark.parametrize("width", [4, 5])
def test_reports_follow_their_law_exactly(width):
    """Every pair of words at a small width: with positions, so that public masks are others in each row."""
    from sfumato.errors import SourceFailed
    from sfumato.sampling import ScriptedBits

    mechanism = FlagsResponse(size=5, odds=Fraction(2), length=3, dimension=2, width=width)
    for position, x in ((0, 2), (3, 4)):
        counts = np.zeros((2, 7), dtype=np.int64)
        firsts = np.zeros(2, dtype=np.int64)
        members = {
            y
            for y in range(7)
            if mechanism.channel_at(position).row(x)[y] == max(mechanism.channel_at(position).row(x))
        }
        for first in range(1 << width):
            kinds = set()
            for second in range(1 << width):
                try:
                    y = int(mechanism.privatize([x], ScriptedBits([first, second]), positions=position)[0])
                except SourceFailed:
                    continue
                kind = int(y not in members)
                kinds.add(kind)
                counts[kind, y] += 1
            assert len(kinds) <= 1
            for kind in kinds:
                firsts[kind] += 1
        shares = [Fraction(int(n), int(firsts.sum())) for n in firsts]
        found = [
            sum(shares[kind] * Fraction(int(counts[kind, y]), int(counts[kind].sum())) for kind in (0, 1))
            for y in range(7)
        ]
        assert found == list(mechanism.channel_at(position).row(x))


@pytest.mark.parametrize("dimension", [1, 2, 4])
def test_a_tally_hits_what_reports_hit_one_by_one(dimension):
    mechanism = FlagsResponse(size=20, odds=Fraction(6), length=5, dimension=dimension)
    values = np.arange(300) % 20
    reports = mechanism.privatize(values, InsecureSeeded(4), positions=50)
    tally = mechanism.tally(reports, 50)
    assert tally.total == 300
    hits = np.zeros(20)
    for place, y in enumerate(reports.tolist()):
        row = [Fraction(p) for p in mechanism.channel_at(50 + place).array[:, y].tolist()]
        hits += np.array(row) > min(row)
    assert mechanism.hits(tally).tolist() == hits.tolist()
    # In any pieces, each at its positions.
    pieces = [mechanism.tally(reports[a:b], 50 + a) for a, b in ((0, 7), (7, 300))]
    assert pieces[0] + pieces[1] == tally
    order = np.random.default_rng(1).permutation(300)
    assert mechanism.tally(reports[order], 50 + order) == tally


def test_estimates_are_near_and_a_wrong_position_is_not():
    """Within five standard errors, all of them; read with the masks of other rows they are far off."""
    mechanism = FlagsResponse.within(size=40, epsilon=2.0)
    values = np.repeat([3, 7, 11, 30], [8000, 6000, 4000, 2000])
    reports = mechanism.privatize(values, InsecureSeeded(8))
    truth = np.bincount(values, minlength=40) / values.size
    found = mechanism.estimate(mechanism.tally(reports))
    assert (np.abs(np.array(found.raw) - truth) < 5 * np.array(found.standard_errors) + 1e-9).all()
    other = mechanism.estimate(mechanism.tally(reports, 1))
    assert abs(other.raw[3] - 0.4) > 10 * other.standard_errors[3]


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 2.5, 5.0])
def test_within_is_the_best_to_a_hundredth(epsilon):
    made = FlagsResponse.within(size=100, epsilon=epsilon)
    assert math.log(made.odds) <= epsilon < math.log(made.odds) + 1e-8
    least = min(mask_noise(t, c, math.exp(epsilon)) for t in lengths_for(100) for c in dimensions_for(t))
    assert mask_noise(made.length, made.dimension, math.exp(epsilon)) <= 1.01 * least


def test_what_there_cannot_be():
    with pytest.raises(InvalidParameter, match="does not fit 31 elements"):
        FlagsResponse(size=32, odds=Fraction(2), length=5, dimension=2)
    with pytest.raises(InvalidParameter, match="dimension=5"):
        FlagsResponse(size=3, odds=Fraction(2), length=5, dimension=5)
    with pytest.raises(InvalidParameter, match="Hash the answers"):
        FlagsResponse.within(size=1 << 23, epsilon=1.0)
    made = FlagsResponse(size=3, odds=Fraction(2), length=3, dimension=1)
    with pytest.raises(InvalidParameter, match="not one for each of 8 masks"):
        made.estimate(Tally(mechanism=made.name, counts=(1, 1)))
    assert max(dimensions_for(20)) == 2
    assert max(dimensions_for(10)) == 9


def test_vectors():
    """Numbers of spaces, the first public ones, and reports of a seeded source: other programs can be held to them."""
    assert public_spaces(10, 3, 6, 0).tolist() == VECTORS["public_spaces"]["10,3"]
    assert public_spaces(10, 5, 6, 0).tolist() == VECTORS["public_spaces"]["10,5"]
    for entry in VECTORS["spaces"]:
        found = rows_of_space(entry["code"], entry["length"], entry["dimension"], entry.get("held", 0))
        assert list(found) == entry["rows"]
    assert [primitive_polynomial(t) for t in range(2, 23)] == VECTORS["polynomials"]
