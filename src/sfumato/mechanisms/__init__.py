"""Run it on many rows: one mechanism a file, each with the protocol of :class:`sfumato.bits.Mechanism`."""

from sfumato.mechanisms.randomized_response import RandomizedResponse
from sfumato.mechanisms.tabulated import Tabulated

__all__ = ["RandomizedResponse", "Tabulated"]
