"""Damaged files of every kind are read or refused in a sentence: no traceback, no hang, no flood of memory."""

import sys
from pathlib import Path

import pytest

import sfumato
from fuzz.planted import EXPECTED, FAULTS
from fuzz.processes import MOST_GROWTH_MB, SLOW_SECONDS, run
from fuzz.targets import TARGETS

SLOW_CASES = 100_000
QUICK_CASES = 8


def told(findings):
    return "\n".join(f"{found['finding']}: {found['target']}, {found['kept']}\n{found['why']}" for found in findings)


def table(sums):
    lines = [f"{'reader':24} {'cases':>7} {'read':>6} {'seconds':>8} {'slowest':>8} {'MB':>6} {'kept':>5}"]
    for name, of in sums.items():
        numbers = f"{of['seconds']:8.1f} {of['slowest']:8.2f} {of['growth_mb']:6.1f} {of['corpus']:5}"
        lines.append(f"{name:24} {of['cases']:7} {of['read']:6} {numbers}")
    return "\n".join(lines) + "\n"


def check(findings, sums):
    sys.stdout.write(table(sums))
    assert not findings, told(findings)
    assert max(of["slowest"] for of in sums.values()) <= SLOW_SECONDS
    assert max(of["growth_mb"] for of in sums.values()) <= MOST_GROWTH_MB


def test_damaged_files_of_every_kind(tmp_path):
    few = {1: QUICK_CASES // 8, 2: QUICK_CASES // 4}  # where a case takes longer
    counts = {target.name: few.get(target.share, QUICK_CASES) for target in TARGETS}
    findings, sums = run(counts, seed="quick", folder=tmp_path)
    check(findings, sums)
    assert {name: of["cases"] for name, of in sums.items()} == counts


@pytest.mark.slow
def test_a_hundred_thousand_damaged_files(tmp_path):
    shares = sum(target.share for target in TARGETS)
    counts = {target.name: -(-SLOW_CASES * target.share // shares) for target in TARGETS}
    findings, sums = run(counts, seed="slow", folder=tmp_path, guided=True)
    check(findings, sums)
    assert sum(of["cases"] for of in sums.values()) >= SLOW_CASES
    # Some damage leaves a file sound; if none did, nothing would be read past its first bytes.
    assert all(of["read"] for of in sums.values())


@pytest.mark.slow
def test_planted_faults_are_found(tmp_path):
    """A traceback, a warning, a hang, an abort, a flood: each is found and kept, and the run goes on after it."""
    counts = {**dict.fromkeys(FAULTS, 8), "sound": 8}
    findings, sums = run(counts, seed="planted", folder=tmp_path, table="fuzz.planted", slow=0.3, hung=1)
    assert {found["target"] for found in findings} == set(FAULTS)
    kinds = {(found["target"], found["finding"]) for found in findings}
    assert {(name, EXPECTED.get(name, "traceback")) for name in FAULTS} <= kinds
    for found in findings:
        assert sum(Path(found["kept"]).read_bytes()) % 3 == 0
    assert {name: of["cases"] for name, of in sums.items()} == counts


def test_what_guides_a_target_is_there():
    source = Path(sfumato.__file__).parent
    modules = [path.relative_to(source).as_posix() for path in source.rglob("*.py")]
    guides = {part for target in TARGETS for part in target.watch}
    assert {part for part in guides if not any(name.startswith(part) for name in modules)} == set()
