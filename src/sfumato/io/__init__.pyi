from sfumato.io.channel_writers import write_channel
from sfumato.io.channels import read_any_channel, read_channel
from sfumato.io.priors import parse_prior, read_prior
from sfumato.io.reports import ReportCounts, read_report_counts
from sfumato.io.samples import SampleCounts, read_samples

__all__ = [
    "ReportCounts",
    "SampleCounts",
    "parse_prior",
    "read_any_channel",
    "read_channel",
    "read_prior",
    "read_report_counts",
    "read_samples",
    "write_channel",
]
