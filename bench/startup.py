"""How long `sfumato --help` and `--version` take, beside an interpreter that does nothing.

Median of 7. The limit is half a second on a quiet machine; the ratio to `python -c pass` holds on a busy one as well.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path

TIMES = 7
LIMIT_SECONDS = 0.5
COMMAND = str(Path(sys.executable).parent / "sfumato")


def seconds_of(command: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)  # noqa: S603  our own command
    return time.perf_counter() - start


def main() -> None:
    commands = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "sfumato --version": [COMMAND, "--version"],
        "sfumato --help": [COMMAND, "--help"],
    }
    # In turns, so that what else the machine does falls on all of them alike.
    seconds: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(TIMES + 1):
        for name, command in commands.items():
            seconds[name].append(seconds_of(command))
    medians = {name: statistics.median(taken[1:]) for name, taken in seconds.items()}
    nothing = medians["python -c pass"]
    for name, median in medians.items():
        print(f"{name:20} {median:6.3f} s {median / nothing:6.1f} ×")
    slow = [name for name, median in medians.items() if median > LIMIT_SECONDS]
    print(f"limit {LIMIT_SECONDS} s: {'too slow: ' + ', '.join(slow) if slow else 'kept'}")


if __name__ == "__main__":
    main()
