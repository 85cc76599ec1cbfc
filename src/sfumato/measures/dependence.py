"""Assumptions about how many people depend on each other, under which a bound holds.

A bound against *anyone* holds whatever an adversary believes about how people depend on each other. A bound for at most
`people` holds where each person depends on at most that many people, themselves included: a household. A bound for
`shared_bits` holds for adversaries whose beliefs differ by at most that many bits, over the whole data set, from
independent people, or from independent households where `people` are given too. Bits under different assumptions are
not added.   Theory: docs/theory/correlations.md
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from sfumato.errors import InvalidParameter
from sfumato.numbers.checks import as_exact, check_at_least, check_integer

_WORDS = {"anyone": None, "nobody": 1}


@dataclass(frozen=True, slots=True, kw_only=True)
class Correlation:
    """At most `people` depend on each other (None: no limit), or beliefs share at most `shared_bits`.

    With both, beliefs differ by at most so many bits from households of at most so many people that are independent.

    >>> import sfumato as sf
    >>> sf.measures.Correlation.of("nobody"), sf.measures.Correlation.of(5).words
    (Correlation(people=1, shared_bits=None), 'at most 5 people')
    """

    people: int | None = None
    shared_bits: Fraction | None = None

    def __post_init__(self) -> None:
        if self.people is not None:
            check_at_least("people", check_integer("people", self.people), 1)
        if self.shared_bits is not None:
            exact = as_exact("shared_bits", self.shared_bits)
            if exact < 0:
                raise InvalidParameter(
                    "must be at least 0",
                    parameter="shared_bits",
                    value=self.shared_bits,
                    way_out="Say 0 for people who are independent.",
                )
            object.__setattr__(self, "shared_bits", exact)
            if self.people == 1:  # a household of one is a person
                object.__setattr__(self, "people", None)

    @classmethod
    def of(cls, said: Correlation | str | int) -> Correlation:
        """Read an assumption: "anyone", "nobody", or how many people may depend on each other, themselves included."""
        if isinstance(said, Correlation):
            return said
        if isinstance(said, str):
            if said in _WORDS:
                return cls(people=_WORDS[said])
            if not (said.isascii() and said.isdigit()):
                raise InvalidParameter(
                    "must be anyone, nobody, or a number of people",
                    parameter="correlated",
                    value=said,
                    way_out="Say 5 if at most five people, such as a household, may depend on each other.",
                )
            said = int(said)
        check_at_least("correlated", check_integer("correlated", said), 1)
        return cls(people=said)

    @property
    def is_anyone(self) -> bool:
        """Whether nothing is assumed."""
        return self.people is None and self.shared_bits is None

    @property
    def words(self) -> str:
        """Who may depend on each other, in a few words."""
        if self.shared_bits is not None:
            households = "" if self.people is None else f" beyond households of at most {self.people}"
            return f"beliefs that share at most {self.shared_bits} bits{households}"
        if self.people is None:
            return "anyone"
        return "nobody" if self.people == 1 else f"at most {self.people} people"


ANYONE = Correlation()
NOBODY = Correlation(people=1)
