"""Opening a study for collection: its folder and database, who is let in, and the payment, in an order that is safe.

What cannot be asked over the web is refused first, then a database that holds something else; then the study is paid
for (once a wave, however often the server starts), and only then does the database take reports.
"""

from __future__ import annotations

import secrets
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from sfumato.errors import InvalidParameter, Refused
from sfumato.study.collect_terms import Mode
from sfumato.study.collections import Collection, collection_of
from sfumato.study.steps.collecting import ExportedPart, OpenedCollection, export_part, open_collection
from sfumato.study.study_files import read_study
from sfumato.web.admissions import BlindSigning
from sfumato.web.collecting import CollectionServer
from sfumato.web.credentials import CredentialKey, new_tokens, token_hash, write_invites
from sfumato.web.folders import admin_token, back_up, made_folder
from sfumato.web.settings import Settings
from sfumato.web.stores import Closing, Counts, Invitation, State, Store, open_store
from sfumato.web.study_steps import StudySteps

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
                to.unlink()  # tokens that are not known let nobody in
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
    record: Path | None = None,
    people: str | None = None,
) -> OpenedServer:
    """Open a study for collection, or find it open; the folder is beside the study, or `data`."""
    asked = collection_of(read_study(study), study.parent)
    folder = made_folder(data or study.with_name(f"{study.stem}.collection"))
    store = open_store(database, folder)
    try:
        before = store.state()
        wanted = _wanted(asked, before, wave)
        opened = open_collection(study, wave=wanted.wave, ledger=ledger, record=record, people=people)
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
