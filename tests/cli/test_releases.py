"""Releases through the command: what is refused, what is said, and what `sfumato releases` shows of it."""

import json

import pytest

import sfumato as sf
from small_studies import small_study

PUBLISH = ("publish", "answers.csv", "--study", "study.toml", "--out")


@pytest.fixture
def folder(tmp_path):
    study = small_study(questions=small_study().questions[:1], analysts=(), recover=False)
    sf.write_study(study, tmp_path / "study.toml")
    (tmp_path / "answers.csv").write_text("moved\n" + "yes\nno\nno\n" * 20)
    return tmp_path


def test_sixty_runs_are_one_release(sfumato, folder):
    """To the same file and to others; fewer than sixty here, because the sixtieth is refused as the second is."""
    assert sfumato(*PUBLISH, "reports.csv").returncode == 0
    before = (folder / "reports.csv").read_bytes()
    for name in ("reports.csv", "reports.csv", "other.csv", "more.parquet"):
        done = sfumato(*PUBLISH, name)
        assert done.returncode == 1
        assert "--again names a further release" in done.stderr
    assert (folder / "reports.csv").read_bytes() == before
    assert sorted(path.name for path in folder.iterdir()) == [
        "answers.csv", "releases.json", "reports.csv", "reports.csv.about.json", "reports.csv.codebook.md",
        "study.toml",
    ]  # fmt: skip


def test_what_was_released_is_shown(sfumato, folder):
    nothing = sfumato("releases", "study.toml")
    assert "Nothing of it was released" in nothing.stdout
    sfumato(*PUBLISH, "one.csv")
    second = json.loads(sfumato(*PUBLISH, "two.csv", "--again", "autumn", "--json").stdout)
    assert second["releases"] == 2
    assert second["total_epsilon"] == {"public": 0.5}
    assert second["total_epsilon_of_releases"] == {"public": 1.0}
    shown = sfumato("releases", "study.toml").stdout
    assert "autumn" in shown
    assert "Of one person, 2 releases show at most: public: ε = 1." in shown
    document = json.loads(sfumato("releases", "study.toml", "--json").stdout)
    assert [one["name"] for one in document["releases"]] == [None, "autumn"]
    assert [one["total_epsilon_of_releases"]["public"] for one in document["releases"]] == [0.5, 1.0]
    assert all(one["released"] for one in document["releases"])
    assert "Published before. Of one person, 2 releases show at most" in sfumato("plan", "study.toml").stdout
    estimated = sfumato("estimate", "two.csv")
    assert "This is release 2 about the same people, called “autumn”" in estimated.stdout
    assert json.loads(sfumato("estimate", "two.csv", "--json").stdout)["total_epsilon_of_releases"] == {"public": 1.0}
    assert "release 2 about the same people" in (folder / "two.csv.codebook.md").read_text()
    assert sfumato("report", "two.csv", "--out", "page.html").returncode == 0
    assert (
        "Over all of them and all questions is seen of a respondent: public: ε = 1."
        in (folder / "page.html").read_text()
    )
