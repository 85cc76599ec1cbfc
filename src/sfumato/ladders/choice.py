"""The choice of the best ladder for given levels.

Ladders are compared at every level on one scale. Regret is the squared error over all answers at uniform shares,
divided by the lower bound for unbiased estimates with as much privacy: n·risk·G/(k-1)², G from
:mod:`sfumato.inference.limits`. It is at least 1 for every ε. The ladder whose worst level has the least regret is
chosen, or that with the least weighted sum. Among those that are as good, the one with the shortest reports is chosen,
then the one with the shortest keys.
Theory: docs/theory/ladders.md
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType

from sfumato.errors import InvalidParameter
from sfumato.inference.limits import largest_information, odds_above
from sfumato.ladders.ladder import Ladder
from sfumato.ladders.level_mechanisms import LevelMechanism
from sfumato.ladders.nested_levels import FlagsLevel, SetsLevel
from sfumato.ladders.shift_levels import CyclicLevel, FlipLevel
from sfumato.ladders.steps import descending
from sfumato.mechanisms.cyclic import FavouredSet, candidate_sets
from sfumato.mechanisms.set_systems import MOST_RESIDUES
from sfumato.numbers.checks import check_at_least, check_integer, check_positive

AS_GOOD = 1.02
"""Regrets this close are equal for practical purposes, and the shorter report wins."""

# No more answers than masks can number.
_MOST_FLAGGED = 1 << 20

LadderFamily = Callable[[int, tuple[float, ...]], Iterable[tuple[str, LevelMechanism]]]
"""Offers level mechanisms for numbers of answers and levels, each with its name; `Ladder` makes a ladder over one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderPrediction:
    """What one whole ladder would do: its regret at each level, sharpest first, and what a row of it takes.

    `report_bits` is what the public sees of a row, `key_bits` the key of the sharpest level. `refused` says why it was
    not considered, empty when it was.

    >>> import sfumato as sf
    >>> for one in sf.ladders.advise_ladder(size=6, epsilons=[2, 1], same_question=True).predictions:
    ...     if one.refused:
    ...         print(one.name, one.refused, round(one.worst, 2), round(one.report_bits, 2), sep=": ")
    binary Hadamard by flips: asks each place another question: 2.46: 1.0
    """

    name: str
    rung: LevelMechanism
    regrets: tuple[float, ...]
    report_bits: float
    key_bits: float
    refused: str = ""

    @property
    def worst(self) -> float:
        """The regret of the worst level."""
        return max(self.regrets)


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderAdvice:
    """The ladder to use, its regret at each level, the reason in words, and every candidate, best first.

    `advise_ladder` returns it.

    >>> import sfumato as sf
    >>> advice = sf.ladders.advise_ladder(size=2, epsilons=[2, 1])
    >>> advice.ladder
    <Ladder over BinaryHadamard, 2 answers, odds 7.38906, 2.71828>
    >>> [round(regret, 2) for regret in advice.regrets], len(advice.predictions)
    ([1.0, 1.0], 2)
    """

    ladder: Ladder
    regrets: tuple[float, ...]
    because: str
    predictions: tuple[LadderPrediction, ...]


def advise_ladder(
    *,
    size: int,
    epsilons: Sequence[float],
    n: int | None = None,
    weights: Sequence[float] | None = None,
    recover: bool = False,
    same_question: bool = False,
    families: Mapping[str, LadderFamily] | None = None,
) -> LadderAdvice:
    """Return the ladder whose worst level loses least; with `weights`, one a level, the least weighted sum counts.

    `recover` asks that a key can give answers back, `same_question` that everybody is asked the same, so that reports
    of any group can be read by themselves. `n` is how many people will answer, if that is known; `families` are what is
    compared, all that there are unless it is said otherwise.

    Returns:
        The ladder, with the regret of each level and everything it was compared with.

    Raises:
        InvalidParameter: no ladder meets the demands.

    >>> import sfumato as sf
    >>> two = sf.ladders.advise_ladder(size=2, epsilons=[2, 1])
    >>> two.because.partition(":")[0], [round(regret, 2) for regret in two.regrets]
    ('binary Hadamard by flips', [1.0, 1.0])
    >>> sf.ladders.advise_ladder(size=2, epsilons=[2, 1], same_question=True).ladder.modulus
    2
    """
    check_at_least("size", check_integer("size", size), 2)
    wanted = descending("epsilons", epsilons)
    for epsilon in wanted:
        check_positive("epsilons", epsilon)
    weighed = _checked_weights(weights, len(wanted))
    judged = [
        _judged(f"{name}, {words}" if words else name, rung, wanted, n, recover=recover, same_question=same_question)
        for name, family in (LADDER_FAMILIES if families is None else families).items()
        for words, rung in family(size, wanted)
    ]
    fitting = [one for one in judged if not one.refused]
    if not fitting:
        reasons = "; ".join(f"{one.name} {one.refused}" for one in judged)
        raise InvalidParameter(
            f"are served by no ladder: {reasons}", parameter="epsilons", value=wanted, way_out="Drop a demand."
        )

    def loss(one: LadderPrediction) -> float:
        return one.worst if weighed is None else math.fsum(w * r for w, r in zip(weighed, one.regrets, strict=True))

    least = min(map(loss, fitting))
    close = [one for one in fitting if loss(one) <= AS_GOOD * least]
    best = min(close, key=lambda one: (one.report_bits, one.key_bits, loss(one)))
    return LadderAdvice(
        ladder=Ladder(best.rung, wanted, recover),
        regrets=best.regrets,
        because=_reason(best, close, fitting, loss, weighed=weighed is not None),
        predictions=tuple(sorted(judged, key=lambda one: (bool(one.refused), loss(one)))),
    )


def regrets(levels: Sequence[LevelMechanism], epsilons: Sequence[float]) -> tuple[float, ...]:
    """Return n·risk·G/(k-1)² of each level at uniform shares, with G of the ε that was asked for: 1 or more."""
    return tuple(
        rung.size
        * rung.share_deviation(1 / rung.size) ** 2
        * float(largest_information(rung.size, odds_above(epsilon)))
        / (rung.size - 1) ** 2
        for rung, epsilon in zip(levels, epsilons, strict=True)
    )


def _judged(
    name: str,
    rung: LevelMechanism,
    epsilons: tuple[float, ...],
    n: int | None,
    *,
    recover: bool,
    same_question: bool,
) -> LadderPrediction:
    odds = [rung.odds_for(epsilon) for epsilon in epsilons]
    reasons = []
    if recover and not rung.recoverable:
        reasons.append("gives no answers back")
    only_together = rung.by_position and not rung.by_number
    if same_question and only_together:
        reasons.append("asks each place another question")
    if n is not None and only_together and n < 2 * rung.size:
        reasons.append("has more questions than people")
    return LadderPrediction(
        name=name,
        rung=rung,
        regrets=regrets(rung.levels(odds), epsilons),
        report_bits=math.log2(rung.modulus),
        key_bits=rung.key_law(odds, 1).entropy_bits().upper if len(odds) > 1 else 0.0,
        refused=" and ".join(reasons),
    )


def _reason(
    best: LadderPrediction,
    close: Sequence[LadderPrediction],
    fitting: Sequence[LadderPrediction],
    loss: Callable[[LadderPrediction], float],
    *,
    weighed: bool,
) -> str:
    which = "weighted over its levels" if weighed else "at its worst level"
    said = (
        f"{best.name}: {which} the squared error is {_up(loss(best))} times the least that an unbiased estimate with "
        f"as much privacy has"
    )
    if len(fitting) == 1:
        return f"{said}; no other ladder meets the demands."
    if len(close) > 1:
        others = ", ".join(one.name for one in close if one is not best)
        return f"{said}, within {AS_GOOD - 1:.0%} of the best, with the shortest reports of those as good ({others})."
    runner_up = min((one for one in fitting if one is not best), key=loss)
    return f"{said}; the next best is {runner_up.name}, with {_up(loss(runner_up))}."


def _up(ratio: float) -> str:
    return f"{math.ceil(ratio * 100 - 1e-9) / 100:.2f}"


def _checked_weights(weights: Sequence[float] | None, levels: int) -> tuple[float, ...] | None:
    if weights is None:
        return None
    found = tuple(float(weight) for weight in weights)
    if len(found) != levels or not all(math.isfinite(w) and w >= 0 for w in found) or not any(found):
        raise InvalidParameter(
            f"must be {levels} numbers, one a level, none negative and not all 0",
            parameter="weights",
            value=found,
            way_out="Leave them out, and the worst level counts.",
        )
    return tuple(weight / sum(found) for weight in found)


def set_of_within(size: int, epsilons: Sequence[float]) -> Iterable[tuple[str, LevelMechanism]]:
    """Offer the set of `Ladder.within`, whose worst noise on the share of an answer that no one has is least."""
    rung = CyclicLevel.serving(size=size, epsilons=epsilons)
    yield f"{rung.modulus} reports", rung


def _on_one_set(size: int, epsilons: Sequence[float]) -> Iterable[tuple[str, LevelMechanism]]:
    """Offer the set of `Ladder.within`, and where another one has less regret that one too."""
    odds = [odds_above(epsilon) for epsilon in epsilons]
    scales = [float(largest_information(size, value)) / (size - 1) ** 2 for value in odds]

    def worst(found: FavouredSet) -> float:
        return max(_uniform_risk(found, size, float(value)) * scale for value, scale in zip(odds, scales, strict=True))

    best = min(candidate_sets(size), key=lambda found: (worst(found), found.modulus))
    rung = CyclicLevel(size=size, odds=Fraction(2), q=best.q, t=best.t, family=best.family)
    offered = dict(set_of_within(size, epsilons))
    yield from offered.items()
    if rung not in offered.values():
        yield f"{rung.modulus} reports", rung


def _uniform_risk(found: FavouredSet, size: int, odds: float) -> float:
    """n·risk at uniform shares of a report that hits x + D."""
    modulus, members, repeats = found.parameters
    total = members * odds + modulus - members
    own, other = members * odds / total, (members + repeats * (odds - 1)) / total
    hit = other + (own - other) / size
    return size * hit * (1 - hit) / (own - other) ** 2


def _of_one_bit(size: int, epsilons: Sequence[float]) -> Iterable[tuple[str, LevelMechanism]]:
    """Offer binary Hadamard, whose steps are flips."""
    del epsilons
    yield "", FlipLevel(size=size, odds=Fraction(2))


def _of_flags(size: int, epsilons: Sequence[float]) -> Iterable[tuple[str, LevelMechanism]]:
    """Offer spaces of masks inside one another, while masks can be counted."""
    if 2 < size <= _MOST_FLAGGED:
        yield "", FlagsLevel.serving(size=size, epsilons=epsilons)


def _of_sets(size: int, epsilons: Sequence[float]) -> Iterable[tuple[str, LevelMechanism]]:
    """Offer sets of answers inside one another, while a word holds a set."""
    if 2 < size <= MOST_RESIDUES:
        yield "", SetsLevel.serving(size=size, epsilons=epsilons)


ONE_SET, FLAGS, SETS = "cyclic response on one difference set", "flags", "sets inside one another"
LADDER_FAMILIES: Mapping[str, LadderFamily] = MappingProxyType(
    {ONE_SET: _on_one_set, "binary Hadamard by flips": _of_one_bit, FLAGS: _of_flags, SETS: _of_sets}
)
"""Families of whole ladders by name. One more family is one more line."""
