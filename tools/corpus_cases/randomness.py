"""Small worked examples of randomness, with every number in full."""

from fractions import Fraction

import numpy as np

import sfumato as sf
from corpus_cases.record import case


@case("randomness/any rows (kind)")
def _any_rows_kind() -> object:
    noted: list[object] = []
    source = sf.sampling.AnyRows(sf.sampling.ScriptedBits([9, 8, 7]))
    noted.append(source.words(np.array([5, 2]), 8).tolist())
    return noted


@case("randomness/bit source (kind)")
def _bit_source_kind() -> object:
    noted: list[object] = []

    def who_could_repeat_it(bits: sf.sampling.BitSource) -> str:
        return f"{bits.label} ({bits.guarantee})"

    noted.append(who_could_repeat_it(sf.sampling.SystemBits()))
    noted.append(who_could_repeat_it(sf.sampling.ScriptedBits([1, 2])))
    return noted


@case("randomness/bulk bits (kind)")
def _bulk_bits_kind() -> object:
    noted: list[object] = []
    bits = sf.sampling.BulkBits()
    coin = sf.mechanisms.RandomizedResponse.within(size=2, epsilon=1.0)
    reports = coin.privatize([0, 1] * 50000, bits)
    noted.append((bits.guarantee.value, len(reports)))
    return noted


@case("randomness/categorical (kind)")
def _categorical_kind() -> object:
    noted: list[object] = []
    noted.append(sf.sampling.Categorical.near([Fraction(1, 3), Fraction(2, 3)]))
    noted.append(sf.sampling.Categorical.near([0.3, 0.7], width=4).law())
    return noted


@case("randomness/coin (kind)")
def _coin_kind() -> object:
    noted: list[object] = []
    coin = sf.sampling.Coin(chance=Fraction(1, 3), width=2)
    noted.append(coin.law())
    noted.append(coin.sample(sf.sampling.ScriptedBits([0, 3, 1, 0]), 3).tolist())
    return noted


@case("randomness/discrete gaussian (kind)")
def _discrete_gaussian_kind() -> object:
    noted: list[object] = []
    noise = sf.sampling.DiscreteGaussian(variance=Fraction(4))
    noted.append((noise.probability(0).midpoint, f"{noise.tail(10):.1e}"))
    noted.append(noise.sample(sf.sampling.InsecureSeeded(7), 5).tolist())
    return noted


@case("randomness/economical (kind)")
def _economical_kind() -> object:
    noted: list[object] = []
    sampler = sf.sampling.EntropyRecycling.near([Fraction(9, 10), Fraction(1, 10)])
    noted.append(sampler.counts)
    noted.append(sampler.entropy_bits)
    return noted


@case("randomness/insecure seeded (kind)")
def _insecure_seeded_kind() -> object:
    noted: list[object] = []
    bits = sf.sampling.InsecureSeeded(7)
    noted.append((bits.words(3, width=8).tolist(), bits.label))
    return noted


@case("randomness/keyed bits (kind)")
def _keyed_bits_kind() -> object:
    noted: list[object] = []
    key = bytes(range(32))
    noted.append(
        sf.sampling.KeyedBits(key).words(4, width=8).tolist() == sf.sampling.KeyedBits(key).words(4, width=8).tolist()
    )
    return noted


@case("randomness/mechanism (kind)")
def _mechanism_kind() -> object:
    noted: list[object] = []
    mechanism: sf.sampling.Mechanism = sf.mechanisms.RandomizedResponse(size=3, odds=Fraction(4))
    noted.append(mechanism.law(0))
    reports = mechanism.privatize([0, 1, 2] * 1000, sf.sampling.InsecureSeeded(7))
    noted.append([share for share in mechanism.estimate(mechanism.tally(reports)).raw])
    return noted


@case("randomness/metered (kind)")
def _metered_kind() -> object:
    noted: list[object] = []
    meter = sf.sampling.Metered(sf.sampling.SystemBits())
    throws = sf.sampling.Coin(chance=Fraction(1, 2), width=8).sample(meter, 100)
    noted.append(meter.drawn_bits)
    return noted


@case("randomness/row draws (kind)")
def _row_draws_kind() -> object:
    noted: list[object] = []
    draws = sf.sampling.RowDraws(sf.Channel([[Fraction(2, 3), Fraction(1, 3)], [0, 1]]), width=2)
    noted.append(draws.draw(sf.sampling.ScriptedBits([0, 3, 1, 2]), np.array([0, 0, 0, 1])).tolist())
    return noted


@case("randomness/row source (kind)")
def _row_source_kind() -> object:
    noted: list[object] = []

    def word_of_the_first(source: sf.sampling.RowSource) -> int:
        return int(source.words(np.array([0]), 8)[0])

    key = bytes(32)
    noted.append([word_of_the_first(sf.sampling.RowWords(key, np.array(numbers))) for numbers in ([900], [900, 3, 4])])
    return noted


@case("randomness/row starts (kind)")
def _row_starts_kind() -> object:
    noted: list[object] = []
    starts, key = (sf.sampling.RowStarts(most=4096), bytes(32))
    noted.append(starts.take(range(10, 13)))
    lanes = starts.under(key).tolist()
    noted.append(starts.take(range(11, 12)))
    noted.append(starts.under(key).tolist() == lanes[1:2])
    return noted


@case("randomness/row words (kind)")
def _row_words_kind() -> object:
    noted: list[object] = []
    together = sf.sampling.RowWords(bytes(32), np.array([4, 5, 900]))
    noted.append((together.words(np.array([0, 2]), 8).tolist(), together.words(np.array([2]), 8).tolist()))
    alone = sf.sampling.RowWords(bytes(32), np.array([900]))
    noted.append([alone.words(np.array([0]), 8).tolist() for _ in range(2)])
    return noted


@case("randomness/sampler (kind)")
def _sampler_kind() -> object:
    noted: list[object] = []
    samplers: list[sf.sampling.Sampler] = [
        sf.sampling.UniformBelow(bound=2, width=8),
        sf.sampling.Coin(chance=Fraction(1, 4), width=8),
    ]
    noted.append([str(one.law()[1]) for one in samplers])
    return noted


@case("randomness/scripted bits (kind)")
def _scripted_bits_kind() -> object:
    noted: list[object] = []
    bits = sf.sampling.ScriptedBits([3, 0, 2])
    noted.append((sf.sampling.UniformBelow(bound=3, width=2).sample(bits, 2).tolist(), bits.left))
    return noted


@case("randomness/system bits (kind)")
def _system_bits_kind() -> object:
    noted: list[object] = []
    bits = sf.sampling.SystemBits()
    noted.append((len(bits.words(1000, width=6)), bits.guarantee.value))
    return noted


@case("randomness/uniform below (kind)")
def _uniform_below_kind() -> object:
    noted: list[object] = []
    die = sf.sampling.UniformBelow(bound=6, width=3)
    noted.append(die.last)
    noted.append(die.sample(sf.sampling.ScriptedBits([7, 2, 5]), 2).tolist())
    return noted


@case("randomness/enumerated law")
def _enumerated_law() -> object:
    noted: list[object] = []
    sampler = sf.sampling.Categorical(counts=(1, 2, 4), width=8)
    found = sf.sampling.enumerated_law(sampler)
    noted.append(found.probabilities == sampler.law())
    return noted


@case("randomness/law of")
def _law_of() -> object:
    noted: list[object] = []
    sampler = sf.sampling.Categorical.near([0.3, 0.7], width=4)
    noted.append(sf.sampling.law_of(sampler).probabilities)
    return noted
