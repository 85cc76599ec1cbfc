"""Tokens, invitations and the key that signs credentials."""

import stat
from functools import cache

import pytest

from sfumato.errors import InvalidParameter, KeyRefused, UnreadableFile
from sfumato.server.blind_rsa import blind, unblinded
from sfumato.server.credentials import (
    KEY_FILE,
    CredentialKey,
    check_credential,
    check_link,
    credential_hash,
    credential_statement,
    key_digest,
    new_tokens,
    read_invites,
    read_public_key,
    read_token,
    shown_token,
    token_hash,
    write_invites,
)

STUDY = "ab" * 32


@cache
def a_key():
    return CredentialKey.generate()


def test_tokens_are_new_and_can_be_typed():
    tokens = new_tokens(1000)
    assert len(set(tokens)) == 1000
    for token in tokens[:5]:
        assert read_token(f" {shown_token(token).lower()} ") == token
        assert token_hash(shown_token(token)) == token_hash(token)
    assert len({token_hash(token) for token in tokens}) == 1000


@pytest.mark.parametrize("text", ["", "ABC", "A" * 31, "A" * 33, "A" * 31 + "1", "Ä" * 32])
def test_what_is_no_token_is_refused_and_not_repeated(text):
    with pytest.raises(InvalidParameter, match="32 letters") as caught:
        token_hash(text)
    assert not text or text not in str(caught.value)


@pytest.mark.parametrize("count", [0, -1, 10**8])
def test_numbers_of_invitations_have_bounds(count):
    with pytest.raises(InvalidParameter, match="invite"):
        new_tokens(count)


@pytest.mark.parametrize("url", [None, "https://survey.example/"])
def test_invitations_come_back(tmp_path, url):
    tokens, path = new_tokens(20), tmp_path / "invites.csv"
    write_invites(path, tokens, url)
    assert read_invites(path) == tokens
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    if url:
        assert f"https://survey.example/#{tokens[0]}" in path.read_text()
    with pytest.raises(InvalidParameter, match="never overwritten"):
        write_invites(path, tokens, url)


@pytest.mark.parametrize(
    "url",
    ["ftp://s.example", "javascript:alert(1)", "s.example", "https://", "https:///path", "https://s.example?a",
     "https://s.example#a", "https://s.example\n", "https://s. example", "https://s.example:99999", "https://[::1"],
)  # fmt: skip
def test_a_link_is_an_http_url(tmp_path, url):
    with pytest.raises(InvalidParameter, match="must be an http or https URL"):
        write_invites(tmp_path / "invites.csv", new_tokens(1), url)
    assert not list(tmp_path.iterdir())


def test_addresses_of_servers_can_be_linked_to():
    for url in (
        "http://127.0.0.1:8733",
        "https://s.example/survey/",
        "https://[::1]:8733",
        "https://umfrage-köln.example",
    ):
        check_link(url)


def test_a_damaged_invitation_is_named_by_its_line(tmp_path):
    path = tmp_path / "invites.csv"
    tokens = new_tokens(2)
    path.write_text(f"token\n{tokens[0]}\n{tokens[1][:-1]}\n")
    with pytest.raises(UnreadableFile, match="line 3") as caught:
        read_invites(path)
    assert tokens[1][:-1] not in str(caught.value)


def test_the_key_is_made_once_for_its_owner_alone(tmp_path):
    first, second = CredentialKey.in_folder(tmp_path), CredentialKey.in_folder(tmp_path)
    assert first.digest == second.digest == key_digest(read_public_key(first.public_text))
    assert stat.S_IMODE((tmp_path / KEY_FILE).stat().st_mode) == 0o600
    assert "PRIVATE" not in repr(first)


@pytest.mark.parametrize("data", [b"nothing", b"-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----\n"])
def test_a_damaged_key_is_refused(tmp_path, data):
    (tmp_path / KEY_FILE).write_bytes(data)
    with pytest.raises(UnreadableFile, match="no key that signs"):
        CredentialKey.in_folder(tmp_path)
    with pytest.raises(KeyRefused):
        read_public_key("AAAA")


def test_a_credential_is_good_for_one_study_and_one_key():
    key = a_key()
    asked = blind(key.public, credential_statement(STUDY))
    signature = unblinded(key.public, asked, key.signer.sign(asked.blinded))
    check_credential(key.public, STUDY, asked.nonce, signature)
    for study, nonce, signed in (
        ("cd" * 32, asked.nonce, signature),
        (STUDY, bytes(32), signature),
        (STUDY, asked.nonce, signature[:-1] + bytes([signature[-1] ^ 1])),
        (STUDY, asked.nonce, b"\x00" + signature),
        (STUDY, asked.nonce, b""),
    ):
        with pytest.raises(KeyRefused):
            check_credential(key.public, study, nonce, signed)
    with pytest.raises(InvalidParameter, match="32 bytes"):
        check_credential(key.public, STUDY, asked.nonce[:-1], signature)
    # A signature has one spelling, so that its hash can be unique: the same number plus the modulus is refused.
    above = int.from_bytes(signature, "big") + key.public.public_numbers().n
    with pytest.raises(KeyRefused):
        check_credential(key.public, STUDY, asked.nonce, above.to_bytes(257, "big"))
    assert credential_hash(signature) != token_hash(new_tokens(1)[0])
