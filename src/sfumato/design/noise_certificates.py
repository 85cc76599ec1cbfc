"""Certificates of noise: the grid, the discrete law that is added, and how much passes through it.

The file carries the range, the steps and the parameter of the noise in Fractions, and the input law that proves the
capacity. Verification evaluates that law again; where a record has few values, it bounds every selection again. It
never looks for a better noise.   Theory: docs/theory/gaussian_noise.md
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from fractions import Fraction

import msgspec
import numpy as np

from sfumato.certificates.document import NO_DIGEST, ClaimRecord, open_sealed, read_claim, spell, write_claim
from sfumato.certificates.rules import GRID, certified_claim, exact_claim, publish
from sfumato.certificates.words import at_most, fraction_text
from sfumato.errors import ClaimRefused, NotCertified
from sfumato.measures.enclosures import log2_interval
from sfumato.measures.lattice.noise import lattice_capacity, lattice_capacity_from
from sfumato.measures.lattice.selections import is_affordable, selection_capacity
from sfumato.values import Claim, Claiming, Interval, Relation, Status

SCHEMA = "sfumato/noise-certificate/1"
CAPACITY = "noise_capacity_bits"
# A race of selections stops at a gap of 1e-7 nats, a little earlier or later on another machine.
_RACE_SLACK = 5e-7
# Finer scales and noises than any design here has; a file that asks for more is not one of ours.
_MOST_STEPS = 2_000
_MOST_DIGITS = 400
_NOISES = Fraction(1, 1000), Fraction(10**9)


class _Document(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    schema: str
    digest: str
    low: str
    high: str
    steps: int
    grid: str
    variance: str
    values: int | None
    positions: list[int]
    weights: list[float]
    claims: list[ClaimRecord]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseCertificate(Claiming):
    """Claims about a number in [low, high], rounded to 2·steps+1 values and given discrete Gaussian noise.

    `variance` is the noise's parameter in steps²; `values` how many values a record has, None for any number.
    """

    low: Fraction
    high: Fraction
    steps: int
    variance: Fraction
    values: int | None
    positions: tuple[int, ...]
    weights: tuple[float, ...]
    claims: tuple[Claim, ...]

    notes: tuple[str, ...] = (
        "One release. The bits of several releases about the same records add up.",
        "In bits, under any knowledge and any correlation; the odds between two values are not bounded.",
    )

    @property
    def grid(self) -> Fraction:
        """The distance between two released values."""
        return (self.high - self.low) / (2 * self.steps)

    @property
    def title(self) -> str:
        """What it is a certificate of."""
        return f"Certificate of noise: a number rounded to {2 * self.steps + 1} values, discrete Gaussian noise"

    def to_json(self) -> str:
        """Return the sealed document, in the one spelling that verification accepts."""
        return spell(
            _Document(
                schema=SCHEMA,
                digest=NO_DIGEST,
                low=str(self.low),
                high=str(self.high),
                steps=self.steps,
                grid=str(self.grid),
                variance=str(self.variance),
                values=self.values,
                positions=list(self.positions),
                weights=list(self.weights),
                claims=[write_claim(claim) for claim in self.claims],
            )
        )

    @staticmethod
    def from_json(data: str | bytes) -> NoiseCertificate:
        """Open a sealed document; raises when a byte of it was changed."""
        return open_sealed(data, SCHEMA, _Document, _read, NoiseCertificate.to_json)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseBound:
    """A published enclosure of what passes through the noise, and the input law that proves it."""

    bits: Interval
    positions: tuple[int, ...]
    weights: tuple[float, ...]


def bound_noise(variance: Fraction, steps: int, values: int | None) -> NoiseBound:
    """Search for the input law that tells most, and enclose the capacity by it."""
    if uses_selections(variance, steps, values):
        found = selection_capacity(variance, steps, values or 2)
        wider = found.bits.widened(_race_slack(values)).at_least(0.0)
        return NoiseBound(bits=publish(wider), positions=found.positions, weights=found.weights)
    bits, law = lattice_capacity(variance, steps)
    places = np.flatnonzero(law)
    return NoiseBound(
        bits=publish(bits), positions=tuple((places - steps).tolist()), weights=tuple(law[places].tolist())
    )


def uses_selections(variance: Fraction, steps: int, values: int | None) -> bool:
    """Whether the number of values tightens the bound: when every selection of so many inputs can be bounded."""
    return values is not None and is_affordable(variance, steps, values)


def _race_slack(values: int | None) -> float:
    """Two values need no race, and any number of them no selection."""
    return _RACE_SLACK if values in {3, 4} else 0.0


def certify_noise(
    *, low: Fraction, high: Fraction, steps: int, variance: Fraction, values: int | None = None
) -> NoiseCertificate:
    """Return every claim about this noise."""
    bound = bound_noise(variance, steps, values)
    return NoiseCertificate(
        low=low,
        high=high,
        steps=steps,
        variance=variance,
        values=values,
        positions=bound.positions,
        weights=bound.weights,
        claims=_claims(bound.bits, low, high, steps, variance, values),
    )


def verify_noise(certificate: NoiseCertificate) -> None:
    """Return when every claim holds; raise ClaimRefused otherwise."""
    variance, steps, values = certificate.variance, certificate.steps, certificate.values
    claimed = certificate.claims[0].value if certificate.claims else None
    if not isinstance(claimed, Interval):
        raise ClaimRefused("the certificate does not begin with the capacity of its noise.")
    try:
        if uses_selections(variance, steps, values):
            found = selection_capacity(variance, steps, values or 2).bits
        else:
            found = lattice_capacity_from(variance, steps, certificate.positions, certificate.weights)
    except NotCertified as error:
        raise ClaimRefused(f"{CAPACITY}: {error}") from None
    if not claimed.encloses(found):
        raise ClaimRefused(f"{CAPACITY}: claimed {claimed}, but the value lies in {found}.")
    if not found.widened(3 * (GRID + _race_slack(values))).encloses(claimed):
        raise ClaimRefused(f"{CAPACITY}: claimed {claimed} is vaguer than the recomputed {found}.")
    again = _claims(claimed, certificate.low, certificate.high, steps, variance, values)
    if again != certificate.claims:
        raise ClaimRefused("the certificate does not make the claims that belong to its noise.")


def _claims(
    bits: Interval, low: Fraction, high: Fraction, steps: int, variance: Fraction, values: int | None
) -> tuple[Claim, ...]:
    grid = (high - low) / (2 * steps)
    if uses_selections(variance, steps, values):
        why = f"the largest capacity among all selections of {values} of the {2 * steps + 1} inputs [E, Thm 2]"
        whom = f"any one record with at most {values} values"
    else:
        why = f"p·D(W_x‖q) ≤ C ≤ max D(W_x‖q) over the {2 * steps + 1} inputs, tails and rounding included"
        whom = "any one record, and about all of them together"
    # 1 + T²/N is the same in steps.
    doubled = log2_interval(1 + steps**2 / variance)
    printed = publish(Interval(doubled.lower / 2, doubled.upper / 2).widened(0.0))
    return (
        certified_claim(
            CAPACITY,
            bits,
            "bits",
            because=why,
            sentence=(
                f"One release tells at most {at_most(bits)} bits about {whom}, whatever is known beforehand and "
                f"however the records depend on each other."
            ),
        ),
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


def _read(document: _Document) -> NoiseCertificate:
    low, high, variance = (_fraction(text) for text in (document.low, document.high, document.variance))
    if not low < high or not _NOISES[0] <= variance <= _NOISES[1] or not 1 <= document.steps <= _MOST_STEPS:
        raise ValueError("the range, the steps or the noise cannot be")
    if document.values is not None and document.values < 2:
        raise ValueError("a record has two values or more")
    # The grid stands in the file for its reader; writing the certificate again shows whether it fits.
    return NoiseCertificate(
        low=low,
        high=high,
        steps=document.steps,
        variance=variance,
        values=document.values,
        positions=tuple(document.positions),
        weights=tuple(document.weights),
        claims=tuple(read_claim(claim) for claim in document.claims),
    )


def _fraction(text: str) -> Fraction:
    # "1e999999999" would be a fraction too, of a billion digits.
    if len(text) > _MOST_DIGITS or not re.fullmatch(r"-?\d+(/\d+)?", text):
        raise ValueError("not a fraction of whole numbers")
    return Fraction(text)
