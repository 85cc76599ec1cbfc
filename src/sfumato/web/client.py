"""The reference client: fetches a study, spends a token, waits, sends what a device made, and takes it back if asked.

In anonymous mode the token goes in one request and the report in another, after a random time, so that neither what is
kept nor what is logged links the two. A report is sent again under the same name until it is acknowledged; the server
counts it once.   Theory: docs/theory/collection.md
"""

from __future__ import annotations

import base64
import hmac
import json
import math
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sfumato.errors import DigestMismatch, InvalidParameter
from sfumato.study.collect_terms import Mode
from sfumato.study.collections import Collection
from sfumato.study.submissions import Submission
from sfumato.values.checks import check_between
from sfumato.web.connections import Connection, ServerAway, ServerRefused
from sfumato.web.credentials import key_digest, read_public_key, read_token
from sfumato.web.wallets import Credential, Wallet

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

    `collection` is the one that the submission was made for, fetched from the server if it is left out. With a
    `wallet` that is a file, whoever is interrupted calls again and loses nothing. `key_name` is the digest of the key
    that credentials must be signed by, where it is known from elsewhere. Between token and report it waits a time that
    is drawn, `wait_seconds` on average.

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

    Who has waited so far does not matter for how long they will: so of those who wait each is as likely to be next, and
    times tell an observer nothing that order does not.   Theory: docs/theory/collection.md
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
