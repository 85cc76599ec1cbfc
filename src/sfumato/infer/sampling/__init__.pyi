from sfumato.infer.sampling.calibrations import Calibration
from sfumato.infer.sampling.margins import poststratified, raked
from sfumato.infer.sampling.plans import SamplingPlan
from sfumato.infer.sampling.replicates import (
    ReplicateWeights,
    balanced_weights,
    bootstrap_weights,
    jackknife_weights,
    replicate_covariance,
)
from sfumato.infer.sampling.share_estimates import WeightedEstimate, weighted_mean, weighted_shares
from sfumato.infer.sampling.weighted_means import (
    WeightedPoint,
    hajek_mean,
    horvitz_thompson_mean,
    horvitz_thompson_total,
    randomisation_covariance,
)

__all__ = [
    "Calibration",
    "ReplicateWeights",
    "SamplingPlan",
    "WeightedEstimate",
    "WeightedPoint",
    "balanced_weights",
    "bootstrap_weights",
    "hajek_mean",
    "horvitz_thompson_mean",
    "horvitz_thompson_total",
    "jackknife_weights",
    "poststratified",
    "raked",
    "randomisation_covariance",
    "replicate_covariance",
    "weighted_mean",
    "weighted_shares",
]
