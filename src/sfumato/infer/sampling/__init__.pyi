from sfumato.infer.sampling.calibrations import Calibration
from sfumato.infer.sampling.margins import poststratified, raked
from sfumato.infer.sampling.plans import SamplingPlan
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
    "SamplingPlan",
    "WeightedEstimate",
    "WeightedPoint",
    "hajek_mean",
    "horvitz_thompson_mean",
    "horvitz_thompson_total",
    "poststratified",
    "raked",
    "randomisation_covariance",
    "weighted_mean",
    "weighted_shares",
]
