"""The readers of a study, and what each sees over several releases."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from sfumato.errors import InvalidParameter
from sfumato.ledger.amounts import ANSWERS, PUBLIC, Payer, Seen, worst_sum
from sfumato.numbers.intervals import float_above
from sfumato.study.fields import check_line, checked_epsilon

REGISTRAR = "registrar"
TOGETHER = "all analysts together"
# With the id of a question and an ending it must fit into the name of a file, in any script.
_LONGEST_NAME = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Analyst:
    """A reader with a key, who sees the reports of each question at this epsilon.

    `public_key` is the file of what devices seal draws for, from the study's folder; only what collects over the web
    reads it, and where it lies is no part of the study.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> sf.Analyst(name="ministry", epsilon=Fraction(2)).name
    'ministry'
    """

    name: str
    epsilon: Fraction
    public_key: str | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        check_line("name", self.name)
        if self.public_key is not None:
            check_line("public_key", self.public_key)
        if not self.name.replace("-", "").replace("_", "").isalnum() or self.name.lower() in {REGISTRAR, PUBLIC}:
            raise InvalidParameter(
                "of an analyst must be letters, digits, - and _, and not 'registrar' or 'public'",
                parameter="name",
                way_out="It names the file of the key: choose another.",
            )
        if len(self.name.encode()) > _LONGEST_NAME:
            raise InvalidParameter(
                f"of an analyst may have {_LONGEST_NAME} bytes: it names a file",
                parameter="name",
                way_out="Shorten it.",
            )
        object.__setattr__(self, "epsilon", checked_epsilon("epsilon", self.epsilon))


@dataclass(frozen=True, slots=True, kw_only=True)
class Audience:
    """What a study promises about every question: what the public and each analyst see, and whether answers come back.

    `population` is how many will be asked, if that is known; `on_devices` whether they draw their reports themselves.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> asked = sf.YesNo(id="tired", text="Tired?")
    >>> press = sf.Analyst(name="press", epsilon=Fraction(2))
    >>> study = sf.Study(name="Rest", questions=(asked,), public_epsilon=Fraction(1), analysts=(press,), recover=True)
    >>> study.audience == sf.study.Audience(public_epsilon=Fraction(1), analysts=(press,), recover=True)
    True
    >>> [round(epsilon, 4) for epsilon in asked.handler(study.audience).epsilons]  # of the press, and of everybody
    [2.0, 1.0]
    """

    public_epsilon: Fraction | None = None
    analysts: tuple[Analyst, ...] = ()
    recover: bool = False
    population: int | None = None
    on_devices: bool = False


# --- What each reader sees of a respondent over several releases
# For the person of whom most is seen.


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderSum:
    """What one reader sees of a respondent over several releases; `epsilon` is None where answers come back."""

    holder: str
    epsilon: float | None

    @property
    def as_json(self) -> float | str:
        """A number, or a word where there is none."""
        return ANSWERS if self.epsilon is None else "inf" if math.isinf(self.epsilon) else self.epsilon


def sums_over(releases: Sequence[Seen]) -> tuple[ReaderSum, ...]:
    """Add up what each reader sees over releases about the same people, rounded up.

    Who has no key to one of them sees there what the public sees. All analysts together see of each what its best
    key shows, although the keys of one release were not handed to the readers of another: they could meet.
    """
    return worst_sums((Payer(), one) for one in releases)


def worst_sums(releases: Iterable[tuple[Payer, Seen]]) -> tuple[ReaderSum, ...]:
    """Add up what each reader sees over releases for the person of whom most is seen, rounded up."""
    several = [(payer, dict(one)) for payer, one in releases]
    named = list(dict.fromkeys(reader for _, one in several for reader in one))
    analysts = [reader for reader in named if reader not in {PUBLIC, TOGETHER, REGISTRAR}]
    together = [TOGETHER] if len(analysts) > 1 else []
    registrar = [REGISTRAR] if REGISTRAR in named else []
    return tuple(_sum_of(reader, several) for reader in [PUBLIC, *analysts, *together, *registrar])


def _sum_of(reader: str, several: Sequence[tuple[Payer, dict[str, str]]]) -> ReaderSum:
    found = []
    for payer, one in several:
        best = max((text for text in one.values() if text != ANSWERS), key=float)
        text = one.get(reader, best if reader == TOGETHER else one[PUBLIC])
        if text == ANSWERS:
            return ReaderSum(holder=reader, epsilon=None)
        found.append((payer, math.inf if text == "inf" else Fraction(float(text))))
    total = worst_sum(found)
    return ReaderSum(holder=reader, epsilon=float_above(total) if isinstance(total, Fraction) else math.inf)
