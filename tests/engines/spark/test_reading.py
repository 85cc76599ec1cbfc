"""What Spark opens, recovers and counts is what one machine does, over parts of every kind, wherever their rows lie."""

import stat
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engines.spark.spark_studies import PLACES, plain_answers, plain_study, published, wide_answers, wide_study
from living_publications import Living, living_answers, living_study, other
from sfumato.errors import InvalidParameter, KeyRefused, UnreadableFile
from sfumato.keys import Unprotected
from sfumato.publications.reports import read_report_files
from sfumato.study import Count, FreeText, Study
from sfumato.workflows import audit_samples
from sfumato.workflows.key_files import split_key_file
from sfumato.workflows.reading import estimate_reports, open_reports, read_reports, recover_answers, write_reports

ROWS = 20_000


def in_order(frame):
    return frame.orderBy(*(["part"] if "part" in frame.columns else []), "row").toArrow()


def column(table, name):
    """The cells of a column, however it is coded."""
    found = table.column(name)
    return found.cast(found.type.value_type).to_pylist() if pa.types.is_dictionary(found.type) else found.to_pylist()


def check_same_rows(found, expected):
    """The same rows in any order; parts come by their ids, which are random."""
    keys = [(name, "ascending") for name in ("part", "row") if name in expected.column_names]
    assert set(found.column_names) == set(expected.column_names)
    found, expected = (
        pa.table({name: column(table, name) for name in expected.column_names}).sort_by(keys)
        for table in (found, expected)
    )
    assert found.equals(expected)


@pytest.mark.parametrize("rows", [20_000, *(pytest.param(n, marks=pytest.mark.slow) for n in (1_000_000, 10_000_000))])
def test_levels_answers_and_counts_over_many_partitions_are_those_of_one_machine(spark, tmp_path, rows):
    table = wide_answers(rows)
    published(wide_study(), table, tmp_path)
    (part,) = (tmp_path / "reports").glob("*.parquet")
    frame = spark.read.parquet(str(part))
    for holder in ("mid", "top"):
        keys = sorted((tmp_path / "keys").glob(f"{holder}.*.key"))
        opened, expected = (open_reports(reports, keys, unlock=Unprotected()) for reports in (frame, part))
        found = in_order(opened.frame)
        check_same_rows(found, expected.table)
        assert estimate_reports(opened) == estimate_reports(expected)
    scattered = read_reports(frame.repartition(min(200, rows // 5000)))
    for name in ("a", "b"):
        assert list(scattered.tallies(name)) == list(read_report_files(part).tallies(name))
    answers = in_order(recover_answers(frame, tmp_path / "keys", unlock=Unprotected()))
    assert answers.select(["a", "b"]).equals(table.cast(answers.select(["a", "b"]).schema))


@pytest.fixture(scope="module")
def life(tmp_path_factory):
    """A publication with corrections, people who left, and people who came."""
    living = Living(tmp_path_factory.mktemp("life") / "office", guarantee="computational")
    living.publish(living_answers(ROWS))
    old = living_answers(ROWS)["moved"].to_pylist()
    rows = list(range(0, ROWS, 97))
    living.amend({"row": rows, "moved": [other(old[row]) for row in rows]})
    again = rows[::3]
    living.amend({"row": again, "moved": [old[row] for row in again], "place": ["east"] * len(again)})
    living.erase(5, 4095, 4096, 19_999)
    living.publish(living_answers(5000, "q"), append=True)
    return living


class TestALife:
    def test_recovered(self, spark, life):
        found = recover_answers(life.reports, life.keys, unlock=Unprotected(), engine="spark")
        check_same_rows(in_order(found), life.recovered())

    def test_opened(self, spark, life):
        found = open_reports(life.reports, life.keys, unlock=Unprotected(), engine="spark")
        expected = open_reports(life.reports, life.keys, unlock=Unprotected())
        check_same_rows(in_order(found.frame), expected.table)
        for group in (None, "region"):
            assert estimate_reports(found, group=group) == estimate_reports(expected, group=group)

    def test_public(self, spark, life):
        for group in (None, "region"):
            found = estimate_reports(life.reports, engine="spark", group=group)
            assert found == estimate_reports(life.reports, group=group)
        reports = read_reports(life.reports, engine="spark")
        assert len(reports) == len(life.read()) == ROWS + 5000 - 4
        assert reports.remarks == life.read().remarks

    def test_written(self, spark, life, tmp_path):
        opened = open_reports(life.reports, life.keys, unlock=Unprotected(), engine="spark")
        write_reports(opened, tmp_path / "opened")
        expected = open_reports(life.reports, life.keys, unlock=Unprotected())
        found = read_report_files(tmp_path / "opened")
        check_same_rows(found.table, expected.table)
        assert estimate_reports(found) == estimate_reports(expected)
        assert estimate_reports(tmp_path / "opened", engine="spark") == estimate_reports(expected)
        for path in (tmp_path / "opened").iterdir():
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE((tmp_path / "opened").stat().st_mode) == 0o700
        assert sorted(path.name for path in tmp_path.iterdir()) == ["opened", "opened.about.json", "opened.codebook.md"]

    def test_answers_written(self, spark, life, tmp_path):
        rows = recover_answers(life.reports, life.keys, unlock=Unprotected(), engine="spark", out=tmp_path / "answers")
        assert rows == ROWS + 5000 - 4
        files = sorted((tmp_path / "answers").iterdir())
        assert [stat.S_IMODE(path.stat().st_mode) for path in files] == [0o600] * len(files)
        found = pa.concat_tables([pq.read_table(path) for path in files], promote_options="permissive")
        check_same_rows(found, life.recovered())
        with pytest.raises(InvalidParameter, match="new folder"):
            recover_answers(life.reports, life.keys, unlock=Unprotected(), engine="spark", out=tmp_path / "answers")


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    folder = tmp_path_factory.mktemp("plain")
    published(plain_study(), plain_answers(ROWS), folder, keep=("region",))
    return folder


@pytest.fixture
def part(plain):
    (found,) = (plain / "reports").glob("*.parquet")
    return found


class TestTablesOfReports:
    def test_rows_that_were_selected_are_counted_and_said_to_be_unchecked(self, spark, part):
        frame = spark.read.parquet(str(part)).where("region = 'hill' and row % 3 = 1")
        found = read_reports(frame)
        whole = read_report_files(part).table
        rows, cells, regions = (column(whole, name) for name in ("row", "place", "region"))
        kept = [cells[row] for row in rows if regions[row] == "hill" and row % 3 == 1]
        words = "rows, selected by another tool: not checked against the digest of the reports."
        assert found.remarks == (f"{len(kept):,} of {ROWS:,} {words}",)
        ((_, tally),) = found.tallies("place")
        assert list(tally.counts) == [kept.count(place) for place in PLACES]
        assert len(found) == len(kept)

    def test_selected_rows_open_as_in_the_whole(self, spark, plain, part):
        keys = sorted((plain / "keys").glob("press.*.key"))
        frame = spark.read.parquet(str(part)).where("row % 1000 = 7")
        found = in_order(open_reports(frame, keys, unlock=Unprotected()).frame)
        expected = open_reports(part, keys, unlock=Unprotected()).table.take(list(range(7, ROWS, 1000)))
        check_same_rows(found, expected)

    def test_a_column_that_was_left_out_is_not_asked_about(self, spark, part):
        found = estimate_reports(spark.read.parquet(str(part)).select("row", "place"))
        assert {one.question.id for one in found} == {"place"}

    @pytest.mark.parametrize("change", ["cell", "row", "twice", "order"])
    def test_reports_that_were_changed_are_refused(self, spark, part, tmp_path, change):
        table = pq.read_table(part)
        cells = column(table, "place")
        if change == "cell":
            cells[12_345] = PLACES[(PLACES.index(cells[12_345]) + 1) % 4]
        elif change == "order":
            first, second = (cells.index(place) for place in PLACES[:2])
            cells[first], cells[second] = cells[second], cells[first]
        rows = np.arange(ROWS)
        if change == "row":
            rows[100] = 101
        table = table.set_column(table.column_names.index("place"), "place", pa.array(cells))
        table = table.set_column(0, "row", pa.array(rows))
        if change == "twice":
            table = pa.concat_tables([table, table.slice(ROWS - 1)])
        pq.write_table(table, tmp_path / "changed.parquet")
        (tmp_path / "changed.parquet.about.json").write_text(part.with_name(f"{part.name}.about.json").read_text())
        frame = spark.read.parquet(str(tmp_path / "changed.parquet"))
        with pytest.raises(UnreadableFile, match=r"not the column that its note speaks of|rows, and its note speaks"):
            estimate_reports(frame)

    def test_keys_that_executors_are_not_sent(self, spark, plain, part, tmp_path):
        frame = spark.read.parquet(str(part))
        split_key_file(
            plain / "keys" / "press.place.key",
            [8192],
            tmp_path / "split",
            protection=Unprotected(),
            unlock=Unprotected(),
        )
        with pytest.raises(KeyRefused, match="one machine"):
            open_reports(frame, next((tmp_path / "split").glob("*.key")), unlock=Unprotected())
        true = tmp_path / "true"
        published(plain_study(), plain_answers(5000), true, guarantee="information-theoretic", insecure_seed=8)
        (drawn,) = (true / "reports").glob("*.parquet")
        with pytest.raises(KeyRefused, match="true draws"):
            open_reports(spark.read.parquet(str(drawn)), true / "keys" / "press.place.key", unlock=Unprotected())
        with pytest.raises(KeyRefused, match="other reports than these"):
            open_reports(frame, true / "keys" / "press.place.key", unlock=Unprotected())

    @pytest.mark.parametrize(
        ("make", "words"),
        [
            (lambda frame: frame.drop("row"), "no column 'row'"),
            (lambda frame: frame.select("row", "region"), "no column of reports"),
            (lambda frame: frame.sparkSession.createDataFrame(frame.limit(2).collect()), "where its note is"),
        ],
    )
    def test_tables_that_are_no_reports(self, spark, part, make, words):
        with pytest.raises(InvalidParameter, match=words):
            estimate_reports(make(spark.read.parquet(str(part))))

    @pytest.mark.parametrize(("group", "words"), [("place", "is a question"), ("nothing", "no kept column")])
    def test_groups_that_are_none(self, spark, part, group, words):
        with pytest.raises(InvalidParameter, match=words):
            estimate_reports(spark.read.parquet(str(part)), questions=["moved"], group=group)

    def test_a_registrars_key_opens_no_level_and_an_analysts_recovers_nothing(self, spark, plain, part):
        frame = spark.read.parquet(str(part))
        with pytest.raises(KeyRefused, match="recovers answers"):
            open_reports(frame, plain / "keys" / "registrar.place.key", unlock=Unprotected())
        with pytest.raises(KeyRefused, match="recovers nothing"):
            recover_answers(frame, plain / "keys" / "press.place.key", unlock=Unprotected())

    def test_another_engine_is_not_known(self, part):
        with pytest.raises(InvalidParameter, match="engine='dask' is not known"):
            estimate_reports(part, engine="dask")


def test_numbers_and_texts_are_counted_in_spark(spark, tmp_path):
    """A scale has numbers for reports; free text is read from all rounds together, and from all rows or none."""
    study = Study(
        name="Kinds",
        questions=(
            Count(id="rooms", text="How many rooms?", highest=4, points=5),
            FreeText(id="word", text="Which word?", longest=2, keep=3, epsilon=Fraction(3)),
        ),
        public_epsilon=Fraction(3),
    )
    draw = np.random.default_rng(4)
    table = pa.table(
        {"rooms": draw.integers(0, 5, ROWS), "word": draw.choice(["ab", "cd", "ef"], ROWS, p=[0.6, 0.3, 0.1])}
    )
    published(study, table, tmp_path)
    (part,) = (tmp_path / "reports").glob("*.parquet")
    frame = spark.read.parquet(str(part))
    found = estimate_reports(frame)
    assert found == estimate_reports(part)
    assert {"ab", "cd"} <= set(found[1].labels)
    with pytest.raises(InvalidParameter, match="read from all its reports together"):
        estimate_reports(frame.where("row > 5"), questions=["word"])


class TestAudits:
    def test_draws_in_spark_are_audited_as_in_a_file(self, spark, tmp_path):
        draw = np.random.default_rng(1)
        asked = draw.integers(0, 2, 50_000)
        told = np.where(draw.random(50_000) < 0.75, asked, 1 - asked)
        table = pa.table({"input": pa.array(asked).cast(pa.string()), "output": pa.array(told).cast(pa.string())})
        pq.write_table(table, tmp_path / "draws.parquet")
        found = audit_samples(spark.read.parquet(str(tmp_path / "draws.parquet")).repartition(7), epsilon=0.5)
        assert found == audit_samples(tmp_path / "draws.parquet", epsilon=0.5)
        assert found.contradicts_claim
        counted = spark.read.parquet(str(tmp_path / "draws.parquet")).groupBy("input", "output").count()
        assert audit_samples(counted, count="count", epsilon=2.0) == audit_samples(
            tmp_path / "draws.parquet", epsilon=2.0, engine="spark"
        )

    @pytest.mark.parametrize(
        ("cells", "words"),
        [
            ({"input": ["a", None], "output": ["x", "y"]}, "empty cell"),
            ({"input": ["a", "b"], "outcome": ["x", "y"]}, "no input and output"),
            ({"input": ["a", "b"], "output": [0.5, 1.0]}, "is of type"),
        ],
    )
    def test_draws_that_are_none(self, spark, cells, words):
        with pytest.raises(UnreadableFile, match=words):
            audit_samples(spark.createDataFrame(pa.table(cells).to_pandas()))


def test_what_is_erased_from_a_part_that_spark_wrote_is_gone(spark, tmp_path):
    living = Living(tmp_path / "office", study=living_study(), guarantee="computational", keep=("region",))
    pq.write_table(living_answers(9000), tmp_path / "answers.parquet")
    living.publish(spark.read.parquet(str(tmp_path / "answers.parquet")))
    before = living.recovered()
    living.erase(0, 4100)
    found = living.recovered()
    assert found.num_rows == 8998
    check_same_rows(found, before.filter(pa.array([row not in {0, 4100} for row in before["row"].to_pylist()])))
    check_same_rows(in_order(recover_answers(living.reports, living.keys, unlock=Unprotected(), engine="spark")), found)
    assert all(path.is_file() for path in living.reports.iterdir()), "the folder of the old part is gone"


def test_who_was_corrected_and_then_left_is_counted_by_nobody(spark, tmp_path):
    """Of the amendment nothing is left; the reports of all others are as they were."""
    living = Living(tmp_path / "office", guarantee="computational")
    living.publish(living_answers(5000))
    living.amend({"row": [5], "moved": [other(living_answers(5000)["moved"][5].as_py())]})
    living.erase(5)
    found = estimate_reports(living.reports, engine="spark")
    assert found == estimate_reports(living.reports)
    assert {one.total for one in found} == {4999}
    answers = recover_answers(living.reports, living.keys, unlock=Unprotected(), engine="spark")
    check_same_rows(in_order(answers), living.recovered())
