"""CPU seconds from nothing to an answer: what a command costs before, and beside, the work that it was asked for.

Each command is a process of its own, started in turns; its CPU time (user and system, as the operating system counts
it) is the least of 7. Bytecode must be compiled, as `tools/setup` leaves it; a first round here makes up for what is
missing. The limits are for a quiet machine: where others compete for the caches, everything takes up to twice as long,
`python -c pass` as well, so the last column, in multiples of it, is the one to compare.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

TIMES = 7
ROOT = Path(__file__).parents[1]
COMMAND = str(Path(sys.executable).parent / "sfumato")
PRIVATIZE = """
import time
import numba
import sfumato as sf
mechanism = sf.mechanisms.CyclicResponse.within(size=6, epsilon=1.0)
begun = time.process_time()
mechanism.privatize([0, 1, 2, 3, 4, 5])
print(time.process_time() - begun)
"""
_ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def readme_study() -> str:
    """Return the study of the README."""
    return (ROOT / "README.md").read_text().partition("```toml\n")[2].partition("```")[0]


def cpu_seconds(command: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True, env=_ENVIRONMENT)  # noqa: S603  our own command
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def first_privatize() -> float:
    """CPU seconds of the first `privatize` of a process that has loaded the compiler: kernels come from its cache."""
    command = [sys.executable, "-c", PRIVATIZE]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=_ENVIRONMENT)  # noqa: S603  our own
    return float(done.stdout)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        study, certificates = Path(folder) / "study.toml", Path(folder) / "certificates"
        study.write_text(readme_study())
        demo = str(ROOT / "demo" / "fair.toml")
        subprocess.run([COMMAND, "plan", demo, "-o", str(certificates)], capture_output=True, check=True)  # noqa: S603
        commands = {
            "python -c pass": ([sys.executable, "-c", "pass"], None),
            "sfumato --version": ([COMMAND, "--version"], 0.15),
            "sfumato --help": ([COMMAND, "--help"], 0.25),
            "plan, README's study": ([COMMAND, "plan", str(study)], 0.55),
            "plan, demo/fair.toml": ([COMMAND, "plan", demo], None),
            "verify, of the demo": ([COMMAND, "verify", str(certificates / "affair.certificate.json")], 0.55),
        }
        # In turns, so that what else the machine does falls on all of them alike.
        seconds: dict[str, list[float]] = {name: [] for name in [*commands, "first privatize"]}
        for _ in range(TIMES + 1):
            for name, (command, _) in commands.items():
                seconds[name].append(cpu_seconds(command))
            seconds["first privatize"].append(first_privatize())
    limits = {name: limit for name, (_, limit) in commands.items()} | {"first privatize": 0.5}
    best = {name: min(taken[1:]) for name, taken in seconds.items()}
    for name, least in best.items():
        limit = limits[name]
        kept = "" if limit is None else f"limit {limit:.2f}: {'kept' if least <= limit else 'not kept'}"
        print(f"{name:22} {least:6.3f} CPU s {least / best['python -c pass']:6.1f} ×  {kept}".rstrip())


if __name__ == "__main__":
    main()
