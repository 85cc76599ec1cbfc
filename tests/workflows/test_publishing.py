"""From answers to public reports: what is published, what is refused, and what never happens twice."""

import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from drawn_parts import drawn_part
from sfumato.errors import InvalidParameter, KeyRefused, KeyReused, UnreadableFile
from sfumato.files.public_tables import write_table
from sfumato.ladders import split_key
from sfumato.publications.estimating import estimate_collected
from sfumato.publications.note import new_part_id
from sfumato.publications.opening import open_table, recover_table
from sfumato.publications.part import binding_of
from sfumato.publications.reports import Reports
from sfumato.sampling import Guarantee, InsecureSeeded
from sfumato.study import Analyst, FreeText, OneOfMany, Recoverable, Study
from small_studies import LADDERS, PLACES, answers, keys_at, small_study


@pytest.fixture(scope="module")
def published():
    return drawn_part(small_study(), answers(), keep=["region"])


def test_reports_carry_no_answer_column_and_only_what_was_kept(published):
    assert published.reports.table.column_names == ["row", "moved", "place", "rooms", "debt", "rooms_sealed", "region"]
    assert published.reports.table["row"].to_pylist() == list(range(600))
    levels = {name: sorted(keys) for name, keys in published.keys.items()}
    assert levels == {key: [0, 1, 2] for key in LADDERS} | {"rooms_sealed": [0]}, "a card has no keys"


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_files_give_back_the_same_reports(tmp_path, published, suffix):
    path = tmp_path / f"reports.{suffix}"
    published.reports.write(path)
    read = Reports.read(path)
    assert read.note == published.reports.note
    for name in read.note.columns:
        assert np.array_equal(read.column(name), published.reports.column(name))
    assert recover_table(read, keys_at(published, 0))["place"].to_pylist() == answers()["place"].to_pylist()


def test_a_csv_without_its_note_is_refused(tmp_path, published):
    path = tmp_path / "reports.csv"
    published.reports.write(path)
    (tmp_path / "reports.csv.about.json").unlink()
    with pytest.raises(UnreadableFile, match=r"about\.json"):
        Reports.read(path)


def test_a_note_that_does_not_fit_its_study_is_refused(tmp_path, published):
    """The ladder that is declared must be one for the question, and keep what the study promises."""
    path, note = tmp_path / "reports.csv", tmp_path / "reports.csv.about.json"
    published.reports.write(path)
    text = note.read_text()

    def other(name, **changes):
        return small_study(**changes).handler(name).declaration

    for name, declaration in (
        ("place", other("moved")),
        ("place", other("place", analysts=())),
        ("place", other("place", public_epsilon=Fraction(3, 4))),
        ("moved", "nonsense"),
        ("moved", None),
        ("debt", other("moved")),
    ):
        document = json.loads(text)
        document["columns"][name]["declaration"] = declaration
        note.write_text(json.dumps(document))
        with pytest.raises(UnreadableFile, match="damaged"):
            Reports.read(path)
    # One that shows less than was promised, at as many levels, is still one.
    document = json.loads(text)
    document["columns"]["place"]["declaration"] = other("place", public_epsilon=Fraction(2, 5))
    note.write_text(json.dumps(document))
    assert len(Reports.read(path)) == 600


def test_a_study_given_with_reports_must_be_theirs(tmp_path, published):
    published.reports.write(tmp_path / "reports.parquet")
    other = small_study(name="Houses")
    for reports in (published.reports, tmp_path / "reports.parquet"):
        assert len(sf.estimate_reports(reports, small_study())) == 4
        with pytest.raises(InvalidParameter, match="study is not the study of"):
            sf.estimate_reports(reports, other)
        with pytest.raises(InvalidParameter, match=r"count='n' is for reports that were typed in"):
            sf.estimate_reports(reports, small_study(), count="n")


def test_refusals_name_the_row_and_never_the_answer():
    table = answers().set_column(1, "place", pa.array(["north"] * 599 + ["atlantis"]))
    with pytest.raises(UnreadableFile) as refused:
        drawn_part(small_study(), table)
    assert "row 600" in str(refused.value)
    assert "atlantis" not in str(refused.value)
    gap = answers().set_column(0, "moved", pa.array(["yes", None] + ["no"] * 598))
    with pytest.raises(UnreadableFile, match="row 2 is empty"):
        drawn_part(small_study(), gap)
    far = answers().set_column(2, "rooms", pa.array([0] * 599 + [4711]))
    with pytest.raises(UnreadableFile) as refused:
        drawn_part(small_study(), far)
    assert "4711" not in str(refused.value)
    with pytest.raises(UnreadableFile, match="no column 'moved'"):
        drawn_part(small_study(), answers().drop_columns(["moved"]))
    with pytest.raises(InvalidParameter, match="is a question"):
        drawn_part(small_study(), answers(), keep=["place"])
    with pytest.raises(InvalidParameter, match="keep='town' names a column that the table does not have"):
        drawn_part(small_study(), answers(), keep=["town"])
    for name in ("row", "part"):
        with pytest.raises(InvalidParameter, match=f"keep='{name}' is what the numbers of rows and parts are called"):
            drawn_part(small_study(), answers().append_column(name, answers()["rooms"]), keep=[name])
    with pytest.raises(UnreadableFile, match="no rows"):
        drawn_part(small_study(), answers().slice(0, 0))


def test_a_ceiling_lowers_one_question_for_everybody():
    study = small_study()
    capped = replace(study, questions=(replace(study.questions[1], epsilon=Fraction(1)), *study.questions[:1]))
    place, moved = capped.handlers
    assert place.epsilons == (1.0, 0.5)
    assert moved.epsilons == (3.0, 1.0, 0.5)
    assert [place.level_of(analyst) for analyst in capped.analysts] == [1, 1]
    assert len(place.ladder.levels) == 2


def test_few_random_bits_make_one_bit_reports():
    question = OneOfMany(id="place", text="Where?", answers=PLACES, random_bits=Fraction(2))
    analysts = (Analyst(name="a", epsilon=Fraction(1)),)
    study = Study(name="s", questions=(question,), analysts=analysts, public_epsilon=Fraction(1, 2))
    ladder = study.handler("place").ladder
    assert ladder.modulus == 2
    assert ladder.randomness_bits().upper < 2
    publication = drawn_part(study, answers())
    opened = open_table(publication.reports, [publication.keys["place"][1]])
    assert estimate_collected(opened)[0].total == 600
    scarce = replace(question, random_bits=Fraction(1, 2))
    with pytest.raises(InvalidParameter, match=r"random_bits=0\.5 of question 'place' is too little"):
        _ = replace(study, questions=(scarce,)).handler("place").ladder
    with pytest.raises(InvalidParameter, match="cannot be recovered"):
        _ = replace(study, recover=True).handler("place").ladder


def test_changed_answers_under_the_same_keys_are_refused():
    study = small_study(questions=small_study().questions[:3])
    publication = drawn_part(study, answers())
    held = {name: {0: keys[0]} for name, keys in publication.keys.items()}
    fewer = replace(study, questions=study.questions[:2])
    with pytest.raises(KeyRefused, match="another study"):
        drawn_part(fewer, answers(), keys={name: held[name] for name in ("moved", "place")})
    changed = answers().set_column(1, "place", pa.array(["south"] * 600))
    with pytest.raises(KeyReused, match="difference"):
        drawn_part(study, changed, keys=held, before=publication)
    again = drawn_part(study, answers(), keys=held, before=publication)
    assert again.reports.note == publication.reports.note
    with pytest.raises(KeyReused, match="difference"):  # without the salts of then nobody can tell
        drawn_part(study, answers(), keys=held)
    for rows in (599, 601):
        with pytest.raises(KeyRefused, match=f"the keys are for 600 rows, and there are {rows} values"):
            drawn_part(study, answers(rows), keys=held, before=publication)


@pytest.mark.parametrize("guarantee", [Guarantee.INFORMATION_THEORETIC, Guarantee.COMPUTATIONAL])
def test_keys_that_do_not_fit_make_no_reports(guarantee):
    """Of another ladder, another question, another level, or of some of the rows."""
    study = small_study(questions=small_study().questions[:2])
    binding = {name: binding_of(study, name, 0) for name in ("moved", "place")}

    def keys(rows=5000, **changes):
        part = new_part_id(None)
        return {
            name: {0: replace(study.handler(name).ladder.draw_keys(
                rows, binding=binding[name], guarantee=guarantee, drawing=part)[0], **changes)}
            for name in ("moved", "place")
        }  # fmt: skip

    good = keys()
    assert len(drawn_part(study, answers(5000), keys=good).reports) == 5000
    with pytest.raises(KeyRefused, match="another ladder"):
        drawn_part(study, answers(5000), keys=keys(ladder=small_study(analysts=()).handler("place").declaration))
    with pytest.raises(KeyRefused, match="each at its level"):
        drawn_part(study, answers(5000), keys=keys(level=1))
    with pytest.raises(KeyRefused, match="another study, question"):
        drawn_part(study, answers(5000), keys=keys(binding=binding_of(study, "moved", 1)))
    parts = {name: {0: split_key(held[0], study.handler(name).ladder, [4096])[0]} for name, held in keys().items()}
    with pytest.raises(KeyRefused, match="some of the rows"):
        drawn_part(study, answers(4096), keys=parts)


def test_seeds_that_made_nothing_yet_do_not_mind_how_many_rows_there_are():
    """Draws belong to rows: what a row draws has nothing to do with how many others there are."""
    study = small_study(questions=small_study().questions[1:2])
    ladder, binding = study.handler("place").ladder, binding_of(study, "place", 0)
    seeds = ladder.draw_keys(5, InsecureSeeded(8), binding=binding, guarantee=Guarantee.COMPUTATIONAL)
    few, more = (drawn_part(study, answers(rows), keys={"place": seeds}).reports for rows in (5000, 5001))
    assert np.array_equal(few.column("place"), more.column("place")[:5000])


def test_a_question_without_keys_is_not_answered_twice():
    """A card answered afresh is a second report about the same person."""
    publication = drawn_part(small_study(), answers())
    held = {name: {0: keys[0]} for name, keys in publication.keys.items()}
    with pytest.raises(KeyReused, match="'debt'"):
        drawn_part(small_study(), answers(), keys=held)
    unused = {
        name: small_study()
        .handler(name)
        .ladder.draw_keys(600, binding=binding_of(small_study(), name, 0), drawing="7" * 32)
        for name in LADDERS
    }
    assert len(drawn_part(small_study(), answers(), keys=unused).reports) == 600


def test_a_simulation_is_marked_wherever_it_goes(tmp_path):
    publication = drawn_part(small_study(), answers(), bits=InsecureSeeded(20261))
    path = tmp_path / "reports.csv"
    publication.reports.write(path)
    assert Reports.read(path).note.insecure
    assert all(key.guarantee is Guarantee.NONE for keys in publication.keys.values() for key in keys.values())
    assert "INSECURE" in publication.reports._repr_html_()


def test_frequent_texts_are_found_from_the_reports_alone(tmp_path):
    texts = ["news"] * 40_000 + ["mail"] * 20_000 + [f"x{i:05d}" for i in range(20_000)]
    texts = [texts[(i * 7919) % len(texts)] for i in range(len(texts))]  # the groups are by position
    question = FreeText(id="site", text="Which site?", longest=6, keep=6)
    study = Study(name="Sites", questions=(question,), public_epsilon=Fraction(3))
    path = tmp_path / "reports.csv"
    drawn_part(study, pa.table({"site": texts})).reports.write(path)
    (found,) = estimate_collected(Reports.read(path))
    assert found.labels[:2] == ("news", "mail")
    for share, error, truth in zip(found.raw[:2], found.standard_errors[:2], (0.5, 0.25), strict=True):
        assert abs(share - truth) < 6 * error
    assert not {"x00001", "x00002"} & set(found.labels)
    selection = Reports.read(path).table.slice(0, 40_000)
    write_table(selection, tmp_path / "some.csv")
    some = Reports.read(tmp_path / "some.csv", note=tmp_path / "reports.csv.about.json")
    with pytest.raises(InvalidParameter, match="read from all its reports together, and rows were selected"):
        estimate_collected(some)
    with pytest.raises(UnreadableFile) as refused:
        drawn_part(study, pa.table({"site": ["short", "much too long"]}))
    assert "row 2" in str(refused.value)
    assert "much" not in str(refused.value)


def recoverable_study():
    question = Recoverable(
        id="blood",
        text="What is your blood group?",
        answers=("O+", "O-", "A+", "A-"),
        tell=("O", "O", "A", "A"),
        rho=Fraction(9, 10),
        probabilities=(Fraction(1, 2), Fraction(1, 10), Fraction(3, 10), Fraction(1, 10)),
    )
    return Study(name="Blood", questions=(question,))


def test_recoverable_answers_tell_the_part_and_estimate_its_shares(tmp_path):
    study = recoverable_study()
    held = ["O+"] * 10_000 + ["O-"] * 2_000 + ["A+"] * 6_000 + ["A-"] * 2_000
    publication = drawn_part(study, pa.table({"blood": held}))
    assert publication.keys == {}
    path = tmp_path / "reports.csv"
    publication.reports.write(path)
    reports = Reports.read(path)
    told = np.array(reports.table["blood"].to_pylist())
    right = told == np.array([text[0] for text in held])
    # Nine times out of ten, in every group of people: five standard errors.
    for group in (slice(0, 10_000), slice(10_000, 12_000), slice(12_000, 18_000), slice(18_000, 20_000)):
        size = right[group].size
        assert abs(right[group].mean() - 0.9) < 5 * np.sqrt(0.09 / size)
    (found,) = estimate_collected(reports)
    assert found.labels == ("O", "A")
    assert abs(found.raw[0] - 0.6) < 5 * found.standard_errors[0]
    assert np.isclose(found.epsilon, np.log(9))


def test_counts_are_rounded_the_same_way_when_they_are_published_again(tmp_path):
    study = small_study(questions=(small_study().questions[2],))
    first = drawn_part(study, answers())
    again = drawn_part(study, answers(), keys={name: {0: held[0]} for name, held in first.keys.items()}, before=first)
    for name in ("rooms", "rooms_sealed"):
        assert np.array_equal(first.reports.column(name), again.reports.column(name))
