from sfumato.disclose.asymptotics import (
    LimitChain,
    LimitDisclosure,
    Measurements,
    chain_of_limits,
    efficiency_interval_of,
    full_data_disclosure,
    limit_disclosure,
    self_disclosure_interval,
)
from sfumato.disclose.count_disclosures import CountDisclosure, CountSymbol, optimum_of_counts
from sfumato.disclose.counted_laws import counted_law
from sfumato.disclose.data_laws import DataLaw
from sfumato.disclose.disclosure_certificates import DisclosureSubject
from sfumato.disclose.disclosures import Disclosure
from sfumato.disclose.law_drift import leak_between_laws_bits, leak_within_bits
from sfumato.disclose.law_estimates import BoundTerms, Estimation, Origin
from sfumato.disclose.optimal_disclosure import Solver, ceiling_bits, optimum
from sfumato.disclose.polytope import nullity
from sfumato.disclose.private_histograms import (
    PrivateLawBound,
    check_private_law_bound,
    private_bound_with,
    private_counts,
    private_law_bound,
    told_by_private_law_bits,
)
from sfumato.disclose.public_certificates import public_certificate
from sfumato.disclose.public_statements import PublicDisclosureSubject
from sfumato.disclose.quantile_cells import ColumnSums, QuantileCells
from sfumato.disclose.running_sums import RunningSums
from sfumato.disclose.scheme_checks import IndependenceCheck
from sfumato.disclose.told_scores import ToldScore, told_score
from sfumato.disclose.two_binary import two_binary_corners
from sfumato.disclose.uniformising import UniformisedChain, closest_uniformiser, quantile_uniformiser
from sfumato.disclose.unknown_laws import (
    UnknownLawBound,
    bound_with,
    check_unknown_law_bound,
    smoothed_law,
    unknown_law_bound,
)
from sfumato.disclose.window_mappings import best_mapping
from sfumato.disclose.window_schemes import WindowScheme, overlap_leaks

__all__ = [
    "BoundTerms",
    "ColumnSums",
    "CountDisclosure",
    "CountSymbol",
    "DataLaw",
    "Disclosure",
    "DisclosureSubject",
    "Estimation",
    "IndependenceCheck",
    "LimitChain",
    "LimitDisclosure",
    "Measurements",
    "Origin",
    "PrivateLawBound",
    "PublicDisclosureSubject",
    "QuantileCells",
    "RunningSums",
    "Solver",
    "ToldScore",
    "UniformisedChain",
    "UnknownLawBound",
    "WindowScheme",
    "best_mapping",
    "bound_with",
    "ceiling_bits",
    "chain_of_limits",
    "check_private_law_bound",
    "check_unknown_law_bound",
    "closest_uniformiser",
    "counted_law",
    "efficiency_interval_of",
    "full_data_disclosure",
    "leak_between_laws_bits",
    "leak_within_bits",
    "limit_disclosure",
    "nullity",
    "optimum",
    "optimum_of_counts",
    "overlap_leaks",
    "private_bound_with",
    "private_counts",
    "private_law_bound",
    "public_certificate",
    "quantile_uniformiser",
    "self_disclosure_interval",
    "smoothed_law",
    "told_by_private_law_bits",
    "told_score",
    "two_binary_corners",
    "unknown_law_bound",
]
