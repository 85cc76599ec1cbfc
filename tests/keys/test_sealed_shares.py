"""What devices seal for receivers: one length, tied to its report, and nothing comes out of what no device sealed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import InvalidParameter, KeyRefused
from sfumato.keys.shares import (
    Kem,
    ShareKey,
    check_public,
    new_share_key,
    open_share,
    opened_bodies,
    seal_share,
    share_bytes,
    share_info,
    share_infos,
    share_text,
    shifts_in,
    shifts_of_many,
)

MODULI = (2, 5, 300, 70_000)
INFO = share_info("f" * 64, "ministry", bytes(32))


@pytest.mark.parametrize("kem", list(Kem))
def test_a_body_opens_for_its_receiver_beside_its_report_alone(kem):
    key, other = new_share_key(kem), new_share_key(kem)
    body = seal_share((1, 4, 299, 69_999), MODULI, kem, key.public, INFO)
    assert open_share(body, MODULI, key, INFO) == (1, 4, 299, 69_999)
    assert open_share(body, MODULI, other, INFO) is None
    for name, receiver, report in (
        ("e" * 64, "ministry", bytes(32)),
        ("f" * 64, "press", bytes(32)),
        ("f" * 64, "ministry", b"\1" * 32),
    ):
        assert open_share(body, MODULI, key, share_info(name, receiver, report)) is None
    for place in (0, len(body) // 2, len(body) - 1):
        changed = bytearray(body)
        changed[place] ^= 1
        assert open_share(bytes(changed), MODULI, key, INFO) is None
    assert open_share(bytes(len(body)), MODULI, key, INFO) is None
    assert open_share(b"", MODULI, key, INFO) is None


@pytest.mark.parametrize("kem", list(Kem))
def test_all_bodies_have_one_length(kem):
    key = new_share_key(kem)
    lengths = {len(seal_share(shifts, MODULI, kem, key.public, INFO)) for shifts in ((0, 0, 0, 0), (1, 4, 299, 69_999))}
    assert lengths == {share_bytes(MODULI, kem)}
    assert len(key.public) == kem.public_bytes


@given(shifts=st.tuples(*(st.integers(0, modulus - 1) for modulus in MODULI)))
def test_shifts_are_spelled_and_read(shifts):
    assert shifts_in(share_text(shifts, MODULI), MODULI) == shifts


def test_bytes_that_no_device_spells_are_no_shifts():
    """All zero bytes above all: they look like shifts of nothing, which is the likeliest draw."""
    text = share_text((1, 4, 299, 69_999), MODULI)
    assert shifts_in(bytes(len(text)), MODULI) is None
    assert shifts_in(text + b"\0", MODULI) is None
    assert shifts_in(text[:-1], MODULI) is None
    assert shifts_in(share_text((1, 4, 299, 70_000), (2, 5, 300, 70_001)), MODULI) is None


def test_a_sealed_text_of_zeros_holds_no_draws():
    key = new_share_key(Kem.X25519)
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PublicKey
    from cryptography.hazmat.primitives.hpke import AEAD, KDF, KEM, Suite

    suite = Suite(KEM.X25519, KDF.HKDF_SHA256, AEAD.AES_256_GCM)
    zeros = bytes(len(share_text((0, 0, 0, 0), MODULI)))
    body = suite.encrypt(zeros, X25519PublicKey.from_public_bytes(key.public), info=INFO)
    assert len(body) == share_bytes(MODULI, Kem.X25519)
    assert open_share(body, MODULI, key, INFO) is None


def test_processes_open_what_one_opens():
    key = new_share_key(Kem.X25519)
    bodies = [seal_share((n % 2, n % 5, n, 0), MODULI, Kem.X25519, key.public, INFO) for n in range(40)]
    bodies[3] = bytes(len(bodies[3]))
    chunks = [(bodies[:25], [INFO] * 25), (bodies[25:], [INFO] * 15)]
    here, there = (
        [
            np.concatenate(parts)
            for parts in zip(*opened_bodies(chunks, MODULI, key, rows=40, processes=count), strict=True)
        ]
        for count in (1, 2)
    )
    for one, other in zip(here, there, strict=True):
        np.testing.assert_array_equal(one, other)
    rows, is_there = here
    assert np.flatnonzero(~is_there).tolist() == [3]
    assert rows[3].tolist() == [0, 0, 0, 0]
    assert rows[7].tolist() == [1, 2, 7, 0]


def test_many_texts_are_read_as_each_alone():
    """Right ones, a report that is none, zeros, too short, too long, and nothing at all, in one block."""
    good = share_text((1, 4, 299, 69_999), MODULI)
    texts = [good, b"", bytes(len(good)), good[:-1], good + b"\0", b"\x01" + b"\xff" * (len(good) - 1), good]
    rows, is_there = shifts_of_many(texts, MODULI)
    assert is_there.tolist() == [True, False, False, False, False, False, True]
    assert rows.tolist() == [[1, 4, 299, 69_999], *[[0] * 4] * 5, [1, 4, 299, 69_999]]
    assert share_infos("f", "ministry", [b"a", b"bc"]) == [share_info("f", "ministry", one) for one in (b"a", b"bc")]


def test_a_public_key_that_nobody_can_seal_for_is_refused():
    with pytest.raises(InvalidParameter, match="32 bytes"):
        check_public(Kem.X25519, b"short")
    with pytest.raises(KeyRefused):
        check_public(Kem.X25519, bytes(32))


def test_a_private_key_is_not_shown():
    key = ShareKey(Kem.X25519, b"\x07" * 32)
    assert "07" not in repr(key)
