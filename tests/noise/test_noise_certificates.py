"""A certificate of noise is evaluated again from what it carries; nothing in it can be changed."""

import hashlib
import math
from dataclasses import replace
from fractions import Fraction

import pytest

from sfumato.certificates import Certificate, verify
from sfumato.certificates.claims import publish
from sfumato.errors import ClaimRefused, DigestMismatch, SfumatoError, UnreadableFile
from sfumato.measures.gaussian import stated_bits
from sfumato.noise import certificates as noise_bounds
from sfumato.noise.certificates import CAPACITY, SCHEMA, NoiseSubject, certify_range
from sfumato.noise.gaussian_designs import gaussian
from sfumato.numbers import Interval
from sfumato.sampling import KeyedBits


@pytest.fixture(scope="module", params=[None, 2, 3], ids=["any", "two", "three"])
def certificate(request):
    budget = 0.9 if request.param == 2 else 1.2
    return gaussian(low=0, high=Fraction(7, 2), budget_bits=budget, values=request.param).certificate


def test_it_verifies_after_a_round_trip(certificate):
    again = Certificate.from_json(certificate.to_json())
    verify(again)
    assert again == certificate
    assert again.schema == SCHEMA
    assert again.subject.grid == Fraction(7, 4) / again.subject.steps


def test_what_it_claims(certificate):
    capacity = certificate[CAPACITY].value
    assert capacity.width < 2e-6
    assert certificate["printed_bound_bits"].value.lower > capacity.upper
    assert certificate["epsilon"].value == math.inf
    assert certificate["noise_variance"].value == certificate.subject.variance * certificate.subject.grid**2
    with pytest.raises(KeyError, match="magic"):
        certificate["magic"]
    assert "values" in certificate.title


def test_every_changed_byte_is_refused(certificate):
    data = certificate.to_json().encode()
    places = KeyedBits(hashlib.sha256(b"where").digest()).words(200, 32) % len(data)
    for place in places.tolist():
        changed = bytearray(data)
        changed[place] ^= 1
        with pytest.raises(SfumatoError):
            Certificate.from_json(bytes(changed))


def about(certificate, **changed):
    """The same claims about another subject."""
    return replace(certificate, subject=replace(certificate.subject, **changed))


def with_capacity(certificate, interval):
    first, *others = certificate.claims
    return replace(certificate, claims=(replace(first, value=interval), *others))


def test_a_forger_who_seals_again_is_refused(certificate):
    """The digest of a forgery fits; recomputing does not."""
    value = certificate[CAPACITY].value
    forgeries = [
        about(certificate, variance=certificate.subject.variance * Fraction(999, 1000)),
        about(certificate, steps=certificate.subject.steps + 1),
        about(certificate, high=certificate.subject.high + 1),
        with_capacity(certificate, Interval(value.lower - 1e-3, value.upper - 1e-3)),
        with_capacity(certificate, Interval(value.lower, value.upper + 1e-2)),
        with_capacity(certificate, Interval(0.0, value.upper)),
        replace(certificate, claims=certificate.claims[:-1]),
        replace(certificate, claims=()),
        replace(certificate, claims=certificate.claims[1:]),
        replace(certificate, claims=(replace(certificate.claims[0], sentence="Nothing."), *certificate.claims[1:])),
        replace(certificate, claims=(*certificate.claims[:-1], replace(certificate.claims[-1], value=Fraction(1)))),
        replace(certificate, claims=(certificate.claims[1], certificate.claims[0], *certificate.claims[2:])),
        about(certificate, variance=Fraction(10**9)),
    ]
    for forgery in forgeries:
        with pytest.raises(ClaimRefused):
            verify(Certificate.from_json(forgery.to_json()))


def test_a_claim_for_fewer_values_is_not_one_for_more(certificate):
    forgery = about(certificate, values=2 if certificate.subject.values is None else None)
    with pytest.raises(ClaimRefused):
        verify(forgery)


def test_a_poor_witness_proves_too_little():
    good = gaussian(bound=1, budget_bits=1).certificate
    steps = good.subject.steps
    poor = about(good, positions=(-steps, steps), weights=(0.5, 0.5))
    with pytest.raises(ClaimRefused, match="but the value lies in"):
        verify(poor)
    for positions, weights in [((0,), (1.0,)), ((-steps, steps), (0.7, 0.7)), ((1,), (1.0, 0.0))]:
        with pytest.raises(ClaimRefused, match="witness"):
            verify(about(good, positions=positions, weights=weights))


def test_verification_does_not_search(monkeypatch):
    good = gaussian(bound=1, budget_bits=1).certificate

    def forbidden(*_arguments, **_options):
        raise AssertionError

    monkeypatch.setattr(noise_bounds, "lattice_capacity", forbidden)
    monkeypatch.setattr("sfumato.measures.gaussian.best_points", forbidden)
    verify(good)


@pytest.mark.parametrize("values", [2, 3, 4])
def test_few_values_are_proven_without_the_race(monkeypatch, values):
    good = gaussian(low=0, high=1, budget_bits=0.9, values=values).certificate

    def forbidden(*_arguments, **_options):
        raise AssertionError

    monkeypatch.setattr(noise_bounds, "selection_capacity", forbidden)
    monkeypatch.setattr("sfumato.measures.gaussian._race", forbidden)
    verify(good)


@pytest.mark.parametrize("values", [2, 3, 4])
def test_a_lesser_witness_with_its_own_number_is_refused(values):
    """Positions closer together tell less; number, witness and words fit each other, but others learn more."""
    good = gaussian(low=0, high=1, budget_bits=0.9, values=values).certificate
    subject = good.subject
    positions = tuple(range(values))
    weights = (1 / values,) * values if values != 3 else (0.5, 0.25, 0.25)
    bits = publish(stated_bits(subject.variance, subject.steps, positions, weights))
    with pytest.raises(ClaimRefused, match="some record learns more"):
        verify(with_capacity(about(good, positions=positions, weights=weights), bits))


def test_a_witness_is_read_to_the_last_weight(certificate):
    subject = certificate.subject
    first, *rest = subject.weights
    for weights in ((first + 1e-11, *rest), (first - 1e-11, *rest)):
        with pytest.raises(ClaimRefused, match="witness"):
            verify(about(certificate, weights=weights))
    with pytest.raises(ClaimRefused, match="witness"):
        verify(about(certificate, positions=subject.positions[::-1], weights=subject.weights[::-1]))
    signed = about(certificate, positions=(*subject.positions[:-1], 0), weights=(*subject.weights[:-1], -0.0))
    with pytest.raises(UnreadableFile, match="sign"):
        Certificate.from_json(signed.to_json())


@pytest.mark.parametrize("end", ["lower", "upper"])
@pytest.mark.parametrize("move", [1e-11, -1e-11])
def test_a_number_moved_by_a_hundredth_of_a_billionth_is_refused(certificate, end, move):
    value = certificate[CAPACITY].value
    moved = replace(value, **{end: getattr(value, end) + move})
    with pytest.raises(ClaimRefused, match=CAPACITY):
        verify(with_capacity(certificate, moved))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("variance", Fraction(10**30)),
        ("variance", Fraction(-1)),
        ("variance", Fraction(1, 10**9)),
        ("steps", 0),
        ("steps", 10**6),
        ("values", 1),
        ("high", Fraction(-5)),
    ],
)
def test_what_cannot_be_is_not_read(field, value):
    base = certify_range(low=Fraction(0), high=Fraction(1), steps=4, variance=Fraction(9))
    broken = about(base, **{field: value})
    text = broken.to_json() if field != "steps" or value else None
    if text is None:
        with pytest.raises(ZeroDivisionError):
            broken.to_json()
        return
    with pytest.raises(UnreadableFile):
        Certificate.from_json(text)


def test_a_wrong_grid_is_not_read(monkeypatch):
    base = certify_range(low=Fraction(0), high=Fraction(1), steps=4, variance=Fraction(9))
    with monkeypatch.context() as patch:
        patch.setattr(NoiseSubject, "grid", Fraction(1, 3))
        text = base.to_json()
    with pytest.raises(DigestMismatch, match="one spelling"):
        Certificate.from_json(text)
