"""A disclosure's certificate is recomputed from its law and mapping; no byte of it can be changed."""

import hashlib
import re
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import sfumato as sf
from sfumato.bits import KeyedBits
from sfumato.certificates import Certificate, certify, verify
from sfumato.certificates.certifying import certify_subject
from sfumato.disclose import DataLaw, optimum
from sfumato.disclose.disclosure_certificates import DisclosureSubject
from sfumato.disclose.law_estimates import Estimation, Origin, estimation_radius, leak_if_law_differs
from sfumato.errors import ClaimRefused, DigestMismatch, SfumatoError, UnreadableFile
from sfumato.prob import Channel

LAW = DataLaw.independent([Fraction(7, 10), Fraction(3, 10)], 3)


@pytest.fixture(scope="module")
def certificate():
    return certify(optimum(LAW), estimated_from=1000)


def test_it_verifies_after_a_round_trip(certificate):
    again = Certificate.from_json(certificate.to_json())
    verify(again)
    assert again.to_json() == certificate.to_json()
    assert again["sample_leak_bits"].value == 0
    assert 1.044 < again["disclosed_bits"].value.lower < 1.0442


def test_every_changed_byte_is_refused(certificate):
    data = certificate.to_json().encode()
    places = KeyedBits(hashlib.sha256(b"where").digest()).words(300, 32) % len(data)
    for place in places.tolist():
        changed = bytearray(data)
        changed[place] ^= 1
        with pytest.raises(SfumatoError):
            Certificate.from_json(bytes(changed))


def sealed_again(text):
    """The best forger: changes something and seals it anew."""
    blank = re.sub(r"sha256:[0-9a-f]{64}", "sha256:" + "0" * 64, text)
    return blank.replace("0" * 64, hashlib.sha256(blank.encode()).hexdigest(), 1)


def test_a_leaking_mapping_cannot_claim_to_be_private(certificate):
    mapping = certificate.subject.channel
    row = list(mapping.rows[0])
    row[0], row[1] = row[0] + min(row[1], Fraction(1, 100)), row[1] - min(row[1], Fraction(1, 100))
    leaking = Channel([row, *mapping.rows[1:]], mapping.inputs)
    assert leaking.rows != mapping.rows
    forged = replace(certificate, subject=replace(certificate.subject, channel=leaking))
    opened = Certificate.from_json(forged.to_json())
    with pytest.raises(ClaimRefused, match="sample_leak_bits"):
        verify(opened)


def test_a_false_number_under_a_fresh_seal_is_refused(certificate):
    claim = certificate["disclosed_bits"]
    more = replace(claim, value=type(claim.value)(claim.value.lower + 0.1, claim.value.upper + 0.1))
    claims = tuple(more if c.measure == claim.measure else c for c in certificate.claims)
    with pytest.raises(ClaimRefused, match="disclosed_bits"):
        verify(Certificate.from_json(replace(certificate, claims=claims).to_json()))
    with pytest.raises(ClaimRefused, match="leaves out sample_leak_bits"):
        verify(replace(certificate, claims=certificate.claims[1:]))


def test_files_that_are_no_certificate(certificate):
    with pytest.raises(UnreadableFile):
        Certificate.from_json(b"{}")
    text = certificate.to_json()
    with pytest.raises((UnreadableFile, DigestMismatch)):
        Certificate.from_json(sealed_again(text.replace('"343/1000"', '"344/1000"', 1)))
    with pytest.raises((UnreadableFile, DigestMismatch)):
        Certificate.from_json(sealed_again(text.replace('"343/1000"', '"1e999999999"', 1)))


def test_the_bound_for_another_law_holds_where_it_can_be_computed():
    """The mapping for one law, used on others within the radius: no sample leaks more than the bound."""
    from sfumato.disclose.disclosures import leak_bound

    mapping = optimum(LAW).channel
    for share in (Fraction(29, 100), Fraction(27, 100), Fraction(35, 100)):
        other = DataLaw.independent([1 - share, share], 3)
        distance = sum(abs(a - b) for a, b in zip(LAW.masses, other.masses, strict=True)) / 2
        leak = leak_bound(other, other.singles(), mapping)
        assert 0 < leak <= leak_if_law_differs(float(distance), 2)
    assert leak_if_law_differs(0.0, 2) == 0
    assert leak_if_law_differs(0.9, 2) == 1
    assert 0 < estimation_radius(10_000, 8) < estimation_radius(100, 8) <= 1


@pytest.mark.parametrize("samples", [62, 63, 64, 200, 1100])
def test_a_group_of_many_samples_is_counted_in_whole_numbers(samples):
    """2^63 values do not fit into a machine word: counted there, the leak would be certified as nothing at all."""
    law = DataLaw(
        shape=(2,) * samples,
        cells=np.array([[0] * samples, [1] * samples]),
        masses=(Fraction(1, 2), Fraction(1, 2)),
    )
    subject = DisclosureSubject(
        law=law,
        groups=(tuple(range(samples)),),
        channel=Channel([[1], [1]], [(0,) * samples, (1,) * samples]),
        estimation=Estimation(law=Origin.RECORDS, data_sets=1000),
        salt="5a" * 32,
    )
    made = certify_subject(subject)
    assert made["leak_if_law_differs_bits"].value.upper >= samples
    sf.verify(made)
