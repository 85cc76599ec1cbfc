from sfumato.certificates.auditing import Audit, audit, audit_counts
from sfumato.certificates.certificate import Certificate
from sfumato.certificates.certifying import certify
from sfumato.certificates.channel_subjects import ChannelSubject
from sfumato.certificates.sources import Source
from sfumato.certificates.verifying import verify

__all__ = ["Audit", "Certificate", "ChannelSubject", "Source", "audit", "audit_counts", "certify", "verify"]
