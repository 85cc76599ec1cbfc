"""Releases as plain values: what was promised about each, in the currencies in which promises add up.

A release only says what it is; the ledger adds. Where no bound is known in a currency the charge is infinite, and a
ledger with a limit there refuses it: a limit is a promise about everything that is released together.

Nothing made from releases alone is a release: post-processing is free [E, Prop 1]. Charges to people who are declared
to be different are not added in ε and leakage, which are about a person's own answers; in bits they are, because with
correlations between people parallel composition fails [E, Sec 7.3].   Theory: docs/theory/composition.md
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from sfumato.account.amounts import Amount, Charges, charge_of
from sfumato.account.assumptions import Assumption
from sfumato.account.lines import MOST_TITLE, check_line, checked_lines
from sfumato.account.payers import Payer, people_key
from sfumato.account.published import Published, checked_name
from sfumato.errors import InvalidParameter
from sfumato.values.checks import as_exact, check_between
from sfumato.values.types import Real

# 1/ln 2 rounded up; a test compares it with 50 digits.
_BITS_A_NAT = Fraction("1.4426950408889634074")


class Kind(StrEnum):
    """Which promise a release makes.

    >>> import sfumato as sf
    >>> sf.account.local("Health survey", 1).kind.value
    'local'
    >>> print(sf.account.Kind.RECOVERABLE.how_it_adds.partition(".")[0])
    How often the best guess is wrong does not add
    """

    INFORMATION = "information"
    LOCAL = "local"
    RECOVERABLE = "recoverable"
    PERFECT_SAMPLES = "perfect_samples"

    @property
    def how_it_adds(self) -> str:
        """What becomes of this promise when there are several releases."""
        return _HOW_IT_ADDS[self]


_HOW_IT_ADDS = {
    Kind.INFORMATION: (
        "Bits add. All are counted under one assumption about who depends on whom, the widest of any release; without "
        "one they bound what any adversary learns about one person. Releases about disjoint groups of people add too."
    ),
    Kind.LOCAL: (
        "ε adds for the same people, and bounds what a report says about the person's own answer. What correlated "
        "people say about each other is bounded only by the worst case in bits, which adds for disjoint groups too."
    ),
    Kind.RECOVERABLE: (
        "How often the best guess is wrong does not add. The maximal leakage of answers drawn independently of each "
        "other, given the data, adds, and it is charged instead."
    ),
    Kind.PERFECT_SAMPLES: (
        "Nothing about any single sample, under the declared law, once: two such releases of the same rows can leak "
        "together, so a second one is refused. The worst case in bits, against any correlations, adds."
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """One release: its title, its promise, and what that costs; `rows` names rows that may be released only once.

    `people` names the people whom it is about, who are declared to be others than people of another name; without a
    name it is about anybody. `published` says of reports which draws made which of them, about whom, so that no ledger
    takes one for another. `assumption` says for whom its bits hold, and what they are for others; without one they
    hold for anyone. Make one with `information`, `local`, `recoverable` or `perfect_samples`.

    >>> import sfumato as sf
    >>> release = sf.account.information("Mean income", 0.5)
    >>> release.kind.value, str(release.charges.bits), release.charges.epsilon
    ('information', '1/2', inf)
    """

    title: str
    kind: Kind
    charges: Charges
    rows: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    published: Published | None = None
    people: str | None = None
    assumption: Assumption | None = None

    def __post_init__(self) -> None:
        check_line("title", self.title, MOST_TITLE)
        if not isinstance(self.kind, Kind):
            raise InvalidParameter(
                f"must be a Kind, not {type(self.kind).__name__}",
                parameter="kind",
                way_out="Use Kind.INFORMATION, say.",
            )
        exact = {currency.value: charge_of(currency.value, amount) for currency, amount in self.charges}
        object.__setattr__(self, "charges", Charges(**exact))
        object.__setattr__(self, "rows", checked_lines("rows", self.rows))
        object.__setattr__(self, "notes", checked_lines("notes", self.notes))
        object.__setattr__(self, "people", checked_name("people", self.people))
        if self.published is not None and self.published.people != self.people:
            raise InvalidParameter(
                "is another than that of the reports", parameter="people", way_out="Name the people of the reports."
            )
        if tuple(sorted(set(self.rows))) != self.rows:
            raise InvalidParameter(
                "must be sorted, each once", parameter="rows", way_out="Let `perfect_samples` make the release."
            )
        if bool(self.rows) != (self.kind is Kind.PERFECT_SAMPLES):
            raise InvalidParameter(
                "go with releases of perfect samples, and with no others", parameter="rows", way_out="Name them there."
            )
        if self.assumption is not None and (self.kind is not Kind.INFORMATION or math.isinf(self.charges.bits)):
            raise InvalidParameter(
                "goes with a release of so many bits, and with no other",
                parameter="assumption",
                way_out="Let `information` make the release.",
            )
        if all(math.isinf(amount) for _, amount in self.charges):
            raise InvalidParameter(
                "are infinite in every currency, so nothing is promised", parameter="charges", way_out="Give one bound."
            )

    @property
    def payer(self) -> Payer:
        """Who pays for it."""
        return Payer(people=people_key(self.people)) if self.published is None else self.published.payer

    @property
    def is_local(self) -> bool:
        """Whether it is made of reports, each drawn from one person's answer alone."""
        return self.kind is Kind.LOCAL

    @property
    def how_it_adds(self) -> str:
        """What becomes of its promise when there are several releases."""
        return self.kind.how_it_adds


def information(
    title: str,
    budget_bits: Amount,
    *,
    epsilon: Amount = math.inf,
    leakage_bits: Amount = math.inf,
    notes: Iterable[str] = (),
    people: str | None = None,
    assumption: Assumption | None = None,
) -> Release:
    """Return a release of at most `budget_bits` = C_1 about one person, to any adversary with any correlations in mind.

    With an `assumption` they bound what is told if no more people depend on each other than it says. C_1 of several
    releases of one data set is at most the sum [E, Thm 5]. It bounds neither ε nor maximal leakage, so these are
    infinite unless they are known too.

    >>> import sfumato as sf
    >>> release = sf.account.information("Mean income", 0.5, epsilon=1)
    >>> str(release.charges.bits), str(release.charges.epsilon), release.charges.leakage_bits
    ('1/2', '1', inf)
    """
    charges = Charges(bits=charge_of("budget_bits", budget_bits), epsilon=epsilon, leakage_bits=leakage_bits)
    return Release(
        title=title,
        kind=Kind.INFORMATION,
        charges=charges,
        notes=tuple(notes),
        people=people,
        assumption=assumption,
    )


def local(
    title: str,
    epsilon: Amount,
    *,
    worst_case_bits: Amount = math.inf,
    leakage_bits: Amount | None = None,
    notes: Iterable[str] = (),
    people: str | None = None,
) -> Release:
    """Return a release that is ε-locally differentially private, ε in nats, about each person's own answer.

    Against correlations between people the only bound in bits is `worst_case_bits`, the lesser of log2 of the number
    of answers and the number of people times the capacity of one report: parallel composition fails [E, Sec 7.3].
    Maximal leakage is at most ε/ln 2 bits, since Σ_y max_x P(y|x) ≤ e^ε Σ_y P(y|x_0), and less if it is given.

    >>> import sfumato as sf
    >>> release = sf.account.local("Health survey", 1, worst_case_bits=1)
    >>> str(release.charges.bits), str(release.charges.epsilon), round(float(release.charges.leakage_bits), 4)
    ('1', '1', 1.4427)
    """
    amount = charge_of("epsilon", epsilon)
    bound = _BITS_A_NAT * amount if isinstance(amount, Fraction) else math.inf
    leakage = bound if leakage_bits is None else min(bound, charge_of("leakage_bits", leakage_bits))
    charges = Charges(bits=worst_case_bits, epsilon=amount, leakage_bits=leakage)
    return Release(title=title, kind=Kind.LOCAL, charges=charges, notes=tuple(notes), people=people)


def recoverable(
    title: str,
    leakage_bits: Amount,
    *,
    worst_case_bits: Amount = math.inf,
    rho: Real | None = None,
    epsilon: Amount = math.inf,
    notes: Iterable[str] = (),
    people: str | None = None,
) -> Release:
    """Return a release of answers that are right with probability ρ, and whose best guesser is wrong often [A, Def 1].

    That error does not add up over releases: each may be within its limit and both together give the data away. The
    maximal leakage of answers that are drawn independently given the data is at most the sum, and is charged.

    >>> import sfumato as sf
    >>> release = sf.account.recoverable("Ward lists", 0.5, rho=0.9)
    >>> str(release.charges.leakage_bits), release.charges.bits, release.notes
    ('1/2', inf, ('right with probability 9/10',))
    """
    said = list(notes)
    if rho is not None:
        exact = as_exact("rho", rho)
        check_between("rho", exact, 0, 1)
        said.insert(0, f"right with probability {exact}")
    charges = Charges(bits=worst_case_bits, epsilon=epsilon, leakage_bits=leakage_bits)
    return Release(title=title, kind=Kind.RECOVERABLE, charges=charges, notes=tuple(said), people=people)


def perfect_samples(
    title: str,
    *,
    rows_id: str | Iterable[str],
    worst_case_bits: Amount,
    notes: Iterable[str] = (),
    people: str | None = None,
) -> Release:
    """Return a release that is independent of every single sample under the declared law [D, Def 1].

    `rows_id` names the rows, such as a digest of each column; a ledger takes each name once, because two releases of
    the same rows can leak together although each is private. Several that were designed jointly are one release. The
    promise rests on the law; against any correlations it is `worst_case_bits`, and there is no bound in ε.

    Raises:
        InvalidParameter: no rows are named.

    >>> import tempfile
    >>> from pathlib import Path
    >>> import sfumato as sf
    >>> ledger = sf.account.Ledger.create(Path(tempfile.mkdtemp()) / "people.ledger", budget_bits=2)
    >>> parities = sf.account.perfect_samples("Parities", rows_id="column ab12", worst_case_bits=1)
    >>> receipt = ledger.spend(parities)
    >>> try:
    ...     ledger.spend(parities)
    ... except sf.errors.BudgetSpent as error:
    ...     print(error.rule.partition(",")[0])
    1 of the rows of 'Parities' were released before
    """
    named = (rows_id,) if isinstance(rows_id, str) else tuple(rows_id)
    rows = tuple(sorted(set(checked_lines("rows_id", named))))
    if not rows:
        raise InvalidParameter(
            "names no rows", parameter="rows_id", way_out="Give at least one name, such as a digest of the column."
        )
    charges = Charges(bits=worst_case_bits)
    return Release(
        title=title, kind=Kind.PERFECT_SAMPLES, charges=charges, rows=rows, notes=tuple(notes), people=people
    )


def checked_id(release_id: object) -> str:
    """Return the name of a release, one line of text."""
    check_line("release_id", release_id, MOST_TITLE)
    return str(release_id)
