"""What a device keeps of its credentials and of what it sent, so that a lost connection costs neither token nor report.

A credential is written down before its token is spent, and the secret of a report before the report is sent: whoever is
interrupted asks again with the same numbers and gets the same answers. The file is its owner's alone; it tells which
token sent which report, which nobody else can tell, so it is worth deleting once withdrawal is not wanted any more.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from sfumato.errors import Place, UnreadableFile
from sfumato.files import read_bytes, write_atomically
from sfumato.files.json_documents import check_schema
from sfumato.files.locks import locked
from sfumato.web.blind_rsa import Blinding, blind, unblinded
from sfumato.web.credentials import credential_statement, read_public_key, read_token

SCHEMA = "sfumato/wallet/1"
_LIMIT_BYTES = 2**26
_HEX = ("nonce", "blinded", "inverse")


@dataclass(frozen=True, slots=True, kw_only=True)
class Credential:
    """A nonce with what blinds it under the server's key, and the signature once it is there."""

    public_key: str
    blinding: Blinding
    signature: bytes | None = field(default=None, repr=False)

    @classmethod
    def new(cls, public_key: str, fingerprint: str) -> Credential:
        """Draw one for a study."""
        return cls(
            public_key=public_key, blinding=blind(read_public_key(public_key), credential_statement(fingerprint))
        )

    def signed(self, signed: bytes) -> Credential:
        """Return it with the signature, which is checked."""
        return replace(self, signature=unblinded(read_public_key(self.public_key), self.blinding, signed))


class Wallet:
    """Credentials and secrets of one device: in a file that only its owner may read, or in memory."""

    def __init__(self, path: str | Path | None = None) -> None:
        self._path = None if path is None else Path(path)
        self._document: dict[str, Any] = _blank()

    def __repr__(self) -> str:
        return "<Wallet, not shown>"

    def credential(self, fingerprint: str, token: str) -> Credential | None:
        """Return what this token is spent for, or was."""
        found = self._read()["credentials"].get(_name(fingerprint, token))
        if found is None:
            return None
        return Credential(
            public_key=found["public_key"],
            blinding=Blinding(
                nonce=bytes.fromhex(found["nonce"]),
                statement=credential_statement(fingerprint),
                blinded=bytes.fromhex(found["blinded"]),
                inverse=int(found["inverse"], 16),
            ),
            signature=None if found["signature"] is None else bytes.fromhex(found["signature"]),
        )

    def keep_credential(self, fingerprint: str, token: str, credential: Credential) -> None:
        """Write a credential down."""
        blinding, signature = credential.blinding, credential.signature
        with self._changing() as document:
            document["credentials"][_name(fingerprint, token)] = {
                "public_key": credential.public_key,
                "nonce": blinding.nonce.hex(),
                "blinded": blinding.blinded.hex(),
                "inverse": f"{blinding.inverse:x}",
                "signature": None if signature is None else signature.hex(),
            }

    def secrets(self, fingerprint: str) -> tuple[bytes, ...]:
        """Return the secrets of what was sent to a study, in the order of sending."""
        return tuple(bytes.fromhex(one) for one in self._read()["secrets"].get(fingerprint, []))

    def keep_secret(self, fingerprint: str, secret: bytes) -> None:
        """Write down what withdraws a report."""
        with self._changing() as document:
            held = document["secrets"].setdefault(fingerprint, [])
            if secret.hex() not in held:
                held.append(secret.hex())

    def forget_secret(self, fingerprint: str, secret: bytes) -> None:
        """Strike out what withdrew a report."""
        with self._changing() as document:
            document["secrets"][fingerprint].remove(secret.hex())

    @contextlib.contextmanager
    def _changing(self) -> Iterator[dict[str, Any]]:
        if self._path is None:
            yield self._document
            return
        with locked(self._path):
            document = self._read()
            yield document
            write_atomically(self._path, json.dumps(document, indent=1) + "\n", private=True)

    def _read(self) -> dict[str, Any]:
        if self._path is None:
            return self._document
        if not self._path.exists():
            return _blank()
        try:
            document = json.loads(read_bytes(self._path, limit_bytes=_LIMIT_BYTES))
        except (ValueError, RecursionError):
            document = None
        if not isinstance(document, dict):
            raise _damaged(self._path)
        check_schema(document, self._path, kind="wallet")
        try:
            _check(document)
        except (KeyError, TypeError, ValueError, AttributeError):
            raise _damaged(self._path) from None
        return document


def _blank() -> dict[str, Any]:
    return {"schema": SCHEMA, "credentials": {}, "secrets": {}}


def _check(document: dict[str, Any]) -> None:
    for one in document["credentials"].values():
        for name in _HEX:
            int(one[name], 16)
        if one["signature"] is not None:
            bytes.fromhex(one["signature"])
        if not isinstance(one["public_key"], str):
            raise TypeError("no key")
    for held in document["secrets"].values():
        for secret in held:
            bytes.fromhex(secret)


def _name(fingerprint: str, token: str) -> str:
    """The token itself is not kept: whoever finds the wallet cannot spend it."""
    return sha256(f"sfumato/wallet/1 {fingerprint} {read_token(token)}".encode()).hexdigest()


def _damaged(path: Path) -> UnreadableFile:
    return UnreadableFile(
        "this is no wallet of a device, or it is damaged",
        place=Place(file=str(path)),
        way_out="Restore it: without it, a token that was spent and not yet used is lost.",
    )
