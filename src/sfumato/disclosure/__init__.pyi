from sfumato.disclosure.certificate import public_certificate
from sfumato.disclosure.counts import optimum_of_counts
from sfumato.disclosure.data import DataLaw, nullity
from sfumato.disclosure.estimation import Estimation, Origin, counted_law
from sfumato.disclosure.held_out import disclosed_score
from sfumato.disclosure.limits import (
    Measurements,
    chain_of_limits,
    efficiency_interval_of,
    full_data_disclosure,
    limit_disclosure,
    self_disclosure_interval,
)
from sfumato.disclosure.optimal import Disclosure, Solver, ceiling_bits, optimum, two_binary_corners
from sfumato.disclosure.schemes import (
    RunningSums,
    WindowScheme,
    best_mapping,
    leak_between_laws_bits,
    leak_within_bits,
    overlap_leaks,
)
from sfumato.disclosure.uniformising import ColumnSums, QuantileCells, closest_uniformiser, quantile_uniformiser
from sfumato.disclosure.unknown_distributions import (
    bound_with,
    disclosed_by_private_law_bits,
    private_counts,
    private_law_bound,
    smoothed_law,
    unknown_law_bound,
)

__all__ = [
    "ColumnSums",
    "DataLaw",
    "Disclosure",
    "Estimation",
    "Measurements",
    "Origin",
    "QuantileCells",
    "RunningSums",
    "Solver",
    "WindowScheme",
    "best_mapping",
    "bound_with",
    "ceiling_bits",
    "chain_of_limits",
    "closest_uniformiser",
    "counted_law",
    "disclosed_by_private_law_bits",
    "disclosed_score",
    "efficiency_interval_of",
    "full_data_disclosure",
    "leak_between_laws_bits",
    "leak_within_bits",
    "limit_disclosure",
    "nullity",
    "optimum",
    "optimum_of_counts",
    "overlap_leaks",
    "private_counts",
    "private_law_bound",
    "public_certificate",
    "quantile_uniformiser",
    "self_disclosure_interval",
    "smoothed_law",
    "two_binary_corners",
    "unknown_law_bound",
]
