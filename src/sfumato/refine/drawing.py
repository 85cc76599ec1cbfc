"""Drawing keys, and whether keys that were drawn fit what they are used for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from sfumato.bits import BitSource
from sfumato.bits.mechanism import smallest_dtype
from sfumato.errors import InvalidParameter, KeyRefused
from sfumato.refine.expansion import lower_seed
from sfumato.refine.keys import SEED_BYTES, Binding, Draws, Key, Seed, digest_of
from sfumato.refine.shifts import TwoLevelShift
from sfumato.values import Guarantee


def draw_keys(
    blank: Key, steps: Sequence[TwoLevelShift], source: BitSource, *, guarantee: Guarantee
) -> Mapping[int, Key]:
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
    modulus = steps[0].modulus
    sums = np.zeros(blank.total, dtype=np.int64)
    keys = {}
    for level in reversed(range(len(steps))):
        sums = (sums + steps[level].draw(source, blank.total)) % modulus
        drawn = Draws(sums.astype(smallest_dtype(modulus)))
        keys[level] = replace(blank, level=level, guarantee=source.guarantee, material=drawn)
    return dict(sorted(keys.items()))


def blank_key(declaration: str, rows: int, source: BitSource, binding: Binding | None) -> Key:
    """Return a key of a new drawing that holds nothing yet."""
    return Key(
        ladder=declaration,
        binding=Binding() if binding is None else binding,
        level=0,
        start=0,
        stop=rows,
        total=rows,
        drawing=random_bytes(source, 16).hex(),
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


def check_keys(keys: Mapping[int, Key], declaration: str, binding: Binding | None, rows: int) -> None:
    """Refuse keys that were not drawn together for this ladder, this binding and so many rows."""
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
        if not key.is_whole or key.total != rows:
            raise KeyRefused(
                f"the keys are for {key.total} rows, and there are {rows} values", way_out="Draw new keys."
            )
    if binding is not None and binding != top.binding:
        raise KeyRefused("the keys were drawn for another study, question, column or epoch", way_out="Draw new keys.")
