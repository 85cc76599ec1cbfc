"""Weights of reports: unbiased for every way and level, the `raw` shares of estimates, and one join away in SQL."""

from fractions import Fraction

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from kind_samples import SAMPLES, drawn, seen_at
from sfumato.errors import InvalidParameter, UnreadableFile
from sfumato.files.public_tables import write_table
from sfumato.files.tables import note_inside, words_of
from sfumato.inference import share_weights
from sfumato.inference.results import Reading
from sfumato.prob import Channel
from sfumato.study import FreeText, OneOfMany, Study
from sfumato.workflows import weighing as weights
from small_studies import answers, keys_at, small_study

# What is read from all reports together, or for a mean alone, has no weights.
WITHOUT = ("text", "one of many, few random bits", "several", "number, for its mean", "number, of two points")
ALONE = [sample for sample in SAMPLES if not sample.name.startswith(WITHOUT)]
each = pytest.mark.parametrize("sample", ALONE, ids=lambda sample: sample.name)
SHARES = """
    SELECT r.region, w.answer, sum(CAST(w.weight AS DOUBLE)) / count(*) AS share
    FROM reports r JOIN weights w ON w.question = '{name}' AND w.report = CAST(r."{name}" AS VARCHAR)
    GROUP BY r.region, w.answer
"""


def law_of(sample, level):
    """From what is estimated to reports, as floats."""
    way = sample.handler
    if sample.name == "recoverable":
        return way.design.noise.array
    channel = way.channel(level)
    return channel.array if isinstance(channel, Channel) else channel.to_dense().array


@each
def test_the_expected_weight_of_a_report_is_its_answer(sample):
    """Σ_y P(y|x)·w(y, a) is 1 for a = x and 0 else: sums are unbiased whatever people answer."""
    for level in range(1, len(sample.handler.epsilons) + 1):
        found = law_of(sample, level) @ sample.handler.weights(level)
        assert found == pytest.approx(np.eye(len(found)), abs=1e-9)


@each
def test_sums_are_the_raw_shares_of_the_estimate(sample):
    made, way = drawn(sample.name), sample.handler
    for level in range(1, len(way.epsilons) + 1):
        reports = seen_at(sample, made, level)
        for some in (reports, reports[:300], reports[:3]):
            found = way.estimate(way.tally(some, level), Reading(level=level))
            summed = dict(zip(sample.question.labels, way.weights(level)[some].mean(axis=0), strict=True))
            assert [summed[label] for label in found.labels] == pytest.approx(found.raw, abs=1e-10)


@pytest.mark.parametrize("counts", [(50, 0), (0, 50), (40, 10), (1, 0)])
def test_a_raw_share_of_two_answers_is_not_cut_off(counts):
    """It was the likeliest share within [0, 1], which is biased: the mean of many small groups leant inwards."""
    sample = next(one for one in SAMPLES if one.name == "yes-no")
    way = sample.handler
    level = len(way.epsilons)
    found = way.estimate(way.tally(np.repeat([0, 1], counts), level), Reading(level=level))
    own, other = (float(p) for p in way.channel(level).rows[0])
    assert found.raw[1] == pytest.approx((counts[1] / sum(counts) - other) / (own - other), abs=1e-12)
    assert sum(found.raw) == pytest.approx(1)
    assert 0 <= found.shares[1] <= 1
    assert found.shares[1] == pytest.approx(min(1.0, max(0.0, found.raw[1])), abs=1e-9)


def test_the_raw_mean_of_two_values_is_unbiased_too():
    sample = next(one for one in SAMPLES if one.name == "count, for its mean")
    level = len(sample.handler.epsilons)
    found = sample.handler.estimate(sample.handler.tally(np.zeros(20, dtype=np.int64), level), Reading(level=level))
    low, high = sample.question.values
    assert found.mean.raw == pytest.approx(low + (high - low) * found.raw[1])
    assert found.mean.raw < low <= found.mean.value


def variance(channel, towards, share):
    law = (1 - share) * channel.array[0] + share * channel.array[1]
    return float(law @ towards**2 - (law @ towards) ** 2)


def test_no_linear_share_is_sharper_at_one_half():
    """Any other unbiased weights differ by what both laws are blind to; whatever is added of it adds variance."""
    channel = sf.surveys.survey(guess_error=Fraction(3, 8)).channel
    towards = share_weights(channel)[:, 1]
    blind = np.linalg.svd(channel.array)[2][-1]
    assert channel.array @ blind == pytest.approx([0, 0], abs=1e-12)
    least = variance(channel, towards, 0.5)
    for step in (-0.1, 0.01, 0.1):
        assert channel.array @ (towards + step * blind) == pytest.approx([0, 1], abs=1e-12)
        assert variance(channel, towards + step * blind, 0.5) > least


def test_a_report_that_never_happens_weighs_nothing_much():
    found = share_weights(Channel([[Fraction(3, 4), Fraction(1, 4), 0], [Fraction(1, 4), Fraction(3, 4), 0]]))
    assert found == pytest.approx(np.array([[1.5, -0.5], [-0.5, 1.5], [0.5, 0.5]]))


# Files.


def published(folder, kind="parquet"):
    made = sf.publish(small_study(), answers(), keep=["region"], insecure_seed=3)
    made.reports.write(folder / f"public.{kind}")
    sf.open_reports(made.reports, keys_at(made, 1)).write(folder / f"opened.{kind}")
    return made


@pytest.mark.parametrize("kind", ["parquet", "csv"])
@pytest.mark.parametrize("name", ["public", "opened"])
def test_group_by_in_sql_is_the_estimate(tmp_path, kind, name):
    published(tmp_path, kind)
    path = tmp_path / f"{name}.{kind}"
    table = sf.workflows.report_weights(path, out=tmp_path / f"w.{kind}")
    assert table.column_names == ["question", "report", "answer", "weight"]
    base = duckdb.connect()
    for view, file in (("reports", path), ("weights", tmp_path / f"w.{kind}")):
        # Left to itself, DuckDB takes a column of yes and no for true and false, which match nothing.
        read = base.read_csv(str(file), all_varchar=True) if kind == "csv" else base.read_parquet(str(file))
        read.create_view(view)
    asked = [question.id for question in small_study().questions]
    expected = sf.estimate_reports(path, group="region")
    for question in asked:
        found = {
            (region, answer): share for region, answer, share in base.execute(SHARES.format(name=question)).fetchall()
        }
        groups = [one for one in expected if one.question.id == question and one.group is not None]
        assert {(one.group, label) for one in groups for label in one.labels} == set(found)
        for one in groups:
            assert [found[one.group, label] for label in one.labels] == pytest.approx(one.raw, abs=1e-9)
    base.close()


@each
def test_every_report_of_a_file_is_in_the_table_once_for_each_answer(tmp_path, sample):
    made = sf.publish(sample.study, sample.table.slice(0, 500), insecure_seed=5)
    for kind in ("csv", "parquet"):
        made.reports.write(tmp_path / f"r.{kind}")
        table = sf.workflows.report_weights(tmp_path / f"r.{kind}")
        reports, labels = set(table.column("report").to_pylist()), sample.question.labels
        # As text: of "1" and "0.5" a reader that guesses would make 1.0.
        as_text = pa.csv.ConvertOptions(column_types={"q": pa.string()})
        path = tmp_path / f"r.{kind}"
        written = pa.csv.read_csv(path, convert_options=as_text) if kind == "csv" else pa.parquet.read_table(path)
        assert set(map(str, written.column("q").to_pylist())) <= reports
        assert table.num_rows == len(reports) * len(labels)
        assert (
            len({(r["report"], r["answer"]) for r in table.select(["report", "answer"]).to_pylist()}) == table.num_rows
        )


def test_weights_need_the_note_alone(tmp_path):
    """A damaged column is no obstacle; a file without a note is."""
    made = published(tmp_path)
    text = note_inside(tmp_path / "public.parquet")
    assert text == made.reports.note.to_text()
    assert sf.workflows.report_weights(tmp_path / "public.parquet").equals(sf.workflows.report_weights(made.reports))
    write_table(answers(), tmp_path / "plain.parquet")
    with pytest.raises(UnreadableFile, match="does not say which study"):
        sf.workflows.report_weights(tmp_path / "plain.parquet")
    write_table(answers(), tmp_path / "plain.csv")
    with pytest.raises(UnreadableFile, match="does not say which study"):
        sf.workflows.report_weights(tmp_path / "plain.csv")
    with pytest.raises(UnreadableFile, match="does not exist"):
        sf.workflows.report_weights(tmp_path / "nothing.csv")


def test_questions_are_named(tmp_path):
    made = published(tmp_path)
    found = sf.workflows.report_weights(made.reports, questions=["place", "place"])
    assert set(found.column("question").to_pylist()) == {"place"}
    assert found.num_rows == sf.workflows.report_weights(made.reports, questions=["place"]).num_rows
    with pytest.raises(InvalidParameter, match="is not among these reports"):
        sf.workflows.report_weights(made.reports, questions=["nobody"])
    with pytest.raises(InvalidParameter, match="is JSON"):
        sf.workflows.report_weights(made.reports, out=tmp_path / "w.json")


@pytest.mark.parametrize(
    ("question", "words"),
    [
        (FreeText(id="q", text="Q?", longest=2, keep=2, epsilon=Fraction(3)), "read from all its reports together"),
        (OneOfMany(id="q", text="Q?", answers=("x", "y", "z"), random_bits=Fraction(3)), "read from all its reports"),
    ],
)
def test_reports_that_mean_nothing_alone_have_no_weights(question, words):
    made = sf.publish(
        Study(name="S", questions=(question,), public_epsilon=Fraction(1)), {"q": ["x"] * 50}, insecure_seed=1
    )
    with pytest.raises(InvalidParameter, match=words):
        sf.workflows.report_weights(made.reports)


def test_answers_have_no_weights():
    sample = next(one for one in SAMPLES if one.name == "yes-no")
    with pytest.raises(InvalidParameter, match="holds answers, not reports"):
        sample.handler.weights(0)


def test_a_table_that_would_be_too_large_is_refused_before_it_is_made(tmp_path, monkeypatch):
    made = published(tmp_path)
    monkeypatch.setattr(weights, "MOST_WEIGHTS", 30)
    with pytest.raises(InvalidParameter, match=r"question 'place' has 25 weights.*at most 30.*estimate"):
        sf.workflows.report_weights(made.reports)
    assert sf.workflows.report_weights(made.reports, questions=["place"]).num_rows == 25


def test_nine_hundred_answers(tmp_path):
    """816 thousand weights of two values: a file of a few kilobytes, made in a second."""
    labels = tuple(f"place {i}" for i in range(900))
    study = Study(name="S", questions=(OneOfMany(id="q", text="Q?", answers=labels),), public_epsilon=Fraction(1))
    made = sf.publish(study, {"q": [labels[i % 900] for i in range(5000)]}, insecure_seed=1)
    table = sf.workflows.report_weights(made.reports, out=tmp_path / "w.parquet")
    reports = made.reports.note.handler("q").report_count
    assert table.num_rows == 900 * reports
    assert (tmp_path / "w.parquet").stat().st_size < 1_000_000
    words = words_of(made.reports.to_arrow(), "q")
    counts = np.zeros(reports)
    order = {text: i for i, text in enumerate(weights.report_texts(made.reports.note.handler("q")))}
    np.add.at(counts, [order[words.texts[code]] for code in words.codes], 1)
    shares = counts @ table.column("weight").to_numpy().reshape(reports, 900) / counts.sum()
    (estimate,) = sf.estimate_reports(made.reports)
    assert shares == pytest.approx(estimate.raw, abs=1e-9)
