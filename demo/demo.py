"""What `make demo` runs: one real study, from its question to what each reader sees.

Every step is a command that you can type yourself; the transcript shows it before what it prints.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
OUT = HERE / "out"
COMMAND = Path(sys.executable).parent / "sfumato"
OCCUPATIONS = (
    "student",
    "farming or semi-skilled",
    "white-collar",
    "teacher, nurse or skilled",
    "managerial",
    "professional",
)
READERS = ("university", "ministry", "press")


def main() -> None:
    """Run the steps in a folder of their own, made anew each time."""
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir()
    shutil.copy(HERE / "fair.toml", OUT / "fair.toml")
    truth = write_answers(OUT / "answers.csv")
    say("1. Plan: how each question is asked, what each reader sees of it, and what that costs")
    run("plan fair.toml --plot plan.svg -o certificates")
    say("2. Publish: one private report a person, and key files for those who may see more")
    run("publish answers.csv --study fair.toml --out reports.parquet --keys keys --unprotected")
    say("3. Open: each reader sees the same reports as sharply as their key allows")
    run("open reports.parquet --key keys/ministry.occupation.key")
    compare(truth)
    for reader in READERS:
        keys = [f"--key keys/{reader}.{question}.key" for question in ("affair", "occupation")]
        run(f"open reports.parquet {' '.join(keys)} --out {reader}.parquet --quiet")
    say("4. Recover: the registrar gets the answers back")
    run("recover reports.parquet --key keys/registrar.affair.key --key keys/registrar.occupation.key --out back.csv")
    back = [line.partition(",")[2] for line in (OUT / "back.csv").read_text().splitlines()]
    same = (OUT / "answers.csv").read_text().splitlines() == back
    print(f"   Every answer is back as it was, beside the number of its row: {same}.")
    say("5. Verify: every claim about what leaks is recomputed")
    run("verify certificates/affair.certificate.json", last=1)
    say("6. Report: one page for everybody")
    run("report reports.parquet press.parquet ministry.parquet university.parquet --out report.html")
    print(f"\nOpen {OUT.relative_to(HERE.parent)}/report.html in a browser.")


def write_answers(path: Path) -> dict[str, float]:
    """Write the answers of Fair's 6 366 respondents; return the true share of each answer."""
    from statsmodels.datasets import fair  # noqa: PLC0415  slow to import

    data = fair.load_pandas().data
    affair = ["yes" if hours > 0 else "no" for hours in data["affairs"]]
    occupation = [OCCUPATIONS[int(code) - 1] for code in data["occupation"]]
    rows = ['"affair","occupation"', *(f'"{a}","{o}"' for a, o in zip(affair, occupation, strict=True))]
    path.write_text("\n".join(rows) + "\n")
    shares = {"yes": affair.count("yes") / len(affair)}
    return shares | {name: occupation.count(name) / len(occupation) for name in OCCUPATIONS}


def compare(truth: dict[str, float]) -> None:
    """Print what each reader makes of the same reports, beside the truth, which nobody but the registrar knows."""
    shown = {reader: estimates(reader) for reader in READERS} | {"public": estimates(None)}
    print("\n   The same reports by reader: share in per cent, and its 95 % interval")
    header = "".join(f"{name:>22}" for name in shown)
    print(f"   {'':26}{'truth':>6}{header}")
    for answer, share in truth.items():
        name = "had an affair" if answer == "yes" else answer
        cells = "".join(
            f"{f'{100 * point:.1f} ({100 * low:.1f} to {100 * high:.1f})':>22}"
            for point, low, high in (found[answer] for found in shown.values())
        )
        print(f"   {name:26}{100 * share:>6.1f}{cells}")


def estimates(reader: str | None) -> dict[str, tuple[float, float, float]]:
    """Return share and interval of each answer as a reader sees it."""
    command = ["estimate", "reports.parquet", "--json"]
    if reader is not None:
        keys = [f"keys/{reader}.{question}.key" for question in ("affair", "occupation")]
        command = ["open", "reports.parquet", "--json", "--key", keys[0], "--key", keys[1]]
    done = subprocess.run([COMMAND, *command], cwd=OUT, capture_output=True, text=True, check=True)  # noqa: S603
    return {
        answer["answer"]: (answer["share"], answer["lower"], answer["upper"])
        for found in json.loads(done.stdout)["estimates"]
        for answer in found["answers"]
    }


def run(command: str, *, last: int | None = None) -> None:
    """Run one command and show it with what it prints, or with the last lines of it."""
    print(f"   $ sfumato {command}")
    done = subprocess.run(  # noqa: S603
        [COMMAND, *command.split()], cwd=OUT, capture_output=True, text=True, check=False
    )
    lines = [*done.stdout.splitlines(), *done.stderr.splitlines()]
    for line in lines if last is None else lines[-last:]:
        print(f"   {line}".rstrip())
    if done.returncode:
        sys.exit(done.returncode)


def say(headline: str) -> None:
    """Begin a step."""
    print(f"\n{headline}")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
