"""Cards that respondents can use without a computer, for two answers and for a list.

A card needs a channel whose probabilities are whole numbers of faces. `playable` rounds a finer design to a given
number of faces so that both limits still hold exactly, and keeps as much information as it can.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from sfumato.display.notebooks import Shown, headline, listed
from sfumato.errors import InvalidParameter
from sfumato.numbers.checks import Number, check_between, check_integer
from sfumato.prob.channel import Channel
from sfumato.prob.distribution import Label
from sfumato.surveys.design import AnswerLimits, Limits, SurveyDesign, meets
from sfumato.surveys.lists import ANY, ListedSurvey, checked_answers

# Common devices, by number of equally likely outcomes.
DEVICES = {
    2: "Toss a coin: heads counts as 1, tails as 2.",
    4: "Toss a coin twice: heads-heads counts as 1, heads-tails as 2, tails-heads as 3, tails-tails as 4.",
    6: "Roll a die.",
    8: "Roll an eight-sided die.",
    10: "Roll a ten-sided die (0 counts as 10).",
    12: "Roll a twelve-sided die.",
    20: "Roll a twenty-sided die.",
    36: "Roll a red and a white die: 6 × (red - 1) + white.",
    100: "Roll two ten-sided dice, tens and ones (00 counts as 100).",
    1000: "Roll three ten-sided dice, hundreds, tens and ones (000 counts as 1000).",
}
MOST_FACES = 1_000_000
DEFAULT_FACES = 1000
# How far from its scaled value each count is tried.
_REACH = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class SpinnerCard(Shown):
    """What to do: how to draw a number from 1 to `faces`, and what to report for which numbers.

    `ranges[i]` belongs to `answers[i]` and lists (first number, last number, report).

    >>> import sfumato as sf
    >>> card = sf.surveys.spinner_card(sf.surveys.warner(guess_error=0.25).channel)
    >>> card.faces, card.ranges[0]
    (4, ((1, 3, 'no'), (4, 4, 'yes')))
    >>> for line in card.lines()[1:]:
    ...     print(line)
    If your true answer is “no”: 1 to 3: report “no”; 4: report “yes”.
    If your true answer is “yes”: 1: report “no”; 2 to 4: report “yes”.
    """

    device: str
    faces: int
    answers: tuple[Label, ...]
    ranges: tuple[tuple[tuple[int, int, Label], ...], ...]

    def _view(self) -> str:
        return f"{headline('A card')}{listed(self.lines())}"

    def lines(self) -> tuple[str, ...]:
        """Return the card in words."""
        said = [f"{self.device} Keep the number to yourself."]
        for answer, ranges in zip(self.answers, self.ranges, strict=True):
            rules = "; ".join(f"{_span(first, last)}: report “{report}”" for first, last, report in ranges)
            said.append(f"If your true answer is “{answer}”: {rules}.")
        return tuple(said)


def spinner_card(channel: Channel) -> SpinnerCard:
    """Return the card of an exact channel whose common denominator is small enough to draw by hand or phone.

    Raises:
        InvalidParameter: a respondent would have to draw from more than a million numbers.

    >>> import sfumato as sf
    >>> channel = sf.surveys.forced_response_device(forced_yes=0.2, forced_no=0.1).channel
    >>> for line in sf.surveys.spinner_card(channel).lines():
    ...     print(line)
    Roll a ten-sided die (0 counts as 10). Keep the number to yourself.
    If your true answer is “no”: 1 to 8: report “no”; 9 to 10: report “yes”.
    If your true answer is “yes”: 1: report “no”; 2 to 10: report “yes”.
    """
    _, denominator = channel.integers()
    if denominator > MOST_FACES:
        raise InvalidParameter(
            f"the design needs a draw from 1 to {denominator}, too many to play by hand",
            way_out="Use `playable` with 1000 `faces` first, or let the software draw.",
        )
    size = next((size for size in DEVICES if size % denominator == 0), denominator)
    device = DEVICES.get(size, f"Let your phone draw a random number from 1 to {size}.")
    ranges = []
    for row in channel.to_exact().rows:
        counts = [int(Fraction(p) * size) for p in row]
        ends = list(itertools.accumulate(counts))
        ranges.append(
            tuple(
                (end - count + 1, end, report)
                for count, end, report in zip(counts, ends, channel.outputs, strict=True)
                if count
            )
        )
    return SpinnerCard(device=device, faces=size, answers=channel.inputs, ranges=tuple(ranges))


def playable(design: SurveyDesign, *, faces: int = DEFAULT_FACES, theta: Fraction = Fraction(1, 2)) -> SurveyDesign:
    """Return a design in whole numbers of `faces` that keeps the limits, with the most information near this one.

    Raises:
        InvalidParameter: no whole numbers of so few faces keep the limits.

    >>> import sfumato as sf
    >>> best = sf.surveys.survey(guess_error=0.4, max_epsilon=1.0)
    >>> by_die = sf.surveys.playable(best, faces=20)
    >>> by_die.name, by_die.channel.rows[0]
    ('three outputs, 20 faces', (Fraction(1, 2), Fraction(7, 20), Fraction(3, 20)))
    >>> sf.surveys.meets(by_die.channel, best.limits)
    True
    """
    check_between("faces", check_integer("faces", faces), 2, MOST_FACES)
    rows = design.channel.to_exact().rows
    if all((Fraction(p) * faces).denominator == 1 for row in rows for p in row):
        return design
    first, second = (_near([Fraction(p) for p in row], faces) for row in rows)
    ascending = _by_likelihood_ratio(*rows)
    allowed = (
        (p, q)
        for p, q in itertools.product(first, second)
        if _within(p, q, faces, design.limits) and _keeps_meaning(p, q, ascending)
    )
    best = max(allowed, key=lambda pair: _information(pair[0], pair[1], faces, float(theta)), default=None)
    if best is None:
        raise InvalidParameter(
            "are too few for these limits",
            parameter="faces",
            value=faces,
            way_out="Use more faces, or a design with rounder numbers.",
        )
    channel = Channel(
        [[Fraction(count, faces) for count in row] for row in best], design.channel.inputs, design.channel.outputs
    )
    if not meets(channel, design.limits):
        raise InvalidParameter("cannot keep the limits", parameter="faces", value=faces, way_out="Use more faces.")
    return SurveyDesign(name=f"{design.name}, {faces} faces", channel=channel, limits=design.limits)


def _near(row: list[Fraction], faces: int) -> list[tuple[int, ...]]:
    """Whole counts near a scaled row; the first entry takes up the rest, and zeros stay zeros."""
    free = [[0] if p == 0 else range(max(1, int(p * faces) - _REACH), int(p * faces) + _REACH + 2) for p in row[1:]]
    found = []
    for rest in itertools.product(*free):
        first = faces - sum(rest)
        if first > 0 or (first == 0 and row[0] == 0):
            found.append((first, *rest))
    return found


def _by_likelihood_ratio(first: Sequence[Number], second: Sequence[Number]) -> list[int]:
    """Reports from the one that speaks most for the first answer to the one that speaks most for the second."""
    pairs = [(Fraction(p), Fraction(q)) for p, q in zip(first, second, strict=True)]
    return sorted(range(len(pairs)), key=lambda y: pairs[y][1] / sum(pairs[y]) if any(pairs[y]) else Fraction(1, 2))


def _keeps_meaning(first: tuple[int, ...], second: tuple[int, ...], ascending: list[int]) -> bool:
    """Whether reports still speak for the answers they spoke for: a "yes" must not come to mean no."""
    return all(
        second[y] * first[following] <= second[following] * first[y] for y, following in itertools.pairwise(ascending)
    )


def _within(first: tuple[int, ...], second: tuple[int, ...], faces: int, limits: Limits) -> bool:
    """Both limits in whole numbers."""
    w = limits.weight
    distance = sum(abs((w.denominator - w.numerator) * p - w.numerator * q) for p, q in zip(first, second, strict=True))
    if distance > limits.delta * w.denominator * faces:
        return False
    return limits.max_odds == math.inf or all(
        p <= limits.max_odds * q and q <= limits.max_odds * p for p, q in zip(first, second, strict=True)
    )


def _information(first: tuple[int, ...], second: tuple[int, ...], faces: int, theta: float) -> float:
    return sum(
        (q - p) ** 2 / ((1 - theta) * p + theta * q) / faces for p, q in zip(first, second, strict=True) if p or q
    )


def _span(first: int, last: int) -> str:
    return str(first) if first == last else f"{first} to {last}"


# --- List surveys in whole numbers of faces, and the classic response that they are compared with


# How many faces are given to "any" beyond what the survey says, until both limits hold.
_MOST_GIVEN = 200


def playable_list(design: ListedSurvey, *, faces: int = DEFAULT_FACES) -> ListedSurvey:
    """Return the survey in whole numbers of `faces` that keeps the limits.

    Numbers of faces are rounded down, and what is left says "any". That can make a guess of "any" better by a little;
    then a few more faces are taken from all reports for it.

    Raises:
        InvalidParameter: no whole numbers of so few faces keep the limits.

    >>> import sfumato as sf
    >>> ways = ("train", "car", "on foot")
    >>> best = sf.surveys.listed_survey(ways, guess_error=0.5, shares=[0.2, 0.5, 0.3])
    >>> card = sf.surveys.playable_list(best, faces=100)
    >>> card.name, [str(p) for p in card.channel.rows[0]]
    ('sets, 100 faces', ['4/25', '0', '0', '17/100', '4/25', '0', '51/100'])
    >>> best.limits.kept_by(card.channel)
    True
    """
    check_between("faces", check_integer("faces", faces), 2, MOST_FACES)
    rows = design.channel.to_exact().rows
    if all((Fraction(p) * faces).denominator == 1 for row in rows for p in row):
        return design
    for given in range(_MOST_GIVEN):
        kept = Fraction(max(0, faces - given), faces)
        channel = _rounded_down(design.channel, faces, kept, design.limits.max_odds)
        if channel is not None and design.limits.kept_by(channel):
            # What was proved of the best survey stays proved; this one is a little above it.
            return replace(design, name=f"{design.name}, {faces} faces", channel=channel)
    raise InvalidParameter(
        "are too few for these limits",
        parameter="faces",
        value=faces,
        way_out="Use more faces, or a survey with fewer kinds of report.",
    )


def _rounded_down(channel: Channel, faces: int, kept: Fraction, odds: Number) -> Channel | None:
    """Round each report's faces down, and further where its odds would be too large; None if that hides an answer."""
    columns = list(zip(*channel.to_exact().rows, strict=True))
    named = [(label, column) for label, column in zip(channel.outputs, columns, strict=True) if label != ANY]
    told = []
    for label, column in named:
        counts = [math.floor(kept * faces * Fraction(p)) for p in column]
        if odds != math.inf:
            most = math.floor(Fraction(odds) * min(counts))
            counts = [min(count, most) for count in counts]
        if any(counts):
            told.append((label, counts))
    rest = [faces - sum(counts[x] for _, counts in told) for x in range(channel.shape[0])]
    told += [(ANY, rest)] if any(rest) else []
    found = Channel(
        [[Fraction(counts[x], faces) for _, counts in told] for x in range(channel.shape[0])],
        channel.inputs,
        [label for label, _ in told],
    )
    return found if np.linalg.matrix_rank(found.array) == channel.shape[0] else None


def list_response(answers: Sequence[str], limits: AnswerLimits) -> Channel:
    """Return k-ary randomised response at the limits: the truth as often as they allow, else one of the others.

    A guesser is right with probability Σ_y max(w_y t, max_(x≠y) w_x (1-t)/(k-1)), which is convex in the chance t of
    the truth; the largest t is found to 2^-40, from below.

    >>> import sfumato as sf
    >>> ways = ("train", "car", "on foot")
    >>> limits = sf.surveys.AnswerLimits.of(3, guess_error=0.5)
    >>> sf.surveys.list_response(ways, limits).rows[0]
    (Fraction(1, 2), Fraction(1, 4), Fraction(1, 4))
    """
    labels, size = checked_answers(answers), limits.size

    def made(truth: Fraction) -> Channel:
        other = (1 - truth) / (size - 1)
        return Channel([[truth if x == y else other for y in range(size)] for x in range(size)], labels, labels)

    odds = limits.max_odds
    low = Fraction(1, size)
    high = Fraction(1) if odds == math.inf else Fraction(odds) / (Fraction(odds) + size - 1)
    if limits.even:
        return made(min(high, limits.most_right))
    if limits.kept_by(made(high)):
        return made(high)
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if limits.kept_by(made(middle)) else (low, middle)
    return made(low)
