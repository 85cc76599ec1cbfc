"""The measures that certificates of channels state, and the claims about single records."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from sfumato import measures
from sfumato.certificates.claims import Claim, Context, Rule, certified_claim, exact_claim, publish, settle
from sfumato.display.text import at_least, at_most, percent, percent_at_least, percent_at_most, times
from sfumato.errors import ClaimRefused, NotCertified
from sfumato.measures.individual import INDIVIDUAL_GAP_BITS, contests_of, datasets_by_value, none_exceeds
from sfumato.numbers.exact import FloatArray
from sfumato.numbers.intervals import Interval, check_witness
from sfumato.prob.channel import Channel
from sfumato.prob.structured import AnyChannel

# Pairs of rows are compared entry by entry; above this the claim is left out.
_MOST_PAIR_ENTRIES = 20_000_000
# The search stops at half of the promised gap of 1e-9 bits; the rest covers the grid.
_CAPACITY_GAP_BITS = 5e-10


def _guess_error(context: Context) -> Claim:
    after = measures.guess_error(context.subject, context.prior)
    before = measures.prior_guess_error(context.subject, context.prior)
    return exact_claim(
        "guess_error",
        after,
        "probability",
        because="1 - Σ_y max_x P(x)P(y|x) [A, eq. (8)]",
        sentence=(
            f"A guesser who knows the prior is wrong at least {percent_at_least(after)} of the time, "
            f"{context.prior_words}; before seeing the report it was {percent_at_least(before)}."
        ),
    )


def _worst_guess_error(context: Context) -> Claim:
    place, value = measures.worst_report(context.subject, context.prior)
    return exact_claim(
        "worst_guess_error",
        value,
        "probability",
        because="1 - max_y max_x P(x|y) [A, eq. (8)]",
        sentence=(
            f"Whatever the report, that guesser is wrong at least {percent_at_least(value)} of the time, "
            f"{context.prior_words}; the worst is report {place + 1} of {context.subject.shape[1]}."
        ),
    )


def _min_entropy_leakage(context: Context) -> Claim:
    value = settle(context.claimed, measures.min_entropy_leakage_interval(context.subject, context.prior))
    return certified_claim(
        "min_entropy_leakage_bits",
        value,
        "bits",
        because="log2 of the factor by which the chance of a right guess grows [Smith09]",
        sentence=f"Seeing the report improves the best single guess by at most {at_most(value)} bits.",
    )


def _maximal_leakage(context: Context) -> Claim:
    value = settle(context.claimed, measures.maximal_leakage_interval(context.subject))
    return certified_claim(
        "maximal_leakage_bits",
        value,
        "bits",
        because="log2 Σ_y max_x P(y|x) [IWK20]",
        sentence=(
            f"Whatever is to be guessed about the data, and whatever the prior, the report improves the guess by at "
            f"most {at_most(value)} bits."
        ),
    )


def _odds(context: Context) -> Claim:
    value = measures.odds(context.subject)
    sentence = (
        f"No report favours one answer over another by more than {times(value)}."
        if value < math.inf
        else ("Some report is possible under one answer and impossible under another, so no finite odds bound it.")
    )
    return exact_claim("odds", value, "ratio", because="max P(y|x)/P(y|x') [B, eq. (1)]", sentence=sentence)


def _epsilon(context: Context) -> Claim:
    because = "ln of the odds [B, eq. (1)]"
    if measures.odds(context.subject) == math.inf:
        return exact_claim(
            "epsilon",
            math.inf,
            "nats",
            because=because,
            sentence="ε is infinite: local differential privacy gives no protection for some reports.",
        )
    value = settle(context.claimed, measures.epsilon_interval(context.subject))
    return certified_claim(
        "epsilon",
        value,
        "nats",
        because=because,
        sentence=f"The channel is ε-locally differentially private with ε = {at_most(value)} (nats, rounded up).",
    )


def _exposure(context: Context) -> Claim:
    value = measures.exposure(context.subject.to_dense())
    sentence = (
        "No report proves the answer behind it."
        if value == 0
        else (
            f"With probability up to {percent_at_most(value)} a respondent's answer is published: the report is "
            f"possible under that answer alone."
        )
    )
    if context.subject.shape[0] == 1:
        sentence = "There is only one possible answer, so every report is consistent with it alone."
    return exact_claim(
        "exposure",
        value,
        "probability",
        because="max_x Σ_y P(y|x) over reports possible under x alone",
        sentence=sentence,
    )


def _total_variation(context: Context) -> Claim:
    value = measures.largest_total_variation(context.subject)
    return exact_claim(
        "total_variation",
        value,
        "probability",
        because="max ½‖P(.|x) - P(.|x')‖_1 over pairs of answers",
        sentence=f"Changing one answer changes the chance of any event by at most {percent_at_most(value)}.",
    )


def _mutual_information(context: Context) -> Claim:
    value = settle(context.claimed, measures.mutual_information_interval(context.subject, context.prior))
    return certified_claim(
        "mutual_information_bits",
        value,
        "bits",
        because="I(X;Y) [Sha48]",
        sentence=f"On average a report tells at most {at_most(value)} bits about the answer, {context.prior_words}.",
    )


def _max_information(context: Context) -> Claim:
    value = settle(context.claimed, measures.max_information_interval(context.subject, context.prior))
    return certified_claim(
        "max_information_bits",
        value,
        "bits",
        because="max log2 P(y|x)/P(y) [E, Def. 7]",
        sentence=f"No single report tells more than {at_most(value)} bits about the answer, {context.prior_words}.",
    )


def _capacity(context: Context) -> Claim:
    witness = None
    interval = measures.capacity_in_closed_form(context.subject)
    if interval is None:
        witness = _witness(context)
        interval = measures.capacity_interval_from(context.subject, witness)
    value = settle(context.claimed, interval)
    return certified_claim(
        "capacity_bits",
        value,
        "bits",
        because="Σ p D(P_x‖q) ≤ C ≤ max_x D(P_x‖q) at the witness p [Sha48]",
        sentence=f"Under no prior does a report tell more than {at_most(value)} bits on average.",
        witness=witness,
    )


def _witness(context: Context) -> tuple[float, ...]:
    """The input law that proves a capacity: searched for once, and in a claim to be checked already there."""
    if context.claimed is None:
        return measures.capacity_with_witness(context.subject, gap_bits=_CAPACITY_GAP_BITS)[1]
    if context.claimed.witness is None:
        raise ClaimRefused(f"{context.claimed.measure}: the input law that proves it is missing")
    return context.claimed.witness


def _randomness(context: Context) -> Claim:
    value = settle(context.claimed, measures.largest_randomness_interval(context.subject))
    return certified_claim(
        "randomness_bits",
        value,
        "bits",
        because="max_x H(Y|X=x) [B, eq. (2)]",
        sentence=f"A report needs at least {at_least(value)} random bits on average, for the answer that needs most.",
    )


def _recovery(context: Context) -> Claim:
    value = measures.heaviest_output(context.subject)
    sentence = (
        "A key exists, independent of the data, that turns reports back into answers."
        if value <= 1
        else "No key that is independent of the data can turn all reports back into answers."
    )
    return exact_claim(
        "heaviest_output",
        value,
        "sum",
        because="max_y Σ_x P(y|x) ≤ 1 iff the data can be recovered with a key [B, Lemma 6; Bir46]",
        sentence=sentence,
    )


def _chernoff(context: Context) -> Claim:
    first, second = context.subject.to_dense().rows
    interval = measures.chernoff_information_interval(first, second)
    because = "-min ln Σ p^λ q^(1-λ) over the common support [Che52]"
    if interval.lower == math.inf:
        return exact_claim(
            "chernoff_information",
            math.inf,
            "nats",
            because=because,
            sentence="One report always tells the two answers apart.",
        )
    value = settle(context.claimed, interval)
    return certified_claim(
        "chernoff_information",
        value,
        "nats",
        because=because,
        sentence=(f"If one person reported n times afresh, the guess error would fall like e^(-n·{at_most(value)})."),
    )


def _fisher(context: Context) -> Claim:
    theta = context.prior.probabilities[1]
    value = measures.fisher_information(context.subject.to_dense(), theta)
    return exact_claim(
        "fisher_information",
        value,
        "per report",
        because="Σ (p_1-p_0)²/p_θ at θ = the prior of the second answer [C, Sec. II]",
        sentence=(
            f"For use: each report is worth {at_least(value) if value < math.inf else 'infinite'} units of Fisher "
            f"information about the share of the second answer, when that share is {percent(theta)}."
        ),
    )


def _always(_: AnyChannel) -> bool:
    return True


def _dense(subject: AnyChannel) -> bool:
    return isinstance(subject, Channel)


def _comparable(subject: AnyChannel) -> bool:
    inputs, outputs = subject.shape
    return _dense(subject) and inputs * inputs * outputs <= _MOST_PAIR_ENTRIES


def _binary(subject: AnyChannel) -> bool:
    return _dense(subject) and subject.shape[0] == 2


RULES: tuple[Rule, ...] = (
    Rule(measure="guess_error", applies=_always, state=_guess_error),
    Rule(measure="worst_guess_error", applies=_dense, state=_worst_guess_error),
    Rule(measure="odds", applies=_always, state=_odds),
    Rule(measure="epsilon", applies=_always, state=_epsilon),
    Rule(measure="exposure", applies=_dense, state=_exposure),
    Rule(measure="total_variation", applies=_comparable, state=_total_variation),
    Rule(measure="min_entropy_leakage_bits", applies=_always, state=_min_entropy_leakage),
    Rule(measure="maximal_leakage_bits", applies=_always, state=_maximal_leakage),
    Rule(measure="mutual_information_bits", applies=_always, state=_mutual_information),
    Rule(measure="max_information_bits", applies=_always, state=_max_information),
    Rule(measure="capacity_bits", applies=_always, state=_capacity),
    Rule(measure="randomness_bits", applies=_always, state=_randomness),
    Rule(measure="heaviest_output", applies=_always, state=_recovery),
    Rule(measure="chernoff_information", applies=_binary, state=_chernoff),
    Rule(measure="fisher_information", applies=_binary, state=_fisher),
)


# --- Claims about one record, for channels whose inputs are tables: against any adversary, and neighbours
#
# The largest capacity over all selections is found by candidate elimination; its claim carries the joint law of the
# worst adversary. Verification evaluates that law for the lower end and, for the upper, checks by another method that
# no selection exceeds it.   Ref: [E, Thm 1 and 2]; theory: docs/theory/individual_capacity.md


# Above this the check would take minutes, and the claim is left out.
_MOST_SELECTIONS = 500_000
# The search ends within its gap; half as much again covers the check, which has a gap of its own.
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
    """From the information of the witness to the gap above it; that no adversary learns more is checked separately."""
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


_NEIGHBOURS = Rule(measure="neighbour_odds", applies=_always, state=_neighbour_odds)
_ALIKE = Rule(measure="correlated_odds", applies=_always, state=_correlated_odds)
_INDIVIDUAL = Rule(measure="individual_capacity_bits", applies=_always, state=_individual_capacity)
