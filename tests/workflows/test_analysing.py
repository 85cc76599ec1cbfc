"""Models, joint tables, comparisons and weighted shares from published reports, typed-in ones and old devices."""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from analysed import ANSWERS, KEPT, people, published, study
from sfumato.errors import InvalidParameter
from sfumato.inference import SamplingPlan, hajek_mean
from sfumato.inference.regression import DesignMatrix, RandomisedColumn, fit_outcome
from sfumato.inference.shares import share_weights
from sfumato.keys import Unprotected
from sfumato.publications.reports import read_people
from sfumato.workflows.fitting import fits_by_group


def reported(name):
    """The reports of a question as a plain reader takes them from the table."""
    labels = published().note.handler(name).report_labels
    return np.array([labels.index(text) for text in published().table.column(name).to_pylist()])


def test_a_formula_gives_what_matrices_give():
    found = sf.fit(published(), "affair ~ age")
    column = RandomisedColumn.of(published().channel("affair"), reported("affair"), name="affair")
    wanted = fit_outcome("logistic", column, DesignMatrix.of({"age": people()["age"]}))
    assert found.estimates == pytest.approx(wanted.estimates, rel=1e-9)
    assert found.covariance == pytest.approx(wanted.covariance, rel=1e-9)
    assert found.formula == "affair ~ age"
    assert found["age"].interval.lower < 0.04 < found["age"].interval.upper


@pytest.mark.parametrize(
    ("formula", "model"),
    [
        ("affair ~ age + C(region)", "logistic"),
        ("often ~ age", "ordered"),
        ("place ~ age", "multinomial"),
        ("rooms ~ age", "linear"),
        ("score ~ affair + age", "linear"),
        ("affair ~ place", "logistic"),
        ("affair ~ 1", "logistic"),
    ],
)
def test_each_kind_has_its_usual_model(formula, model):
    found = sf.fit(published(), formula)
    assert found.model == model
    assert all(np.isfinite(one.standard_error) and one.standard_error > 0 for one in found.coefficients)


def test_a_randomised_predictor_is_found():
    found = sf.fit(published(), "score ~ affair + age")
    assert found["affair[T.yes]"].interval.lower < 3 < found["affair[T.yes]"].interval.upper
    assert found["age"].interval.lower < 0.5 < found["age"].interval.upper
    naive = np.polyfit(reported("affair"), np.array(people()["score"]) - 0.5 * np.array(people()["age"]), 1)[0]
    assert naive < found["affair[T.yes]"].interval.lower, "taking reports for answers is the control that fails"


def test_linear_errors_know_that_noise_depends_on_the_answer():
    assert sf.fit(published(), "rooms ~ age").errors == "sandwich"
    assert sf.fit(published(), "rooms ~ age", errors="observed").errors == "classical"


def test_several_reports_are_other_people():
    """Two waves with different levels: as sure as the two together, and between the two."""
    other = sf.publish(study(Fraction(4)), people(seed=2), keep=KEPT, insecure_seed=3).reports
    first, second = (sf.fit(one, "affair ~ age")["age"] for one in (published(), other))
    both = sf.fit([published(), other], "affair ~ age")["age"]
    assert both.standard_error < min(first.standard_error, second.standard_error)
    wanted = (first.standard_error**-2 + second.standard_error**-2) ** -0.5
    assert both.standard_error == pytest.approx(wanted, rel=0.02)
    weighed = (first.estimate / first.standard_error**2 + second.estimate / second.standard_error**2) * wanted**2
    assert both.estimate == pytest.approx(weighed, abs=0.1 * wanted)


def test_the_sharper_view_is_used_alone():
    """A key shows the same reports more sharply: surer than the public view, and no surer with it."""
    asked = study(public_epsilon=Fraction(1), analysts=(sf.Analyst(name="ministry", epsilon=Fraction(3)),))
    made = sf.publish(asked, people(), keep=KEPT, insecure_seed=5)
    public = sf.fit(made.reports, "affair ~ age")["age"]
    sharper = sf.fit(sf.open_reports(made.reports, made.keys["affair"][1]), "affair ~ age")["age"]
    assert sharper.standard_error < 0.6 * public.standard_error


def test_weights_strata_and_clusters_are_columns_or_entries():
    by_name = sf.fit(published(), "affair ~ age", weights="weight", strata="region", clusters="village", nested=True)
    given = {name: people()[name] for name in ("weight", "region", "village")}
    by_entry = sf.fit(
        published(), "affair ~ age", weights=given["weight"], strata=given["region"], clusters=given["village"],
        nested=True,
    )  # fmt: skip
    assert by_name.covariance == pytest.approx(by_entry.covariance, rel=1e-12)
    assert by_name.errors == "sampling plan"
    plain = sf.fit(published(), "affair ~ age")
    assert by_name.estimates != pytest.approx(plain.estimates, rel=1e-6)


def test_equal_weights_change_the_errors_a_little_and_the_estimates_not():
    plain = sf.fit(published(), "affair ~ age", errors="sandwich")
    weighted = sf.fit(published(), "affair ~ age", weights=np.full(3000, 2.5))
    assert weighted.estimates == pytest.approx(plain.estimates, rel=1e-6)
    assert np.sqrt(np.diag(weighted.covariance)) == pytest.approx(np.sqrt(np.diag(plain.covariance)), rel=1e-3)


def test_a_population_shrinks_no_randomisation():
    """All of a population was asked, and reports are still random: errors do not vanish."""
    whole = sf.fit(published(), "affair ~ age", population=3000)
    plain = sf.fit(published(), "affair ~ age", errors="sandwich")
    assert whole["age"].standard_error == pytest.approx(plain["age"].standard_error, rel=0.01)


def test_weighted_shares_are_hajeks_of_unbiased_scores():
    found = sf.workflows.weighted_shares(published(), "affair", weights="weight", strata="region")
    scores = share_weights(published().channel("affair"))[reported("affair"), 1]
    plan = SamplingPlan.of(people()["weight"], strata=people()["region"])
    wanted = hajek_mean(scores, plan)
    assert found.estimates[1].raw == pytest.approx(float(wanted.point[0]), rel=1e-9)
    assert found.estimates[1].standard_error == pytest.approx(float(wanted.standard_errors[0]), rel=1e-9)
    assert found.estimates[0].value + found.estimates[1].value == pytest.approx(1)
    assert found.estimates[0].interval.upper + found.estimates[1].interval.lower == pytest.approx(1)


def test_margins_are_met_and_move_the_share():
    totals = {"hill": 9000.0, "coast": 500.0, "plain": 500.0}
    found = sf.workflows.weighted_shares(published(), "affair", margins={"region": totals})
    only = np.array(people()["region"])
    scores = share_weights(published().channel("affair"))[reported("affair"), 1]
    wanted = sum(size * scores[only == name].mean() for name, size in totals.items()) / 10_000
    assert found.estimates[1].raw == pytest.approx(wanted, rel=1e-9)


def test_means_of_numbers_are_weighted_too():
    found = sf.workflows.weighted_shares(published(), "rooms", weights="weight")
    assert found.mean is not None
    assert found.mean.interval.lower < np.mean(people()["rooms"]) < found.mean.interval.upper
    assert {row["quantity"] for row in found.to_rows()} == {"share", "mean"}


def test_groups_are_fitted_one_by_one():
    whole, *parts = fits_by_group(published(), "affair ~ age", "region")
    assert whole.group is None
    assert [part.group for part in parts] == ["coast", "hill", "plain"]
    assert sum(part.reports for part in parts) == whole.reports == 3000
    assert whole["age"].estimate == sf.fit(published(), "affair ~ age")["age"].estimate


def test_a_crosstab_of_what_goes_together():
    found = sf.crosstab(published(), "affair", "often")
    truth = np.zeros((2, 3))
    for affair, often in zip(people()["affair"], people()["often"], strict=True):
        truth[("no", "yes").index(affair), ANSWERS.index(often)] += 1 / 3000
    inside = (found.table.lower <= truth) & (truth <= found.table.upper)
    assert inside.sum() >= 5
    assert found.table.test.p_value < 1e-6
    assert len(found.to_rows()) == 6
    assert found.to_arrow().num_rows == 6
    assert sf.crosstab(published(), "place", "affair").table.test.p_value > 1e-3
    assert sf.crosstab(published(), "affair", "region").axes[1].is_public


def test_comparisons_of_groups_waves_and_answers():
    by_region = sf.compare(published(), "affair", "region")
    assert by_region.test.freedom == 2
    assert len(by_region.contrasts) == 3
    waves = {"2024": published(), "2026": sf.publish(study(Fraction(4)), people(seed=2), insecure_seed=3).reports}
    between = sf.compare(waves, "affair")
    assert between.test.freedom == 1
    (contrast,) = between.contrasts
    assert (contrast.first, contrast.second) == ("2024", "2026")
    assert contrast.interval.lower <= contrast.value <= contrast.interval.upper
    assert "different people" in between.notes[0]
    assert len(sf.compare(published(), "place").contrasts) == 3
    together = sf.compare(waves, "affair", simultaneous=True)
    assert together.contrasts[0].together == 0.95


def test_old_data_are_analysed_by_their_device():
    """A table, and a device: Warner's cards with p = 3/4, from pandas, polars and Arrow alike."""
    rng = np.random.default_rng(4)
    device = sf.surveys.warner_device(Fraction(3, 4))
    truth = np.array([text == "yes" for text in people()["affair"]])
    said = np.where(rng.random(truth.size) < 0.75, truth, ~truth)
    table = pa.table({"rr": np.where(said, "yes", "no"), "age": people()["age"]})
    found = sf.fit(table, "rr ~ age", channels={"rr": device})
    assert found["age"].interval.lower < 0.04 < found["age"].interval.upper
    for other in (table.to_pandas(), pytest.importorskip("polars").from_arrow(table), table.to_pydict()):
        assert sf.fit(other, "rr ~ age", channels={"rr": device.channel}).estimates == pytest.approx(found.estimates)
    assert sf.crosstab(table, "rr", "age", channels={"rr": device}).table.total == 3000


def test_typed_in_reports_take_their_study(tmp_path):
    card = sf.Card(id="debt", text="In debt?", guess_error=Fraction(3, 8), missing="public")
    asked = sf.Study(name="Paper", questions=(card,))
    labels = list(asked.handler("debt").report_labels)
    rng = np.random.default_rng(2)
    codes = rng.integers(0, len(labels), 500)
    lines = ["debt,age", *(f"{labels[code]},{20 + number % 50}" for number, code in enumerate(codes)), ",33"]
    (tmp_path / "typed.csv").write_text("\n".join(lines) + "\n")
    found = sf.fit(tmp_path / "typed.csv", "debt ~ age", study=asked)
    assert (found.reports, found.left_out) == (500, 1)
    column = RandomisedColumn.of(asked.handler("debt").channel(1), codes, name="debt")
    wanted = fit_outcome("logistic", column, DesignMatrix.of({"age": [20 + number % 50 for number in range(500)]}))
    assert found.estimates == pytest.approx(wanted.estimates, rel=1e-9)


def test_empty_cells_leave_a_person_out_and_that_is_said():
    table = dict(people())
    table["age"] = [None if place < 10 else age for place, age in enumerate(table["age"])]
    table["affair"] = ["" if 5 <= place < 20 else text for place, text in enumerate(table["affair"])]
    asked = sf.Study(
        name="Gaps", questions=(sf.YesNo(id="affair", text="Affair?", epsilon=Fraction(2), missing="public"),)
    )
    made = sf.publish(asked, {"affair": table["affair"], "age": table["age"]}, keep=["age"], insecure_seed=1)
    found = sf.fit(made.reports, "affair ~ age")
    assert found.left_out == 20
    assert found.reports == 2980
    assert "20 of 3,000 people are left out" in found.notes[-1]


def test_no_answer_as_one_more_answer_is_held_against_the_first():
    hidden = sf.YesNo(id="affair", text="Affair?", epsilon=Fraction(4), missing="hidden")
    table = {"affair": ["" if place % 9 == 0 else text for place, text in enumerate(people()["affair"])]}
    made = sf.publish(
        sf.Study(name="Gaps", questions=(hidden,)), table | {"age": people()["age"]}, keep=["age"], insecure_seed=1
    )
    found = sf.fit(made.reports, "affair ~ age")
    assert found.model == "multinomial"
    assert found["age", "yes"].interval.lower < 0.04 < found["age", "yes"].interval.upper


def test_amended_erased_and_appended_people_are_read_as_they_are_now(tmp_path):
    """Rows of a publication that grew agree with its tallies, and an amended cell says the new answer."""
    asked = sf.Study(
        name="Grown",
        questions=(sf.YesNo(id="affair", text="Affair?"), sf.YesNo(id="moved", text="Moved?")),
        public_epsilon=Fraction(8),
        recover=True,
    )
    place = {"out": tmp_path / "reports", "keys": tmp_path / "keys"}
    table = {"affair": ["no"] * 100, "moved": ["yes"] * 100, "town": [f"t{n % 4}" for n in range(100)]}
    sf.publish(asked, table, keep=["town"], insecure_seed=1, protection=Unprotected(), **place)
    part = sf.Reports.read(place["out"]).note.parts[0].id
    sf.amend(
        asked,
        {"part": [part] * 3, "row": [5, 50, 99], "affair": ["yes"] * 3},
        insecure_seed=2,
        protection=Unprotected(),
        **place,
    )
    sf.amend(
        asked,
        {"part": [part], "row": [50], "affair": ["no"], "moved": ["no"]},
        insecure_seed=3,
        protection=Unprotected(),
        **place,
    )
    reports = sf.Reports.read(place["out"])
    rows = read_people(reports, ["affair", "moved"], ["town"])
    assert rows.rows == 100
    assert [str(cell) for cell in rows.columns["town"].to_pylist()] == table["town"]
    assert (rows.reports["affair"] >= 0).all()
    tallies = {name: next(iter(reports.tallies(name)))[1].counts for name in ("affair", "moved")}
    for name, counted in tallies.items():
        assert tuple(np.bincount(rows.reports[name], minlength=2)) == counted
    amended = read_people(reports, ["affair"]).reports["affair"]
    assert amended[5] == amended[99] == 1, "at ε = 8 an amended report says the new answer"


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: sf.fit(published(), "affair ~ nobody"), "nobody.*known are: affair, age"),
        (lambda: sf.fit(published(), "score ~ age"), "nothing that was randomised"),
        (lambda: sf.fit(published(), "affair"), "an outcome, one ~"),
        (lambda: sf.fit(published(), "affair ~ __import__('os')"), "columns, numbers, arithmetic"),
        (lambda: sf.fit(published(), "affair ~ age", weights="nowhere"), "is no public column"),
        (lambda: sf.fit(published(), "affair ~ age", weights="affair"), "is no public column"),
        (lambda: sf.fit(published(), "affair ~ age", weights="region"), "must be numbers"),
        (lambda: sf.fit(published(), "affair ~ age", weights=[1, 2]), "an entry for each of 3,000 rows"),
        (lambda: sf.fit(published(), "village ~ affair"), "different values that are no numbers"),
        (lambda: sf.fit({"affair": ["yes"]}, "affair ~ age"), "`study` that they are of, or their `channels`"),
        (lambda: sf.fit(published(), "affair ~ age", kind="ordered", errors="strange"), "errors"),
        (lambda: sf.fit(published(), "affair ~ 0"), "model has neither a constant nor a column"),
        (lambda: sf.fit(published(), "affair ~ affair"), "on the right of ~ as well"),
        (lambda: sf.fit(published(), "affair ~ age", kind="strange"), "kind='strange' must be one of"),
        (lambda: sf.crosstab(published(), "affair"), "two or more"),
        (lambda: fits_by_group(published(), "affair ~ 1", "score"), "at most 100 models"),
        (lambda: sf.crosstab(published(), "age", "region"), "nothing that was randomised"),
        (lambda: sf.crosstab(published(), "affair", "affair"), "different ones"),
        (lambda: sf.crosstab(published(), "affair", "score"), "2 to 100"),
        (lambda: sf.compare({"a": published()}, "affair"), "two or more"),
        (lambda: sf.compare({"a": published(), "b": published()}, "affair", "region"), "compared as waves"),
        (lambda: sf.workflows.weighted_shares([published(), published()], "affair"), "several channels"),
        (lambda: sf.workflows.weighted_shares(published(), "affair", margins={"region": {"hill": 1.0}}), "no total"),
        (lambda: sf.fit(published(), "affair ~ age", study=study(), channels={}), "one of the two"),
    ],
)
def test_what_cannot_be_done_is_a_sentence(call, words):
    with pytest.raises(InvalidParameter, match=words):
        call()


def test_an_infinite_cell_is_empty_in_every_file(tmp_path):
    table = {"affair": people()["affair"], "age": [float("inf") if n < 7 else n % 50 for n in range(3000)]}
    asked = sf.Study(name="S", questions=(sf.YesNo(id="affair", text="Affair?", epsilon=Fraction(2)),))
    made = sf.publish(asked, table, keep=["age"], insecure_seed=1)
    for name in ("r.csv", "r.parquet"):
        made.reports.write(tmp_path / name)
        assert sf.fit(tmp_path / name, "affair ~ age").left_out == 7


def test_questions_that_say_nothing_alone_are_refused():
    ways = sf.Several(id="ways", text="How?", options=("bus", "car", "foot"), epsilon=Fraction(2), ask=1)
    asked = sf.Study(name="Ticks", questions=(ways,))
    made = sf.publish(asked, {"ways": ["bus;car", "foot"] * 30, "age": list(range(60))}, keep=["age"], insecure_seed=1)
    with pytest.raises(InvalidParameter, match="says nothing alone"):
        sf.fit(made.reports, "ways ~ age")
