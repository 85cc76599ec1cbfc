"""Certificates about one record: what is claimed is checked by another way, and a false claim is refused."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import sfumato as sf
from record_channels import datasets, flipped, h2, random_channel
from sfumato.certificates import Certificate, certify, verify
from sfumato.certificates.channel_claims import _told
from sfumato.certificates.claims import publish
from sfumato.display.text import at_most
from sfumato.errors import ClaimRefused, InvalidParameter
from sfumato.measures.individual import contests_of, individual_capacity_bits, none_exceeds
from sfumato.numbers import Interval

EXAMPLE = flipped([int(a == b) for a, b in datasets((3, 2))], Fraction(1, 10))


@pytest.fixture(scope="module")
def certificate():
    return certify(EXAMPLE, shape=(3, 2))


def changed(certificate, measure, **what):
    return replace(
        certificate,
        claims=tuple(replace(c, **what) if c.measure == measure else c for c in certificate.claims),
    )


def test_it_claims_what_one_record_loses_and_survives_the_file(certificate):
    claim = certificate["individual_capacity_bits"]
    assert 1 - h2(0.1) in claim.value
    assert claim.value.width < 2e-6
    assert certificate["neighbour_odds"].value == certificate["correlated_odds"].value == 9
    again = Certificate.from_json(certificate.to_json())
    assert again == certificate
    verify(again)
    assert "any one of them" in certificate.to_html()


def test_without_records_the_file_is_spelled_as_before():
    assert '"shape"' not in certify(EXAMPLE).to_json()


@pytest.mark.parametrize(
    ("down", "up"), [(-1e-3, -1e-3), (1e-3, 1e-3), (1e-11, 0), (-1e-11, 0), (0, 1e-11), (0, -1e-11)]
)
def test_a_moved_interval_is_refused(certificate, down, up):
    value = certificate["individual_capacity_bits"].value
    moved = changed(certificate, "individual_capacity_bits", value=Interval(value.lower + down, value.upper + up))
    with pytest.raises(ClaimRefused, match="individual_capacity_bits"):
        verify(moved)


def test_a_lesser_adversary_with_his_own_number_is_refused(certificate):
    """Everything fits together but that nobody learns more, which is looked at by another way than the search's."""
    shy = (0.9, 0.1, 0.0, 0.0, 0.0, 0.0)
    told = _told(certificate.subject.channel, certificate.subject.shape, shy)
    claim = certificate["individual_capacity_bits"]
    value = publish(Interval(told, told + 1.5e-6))
    said = claim.sentence.replace(at_most(claim.value), at_most(value))
    with pytest.raises(ClaimRefused, match="some adversary learns more"):
        verify(changed(certificate, "individual_capacity_bits", value=value, witness=shy, sentence=said))


def test_a_witness_is_read_to_the_last_weight(certificate):
    claim = certificate["individual_capacity_bits"]
    first, *rest = claim.witness
    for witness in ((first + 1e-11, *rest), (first, *rest[:-1], -0.0)):
        with pytest.raises(ClaimRefused, match=r"individual_capacity_bits.*witness"):
            verify(changed(certificate, "individual_capacity_bits", witness=witness))


def test_a_vague_interval_is_refused(certificate):
    vague = changed(certificate, "individual_capacity_bits", value=Interval(0.0, 1.0))
    with pytest.raises(ClaimRefused, match="vaguer"):
        verify(vague)


@pytest.mark.parametrize(
    ("witness", "said"),
    [
        ((1 / 6,) * 6, "the value lies in"),
        ((0.5, 0.5), "law of the worst"),
        (None, "law of the worst"),
        ((2.0, -1.0, 0, 0, 0, 0), "from 0 to 1"),
    ],
)
def test_another_adversary_is_refused(certificate, witness, said):
    with pytest.raises(ClaimRefused, match=said):
        verify(changed(certificate, "individual_capacity_bits", witness=witness))


@pytest.mark.parametrize("shape", [(2, 3), (2, 2), None])
def test_other_records_are_refused(shape):
    """The same rows read as other tables have other neighbours and another worst adversary."""
    honest = certify(random_channel(np.random.default_rng(0), (3, 2), 3), shape=(3, 2))
    with pytest.raises(ClaimRefused):
        verify(replace(honest, subject=replace(honest.subject, shape=shape)))


@pytest.mark.parametrize("seed", range(6))
def test_the_check_agrees_with_the_search(seed):
    rng = np.random.default_rng(seed)
    shape = [(2, 2, 2), (3, 3), (2, 3, 2)][seed % 3]
    channel = random_channel(rng, shape, 4)
    found = individual_capacity_bits(channel, shape)
    singles = tuple((i,) for i in range(len(shape)))
    contests = [tuple(choice.rows for choice in contest) for _, contest in contests_of(channel, shape, singles)]
    assert none_exceeds(contests, found.upper)
    assert not none_exceeds(contests, found.lower - 1e-7)


def test_random_float_channels_are_certified_and_verified():
    channel = random_channel(np.random.default_rng(4), (2, 2, 2), 3)
    sf.verify(sf.certify(channel, shape=(2, 2, 2)))


def test_a_shape_that_does_not_fit_is_refused():
    with pytest.raises(InvalidParameter, match="shape"):
        certify(EXAMPLE, shape=(2, 2))
