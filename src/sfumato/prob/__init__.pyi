from sfumato.prob.channel import Channel
from sfumato.prob.circulant import AnyChannel, Circulant
from sfumato.prob.distribution import Distribution
from sfumato.prob.exact import LawLike
from sfumato.prob.joint import Joint, conditional, joint_law, marginal
from sfumato.prob.operations import as_prior, cascade, coarsen, post_process, power, product, together

__all__ = [
    "AnyChannel",
    "Channel",
    "Circulant",
    "Distribution",
    "Joint",
    "LawLike",
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
