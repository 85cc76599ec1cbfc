"""Tokens that are sent to people, and credentials that a token is exchanged for.

A token is 20 random bytes, written in base32 so that it can be typed; the server keeps its hash. In anonymous mode it
is spent for a blind signature on a nonce of the device, and the report is handed in later with the unblinded signature,
which the server has never seen and cannot distinguish from any other. The hash of the signature is in the report's row,
where it must be unique.   Theory: docs/theory/collection.md
"""

from __future__ import annotations

import base64
import binascii
import csv
import io
import re
import secrets
from collections.abc import Iterable, Sequence
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote, urlsplit

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from sfumato.errors import InvalidParameter, KeyRefused, Place, UnreadableFile
from sfumato.files.disk import create_atomically, read_bytes
from sfumato.server.blind_rsa import EXPONENT, NONCE_BYTES, Signer, check_key, check_signature

KEY_FILE = "credential-key.pem"
KEY_BITS = 2048
MOST_INVITED = 10_000_000
TOKEN_LETTERS = 32
LINK = r"https?://[^\s\x00-\x1f\x7f#?]+"

_TOKEN = re.compile(rf"[A-Z2-7]{{{TOKEN_LETTERS}}}")
_TOKEN_BYTES = 20
_BY = 8
_MOST_KEY_BYTES = 1 << 16
_HASHED = {
    "token": b"sfumato/token/1",
    "blinded": b"sfumato/blinded/1",
    "credential": b"sfumato/credential-hash/1",
}


def new_tokens(count: int) -> tuple[str, ...]:
    """Return so many new tokens."""
    if not 1 <= count <= MOST_INVITED:
        raise InvalidParameter(
            f"must lie between 1 and {MOST_INVITED:,}",
            parameter="invite",
            value=count,
            way_out="Invite in several files.",
        )
    return tuple(base64.b32encode(secrets.token_bytes(_TOKEN_BYTES)).decode() for _ in range(count))


def read_token(text: str) -> str:
    """Return the token of a typed or copied text: spaces, dashes and case are ignored."""
    found = re.sub(r"[\s-]", "", text).upper()
    if not _TOKEN.fullmatch(found):
        raise InvalidParameter(
            f"must have {TOKEN_LETTERS} letters and digits (A to Z, 2 to 7)",
            parameter="token",
            way_out="Copy it from the invitation.",
        )
    return found


def shown_token(token: str) -> str:
    """Return a token in groups, for paper."""
    return "-".join(token[i : i + _BY] for i in range(0, len(token), _BY))


def token_hash(token: str) -> bytes:
    """Return what the server keeps of a token; 160 random bits cannot be searched for."""
    return _hash("token", read_token(token).encode())


def blinded_hash(blinded: bytes) -> bytes:
    """Return what the server keeps of the blinded number that a token was spent for."""
    return _hash("blinded", blinded)


def credential_hash(signature: bytes) -> bytes:
    """Return what stands in the row of a report that was handed in with this signature."""
    return _hash("credential", signature)


def credential_statement(fingerprint: str) -> bytes:
    """Return what a credential says beside its nonce: for which study it is good."""
    return b"sfumato/credential/1 " + fingerprint.encode()


def check_credential(key: rsa.RSAPublicKey, fingerprint: str, nonce: bytes, signature: bytes) -> None:
    """Raise unless the signature is the key's on this nonce, for this study."""
    if len(nonce) != NONCE_BYTES:
        raise InvalidParameter(
            f"must have {NONCE_BYTES} bytes", parameter="nonce", way_out="Send the nonce of the credential."
        )
    check_signature(key, credential_statement(fingerprint), nonce, signature)


class CredentialKey:
    """The key that signs credentials; it stays in the server's folder, and is of use for nothing else."""

    def __init__(self, private: rsa.RSAPrivateKey) -> None:
        self._private = private

    def __repr__(self) -> str:
        return f"<CredentialKey {self.digest[:16]}…>"

    @classmethod
    def generate(cls, bits: int = KEY_BITS) -> CredentialKey:
        """Make a new key."""
        return cls(rsa.generate_private_key(EXPONENT, bits))

    @classmethod
    def in_folder(cls, folder: Path) -> CredentialKey:
        """Return the key of a server's folder; the first time it is made there, for its owner's eyes alone."""
        path = folder / KEY_FILE
        if not path.exists():
            create_atomically(path, cls.generate().to_pem(), private=True)
        return cls.from_pem(read_bytes(path, limit_bytes=_MOST_KEY_BYTES), path)

    @classmethod
    def from_pem(cls, data: bytes, path: str | Path = KEY_FILE) -> CredentialKey:
        """Read a key from its file."""
        try:
            found = serialization.load_pem_private_key(data, None)
        except (ValueError, TypeError, UnsupportedAlgorithm):
            found = None
        if not isinstance(found, rsa.RSAPrivateKey):
            raise UnreadableFile(
                "this is no key that signs credentials",
                way_out="Put the file back from a backup: under a new key, unused credentials are worthless.",
                place=Place(file=str(path)),
            )
        check_key(found.public_key())
        return cls(found)

    def to_pem(self) -> bytes:
        """Return what stands in the file."""
        return self._private.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )

    @cached_property
    def signer(self) -> Signer:
        """What signs blinded numbers."""
        return Signer(self._private)

    @cached_property
    def public(self) -> rsa.RSAPublicKey:
        """The public half."""
        return self._private.public_key()

    @cached_property
    def public_text(self) -> str:
        """The public half as the server hands it out."""
        return base64.b64encode(_spelled(self.public)).decode()

    @property
    def digest(self) -> str:
        """The name of the key, which should be the same for all respondents."""
        return key_digest(self.public)


def read_public_key(text: str) -> rsa.RSAPublicKey:
    """Read the public half as a server hands it out; refuses one that does not blind."""
    try:
        found = serialization.load_der_public_key(base64.b64decode(text, validate=True))
    except (ValueError, binascii.Error, UnsupportedAlgorithm):
        found = None
    if not isinstance(found, rsa.RSAPublicKey):
        raise KeyRefused("the server's key for credentials cannot be read", way_out="Check the address of the server.")
    check_key(found)
    return found


def key_digest(key: rsa.RSAPublicKey) -> str:
    """Return the name of a public key. Comparing it detects a server with a key for each person."""
    return sha256(b"sfumato/credential-key/1" + _spelled(key)).hexdigest()


def check_link(url: str | None) -> None:
    """Refuse a text that is no http(s) URL which a token can follow."""
    if url is None:
        return
    try:
        parts = urlsplit(url)
        is_address = re.fullmatch(LINK, url) is not None and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port or an IPv6 address that is none
        is_address = False
    if not is_address:
        raise InvalidParameter(
            "must be an http or https URL without spaces, ? and #",
            parameter="link",
            way_out="Give the public address of the server, such as https://survey.example.",
        )


def invite_link(url: str, token: str, study: str | None = None, key: str | None = None) -> str:
    """Return the link of an invitation. What follows # stays in the browser: it is in no request, and in no log.

    With the fingerprint of the study, and the digest of the key that signs credentials, the page refuses others.
    """
    named = "".join(f"&{name}={value}" for name, value in (("study", study), ("key", key)) if value is not None)
    return f"{url.rstrip('/')}/#{quote(token)}{named}"


def write_invites(
    path: str | Path,
    tokens: Sequence[str],
    url: str | None = None,
    panels: Sequence[str] | None = None,
    study: str | None = None,
    key: str | None = None,
) -> None:
    """Write a new file: a token a row, a link if the address of the server is known, and in a panel the pseudonym."""
    check_link(url)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["token", *([] if url is None else ["link"]), *([] if panels is None else ["panel"])])
    for number, token in enumerate(tokens):
        link = [] if url is None else [invite_link(url, token, study, key)]
        writer.writerow([shown_token(token), *link, *([] if panels is None else [panels[number]])])
    create_atomically(path, text.getvalue().encode(), private=True)


def read_invites(path: str | Path, *, limit_bytes: int = 64 * MOST_INVITED) -> tuple[str, ...]:
    """Return the tokens of a file of invitations."""
    lines = read_bytes(path, limit_bytes=limit_bytes).decode("utf-8", "replace").splitlines()
    return _column(lines, path)


def _column(lines: Iterable[str], path: str | Path) -> tuple[str, ...]:
    rows = csv.DictReader(lines)
    found: list[str] = []
    try:
        found.extend(read_token(row.get("token") or "") for row in rows)
    except InvalidParameter as error:
        raise UnreadableFile(
            "the column `token` holds something that is no token",
            way_out=error.way_out,
            place=Place(file=str(path), line=rows.line_num),
        ) from None
    return tuple(found)


def _hash(what: str, data: bytes) -> bytes:
    return sha256(_HASHED[what] + data).digest()


def _spelled(key: rsa.RSAPublicKey) -> bytes:
    return key.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
