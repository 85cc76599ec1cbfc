"""Draws that a respondent's device seals for a holder of a key, and the keys that open them.

A body is sealed by HPKE in its base mode [RFC 9180] with HKDF-SHA256 and AES-256-GCM, as key files are. The KEM is
X25519, or the hybrid of ML-KEM-768 and X25519 (X-Wing), which stays secure if only one of the two is broken. Study,
receiver and report id are in `info`, so a body opens only with the report that it was sent with. Draws that are sent
this way are protected by a cipher: the guarantee is computational.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from enum import StrEnum
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter, KeyRefused, Place
from sfumato.files.disk import read_bytes, write_atomically
from sfumato.files.formats import check_free
from sfumato.files.staging import locked
from sfumato.keys.protection import Passphrase, PublicKey, Unprotected, spelled
from sfumato.keys.sealed_files import read_private_key
from sfumato.ladders.keys import Hidden
from sfumato.sampling.sources import SystemBits

_PURPOSE = b"sfumato/share/1"
_TAG_BYTES = 16
_LENGTH_BYTES = 2
_BEGIN = b"\x01"
"""So begins what is sealed: bytes that are all zero are no draws."""
_X25519_BYTES, _MLKEM_PUBLIC_BYTES, _MLKEM_SEED_BYTES = 32, 1184, 64


class Kem(StrEnum):
    """How the key of a body is agreed on."""

    X25519 = "x25519"
    HYBRID = "mlkem768-x25519"

    @property
    def public_bytes(self) -> int:
        """How long a public key is: of the hybrid that of ML-KEM-768, then that of X25519."""
        return _X25519_BYTES + (_MLKEM_PUBLIC_BYTES if self is Kem.HYBRID else 0)

    @property
    def private_bytes(self) -> int:
        """How long a private key is: of the hybrid the seed of ML-KEM-768, then the key of X25519."""
        return _X25519_BYTES + (_MLKEM_SEED_BYTES if self is Kem.HYBRID else 0)

    @property
    def longer(self) -> int:
        """By how many bytes a body is longer than what is sealed in it."""
        return (1120 if self is Kem.HYBRID else 32) + _TAG_BYTES


class ShareKey(Hidden):
    """What opens the bodies of one receiver."""

    __slots__ = ("kem", "raw")

    kem: Kem
    raw: bytes

    def __init__(self, kem: Kem, raw: bytes) -> None:
        _check_length(raw, kem.private_bytes)
        object.__setattr__(self, "kem", kem)
        object.__setattr__(self, "raw", raw)

    @property
    def public(self) -> bytes:
        """What devices seal for."""
        return b"".join(one.public_key().public_bytes_raw() for one in loaded_private(self.kem, self.raw))


def share_info(fingerprint: str, receiver: str, report: bytes) -> bytes:
    """Return what a body is tied to: the study, the receiver and the report, each with its length before it."""
    parts = (fingerprint.encode(), receiver.encode(), report)
    return _PURPOSE + b"".join(len(part).to_bytes(_LENGTH_BYTES, "big") + part for part in parts)


def seal_share(shifts: Sequence[int], moduli: Sequence[int], kem: Kem, public_key: bytes, info: bytes) -> bytes:
    """Seal the shifts of one row; `moduli` says how many there can be of each."""
    sealed: bytes = _suite(kem).encrypt(share_text(shifts, moduli), _public(kem, public_key), info=info)
    return sealed


def share_infos(fingerprint: str, receiver: str, reports: Sequence[bytes]) -> list[bytes]:
    """Return what the bodies of many reports are tied to; all but the report is the same."""
    begin = share_info(fingerprint, receiver, b"")[:-_LENGTH_BYTES]
    return [begin + len(report).to_bytes(_LENGTH_BYTES, "big") + report for report in reports]


def open_share(body: bytes, moduli: Sequence[int], key: ShareKey, info: bytes) -> tuple[int, ...] | None:
    """Return the shifts of one row; None where the body does not open, or holds what no device draws."""
    return shifts_in(open_shares([body], [info], key.kem, key.raw)[0], moduli)


def open_shares(bodies: Sequence[bytes], infos: Sequence[bytes], kem: Kem, raw: bytes) -> list[bytes]:
    """Open many bodies, with a private key that is given as bytes so that another process can be given it.

    What does not open is no bytes; what opens is not looked at yet: `shifts_of_many` does that to all at once.
    """
    from cryptography.exceptions import InvalidTag  # noqa: PLC0415  slow to import

    decrypt, key = _suite(kem).decrypt, _loaded(ShareKey(kem, raw))
    found = []
    for body, info in zip(bodies, infos, strict=True):
        try:
            found.append(decrypt(body, key, info=info))
        except (InvalidTag, ValueError):
            found.append(b"")
    return found


def share_text(shifts: Sequence[int], moduli: Sequence[int]) -> bytes:
    """Return shifts as bytes, each in as many as its modulus takes."""
    pairs = zip(shifts, moduli, strict=True)
    return _BEGIN + b"".join(int(shift).to_bytes(_width(modulus), "big") for shift, modulus in pairs)


def shifts_in(text: bytes, moduli: Sequence[int]) -> tuple[int, ...] | None:
    """Return the shifts that bytes spell; None where they spell none."""
    rows, is_there = shifts_of_many([text], moduli)
    return tuple(rows[0].tolist()) if is_there[0] else None


def shifts_of_many(
    texts: Sequence[bytes], moduli: Sequence[int]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Return the shifts that many texts spell, a row each, and which of them spell any; the others are all zero."""
    length = text_bytes(moduli)
    is_there = np.fromiter((len(text) == length for text in texts), dtype=np.bool_, count=len(texts))
    blank = bytes(length)
    joined = b"".join([text if fits else blank for text, fits in zip(texts, is_there.tolist(), strict=True)])
    table = np.frombuffer(joined, dtype=np.uint8).reshape(len(texts), length)
    is_there &= table[:, 0] == _BEGIN[0]
    rows = np.zeros((len(texts), len(moduli)), dtype=np.int64)
    place = len(_BEGIN)
    for column, modulus in enumerate(moduli):
        for byte in range(place, place + _width(modulus)):
            rows[:, column] = rows[:, column] << 8 | table[:, byte]
        place += _width(modulus)
        is_there &= rows[:, column] < modulus
    rows[~is_there] = 0
    return rows, is_there


def text_bytes(moduli: Sequence[int]) -> int:
    """How long what is sealed is."""
    return len(_BEGIN) + sum(_width(modulus) for modulus in moduli)


def share_bytes(moduli: Sequence[int], kem: Kem) -> int:
    """How long a body is, whatever it holds."""
    return text_bytes(moduli) + kem.longer


def check_public(kem: Kem, raw: bytes) -> bytes:
    """Refuse a public key for which nothing can be sealed."""
    _check_length(raw, kem.public_bytes)
    try:
        seal_share((), (), kem, raw, b"")
    except ValueError:
        raise KeyRefused("this is no public key that bodies can be sealed for", way_out="Ask for it again.") from None
    return raw


def new_share_key(kem: Kem) -> ShareKey:
    """Return a new private key."""
    return ShareKey(kem, SystemBits().bytes(kem.private_bytes))


def _width(modulus: int) -> int:
    return max(1, (modulus - 1).bit_length() + 7 >> 3)


def _check_length(raw: bytes, count: int) -> None:
    given: Any = raw
    if not isinstance(given, bytes) or len(given) != count:
        raise InvalidParameter(f"must have {count} bytes", parameter="key", way_out="Read it from its file.")


@functools.cache
def _suite(kem: Kem) -> Any:
    from cryptography.hazmat.primitives.hpke import AEAD, KDF, KEM, Suite  # noqa: PLC0415  slow to import

    found = KEM.MLKEM768_X25519 if kem is Kem.HYBRID else KEM.X25519
    return Suite(found, KDF.HKDF_SHA256, AEAD.AES_256_GCM)


@functools.lru_cache(maxsize=64)
def _public(kem: Kem, raw: bytes) -> Any:
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PublicKey  # noqa: PLC0415  slow to import

    own = X25519PublicKey.from_public_bytes(raw[-_X25519_BYTES:])
    if kem is Kem.X25519:
        return own
    from cryptography.hazmat.primitives.asymmetric.mlkem import MLKEM768PublicKey  # noqa: PLC0415  slow to import
    from cryptography.hazmat.primitives.hpke import MLKEM768X25519PublicKey  # noqa: PLC0415  slow to import

    return MLKEM768X25519PublicKey(MLKEM768PublicKey.from_public_bytes(raw[:-_X25519_BYTES]), own)


def loaded_private(kem: Kem, raw: bytes) -> tuple[Any, ...]:
    """Return the private keys of a receiver as `cryptography` has them: of the hybrid two."""
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey  # noqa: PLC0415  slow to import

    own = X25519PrivateKey.from_private_bytes(raw[-_X25519_BYTES:])
    if kem is Kem.X25519:
        return (own,)
    from cryptography.hazmat.primitives.asymmetric.mlkem import MLKEM768PrivateKey  # noqa: PLC0415  slow to import

    return (MLKEM768PrivateKey.from_seed_bytes(raw[:-_X25519_BYTES]), own)


def _loaded(key: ShareKey) -> Any:
    """Return a private key as the cipher wants it."""
    pair = loaded_private(key.kem, key.raw)
    if key.kem is Kem.X25519:
        return pair[0]
    from cryptography.hazmat.primitives.hpke import MLKEM768X25519PrivateKey  # noqa: PLC0415  slow to import

    return MLKEM768X25519PrivateKey(*pair)


# --- Opening sealed bodies in several processes; threads would block each other
# A private key is passed to the processes through memory, never through a file or a visible argument.


# Fewer bodies are opened in this process, before another could start.
_WORTH_A_PROCESS = 20_000
_AT_ONCE = 2_000

Opened = tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]
"""The shifts of rows, and which rows have any."""


def opened_bodies(
    chunks: Iterable[tuple[Sequence[bytes], Sequence[bytes]]],
    moduli: Sequence[int],
    key: ShareKey,
    *,
    rows: int,
    processes: int | None = None,
) -> Iterator[Opened]:
    """Open chunk after chunk of bodies and their infos, in order; shifts and which rows have any."""
    workers = (os.cpu_count() or 1) if processes is None else processes
    if workers < 2 or (processes is None and rows < _WORTH_A_PROCESS):
        for bodies, infos in chunks:
            yield shifts_of_many(open_shares(bodies, infos, key.kem, key.raw), moduli)
        return
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        for bodies, infos in chunks:
            pieces: list[Future[list[bytes]]] = [
                pool.submit(
                    open_shares,
                    bodies[start : start + _AT_ONCE],
                    infos[start : start + _AT_ONCE],
                    key.kem,
                    key.raw,
                )
                for start in range(0, len(bodies), _AT_ONCE)
            ]
            yield shifts_of_many([text for piece in pieces for text in piece.result()], moduli)


# --- Files with the keys that devices seal draws for: X25519 keys as for key files, and hybrid pairs
# A hybrid key is two PEM blocks in one file, ML-KEM-768 and X25519, so that other programs can read it.


_LIMIT_BYTES = 1 << 17
_BLOCK = re.compile(rb"-----BEGIN [A-Z ]+-----.*?-----END [A-Z ]+-----\n?", re.DOTALL)


def read_share_public(path: str | Path, kem: Kem) -> bytes:
    """Read the public key of a receiver."""
    data = read_bytes(path, limit_bytes=_LIMIT_BYTES)
    try:
        if kem is Kem.X25519:
            return check_public(kem, PublicKey.from_pem(data).raw)
        return check_public(kem, b"".join(_raw(_load(block)) for block in _blocks(data, b"PUBLIC KEY")))
    except KeyRefused as error:
        raise error.at(Place(file=str(path))) from None


def read_share_private(path: str | Path, kem: Kem, unlock: Passphrase | Unprotected) -> ShareKey:
    """Read the private key of a receiver."""
    if kem is Kem.X25519:
        return ShareKey(kem, read_private_key(path, unlock).raw)
    password = spelled(unlock) if isinstance(unlock, Passphrase) else None
    data = read_bytes(path, limit_bytes=_LIMIT_BYTES)
    try:
        blocks = _blocks(data, b"PRIVATE KEY")
        raw = b"".join(_load(block, password, private=True).private_bytes_raw() for block in blocks)
        return ShareKey(kem, raw)
    except (KeyRefused, AttributeError):
        raise _no_pair("private").at(Place(file=str(path))) from None


def write_share_pair(path: str | Path, passphrase: Passphrase | None = None) -> Path:
    """Make a hybrid pair: the private key at `path`, for its owner alone, the public one beside it as `.pub`."""
    from cryptography.hazmat.primitives import serialization as pem  # noqa: PLC0415  slow to import

    key, public_path = new_share_key(Kem.HYBRID), Path(f"{path}.pub")
    locked_by: Any = pem.NoEncryption() if passphrase is None else pem.BestAvailableEncryption(spelled(passphrase))
    pair = loaded_private(key.kem, key.raw)
    private = b"".join(one.private_bytes(pem.Encoding.PEM, pem.PrivateFormat.PKCS8, locked_by) for one in pair)
    shown = pem.PublicFormat.SubjectPublicKeyInfo
    public = b"".join(one.public_key().public_bytes(pem.Encoding.PEM, shown) for one in pair)
    with locked(path):
        check_free("path", path, public_path)
        write_atomically(path, private, private=True)
        write_atomically(public_path, public)
    return public_path


def _blocks(data: bytes, kind: bytes) -> list[bytes]:
    found = _BLOCK.findall(data)
    if len(found) != 2 or not all(kind in block.splitlines()[0] for block in found):
        raise _no_pair(kind.split()[0].decode().lower())
    return found


def _load(block: bytes, password: bytes | None = None, *, private: bool = False) -> Any:
    from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415  slow to import
    from cryptography.hazmat.primitives import serialization as pem  # noqa: PLC0415  slow to import

    try:
        return pem.load_pem_private_key(block, password) if private else pem.load_pem_public_key(block)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return None


def _raw(loaded: Any) -> bytes:
    if loaded is None or not hasattr(loaded, "public_bytes_raw"):
        raise _no_pair("public")
    found: bytes = loaded.public_bytes_raw()
    return found


def _no_pair(kind: str) -> KeyRefused:
    return KeyRefused(
        f"this is no file with a {kind} key of the hybrid of ML-KEM-768 and X25519, or it needs another passphrase",
        way_out="Make a pair with `sfumato keys pair` and this `kem`.",
    )
