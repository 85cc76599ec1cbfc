"""Many writers, killed at any moment: never overspent, and no acknowledged debit lost."""

import random
import shutil
import tempfile
from collections import Counter
from pathlib import Path

import pytest

from ledger_crews import CREW, SPENDS, Crew, violations

QUICK = 50
SLOW = 1000


@pytest.fixture(scope="module")
def crew():
    # In memory where that can be had: a kill tests the order of writes, and waiting for a disk adds nothing to it.
    memory = Path("/dev/shm")  # noqa: S108
    folder = Path(tempfile.mkdtemp(prefix="ledgers", dir=memory if memory.is_dir() else None))
    crew = Crew(folder)
    yield crew
    crew.close()
    shutil.rmtree(folder)


def soak(crew, rounds, seed, ledger="Ledger"):
    """Return what was seen, and the violations of the first interleaving that had some."""
    dice = random.Random(seed)  # noqa: S311  seeded on purpose
    seen = Counter()
    for turn in range(rounds):
        path = crew.folder / f"{ledger}-{seed}-{turn}.ledger"
        outcome = crew.interleave(dice, path, ledger)
        found = violations(outcome, path)
        seen += Counter(
            rounds=1, acknowledged=len(outcome.acknowledged), refused=len(outcome.refused), killed=outcome.killed
        )  # fmt: skip
        if found:
            return seen, found
        path.unlink()
    return seen, []


def check(seen, found, rounds):
    assert not found, found
    assert seen["rounds"] == rounds
    # Everybody was told about each release in the end, and all of it happened: debits, refusals and kills.
    assert seen["acknowledged"] + seen["refused"] >= rounds * CREW * SPENDS
    assert seen["acknowledged"] > rounds * CREW
    assert seen["refused"] > rounds * CREW / 2
    assert seen["killed"] > rounds


def test_fifty_interleavings(crew):
    check(*soak(crew, QUICK, "quick"), QUICK)


@pytest.mark.slow
def test_a_thousand_interleavings(crew):
    check(*soak(crew, SLOW, "slow"), SLOW)


@pytest.mark.parametrize(("ledger", "sentence"), [("ChecksTooEarly", "overspent"), ("AcknowledgesTooEarly", "is lost")])
def test_a_wrong_ledger_is_caught(crew, ledger, sentence):
    seen, found = soak(crew, QUICK, "wrong", ledger)
    assert any(sentence in line for line in found), (seen, found)
