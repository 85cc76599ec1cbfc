"""Frequent answers of long lists and of all texts, with one error probability for the whole list.

On a known alphabet `top_answers` ranks the answers of an estimate and states how certain the ranking is. On an open
alphabet `PrefixSearch` extends prefixes level by level. Each level has its own group of users, and each user is asked
once, with the whole epsilon, about prefixes that earlier groups found frequent. Any mechanism can be used.
Theory: docs/theory/heavy_hitters.md
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter
from sfumato.inference.exact import binomial_tail
from sfumato.mechanisms.base import check_confidence
from sfumato.mechanisms.cyclic import CyclicResponse
from sfumato.numbers.checks import check_at_least, check_between, check_integer, check_positive
from sfumato.prob.binomial import clopper_pearson, least_count
from sfumato.prob.distribution import Distribution
from sfumato.sampling.mechanism import Estimate, Mechanism
from sfumato.sampling.sources import BitSource

# --- Keys as paths in a tree, and the probability that a search keeps a path
# Keys are numbers below 2^key_bits, most significant bit first. They are stored as rows of bytes, so 64-bit keys and
# long strings use the same code.
# Theory: docs/theory/heavy_hitters.md


ByteRows = npt.NDArray[np.uint8]
FloatArray = npt.NDArray[np.float64]
Keys = npt.NDArray[Any] | Sequence[int]

MOST_KEY_BITS = 2048
_NODES = 64
_FARTHEST = 8.0  # standard deviations: beyond, a normal law has less than 1e-15


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """The expected result of a search: `recall` is each key's chance, `false_finds` how many other keys on average.

    >>> import sfumato as sf
    >>> hunt = sf.inference.PrefixSearch.within(key_bits=16, step_bits=8, keep=8, epsilon=2.0)
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
    >>> keys = sf.inference.string_keys(["Ada", "Bo"], max_bytes=4)
    >>> [hex(key) for key in keys], [sf.inference.key_text(key, max_bytes=4) for key in keys]
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
    >>> sf.inference.key_text(0x41646100, max_bytes=4), sf.inference.key_text(0xFF646100, max_bytes=4)
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
    >>> looked_up = dict(zip(sf.inference.hashed_keys(known, key_bits=32), known))
    >>> [looked_up[key] for key in sf.inference.hashed_keys(["another"], key_bits=32)]
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
    """Return one row of bytes a key, the first bit leftmost. Errors name the place, never the value."""
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
    """Return the variance of the first raw share when everyone has the first answer, or the last."""
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


_MOST_STEP_BITS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class TopAnswers:
    """The answers with the largest raw shares, largest first, and how sure that is.

    With probability `confidence` (normal approximation), *all* raw shares of the estimate, not only these, lie within
    `radius` of the true ones, and each of these within its own half-width. Then every answer in `certain` is among
    the true top t; those in `doubtful` may have to give way to those in `contenders`, which were left out.

    >>> import sfumato as sf
    >>> response = sf.mechanisms.RandomizedResponse(size=4, odds=9)
    >>> estimate = response.estimate(response.tally([0] * 5000 + [1] * 3000 + [2] * 1100 + [3] * 900))
    >>> top = sf.inference.top_answers(estimate, 3)
    >>> top.answers, [round(share, 3) for share in top.raw], round(top.radius, 3)
    ((0, 1, 2), [0.625, 0.325, 0.04], 0.019)
    >>> top.certain, top.doubtful, top.contenders  # the third place may belong to answer 3
    ((0, 1), (2,), (3,))
    """

    answers: tuple[int, ...]
    raw: tuple[float, ...]
    half_widths: tuple[float, ...]
    radius: float
    certain: tuple[int, ...]
    doubtful: tuple[int, ...]
    contenders: tuple[int, ...]
    confidence: float


def top_answers(estimate: Estimate, t: int, *, confidence: float = 0.95) -> TopAnswers:
    """Return the t largest raw shares with half-widths that hold for all answers at once (Bonferroni).

    Raises:
        InvalidParameter: more answers are asked for than there are, or no standard error is above 0.

    >>> import sfumato as sf
    >>> response = sf.mechanisms.RandomizedResponse(size=4, odds=9)
    >>> estimate = response.estimate(response.tally([0] * 5000 + [1] * 3000 + [2] * 1100 + [3] * 900))
    >>> top = sf.inference.top_answers(estimate, 2)
    >>> top.answers, top.certain == top.answers
    ((0, 1), True)
    """
    from scipy.special import ndtri  # noqa: PLC0415  scipy is slow to import

    raw = np.array(estimate.raw)
    check_between("t", check_integer("t", t), 1, raw.size, way_out="Ask for no more answers than there are.")
    check_confidence(confidence)
    reach = -float(ndtri((1 - confidence) / (2 * raw.size)))
    half_widths = reach * np.array(estimate.standard_errors)
    # The largest of all: where a report was never seen its own standard error is 0, which is no guarantee.
    radius = float(half_widths.max())
    if radius <= 0:
        raise InvalidParameter(
            "has no standard error above 0, so no radius can be given",
            parameter="estimate",
            way_out="Collect more reports.",
        )
    order = np.argsort(-raw, kind="stable")  # ties go to the first answer
    top, rest = order[:t], order[t:]
    best_left_out = raw[rest].max() if rest.size else -math.inf
    sure = raw[top] - radius > best_left_out + radius
    near = rest[raw[rest] + radius >= raw[top].min() - radius]
    return TopAnswers(
        answers=tuple(top.tolist()),
        raw=tuple(raw[top].tolist()),
        half_widths=tuple(half_widths[top].tolist()),
        radius=radius,
        certain=tuple(top[sure].tolist()),
        doubtful=tuple(top[~sure].tolist()),
        contenders=tuple(near.tolist()),
        confidence=confidence,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The keys found, largest share first, with what the last group said of each.

    `raw` tends high: these are the shares that passed a threshold. `candidates` are the prefixes kept after each
    level; where they end before the last level, no prefix was surely above zero and later groups were not asked.

    >>> import sfumato as sf
    >>> def response(size: int) -> sf.mechanisms.RandomizedResponse:
    ...     return sf.mechanisms.RandomizedResponse.within(size=size, epsilon=2)
    >>> hunt = sf.inference.PrefixSearch(key_bits=8, step_bits=4, keep=4, mechanism_for=response)
    >>> found = hunt.hunt([0x41] * 600 + [0x42] * 300 + list(range(256)), sf.sampling.InsecureSeeded(1))
    >>> [(hex(key), round(share, 2)) for key, share in zip(found.keys, found.raw)]
    [('0x41', 0.55), ('0x42', 0.27)]
    >>> found.candidates  # after four bits, and after eight
    ((4,), (65, 66))
    """

    keys: tuple[int, ...]
    raw: tuple[float, ...]
    standard_errors: tuple[float, ...]
    candidates: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PrefixSearch:
    """Look for frequent keys of `key_bits` bits, `step_bits` more a level, keeping at most `keep` prefixes.

    A prefix goes on when its raw share exceeds so many standard errors that on average at most 1-confidence prefixes
    that nobody holds would, at each level. `mechanism_for(size)` makes the mechanism of a level; each user reports
    once, so the hunt as a whole has the odds of the weakest of these mechanisms, not their product.

    >>> import sfumato as sf
    >>> hunt = sf.inference.PrefixSearch.within(key_bits=16, step_bits=8, keep=8, epsilon=2.0)
    >>> hunt.levels, hunt.mechanism((0,), 0).size  # two rounds; the first asks about 256 prefixes, or none of them
    (2, 257)
    >>> chances = hunt.predicted_recall({0x4142: 0.05, 0x4143: 0.01}, 50_000)  # if so many people hold these keys
    >>> {hex(key): round(chance, 2) for key, chance in chances.items()}
    {'0x4142': 1.0, '0x4143': 0.04}
    """

    key_bits: int
    step_bits: int
    keep: int
    mechanism_for: Callable[[int], Mechanism]
    confidence: float = 0.95

    def __post_init__(self) -> None:
        check_between("key_bits", check_integer("key_bits", self.key_bits), 1, MOST_KEY_BITS)
        most = min(_MOST_STEP_BITS, self.key_bits)
        check_between("step_bits", check_integer("step_bits", self.step_bits), 1, most)
        check_at_least("keep", check_integer("keep", self.keep), 1)
        check_confidence(self.confidence)
        if not callable(self.mechanism_for):
            raise InvalidParameter(
                "must be a function from a size to a mechanism",
                parameter="mechanism_for",
                way_out="Use PrefixSearch.within(…, epsilon=…).",
            )

    @classmethod
    def within(
        cls, *, key_bits: int, step_bits: int, keep: int, epsilon: float, confidence: float = 0.95
    ) -> PrefixSearch:
        """Return a search with the cyclic response at `epsilon`."""
        check_positive("epsilon", epsilon)

        def cyclic(epsilon: float, size: int) -> Mechanism:
            return CyclicResponse.within(size=size, epsilon=epsilon)

        return cls(
            key_bits=key_bits,
            step_bits=step_bits,
            keep=keep,
            mechanism_for=partial(cyclic, epsilon),
            confidence=confidence,
        )

    @property
    def levels(self) -> int:
        """How many groups of users, and rounds, there are."""
        return -(-self.key_bits // self.step_bits)

    def depth(self, level: int) -> int:
        """How many bits of a key are known after this level."""
        self._check_level(level)
        return min((level + 1) * self.step_bits, self.key_bits)

    def group(self, n: int, level: int) -> slice:
        """Which of n users are asked at this level: every levels-th by position, whatever they hold."""
        self._check_level(level)
        self._check_users(n)
        return slice(level, n, self.levels)

    def mechanism(self, candidates: Sequence[int], level: int) -> Mechanism:
        """Return the mechanism for this level: one answer for each candidate's extension, and "other" as the last."""
        start = self._check_candidates(candidates, level)
        size = (len(candidates) << (self.depth(level) - start)) + 1
        mechanism = self.mechanism_for(size)
        if mechanism.size != size:
            raise InvalidParameter(
                f"made a mechanism for {mechanism.size} answers where {size} were asked for",
                parameter="mechanism_for",
                way_out="Use the size it is given.",
            )
        return mechanism

    def level_values(self, keys: Keys, candidates: Sequence[int], level: int) -> npt.NDArray[np.int64]:
        """Place each key at candidate·2^step + next bits, or at the last answer when no candidate begins it.

        Before level 0 the only candidate is the empty prefix, written (0,).
        """
        self._check_candidates(candidates, level)
        return self._symbols(key_rows(keys, self.key_bits), candidates, level)

    def survivors(self, estimate: Estimate, candidates: Sequence[int], level: int) -> tuple[int, ...]:
        """Return the prefixes that go on to the next level (after the last, the keys found), largest share first."""
        start = self._check_candidates(candidates, level)
        step = self.depth(level) - start
        return tuple(
            (candidates[place >> step] << step) | (place & ((1 << step) - 1))
            for place in self._passing(estimate, len(candidates) << step)
        )

    def hunt(self, keys: Keys, bits: BitSource | None = None) -> Found:
        """Run all rounds in one process: for simulations, and for keys that one curator holds."""
        rows = key_rows(keys, self.key_bits)
        self._check_users(len(rows))
        candidates: tuple[int, ...] = (0,)
        history: list[tuple[int, ...]] = []
        for level in range(self.levels):
            mechanism = self.mechanism(candidates, level)
            mine = self._symbols(rows[self.group(len(rows), level)], candidates, level)
            estimate = mechanism.estimate(mechanism.tally(mechanism.privatize(mine, bits)))
            passing = self._passing(estimate, mechanism.size - 1)
            candidates = self.survivors(estimate, candidates, level)
            history.append(candidates)
            if not candidates:
                return Found(keys=(), raw=(), standard_errors=(), candidates=tuple(history))
        return Found(
            keys=candidates,
            raw=tuple(estimate.raw[place] for place in passing),
            standard_errors=tuple(estimate.standard_errors[place] for place in passing),
            candidates=tuple(history),
        )

    def forecast(self, shares: Mapping[int, float], n: int) -> Forecast:
        """Predict recall and precision when n users hold these keys with these shares and the rest is spread evenly.

        An approximation: close while `keep` exceeds the number of these keys, too modest where they compete for places.
        """
        self._check_users(n)
        if not shares:
            raise InvalidParameter(
                "is empty", parameter="shares", way_out="Name at least one key and the share of users who hold it."
            )
        key_rows(list(shares), self.key_bits)
        if not (all(share >= 0 for share in shares.values()) and math.fsum(shares.values()) <= 1 + 1e-9):
            raise InvalidParameter(
                "must be at least 0 and sum to at most 1", parameter="shares", way_out="Divide counts by the users."
            )
        return forecast_of(
            shares,
            [self.depth(level) for level in range(self.levels)],
            [len(range(n)[self.group(n, level)]) for level in range(self.levels)],
            keep=self.keep,
            confidence=self.confidence,
            mechanism_for=self.mechanism_for,
        )

    def predicted_recall(self, shares: Mapping[int, float], n: int) -> dict[int, float]:
        """Return each key's chance to survive every level; see `forecast`."""
        return self.forecast(shares, n).recall

    def _symbols(self, rows: npt.NDArray[np.uint8], candidates: Sequence[int], level: int) -> npt.NDArray[np.int64]:
        return symbols_of(rows, candidates, level * self.step_bits, self.depth(level))

    def _passing(self, estimate: Estimate, offered: int) -> list[int]:
        from scipy.special import ndtri  # noqa: PLC0415  scipy is slow to import

        if len(estimate.raw) != offered + 1:
            raise InvalidParameter(
                f"has {len(estimate.raw)} shares and this level {offered + 1} answers",
                parameter="estimate",
                way_out="Pass the estimate and the candidates of one level.",
            )
        raw, errors = np.array(estimate.raw[:-1]), np.array(estimate.standard_errors[:-1])
        reach = -float(ndtri((1 - self.confidence) / offered))
        order = np.argsort(-raw, kind="stable")
        passing = order[(raw > np.maximum(reach * errors, 0.0))[order]]
        return [int(place) for place in passing[: self.keep]]

    def _check_level(self, level: int) -> None:
        check_between("level", check_integer("level", level), 0, self.levels - 1)

    def _check_users(self, n: int) -> None:
        if check_integer("n", n) < self.levels:
            raise InvalidParameter(
                f"users cannot fill {self.levels} groups, one a level",
                parameter="n",
                value=n,
                way_out="Ask more users, or raise `step_bits`.",
            )

    def _check_candidates(self, candidates: Sequence[int], level: int) -> int:
        """Return how many bits the candidates of this level have, having checked that they do."""
        self._check_level(level)
        start = level * self.step_bits
        if not candidates or len(set(candidates)) != len(candidates):
            raise InvalidParameter(
                "must be distinct, and at least one",
                parameter="candidates",
                way_out="Begin with (0,); stop when none is left.",
            )
        if not all(0 <= candidate < 1 << start for candidate in candidates):
            raise InvalidParameter(
                f"of level {level} must be prefixes of {start} bits",
                parameter="candidates",
                way_out="Pass the survivors of the level before.",
            )
        return start


# --- Discovered answers of a long list, with one error probability for the list
# A report hits its own answer with probability p* and any other with q*, so the hits of an answer that no one has are
# Bin(n, q*). Reported are the answers with at least c hits, c the least count with Pr[Bin(n, q*) ≥ c] ≤ α/k over k
# answers: with probability at least 1 - α all of them were given, for every n and any dependence. Holm's step-down
# tests the rest at α/(k-m) once m are found [Hol79].
#
# For "a share of p_0 at most" the chance is q* + (p*-q*)·p_0. If exactly that many of n people have the answer, hits
# are a sum of unequal chances, whose upper tail is below the binomial's [Hoe56].
#
# `discovered_answers` bounds the expected share α of false answers in the list. For any dependence of the counts the
# m-th answer may have a tail of mα/(k·H_k), H_k = 1 + ½ + … + 1/k [BY01].
# Theory: docs/theory/heavy_hitters.md


PlaceArray = npt.NDArray[np.intp]
# Of a share that is found as often as asked for.
_CLOSE = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyCut:
    """The cut for `size` answers and n reports that hit their own answer with `own` and others with `other`.

    `error` is the family-wise error, and `at_least` the share that a reported answer surely exceeds.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> rule = sf.inference.FamilyCut(size=1000, n=10_000, own=Fraction(3, 4), other=Fraction(1, 4))
    >>> rule.count(), round(rule.share, 4)  # so many hits, and the share they stand for
    (2671, 0.0342)
    >>> round(rule.power(0.05), 3), round(rule.share_found(0.9), 4)
    (0.963, 0.0455)
    """

    size: int
    n: int
    own: Fraction
    other: Fraction
    error: Fraction = Fraction(1, 20)
    at_least: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        check_at_least("size", check_integer("size", self.size), 1)
        check_at_least("n", check_integer("n", self.n), 1)
        check_between("error", self.error, Fraction(1, 10**9), Fraction(1, 2))
        check_between("at_least", self.at_least, 0, 1)
        if not 0 < self.other < self.own <= 1:
            raise InvalidParameter(
                "must lie below `own`, or no report tells anything",
                parameter="other",
                way_out="Raise epsilon.",
            )

    def chance(self, share: Fraction | float) -> Fraction | float:
        """How probably a report hits an answer that a share of all hold."""
        if isinstance(share, Fraction):
            return self.other + (self.own - self.other) * share
        return float(self.other) + float(self.own - self.other) * share

    def count(self, found: int = 0) -> int:
        """Return the least number of hits that is reported, once so many others were; n + 1 where none is enough."""
        level = self.error / max(1, self.size - found)
        return self.count_within(level)

    def count_within(self, level: Fraction) -> int:
        """Return the least number of hits that an answer of the share `at_least` has no more often than a level."""
        chance = Fraction(self.chance(self.at_least))
        # From here on the tail of unequal chances is below the binomial's.
        return max(_least_count(self.n, chance, level), math.ceil(self.n * chance + 1))

    @property
    def share(self) -> float:
        """The raw share that an answer must come out with."""
        return self.share_of(self.count())

    def share_of(self, hits: float) -> float:
        """Return the unbiased share of so many hits."""
        return float((Fraction(hits) / self.n - self.other) / (self.own - self.other))

    def power(self, share: float) -> float:
        """How probably an answer is found that a share of all hold, by the first cut; Holm's step adds to it."""
        check_between("share", share, 0, 1)
        return binomial_tail(self.count(), self.n, float(self.chance(float(share))), upper=True)

    def share_found(self, power: float = 0.9) -> float | None:
        """Return the least share that is found so often; None where not even a share of 1 is."""
        check_between("power", power, 0.01, 1 - 1e-9)
        low, high = 0.0, 1.0
        if self.power(high) < power:
            return None
        while high - low > _CLOSE * high:
            middle = (low + high) / 2
            low, high = (middle, high) if self.power(middle) < power else (low, middle)
        return high


def reports_to_find(rule: FamilyCut, share: float, power: float = 0.9) -> int | None:
    """About how many reports find a share so often, by tails in floats; None where it is not above `at_least`.

    Counts are whole, so power goes up and down by a little from one number to the next.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> rule = sf.inference.FamilyCut(size=1000, n=10_000, own=Fraction(3, 4), other=Fraction(1, 4))
    >>> sf.inference.reports_to_find(rule, 0.05), sf.inference.reports_to_find(rule, 0.01)
    (8304, 201984)
    """
    check_between("share", share, 0, 1)
    check_between("power", power, 0.01, 1 - 1e-9)
    if share <= rule.at_least:
        return None
    level = float(rule.error) / rule.size
    null, held = float(rule.chance(rule.at_least)), float(rule.chance(share))

    def is_found(n: int) -> bool:
        low, high = 0, n + 1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if binomial_tail(middle, n, null, upper=True) <= level else (middle, high)
        return binomial_tail(high, n, held, upper=True) >= power

    most = 1
    while not is_found(most):
        most *= 2
    least = most // 2
    while most - least > max(1, most // 1000):
        middle = (least + most) // 2
        least, most = (least, middle) if is_found(middle) else (middle, most)
    return most


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FoundAnswers:
    """The answers that were found, most hits first: their places, unbiased shares and errors, and intervals.

    The intervals of all k answers hold together with the confidence that was asked for, so those of the ones that were
    picked out do as well. `cut` is the last count of hits that was asked for.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> rule = sf.inference.FamilyCut(size=4, n=10_000, own=Fraction(3, 4), other=Fraction(1, 4))
    >>> found = sf.inference.found_answers([2540, 3500, 2490, 2950], rule)
    >>> found.places.tolist(), found.raw.round(2).tolist()
    ([1, 3], [0.2, 0.09])
    >>> found.lower.round(3).tolist(), found.upper.round(3).tolist()
    ([0.176, 0.067], [0.224, 0.113])
    """

    places: PlaceArray
    raw: FloatArray
    standard_errors: FloatArray
    lower: FloatArray
    upper: FloatArray
    cut: int


def found_answers(
    hits: npt.ArrayLike, rule: FamilyCut, *, confidence: float = 0.95, most: int | None = None
) -> FoundAnswers:
    """Return the answers whose hits pass the rule, by Holm's step down, with intervals over all answers at once.

    `most` keeps so many of them, those with the most hits.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> rule = sf.inference.FamilyCut(size=4, n=10_000, own=Fraction(3, 4), other=Fraction(1, 4))
    >>> found = sf.inference.found_answers([2540, 3500, 2490, 2950], rule, most=1)
    >>> found.places.tolist(), found.cut
    ([1], 2586)
    """
    check_between("confidence", confidence, 0.5, 1 - 1e-12)
    counted = _checked_hits(hits, rule)
    found, cut = 0, rule.count()
    while (now := int(np.count_nonzero(counted >= cut))) > found:
        found = now
        cut = rule.count(found)
    return _picked(counted, rule, cut, confidence, most)


def discovered_answers(hits: npt.ArrayLike, rule: FamilyCut, *, confidence: float = 0.95) -> FoundAnswers:
    """Return answers of which a part `rule.error` at most is false on average, by Benjamini and Yekutieli's step up.

    Their rule holds under any dependence of the counts; Benjamini and Hochberg's, which needs less, is not proved here.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> rule = sf.inference.FamilyCut(size=4, n=10_000, own=Fraction(3, 4), other=Fraction(1, 4))
    >>> found = sf.inference.discovered_answers([2540, 3500, 2490, 2950], rule)
    >>> found.places.tolist(), found.cut
    ([1, 3], 2599)
    """
    check_between("confidence", confidence, 0.5, 1 - 1e-12)
    counted = _checked_hits(hits, rule)
    # Above 1 + ½ + … + 1/k: Euler's constant and two terms, rounded up.
    harmonic = Fraction(math.nextafter(math.log(rule.size) + 0.57721566490153287 + 1 / (2 * rule.size), math.inf))
    found = rule.size
    while True:
        cut = rule.count_within(rule.error * found / (rule.size * harmonic))
        now = int(np.count_nonzero(counted >= cut))
        if now >= found or now == 0:
            return _picked(counted, rule, cut, confidence)
        found = now


def _checked_hits(hits: npt.ArrayLike, rule: FamilyCut) -> FloatArray:
    counted = np.asarray(hits, dtype=np.float64)
    if counted.shape != (rule.size,):
        raise InvalidParameter(
            f"must be {rule.size} counts, one for each answer", parameter="hits", way_out="Count all answers."
        )
    return counted


def _picked(counted: FloatArray, rule: FamilyCut, cut: int, confidence: float, most: int | None = None) -> FoundAnswers:
    places = np.flatnonzero(counted >= cut)
    # Equal hits in the order of the list.
    places = places[np.argsort(-counted[places], kind="stable")][:most]
    raw, errors, lower, upper = raw_shares(counted[places], rule, tail=(1 - confidence) / (2 * rule.size))
    return FoundAnswers(places=places, raw=raw, standard_errors=errors, lower=lower, upper=upper, cut=cut)


def raw_shares(hits: FloatArray, rule: FamilyCut, *, tail: float) -> tuple[FloatArray, ...]:
    """Return unbiased shares of answers, standard errors, and exact ends that fail with `tail` on each side."""
    base, gap = float(rule.other), float(rule.own - rule.other)
    chances = hits / rule.n
    # Hits beyond nobody's or everybody's are explained by no share: an end out there would leave no width.
    low, _ = clopper_pearson(np.minimum(hits, math.floor(rule.n * rule.own)), rule.n, lower_tail=tail, upper_tail=tail)
    _, high = clopper_pearson(
        np.maximum(hits, math.ceil(rule.n * rule.other)), rule.n, lower_tail=tail, upper_tail=tail
    )
    lower, upper = (np.clip((end - base) / gap, 0.0, 1.0) for end in (low, high))
    errors = np.sqrt(chances * (1 - chances) / rule.n) / gap
    return (chances - base) / gap, errors, lower, upper


@lru_cache(maxsize=256)
def _least_count(n: int, chance: Fraction, level: Fraction) -> int:
    return least_count(n, chance, level)
