"""Which of the keys at hand opens which part: by the draws that made it, by the seed that its draws come from.

A key of true draws, or of single blocks, opens the part that it was drawn for. A seed opens every part of its series,
whenever that was published.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from sfumato.errors import InvalidParameter, KeyRefused
from sfumato.refine import Key
from sfumato.refine.key_operations import merge_keys
from sfumato.refine.keys import BLOCK_ROWS, Seed
from sfumato.refine.report_trees import ReportTree
from sfumato.study.notes import ReportsNote
from sfumato.study.part_notes import PartNote


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyRing:
    """The keys of some reports, by part and question; `level` is by question the level that they open."""

    keys: Mapping[tuple[str, str], Key]

    @property
    def questions(self) -> tuple[str, ...]:
        """The questions that are opened."""
        return tuple(dict.fromkeys(question for _, question in self.keys))

    def level(self, question: str) -> int:
        """Return the level to which a question is opened."""
        return next(key.level for (_, asked), key in self.keys.items() if asked == question)

    def answers(self, question: str) -> str:
        """Return the type that answers to a question had in their table, "" where no key remembers it."""
        return next((key.answers for (_, asked), key in self.keys.items() if asked == question and key.answers), "")

    def get(self, part: PartNote, question: str) -> Key | None:
        """Return the key of a question to a part."""
        return self.keys.get((part.id, question))


def ring_of(note: ReportsNote, keys: Iterable[Key]) -> KeyRing:
    """Check that keys belong to these reports, put the parts of split keys together, and find each its part."""
    held: dict[tuple[str, str, int], list[Key]] = {}
    for key in keys:
        if key.binding.study != note.fingerprint:
            raise KeyRefused("a key is of another study than the reports", way_out="Look for the reports it came with.")
        if key.binding.epoch != note.epoch:
            raise KeyRefused(
                f"a key is of epoch {key.binding.epoch}, and the reports are of epoch {note.epoch}",
                way_out="Rotate the key, or take the reports of its epoch.",
            )
        held.setdefault((key.binding.question, key.drawing, key.level), []).append(key)
    if not held:
        raise InvalidParameter("holds none", parameter="keys", way_out="Give at least one key.")
    merged = [group[0] if len(group) == 1 else merge_keys(group) for group in held.values()]
    found: dict[tuple[str, str], Key] = {}
    for key in sorted(merged, key=lambda one: -one.level):  # the sharpest last
        mine = [part for part in note.parts if _opens(key, part)]
        if not mine:
            raise KeyRefused(
                "the key was made for other reports than these",
                way_out="Look for the file that was published with it.",
            )
        for part in mine:
            found[part.id, key.binding.question] = for_part(key, part)
    order = {name: place for place, name in enumerate(note.columns)}
    ring = KeyRing(keys=dict(sorted(found.items(), key=lambda item: order[item[0][1]])))
    _check_complete(note, ring)
    return ring


def for_part(key: Key, part: PartNote) -> Key:
    """Return a key as that of one part: a seed knows no number of rows."""
    if not isinstance(key.material, Seed):
        if key.stop > part.start + part.rows:
            raise KeyRefused(
                f"a key opens rows up to {key.stop}, and there are {part.rows} reports",
                way_out="Look for the reports it came with.",
            )
        return key
    made = key.produced if key.drawing == part.id else None
    rows = part.start + part.rows if part.is_dense else (part.all_blocks[-1] + 1) * BLOCK_ROWS
    return replace(key, drawing=part.id, start=0, stop=rows, total=rows, produced=made)


def _opens(key: Key, part: PartNote) -> bool:
    if key.binding.question not in part.roots:
        return False
    return key.drawing == part.id or (isinstance(key.material, Seed) and key.drawing == part.seeds)


def _check_complete(note: ReportsNote, ring: KeyRing) -> None:
    for question in ring.questions:
        levels = {key.level for (_, asked), key in ring.keys.items() if asked == question}
        for part in note.parts:
            if question in part.roots and ring.get(part, question) is None:
                what = "an amendment" if part.amends is not None else "a part"
                raise KeyRefused(
                    f"no key opens column {question} of {what} of the reports, {part.present} rows ({part.id[:8]})",
                    way_out="Give its key as well, or name the files of the other parts alone.",
                )
        if len(levels) > 1:
            raise KeyRefused(
                f"the keys open column {question} to different levels in different parts",
                way_out="Use keys of one holder.",
            )


def check_record(key: Key, part: PartNote, question: str, tree: ReportTree) -> None:
    """Refuse reports other than those that a key remembers to have made; what was erased since is on the record."""
    if key.produced is not None and key.is_whole and part.first_root(question, tree) != key.produced:
        raise KeyRefused(
            "the key was made for other reports than these", way_out="Look for the file that was published with it."
        )
