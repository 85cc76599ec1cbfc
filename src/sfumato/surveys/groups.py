"""Designs in two groups or with an anchor question, which have more unknowns than the share.

The model has further unknowns besides the share: how frequent an innocent property is, how many carriers lie, how many
answer at random. `sfumato.inference.fit_groups` estimates all of them, or refuses with the reason where the reports of
the groups do not determine them.
Refs: [Gre69], [Cla98], [Mos12], [Hec18], [Ats21]; theory: docs/theory/compliance.md
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from sfumato.errors import InvalidParameter
from sfumato.inference.noncompliance import GroupLaw, GroupModel, Monomial, Polynomial, Unknown, added, polynomial
from sfumato.numbers.checks import Real, Reals, as_exact, check_between
from sfumato.prob.distribution import Label
from sfumato.surveys.classic_designs import CROSSWISE_REPORTS

_YES_NO = ("no", "yes")
_HALF = Fraction(1, 2)
_SHARE = Unknown(name="share", meaning="of all respondents, those who hold the answer that is asked about")


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupDevice:
    """A design in groups: its model of reports, and the chances that make it, by name.

    >>> import sfumato as sf
    >>> device = sf.surveys.unrelated_question_groups([0.7, 0.3])
    >>> device.name, [one.name for one in device.model.unknowns], [one.name for one in device.model.groups]
    ('unrelated question in groups', ['share', 'prevalence'], ['group 1', 'group 2'])
    """

    name: str
    model: GroupModel
    parameters: tuple[tuple[str, Fraction], ...]


def unrelated_question_groups(p: Reals) -> GroupDevice:
    """Ask the sensitive question with the `p` of the group, else an innocent one of unknown frequency [Gre69].

    Two groups with different `p` determine both.

    >>> import sfumato as sf
    >>> model = sf.surveys.unrelated_question_groups([0.7, 0.3]).model
    >>> found = sf.inference.fit_groups(model, [[730, 270], [590, 410]])
    >>> [(one.name, round(one.value, 3)) for one in found.unknowns]
    [('share', 0.165), ('prevalence', 0.515)]
    """
    prevalence = Unknown(name="prevalence", meaning="of all respondents, those of whom the innocent question is true")
    laws = [polynomial({(0,): one, (1,): 1 - one}) for one in _chances(p)]
    return _device("unrelated question in groups", (_SHARE, prevalence), laws, p)


def lie_detector_groups(p: Reals) -> GroupDevice:
    """Stochastic lie detector: who does not hold the answer uses Warner's device; who does is honest or denies [Mos12].

    With t the share of carriers who are honest, a group says "yes" with probability πt + (1-π)(1-p).

    >>> import sfumato as sf
    >>> from fractions import Fraction
    >>> model = sf.surveys.lie_detector_groups([Fraction(2, 12), Fraction(10, 12)]).model
    >>> found = sf.inference.fit_groups(model, [[191, 373], [294, 398]])
    >>> [(one.name, round(one.value, 3)) for one in found.unknowns]
    [('share', 0.871), ('honest', 0.636)]
    """
    honest = Unknown(name="honest", meaning="of those who hold the answer, those who say so")
    laws = [polynomial({(0, 1): 1, (): 1 - one, (0,): one - 1}) for one in _chances(p)]
    return _device("stochastic lie detector", (_SHARE, honest), laws, p)


def cheating_detection_groups(forced_yes: Reals) -> GroupDevice:
    """Forced "yes" in groups, where some say "no" whatever the device says [Cla98].

    Those who hold the answer and follow say "yes"; those who do not hold it and follow say so where the device forces
    them. Of those who say "no" come what may it is not known what they hold: the share is of those who follow and hold
    it.

    >>> import sfumato as sf
    >>> model = sf.surveys.cheating_detection_groups([0.25, 0.75]).model
    >>> found = sf.inference.fit_groups(model, [[700, 300], [400, 600]])
    >>> [(one.name, round(one.value, 3)) for one in found.unknowns]
    [('share', 0.15), ('cheating', 0.25)]
    """
    share = Unknown(name="share", meaning="of all respondents, those who hold the answer and follow the instructions")
    cheating = Unknown(name="cheating", meaning="of all respondents, those who say “no” whatever the device says")
    # π + (1 - π - γ)·p
    laws = [polynomial({(): one, (0,): 1 - one, (1,): -one}) for one in _chances(forced_yes)]
    return _device("cheating detection", (share, cheating), laws, forced_yes, sums=((0, 1),))


def extended_crosswise_groups(p: Real) -> GroupDevice:
    """Crosswise in two groups, whose innocent statement is true of a share `p` and 1 - `p` [Hec18].

    Besides the share it finds those who say "both or neither" whatever is true. Who picks either report with equal
    chances moves both groups alike and stays unseen.

    >>> import sfumato as sf
    >>> model = sf.surveys.extended_crosswise_groups(0.25).model
    >>> found = sf.inference.fit_groups(model, [[730, 270], [370, 630]])
    >>> [(one.name, round(one.value, 3)) for one in found.unknowns]
    [('share', 0.1), ('always_same', 0.1)]
    """
    first = _chance("p", p)
    always = Unknown(
        name="always_same", meaning=f"of all respondents, those who say “{CROSSWISE_REPORTS[0]}” come what may"
    )
    groups = []
    for name, one in (("p", first), ("1 - p", 1 - first)):
        # (1-β)(πp + (1-π)(1-p)) + β
        same = polynomial({(): 1 - one, (0,): 2 * one - 1, (0, 1): 1 - 2 * one, (1,): one})
        groups.append(GroupLaw(name=name, reports=CROSSWISE_REPORTS, laws=(same, _rest(same))))
    model = GroupModel(name="extended crosswise", unknowns=(_SHARE, always), groups=tuple(groups))
    return GroupDevice(name=model.name, model=model, parameters=(("p", first),))


def anchored_crosswise(p: Real, *, anchor_p: Real, joint: bool = False) -> GroupDevice:
    """Crosswise with an anchor: a second such question whose sensitive statement is true of no one [Ats21].

    Who is not attentive says either with equal chances, to both. The counts are those of the question and of the
    anchor; where it is known who said what to both, `joint` takes the four pairs, and uses that inattention goes
    together.

    >>> import sfumato as sf
    >>> model = sf.surveys.anchored_crosswise(0.15, anchor_p=0.15).model
    >>> found = sf.inference.fit_groups(model, {"question": [1427, 573], "anchor": [1541, 459]})
    >>> [(one.name, round(one.value, 4)) for one in found.unknowns]
    [('share', 0.1054), ('attentive', 0.7729)]
    """
    asked, anchor = _chance("p", p), _chance("anchor_p", anchor_p)
    attentive = Unknown(name="attentive", meaning="of all respondents, those who follow the instructions")
    # γ(πp + (1-π)(1-p)) + (1-γ)/2
    same = polynomial({(): _HALF, (1,): _HALF - asked, (0, 1): 2 * asked - 1})
    known = polynomial({(): _HALF, (1,): _HALF - anchor})
    groups: tuple[GroupLaw, ...]
    if joint:
        cells: dict[tuple[Label, ...], Polynomial] = {}
        for says, sign in zip(CROSSWISE_REPORTS, (1, -1), strict=True):
            for tells, chance in zip(CROSSWISE_REPORTS, (1 - anchor, anchor), strict=True):
                start = 1 - asked if sign > 0 else asked
                terms: dict[Monomial, Fraction] = {
                    (): _HALF**2,
                    (1,): chance * start - _HALF**2,
                    (0, 1): chance * sign * (2 * asked - 1),
                }
                cells[says, tells] = polynomial(terms)
        groups = (GroupLaw(name="pairs", reports=tuple(cells), laws=tuple(cells.values())),)
    else:
        groups = (
            GroupLaw(name="question", reports=CROSSWISE_REPORTS, laws=(same, _rest(same))),
            GroupLaw(name="anchor", reports=CROSSWISE_REPORTS, laws=(known, _rest(known))),
        )
    model = GroupModel(name="crosswise with anchor", unknowns=(_SHARE, attentive), groups=groups)
    return GroupDevice(name=model.name, model=model, parameters=(("p", asked), ("anchor_p", anchor)))


def _device(
    name: str,
    unknowns: tuple[Unknown, ...],
    laws: Sequence[Polynomial],
    chances: Reals,
    sums: tuple[tuple[int, ...], ...] = (),
) -> GroupDevice:
    groups = tuple(
        GroupLaw(name=f"group {i + 1}", reports=_YES_NO, laws=(_rest(law), law)) for i, law in enumerate(laws)
    )
    parameters = tuple((f"p[{i}]", one) for i, one in enumerate(_chances(chances)))
    return GroupDevice(
        name=name, model=GroupModel(name=name, unknowns=unknowns, groups=groups, sums=sums), parameters=parameters
    )


def _rest(law: Polynomial) -> Polynomial:
    return added(polynomial({(): 1}), tuple((places, -factor) for places, factor in law))


def _chances(p: Reals) -> list[Fraction]:
    if not p:
        raise InvalidParameter("is empty", parameter="p", way_out="Give the chance of each group.")
    return [_chance(f"p[{i}]", one) for i, one in enumerate(p)]


def _chance(name: str, value: Real) -> Fraction:
    chance = as_exact(name, value)
    check_between(name, chance, 0, 1, way_out="It is a probability.")
    return chance
