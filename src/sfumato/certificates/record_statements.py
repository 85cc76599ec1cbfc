"""Claims about one record of a table, for channels whose inputs are tables: against any adversary, and neighbours.

The largest capacity over all selections is found by a race; its claim carries the joint law of the worst adversary.
Verification evaluates that law for the lower end and, for the upper, checks by another method that no selection exceeds
it.   Ref: [E, Thm 1 and 2]; theory: docs/theory/individual_capacity.md
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from sfumato import measures
from sfumato.certificates.rules import Context, Rule, certified_claim, exact_claim, publish, settle
from sfumato.certificates.statements import RULES
from sfumato.certificates.words import at_most, times
from sfumato.errors import ClaimRefused, NotCertified
from sfumato.measures.individual.capacities import INDIVIDUAL_GAP_BITS, contests_of
from sfumato.measures.individual.records import datasets_by_value
from sfumato.measures.individual.selection_checks import none_exceeds
from sfumato.measures.witnesses import check_witness
from sfumato.prob import AnyChannel, Channel
from sfumato.prob.exact import FloatArray
from sfumato.values import Claim, Interval

# Beyond this the check would take minutes, and the claim is left out.
_MOST_SELECTIONS = 500_000
# A race ends within its gap; half as much again leaves room for the check, which has a gap of its own.
_ROOM = 1.5


def rules_for(subject: AnyChannel, shape: tuple[int, ...] | None) -> tuple[Rule, ...]:
    """Return every rule that applies to a channel, and to its records where it has any."""
    found = [rule for rule in RULES if rule.applies(subject)]
    if shape is not None and isinstance(subject, Channel):
        found += [_NEIGHBOURS, _ALIKE]
        if _selections(subject, shape) <= _MOST_SELECTIONS:
            found.append(_INDIVIDUAL)
    return tuple(found)


def _neighbour_odds(context: Context) -> Claim:
    value = measures.neighbour_odds(context.subject, _shape(context))
    sentence = (
        f"Changing one record favours no report by more than {times(value)}: differential privacy, which covers "
        f"records that are independent of each other."
        if value < math.inf
        else "Changing one record can make a report possible that was impossible: no finite odds bound it."
    )
    return exact_claim("neighbour_odds", value, "ratio", because="e^ε [E, Def. 10]", sentence=sentence)


def _correlated_odds(context: Context) -> Claim:
    value = measures.worst_correlation(context.subject, _shape(context)).odds
    sentence = (
        f"Where records may be alike in any way, a report can favour one value of a record over another by up to "
        f"{times(value)}."
        if value < math.inf
        else "Where records may be alike in any way, some report rules some value of a record out."
    )
    return exact_claim("correlated_odds", value, "ratio", because="log of it is C_{1,∞} [E, Def. 8]", sentence=sentence)


def _individual_capacity(context: Context) -> Claim:
    value, witness = _searched(context) if context.claimed is None else _checked(context, context.claimed)
    return certified_claim(
        "individual_capacity_bits",
        value,
        "bits",
        because="C_1: the largest capacity over all rules that the other records can follow [E, Thm 2]",
        sentence=(
            f"Whoever looks at the report, with whatever correlations between the records in mind, learns at most "
            f"{at_most(value)} bits about any one of them."
        ),
        witness=witness,
    )


def _searched(context: Context) -> tuple[Interval, tuple[float, ...]]:
    worst = measures.individual_capacity(context.subject, _shape(context))
    law = tuple(float(mass) for mass in worst.prior.probabilities)
    value = publish(_proven(context, law))
    if not none_exceeds(_contests(context), value.upper):
        raise NotCertified("the race and the check of its outcome disagree", way_out="Please report this channel.")
    return value, law


def _checked(context: Context, claim: Claim) -> tuple[Interval, tuple[float, ...]]:
    if claim.witness is None or len(claim.witness) != context.subject.shape[0]:
        raise ClaimRefused(f"{claim.measure}: the law of the worst adversary belongs to it")
    value = settle(claim, _proven(context, claim.witness))
    if not none_exceeds(_contests(context), value.upper):
        raise ClaimRefused(f"{claim.measure}: some adversary learns more than claimed {value}")
    return value, claim.witness


def _proven(context: Context, witness: Sequence[float]) -> Interval:
    """From what the witness tells to the gap above it; that nobody learns more is checked besides."""
    reached = _told(context.subject.to_dense(), _shape(context), witness)
    return Interval(reached, reached + _ROOM * INDIVIDUAL_GAP_BITS)


def _told(channel: Channel, shape: tuple[int, ...], witness: Sequence[float]) -> float:
    """The largest I(X_i;Y) over the records, for a joint law of all of them; in Fractions, the same everywhere."""
    check_witness(witness)
    total = sum(map(Fraction, witness))
    held = [(place, Fraction(mass) / total) for place, mass in enumerate(witness) if mass]
    told = 0.0
    for record in range(len(shape)):
        by_value = datasets_by_value(shape, (record,)).tolist()
        value_of = {place: value for value, places in enumerate(by_value) for place in places}
        masses: dict[int, Fraction] = {}
        joint: dict[int, list[Fraction]] = {}
        for place, mass in held:
            value = value_of[place]
            masses[value] = masses.get(value, Fraction()) + mass
            before = joint.get(value, [Fraction()] * channel.shape[1])
            joint[value] = [a + mass * Fraction(b) for a, b in zip(before, channel.rows[place], strict=True)]
        rows = Channel([[entry / masses[value] for entry in joint[value]] for value in joint])
        told = max(told, measures.mutual_information_interval(rows, list(masses.values())).lower)
    return told


def _contests(context: Context) -> list[tuple[FloatArray, ...]]:
    shape = _shape(context)
    singles = tuple((record,) for record in range(len(shape)))
    return [tuple(choice.rows for choice in contest) for _, contest in contests_of(context.subject, shape, singles)]


def _selections(subject: Channel, shape: tuple[int, ...]) -> int:
    singles = tuple((record,) for record in range(len(shape)))
    contests = contests_of(subject, shape, singles)
    return sum(math.prod(len(choice.rows) for choice in contest) for _, contest in contests)


def _shape(context: Context) -> tuple[int, ...]:
    if context.shape is None:
        raise ClaimRefused("the certificate does not say what the records are")
    return context.shape


def _always(_: AnyChannel) -> bool:
    return True


_NEIGHBOURS = Rule(measure="neighbour_odds", applies=_always, state=_neighbour_odds)
_ALIKE = Rule(measure="correlated_odds", applies=_always, state=_correlated_odds)
_INDIVIDUAL = Rule(measure="individual_capacity_bits", applies=_always, state=_individual_capacity)
