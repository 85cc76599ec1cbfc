"""A study as it is collected over the web: what a device sends, what a server keeps, and who may open what.

Everything of a study has one length: a row of reports, and one sealed body for each receiver, whatever the answers are.
What cannot be asked of one person alone, on a device that knows nothing of the others, is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from sfumato.errors import InvalidParameter, UnreadableFile
from sfumato.refine.sealed_shares import Kem, share_bytes
from sfumato.study.audience import REGISTRAR
from sfumato.study.collect_terms import CollectTerms, Mode
from sfumato.study.studies import Study
from sfumato.study.study_files import fingerprint
from sfumato.study.ways import Way

SECRET_BYTES = 32
ID_BYTES = 32
PANEL = "panel"
"""The column of pseudonyms, in exported reports of a panel."""
_REPORT_ID, _WAVE_SECRET = b"sfumato/report-id/1", b"sfumato/wave-secret/1"
MOST_WAVES = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Receiver:
    """Whom devices seal draws for: an analyst, or the registrar; `levels` is what they open, by question."""

    name: str
    kem: Kem
    public_key: bytes = field(repr=False)
    levels: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRow:
    """What a server keeps of one report. `shares` are the bodies of all receivers, in their order.

    `credential` is the hash of what the report was admitted by; `panel` is the pseudonym, in panel mode only.
    """

    id: bytes
    credential: bytes
    row: bytes
    shares: bytes
    panel: bytes | None = None
    wave: int = 1

    def __repr__(self) -> str:
        return f"<StoredRow of wave {self.wave}, {len(self.row)} and {len(self.shares)} bytes, not shown>"


@dataclass(frozen=True, kw_only=True)
class Collection:
    """A study that is collected: its questions as they are asked, who receives what, and the wave.

    `declarations` say by what each question is asked, so that devices and server agree whatever their versions are.
    """

    study: Study
    declarations: Mapping[str, str | None]
    receivers: tuple[Receiver, ...] = ()
    wave: int = 1

    @cached_property
    def fingerprint(self) -> str:
        """Of the study."""
        return fingerprint(self.study)

    @property
    def terms(self) -> CollectTerms:
        """How it is collected; the defaults where the study does not say."""
        return self.study.collect or CollectTerms()

    @property
    def mode(self) -> Mode:
        """Whether reports can be linked to people."""
        return Mode(self.terms.mode)

    @cached_property
    def ways(self) -> Mapping[str, Way]:
        """How each question is asked."""
        return {name: self.study.way(name, declaration) for name, declaration in self.declarations.items()}

    @cached_property
    def columns(self) -> Mapping[str, Way]:
        """What a device draws: reports on each question, and after them answers that are sealed for the registrar."""
        sealed = [way.sealed for way in self.ways.values()] if can_recover(self.study) else []
        return {**self.ways, **{way.question.id: way for way in sealed if way is not None}}

    def receiver(self, name: str) -> Receiver:
        """Return a receiver by name."""
        found = next((one for one in self.receivers if one.name == name), None)
        if found is None:
            known = ", ".join(one.name for one in self.receivers) or "nobody"
            raise InvalidParameter(
                f"receives nothing of this collection; receivers are: {known}",
                parameter="receiver",
                value=name,
                way_out="Name one of these.",
            )
        return found

    def moduli(self, receiver: Receiver) -> tuple[int, ...]:
        """How many shifts there are of each question that a receiver opens, in the order of a body."""
        return tuple(self.columns[name].report_count for name in receiver.levels)

    @cached_property
    def share_bytes(self) -> Mapping[str, int]:
        """How long the body of each receiver is."""
        return {one.name: share_bytes(self.moduli(one), one.kem) for one in self.receivers}

    @cached_property
    def row_bytes(self) -> int:
        """How long a row is."""
        return sum(self.widths.values())

    @cached_property
    def widths(self) -> Mapping[str, int]:
        """How many bytes of a row each question takes."""
        return {name: max(1, (self._symbols[name] - 1).bit_length() + 7 >> 3) for name in self.columns}

    @cached_property
    def _symbols(self) -> Mapping[str, int]:
        """How many things a cell can say: the reports, and where that is public that there is none."""
        return {name: way.report_count + way.question.has_gaps for name, way in self.columns.items()}

    def pack_row(self, reports: Mapping[str, int | None]) -> bytes:
        """Return the reports of one person as bytes; None is a gap, where gaps are public."""
        if set(reports) != set(self.columns):
            raise self.no_row()
        packed = b""
        for name, way in self.columns.items():
            given = reports[name]
            value = way.report_count if given is None else int(given)
            least = way.report_count if given is None else 0
            if not least <= value < (self._symbols[name] if given is None else way.report_count):
                raise self.no_row()
            packed += value.to_bytes(self.widths[name], "big")
        return packed

    def unpack_row(self, row: bytes) -> dict[str, int | None]:
        """Return the reports of one person; refuses what no device sends."""
        if len(row) != self.row_bytes:
            raise self.no_row()
        found: dict[str, int | None] = {}
        place = 0
        for name, way in self.columns.items():
            value = int.from_bytes(row[place : place + self.widths[name]], "big")
            if value >= self._symbols[name]:
                raise self.no_row()
            found[name] = None if value == way.report_count else value
            place += self.widths[name]
        return found

    def split_shares(self, shares: bytes) -> dict[str, bytes]:
        """Return the body of each receiver, from all of them joined in order."""
        if len(shares) != sum(self.share_bytes.values()):
            raise _no_shares()
        found, place = {}, 0
        for name, count in self.share_bytes.items():
            found[name] = shares[place : place + count]
            place += count
        return found

    def join_shares(self, shares: Mapping[str, bytes]) -> bytes:
        """Return the bodies of all receivers in order; refuses others than there are, and other lengths."""
        if set(shares) != set(self.share_bytes) or any(len(shares[one]) != n for one, n in self.share_bytes.items()):
            raise _no_shares()
        return b"".join(shares[one] for one in self.share_bytes)

    def at_wave(self, wave: int) -> Collection:
        """Return the collection in another wave."""
        if not 1 <= wave <= MOST_WAVES:
            raise InvalidParameter(
                f"must be a whole number from 1 to {MOST_WAVES}", parameter="wave", value=wave, way_out="Count from 1."
            )
        return replace(self, wave=wave)

    def to_document(self) -> dict[str, Any]:
        """Return what a device needs, as plain texts and numbers."""
        from sfumato.study.collection_documents import collection_document  # noqa: PLC0415  it needs this module

        return collection_document(self)

    @classmethod
    def from_document(cls, document: Any, folder: Path | None = None) -> Collection:
        """Read such a document; refuses one that is damaged, newer, or of another study than it says."""
        from sfumato.study.collection_documents import collection_from  # noqa: PLC0415  it needs this module

        return collection_from(document, folder)

    def no_row(self) -> UnreadableFile:
        """Return the refusal of a row that no device sends."""
        return UnreadableFile(
            f"this is no row of reports that a device of this study sends: {self.row_bytes} bytes, a report of its "
            f"question in each place",
            parameter="row",
            way_out="Send what `sf.respond` makes, for this very study.",
        )


def collection_of(study: Study, folder: str | Path | None = None, *, wave: int = 1) -> Collection:
    """Return a study as it is collected, with the public keys that it names; refuses what cannot be asked this way."""
    from sfumato.study.share_receivers import receivers_of  # noqa: PLC0415  it needs this module

    check_collectable(study)
    declared = {way.question.id: way.declaration for way in study.ways}
    blank = Collection(study=study, declarations=declared).at_wave(wave)
    return replace(blank, receivers=receivers_of(study, None if folder is None else Path(folder)))


def check_collectable(study: Study) -> None:
    """Refuse questions that one person cannot be asked alone, on a device that knows nothing of the others."""
    for way in study.ways:
        asked = way.question
        if asked.id == PANEL and study.collect is not None and study.collect.mode is Mode.PANEL:
            raise _cannot(asked.id, "has the name of the column of pseudonyms", "Rename the question.")
        if not way.by_row:
            raise _cannot(
                asked.id,
                "is asked in rounds, of which each goes by what others reported before",
                "List its answers, or publish it from a table with `sfumato publish`.",
            )
        if way.by_position or way.by_number:
            raise _cannot(
                asked.id,
                "asks each row something else by its number, and a device does not know which row it will be",
                "Ask everybody the same: leave out random_bits, ask about all options (ask), or say in [collect] that "
                "devices answer, and levels are made as they can draw them.",
            )
        if asked.ask_if is not None and asked.ask_if.is_public:
            raise _cannot(
                asked.id,
                f"is asked by the public column {asked.ask_if.source}, which a device does not send",
                "Make that column a question, or ask everybody.",
            )
    if study.disclosure is not None:
        raise InvalidParameter(
            "is made of a whole table, which nobody has here",
            parameter="disclosure",
            way_out="Take [disclosure] out of the study that is collected over the web.",
        )


def report_id(secret: bytes) -> bytes:
    """Return the name of a report: the hash of a secret that only the device has, and that withdraws it."""
    return sha256(_REPORT_ID + checked_secret(secret)).digest()


def wave_secret(secret: bytes, study: str, wave: int) -> bytes:
    """Return the secret of one wave: waves of a panel have reports of different names, made of one secret."""
    return sha256(_WAVE_SECRET + checked_secret(secret) + f"{study} {wave}".encode()).digest()


def checked_secret(secret: bytes) -> bytes:
    """Refuse what is no secret of a device."""
    given: Any = secret
    if not isinstance(given, bytes) or len(given) != SECRET_BYTES:
        raise InvalidParameter(
            f"must have {SECRET_BYTES} bytes", parameter="secret", way_out="Give the one that the device keeps."
        )
    return secret


def can_recover(study: Study) -> bool:
    """Whether devices also seal what gives the answers back."""
    return study.collect is not None and study.collect.recover


def holders_of(study: Study) -> tuple[str, ...]:
    """Who receives shares: analysts who see more than the public, and the registrar where the study says so."""
    return (*(one.name for one in study.analysts), *([REGISTRAR] if can_recover(study) else []))


def _cannot(question: str, why: str, way_out: str) -> InvalidParameter:
    return InvalidParameter(
        f"question {question!r} cannot be asked over the web: it {why}", parameter="questions", way_out=way_out
    )


def _no_shares() -> UnreadableFile:
    return UnreadableFile(
        "these are not the sealed bodies that a device of this study sends: one a receiver, each of its length",
        parameter="shares",
        way_out="Send what `sf.respond` makes, for this very study.",
    )
