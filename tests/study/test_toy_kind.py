"""A new kind of question is one module and one registration; everything else takes it as it comes."""

import json

import pytest

import sfumato as sf
from sfumato.cli import main
from sfumato.errors import InvalidParameter
from sfumato.study.kinds.card import Card
from sfumato.study.kinds.registry import kinds, register, unregister
from study.toy_kind import SEASONS, Season


@pytest.fixture
def registered():
    register(Season)
    yield
    unregister(Season)


@pytest.fixture
def command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        monkeypatch.setattr("sys.argv", ["sfumato", *map(str, arguments)])
        with pytest.raises(SystemExit) as stop:
            main()
        said = capsys.readouterr()
        assert stop.value.code == 0, said.err
        return said.out

    return run


def test_a_new_kind_goes_all_the_way(registered, command, tmp_path):
    command("new", "season.toml", "--kind", "season", "--question", "When were you born?", "--answers", "seasons",
            "--epsilon", "2", "--analyst", "press=3", "--registrar", "--yes")  # fmt: skip
    study = sf.read_study(tmp_path / "season.toml")
    assert isinstance(study.question("answer"), Season)
    assert sf.study.fingerprint(study)

    plan = command("plan", "season.toml", "-o", "sealed")
    assert "Four seasons: tell yours, or any other." in plan
    document = json.loads(command("plan", "season.toml", "--json"))
    assert document["questions"][0]["seasons"] == list(SEASONS)
    command("verify", "sealed/answer.certificate.json")

    rows = [SEASONS[i % 4] if i % 3 else "summer" for i in range(3000)]
    (tmp_path / "answers.csv").write_text(
        "answer,region\n" + "".join(f"{a},{'ns'[i % 2]}\n" for i, a in enumerate(rows))
    )
    command("publish", "answers.csv", "--study", "season.toml", "--out", "reports.parquet", "--keep", "region",
            "--keys", "keys", "--unprotected")  # fmt: skip
    assert "a season, not always the respondent's own" in (tmp_path / "reports.parquet.codebook.md").read_text()

    found = json.loads(command("estimate", "reports.parquet", "--group", "region", "--json"))["estimates"]
    assert [one["group"] for one in found] == [None, "n", "s"]
    summer = next(entry for entry in found[0]["answers"] if entry["answer"] == "summer")
    assert abs(summer["raw"] - 0.5) < 6 * summer["standard_error"]

    command("report", "reports.parquet", "--out", "page.html", "--truth", "answers.csv")
    page = (tmp_path / "page.html").read_text()
    assert "Answers: “winter”, “spring”, “summer”, “autumn”." in page

    # It has no levels, so its reports stay as they are for whoever holds a key of another question.
    with pytest.raises(sf.errors.KeyRefused, match="has no keys"):
        study.handler("answer").opened(None, None, None, None)


def test_open_takes_a_new_kind_beside_an_old_one(registered, tmp_path):
    study = sf.Study(
        name="Born",
        questions=(Season(id="born", text="When?"), sf.study.YesNo(id="moved", text="Moved?")),
        analysts=(sf.study.Analyst(name="press", epsilon=3),),
        public_epsilon=1,
    )
    sf.write_study(study, tmp_path / "both.toml")
    assert sf.read_study(tmp_path / "both.toml") == study
    data = {"born": list(SEASONS) * 50, "moved": ["no", "yes"] * 100}
    made = sf.publish(study, data, registry=tmp_path / "registry.json")
    opened = sf.open_reports(made.reports, made.keys["moved"][1])
    assert [found.level for found in sf.estimate_reports(opened)] == [1, 1]
    assert opened.table["born"].to_pylist() == made.reports.table["born"].to_pylist()


def test_without_the_registration_the_kind_is_refused_by_name(tmp_path):
    (tmp_path / "season.toml").write_text(
        'schema = "sfumato/study/2"\nname = "x"\nquestion = "When?"\nkind = "season"\nepsilon = 1\n'
    )
    with pytest.raises(sf.errors.InvalidParameter, match=r"line 4: kind is none of 'yes-no'"):
        sf.read_study(tmp_path / "season.toml")


def test_a_kind_is_not_taken_over_by_another(registered):
    class Impostor(Card):
        """Another way to ask by the same name."""

    with pytest.raises(InvalidParameter, match="registered already"):
        register(Impostor)
    assert kinds()[Card.KIND][0] is Card


def test_no_key_of_the_plain_question_means_another_that_shares_its_kind():
    """A file whose keys the last class of a kind knows is read without the others: none may be meant by them."""
    shared = [classes for classes in kinds().values() if len(classes) > 1]
    assert len(shared) >= 2
    for *others, last in shared:
        known = frozenset(key.name for key in last.KEYS) | {"id", "text", "kind"}
        for one in others:
            assert not one.is_meant(known), one
            assert one.is_meant(frozenset(key.name for key in one.KEYS)), one
