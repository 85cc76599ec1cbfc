from sfumato.publications.registry import read_registry
from sfumato.publications.typed_reports import ReportCounts, read_report_counts

__all__ = [
    "ReportCounts",
    "read_registry",
    "read_report_counts",
]
