"""From a seed to draws: a chain of secrets down the levels, and words for each row.

c_0 is the registrar's seed and c_j = HKDF(c_(j-1), "level j"); whoever holds c_j can go down, nobody can go up. Step i,
which takes level i-1 to level i, is drawn from words of the row under HKDF(c_(i-1), "draw", drawing, step, block of
rows). So a row's draw depends on its number and on nothing else: not on how many rows there are, nor on which of them
are asked for, nor in what order. Study, question, column and ladder enter as HKDF's salt, and the epoch as well where
draws are made: the same seed gives other draws in another epoch, and every holder can go on to the next epoch alone.
Ref: [Kra10]
"""

from __future__ import annotations

import hmac
import itertools
import struct
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.bits import RowStarts
from sfumato.bits.mechanism import smallest_dtype
from sfumato.errors import InvalidParameter, KeyRefused
from sfumato.files.chunks import CHUNK_ROWS
from sfumato.refine.keys import BLOCK_ROWS, BlockSeeds, Draws, Key, Seed
from sfumato.refine.shifts import Sums
from sfumato.refine.step_protocol import Step

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
    """Return the seed of a lower level (a larger number): the way down the chain that nobody can climb."""
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
    """Return what tells the secret of the step below a level in a block of rows; seeds are gone down only once."""
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
