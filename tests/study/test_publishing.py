"""From answers to public reports and keys, and back: what comes out at each level is what was put in, or a refusal."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from sfumato.study.collecting import ladder_for

import sfumato as sf
from sfumato.bits import InsecureSeeded
from sfumato.errors import InvalidInput, InvalidParameter, KeyRefused, KeyReused, UnreadableFile
from sfumato.refine import Passphrase, Unprotected, rotate_key, split_key
from sfumato.study import Analyst, FreeText, OneOfMany, Recoverable, Study
from sfumato.study.estimating import estimate_table
from sfumato.study.key_folders import KeyFolder
from sfumato.study.publishing import binding_of, open_table, publish_table, recover_table
from sfumato.study.reports import Reports
from sfumato.values import Guarantee
from small_studies import PLACES, answers, small_study

LADDERS = ("moved", "place", "rooms")


@pytest.fixture(scope="module")
def published():
    return publish_table(small_study(), answers(), keep=["region"])


def keys_at(publication, level, questions=LADDERS):
    return [publication.keys[name][level] for name in questions]


def test_reports_carry_no_answer_column_and_only_what_was_kept(published):
    assert published.reports.table.column_names == ["region", "moved", "place", "rooms", "debt"]
    assert set(published.keys) == set(LADDERS), "a card has no keys"
    assert {name: sorted(keys) for name, keys in published.keys.items()} == {key: [0, 1, 2] for key in LADDERS}


def test_the_registrar_gets_every_answer_back(published):
    recovered = recover_table(published.reports, keys_at(published, 0))
    for name in ("moved", "place", "region"):
        assert recovered[name].to_pylist() == answers()[name].to_pylist()
    # A count comes back as it was rounded: to one of the two neighbours on the grid.
    for before, after in zip(answers()["rooms"].to_pylist(), recovered["rooms"].to_pylist(), strict=True):
        assert abs(before - int(after)) < 2
        assert int(after) % 2 == 0


def test_each_level_has_the_mechanism_of_its_reader(published):
    for level, epsilon in ((1, 3.0), (2, 1.0)):
        opened = open_table(published.reports, keys_at(published, level))
        for found in estimate_table(opened, questions=LADDERS):
            assert found.level == level
            assert epsilon - 1e-6 < found.epsilon <= epsilon
    public = estimate_table(published.reports)
    assert [found.level for found in public] == [3, 3, 3, 1]
    assert np.isinf(public[3].epsilon), "the card's design has no ε"


def test_estimates_see_the_truth_more_sharply_from_level_to_level():
    rows = 60_000
    publication = publish_table(small_study(), answers(rows))
    truth = {"moved": 1 / 3, "place": 0.2, "rooms": 3.0}
    errors = []
    for opened in (
        open_table(publication.reports, keys_at(publication, 1)),
        open_table(publication.reports, keys_at(publication, 2)),
        publication.reports,
    ):
        moved, place, rooms = estimate_table(opened, questions=LADDERS)
        # Five standard errors: a false alarm once in a million.
        assert abs(moved.raw[1] - truth["moved"]) < 5 * moved.standard_errors[1]
        assert abs(place.raw[0] - truth["place"]) < 5 * place.standard_errors[0]
        assert abs(rooms.mean.mean - truth["rooms"]) < 5 * rooms.mean.standard_error
        errors.append((moved.standard_errors[1], place.standard_errors[0], rooms.mean.standard_error))
    assert all(sharp < middle < public for sharp, middle, public in zip(*errors, strict=True))


def test_groups_are_estimated_on_their_own(published):
    opened = open_table(published.reports, keys_at(published, 1))
    found = estimate_table(opened, group="region")
    assert [(one.question.id, one.group, one.total) for one in found[:3]] == [
        ("moved", None, 600), ("moved", "coast", 300), ("moved", "hill", 300),
    ]  # fmt: skip
    with pytest.raises(InvalidParameter, match="is a question"):
        estimate_table(opened, group="place")


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


def test_reports_in_another_order_are_refused(published):
    table = published.reports.table
    shuffled = Reports(table=table.take(pa.array(range(599, -1, -1))), note=published.reports.note)
    with pytest.raises(UnreadableFile, match="another order"):
        open_table(shuffled, keys_at(published, 1))


def test_keys_of_another_study_epoch_or_publication_are_refused(published):
    other_study = publish_table(small_study(name="Houses"), answers())
    with pytest.raises(KeyRefused, match="another study"):
        open_table(published.reports, keys_at(other_study, 1))
    later = publish_table(small_study(), answers(), epoch=1)
    with pytest.raises(KeyRefused, match="epoch 1"):
        open_table(published.reports, keys_at(later, 1))
    again = publish_table(small_study(), answers(), keep=["region"])
    with pytest.raises(KeyRefused, match="other reports"):
        open_table(published.reports, keys_at(again, 1))
    with pytest.raises(KeyRefused, match="Use recover"):
        open_table(published.reports, keys_at(published, 0))
    with pytest.raises(KeyRefused, match="recovers nothing"):
        recover_table(published.reports, keys_at(published, 1))


def test_opened_reports_are_not_opened_twice(published):
    opened = open_table(published.reports, keys_at(published, 2))
    with pytest.raises(InvalidParameter, match="opened already"):
        open_table(opened, keys_at(published, 1))


def test_parts_of_a_key_open_their_rows_and_merge(published):
    key = published.keys["place"][1]
    ladder = published.reports.note.ladder("place")
    first, second = split_key(key, ladder, [150])
    whole = open_table(published.reports, [key])
    part = open_table(published.reports, [second])
    assert len(part) == 450
    assert part.note.offset == 150
    assert np.array_equal(part.column("place"), whole.column("place")[150:])
    assert np.array_equal(part.column("moved"), published.reports.column("moved")[150:])
    both = open_table(published.reports, [second, first])
    assert np.array_equal(both.column("place"), whole.column("place"))
    with pytest.raises(KeyRefused, match="different rows"):
        open_table(published.reports, [second, published.keys["moved"][1]])


def test_refusals_name_the_row_and_never_the_answer():
    table = answers().set_column(1, "place", pa.array(["north"] * 599 + ["atlantis"]))
    with pytest.raises(UnreadableFile) as refused:
        publish_table(small_study(), table)
    assert "row 600" in str(refused.value)
    assert "atlantis" not in str(refused.value)
    gap = answers().set_column(0, "moved", pa.array(["yes", None] + ["no"] * 598))
    with pytest.raises(UnreadableFile, match="row 2 is empty"):
        publish_table(small_study(), gap)
    far = answers().set_column(2, "rooms", pa.array([0] * 599 + [4711]))
    with pytest.raises(UnreadableFile) as refused:
        publish_table(small_study(), far)
    assert "4711" not in str(refused.value)
    with pytest.raises(UnreadableFile, match="no column 'moved'"):
        publish_table(small_study(), answers().drop_columns(["moved"]))
    with pytest.raises(InvalidParameter, match="is a question"):
        publish_table(small_study(), answers(), keep=["place"])
    with pytest.raises(UnreadableFile, match="no rows"):
        publish_table(small_study(), answers().slice(0, 0))


def test_a_ceiling_lowers_one_question_for_everybody():
    study = small_study()
    capped = replace(study, questions=(replace(study.questions[1], epsilon=Fraction(1)), *study.questions[:1]))
    place, moved = capped.questions
    assert capped.levels(place) == (Fraction(1), Fraction(1, 2))
    assert capped.levels(moved) == (Fraction(3), Fraction(1), Fraction(1, 2))
    assert [capped.level_of(analyst, place) for analyst in capped.analysts] == [1, 1]
    assert len(ladder_for(capped, place).levels) == 2


def test_few_random_bits_make_one_bit_reports():
    question = OneOfMany(id="place", text="Where?", answers=PLACES, random_bits=Fraction(2))
    analysts = (Analyst(name="a", epsilon=Fraction(1)),)
    study = Study(name="s", questions=(question,), analysts=analysts, public_epsilon=Fraction(1, 2))
    ladder = ladder_for(study, question)
    assert ladder.modulus == 2
    assert ladder.randomness_bits().upper < 2
    publication = publish_table(study, answers())
    opened = open_table(publication.reports, [publication.keys["place"][1]])
    assert estimate_table(opened)[0].total == 600
    scarce = replace(question, random_bits=Fraction(1, 2))
    with pytest.raises(InvalidParameter, match="random_bits"):
        ladder_for(replace(study, questions=(scarce,)), scarce)
    with pytest.raises(InvalidParameter, match="cannot be recovered"):
        ladder_for(replace(study, recover=True), question)


def test_seeds_rotate_and_everybody_opens_the_next_epoch():
    first = publish_table(small_study(), answers(), guarantee=Guarantee.COMPUTATIONAL)
    rotated = {name: {level: rotate_key(key) for level, key in keys.items()} for name, keys in first.keys.items()}
    later = publish_table(small_study(), answers(), epoch=1, keys=rotated)
    opened = open_table(later.reports, [rotated["place"][1]])
    assert opened.note.columns["place"].level == 1
    assert recover_table(later.reports, [rotated["place"][0]])["place"].to_pylist() == answers()["place"].to_pylist()
    assert not np.array_equal(later.reports.column("place"), first.reports.column("place"))


def test_changed_answers_under_the_same_keys_are_refused():
    study = small_study(questions=small_study().questions[:3])
    publication = publish_table(study, answers())
    held = {name: {0: keys[0]} for name, keys in publication.keys.items()}
    fewer = replace(study, questions=study.questions[:2])
    with pytest.raises(KeyRefused, match="another study"):
        publish_table(fewer, answers(), keys={name: held[name] for name in ("moved", "place")})
    changed = answers().set_column(1, "place", pa.array(["south"] * 600))
    with pytest.raises(KeyReused, match="difference"):
        publish_table(study, changed, keys=held)


def test_a_question_without_keys_is_not_answered_twice():
    """A card answered afresh is a second report about the same person."""
    publication = publish_table(small_study(), answers())
    held = {name: {0: keys[0]} for name, keys in publication.keys.items()}
    with pytest.raises(KeyReused, match="'debt'"):
        publish_table(small_study(), answers(), keys=held)
    unused = {
        question.id: ladder_for(small_study(), question).draw_keys(
            600, binding=binding_of(small_study(), question.id, 0)
        )
        for question in small_study().questions[:3]
    }
    assert len(publish_table(small_study(), answers(), keys=unused).reports) == 600


def test_a_simulation_is_marked_wherever_it_goes(tmp_path):
    publication = publish_table(small_study(), answers(), bits=InsecureSeeded(20261))
    path = tmp_path / "reports.csv"
    publication.reports.write(path)
    assert Reports.read(path).note.is_insecure
    assert all(key.guarantee is Guarantee.NONE for keys in publication.keys.values() for key in keys.values())
    assert "INSECURE" in publication.reports._repr_html_()


def test_each_step_in_one_call(tmp_path):
    study = tmp_path / "study.toml"
    sf.study.write_study(small_study(), study)
    import polars as pl

    for data in (answers(), answers().to_pandas(), pl.from_arrow(answers()), answers().to_pydict()):
        publication = sf.publish(study, data, keep=["region"])
        assert len(publication.reports) == 600
    with pytest.raises(InvalidParameter, match="protection"):
        sf.write_publication(publication, tmp_path / "reports.parquet", tmp_path / "keys")
    secret = Passphrase("correct horse", memory_kib=64, passes=1, lanes=1)
    files = sf.write_publication(publication, tmp_path / "reports.parquet", tmp_path / "keys", secret)
    assert len(files) == 9
    assert all(path.stat().st_mode & 0o077 == 0 for path in files)
    opened = sf.open_reports(tmp_path / "reports.parquet", tmp_path / "keys" / "ministry.place.key", unlock=secret)
    assert opened.to_polars().shape == (600, 5)
    assert opened.to_pandas().shape == (600, 5)
    estimates = sf.estimate_reports(opened, questions=["place"])
    assert estimates.to_arrow().num_rows == 5
    assert "prefer not to answer" in estimates._repr_html_()
    answers_again = sf.recover_answers(
        tmp_path / "reports.parquet", tmp_path / "keys" / "registrar.moved.key", unlock=secret
    )
    assert answers_again["moved"].to_pylist() == answers()["moved"].to_pylist()
    with pytest.raises(InvalidParameter, match="holds key files"):
        sf.write_publication(publication, tmp_path / "r2.parquet", tmp_path / "keys", secret)
    with pytest.raises(InvalidParameter, match="dictionary of columns"):
        sf.publish(study, 7)
    with pytest.raises(InvalidInput, match="different lengths"):
        sf.publish(study, {"moved": ["yes"], "place": []})


def test_a_folder_of_keys_knows_its_holders(tmp_path):
    folder = KeyFolder.of(small_study(), tmp_path)
    assert folder.holders == ("ministry", "press", "registrar")
    assert len(folder.files) == 9
    with pytest.raises(InvalidParameter, match="--keys"):
        KeyFolder.of(small_study(), None)
    alone = Study(name="s", questions=small_study().questions[:1], public_epsilon=Fraction(1))
    assert KeyFolder.of(alone, None).files == {}
    publication = publish_table(small_study(recover=False), answers())
    bare = KeyFolder.of(small_study(recover=False), tmp_path)
    bare.write(publication.keys, dict.fromkeys(bare.holders, Unprotected()), lambda _: Unprotected())
    with pytest.raises(InvalidParameter, match="not the registrar"):
        bare.held_keys(lambda _: Unprotected())


def test_frequent_texts_are_found_from_the_reports_alone(tmp_path):
    texts = ["news"] * 40_000 + ["mail"] * 20_000 + [f"x{i:05d}" for i in range(20_000)]
    texts = [texts[(i * 7919) % len(texts)] for i in range(len(texts))]  # the groups are by position
    question = FreeText(id="site", text="Which site?", longest=6, keep=6)
    study = Study(name="Sites", questions=(question,), public_epsilon=Fraction(3))
    path = tmp_path / "reports.csv"
    publish_table(study, pa.table({"site": texts})).reports.write(path)
    (found,) = estimate_table(Reports.read(path))
    assert found.labels[:2] == ("news", "mail")
    for share, error, truth in zip(found.raw[:2], found.standard_errors[:2], (0.5, 0.25), strict=True):
        assert abs(share - truth) < 6 * error
    assert not {"x00001", "x00002"} & set(found.labels)
    with pytest.raises(InvalidParameter, match="all reports together"):
        estimate_table(Reports(table=Reports.read(path).table, note=replace(Reports.read(path).note, offset=3)))
    with pytest.raises(UnreadableFile) as refused:
        publish_table(study, pa.table({"site": ["short", "much too long"]}))
    assert "row 2" in str(refused.value)
    assert "much" not in str(refused.value)


def recoverable_study():
    question = Recoverable(
        id="blood",
        text="What is your blood group?",
        answers=("O+", "O-", "A+", "A-"),
        tell=("O", "O", "A", "A"),
        recover_probability=Fraction(9, 10),
        probabilities=(Fraction(1, 2), Fraction(1, 10), Fraction(3, 10), Fraction(1, 10)),
    )
    return Study(name="Blood", questions=(question,))


def test_recoverable_answers_tell_the_part_and_estimate_its_shares(tmp_path):
    study = recoverable_study()
    held = ["O+"] * 10_000 + ["O-"] * 2_000 + ["A+"] * 6_000 + ["A-"] * 2_000
    publication = publish_table(study, pa.table({"blood": held}))
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
    (found,) = estimate_table(reports)
    assert found.labels == ("O", "A")
    assert abs(found.raw[0] - 0.6) < 5 * found.standard_errors[0]
    assert np.isclose(found.epsilon, np.log(9))


def test_counts_are_rounded_the_same_way_when_they_are_published_again(tmp_path):
    study = small_study(questions=(small_study().questions[2],))
    first = publish_table(study, answers())
    again = publish_table(study, answers(), keys={"rooms": {0: first.keys["rooms"][0]}})
    assert np.array_equal(first.reports.column("rooms"), again.reports.column("rooms"))
