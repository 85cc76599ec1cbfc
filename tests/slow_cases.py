"""Cases of tables that are judged slowly: `slow_cases.txt` names them, and `tools/slow-cases` chooses them by measure.

A table keeps its cheapest cases in `make test`; the slow suite has the whole of it. What each case of a table proves
by itself (the law of a mechanism, a step at which a process is killed) is not on the list: see `NEVER` in the tool.
"""

from functools import cache
from pathlib import Path

import pytest

FILE = Path(__file__).with_name("slow_cases.txt")
COLLECTED = pytest.StashKey[tuple[frozenset[str], frozenset[str]]]()


@cache
def slow_cases():
    """Return the names of the cases, as pytest writes them."""
    return frozenset(line for line in FILE.read_text(encoding="utf-8").splitlines() if not line.startswith("#"))


def table_of(name):
    """Return the name of the test that a case belongs to."""
    return name.partition("[")[0]


def mark_slow_cases(config, items):
    """Mark them as slow, and remember what there was to choose from."""
    dear = slow_cases()
    for item in items:
        if item.nodeid in dear:
            item.add_marker(pytest.mark.slow)
    quick = {item.nodeid for item in items if item.get_closest_marker("slow") is None}
    config.stash[COLLECTED] = frozenset(item.nodeid for item in items), frozenset(map(table_of, quick))
