"""What a public certificate of a private law is about, and the words for what it states, each from its number alone.

Theory: docs/theory/disclosure.md
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from itertools import combinations

from sfumato.disclose.data_laws import Groups
from sfumato.disclose.disclosure_certificates import LEAK, protected_words
from sfumato.disclose.disclosures import MOST_EXACT
from sfumato.disclose.law_bounds import ROUNDING_BITS
from sfumato.disclose.law_estimates import Estimation
from sfumato.errors import InvalidParameter
from sfumato.values import Claim, Interval, Relation, Status

MOST_SAMPLES = 10_000
MOST_SYMBOLS = 2**53
_MOST_VALUES = 2**31
# Indices that all groups together may list.
_MOST_LISTED = 1_000_000
# Groups with more subsets than this many halvings are not gone through.
_MOST_SUBSETS = 16
_COMMITMENT = re.compile(r"sha256:[0-9a-f]{64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicDisclosureSubject:
    """A disclosure whose law and mapping are private; `commitment` is to the certificate that has them.

    `symbols` is how many the best mapping of any table of this shape needs at most: that of one table would tell of it.

    It is what `public_certificate` makes of a private one.

    >>> import sfumato as sf
    >>> law = sf.disclose.counted_law([[40, 10], [20, 30]])
    >>> private = sf.certify(sf.disclose.optimum(law), estimated_from=100)
    >>> public = sf.disclose.public_certificate(private).subject
    >>> public.shape, public.symbols, public.commitment[:7]
    ((2, 2), 2, 'sha256:')
    """

    shape: tuple[int, ...]
    groups: Groups
    symbols: int
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
        if self.symbols != padded_symbols(self.shape, self.groups):
            raise InvalidParameter(
                "must be the number of symbols that every table of this shape is padded to",
                parameter="symbols",
                value=self.symbols,
                way_out="Make it from a private certificate, with sf.disclose.public_certificate.",
            )
        if not self.estimation.is_private:
            raise InvalidParameter(
                "was not made from protected records, and then everything may be public",
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


def public_leak(subject: PublicDisclosureSubject) -> Interval:
    """What is stated of a protected group: small mappings are exact, and of others rounding may be left."""
    return Interval(0.0, 0.0 if math.prod(subject.shape) <= MOST_EXACT else ROUNDING_BITS)


def padded_symbols(shape: tuple[int, ...], groups: Groups) -> int:
    """Return nul(P) + 1 for the whole alphabet, the most symbols that a best mapping needs [D, Prop. 3].

    The rank of P is the number of free parameters of marginals: Π (s_i - 1) for each set of samples that lies in a
    group. Where groups have too many subsets to go through, as many symbols as cells; never more than 2^53.
    """
    cells = math.prod(shape)
    if sum(2 ** min(len(group), _MOST_SUBSETS) for group in groups) >= 2**_MOST_SUBSETS:
        return min(cells, MOST_SYMBOLS)
    inside = {chosen for group in groups for size in range(len(group) + 1) for chosen in combinations(group, size)}
    return min(cells - sum(math.prod(shape[i] - 1 for i in chosen) for chosen in inside) + 1, MOST_SYMBOLS)


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
