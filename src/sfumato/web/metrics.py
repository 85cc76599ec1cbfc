"""Figures about the server as a whole, in Prometheus' text format. None is about one report or one person."""

from __future__ import annotations

from collections import Counter

from sfumato.web.writer import GroupWriter

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Metrics:
    """What was counted since the process began."""

    def __init__(self) -> None:
        self.requests: Counter[tuple[str, int]] = Counter()
        self.reports: Counter[str] = Counter()
        self.credentials: Counter[str] = Counter()
        self.withdrawals = 0

    def text(self, writer: GroupWriter) -> str:
        """Return all figures, one a line, each kind with its sentence."""
        figures = writer.figures
        kinds: list[tuple[str, str, str, list[tuple[str, float]]]] = [
            (
                "sfumato_requests_total", "counter", "Requests, by path and status.",
                [(f'{{path="{path}",status="{status}"}}', n) for (path, status), n in sorted(self.requests.items())],
            ),
            (
                "sfumato_reports_total", "counter", "Reports handed in, by what became of them.",
                [(f'{{outcome="{outcome}"}}', n) for outcome, n in sorted(self.reports.items())],
            ),
            (
                "sfumato_credentials_total", "counter", "Tokens handed in for credentials, by what became of them.",
                [(f'{{outcome="{outcome}"}}', n) for outcome, n in sorted(self.credentials.items())],
            ),
            ("sfumato_withdrawals_total", "counter", "Rows withdrawn.", [("", self.withdrawals)]),
            ("sfumato_commits_total", "counter", "Transactions that are on disk.", [("", figures.commits)]),
            ("sfumato_written_total", "counter", "What was written in them.", [("", figures.written)]),
            ("sfumato_write_failures_total", "counter", "Transactions that failed.", [("", figures.failures)]),
            ("sfumato_commit_seconds_total", "counter", "Time spent in transactions.", [("", figures.seconds)]),
            ("sfumato_commit_seconds_slowest", "gauge", "The slowest transaction.", [("", figures.slowest)]),
            ("sfumato_waiting", "gauge", "What waits to be written.", [("", writer.waiting)]),
            ("sfumato_ready", "gauge", "1 when reports are taken.", [("", int(writer.is_ready))]),
        ]  # fmt: skip
        lines = []
        for name, kind, words, values in kinds:
            lines += [f"# HELP {name} {words}", f"# TYPE {name} {kind}"]
            lines += [f"{name}{labels} {value:.17g}" for labels, value in values]
        return "\n".join(lines) + "\n"
