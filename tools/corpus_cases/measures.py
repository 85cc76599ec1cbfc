"""Small worked examples of measures, with every number in full."""

import math
from fractions import Fraction

import sfumato as sf
from corpus_cases.record import case


@case("measures/amplitude capacity (kind)")
def _amplitude_capacity_kind() -> object:
    noted: list[object] = []
    found = sf.measures.amplitude_capacity(1)
    noted.append((found.positions, found.weights, found.bits.upper))
    noted.append(found.method)
    return noted


@case("measures/balance (kind)")
def _balance_kind() -> object:
    noted: list[object] = []
    says = ([0.9, 0.1], [0.1, 0.9])
    both = sf.Channel([says[a and b] for a in (0, 1) for b in (0, 1)])
    found = sf.measures.balance(both, (2, 2), 1.8)
    noted.append((found.unconstrained.upper, found.constrained.upper, found.bits.lower))
    noted.append([share for share in found.law.array.tolist()])
    return noted


@case("measures/balanced choice (kind)")
def _balanced_choice_kind() -> object:
    noted: list[object] = []
    says = ([0.9, 0.1], [0.1, 0.9])
    parity = sf.Channel([says[a ^ b] for a in (0, 1) for b in (0, 1)])
    choice = sf.measures.balanced_choice(parity, (2, 2))
    noted.append((choice.record, choice.datasets))
    return noted


@case("measures/ball (kind)")
def _ball_kind() -> object:
    noted: list[object] = []
    ball = sf.measures.Ball.of_cells(4, exhaustive=True)
    noted.append((ball.squared_radius, ball.dimension))
    noted.append(sf.measures.believed_bits(100, 0, Fraction(2, 10**2), ball=ball).upper)
    return noted


@case("measures/correlated leak (kind)")
def _correlated_leak_kind() -> object:
    noted: list[object] = []
    counts = sf.measures.NoisyCount.geometric(top=2, epsilon=1).channel().rows
    two_people = sf.Channel([counts[a + b] for a in (0, 1) for b in (0, 1)])
    leak = sf.measures.worst_correlation(two_people, (2, 2))
    noted.append((leak.odds, leak.expected, leak.surprising))
    noted.append((leak.max_information_bits(0.01), leak.prior(0.01).probabilities))
    return noted


@case("measures/noisy count (kind)")
def _noisy_count_kind() -> object:
    noted: list[object] = []
    blurred = sf.measures.NoisyCount.geometric(top=2, epsilon=1)
    noted.append([share for share in blurred.rows([0])[0].tolist()])
    noted.append(sf.measures.count_capacity(blurred).bits.upper)
    return noted


@case("measures/statistic capacity (kind)")
def _statistic_capacity_kind() -> object:
    noted: list[object] = []
    found = sf.measures.count_capacity(sf.measures.NoisyCount.geometric(top=10, epsilon=0.5))
    noted.append((found.totals, found.monotone))
    noted.append((found.bits.upper, [share for share in found.law]))
    return noted


@case("measures/worst case (kind)")
def _worst_case_kind() -> object:
    noted: list[object] = []
    counts = sf.measures.NoisyCount.geometric(top=2, epsilon=1).channel().rows
    two_people = sf.Channel([counts[a + b] for a in (0, 1) for b in (0, 1)])
    worst = sf.measures.individual_capacity(two_people, (2, 2))
    noted.append((worst.members, worst.datasets))
    noted.append((worst.bits.upper, [share for share in worst.prior.array.tolist()]))
    return noted


@case("measures/amplitude capacity")
def _amplitude_capacity() -> object:
    noted: list[object] = []
    noted.append([sf.measures.amplitude_capacity(ratio).bits.upper for ratio in (0.25, 0.5, 1)])
    noted.append([math.log2(1 + ratio) / 2 for ratio in (0.25, 0.5, 1)])
    return noted


@case("measures/amplitude ratio")
def _amplitude_ratio() -> object:
    noted: list[object] = []
    ratio = sf.measures.amplitude_ratio(0.1)
    noted.append((ratio, sf.measures.amplitude_capacity(ratio).bits.upper <= 0.1))
    return noted


@case("measures/balance")
def _balance() -> object:
    noted: list[object] = []
    says = ([0.9, 0.1], [0.1, 0.9])
    either = sf.Channel([says[a or b] for a in (0, 1) for b in (0, 1)])
    noted.append(sf.measures.balance(either, (2, 2), 2).bits.lower)
    noted.append(sf.measures.balance(either, (2, 2), 1.5).bits.upper)
    return noted


@case("measures/balance curve")
def _balance_curve() -> object:
    noted: list[object] = []
    says = ([0.9, 0.1], [0.1, 0.9])
    parity = sf.Channel([says[a ^ b] for a in (0, 1) for b in (0, 1)])
    noted.append([one.bits.midpoint for one in sf.measures.balance_curve(parity, (2, 2), [0, 1, 1.5, 2])])
    return noted


@case("measures/balanced choice")
def _balanced_choice() -> object:
    noted: list[object] = []
    three = sf.mechanisms.RandomizedResponse(size=3, odds=3).channel().rows
    first_or_last = sf.Channel([three[0], three[2]])
    noted.append(sf.measures.balanced_choice(first_or_last, (2,)))
    noted.append(sf.measures.balanced_choice(sf.Channel(three), (3,)).datasets)
    return noted


@case("measures/believed bits")
def _believed_bits() -> object:
    noted: list[object] = []
    for shared_bits in (0, 1, 10):
        noted.append((shared_bits, sf.measures.believed_bits(100, shared_bits, Fraction(1, 50**2)).upper))
    return noted


@case("measures/capacity about")
def _capacity_about() -> object:
    noted: list[object] = []
    says = ([0.9, 0.1], [0.1, 0.9])
    first_only = sf.Channel([says[a] for a in (0, 1) for b in (0, 1)])
    worst = sf.measures.capacity_about(first_only, (2, 2), [1])
    noted.append((worst.bits.upper, worst.datasets))
    return noted


@case("measures/capacity bits")
def _capacity_bits() -> object:
    noted: list[object] = []
    z_channel = sf.Channel([[1, 0], [0.5, 0.5]])
    noted.append(sf.measures.capacity_bits(z_channel).upper)
    noted.append(sf.measures.capacity_bits(z_channel).width <= 1e-09)
    return noted


@case("measures/capacity in closed form")
def _capacity_in_closed_form() -> object:
    noted: list[object] = []
    symmetric = sf.mechanisms.RandomizedResponse(size=2, odds=3).channel()
    noted.append(sf.measures.capacity_in_closed_form(symmetric).upper)
    noted.append(sf.measures.capacity_in_closed_form(symmetric.to_dense()))
    return noted


@case("measures/capacity interval from")
def _capacity_interval_from() -> object:
    noted: list[object] = []
    z_channel = sf.Channel([[1, 0], [0.5, 0.5]])
    found = sf.measures.capacity_interval_from(z_channel, (0.5, 0.5))
    noted.append((found.lower, found.upper))
    noted.append(sf.measures.capacity_interval_from(z_channel, (0.6, 0.4)).width < 1e-09)
    return noted


@case("measures/capacity with witness")
def _capacity_with_witness() -> object:
    noted: list[object] = []
    bits, witness = sf.measures.capacity_with_witness(sf.Channel([[1, 0], [0.5, 0.5]]))
    noted.append((bits.upper, [weight for weight in witness]))
    return noted


@case("measures/chernoff information interval")
def _chernoff_information_interval() -> object:
    noted: list[object] = []
    found = sf.measures.chernoff_information_interval([0.75, 0.25], [0.25, 0.75])
    noted.append((found.lower, found.width < 1e-13))
    return noted


@case("measures/chernoff information nats")
def _chernoff_information_nats() -> object:
    noted: list[object] = []
    noted.append(sf.measures.chernoff_information_nats([0.75, 0.25], [0.25, 0.75]))
    return noted


@case("measures/chernoff radius nats")
def _chernoff_radius_nats() -> object:
    noted: list[object] = []
    three = sf.Channel([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.2, 0.7, 0.1]])
    noted.append(sf.measures.chernoff_radius_nats(three))
    return noted


@case("measures/chi squared")
def _chi_squared() -> object:
    noted: list[object] = []
    noted.append(sf.measures.chi_squared([0.75, 0.25], [0.25, 0.75]))
    return noted


@case("measures/composed bits")
def _composed_bits() -> object:
    noted: list[object] = []
    release = (Fraction(1, 50**2), Fraction(1, 100))
    noted.append(sf.measures.composed_bits(100, 10, [release]).upper)
    noted.append(sf.measures.composed_bits(100, 10, [release] * 4).upper)
    return noted


@case("measures/conditional entropy bits")
def _conditional_entropy_bits() -> object:
    noted: list[object] = []
    noted.append(sf.measures.conditional_entropy_bits(sf.Channel([[1, 0], [0.5, 0.5]]), [0.2, 0.8]))
    return noted


@case("measures/count capacity")
def _count_capacity() -> object:
    noted: list[object] = []
    blurred = sf.measures.NoisyCount.geometric(top=1000, epsilon=0.1)
    for who in ("nobody", 5, 50, "anyone"):
        found = sf.measures.count_capacity(blurred, correlated=who)
        noted.append((found.totals, f"{found.bits.upper:.6f}"))
    return noted


@case("measures/data independent bits")
def _data_independent_bits() -> object:
    noted: list[object] = []
    says = ([0.9, 0.1], [0.1, 0.9])
    parity = sf.Channel([says[a ^ b] for a in (0, 1) for b in (0, 1)])
    noted.append(sf.measures.data_independent_bits(parity).upper)
    noted.append(sf.measures.individual_capacity_bits(parity, (2, 2)).upper)
    return noted


@case("measures/entropy bits")
def _entropy_bits() -> object:
    noted: list[object] = []
    noted.append(sf.measures.entropy_bits(sf.Distribution([0.5, 0.25, 0.25])))
    return noted


@case("measures/epsilon")
def _epsilon() -> object:
    noted: list[object] = []
    noted.append(sf.measures.epsilon(sf.mechanisms.RandomizedResponse(size=4, odds=3).channel()))
    return noted


@case("measures/epsilon interval")
def _epsilon_interval() -> object:
    noted: list[object] = []
    found = sf.measures.epsilon_interval(sf.mechanisms.RandomizedResponse(size=4, odds=3).channel())
    noted.append((found.lower, found.width < 1e-15))
    return noted


@case("measures/exposure")
def _exposure() -> object:
    noted: list[object] = []
    noted.append(sf.measures.exposure(sf.Channel([[0.9, 0.1, 0], [0, 0.6, 0.4]])))
    return noted


@case("measures/exposures")
def _exposures() -> object:
    noted: list[object] = []
    noted.append(sf.measures.exposures(sf.Channel([[0.9, 0.1, 0], [0, 0.6, 0.4]])))
    return noted


@case("measures/f divergence")
def _f_divergence() -> object:
    noted: list[object] = []

    def total_variation(ratio: float) -> float:
        return abs(ratio - 1) / 2

    noted.append(sf.measures.f_divergence([0.75, 0.25], [0.25, 0.75], total_variation, slope_at_infinity=0.5))
    return noted


@case("measures/family information")
def _family_information() -> object:
    noted: list[object] = []
    noted.append(sf.measures.family_information([Fraction(1, 2), Fraction(1, 2)], [-1, 1]))
    return noted


@case("measures/fisher information")
def _fisher_information() -> object:
    noted: list[object] = []
    coin = sf.surveys.warner_device(Fraction(3, 4)).channel
    noted.append(sf.measures.fisher_information(coin, Fraction(1, 2)))
    return noted


@case("measures/group capacity")
def _group_capacity() -> object:
    noted: list[object] = []
    counts = sf.measures.NoisyCount.geometric(top=3, epsilon=1).channel().rows
    three = sf.Channel([counts[a + b + c] for a in (0, 1) for b in (0, 1) for c in (0, 1)])
    worst = sf.measures.group_capacity(three, (2, 2, 2), 2)
    noted.append((worst.members, worst.bits.upper))
    return noted


@case("measures/group capacity bits")
def _group_capacity_bits() -> object:
    noted: list[object] = []
    coin = ([0.75, 0.25], [0.25, 0.75])
    pair = sf.Channel([[p * q for p in coin[a] for q in coin[b]] for a in (0, 1) for b in (0, 1)])
    noted.append([sf.measures.group_capacity_bits(pair, (2, 2), size).upper for size in (1, 2)])
    return noted


@case("measures/guess error")
def _guess_error() -> object:
    noted: list[object] = []
    coin = sf.surveys.warner_device(Fraction(3, 4)).channel
    noted.append((sf.measures.guess_error(coin), sf.measures.guess_error(coin, [Fraction(9, 10), Fraction(1, 10)])))
    four = sf.mechanisms.RandomizedResponse(size=4, odds=3).channel()
    noted.append((sf.measures.guess_error(four), sf.measures.guess_error(four, of=lambda answer: answer % 2)))
    return noted


@case("measures/has monotone ratio")
def _has_monotone_ratio() -> object:
    noted: list[object] = []
    third, rest = (Fraction(1, 3), Fraction(2, 3))
    noted.append(sf.measures.has_monotone_ratio(sf.Channel([[rest, third], [third, rest], [0, 1]])))
    return noted


@case("measures/heaviest output")
def _heaviest_output() -> object:
    noted: list[object] = []
    noted.append(sf.measures.heaviest_output(sf.Channel([[0.5, 0.5, 0], [0.5, 0, 0.5]])))
    noted.append(sf.measures.heaviest_output(sf.Channel([[0.75, 0.25], [0.75, 0.25]])))
    return noted


@case("measures/individual capacity")
def _individual_capacity() -> object:
    noted: list[object] = []
    says = ([0.9, 0.1], [0.1, 0.9])
    both = sf.Channel([says[a and b] for a in (0, 1) for b in (0, 1)])
    worst = sf.measures.individual_capacity(both, (2, 2))
    noted.append((worst.bits.upper, worst.members, worst.datasets))
    return noted


@case("measures/individual capacity bits")
def _individual_capacity_bits() -> object:
    noted: list[object] = []
    counts = sf.measures.NoisyCount.geometric(top=2, epsilon=1).channel().rows
    two_people = sf.Channel([counts[a + b] for a in (0, 1) for b in (0, 1)])
    noted.append(sf.measures.individual_capacity_bits(two_people, (2, 2)).upper)
    return noted


@case("measures/is data independent")
def _is_data_independent() -> object:
    noted: list[object] = []
    noted.append(sf.measures.is_data_independent(sf.mechanisms.RandomizedResponse(size=4, odds=3).channel()))
    noted.append(sf.measures.is_data_independent(sf.Channel([[0.75, 0.25], [0.5, 0.5]])))
    return noted


@case("measures/is recoverable")
def _is_recoverable() -> object:
    noted: list[object] = []
    noted.append(sf.measures.is_recoverable(sf.mechanisms.RandomizedResponse(size=4, odds=3).channel()))
    noted.append(sf.measures.is_recoverable(sf.Channel([[0.75, 0.25], [0.75, 0.25]])))
    return noted


@case("measures/kullback leibler nats")
def _kullback_leibler_nats() -> object:
    noted: list[object] = []
    noted.append(sf.measures.kullback_leibler_nats([0.75, 0.25], [0.25, 0.75]))
    noted.append(sf.measures.kullback_leibler_nats([0.5, 0.5], [1, 0]))
    return noted


@case("measures/largest even posterior")
def _largest_even_posterior() -> object:
    noted: list[object] = []
    three = sf.Channel([[0.6, 0.2, 0.2], [0.4, 0.4, 0.2], [0.1, 0.1, 0.8]])
    noted.append((sf.measures.largest_even_posterior(three, 0.1), sf.measures.largest_posterior(three, 0.1)))
    return noted


@case("measures/largest posterior")
def _largest_posterior() -> object:
    noted: list[object] = []
    five = sf.mechanisms.RandomizedResponse(size=5, odds=3).channel()
    noted.append(sf.measures.largest_posterior(five, Fraction(1, 10)))
    return noted


@case("measures/largest randomness interval")
def _largest_randomness_interval() -> object:
    noted: list[object] = []
    found = sf.measures.largest_randomness_interval(sf.Channel([[0.75, 0.25], [0.5, 0.5]]))
    noted.append((1.0 in found, found.width < 1e-14))
    return noted


@case("measures/largest total variation")
def _largest_total_variation() -> object:
    noted: list[object] = []
    noted.append(sf.measures.largest_total_variation(sf.mechanisms.RandomizedResponse(size=4, odds=3).channel()))
    return noted


@case("measures/max individual capacity bits")
def _max_individual_capacity_bits() -> object:
    noted: list[object] = []
    counts = sf.measures.NoisyCount.geometric(top=2, epsilon=1).channel().rows
    two_people = sf.Channel([counts[a + b] for a in (0, 1) for b in (0, 1)])
    noted.append(sf.measures.max_individual_capacity_bits(two_people, (2, 2)).upper)
    return noted


@case("measures/max information bits")
def _max_information_bits() -> object:
    noted: list[object] = []
    coin = sf.Channel([[0.75, 0.25], [0.25, 0.75]])
    noted.append(sf.measures.max_information_bits(coin))
    noted.append(sf.measures.max_information_bits(coin, [0.9, 0.1]))
    return noted


@case("measures/max information interval")
def _max_information_interval() -> object:
    noted: list[object] = []
    found = sf.measures.max_information_interval(sf.Channel([[0.75, 0.25], [0.25, 0.75]]))
    noted.append((found.upper, found.width < 1e-14))
    return noted


@case("measures/maximal leakage bits")
def _maximal_leakage_bits() -> object:
    noted: list[object] = []
    noted.append(sf.measures.maximal_leakage_bits(sf.Channel([[0.75, 0.25], [0.25, 0.75]])))
    return noted


@case("measures/maximal leakage interval")
def _maximal_leakage_interval() -> object:
    noted: list[object] = []
    found = sf.measures.maximal_leakage_interval(sf.mechanisms.RandomizedResponse(size=4, odds=3).channel())
    noted.append((1.0 in found, found.width < 1e-14))
    return noted


@case("measures/min entropy leakage bits")
def _min_entropy_leakage_bits() -> object:
    noted: list[object] = []
    coin = sf.Channel([[0.75, 0.25], [0.25, 0.75]])
    noted.append(sf.measures.min_entropy_leakage_bits(coin))
    noted.append(sf.measures.min_entropy_leakage_bits(coin, [0.9, 0.1]))
    return noted


@case("measures/min entropy leakage interval")
def _min_entropy_leakage_interval() -> object:
    noted: list[object] = []
    found = sf.measures.min_entropy_leakage_interval(sf.Channel([[0.75, 0.25], [0.25, 0.75]]))
    noted.append((found.upper, found.width < 1e-14))
    return noted


@case("measures/mutual information bits")
def _mutual_information_bits() -> object:
    noted: list[object] = []
    coin = sf.Channel([[0.75, 0.25], [0.25, 0.75]])
    noted.append([sf.measures.mutual_information_bits(coin, prior) for prior in (None, [0.9, 0.1])])
    return noted


@case("measures/mutual information interval")
def _mutual_information_interval() -> object:
    noted: list[object] = []
    found = sf.measures.mutual_information_interval(sf.Channel([[0.75, 0.25], [0.25, 0.75]]))
    noted.append((found.upper, found.width < 1e-14))
    return noted


@case("measures/neighbour epsilon")
def _neighbour_epsilon() -> object:
    noted: list[object] = []
    counts = sf.measures.NoisyCount.geometric(top=2, epsilon=1).channel().rows
    two_people = sf.Channel([counts[a + b] for a in (0, 1) for b in (0, 1)])
    noted.append((sf.measures.neighbour_epsilon(two_people, (2, 2)), sf.measures.epsilon(two_people)))
    return noted


@case("measures/neighbour odds")
def _neighbour_odds() -> object:
    noted: list[object] = []
    counts = sf.measures.NoisyCount.geometric(top=2, epsilon=1).channel().rows
    two_people = sf.Channel([counts[a + b] for a in (0, 1) for b in (0, 1)])
    noted.append((sf.measures.neighbour_odds(two_people, (2, 2)), sf.measures.odds(two_people)))
    return noted


@case("measures/noisy sum limit")
def _noisy_sum_limit() -> object:
    noted: list[object] = []
    for unknown_bits in (100, 90, 50):
        noted.append((unknown_bits, sf.measures.noisy_sum_limit(100, 2, unknown_bits, Fraction(1, 50**2)).upper))
    return noted


@case("measures/odds")
def _odds() -> object:
    noted: list[object] = []
    noted.append(sf.measures.odds(sf.mechanisms.RandomizedResponse(size=4, odds=3).channel()))
    noted.append(sf.measures.odds(sf.Channel([[1, 0], [0.5, 0.5]])))
    return noted


@case("measures/plateau bits")
def _plateau_bits() -> object:
    noted: list[object] = []
    noted.append(sf.measures.plateau_bits([0, 1, 1, 0], (2, 2)))
    noted.append(sf.measures.plateau_bits([0, 0, 0, 1], (2, 2)))
    return noted


@case("measures/plateau interval")
def _plateau_interval() -> object:
    noted: list[object] = []
    found = sf.measures.plateau_interval([0, 0, 0, 1], (2, 2))
    noted.append((1.5 in found, found.width < 1e-15))
    return noted


@case("measures/posterior")
def _posterior() -> object:
    noted: list[object] = []
    coin = sf.surveys.warner_device(Fraction(3, 4)).channel
    noted.append(sf.measures.posterior(coin, sf.Distribution([Fraction(9, 10), Fraction(1, 10)]), report=1))
    return noted


@case("measures/prf gap bits")
def _prf_gap_bits() -> object:
    noted: list[object] = []
    noted.append(sf.measures.prf_gap_bits(Fraction(1, 2**60), 10) < 1e-15)
    noted.append(sf.measures.prf_gap_bits(Fraction(1, 100), 10))
    return noted


@case("measures/prior guess error")
def _prior_guess_error() -> object:
    noted: list[object] = []
    coin = sf.surveys.warner_device(Fraction(3, 4)).channel
    noted.append(sf.measures.prior_guess_error(coin, [Fraction(9, 10), Fraction(1, 10)]))
    return noted


@case("measures/raised share")
def _raised_share() -> object:
    noted: list[object] = []
    noted.append(sf.measures.raised_share(Fraction(1, 10), favoured=Fraction(3, 4), other=Fraction(1, 4)))
    return noted


@case("measures/randomness bits")
def _randomness_bits() -> object:
    noted: list[object] = []
    noted.append([bits for bits in sf.measures.randomness_bits(sf.Channel([[1, 0], [0.5, 0.5]]))])
    return noted


@case("measures/renyi nats")
def _renyi_nats() -> object:
    noted: list[object] = []
    noted.append([sf.measures.renyi_nats([0.75, 0.25], [0.25, 0.75], order) for order in (0.5, 1, 2, math.inf)])
    return noted


@case("measures/selected channels")
def _selected_channels() -> object:
    noted: list[object] = []
    says = ([0.9, 0.1], [0.1, 0.9])
    both = sf.Channel([says[a and b] for a in (0, 1) for b in (0, 1)])
    rules = sf.measures.selected_channels(both, (2, 2), record=0)
    noted.append([sf.measures.capacity_bits(one).upper for one in rules])
    noted.append(sf.measures.individual_capacity_bits(both, (2, 2)).upper)
    return noted


@case("measures/squared hellinger")
def _squared_hellinger() -> object:
    noted: list[object] = []
    noted.append(sf.measures.squared_hellinger([0.75, 0.25], [0.25, 0.75]))
    noted.append(sf.measures.squared_hellinger([1, 0], [0, 1]))
    return noted


@case("measures/statistic capacity")
def _statistic_capacity() -> object:
    noted: list[object] = []
    ratings = sf.measures.NoisyCount.geometric(top=4, epsilon=1)
    found = sf.measures.statistic_capacity(ratings, people=2, contributions=(0, 1, 2))
    noted.append((found.totals, found.bits.lower))
    return noted


@case("measures/total variation")
def _total_variation() -> object:
    noted: list[object] = []
    noted.append(sf.measures.total_variation([Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]))
    return noted


@case("measures/totals of")
def _totals_of() -> object:
    noted: list[object] = []
    noted.append(sf.measures.totals_of(2, (0, 1, 2)))
    noted.append(sf.measures.totals_of(2, ((0, 1), (1, 0))))
    return noted


@case("measures/weighted guess error")
def _weighted_guess_error() -> object:
    noted: list[object] = []
    coin = sf.surveys.warner_device(Fraction(3, 4)).channel
    noted.append(sf.measures.weighted_guess_error(coin, Fraction(1, 2)))
    noted.append(sf.measures.weighted_guess_error(coin, Fraction(1, 5)))
    return noted


@case("measures/weighted l1")
def _weighted_l1() -> object:
    noted: list[object] = []
    noted.append(
        (
            sf.measures.weighted_l1([0.75, 0.25], [0.25, 0.75], 0.5),
            sf.measures.weighted_l1([0.75, 0.25], [0.25, 0.75], 1),
        )
    )
    return noted


@case("measures/worst correlation")
def _worst_correlation() -> object:
    noted: list[object] = []
    counts = sf.measures.NoisyCount.geometric(top=2, epsilon=1).channel().rows
    two_people = sf.Channel([counts[a + b] for a in (0, 1) for b in (0, 1)])
    leak = sf.measures.worst_correlation(two_people, (2, 2))
    noted.append((leak.record, leak.expected, leak.surprising, leak.output))
    return noted


@case("measures/worst guess error")
def _worst_guess_error() -> object:
    noted: list[object] = []
    silent = sf.Channel([[0.8, 0, 0.2], [0, 0.8, 0.2]])
    noted.append((sf.measures.guess_error(silent), sf.measures.worst_guess_error(silent)))
    return noted


@case("measures/worst report")
def _worst_report() -> object:
    noted: list[object] = []
    place, error = sf.measures.worst_report(sf.Channel([[0.75, 0.25], [0.5, 0.5]]), [0.5, 0.5])
    noted.append((place, error))
    return noted
