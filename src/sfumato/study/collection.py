"""A study as it is collected over the web: what devices send, what a server keeps and who receives it.

The length of a row of reports, and of the sealed body for each receiver, does not depend on the answers. Questions that
a device cannot ask one person without knowing the others are refused.
"""

from __future__ import annotations

import base64
import binascii
import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from sfumato.certificates.certificate import Certificate
from sfumato.certificates.channels import COMPUTATIONAL, Collected, as_collected
from sfumato.errors import InvalidInput, InvalidParameter, KeyRefused, Place, UnreadableFile
from sfumato.files.documents import check_keys, check_schema
from sfumato.keys.shares import Kem, check_public, read_share_public, share_bytes
from sfumato.numbers.intervals import float_above
from sfumato.prob.channel import Channel
from sfumato.study.collect_terms import CollectTerms, Mode
from sfumato.study.fields import sealed_name
from sfumato.study.file import as_document, fingerprint, study_from
from sfumato.study.handler import Handler
from sfumato.study.readers import REGISTRAR
from sfumato.study.study import Study

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
    def handlers(self) -> Mapping[str, Handler]:
        """How each question is asked."""
        return {name: self.study.handler(name, declaration) for name, declaration in self.declarations.items()}

    @cached_property
    def columns(self) -> Mapping[str, Handler]:
        """What a device draws: reports on each question, and after them answers that are sealed for the registrar."""
        sealed = [handler.sealed for handler in self.handlers.values()] if can_recover(self.study) else []
        return {**self.handlers, **{handler.question.id: handler for handler in sealed if handler is not None}}

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
        return {name: handler.report_count + handler.question.has_gaps for name, handler in self.columns.items()}

    def pack_row(self, reports: Mapping[str, int | None]) -> bytes:
        """Return the reports of one person as bytes; None is a gap, where gaps are public."""
        if set(reports) != set(self.columns):
            raise self.no_row()
        packed = b""
        for name, handler in self.columns.items():
            given = reports[name]
            value = handler.report_count if given is None else int(given)
            least = handler.report_count if given is None else 0
            if not least <= value < (self._symbols[name] if given is None else handler.report_count):
                raise self.no_row()
            packed += value.to_bytes(self.widths[name], "big")
        return packed

    def unpack_row(self, row: bytes) -> dict[str, int | None]:
        """Return the reports of one person; refuses what no device sends."""
        if len(row) != self.row_bytes:
            raise self.no_row()
        found: dict[str, int | None] = {}
        place = 0
        for name, handler in self.columns.items():
            value = int.from_bytes(row[place : place + self.widths[name]], "big")
            if value >= self._symbols[name]:
                raise self.no_row()
            found[name] = None if value == handler.report_count else value
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
        return collection_document(self)

    @classmethod
    def from_document(cls, document: Any, folder: Path | None = None) -> Collection:
        """Read such a document; refuses one that is damaged, newer, or of another study than it says."""
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
    """Return a study as it is collected, with its public keys; refuses what cannot be asked over the web."""
    check_collectable(study)
    declared = {handler.question.id: handler.declaration for handler in study.handlers}
    blank = Collection(study=study, declarations=declared).at_wave(wave)
    return replace(blank, receivers=receivers_of(study, None if folder is None else Path(folder)))


def check_collectable(study: Study) -> None:
    """Refuse questions that one person cannot be asked alone, on a device that knows nothing of the others."""
    for handler in study.handlers:
        asked = handler.question
        if asked.id == PANEL and study.collect is not None and study.collect.mode is Mode.PANEL:
            raise _cannot(asked.id, "has the name of the column of pseudonyms", "Rename the question.")
        if not handler.by_row:
            raise _cannot(
                asked.id,
                "is asked in rounds, of which each goes by what others reported before",
                "List its answers, or publish it from a table with `sfumato publish`.",
            )
        if handler.by_position or handler.by_number:
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


# --- Receivers and the files of their public keys


def levels_of(study: Study) -> dict[str, dict[str, int]]:
    """Return by receiver what they open, by question; analysts who see what the public sees receive nothing."""
    found: dict[str, dict[str, int]] = {}
    for analyst in study.analysts:
        mine = {
            handler.question.id: handler.level_of(analyst)
            for handler in study.handlers
            if handler.level_of(analyst) in handler.key_levels
        }
        if mine:
            found[analyst.name] = mine
    if can_recover(study):
        mine = {handler.question.id: 0 for handler in study.column_ways if 0 in handler.key_levels}
        if mine:
            found[REGISTRAR] = mine
    return found


def receivers_of(study: Study, folder: Path | None) -> tuple[Receiver, ...]:
    """Return who receives what, with their public keys; an analyst without a key is refused."""
    kem = Kem((study.collect or CollectTerms()).kem)
    files = {analyst.name: analyst.public_key for analyst in study.analysts} | {REGISTRAR: study.registrar_key}
    found = []
    for name, levels in levels_of(study).items():
        raw = read_share_public(_file_of(name, files[name], folder), kem)
        found.append(Receiver(name=name, kem=kem, public_key=raw, levels=levels))
    keys = {one.public_key for one in found}
    if len(keys) < len(found):
        raise KeyRefused(
            "two receivers have the same public key, so that each would see what is the other's",
            way_out="Make a key pair for each.",
        )
    return tuple(found)


def _file_of(name: str, file: str | None, folder: Path | None) -> Path:
    if file is None:
        is_registrar = name == REGISTRAR
        raise InvalidParameter(
            f"is missing for {name}: over the web, devices seal what {name} may open, and need a key for that",
            parameter="public_key",
            way_out=f"Make a pair with `sfumato keys pair`, and name its public file as public_key under "
            f"{'[registrar]' if is_registrar else '[[analysts]]'}.",
            place=Place(table="registrar" if is_registrar else "analysts"),
        )
    return (folder or Path()) / file


# --- The collection document
# A server hands it to devices. A device derives from the study who may receive what, all lengths and the study's
# fingerprint, so a server can add no receiver and no question. A server could exchange a public key, and its operator
# could then see what that analyst may see in later reports. Respondents who have the keys from elsewhere compare them.


SCHEMA = "sfumato/collection/1"
_KEYS = ("schema", "study", "fingerprint", "mode", "wave", "declarations", "receivers", "row_bytes", "share_bytes")
_RECEIVER_KEYS = ("name", "kem", "public_key", "levels")
_NAMED = "the study that the server sent"


def collection_document(collection: Collection) -> dict[str, Any]:
    """Return a collection as nested tables of texts and whole numbers."""
    return {
        "schema": SCHEMA,
        "study": as_document(collection.study),
        "fingerprint": collection.fingerprint,
        "mode": collection.mode.value,
        "wave": collection.wave,
        "declarations": dict(collection.declarations),
        "receivers": [
            {
                "name": one.name,
                "kem": one.kem.value,
                "public_key": base64.b64encode(one.public_key).decode(),
                "levels": dict(one.levels),
            }
            for one in collection.receivers
        ],
        "row_bytes": collection.row_bytes,
        "share_bytes": dict(collection.share_bytes),
    }


def collection_from(document: Any, folder: Path | None = None) -> Collection:
    """Read a document; refuses one that is damaged, newer, or says what does not follow from its study."""
    if not isinstance(document, dict):
        raise _damaged()
    check_schema(document, _NAMED, kind="collection", version=1)
    try:
        found = _read(document, folder)
        is_same = collection_document(found) == document
    except (InvalidInput, KeyError, TypeError, ValueError, AttributeError, RecursionError, binascii.Error):
        raise _damaged() from None
    if not is_same or {one.name: dict(one.levels) for one in found.receivers} != levels_of(found.study):
        raise _damaged()
    return found


def _read(document: dict[str, Any], folder: Path | None) -> Collection:
    check_keys(document, _NAMED, known=_KEYS, needed=_KEYS)
    declared = {key: value for key, value in document["study"].items() if key != "schema"}
    study = study_from(declared, folder, at_once=False)
    check_collectable(study)
    receivers = []
    for one in document["receivers"]:
        check_keys(one, _NAMED, known=_RECEIVER_KEYS, needed=_RECEIVER_KEYS)
        kem, levels = Kem(one["kem"]), {str(name): _whole(level) for name, level in one["levels"].items()}
        raw = check_public(kem, base64.b64decode(one["public_key"], validate=True))
        receivers.append(Receiver(name=str(one["name"]), kem=kem, public_key=raw, levels=levels))
    if [question.id for question in study.questions] != list(document["declarations"]):
        raise ValueError("other questions are declared than there are")
    for name, declaration in document["declarations"].items():
        if study.handler(name, declaration).declaration != declaration:
            raise ValueError("the declaration does not fit its question")
    blank = Collection(study=study, declarations=dict(document["declarations"]), receivers=tuple(receivers))
    return blank.at_wave(_whole(document["wave"]))


def _whole(value: object) -> int:
    if type(value) is not int:
        raise TypeError("not a whole number")
    return value


def _damaged() -> UnreadableFile:
    return UnreadableFile(
        "what the server says of its study is damaged, or does not follow from the study itself",
        parameter="study",
        way_out="Do not answer; tell whoever invited you.",
    )


# --- The form document
# What a page needs to ask the questions and draw reports on the device: symbols, steps and whole numbers to draw by,
# because a browser cannot plan a question. It follows from the study and its public keys. The device computes the
# privacy of each draw and refuses a weaker one than is stated.   Format: docs/reference/files.md


FORM_SCHEMA = "sfumato/form/1"


def form_document(collection: Collection) -> dict[str, Any]:
    """Return the form of a collection, as nested tables of texts and whole numbers."""
    check_collectable(collection.study)
    sealed = [_sealed(collection, name) for name in collection.handlers if sealed_name(name) in collection.columns]
    return ({"sealed": sealed} if sealed else {}) | {
        "schema": FORM_SCHEMA,
        "study": collection.study.name,
        "fingerprint": collection.fingerprint,
        "mode": collection.mode.value,
        "wave": collection.wave,
        "row": [[name, width] for name, width in collection.widths.items()],
        "receivers": [
            {
                "name": one.name,
                "kem": one.kem.value,
                "public_key": base64.b64encode(one.public_key).decode(),
                "levels": dict(one.levels),
                "moduli": list(collection.moduli(one)),
                "bytes": collection.share_bytes[one.name],
            }
            for one in collection.receivers
        ],
        "questions": [_question(collection, handler) for handler in collection.handlers.values()],
    }


def _question(collection: Collection, handler: Handler) -> dict[str, Any]:
    asked, part = handler.question, handler.form()
    found: dict[str, Any] = {"id": asked.id, "text": asked.text, "asks": dict(part.asks)}
    if asked.ask_if is not None:
        found["ask_if"] = {"question": asked.ask_if.source, "answers": list(asked.ask_if.answers)}
    found["gaps"] = "refused" if asked.missing is None else str(asked.missing)
    found["reports"] = handler.report_count
    if handler.report_labels is not None:
        found["report_labels"] = list(handler.report_labels)
    levels = {one.name: one.levels[asked.id] for one in collection.receivers if asked.id in one.levels}
    return found | {
        "odds": _spelled(part.odds[-1]),
        "sees": [{"name": name, "odds": _seen(part.odds, level)} for name, level in levels.items()],
        "draw": dict(part.draw),
    }


def _sealed(collection: Collection, question: str) -> dict[str, Any]:
    """Return a sealed column: the answer's number, moved by a uniform draw that its receivers are given."""
    name = sealed_name(question)
    handler = collection.columns[name]
    part = handler.form()
    return {
        "id": name,
        "of": question,
        "reports": handler.report_count,
        "odds": _spelled(part.odds[-1]),
        "sees": [{"name": one.name, "odds": None} for one in collection.receivers if name in one.levels],
        "draw": dict(part.draw),
    }


def _seen(odds: tuple[Fraction | None, ...], level: int) -> str | None:
    """What a receiver's view of a report discloses; with the shifts of level 0 it is the answer."""
    return None if level == 0 else _spelled(odds[level - 1])


def _spelled(odds: Fraction | None) -> str | None:
    return None if odds is None else f"{odds.numerator}/{odds.denominator}"


# --- The reading document
# How a reader's own machine opens and counts reports: the layout of rows and bodies, and how each is read. It follows
# from the study and the public keys. With the rows and a private key a reader obtains the same results as from
# `sfumato keys unseal`, `open` and `estimate`.


READING_SCHEMA = "sfumato/reading/1"


def reading_document(collection: Collection, receiver: Receiver) -> dict[str, Any]:
    """Return how the rows of a collection and the bodies of one receiver are read.

    A question is read at the receiver's level, or at the public one; `reckoning` is None where that takes Python.
    """
    questions = []
    for name, handler in collection.handlers.items():
        level = receiver.levels.get(name, len(handler.epsilons))
        questions.append(
            {
                "id": name,
                "text": handler.question.text,
                "reports": handler.report_count,
                "bytes": collection.widths[name],
                "has_gaps": handler.question.has_gaps,
                "is_opened": name in receiver.levels,
                "level": level,
                "reckoning": handler.reckoning(level),
            }
        )
    return {
        "schema": READING_SCHEMA,
        "study": collection.study.name,
        "fingerprint": collection.fingerprint,
        "mode": collection.mode.value,
        "wave": collection.wave,
        "receiver": receiver.name,
        "kem": receiver.kem.value,
        "public_keys": {one.name: base64.b64encode(one.public_key).decode() for one in collection.receivers},
        "opens": list(receiver.levels),
        "moduli": list(collection.moduli(receiver)),
        "row_bytes": collection.row_bytes,
        "share_bytes": collection.share_bytes[receiver.name],
        "questions": questions,
    }


def public_reckonings(collection: Collection) -> dict[str, Any]:
    """Return the browser estimator of each question at the public level; None where that takes Python."""
    return {name: handler.reckoning(len(handler.epsilons)) for name, handler in collection.handlers.items()}


# --- The privacy loss over the waves of a panel
# A person answers x_1, …, x_w in w waves. Each different answer is drawn once and its report is repeated, so the
# reports are one independent draw of its row of the channel for each different answer. Two histories with the same
# pattern (the waves with equal answers) and d different answers differ by at most d·ε: both joint laws are products
# over the d answers, and each factor differs by at most e^ε. Without changes the loss over all waves is ε. Fresh draws
# in each wave would lose w·ε. The pattern is not hidden: where the reports of two waves differ, the answer has changed.


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelCost:
    """The most that the waves disclose about the answers to one question, in nats, after `different` answers."""

    question: str
    epsilon: float
    different: int

    @property
    def total_epsilon(self) -> float:
        """ε of all waves together, among histories that change at the same times."""
        return math.inf if math.isinf(self.epsilon) else float_above(self.different * Fraction(self.epsilon))


def panel_cost(study: Study, question: str, different: int = 1, *, level: int | None = None) -> PanelCost:
    """Return what all waves disclose about a person with so many different answers, at a level or the public one."""
    epsilons = study.handler(question).epsilons
    return PanelCost(question=question, epsilon=epsilons[-1 if level is None else level - 1], different=different)


def pattern_of(history: Sequence[int]) -> tuple[int, ...]:
    """Return in which waves equal answers stand: each wave by the place of the first with its answer."""
    return tuple(list(history).index(answer) for answer in history)


def history_law(channel: Channel, history: Sequence[int]) -> Mapping[tuple[int, ...], Fraction]:
    """Return the exact joint law of the reports of all waves, given the answers as places in the channel's inputs."""
    different = list(dict.fromkeys(history))
    rows = [channel.to_exact().rows[answer] for answer in different]
    law: dict[tuple[int, ...], Fraction] = {}
    for reports in itertools.product(range(channel.shape[1]), repeat=len(different)):
        chance = math.prod(
            (Fraction(row[report]) for row, report in zip(rows, reports, strict=True)), start=Fraction(1)
        )
        if chance:
            told = tuple(reports[different.index(answer)] for answer in history)
            law[told] = law.get(told, Fraction(0)) + chance
    return law


def panel_words(study: Study) -> str:
    """Say to respondents what a change costs them."""
    told = "; ".join(
        f"{handler.question.id}: ε = {handler.epsilons[-1]:.3g} for an answer that stays, "
        f"{2 * handler.epsilons[-1]:.3g} after one change, and so on"
        for handler in study.handlers
    )
    return (
        "A device that remembers repeats the report of an answer that stays the same, so that further waves tell "
        "nothing more about it. Each change to a new answer costs its ε once more (what everybody sees: "
        f"{told}). That an answer has changed is not hidden: where the reports of two waves differ, everybody sees it."
    )


# --- Sentences about a collection
# They are shown to respondents, in the note and beside the certificate.


def source_words(collection: Collection) -> str:
    """Say in a line where the draws of collected reports came from, for their note."""
    keyed = "; what keys show of them is protected by a cipher (computational)" if collection.receivers else ""
    return f"collected over the web, {collection.mode.value}: drawn on the respondents' devices{keyed}"


def collection_words(collection: Collection) -> tuple[str, ...]:
    """Say in sentences what the certificates do not: who can link what, and against whom sealed draws protect."""
    said = [
        "Reports are drawn on the respondents' devices; answers do not leave them.",
        f"Mode {collection.mode.words}.",
    ]
    readers = [
        one.name for one in collection.receivers if not can_recover(collection.study) or 0 not in one.levels.values()
    ]
    if readers:
        said.append(
            f"Computational: what {', '.join(readers)} may see beyond the public is sealed on the device, by HPKE with "
            f"{collection.terms.kem}. It is safe from others, and from whoever reads the server's files, as long as "
            f"that cipher is not broken. Whoever runs the server could hand out public keys of their own, and see as "
            f"much of later reports: compare them where it matters. What everybody sees needs no such assumption."
        )
    if any(0 in one.levels.values() for one in collection.receivers):
        said.append(
            "The registrar can get the answers back: each device seals for the registrar what undoes its reports. The "
            "server cannot; whoever has the registrar's private key and the server's files can."
        )
    if collection.mode is Mode.PANEL:
        said.append(panel_words(collection.study))
    return tuple(said)


# --- Certificates of collected questions
# The certificates of the questions, with how their reports were collected.


def collected_how(collection: Collection, question: str) -> Collected:
    """Return how reports on a question come in, as its certificate says it."""
    levels = [one.levels[question] for one in collection.receivers if question in one.levels]
    return Collected(
        mode=collection.mode.value,
        sealed_by=str(collection.terms.kem) if levels else None,
        guarantee=COMPUTATIONAL if levels else None,
        recover=can_recover(collection.study) and 0 in levels,
    )


def collection_certificates(collection: Collection) -> Mapping[str, Certificate]:
    """Return the certificate of each question, and of each sealed column."""
    sealed = {
        name: handler.certificate() for name, handler in collection.columns.items() if name not in collection.handlers
    }
    return {
        name: as_collected(handler.certificate(), collected_how(collection, name))
        for name, handler in collection.handlers.items()
    } | sealed


def certificate_path(folder: Path, question: str) -> Path:
    """Where the certificate of a question stands beside exported reports."""
    return folder / f"{question}.certificate.json"
