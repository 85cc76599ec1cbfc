"""Certificates of noise on numbers, ranks and vectors under a stated dependence.

The subject is the range, the steps and the parameter of the noise in Fractions, and the input distribution that proves
the capacity. Verification evaluates that distribution again. Where a record has few values, it proves by other output
distributions that no selection exceeds the capacity. It never searches for a better noise. With `change` and `people`
the steps are those that a group of so many people moves, not those of the whole range.
Theory: docs/theory/gaussian_noise.md, docs/theory/correlated_noise.md
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import msgspec
import numpy as np

from sfumato.certificates.certificate import Certificate, Kind, Stated, register, subject_of
from sfumato.certificates.certifying import certify_subject
from sfumato.certificates.claims import (
    Claim,
    Relation,
    Status,
    bound_claim,
    certified_claim,
    exact_claim,
    publish,
    settle,
)
from sfumato.display.text import at_most, fraction_text
from sfumato.errors import ClaimRefused, NotCertified
from sfumato.measures.gaussian import (
    bounded_range_bits,
    is_affordable,
    lattice_capacity,
    lattice_capacity_from,
    none_exceeds,
    power_bound,
    selection_capacity,
    stated_bits,
    usual_spread,
)
from sfumato.numbers.exact import read_fraction
from sfumato.numbers.intervals import Interval, log2_interval

# --- Claims about noise for people who depend on few others: under the assumption, and without it
# Changing one record moves f by at most Δ, and at most m people depend on each other. Given everyone outside a group
# its people move f by at most mΔ, which bounds what is learned about them. With all of the group but one known, the
# bound is that of Δ. Without the assumption it is that of the whole range. The last two follow from a limit on power.
# Ref: [E, Thm 3]; theory: docs/theory/correlated_noise.md


OTHERS_KNOWN = "others_known_bits"
IF_FALSE = "if_all_depend_bits"
MOST_PEOPLE = 10**12
_MANY_BITS = 1000
_ADD_UP = "One release. The bits of several releases about the same records add up, all counted under one assumption."
_EXCLUDED = (
    "A common cause that nobody knows, such as how frequent something is, makes everybody depend on everybody, and is "
    "excluded."
)
POWER = "C ≤ k·log2(Z_S/Z_N) + log2 e·((k·V_N + r²)/2S - k·V_N/2N)"
_USUAL = f"{POWER} with S = N + r²/k and the r of"


def assumed(people: int) -> str:
    """The assumption, in words that follow an if."""
    return "nobody depends on anybody else" if people == 1 else f"at most {people} people depend on each other"


def group_notes(people: int) -> tuple[str, str]:
    """Which releases may be added, and what is assumed."""
    return (_ADD_UP, f"Assumed, and not checked: {assumed(people)}. {_EXCLUDED}")


def whom(people: int | None, *, one: str = "any one record", together: bool = True) -> str:
    """Say whom the bits of a release are about, to the end of the sentence."""
    if people is None:
        everybody = ", and about all of them together" if together else ""
        return f"{one}{everybody}, whatever is known beforehand and however the records depend on each other."
    group = ", and about a whole group together" if together and people > 1 else ""
    return f"{one}{group}, if {assumed(people)}, whatever is known about all others."


def published(found: Interval) -> Interval:
    """Push an interval outwards to the grid of certificates; above a thousand to whole bits, which doubles hold."""
    if found.upper > _MANY_BITS:
        return Interval(float(math.floor(found.lower)), float(math.ceil(found.upper)))
    return publish(found)


def usual_bound(dimension: int, squared_radius: Fraction, variance: Fraction) -> Interval:
    """The bound by power at S = N + r²/k, published."""
    spread = usual_spread(dimension, squared_radius, variance)
    return published(power_bound(dimension, squared_radius, variance, spread))


def assumption_claims(people: int, lone: Interval, all_depend: Interval, because: str = _USUAL) -> tuple[Claim, ...]:
    """What who knows the others learns, and what would be learnt if the assumption were false."""
    known = bound_claim(
        OTHERS_KNOWN,
        lone,
        "bits",
        because=f"{because} one record",
        sentence=f"Who also knows the others of the group learns at most {at_most(lone)} bits.",
    )
    broken = bound_claim(
        IF_FALSE,
        all_depend,
        "bits",
        because=f"{because} all records",
        sentence=(
            f"If the assumption were false, and anybody might depend on everybody, it would tell at most "
            f"{at_most(all_depend)} bits."
        ),
    )
    return (known, broken) if people > 1 else (broken,)


# --- Certificates of a private quantile: one of several declared values, drawn by rank
# A value d ranks from the wanted one is drawn with a weight of e^(-λd). Given all others, m people change each rank by
# at most m. So every distribution of a release is within m/2 ranks of the middle one, log ratios to it have a range of
# w = mλ, and at most (z - 1 - ln z)·log2 e bits are revealed, z = w/(1 - e^-w).
# Ref: [E, Thm 3]; theory: docs/theory/correlated_noise.md


RANK_SCHEMA = "sfumato/certificate/rank-noise/1"
RANK_CAPACITY = "rank_noise_bits"
MOST_CANDIDATES = 100_000
RATES = Fraction(1, 10**20), Fraction(10**3)
_RANK_NOTES = (
    "One release. The bits of several releases about the same records add up.",
    "In bits, under any knowledge and any correlation.",
)
_RANK_GROUP = "In bits, under any knowledge about people outside of a group."
_RANK_BOUND = "the least of log2 k and (z - 1 - ln z)·log2 e, z = w/(1 - e^-w), w = mλ"


class _RankRecord(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    low: str
    high: str
    candidates: int
    share: str
    records: int
    people: int | None
    rate: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RankSubject:
    """One of `candidates` declared values from `low` to `high`, near the quantile of `share` among `records`.

    `rate` is λ; `people` depend on each other, None for any number.

    >>> import sfumato as sf
    >>> subject = sf.noise.private_quantile(range(0, 101, 5), 0.5, 1000, 1, correlated=2).subject
    >>> subject.candidates, subject.moving, round(float(subject.rate), 3)
    (21, 2, 1.223)
    >>> sf.certify(subject)["epsilon"].sentence
    'Who knows all other records finds any two values of one told apart by a factor of at most e^2.447.'
    """

    low: Fraction
    high: Fraction
    candidates: int
    share: Fraction
    records: int
    people: int | None
    rate: Fraction

    @property
    def moving(self) -> int:
        """How many people change the ranks together."""
        return self.records if self.people is None else min(self.people, self.records)


def rank_bits(people: int, rate: Fraction, candidates: int) -> Interval:
    """Enclose the bound for so many people, in bits."""
    held = log2_interval(Fraction(candidates))
    told = bounded_range_bits(people * rate)
    return Interval(min(told.lower, held.lower), min(told.upper, held.upper))


@subject_of.register
def _rank_itself(thing: RankSubject) -> RankSubject:
    return thing


def _rank_state(subject: RankSubject) -> tuple[Claim, ...]:
    return _rank_claims(subject, publish(_rank_proven(subject)))


def _rank_restate(subject: RankSubject, stated: Stated) -> tuple[Claim, ...]:
    return _rank_claims(subject, settle(stated.get(RANK_CAPACITY), _rank_proven(subject)))


def _rank_proven(subject: RankSubject) -> Interval:
    return rank_bits(subject.moving, subject.rate, subject.candidates)


def _rank_claims(subject: RankSubject, bits: Interval) -> tuple[Claim, ...]:
    people, rate, candidates = subject.people, subject.rate, subject.candidates
    assumption: tuple[Claim, ...] = ()
    if people is not None:
        lone, everybody = (publish(rank_bits(many, rate, candidates)) for many in (1, subject.records))
        assumption = assumption_claims(people, lone, everybody, because=f"{_RANK_BOUND}, for")
    return (
        bound_claim(
            RANK_CAPACITY,
            bits,
            "bits",
            because=f"{_RANK_BOUND}, for m = {subject.moving} people, who change no rank by more than m [E, Thm 3]",
            sentence=f"One release tells at most {at_most(bits)} bits about {whom(people)}",
        ),
        *assumption,
        exact_claim(
            "epsilon",
            2 * rate,
            "nats",
            because="one record changes λ·d by λ at most, and the sum of all weights by a factor of e^λ",
            sentence=(
                f"Who knows all other records finds any two values of one told apart by a factor of at most "
                f"e^{at_most(2 * rate)}."
            ),
        ),
    )


def _rank_title(subject: RankSubject) -> str:
    return f"Certificate of noise: a quantile, drawn by rank from {subject.candidates} values"


def _rank_about(subject: RankSubject) -> str:
    return (
        f"About the quantile of {fraction_text(subject.share)} among {subject.records} records, drawn from "
        f"{subject.candidates} declared values between {fraction_text(subject.low)} and {fraction_text(subject.high)}: "
        f"each rank further off is e^{at_most(subject.rate)} times less likely."
    )


def _rank_notes(subject: RankSubject) -> tuple[str, ...]:
    return _RANK_NOTES if subject.people is None else (*group_notes(subject.people), _RANK_GROUP)


def _rank_write(subject: RankSubject) -> _RankRecord:
    return _RankRecord(
        low=str(subject.low),
        high=str(subject.high),
        candidates=subject.candidates,
        share=str(subject.share),
        records=subject.records,
        people=subject.people,
        rate=str(subject.rate),
    )


def _rank_read(record: _RankRecord) -> RankSubject:
    low, high, share, rate = (
        read_fraction(text, most_digits=_MOST_DIGITS) for text in (record.low, record.high, record.share, record.rate)
    )
    if not low < high or not 2 <= record.candidates <= MOST_CANDIDATES or not 0 <= share <= 1:
        raise ValueError("the declared values, or the share, cannot be")
    if (
        not 1 <= record.records <= MOST_PEOPLE
        or not 1 <= (1 if record.people is None else record.people) <= MOST_PEOPLE
    ):
        raise ValueError("the number of records or of people cannot be")
    if not RATES[0] <= rate <= RATES[1]:
        raise ValueError("the rate cannot be")
    return RankSubject(
        low=low,
        high=high,
        candidates=record.candidates,
        share=share,
        records=record.records,
        people=record.people,
        rate=rate,
    )


register(
    Kind(
        schema=RANK_SCHEMA,
        subject=RankSubject,
        record=_RankRecord,
        write=_rank_write,
        read=_rank_read,
        title=_rank_title,
        about=_rank_about,
        notes=_rank_notes,
        state=_rank_state,
        restate=_rank_restate,
    )
)


# --- Certificates of noise on a histogram
# People who depend on each other move the counts within a ball, and a limit on power bounds what independent discrete
# Gaussian noise reveals. The radius for m people and k cells is m·√(1-1/k). Half of the largest distance is not a
# radius: three cells of a histogram are √2 apart, and lie on a circle of √(2/3), not √(1/2).
# Ref: [E, Thm 3]; theory: docs/theory/correlated_noise.md


VECTOR_SCHEMA = "sfumato/certificate/vector-noise/1"
VECTOR_CAPACITY = "vector_noise_bits"
_HISTOGRAM = "histogram"
MOST_DIMENSION = 10**6
_VECTOR_NOISES = Fraction(1, 1000), Fraction(1 << 80)
_NOTES = (
    "One release. The bits of several releases about the same records add up.",
    "In bits, under any knowledge and any correlation; the odds between two values are not bounded.",
)


class _VectorRecord(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    what: str
    dimension: int
    records: int
    people: int | None
    size: str
    grid: str
    squared_radius: str
    variance: str
    spread: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorSubject:
    """The counts of `dimension` cells with independent noise; each of `records` is in one cell at most.

    `people` depend on each other, None for any number; `spread` S proves the bound for the `variance` N.

    >>> import sfumato as sf
    >>> subject = sf.noise.private_histogram(4, 1000, 0.5, correlated=2).subject
    >>> subject.dimension, subject.moving, subject.squared_radius
    (4, 2, Fraction(3, 1))
    >>> sf.certify(subject)["vector_noise_bits"].sentence
    'One release tells at most 0.5 bits about any one record, and about a whole group together, if at most 2 people
    depend on each other, whatever is known about all others.'
    """

    dimension: int
    records: int
    people: int | None
    variance: Fraction
    spread: Fraction

    @property
    def moving(self) -> int:
        """How many people move the counts together."""
        return self.records if self.people is None else min(self.people, self.records)

    @property
    def squared_radius(self) -> Fraction:
        """Of the ball in which they do."""
        return squared_radius(self.dimension, self.moving)


def squared_radius(dimension: int, people: int) -> Fraction:
    """Return r² of the counts that so many people move."""
    return people**2 * Fraction(dimension - 1, dimension)


@subject_of.register
def _vector_itself(thing: VectorSubject) -> VectorSubject:
    return thing


def _vector_state(subject: VectorSubject) -> tuple[Claim, ...]:
    return _vector_claims(subject, publish(_vector_proven(subject)))


def _vector_restate(subject: VectorSubject, stated: Stated) -> tuple[Claim, ...]:
    return _vector_claims(subject, settle(stated.get(VECTOR_CAPACITY), _vector_proven(subject)))


def _vector_proven(subject: VectorSubject) -> Interval:
    return power_bound(subject.dimension, subject.squared_radius, subject.variance, subject.spread)


def _vector_claims(subject: VectorSubject, bits: Interval) -> tuple[Claim, ...]:
    people, dimension, variance = subject.people, subject.dimension, subject.variance
    assumption: tuple[Claim, ...] = ()
    if people is not None:
        lone, everybody = (
            usual_bound(dimension, squared_radius(dimension, many), variance) for many in (1, subject.records)
        )
        assumption = assumption_claims(people, lone, everybody)
    return (
        bound_claim(
            VECTOR_CAPACITY,
            bits,
            "bits",
            because=(
                f"{POWER} with the S of the file and r² = m²(1 - 1/k) for m = {subject.moving} people, "
                "given all others [E, Thm 3]"
            ),
            sentence=f"One release tells at most {at_most(bits)} bits about {whom(people)}",
        ),
        *assumption,
        exact_claim(
            "epsilon",
            math.inf,
            "nats",
            because="ln P(y|x)/P(y|x') = (x-x')·(2y-x-x')/2N grows without limit in y",
            sentence="No factor bounds how much a release far out favours one value over another; it is a rare one.",
        ),
        Claim(
            measure="noise_variance",
            relation=Relation.AT_MOST,
            value=variance,
            unit="square units of each released number",
            status=Status.EXACT,
            because="the variance of a discrete Gaussian is at most its parameter",
            sentence=f"The noise of each number has a variance of at most {fraction_text(variance)}.",
        ),
    )


def _vector_title(subject: VectorSubject) -> str:
    return f"Certificate of noise: a histogram of {subject.dimension} cells, with independent discrete Gaussian noise"


def _vector_about(subject: VectorSubject) -> str:
    return (
        f"About {subject.dimension} numbers made of {subject.records} records, each in at most one cell, released in "
        "multiples of 1 with independent discrete Gaussian noise."
    )


def _notes(subject: NoiseSubject | VectorSubject) -> tuple[str, ...]:
    return _NOTES if subject.people is None else (*group_notes(subject.people), _NO_ODDS)


def _vector_write(subject: VectorSubject) -> _VectorRecord:
    return _VectorRecord(
        what=_HISTOGRAM,
        dimension=subject.dimension,
        records=subject.records,
        people=subject.people,
        size="1",
        grid="1",
        squared_radius=str(subject.squared_radius),
        variance=str(subject.variance),
        spread=str(subject.spread),
    )


def _vector_read(record: _VectorRecord) -> VectorSubject:
    variance, spread = (read_fraction(text, most_digits=_MOST_DIGITS) for text in (record.variance, record.spread))
    if (record.what, record.size, record.grid) != (_HISTOGRAM, "1", "1"):
        raise ValueError("what is counted cannot be")
    if not 2 <= record.dimension <= MOST_DIMENSION:
        raise ValueError("the number of cells cannot be")
    if (
        not 1 <= record.records <= MOST_PEOPLE
        or not 1 <= (1 if record.people is None else record.people) <= MOST_PEOPLE
    ):
        raise ValueError("the number of records or of people cannot be")
    if not _VECTOR_NOISES[0] <= variance <= _VECTOR_NOISES[1] or not variance <= spread <= 10**40:
        raise ValueError("the noise, or what proves its bound, cannot be")
    # The radius stands in the file for its reader; writing the certificate again shows whether it fits.
    return VectorSubject(
        dimension=record.dimension,
        records=record.records,
        people=record.people,
        variance=variance,
        spread=spread,
    )


register(
    Kind(
        schema=VECTOR_SCHEMA,
        subject=VectorSubject,
        record=_VectorRecord,
        write=_vector_write,
        read=_vector_read,
        title=_vector_title,
        about=_vector_about,
        notes=_notes,
        state=_vector_state,
        restate=_vector_restate,
    )
)


# --- Certificates of noise on a number: the capacity of discrete Gaussian noise, searched for and enclosed
# Theory: docs/theory/gaussian_noise.md, docs/theory/correlated_noise.md


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseBound:
    """A published enclosure of what passes through the noise, and the input law that proves it."""

    bits: Interval
    positions: tuple[int, ...]
    weights: tuple[float, ...]


def moved_by(people: int | None, change: Fraction | None, width: Fraction) -> Fraction:
    """How far so many people move a number of a range, when one record moves it by at most `change`."""
    return width if people is None or change is None else min(people * change, width)


def steps_moved(people: int | None, change: Fraction | None, width: Fraction, grid: Fraction) -> int:
    """How far they move it after rounding: an interval of length t, rounded half up, has at most ⌈t⌉ + 1 values."""
    return math.ceil(moved_by(people, change, width) / grid)


def bound_noise(variance: Fraction, steps: int, values: int | None) -> NoiseBound:
    """Search for the input distribution that reveals most, and enclose the capacity by it."""
    if uses_selections(variance, steps, values):
        found = selection_capacity(variance, steps, values or 2)
        bits = publish(stated_bits(variance, steps, found.positions, found.weights))
        if not none_exceeds(variance, steps, found.weights, bits.upper):
            raise NotCertified("the race and the check of its outcome disagree", way_out="Please report this noise.")
        return NoiseBound(bits=bits, positions=found.positions, weights=found.weights)
    _, law = lattice_capacity(variance, steps)
    places = np.flatnonzero(law)
    positions, weights = tuple((places - steps).tolist()), tuple(law[places].tolist())
    # From the witness as it will stand in a file, so that whoever evaluates it finds the same to the last digit.
    bits = lattice_capacity_from(variance, steps, positions, weights)
    return NoiseBound(bits=publish(bits), positions=positions, weights=weights)


def uses_selections(variance: Fraction, steps: int, values: int | None) -> bool:
    """Whether the number of values tightens the bound: when every selection of so many inputs can be bounded."""
    return values is not None and is_affordable(variance, steps, values)


SCHEMA = "sfumato/certificate/noise/1"
CAPACITY = "noise_capacity_bits"
# Finer scales and noises than those of any design here; a file with more is refused.
_MOST_STEPS = 2_000
_MOST_DIGITS = 400
_MOST_VALUES = 10**9
_NOISES = Fraction(1, 1000), Fraction(10**9)
_NO_ODDS = "In bits, under any knowledge about people outside of a group; the odds between two values are not bounded."


class _Record(msgspec.Struct, forbid_unknown_fields=True, frozen=True, omit_defaults=True):
    low: str
    high: str
    steps: int
    grid: str
    variance: str
    values: int | None
    positions: list[int]
    weights: list[float]
    change: str | None = None
    people: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseSubject:
    """A number in [low, high], rounded to 2·steps+1 values and given discrete Gaussian noise.

    `variance` is the noise's parameter in steps²; `values` how many values a record has, None for any number. The
    input law of `positions` and `weights` reaches the capacity. Where `people` is not None, at most so many depend on
    each other and one record moves the number by at most `change`: 2·steps is then what they move together.

    >>> import sfumato as sf
    >>> subject = sf.noise.gaussian(low=0, high=10, budget_bits=0.5, steps=4).certificate.subject
    >>> subject.steps, subject.grid, subject.moved
    (4, Fraction(5, 4), Fraction(10, 1))
    >>> sf.certify(subject)["noise_capacity_bits"].sentence
    'One release tells at most 0.5 bits about any one record, and about all of them together, whatever is known
    beforehand and however the records depend on each other.'
    """

    low: Fraction
    high: Fraction
    steps: int
    variance: Fraction
    values: int | None
    positions: tuple[int, ...]
    weights: tuple[float, ...]
    change: Fraction | None = None
    people: int | None = None

    @property
    def grid(self) -> Fraction:
        """The distance between two released values."""
        return self.moved / (2 * self.steps)

    @property
    def moved(self) -> Fraction:
        """How far those who depend on each other move the number: the whole range under arbitrary dependence."""
        return moved_by(self.people, self.change, self.high - self.low)

    def squared_radius(self, people: int | None) -> Fraction:
        """Half of what so many people move, in steps, squared."""
        return Fraction(steps_moved(people, self.change, self.high - self.low, self.grid), 2) ** 2


def certify_range(
    *,
    low: Fraction,
    high: Fraction,
    steps: int,
    variance: Fraction,
    values: int | None = None,
    change: Fraction | None = None,
    people: int | None = None,
) -> Certificate:
    """Return every claim about noise on a range, having searched for the input distribution that reveals most."""
    bound = bound_noise(variance, steps, values)
    return certify_subject(
        NoiseSubject(
            low=low,
            high=high,
            steps=steps,
            variance=variance,
            values=values,
            positions=bound.positions,
            weights=bound.weights,
            change=change,
            people=people,
        )
    )


@subject_of.register
def _itself(thing: NoiseSubject) -> NoiseSubject:
    return thing


def _state(subject: NoiseSubject) -> tuple[Claim, ...]:
    return _claims(subject, publish(_proven(subject)))


def _restate(subject: NoiseSubject, stated: Stated) -> tuple[Claim, ...]:
    try:
        bits = settle(stated.get(CAPACITY), _proven(subject))
        if uses_selections(subject.variance, subject.steps, subject.values) and not none_exceeds(
            subject.variance, subject.steps, subject.weights, bits.upper
        ):
            raise ClaimRefused(f"{CAPACITY}: some record learns more than claimed {bits}")
    except NotCertified as error:
        raise ClaimRefused(f"{CAPACITY}: {error}") from None
    return _claims(subject, bits)


def _proven(subject: NoiseSubject) -> Interval:
    """What follows from the witness alone; with few values, that nothing exceeds it is checked besides."""
    variance, steps, values = subject.variance, subject.steps, subject.values
    if not uses_selections(variance, steps, values):
        return lattice_capacity_from(variance, steps, subject.positions, subject.weights)
    if len(subject.positions) != values:
        raise NotCertified("the witness of a capacity must be a law on as many positions as there are values")
    return stated_bits(variance, steps, subject.positions, subject.weights)


def _claims(subject: NoiseSubject, bits: Interval) -> tuple[Claim, ...]:
    steps, variance, values, grid, people = (
        subject.steps,
        subject.variance,
        subject.values,
        subject.grid,
        subject.people,
    )
    few = uses_selections(variance, steps, values)
    if few:
        why = f"the largest capacity among all selections of {values} of the {2 * steps + 1} inputs [E, Thm 2]"
    else:
        why = f"p·D(W_x‖q) ≤ C ≤ max D(W_x‖q) over the {2 * steps + 1} inputs, tails and rounding included"
    assumption: tuple[Claim, ...] = ()
    if people is not None:
        why += f", which is what m = {people} people move, given all others [E, Thm 3]"
        lone, everybody = subject.squared_radius(1), subject.squared_radius(None)
        assumption = assumption_claims(people, usual_bound(1, lone, variance), usual_bound(1, everybody, variance))
    one = f"any one record with at most {values} values" if few else "any one record"
    # 1 + T²/N is the same in steps.
    doubled = log2_interval(1 + steps**2 / variance)
    printed = publish(Interval(doubled.lower / 2, doubled.upper / 2).widened(0.0))
    return (
        certified_claim(
            CAPACITY,
            bits,
            "bits",
            because=why,
            sentence=f"One release tells at most {at_most(bits)} bits about {whom(people, one=one, together=not few)}",
        ),
        *assumption,
        certified_claim(
            "printed_bound_bits",
            printed,
            "bits",
            because="½ log2(1 + T²/N), a limit on power and hence only an upper bound for normal noise [E, Cor. 6]",
            sentence=f"The printed formula for normal noise of this size gives {at_most(printed)} bits.",
        ),
        exact_claim(
            "epsilon",
            math.inf,
            "nats",
            because="ln P(y|x)/P(y|x') = (x-x')(2y-x-x')/2s grows without limit in y",
            sentence="No factor bounds how much a release far out favours one value over another; it is a rare one.",
        ),
        Claim(
            measure="noise_variance",
            relation=Relation.AT_MOST,
            value=variance * grid**2,
            unit="square units of the released number",
            status=Status.EXACT,
            because="the variance of a discrete Gaussian is at most its parameter",
            sentence=f"The noise has a variance of at most {fraction_text(variance * grid**2)}.",
        ),
    )


def _title(subject: NoiseSubject) -> str:
    if subject.people is None:
        return f"Certificate of noise: a number rounded to {2 * subject.steps + 1} values, discrete Gaussian noise"
    return f"Certificate of noise: a number with discrete Gaussian noise, if {assumed(subject.people)}"


def _about(subject: NoiseSubject) -> str:
    values = f"{2 * subject.steps + 1} values, "
    if subject.people is None or subject.change is None:
        return _about_range(subject, values)
    one, many = fraction_text(subject.change), fraction_text(subject.moved)
    rounded = _about_range(subject, "values ")
    return f"{rounded} One record moves it by at most {one}, those who depend on each other by at most {many}."


def _about_range(subject: NoiseSubject, values: str) -> str:
    return (
        f"About a number between {fraction_text(subject.low)} and {fraction_text(subject.high)} that is rounded to "
        f"{values}{fraction_text(subject.grid)} apart, and given discrete Gaussian noise."
    )


def _write(subject: NoiseSubject) -> _Record:
    return _Record(
        low=str(subject.low),
        high=str(subject.high),
        steps=subject.steps,
        grid=str(subject.grid),
        variance=str(subject.variance),
        values=subject.values,
        positions=list(subject.positions),
        weights=list(subject.weights),
        change=None if subject.change is None else str(subject.change),
        people=subject.people,
    )


def _read(record: _Record) -> NoiseSubject:
    low, high, variance = (
        read_fraction(text, most_digits=_MOST_DIGITS) for text in (record.low, record.high, record.variance)
    )
    if not low < high or not _NOISES[0] <= variance <= _NOISES[1] or not 1 <= record.steps <= _MOST_STEPS:
        raise ValueError("the range, the steps or the noise cannot be")
    if record.values is not None and not 2 <= record.values <= _MOST_VALUES:
        raise ValueError("a record has two values or more, and not that many")
    change = None if record.change is None else read_fraction(record.change, most_digits=_MOST_DIGITS)
    if (change is None) != (record.people is None):
        raise ValueError("what a record changes and how many people depend on each other belong together")
    if change is not None and not (change > 0 and 1 <= (record.people or 0) <= MOST_PEOPLE):
        raise ValueError("what a record changes, or the number of people, cannot be")
    if any(not math.copysign(1.0, weight) > 0 for weight in record.weights):
        raise ValueError("a weight has a sign")
    # The grid stands in the file for its reader; writing the certificate again shows whether it fits.
    return NoiseSubject(
        low=low,
        high=high,
        steps=record.steps,
        variance=variance,
        values=record.values,
        positions=tuple(record.positions),
        weights=tuple(record.weights),
        change=change,
        people=record.people,
    )


register(
    Kind(
        schema=SCHEMA,
        subject=NoiseSubject,
        record=_Record,
        write=_write,
        read=_read,
        title=_title,
        about=_about,
        notes=_notes,
        state=_state,
        restate=_restate,
    )
)
