"""Drawing keys, and whether keys that were drawn fit what they are used for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from sfumato.bits import BitSource
from sfumato.bits.mechanism import smallest_dtype
from sfumato.errors import InvalidParameter, KeyRefused
from sfumato.files.chunks import CHUNK_ROWS
from sfumato.refine.expansion import lower_seed
from sfumato.refine.keys import SEED_BYTES, Binding, Draws, Key, Seed, digest_of
from sfumato.refine.shifts import Sums
from sfumato.refine.step_protocol import Step
from sfumato.values import Guarantee
from sfumato.values.checks import check_at_least, check_integer

_DRAWING_BYTES = 16
_DRAWING = re.compile(r"[0-9a-f]{32}")


class LevelDraws:
    """True draws for the keys of all levels, for rows and the rows after them.

    The key of a level holds what the steps below it made, each drawn from bits of its own.
    """

    def __init__(self, steps: Sequence[Step], source: BitSource) -> None:
        self._steps, self._source = tuple(steps), source

    def next(self, count: int) -> dict[int, Sums]:
        """Draw for the next `count` rows; shifts by level, from 0 on, as small as the modulus allows."""
        check_at_least("count", check_integer("count", count), 0)
        sums: Sums = np.zeros(count, dtype=self._steps[0].dtype)
        drawn = {}
        for level in reversed(range(len(self._steps))):
            self._steps[level].add_drawn(self._source, sums)
            drawn[level] = sums.astype(smallest_dtype(self._steps[level].modulus))
        return dict(sorted(drawn.items()))


def draw_keys(blank: Key, steps: Sequence[Step], source: BitSource, *, guarantee: Guarantee) -> Mapping[int, Key]:
    """Fill in the keys of all levels, from 0 on; what `blank` holds and promises is replaced.

    `guarantee` chooses between true draws and a seed. Draws are only as true as the source, and the keys say so.
    """
    if guarantee is Guarantee.NONE:
        raise InvalidParameter(
            "must be INFORMATION_THEORETIC (true draws) or COMPUTATIONAL (a seed)",
            parameter="guarantee",
            way_out="Choose one of the two.",
        )
    if guarantee is Guarantee.COMPUTATIONAL:
        held = source.guarantee if source.guarantee is Guarantee.NONE else guarantee
        top = replace(blank, level=0, guarantee=held, material=Seed(random_bytes(source, SEED_BYTES)))
        return {level: replace(top, level=level, material=lower_seed(top, level)) for level in range(len(steps))}
    draws = LevelDraws(steps, source)
    shifts = {level: np.empty(blank.total, dtype=smallest_dtype(step.modulus)) for level, step in enumerate(steps)}
    for start in range(0, blank.total, CHUNK_ROWS):
        for level, drawn in draws.next(min(CHUNK_ROWS, blank.total - start)).items():
            shifts[level][start : start + drawn.size] = drawn
    return {
        level: replace(blank, level=level, guarantee=source.guarantee, material=Draws(held))
        for level, held in shifts.items()
    }


def blank_key(
    declaration: str, rows: int, source: BitSource, binding: Binding | None, drawing: str | None = None
) -> Key:
    """Return a key that holds nothing yet, of a drawing that is named already or of a new one."""
    if drawing is not None and not _DRAWING.fullmatch(drawing):
        raise InvalidParameter(
            "must be 32 hexadecimal digits, the id of a part",
            parameter="drawing",
            way_out="Leave it out, and one is drawn.",
        )
    return Key(
        ladder=declaration,
        binding=Binding() if binding is None else binding,
        level=0,
        start=0,
        stop=rows,
        total=rows,
        drawing=random_bytes(source, _DRAWING_BYTES).hex() if drawing is None else drawing,
        guarantee=Guarantee.NONE,
        material=Draws(np.zeros(0, dtype=np.int64)),
    )


def random_bytes(source: BitSource, count: int) -> bytes:
    """Return so many bytes of a source."""
    return np.asarray(source.words(count, 8), dtype=np.uint8).tobytes()


def rows_of(key: Key, declaration: str, public: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the public reports that a key opens, given all of them or just those."""
    if key.ladder != declaration:
        raise KeyRefused(
            "the key belongs to another ladder: other answers, levels or set", way_out="Use the study it is of."
        )
    if public.size == key.total:
        if key.produced is not None and digest_of(public) != key.produced:
            raise KeyRefused(
                "the key was made for other reports than these", way_out="Look for the file that was published with it."
            )
        return public[key.start : key.stop]
    if public.size == key.stop - key.start:
        return public
    raise KeyRefused(
        f"the key opens rows {key.start}..{key.stop - 1} of {key.total}, and {public.size} reports were given",
        way_out=f"Give all {key.total}, or just those rows.",
    )


def check_keys(keys: Mapping[int, Key], declaration: str, binding: Binding | None, rows: int | None = None) -> None:
    """Refuse keys that were not drawn together for this ladder and this binding, and where it is said so many rows."""
    if 0 not in keys:
        raise InvalidParameter(
            "must have the key of level 0: reports are made with it", parameter="keys", way_out="Keep it to publish."
        )
    top = keys[0]
    for level, key in keys.items():
        if key.level != level or key.drawing != top.drawing or key.binding != top.binding:
            raise KeyRefused(
                "the keys are not of one drawing, each at its level", way_out="Use those that were drawn together."
            )
        if key.ladder != declaration:
            raise KeyRefused(
                "the keys belong to another ladder: other answers, levels or set", way_out="Draw new keys."
            )
        if not key.is_whole or (rows is not None and key.total != rows):
            raise other_rows(key, rows)
    if binding is not None and binding != top.binding:
        raise KeyRefused("the keys were drawn for another study, question, column or epoch", way_out="Draw new keys.")


def check_drawn(key: Key, rows: int, *, is_all: bool) -> None:
    """Refuse other rows than stored draws are for, while rows come or when they are all; a seed knows every row."""
    if isinstance(key.material, Draws) and (rows != key.total if is_all else rows > key.total):
        raise other_rows(key, rows)


def other_rows(key: Key, rows: int | None) -> KeyRefused:
    """Return the refusal of keys for other rows than there are."""
    if not key.is_whole:
        return KeyRefused("the keys are of some of the rows", way_out="Merge them with the others, or draw new keys.")
    return KeyRefused(f"the keys are for {key.total} rows, and there are {rows} values", way_out="Draw new keys.")
