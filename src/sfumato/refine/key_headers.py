"""The header of a key file: what it tells everybody, in one spelling of JSON.   Format: docs/reference/files.md"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from fractions import Fraction

import msgspec

from sfumato.errors import InvalidInput
from sfumato.refine.key_boxes import Material, box_length
from sfumato.refine.key_seals import Lock, sealed_length
from sfumato.refine.keys import BLOCK_ROWS, Binding
from sfumato.refine.lock_documents import NAMES, LockDocument, lock_document, read_lock
from sfumato.refine.sealed_frames import Frame
from sfumato.refine.sealed_headers import read_document, spell_document
from sfumato.values import Guarantee
from sfumato.values.rounding import ln_bounds

SCHEMA = "sfumato/key/2"
FRAME = Frame(b"SFUMATO KEY\n", "key file", "Pass a file that write_key wrote.")

_MOST_TOTAL = 1 << 40
# Seeds of blocks are held in memory; so many are those of 8 thousand million rows and one step.
_MOST_BOX_BYTES = 1 << 26
# A header has one length before and after its key was used, so that it can be written in front of draws at the end.
_NOTHING_MADE = "0" * 64
_MOST_DECLARED = 20_000
_MOST_TYPE = 40
_HEX_32 = re.compile(r"[0-9a-f]{32}")
_HEX_64 = re.compile(r"[0-9a-f]{64}")
# "1e999999999" would be a fraction too, of a billion digits.
_ODDS = re.compile(r"[0-9]+(/[0-9]+)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyHeader:
    """What a key file tells everybody. Nobody vouches for it until the file has been opened.

    `read_header` returns it.

    >>> import sfumato as sf
    >>> ladder = sf.Ladder.within(size=6, epsilons=[2, 1], recover=True)
    >>> made = ladder.publish([0, 5, 3, 3])
    >>> header = sf.refine.read_header(sf.refine.seal_key(made.keys[1], sf.refine.Unprotected()))
    >>> header.level, header.rows, round(header.epsilon, 4), header.protection
    (1, 4, 2.0, 'none')
    """

    ladder: str
    binding: Binding
    level: int
    start: int
    stop: int
    total: int
    drawing: str
    guarantee: Guarantee
    material: Material
    produced: str | None
    lock: Lock
    answers: str = ""

    @property
    def rows(self) -> int:
        """How many rows the key opens."""
        return self.stop - self.start

    @property
    def epsilon(self) -> float:
        """What the key shows of an answer, in nats; infinite for the answers themselves."""
        if self.level == 0:
            return math.inf
        return ln_bounds(Fraction(json.loads(self.ladder)["odds"][self.level - 1]))[1]

    @property
    def box_bytes(self) -> int:
        """How long the sealed box behind the header is."""
        steps = len(json.loads(self.ladder)["odds"]) - self.level
        return sealed_length(self.lock, box_length(self.material, self.start, self.stop, steps))

    @property
    def protection(self) -> str:
        """What it takes to open the file."""
        return NAMES[type(self.lock)]


class _Header(msgspec.Struct, forbid_unknown_fields=True, frozen=True, omit_defaults=True, kw_only=True):
    column: str
    drawing: str
    epoch: int
    guarantee: str
    ladder: str
    level: int
    material: str
    produced: str
    protection: LockDocument
    question: str
    schema: str
    start: int
    stop: int
    study: str
    total: int
    answers: str = ""


def spell_header(header: KeyHeader) -> bytes:
    """Return the one spelling of a header."""
    document = _Header(
        column=header.binding.column,
        drawing=header.drawing,
        epoch=header.binding.epoch,
        guarantee=header.guarantee.value,
        ladder=header.ladder,
        level=header.level,
        material=header.material.value,
        produced=_NOTHING_MADE if header.produced is None else header.produced,
        protection=lock_document(header.lock),
        question=header.binding.question,
        schema=SCHEMA,
        start=header.start,
        stop=header.stop,
        study=header.binding.study,
        total=header.total,
        answers=header.answers,
    )
    return spell_document(document)


def parse_header(raw: bytes) -> KeyHeader:
    """Read a header; any other spelling of it is refused."""
    document = read_document(FRAME, raw, _Header, SCHEMA)
    try:
        header = KeyHeader(
            ladder=document.ladder,
            binding=Binding(
                study=document.study, question=document.question, column=document.column, epoch=document.epoch
            ),
            level=document.level,
            start=document.start,
            stop=document.stop,
            total=document.total,
            drawing=document.drawing,
            guarantee=Guarantee(document.guarantee),
            material=Material(document.material),
            produced=None if document.produced == _NOTHING_MADE else document.produced,
            lock=read_lock(document.protection),
            answers=document.answers,
        )
        if _is_sound(header) and spell_header(header) == raw:
            return header
    except (InvalidInput, ValueError, RecursionError):
        pass
    raise FRAME.damaged()


def _is_sound(header: KeyHeader) -> bool:
    """Whether all that can be judged without the body is as it must be."""
    whole_blocks = header.start % BLOCK_ROWS == 0 and (header.stop % BLOCK_ROWS == 0 or header.stop == header.total)
    return (
        0 <= header.start < header.stop <= header.total <= _MOST_TOTAL
        and header.level >= 0
        and (header.material is Material.DRAWS or whole_blocks)
        and (header.material is not Material.SEED or header.stop - header.start == header.total)
        and _HEX_32.fullmatch(header.drawing) is not None
        and (header.produced is None or _HEX_64.fullmatch(header.produced) is not None)
        and len(header.answers) <= _MOST_TYPE
        and _is_plain(header.ladder)
        and 0 < header.box_bytes <= _MOST_BOX_BYTES
    )


def _is_plain(declaration: str) -> bool:
    """Whether the numbers of a ladder are small enough to build it, whoever wrote them: a modulus is about q^t."""
    document = json.loads(declaration) if len(declaration) <= _MOST_DECLARED else None
    if not isinstance(document, dict):
        return False
    odds = document.get("odds")
    bounds = (("size", 1 << 32), ("q", 1 << 32), ("t", 64))
    return (
        isinstance(odds, list)
        and all(isinstance(text, str) and _ODDS.fullmatch(text) for text in odds)
        and all(isinstance(found := document.get(name, 0), int) and found <= most for name, most in bounds)
    )
