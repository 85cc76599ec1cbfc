"""Shared by all tests: Hypothesis without a clock, fixed for CI, and the list of what could not run."""

import os

import pytest
from hypothesis import settings

# The machine is shared, so a slow example is no finding; in CI the same examples are run every time.
settings.register_profile("sfumato", deadline=None, print_blob=True)
settings.register_profile("ci", parent=settings.get_profile("sfumato"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "sfumato")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name what did not run, in the last lines, so that a skip is never silent."""
    skipped = terminalreporter.stats.get("skipped", [])
    if skipped:
        terminalreporter.section("not run on this machine")
        for report in skipped:
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
            terminalreporter.line(f"{report.nodeid}: {reason}")
