"""Difference sets by brute force: every difference, counted."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from sfumato.errors import InvalidParameter, NotCertified
from sfumato.mechanisms.difference_sets import (
    _candidates,
    _checked,
    _generates,
    field_of,
    next_order,
    next_paley_modulus,
    paley_set,
    prime_factors,
    singer_parameters,
    singer_set,
)


def differences(found):
    return Counter((a - b) % found.modulus for a in found.members.tolist() for b in found.members.tolist() if a != b)


@pytest.mark.parametrize(
    ("q", "t"),
    [
        (2, 3),
        (2, 7),
        (3, 3),
        (3, 5),
        (4, 3),
        (4, 4),
        (5, 3),
        (7, 3),
        (8, 3),
        (9, 3),
        (16, 3),
        (25, 2),
        (27, 3),
        (31, 3),
        (257, 2),
        (307, 2),
    ],
)
def test_singer_sets_have_every_difference_equally_often(q, t):
    found = singer_set(q, t)
    assert (found.modulus, found.size, found.repeats) == singer_parameters(q, t)
    counted = differences(found)
    if found.repeats:
        assert set(counted.values()) == {found.repeats}
        assert len(counted) == found.modulus - 1
    else:
        assert counted == {}


@pytest.mark.parametrize("modulus", [3, 7, 11, 19, 103, 499])
def test_paley_sets_too(modulus):
    found = paley_set(modulus)
    assert set(differences(found).values()) <= {found.repeats}
    assert found.size == (modulus - 1) // 2


def test_the_sets_never_change():
    """Reports made with a set must stay readable in every later version."""
    assert singer_set(2, 3).members.tolist() == [0, 1, 3]
    assert singer_set(3, 3).members.tolist() == [0, 1, 3, 9]
    assert singer_set(4, 3).members.tolist() == SINGER_4_3
    assert int(singer_set(4, 6).members.sum()) == SUM_4_6
    assert paley_set(11).members.tolist() == [1, 3, 4, 5, 9]


@pytest.mark.parametrize(("q", "t"), [(3, 10), (9, 5), (47, 4), (128, 3), (317, 3), (443, 3), (2039, 2)])
def test_the_larger_sets_never_change_either(q, t):
    """They are found by doubling; here they are made term by term, from the same polynomial."""
    field, modulus = field_of(q), singer_parameters(q, t)[0]
    recurrence = next(found for found in _candidates(q, t) if _generates(found, modulus)).recurrence
    terms = [0] * (t - 1) + [1]
    for i in range(modulus - t):
        total = 0
        for j, coefficient in enumerate(recurrence):
            total = int(field.add[total, field.multiply[coefficient, terms[i + j]]])
        terms.append(total)
    assert singer_set(q, t).members.tolist() == [i for i, term in enumerate(terms) if term == 0]


def test_a_set_that_is_none_is_noticed(monkeypatch):
    """Both ways of counting differences see one wrong member."""
    for q, t, few in ((7, 4, 2048), (7, 4, 0), (5, 5, 0), (2, 13, 0)):
        monkeypatch.setattr("sfumato.mechanisms.difference_sets._FEW", few)
        good = singer_set(q, t)
        _checked(replace(good, members=good.members.copy()), good.size)
        moved = good.members.copy()
        moved[-1] = next(i for i in range(good.modulus) if i not in set(moved.tolist()))
        with pytest.raises(NotCertified, match="not a difference set"):
            _checked(replace(good, members=moved), good.size)


SINGER_4_3 = [0, 1, 4, 14, 16]
SUM_4_6 = 223860


def test_large_sets_are_flat():
    """|FFT|² off zero is d - λ = q^(t-2), which is what makes decoding one division."""
    found = singer_set(4, 9)
    power = np.abs(np.fft.rfft(found.indicator())[1:]) ** 2
    assert found.modulus == 87381
    np.testing.assert_allclose(power, 4.0**7, rtol=1e-9)


@pytest.mark.parametrize("q", [2, 3, 4, 5, 7, 8, 9, 16, 25, 27, 64, 81, 256, 257, 2039])
def test_fields_are_fields(q):
    field = field_of(q)
    elements = range(q)
    assert all(field.add[0][a] == a and field.multiply[1][a] == a for a in elements)
    assert all(0 in field.add[a] for a in elements)
    assert len(set(field.multiply[q - 1].tolist())) == q
    assert all(1 in field.multiply[a] for a in range(1, q))
    generator = np.random.default_rng(q)
    for a, b, c in generator.integers(0, q, (200, 3)).tolist():
        assert field.multiply[a][field.add[b][c]] == field.add[field.multiply[a][b]][field.multiply[a][c]]
        assert field.multiply[a][field.multiply[b][c]] == field.multiply[field.multiply[a][b]][c]
        assert field.multiply[a][b] == field.multiply[b][a]


def test_what_is_no_field_or_set_is_refused():
    with pytest.raises(InvalidParameter, match=r"q=6 must be a prime power.*Try 7"):
        field_of(6)
    with pytest.raises(InvalidParameter, match="Choose a smaller q or t"):
        singer_set(4, 13)
    with pytest.raises(InvalidParameter, match="leaves 3 when divided by 4"):
        paley_set(13)
    with pytest.raises(InvalidParameter, match="leaves 3 when divided by 4"):
        paley_set(15)
    assert next_paley_modulus(12) == 19
    assert (next_order(10), next_order(255), next_order(258), next_order(1 << 20)) == (11, 256, 263, 2039)
    with pytest.raises(InvalidParameter, match=r"q=289 must be a prime power from 2 to 256, or a prime up to 2048"):
        field_of(289)
    assert prime_factors(360) == [2, 2, 2, 3, 3, 5]
