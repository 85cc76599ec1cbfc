"""An environment of its own for each peer, in a folder that is thrown away; made by uv, or by venv and pip without."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

PATIENCE_SECONDS = 240
ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"), "1")
SCRIPTS = Path(__file__).parent


@dataclass(frozen=True)
class Peer:
    """A library, the script that drives it, what is installed for it, and why."""

    name: str
    script: str
    packages: tuple[str, ...]
    why: str


class Broken(Exception):
    """A peer could not be installed or did not finish; `printed` is what it had managed by then."""

    def __init__(self, reason: str, printed: str = "") -> None:
        super().__init__(reason)
        self.printed = printed


def call(*command: str) -> str:
    """Return what a command printed, or the last thing it complained about."""
    try:
        done = subprocess.run(  # noqa: S603  our own commands
            command,
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
            check=False,
            env=os.environ | ONE_THREAD,
        )
    except subprocess.TimeoutExpired:
        raise Broken(f"took longer than {PATIENCE_SECONDS} s") from None
    if done.returncode:
        words = [line.strip() for line in done.stderr.splitlines() if any(map(str.isalpha, line))]
        raise Broken(words[-1] if words else f"exit code {done.returncode}", done.stdout)
    return done.stdout


def run_peer(peer: Peer, folder: Path, *arguments: str) -> str:
    """Install a peer under `folder`, and return what its script prints."""
    uv = shutil.which("uv", path=str(Path(sys.executable).parent)) or shutil.which("uv")
    home = folder / peer.name
    base = str(getattr(sys, "_base_executable", sys.executable))
    python = str(home / "bin" / "python")
    if uv is None:
        call(base, "-m", "venv", str(home))
        call(python, "-m", "pip", "install", "--quiet", *peer.packages)
    else:
        call(uv, "venv", "--quiet", "--python", base, str(home))
        call(uv, "pip", "install", "--quiet", "--python", python, *peer.packages)
    return call(python, "-W", "ignore", str(SCRIPTS / peer.script), *arguments)
