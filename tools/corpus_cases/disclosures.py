"""Small worked examples of disclosures, with every number in full."""

from dataclasses import replace
from fractions import Fraction
from math import comb

import sfumato as sf
from corpus_cases.record import case
from sfumato.disclosure.uniformising import UniformisedChain
from sfumato.disclosure.unknown_distributions import (
    check_private_law_bound,
    check_unknown_law_bound,
    private_bound_with,
)


@case("disclosures/bound terms (kind)")
def _bound_terms_kind() -> object:
    noted: list[object] = []
    law = sf.disclosure.counted_law([[40, 10], [20, 30]])
    made = sf.certify(sf.disclosure.optimum(law), estimated_from=100).subject.estimation
    noted.append([str(term) for term in (made.terms.beta, made.terms.smoothing, made.terms.rate)])
    return noted


@case("disclosures/column sums (kind)")
def _column_sums_kind() -> object:
    noted: list[object] = []
    cells = sf.disclosure.QuantileCells.of_law(lambda share: 100 * share, 4)
    pairs = sf.disclosure.ColumnSums(columns=(cells, cells))
    noted.append(pairs.release([[10.0, 60.0, 99.0], [80.0, 60.0, 5.0]]).tolist())
    noted.append((pairs.information_bits(3).upper, str(pairs.efficiency)))
    return noted


@case("disclosures/count disclosure (kind)")
def _count_disclosure_kind() -> object:
    noted: list[object] = []
    told = sf.disclosure.optimum_of_counts([Fraction(1, 8), Fraction(3, 8), Fraction(3, 8), Fraction(1, 8)])
    noted.append([symbol.counts for symbol in told.symbols])
    noted.append([str(chance) for chance in told.row(1)])
    noted.append((told.lower_bits, told.gap_bits < 1e-06))
    return noted


@case("disclosures/count symbol (kind)")
def _count_symbol_kind() -> object:
    noted: list[object] = []
    told = sf.disclosure.optimum_of_counts([Fraction(1, 4), Fraction(1, 2), Fraction(1, 4)])
    for symbol in told.symbols:
        noted.append((symbol.counts, [str(chance) for chance in symbol.chances], symbol.probability))
    return noted


@case("disclosures/data law (kind)")
def _data_law_kind() -> object:
    noted: list[object] = []
    law = sf.disclosure.DataLaw.of([[Fraction(1, 2), Fraction(1, 4)], [Fraction(1, 4), 0]])
    noted.append((law.cells.tolist(), [str(mass) for mass in law.masses]))
    three = sf.disclosure.DataLaw.independent([Fraction(1, 3), Fraction(2, 3)], 3)
    noted.append((three.size, three.singles(), three.windows(2)))
    return noted


@case("disclosures/disclosure (kind)")
def _disclosure_kind() -> object:
    noted: list[object] = []
    told = sf.disclosure.optimum(sf.disclosure.DataLaw.independent([Fraction(1, 2), Fraction(1, 2)], 2))
    noted.append([[str(chance) for chance in row] for row in told.channel.rows])
    noted.append((told.lower_bits, told.leak_bits, told.is_exact))
    noted.append(told.release([[0, 0], [0, 1]]).tolist())
    return noted


@case("disclosures/disclosure subject (kind)")
def _disclosure_subject_kind() -> object:
    noted: list[object] = []
    half = [Fraction(1, 2), Fraction(1, 2)]
    certificate = sf.certify(sf.disclosure.optimum(sf.disclosure.DataLaw.independent(half, 2)))
    noted.append((certificate.subject.groups, certificate.subject.single, certificate.subject.salt))
    noted.append(certificate["sample_leak_bits"].sentence)
    return noted


@case("disclosures/estimation (kind)")
def _estimation_kind() -> object:
    noted: list[object] = []
    noted.append(sf.disclosure.Estimation().words)
    law = sf.disclosure.counted_law([[40, 10], [20, 30]])
    made = sf.certify(sf.disclosure.optimum(law), estimated_from=100).subject.estimation
    noted.append((made.words, made.is_private))
    return noted


@case("disclosures/independence check (kind)")
def _independence_check_kind() -> object:
    noted: list[object] = []
    noted.append(sf.disclosure.RunningSums(modulus=3).certify_small(3))
    return noted


@case("disclosures/limit chain (kind)")
def _limit_chain_kind() -> object:
    noted: list[object] = []
    noise = sf.Channel([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]])
    measured = sf.disclosure.Measurements.of([0.3, 0.4, 0.3], noise)
    chain = sf.disclosure.chain_of_limits(measured, n=2)
    noted.append((chain.floor_bits, chain.limit.upper, [one.upper for one in chain.between]))
    noted.append((chain.full_data.upper, chain.open_after_one.upper))
    return noted


@case("disclosures/limit disclosure (kind)")
def _limit_disclosure_kind() -> object:
    noted: list[object] = []
    noise = sf.Channel([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]])
    measured = sf.disclosure.Measurements.of([0.3, 0.4, 0.3], noise)
    found = sf.disclosure.limit_disclosure(measured)
    noted.append((found.is_exact, found.leak_bits, found.lower_bits))
    return noted


@case("disclosures/measurements (kind)")
def _measurements_kind() -> object:
    noted: list[object] = []
    noise = sf.Channel([[0.9, 0.1], [0.9, 0.1], [0.2, 0.8]])
    measured = sf.disclosure.Measurements.of([0.3, 0.4, 0.3], noise)
    noted.append(measured.merged)
    noted.append((measured.told_in_the_end.upper, measured.told_by_one.upper))
    return noted


@case("disclosures/origin (kind)")
def _origin_kind() -> object:
    noted: list[object] = []
    noted.append([origin.value for origin in sf.disclosure.Origin if origin.is_private])
    noted.append(sf.disclosure.Estimation(law=sf.disclosure.Origin.DECLARED).words)
    return noted


@case("disclosures/private law bound (kind)")
def _private_law_bound_kind() -> object:
    noted: list[object] = []
    bound = sf.disclosure.private_law_bound(10000, 4, 0.05, 1)
    noted.append((bound.bits, float(bound.odds)))
    return noted


@case("disclosures/public disclosure subject (kind)")
def _public_disclosure_subject_kind() -> object:
    noted: list[object] = []
    law = sf.disclosure.counted_law([[40, 10], [20, 30]])
    private = sf.certify(sf.disclosure.optimum(law), estimated_from=100)
    public = sf.disclosure.public_certificate(private).subject
    noted.append((public.shape, public.symbols, public.commitment[:7]))
    return noted


@case("disclosures/quantile cells (kind)")
def _quantile_cells_kind() -> object:
    noted: list[object] = []
    cells = sf.disclosure.QuantileCells.of_law(lambda share: 100 * share, 4)
    noted.append(cells.borders)
    noted.append((cells.cells_of([10.0, 60.0, 99.0]).tolist(), cells.release([10.0, 60.0, 99.0]).tolist()))
    noted.append(
        (cells.leak_within(2, 0.01), sf.disclosure.QuantileCells.from_reference(range(1000), 4).reference_size)
    )
    return noted


@case("disclosures/running sums (kind)")
def _running_sums_kind() -> object:
    noted: list[object] = []
    scheme = sf.disclosure.RunningSums(modulus=10)
    noted.append(scheme.release([3, 9, 4, 4]).tolist())
    noted.append((scheme.protects, str(scheme.efficiency(4))))
    noted.append(sf.disclosure.RunningSums(modulus=10, masked=True).protects)
    return noted


@case("disclosures/solver (kind)")
def _solver_kind() -> object:
    noted: list[object] = []
    law = sf.disclosure.DataLaw.independent([Fraction(1, 3), Fraction(2, 3)], 2)
    noted.append(sf.disclosure.optimum(law).method)
    noted.append(sf.disclosure.optimum(law, method=sf.disclosure.Solver.CORNERS).method)
    return noted


@case("disclosures/told score (kind)")
def _told_score_kind() -> object:
    noted: list[object] = []
    cells, features = ([0, 1, 2, 3] * 250, [0, 1, 1, 0] * 250)
    half = (cells, features)
    score = sf.disclosure.disclosed_score([[1, 0], [0, 1], [0, 1], [1, 0]], fitted=half, scored=half, values=2)
    noted.append((score.fitted, score.in_sample_bits, score.lower_bits))
    return noted


@case("disclosures/uniformised chain (kind)")
def _uniformised_chain_kind() -> object:
    noted: list[object] = []
    chain = UniformisedChain.closest(sf.Distribution([Fraction(1, 4), Fraction(3, 4)]))
    noted.append((chain.modulus, chain.certify_small(3).comparisons))
    noted.append((chain.information_bits(100).lower, chain.efficiency(100).lower))
    return noted


@case("disclosures/unknown law bound (kind)")
def _unknown_law_bound_kind() -> object:
    noted: list[object] = []
    bound = sf.disclosure.unknown_law_bound(1000, 4, 0.05)
    noted.append((bound.records, str(bound.beta), bound.bits, bound.nats))
    return noted


@case("disclosures/window scheme (kind)")
def _window_scheme_kind() -> object:
    noted: list[object] = []
    scheme = sf.disclosure.WindowScheme.best(sf.Distribution([Fraction(1, 3), Fraction(2, 3)]))
    noted.append((scheme.window_count(100), scheme.information_bits(100).lower))
    noted.append(scheme.certify_small(4).comparisons)
    return noted


@case("disclosures/best mapping")
def _best_mapping() -> object:
    noted: list[object] = []
    mapping = sf.disclosure.best_mapping(sf.Distribution([Fraction(1, 3), Fraction(2, 3)]), 2)
    for window, row in zip(mapping.inputs, mapping.rows):
        noted.append((window, [str(chance) for chance in row]))
    return noted


@case("disclosures/bound with")
def _bound_with() -> object:
    noted: list[object] = []
    noted.append(sf.disclosure.bound_with(1000, 4, 0.05, smoothing=1, rate=0.5, price=0.0).bits)
    noted.append(sf.disclosure.unknown_law_bound(1000, 4, 0.05).bits)
    return noted


@case("disclosures/ceiling bits")
def _ceiling_bits() -> object:
    noted: list[object] = []
    law = sf.disclosure.DataLaw.independent([0.5, 0.5], 3)
    noted.append(sf.disclosure.ceiling_bits(law, law.singles(), None))
    noted.append(sf.disclosure.ceiling_bits(law, law.windows(2), None))
    return noted


@case("disclosures/chain of limits")
def _chain_of_limits() -> object:
    noted: list[object] = []
    noise = sf.Channel([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]])
    measured = sf.disclosure.Measurements.of([0.3, 0.4, 0.3], noise)
    chain = sf.disclosure.chain_of_limits(measured, n=1)
    noted.append((chain.limit.lower, chain.full_data.lower, chain.open_after_one.lower))
    return noted


@case("disclosures/check private law bound")
def _check_private_law_bound() -> object:
    noted: list[object] = []
    bound = sf.disclosure.private_law_bound(10000, 4, 0.05, 1)
    noted.append(check_private_law_bound(bound))
    return noted


@case("disclosures/check unknown law bound")
def _check_unknown_law_bound() -> object:
    noted: list[object] = []
    bound = sf.disclosure.unknown_law_bound(1000, 4, 0.05)
    noted.append(check_unknown_law_bound(bound))
    try:
        noted.append(check_unknown_law_bound(replace(bound, bits=0.001)))
    except sf.errors.NotCertified as error:
        noted.append(error.rule)
    return noted


@case("disclosures/closest uniformiser")
def _closest_uniformiser() -> object:
    noted: list[object] = []
    channel = sf.disclosure.closest_uniformiser(sf.Distribution([Fraction(1, 4), Fraction(3, 4)]))
    noted.append([[str(chance) for chance in row] for row in channel.rows])
    return noted


@case("disclosures/counted law")
def _counted_law() -> object:
    noted: list[object] = []
    law = sf.disclosure.counted_law([[40, 10], [20, 30]])
    noted.append((law.masses[1], sum(law.masses)))
    return noted


@case("disclosures/efficiency interval of")
def _efficiency_interval_of() -> object:
    noted: list[object] = []
    for n in (10, 100, 1000):
        share = sf.disclosure.efficiency_interval_of([0.3, 0.7], n)
        noted.append((n, share.lower, share.upper))
    return noted


@case("disclosures/full data disclosure")
def _full_data_disclosure() -> object:
    noted: list[object] = []
    noise = sf.Channel([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]])
    measured = sf.disclosure.Measurements.of([0.3, 0.4, 0.3], noise)
    found = sf.disclosure.full_data_disclosure(measured)
    noted.append((found.groups, found.lower_bits, found.upper_bits))
    return noted


@case("disclosures/leak between laws bits")
def _leak_between_laws_bits() -> object:
    noted: list[object] = []
    even = [[0.25, 0.25], [0.25, 0.25]]
    parity = [[1, 0], [0, 1], [0, 1], [1, 0]]
    noted.append(sf.disclosure.leak_between_laws_bits([[0.3, 0.2], [0.2, 0.3]], even, parity, [0]))
    noted.append(sf.disclosure.leak_between_laws_bits([[0.4, 0.3], [0.2, 0.1]], even, parity, [0]))
    return noted


@case("disclosures/leak within bits")
def _leak_within_bits() -> object:
    noted: list[object] = []
    law = sf.Distribution([0.5, 0.5])
    noted.append([sf.disclosure.leak_within_bits(law, n, 0.01) for n in (2, 10, 100)])
    return noted


@case("disclosures/limit disclosure")
def _limit_disclosure() -> object:
    noted: list[object] = []
    noise = sf.Channel([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]])
    measured = sf.disclosure.Measurements.of([0.3, 0.4, 0.3], noise)
    found = sf.disclosure.limit_disclosure(measured)
    noted.append((found.channel.shape, found.lower_bits, found.upper_bits))
    two = sf.disclosure.Measurements.of([0.5, 0.5], sf.Channel([[0.9, 0.1], [0.2, 0.8]]))
    noted.append(sf.disclosure.limit_disclosure(two).upper_bits)
    return noted


@case("disclosures/nullity")
def _nullity() -> object:
    noted: list[object] = []
    law = sf.disclosure.DataLaw.independent([0.5, 0.5], 3)
    noted.append((sf.disclosure.nullity(law, law.singles()), sf.disclosure.nullity(law, law.windows(2))))
    return noted


@case("disclosures/optimum")
def _optimum() -> object:
    noted: list[object] = []
    table = [[Fraction(4, 10), Fraction(1, 10)], [Fraction(2, 10), Fraction(3, 10)]]
    told = sf.disclosure.optimum(table)
    noted.append((told.lower_bits, told.leak_bits, told.method))
    parity = [[[1, 0], [0, 1]], [[0, 1], [1, 0]]]
    noted.append(sf.disclosure.optimum(table, parity).lower_bits)
    return noted


@case("disclosures/optimum of counts")
def _optimum_of_counts() -> object:
    noted: list[object] = []
    fifty = sf.disclosure.optimum_of_counts([comb(50, k) / 2**50 for k in range(51)])
    noted.append((fifty.n, fifty.lower_bits, fifty.upper_bits))
    return noted


@case("disclosures/overlap leaks")
def _overlap_leaks() -> object:
    noted: list[object] = []
    law = sf.Distribution([Fraction(1, 3), Fraction(2, 3)])
    mapping = sf.disclosure.best_mapping(law, 3)
    for stride in (2, 1):
        leaks = sf.disclosure.overlap_leaks(law, mapping, size=3, stride=stride, n=5)
        noted.append((stride, [leak.upper for leak in leaks]))
    return noted


@case("disclosures/private bound with")
def _private_bound_with() -> object:
    noted: list[object] = []
    bound = private_bound_with(10000, 4, 0.05, odds=Fraction(3, 2), smoothing=8, rate=0.2, price=0.0)
    noted.append(bound.bits)
    return noted


@case("disclosures/private counts")
def _private_counts() -> object:
    noted: list[object] = []
    bits = sf.sampling.KeyedBits(bytes(32))
    noted.append(sf.disclosure.private_counts([40, 10, 0, 50], 1, bits))
    return noted


@case("disclosures/private law bound")
def _private_law_bound() -> object:
    noted: list[object] = []
    for epsilon in (1, 2):
        noted.append((epsilon, sf.disclosure.private_law_bound(10000, 4, 0.05, epsilon).bits))
    return noted


@case("disclosures/public certificate")
def _public_certificate() -> object:
    noted: list[object] = []
    law = sf.disclosure.counted_law([[40, 10], [20, 30]])
    private = sf.certify(sf.disclosure.optimum(law), estimated_from=100)
    public = sf.disclosure.public_certificate(private)
    noted.append([(claim.measure, claim.status.value) for claim in public.claims])
    noted.append(sf.verify(public, opening=private))
    return noted


@case("disclosures/quantile uniformiser")
def _quantile_uniformiser() -> object:
    noted: list[object] = []
    channel = sf.disclosure.quantile_uniformiser(sf.Distribution([Fraction(1, 4), Fraction(3, 4)]), 4)
    noted.append([[str(chance) for chance in row] for row in channel.rows])
    return noted


@case("disclosures/self disclosure interval")
def _self_disclosure_interval() -> object:
    noted: list[object] = []
    alone = sf.disclosure.self_disclosure_interval([0.5, 0.5], 100)
    noted.append((alone.lower, alone.upper))
    noted.append(sf.disclosure.self_disclosure_interval([0.5, 0.5], 100, together=5).upper)
    return noted


@case("disclosures/smoothed law")
def _smoothed_law() -> object:
    noted: list[object] = []
    noted.append([str(mass) for mass in sf.disclosure.smoothed_law([8, 2, 0], 1)])
    return noted


@case("disclosures/told by private law bits")
def _told_by_private_law_bits() -> object:
    noted: list[object] = []
    noted.append([sf.disclosure.disclosed_by_private_law_bits(epsilon) for epsilon in (0.1, 0.5, 1, 2)])
    return noted


@case("disclosures/told score")
def _told_score() -> object:
    noted: list[object] = []
    cells, features = ([0, 1, 2, 3] * 250, [0, 1, 1, 0] * 250)
    mapping = [[1, 0], [0, 1], [0, 1], [1, 0]]
    told = sf.disclosure.disclosed_score(mapping, fitted=(cells, features), scored=(cells, features), values=2)
    noted.append((told.score_bits, told.lower_bits))
    shifted = features[1:] + features[:1]
    noted.append(
        sf.disclosure.disclosed_score(mapping, fitted=(cells, features), scored=(cells, shifted), values=2).lower_bits
    )
    return noted


@case("disclosures/two binary corners")
def _two_binary_corners() -> object:
    noted: list[object] = []
    law = sf.disclosure.DataLaw.independent([Fraction(1, 3), Fraction(2, 3)], 2)
    for corner, weight in sf.disclosure.two_binary_corners(law):
        noted.append(([str(mass) for mass in corner], weight))
    return noted


@case("disclosures/unknown law bound")
def _unknown_law_bound() -> object:
    noted: list[object] = []
    for records in (100, 1000):
        noted.append((records, sf.disclosure.unknown_law_bound(records, 4, 0.05).bits))
    return noted
