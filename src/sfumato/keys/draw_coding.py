"""Draws as entropy-coded bytes, and the sealed box of a key file.

Draws are coded as independent two-level shifts: a row is one, or as many flips as a mask has bits. They are coded by
asymmetric numeral systems at the probabilities of their own distribution: for each whether the shift is favoured, then
which one of its class it is. The length of the code depends on the draws, so it is padded to a length that depends on
the number of rows and the distribution only. Draws need more than that with probability below 2^-80, by Bernstein's
inequality for a sum of independent costs of two sizes. Then they are packed at a fixed width instead, because drawing
again would change their distribution.
Format: docs/reference/files.md
"""

from __future__ import annotations

import math
import secrets
from enum import StrEnum
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter, KeyRefused
from sfumato.files.columns import CHUNK_ROWS
from sfumato.ladders.keys import BLOCK_ROWS, SEED_BYTES, BlockSeeds, Draws, Hidden, Key, Seed
from sfumato.ladders.steps import Letter, Step
from sfumato.sampling.mechanism import smallest_dtype

_CODED, _PACKED = (number.to_bytes(4, "little") for number in (1, 2))
_TAG = 4
_WORD = np.dtype("<u4")

# The coder's probabilities are multiples of 2^-24.
_PRECISION = 24
# A larger class is coded as several digits, or rounding to multiples of 2^-24 would cost more than it should: the first
# has up to 2^12 values, the others are bits, up to 20 of them in each.
_DIGIT_BITS, _MOST_LOW_BITS = 12, 20
# Lengths are computed in whole units of 2^-20 bits, so that every machine finds the same.
_UNIT = 1 << 20
# exp(-56) < 2^-80.
_EXPONENT = 56
# The coder's state is at least 2^8 times a symbol's frequency, so rounding costs at most log2(1 + 2^-8) bits a symbol.
_ROUNDING = math.ceil(math.log2(1 + 2.0**-8) * _UNIT)
# At most 64 rows to a byte; otherwise draws of tiny entropy would let a few bytes declare any number of rows.
_ROWS_PER_BYTE = 64
_BLOCK = 256


def encode_draws(shifts: npt.NDArray[np.integer[Any]], law: Step) -> bytes:
    """Return draws as bytes, filled up to `padded_length`, or to `packed_length` in the one case out of 2^80."""
    if not 0 < shifts.size <= CHUNK_ROWS:
        raise InvalidParameter(
            f"between 1 and {CHUNK_ROWS} draws are coded together, not {shifts.size}", way_out="Cut them."
        )
    if shifts.min() < 0 or shifts.max() >= law.modulus:
        raise InvalidParameter(
            f"must be residues mod {law.modulus}", parameter="draws", way_out="Use the ladder they were drawn for."
        )
    letter, rows = law.letter, shifts.size
    ranks = letter.ranks(law.spelled(shifts))
    body = _CODED + code_ranks(ranks, letter)
    length = padded_length(rows, law)
    if len(body) > length:
        body = _PACKED + ranks.astype(_packed_dtype(letter)).tobytes()
        length = packed_length(rows, law)
    return body.ljust(length, b"\0")


def decode_draws(body: bytes, law: Step, rows: int) -> npt.NDArray[Any]:
    """Read `rows` draws from bytes of any origin, or raise KeyRefused."""
    tag, letter = body[:_TAG], law.letter
    if rows > CHUNK_ROWS or tag not in {_CODED, _PACKED}:
        raise damaged_material()
    dtype, letters = smallest_dtype(letter.modulus), rows * law.letters
    if tag == _CODED:
        if len(body) != padded_length(rows, law):
            raise damaged_material()
        words = np.frombuffer(body, _WORD, offset=_TAG).astype(np.uint32)
        return law.joined(letter.at(_decoded(words, letter, letters)).astype(dtype, copy=False))
    if len(body) != packed_length(rows, law):
        raise damaged_material()
    ranks = np.frombuffer(body, _packed_dtype(letter), letters, offset=_TAG)
    if ranks.max() >= letter.modulus or any(body[_TAG + ranks.nbytes :]):
        raise damaged_material()
    return law.joined(letter.at(ranks.astype(_rank_dtype(letter))).astype(dtype, copy=False))


def padded_length(rows: int, law: Step) -> int:
    """Return the length of the coded draws of `rows` rows: mean, a margin for chance and for rounding, full blocks.

    The cost S of n letters has mean nμ, variance nσ² and terms at most M above their mean, so by Bernstein's inequality
    P(S ≥ nμ + t) ≤ exp(-t²/(2nσ² + 2Mt/3)), which is exp(-L) at t = LM/3 + √((LM/3)² + 2Lnσ²).
    """
    letter, letters = law.letter, rows * law.letters
    inside, (common, rare) = letter.inside, _costs(letter)
    mean = inside * common + (1 - inside) * rare
    variance = inside * (1 - inside) * (common - rare) ** 2
    above = Fraction(_EXPONENT, 3) * (max(common, rare) - mean)
    margin = above + math.isqrt(math.ceil(above**2 + 2 * _EXPONENT * letters * variance)) + 1
    units = min(math.ceil(letters * mean + margin), letters * max(common, rare))
    units += letters * _symbols(letter) * _ROUNDING
    # Eight bytes are the coder's state, which it writes out whole.
    return _in_blocks(_TAG + max(units // (8 * _UNIT) + 1 + 8, rows // _ROWS_PER_BYTE))


def packed_length(rows: int, law: Step) -> int:
    """Return the length of draws of a fixed width, which is used when they do not fit `padded_length`."""
    return _in_blocks(_TAG + rows * law.letters * _packed_dtype(law.letter).itemsize)


def code_ranks(ranks: npt.NDArray[np.int64], law: Letter) -> bytes:
    """Return the code of ranks in the order of the law, as long as it happens to be."""
    coder = _coders().stack.AnsCoder()
    outside = ranks >= law.favoured_count
    inner, outer = _classes(law)
    # The coder is a stack: what is read first is written last.
    for size, first, chosen in ((outer, inner, outside), (inner, 0, ~outside)):
        lows, high = _digits(size)
        if high == 1:
            continue
        places = ranks[chosen] - first
        for bits in lows:
            coder.encode_reverse((places & ((1 << bits) - 1)).astype(np.int32), _uniform(1 << bits))
            places >>= bits
        coder.encode_reverse(places.astype(np.int32), _uniform(high))
    coder.encode_reverse(outside.astype(np.int32), _outside_model(law))
    words: bytes = coder.get_compressed().astype(_WORD).tobytes()
    return words


def _decoded(words: npt.NDArray[np.uint32], law: Letter, rows: int) -> npt.NDArray[np.signedinteger[Any]]:
    # A code never ends in a word of zeros, so the filling needs no mark.
    filled = np.flatnonzero(words)
    coder = _coders().stack.AnsCoder(words[: filled[-1] + 1] if filled.size else words[:0])
    outside = coder.decode(_outside_model(law), rows).astype(np.bool_)
    ranks, first = np.empty(rows, dtype=_rank_dtype(law)), 0
    for size, chosen in zip(_classes(law), (~outside, outside), strict=True):
        count = int(np.count_nonzero(chosen))
        lows, high = _digits(size)
        if high == 1 or not count:
            ranks[chosen] = first
        else:
            places = coder.decode(_uniform(high), count).astype(ranks.dtype, copy=False)
            for bits in reversed(lows):
                places = (places << bits) + coder.decode(_uniform(1 << bits), count)
            if places.max() >= size:
                raise damaged_material()
            ranks[chosen] = first + places
        first += size
    if not coder.is_empty():
        raise damaged_material()
    return ranks


def damaged_material() -> KeyRefused:
    """Return the refusal of what was sealed, and is none the less nothing that a key can hold."""
    return KeyRefused(
        "what the key file holds is not a key of its ladder, level and rows", way_out="Ask for the file again."
    )


def _classes(law: Letter) -> tuple[int, int]:
    return law.favoured_count, law.modulus - law.favoured_count


def _digits(size: int) -> tuple[tuple[int, ...], int]:
    """How many low bits of a place are coded on their own, the lowest first, and how many values the rest takes."""
    bits = max(0, (size - 1).bit_length() - _DIGIT_BITS)
    whole, rest = divmod(bits, _MOST_LOW_BITS)
    lows = (_MOST_LOW_BITS,) * whole + ((rest,) if rest else ())
    return lows, -(-size >> bits)


def _symbols(law: Letter) -> int:
    """At most how many symbols a row takes: whether it is favoured, and the digits of its place."""
    return 1 + max(len(lows) + (high > 1) for lows, high in map(_digits, _classes(law)))


def _frequency(law: Letter) -> int:
    """P(not favoured) in units of 2^-24, at least one unit off 0 and 1, so that every draw can be coded."""
    return min(max(round((1 - law.inside) * (1 << _PRECISION)), 1), (1 << _PRECISION) - 1)


def _costs(law: Letter) -> tuple[int, int]:
    """At most how much a favoured row costs, and another, in units of 2^-20 bits."""
    frequency = _frequency(law)
    # The coder may round a frequency by one once more.
    flags = ((1 << _PRECISION) - frequency - 1, frequency - 1)
    favoured, other = (
        math.ceil((_PRECISION - math.log2(max(flag, 1)) + _place_cost(size)) * _UNIT)
        for flag, size in zip(flags, _classes(law), strict=True)
    )
    return favoured, other


def _place_cost(size: int) -> float:
    lows, high = _digits(size)
    return sum(lows) + (_PRECISION - math.log2((1 << _PRECISION) // high) if high > 1 else 0.0)


def _coders() -> Any:
    import constriction  # type: ignore[import-untyped]  # noqa: PLC0415  only key files need it

    return constriction.stream


def _outside_model(law: Letter) -> Any:
    return _coders().model.Bernoulli(_frequency(law) / (1 << _PRECISION), perfect=False)


def _uniform(size: int) -> Any:
    return _coders().model.Uniform(size)


def _rank_dtype(law: Letter) -> type[np.signedinteger[Any]]:
    """What holds ranks while they are worked on: of few values half as much memory."""
    return np.int32 if law.modulus < 1 << 31 else np.int64


def _packed_dtype(law: Letter) -> np.dtype[Any]:
    return np.dtype(smallest_dtype(law.modulus)).newbyteorder("<")


def _in_blocks(length: int) -> int:
    return -(-length // _BLOCK) * _BLOCK


# --- The content of the sealed box of a key file: a seed, seeds of blocks, or the key that seals draws
# Format: docs/reference/files.md


CONTENT_KEY_BYTES = 32

_SEED, _BLOCK_SEEDS, _CONTENT_KEY = (number.to_bytes(4, "little") for number in (3, 4, 5))


class Material(StrEnum):
    """What a key holds."""

    DRAWS = "draws"
    SEED = "seed"
    BLOCK_SEEDS = "block_seeds"


class ContentKey(Hidden):
    """The key under which the draws of one file are sealed; a file that is written anew gets a new one."""

    __slots__ = ("raw",)

    raw: bytes

    def __init__(self, raw: bytes) -> None:
        object.__setattr__(self, "raw", raw)

    @classmethod
    def fresh(cls) -> ContentKey:
        """Return one that was never used."""
        return cls(secrets.token_bytes(CONTENT_KEY_BYTES))


def kind_of(key: Key) -> Material:
    """Say what a key holds."""
    if isinstance(key.material, Draws):
        return Material.DRAWS
    return Material.SEED if isinstance(key.material, Seed) else Material.BLOCK_SEEDS


def box_length(kind: Material, start: int, stop: int, steps: int) -> int:
    """Return the length of what is sealed in the box of a key for these rows and so many steps below its level."""
    if kind is Material.BLOCK_SEEDS:
        return _TAG + _block_count(start, stop) * steps * SEED_BYTES
    return _TAG + (SEED_BYTES if kind is Material.SEED else CONTENT_KEY_BYTES)


def pack_content_key(key: ContentKey) -> bytes:
    """Return what lies in the box of a file of draws."""
    return _CONTENT_KEY + key.raw


def pack_seeds(key: Key, depth: int) -> bytes:
    """Return what lies in the box of a key without draws; `depth` is the number of steps of the ladder."""
    material = key.material
    if isinstance(material, Seed):
        return _SEED + material.secret
    table = material.table if isinstance(material, BlockSeeds) else ()
    secret = [secret for row in table for secret in row]
    shape = [len(row) for row in table]
    blocks = _block_count(key.start, key.stop)
    if shape != [blocks] * (depth - key.level) or any(len(one) != SEED_BYTES for one in secret):
        raise InvalidParameter("the key must hold a seed for each block and step", way_out="Make it with split_key.")
    return _BLOCK_SEEDS + b"".join(secret)


def unpack_box(body: bytes, kind: Material, *, start: int, stop: int, steps: int) -> Seed | BlockSeeds | ContentKey:
    """Read what one of the above packed, or raise KeyRefused; `steps` are those below the level of the key."""
    tag, content = body[:_TAG], body[_TAG:]
    if len(body) != box_length(kind, start, stop, steps) or tag != _TAGS[kind]:
        raise damaged_material()
    if kind is Material.DRAWS:
        return ContentKey(content)
    if kind is Material.SEED:
        return Seed(content)
    found = [content[place : place + SEED_BYTES] for place in range(0, len(content), SEED_BYTES)]
    blocks = _block_count(start, stop)
    return BlockSeeds(tuple(tuple(found[step * blocks : (step + 1) * blocks]) for step in range(steps)))


_TAGS = {Material.SEED: _SEED, Material.BLOCK_SEEDS: _BLOCK_SEEDS, Material.DRAWS: _CONTENT_KEY}


def _block_count(start: int, stop: int) -> int:
    return -(-stop // BLOCK_ROWS) - start // BLOCK_ROWS
