"""sfumato weights: what it writes, what it says, what it refuses."""

import json
from fractions import Fraction

import pytest

import sfumato as sf
from sfumato.study import FreeText, Study
from small_studies import answers, keys_at, small_study


def test_weights_are_written_and_told(sfumato, tmp_path):
    made = sf.publish(small_study(), answers(), keep=["region"], insecure_seed=3)
    sf.open_reports(made.reports, keys_at(made, 1)).write(tmp_path / "opened.parquet")
    done = sfumato("weights", "opened.parquet", "--question", "moved", "--out", "w.csv", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["schema"] == "sfumato/weights/1"
    assert found["insecure"] is True
    assert found["questions"] == [
        {"question": "moved", "level": 1, "epsilon": 3.0, "reports": 2, "answers": ["no", "yes"]}
    ]
    assert "wrote 4 weights to w.csv" in done.stderr
    assert "WARNING" in done.stderr
    lines = (tmp_path / "w.csv").read_text().splitlines()
    assert lines[0] == '"question","report","answer","weight"' or lines[0] == "question,report,answer,weight"
    assert len(lines) == 5


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--question", "nobody", "--out", "w.csv"], "is not among these reports, which have: moved, place"),
        (["--out", "nowhere/w.csv"], "lies in a folder that does not exist"),
        (["--out", "w.json"], "is JSON; tables are written as CSV or Parquet"),
        (["--question", "word", "--out", "w.csv"], "is read from all its reports together"),
    ],
)
def test_what_it_cannot_do_is_a_sentence(sfumato, tmp_path, arguments, words):
    text = FreeText(id="word", text="A word?", longest=2, keep=2, epsilon=Fraction(3))
    study = Study(name="S", questions=(*small_study().questions[:2], text), public_epsilon=Fraction(1))
    table = answers(60).append_column("word", [["ab"] * 60])
    sf.publish(study, table, insecure_seed=3).reports.write(tmp_path / "reports.parquet")
    before = sorted(tmp_path.iterdir())
    done = sfumato("weights", "reports.parquet", *arguments)
    assert done.returncode == 2
    assert words in " ".join(done.stderr.split())
    assert sorted(tmp_path.iterdir()) == before, "nothing half-written"
