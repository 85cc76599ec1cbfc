"""Values can be copied and sent to another process, and arrive as they were."""

import copy
import pickle
from fractions import Fraction

import numpy as np
import pytest

from sfumato.prob import Channel, Circulant, Distribution, Joint

HALF = Fraction(1, 2)
VALUES = [
    Distribution([HALF, HALF], ["no", "yes"]),
    Distribution([0.25, 0.75]),
    Channel([[HALF, HALF], [1, 0]], ["no", "yes"], ["a", "b"]),
    Channel(np.array([[0.25, 0.75], [1.0, 0.0]])),
    Circulant.two_level(size=7, support=[1, 2, 4], odds=Fraction(3), input_count=5),
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_copies_are_equal_and_still_immutable(value):
    for twin in (pickle.loads(pickle.dumps(value)), copy.copy(value), copy.deepcopy(value)):  # noqa: S301
        assert twin == value
        assert twin.exact == value.exact
        with pytest.raises(AttributeError, match="immutable"):
            twin.exact = not value.exact


def test_joint_laws_too():
    law = Joint([HALF, 0, 0, HALF], [["a", "b"], [0, 1]])
    twin = pickle.loads(pickle.dumps(law))  # noqa: S301
    assert (twin.law, twin.alphabets) == (law.law, law.alphabets)


def test_a_prior_with_labels_is_read_by_label_even_when_they_are_numbers():
    """Labels 0 and 1 in another order mean the other order; a plain list is read by position."""
    from sfumato.prob import as_prior

    channel = Channel([[1, 0], [0, 1]], inputs=[1, 0])
    assert as_prior(Distribution([Fraction(1, 4), Fraction(3, 4)]), channel)[1] == Fraction(3, 4)
    assert as_prior([Fraction(1, 4), Fraction(3, 4)], channel)[1] == Fraction(1, 4)
