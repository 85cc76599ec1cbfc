"""Forged certificates of channels, ladders and noise: each is sealed afresh and says something that is not so.

`python -m certificates.forged_certificates` (in tests/) writes them to vectors/forged/; a test compares the files.
"""

import json
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path

import sfumato as sf
from fresh_seals import reseal
from record_channels import datasets, flipped
from sfumato.certificates.channel_claims import _told
from sfumato.certificates.channels import Collected
from sfumato.certificates.claims import publish
from sfumato.display.text import at_most
from sfumato.measures.gaussian import best_spread, power_bound, stated_bits
from sfumato.noise.certificates import IF_FALSE, rank_bits
from sfumato.noise.certificates import RANK_CAPACITY as RANKS
from sfumato.noise.certificates import VECTOR_CAPACITY as VECTOR
from sfumato.noise.shared_bits import _claims, bits_of
from sfumato.numbers import Interval

FOLDER = Path(__file__).parents[1] / "vectors" / "forged"
QUARTER = Fraction(1, 4)
CAPACITY, INDIVIDUAL, NOISE = "capacity_bits", "individual_capacity_bits", "noise_capacity_bits"


def channel():
    return sf.certify(sf.Channel([[3 * QUARTER, QUARTER], [QUARTER, 3 * QUARTER]], ["no", "yes"], ["no", "yes"]))


def structured():
    return sf.certify(sf.prob.Circulant.two_level(size=101, support=[0, 1, 5], odds=Fraction(7, 2)))


def mechanism():
    return sf.certify(sf.mechanisms.RandomizedResponse(size=3, odds=Fraction(3)))


def records():
    return sf.certify(flipped([int(a == b) for a, b in datasets((3, 2))], Fraction(1, 10)), shape=(3, 2))


def ladder():
    return sf.certify(sf.Ladder.within(size=5, epsilons=[2.0, 1.0], recover=True))


def collected(*levels, back=False, **how):
    """A ladder whose reports came in over the web; nothing is checked here, so that lies can be made."""
    honest = sf.certify(sf.Ladder.within(size=5, epsilons=levels, recover=back))
    subject = replace(honest.subject, collected=Collected(**how))
    return replace(honest, subject=subject, notes=honest.kind.notes(subject))


SEALED = {"sealed_by": "x25519", "guarantee": "computational"}


def noise(values=None):
    return sf.certify(sf.noise.gaussian(low=0, high=1, budget_bits=0.9, steps=8, values=values))


def assumed():
    """Noise on a count, if at most two people depend on each other."""
    return sf.certify(sf.noise.private_count(9, 1, correlated=2, steps=8))


def counted():
    """Three cells, if nobody depends on anybody else: the counter-example to half of the largest distance."""
    return sf.certify(sf.noise.private_histogram(3, 100, 1, correlated="nobody"))


def ranked():
    return sf.certify(sf.noise.private_quantile([0, 1, 2, 3], 0.5, 100, 0.5, correlated=2))


def belief():
    return sf.certify(sf.noise.believed_mean(0, 1, 10**4, budget_bits=0.1, shared_bits=10))


def with_subject(certificate, **changes):
    """Another subject under the same claims."""
    found = document(certificate)
    return {**found, "subject": {**found["subject"], **changes}}


def other_beliefs(**changes):
    """Another subject with all claims that belong to it: what is false is that it proves them."""
    honest = belief()
    subject = replace(honest.subject, **changes)
    return document(replace(honest, subject=subject, claims=_claims(subject, *map(publish, bits_of(subject)))))


HONEST = {"belief": belief,
          "channel": channel, "structured": structured, "mechanism": mechanism, "records": records, "ladder": ladder,
          "collected": lambda: collected(2.0, 1.0, back=True, mode="panel", **SEALED, recover=True),
          "assumed": assumed, "counted": counted, "ranked": ranked, "noise": noise,
          "noise of three values": lambda: noise(3)}  # fmt: skip


def document(certificate):
    return json.loads(certificate.to_json())


def with_claim(certificate, measure, **changes):
    found = document(certificate)
    for claim in found["claims"]:
        if claim["measure"] == measure:
            claim.update(changes)
            for name in [name for name, value in changes.items() if value is None]:
                del claim[name]
    return found


def with_collected(certificate, how):
    found = document(certificate)
    found["subject"]["collected"] = how
    return found


def with_notes(certificate, *notes):
    return {**document(certificate), "notes": list(notes)}


def shy_adversary():
    """A lesser adversary with his own number: all fits together, but somebody else learns more."""
    honest, shy = records(), (0.9, 0.1, 0.0, 0.0, 0.0, 0.0)
    told = _told(honest.subject.channel, honest.subject.shape, shy)
    value = publish(Interval(told, told + 1.5e-6))
    said = honest[INDIVIDUAL].sentence.replace(at_most(honest[INDIVIDUAL].value), at_most(value))
    ends = {"lower": value.lower, "upper": value.upper}
    return with_claim(honest, INDIVIDUAL, value=ends, witness=list(shy), sentence=said)


def shy_record(values):
    """Positions close together with their own number: other positions learn more."""
    honest = noise(values)
    subject, positions, weights = honest.subject, tuple(range(values)), (1 / values,) * values
    if values == 3:
        weights = (0.5, 0.25, 0.25)
    bits = publish(stated_bits(subject.variance, subject.steps, positions, weights))
    forged = replace(honest, subject=replace(subject, positions=positions, weights=weights))
    said = honest[NOISE].sentence.replace(at_most(honest[NOISE].value), at_most(bits))
    return with_claim(forged, NOISE, value={"lower": bits.lower, "upper": bits.upper}, sentence=said)


def stated(certificate, measure, bits):
    """Another number under a measure, with the sentence that belongs to it."""
    old = certificate[measure]
    said = old.sentence.replace(f"{at_most(old.value)} bits", f"{at_most(bits)} bits")
    return with_claim(certificate, measure, value={"lower": bits.lower, "upper": bits.upper}, sentence=said)


def half_the_distance():
    """What the noise would tell if half of the distance between two cells were the radius of all of them."""
    honest, half = counted(), Fraction(1, 2)
    subject = honest.subject
    bits = publish(power_bound(3, half, subject.variance, best_spread(3, half, subject.variance)))
    forged = stated(honest, VECTOR, bits)
    forged["subject"]["squared_radius"] = str(half)
    forged["subject"]["spread"] = str(best_spread(3, half, subject.variance))
    return forged


def without(certificate, measure):
    found = document(certificate)
    return {**found, "claims": [claim for claim in found["claims"] if claim["measure"] != measure]}


def of_subject(certificate, **changes):
    found = document(certificate)
    found["subject"] = {key: value for key, value in (found["subject"] | changes).items() if value != "left out"}
    return found


def enormous():
    """A ladder of four million answers in a few hundred bytes, with the odds of a small one."""
    declaration = (
        '{"mechanism":"cyclic_response","size":4000000,"family":"Singer","q":2,"t":22,"odds":["4","2"],"recover":true}'
    )
    return {**document(ladder()), "subject": {"ladder": declaration}}


@cache
def forgeries():
    """Each with some words of the sentence that refuses it."""
    flip, cyclic, three = channel(), structured(), noise(3)
    weights = list(three.subject.weights)
    return {
        "belief_fewer_shared_bits_said": (with_claim(belief(), "assumed_shared_bits", value="1"), "assumed_sh"),
        "belief_fewer_records": (with_subject(belief(), records=5000), "believed_bits|_deviation"),
        "belief_smaller_households": (with_subject(sf.certify(
            sf.noise.believed_count(1000, budget_bits=0.1, shared_bits=3, people=4)), people=2), "believed_bits|_dev"),
        "belief_less_noise": (with_subject(belief(), deviation="1/25"), "believed_bits|_deviation"),
        "belief_division_that_guards_the_record_alone": (with_subject(belief(), own_share="1"), "division"),
        "belief_noise_for_anyone_that_is_not_enough": (other_beliefs(anyone_deviation=Fraction(1)), "anyone_dev"),
        "belief_noise_for_anyone_exaggerated": (other_beliefs(anyone_deviation=Fraction(2)), "anyone_dev"),
        "belief_note_left_out": (with_notes(belief(), *belief().notes[:2]), "notes"),
        "channel_false_sentence": (
            with_claim(flip, "odds", sentence="No report favours one answer over another by more than 1 times."), "odds"
        ),
        "channel_capacity_down_by_1e-11": (
            with_claim(
                flip, CAPACITY,
                value={"lower": flip[CAPACITY].value.lower - 1e-11, "upper": flip[CAPACITY].value.upper - 1e-11},
            ),
            CAPACITY,
        ),
        "channel_capacity_without_witness": (with_claim(flip, CAPACITY, witness=None), CAPACITY),
        "channel_witness_moved_by_1e-11": (with_claim(flip, CAPACITY, witness=[0.5, 0.5 + 1e-11]), "witness"),
        "channel_witness_nobody_needs": (with_claim(cyclic, CAPACITY, witness=[1.0] + [0.0] * 100), CAPACITY),
        "channel_note_that_clears_the_screen": (
            with_notes(flip, "\x1b[2JVerified: the seal is intact and all 14 claims hold."), "notes"
        ),
        "channel_note_left_out": (with_notes(mechanism()), "notes"),
        "channel_lesser_adversary": (shy_adversary(), INDIVIDUAL),
        "ladder_level_called_exact": (with_claim(ladder(), "epsilon_level_1", status="exact", value="1"), "epsilon"),
        "ladder_coalition_left_out": (
            {**document(ladder()), "claims": [c for c in document(ladder())["claims"] if "1_2" not in c["measure"]]},
            "odds_coalition_1_2",
        ),
        "ladder_of_four_million_answers": (enormous(), "_level_1"),
        "ladder_collected_without_a_cipher": (document(collected(2.0, 1.0, mode="anonymous")), "collected.sealed_by"),
        "ladder_collected_called_information_theoretic": (
            document(collected(2.0, 1.0, mode="panel", sealed_by="x25519", guarantee="information_theoretic")),
            "collected.guarantee",
        ),
        "ladder_collected_and_recovered_without_a_key": (
            document(collected(2.0, 1.0, mode="panel", **SEALED, recover=True)), "collected.recover"
        ),
        "ladder_collected_in_a_mode_of_its_own": (
            document(collected(2.0, 1.0, mode="secret", **SEALED)), "collected.mode"
        ),
        "ladder_collected_with_keys_that_there_are_not": (
            document(collected(1.0, mode="anonymous", **SEALED)), "collected.sealed_by"
        ),
        "ladder_collected_note_of_the_other_mode": (
            {
                **document(collected(2.0, 1.0, mode="panel", **SEALED)),
                "notes": document(collected(2.0, 1.0, mode="anonymous", **SEALED))["notes"],
            },
            "notes",
        ),
        "channel_collected_with_a_cipher": (
            with_collected(flip, {"mode": "anonymous", "sealed_by": "x25519", "guarantee": "computational"}),
            "collected.sealed_by",
        ),
        "noise_lesser_witness_of_two": (shy_record(2), NOISE),
        "noise_lesser_witness_of_three": (shy_record(3), NOISE),
        "noise_zero_with_a_sign": (
            {
                **document(three),
                "subject": {**document(three)["subject"], "positions": [-8, -1, 0, 8], "weights": [*weights, -0.0]},
            },
            "sign",
        ),
        "noise_assumption_left_unsaid": (with_notes(assumed(), *document(noise())["notes"]), "notes"),
        "noise_without_what_would_leak_otherwise": (without(assumed(), IF_FALSE), IF_FALSE),
        "noise_less_leaks_otherwise_by_1e-11": (
            stated(
                assumed(), IF_FALSE,
                Interval(assumed()[IF_FALSE].value.lower - 1e-11, assumed()[IF_FALSE].value.upper - 1e-11),
            ),
            IF_FALSE,
        ),
        "noise_people_without_a_change": (of_subject(assumed(), change="left out"), "belong together"),
        "noise_of_more_people_than_it_hides": (of_subject(assumed(), people=3), "one spelling"),
        "vector_half_the_distance_between_cells": (half_the_distance(), "one spelling"),
        "vector_less_told_by_1e-11": (
            stated(
                counted(), VECTOR,
                Interval(counted()[VECTOR].value.lower - 1e-11, counted()[VECTOR].value.upper - 1e-11),
            ),
            VECTOR,
        ),
        "vector_of_fewer_cells": (of_subject(counted(), dimension=2, squared_radius="1/2"), VECTOR),
        "rank_half_the_range": (stated(ranked(), RANKS, publish(rank_bits(1, ranked().subject.rate, 4))), RANKS),
        "rank_sharper_than_claimed": (
            of_subject(ranked(), rate=str(ranked().subject.rate * 2)), RANKS
        ),
        "noise_number_of_values_changed": (
            {**document(three), "subject": {**document(three)["subject"], "values": 2}}, NOISE
        ),
    }  # fmt: skip


if __name__ == "__main__":
    for name, (forged, _) in forgeries().items():
        (FOLDER / f"{name}.json").write_bytes(reseal(forged))
