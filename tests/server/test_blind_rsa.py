"""Blind signatures: the vectors of RFC 9474, and what a faulty machine or a wrong key gets."""

import json
import math
from functools import cache
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from sfumato.errors import InvalidParameter, KeyRefused
from sfumato.server import blind_rsa
from sfumato.server.blind_rsa import NONCE_BYTES, Signer, blind, blinding_of, check_signature, pss_encoding, unblinded

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "blind_rsa.json").read_text())
VARIANTS = {variant["name"]: variant for variant in VECTORS["variants"]}
MESSAGE = b"sfumato/credential/1 test"


@cache
def vector_key():
    p, q, n, e = (int(VECTORS["key"][name], 16) for name in "pqne")
    assert p * q == n
    d = pow(e, -1, math.lcm(p - 1, q - 1))
    parts = (rsa.rsa_crt_dmp1(d, p), rsa.rsa_crt_dmq1(d, q), rsa.rsa_crt_iqmp(p, q))
    return rsa.RSAPrivateNumbers(p, q, d, *parts, rsa.RSAPublicNumbers(e, n)).private_key()


@cache
def small_key():
    return rsa.generate_private_key(65537, 2048)


def of(name):
    variant = VARIANTS[name]
    private = vector_key()
    inverse = int(variant["inv"], 16)
    factor = pow(inverse, -1, private.public_key().public_numbers().n)
    blinding = blinding_of(
        private.public_key(),
        bytes.fromhex(variant["msg"]),
        bytes.fromhex(variant["msg_prefix"]),
        bytes.fromhex(variant["salt"]),
        factor,
    )
    return private, variant, blinding


@pytest.mark.parametrize("name", VARIANTS)
def test_the_vectors_of_the_standard(name):
    private, variant, blinding = of(name)
    assert blinding.blinded.hex() == variant["blinded_msg"]
    assert blinding.inverse == int(variant["inv"], 16)
    signed = Signer(private).sign(blinding.blinded)
    assert signed.hex() == variant["blind_sig"]
    assert unblinded(private.public_key(), blinding, signed).hex() == variant["sig"]


@pytest.mark.parametrize("name", VARIANTS)
def test_a_changed_vector_is_refused(name):
    private, variant, blinding = of(name)
    signed = bytearray.fromhex(variant["blind_sig"])
    signed[100] ^= 1
    with pytest.raises(KeyRefused):
        unblinded(private.public_key(), blinding, bytes(signed))


def test_what_the_signer_makes_is_an_ordinary_signature():
    """Any library that knows RSASSA-PSS with SHA-384 can check it, and the encoding is the one such libraries read."""
    private = small_key()
    asked = blind(private.public_key(), MESSAGE)
    signature = unblinded(private.public_key(), asked, Signer(private).sign(asked.blinded))
    pss = padding.PSS(padding.MGF1(hashes.SHA384()), 48)
    private.public_key().verify(signature, asked.nonce + MESSAGE, pss, hashes.SHA384())
    check_signature(private.public_key(), MESSAGE, asked.nonce, signature)
    for message, nonce in ((MESSAGE + b"!", asked.nonce), (MESSAGE, bytes(NONCE_BYTES))):
        with pytest.raises(KeyRefused):
            check_signature(private.public_key(), message, nonce, signature)


@pytest.mark.parametrize("bits", [2047, 2048, 2049, 2050, 2055])
def test_the_encoding_fits_moduli_of_any_length(bits):
    encoded = int.from_bytes(pss_encoding(b"message", bytes(48), bits - 1), "big")
    assert encoded.bit_length() <= bits - 1
    assert encoded & 0xFF == 0xBC


def test_two_blindings_of_one_message_have_nothing_in_common():
    public = small_key().public_key()
    first, second = blind(public, MESSAGE), blind(public, MESSAGE)
    assert first.nonce != second.nonce
    assert first.blinded != second.blinded
    assert first.inverse != second.inverse


def test_any_blinded_number_could_have_come_from_any_nonce():
    """Each nonce has exactly one factor that gives the blinded number: seeing it says nothing about the nonce."""
    private = small_key()
    numbers, d = private.public_key().public_numbers(), private.private_numbers().d
    seen = int.from_bytes(blind(private.public_key(), MESSAGE).blinded, "big")
    for _ in range(3):
        other = blind(private.public_key(), MESSAGE)
        salt = bytes(48)
        encoded = int.from_bytes(pss_encoding(other.nonce + MESSAGE, salt, numbers.n.bit_length() - 1), "big")
        factor = pow(seen * pow(encoded, -1, numbers.n) % numbers.n, d, numbers.n)
        again = blinding_of(private.public_key(), MESSAGE, other.nonce, salt, factor)
        assert int.from_bytes(again.blinded, "big") == seen


def test_the_same_number_gets_the_same_signature():
    signer, asked = Signer(small_key()), blind(small_key().public_key(), MESSAGE)
    assert signer.sign(asked.blinded) == signer.sign(asked.blinded)


@pytest.mark.parametrize("half", ["_dp", "_dq", "_inverse"])
def test_a_fault_in_one_half_never_leaves(half):
    """A signature that is right by one prime and wrong by the other has a common factor with n: the key is gone."""
    private = small_key()
    signer = Signer(private)
    asked = blind(private.public_key(), MESSAGE)
    setattr(signer, half, getattr(signer, half) + 2)
    number = int.from_bytes(asked.blinded, "big")
    numbers = private.public_key().public_numbers()
    faulty = int(signer._power(signer._gmp.mpz(number)))
    told = math.gcd(pow(faulty, numbers.e, numbers.n) - number, numbers.n)
    assert told in {private.private_numbers().p, private.private_numbers().q}
    with pytest.raises(KeyRefused, match="not sent"):
        signer.sign(asked.blinded)


def test_the_power_is_taken_in_constant_time():
    """By GMP's own constant-time function, and for no other reason than that name."""
    signer = Signer(small_key())
    called = []

    class Watched:
        def __getattr__(self, name):
            called.append(name)
            return getattr(blind_rsa._gmp(), name)

    signer._gmp = Watched()
    signer.sign(blind(small_key().public_key(), MESSAGE).blinded)
    assert called.count("powmod_sec") == 2


@pytest.mark.parametrize("what", ["short", "long", "zero", "modulus", "above"])
def test_numbers_that_nobody_blinded_are_refused(what):
    modulus = small_key().public_key().public_numbers().n
    asked = {
        "short": bytes(255),
        "long": bytes(256) + b"\x01",
        "zero": bytes(256),
        "modulus": modulus.to_bytes(256, "big"),
        "above": (2**2048 - 1).to_bytes(256, "big"),
    }[what]
    with pytest.raises(InvalidParameter, match="blinded"):
        Signer(small_key()).sign(asked)


def test_weak_keys_are_refused():
    n, e = small_key().public_key().public_numbers().n, 65537
    for numbers in (rsa.RSAPublicNumbers(3, n), rsa.RSAPublicNumbers(e, n >> 1 | 1)):
        with pytest.raises(KeyRefused, match="2048 bits"):
            blind(numbers.public_key(), MESSAGE)


def test_a_signature_of_another_key_is_refused():
    asked = blind(small_key().public_key(), MESSAGE)
    other = Signer(rsa.generate_private_key(65537, 2048))
    try:
        signed = other.sign(asked.blinded)
    except InvalidParameter:  # the number is above the other modulus
        return
    with pytest.raises(KeyRefused):
        unblinded(small_key().public_key(), asked, signed)


def test_nothing_shows_what_is_secret():
    asked = blind(small_key().public_key(), MESSAGE)
    assert asked.nonce.hex() not in repr(asked)
    assert str(asked.inverse) not in repr(asked)
    assert str(small_key().private_numbers().p) not in repr(vars(Signer(small_key())).keys())
