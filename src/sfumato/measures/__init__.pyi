from sfumato.measures.amplitude.capacities import AmplitudeCapacity, amplitude_capacity, amplitude_ratio
from sfumato.measures.balances.functions import Balance, balance, balance_curve
from sfumato.measures.balances.plateau import plateau_bits, plateau_interval
from sfumato.measures.beliefs import Ball, believed_bits, composed_bits, noisy_sum_limit
from sfumato.measures.capacity import (
    capacity_bits,
    capacity_in_closed_form,
    capacity_interval_from,
    capacity_with_witness,
)
from sfumato.measures.chernoff import (
    chernoff_information_interval,
    chernoff_information_nats,
    chernoff_radius_nats,
)
from sfumato.measures.correlations import (
    CorrelatedLeak,
    max_individual_capacity_bits,
    neighbour_epsilon,
    neighbour_odds,
    worst_correlation,
)
from sfumato.measures.distances import (
    largest_total_variation,
    total_variation,
    weighted_guess_error,
    weighted_l1,
)
from sfumato.measures.divergences import (
    chi_squared,
    f_divergence,
    kullback_leibler_nats,
    renyi_nats,
    squared_hellinger,
)
from sfumato.measures.exposing import exposure, exposures
from sfumato.measures.fisher import family_information, fisher_information
from sfumato.measures.guessing import (
    guess_error,
    maximal_leakage_bits,
    maximal_leakage_interval,
    min_entropy_leakage_bits,
    min_entropy_leakage_interval,
    prior_guess_error,
    worst_guess_error,
    worst_report,
)
from sfumato.measures.individual.capacities import (
    WorstCase,
    capacity_about,
    group_capacity,
    group_capacity_bits,
    individual_capacity,
    individual_capacity_bits,
)
from sfumato.measures.individual.likelihood_ratios import has_monotone_ratio
from sfumato.measures.individual.noisy_counts import NoisyCount
from sfumato.measures.individual.records import selected_channels
from sfumato.measures.individual.statistics import (
    StatisticCapacity,
    count_capacity,
    statistic_capacity,
    totals_of,
)
from sfumato.measures.ldp import epsilon, epsilon_interval, odds
from sfumato.measures.posteriors import largest_even_posterior, largest_posterior, posterior, raised_share
from sfumato.measures.pseudorandomness import prf_gap_bits
from sfumato.measures.recovery import heaviest_output, is_recoverable
from sfumato.measures.shannon import (
    conditional_entropy_bits,
    entropy_bits,
    largest_randomness_interval,
    max_information_bits,
    max_information_interval,
    mutual_information_bits,
    mutual_information_interval,
    randomness_bits,
)
from sfumato.measures.symmetry import (
    BalancedChoice,
    balanced_choice,
    data_independent_bits,
    is_data_independent,
)

__all__ = [
    "AmplitudeCapacity",
    "Balance",
    "BalancedChoice",
    "Ball",
    "CorrelatedLeak",
    "NoisyCount",
    "StatisticCapacity",
    "WorstCase",
    "amplitude_capacity",
    "amplitude_ratio",
    "balance",
    "balance_curve",
    "balanced_choice",
    "believed_bits",
    "capacity_about",
    "capacity_bits",
    "capacity_in_closed_form",
    "capacity_interval_from",
    "capacity_with_witness",
    "chernoff_information_interval",
    "chernoff_information_nats",
    "chernoff_radius_nats",
    "chi_squared",
    "composed_bits",
    "conditional_entropy_bits",
    "count_capacity",
    "data_independent_bits",
    "entropy_bits",
    "epsilon",
    "epsilon_interval",
    "exposure",
    "exposures",
    "f_divergence",
    "family_information",
    "fisher_information",
    "group_capacity",
    "group_capacity_bits",
    "guess_error",
    "has_monotone_ratio",
    "heaviest_output",
    "individual_capacity",
    "individual_capacity_bits",
    "is_data_independent",
    "is_recoverable",
    "kullback_leibler_nats",
    "largest_even_posterior",
    "largest_posterior",
    "largest_randomness_interval",
    "largest_total_variation",
    "max_individual_capacity_bits",
    "max_information_bits",
    "max_information_interval",
    "maximal_leakage_bits",
    "maximal_leakage_interval",
    "min_entropy_leakage_bits",
    "min_entropy_leakage_interval",
    "mutual_information_bits",
    "mutual_information_interval",
    "neighbour_epsilon",
    "neighbour_odds",
    "noisy_sum_limit",
    "odds",
    "plateau_bits",
    "plateau_interval",
    "posterior",
    "prf_gap_bits",
    "prior_guess_error",
    "raised_share",
    "randomness_bits",
    "renyi_nats",
    "selected_channels",
    "squared_hellinger",
    "statistic_capacity",
    "total_variation",
    "totals_of",
    "weighted_guess_error",
    "weighted_l1",
    "worst_correlation",
    "worst_guess_error",
    "worst_report",
]
