"""Numbers: read exactly, refused with the cure that works, rounded right on average, asked as the plan says is best."""

import json
import math
import pickle
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato_check
from drawn_parts import drawn_part
from sfumato.certificates import Certificate, verify
from sfumato.errors import InvalidParameter, UnreadableFile
from sfumato.files.tables import words_of
from sfumato.inference.quantities import Picture
from sfumato.inference.results import Reading
from sfumato.ladders.keys import BLOCK_ROWS as BLOCK
from sfumato.mechanisms.arc import second_moments, worst_variance
from sfumato.mechanisms.number_scales import Shape, choose_mean_scale
from sfumato.numbers.exact import decimals, written
from sfumato.publications.note import new_part_id
from sfumato.publications.part import MemorySink, PartDrawing, PartPlan, open_answers
from sfumato.publications.spark_writing import SentPlan
from sfumato.sampling import Guarantee, InsecureSeeded, ScriptedBits
from sfumato.study import Analyst, BoundedNumber, Count, Study, read_study
from sfumato.study.cells import NO_ANSWER
from sfumato.study.file import first_file
from sfumato.study.planning import plan_question

WAGE = {"id": "wage", "text": "Wage?", "lowest": 0, "highest": 50, "step": Fraction(1, 100)}
READERS = (Analyst(name="ministry", epsilon=Fraction(4)), Analyst(name="press", epsilon=Fraction(1)))


def study_of(question, **changes):
    given = {"analysts": READERS, "public_epsilon": Fraction(1, 2), "recover": True}
    return Study(name="s", questions=(question,), **(given | changes))


def read(question, cells):
    """Read cells as a publication does; the type of the column is that of the list."""
    table = pa.table({question.id: cells})
    way = study_of(question).handler(question.id)
    return way.answers_in(words_of(table, question.id)).tolist()


class TestCells:
    @pytest.mark.parametrize(
        "cells",
        [
            ["3", "3.0", "3.00", " 3 ", "3e0", "+3", "0.3e1"],
            [3.0] * 4,
            pa.array([3, 3], pa.int8()),
            pa.array([3.0, 3.0], pa.float32()),
            pa.array(["3", "3.0"]).dictionary_encode(),
        ],
        ids=["text", "double", "whole", "single", "dictionary"],
    )
    def test_equal_numbers_are_read_alike_from_every_column(self, cells):
        assert set(read(BoundedNumber(**WAGE), cells)) == {300}

    @pytest.mark.parametrize("kind", [pa.float64(), pa.float32()])
    def test_floats_are_their_shortest_decimals(self, kind):
        """0.07 is no double; what is read is what would be written, of the column's own width."""
        assert read(BoundedNumber(**WAGE), pa.array([0.07, 19.99, 1e1, 49.3], kind)) == [7, 1999, 1000, 4930]

    @given(steps=st.integers(0, 5000), zeros=st.integers(0, 3))
    def test_every_number_of_the_range_is_so_many_steps_above_the_lowest(self, steps, zeros):
        question = BoundedNumber(**{**WAGE, "lowest": Fraction(-10), "highest": 40})
        text = written(Fraction(-10) + Fraction(steps, 100)) + ("." if steps % 100 == 0 else "") + "0" * zeros
        assert read(question, [text]) == [steps]

    @pytest.mark.parametrize(
        ("cell", "cure"),
        [
            ("3.505", "say step = 0.001 in the study"),
            ("50.01", "Correct what is not from 0 to 50, or widen the range"),
            ("-0.01", "widen the range"),
            ("3,50", "`decimal`"),
            ("€ 12", "unit"),
            ("1,234.50", "thousands"),
            ("#N/A", "missing ="),
            ("many", "aliases ="),
        ],
    )
    def test_what_is_no_answer_is_refused_with_a_cure(self, cell, cure):
        with pytest.raises(UnreadableFile) as refused:
            read(BoundedNumber(**WAGE), ["1.5", cell])
        said = str(refused.value)
        assert said.startswith(
            "column wage, row 2 holds no number from 0 to 50 in steps of 0.01; 1 of the first 2 rows"
        )
        assert cure in said
        assert cell not in said.removeprefix("column wage, row 2 holds no number from 0 to 50 in steps of 0.01")

    @pytest.mark.parametrize("cells", [["3.505"], ["0.125", "7.5"], ["49.9999"]])
    def test_the_step_that_is_proposed_is_one_that_works(self, cells):
        question = BoundedNumber(**{**WAGE, "step": Fraction(1, 2)})
        with pytest.raises(UnreadableFile) as refused:
            read(question, cells)
        step = str(refused.value).partition("say step = ")[2].partition(" in")[0]
        finer = BoundedNumber(**{**WAGE, "step": Fraction(step)})
        assert [Fraction(place) * finer.step for place in read(finer, cells)] == [Fraction(cell) for cell in cells]

    def test_a_count_that_meets_decimals_is_told_of_numbers(self):
        with pytest.raises(UnreadableFile, match='ask with kind = "number", which takes decimals'):
            read(Count(id="n", text="N?", highest=9), ["2.5"])

    def test_aliases_stand_for_numbers(self):
        question = BoundedNumber(**WAGE, aliases={"50": ["50 or more"]})
        assert read(question, ["50 or more", "50.0"]) == [5000, 5000]


class TestDeclarations:
    @pytest.mark.parametrize(
        ("changes", "sentence"),
        [
            ({"highest": 0}, "highest must be above `lowest`"),
            ({"step": 0}, "step must be above 0"),
            ({"step": Fraction(3)}, "step=3 does not lead from 0 to 50 in whole steps"),
            ({"step": Fraction(1, 3)}, "step must be a decimal"),
            ({"goal": "median"}, "goal is neither “mean” nor “distribution”"),
            ({"points": 1}, "points=1 must lie in"),
            ({"step": 25, "points": 4}, "points=4 must lie in"),
            ({"goal": "distribution", "points": 7}, "points=7 must divide the 5000 steps from 0 to 50"),
            ({"highest": 31, "step": 1, "goal": "distribution"}, "points=None must divide the 31 steps"),
            ({"highest": 10**9, "lowest": -(10**9), "step": Fraction(1, 10**4)}, "step makes more than"),
        ],
    )
    def test_what_cannot_be(self, changes, sentence):
        with pytest.raises(InvalidParameter, match=sentence):
            BoundedNumber(**{**WAGE, **changes})

    @pytest.mark.parametrize(
        ("answers", "ends", "step"),
        [
            ("0..50 by 0.01", (0, 50), Fraction(1, 100)),
            ("-1.5 .. 2", (Fraction(-3, 2), 2), Fraction(1, 10)),
            ("0..10 by 2", (0, 10), 2),
        ],
    )
    def test_typed_ranges(self, tmp_path, answers, ends, step):
        assert BoundedNumber.suits(answers)
        question = BoundedNumber.typed("q", "Q?", answers)
        assert (question.ends, question.grain) == (ends, step)
        study = Study(name="s", questions=(question,), public_epsilon=Fraction(1))
        (tmp_path / "s.toml").write_text(first_file(study), encoding="utf-8")
        assert read_study(tmp_path / "s.toml") == study

    @pytest.mark.parametrize("answers", ["0..10", "a, b", "no, yes", "1 < 2"])
    def test_other_answers_are_not_meant(self, answers):
        assert not BoundedNumber.suits(answers)

    def test_bins(self):
        question = BoundedNumber(**WAGE, goal="distribution", points=4)
        assert question.choices == ("0 to under 12.5", "12.5 to under 25", "25 to under 37.5", "37.5 to 50")
        symbols = question.rounded(np.array([0, 1249, 1250, 2499, 4999, 5000]), None)
        assert symbols.tolist() == [0, 0, 1, 1, 3, 3]
        assert BoundedNumber(**WAGE, goal="distribution").points == 20
        few = BoundedNumber(**{**WAGE, "highest": 2, "step": Fraction(1, 2)}, goal="distribution")
        assert few.choices == ("0", "0.5", "1", "1.5", "2")

    @given(value=st.builds(Fraction, st.integers(-(10**9), 10**9), st.sampled_from([1, 2, 5, 8, 125, 10**3, 10**6])))
    def test_decimals_are_written_exactly(self, value):
        assert Fraction(written(value)) == value
        assert len(written(value).partition(".")[2]) == decimals(value)


@given(steps=st.integers(1, 12), points=st.integers(2, 9), place=st.integers(0, 12))
def test_the_mean_of_the_rounding_is_the_answer_whatever_points_and_steps(steps, points, place):
    """Every draw below the bound is fed once: all are equally likely, so their mean is the expectation."""
    question = BoundedNumber(id="q", text="Q?", highest=steps, points=min(points, steps + 1))
    place = min(place, steps)
    bound = steps // math.gcd(steps, question.points - 1)

    class Rows:
        def words(self, rows, width=64):
            return ScriptedBits(range(bound)).words(rows.size, width)

    symbols = question.rounded(np.full(bound, place), Rows)
    values = [Fraction(question.spread_values[symbol]) for symbol in symbols.tolist()]
    assert sum(values) / bound == place
    assert max(values) - min(values) <= question.gap


class TestMechanism:
    def test_at_four_nats_one_report_has_a_variance_of_at_most_a_fifth(self):
        """Found from the channel and the scores that are really used, over every number of the range."""
        question = BoundedNumber(**WAGE)
        way = study_of(question, analysts=(), public_epsilon=Fraction(4)).handler("wage")
        rung = way.ladder.levels[0]
        scores = rung.linear_scores(np.linspace(-1, 1, way.question.points))
        assert worst_variance(second_moments(rung.channel().array, scores), question.steps) <= 0.16

    @pytest.mark.parametrize("epsilons", [(0.25,), (1.0,), (4.0,), (4.0, 1.0)])
    @pytest.mark.parametrize("missing", [None, "hidden"])
    def test_it_is_the_one_that_was_chosen(self, epsilons, missing):
        chosen = choose_mean_scale(epsilons, steps=5000).chosen
        readers = tuple(Analyst(name=f"r{int(e)}", epsilon=Fraction(e)) for e in epsilons[:-1])
        study = study_of(
            BoundedNumber(**WAGE, missing=missing), analysts=readers, public_epsilon=Fraction(epsilons[-1])
        )
        way = study.handler("wage")
        assert way.question.points == chosen.points
        declared = json.loads(way.declaration)
        if chosen.shape is Shape.TWO_POINTS and missing is None:
            assert declared["mechanism"] == "binary_hadamard"
        else:
            assert (declared["mechanism"], declared["apart"]) == ("arc_response", missing == "hidden")
        assert way.question.labels[-1] == (NO_ANSWER if missing else "50")
        certificate = way.certificate()
        verify(Certificate.from_json(certificate.to_json()))
        assert sfumato_check.answer(certificate.to_json().encode())["exit_code"] == 0

    def test_reports_say_to_how_many_values_they_were_rounded(self):
        """What this version would choose for other readers does not matter when reports are read."""
        question = BoundedNumber(**WAGE)
        made = study_of(question).handler("wage")
        again = study_of(question).handler("wage", made.declaration)
        assert again.question.points == made.question.points
        assert again.ladder.declaration == made.ladder.declaration
        other = study_of(question, analysts=(), public_epsilon=Fraction(1, 4)).handler("wage")
        assert other.question.points == 2 != made.question.points

    def test_a_declaration_of_more_values_than_there_are_numbers_is_refused(self):
        many = study_of(BoundedNumber(**WAGE, points=5)).handler("wage").declaration
        with pytest.raises(InvalidParameter, match="points=5 must lie in"):
            study_of(BoundedNumber(**{**WAGE, "step": 25})).handler("wage", many)


def drawing(study, table, part, source):
    plan = PartPlan(study=study, part=part, source=source, guarantee=Guarantee.COMPUTATIONAL)
    return PartDrawing(plan, MemorySink()), open_answers(study, table)


@pytest.mark.parametrize("missing", [None, "hidden"])
def test_tasks_of_an_engine_draw_the_same_reports_block_by_block(missing):
    """The whole part on one machine, and blocks in another order by what is sent to a task and pickled on the way."""
    study = study_of(BoundedNumber(**WAGE, missing=missing))
    rows = 2 * BLOCK + 100
    cells = [f"{x / 100:.2f}" for x in np.random.default_rng(3).integers(0, 5001, rows)]
    table = pa.table({"wage": [None, *cells[1:]] if missing else cells})
    source = InsecureSeeded(5)
    made, _ = drawing(study, table, new_part_id(source), source)
    whole = made.drawn(made.read(table, 0), np.arange(rows))["wage"]
    sent = pickle.dumps(SentPlan.of(made))
    for first in (BLOCK, 2 * BLOCK, 0):
        task = pickle.loads(sent).drawing()  # noqa: S301  our own
        numbers = np.arange(first, min(first + BLOCK, rows))
        piece = task.drawn(task.read(table.slice(first, numbers.size), first), numbers)["wage"]
        assert np.array_equal(piece, whole[numbers])


@pytest.mark.parametrize("goal", ["mean", "distribution"])
def test_levels_open_and_estimates_get_sharper(goal):
    question = BoundedNumber(**WAGE, goal=goal)
    study = study_of(question)
    numbers = np.random.default_rng(4).gamma(4, 4, 30_000).clip(0, 50).round(2)
    made = drawn_part(study, pa.table({"wage": numbers}), bits=InsecureSeeded(9))
    way, reports, keys = study.handler("wage"), made.reports.column("wage"), made.keys["wage"]
    rows, widths = np.arange(len(reports)), []
    for level in (1, 2, 3):
        seen = reports if level == 3 else way.opened(reports, keys[level], rows, rows)
        found = way.estimate(way.tally(seen, level), Reading(level=level))
        assert found.picture is Picture.NUMBERS
        assert found.question == question
        if goal == "mean":
            assert not found.labels
            assert abs(found.mean.raw - numbers.mean()) < 5 * found.mean.standard_error
            widths.append(found.mean.interval.width)
        else:
            assert found.mean is None
            assert [one.name for one in found.quantities] == ["lower quartile", "median", "upper quartile"]
            for one, share in zip(found.quantities, (0.25, 0.5, 0.75), strict=True):
                assert one.interval.lower <= one.value <= one.interval.upper
                assert one.interval.lower < one.interval.upper
                assert one.interval.lower <= np.quantile(numbers, share) <= one.interval.upper
            widths.append(found.quantities[1].interval.width)
    assert widths == sorted(widths)
    if goal == "distribution":
        binned = way.answer_columns(way.opened(reports, keys[0], rows, rows)[:50])["wage"].to_pylist()
        assert binned == [question.bin_of(written(Fraction(str(x)))) for x in numbers[:50]]


@pytest.mark.slow
def test_hiding_who_does_not_answer_costs_some_of_the_mean():
    """The price is that of the mean, not of shares; at ε = 4 it is small, at ε = 1 more."""
    prices = []
    for epsilon in (4, 1):
        study = study_of(BoundedNumber(**WAGE, missing="hidden"), analysts=(), public_epsilon=Fraction(epsilon))
        prices.append(study.handler("wage").hidden_price())
        assert plan_question(study.handler("wage")).groups is None
    assert 1 < prices[0] < prices[1] < 1.6


def test_the_plan_compares_and_says_so():
    plan = study_of(BoundedNumber(**WAGE), analysts=(), public_epsilon=Fraction(4)).handler("wage").plan()
    assert "rounded at random to 10 values, each of which favours 3 reports in a row" in plan.because
    assert "arc 0.195; cyclic response 0.21; two points 0.519." in plan.because
    assert "respondents for ± 1, which is 2 % of the range" in plan.tables[0].title
    (row,) = plan.document["levels"]
    # Answers that are spread evenly have a twelfth of the squared range, and the noise comes on top.
    assert 1 / 12 < row["deviation"] ** 2 < 1 / 12 + 0.155 / 4
    assert row["respondents"] == math.ceil((1.959963984540054 * row["deviation"] / 0.02) ** 2)
