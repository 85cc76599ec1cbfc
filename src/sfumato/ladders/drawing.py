"""Drawing keys, and expanding a seed into the draws of rows."""

from __future__ import annotations

import hmac
import itertools
import re
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter, KeyRefused
from sfumato.files.columns import CHUNK_ROWS
from sfumato.ladders.keys import BLOCK_ROWS, SEED_BYTES, Binding, BlockSeeds, Draws, Key, Seed, digest_of
from sfumato.ladders.steps import Step, Sums
from sfumato.numbers.checks import check_at_least, check_integer
from sfumato.sampling.mechanism import smallest_dtype
from sfumato.sampling.rows import RowStarts
from sfumato.sampling.sources import BitSource, Guarantee, KeyedBits, SystemBits

# --- From a seed to draws: a chain of secrets down the levels, and words for each row
# c_0 is the registrar's seed and c_j = HKDF(c_(j-1), "level j"). A holder of c_j can compute the secrets of lower
# levels and none above. Step i, from level i-1 to level i, uses words of the row under HKDF(c_(i-1), "draw", drawing,
# step, block of rows). So a row's draw depends only on its number. Study, question, column and ladder enter as HKDF's
# salt, and the epoch as well where draws are made: the same seed gives other draws in another epoch, and every holder
# can compute those of the next epoch.
# Ref: [Kra10]


# No part has rows beyond this number.
_MOST_ROWS = 1 << 40
_DRAW, _LEVEL = b"draw", b"level"

_Numbers = npt.NDArray[np.integer[Any]]


def shifts_of(key: Key, steps: Sequence[Step]) -> Sums:
    """Return by how much the key undoes each of its rows; `steps` are those of the whole ladder."""
    if isinstance(key.material, Draws):
        return key.material.shifts
    shifts: Sums = np.empty(key.stop - key.start, dtype=smallest_dtype(steps[key.level].modulus))
    for start in range(key.start, key.stop, CHUNK_ROWS):
        stop = min(start + CHUNK_ROWS, key.stop)
        shifts[start - key.start : stop - key.start] = shifts_at(key, steps, np.arange(start, stop))
    return shifts


def shifts_at(key: Key, steps: Sequence[Step], numbers: _Numbers, places: _Numbers | None = None) -> Sums:
    """Return by how much the key undoes the rows with these numbers, any of its rows in any order.

    A seed knows every row there may ever be, whatever `key.total` says; other keys know their own rows. Stored draws
    stand at `places`, where those are not the numbers. The shifts are unsigned and as small as the modulus allows:
    widen them before taking differences.
    """
    if isinstance(key.material, Draws):
        return _drawn_at(key, key.material, numbers if places is None else places)
    is_run = _check_numbers(key, numbers)
    numbers = numbers.astype(np.int64, copy=False)
    order, pieces = (None, _blocks_of_run(numbers)) if is_run else _blocks_of(numbers)
    secret_of = _block_keys(key, len(steps))
    chain = steps[key.level :]
    walk = chain[0].together(chain)
    starts = RowStarts(max((len(rows) for _, rows in pieces), default=0))
    sums: Sums = np.zeros(numbers.size, dtype=steps[key.level].dtype)
    done = 0
    for block, rows in pieces:
        starts.take(rows)
        mine, done = sums[done : done + len(rows)], done + len(rows)
        secrets = [secret_of(level, block) for level in range(key.level, len(steps))]
        if walk is not None:
            walk.add_numbered(secrets[::-1], starts, mine)
            continue
        for step, secret in zip(reversed(chain), reversed(secrets), strict=True):
            step.add_numbered(secret, starts, mine)
    sums = sums.astype(smallest_dtype(steps[key.level].modulus), copy=False)
    if order is None:
        return sums
    shifts = np.empty_like(sums)
    shifts[order] = sums
    return shifts


def _blocks_of_run(numbers: _Numbers) -> list[tuple[int, range]]:
    """Return numbers that follow one another, by block."""
    first, stop = int(numbers[0]), int(numbers[-1]) + 1
    blocks = range(first // BLOCK_ROWS, -(-stop // BLOCK_ROWS))
    return [(b, range(max(first, b * BLOCK_ROWS), min(stop, (b + 1) * BLOCK_ROWS))) for b in blocks]


def _blocks_of(numbers: _Numbers) -> tuple[npt.NDArray[np.intp] | None, list[tuple[int, _Numbers]]]:
    """Return in what order to take numbers, unless in their own, and those of each block."""
    blocks, order = numbers // BLOCK_ROWS, None
    if not (blocks[1:] >= blocks[:-1]).all():
        low, high = int(blocks.min()), int(blocks.max())
        # In as few bytes as hold them, which are sorted soonest.
        order = np.argsort((blocks - low).astype(smallest_dtype(high - low + 1)), kind="stable")
        numbers, blocks = numbers[order], blocks[order]
    edges = [0, *(np.flatnonzero(blocks[1:] != blocks[:-1]) + 1).tolist(), numbers.size]
    return order, [(int(blocks[a]), numbers[a:b]) for a, b in itertools.pairwise(edges) if a < b]


def _drawn_at(key: Key, draws: Draws, places: _Numbers) -> Sums:
    """Return stored draws: what lies between the first and the last place is read, and no more."""
    is_run = _check_numbers(key, places)
    if not places.size:
        return draws.between(0, 0)
    low, high = (places[0], places[-1]) if is_run else (places.min(), places.max())
    found = draws.between(int(low) - key.start, int(high) + 1 - key.start)
    return found if is_run else found[places.astype(np.int64, copy=False) - int(low)]


def block_secrets(key: Key, depth: int) -> tuple[tuple[bytes, ...], ...]:
    """Return the secrets of the key's blocks, a row for each step from its level down to the public report."""
    if isinstance(key.material, BlockSeeds):
        return key.material.table
    secret_of, blocks = _block_keys(key, depth), _blocks(key)
    return tuple(tuple(secret_of(level, block) for block in blocks) for level in range(key.level, depth))


def lower_seed(key: Key, level: int) -> Seed:
    """Return the seed of a lower level (a larger number); no seed of a higher level can be computed."""
    if not isinstance(key.material, Seed) or level < key.level:
        raise KeyRefused(
            f"a key of level {key.level} cannot make one of level {level}", way_out="Ask for a higher key."
        )
    *_, last = _chain(key.material.secret, key, level + 1)
    return Seed(last)


def _chain(secret: bytes, key: Key, depth: int) -> Iterator[bytes]:
    """Secrets of the levels from the key's own to depth-1."""
    for level in range(key.level, depth):
        yield secret
        secret = _expanded(_extracted(secret, key, with_epoch=False), _LEVEL, level + 1, 0)


def _block_keys(key: Key, depth: int) -> Callable[[int, int], bytes]:
    """Return a function to the secret of the step below a level in a block of rows; seeds are expanded only once."""
    if isinstance(key.material, Draws):
        raise KeyRefused("a key of true draws has no seeds", way_out="Use its draws.")
    if isinstance(key.material, BlockSeeds):
        table, first = key.material.table, key.start // BLOCK_ROWS
        if len(table) != depth - key.level:
            raise KeyRefused("the key is of another ladder: other levels", way_out="Use the study it is of.")
        return lambda level, block: table[level - key.level][block - first]
    part = bytes.fromhex(key.drawing)
    chain = _chain(key.material.secret, key, depth)
    above = {level: _extracted(secret, key, with_epoch=True) for level, secret in enumerate(chain, key.level)}
    return lambda level, block: _expanded(above[level], _DRAW + part, level + 1, block)


def _check_numbers(key: Key, numbers: _Numbers) -> bool:
    """Refuse what the key does not open; return whether the numbers follow one another."""
    if numbers.ndim != 1 or numbers.dtype.kind not in "iu":
        raise InvalidParameter(
            "must be one column of whole numbers", parameter="numbers", way_out="Pass the numbers of rows."
        )
    first, stop = key.start, key.stop
    if isinstance(key.material, Seed):
        first, stop = 0, _MOST_ROWS
    elif isinstance(key.material, BlockSeeds):
        first, stop = (edge * BLOCK_ROWS for edge in (_blocks(key).start, _blocks(key).stop))
    is_run = numbers.size > 0 and int(numbers[-1]) - int(numbers[0]) == numbers.size - 1
    is_run = is_run and bool((numbers[1:] > numbers[:-1]).all())
    ends = numbers[[0, -1]] if is_run else numbers
    if numbers.size and (ends.min() < first or ends.max() >= stop):
        raise KeyRefused(
            f"the key opens rows {first}..{stop - 1}, and others were asked for",
            way_out="Ask for its rows, or use another key.",
        )
    return is_run


def _blocks(key: Key) -> range:
    if key.start % BLOCK_ROWS or (key.stop % BLOCK_ROWS and key.stop != key.total):
        raise KeyRefused(
            f"a seed opens whole blocks of {BLOCK_ROWS} rows; this key's rows do not end at one",
            way_out="Split the key between blocks.",
        )
    return range(key.start // BLOCK_ROWS, -(-key.stop // BLOCK_ROWS))


def _extracted(secret: bytes, key: Key, *, with_epoch: bool) -> bytes:
    """The first half of HKDF-SHA256 [RFC 5869], which is the same for all rows."""
    salt = sha256(key.binding.digest(with_epoch=with_epoch) + key.ladder.encode()).digest()
    return hmac.digest(salt, secret, "sha256")


def _expanded(extracted: bytes, purpose: bytes, number: int, block: int) -> bytes:
    """The second half, for one block of output: as many bytes as a seed has."""
    info = b"sfumato/ladder/2 " + purpose + struct.pack("<IQ", number, block)
    return hmac.digest(extracted, info + b"\x01", "sha256")


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


# --- Draws that are not stored: they are derived from a secret and the numbers of rows, and repeat on every run
# An engine that runs a task twice must not answer a person twice. The draws of a block of a question are the stream of
# AES-256 in counter mode under HMAC-SHA256(HMAC-SHA256(secret; part, question); block). The secret exists only while
# the publication is made and is in no file.


_SECRET_BYTES = 32
IntArray = npt.NDArray[np.int64]


def new_secret(part: str, source: BitSource) -> bytes:
    """Return a secret for a part; a simulation repeats its own, and draws nothing for it."""
    if source.guarantee is Guarantee.NONE:
        return sha256(f"sfumato simulated secret {part}".encode()).digest()
    return SystemBits().bytes(_SECRET_BYTES)


def question_secret(secret: bytes, part: str, question: str) -> bytes:
    """Return the secret of a question in a part."""
    return hmac.digest(secret, b"sfumato/question/1 " + bytes.fromhex(part) + question.encode(), "sha256")


def bits_of_block(secret: bytes, block: int, round_: int = 0) -> KeyedBits:
    """Return the bits of a block of rows under the secret of a question, in one of its rounds."""
    return KeyedBits(hmac.digest(secret, b"sfumato/block bits/1 " + struct.pack("<QI", block, round_), "sha256"))


def blocks_within(numbers: IntArray) -> list[tuple[int, int, int]]:
    """Return the blocks that ascending numbers lie in: each with the places where its rows begin and end."""
    blocks = numbers // BLOCK_ROWS
    edges = [0, *(np.flatnonzero(np.diff(blocks)) + 1).tolist(), numbers.size]
    return [(int(blocks[start]), start, stop) for start, stop in itertools.pairwise(edges) if start < stop]
