"""Publish the whole, never the parts: mappings of a data set that are independent of every single sample."""

from sfumato.disclose.data_laws import DataLaw
from sfumato.disclose.disclosure_certificates import DisclosureCertificate, certify_disclosure, verify_disclosure
from sfumato.disclose.disclosures import Disclosure
from sfumato.disclose.optimal_disclosure import Solver, ceiling_bits, optimum
from sfumato.disclose.polytope import nullity
from sfumato.disclose.two_binary import two_binary_corners

__all__ = [
    "DataLaw",
    "Disclosure",
    "DisclosureCertificate",
    "Solver",
    "ceiling_bits",
    "certify_disclosure",
    "nullity",
    "optimum",
    "two_binary_corners",
    "verify_disclosure",
]
