"""Respondents who do not follow the instructions: estimated where the design tells, bounded where it does not.

Of a design in groups (:mod:`sfumato.infer.group_models`) the unknowns are estimated. Of a single channel nothing can be
said about who followed it: every law of reports that it explains it explains without anybody who did not. Then how far
the share could be off is a band, for a stated share of such people.

Random answering is tested exactly: by a binomial count where the reports of a question are known in advance (an
anchor), and by Fisher's exact test [Fis35] where two groups should report the same, or the reverse of each other.
Theory: docs/theory/compliance.md
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from sfumato.errors import InvalidParameter, Refused
from sfumato.infer.group_fits import Divisor, GroupEstimate, fit_groups
from sfumato.infer.group_models import GroupCounts, GroupModel
from sfumato.infer.shares import Counts, estimate_share, sensitivity_band
from sfumato.infer.tails import binomial_tail
from sfumato.prob import Channel
from sfumato.prob.alphabet import Label
from sfumato.values import Interval
from sfumato.values.checks import as_exact, check_at_least, check_between, check_integer
from sfumato.values.types import Real

# Probabilities that differ by less, relatively, are ties of the same table.
_TIE = 1e-7


@dataclass(frozen=True, slots=True, kw_only=True)
class ComplianceAnswer:
    """What is known of the share although some may not follow: an estimate, or a band for a stated share of them.

    >>> import sfumato as sf
    >>> coin = sf.design.warner_device(0.75).channel
    >>> found = sf.infer.allow_for_noncompliance(coin, [600, 400], ignoring=0.1)
    >>> print(found.estimate, round(found.band.lower, 3), round(found.band.upper, 3))
    None 0.167 0.389
    >>> found.because
    'One channel cannot tell who followed it; the band holds whatever the stated share reports.'
    """

    estimate: GroupEstimate | None
    band: Interval | None
    because: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweringTest:
    """How probable what was seen, or what speaks more against it, is: if all follow, and if all answer at random.

    `following` is the share who follow, with its interval, where the design has an anchor that tells it.

    >>> import sfumato as sf
    >>> found = sf.infer.anchor_test(700, 1000, chance=0.75)
    >>> round(found.following, 2), round(found.interval.lower, 2), round(found.interval.upper, 2)
    (0.8, 0.69, 0.91)
    >>> found.if_all_follow < 0.001, found.if_all_at_random < 0.001  # neither all follow, nor does nobody
    (True, True)
    """

    if_all_follow: float
    if_all_at_random: float
    method: str
    following: float | None = None
    interval: Interval | None = None


def allow_for_noncompliance(
    design: GroupModel | Channel,
    counts: Counts | Sequence[GroupCounts] | Mapping[Label, GroupCounts],
    *,
    ignoring: float | None = None,
    confidence: float = 0.95,
    divisor: Divisor | str = Divisor.REPORTS,
) -> ComplianceAnswer:
    """Estimate the share together with who does not follow, or say how far they could move it.

    A design in groups is fitted. Of a single channel, which cannot tell, `ignoring` states the share of those who
    report anything at all, and the answer is a band.

    Raises:
        Refused: a single channel comes without `ignoring`, or the groups do not determine the unknowns.

    >>> import sfumato as sf
    >>> device = sf.design.cheating_detection_groups([0.25, 0.75])
    >>> found = sf.infer.allow_for_noncompliance(device.model, [[660, 340], [300, 700]])
    >>> [(one.name, round(one.value, 3)) for one in found.estimate.unknowns]
    [('share', 0.16), ('cheating', 0.12)]
    >>> coin = sf.design.warner_device(0.75).channel  # of a single channel only a band is known
    >>> band = sf.infer.allow_for_noncompliance(coin, [600, 400], ignoring=0.1).band
    >>> round(band.lower, 3), round(band.upper, 3)
    (0.167, 0.389)
    """
    if isinstance(design, GroupModel):
        if ignoring is not None:
            raise InvalidParameter(
                "is estimated by this design and need not be stated", parameter="ignoring", way_out="Leave it out."
            )
        found = fit_groups(design, counts, confidence=confidence, divisor=divisor)  # type: ignore[arg-type]
        names = ", ".join(unknown.name for unknown in found.unknowns)
        return ComplianceAnswer(estimate=found, band=None, because=f"The reports of the groups determine {names}.")
    if ignoring is None:
        raise Refused(
            "cannot tell who followed its instructions: whatever mixture of others is in the reports, some share "
            "explains them without it",
            parameter="design",
            way_out="State `ignoring`, the share who may report anything, or ask in two groups or with an anchor.",
        )
    band = sensitivity_band(design, counts, ignoring=ignoring)  # type: ignore[arg-type]
    return ComplianceAnswer(
        estimate=None,
        band=band,
        because="One channel cannot tell who followed it; the band holds whatever the stated share reports.",
    )


def anchor_test(
    reports: int, total: int, *, chance: Real, random: Real = Fraction(1, 2), confidence: float = 0.95
) -> AnsweringTest:
    """Test random answering by a question whose reports are known: all who follow give one with probability `chance`.

    `reports` of `total` gave it; who answers at random gives it with probability `random`. Both tests are exact and
    one-sided, each towards the other, and the share who follow has an exact interval [FC98]. Ref: [Ats21]

    Raises:
        Refused: those who answer at random give the report just as often.

    >>> import sfumato as sf
    >>> found = sf.infer.anchor_test(740, 1000, chance=0.75)  # 3/4 of those who follow give the report
    >>> round(found.if_all_follow, 3), round(found.following, 2)
    (0.243, 0.96)
    """
    seen, people = check_integer("reports", reports), check_integer("total", total)
    check_at_least("total", people, 1)
    check_between("reports", seen, 0, people)
    follow, guess = as_exact("chance", chance), as_exact("random", random)
    check_between("chance", follow, 0, 1)
    check_between("random", guess, 0, 1)
    if follow == guess:
        raise Refused(
            "is how often those give it who answer at random, so that this question tells nothing about them",
            parameter="chance",
            value=follow,
            way_out="Use an anchor whose report is likelier, or less likely, for those who follow.",
        )
    rises = follow > guess
    channel = Channel([[1 - guess, guess], [1 - follow, follow]])
    found = estimate_share(channel, [people - seen, seen], confidence=confidence)
    return AnsweringTest(
        if_all_follow=binomial_tail(seen, people, float(follow), upper=not rises),
        if_all_at_random=binomial_tail(seen, people, float(guess), upper=rises),
        method="exact binomial",
        following=found.share,
        interval=found.interval,
    )


def mirror_test(first: tuple[int, int], second: tuple[int, int]) -> AnsweringTest:
    """Test random answering by two groups whose devices mirror each other, p and 1 - p: the extended crosswise [Hec18].

    `first` and `second` are the counts of the two reports. If all follow, the second group reports the reverse of the
    first; if all ignore the device, and only then for every share but one half, both report the same. Both are
    Fisher's exact tests.

    >>> import sfumato as sf
    >>> found = sf.infer.mirror_test((300, 200), (210, 290))
    >>> round(found.if_all_follow, 3), found.if_all_at_random < 1e-6
    (0.563, True)
    >>> found.method
    "Fisher's exact test"
    """
    (a, b), (c, d) = _two_counts("first", first), _two_counts("second", second)
    return AnsweringTest(
        if_all_follow=_fisher(a, b, d, c),
        if_all_at_random=_fisher(a, b, c, d),
        method="Fisher's exact test",
    )


def _two_counts(name: str, counts: tuple[int, int]) -> tuple[int, ...]:
    found = tuple(check_integer(name, count) for count in counts)
    if len(found) != 2 or min(found) < 0 or not sum(found):
        raise InvalidParameter(
            "must be two whole numbers from 0 on, and not both 0",
            parameter=name,
            way_out="Count the two reports of the group.",
        )
    return found


def _fisher(a: int, b: int, c: int, d: int) -> float:
    """Two-sided: tables with the same margins that are no likelier than this one."""
    first, second, hits = a + b, c + d, a + c
    least, most = max(0, hits - second), min(first, hits)

    def log_chance(x: int) -> float:
        return _log_choose(first, x) + _log_choose(second, hits - x)

    logs = [log_chance(x) for x in range(least, most + 1)]
    top = max(logs)
    bar = log_chance(a) + _TIE
    total = math.fsum(math.exp(one - top) for one in logs)
    return min(1.0, math.fsum(math.exp(one - top) for one in logs if one <= bar) / total)


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
