"""A claim's status decides what it may hold."""

from __future__ import annotations

import math
from dataclasses import FrozenInstanceError
from fractions import Fraction

import pytest

from sfumato.certificates import Claim, Relation, Status
from sfumato.errors import InvalidParameter
from sfumato.numbers import Interval

FITTING = {
    Status.EXACT: [Fraction(1, 3), math.inf, -math.inf],
    Status.CERTIFIED: [Interval(0.0, 1.0)],
    Status.ESTIMATED: [0.25],
}
MISFITS = [
    (Status.EXACT, 0.25),
    (Status.EXACT, Interval(0.0, 0.0)),
    (Status.CERTIFIED, Fraction(1, 3)),
    (Status.CERTIFIED, 0.5),
    (Status.ESTIMATED, Fraction(1, 3)),
    (Status.ESTIMATED, Interval(0.0, 1.0)),
]


def claim(status, value, **changes):
    given = {
        "measure": "guess_error",
        "relation": Relation.EQUALS,
        "value": value,
        "unit": "probability",
        "status": status,
        "because": "counted",
        "sentence": "The best guesser errs this often.",
        "confidence": 0.95 if status is Status.ESTIMATED else None,
    }
    return Claim(**(given | changes))


@pytest.mark.parametrize(("status", "value"), [(s, v) for s, values in FITTING.items() for v in values])
def test_a_fitting_value_is_kept_as_it_is(status, value):
    made = claim(status, value)
    assert (made.status, made.value, made.witness) == (status, value, None)


@pytest.mark.parametrize(("status", "value"), MISFITS)
def test_a_value_of_the_wrong_kind_is_refused(status, value):
    with pytest.raises(InvalidParameter) as caught:
        claim(status, value)
    assert f"value cannot be a {type(value).__name__} in a claim with status {status}." in str(caught.value)
    assert "Use a Fraction for exact, an Interval for certified or stated, a float for estimated." in str(caught.value)


@pytest.mark.parametrize(
    ("status", "confidence"), [(Status.EXACT, 0.9), (Status.CERTIFIED, 0.9), (Status.ESTIMATED, None)]
)
def test_confidence_belongs_to_estimates_alone(status, confidence):
    with pytest.raises(InvalidParameter, match=r"An estimated claim states its confidence, no other does"):
        claim(status, FITTING[status][0], confidence=confidence)


def test_a_claim_is_frozen():
    made = claim(Status.EXACT, Fraction(1, 2))
    with pytest.raises(FrozenInstanceError):
        made.value = Fraction(1)


def test_statuses_and_relations_are_the_words_on_disk():
    assert [str(s) for s in Status] == ["exact", "certified", "estimated", "stated"]
    assert [str(r) for r in Relation] == ["=", "≥", "≤", "in"]
