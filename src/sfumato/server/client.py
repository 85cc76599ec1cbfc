"""The reference client of a respondent's device, and what it keeps.

In anonymous mode the token is sent in one request and the report in another, after a random time, so that neither
stored nor logged data links the two. A report is sent again under the same name until it is acknowledged; the server
counts it once.   Theory: docs/theory/collection.md
"""

from __future__ import annotations

import base64
import contextlib
import hmac
import http.client
import json
import math
import secrets
import ssl
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from sfumato.errors import DigestMismatch, InvalidParameter, Place, Refused, UnreadableFile
from sfumato.files.disk import read_bytes, write_atomically
from sfumato.files.documents import check_schema
from sfumato.files.staging import locked
from sfumato.numbers.checks import check_between
from sfumato.server.blind_rsa import Blinding, blind, unblinded
from sfumato.server.credentials import credential_statement, key_digest, read_public_key, read_token
from sfumato.study.collect_terms import Mode
from sfumato.study.collection import Collection
from sfumato.workflows.responding import Submission

# --- HTTP: JSON, the same headers from every device, repeated where nothing is lost
# A redirection is not followed, because it could send a token elsewhere. Plain HTTP is used only with this machine.
# Texts of a server are cut, and control characters in them have no effect.


MOST_SECONDS = 60.0
ATTEMPTS = 6
_MOST_BYTES = 64 * 2**20
_MOST_WORDS = 300
_FIRST_PAUSE_SECONDS = 0.5
_MOST_PAUSE_SECONDS = 30.0
_HERE = ("localhost", "127.0.0.1", "::1")
_AGAIN = (408, 425, 429, 500, 502, 503, 504)
_HEADERS = {"User-Agent": "sfumato", "Accept": "application/json"}


class ServerRefused(Refused):
    """A server that understood, and said no; `status` is the number of its answer."""

    status: int = 0


class ServerAway(Refused):
    """A server that could not be reached, or gave no answer that could be used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """The address of a server, and how patiently it is asked."""

    url: str
    attempts: int = ATTEMPTS
    seconds: float = MOST_SECONDS
    pause: Callable[[float], None] = field(default=time.sleep, repr=False)

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise InvalidParameter(
                "must be the address of a server, https://…", parameter="url", way_out="Copy it from the invitation."
            )
        if parts.scheme == "http" and parts.hostname not in _HERE:
            raise InvalidParameter(
                "is not encrypted, so that whoever is on the way could read the token and change the report",
                parameter="url",
                way_out="Use https://, or http:// on this very machine.",
            )

    def get(self, path: str) -> Any:
        """Return the document at a path."""
        return self._asked("GET", path, None)

    def post(self, path: str, body: bytes) -> Any:
        """Send a body, the same one as often as it takes, and return what is answered."""
        return self._asked("POST", path, body)

    def _asked(self, method: str, path: str, body: bytes | None) -> Any:
        pause = _FIRST_PAUSE_SECONDS
        for left in range(self.attempts - 1, -1, -1):
            try:
                status, answer = self._once(method, path, body)
            except (OSError, http.client.HTTPException, ValueError) as error:
                if not left:
                    raise _away(type(error).__name__) from None
            else:
                if status == http.client.OK:
                    return answer
                if status not in _AGAIN or not left:
                    raise _refused(status, answer)
            # Devices that were turned away together do not come back together.
            self.pause(pause * (500 + secrets.randbelow(1001)) / 1000)
            pause = min(2 * pause, _MOST_PAUSE_SECONDS)
        raise _away("no attempt was allowed")

    def _once(self, method: str, path: str, body: bytes | None) -> tuple[int, Any]:
        parts = urlsplit(self.url)
        kind: Callable[..., http.client.HTTPConnection] = http.client.HTTPConnection
        settings: dict[str, Any] = {"timeout": self.seconds}
        if parts.scheme == "https":
            kind, settings["context"] = http.client.HTTPSConnection, ssl.create_default_context()
        connection = kind(parts.hostname or "", parts.port, **settings)
        try:
            headers = _HEADERS | ({} if body is None else {"Content-Type": "application/json"})
            connection.request(method, f"{parts.path.rstrip('/')}{path}", body, headers)
            # An answer that is not read to its end holds the socket open, whatever happens to the connection.
            with connection.getresponse() as answer:
                data = answer.read(_MOST_BYTES + 1)
                if len(data) > _MOST_BYTES:
                    raise ValueError("too much")
                return answer.status, json.loads(data)
        except RecursionError:
            raise ValueError("too deep") from None
        finally:
            connection.close()


def _away(why: str) -> ServerAway:
    return ServerAway(
        f"the server gave no answer that can be used ({why})",
        way_out="Check the address and the connection, and send the same again: nothing is counted twice.",
    )


def _refused(status: int, answer: Any) -> ServerRefused:
    told = answer.get("error") if isinstance(answer, dict) else None
    said = told if isinstance(told, dict) else {}
    words = " ".join(str(said.get(name) or "") for name in ("parameter", "rule")).strip()
    found = ServerRefused(
        f"the server says no ({status}): {words[:_MOST_WORDS] or 'it does not say why'}",
        way_out=str(said.get("way_out") or "Ask whoever runs the study.")[:_MOST_WORDS],
    )
    found.status = status
    return found


# --- The wallet: what a device keeps of its credentials and of what it sent
# A lost connection then costs neither token nor report. A credential is written down before its token is spent, and the
# secret of a report before the report is sent, so an interrupted device asks again with the same numbers and gets the
# same answers. Only the owner may read the file. It alone links the token to the report, so it should be deleted once
# withdrawal is no longer wanted.


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
    """Return the name of a token in the wallet. The token itself is not kept, so it cannot be spent from the wallet."""
    return sha256(f"sfumato/wallet/1 {fingerprint} {read_token(token)}".encode()).hexdigest()


def _damaged(path: Path) -> UnreadableFile:
    return UnreadableFile(
        "this is no wallet of a device, or it is damaged",
        place=Place(file=str(path)),
        way_out="Restore it: without it, a token that was spent and not yet used is lost.",
    )


WAIT_SECONDS = 300.0
"""So long is waited on average, by default, between spending a token and sending the report."""
MOST_WAIT_SECONDS = 30 * 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What a server acknowledged: the name of a report, which is on its disk."""

    id: bytes
    mode: str
    secret: bytes = field(repr=False)


def fetch_collection(url: str | Connection, fingerprint: str | None = None) -> Collection:
    """Return the study that a server collects; with a `fingerprint`, no other one."""
    found = Collection.from_document(_connection(url).get("/study"))
    if fingerprint is not None and not hmac.compare_digest(found.fingerprint, fingerprint):
        raise DigestMismatch(
            "the server collects another study than the one whose fingerprint was given",
            way_out="Check the address, and that the study was not changed since.",
        )
    return found


def submit(
    url: str | Connection,
    submission: Submission,
    token: str,
    *,
    collection: Collection | None = None,
    wallet: Wallet | None = None,
    wait_seconds: float = WAIT_SECONDS,
    key_name: str | None = None,
    pause: Callable[[float], None] = time.sleep,
) -> Receipt:
    """Send what `sf.respond` made, and return once it is acknowledged.

    `collection` is the one that the submission was made for, fetched from the server if it is left out. With a `wallet`
    that is a file, an interrupted call can be repeated and loses nothing. `key_name` is the digest of the key that
    credentials must be signed by, where it is known from elsewhere. Between token and report it waits a time that is
    drawn, `wait_seconds` on average.

    Returns:
        The server's receipt.

    Raises:
        InvalidParameter: the submission is for another study.
        DigestMismatch: the server shows another study than the one that was answered.

    >>> import sfumato as sf
    >>> study = sf.Study(name="Rest", questions=(sf.YesNo(id="tired", text="Tired?", epsilon=1),))
    >>> sf.submit("http://example.org", sf.respond(study, {"tired": "yes"}), "no token")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    sfumato.errors.InvalidParameter: url is not encrypted, so that whoever is on the way could read the token ...
    """
    check_between("wait_seconds", wait_seconds, 0.0, MOST_WAIT_SECONDS)
    connection, kept, spent = _connection(url), wallet or Wallet(), read_token(token)
    of = fetch_collection(connection, None if collection is None else collection.fingerprint)
    # What no server of this study takes is found out before a token is spent.
    of.unpack_row(submission.row)
    of.join_shares(submission.shares)
    kept.keep_secret(of.fingerprint, submission.secret)
    if of.mode is Mode.PANEL:
        connection.post("/reports", report_body(submission, token=spent))
        return Receipt(id=submission.id, mode=str(of.mode), secret=submission.secret)
    credential = _credential(connection, of, spent, kept, key_name)
    pause(drawn_wait(wait_seconds))
    connection.post("/reports", report_body(submission, credential=credential))
    return Receipt(id=submission.id, mode=str(of.mode), secret=submission.secret)


def drawn_wait(mean_seconds: float) -> float:
    """Return how long to wait, exponential with this mean.

    The exponential distribution has no memory: of those who wait each is as likely to be next, and times tell an
    observer nothing that the order does not.   Theory: docs/theory/collection.md
    """
    return -mean_seconds * math.log((secrets.randbelow(1 << 53) + 1) / (1 << 53))


def withdraw(url: str | Connection, secret: bytes) -> None:
    """Take a report back by the secret of the device that sent it; the token does not come back."""
    _connection(url).post("/withdrawals", _spelled({"secret": secret.hex()}))


def report_body(submission: Submission, *, credential: Credential | None = None, token: str | None = None) -> bytes:
    """Return the bytes that are sent of a submission; they have one length in a study, whatever was answered."""
    document: dict[str, Any] = {
        "id": submission.id.hex(),
        "row": _text(submission.row),
        "shares": {name: _text(body) for name, body in submission.shares.items()},
    }
    if credential is not None:
        nonce, signature = credential.blinding.nonce, credential.signature or b""
        document["credential"] = {"nonce": nonce.hex(), "signature": _text(signature)}
    if token is not None:
        document["token"] = token
    return _spelled(document)


def _credential(connection: Connection, of: Collection, token: str, wallet: Wallet, key_name: str | None) -> Credential:
    """Return a signed credential: the one that the wallet holds, or a new one for the token."""
    found = wallet.credential(of.fingerprint, token)
    if found is None:
        known = connection.get("/credentials")
        public = known.get("public_key") if isinstance(known, dict) else None
        if not isinstance(public, str):
            raise ServerAway("the server names no key for credentials", way_out="Check its address.")
        found = Credential.new(public, of.fingerprint)
    name = key_digest(read_public_key(found.public_key))
    if key_name is not None and not hmac.compare_digest(name, key_name):
        raise DigestMismatch(
            "the server signs credentials with another key than the one that was named; with a key of your own it "
            "could tell who you are",
            way_out="Do not answer before that is cleared up.",
        )
    if found.signature is not None:
        return found
    wallet.keep_credential(of.fingerprint, token, found)
    body = _spelled({"token": token, "blinded": _text(found.blinding.blinded)})
    answer = connection.post("/credentials", body)
    try:
        signed = base64.b64decode(answer["signature"], validate=True)
    except (KeyError, TypeError, ValueError):
        raise ServerAway("the server sent no signature", way_out="Check its address.") from None
    found = found.signed(signed)
    wallet.keep_credential(of.fingerprint, token, found)
    return found


def _connection(url: str | Connection) -> Connection:
    if isinstance(url, Connection):
        return url
    given: object = url
    if not isinstance(given, str):
        raise InvalidParameter("must be text", parameter="url", way_out="Give the address of the server.")
    return Connection(url=url)


def _spelled(document: dict[str, Any]) -> bytes:
    return json.dumps(document, separators=(",", ":")).encode()


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


__all__ = [
    "Connection",
    "Receipt",
    "ServerAway",
    "ServerRefused",
    "drawn_wait",
    "fetch_collection",
    "report_body",
    "submit",
    "withdraw",
]
