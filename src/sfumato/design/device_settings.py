"""Set a classic device to a given guess error, ε, worst posterior or number of respondents.

Each kind has one dial, from 0 (reports say nothing) to 1 (the truth, or the most that the kind can tell). For reports
of two kinds the dial is the total variation between the two rows, so a guesser errs by (1 - dial)/2 and the rest is
linear; Kuk's cards and numbers of respondents are searched for on a grid. A kind that proves answers has no finite ε
at any dial, and that is said.   Ref: [War65], [Yu08], [Man94], [Kuk90]; theory: docs/theory/devices.md
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from sfumato import measures
from sfumato.design.classics import most_truth
from sfumato.design.devices import (
    Device,
    crosswise_device,
    forced_response_device,
    kuk_device,
    mangat_device,
    triangular_device,
    unrelated_question_device,
    warner_device,
)
from sfumato.design.limits import Limits
from sfumato.errors import InvalidParameter, Refused
from sfumato.infer import ShareModel, share_interval
from sfumato.infer.planning import expected_counts
from sfumato.values.checks import as_exact, check_at_least, check_between, check_integer
from sfumato.values.types import Real

_GRID = 10_000
_HALF = Fraction(1, 2)


class DeviceKind(StrEnum):
    """Kinds of device that have one dial.

    >>> import sfumato as sf
    >>> [kind.value for kind in sf.design.DeviceKind]
    ['Warner', 'crosswise', 'forced response', 'unrelated question', 'triangular', 'Mangat', 'Kuk']
    >>> sf.design.device_at(sf.design.DeviceKind.CROSSWISE, guess_error=0.25).parameters
    (('p', Fraction(1, 4)),)
    """

    WARNER = "Warner"
    CROSSWISE = "crosswise"
    FORCED = "forced response"
    UNRELATED = "unrelated question"
    TRIANGULAR = "triangular"
    MANGAT = "Mangat"
    KUK = "Kuk"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Dial:
    """A kind with what else it needs: how often a forced answer is "yes", and how many cards are drawn."""

    kind: DeviceKind
    innocent: Fraction
    draws: int

    def device(self, dial: Fraction) -> Device:
        match self.kind:
            case DeviceKind.WARNER:
                return warner_device((1 + dial) / 2)
            case DeviceKind.CROSSWISE:
                return crosswise_device((1 - dial) / 2)
            case DeviceKind.FORCED:
                yes = (1 - dial) * self.innocent
                return forced_response_device(forced_yes=yes, forced_no=1 - dial - yes)
            case DeviceKind.UNRELATED:
                return unrelated_question_device(dial, prevalence=self.innocent)
            case DeviceKind.TRIANGULAR:
                return triangular_device(1 - dial)
            case DeviceKind.MANGAT:
                return mangat_device(dial)
            case DeviceKind.KUK:
                return kuk_device(red_if_yes=(1 + dial) / 2, red_if_no=(1 - dial) / 2, draws=self.draws)

    @property
    def proves(self) -> bool:
        return self.kind in (DeviceKind.TRIANGULAR, DeviceKind.MANGAT)

    def within_odds(self, yes_odds: Fraction, no_odds: Fraction | None) -> Device:
        """Return the device whose reports favour neither answer by more than its odds; None is no limit."""
        if self.proves:
            return self.device(1 - 1 / yes_odds)
        if self.kind is DeviceKind.KUK:
            # The decks mirror each other, so the most that favours either answer is the same.
            return self.largest(lambda device: measures.odds(device.channel) <= yes_odds)
        even = self.kind in (DeviceKind.WARNER, DeviceKind.CROSSWISE)
        limits = {"yes_odds": yes_odds} if no_odds is None else {"yes_odds": yes_odds, "no_odds": no_odds}
        return self.device(most_truth(_HALF if even else self.innocent, **limits))

    def largest(self, keeps: Callable[[Device], bool]) -> Device:
        """Return the device with the largest dial on the grid that keeps a rule which small dials keep."""
        low, high = 0, _GRID
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if keeps(self.device(Fraction(middle, _GRID))) else (low, middle)
        if low == 0:
            raise InvalidParameter(
                f"cannot be kept by this device at any dial from 1/{_GRID} on",
                parameter="kind",
                value=str(self.kind),
                way_out="Relax the limit, or draw fewer cards.",
            )
        return self.device(Fraction(low, _GRID))


def device_at(
    kind: DeviceKind | str,
    *,
    guess_error: Real | None = None,
    epsilon: float | None = None,
    posterior: Real | None = None,
    respondents: int | None = None,
    share: Real = _HALF,
    half_width: float = 0.05,
    confidence: float = 0.95,
    forced_yes: Real = _HALF,
    draws: int = 2,
) -> Device:
    """Return the device of a kind that tells most within one limit, or least for a number of respondents.

    `posterior` is how likely "yes" may be after the report that speaks most for it, `share` of the people holding it;
    `respondents` must give an interval of ± `half_width` there. `forced_yes` is how often a forced answer, or that to
    the unrelated question, is "yes"; `draws` are Kuk's, whose decks mirror each other. Refs: [Yu08], [Man94], [Kuk90].

    Raises:
        InvalidParameter: none or several things are held, or the device cannot hold this one at any dial.
        Refused: the kind proves answers, so that its ε is infinite whatever its dial.

    >>> import sfumato as sf
    >>> sf.design.device_at("Warner", epsilon=1.0).epsilon_words
    'ε = 1'
    >>> sf.design.device_at("crosswise", posterior=0.3, share=0.1).parameters
    (('p', Fraction(7, 34)),)
    >>> few = sf.design.device_at("Mangat", respondents=1000, share=0.1)
    >>> few.parameters
    (('p', Fraction(3103, 5000)),)
    """
    given = [value for value in (guess_error, epsilon, posterior, respondents) if value is not None]
    if len(given) != 1:
        raise InvalidParameter(
            "one of `guess_error`, `epsilon`, `posterior` and `respondents` is needed, and no more",
            way_out="Hold one thing equal and compare the others.",
        )
    dial = _Dial(kind=_kind(kind), innocent=as_exact("forced_yes", forced_yes), draws=check_integer("draws", draws))
    check_between("forced_yes", dial.innocent, 0, 1)
    if guess_error is not None:
        limits = Limits.of(guess_error=guess_error)
        if dial.kind is DeviceKind.KUK:
            return dial.largest(
                lambda device: measures.weighted_guess_error(device.channel, _HALF) >= limits.guess_error
            )
        return dial.device(limits.delta)
    if epsilon is not None:
        if dial.proves:
            raise Refused(
                "has an infinite ε whatever its dial: one of its reports proves an answer",
                parameter="kind",
                value=str(dial.kind),
                way_out="Hold `guess_error` or `posterior` equal, or take another kind.",
            )
        odds = Fraction(Limits.of(guess_error=Fraction(1, 4), max_epsilon=epsilon).max_odds)
        return dial.within_odds(odds, odds)
    held = as_exact("share", share)
    if not 0 < held < 1:
        raise InvalidParameter(
            "must lie strictly between 0 and 1", parameter="share", value=held, way_out="Give the share you expect."
        )
    if posterior is not None:
        return dial.within_odds(_lift(as_exact("posterior", posterior), held), None)
    check_at_least("respondents", check_integer("respondents", respondents), 1)
    return _fewest(dial, int(respondents or 0), held, half_width, confidence)


def _lift(posterior: Fraction, share: Fraction) -> Fraction:
    if not share < posterior < 1:
        raise InvalidParameter(
            "must lie strictly between `share` and 1: a report that tells anything makes some answer likelier",
            parameter="posterior",
            value=posterior,
            way_out="Raise `posterior`.",
        )
    return posterior * (1 - share) / ((1 - posterior) * share)


def _fewest(dial: _Dial, respondents: int, share: Fraction, half_width: float, confidence: float) -> Device:
    """Return the device with the smallest dial on the grid for which so many are enough."""
    check_between("half_width", half_width, 1e-4, 0.5)

    def is_enough(place: int) -> bool:
        model = ShareModel.of(dial.device(Fraction(place, _GRID)).channel)
        counts = expected_counts(model, float(share), respondents)
        return share_interval(model, counts, confidence=confidence).width <= 2 * half_width

    low, high = 0, _GRID - 1
    if not is_enough(high):
        raise InvalidParameter(
            "are too few for such an interval, even if everybody told the truth",
            parameter="respondents",
            value=respondents,
            way_out="Ask more people, or for a larger `half_width`.",
        )
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return dial.device(Fraction(high, _GRID))


def _kind(kind: DeviceKind | str) -> DeviceKind:
    try:
        return DeviceKind(kind)
    except ValueError:
        raise InvalidParameter(
            "is not known",
            parameter="kind",
            value=kind,
            way_out=f"Choose one of {', '.join(repr(one.value) for one in DeviceKind)}.",
        ) from None
