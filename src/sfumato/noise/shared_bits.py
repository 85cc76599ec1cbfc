"""Normal noise for beliefs that share at most a number of bits: its bounds, calibration and certificates.

Theory: docs/theory/bounded_beliefs.md
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction

import msgspec

from sfumato.certificates.certificate import Kind, Stated, register, subject_of
from sfumato.certificates.claims import Claim, Relation, Status, bound_claim, exact_claim, publish, settle
from sfumato.display.text import at_most, fraction_text
from sfumato.errors import ClaimRefused
from sfumato.measures.beliefs import (
    INTERVAL,
    MOST_RECORDS,
    MOST_SHARED_BITS,
    Ball,
    believed_bits,
    people_bits,
    split_bits,
)
from sfumato.numbers.exact import read_fraction
from sfumato.numbers.intervals import Interval

HISTOGRAM = "histogram"
NUMBERS = ("sum", "mean", "count")
STATISTICS = (*NUMBERS, HISTOGRAM)
MOST_DIMENSION = 10**6
# The least noise against what one record moves, and the least part that is left for the others.
_LEAST_DEVIATION, _LEAST_REST = Fraction(1, 1000), Fraction(1, 10**9)
# Deviations of neighbouring assumptions have four digits; one smaller by this factor is not enough.
_HAIR = 1 - Fraction(1, 500)
_ROOM = Fraction(3, 10**12)


@dataclass(frozen=True, slots=True, kw_only=True)
class BeliefSubject:
    """The sum, mean or count of `records` numbers in [low, high] plus normal noise, rounded to multiples of `grid`.

    Or `dimension` counts of a histogram. `people` are in a household at most; `deviation` is that of the noise on each
    released number, `own_share` the share of its variance that guards a household by itself. With a deviation of
    `independent_deviation` or `anyone_deviation` the neighbouring assumptions would tell no more.

    >>> import sfumato as sf
    >>> subject = sf.noise.believed_count(1000, budget_bits=0.1, shared_bits=5).subject
    >>> subject.statistic, subject.records, subject.people, subject.grid
    ('count', 1000, 1, Fraction(1, 1))
    >>> round(float(subject.deviation), 1), float(subject.independent_deviation), float(subject.anyone_deviation)
    (112.5, 1.297, 1297.0)
    """

    statistic: str
    low: Fraction
    high: Fraction
    records: int
    shared_bits: Fraction
    deviation: Fraction
    grid: Fraction
    own_share: Fraction
    independent_deviation: Fraction
    anyone_deviation: Fraction
    people: int = 1
    dimension: int = 1

    @property
    def squared_reach(self) -> Fraction:
        """How far one record can move what is released, squared."""
        return squared_reach(self.statistic, self.low, self.high, self.records)

    @property
    def ball(self) -> Ball:
        """Where one record can move it."""
        return ball_of(self.statistic, self.dimension)

    @property
    def ratio(self) -> Fraction:
        """Δ²/σ²."""
        return self.squared_reach / self.deviation**2


def squared_reach(statistic: str, low: Fraction, high: Fraction, records: int) -> Fraction:
    """Δ²: two cells of a histogram are √2 apart."""
    if statistic == HISTOGRAM:
        return Fraction(2)
    return ((high - low) / (records if statistic == "mean" else 1)) ** 2


def ball_of(statistic: str, dimension: int) -> Ball:
    """Where one record can move a statistic."""
    return Ball.of_cells(dimension) if statistic == HISTOGRAM else INTERVAL


def believed_interval(subject: BeliefSubject) -> Interval:
    """Theorem 1, at the division of the subject."""
    return split_bits(
        subject.records,
        subject.shared_bits,
        subject.ratio,
        subject.own_share,
        people=subject.people,
        ball=subject.ball,
    )


def _people_interval(subject: BeliefSubject, people: int, deviation: Fraction) -> Interval:
    return people_bits(people, subject.squared_reach / deviation**2, ball=subject.ball)


def bits_of(subject: BeliefSubject) -> tuple[Interval, ...]:
    """By Theorem 1, for independent households, and against anyone."""
    return (
        believed_interval(subject),
        _people_interval(subject, subject.people, subject.deviation),
        _people_interval(subject, subject.records, subject.deviation),
    )


def check_neighbours(subject: BeliefSubject) -> None:
    """Refuse a deviation for a neighbouring assumption that is not enough, or much more than that."""
    told = believed_interval(subject)
    for name, people in (("independent_deviation", subject.people), ("anyone_deviation", subject.records)):
        deviation = getattr(subject, name)
        if _people_interval(subject, people, deviation).upper > Fraction(told.upper) + _ROOM:
            raise ClaimRefused(f"{name}: so little noise would tell more")
        if _people_interval(subject, people, deviation * _HAIR).upper <= told.lower:
            raise ClaimRefused(f"{name}: less noise would be enough")


def check_subject(subject: BeliefSubject) -> None:
    """Refuse numbers that no file of ours has."""
    if subject.statistic not in STATISTICS or not 1 <= subject.records <= MOST_RECORDS:
        raise ValueError("the statistic or the number of records cannot be")
    least = 2 if subject.statistic == HISTOGRAM else 1
    most = 1 if subject.statistic in NUMBERS else MOST_DIMENSION
    if not 1 <= subject.people <= subject.records or not least <= subject.dimension <= most:
        raise ValueError("the households or the dimension cannot be")
    if not subject.low < subject.high or not 0 <= subject.shared_bits <= MOST_SHARED_BITS:
        raise ValueError("the range or the shared bits cannot be")
    if subject.statistic in {"count", HISTOGRAM} and not subject.low == 0 == subject.high - 1:
        raise ValueError("a count is of records that are 0 or 1")
    noise = min(subject.deviation, subject.independent_deviation, subject.anyone_deviation)
    if noise <= 0 or noise**2 < subject.squared_reach * _LEAST_DEVIATION**2 or subject.grid <= 0:
        raise ValueError("the noise or the grid cannot be")
    rest = 1 - subject.own_share
    tied = subject.shared_bits > 0 and subject.records > 1
    if not 0 < subject.own_share <= 1 or (tied and rest < _LEAST_REST) or (not tied and rest):
        raise ValueError("the division of the noise cannot be")


# --- Texts of certificates: records or households, numbers or histograms


def unit_words(subject: BeliefSubject) -> str:
    """What the bits are about."""
    return "record" if subject.people == 1 else "household"


def apart_words(subject: BeliefSubject) -> str:
    """What beliefs differ from."""
    return "independent records" if subject.people == 1 else f"independent households of at most {subject.people}"


def about_words(subject: BeliefSubject) -> str:
    """What beliefs may tie together."""
    if subject.people == 1:
        return f"the {subject.records} records"
    return f"the households of at most {subject.people} among the {subject.records} records"


def within_words(subject: BeliefSubject) -> str:
    """Where the records are."""
    if subject.statistic == HISTOGRAM:
        return f", each in at most one of {subject.dimension} cells"
    return f", each between {fraction_text(subject.low)} and {fraction_text(subject.high)}"


def split_reason(subject: BeliefSubject) -> str:
    """Theorem 1, as it holds for the subject."""
    many = "" if subject.people == 1 else "m"
    squared = "" if subject.people == 1 else "m²"
    own = f"½ log2(1 + {squared}D²/4s)" if subject.ball.dimension == 1 else f"(k/2) log2(1 + {squared}R²/ks)"
    return (
        f"c(1 - e^(-{many}(n-1)D²/4r)) + {own}: normal noise of variance r + s divides among the "
        f"{unit_words(subject)}s, and what the others' parts let through of c bits shrinks by that factor "
        "[E, Assumption 3]"
    )


def noise_words(subject: BeliefSubject) -> str:
    """The noise, and how its result is rounded."""
    several = subject.statistic == HISTOGRAM
    whose = "on each number, which" if several else f"; the noisy {subject.statistic}"
    return (
        f"The noise is normal with a deviation of at most {at_most(subject.deviation)}{' ' if several else ''}{whose} "
        f"is rounded to multiples of {fraction_text(subject.grid)}."
    )


def title_words(subject: BeliefSubject) -> str:
    """The title of a certificate."""
    return (
        f"Certificate of noise: the {subject.statistic} of {subject.records} records, for beliefs that share at most "
        f"{fraction_text(subject.shared_bits)} bits"
    )


def subject_words(subject: BeliefSubject) -> str:
    """What it is about, and what is assumed."""
    return (
        f"About the {subject.statistic} of {subject.records} records{within_words(subject)}, "
        f"with normal noise, rounded to multiples of {fraction_text(subject.grid)}. "
        f"Assumed: beliefs differ from {apart_words(subject)} by at most {fraction_text(subject.shared_bits)} bits."
    )


# --- Certificates of normal noise under beliefs that share at most a number of bits
# The subject is the statistic, the number of records, the shared bits, the noise, and what proves the claims: how the
# noise is divided between a record and the others, and noises for which the neighbouring assumptions would hold.
# Verification evaluates them and searches for nothing.
# Theory: docs/theory/bounded_beliefs.md


SCHEMA = "sfumato/certificate/belief-noise/1"
BELIEVED, NOBODYS, ANYONES = "believed_bits", "independent_bits", "anyone_bits"
_MOST_DIGITS = 400
_UNIT = "bits"
_ADD_UP = (
    "Bits of this kind add up over releases about the same records, also when what is asked is chosen after seeing "
    "earlier ones, but not the size of the noise. The shared bits are used up by none. Bits under another assumption "
    "are not added to them."
)
_ON_AVERAGE = "In bits, on average over what is released; the odds between two values are not bounded."
_COMMON_CAUSE = (
    "A common cause that nobody knows, such as a rate or a prevalence, ties all records together; each exact copy of a "
    "record takes its whole entropy of the shared bits."
)


class _Record(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    statistic: str
    low: str
    high: str
    records: int
    shared_bits: str
    deviation: str
    grid: str
    own_share: str
    independent_deviation: str
    anyone_deviation: str
    people: int
    dimension: int


@subject_of.register
def _itself(thing: BeliefSubject) -> BeliefSubject:
    return thing


def _state(subject: BeliefSubject) -> tuple[Claim, ...]:
    check_neighbours(subject)
    return _claims(subject, *(publish(found) for found in bits_of(subject)))


def _restate(subject: BeliefSubject, stated: Stated) -> tuple[Claim, ...]:
    check_neighbours(subject)
    names = (BELIEVED, NOBODYS, ANYONES)
    settled = (settle(stated.get(name), found) for name, found in zip(names, bits_of(subject), strict=True))
    return _claims(subject, *settled)


def _claims(subject: BeliefSubject, booked: Interval, nobodys: Interval, anyones: Interval) -> tuple[Claim, ...]:
    shared, statistic = fraction_text(subject.shared_bits), subject.statistic
    unit = f"units of the {statistic}"
    one, apart = unit_words(subject), apart_words(subject)
    return (
        bound_claim(
            BELIEVED,
            booked,
            _UNIT,
            because=split_reason(subject),
            sentence=(
                f"Each release like this one adds at most {at_most(booked)} bits, on average, about any one {one}, "
                f"for everybody whose beliefs differ from {apart} by at most {shared} bits over the whole "
                f"data set, even if they know other records exactly."
            ),
        ),
        exact_claim(
            "assumed_shared_bits",
            subject.shared_bits,
            _UNIT,
            because="declared; it is assumed, and no data can show it",
            sentence=(
                f"It is assumed that no reader's beliefs tie {about_words(subject)} together by more than "
                f"{shared} bits in all. If that is wrong, the bound above says nothing."
            ),
        ),
        bound_claim(
            NOBODYS,
            nobodys,
            _UNIT,
            because=f"the capacity of the noise for one {one} [E, Cor. 6; McK04]",
            sentence=f"Whoever believes in {apart} is told at most {at_most(nobodys)} bits.",
        ),
        bound_claim(
            ANYONES,
            anyones,
            _UNIT,
            because="the capacity of the noise for all records moving together [E, Cor. 6; McK04]",
            sentence=(
                f"Whoever believes that all records move together is not covered, and may be told up to "
                f"{at_most(anyones)} bits about a record that holds so many."
            ),
        ),
        _deviation_claim(
            "independent_deviation",
            subject.independent_deviation,
            unit,
            f"the same bits for one {one} [E, Cor. 6; McK04]",
            f"For as many bits, with {apart}, noise with a deviation of "
            f"{at_most(subject.independent_deviation)} would be enough.",
        ),
        _deviation_claim(
            "anyone_deviation",
            subject.anyone_deviation,
            unit,
            "the same bits for all records moving together [E, Cor. 6; McK04]",
            f"For as many bits, however the records depend on each other, noise with a deviation of "
            f"{at_most(subject.anyone_deviation)} would be enough.",
        ),
        exact_claim(
            "noise_deviation",
            subject.deviation,
            unit,
            because="declared; rounding is done to the noisy number and tells nothing more",
            sentence=noise_words(subject),
        ),
    )


def _deviation_claim(measure: str, value: Fraction, unit: str, because: str, sentence: str) -> Claim:
    return Claim(
        measure=measure,
        relation=Relation.AT_MOST,
        value=value,
        unit=unit,
        status=Status.EXACT,
        because=because,
        sentence=sentence,
    )


def _notes(_: BeliefSubject) -> tuple[str, ...]:
    return _ADD_UP, _ON_AVERAGE, _COMMON_CAUSE


def _write(subject: BeliefSubject) -> _Record:
    return _Record(
        statistic=subject.statistic,
        low=str(subject.low),
        high=str(subject.high),
        records=subject.records,
        shared_bits=str(subject.shared_bits),
        deviation=str(subject.deviation),
        grid=str(subject.grid),
        own_share=str(subject.own_share),
        independent_deviation=str(subject.independent_deviation),
        anyone_deviation=str(subject.anyone_deviation),
        people=subject.people,
        dimension=subject.dimension,
    )


def _read(record: _Record) -> BeliefSubject:
    plain = {"statistic", "records", "people", "dimension"}
    numbers = {name: _number(getattr(record, name)) for name in _Record.__struct_fields__ if name not in plain}
    subject = BeliefSubject(
        statistic=record.statistic,
        records=record.records,
        people=record.people,
        dimension=record.dimension,
        **numbers,
    )
    check_subject(subject)
    return subject


def _number(text: str) -> Fraction:
    return read_fraction(text, most_digits=_MOST_DIGITS)


register(
    Kind(
        schema=SCHEMA,
        subject=BeliefSubject,
        record=_Record,
        write=_write,
        read=_read,
        title=title_words,
        about=subject_words,
        notes=_notes,
        state=_state,
        restate=_restate,
    )
)


# --- The least normal noise on a sum within a budget, under beliefs that share at most a number of bits
# Deviations are decimal, in units of what one record can move. Each was compared with the budget by an enclosure that
# is rounded up; floats give the starting point only.
# Theory: docs/theory/bounded_beliefs.md


# A deviation has this many digits, a relative loss of one hundred-thousandth.
_DIGITS = 6
# Digits of the deviations of neighbouring assumptions, which are only compared.
_DIGITS_OF_NEIGHBOURS = 4
# A certificate states bits on a grid of 1e-12, rounded up; they are within the budget, too.
_PUBLISHED = 2e-12


def least_deviation(
    records: int, shared_bits: Fraction, budget_bits: float, *, people: int = 1, ball: Ball = INTERVAL
) -> Fraction:
    """Return the least σ/Δ whose bits by Theorem 1, which accounts add up, are within the budget.

    Households of five among ten thousand, beliefs that share ten bits beyond them:

    >>> round(float(least_deviation(10**4, Fraction(10), 0.1, people=5)))
    1122
    """

    def told(deviation: Fraction) -> Interval:
        return believed_bits(records, shared_bits, 1 / deviation**2, people=people, ball=ball)

    return _least(told, budget_bits, _DIGITS)


def least_deviation_for(people: int, budget_bits: float, *, ball: Ball = INTERVAL) -> Fraction:
    """Return a σ/Δ that keeps the budget if at most so many people depend on each other; for anyone, say all."""
    return _least(
        lambda deviation: people_bits(people, 1 / deviation**2, ball=ball), budget_bits, _DIGITS_OF_NEIGHBOURS
    )


def _least(told: Callable[[Fraction], Interval], budget_bits: float, digits: int) -> Fraction:
    def fits(logarithm: float) -> bool:
        return told(Fraction(math.exp(logarithm))).upper + _PUBLISHED <= budget_bits

    low, high, stride = 0.0, 0.0, 1.0
    while not fits(high):
        low, high, stride = high, high + stride, 2 * stride
    while low == high or fits(low):
        low, high, stride = low - stride, min(low, high), 2 * stride
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (low, middle) if fits(middle) else (middle, high)
    found = _rounded_up(Fraction(math.exp(high)), digits)
    while told(found).upper + _PUBLISHED > budget_bits:
        found = _rounded_up(found * (1 + Fraction(1, 10**digits)), digits)
    return found


def _rounded_up(number: Fraction, digits: int) -> Fraction:
    wide = Context(prec=60, rounding=ROUND_CEILING).divide(Decimal(number.numerator), Decimal(number.denominator))
    return Fraction(Context(prec=digits, rounding=ROUND_CEILING).plus(wide))
