from sfumato.prob.array_likes import ChannelLike, as_channel
from sfumato.prob.channel import Channel
from sfumato.prob.circulant import AnyChannel, Circulant
from sfumato.prob.distribution import Distribution, DistributionLike, as_distribution
from sfumato.prob.exact import LawLike
from sfumato.prob.joint import Joint, conditional, joint_law, marginal
from sfumato.prob.operations import as_prior, cascade, coarsen, post_process, power, product, together

__all__ = [
    "AnyChannel",
    "Channel",
    "ChannelLike",
    "Circulant",
    "Distribution",
    "DistributionLike",
    "Joint",
    "LawLike",
    "as_channel",
    "as_distribution",
    "as_prior",
    "cascade",
    "coarsen",
    "conditional",
    "joint_law",
    "marginal",
    "post_process",
    "power",
    "product",
    "together",
]
