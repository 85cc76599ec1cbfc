"""What a public certificate of a private law is about, and the words for what it states, each from its number alone."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from fractions import Fraction

from sfumato.disclose.data_laws import Groups
from sfumato.disclose.disclosure_certificates import LEAK, TOLD, protected_words
from sfumato.disclose.drift_claims import DRIFT, drift_claim, drift_reason, drift_sentence
from sfumato.disclose.law_estimates import Estimation
from sfumato.disclose.public_numbers import two_digits
from sfumato.errors import InvalidParameter
from sfumato.values import Claim, Interval, Relation, Status
from sfumato.values.rounding import log2_bounds

MOST_SAMPLES = 10_000
_MOST_VALUES = 2**31
# Indices that all groups together may list.
_MOST_LISTED = 1_000_000
_COMMITMENT = re.compile(r"sha256:[0-9a-f]{64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicDisclosureSubject:
    """A disclosure whose law and mapping are private; `commitment` is to the certificate that has them."""

    shape: tuple[int, ...]
    groups: Groups
    estimation: Estimation
    commitment: str

    def __post_init__(self) -> None:
        if not 1 <= len(self.shape) <= MOST_SAMPLES or not all(1 <= size <= _MOST_VALUES for size in self.shape):
            raise InvalidParameter(
                f"must have 1 to {MOST_SAMPLES} samples, of 1 to {_MOST_VALUES} values each",
                parameter="shape",
                way_out="Make it from a private certificate, with sf.disclose.public_certificate.",
            )
        if sum(map(len, self.groups)) > _MOST_LISTED:
            raise InvalidParameter(
                f"must not list more than {_MOST_LISTED} samples in all", parameter="groups", way_out="Merge groups."
            )
        if not self.estimation.is_private:
            raise InvalidParameter(
                "was declared, and then everything may be public",
                parameter="estimation",
                way_out="Publish the certificate itself.",
            )
        if not _COMMITMENT.fullmatch(self.commitment):
            raise InvalidParameter(
                "must be sha256: and 64 hex digits",
                parameter="commitment",
                way_out="Make it from a private certificate, with sf.disclose.public_certificate.",
            )


def leak_statement(subject: PublicDisclosureSubject, number: Interval) -> Claim:
    """What is stated about a protected group, from its number."""
    what = protected_words(single=all(len(group) == 1 for group in subject.groups))
    sentence = f"The release tells at most {number.upper:g} bits about {what}, if the data follow the law."
    if number.upper == 0:
        sentence = f"The release tells nothing at all about {what}, if the data follow the law."
    because = "I(X_group;Y) of the private mapping, the largest over the groups [D, Def. 1]"
    return _stated(LEAK, Relation.AT_MOST, number, because, sentence)


def told_statement(subject: PublicDisclosureSubject, number: Interval) -> Claim:
    """What is stated about the whole data set, from its number."""
    return _stated(
        TOLD,
        Relation.WITHIN,
        number,
        "I(X^n;Y) of the private mapping under the private law [Sha48]",
        f"The release tells between {number.lower:g} and {number.upper:g} bits about the whole data set; with so many "
        f"values there are at most {room_bits(subject.shape):g} in it.",
    )


def drift_statement(subject: PublicDisclosureSubject, number: Interval) -> Claim:
    """What is stated in case the true law is another than the estimate; of samples it depends on the private law."""
    if subject.estimation.samples is None:
        return drift_claim(subject.shape, subject.estimation, number)
    return _stated(
        DRIFT,
        Relation.AT_MOST,
        number,
        drift_reason(subject.shape, subject.estimation),
        drift_sentence(subject.shape, subject.estimation, f"{number.upper:g}"),
    )


def _stated(measure: str, relation: Relation, number: Interval, because: str, sentence: str) -> Claim:
    return Claim(
        measure=measure,
        relation=relation,
        value=number,
        unit="bits",
        status=Status.STATED,
        because=because,
        sentence=sentence,
    )


def room_bits(shape: tuple[int, ...]) -> float:
    """The most bits that a data set of the shape can hold, in two digits."""
    return two_digits(log2_bounds(Fraction(math.prod(shape)))[1], up=True)
