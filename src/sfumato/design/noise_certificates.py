"""Certificates of noise: the grid, the discrete law that is added, and how much passes through it.

The subject is the range, the steps and the parameter of the noise in Fractions, and the input law that proves the
capacity. Verification evaluates that law again; where a record has few values, it proves by other output laws that no
selection exceeds it. It never looks for a better noise. With `change` and `people` the steps are those of what a group
of so many people moves, not of the whole range.   Theory: docs/theory/gaussian_noise.md, correlated_noise.md
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import msgspec

from sfumato.certificates import Certificate
from sfumato.certificates.certifying import certify_subject
from sfumato.certificates.registry import Kind, Stated, register, subject_of
from sfumato.certificates.rules import certified_claim, exact_claim, publish, settle
from sfumato.certificates.words import at_most, fraction_text
from sfumato.design.group_claims import MOST_PEOPLE, assumed, assumption_claims, group_notes, usual_bound, whom
from sfumato.design.noise_bounds import bound_noise, moved_by, steps_moved, uses_selections
from sfumato.errors import ClaimRefused, NotCertified
from sfumato.files.numbers import read_fraction
from sfumato.measures.enclosures import log2_interval
from sfumato.measures.lattice.noise import lattice_capacity_from
from sfumato.measures.lattice.selection_limits import none_exceeds, stated_bits
from sfumato.values import Claim, Interval, Relation, Status

SCHEMA = "sfumato/certificate/noise/1"
CAPACITY = "noise_capacity_bits"
# Finer scales and noises than any design here has; a file that asks for more is not one of ours.
_MOST_STEPS = 2_000
_MOST_DIGITS = 400
_MOST_VALUES = 10**9
_NOISES = Fraction(1, 1000), Fraction(10**9)
_NOTES = (
    "One release. The bits of several releases about the same records add up.",
    "In bits, under any knowledge and any correlation; the odds between two values are not bounded.",
)


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
    >>> subject = sf.design.gaussian(low=0, high=10, budget_bits=0.5, steps=4).certificate.subject
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
        """How far those who depend on each other move the number: the whole range where it may be anybody."""
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
    """Return every claim about noise on a range, having searched for the input law that tells most."""
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


def _notes(subject: NoiseSubject) -> tuple[str, ...]:
    return _NOTES if subject.people is None else (*group_notes(subject.people), _NO_ODDS)


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
