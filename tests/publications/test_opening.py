"""From public reports back towards the answers: each key shows its level, and no other key fits."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from drawn_parts import drawn_part
from sfumato.errors import InvalidParameter, KeyRefused, UnreadableFile
from sfumato.ladders import rotate_key, split_key
from sfumato.publications.estimating import estimate_collected
from sfumato.publications.opening import open_table, recover_table
from sfumato.publications.reports import Reports
from sfumato.sampling import Guarantee
from sfumato.study import FreeText
from small_studies import LADDERS, answers, keys_at, small_study


@pytest.fixture(scope="module")
def published():
    return drawn_part(small_study(), answers(), keep=["region"])


def test_the_registrar_gets_every_answer_back(published):
    recovered = recover_table(published.reports, keys_at(published, 0))
    for name in ("moved", "place", "rooms", "region"):
        assert recovered[name].to_pylist() == answers()[name].to_pylist()


def test_each_level_has_the_mechanism_of_its_reader(published):
    for level, epsilon in ((1, 3.0), (2, 1.0)):
        opened = open_table(published.reports, keys_at(published, level))
        for found in estimate_collected(opened, questions=LADDERS):
            assert found.level == level
            assert epsilon - 1e-6 < found.epsilon <= epsilon
    public = estimate_collected(published.reports)
    assert [found.level for found in public] == [3, 3, 3, 1]
    assert np.isinf(public[3].epsilon), "the card's design has no ε"


def test_estimates_see_the_truth_more_sharply_from_level_to_level():
    rows = 60_000
    publication = drawn_part(small_study(), answers(rows))
    truth = {"moved": 1 / 3, "place": 0.2, "rooms": 3.0}
    errors = []
    for opened in (
        open_table(publication.reports, keys_at(publication, 1)),
        open_table(publication.reports, keys_at(publication, 2)),
        publication.reports,
    ):
        moved, place, rooms = estimate_collected(opened, questions=LADDERS)
        # Five standard errors: a false alarm once in a million.
        assert abs(moved.raw[1] - truth["moved"]) < 5 * moved.standard_errors[1]
        assert abs(place.raw[0] - truth["place"]) < 5 * place.standard_errors[0]
        assert abs(rooms.mean.value - truth["rooms"]) < 5 * rooms.mean.standard_error
        errors.append((moved.standard_errors[1], place.standard_errors[0], rooms.mean.standard_error))
    assert all(sharp < middle < public for sharp, middle, public in zip(*errors, strict=True))


def test_groups_are_estimated_on_their_own(published):
    opened = open_table(published.reports, keys_at(published, 1))
    found = estimate_collected(opened, group="region")
    assert [(one.question.id, one.group, one.total) for one in found[:3]] == [
        ("moved", None, 600), ("moved", "coast", 300), ("moved", "hill", 300),
    ]  # fmt: skip
    with pytest.raises(InvalidParameter, match="is a question"):
        estimate_collected(opened, group="place")


def test_reports_in_another_order_are_refused(published):
    table = published.reports.table
    turned = table.take(pa.array(range(599, -1, -1)))
    for shuffled in (turned, turned.set_column(0, "row", table["row"])):
        with pytest.raises(UnreadableFile, match="another order"):
            open_table(Reports.of(shuffled, published.reports.note), keys_at(published, 1)).column("place")
        with pytest.raises(UnreadableFile, match="another order"):
            recover_table(Reports.of(shuffled, published.reports.note), keys_at(published, 0))


def test_keys_of_another_study_epoch_or_publication_are_refused(published):
    other_study = drawn_part(small_study(name="Houses"), answers())
    with pytest.raises(KeyRefused, match="another study"):
        open_table(published.reports, keys_at(other_study, 1))
    later = drawn_part(small_study(), answers(), epoch=1)
    with pytest.raises(KeyRefused, match="epoch 1"):
        open_table(published.reports, keys_at(later, 1))
    again = drawn_part(small_study(), answers(), keep=["region"])
    with pytest.raises(KeyRefused, match="other reports"):
        open_table(published.reports, keys_at(again, 1))
    # Nor one that bears the id of the part, but remembers other reports.
    (part,) = published.reports.note.parts
    renamed = [replace(key, drawing=part.id) for key in keys_at(again, 1)]
    with pytest.raises(KeyRefused, match="other reports"):
        open_table(published.reports, renamed).column("place")
    with pytest.raises(KeyRefused, match="Use recover"):
        open_table(published.reports, keys_at(published, 0))
    with pytest.raises(KeyRefused, match="recovers nothing"):
        recover_table(published.reports, keys_at(published, 1))


def test_opened_reports_are_not_opened_twice(tmp_path, published):
    opened = open_table(published.reports, keys_at(published, 2))
    with pytest.raises(InvalidParameter, match="opened already"):
        open_table(opened, keys_at(published, 1))
    opened.write(tmp_path / "opened.parquet")
    with pytest.raises(InvalidParameter, match="opened already"):
        open_table(Reports.read(tmp_path / "opened.parquet"), keys_at(published, 1))


def test_parts_of_a_key_open_their_rows_and_merge(published):
    key = published.keys["place"][1]
    ladder = published.reports.note.handler("place").ladder
    first, second = split_key(key, ladder, [150])
    whole = open_table(published.reports, [key])
    part = open_table(published.reports, [second])
    assert len(part) == 450
    assert part.table["row"].to_pylist() == list(range(150, 600))
    assert np.array_equal(part.column("place"), whole.column("place")[150:])
    assert np.array_equal(part.column("moved"), published.reports.column("moved")[150:])
    both = open_table(published.reports, [second, first])
    assert np.array_equal(both.column("place"), whole.column("place"))
    with pytest.raises(KeyRefused, match="different rows"):
        open_table(published.reports, [second, published.keys["moved"][1]]).column("place")


def test_what_is_read_from_all_rows_together_is_left_out_of_some(tmp_path):
    """Texts are found in rounds, and which round a row is in follows from how many rows there are."""
    text = FreeText(id="town", text="Which?", longest=1)
    study = small_study(questions=(small_study().questions[1], text))
    table = answers().append_column("town", pa.array(["a", "b", "a"] * 200))
    made = drawn_part(study, table, keep=["region"])
    for some in split_key(made.keys["place"][1], made.reports.note.handler("place").ladder, [300]):
        opened = open_table(made.reports, [some])
        assert opened.remarks == ("town is read from all rows together, and left out of some of them.",)
        opened.write(tmp_path / "some.parquet")
        for found in (opened, Reports.read(tmp_path / "some.parquet")):
            assert found.table.column_names == ["row", "place", "region"]
            assert [(one.question.id, one.total) for one in estimate_collected(found)] == [("place", 300)]
    whole = open_table(made.reports, [made.keys["place"][1]])
    assert [one.total for one in estimate_collected(whole)] == [600, 600]


def test_seeds_rotate_and_everybody_opens_the_next_epoch():
    first = drawn_part(small_study(), answers(), guarantee=Guarantee.COMPUTATIONAL)
    rotated = {name: {level: rotate_key(key) for level, key in keys.items()} for name, keys in first.keys.items()}
    later = drawn_part(small_study(), answers(), epoch=1, keys=rotated)
    opened = open_table(later.reports, [rotated["place"][1]])
    assert opened.note.columns["place"].level == 1
    assert recover_table(later.reports, [rotated["place"][0]])["place"].to_pylist() == answers()["place"].to_pylist()
    assert not np.array_equal(later.reports.column("place"), first.reports.column("place"))
