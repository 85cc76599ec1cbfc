"""What is posted: the shape of each body, and how it is read. Sizes and meaning are checked where they are known."""

from __future__ import annotations

import binascii
from http import HTTPStatus
from typing import Annotated, Any, TypeVar, cast

import msgspec

from sfumato.errors import UnreadableFile
from sfumato.files.json_documents import read_json
from sfumato.web.credentials import LINK
from sfumato.web.problems import Problem

HEX_32 = r"^[0-9a-f]{64}$"
HEX_16 = r"^[0-9a-f]{32}$"
MOST_INVITED = 10_000
"""At once, over the web; more are written by `sfumato serve --invite`."""
ADDRESS = f"^{LINK}$"
Hex32 = Annotated[str, msgspec.Meta(pattern=HEX_32)]
Hex16 = Annotated[str, msgspec.Meta(pattern=HEX_16)]
Token = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]


class CredentialBody(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """What lets a report in, in anonymous mode."""

    nonce: Hex32
    signature: bytes


class ReportBody(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A report with its id, and what lets it in: a credential, or in panel mode a token."""

    id: Hex32
    row: bytes
    shares: dict[str, bytes]
    credential: CredentialBody | None = None
    token: Token | None = None


class CredentialRequest(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A token, to be spent for a signature on what a device blinded."""

    token: Token
    blinded: bytes


class WithdrawalBody(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Whose report is to go: by the secret of the device; in a panel also by the token, or by the office."""

    secret: Hex32 | None = None
    token: Token | None = None
    panel: Hex16 | None = None


class InvitationBody(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """How many people to let in; with `link`, the public address of the server, also links, and QR codes if asked."""

    count: Annotated[int, msgspec.Meta(ge=1, le=MOST_INVITED)]
    link: Annotated[str, msgspec.Meta(max_length=200, pattern=ADDRESS)] | None = None
    codes: bool = False


B = TypeVar("B", bound=msgspec.Struct)
_KINDS = (ReportBody, CredentialRequest, WithdrawalBody, InvitationBody)
_DECODERS: dict[Any, msgspec.json.Decoder[Any]] = {kind: msgspec.json.Decoder(kind) for kind in _KINDS}


def read_body(kind: type[B], body: bytes) -> B:
    """Read a body; what is wrong is said by its place, without a word of what stood there."""
    try:
        found = cast("B", _DECODERS[kind].decode(body))
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        raise Problem(
            HTTPStatus.BAD_REQUEST,
            "is no JSON of the shape that this path takes",
            parameter=_place(str(error)),
            way_out="GET /openapi.json says what it takes.",
        ) from None
    try:
        read_json(body, "body", discreet=True)  # of two equal keys the decoder takes the last, others the first
    except (UnreadableFile, RecursionError):
        raise Problem(
            HTTPStatus.BAD_REQUEST, "has the same key twice", parameter="body", way_out="Send each key once."
        ) from None
    return found


def unhex(text: str) -> bytes:
    """Return the bytes of a text whose shape was checked."""
    return binascii.unhexlify(text)


def _place(message: str) -> str:
    """Return which known field is meant; names that the sender made up are not repeated."""
    for name in ("id", "row", "shares", "credential.nonce", "credential.signature", "credential", "token", "blinded",
                 "secret", "panel", "count", "link", "codes"):  # fmt: skip
        if f"`$.{name}`" in message:
            return name
    return "body"
