"""Powers modulo polynomials, against polynomials that are multiplied out and divided, element by element."""

import itertools

import pytest

from sfumato.mechanisms.difference_sets import Residues, field_of


def slow_power(residues, exponent):
    """x, multiplied exponent times: shift, and replace x^t."""
    field, result = field_of(residues.q), [1] + [0] * (len(residues.recurrence) - 1)
    for _ in range(exponent):
        top = result[-1]
        shifted = [0, *result[:-1]]
        result = [
            int(field.add[low, field.multiply[top, c]]) for low, c in zip(shifted, residues.recurrence, strict=True)
        ]
    return result


@pytest.mark.parametrize("q", [2, 3, 4, 5, 8, 9])
def test_powers_are_those_of_repeated_multiplication(q):
    for recurrence in itertools.islice(itertools.product(range(q), repeat=3), 1, None, max(1, q**3 // 40)):
        residues = Residues(q=q, recurrence=recurrence)
        for exponent in (0, 1, 2, 3, 4, 7, 26, 61):
            assert residues.power(exponent) == slow_power(residues, exponent)


@pytest.mark.parametrize("q", [2, 3, 4, 5, 7, 8, 9])
def test_a_root_is_seen_exactly_where_there_is_one(q):
    """x^3 = c_0 + c_1 x + c_2 x², both sides added up element by element."""
    field = field_of(q)
    for recurrence in itertools.product(range(q), repeat=3):
        roots = 0
        for x in range(q):
            square = int(field.multiply[x, x])
            terms = [recurrence[0], field.multiply[recurrence[1], x], field.multiply[recurrence[2], square]]
            total = field.add[field.add[terms[0], terms[1]], terms[2]]
            roots += total == field.multiply[square, x]
        assert Residues(q=q, recurrence=recurrence).has_root() == (roots > 0)
