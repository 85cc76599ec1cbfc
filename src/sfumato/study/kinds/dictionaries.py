"""Dictionaries: long lists of texts in a file of their own.

A study knows its dictionary by the digest and the number of its texts, which are read when they are needed. Publishing
writes a copy beside the reports, under a name made of the digest, so that readers find it there.
Format: docs/reference/files.md
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from sfumato.errors import InvalidParameter, Place, UnreadableFile
from sfumato.files.disk import read_bytes
from sfumato.files.texts import HIDDEN, decode_text, normal
from sfumato.numbers.checks import check_between, check_integer

MOST_TEXTS = 1_000_000
LEAST_TEXTS = 3
LONGEST_TEXT = 100
DIGEST = re.compile(r"[0-9a-f]{64}")
_LIMIT_BYTES = 1 << 28
_NAME_DIGITS = 16
# Characters that are not visible or are refused inside XML; a line break is between texts.
_STRANGE = re.compile(f"(?!\n)[{HIDDEN}\ud800-\udfff\ufffe\uffff]")


class _Texts:
    """The texts of a dictionary, and where each stands."""

    def __init__(self, texts: tuple[str, ...]) -> None:
        self.texts = texts
        self._places: dict[str, int] | None = None

    @property
    def places(self) -> dict[str, int]:
        if self._places is None:
            self._places = {text: place for place, text in enumerate(self.texts)}
        return self._places


# By digest, so that a dictionary is found again however a study named it.
_KNOWN: WeakValueDictionary[str, _Texts] = WeakValueDictionary()
# Those that are kept for as long as the process runs.
_REMEMBERED: dict[str, Dictionary] = {}


@dataclass(frozen=True, slots=True)
class InFile:
    """The path of a file that a study names, and whether it is read at once or on first use."""

    path: Path
    at_once: bool = True


class Dictionary:
    """Texts, each once, known by their digest. Two dictionaries are equal when their texts are.

    Make one with `Dictionary.of` or `Dictionary.read`.

    >>> import sfumato as sf
    >>> places = sf.study.Dictionary.of(["Bonn", "Köln", "Ulm"])
    >>> places.count, places.places["Ulm"], places.name
    (3, 2, 'dictionary-ccfae5d13c87bdc0.txt')
    """

    __slots__ = ("_folders", "_held", "count", "digest", "source")

    digest: str
    """SHA-256 of the texts, each followed by a line break, in UTF-8."""
    count: int
    source: str | None
    """The name of the file as it was given."""

    def __init__(
        self,
        digest: str,
        count: int,
        *,
        folders: tuple[Path, ...] = (),
        source: str | None = None,
        held: _Texts | None = None,
    ) -> None:
        self.digest, self.count, self.source = digest, count, source
        self._folders, self._held = folders, held

    @classmethod
    def of(cls, texts: Iterable[str], source: str | None = None) -> Dictionary:
        """Return the dictionary of texts in their order; refuses what would be no dictionary in a file."""
        listed: tuple[Any, ...] = tuple(texts)
        for place, text in enumerate(listed, start=1):
            if not isinstance(text, str) or "\n" in text:
                raise _refused_text("is not one line of text", place, source)
        return cls._checked(listed, "\n".join(listed), source)

    @classmethod
    def read(cls, path: str | Path) -> Dictionary:
        """Read a file of texts, one a line, in UTF-8; a refusal names the line."""
        try:
            text = decode_text(read_bytes(path, limit_bytes=_LIMIT_BYTES), path).replace("\r\n", "\n")
        except InvalidParameter as error:
            raise error.at(Place(file=str(path))) from None
        return cls._checked(tuple(text.removesuffix("\n").split("\n")), text, str(path))

    @classmethod
    def declared(cls, digest: str, count: int, folders: tuple[Path, ...]) -> Dictionary:
        """Return a dictionary whose texts are in one of some folders; they are looked for when they are needed."""
        check_between("dictionary_count", check_integer("dictionary_count", count), LEAST_TEXTS, MOST_TEXTS)
        return cls(digest, count, folders=folders)

    @classmethod
    def _checked(cls, texts: tuple[str, ...], whole: str, source: str | None) -> Dictionary:
        if texts == ("",):
            texts = ()
        if not LEAST_TEXTS <= len(texts) <= MOST_TEXTS:
            raise _refused(
                f"has {len(texts):,} texts, and a dictionary has between {LEAST_TEXTS} and {MOST_TEXTS:,}",
                source,
                "A short list is a question of kind 'one-of-many'." if len(texts) < LEAST_TEXTS else "Leave some out.",
            )
        if _STRANGE.search(whole) is not None:
            place = next(i for i, text in enumerate(texts, start=1) if _STRANGE.search(text))
            raise _refused_text("holds a control or zero-width character", place, source)
        texts = tuple(map(normal, texts))
        _check_each(texts, source)
        data = "".join(f"{text}\n" for text in texts).encode()
        digest = sha256(data).hexdigest()
        held = _KNOWN.setdefault(digest, _Texts(texts))
        return cls(digest, len(texts), source=source, held=held)

    @property
    def name(self) -> str:
        """The name of the copy beside reports."""
        return f"dictionary-{self.digest[:_NAME_DIGITS]}.txt"

    @property
    def is_at_hand(self) -> bool:
        """Whether the texts are known without looking for them."""
        return self._held is not None or self.digest in _KNOWN

    @property
    def is_known(self) -> bool:
        """Whether the texts can be had."""
        try:
            self._texts()
        except UnreadableFile:
            return False
        return True

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts in their order; refuses where they are nowhere to be found."""
        return self._texts().texts

    @property
    def places(self) -> dict[str, int]:
        """Where each text stands."""
        return self._texts().places

    def to_bytes(self) -> bytes:
        """Return the file: the texts, each followed by a line break."""
        return "".join(f"{text}\n" for text in self.texts).encode()

    def _texts(self) -> _Texts:
        held = self._held if self._held is not None else _KNOWN.get(self.digest)
        if held is None:
            path = next((folder / self.name for folder in self._folders if (folder / self.name).is_file()), None)
            if path is None:
                raise UnreadableFile(
                    f"the texts of the list are in {self.name}, which is not beside the reports",
                    way_out="Put it there, or name the dictionary with `dictionary`.",
                )
            found = Dictionary.read(path)
            found.check_is(self.digest)
            if found.count != self.count:
                raise UnreadableFile(
                    f"the note says that the dictionary has {self.count:,} texts, and it has {found.count:,}",
                    way_out="Ask for the reports again.",
                )
            held = _KNOWN[found.digest]
        self._held = held
        return held

    def check_is(self, digest: str) -> None:
        """Refuse texts that are not those of a digest."""
        if self.digest != digest:
            raise UnreadableFile(
                "has other texts than the study was made with: lines were changed, added, dropped or moved",
                parameter="dictionary",
                way_out="Put the old dictionary back. With a new one it is another study.",
                place=Place(file=str(self.source)),
            )

    def __len__(self) -> int:
        return self.count

    def __eq__(self, other: object) -> bool:
        return self.digest == other.digest if isinstance(other, Dictionary) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return f"<Dictionary of {self.count:,} texts, sha256 {self.digest[:_NAME_DIGITS]}…>"

    def __reduce__(self) -> tuple[Any, ...]:
        texts = self.texts if self.is_known else None
        return _restored, (self.digest, self.count, self._folders, self.source, texts)


def remember_dictionary(path: str | Path) -> Dictionary:
    r"""Read a dictionary that stands elsewhere than reports look for it; they find it from now on, by its digest.

    Returns:
        The dictionary.

    Raises:
        UnreadableFile: the file is not there, or a line of it is no text of a dictionary; the line is named.

    >>> from pathlib import Path
    >>> import sfumato as sf
    >>> _ = Path("places.txt").write_text("Bonn\nKöln\nUlm\n", encoding="utf-8")
    >>> sf.study.remember_dictionary("places.txt").texts
    ('Bonn', 'Köln', 'Ulm')
    """
    found = Dictionary.read(path)
    return _REMEMBERED.setdefault(found.digest, found)


def _restored(
    digest: str, count: int, folders: tuple[Path, ...], source: str | None, texts: tuple[str, ...] | None
) -> Dictionary:
    held = None if texts is None else _KNOWN.setdefault(digest, _Texts(texts))
    return Dictionary(digest, count, folders=folders, source=source, held=held)


def _check_each(texts: tuple[str, ...], source: str | None) -> None:
    """Refuse a text that is empty, too long, has blanks around it, or stands there twice."""
    for place, text in enumerate(texts, start=1):
        if not text.strip():
            raise _refused_text("is empty", place, source, "Delete it.")
        if len(text) > LONGEST_TEXT:
            raise _refused_text(f"has {len(text)} characters and may have {LONGEST_TEXT}", place, source, "Shorten it.")
        if text != text.strip():
            raise _refused_text("begins or ends with a blank", place, source, "Delete the blank.")
    if len(set(texts)) != len(texts):
        first: dict[str, int] = {}
        for place, text in enumerate(texts, start=1):
            if text in first:
                each = "text" if source is None else "line"
                raise _refused_text(f"is that of {each} {first[text]} again", place, source, "Delete one of the two.")
            first[text] = place


def _refused(rule: str, source: str | None, way_out: str) -> UnreadableFile:
    where = None if source is None else Place(file=source)
    return UnreadableFile(rule, parameter="dictionary", way_out=way_out, place=where)


def _refused_text(rule: str, place: int, source: str | None, way_out: str = "Correct it.") -> UnreadableFile:
    """Return the refusal of one text, by its line; what it says is not shown."""
    if source is None:
        return UnreadableFile(f"text {place} {rule}", parameter="dictionary", way_out=way_out)
    return UnreadableFile(f"the text {rule}", way_out=way_out, place=Place(file=source, line=place))
