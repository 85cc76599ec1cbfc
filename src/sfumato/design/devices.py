"""Classic randomised-response designs by what their device does, so that data collected with them can be analysed.

The designs of :mod:`sfumato.design.classics` are set by limits; these are set by the chances of a coin, a die, a deck
of cards or a birthday, as papers report them. Each is an exact channel from answers to reports, and whatever takes a
channel takes theirs. "yes" is the answer that is asked about. Refs: [War65], [Gre69], [Bor71], [Yu08], [Man94],
[Kuk90]; theory: docs/theory/devices.md
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from sfumato import measures
from sfumato.certificates import Certificate, ChannelSubject, certify
from sfumato.certificates.channel_subjects import channel_subject
from sfumato.certificates.registry import subject_of
from sfumato.design.classics import CROSSWISE_REPORTS, diluted_truth
from sfumato.design.surveys import check_answers
from sfumato.errors import InvalidParameter
from sfumato.prob import Channel
from sfumato.prob.alphabet import Label
from sfumato.values.checks import as_exact, check_between, check_integer
from sfumato.values.shown import Shown
from sfumato.values.types import Real, Reals

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
    >>> device = sf.design.crosswise_device(0.15)
    >>> device.epsilon_words
    'ε = 1.735'
    >>> device.certificate["guess_error"].value
    Fraction(3, 20)
    >>> round(sf.infer.estimate_share(device.channel, [1427, 573]).share, 4)
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
    >>> device = sf.design.warner_device(0.75)
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
    >>> device = sf.design.forced_response_device(forced_yes=Fraction(1, 4), forced_no=Fraction(1, 12))
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
    >>> device = sf.design.crosswise_device(0.15)
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
    >>> device = sf.design.triangular_device(0.3)
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
    >>> device = sf.design.mangat_device(0.7)
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
    >>> device = sf.design.kuk_device(red_if_yes=0.8, red_if_no=0.2, draws=2)
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
    >>> device = sf.design.unrelated_question_device(0.7, prevalence=0.25)
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
    >>> device = sf.design.forced_category_device([0.1, 0.1, 0.2], answers=("never", "once", "often"))
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
