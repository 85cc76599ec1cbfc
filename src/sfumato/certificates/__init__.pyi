from sfumato.certificates.auditing import Audit, SampleCounts, audit, audit_counts, read_samples
from sfumato.certificates.certificate import Certificate
from sfumato.certificates.certifying import certify, verify
from sfumato.certificates.channels import ChannelSubject
from sfumato.certificates.claims import Claim, Claiming, Relation, Source, Status

__all__ = [
    "Audit",
    "Certificate",
    "ChannelSubject",
    "Claim",
    "Claiming",
    "Relation",
    "SampleCounts",
    "Source",
    "Status",
    "audit",
    "audit_counts",
    "certify",
    "read_samples",
    "verify",
]
