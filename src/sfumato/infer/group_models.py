"""Laws of reports with several unknowns: the share of an answer, and how many follow the instructions.

Some designs ask two groups with two devices, or one more question whose answer is known, so that besides the share
something else can be found out: how frequent an innocent property is, who answers at random, who lies. Each
probability of a report is then a polynomial of the unknowns with exact coefficients, linear in each of them. Whether
reports determine the unknowns is a matter of rank: the derivatives of all probabilities, at a point of no special
kind, in exact numbers.
Theory: docs/theory/compliance.md
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from sfumato.errors import InvalidLaw, InvalidParameter, Refused
from sfumato.prob.alphabet import Label
from sfumato.values.checks import check_integer

Monomial = tuple[int, ...]
"""The places of the unknowns that are multiplied, ascending; () is the constant."""
Polynomial = tuple[tuple[Monomial, Fraction], ...]
GroupCounts = Mapping[Label, int] | Sequence[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown:
    """Something between 0 and 1 that is to be found out, and what it means.

    >>> import sfumato as sf
    >>> sf.infer.Unknown(name="share", meaning="of all respondents, those who hold the answer").name
    'share'
    >>> [one.name for one in sf.design.lie_detector_groups([0.75, 0.25]).model.unknowns]
    ['share', 'honest']
    """

    name: str
    meaning: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupLaw:
    """What one group reports: labels, and the probability of each as a polynomial of the unknowns.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> yes = sf.infer.polynomial({(): Fraction(1, 4), (0,): Fraction(1, 2)})  # 1/4 + share/2: a coin of 3/4
    >>> no = sf.infer.polynomial({(): Fraction(3, 4), (0,): Fraction(-1, 2)})
    >>> group = sf.infer.GroupLaw(name="everybody", reports=("no", "yes"), laws=(no, yes))
    >>> share = sf.infer.Unknown(name="share", meaning="of all respondents, those who hold the answer")
    >>> sf.infer.GroupModel(name="Warner", unknowns=(share,), groups=(group,)).loose_unknowns()
    ()
    """

    name: str
    reports: tuple[Label, ...]
    laws: tuple[Polynomial, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupModel:
    """Groups of respondents and what they report; unknowns whose places stand in one of `sums` add up to at most 1.

    The first unknown is the share that is asked about.

    >>> import sfumato as sf
    >>> two_groups = sf.design.unrelated_question_groups([0.75, 0.25]).model
    >>> two_groups.loose_unknowns()
    ()
    >>> sf.design.unrelated_question_groups([0.75]).model.loose_unknowns()  # one group cannot tell the two apart
    ('share', 'prevalence')
    """

    name: str
    unknowns: tuple[Unknown, ...]
    groups: tuple[GroupLaw, ...]
    sums: tuple[tuple[int, ...], ...] = ()

    def __post_init__(self) -> None:
        size = len(self.unknowns)
        for group in self.groups:
            if len(group.laws) != len(group.reports) or len(group.laws) < 2:
                raise InvalidLaw(
                    "must have a probability for each of at least two reports",
                    parameter="groups",
                    way_out="Give `laws` as long as `reports`.",
                )
            _check_monomials(group, size)
            total = added(*group.laws)
            if total != (((), Fraction(1)),):
                raise InvalidLaw(
                    "must sum to 1 whatever the unknowns are",
                    parameter="laws",
                    way_out="Write the last probability as 1 minus the others.",
                )
            for corner in product((Fraction(0), Fraction(1)), repeat=size):
                if self._allows(corner) and any(value_at(law, corner) < 0 for law in group.laws):
                    raise InvalidLaw(
                        "hold a negative probability at an end of the unknowns",
                        parameter="laws",
                        way_out="Check the chances of the device.",
                    )

    def _allows(self, point: Sequence[Fraction]) -> bool:
        return all(sum(point[place] for place in places) <= 1 for places in self.sums)

    def counts(self, counts: Sequence[GroupCounts] | Mapping[Label, GroupCounts]) -> tuple[tuple[int, ...], ...]:
        """Read the counts of all groups, by name or in order, and in each by report or in order."""
        if isinstance(counts, Mapping):
            missing = [group.name for group in self.groups if group.name not in counts]
            if missing or len(counts) != len(self.groups):
                raise InvalidParameter(
                    f"must name the groups {', '.join(repr(group.name) for group in self.groups)}",
                    parameter="counts",
                    way_out="Give the reports of each of them.",
                )
            rows = [counts[group.name] for group in self.groups]
        else:
            rows = list(counts)
        if len(rows) != len(self.groups):
            raise InvalidParameter(
                f"are of {len(rows)} groups and the design has {len(self.groups)}",
                parameter="counts",
                way_out="Give one row for each group.",
            )
        return tuple(_read(group, row) for group, row in zip(self.groups, rows, strict=True))

    def loose_unknowns(self) -> tuple[str, ...]:
        """Return the names of unknowns that can move without any report becoming likelier; none if all are determined.

        The derivatives are taken at points whose coordinates are ratios of different primes: the rank there is the
        rank almost everywhere, unless a polynomial has a zero just there, and so three points are tried.
        """
        best: tuple[str, ...] | None = None
        for shift in range(3):
            point = [Fraction(prime, 29 * (shift + 1)) for prime in _PRIMES[shift : shift + len(self.unknowns)]]
            rows = [
                [value_at(derivative(law, place), point) for place in range(len(self.unknowns))]
                for group in self.groups
                for law in group.laws
            ]
            loose = _loose(rows)
            found = tuple(unknown.name for unknown, moves in zip(self.unknowns, loose, strict=True) if moves)
            if best is None or len(found) < len(best):
                best = found
        return best or ()

    def check_identified(self) -> None:
        """Refuse a design whose reports do not determine its unknowns."""
        loose = self.loose_unknowns()
        if not loose:
            return
        free = sum(len(group.laws) - 1 for group in self.groups)
        names = " and ".join(f"“{name}”" for name in loose)
        if free < len(self.unknowns):
            why = f"there are {len(self.unknowns)} unknowns, and the reports of {_groups(len(self.groups))} fix {free}"
        else:
            why = "the groups' devices do the same, or too nearly the same things, to tell these apart"
        raise Refused(
            f"does not determine {names}: other values give the same reports just as often, because {why}",
            parameter="design",
            value=self.name,
            way_out="Ask a second group with another chance, or state how many may ignore the instructions and take "
            "the sensitivity band.",
        )


_PRIMES = (3, 5, 7, 11, 13, 17, 19, 23)


def polynomial(terms: Mapping[Monomial, Fraction | int]) -> Polynomial:
    """Return a polynomial of the unknowns in its one order, without terms that are 0: the `laws` of a `GroupLaw`.

    >>> import sfumato as sf
    >>> sf.infer.polynomial({(0,): 2, (): 1, (0, 1): 0})  # 1 + 2·(the first unknown)
    (((), Fraction(1, 1)), ((0,), Fraction(2, 1)))
    """
    return tuple(sorted((places, Fraction(factor)) for places, factor in terms.items() if factor))


def added(*summands: Polynomial) -> Polynomial:
    """Return the sum."""
    terms: dict[Monomial, Fraction] = {}
    for summand in summands:
        for places, factor in summand:
            terms[places] = terms.get(places, Fraction(0)) + factor
    return polynomial(terms)


def value_at(law: Polynomial, point: Sequence[Fraction]) -> Fraction:
    """Return its value."""
    total = Fraction(0)
    for places, factor in law:
        total += factor * math.prod(point[place] for place in places)
    return total


def derivative(law: Polynomial, place: int) -> Polynomial:
    """Return its derivative by one unknown, which it is linear in."""
    return polynomial(
        {tuple(one for one in places if one != place): factor for places, factor in law if place in places}
    )


def _check_monomials(group: GroupLaw, size: int) -> None:
    for law in group.laws:
        for places, _ in law:
            if list(places) != sorted(set(places)) or not all(0 <= place < size for place in places):
                raise InvalidLaw(
                    "must be linear in each unknown",
                    parameter="laws",
                    way_out="Name the unknowns of a product by their places, each once and in order.",
                )


def _read(group: GroupLaw, row: GroupCounts) -> tuple[int, ...]:
    if isinstance(row, Mapping):
        unknown = sum(label not in group.reports for label in row)
        if unknown:
            raise InvalidParameter(
                f"hold a report that the design does not know ({unknown} such)",
                parameter="counts",
                way_out=f"Its reports are {', '.join(map(repr, group.reports))}.",
            )
        row = [row.get(label, 0) for label in group.reports]
    found = tuple(check_integer("counts", count) for count in row)
    if len(found) != len(group.reports) or min(found) < 0 or not any(found):
        raise InvalidParameter(
            f"must be {len(group.reports)} whole numbers from 0 on in each group, and not all 0",
            parameter="counts",
            way_out=f"Count the reports {', '.join(map(repr, group.reports))}.",
        )
    return found


def _loose(rows: list[list[Fraction]]) -> list[bool]:
    """Return which columns take part in a combination that is 0: elimination in exact numbers."""
    width, table, pivots = len(rows[0]), [list(row) for row in rows], list[int]()
    for column in range(width):
        top = len(pivots)
        found = next((i for i in range(top, len(table)) if table[i][column]), None)
        if found is None:
            continue
        table[top], table[found] = table[found], table[top]
        table[top] = [value / table[top][column] for value in table[top]]
        for i, row in enumerate(table):
            if i != top and row[column]:
                table[i] = [a - row[column] * b for a, b in zip(row, table[top], strict=True)]
        pivots.append(column)
    loose = [column not in pivots for column in range(width)]
    for column in range(width):
        if column not in pivots:
            for i, pivot in enumerate(pivots):
                loose[pivot] = loose[pivot] or table[i][column] != 0
    return loose


def _groups(count: int) -> str:
    return "one group" if count == 1 else f"{count} groups"
