"""Damaged files through the command: exit codes 0 to 3 and a sentence, never 70 and never a traceback."""

import random

import pytest

from fuzz import seeds
from fuzz.targets import BY_NAME
from sfumato.keys import Unprotected
from sfumato.keys.key_files import write_key
from sfumato.study.file import as_toml
from small_studies import answers, small_study

# What is run on a damaged file of each kind; `sound` files stand beside it.
COMMANDS = {
    "certificates": [("verify", "case.json"), ("verify", "case.json", "--json")],
    "keys": [("open", "sound.parquet", "--key", "case.key"), ("keys", "show", "case.key")],
    "private keys": [("keys", "protect", "case.private", "--passphrase-file", "secret.txt", "--unprotected")],
    "pem": [("keys", "protect", "case.pem", "--passphrase-file", "secret.txt", "--unprotected")],
    "ledgers": [("budget", "show", "case.ledger"), ("budget", "show", "case.ledger", "--json")],
    "records of releases": [("releases", "record.toml", "--registry", "case.json")],
    "studies": [("plan", "case.toml", "--json"), ("publish", "sound.csv", "--study", "case.toml", "-o", "r.csv")],
    "reports parquet": [("estimate", "case.parquet"), ("report", "case.parquet", "-o", "page.html")],
    "typed reports csv": [("estimate", "sound.toml", "case.csv", "--question", "debt", "--count", "n")],
    "tables csv": [
        (
            "disclose",
            "case.csv",
            "--protect",
            "value",
            "--protect",
            "tell",
            "-o",
            "d.csv",
            "--distribution-from-these-records",
        )
    ],
    "query tables": [("query", "design", "case.csv", "--rho", "0.9")],
    "query designs": [
        ("query", "answer", "people.csv", "--design", "case.json", "-o", "a.csv", "--insecure-seed", "1")
    ],
    "distortions": [("noise", "exponential", "case.csv", "--budget-bits", "0.5")],
    "channel json": [("certify", "case.json"), ("certify", "case.json", "--json")],
    "channel csv": [("certify", "case.csv", "--prior", "0.5,0.5")],
    "prior json": [("certify", "channel.csv", "--prior", "case.json")],
    "samples csv": [("audit", "case.csv", "--epsilon", "1")],
}


@pytest.fixture
def folder(tmp_path, channel_file):
    """Sound files of every kind that a command needs beside the damaged one."""
    made = seeds.publication()
    made.reports.write(tmp_path / "sound.parquet")
    write_key(made.keys["moved"][1], tmp_path / "sound.key", Unprotected())
    (tmp_path / "sound.toml").write_text(as_toml(small_study()))
    (tmp_path / "record.toml").write_text(as_toml(seeds.record_study()))
    (tmp_path / "secret.txt").write_text(seeds.WORDS)
    (tmp_path / "people.csv").write_text("value\nO+\nA-\n")
    table = answers(20).to_pydict()
    lines = [",".join(table), *(",".join(map(str, row)) for row in zip(*table.values(), strict=True))]
    (tmp_path / "sound.csv").write_text("\n".join(lines) + "\n")
    return tmp_path


def run_all(sfumato, folder, cases):
    codes = dict.fromkeys(range(4), 0)
    for name, commands in COMMANDS.items():
        target = BY_NAME[name]
        dice = random.Random(f"commands {name}")  # noqa: S311  a seeded soak, no secret
        for case in range(cases):
            data = dice.choice(target.forgers)(dice, target.seeds())
            (folder / f"case{target.suffix}").write_bytes(data)
            done = sfumato(*commands[case % len(commands)])
            told = f"{name}, case {case}, {commands[case % len(commands)]}: {done.returncode}\n{done.stderr[-2000:]}"
            assert done.returncode in codes, told
            assert "Traceback" not in done.stderr, told
            assert done.returncode == 0 or done.stderr.strip(), told
            codes[done.returncode] += 1
    return codes


def test_no_damaged_file_is_a_bug(sfumato, folder):
    codes = run_all(sfumato, folder, 2)
    assert sum(codes.values()) == 2 * len(COMMANDS)
    assert codes[2] > len(COMMANDS) // 2


@pytest.mark.slow
def test_a_thousand_damaged_files_are_no_bugs(sfumato, folder):
    codes = run_all(sfumato, folder, 60)
    assert sum(codes.values()) >= 1000
    assert codes[0]
    assert codes[1]
