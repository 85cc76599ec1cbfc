"""Heavy hitters: the answers that many people give, among known answers or among all 64-bit keys and strings.

On a known alphabet `top_answers` reads an estimate and says how sure the ranking is. On an open one `PrefixHunt` grows
prefixes: one group of users a level, each user asked once, with the whole epsilon, about prefixes that earlier groups
made plausible. Any mechanism serves inside.   Theory: docs/theory/heavy_hitters.md
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from sfumato.bits.mechanism import Mechanism
from sfumato.bits.source import BitSource
from sfumato.errors import InvalidParameter
from sfumato.infer.prefix_trees import MOST_KEY_BITS, Forecast, Keys, forecast_of, key_rows, symbols_of
from sfumato.mechanisms.linear import check_confidence
from sfumato.values import Estimate
from sfumato.values.checks import check_at_least, check_between, check_integer, check_positive

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
    >>> top = sf.infer.top_answers(estimate, 3)
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
    >>> top = sf.infer.top_answers(estimate, 2)
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
    >>> hunt = sf.infer.PrefixHunt(key_bits=8, step_bits=4, keep=4, mechanism_for=response)
    >>> found = hunt.hunt([0x41] * 600 + [0x42] * 300 + list(range(256)), sf.bits.InsecureSeeded(1))
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
class PrefixHunt:
    """Look for frequent keys of `key_bits` bits, `step_bits` more a level, keeping at most `keep` prefixes.

    A prefix goes on when its raw share exceeds so many standard errors that on average at most 1-confidence prefixes
    that nobody holds would, at each level. `mechanism_for(size)` makes the mechanism of a level; each user reports
    once, so the hunt as a whole has the odds of the weakest of these mechanisms, not their product.

    >>> import sfumato as sf
    >>> hunt = sf.infer.PrefixHunt.within(key_bits=16, step_bits=8, keep=8, epsilon=2.0)
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
                way_out="Use PrefixHunt.within(…, epsilon=…).",
            )

    @classmethod
    def within(
        cls, *, key_bits: int, step_bits: int, keep: int, epsilon: float, confidence: float = 0.95
    ) -> PrefixHunt:
        """Hunt with the cyclic response at `epsilon`."""
        from sfumato.mechanisms.cyclic import CyclicResponse  # noqa: PLC0415  needed only for this choice

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
