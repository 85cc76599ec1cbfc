"""What [E, Sec. 6 and 7] says, number by number, beside what the software finds."""

from __future__ import annotations

from fractions import Fraction

from sfumato.account.composition import (
    compose,
    compose_parallel,
    cross_capacity_bits,
    group_bound_bits,
    joint_of_two_data_sets,
)
from sfumato.measures.capacity import capacity_bits
from sfumato.measures.individual.capacities import group_capacity_bits
from sfumato.papers.dalenius_goal import examples, lemma_6, printed
from sfumato.papers.records import Entry


def _four_terms(flip: Fraction) -> float:
    _, found = examples.two_parities(flip)
    return printed.printed_joint_bits([bits.midpoint for bits in found.own], [bits.midpoint for bits in found.other])


def _told_by_both(flip: Fraction) -> float:
    channel, _ = examples.two_parities(flip)
    return joint_of_two_data_sets(channel, (2, 2), channel, (2, 2)).midpoint


def _told_twice(flip: Fraction) -> float:
    channel = examples.example_1(flip)
    return compose([channel, channel], examples.SHAPE_1).joint.upper


def _excess(flip: Fraction) -> float:
    noisy = examples.one_bit((1 - flip) / flip)
    return compose_parallel([noisy, noisy], [(2,), (2,)]).excess.midpoint


JOINT_ENTRIES = (
    Entry(
        place="Theorem 4",
        what="what Example 1 through BSC(p) tells about both records, bits",
        parameter="p",
        value=examples.TENTH,
        ours=lambda flip: group_capacity_bits(examples.example_1(flip), examples.SHAPE_1, 2).midpoint,
        says="≤ 2·C_1",
        printed=lambda flip: group_bound_bits(examples.individual_bits(flip), 2),
        relation="≤",
    ),
    Entry(
        place="Theorem 5",
        what="what Example 1, told twice through BSC(p), tells about one record, bits",
        parameter="p",
        value=examples.TENTH,
        ours=_told_twice,
        says="≤ 2·C_1",
        printed=lambda flip: 2 * examples.individual_bits(flip),
        relation="≤",
    ),
    Entry(
        place="Lemma 6",
        what="I(X_1;Y) of the law in the erratum, bits",
        parameter="p",
        value=examples.TENTH,
        ours=lambda flip: lemma_6.joint_bits(examples.lemma_6_law(flip)),
        says="eqs. (160) and (161)",
        printed=lambda flip: lemma_6.printed_lemma_6_bits(examples.lemma_6_law(flip)),
        erratum="Lemma 6, eq. (161)",
    ),
    Entry(
        place="composition",
        what="what two parities of two bits through BSC(p) tell about one person, bits",
        parameter="p",
        value=examples.TENTH,
        ours=_told_by_both,
        says="C^11 + C^22, and another C^12 + C^21",
        printed=_four_terms,
        tolerance=1e-5,
        erratum="Theorem 6, eq. (162)",
    ),
    Entry(
        place="composition",
        what="the tightened bound for the same, bits",
        parameter="p",
        value=examples.TENTH,
        ours=lambda flip: examples.two_parities(flip)[1].bound,
        says="left as future work",
    ),
    Entry(
        place="Proposition 6",
        what="C^21 of a ternary record told truly with probability 4/5, for k values in the other data set, bits",
        parameter="k",
        value=2,
        ours=lambda k: cross_capacity_bits(examples.randomised_of_three(), k).midpoint,
        says="larger than C^11",
        printed=lambda _: printed.printed_across(capacity_bits(examples.randomised_of_three()).midpoint),
        relation="≥",
        erratum="After Proposition 6, “larger”",
    ),
    Entry(
        place="Proposition 7",
        what="τ for X_1 = X_2 through a BSC(p) each, bits",
        parameter="p",
        value=examples.TENTH,
        ours=_excess,
        says="τ ≥ 0; more is not proved",
        printed=printed.printed_excess,
        erratum="Proposition 7",
    ),
)
