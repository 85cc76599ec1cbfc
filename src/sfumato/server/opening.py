"""Opening a study for collection: its folder, its database and its payment.

Questions that cannot be asked over the web are refused first, then a database with other contents. Then the study is
paid for, once a wave, however often the server starts. Only then does the database take reports.
"""

from __future__ import annotations

import secrets
import shutil
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path

from sfumato.errors import InvalidParameter, Place, Refused, UnreadableFile
from sfumato.files.disk import create_atomically, flush_folder, read_bytes, writing_sentences
from sfumato.server.admission import BlindSigning
from sfumato.server.credentials import CredentialKey, new_tokens, token_hash, write_invites
from sfumato.server.service import CollectionServer, StudySteps
from sfumato.server.settings import Settings
from sfumato.server.store_base import Closing, Counts, Invitation, State, Store
from sfumato.server.stores import DATABASE_FILE, open_store
from sfumato.study.collect_terms import Mode
from sfumato.study.collection import Collection, collection_of
from sfumato.study.file import read_study
from sfumato.workflows.collecting import ExportedPart, OpenedCollection, export_part, open_collection

# --- The folder of a server: its database, its key for credentials, and the hash of the administrator's token
# Only the owner may read the folder. The token itself is shown once, when the folder is made. If it is lost, delete the
# file; the next start makes another.


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


_PANEL_BYTES = 16
_TOGETHER = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedServer:
    """A study that is open for collection. `admin` is the administrator's token where it was made just now."""

    opened: OpenedCollection
    store: Store
    folder: Path
    state: State
    admin_hash: bytes = field(repr=False)
    admin: str | None = field(default=None, repr=False)

    @property
    def collection(self) -> Collection:
        """What is collected."""
        return self.opened.collection

    @property
    def database(self) -> str:
        """Where reports are kept, without a password."""
        return str(getattr(self.store, "place", None) or getattr(self.store, "path", ""))

    def counts(self) -> Counts:
        """How much is kept."""
        return self.store.counts()

    def server(self, settings: Settings) -> CollectionServer:
        """Return what answers requests; it takes the connection over."""
        signing = None
        if self.collection.mode is Mode.ANONYMOUS:
            signing = BlindSigning(CredentialKey.in_folder(self.folder), self.collection.fingerprint)
        return CollectionServer(
            self.collection,
            self.store,
            settings,
            admin=self.admin_hash,
            signing=signing,
            steps=StudySteps(self.opened),
        )

    def invite(self, count: int, to: Path, url: str | None = None) -> None:
        """Let so many people in, and write their tokens into a new file: the only place where they stand."""
        tokens = new_tokens(count)
        is_panel = self.collection.mode is Mode.PANEL
        panels = [secrets.token_bytes(_PANEL_BYTES) for _ in tokens] if is_panel else None
        shown = None if panels is None else [one.hex() for one in panels]
        key = None if is_panel else CredentialKey.in_folder(self.folder).digest
        write_invites(to, tokens, url, shown, self.collection.fingerprint, key)
        known = [
            Invitation(token=token_hash(token), panel=None if panels is None else panels[number])
            for number, token in enumerate(tokens)
        ]
        try:
            for start in range(0, count, _TOGETHER):
                self.store.invite(known[start : start + _TOGETHER])
        except Refused:
            with suppress(OSError):
                to.unlink()  # unknown tokens are refused
            raise

    def close_collection(self) -> Closing:
        """Take no more reports, and show all."""
        return self.store.close_wave()

    def compact(self) -> None:
        """Write the database anew: it then shows no order, and nothing of what was withdrawn."""
        self.store.compact()

    def export(self, out: Path) -> ExportedPart:
        """Write the reports of this wave that are shown as a part."""
        self.store.advance()
        return export_part(self.opened, self.store.shown_rows(self.collection.wave), out)

    def back_up(self, out: Path) -> tuple[str, ...]:
        """Copy the folder, with the database where it is in it."""
        return back_up(self.store, self.folder, out)


def open_server(
    study: Path,
    *,
    data: Path | None = None,
    database: str | None = None,
    wave: int | None = None,
    ledger: Path | None = None,
    registry: Path | None = None,
    people: str | None = None,
) -> OpenedServer:
    """Open a study for collection, or find it open; the folder is beside the study, or `data`."""
    asked = collection_of(read_study(study), study.parent)
    folder = made_folder(data or study.with_name(f"{study.stem}.collection"))
    store = open_store(database, folder)
    try:
        before = store.state()
        wanted = _wanted(asked, before, wave)
        opened = open_collection(study, wave=wanted.wave, ledger=ledger, registry=registry, people=people)
        if before != wanted:
            if before is not None and not before.closed:
                store.close_wave()
            store.set_state(wanted)
        known, new = admin_token(folder)
    except BaseException:
        store.close()
        raise
    return OpenedServer(opened=opened, store=store, folder=folder, state=wanted, admin_hash=known, admin=new)


def _wanted(asked: Collection, before: State | None, wave: int | None) -> State:
    if before is None:
        return State(fingerprint=asked.fingerprint, mode=asked.mode.value, wave=asked.at_wave(wave or 1).wave)
    if before.fingerprint != asked.fingerprint:
        raise Refused(
            "holds reports of another study, or of this one before it was changed",
            parameter="database",
            way_out="Name another folder as `data`, or another `database`: a changed study is another one.",
        )
    if wave is None or wave == before.wave:
        return before
    if wave < before.wave:
        raise InvalidParameter(
            f"is over: the study is in wave {before.wave}",
            parameter="wave",
            value=wave,
            way_out="Leave it out, or begin the next.",
        )
    return replace(before, wave=asked.at_wave(wave).wave, closed=False, shown=0)
