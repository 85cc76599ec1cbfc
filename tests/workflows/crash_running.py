"""A process that runs cases in forks of itself, and the folders that it runs them in."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from workflows.crash_cases import make


class Runner:
    """Runs cases in forks; `folder` makes the folder of a case, copied from one that was made before."""

    def __init__(self, root, disk):
        self.root, self.disk, self.folders = root, disk, 0
        self.process = subprocess.Popen(
            [sys.executable, Path(__file__).parent / "crash_runner.py"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self.process.stdout.readline() == "ready\n"

    def ask(self, **request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def run(self, folder, case, fatal=-1, **more):
        return self.ask(folder=str(folder), case=case, fatal=fatal, **more)

    def template(self, case):
        """What a case begins with."""
        kept = self.root / f"template {case}"
        if not kept.exists():
            make(kept, case, self.disk / f"template {case}")
        return kept

    def folder(self, case):
        """A fresh folder for a case; `other` in it is on another disk."""
        self.folders += 1
        kept, made = self.template(case), self.root / str(self.folders)
        shutil.copytree(kept, made, symlinks=True)
        other = self.disk / str(self.folders)
        shutil.copytree(kept / "other", other)
        (made / "other").unlink()
        (made / "other").symlink_to(other)
        return made

    def drop(self, folder):
        """Let go of a folder."""
        shutil.rmtree(self.disk / folder.name)
        shutil.rmtree(folder)

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def mounted(folder, size="1m"):
    """Make a folder a disk of its own, in memory; skips where that is not allowed."""
    folder.mkdir(exist_ok=True)
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size},mode=700", "tmpfs", str(folder)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        pytest.skip(f"no folder can be made a disk of its own here: {done.stderr.strip() or 'mount is refused'}")


def unmounted(folder):
    subprocess.run(["umount", str(folder)], check=True)


def remounted(folder, how):
    subprocess.run(["mount", "-o", f"remount,{how}", str(folder)], check=True)
