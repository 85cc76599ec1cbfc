from sfumato.prob.channel import Channel
from sfumato.prob.channel_files import parse_prior, read_any_channel, read_channel, read_prior, write_channel
from sfumato.prob.distribution import Distribution, as_distribution
from sfumato.prob.operations import (
    Joint,
    as_prior,
    cascade,
    coarsen,
    conditional,
    joint_law,
    marginal,
    post_process,
    power,
    product,
    together,
)
from sfumato.prob.structured import Circulant, as_channel

__all__ = [
    "Channel",
    "Circulant",
    "Distribution",
    "Joint",
    "as_channel",
    "as_distribution",
    "as_prior",
    "cascade",
    "coarsen",
    "conditional",
    "joint_law",
    "marginal",
    "parse_prior",
    "post_process",
    "power",
    "product",
    "read_any_channel",
    "read_channel",
    "read_prior",
    "together",
    "write_channel",
]
