"""Designs with unknown compliance: models of several groups, their fits and sensitivity bands.

In a design with several groups the unknowns are estimated. In a single channel compliance cannot be estimated, because
every distribution of reports that the channel explains is explained by full compliance. There a band shows how far the
share could be off, for a stated share of people who do not comply.

Random answering is tested exactly: by a binomial count where the reports of a question are known in advance (an
anchor), and by Fisher's exact test [Fis35] where two groups should report the same, or the reverse of each other.
Theory: docs/theory/compliance.md
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from itertools import product

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidLaw, InvalidParameter, Refused
from sfumato.inference.exact import binomial_tail
from sfumato.inference.shares import Counts, estimate_share, sensitivity_band
from sfumato.numbers.checks import Real, as_exact, check_at_least, check_between, check_integer
from sfumato.numbers.intervals import Interval
from sfumato.prob.channel import Channel
from sfumato.prob.distribution import Label

# --- Models of reports with several unknowns
# Besides the share of an answer the unknowns are, for example, how frequent an innocent property is, who answers at
# random or who lies. Each probability of a report is a polynomial of the unknowns with exact coefficients, linear in
# each of them. The unknowns are determined if the derivatives of all probabilities, at a generic point, have full rank;
# it is computed exactly.
# Theory: docs/theory/compliance.md


Monomial = tuple[int, ...]
"""The places of the unknowns that are multiplied, ascending; () is the constant."""
Polynomial = tuple[tuple[Monomial, Fraction], ...]
GroupCounts = Mapping[Label, int] | Sequence[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown:
    """Something between 0 and 1 that is to be found out, and what it means.

    >>> import sfumato as sf
    >>> sf.inference.Unknown(name="share", meaning="of all respondents, those who hold the answer").name
    'share'
    >>> [one.name for one in sf.surveys.lie_detector_groups([0.75, 0.25]).model.unknowns]
    ['share', 'honest']
    """

    name: str
    meaning: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupLaw:
    """What one group reports: labels, and the probability of each as a polynomial of the unknowns.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> from sfumato.inference.noncompliance import polynomial
    >>> yes = polynomial({(): Fraction(1, 4), (0,): Fraction(1, 2)})  # 1/4 + share/2: a coin of 3/4
    >>> no = polynomial({(): Fraction(3, 4), (0,): Fraction(-1, 2)})
    >>> group = sf.inference.GroupLaw(name="everybody", reports=("no", "yes"), laws=(no, yes))
    >>> share = sf.inference.Unknown(name="share", meaning="of all respondents, those who hold the answer")
    >>> sf.inference.GroupModel(name="Warner", unknowns=(share,), groups=(group,)).loose_unknowns()
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
    >>> two_groups = sf.surveys.unrelated_question_groups([0.75, 0.25]).model
    >>> two_groups.loose_unknowns()
    ()
    >>> sf.surveys.unrelated_question_groups([0.75]).model.loose_unknowns()  # one group cannot tell the two apart
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
    >>> from sfumato.inference.noncompliance import polynomial
    >>> polynomial({(0,): 2, (): 1, (0, 1): 0})  # 1 + 2·(the first unknown)
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


# --- The likelihood of counts from several groups, and its maximum within the bounds of the unknowns
# The search starts at several points inside the bounds, because products of unknowns may have several maxima. A
# logarithmic barrier keeps the bounds and is lowered until it has no effect [Fia68].
# Theory: docs/theory/compliance.md


_BARRIERS = (1e-2, 1e-5, 1e-8, 1e-12)
_STEPS = 60
_TO_THE_WALL = 0.99
_RIDGE = 1e-14
# A report's log-likelihood gains less than this: one more step is taken, which squares what is missing.
_NO_GAIN, _LOOSELY, _NO_PACE = 1e-13, 1e-2, 1e-9
# Values closer to a bound than the barrier resolves are at the bound.
_AT_BOUND = 2e-6


class Likelihood:
    """The logarithm of the likelihood of counts, as matrices; cells are the reports of all groups in a row."""

    def __init__(self, model: GroupModel, table: Sequence[Sequence[int]]) -> None:
        self._size = len(model.unknowns)
        laws = [law for group in model.groups for law in group.laws]
        monomials = sorted({places for law in laws for places, _ in law})
        self._factors = np.zeros((len(laws), len(monomials)))
        for row, law in enumerate(laws):
            for places, factor in law:
                self._factors[row, monomials.index(places)] = float(factor)
        self._powers = np.array([[j in places for j in range(self._size)] for places in monomials])
        # Linear in each unknown: its derivative is the sum of the terms that have it, without it.
        self._slope_factors = np.stack([self._factors * self._powers[:, j] for j in range(self._size)])
        self._other_powers = np.stack([self._powers & (np.arange(self._size) != j) for j in range(self._size)])
        self._counts = np.array([k for row in table for k in row], dtype=np.float64)
        self._group = np.repeat(np.arange(len(table)), [len(row) for row in table])
        self._total = float(self._counts.sum())
        self._sums = [list(places) for places in model.sums]
        eye = np.eye(self._size)
        rows = [*(-eye), *eye, *(eye[places].sum(axis=0) for places in self._sums)]
        self._walls = np.array(rows)
        self._limits = np.array([0.0] * self._size + [1.0] * self._size + [1.0] * len(self._sums))

    def law(self, point: FloatArray) -> FloatArray:
        """Return the probabilities of all cells."""
        found: FloatArray = self._factors @ np.prod(np.where(self._powers, point, 1.0), axis=1)
        return found

    def slopes(self, point: FloatArray) -> FloatArray:
        """Return their derivatives, a column for each unknown."""
        products = np.prod(np.where(self._other_powers, point, 1.0), axis=2)
        found: FloatArray = (self._slope_factors @ products[:, :, None])[:, :, 0].T
        return found

    def height(self, point: FloatArray) -> float:
        """Return the logarithm of the likelihood, without the binomial coefficients."""
        law, seen = self.law(point), self._counts > 0
        if (law[seen] <= 0).any():
            return -math.inf
        return float(self._counts[seen] @ np.log(law[seen]))

    def information(self, point: FloatArray, totals: FloatArray) -> FloatArray:
        """Return the expected information of groups of such sizes."""
        law, slopes = self.law(point), self.slopes(point)
        weights = np.where(law > 0, totals[self._group] / np.where(law > 0, law, 1.0), 0.0)
        found: FloatArray = (slopes * weights[:, None]).T @ slopes
        return found

    def maximum(self) -> tuple[FloatArray, float]:
        """Return the likeliest point within the bounds and the height there."""
        free = list(range(self._size))
        ends = [self._climbed(start, free) for start in self._starts()]
        return max(((point, self.height(point)) for point in ends), key=lambda pair: pair[1])

    def profile(self, place: int, value: float, near: FloatArray) -> float:
        """Return the greatest height with one unknown held; `near` are values of the others to begin with."""
        free = [j for j in range(self._size) if j != place]
        heights = [-math.inf]
        starts = [near] if len(free) == 1 else [near, *self._starts()]
        for start in starts:
            moved = self._inside(start, {place: value})
            heights.append(self.height(self._climbed(moved, free) if free else moved))
        return max(heights)

    def _starts(self) -> list[FloatArray]:
        corners = [np.full(self._size, 0.5)]
        corners += [np.array(corner) for corner in product((0.15, 0.85), repeat=self._size)]
        return [self._inside(corner, {}) for corner in corners]

    def _inside(self, point: FloatArray, held: Mapping[int, float]) -> FloatArray:
        """Return the point moved inside all walls, those of what is held excepted."""
        found = np.clip(point, 0.05, 0.95)
        for place, value in held.items():
            found[place] = value
        for places in self._sums:
            loose = [j for j in places if j not in held]
            room = max(1e-9, 1 - sum(held.get(j, 0.0) for j in places))
            used = float(found[loose].sum())
            if loose and used >= 0.95 * room:
                found[loose] *= 0.9 * room / used
        return found

    def _climbed(self, start: FloatArray, free: list[int]) -> FloatArray:
        """Maximise with a falling barrier; the curvature is that of the reports seen, which is never negative."""
        point, seen = start.copy(), self._counts > 0
        shares = self._counts[seen] / self._total
        near = (self._walls[:, free] != 0).any(axis=1)
        walls, limits = self._walls[near], self._limits[near]

        def gain(at: FloatArray, barrier: float) -> float:
            room, law = limits - walls @ at, self.law(at)[seen]
            if room.min() <= 0 or law.min() <= 0:
                return -math.inf
            return float(shares @ np.log(law)) + barrier * float(np.log(room).sum())

        if gain(point, 1.0) == -math.inf:
            return point
        for barrier in _BARRIERS:
            here = gain(point, barrier)
            for _ in range(_STEPS):
                law, slopes, room = self.law(point)[seen], self.slopes(point)[seen][:, free], limits - walls @ point
                gradient = (shares / law) @ slopes - barrier * (1 / room) @ walls[:, free]
                scaled, walled = slopes * (np.sqrt(shares) / law)[:, None], walls[:, free] / room[:, None]
                curvature = scaled.T @ scaled + barrier * walled.T @ walled + _RIDGE * np.eye(len(free))
                step = np.zeros_like(point)
                step[free] = np.linalg.solve(curvature, gradient)
                gained = float(gradient @ step[free])
                pace = min(1.0, _TO_THE_WALL / max(1e-300, float((walls @ step / room).max())))
                if gained < max(_NO_GAIN, barrier * _LOOSELY):
                    if barrier == _BARRIERS[-1]:
                        point = point + pace * step
                    break
                while (there := gain(point + pace * step, barrier)) < here + 1e-4 * pace * gained and pace > _NO_PACE:
                    pace /= 2
                if pace <= _NO_PACE:
                    break
                point, here = point + pace * step, there
        snapped: FloatArray = np.where(point < _AT_BOUND, 0.0, np.where(point > 1 - _AT_BOUND, 1.0, point))
        return snapped if self.height(snapped) > -math.inf else point


# --- Fits of designs in several groups: estimates within their bounds, errors, intervals, fit
# Intervals hold the values at which the profile likelihood has fallen by no more than χ² allows [Wil38], within the
# bounds. Standard errors come from the expected information at the estimate, with n reports in a group, or n - 1 for
# unbiased variances of shares.
# Theory: docs/theory/compliance.md


FloatArray = npt.NDArray[np.float64]

_FAR_BELOW, _ROOT = 1e4, 1e-9
_SINGULAR = 1e-9


class Divisor(StrEnum):
    """By what variances of a group's shares are divided: the number of reports, or one less, for unbiased variances.

    >>> import sfumato as sf
    >>> model = sf.surveys.unrelated_question_groups([0.75, 0.25]).model
    >>> for divisor in sf.inference.Divisor:
    ...     found = sf.inference.fit_groups(model, [[65, 35], [55, 45]], divisor=divisor)
    ...     print(divisor.value, round(found.share.standard_error, 4))
    n 0.0757
    n - 1 0.0761
    """

    REPORTS = "n"
    REPORTS_LESS_ONE = "n - 1"


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownEstimate:
    """One unknown: its likeliest value within [0, 1], its standard error, and an interval within the bounds.

    >>> import sfumato as sf
    >>> model = sf.surveys.unrelated_question_groups([0.75, 0.25]).model
    >>> found = sf.inference.fit_groups(model, [[650, 350], [550, 450]]).of("prevalence")
    >>> found.meaning
    'of all respondents, those of whom the innocent question is true'
    >>> f"{found.value:.3f} from {found.interval.lower:.3f} to {found.interval.upper:.3f}"
    '0.500 from 0.452 to 0.549'
    """

    name: str
    meaning: str
    value: float
    standard_error: float
    interval: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupEstimate:
    """All unknowns of a design. With 0 `degrees` of freedom the reports cannot contradict it, else `deviance` may.

    >>> import sfumato as sf
    >>> model = sf.surveys.unrelated_question_groups([0.75, 0.25]).model
    >>> found = sf.inference.fit_groups(model, [[650, 350], [550, 450]])
    >>> [(one.name, round(one.value, 3)) for one in found.unknowns]
    [('share', 0.3), ('prevalence', 0.5)]
    >>> found.degrees, found.misfit, found.totals  # two groups fix two unknowns: nothing is left to test
    (0, None, (1000, 1000))
    """

    unknowns: tuple[UnknownEstimate, ...]
    covariance: FloatArray
    divisor: Divisor
    confidence: float
    log_likelihood: float
    deviance: float
    degrees: int
    totals: tuple[int, ...]
    notes: tuple[str, ...] = ()

    @property
    def share(self) -> UnknownEstimate:
        """The share that is asked about."""
        return self.unknowns[0]

    def of(self, name: str) -> UnknownEstimate:
        """Return an unknown by name."""
        for unknown in self.unknowns:
            if unknown.name == name:
                return unknown
        raise InvalidParameter(
            "is no unknown of this design",
            parameter="name",
            value=name,
            way_out=f"It has {', '.join(repr(unknown.name) for unknown in self.unknowns)}.",
        )

    @property
    def misfit(self) -> float | None:
        """How often chance alone would make the deviance so large; None where nothing is left to test."""
        return None if self.degrees <= 0 else _chi_squared_tail(self.deviance, self.degrees)


def fit_groups(
    model: GroupModel,
    counts: Sequence[GroupCounts] | Mapping[Label, GroupCounts],
    *,
    confidence: float = 0.95,
    divisor: Divisor | str = Divisor.REPORTS,
) -> GroupEstimate:
    """Estimate the unknowns of a design by maximum likelihood within their bounds, with profile intervals [Wil38].

    A design whose reports do not determine its unknowns is refused. `divisor` "n - 1" gives the errors that packages
    with moment estimators print; the likelihood has n.

    Raises:
        Refused: the reports of these groups do not determine the unknowns.
        InvalidParameter: groups or reports were counted that the design does not have.

    >>> import sfumato as sf
    >>> model = sf.surveys.unrelated_question_groups([0.75, 0.5, 0.25]).model
    >>> groups = [{"yes": 350, "no": 650}, {"yes": 400, "no": 600}, {"yes": 460, "no": 540}]
    >>> found = sf.inference.fit_groups(model, groups)
    >>> round(found.share.value, 3), round(found.of("prevalence").value, 3)
    (0.293, 0.513)
    >>> found.degrees, round(found.misfit, 2)  # the design explains the reports
    (1, 0.79)
    """
    check_between("confidence", confidence, 0.5, 1 - 1e-12)
    model.check_identified()
    table = model.counts(counts)
    by = Divisor(divisor) if divisor in tuple(Divisor) else _unknown_divisor(divisor)
    likelihood = Likelihood(model, table)
    point, height = likelihood.maximum()
    totals = np.array([sum(row) for row in table], dtype=np.float64)
    weights = totals - (by is Divisor.REPORTS_LESS_ONE)
    covariance, singular = _inverse(likelihood.information(point, np.maximum(weights, 1.0)))
    best = sum(k * math.log(k / sum(row)) for row in table for k in row if k)
    found = []
    for place, unknown in enumerate(model.unknowns):
        value = float(point[place])
        found.append(
            UnknownEstimate(
                name=unknown.name,
                meaning=unknown.meaning,
                value=value,
                standard_error=math.sqrt(max(0.0, float(covariance[place, place]))),
                interval=profile_interval(likelihood, point, height, place, confidence),
            )
        )
    notes = [
        f"“{one.name}” is put at its bound {one.value:g}, as close as it may come to what the reports say; its "
        f"interval holds, its standard error says little."
        for one in found
        if one.value in (0.0, 1.0)
    ]
    if singular:
        notes.append(
            "At this estimate the reports say next to nothing about some unknown, so that errors are infinite."
        )
    covariance.flags.writeable = False
    return GroupEstimate(
        unknowns=tuple(found),
        covariance=covariance,
        divisor=by,
        confidence=confidence,
        log_likelihood=height,
        deviance=max(0.0, 2 * (best - height)),
        degrees=sum(len(row) - 1 for row in table) - len(model.unknowns),
        totals=tuple(sum(row) for row in table),
        notes=tuple(notes),
    )


def profile_interval(
    likelihood: Likelihood, point: FloatArray, height: float, place: int, confidence: float
) -> Interval:
    """Return where the profile of one unknown has not fallen by more than χ² with one degree of freedom allows."""
    from scipy.optimize import brentq  # noqa: PLC0415  scipy is slow to import
    from scipy.special import ndtri  # noqa: PLC0415  scipy is slow to import

    floor = height - float(ndtri((1 + confidence) / 2)) ** 2 / 2

    def above(value: float) -> float:
        # A bound may be impossible: that is far below, and the search needs numbers.
        return max(likelihood.profile(place, value, point) - floor, -_FAR_BELOW)

    def edge(outside: float) -> float:
        inside = float(point[place])
        if inside == outside or above(outside) >= 0:
            return outside
        return float(brentq(above, inside, outside, xtol=_ROOT)) + math.copysign(2 * _ROOT, outside - inside)

    return Interval(max(0.0, edge(0.0)), min(1.0, edge(1.0)))


def _inverse(information: FloatArray) -> tuple[FloatArray, bool]:
    """Return the inverse, and whether there is none, in which case its diagonal is infinite."""
    scale = np.sqrt(np.maximum(np.diag(information), 1e-300))
    scaled = information / np.outer(scale, scale)
    if float(np.linalg.eigvalsh(scaled)[0]) < _SINGULAR:
        return np.where(np.eye(len(scale)) > 0, np.inf, 0.0), True
    return np.linalg.inv(scaled) / np.outer(scale, scale), False


def _chi_squared_tail(value: float, degrees: int) -> float:
    from scipy.special import gammaincc  # noqa: PLC0415  scipy is slow to import

    return float(gammaincc(degrees / 2, value / 2))


def _unknown_divisor(divisor: str) -> Divisor:
    raise InvalidParameter(
        "is not known",
        parameter="divisor",
        value=divisor,
        way_out=f"Choose one of {', '.join(repr(one.value) for one in Divisor)}.",
    )


# Probabilities that differ by less, relatively, are ties of the same table.
_TIE = 1e-7


@dataclass(frozen=True, slots=True, kw_only=True)
class ComplianceAnswer:
    """What is known of the share although some may not follow: an estimate, or a band for a stated share of them.

    >>> import sfumato as sf
    >>> coin = sf.surveys.warner_device(0.75).channel
    >>> found = sf.inference.allow_for_noncompliance(coin, [600, 400], ignoring=0.1)
    >>> print(found.estimate, round(found.band.lower, 3), round(found.band.upper, 3))
    None 0.167 0.389
    >>> found.because
    'One channel cannot tell who followed it; the band holds whatever the stated share reports.'
    """

    estimate: GroupEstimate | None
    band: Interval | None
    because: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweringTest:
    """How probable what was seen, or what speaks more against it, is: if all follow, and if all answer at random.

    `following` is the share who follow, with its interval, where the design has an anchor that tells it.

    >>> import sfumato as sf
    >>> found = sf.inference.anchor_test(700, 1000, chance=0.75)
    >>> round(found.following, 2), round(found.interval.lower, 2), round(found.interval.upper, 2)
    (0.8, 0.69, 0.91)
    >>> found.if_all_follow < 0.001, found.if_all_at_random < 0.001  # neither all follow, nor does nobody
    (True, True)
    """

    if_all_follow: float
    if_all_at_random: float
    method: str
    following: float | None = None
    interval: Interval | None = None


def allow_for_noncompliance(
    design: GroupModel | Channel,
    counts: Counts | Sequence[GroupCounts] | Mapping[Label, GroupCounts],
    *,
    ignoring: float | None = None,
    confidence: float = 0.95,
    divisor: Divisor | str = Divisor.REPORTS,
) -> ComplianceAnswer:
    """Estimate the share together with who does not follow, or say how far they could move it.

    A design in groups is fitted. Of a single channel, which cannot tell, `ignoring` states the share of those who
    report anything at all, and the answer is a band.

    Raises:
        Refused: a single channel comes without `ignoring`, or the groups do not determine the unknowns.

    >>> import sfumato as sf
    >>> device = sf.surveys.cheating_detection_groups([0.25, 0.75])
    >>> found = sf.inference.allow_for_noncompliance(device.model, [[660, 340], [300, 700]])
    >>> [(one.name, round(one.value, 3)) for one in found.estimate.unknowns]
    [('share', 0.16), ('cheating', 0.12)]
    >>> coin = sf.surveys.warner_device(0.75).channel  # of a single channel only a band is known
    >>> band = sf.inference.allow_for_noncompliance(coin, [600, 400], ignoring=0.1).band
    >>> round(band.lower, 3), round(band.upper, 3)
    (0.167, 0.389)
    """
    if isinstance(design, GroupModel):
        if ignoring is not None:
            raise InvalidParameter(
                "is estimated by this design and need not be stated", parameter="ignoring", way_out="Leave it out."
            )
        found = fit_groups(design, counts, confidence=confidence, divisor=divisor)  # type: ignore[arg-type]
        names = ", ".join(unknown.name for unknown in found.unknowns)
        return ComplianceAnswer(estimate=found, band=None, because=f"The reports of the groups determine {names}.")
    if ignoring is None:
        raise Refused(
            "cannot tell who followed its instructions: whatever mixture of others is in the reports, some share "
            "explains them without it",
            parameter="design",
            way_out="State `ignoring`, the share who may report anything, or ask in two groups or with an anchor.",
        )
    band = sensitivity_band(design, counts, ignoring=ignoring)  # type: ignore[arg-type]
    return ComplianceAnswer(
        estimate=None,
        band=band,
        because="One channel cannot tell who followed it; the band holds whatever the stated share reports.",
    )


def anchor_test(
    reports: int, total: int, *, chance: Real, random: Real = Fraction(1, 2), confidence: float = 0.95
) -> AnsweringTest:
    """Test random answering by a question whose reports are known: all who follow give one with probability `chance`.

    `reports` of `total` gave it; who answers at random gives it with probability `random`. Both tests are exact and
    one-sided, each towards the other, and the share who follow has an exact interval [FC98]. Ref: [Ats21]

    Raises:
        Refused: those who answer at random give the report just as often.

    >>> import sfumato as sf
    >>> found = sf.inference.anchor_test(740, 1000, chance=0.75)  # 3/4 of those who follow give the report
    >>> round(found.if_all_follow, 3), round(found.following, 2)
    (0.243, 0.96)
    """
    seen, people = check_integer("reports", reports), check_integer("total", total)
    check_at_least("total", people, 1)
    check_between("reports", seen, 0, people)
    follow, guess = as_exact("chance", chance), as_exact("random", random)
    check_between("chance", follow, 0, 1)
    check_between("random", guess, 0, 1)
    if follow == guess:
        raise Refused(
            "is how often those give it who answer at random, so that this question tells nothing about them",
            parameter="chance",
            value=follow,
            way_out="Use an anchor whose report is likelier, or less likely, for those who follow.",
        )
    rises = follow > guess
    channel = Channel([[1 - guess, guess], [1 - follow, follow]])
    found = estimate_share(channel, [people - seen, seen], confidence=confidence)
    return AnsweringTest(
        if_all_follow=binomial_tail(seen, people, float(follow), upper=not rises),
        if_all_at_random=binomial_tail(seen, people, float(guess), upper=rises),
        method="exact binomial",
        following=found.share,
        interval=found.interval,
    )


def mirror_test(first: tuple[int, int], second: tuple[int, int]) -> AnsweringTest:
    """Test random answering by two groups whose devices mirror each other, p and 1 - p: the extended crosswise [Hec18].

    `first` and `second` are the counts of the two reports. If all follow, the second group reports the reverse of the
    first; if all ignore the device, and only then for every share but one half, both report the same. Both are
    Fisher's exact tests.

    >>> import sfumato as sf
    >>> found = sf.inference.mirror_test((300, 200), (210, 290))
    >>> round(found.if_all_follow, 3), found.if_all_at_random < 1e-6
    (0.563, True)
    >>> found.method
    "Fisher's exact test"
    """
    (a, b), (c, d) = _two_counts("first", first), _two_counts("second", second)
    return AnsweringTest(
        if_all_follow=_fisher(a, b, d, c),
        if_all_at_random=_fisher(a, b, c, d),
        method="Fisher's exact test",
    )


def _two_counts(name: str, counts: tuple[int, int]) -> tuple[int, ...]:
    found = tuple(check_integer(name, count) for count in counts)
    if len(found) != 2 or min(found) < 0 or not sum(found):
        raise InvalidParameter(
            "must be two whole numbers from 0 on, and not both 0",
            parameter=name,
            way_out="Count the two reports of the group.",
        )
    return found


def _fisher(a: int, b: int, c: int, d: int) -> float:
    """Two-sided: tables with the same margins that are no likelier than this one."""
    first, second, hits = a + b, c + d, a + c
    least, most = max(0, hits - second), min(first, hits)

    def log_chance(x: int) -> float:
        return _log_choose(first, x) + _log_choose(second, hits - x)

    logs = [log_chance(x) for x in range(least, most + 1)]
    top = max(logs)
    bar = log_chance(a) + _TIE
    total = math.fsum(math.exp(one - top) for one in logs)
    return min(1.0, math.fsum(math.exp(one - top) for one in logs if one <= bar) / total)


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
