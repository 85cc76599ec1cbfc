from sfumato.mechanisms.arc import ArcResponse
from sfumato.mechanisms.binary_hadamard import BinaryHadamard
from sfumato.mechanisms.cyclic import CyclicResponse
from sfumato.mechanisms.flags import FlagsResponse
from sfumato.mechanisms.hadamard import HadamardResponse
from sfumato.mechanisms.randomized_response import RandomizedResponse
from sfumato.mechanisms.sets import SetsResponse
from sfumato.mechanisms.subset import SubsetSelection
from sfumato.mechanisms.tabulated import Tabulated
from sfumato.mechanisms.unary import OptimisedUnary, PermanentUnary, SymmetricUnary

__all__ = [
    "ArcResponse",
    "BinaryHadamard",
    "CyclicResponse",
    "FlagsResponse",
    "HadamardResponse",
    "OptimisedUnary",
    "PermanentUnary",
    "RandomizedResponse",
    "SetsResponse",
    "SubsetSelection",
    "SymmetricUnary",
    "Tabulated",
]
