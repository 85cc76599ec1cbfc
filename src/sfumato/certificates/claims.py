"""Claims about what leaks: their numbers, status, rules, records in a file and cited works."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

import msgspec

from sfumato.errors import ClaimRefused, InvalidParameter, NotCertified
from sfumato.numbers.checks import Number
from sfumato.numbers.exact import read_fraction
from sfumato.numbers.intervals import Interval
from sfumato.prob.distribution import Distribution
from sfumato.prob.structured import AnyChannel


class Status(StrEnum):
    """How well a number is known.

    Exact: a fraction. Certified: an interval that surely holds the number. Estimated: from draws, with a confidence.
    Stated: an interval whose proof is in a private file.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> coin = sf.mechanisms.RandomizedResponse(size=2, odds=Fraction(3))
    >>> made = sf.certify(coin)
    >>> made["odds"].status is sf.certificates.Status.EXACT, made["capacity_bits"].status.value
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
    >>> from sfumato.certificates.claims import Claiming
    >>> made = sf.certify(sf.Channel([[0.75, 0.25], [0.25, 0.75]]))
    >>> isinstance(made, Claiming), made["guess_error"].value
    (True, Fraction(1, 4))
    """

    __slots__ = ()
    claims: tuple[Claim, ...]

    def __getitem__(self, measure: str) -> Claim:
        for claim in self.claims:
            if claim.measure == measure:
                return claim
        raise KeyError(f"the certificate makes no claim about {measure!r}")


# --- Claims in a file: exact numbers are text, intervals have two ends


class Bounds(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The two ends of an interval."""

    lower: float
    upper: float


class ClaimRecord(msgspec.Struct, forbid_unknown_fields=True, frozen=True, omit_defaults=True):
    """A claim as it stands in a file."""

    measure: str
    relation: str
    value: str | float | Bounds
    unit: str
    status: str
    because: str
    sentence: str
    confidence: float | None = None
    witness: list[float] | None = None


def write_claim(claim: Claim) -> ClaimRecord:
    """Return a claim for a file."""
    return ClaimRecord(
        measure=claim.measure,
        relation=claim.relation.value,
        value=_write_value(claim.value, claim.status),
        unit=claim.unit,
        status=claim.status.value,
        because=claim.because,
        sentence=claim.sentence,
        confidence=claim.confidence,
        witness=None if claim.witness is None else list(claim.witness),
    )


def read_claim(record: ClaimRecord) -> Claim:
    """Return the claim of a file."""
    value: Value
    _check_signs(record)
    if isinstance(record.value, Bounds):
        value = Interval(record.value.lower, record.value.upper)
    elif isinstance(record.value, str):
        value = math.inf if record.value == "inf" else read_fraction(record.value)
    else:
        value = record.value
    return Claim(
        measure=record.measure,
        relation=Relation(record.relation),
        value=value,
        unit=record.unit,
        status=Status(record.status),
        because=record.because,
        sentence=record.sentence,
        confidence=record.confidence,
        witness=None if record.witness is None else tuple(record.witness),
    )


def _check_signs(record: ClaimRecord) -> None:
    ends = (record.value.lower, record.value.upper) if isinstance(record.value, Bounds) else ()
    # A zero with a sign would be a second spelling of the same claim.
    if any(number == 0 and math.copysign(1.0, number) < 0 for number in (*ends, *(record.witness or ()))):
        raise ValueError("a zero has a sign")


def _write_value(value: Value, status: Status) -> str | float | Bounds:
    if isinstance(value, Interval):
        return Bounds(lower=value.lower, upper=value.upper)
    return float(value) if status is Status.ESTIMATED else str(value)


# --- Rules: the context of a rule, and the interval that it may state
#
# `certify` states every rule that applies; `verify` states it again from the subject and compares. Only capacities are
# searched for: their claims carry the input law that proves them, and verification evaluates that law instead of
# searching, so that a solver does not confirm its own result.


# Certified intervals are widened to this grid, so that the last digits of another machine still fall inside.
GRID = 10.0**-12
_MARGIN = GRID / 10
# A fraction of this many bits has fewer digits than Python converts at once.
MOST_BITS = 14_000
# An honest interval exceeds the recomputed one by less than this on either side.
_MOST_SLACK = 3 * GRID


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What a rule may look at: the subject, the prior, and the sizes of the records where inputs are tables of them.

    `claimed` is the claim to be checked, absent when a new one is to be made.
    """

    subject: AnyChannel
    prior: Distribution
    shape: tuple[int, ...] | None = None
    claimed: Claim | None = None

    @property
    def prior_words(self) -> str:
        """How the sentence speaks of the prior."""
        return "with every answer equally likely" if self.prior.is_uniform else "under the stated prior"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A measure that certificates speak of."""

    measure: str
    applies: Callable[[AnyChannel], bool]
    state: Callable[[Context], Claim]


def publish(interval: Interval) -> Interval:
    """Push an interval outwards to the grid of certificates; a single point is known exactly and stays."""
    if interval.width == 0:
        return interval
    lower = math.floor((interval.lower - _MARGIN) / GRID) * GRID
    upper = math.ceil((interval.upper + _MARGIN) / GRID) * GRID
    return Interval(max(0.0, float(f"{lower:.12f}")), float(f"{upper:.12f}"))


def settle(claimed: Claim | None, found: Interval) -> Interval:
    """Return the interval to state: a published one or, when checking, the claimed one if neither false nor vague."""
    if claimed is None:
        return publish(found)
    value = claimed.value
    if not isinstance(value, Interval):
        raise ClaimRefused(f"{claimed.measure}: claimed {value}, recomputed {found}")
    if value.lower < 0 <= found.lower:
        raise ClaimRefused(f"{claimed.measure}: claimed {value}, and nothing of this kind is negative")
    if not value.encloses(found):
        raise ClaimRefused(f"{claimed.measure}: claimed {value}, but the value lies in {found}")
    if not found.widened(_MOST_SLACK).encloses(value):
        raise ClaimRefused(f"{claimed.measure}: claimed {value} is vaguer than the recomputed {found}")
    return value


def exact_claim(measure: str, value: Number, unit: str, *, because: str, sentence: str) -> Claim:
    """A claim that a Fraction, or infinity, states to the last digit; refuses one that is too long to write down."""
    if value != math.inf and Fraction(value).denominator.bit_length() > MOST_BITS:
        raise NotCertified(
            f"{measure} is a fraction of more than {MOST_BITS} bits, too long for a file",
            way_out="Round the probabilities to a common grid, or merge reports.",
        )
    return Claim(
        measure=measure,
        relation=Relation.EQUALS,
        value=value if value == math.inf else Fraction(value),
        unit=unit,
        status=Status.EXACT,
        because=because,
        sentence=sentence,
    )


def certified_claim(
    measure: str, value: Interval, unit: str, *, because: str, sentence: str, witness: tuple[float, ...] | None = None
) -> Claim:
    """A claim that the true value lies in an interval."""
    return Claim(
        measure=measure,
        relation=Relation.WITHIN,
        value=value,
        unit=unit,
        status=Status.CERTIFIED,
        because=because,
        sentence=sentence,
        witness=witness,
    )


def bound_claim(measure: str, value: Interval, unit: str, *, because: str, sentence: str) -> Claim:
    """A claim that the true value is at most the upper end of an interval; the lower end says nothing."""
    return Claim(
        measure=measure,
        relation=Relation.AT_MOST,
        value=value,
        unit=unit,
        status=Status.CERTIFIED,
        because=because,
        sentence=sentence,
    )


# --- Works that claims cite, in full: a file that cites [B, Thm 3] also names the authors of B
#
# A test compares this table with docs/references.bib.


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A work, by the short key that stands in square brackets.

    A certificate spells out the works that its claims cite: `certificate.sources`.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> made = sf.certify(sf.mechanisms.RandomizedResponse(size=2, odds=Fraction(3)))
    >>> [source.key for source in made.sources]
    ['A', 'B', 'Bir46', 'C', 'Che52', 'E', 'IWK20', 'Sha48', 'Smith09']
    >>> str(made.sources[-2])
    '[Sha48] Claude E. Shannon: A mathematical theory of communication. Bell System Technical Journal, 1948.'
    """

    key: str
    authors: str
    title: str
    venue: str
    year: int

    def __str__(self) -> str:
        return f"[{self.key}] {self.authors}: {self.title}. {self.venue}, {self.year}."


def _table(*sources: Source) -> dict[str, Source]:
    return {source.key: source for source in sources}


SOURCES = _table(
    Source(
        key="A",
        authors="Ajaykrishnan Nageswaran, Prakash Narayan",
        title="Data Privacy for a ρ-Recoverable Function",
        venue="IEEE Transactions on Information Theory",
        year=2019,
    ),
    Source(
        key="B",
        authors="Antonious M. Girgis, Deepesh Data, Kamalika Chaudhuri, Christina Fragouli, Suhas Diggavi",
        title="Successive Refinement of Privacy",
        venue="arXiv:2005.11651",
        year=2020,
    ),
    Source(
        key="C",
        authors="Yuuya Yoshida, Man-Hong Yung, Masahito Hayashi",
        title="Accuracy-Privacy Trade-off in Analyzing Randomized Responses",
        venue="arXiv:1805.06278v1",
        year=2018,
    ),
    Source(
        key="D",
        authors="Borzoo Rassouli, Fernando E. Rosas, Deniz Gündüz",
        title="Data Disclosure under Perfect Sample Privacy",
        venue="IEEE Transactions on Information Forensics and Security",
        year=2020,
    ),
    Source(
        key="E",
        authors="Genqiang Wu, Xianyao Xia, Yeping He",
        title="Achieving Dalenius' Goal of Data Privacy with Practical Assumptions",
        venue="arXiv:1703.07474",
        year=2017,
    ),
    Source(
        key="AS19b",
        authors="Mohammad A. Alhejji, Graeme Smith",
        title="A Tight Uniform Continuity Bound for Equivocation",
        venue="arXiv:1909.00787",
        year=2019,
    ),
    Source(
        key="Bir46",
        authors="Garrett Birkhoff",
        title="Tres observaciones sobre el álgebra lineal",
        venue="Universidad Nacional de Tucumán, Revista, Serie A",
        year=1946,
    ),
    Source(
        key="Che52",
        authors="Herman Chernoff",
        title="A measure of asymptotic efficiency for tests of a hypothesis based on the sum of observations",
        venue="The Annals of Mathematical Statistics",
        year=1952,
    ),
    Source(
        key="CP34",
        authors="C. J. Clopper, E. S. Pearson",
        title="The use of confidence or fiducial limits illustrated in the case of the binomial",
        venue="Biometrika",
        year=1934,
    ),
    Source(
        key="IWK20",
        authors="Ibrahim Issa, Aaron B. Wagner, Sudeep Kamath",
        title="An operational approach to information leakage",
        venue="IEEE Transactions on Information Theory",
        year=2020,
    ),
    Source(
        key="McK04",
        authors="Andrew L. McKellips",
        title="Simple Tight Bounds on Capacity for the Peak-Limited Discrete-Time Channel",
        venue="IEEE International Symposium on Information Theory",
        year=2004,
    ),
    Source(
        key="Sha48",
        authors="Claude E. Shannon",
        title="A mathematical theory of communication",
        venue="Bell System Technical Journal",
        year=1948,
    ),
    Source(
        key="Smith09",
        authors="Geoffrey Smith",
        title="On the foundations of quantitative information flow",
        venue="Foundations of Software Science and Computational Structures (FOSSACS)",
        year=2009,
    ),
    Source(
        key="WOS+03",
        authors="Tsachy Weissman, Erik Ordentlich, Gadiel Seroussi, Sergio Verdu, Marcelo J. Weinberger",
        title="Inequalities for the L1 Deviation of the Empirical Distribution",
        venue="Hewlett-Packard Labs",
        year=2003,
    ),
)

_BRACKETS = re.compile(r"\[([^][]+)\]")
# A letter of the five papers, or author and year; "[0.1, 0.2]" is no citation.
_KEY = re.compile(r"[A-E]|[A-Z][A-Za-z]*\+?[0-9]{2}[a-z]?")


def keys_in(text: str) -> tuple[str, ...]:
    """Return the keys that a text cites: of "[B, Lemma 6; Bir46]" B and Bir46."""
    entries = (entry for inside in _BRACKETS.findall(text) for entry in inside.split(";"))
    firsts = (entry.split(",")[0].strip() for entry in entries)
    return tuple(key for key in firsts if _KEY.fullmatch(key))


def cited_sources(claims: Iterable[Claim]) -> tuple[Source, ...]:
    """Return every work that the claims cite, sorted by key."""
    keys = sorted({key for claim in claims for key in keys_in(claim.because)})
    if unknown := [key for key in keys if key not in SOURCES]:
        raise InvalidParameter(
            f"a claim cites [{unknown[0]}], which is none of the works that claims rest on",
            way_out="Ask for the original certificate.",
        )
    return tuple(SOURCES[key] for key in keys)
