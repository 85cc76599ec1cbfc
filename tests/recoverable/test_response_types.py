"""Types of sequences: all of them, once each, and sums over them that lose nothing, however small."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from sfumato.errors import InvalidParameter
from sfumato.recoverable.schemes import (
    MOST_EXACT_N,
    exact_right_guesses,
    group_right_guesses,
    type_count,
    types,
    wrong_guesses,
)

ROWS = [
    [Fraction(3, 5), Fraction(1, 5), Fraction(1, 5)],
    [Fraction(1, 10), Fraction(4, 5), Fraction(1, 10)],
    [Fraction(0), Fraction(1, 3), Fraction(2, 3)],
]
WEIGHTS = [Fraction(1, 2), Fraction(3, 10), Fraction(1, 5)]


class TestTypes:
    @pytest.mark.parametrize(("n", "size"), [(1, 1), (5, 1), (1, 4), (4, 3), (7, 2), (5, 5)])
    def test_every_sequence_has_its_type_once(self, n, size):
        found = [tuple(row) for row in types(n, size).tolist()]
        assert len(found) == len(set(found)) == type_count(n, size)
        seen = {tuple(s.count(i) for i in range(size)) for s in itertools.product(range(size), repeat=n)}
        assert seen == set(found)

    def test_too_many(self):
        with pytest.raises(InvalidParameter, match="Lower `n`"):
            types(1000, 5)


def exact_wrong(weights, rows, n):
    """The weight of the rows that lose, type by type, in fractions."""
    total = Fraction(0)
    for counts in itertools.product(range(n + 1), repeat=len(rows[0])):
        if sum(counts) == n:
            ways = math.factorial(n) // math.prod(map(math.factorial, counts))
            parts = [
                w * math.prod((p**c for p, c in zip(row, counts, strict=True)), start=Fraction(1))
                for w, row in zip(weights, rows, strict=True)
            ]
            total += ways * (sum(parts) - max(parts))
    return total


class TestSums:
    @pytest.mark.parametrize("n", [1, 2, 3, 6, 20, MOST_EXACT_N, MOST_EXACT_N + 1, 90])
    def test_enclosed_on_both_ways(self, n):
        """Up to MOST_EXACT_N in fractions, beyond in logarithms: the truth lies in between each time."""
        truth = exact_wrong(WEIGHTS, ROWS, n)
        found = wrong_guesses(WEIGHTS, ROWS, n)
        assert truth in found
        assert found.width <= 1e-9 * found.upper
        if n <= 20:
            assert exact_right_guesses(WEIGHTS, ROWS, n) == 1 - truth

    def test_logarithms_and_fractions_agree(self, monkeypatch):
        from sfumato.recoverable import schemes as response_types

        exact = wrong_guesses(WEIGHTS, ROWS, 12)
        monkeypatch.setattr(response_types, "MOST_EXACT_N", 0)
        loose = wrong_guesses(WEIGHTS, ROWS, 12)
        assert loose.width > exact.width
        assert loose.lower <= exact.lower <= exact.upper <= loose.upper

    def test_smaller_than_every_double(self):
        rows = [[Fraction(999, 1000), Fraction(1, 1000)], [Fraction(1, 1000), Fraction(999, 1000)]]
        found = wrong_guesses([Fraction(1, 2)] * 2, rows, 1000)
        assert found.lower == 0.0
        assert 0 < found.upper < 1e-299

    def test_nothing_can_be_missed(self):
        found = wrong_guesses([Fraction(1, 2)] * 2, [[Fraction(1), Fraction(0)], [Fraction(0), Fraction(1)]], 500)
        assert (found.lower, found.upper) == (0.0, 0.0)

    @pytest.mark.parametrize("n", [1, 2, 5])
    def test_groups_are_added_up_before_the_guess(self, n):
        groups = [0, 1, 0]
        expected = Fraction(0)
        for sequence in itertools.product(range(3), repeat=n):
            parts = [w * math.prod(row[i] for i in sequence) for w, row in zip(WEIGHTS, ROWS, strict=True)]
            expected += max(parts[0] + parts[2], parts[1])
        assert expected in group_right_guesses(WEIGHTS, ROWS, groups, n)

    def test_types_that_no_row_allows(self):
        """Two blocks: a sequence with values of both has chance 0, and is no reason for a warning or a NaN."""
        half = Fraction(1, 2)
        rows = [[half, half, 0, 0], [half, half, 0, 0], [0, 0, half, half], [0, 0, half, half]]
        rows = [[Fraction(p) for p in row] for row in rows]
        weights = [Fraction(2, 5), Fraction(3, 10), Fraction(1, 5), Fraction(1, 10)]
        found = group_right_guesses(weights, rows, range(4), 6)
        assert Fraction(3, 5) in found
        assert np.isfinite(found.upper)
        assert Fraction(2, 5) in wrong_guesses(weights, rows, 6)
        assert Fraction(2, 5) in wrong_guesses(weights, rows, 80)
