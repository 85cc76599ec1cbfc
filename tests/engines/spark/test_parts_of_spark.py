"""A part that Spark wrote lives like any other: people are added, erased and amended, offices combined."""

import numpy as np
import pyarrow as pa
import pytest

from engines.spark.spark_studies import ANSWERS, published, wide_answers, wide_study, written
from living_publications import Living, living_answers, other
from sfumato.errors import KeyReused, UnreadableFile
from sfumato.keys import Unprotected
from sfumato.publications.reports import read_report_files
from sfumato.workflows.combining import combine
from sfumato.workflows.reading import open_reports, recover_answers

ROWS = 9000


def frame_of(spark, folder, table, sizes=(5000, 0)):
    return spark.read.parquet(str(written(folder, table, sizes)))


def living_at(folder, **changes):
    return Living(folder, guarantee="computational", **changes)


def snapshot(folder):
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def check_recovered(living, truth):
    found = living.recovered()
    for name in ("moved", "place", "region"):
        assert found[name].to_pylist() == truth[name].to_pylist()


@pytest.fixture(scope="module")
def living(spark, tmp_path_factory):
    folder = tmp_path_factory.mktemp("living")
    made = living_at(folder / "made")
    made.publish(frame_of(spark, folder / "in", living_answers(ROWS)))
    return made


class TestUnderTheSameKeys:
    """What was published is published again; anything else is not."""

    @pytest.mark.parametrize("engine", ["spark", "arrow"])
    def test_the_same_answers_make_the_same_reports(self, spark, living, tmp_path, engine):
        before, table = snapshot(living.folder), living_answers(ROWS)
        living.publish(frame_of(spark, tmp_path / "in", table, sizes=(123, 0)) if engine == "spark" else table)
        assert snapshot(living.folder) == before
        check_recovered(living, table)

    def test_one_edited_value_is_refused_and_nothing_changes(self, spark, living, tmp_path):
        table, before = living_answers(ROWS), snapshot(living.folder)
        answers = table["moved"].to_pylist()
        answers[4321] = other(answers[4321])
        edited = table.set_column(1, "moved", pa.array(answers))
        with pytest.raises(KeyReused):
            living.publish(frame_of(spark, tmp_path / "in", edited))
        assert snapshot(living.folder) == before

    def test_one_row_more_is_refused(self, spark, living, tmp_path):
        before = snapshot(living.folder)
        with pytest.raises(KeyReused):
            living.publish(frame_of(spark, tmp_path / "in", living_answers(ROWS + 1)))
        assert snapshot(living.folder) == before


def test_what_the_refusal_prevents(spark, tmp_path):
    """The attack: of two publications under the same draws, the difference of reports is that of the answers.

    Draws from a seed that anyone can repeat are the same for both, and simulations are not refused.
    """
    table = wide_answers(ROWS)
    rng = np.random.default_rng(9)
    moves = {"a": rng.integers(0, 900, ROWS), "b": rng.integers(0, 2, ROWS)}
    words, study = {"a": ANSWERS, "b": ("no", "yes")}, wide_study()
    codes = {name: codes_of(table, name, words[name]) for name in words}
    changed = {name: (codes[name] + moves[name]) % len(words[name]) for name in words}
    edited = pa.table({name: [words[name][code] for code in changed[name]] for name in words})
    for name, answers in (("first", table), ("second", edited)):
        published(study, frame_of(spark, tmp_path / f"in-{name}", answers), tmp_path / name)
    for reader in (None, "mid", "top"):
        first, second = (seen_by(reader, tmp_path / name) for name in ("first", "second"))
        for name, known in words.items():
            before, after = (codes_of(seen, name, known) for seen in (first, second))
            assert not np.array_equal(before, codes[name]), "reports are answers already"
            modulus = study.handler(name).ladder.modulus
            assert np.array_equal((after - before) % modulus, (changed[name] - codes[name]) % modulus)


def codes_of(table, name, words):
    """Answers as numbers; where there are many, reports are numbers already."""
    places = {word: place for place, word in enumerate(words)}
    return np.array([places.get(word, word) for word in table[name].to_pylist()], dtype=np.int64)


def seen_by(reader, folder):
    """What a reader sees; the public has no key."""
    if reader is None:
        return read_report_files(folder / "reports").table
    keys = [folder / "keys" / f"{reader}.{name}.key" for name in ("a", "b")]
    return open_reports(folder / "reports", keys, unlock=Unprotected()).table


@pytest.mark.parametrize("first", ["arrow", "spark"])
def test_people_are_added_by_either_engine(spark, tmp_path, first):
    living = living_at(tmp_path / "living")
    tables = [living_answers(ROWS), living_answers(6000, "q")]
    data = [frame_of(spark, tmp_path / f"in{number}", table) for number, table in enumerate(tables)]
    data[0 if first == "arrow" else 1] = tables[0 if first == "arrow" else 1]
    living.publish(data[0], id_column="person")
    living.publish(data[1], append=True, id_column="person")
    # The engine that takes ids sorts by them; here they are in order already.
    check_recovered(living, pa.concat_tables(tables))
    with pytest.raises(UnreadableFile, match="row 1 names somebody who is in the publication already"):
        living.publish(frame_of(spark, tmp_path / "twice", tables[0].slice(0, 5000)), append=True, id_column="person")
    assert len(living.read().note.parts) == 2


def test_rows_of_a_folder_of_files_are_erased_and_amended(spark, tmp_path):
    living, table = living_at(tmp_path / "living"), living_answers(ROWS)
    living.publish(frame_of(spark, tmp_path / "in", table))
    (part,) = living.part_files()
    assert part.is_dir()
    answers = table["moved"].to_pylist()
    living.amend({"row": [5, 4999], "moved": [other(answers[5]), other(answers[4999])]})
    living.erase(7, 5001, 8191)
    for row in (5, 4999):
        answers[row] = other(answers[row])
    kept = [row for row in range(ROWS) if row not in {7, 5001, 8191}]
    check_recovered(living, table.set_column(1, "moved", pa.array(answers)).take(kept))
    reports = living.read()
    assert len(reports) == ROWS - 3


def test_offices_that_use_different_engines_are_combined(spark, tmp_path):
    one, two = living_at(tmp_path / "one"), living_at(tmp_path / "two")
    tables = [living_answers(ROWS), living_answers(5000, "q")]
    one.publish(frame_of(spark, tmp_path / "in", tables[0]))
    two.publish(tables[1])
    combine([one.reports, two.reports], tmp_path / "both", assume_disjoint=True)
    found = recover_answers(tmp_path / "both", [one.keys, two.keys], unlock=Unprotected())
    by_part = {held: found.filter(pa.compute.equal(found["part"], held)) for held in found["part"].unique().to_pylist()}
    ids = [living.read().note.parts[0].id for living in (one, two)]
    for held, table in zip(ids, tables, strict=True):
        (mine,) = (rows for name, rows in by_part.items() if held.startswith(str(name)))
        assert mine["place"].to_pylist() == table["place"].to_pylist()
