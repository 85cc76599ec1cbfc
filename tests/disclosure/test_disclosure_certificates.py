"""A disclosure's certificate is recomputed from its law and mapping; no byte of it can be changed."""

import hashlib
import math
import re
from dataclasses import replace
from fractions import Fraction

import pytest

from sfumato.certificates import Certificate, certify, verify
from sfumato.disclosure import DataLaw, counted_law, optimum
from sfumato.disclosure.certificate import counted_estimation
from sfumato.disclosure.estimation import Origin, excess_bits, four_digits_up, leak_at_most
from sfumato.errors import ClaimRefused, DigestMismatch, SfumatoError, UnreadableFile
from sfumato.prob import Channel
from sfumato.sampling import KeyedBits

LAW = DataLaw.independent([Fraction(7, 10), Fraction(3, 10)], 3)
COUNTS = [[[343, 147], [147, 63]], [[147, 63], [63, 27]]]


@pytest.fixture(scope="module")
def certificate():
    return certify(optimum(counted_law(COUNTS)), estimated_from=1000)


def test_it_verifies_after_a_round_trip(certificate):
    again = Certificate.from_json(certificate.to_json())
    verify(again)
    assert again.to_json() == certificate.to_json()
    assert again["sample_leak_bits"].value == 0
    assert 1.0 < again["disclosed_bits"].value.lower < 1.1


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
    with pytest.raises(ClaimRefused, match="leaves out leak_if_law_differs_bits"):
        verify(replace(certificate, claims=certificate.claims[1:]))


def test_files_that_are_no_certificate(certificate):
    with pytest.raises(UnreadableFile):
        Certificate.from_json(b"{}")
    text = certificate.to_json()
    with pytest.raises((UnreadableFile, DigestMismatch)):
        Certificate.from_json(sealed_again(text.replace('"345/1016"', '"346/1016"', 1)))
    with pytest.raises((UnreadableFile, DigestMismatch)):
        Certificate.from_json(sealed_again(text.replace('"345/1016"', '"1e999999999"', 1)))


def test_the_bound_for_another_law_holds_where_it_can_be_computed():
    """The mapping for a counted law, used on others: no sample leaks more than D(p‖p̂), which the bound is about."""
    from sfumato.disclosure.optimal import leak_bound

    law = counted_law(COUNTS)
    mapping = optimum(law).channel
    for share in (Fraction(29, 100), Fraction(27, 100), Fraction(35, 100)):
        other = DataLaw.independent([1 - share, share], 3)
        apart = sum(p * math.log2(p / q) for p, q in zip(other.array, law.array, strict=True))
        leak = leak_bound(other, other.singles(), mapping)
        assert 0 < leak <= apart


def test_the_bound_for_another_law_is_reached():
    """Two fair bits and their sum: if the second is not fair, its bias is told about the first, all of it."""
    from sfumato.disclosure.optimal import leak_bound

    cells = [(0, 0), (0, 1), (1, 0), (1, 1)]
    agree = Channel([[1, 0], [0, 1], [0, 1], [1, 0]], cells)
    for share in (0.1, 0.3, 0.45):
        other = DataLaw.of([[(1 - share) / 2, share / 2], [(1 - share) / 2, share / 2]])
        apart = 1 + share * math.log2(share) + (1 - share) * math.log2(1 - share)
        assert leak_bound(other, ((0,),), agree) == pytest.approx(apart, abs=1e-9)


@pytest.mark.parametrize("samples", [40, 63, 64, 200, 1100])
def test_what_there_is_to_say_is_counted_in_whole_numbers(samples):
    """2^63 values do not fit into a machine word: counted there, the leak would be certified as nothing at all."""
    estimation = counted_estimation(Origin.RECORDS, 10, 2**39)
    found = leak_at_most((2,) * samples, (tuple(range(samples)),), estimation, bits=1e9)
    assert found == samples


def test_what_is_only_rounding_is_said_alike_and_what_is_more_is_added():
    cells = [(0, 0), (0, 1), (1, 0), (1, 1)]
    law = DataLaw.of([[Fraction(1, 4)] * 2] * 2)
    tiny = Fraction(1, 10**9)
    for off, excess in ((Fraction(0), 0.0), (tiny, 1e-6), (Fraction(1, 4), math.log2(1.5))):
        rows = [[Fraction(1, 2) + off, Fraction(1, 2) - off]] * 2 + [[Fraction(1, 2) - off, Fraction(1, 2) + off]] * 2
        assert excess_bits(law, law.singles(), Channel(rows, cells)) == pytest.approx(excess, abs=1e-15)


def test_four_digits_are_rounded_up():
    for number, shown in (
        (Fraction(0), 0.0),
        (Fraction(12345, 10**7), 0.001235),
        (Fraction(1), 1.0),
        (Fraction(10**5) / 3, 33340.0),
    ):
        assert four_digits_up(number) == shown
