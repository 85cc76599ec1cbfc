"""What several tests of studies share: one process that runs them in forks."""

import shutil
import tempfile
from pathlib import Path

import pytest

from workflows.crash_running import Runner


@pytest.fixture(scope="session")
def runner(tmp_path_factory):
    # In memory where that can be had: a kill tests the order of writes, and waiting for a disk adds nothing to it.
    memory = Path("/dev/shm")  # noqa: S108
    root = Path(tempfile.mkdtemp(dir=memory)) if memory.is_dir() else tmp_path_factory.mktemp("crashes")
    # What survives a start of the machine lies on a disk, also where temporary files lie in memory.
    lasting = Path("/var/tmp")  # noqa: S108
    disk = Path(tempfile.mkdtemp(dir=lasting)) if lasting.is_dir() else tmp_path_factory.mktemp("disk")
    found = Runner(root, disk)
    yield found
    found.close()
    shutil.rmtree(root)
    shutil.rmtree(disk)
