"""Shared by all tests: Hypothesis without a clock, fixed for CI, and the list of what could not run."""

import gc
import os

import pytest
from hypothesis import settings

from cli.forks import fork_server, shell_environment
from slow_cases import mark_slow_cases

# The machine is shared, so a slow example is no finding; in CI the same examples are run every time, and a quarter as
# many. `make test-slow` runs the properties with many more: SFUMATO_EXAMPLES=thorough.
settings.register_profile("sfumato", deadline=None, print_blob=True)
settings.register_profile("ci", parent=settings.get_profile("sfumato"), derandomize=True, max_examples=25)
settings.register_profile("thorough", parent=settings.get_profile("sfumato"), max_examples=500)
settings.load_profile(os.environ.get("SFUMATO_EXAMPLES") or ("ci" if os.environ.get("CI") else "sfumato"))


@pytest.fixture(scope="session")
def command_server(tmp_path_factory):
    """One process for all workers that has imported everything, and runs the command in forks of itself."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        return fork_server(folder.parent, os.getppid())
    return fork_server(folder, os.getpid())


@pytest.fixture(scope="session")
def shell(command_server, tmp_path_factory):
    """The environment of a shell that finds the command."""
    return shell_environment(command_server, tmp_path_factory.mktemp("shell"))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items) -> None:
    """Before anybody chooses by marks."""
    mark_slow_cases(config, items)


def pytest_collection_finish() -> None:
    """Ten thousand tests stay until the end; whoever collects garbage need not look at them every time."""
    gc.collect()
    gc.freeze()


def pytest_sessionfinish() -> None:
    gc.unfreeze()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name what did not run, in the last lines, so that a skip is never silent."""
    skipped = terminalreporter.stats.get("skipped", [])
    if skipped:
        terminalreporter.section("not run on this machine")
        for report in skipped:
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
            terminalreporter.line(f"{report.nodeid}: {reason}")
