"""Small worked examples of mechanisms, with every number in full."""

from fractions import Fraction

import sfumato as sf
from corpus_cases.record import case


@case("mechanisms/arc response (kind)")
def _arc_response_kind() -> object:
    noted: list[object] = []
    stars = sf.mechanisms.ArcResponse.within(size=10, epsilon=1.0)
    noted.append((stars.length, stars.modulus))
    reports = stars.privatize([7] * 10000, sf.sampling.InsecureSeeded(7))
    shares = stars.estimate(stars.tally(reports)).raw
    noted.append(sum((answer * share for answer, share in enumerate(shares))))
    return noted


@case("mechanisms/binary hadamard (kind)")
def _binary_hadamard_kind() -> object:
    noted: list[object] = []
    plain = sf.mechanisms.BinaryHadamard.within(size=100, epsilon=1.0)
    thrifty = sf.mechanisms.BinaryHadamard.within(size=100, epsilon=1.0, random_bits=0.5)
    noted.append([one.randomness_bits().upper for one in (plain, thrifty)])
    noted.append(float(thrifty.uniform_risk() / plain.uniform_risk()))
    return noted


@case("mechanisms/cyclic response (kind)")
def _cyclic_response_kind() -> object:
    noted: list[object] = []
    towns = sf.mechanisms.CyclicResponse.within(size=1000, epsilon=2.0)
    noted.append((towns.family.value, towns.q, towns.t, towns.modulus))
    reports = towns.privatize([42] * 3000 + [7] * 7000, sf.sampling.InsecureSeeded(7))
    found = towns.estimate(towns.tally(reports))
    noted.append((found.raw[42], found.standard_errors[42]))
    return noted


@case("mechanisms/flags response (kind)")
def _flags_response_kind() -> object:
    noted: list[object] = []
    towns = sf.mechanisms.FlagsResponse.within(size=1000, epsilon=2.0)
    noted.append((towns.length, towns.dimension, towns.modulus))
    uniform = sf.Distribution.uniform(1000)
    noted.append(float(towns.variance(uniform, 10000)[0]) ** 0.5)
    return noted


@case("mechanisms/hadamard response (kind)")
def _hadamard_response_kind() -> object:
    noted: list[object] = []
    towns = sf.mechanisms.HadamardResponse.within(size=1000, epsilon=2.0)
    noted.append((towns.blocks, towns.outputs))
    reports = towns.privatize([42] * 3000 + [7] * 7000, sf.sampling.InsecureSeeded(7))
    found = towns.estimate(towns.tally(reports))
    noted.append((found.raw[42], found.standard_errors[42]))
    return noted


@case("mechanisms/optimised unary (kind)")
def _optimised_unary_kind() -> object:
    noted: list[object] = []
    colours = sf.mechanisms.OptimisedUnary(size=50, odds=Fraction(9))
    noted.append([float(p) for p in colours.probabilities])
    same = sf.mechanisms.SymmetricUnary(size=50, odds=Fraction(9))
    noted.append([float(one.variance(sf.Distribution.uniform(50), 1000)[0]) ** 0.5 for one in (colours, same)])
    return noted


@case("mechanisms/permanent unary (kind)")
def _permanent_unary_kind() -> object:
    noted: list[object] = []
    weekly = sf.mechanisms.PermanentUnary(size=4, odds=Fraction(9))
    kept = weekly.permanent([0, 2, 2], sf.sampling.SystemBits())
    weeks = [weekly.instantaneous(kept, sf.sampling.SystemBits()) for _ in range(3)]
    noted.append([float(weekly.odds_after(reports)) for reports in (1, 3, 100)])
    return noted


@case("mechanisms/randomized response (kind)")
def _randomized_response_kind() -> object:
    noted: list[object] = []
    coin = sf.mechanisms.RandomizedResponse(size=2, odds=Fraction(3))
    noted.append((coin.law(0), sf.measures.epsilon(coin.channel())))
    reports = coin.privatize([0] * 900 + [1] * 100, sf.sampling.InsecureSeeded(7))
    found = coin.estimate(coin.tally(reports))
    noted.append((found.raw[1], found.standard_errors[1]))
    return noted


@case("mechanisms/sets response (kind)")
def _sets_response_kind() -> object:
    noted: list[object] = []
    months = sf.mechanisms.SetsResponse.within(size=12, epsilon=1.0)
    noted.append((months.chosen, months.modulus))
    uniform = sf.Distribution.uniform(12)
    noted.append(float(months.variance(uniform, 10000)[0]) ** 0.5)
    return noted


@case("mechanisms/subset selection (kind)")
def _subset_selection_kind() -> object:
    noted: list[object] = []
    letters = sf.mechanisms.SubsetSelection(size=26, odds=Fraction(3))
    noted.append((letters.chosen, [float(p) for p in letters.probabilities]))
    reports = letters.privatize([4] * 600 + [0] * 400, sf.sampling.InsecureSeeded(7))
    noted.append((reports.shape, letters.estimate(letters.tally(reports)).raw[4]))
    return noted


@case("mechanisms/symmetric unary (kind)")
def _symmetric_unary_kind() -> object:
    noted: list[object] = []
    colours = sf.mechanisms.SymmetricUnary(size=5, odds=Fraction(9))
    noted.append([float(p) for p in colours.probabilities])
    reports = colours.privatize([2, 2, 0], sf.sampling.InsecureSeeded(7))
    noted.append([f"{int(row[0]) >> 3:05b}" for row in reports])
    return noted


@case("mechanisms/tabulated (kind)")
def _tabulated_kind() -> object:
    noted: list[object] = []
    channel = sf.Channel([[Fraction(2, 3), Fraction(1, 3), 0], [0, Fraction(1, 3), Fraction(2, 3)]])
    mechanism = sf.mechanisms.Tabulated(channel)
    noted.append(mechanism.channel().rows == channel.rows)
    reports = mechanism.privatize([0] * 700 + [1] * 300, sf.sampling.InsecureSeeded(7))
    noted.append([share for share in mechanism.estimate(mechanism.tally(reports)).raw])
    return noted
