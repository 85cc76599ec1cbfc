"""What a large list costs: `sfumato publish` of a million answers out of 10⁵ texts, at every ε from .5 to 8.

CPU seconds of the whole command, user and system, and each over the cheapest of them in the same run. The limit is 15
CPU seconds at every ε; the ratios say whether a difference set has become dear.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

TEXTS, ROWS = 100_000, 1_000_000
EPSILONS = ("0.5", "1", "2", "3", "4", "5", "6", "7", "8")
LIMIT_SECONDS, LIMIT_RATIO = 15.0, 3.0
COMMAND = str(Path(sys.executable).parent / "sfumato")
STUDY = """schema = "sfumato/study/2"
name = "Bench"
[[questions]]
id = "surname"
text = "Surname?"
kind = "large-list"
dictionary = "names.txt"
epsilon = {epsilon}
"""


def cpu_seconds(command: list[str], folder: Path) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, check=True)  # noqa: S603  our own command
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        names = [f"Name{i:06d}" for i in range(TEXTS)]
        (folder / "names.txt").write_text("".join(f"{text}\n" for text in names))
        held = np.random.default_rng(1).integers(0, TEXTS, ROWS).tolist()
        (folder / "answers.csv").write_text("\n".join(["surname", *(names[i] for i in held)]) + "\n")
        taken = {}
        for epsilon in EPSILONS:
            (folder / "study.toml").write_text(STUDY.format(epsilon=epsilon))
            wanted = [
                "--study",
                "study.toml",
                "--out",
                f"{epsilon}.parquet",
                "--registry",
                f"{epsilon}.json",
                "--quiet",
            ]
            taken[epsilon] = cpu_seconds([COMMAND, "publish", "answers.csv", *wanted], folder)
    least = min(taken.values())
    for epsilon, seconds in taken.items():
        print(f"ε = {epsilon:4} {seconds:6.2f} CPU s {seconds / least:5.2f} ×")
    slow = [epsilon for epsilon, seconds in taken.items() if seconds > LIMIT_SECONDS or seconds > LIMIT_RATIO * least]
    if slow:
        raise SystemExit(f"more than {LIMIT_SECONDS} CPU s or {LIMIT_RATIO} × at ε = {', '.join(slow)}")
    print(f"limit {LIMIT_SECONDS} CPU s and {LIMIT_RATIO} ×: kept")


if __name__ == "__main__":
    main()
