"""How verbs get at the private keys that open what devices sealed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.cli.secrets import passphrase_from, private_key_from

if TYPE_CHECKING:
    from sfumato.refine.sealed_shares import ShareKey


def share_key_from(shares: Path, private_key: Path, passphrase_file: Path | None) -> ShareKey:
    """Read the private key of a receiver, of the kind that the bodies are sealed for."""
    from sfumato.io.share_key_files import read_share_private
    from sfumato.refine.key_protection import Unprotected
    from sfumato.refine.sealed_shares import Kem, ShareKey
    from sfumato.study.collected_rows import SharesNote

    kem = SharesNote.read(shares).kem
    if kem is Kem.X25519:
        return ShareKey(kem, private_key_from(private_key, passphrase_file).raw)
    unlock = Unprotected() if passphrase_file is None else passphrase_from(passphrase_file)
    return read_share_private(private_key, kem, unlock)
