"""A plugin that writes down what each test took, in CPU seconds with those of its children: `pytest -p cpu_seconds`.

One file a process, in the folder that SFUMATO_CPU_SECONDS names, a test a line; `tools/slow-cases` reads them.
"""

import os
from pathlib import Path

import pytest


def cpu_seconds():
    return sum(os.times()[:4])


def pytest_configure(config):
    folder = Path(os.environ["SFUMATO_CPU_SECONDS"])
    folder.mkdir(parents=True, exist_ok=True)
    config.stash[FILE] = (folder / f"{os.getpid()}.tsv").open("w", encoding="utf-8")


def pytest_unconfigure(config):
    config.stash[FILE].close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    before = cpu_seconds()
    result = yield
    item.config.stash[FILE].write(f"{item.nodeid}\t{cpu_seconds() - before:.2f}\n")
    return result


FILE = pytest.StashKey()
