"""query design, answer and attack as a person runs them: what is promised is what the attack finds."""

import json
import math
from pathlib import Path

import pyarrow.csv
import pytest

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
VALUES = {"O+": 0.37, "O-": 0.07, "A+": 0.36, "A-": 0.06, "B+": 0.08, "B-": 0.02, "AB+": 0.03, "AB-": 0.01}
PEOPLE = 20_000


@pytest.fixture
def folder(tmp_path):
    for name in ("blood.csv", "salary.csv", "tiles.csv"):
        (tmp_path / name).write_text((EXAMPLES / name).read_text())
    rows = [value for value, share in VALUES.items() for _ in range(round(share * PEOPLE))]
    (tmp_path / "people.csv").write_text("value\n" + "\n".join(rows) + "\n")
    return tmp_path


def test_the_attack_finds_what_was_promised(sfumato, folder):
    done = sfumato("query", "design", "blood.csv", "--rho", "0.9", "--out", "design.json")
    assert done.returncode == 0, done.stderr
    assert "24.4 %" in done.stdout
    assert sfumato("query", "answer", "people.csv", "--design", "design.json", "-o", "answers.csv").returncode == 0
    found = json.loads(
        sfumato("query", "attack", "answers.csv", "--design", "design.json", "--truth", "people.csv", "--json").stdout
    )
    # Five standard errors: a false alarm once in a million. The people are in the shares of the prior, exactly.
    for observed, promised in ((found["attacker_wrong"], 0.244), (1 - found["querier_right"], 0.1)):
        assert abs(observed - promised) < 5 * math.sqrt(promised * (1 - promised) / PEOPLE)


def test_several_answers_and_their_bound(sfumato, folder):
    done = sfumato(
        "query", "design", "salary.csv", "--rho", "3/5", "-n", "2", "--starts", "2", "-o", "d.json", "--json"
    )
    said = json.loads(done.stdout)
    assert len(said["responses"]) == 2
    assert 0 < said["privacy"] <= said["converse"]
    (folder / "salaries.csv").write_text("value\n" + "under 20k\nover 90k\n" * 50)
    assert sfumato("query", "answer", "salaries.csv", "--design", "d.json", "-o", "a.csv").returncode == 0
    assert pyarrow.csv.read_csv(folder / "a.csv").column_names == ["answer_1", "answer_2"]


def test_a_predicate_can_be_hidden(sfumato, folder):
    done = sfumato("query", "design", "tiles.csv", "--rho", "0.9", "--json")
    assert done.returncode == 0, done.stderr
    several = sfumato("query", "design", "tiles.csv", "--rho", "0.9", "-n", "2", "--starts", "1", "--json")
    assert several.returncode == 0, several.stderr
    assert len(json.loads(several.stdout)["responses"]) == 2
    refused = sfumato("query", "design", "tiles.csv", "--rho", "0.9", "-n", "2", "--persistent-secret")
    assert refused.returncode == 2
    assert "column hide" in refused.stderr


def test_a_persistent_secret(sfumato, folder):
    """The file has the law of the secret, every answer is drawn by one of it, and the attack knows the scheme."""
    made = sfumato("query", "design", "blood.csv", "--rho", "0.7", "-n", "3", "--persistent-secret", "-o", "d.json")
    assert made.returncode == 0, made.stderr
    assert "keeps one secret value for all answers" in made.stdout
    assert sfumato("query", "answer", "people.csv", "--design", "d.json", "-o", "a.csv").returncode == 0
    table = pyarrow.csv.read_csv(folder / "a.csv")
    # One's own value and the partner's: never a third.
    assert max(len(set(row.values())) for row in table.to_pylist()) <= 2
    found = json.loads(
        sfumato("query", "attack", "a.csv", "--design", "d.json", "--truth", "people.csv", "--json").stdout
    )
    promised = found["promised_error"]
    assert abs(found["attacker_wrong"] - promised) < 5 * math.sqrt(promised * (1 - promised) / PEOPLE)
    changed = json.loads((folder / "d.json").read_text())
    changed["partners"][0] = changed["partners"][-1]
    (folder / "d.json").write_text(json.dumps(changed))
    assert sfumato("query", "answer", "people.csv", "--design", "d.json", "-o", "b.csv").returncode == 2


def test_a_promise_for_every_answer_and_a_time_limit(sfumato, folder):
    done = sfumato("query", "design", "salary.csv", "--rho", "0.9", "--every-answer")
    assert "Whatever the answer, it is wrong at least 49.59 %" in done.stdout
    many = sfumato("query", "design", "salary.csv", "--rho", "0.9", "-n", "2", "--every-answer")
    assert many.returncode == 2
    assert "--every-answer is for one answer" in many.stderr
    quick = sfumato("query", "design", "salary.csv", "--rho", "3/5", "-n", "4", "--seconds", "0")
    assert "The search for answers: stopped after 0 seconds." in quick.stdout
    assert "No answers could keep it wrong more than" in quick.stdout


BAD = [
    (("design", "blood.csv", "--rho", "1.5"), "rho"),
    (("design", "blood.csv", "--rho", "many"), "rho"),
    (("design", "missing.csv", "--rho", "0.5"), "does not exist"),
    (("design", "one.csv", "--rho", "0.5"), "only one value"),
    (("design", "zero.csv", "--rho", "0.5"), "Drop the values with probability 0"),
    (("design", "twice.csv", "--rho", "0.5"), "twice"),
    (("design", "odd.csv", "--rho", "0.5"), "column"),
    (("answer", "stranger.csv", "--design", "design.json", "-o", "x.csv"), "row 2"),
    (("answer", "people.csv", "--design", "blood.csv", "-o", "x.csv"), "JSON"),
    (("answer", "people.csv", "--design", "broken.json", "-o", "x.csv"), "damaged"),
    (("attack", "people.csv", "--design", "design.json"), "answer_1"),
]


@pytest.mark.parametrize(("arguments", "sentence"), BAD, ids=range(len(BAD)))
def test_bad_input_is_one_sentence_and_nothing_is_written(sfumato, folder, arguments, sentence):
    assert sfumato("query", "design", "blood.csv", "--rho", "0.9", "-o", "design.json").returncode == 0
    (folder / "one.csv").write_text("value,tell\na,x\nb,x\n")
    (folder / "zero.csv").write_text("value,probability,tell\na,1,x\nb,0,y\n")
    (folder / "twice.csv").write_text("value,tell\na,x\na,y\n")
    (folder / "odd.csv").write_text("value,tell,colour\na,x,red\nb,y,blue\n")
    (folder / "stranger.csv").write_text("value\nO+\nsecret-group\n")
    design = json.loads((folder / "design.json").read_text())
    design["responses"][0][0][0], design["responses"][0][0][1] = "1/10", "9/10"
    (folder / "broken.json").write_text(json.dumps(design))
    done = sfumato("query", *arguments)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert "secret-group" not in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (folder / "x.csv").exists()
