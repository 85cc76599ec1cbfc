"""A large list from its dictionary to the texts that were found: files, digests, levels, keys, refusals."""

import json
import pickle
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import InvalidParameter, UnreadableFile
from sfumato.files.tables import words_of
from sfumato.keys.protection import Unprotected
from sfumato.study import (
    Analyst,
    Dictionary,
    LargeList,
    Study,
    fingerprint,
    read_study,
    remember_dictionary,
    write_study,
)
from sfumato.study import (
    study as studies,
)
from sfumato.study.kinds import dictionaries
from sfumato.study.kinds.large_list import ReportCounts
from surname_laws import drawn_names, surname_law

NAMES = tuple(f"name {i:04d}" for i in range(5000))
STUDY = """schema = "sfumato/study/2"
name = "Names"
population = 100000

[public]
epsilon = 4

[[analysts]]
name = "office"
epsilon = 6

[registrar]
recover = true

[[questions]]
id = "surname"
text = "What is your surname?"
kind = "large-list"
dictionary = "lists/names.txt"
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "lists").mkdir()
    (tmp_path / "lists" / "names.txt").write_text("".join(f"{name}\n" for name in NAMES), encoding="utf-8")
    (tmp_path / "study.toml").write_text(STUDY, encoding="utf-8")
    return tmp_path


@pytest.fixture
def forgotten():
    """Nothing is known of any dictionary, as in a new process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dictionaries, "_KNOWN", type(dictionaries._KNOWN)())
        studies._handler.cache_clear()
        yield


def answers(people=100_000):
    held = drawn_names(surname_law(len(NAMES)), people, 3)
    return pa.table({"surname": [NAMES[place] for place in held], "half": np.where(held % 2, "odd", "even")})


def asked(**changes):
    return LargeList(**{"id": "surname", "text": "Surname?", "dictionary": NAMES, "epsilon": 2} | changes)


class TestDictionaries:
    def test_line_ends_and_byte_order_marks_do_not_matter(self, tmp_path):
        path = tmp_path / "names.txt"
        found = []
        for data in (b"one\ntwo\nthree\n", b"\xef\xbb\xbfone\r\ntwo\r\nthree\r\n", b"one\ntwo\nthree"):
            path.write_bytes(data)
            found.append(Dictionary.read(path))
        assert len({*found, Dictionary.of(["one", "two", "three"])}) == 1
        assert found[0] != Dictionary.of(["two", "one", "three"])
        assert found[0].to_bytes() == b"one\ntwo\nthree\n"
        assert (found[0].count, len(found[0]), found[0].texts) == (3, 3, ("one", "two", "three"))

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("a\nb\n\nc\n", "line 3: the text is empty. Delete it."),
            ("a\nb\nc\n\n", "line 4: the text is empty"),
            ("a\nb\nc\na\n", "line 4: the text is that of line 1 again. Delete one of the two."),
            ("a\nb \nc\n", "line 2: the text begins or ends with a blank"),
            ("a\nb\tx\nc\n", "line 2: the text holds a control or zero-width character"),
            ("a\nb\n\u202ec\n", "line 3: the text holds a control or zero-width character"),
            ("a\nb\n" + "c" * 101 + "\n", "line 3: the text has 101 characters and may have 100"),
            ("a\nb\n", "dictionary has 2 texts, and a dictionary has between 3 and 1,000,000"),
            ("", "the file is empty"),
        ],
    )
    def test_what_is_no_dictionary_is_refused_by_its_line(self, tmp_path, text, said):
        path = tmp_path / "names.txt"
        path.write_text(text, encoding="utf-8")
        with pytest.raises(UnreadableFile) as refused:
            Dictionary.read(path)
        assert said in str(refused.value)
        assert f"file {path}" in str(refused.value)

    def test_texts_of_python_are_refused_by_their_place(self):
        for texts, said in (
            (["a", "b\nc", "d"], "text 2 is not one line"),
            (["a", "b", "a"], "text 3 is that of text 1"),
        ):
            with pytest.raises(UnreadableFile, match=said):
                Dictionary.of(texts)

    def test_more_than_a_million_are_refused(self, tmp_path, monkeypatch):
        monkeypatch.setattr(dictionaries, "MOST_TEXTS", 5)
        with pytest.raises(UnreadableFile, match="6 texts, and a dictionary has between 3 and 5"):
            Dictionary.of("abcdef")

    def test_another_encoding_is_refused(self, tmp_path):
        path = tmp_path / "names.txt"
        path.write_bytes("Müller\nB\nC\n".encode("latin-1"))
        with pytest.raises(UnreadableFile, match="not UTF-8"):
            Dictionary.read(path)

    def test_it_travels_with_its_texts(self, forgotten):
        again = pickle.loads(pickle.dumps(Dictionary.of(["x", "y", "z"])))  # noqa: S301  its own
        assert (again, again.texts) == (Dictionary.of("xyz"), ("x", "y", "z"))


class TestQuestions:
    def test_the_path_is_from_the_folder_of_the_study(self, folder):
        study = read_study(folder / "study.toml")
        (question,) = study.questions
        assert (question.size, question.labels) == (5000, NAMES)
        assert asked(dictionary=folder / "lists" / "names.txt") == asked()

    def test_the_fingerprint_is_that_of_the_texts(self, folder):
        study = read_study(folder / "study.toml")
        (folder / "other.txt").write_text("".join(f"{name}\n" for name in NAMES), encoding="utf-8")
        (folder / "study.toml").write_text(STUDY.replace("lists/names.txt", "other.txt"), encoding="utf-8")
        assert fingerprint(read_study(folder / "study.toml")) == fingerprint(study)
        (folder / "other.txt").write_text("".join(f"{name}\n" for name in (*NAMES[1:], NAMES[0])), encoding="utf-8")
        assert fingerprint(read_study(folder / "study.toml")) != fingerprint(study)

    def test_a_missing_dictionary_and_a_bad_one_are_named(self, folder):
        (folder / "lists" / "names.txt").write_text("a\nb\na\n", encoding="utf-8")
        with pytest.raises(UnreadableFile, match=r"names.txt, line 3: the text is that of line 1 again"):
            read_study(folder / "study.toml")
        (folder / "lists" / "names.txt").unlink()
        with pytest.raises(UnreadableFile, match=r"names\.txt"):
            read_study(folder / "study.toml")

    def test_a_written_study_takes_its_dictionary_along_and_refuses_another(self, tmp_path, forgotten):
        path = tmp_path / "study.toml"
        question = asked(dictionary=("a", "b", "c"))
        name = question.dictionary.name
        write_study(Study(name="s", questions=(question,)), path)
        del question
        assert (tmp_path / name).read_text(encoding="utf-8") == "a\nb\nc\n"
        assert read_study(path).questions[0].labels == ("a", "b", "c")
        (tmp_path / name).write_text("a\nb\nd\n", encoding="utf-8")
        with pytest.raises(UnreadableFile, match="has other texts than the study was made with"):
            read_study(path)

    @pytest.mark.parametrize(
        ("changes", "said"),
        [
            ({"others": NAMES[5]}, "others is one of the texts of the dictionary"),
            ({"family_error": 0}, "family_error"),
            ({"at_least": 1}, r"at_least must lie in \[0, 1\)"),
            ({"dictionary": ("a", "b")}, "between 3 and"),
        ],
    )
    def test_what_cannot_be_is_refused(self, changes, said):
        with pytest.raises((InvalidParameter, UnreadableFile), match=said):
            asked(**changes)

    def test_other_answers_are_refused_or_counted_as_declared(self):
        column = words_of(pa.table({"surname": [NAMES[2], "zebra42", NAMES[0]]}), "surname")
        with pytest.raises(UnreadableFile, match="row 2 holds none of the 5,000 texts of the dictionary") as refused:
            asked().places(column)
        assert "zebra42" not in str(refused.value)
        catching = asked(others="another")
        assert catching.places(column).tolist() == [2, 5000, 0]
        assert (catching.size, catching.labels[-1]) == (5001, "another")

    def test_leading_zeros_are_part_of_a_code(self):
        codes = asked(dictionary=("01234", "1234", "99999"))
        column = codes.cells.read(words_of(pa.table({"surname": ["1234", "01234"]}), "surname"))
        assert codes.places(column).tolist() == [1, 0]

    def test_no_answer_may_be_hidden(self):
        hiding = asked(missing="hidden", others="another")
        assert (hiding.size, hiding.labels[-2:]) == (5002, ("another", "no answer"))
        with pytest.raises(InvalidParameter, match="one of the texts already"):
            Study(name="s", questions=(asked(dictionary=("a", "no answer", "b"), missing="hidden"),))


class TestPublications:
    @pytest.fixture
    def published(self, folder):
        out = folder / "out"
        out.mkdir()
        sf.publish(
            folder / "study.toml", answers(), out=out / "reports.parquet", keys=folder / "keys", keep=["half"],
            insecure_seed=7, protection=Unprotected(),
        )  # fmt: skip
        return out

    def test_the_reports_have_the_dictionary_beside_and_no_text_inside(self, published):
        name = Dictionary.of(NAMES).name
        assert (published / name).read_text(encoding="utf-8").splitlines() == list(NAMES)
        for path in published.iterdir():
            if path.name != name:
                assert path.stat().st_size < 400_000
                assert NAMES[17].encode() not in path.read_bytes()

    def test_estimates_show_what_was_found_in_its_order(self, folder, published):
        study = read_study(folder / "study.toml")
        reports = sf.read_reports(published / "reports.parquet")
        found, even, odd = sf.estimate_reports(reports, group="half")
        assert 0 < len(found.labels) < 60
        assert set(found.labels) <= set(NAMES[:60])
        assert list(found.raw) == sorted(found.raw, reverse=True)
        assert found.together == found.confidence == 0.95
        assert any("no text in this list is one that nobody gave" in note for note in found.notes)
        assert any("hold for all 5,000 texts at once" in note for note in found.notes)
        assert set(even.labels) <= set(NAMES[::2])
        assert set(odd.labels) <= set(NAMES[1::2])
        law = surname_law(len(NAMES))
        place = {name: i for i, name in enumerate(NAMES)}
        for label, interval in zip(found.labels, found.intervals, strict=True):
            assert interval.lower <= law[place[label]] <= interval.upper
        way = study.handler("surname")
        tally = next(iter(reports.tallies("surname")))[1]
        assert found.labels == tuple(
            way.raw_shares(tally, 2)[0][i]
            for i in np.argsort(-way.raw_shares(tally, 2)[1], kind="stable")[: len(found.labels)]
        )

    def test_keys_sharpen_and_recover(self, folder, published):
        public = sf.estimate_reports(sf.read_reports(published / "reports.parquet"))[0]
        keys = folder / "keys"
        opened = sf.open_reports(published / "reports.parquet", [keys / "office.surname.key"], unlock=Unprotected())
        sharper = sf.estimate_reports(opened)[0]
        assert (sharper.level, public.level) == (1, 2)
        assert len(sharper.labels) > len(public.labels)
        table = sf.recover_answers(
            published / "reports.parquet", [keys / "registrar.surname.key"], unlock=Unprotected()
        )
        back = table.column("surname").to_pylist()
        assert back == answers().column("surname").to_pylist()

    def test_without_its_dictionary_a_reader_is_told_what_to_do(self, folder, published, forgotten):
        name = Dictionary.of(NAMES).name
        (published / name).rename(folder / "elsewhere.txt")
        reports = sf.read_reports(published / "reports.parquet")
        with pytest.raises(UnreadableFile, match=f"{name}, which is not beside the reports"):
            sf.estimate_reports(reports)
        remember_dictionary(folder / "elsewhere.txt")
        try:
            assert sf.estimate_reports(reports)[0].labels
        finally:
            dictionaries._REMEMBERED.clear()

    def test_a_changed_dictionary_is_refused(self, folder, published, forgotten):
        path = published / Dictionary.of(NAMES).name
        path.write_text(path.read_text(encoding="utf-8").replace("name 0001", "name x"), encoding="utf-8")
        with pytest.raises(UnreadableFile, match="has other texts than the study was made with"):
            sf.estimate_reports(sf.read_reports(published / "reports.parquet"))

    def test_opened_reports_take_the_dictionary_along(self, folder, published, forgotten):
        (folder / "mine").mkdir()
        opened = sf.open_reports(
            published / "reports.parquet", [folder / "keys" / "office.surname.key"], unlock=Unprotected()
        )
        sf.write_reports(opened, folder / "mine" / "opened.parquet")
        assert (folder / "mine" / Dictionary.of(NAMES).name).exists()

    def test_raw_shares_of_all_texts_and_no_table_of_weights(self, published):
        table = sf.workflows.raw_shares(published / "reports.parquet", "surname")
        assert table.num_rows == 5000
        assert table.column("answer").to_pylist() == list(NAMES)
        law = surname_law(len(NAMES))
        far = (np.array(table.column("raw")) - law) / np.array(table.column("standard_error"))
        assert abs(float(np.mean(far**2)) - 1) < 0.15
        with pytest.raises(InvalidParameter, match="weights"):
            sf.workflows.report_weights(published / "reports.parquet")


class TestPlans:
    def test_it_says_from_which_share_on_a_text_is_found(self, folder):
        study = read_study(folder / "study.toml")
        way = study.handler("surname")
        plan = way.plan()
        for row in plan.document["levels"]:
            rule = way.rule(row["level"], 100_000)
            assert row["share_found"] == rule.share_found(0.9)
            assert rule.power(row["share_found"]) == pytest.approx(0.9, abs=1e-6)
            # As many as are needed for a share; counts are whole, so it is not exactly nine times of ten.
            needed = row["respondents_to_find"]["0.01"]
            assert way.rule(row["level"], needed).power(0.01) == pytest.approx(0.9, abs=0.03)
        json.dumps(plan.document)
        assert "found from" in plan.tables[0].header

    def test_without_a_population_it_says_how_many_are_needed(self):
        plan = Study(name="s", questions=(asked(at_least=Fraction(1, 200)),)).handler("surname").plan()
        assert plan.tables[0].rows[0][2:4] == ("never", "never")
        assert "Respondents needed" in plan.tables[0].title
        assert "0.5 % or fewer" in plan.words[-1]

    def test_levels_are_those_of_the_audience(self):
        readers = (Analyst(name="office", epsilon=Fraction(4)),)
        study = Study(name="s", questions=(asked(epsilon=None),), analysts=readers, public_epsilon=Fraction(1))
        assert len(study.handler("surname").plan().tables[0].rows) == 2


def test_counts_of_chunks_add_however_they_are_kept():
    rng = np.random.default_rng(1)
    chunks = [rng.integers(0, 50, size) for size in (3, 40, 0, 70, 9)]
    found = ReportCounts.of(chunks[0], 50)
    for chunk in chunks[1:]:
        found = found + ReportCounts.of(chunk, 50)
    everything = np.concatenate(chunks)
    assert found.counts.tolist() == np.bincount(everything, minlength=50).tolist()
    assert found.total == everything.size
    assert found == ReportCounts.of(everything, 50)
    assert found != ReportCounts.of(everything[1:], 50)
    assert ReportCounts.of(chunks[0], 50).counted is None
    assert found.counted is not None
