"""Private keys at rest: what was locked comes back, costs as much to guess as a key file, and old files are read."""

import msgspec
import pytest
from cryptography.hazmat.primitives import serialization as pem

from sfumato.errors import InvalidParameter, KeyRefused, UnknownSchema, UnreadableFile
from sfumato.keys.key_documents import read_header, seal_key
from sfumato.keys.protection import Passphrase, PrivateKey, PublicKey, Unprotected, new_key_pair
from sfumato.keys.sealed_files import FRAME, open_private_key, private_key_protection, seal_private_key
from sfumato.ladders import Ladder
from sfumato.sampling import InsecureSeeded

WORDS = "correct horse battery staple"
CHEAP = Passphrase(WORDS, memory_kib=8, passes=1, lanes=1)
PRIVATE, PUBLIC = new_key_pair()
KEY = Ladder.within(size=5, epsilons=(2.0, 1.0)).draw_keys(50, InsecureSeeded(5))[1]


OWN = {"kind": "private_key", "nonce": "00" * 12, "owner": "00" * 16, "salt": "00" * 16}


def old_pem(private, words=None):
    """PKCS #8, in clear or under a passphrase."""
    lock = pem.NoEncryption() if words is None else pem.BestAvailableEncryption(words.encode())
    return private.loaded().private_bytes(pem.Encoding.PEM, pem.PrivateFormat.PKCS8, lock)


def header_of(data):
    length = int.from_bytes(data[len(FRAME.magic) : len(FRAME.magic) + 4], "little")
    return msgspec.json.decode(data[len(FRAME.magic) + 4 : len(FRAME.magic) + 4 + length]), length


@pytest.mark.parametrize("protection", [CHEAP, Unprotected()], ids=["passphrase", "none"])
def test_private_keys_come_back_and_every_bit_counts(protection):
    sealed = seal_private_key(PRIVATE, protection)
    assert open_private_key(sealed, protection).raw == PRIVATE.raw
    assert (PRIVATE.raw in sealed) is (protection is not CHEAP)
    assert header_of(sealed)[0]["public"] == PUBLIC.raw.hex()
    for position in range(8 * len(sealed)):
        changed = bytearray(sealed)
        changed[position // 8] ^= 1 << position % 8
        with pytest.raises((KeyRefused, UnreadableFile)):
            open_private_key(bytes(changed), protection)
    for length in range(1, len(sealed)):
        with pytest.raises(UnreadableFile, match="cut off"):
            open_private_key(sealed[:length], protection)
    with pytest.raises(UnreadableFile, match="something was added"):
        open_private_key(sealed + b"\0", protection)


def test_the_kind_of_secret_must_be_that_of_the_file():
    locked, loose = seal_private_key(PRIVATE, CHEAP), seal_private_key(PRIVATE, Unprotected())
    assert (private_key_protection(locked), private_key_protection(loose)) == ("passphrase", "none")
    with pytest.raises(KeyRefused, match="private key is protected by a passphrase"):
        open_private_key(locked, Unprotected())
    with pytest.raises(KeyRefused, match="private key does not open"):
        open_private_key(locked, Passphrase("other"))
    # Whoever exchanged the file would otherwise have the next key files sealed under a key that they know.
    with pytest.raises(KeyRefused, match="private key is not protected, although a passphrase was given"):
        open_private_key(loose, CHEAP)
    for protection in (PUBLIC, PRIVATE):
        with pytest.raises(InvalidParameter, match="its owner's alone"):
            seal_private_key(PRIVATE, protection)


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        (lambda d: d.update(schema="sfumato/private-key/2"), UnknownSchema, "Upgrade sfumato"),
        (lambda d: d.update(schema="sfumato/key/1"), UnreadableFile, "damaged"),
        (lambda d: d.update(public="00" * 32), KeyRefused, "not that of its header"),
        (lambda d: d.update(public="x"), KeyRefused, "not that of its header"),
        (lambda d: d.update(extra=1), UnreadableFile, "damaged"),
        (lambda d: d.update(protection=OWN), UnreadableFile, "damaged"),
        (lambda d: d.update(protection={"kind": "trust"}), UnreadableFile, "damaged"),
    ],
)
def test_hostile_headers_get_a_sentence(change, error, words):
    """Sealed as the software seals: an unprotected file can be anyone's."""
    from sfumato.keys.protection import OpenLock, seal_body

    document, _ = header_of(seal_private_key(PRIVATE, Unprotected()))
    change(document)
    opening = FRAME.opening(msgspec.json.encode(document, order="sorted"))
    with pytest.raises(error, match=words) as caught:
        open_private_key(opening + seal_body(PRIVATE.raw, opening, Unprotected(), OpenLock()), Unprotected())
    assert type(caught.value) is error


def test_a_passphrase_of_a_private_key_costs_what_one_of_a_key_file_costs():
    """The parameters as they stand in the two files, for the passphrase that the command makes."""
    of_key = read_header(seal_key(KEY, Passphrase(WORDS))).lock
    document, _ = header_of(seal_private_key(PRIVATE, Passphrase(WORDS)))
    protection = document["protection"]
    assert protection["kdf"] == "argon2id"
    costs = (protection["memory_kib"], protection["passes"], protection["lanes"])
    assert costs == (of_key.memory_kib, of_key.passes, of_key.lanes) == (65536, 3, 4)


def test_pem_files_are_read_in_clear_only():
    data = old_pem(PRIVATE)
    assert private_key_protection(data) == "none"
    assert open_private_key(data, Unprotected()).raw == PRIVATE.raw
    with pytest.raises(KeyRefused, match="private key is not protected, although a passphrase was given"):
        open_private_key(data, Passphrase(WORDS))
    locked = old_pem(PRIVATE, WORDS)
    for reads in (
        private_key_protection,
        PrivateKey.from_pem,
        lambda found: open_private_key(found, Passphrase(WORDS)),
    ):
        with pytest.raises(KeyRefused, match="encrypted PEM file") as caught:
            reads(locked)
        assert "openssl pkey" in caught.value.way_out


@pytest.mark.parametrize(
    "data",
    [PUBLIC.to_pem(), b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"],
    ids=["public", "junk"],
)
def test_pem_files_that_do_not_open(data):
    with pytest.raises(KeyRefused, match="the private key does not open"):
        open_private_key(data, Unprotected())


def test_public_keys_are_pem_files():
    assert PublicKey.from_pem(PUBLIC.to_pem()) == PUBLIC
    for data in (b"", old_pem(PRIVATE), b"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"):
        with pytest.raises(KeyRefused, match="X25519 public key"):
            PublicKey.from_pem(data)
    for kind in (PublicKey, PrivateKey):
        with pytest.raises(InvalidParameter, match="32 bytes"):
            kind(b"short")


@pytest.mark.parametrize("junk", [b"", b"{}", b"\x00\xff", b"SFUMATO PRIVATE KEX\n" + b"0" * 99])
def test_what_is_no_private_key_at_all(junk):
    with pytest.raises(UnreadableFile, match="not a Sfumato private key"):
        open_private_key(junk, Unprotected())
