"""publish, query and disclose pay before they write, and write nothing when they cannot pay."""

import json
from pathlib import Path

import pytest

from sfumato.files.public_tables import write_table
from sfumato.ledger import Kind, Ledger
from sfumato.study.file import write_study
from small_studies import answers, small_study

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


@pytest.fixture
def folder(tmp_path):
    write_table(answers(), tmp_path / "answers.csv")
    write_study(small_study(questions=small_study().questions[:3], ledger="budget"), tmp_path / "study.toml")
    return tmp_path


def test_publish_pays_once_for_the_same_reports(sfumato, folder):
    ledger = Ledger.create(folder / "budget", epsilon=10)
    publish = ("publish", "answers.csv", "--study", "study.toml", "--keys", "keys", "--unprotected", "-q")
    for _ in range(2):
        done = sfumato(*publish, "--out", "one.parquet")
        assert done.returncode == 0, done.stderr
    (entry,) = ledger.entries()
    assert entry.release.kind is Kind.LOCAL
    assert entry.settled is not None
    # Without the reports of then nobody can tell that these would be the same.
    elsewhere = sfumato(*publish, "--out", "again.parquet")
    assert elsewhere.returncode == 1
    assert "--out does not hold them" in elsewhere.stderr
    assert not list(folder.glob("again*"))
    assert ledger.entries() == (entry,)
    # New keys are a new release, for which nine of ten nats are gone.
    new = sfumato(*publish[:5], "other", "--unprotected", "--out", "two.parquet", "--again", "two")
    assert new.returncode == 1
    assert "left" in new.stderr
    assert not (folder / "two.parquet").exists()
    assert not (folder / "other").exists()


def test_a_simulation_is_not_paid_for(sfumato, folder):
    ledger = Ledger.create(folder / "budget", epsilon=10)
    done = sfumato(
        "publish", "answers.csv", "--study", "study.toml", "--keys", "keys", "--unprotected", "--out", "one.csv",
        "--insecure-seed", "7",
    )  # fmt: skip
    assert done.returncode == 2
    assert "simulation" in done.stderr
    assert ledger.entries() == ()
    assert not (folder / "one.csv").exists()


def test_publish_into_no_folder_costs_nothing(sfumato, folder):
    ledger = Ledger.create(folder / "budget", epsilon=10)
    done = sfumato(
        "publish", "answers.csv", "--study", "study.toml", "--keys", "keys", "--unprotected", "--out", "no/where.csv"
    )
    assert done.returncode == 2
    assert ledger.entries() == ()


def test_a_study_whose_ledger_is_missing_publishes_nothing(sfumato, folder):
    done = sfumato(
        "publish", "answers.csv", "--study", "study.toml", "--keys", "keys", "--unprotected", "--out", "one.parquet"
    )
    assert done.returncode == 2
    assert "budget" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (folder / "one.parquet").exists()


def test_query_pays_its_maximal_leakage(sfumato, folder):
    (folder / "blood.csv").write_text((EXAMPLES / "blood.csv").read_text())
    (folder / "people.csv").write_text("value\n" + "O+\nA-\n" * 50)
    assert sfumato("query", "design", "blood.csv", "--rho", "0.9", "--out", "design.json").returncode == 0
    ledger = Ledger.create(folder / "budget", leakage_bits=3)
    answer = ("query", "answer", "people.csv", "--design", "design.json")
    paid = sfumato(*answer, "-o", "one.csv", "--study", "study.toml")
    assert paid.returncode == 0, paid.stderr
    (entry,) = ledger.entries()
    assert entry.release.kind is Kind.RECOVERABLE
    assert 0 < entry.release.charges.leakage_bits <= 3
    assert entry.release.charges.bits <= 3  # one of eight blood groups
    refused = sfumato(*answer, "-o", "two.csv", "--ledger", "budget")
    assert refused.returncode == 1
    assert not (folder / "two.csv").exists()
    other = sfumato(*answer, "-o", "two.csv", "--study", "study.toml", "--ledger", "elsewhere")
    assert other.returncode == 2
    assert "not the ledger of the study" in other.stderr


def test_disclose_pays_for_the_row_and_the_ledger_knows_the_columns(sfumato, folder):
    ledger = Ledger.create(folder / "budget", budget_bits=10)
    disclose = (
        "disclose",
        "answers.csv",
        "--protect",
        "moved,place",
        "--ledger",
        "budget",
        "--distribution-from-these-records",
        "--json",
    )
    done = sfumato(*disclose, "--out", "one.csv")
    assert done.returncode == 0, done.stderr
    (entry,) = ledger.entries()
    assert entry.release.kind is Kind.PERFECT_SAMPLES
    assert json.loads(done.stdout)["release"] == "one.csv"
    assert "Nobody in these records is covered" in entry.release.notes[0]
    # Another book of releases does not help: the ledger remembers the columns too.
    again = sfumato(*disclose, "--out", "two.csv", "--registry", "fresh.json")
    assert again.returncode == 1
    assert not (folder / "two.csv").exists()
    assert not (folder / "fresh.json").exists()
