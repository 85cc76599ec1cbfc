from sfumato.noise.channels import ExponentialDesign, FlipDesign, exponential, exponential_of, flip
from sfumato.noise.gaussian_designs import GaussianDesign, gaussian, private_count, private_mean, private_sum
from sfumato.noise.quantiles import private_quantile
from sfumato.noise.reaccounting import bits_of
from sfumato.noise.shared_bits_designs import (
    BelievedNoise,
    believed_count,
    believed_histogram,
    believed_mean,
    believed_sum,
)
from sfumato.noise.vectors import VectorDesign, private_histogram

__all__ = [
    "BelievedNoise",
    "ExponentialDesign",
    "FlipDesign",
    "GaussianDesign",
    "VectorDesign",
    "believed_count",
    "believed_histogram",
    "believed_mean",
    "believed_sum",
    "bits_of",
    "exponential",
    "exponential_of",
    "flip",
    "gaussian",
    "private_count",
    "private_histogram",
    "private_mean",
    "private_quantile",
    "private_sum",
]
