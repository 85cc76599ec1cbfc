"""The tokens of readers: each follows from the administrator's and names one receiver, so there is nothing to keep.

A new administrator's token makes new ones for all.
"""

from __future__ import annotations

import base64
import hmac

_PURPOSE = b"sfumato/reader-token/1"


def reader_token(admin: bytes, fingerprint: str, receiver: str) -> str:
    """Return the token of a receiver of a study; `admin` is the hash of the administrator's token."""
    said = b"".join(len(part).to_bytes(2, "big") + part for part in (fingerprint.encode(), receiver.encode()))
    return base64.urlsafe_b64encode(hmac.digest(admin, _PURPOSE + said, "sha256")).decode().rstrip("=")
