"""Who may hand in a report, and invitations.

The server needs three operations: check a credential and return the hash that represents it, sign a blinded number, and
return the pseudonym of a token. The hashes come from `credentials.py`.
"""

from __future__ import annotations

import io
import secrets
from collections import OrderedDict
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Protocol

from sfumato.errors import InvalidInput, InvalidParameter, Refused
from sfumato.server.credentials import (
    CredentialKey,
    blinded_hash,
    check_credential,
    credential_hash,
    new_tokens,
    shown_token,
    token_hash,
)
from sfumato.server.store_base import Invitation

_PANEL_CREDENTIAL = b"sfumato/panel-credential/1"
_MOST_REMEMBERED = 100_000


class NotAdmitted(Refused):
    """A credential or a token that is not valid."""


class Signing(Protocol):
    """Credentials of anonymous mode."""

    @property
    def document(self) -> dict[str, str]:
        """What devices need to know: the key, and its name."""
        ...

    def verify(self, nonce: bytes, signature: bytes) -> bytes:
        """Return the hash that stands for a credential; raises for one that this server did not sign."""
        ...

    def hash_blinded(self, blinded: bytes) -> bytes:
        """Return what is kept of a blinded number; refuses one that cannot be signed."""
        ...

    def sign(self, blinded: bytes) -> bytes:
        """Sign a blinded number."""
        ...


class BlindSigning:
    """Blind signatures of a key in the server's folder, good for one study."""

    def __init__(self, key: CredentialKey, fingerprint: str) -> None:
        self._key = key
        self._fingerprint = fingerprint

    @property
    def document(self) -> dict[str, str]:
        """The public half and its name."""
        return {"public_key": self._key.public_text, "key_digest": self._key.digest}

    def verify(self, nonce: bytes, signature: bytes) -> bytes:
        """Check the signature on a nonce for this study."""
        try:
            check_credential(self._key.public, self._fingerprint, nonce, signature)
        except (InvalidInput, Refused):
            raise not_admitted("credential") from None
        return credential_hash(signature)

    def hash_blinded(self, blinded: bytes) -> bytes:
        """Return the hash of a number of the key's length."""
        if len(blinded) != self._key.public.key_size // 8:
            raise InvalidParameter(
                "must have the length of the key's modulus",
                parameter="blinded",
                way_out="Blind it under the key of GET /credentials.",
            )
        return blinded_hash(blinded)

    def sign(self, blinded: bytes) -> bytes:
        """Sign what a device blinded."""
        return self._key.signer.sign(blinded)


def hash_token(text: str) -> bytes:
    """Return what is kept of a token; refuses a text that is none."""
    try:
        return token_hash(text)
    except InvalidInput:
        raise not_admitted("token") from None


def panel_credential(token: bytes, wave: int) -> bytes:
    """Return what stands for a token in the rows of one wave: a report a wave, whatever its id is."""
    return sha256(_PANEL_CREDENTIAL + wave.to_bytes(4, "big") + token).digest()


def not_admitted(parameter: str) -> NotAdmitted:
    """Return the refusal of an invalid credential or token."""
    return NotAdmitted(
        "lets nobody in", parameter=parameter, way_out="Use the one of the invitation to this very study."
    )


class Remembered:
    """The last few pseudonyms that were looked up, by the hash of their token."""

    def __init__(self) -> None:
        self._known: OrderedDict[bytes, bytes | None] = OrderedDict()

    def __contains__(self, token: bytes) -> bool:
        return token in self._known

    def __getitem__(self, token: bytes) -> bytes | None:
        return self._known[token]

    def __setitem__(self, token: bytes, panel: bytes | None) -> None:
        self._known[token] = panel
        if len(self._known) > _MOST_REMEMBERED:
            self._known.popitem(last=False)


# --- Invitations: tokens, what a database keeps of them, and links as QR codes to print


_PANEL_BYTES = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnInvitation:
    """A token that was not handed out yet; `known` is what a database keeps of it."""

    token: str = field(repr=False)
    known: Invitation = field(repr=False)

    @property
    def shown(self) -> str:
        """The token as people type it."""
        return shown_token(self.token)

    @property
    def panel(self) -> str | None:
        """The pseudonym, in a panel."""
        return None if self.known.panel is None else self.known.panel.hex()


def drawn_invitations(count: int, *, is_panel: bool) -> tuple[DrawnInvitation, ...]:
    """Draw tokens for so many people, and in a panel a pseudonym for each."""
    return tuple(
        DrawnInvitation(
            token=token,
            known=Invitation(token=token_hash(token), panel=secrets.token_bytes(_PANEL_BYTES) if is_panel else None),
        )
        for token in new_tokens(count)
    )


def qr_svg(link: str) -> str:
    """Return a link as a QR code, dark on light whatever the page's colours are."""
    import segno  # noqa: PLC0415  only where codes are printed

    drawn = io.BytesIO()
    segno.make(link, error="m", micro=False).save(
        drawn, kind="svg", border=4, dark="#000", light="#fff", xmldecl=False, svgns=True, omitsize=True, nl=False
    )
    return drawn.getvalue().decode()
