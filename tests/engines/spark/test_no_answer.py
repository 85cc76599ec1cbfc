"""Empty cells on a cluster: the same part as on one machine, hidden or public; the same levels, answers, counts."""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from engines.spark.spark_studies import ODD_SIZES, check_equal_to_arrow, published, written
from engines.spark.test_reading import check_same_rows
from sfumato.errors import UnreadableFile
from sfumato.study import Analyst, AskIf, Card, Count, FreeText, OneOfMany, Study, YesNo
from sfumato.workflows.combining import combine
from sfumato.workflows.reading import estimate_reports, open_reports, read_reports, recover_answers

ROWS = 30_000


def study_of(*more):
    return Study(
        name="Gaps",
        questions=(
            YesNo(id="smokes", text="Smoke?", missing="hidden", missing_codes=("NA",)),
            Count(
                id="many",
                text="How many?",
                highest=10,
                points=6,
                missing="hidden",
                ask_if=AskIf(question="smokes", answers=("yes",)),
            ),
            OneOfMany(id="place", text="Where?", answers=tuple("abcdefg"), missing="public"),
            YesNo(id="tax", text="Tax?", ask_if=AskIf(column="country", answers=("FR",))),
            *more,
        ),
        analysts=(Analyst(name="press", epsilon=Fraction(2)),),
        public_epsilon=Fraction(1),
        recover=True,
    )


CARD = Card(id="debt", text="Debt?", guess_error=Fraction(3, 8), missing="public")
TEXTS = (
    FreeText(id="shown", text="Word?", longest=1, keep=3, epsilon=Fraction(4), missing="public"),
    FreeText(id="hidden", text="Word?", longest=2, keep=3, epsilon=Fraction(4), missing="hidden"),
)


def answers(rows=ROWS):
    rng = np.random.default_rng(9)
    smokes = rng.choice(["yes", "no", "NA", "", None], rows, p=[0.4, 0.3, 0.1, 0.1, 0.1])
    country = rng.choice(["FR", "DE"], rows)
    return pa.table(
        {
            "smokes": smokes,
            "many": pa.array([int(rng.integers(0, 11)) if text == "yes" else None for text in smokes]),
            # A whole block is empty, and then some.
            "place": [None if 4000 < i < 9000 or i % 3 == 0 else "abg"[i % 3] for i in range(rows)],
            "country": country,
            "tax": ["yes" if text == "FR" else None for text in country],
            "debt": rng.choice(["yes", "no", None], rows),
            "shown": rng.choice(["a", "b", None], rows),
            "hidden": rng.choice(["ab", "c", None], rows),
        }
    )


@pytest.fixture(scope="module")
def both(spark, tmp_path_factory):
    """The same files, published by both engines; the digests, rows and keys are equal."""
    folder = tmp_path_factory.mktemp("gaps")
    files = written(folder / "in", answers(), ODD_SIZES)
    check_equal_to_arrow(study_of(), spark.read.parquet(str(files)), files, folder, keep=("country",))
    return folder


def test_digests_rows_and_keys_are_equal_and_gaps_are_there(both):
    reports = read_reports(both / "spark" / "reports")
    table = reports.to_arrow()
    held = answers()
    assert table.column("smokes").null_count == table.column("many").null_count == 0
    for name in ("place", "tax"):
        assert [not cell.is_valid for cell in table.column(name)] == [not cell.is_valid for cell in held.column(name)]


def test_levels_answers_and_counts_are_those_of_one_machine(spark, both):
    place = both / "spark"
    (part,) = [path for path in (place / "reports").iterdir() if path.is_dir() or path.suffix == ".parquet"]
    frame = spark.read.parquet(str(part))
    note = next((place / "reports").glob("*.about.json"))
    keys = sorted((place / "keys").glob("press.*.key"))
    local, far = open_reports(place / "reports", keys), open_reports(frame, keys, note=note)
    check_same_rows(far.frame.toArrow(), local.to_arrow())
    for one, other in zip(estimate_reports(far), estimate_reports(local), strict=True):
        assert (one.raw, one.total) == (other.raw, other.total)
    registrar = sorted((place / "keys").glob("registrar.*.key"))
    found = recover_answers(frame, registrar, note=note).toArrow()
    check_same_rows(found, recover_answers(place / "reports", registrar))
    public = estimate_reports(read_reports(frame, note=note), group="country", questions=["place", "tax"])
    expected = estimate_reports(place / "reports", group="country", questions=["place"])
    assert [one.total for one in public if one.question.id == "place"] == [one.total for one in expected]


def test_parts_of_both_engines_are_combined(both, spark, tmp_path):
    files = written(tmp_path / "in", answers(5000))
    published(study_of(), spark.read.parquet(str(files)), tmp_path / "more", keep=("country",), insecure_seed=11)
    combine([both / "arrow" / "reports", tmp_path / "more" / "reports"], tmp_path / "all", assume_disjoint=True)
    whole, first, second = (
        {one.question.id: one.total for one in estimate_reports(place)}
        for place in (tmp_path / "all", both / "arrow" / "reports", tmp_path / "more" / "reports")
    )
    assert whole == {name: first[name] + second[name] for name in whole}


@pytest.mark.parametrize("more", [(CARD,), pytest.param((CARD, *TEXTS), marks=pytest.mark.slow)], ids=["card", "texts"])
def test_cards_and_texts_with_gaps_are_drawn_by_the_names_of_rows(spark, tmp_path, more):
    """They have no keys, so that a cluster draws them under a secret: so that a task that runs again repeats them."""
    study = study_of(*more)
    files = written(tmp_path / "in", answers(12_000), (4096, 5000, 0))
    made = [
        published(study, spark.read.parquet(str(files)).repartition(parts), tmp_path / str(parts), keep=("country",))
        for parts in (1, 7)
    ]
    one, other = (publication.reports.note.parts[0].roots for publication in made)
    assert dict(one) == dict(other)
    found = {one.question.id: one for one in estimate_reports(tmp_path / "7" / "reports")}
    held = answers(12_000)
    assert found["debt"].total == 12_000 - held.column("debt").null_count
    if "shown" not in found:
        return
    assert found["shown"].total == 12_000 - held.column("shown").null_count
    assert found["hidden"].total == 12_000
    assert set(found["shown"].labels) == {"a", "b"}
    assert set(found["hidden"].labels) == {"ab", "c"}


def test_a_refusal_names_the_row_and_the_prices(spark, tmp_path):
    study = Study(name="Bad", questions=(YesNo(id="smokes", text="Smoke?"),), public_epsilon=Fraction(1))
    files = written(tmp_path / "in", pa.table({"smokes": ["yes"] * 7000 + [None] + ["no"] * 3000}), (5000, 0))
    with pytest.raises(UnreadableFile, match="column smokes, row 2001 is empty") as refused:
        published(study, spark.read.parquet(str(files)), tmp_path / "out")
    assert 'missing = "public"' in str(refused.value)
