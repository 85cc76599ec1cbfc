"""Keys as paths in a tree: how a key is cut into prefixes, and how likely a path survives a hunt along them.

Keys are numbers below 2^key_bits, most significant bit first; inside they are rows of bytes, so that 64-bit keys and
long strings take the same path.   Theory: docs/theory/heavy_hitters.md
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.bits.mechanism import Mechanism
from sfumato.errors import InvalidParameter
from sfumato.prob import Distribution
from sfumato.values.checks import check_between, check_integer

ByteRows = npt.NDArray[np.uint8]
FloatArray = npt.NDArray[np.float64]
Keys = npt.NDArray[Any] | Sequence[int]

MOST_KEY_BITS = 2048
_NODES = 64
_FARTHEST = 8.0  # standard deviations: beyond, a normal law has less than 1e-15


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """What a hunt should find: `recall` is each key's chance, `false_finds` how many other keys on average.

    >>> import sfumato as sf
    >>> hunt = sf.infer.PrefixHunt.within(key_bits=16, step_bits=8, keep=8, epsilon=2.0)
    >>> forecast = hunt.forecast({0x4142: 0.05, 0x4143: 0.01}, 50_000)
    >>> [round(chance, 2) for chance in forecast.recall.values()], round(forecast.false_finds, 2)
    ([1.0, 0.04], 0.05)
    >>> round(forecast.true_finds, 2), round(forecast.precision, 2)
    (1.04, 0.95)
    """

    recall: dict[int, float]
    false_finds: float

    @property
    def true_finds(self) -> float:
        """How many of the hypothesised keys are found, on average."""
        return math.fsum(self.recall.values())

    @property
    def precision(self) -> float:
        """The part of all finds that are hypothesised keys: a ratio of averages; 1 when nothing is found."""
        finds = self.true_finds + self.false_finds
        return self.true_finds / finds if finds > 0 else 1.0


def string_keys(texts: Iterable[str], *, max_bytes: int) -> list[int]:
    """UTF-8, padded with zero bytes to `max_bytes`: keys of 8·max_bytes bits that `key_text` reads back.

    Raises:
        InvalidParameter: a text is too long, or holds NUL; its position is named, not the text.

    >>> import sfumato as sf
    >>> keys = sf.infer.string_keys(["Ada", "Bo"], max_bytes=4)
    >>> [hex(key) for key in keys], [sf.infer.key_text(key, max_bytes=4) for key in keys]
    (['0x41646100', '0x426f0000'], ['Ada', 'Bo'])
    """
    check_between("max_bytes", check_integer("max_bytes", max_bytes), 1, MOST_KEY_BITS // 8)
    keys = []
    for position, text in enumerate(texts):
        data = _encoded(text, position)
        if len(data) > max_bytes or b"\0" in data:
            raise InvalidParameter(
                f"must be strings of at most `max_bytes`={max_bytes} bytes without NUL; the one at position "
                f"{position} is not",
                parameter="texts",
                way_out="Raise `max_bytes`, cut the texts, or use hashed_keys.",
            )
        keys.append(int.from_bytes(data.ljust(max_bytes, b"\0"), "big"))
    return keys


def key_text(key: int, *, max_bytes: int) -> str:
    """Return the string behind a key of `string_keys`; bytes that are no UTF-8 (a false find) show as �.

    >>> import sfumato as sf
    >>> sf.infer.key_text(0x41646100, max_bytes=4), sf.infer.key_text(0xFF646100, max_bytes=4)
    ('Ada', '�da')
    """
    check_between("max_bytes", check_integer("max_bytes", max_bytes), 1, MOST_KEY_BITS // 8)
    if not 0 <= check_integer("key", key) < 1 << 8 * max_bytes:
        raise InvalidParameter(
            f"must have at most 8·`max_bytes`={8 * max_bytes} bits",
            parameter="key",
            way_out="Pass the `max_bytes` it has.",
        )
    return key.to_bytes(max_bytes, "big").rstrip(b"\0").decode(errors="replace")


def hashed_keys(texts: Iterable[str], *, key_bits: int = 64) -> list[int]:
    """BLAKE2b cut to `key_bits`: for strings of any length; a found key is looked up among strings already known.

    >>> import sfumato as sf
    >>> known = ["a long text that nobody would send whole", "another"]
    >>> looked_up = dict(zip(sf.infer.hashed_keys(known, key_bits=32), known))
    >>> [looked_up[key] for key in sf.infer.hashed_keys(["another"], key_bits=32)]
    ['another']
    """
    check_between("key_bits", check_integer("key_bits", key_bits), 1, 512)
    size = -(-key_bits // 8)
    spare = 8 * size - key_bits
    digests = (blake2b(_encoded(text, place), digest_size=size).digest() for place, text in enumerate(texts))
    return [int.from_bytes(digest, "big") >> spare for digest in digests]


def _encoded(text: object, position: int) -> bytes:
    if not isinstance(text, str):
        raise InvalidParameter(
            f"must be strings; the one at position {position} is not",
            parameter="texts",
            way_out="Convert it with str().",
        )
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise InvalidParameter(
            f"must be valid Unicode; the one at position {position} is not",
            parameter="texts",
            way_out="Repair or drop it.",
        ) from None


def key_rows(keys: Keys, key_bits: int) -> ByteRows:
    """Return one row of bytes a key, the first bit leftmost. Errors tell where, never what."""
    size = -(-key_bits // 8)
    spare = 8 * size - key_bits
    if isinstance(keys, np.ndarray) and keys.ndim != 1:
        raise InvalidParameter(
            f"must be one column, not of {keys.ndim} dimensions", parameter="keys", way_out="Pass a list of numbers."
        )
    if len(keys) == 0:
        raise InvalidParameter("is empty", parameter="keys", way_out="Pass at least one.")
    if isinstance(keys, np.ndarray) and keys.dtype.kind in "iu" and key_bits <= 64:
        most = (1 << key_bits) - 1
        outside = np.flatnonzero((keys < 0) | (keys > most)) if keys.dtype.kind == "i" else np.flatnonzero(keys > most)
        if outside.size:
            raise _not_a_key(int(outside[0]), key_bits)
        words = (keys.astype(np.uint64) << np.uint64(spare)).astype(">u8")
        return np.ascontiguousarray(words.view(np.uint8).reshape(-1, 8)[:, 8 - size :])
    parts = []
    for position, key in enumerate(keys):
        if (
            isinstance(key, bool | np.bool_)
            or not hasattr(key, "__index__")
            or not 0 <= key.__index__() < 1 << key_bits
        ):
            raise _not_a_key(position, key_bits)
        parts.append((key.__index__() << spare).to_bytes(size, "big"))
    return np.frombuffer(b"".join(parts), dtype=np.uint8).reshape(-1, size)


def _not_a_key(position: int, key_bits: int) -> InvalidParameter:
    return InvalidParameter(
        f"must be whole numbers of at most `key_bits`={key_bits} bits; the first that is not stands at position "
        f"{position}",
        parameter="keys",
        way_out="Raise `key_bits`, or make keys of strings with string_keys or hashed_keys.",
    )


def symbols_of(rows: ByteRows, candidates: Sequence[int], start: int, stop: int) -> npt.NDArray[np.int64]:
    """Place each key at (candidate it begins with, its bits start..stop-1), or at the last symbol, "other"."""
    step = stop - start
    first, last = start // 8, -(-stop // 8)
    window = np.zeros(len(rows), dtype=np.int64)
    for column in range(first, last):
        window = (window << 8) | rows[:, column]
    suffix = (window >> (8 * last - stop)) & ((1 << step) - 1)
    size = -(-start // 8)
    if size == 0:
        return suffix
    spare = 8 * size - start
    heads = rows[:, :size].copy()
    heads[:, -1] &= 0xFF ^ ((1 << spare) - 1)
    found = heads.view(f"S{size}").ravel()
    # All have one length, so that numpy's indifference to trailing zero bytes cannot confuse two of them.
    known = np.array([(candidate << spare).to_bytes(size, "big") for candidate in candidates], dtype=f"S{size}")
    order = np.argsort(known, kind="stable")
    place = np.minimum(np.searchsorted(known[order], found), len(known) - 1)
    position = order[place]
    other = len(candidates) << step
    return np.where(known[position] == found, (position << step) + suffix, other).astype(np.int64)


def forecast_of(
    shares: Mapping[int, float],
    depths: Sequence[int],
    group_sizes: Sequence[int],
    *,
    keep: int,
    confidence: float,
    mechanism_for: Callable[[int], Mechanism],
) -> Forecast:
    """Follow the chances of all hypothesised prefixes, and the number of others, from level to level.

    Each raw share is taken as normal with the mechanism's variance, independent of the rest; what the hypothesis
    leaves over is spread evenly over all keys. Which prefixes survive is taken as independent too: close while `keep`
    leaves room for all hypothesised prefixes, too modest when they crowd each other out over several levels.
    """
    rest = max(0.0, 1 - math.fsum(shares.values()))
    alive, strangers, start = {0: 1.0}, 0.0, 0
    for depth, n in zip(depths, group_sizes, strict=True):
        step = depth - start
        thin = math.ldexp(rest, -depth)
        heavy: dict[int, float] = {}
        for key, share in shares.items():
            prefix = key >> (depths[-1] - depth)
            heavy[prefix] = heavy.get(prefix, thin) + share
        present = {prefix: alive[prefix >> step] for prefix in heavy}
        parents = math.fsum(alive.values()) + strangers
        offered = min(keep, max(1, round(parents))) << step
        empty = max(0.0, parents * (1 << step) - math.fsum(present.values()))
        noise = _Noise.of(mechanism_for(offered + 1), n)
        reach = -_ndtri((1 - confidence) / offered)
        level = _Level(heavy, present, round(empty), thin, noise, noise.threshold(reach), keep)
        alive = {prefix: chance * level.survival(prefix) for prefix, chance in present.items()}
        strangers = empty * level.survival(None)
        start = depth
    return Forecast(recall={key: alive[key] for key in shares}, false_finds=strangers)


@dataclass(frozen=True, slots=True)
class _Noise:
    """n·Var(raw) = silent + slope·p - p² when a share is p: so for every linear estimator."""

    silent: float
    slope: float
    n: int

    @classmethod
    def of(cls, mechanism: Mechanism, n: int) -> _Noise:
        silent, full = (_variance(mechanism, whole, n) * n for whole in (False, True))
        return cls(silent, full - silent + 1, n)

    def deviation(self, share: float) -> float:
        return math.sqrt(max(self.silent + self.slope * share - share**2, 0.0) / self.n)

    def threshold(self, reach: float) -> float:
        """Return the raw share x that is `reach` of its own standard errors: n·x² = reach²·(silent + slope·x - x²)."""
        square = reach**2
        head, half = self.n + square, square * self.slope / 2
        return (half + math.sqrt(half**2 + head * square * self.silent)) / head


def _variance(mechanism: Mechanism, whole: bool, n: int) -> float:
    """Return the variance of the first raw share when everybody holds the first answer, or the last."""
    size = mechanism.size
    exact = getattr(mechanism, "variance", None)
    if exact is not None:
        law = [Fraction(0)] * size
        law[0 if whole else -1] = Fraction(1)
        found = exact(Distribution(law), n)
        return float(found[0] if isinstance(found, tuple) else found)
    rows = np.array([[float(p) for p in mechanism.law(x)] for x in range(size)])
    reading = np.linalg.pinv(rows.T)[0]
    return float(reading**2 @ rows[0 if whole else -1] - whole) / n


@dataclass(frozen=True, slots=True)
class _Level:
    heavy: dict[int, float]
    present: dict[int, float]
    empty: int
    thin: float
    noise: _Noise
    threshold: float
    keep: int

    def survival(self, prefix: int | None) -> float:
        """Return the chance that a prefix on offer passes the threshold and fewer than `keep` others beat it."""
        from scipy.special import bdtr, ndtr  # noqa: PLC0415  scipy is slow to import

        share = self.thin if prefix is None else self.heavy[prefix]
        deviation = self.noise.deviation(share)
        low = max((self.threshold - share) / deviation, -_FARTHEST)
        if low >= _FARTHEST:
            return 0.0
        nodes, weights = np.polynomial.legendre.leggauss(_NODES)
        u = low + (_FARTHEST - low) * (nodes + 1) / 2
        mass = weights * (_FARTHEST - low) / 2 * np.exp(-(u**2) / 2) / math.sqrt(2 * math.pi)
        x = share + deviation * u
        # How many hypothesised prefixes beat x: counted up to keep - 1, more is lost anyway.
        beaten = np.zeros((_NODES, self.keep))
        beaten[:, 0] = 1.0
        for other, other_share in self.heavy.items():
            if other != prefix:
                chance = self.present[other] * ndtr((other_share - x) / self.noise.deviation(other_share))[:, None]
                moved = beaten * chance
                beaten -= moved
                beaten[:, 1:] += moved[:, :-1]
        rivals = max(self.empty - (prefix is None), 0)
        chance = ndtr((self.thin - x) / self.noise.deviation(self.thin))[:, None]
        room = np.arange(self.keep - 1, -1, -1.0)[None, :]
        enough = bdtr(np.minimum(room, rivals), rivals, chance)
        return float(min(1.0, mass @ (beaten * enough).sum(axis=1)))


def _ndtri(probability: float) -> float:
    from scipy.special import ndtri  # noqa: PLC0415  scipy is slow to import

    return float(ndtri(probability))
