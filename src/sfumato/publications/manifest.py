"""The manifest of a publication: its parts, and the note of each.

A part belongs to the publication once the manifest names it; the manifest is written last, as a whole. It holds the
digest of every part's note, and notes hold the roots of their columns, so an older copy of a part, from before an
erasure, is refused. A seal finds damage.   Format: docs/reference/files.md
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from sfumato.errors import DigestMismatch, Place, UnreadableFile
from sfumato.files.disk import read_bytes, write_atomically
from sfumato.files.documents import check_schema
from sfumato.files.texts import decode_text

SCHEMA = "sfumato/manifest/1"
NAME = "publication.json"
"""What the manifest is called, in the folder of a publication."""
_LIMIT_BYTES = 2**26
_ID = re.compile(r"[0-9a-f]{32}")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_PART_FILE = re.compile(r"([0-9a-f]{8,32})(\.[0-9]{1,6})?\.(parquet|csv)(\.about\.json|\.codebook\.md)?")
_FILE = re.compile(r"[0-9a-f]{8,32}(\.[0-9]{1,6})?(\.parquet|\.csv)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestPart:
    """A part: its id, its file in the folder, the digest of its note, and which part it amends, if any."""

    id: str
    file: str
    note: str
    amends: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """The parts of a publication, in the order in which they came; `fingerprint` is the study's.

    `assumed_disjoint`: parts of several offices were combined, and no one looked for people who are in two of them.
    """

    study: str
    fingerprint: str
    parts: tuple[ManifestPart, ...]
    assumed_disjoint: bool = False

    def with_part(self, part: ManifestPart) -> Manifest:
        """Return it with a part more, or with a part as it now is."""
        others = {one.id: one for one in self.parts} | {part.id: part}
        return replace(self, parts=tuple(others.values()))

    def to_text(self) -> str:
        """Return it as JSON, sealed."""
        content: dict[str, Any] = {
            "schema": SCHEMA,
            "study": self.study,
            "fingerprint": self.fingerprint,
            "parts": [
                {"id": one.id, "file": one.file, "note": one.note}
                | ({} if one.amends is None else {"amends": one.amends})
                for one in self.parts
            ],
        }
        if self.assumed_disjoint:
            content["assumed_disjoint"] = True
        seal = sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
        return json.dumps({**content, "seal": seal}, ensure_ascii=False, indent=1, sort_keys=True) + "\n"

    def write(self, folder: Path) -> None:
        """Put it in place."""
        write_atomically(folder / NAME, self.to_text())


def files_of_parts(folder: Path) -> list[tuple[str, Path]]:
    """Return what is called in a folder like a part, a file or a folder of reports, and what stands beside them.

    Each comes with the digits of its part; the manifest says which of them are in the publication.
    """
    found = [(_PART_FILE.fullmatch(path.name), path) for path in folder.iterdir()]
    return [(match[1], path) for match, path in found if match is not None]


def is_publication(folder: str | Path) -> bool:
    """Whether a folder holds a publication."""
    return (Path(folder) / NAME).is_file()


def read_manifest(folder: str | Path) -> Manifest:
    """Read the manifest of a folder; whatever is none is refused."""
    path = Path(folder) / NAME
    text = decode_text(read_bytes(path, limit_bytes=_LIMIT_BYTES), path)
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        raise _damaged(path) from None
    if not isinstance(document, dict) or not str(document.get("schema")).startswith("sfumato/manifest/"):
        raise _damaged(path)
    check_schema(document, path, kind="manifest")
    try:
        found = Manifest(
            study=str(document["study"]),
            fingerprint=_like(_DIGEST, document["fingerprint"]),
            parts=tuple(_part_from(one) for one in document["parts"]),
            assumed_disjoint=bool(document.get("assumed_disjoint", False)),
        )
        spelled = found.to_text()
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise _damaged(path) from None
    if spelled != text or not found.parts or len({one.id for one in found.parts}) < len(found.parts):
        raise DigestMismatch(
            "the manifest does not match its seal: it was damaged, or changed by something else than Sfumato",
            way_out="Ask for the publication again.",
            place=Place(file=str(path)),
        )
    return found


def note_digest(text: str) -> str:
    """Return the digest of a note."""
    return sha256(text.encode()).hexdigest()


def _part_from(document: Mapping[str, Any]) -> ManifestPart:
    amends = document.get("amends")
    return ManifestPart(
        id=_like(_ID, document["id"]),
        file=_like(_FILE, document["file"]),
        note=_like(_DIGEST, document["note"]),
        amends=None if amends is None else _like(_ID, amends),
    )


def _like(pattern: re.Pattern[str], text: object) -> str:
    if not isinstance(text, str) or pattern.fullmatch(text) is None:
        raise ValueError("no id, digest or name of a file")
    return text


def _damaged(path: Path) -> UnreadableFile:
    return UnreadableFile(
        "the file is not the manifest of a publication, or it is damaged",
        way_out="Ask for the publication again.",
        place=Place(file=str(path)),
    )
