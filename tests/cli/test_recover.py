"""sfumato recover: the answers as they were, or a word about what does not come back."""

from fractions import Fraction

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from living_publications import Living
from sfumato.study import BoundedNumber, Card, Count, Study

KEYS = ["--key", "keys", "--allow-unprotected", "--out", "answers.parquet"]


@pytest.fixture
def office(tmp_path):
    asked = (
        Count(id="rooms", text="Rooms?", highest=9),
        BoundedNumber(id="far", text="How far?", highest=10**9, step=Fraction(1, 100), points=3),
        Card(id="debt", text="Debt?", guess_error=Fraction(3, 8)),
    )
    study = Study(name="Homes", questions=asked, public_epsilon=Fraction(1), recover=True)
    living = Living(tmp_path, study=study, keep=())
    living.publish(pa.table({"rooms": [3, 9], "far": [0.25, 10.0], "debt": ["no", "yes"]}))
    return living


def test_what_does_not_come_back_is_named_and_refused_unless_rounded_is_said(office, sfumato, tmp_path):
    planned = sfumato("plan", "study.toml")
    assert "The registrar does not get the answers to debt back: its reports are made without keys." in " ".join(
        planned.stdout.split()
    )
    (tmp_path / "more.csv").write_text("rooms,far,debt\n1,2,no\n")
    simulated = ["--out", "simulated.csv", "--keys", "others", "--insecure-seed", 4, "--unprotected"]
    published = sfumato("publish", "more.csv", "--study", "study.toml", *simulated)
    assert published.returncode == 0, published.stderr
    assert "note: the registrar does not get the answers to far back: its reports round" in published.stderr
    refused = sfumato("recover", "reports", *KEYS)
    assert refused.returncode == 1
    assert "question 'far' do not come back" in refused.stderr
    assert "--rounded" in refused.stderr
    assert not (tmp_path / "answers.parquet").exists()
    given = sfumato("recover", "reports", *KEYS, "--rounded")
    assert given.returncode == 0, given.stderr
    assert "note: far holds what its reports round answers to, and not the answers" in given.stderr
    assert "note: debt is left out, its answers do not come back" in given.stderr
    assert "answers to one question in answers.parquet" in given.stderr
    found = pq.read_table(tmp_path / "answers.parquet")
    assert found.column_names == ["row", "rooms", "far"]
    assert found["rooms"].to_pylist() == [3, 9]
    assert set(found["far"].to_pylist()) <= {0.0, 5e8, 1e9}


def test_a_key_to_sealed_answers_is_found_beside_that_of_the_question(office, sfumato, tmp_path):
    for out in ("answers.parquet", "answers.csv"):
        made = sfumato("recover", "reports", "--key", "keys/registrar.rooms.key", "--allow-unprotected", "--out", out)
        assert made.returncode == 0, made.stderr
        assert "recovered 2 answers to one question" in made.stderr
    assert pq.read_table(tmp_path / "answers.parquet")["rooms"].to_pylist() == [3, 9]
    assert pyarrow.csv.read_csv(tmp_path / "answers.csv")["rooms"].to_pylist() == [3, 9]
