"""A claim: one sentence about what leaks, with its number, its proof status and its reason."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from sfumato.errors import InvalidParameter
from sfumato.values.interval import Interval


class Status(StrEnum):
    """How well a number is known.

    Exact: a fraction. Certified: an interval that surely holds the number. Estimated: from draws, with a confidence.
    Stated: an interval whose proof is in a private file.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> coin = sf.mechanisms.RandomizedResponse(size=2, odds=Fraction(3))
    >>> made = sf.certify(coin)
    >>> made["odds"].status is sf.values.Status.EXACT, made["capacity_bits"].status.value
    (True, 'certified')
    """

    EXACT = "exact"
    CERTIFIED = "certified"
    ESTIMATED = "estimated"
    STATED = "stated"


class Relation(StrEnum):
    """How the measured quantity stands to the number of its claim.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> coin = sf.mechanisms.RandomizedResponse(size=2, odds=Fraction(3))
    >>> made = sf.certify(coin)
    >>> made["odds"].relation.value, made["capacity_bits"].relation.value
    ('=', 'in')
    """

    EQUALS = "="
    AT_LEAST = "≥"
    AT_MOST = "≤"
    WITHIN = "in"


Value = Fraction | Interval | float


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """`measure relation value unit`, why it is so, and the same in plain words.

    An exact claim holds a Fraction (or ±infinity), a certified one an Interval with the true value inside, an
    estimated one a float that holds with probability `confidence`, a stated one an Interval whose proof is in a
    private file. `witness` is what a checker needs to confirm an optimum without searching for it again: for a
    capacity, the input law.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> coin = sf.mechanisms.RandomizedResponse(size=2, odds=Fraction(3))
    >>> claim = sf.certify(coin)["odds"]
    >>> claim.value, claim.unit, claim.status.value
    (Fraction(3, 1), 'ratio', 'exact')
    >>> claim.sentence
    'No report favours one answer over another by more than 3 times.'
    """

    measure: str
    relation: Relation
    value: Value
    unit: str
    status: Status
    because: str
    sentence: str
    confidence: float | None = None
    witness: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        kinds = {
            Status.EXACT: lambda v: isinstance(v, Fraction) or v in (float("inf"), float("-inf")),
            Status.CERTIFIED: lambda v: isinstance(v, Interval),
            Status.ESTIMATED: lambda v: isinstance(v, float),
            Status.STATED: lambda v: isinstance(v, Interval),
        }
        if not kinds[self.status](self.value):
            raise InvalidParameter(
                f"cannot be a {type(self.value).__name__} in a claim with status {self.status}",
                parameter="value",
                way_out="Use a Fraction for exact, an Interval for certified or stated, a float for estimated.",
            )
        if (self.confidence is None) == (self.status is Status.ESTIMATED):
            raise InvalidParameter(
                f"does not fit status {self.status}",
                parameter="confidence",
                value=self.confidence,
                way_out="An estimated claim states its confidence, no other does.",
            )


class Claiming:
    """Whatever makes claims, such as a certificate; one is found by its measure.

    >>> import sfumato as sf
    >>> made = sf.certify(sf.Channel([[0.75, 0.25], [0.25, 0.75]]))
    >>> isinstance(made, sf.values.Claiming), made["guess_error"].value
    (True, Fraction(1, 4))
    """

    __slots__ = ()
    claims: tuple[Claim, ...]

    def __getitem__(self, measure: str) -> Claim:
        for claim in self.claims:
            if claim.measure == measure:
                return claim
        raise KeyError(f"the certificate makes no claim about {measure!r}")
