from sfumato.publications.registry import read_record
from sfumato.publications.typed_reports import ReportCounts, read_report_counts

__all__ = [
    "ReportCounts",
    "read_record",
    "read_report_counts",
]
