"""Run the command as a person does: in a process of its own."""

import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = [str(Path(sys.executable).parent / "sfumato")]


@pytest.fixture
def sfumato(tmp_path):
    def run(*arguments, **environment):
        import os

        return subprocess.run(
            [*COMMAND, *map(str, arguments)],
            cwd=tmp_path,
            env={**os.environ, "NO_COLOR": "1", **environment},
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )

    return run


@pytest.fixture
def channel_file(tmp_path):
    path = tmp_path / "channel.csv"
    path.write_text("answer,no,yes\nno,3/4,1/4\nyes,0.25,0.75\n")
    return path
