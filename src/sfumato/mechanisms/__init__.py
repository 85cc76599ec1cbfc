"""Run it on many rows: one mechanism a file, each with the protocol of :class:`sfumato.bits.Mechanism`."""

from sfumato.on_demand import names_on_demand

__getattr__, __dir__ = names_on_demand(__name__, __file__)
