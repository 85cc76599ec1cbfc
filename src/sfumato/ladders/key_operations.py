"""Splitting, merging and rotating keys."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import replace
from hashlib import sha256

from sfumato.errors import InvalidParameter, KeyRefused
from sfumato.ladders.drawing import block_secrets
from sfumato.ladders.keys import BLOCK_ROWS, BlockSeeds, Draws, JoinedDraws, Key, Seed
from sfumato.ladders.ladder import Ladder
from sfumato.numbers.checks import check_integer

_DRAWING_DIGITS = 32


def split_key(key: Key, ladder: Ladder, at: Iterable[int]) -> list[Key]:
    """Cut a key before each of the rows in `at`, which count from the first row of the reports.

    Draws are cut anywhere, and those of a file stay there until they are asked for. Seeds are cut between blocks of
    4096 rows, and each part gets the seeds of its own blocks; one seed for all becomes many, so the parts together are
    longer than the whole.

    Hand each part to whoever may open those rows; `merge_keys` puts parts together again.

    Returns:
        The parts, in the order of their rows.

    Raises:
        KeyRefused: the key belongs to another ladder.
        InvalidParameter: a row is none of the key's, or lies inside a block of a seed.

    >>> import sfumato as sf
    >>> ladder = sf.Ladder.within(size=6, epsilons=[2, 1], recover=True)
    >>> made = ladder.publish([0, 5, 3, 3])
    >>> for part in sf.ladders.split_key(made.keys[1], ladder, [1, 3]):
    ...     print(part)
    <Key of level 1, rows 0..0 of 4, information_theoretic; what it holds is not shown>
    <Key of level 1, rows 1..2 of 4, information_theoretic; what it holds is not shown>
    <Key of level 1, rows 3..3 of 4, information_theoretic; what it holds is not shown>
    """
    if key.ladder != ladder.declaration:
        raise KeyRefused(
            "the key belongs to another ladder: other answers, levels or set", way_out="Use the study it is of."
        )
    edges = [key.start, *_cuts(key, at), key.stop]
    parts = list(itertools.pairwise(edges))
    if isinstance(key.material, Draws):
        return [
            replace(
                key,
                start=start,
                stop=stop,
                material=JoinedDraws([(key.material, start - key.start, stop - key.start)]),
            )
            for start, stop in parts
        ]
    table = block_secrets(key, len(ladder.steps))
    first = key.start // BLOCK_ROWS
    return [
        replace(
            key,
            start=start,
            stop=stop,
            material=BlockSeeds(
                tuple(row[start // BLOCK_ROWS - first : -(-stop // BLOCK_ROWS) - first] for row in table)
            ),
        )
        for start, stop in parts
    ]


def merge_keys(keys: Sequence[Key]) -> Key:
    """Put parts of one key together, in any order; they must follow one another without gap or overlap.

    Raises:
        KeyRefused: the keys are not parts of one, or rows are missing between them or open twice.

    >>> import sfumato as sf
    >>> ladder = sf.Ladder.within(size=6, epsilons=[2, 1], recover=True)
    >>> made = ladder.publish([0, 5, 3, 3])
    >>> parts = sf.ladders.split_key(made.keys[1], ladder, [2])
    >>> sf.ladders.merge_keys(parts[::-1])
    <Key of level 1, all 4 rows, information_theoretic; what it holds is not shown>
    """
    if not keys:
        raise InvalidParameter(
            "must hold at least one key", parameter="keys", way_out="Name the parts to be put together."
        )
    parts = sorted(keys, key=lambda part: part.start)
    first, last = parts[0], parts[-1]
    for name, words in _MUST_AGREE.items():
        if any(getattr(part, name) != getattr(first, name) for part in parts):
            raise KeyRefused(f"the keys differ in their {words}", way_out="Merge parts of one key only.")
    for part, following in itertools.pairwise(parts):
        if part.stop < following.start:
            raise KeyRefused(
                f"no key opens rows {part.stop}..{following.start - 1}, between the others",
                way_out="Add the part that does.",
            )
        if part.stop > following.start:
            overlap_stop = min(part.stop, following.stop)
            raise KeyRefused(
                f"two keys open rows {following.start}..{overlap_stop - 1}", way_out="Leave one out, or split it first."
            )
    if len(parts) == 1:
        return first
    return replace(first, stop=last.stop, material=_joined(parts))


def rotate_key(key: Key) -> Key:
    """Return the key of the next epoch, with other draws from the same seed.

    Every holder rotates alone: keys of one drawing that have been rotated equally often belong together again. The old
    key is not made useless by it, and whoever has it can rotate too.

    Raises:
        KeyRefused: it holds true draws, or part of a seed.

    >>> import sfumato as sf
    >>> ladder = sf.Ladder.within(size=6, epsilons=[2, 1])
    >>> keys = ladder.draw_keys(4, guarantee=sf.sampling.Guarantee.COMPUTATIONAL)
    >>> following = sf.ladders.rotate_key(keys[1])
    >>> following.binding.epoch, following.drawing == sf.ladders.rotate_key(keys[0]).drawing
    (1, True)
    """
    if not isinstance(key.material, Seed):
        raise KeyRefused(
            "only a key that holds one seed for all rows goes on to the next epoch; true draws and parts of a seed "
            "have nothing more to give",
            way_out="Publish the next epoch with fresh draws.",
        )
    binding = replace(key.binding, epoch=key.binding.epoch + 1)
    name = f"sfumato/rotation/1 {key.drawing} {binding.epoch}".encode()
    return replace(key, binding=binding, drawing=sha256(name).hexdigest()[:_DRAWING_DIGITS], produced=None)


_MUST_AGREE = {
    "ladder": "ladder",
    "binding": "study, question, column or epoch",
    "level": "level",
    "drawing": "drawing",
    "total": "number of rows in all",
    "guarantee": "guarantee",
    "produced": "record of the reports made under them",
}


def _cuts(key: Key, at: Iterable[int]) -> list[int]:
    cuts = [check_integer("at", row) for row in at]
    if not cuts:
        raise InvalidParameter(
            "must name at least one row to cut before", parameter="at", way_out="Name a row of the key."
        )
    if any(upper <= lower for lower, upper in itertools.pairwise([key.start, *cuts, key.stop])):
        raise InvalidParameter(
            f"must rise, between rows {key.start} and {key.stop} of the key and not at its ends",
            parameter="at",
            way_out="Sort the rows, each once.",
        )
    if not isinstance(key.material, Draws):
        for row in cuts:
            _check_between_blocks(row, key)
    return cuts


def _check_between_blocks(row: int, key: Key) -> None:
    if row % BLOCK_ROWS == 0:
        return
    lowest = key.start + BLOCK_ROWS
    highest = (key.stop - 1) // BLOCK_ROWS * BLOCK_ROWS
    if lowest > highest:
        raise InvalidParameter(
            f"lies inside a block: a seed is cut between blocks of {BLOCK_ROWS} rows, and this key has a single one",
            parameter="at",
            value=row,
            way_out="Publish with true draws to cut anywhere.",
        )
    nearest = min(max(round(row / BLOCK_ROWS) * BLOCK_ROWS, lowest), highest)
    raise InvalidParameter(
        f"lies inside a block: a seed is cut between blocks of {BLOCK_ROWS} rows only",
        parameter="at",
        value=row,
        way_out=f"Cut at {nearest}, the nearest, or publish with true draws.",
    )


def _joined(parts: Sequence[Key]) -> Draws | BlockSeeds:
    materials = [part.material for part in parts]
    draws = [material for material in materials if isinstance(material, Draws)]
    if len(draws) == len(parts):
        return JoinedDraws([(material, 0, material.rows) for material in draws])
    tables = [material.table for material in materials if isinstance(material, BlockSeeds)]
    if len(tables) == len(parts):
        return BlockSeeds(tuple(tuple(itertools.chain.from_iterable(rows)) for rows in zip(*tables, strict=True)))
    raise KeyRefused("some of the keys hold draws and others seeds", way_out="Merge parts of one key only.")
