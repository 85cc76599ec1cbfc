"""The folder of a server: its database, its key for credentials, and the hash of the administrator's token.

The folder and everything in it is its owner's alone. The token itself is shown once, when the folder is made; who loses
it deletes the file, and the next start makes another.
"""

from __future__ import annotations

import secrets
import shutil
from hashlib import sha256
from pathlib import Path

from sfumato.errors import InvalidParameter, Place, UnreadableFile
from sfumato.files.disk import create_atomically, flush_folder, read_bytes, writing_sentences
from sfumato.web.stores import DATABASE_FILE, Store

ADMIN_FILE = "admin-token.sha256"
_MOST_BYTES = 1000


def made_folder(path: Path) -> Path:
    """Return the folder of a server, made if it is not there."""
    with writing_sentences(path):
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        flush_folder(path.parent)
    return path


def admin_token(folder: Path) -> tuple[bytes, str | None]:
    """Return the hash of the administrator's token, and the token itself where it is new."""
    path = folder / ADMIN_FILE
    if not path.exists():
        token = secrets.token_urlsafe(32)
        create_atomically(path, (sha256(token.encode()).hexdigest() + "\n").encode(), private=True)
        return sha256(token.encode()).digest(), token
    text = read_bytes(path, limit_bytes=_MOST_BYTES).decode("ascii", "replace").strip()
    try:
        found = bytes.fromhex(text)
    except ValueError:
        found = b""
    if len(found) != sha256().digest_size:
        raise UnreadableFile(
            "this is no hash of an administrator's token",
            way_out="Delete the file; the next start makes a new token.",
            place=Place(file=str(path)),
        )
    return found, None


def back_up(store: Store, folder: Path, out: Path) -> tuple[str, ...]:
    """Copy a server's folder while it runs: the database as it is at one moment, and the small files.

    Returns the names of what was copied. A database of PostgreSQL is not in the folder and is not copied.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise InvalidParameter(
            "is there already, and is not empty",
            parameter="backup",
            value=str(out),
            way_out="Choose a folder that is not there yet.",
        )
    made_folder(out)
    copied = []
    for path in sorted(folder.iterdir()):
        if path.is_file() and not path.name.startswith((DATABASE_FILE, ".")):
            shutil.copy(path, out / path.name)  # with its permissions
            copied.append(path.name)
    copy = getattr(store, "copy_to", None)
    if copy is not None:
        copy(out / DATABASE_FILE)
        (out / DATABASE_FILE).chmod(0o600)
        copied.append(DATABASE_FILE)
    flush_folder(out)
    return tuple(copied)
