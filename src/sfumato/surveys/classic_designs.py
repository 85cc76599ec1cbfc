"""Classic randomised-response designs, at given settings or within given limits.

Warner's design, the unrelated question, forced response and the crosswise model have the same form: the truth with
probability t, else "yes" with probability φ. Warner's design and the crosswise model have φ = 1/2. The designs differ
in what respondents do and in how finely t can be set.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from itertools import product

from sfumato import measures
from sfumato.certificates.certificate import Certificate, subject_of
from sfumato.certificates.certifying import certify
from sfumato.certificates.channels import ChannelSubject, channel_subject
from sfumato.display.notebooks import Shown
from sfumato.errors import InvalidParameter, Refused
from sfumato.inference.exact import ShareModel, share_interval
from sfumato.inference.shares import expected_counts
from sfumato.numbers.checks import Number, Real, Reals, as_exact, check_at_least, check_between, check_integer
from sfumato.prob.channel import Channel
from sfumato.prob.distribution import Label
from sfumato.surveys.design import Limits, SurveyDesign, check_answers

CROSSWISE_REPORTS = ("both or neither", "one of the two")
"""What respondents of the crosswise model say; the second speaks for "yes"."""


def warner(
    *,
    guess_error: Real | None = None,
    delta: Real | None = None,
    weight: Real = Fraction(1, 2),
    max_epsilon: float | None = None,
    answers: Sequence[str] = ("no", "yes"),
) -> SurveyDesign:
    """Tell the truth with probability π, the opposite otherwise; π = 1-a = (1+δ)/2 unless ε binds first.

    [C, Table I] prints π = δ for 1-δ here, which does not meet its own constraint.

    >>> import sfumato as sf
    >>> coin = sf.surveys.warner(guess_error=0.25)
    >>> coin.channel.rows[1]
    (Fraction(1, 4), Fraction(3, 4))
    >>> round(float(sf.surveys.warner(guess_error=0.25, max_epsilon=1.0).channel[1, 1]), 4)
    0.7311
    """
    limits = Limits.of(guess_error=guess_error, delta=delta, weight=weight, max_epsilon=max_epsilon)
    labels = check_answers(answers)
    truth = 1 - limits.guess_error
    if limits.max_odds != math.inf:
        odds = Fraction(limits.max_odds)
        truth = min(truth, odds / (1 + odds))
    channel = Channel([[truth, 1 - truth], [1 - truth, truth]], labels, labels)
    return SurveyDesign(name="Warner", channel=channel, limits=limits)


def unrelated_question(
    *,
    guess_error: Real | None = None,
    delta: Real | None = None,
    weight: Real = Fraction(1, 2),
    eta: Real = Fraction(1, 2),
    max_epsilon: float | None = None,
    answers: Sequence[str] = ("no", "yes"),
) -> SurveyDesign:
    """Answer the sensitive question with probability π, else an innocent one to which a share `eta` says yes.

    Both limits are linear in π on each sign pattern of the l1 norm, so the largest π is the least of a few ratios.

    >>> import sfumato as sf
    >>> asked = sf.surveys.unrelated_question(guess_error=0.3, eta=0.25)
    >>> asked.channel.rows
    ((Fraction(17, 20), Fraction(3, 20)), (Fraction(9, 20), Fraction(11, 20)))
    >>> round(sf.measures.epsilon(asked.channel), 3)
    1.299
    """
    limits = Limits.of(guess_error=guess_error, delta=delta, weight=weight, max_epsilon=max_epsilon)
    innocent = as_exact("eta", eta)
    check_between("eta", innocent, 0, 1)
    asked = min([Fraction(1), *_ceilings(limits, innocent)])
    return SurveyDesign(name="unrelated question", channel=diluted_truth(asked, innocent, answers), limits=limits)


def forced_response(
    *,
    guess_error: Real | None = None,
    delta: Real | None = None,
    weight: Real = Fraction(1, 2),
    forced_yes: Real = Fraction(1, 2),
    max_epsilon: float | None = None,
    answers: Sequence[str] = ("no", "yes"),
) -> SurveyDesign:
    """Answer truly with some probability, else say what a die says: `forced_yes` is how often that is "yes" [Bor71].

    With the sum of two dice, 2 to 4 for a forced "yes" and 11 or 12 for a forced "no" make it 2/3.

    >>> import sfumato as sf
    >>> from fractions import Fraction
    >>> by_dice = sf.surveys.forced_response(guess_error=0.3, forced_yes=Fraction(2, 3))
    >>> by_dice.channel.rows
    ((Fraction(3, 5), Fraction(2, 5)), (Fraction(1, 5), Fraction(4, 5)))
    >>> by_dice.fisher_information(Fraction(1, 10))
    Fraction(50, 77)
    """
    limits = Limits.of(guess_error=guess_error, delta=delta, weight=weight, max_epsilon=max_epsilon)
    forced = as_exact("forced_yes", forced_yes)
    check_between("forced_yes", forced, 0, 1)
    asked = min([Fraction(1), *_ceilings(limits, forced)])
    return SurveyDesign(name="forced response", channel=diluted_truth(asked, forced, answers), limits=limits)


def crosswise(
    *,
    guess_error: Real | None = None,
    delta: Real | None = None,
    weight: Real = Fraction(1, 2),
    days: int = 365,
    max_epsilon: float | None = None,
    answers: Sequence[str] = ("no", "yes"),
) -> SurveyDesign:
    """Say whether two statements are both true or both false: the sensitive one, and a birthday in part of the year.

    The part is the fewest whole `days` of the year that keep the limits. It is Warner's coin with the birthday for a
    coin, so that nobody carries one and nobody lies in words [Yu08].

    >>> import sfumato as sf
    >>> birthday = sf.surveys.crosswise(guess_error=0.25)
    >>> birthday.channel.outputs
    ('both or neither', 'one of the two')
    >>> birthday.channel[0, 1]
    Fraction(92, 365)
    """
    check_at_least("days", check_integer("days", days), 2)
    coin = warner(guess_error=guess_error, delta=delta, weight=weight, max_epsilon=max_epsilon, answers=answers)
    return SurveyDesign(
        name="crosswise",
        channel=crosswise_channel(Fraction(coin.channel[0, 1]), days, answers),
        limits=coin.limits,
    )


def crosswise_channel(least: Fraction, days: int = 365, answers: Sequence[str] = ("no", "yes")) -> Channel:
    """Return the crosswise model whose birthday has the fewest days that are at least a part `least` of the year.

    >>> import sfumato as sf
    >>> from fractions import Fraction
    >>> channel = sf.surveys.crosswise_channel(Fraction(1, 4))
    >>> channel[0, 1], float(sf.measures.guess_error(channel, [0.5, 0.5])) >= 0.25
    (Fraction(92, 365), True)
    """
    labels = check_answers(answers)
    born = min(Fraction(math.ceil(least * days), days), Fraction(1, 2))
    return Channel([[1 - born, born], [born, 1 - born]], labels, CROSSWISE_REPORTS)


def diluted_truth(truth: Fraction, forced_yes: Fraction, answers: Sequence[str] = ("no", "yes")) -> Channel:
    """Return the channel that tells the truth with probability `truth`, else "yes" with probability `forced_yes`.

    >>> import sfumato as sf
    >>> from fractions import Fraction
    >>> channel = sf.surveys.diluted_truth(Fraction(3, 4), Fraction(1, 3))
    >>> channel.rows
    ((Fraction(11, 12), Fraction(1, 12)), (Fraction(1, 6), Fraction(5, 6)))
    """
    labels = check_answers(answers)
    yes_if_no = (1 - truth) * forced_yes
    yes_if_yes = truth + yes_if_no
    return Channel([[1 - yes_if_no, yes_if_no], [1 - yes_if_yes, yes_if_yes]], labels, labels)


def most_truth(forced_yes: Fraction, *, yes_odds: Number, no_odds: Number = math.inf) -> Fraction:
    """Return the largest probability of the truth at which no report favours "yes", or "no", by more than its odds.

    t + (1-t)φ ≤ o·(1-t)φ for "yes", and the same with 1-φ for "no": both are linear in t.

    >>> import sfumato as sf
    >>> from fractions import Fraction
    >>> truth = sf.surveys.most_truth(Fraction(1, 2), yes_odds=3)
    >>> truth, sf.measures.odds(sf.surveys.diluted_truth(truth, Fraction(1, 2)))
    (Fraction(1, 2), Fraction(3, 1))
    """
    found = Fraction(1)
    for odds, forced in ((yes_odds, forced_yes), (no_odds, 1 - forced_yes)):
        if odds != math.inf:
            room = forced * (Fraction(odds) - 1)
            found = min(found, room / (1 + room))
    return found


def _ceilings(limits: Limits, eta: Fraction) -> list[Fraction]:
    """Every upper bound on π: intercept + slope·π ≤ bound, for the slopes that are positive."""
    w = limits.weight
    # Entries as (value at π = 0, slope): chance of no and of yes under either truth.
    no_if_no, yes_if_no = (1 - eta, eta), (eta, -eta)
    no_if_yes, yes_if_yes = (1 - eta, eta - 1), (eta, 1 - eta)
    lines: list[tuple[Fraction, Fraction, Fraction]] = []
    for sign_no, sign_yes in product((1, -1), repeat=2):
        intercept, slope = (
            sign_no * ((1 - w) * no_if_no[i] - w * no_if_yes[i])
            + sign_yes * ((1 - w) * yes_if_no[i] - w * yes_if_yes[i])
            for i in (0, 1)
        )
        lines.append((intercept, slope, limits.delta))
    if limits.max_odds != math.inf:
        o = Fraction(limits.max_odds)
        for favoured, other in ((yes_if_yes, yes_if_no), (no_if_no, no_if_yes)):
            lines.append((favoured[0] - o * other[0], favoured[1] - o * other[1], Fraction(0)))
    # no_if_no = 1 - yes_if_no: at π = 0 both truths share one law.
    return [max(Fraction(0), (bound - intercept) / slope) for intercept, slope, bound in lines if slope > 0]


# --- Classic designs at given settings of their device, as papers report them
# Each is an exact channel from answers to reports, at the chances of a coin, a die, a deck of cards or a birthday.
# "yes" is the answer to the sensitive question.
# Refs: [War65], [Gre69], [Bor71], [Yu08], [Man94], [Kuk90]; theory: docs/theory/devices.md


TRIANGULAR_REPORTS = ("neither", "at least one")
"""What respondents of the triangular model say; the first proves a "no"."""
MOST_DRAWS = 200
"""Cards that one respondent draws at most."""

_HALF = Fraction(1, 2)
_YES_NO = ("no", "yes")


@dataclass(frozen=True, slots=True, kw_only=True)
class Device(Shown):
    """A classic design: its channel, and the chances that make it, by name.

    Reports that were collected with it are analysed by whatever takes its channel.

    >>> import sfumato as sf
    >>> device = sf.surveys.crosswise_device(0.15)
    >>> device.epsilon_words
    'ε = 1.735'
    >>> device.certificate["guess_error"].value
    Fraction(3, 20)
    >>> round(sf.inference.estimate_share(device.channel, [1427, 573]).share, 4)
    0.195
    """

    name: str
    channel: Channel
    parameters: tuple[tuple[str, Fraction], ...]

    @property
    def certificate(self) -> Certificate:
        """Every measure of the channel, all answers being equally likely before the report."""
        return certify(self)

    @property
    def proving_reports(self) -> tuple[Label, ...]:
        """Reports that only one answer can give: they prove it, and ε is infinite."""
        rows = self.channel.rows
        return tuple(
            label for place, label in enumerate(self.channel.outputs) if sum(row[place] > 0 for row in rows) == 1
        )

    @property
    def epsilon_words(self) -> str:
        """Return ε, or say which reports make it infinite."""
        found = measures.epsilon(self.channel)
        if math.isfinite(found):
            return f"ε = {found:.4g}"
        proving = ", ".join(f"“{label}”" for label in self.proving_reports)
        if proving:
            return f"ε is infinite: the report {proving} proves an answer"
        return "ε is infinite: some report rules an answer out"


@subject_of.register
def _device_subject(thing: Device) -> ChannelSubject:
    return channel_subject(thing.channel)


def warner_device(p: Real, *, answers: Sequence[str] = _YES_NO) -> Device:
    """With probability `p` respondents answer whether they hold the second answer, else whether they do not [War65].

    >>> import sfumato as sf
    >>> device = sf.surveys.warner_device(0.75)
    >>> device.channel.rows[0], device.epsilon_words
    ((Fraction(3, 4), Fraction(1, 4)), 'ε = 1.099')
    """
    chance = _chance("p", p)
    _refuse_half("p", chance)
    labels = check_answers(answers)
    channel = Channel([[chance, 1 - chance], [1 - chance, chance]], labels, labels)
    return Device(name="Warner", channel=channel, parameters=(("p", chance),))


def forced_response_device(*, forced_yes: Real, forced_no: Real, answers: Sequence[str] = _YES_NO) -> Device:
    """Say "yes" with probability `forced_yes`, "no" with `forced_no`, whatever is true, else the truth [Bor71].

    >>> import sfumato as sf
    >>> from fractions import Fraction
    >>> device = sf.surveys.forced_response_device(forced_yes=Fraction(1, 4), forced_no=Fraction(1, 12))
    >>> device.channel.rows
    ((Fraction(3, 4), Fraction(1, 4)), (Fraction(1, 12), Fraction(11, 12)))
    >>> device.epsilon_words
    'ε = 2.197'
    """
    yes, no = _chance("forced_yes", forced_yes), _chance("forced_no", forced_no)
    truth = 1 - yes - no
    if truth <= 0:
        raise InvalidParameter(
            "and `forced_no` must leave room for true answers: their sum must be below 1",
            parameter="forced_yes",
            value=yes,
            way_out="Check that each is a share of all draws, and not of those that force an answer.",
        )
    labels = check_answers(answers)
    channel = Channel([[1 - yes, yes], [no, 1 - no]], labels, labels)
    return Device(name="forced response", channel=channel, parameters=(("forced_yes", yes), ("forced_no", no)))


def crosswise_device(p: Real, *, answers: Sequence[str] = _YES_NO) -> Device:
    """Say whether two statements are both true or both false; the innocent one is true of a share `p` [Yu08].

    >>> import sfumato as sf
    >>> device = sf.surveys.crosswise_device(0.15)
    >>> device.channel.outputs, device.channel.rows[1]
    (('both or neither', 'one of the two'), (Fraction(3, 20), Fraction(17, 20)))
    """
    chance = _chance("p", p)
    _refuse_half("p", chance)
    labels = check_answers(answers)
    channel = Channel([[1 - chance, chance], [chance, 1 - chance]], labels, CROSSWISE_REPORTS)
    return Device(name="crosswise", channel=channel, parameters=(("p", chance),))


def triangular_device(p: Real, *, answers: Sequence[str] = _YES_NO) -> Device:
    """Say whether neither statement is true, or at least one; the innocent one is true of a share `p` [Yu08].

    "neither" proves that the sensitive one is not true.

    >>> import sfumato as sf
    >>> device = sf.surveys.triangular_device(0.3)
    >>> device.channel.rows, device.proving_reports
    (((Fraction(7, 10), Fraction(3, 10)), (Fraction(0, 1), Fraction(1, 1))), ('neither',))
    >>> device.epsilon_words
    'ε is infinite: the report “neither” proves an answer'
    """
    chance = _chance("p", p)
    if chance == 1:
        raise InvalidParameter(
            "must be below 1: at 1 everybody says “at least one”, whatever is true",
            parameter="p",
            value=chance,
            way_out="Give the share of whom the innocent statement is true.",
        )
    channel = Channel([[1 - chance, chance], [0, 1]], check_answers(answers), TRIANGULAR_REPORTS)
    return Device(name="triangular", channel=channel, parameters=(("p", chance),))


def mangat_device(p: Real, *, answers: Sequence[str] = _YES_NO) -> Device:
    """Who holds the second answer says so; who does not uses Warner's device, true with probability `p` [Man94].

    A "no" proves that answer.

    >>> import sfumato as sf
    >>> device = sf.surveys.mangat_device(0.7)
    >>> device.channel.rows, device.proving_reports
    (((Fraction(7, 10), Fraction(3, 10)), (Fraction(0, 1), Fraction(1, 1))), ('no',))
    """
    chance = _chance("p", p)
    _refuse_zero("p", chance)
    labels = check_answers(answers)
    channel = Channel([[chance, 1 - chance], [0, 1]], labels, labels)
    return Device(name="Mangat", channel=channel, parameters=(("p", chance),))


def kuk_device(*, red_if_yes: Real, red_if_no: Real, draws: int = 1, answers: Sequence[str] = _YES_NO) -> Device:
    """Report how many of `draws` cards are red, drawn with replacement from the deck of the answer [Kuk90].

    The decks have shares `red_if_yes` and `red_if_no` of red cards.

    >>> import sfumato as sf
    >>> device = sf.surveys.kuk_device(red_if_yes=0.8, red_if_no=0.2, draws=2)
    >>> device.channel.outputs, [float(p) for p in device.channel.rows[1]]
    ((0, 1, 2), [0.04, 0.32, 0.64])
    >>> device.epsilon_words
    'ε = 2.773'
    """
    yes, no = _chance("red_if_yes", red_if_yes), _chance("red_if_no", red_if_no)
    if yes == no:
        raise InvalidParameter(
            "is that of the other deck, so that reports say nothing about the answer",
            parameter="red_if_yes",
            value=yes,
            way_out="Give the two decks as they were.",
        )
    count = check_integer("draws", draws)
    check_between("draws", count, 1, MOST_DRAWS)
    rows = [[math.comb(count, i) * red**i * (1 - red) ** (count - i) for i in range(count + 1)] for red in (no, yes)]
    channel = Channel(rows, check_answers(answers), tuple(range(count + 1)))
    parameters = (("red_if_yes", yes), ("red_if_no", no), ("draws", Fraction(count)))
    return Device(name="Kuk", channel=channel, parameters=parameters)


def unrelated_question_device(p: Real, *, prevalence: Real, answers: Sequence[str] = _YES_NO) -> Device:
    """Answer the sensitive question with probability `p`, else an innocent one that a share affirms [Gre69].

    Where that share, `prevalence`, is not known, two groups find it out: `unrelated_question_groups`.

    >>> import sfumato as sf
    >>> device = sf.surveys.unrelated_question_device(0.7, prevalence=0.25)
    >>> device.channel.rows
    ((Fraction(37, 40), Fraction(3, 40)), (Fraction(9, 40), Fraction(31, 40)))
    >>> device.epsilon_words
    'ε = 2.335'
    """
    chance, innocent = _chance("p", p), _chance("prevalence", prevalence)
    _refuse_zero("p", chance)
    channel = diluted_truth(chance, innocent, answers)
    return Device(name="unrelated question", channel=channel, parameters=(("p", chance), ("prevalence", innocent)))


def forced_category_device(forced: Reals, *, answers: Sequence[Label] | None = None) -> Device:
    """Say what a die says, each of several answers with its probability in `forced`, else the truth [Bor71].

    What is left of 1 is the probability of the truth; `answers` are numbered where they have no names.

    >>> import sfumato as sf
    >>> device = sf.surveys.forced_category_device([0.1, 0.1, 0.2], answers=("never", "once", "often"))
    >>> [float(p) for p in device.channel.rows[0]]
    [0.7, 0.1, 0.2]
    >>> device.epsilon_words
    'ε = 1.946'
    """
    chances = [_chance(f"forced[{i}]", one) for i, one in enumerate(forced)]
    truth = 1 - sum(chances, Fraction(0))
    if len(chances) < 2 or truth <= 0:
        raise InvalidParameter(
            "must be the chances of at least two answers, and their sum below 1",
            parameter="forced",
            way_out="Give one for each answer; what is left of 1 is how often the truth is told.",
        )
    rows = [[one + (truth if x == y else 0) for y, one in enumerate(chances)] for x in range(len(chances))]
    parameters = tuple((f"forced[{i}]", one) for i, one in enumerate(chances))
    return Device(name="forced categories", channel=Channel(rows, answers, answers), parameters=parameters)


def _chance(name: str, value: Real) -> Fraction:
    chance = as_exact(name, value)
    check_between(name, chance, 0, 1, way_out="It is a probability.")
    return chance


def _refuse_half(name: str, chance: Fraction) -> None:
    if chance == _HALF:
        raise InvalidParameter(
            "says nothing: at 1/2 either answer gives each report equally often",
            parameter=name,
            value=chance,
            way_out="Give the chance that the device really had; no data of such a device say anything.",
        )


def _refuse_zero(name: str, chance: Fraction) -> None:
    if chance == 0:
        raise InvalidParameter(
            "says nothing: at 0 no report depends on the answer",
            parameter=name,
            value=chance,
            way_out="Give the chance that the device really had.",
        )


# --- Classic devices for a given guess error, ε, worst posterior or number of respondents
# Each kind has one setting from 0 (reports carry no information) to 1 (the truth, or the most that the kind can
# reveal). With two reports the setting is the total variation between the two rows, so a guesser errs by (1 -
# setting)/2. Kuk's cards and numbers of respondents are searched for on a grid. A kind that proves answers has no
# finite ε; the error says so.
# Ref: [War65], [Yu08], [Man94], [Kuk90]; theory: docs/theory/devices.md


_GRID = 10_000


class DeviceKind(StrEnum):
    """Kinds of device that have one dial.

    >>> import sfumato as sf
    >>> from sfumato.surveys.classic_designs import DeviceKind
    >>> [kind.value for kind in DeviceKind]
    ['Warner', 'crosswise', 'forced response', 'unrelated question', 'triangular', 'Mangat', 'Kuk']
    >>> sf.surveys.device_at(DeviceKind.CROSSWISE, guess_error=0.25).parameters
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
    """Return the device of a kind that reveals most within one limit, or least for a number of respondents.

    `posterior` is how likely "yes" may be after the report that speaks most for it, `share` of the people holding it;
    `respondents` must give an interval of ± `half_width` there. `forced_yes` is how often a forced answer, or that to
    the unrelated question, is "yes"; `draws` are Kuk's, whose decks mirror each other. Refs: [Yu08], [Man94], [Kuk90].

    Raises:
        InvalidParameter: none or several things are held, or the device cannot hold this one at any dial.
        Refused: the kind proves answers, so that its ε is infinite whatever its dial.

    >>> import sfumato as sf
    >>> sf.surveys.device_at("Warner", epsilon=1.0).epsilon_words
    'ε = 1'
    >>> sf.surveys.device_at("crosswise", posterior=0.3, share=0.1).parameters
    (('p', Fraction(7, 34)),)
    >>> few = sf.surveys.device_at("Mangat", respondents=1000, share=0.1)
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
