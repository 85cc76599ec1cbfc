from sfumato.certificates.auditing import Audit, SampleCounts, audit_counts, read_samples
from sfumato.certificates.certificate import Certificate
from sfumato.certificates.certifying import certify, verify
from sfumato.certificates.claims import Claim, Relation, Status

__all__ = [
    "Audit",
    "Certificate",
    "Claim",
    "Relation",
    "SampleCounts",
    "Status",
    "audit_counts",
    "certify",
    "read_samples",
    "verify",
]
