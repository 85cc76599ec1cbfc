"""Certificates of every kind, in full but for the seal."""

from __future__ import annotations

from fractions import Fraction

import sfumato as sf
from corpus_cases.record import case

HALF = Fraction(1, 2)


def _leaking() -> sf.Channel:
    return sf.Channel([[HALF, HALF], [Fraction(1, 4), Fraction(3, 4)]], ["no", "yes"], ["no", "yes"])


def _law() -> object:
    return sf.disclosure.DataLaw.independent([Fraction(7, 10), Fraction(3, 10)], 3)


def _counted() -> object:
    return sf.disclosure.counted_law([[[341, 147], [147, 63]], [[150, 60], [64, 28]]])


@case("certificates/belief-noise")
def _belief_noise() -> sf.Certificate:
    return sf.certify(sf.noise.believed_mean(0, 20, 1000, budget_bits=0.1, shared_bits=10))


@case("certificates/belief-noise, once")
def _belief_noise_once() -> sf.Certificate:
    return sf.certify(sf.noise.believed_count(10**4, budget_bits=0.1, shared_bits=100))


@case("certificates/belief-noise, households")
def _belief_noise_households() -> sf.Certificate:
    return sf.certify(sf.noise.believed_count(1000, budget_bits=0.1, shared_bits=3, people=4))


@case("certificates/belief-noise, histogram")
def _belief_noise_histogram() -> sf.Certificate:
    return sf.certify(sf.noise.believed_histogram(4, 900, budget_bits=0.3, shared_bits=2))


@case("certificates/belief-noise, nobody")
def _belief_noise_nobody() -> sf.Certificate:
    return sf.certify(sf.noise.believed_sum(-1, 2, 40, budget_bits=1.5, shared_bits=0))


@case("certificates/channel")
def _channel() -> sf.Certificate:
    return sf.certify(_leaking(), [Fraction(2, 3), Fraction(1, 3)])


@case("certificates/channel, float")
def _channel_float() -> sf.Certificate:
    return sf.certify(sf.Channel([[0.1, 0.9], [0.7, 0.3]]), [0.2, 0.8])


@case("certificates/channel, circulant")
def _channel_circulant() -> sf.Certificate:
    return sf.certify(sf.prob.Circulant.two_level(size=101, support=[0, 1, 5], odds=Fraction(7, 2)))


@case("certificates/channel, mechanism")
def _channel_mechanism() -> sf.Certificate:
    return sf.certify(sf.mechanisms.RandomizedResponse(size=3, odds=Fraction(3)))


@case("certificates/channel, records")
def _channel_records() -> sf.Certificate:
    return sf.certify(sf.Channel([[HALF, HALF]] * 3 + [[1, 0]]), shape=(2, 2))


@case("certificates/channel, survey")
def _channel_survey() -> sf.Certificate:
    return sf.certify(sf.surveys.survey(guess_error=0.375))


@case("certificates/channel, recoverable")
def _channel_recoverable() -> sf.Certificate:
    return sf.certify(sf.recoverable.recoverable([0.5, 0.3, 0.2], ["a", "b", "c"], rho=0.6))


@case("certificates/disclosure")
def _disclosure() -> sf.Certificate:
    return sf.certify(sf.disclosure.optimum(_law()))


@case("certificates/disclosure, estimated")
def _disclosure_estimated() -> sf.Certificate:
    return sf.certify(sf.disclosure.optimum(_counted()), estimated_from=1000)


@case("certificates/disclosure-public")
def _disclosure_public() -> sf.Certificate:
    return sf.disclosure.public_certificate(_disclosure_estimated())


@case("certificates/disclosure, rounded")
def _disclosure_rounded() -> sf.Certificate:
    return sf.certify(sf.disclosure.optimum([[0.3, 0.21], [0.19, 0.3]]))


@case("certificates/ladder")
def _ladder() -> sf.Certificate:
    return sf.certify(sf.Ladder.within(size=5, epsilons=[2.0, 1.0], recover=True))


@case("certificates/ladder, options")
def _ladder_options() -> sf.Certificate:
    return sf.certify(sf.Ladder.of_options(options=4, epsilons=[4.0, 2.0], asked=2))


@case("certificates/noise")
def _noise() -> sf.Certificate:
    return sf.certify(sf.noise.gaussian(bound=1, budget_bits=1, steps=8))


@case("certificates/noise, people")
def _noise_people() -> sf.Certificate:
    return sf.certify(sf.noise.gaussian(low=0, high=7, budget_bits=1, change=1, correlated=2, steps=8))


@case("certificates/noise, nobody")
def _noise_nobody() -> sf.Certificate:
    return sf.certify(sf.noise.private_mean(0, 10, 1000, 0.5, correlated="nobody", steps=8))


@case("certificates/noise, people with values")
def _noise_people_with_values() -> sf.Certificate:
    return sf.certify(sf.noise.gaussian(low=0, high=9, budget_bits=0.9, change=1, correlated=3, values=2, steps=8))


@case("certificates/sealed")
def _sealed() -> sf.Certificate:
    return sf.certify(sf.ladders.SealedAnswers(size=11))


@case("certificates/rank-noise")
def _rank_noise() -> sf.Certificate:
    return sf.certify(sf.noise.private_quantile([0, 1.5, 3], 0.5, 100, 0.5, correlated=3))


@case("certificates/rank-noise, anyone")
def _rank_noise_anyone() -> sf.Certificate:
    return sf.certify(sf.noise.private_quantile([0, 1, 7], 0.25, 100, 1, correlated="anyone"))


@case("certificates/vector-noise")
def _vector_noise() -> sf.Certificate:
    return sf.certify(sf.noise.private_histogram(3, 100, 1, correlated=2))


@case("certificates/vector-noise, anyone")
def _vector_noise_anyone() -> sf.Certificate:
    return sf.certify(sf.noise.private_histogram(3, 100, 0.1, correlated="anyone"))


@case("certificates/noise, values")
def _noise_values() -> sf.Certificate:
    return sf.certify(sf.noise.gaussian(low=0, high=3, budget_bits=0.9, steps=8, values=2))
