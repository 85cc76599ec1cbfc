"""What every design has that is a channel: a certificate, and a mechanism that draws from it."""

from __future__ import annotations

from sfumato.certificates import Certificate, certify
from sfumato.mechanisms import Tabulated
from sfumato.prob import Channel
from sfumato.values.shown import Shown


class DrawnDesign(Shown):
    """A design whose `channel` can be drawn from."""

    __slots__ = ()

    channel: Channel

    @property
    def mechanism(self) -> Tabulated:
        """The design as something to run: its sampled law is the channel, exactly."""
        return Tabulated(self.channel)


class CertifiedDesign(DrawnDesign):
    """A design that is certified under the prior that it was made for."""

    __slots__ = ()

    @property
    def certificate(self) -> Certificate:
        """Every claim about the channel, under the prior or the weights that the design was made for."""
        return certify(self)
