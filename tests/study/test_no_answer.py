"""Questions that not everybody answers: every kind, hidden and public, from the table to the estimate and back."""

import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from drawn_parts import drawn_part
from sfumato.errors import InvalidParameter, UnreadableFile
from sfumato.measures import epsilon_interval
from sfumato.publications.estimating import estimate_collected
from sfumato.publications.opening import open_table, recover_table
from sfumato.publications.part import MemorySink, PartDrawing, PartPlan
from sfumato.sampling import Guarantee, InsecureSeeded
from sfumato.study import (
    Analyst,
    AskIf,
    BoundedNumber,
    Card,
    Count,
    FreeText,
    OneOfMany,
    Ordered,
    Recoverable,
    Study,
    YesNo,
)
from sfumato.study.cells import NO_ANSWER
from sfumato.workflows.weighing import weights_table

ASKED = {"id": "q", "text": "What do you say?"}
LEVELS = {
    "public_epsilon": Fraction(1),
    "analysts": (Analyst(name="ministry", epsilon=Fraction(3)),),
    "recover": True,
}
KINDS = {
    "yes-no": (YesNo(**ASKED), ["no", "yes"]),
    "few": (OneOfMany(**ASKED, answers=("hill", "coast", "city")), ["hill", "hill", "coast", "city"]),
    "many": (OneOfMany(**ASKED, answers=tuple("abcdefghijkl")), ["a", "f", "l"]),
    "thrifty": (OneOfMany(**ASKED, answers=("x", "y", "z"), random_bits=Fraction(3)), ["x", "y", "y"]),
    "count, two points": (Count(**ASKED, lowest=-2, highest=8), ["-2", "0", "7"]),
    "count, by degrees": (Count(**ASKED, highest=6, points=4), ["0", "1", "5", "6"]),
    "ordered": (Ordered(**ASKED, answers=("never", "now and then", "often")), ["never", "often", "often"]),
    "number": (BoundedNumber(**ASKED, lowest=0, highest=5, step=Fraction(1, 2)), ["0", "2.5", "5"]),
    "card": (Card(**ASKED, guess_error=Fraction(3, 8)), ["no", "no", "yes"]),
    "text": (FreeText(**ASKED, longest=1, keep=3, epsilon=Fraction(4)), ["a", "a", "b"]),
    "recoverable": (
        Recoverable(**ASKED, answers=("O+", "A+", "A-"), tell=("O", "A", "A"), rho=Fraction(4, 5)),
        ["O+", "A+", "A-"],
    ),
}
ROWS = 9000
BLANKS = (None, "", "  ", "NA")


def study_of(question, **changes):
    levels = {} if isinstance(question, Recoverable) else LEVELS
    if getattr(question, "random_bits", None) is not None:
        levels = {**levels, "recover": False}
    return Study(**{"name": "Gaps", "questions": (question,), **levels, **changes})


def cells_of(texts, empty=4, rows=ROWS):
    """Answers in turn, and one row in `empty` that holds none, written in every way."""
    return [BLANKS[i % 3 if i % 8 else 3] if i % empty == 0 else texts[i % len(texts)] for i in range(rows)]


def is_empty(cell):
    return cell is None or not cell.strip() or cell == "NA"


CASES = [
    (name, missing)
    for name, (question, _) in KINDS.items()
    for missing in ("hidden", "public")
    if missing == "public" or question.NOT_HIDDEN is None
]


@pytest.mark.parametrize(("name", "missing"), CASES)
def test_every_kind_goes_all_the_way(name, missing):
    question, texts = KINDS[name]
    question = replace(question, missing=missing, missing_codes=("NA",))
    study, cells = study_of(question), cells_of(texts)
    made = drawn_part(study, pa.table({"q": cells}), bits=InsecureSeeded(500 + CASES.index((name, missing))))
    empty = np.array([is_empty(cell) for cell in cells])

    # In public everybody sees who did not answer, in the very cells; hidden, all rows look alike.
    column = made.reports.to_arrow().column("q")
    assert column.null_count == (int(empty.sum()) if missing == "public" else 0)
    if missing == "public":
        assert [not cell.is_valid for cell in column] == empty.tolist()

    (found,) = estimate_collected(made.reports)
    assert found.total == (ROWS - int(empty.sum()) if missing == "public" else ROWS)
    counted = Counter(cell for cell in cells if not is_empty(cell))
    if found.labels and name != "text":
        assert (found.labels[-1] == NO_ANSWER) == (missing == "hidden")
    if name in {"yes-no", "few", "many", "thrifty", "ordered", "card"}:
        total = sum(counted.values()) if missing == "public" else ROWS
        truth = {label: counted[label] / total for label in found.labels} | (
            {NO_ANSWER: empty.mean()} if missing == "hidden" else {}
        )
        for label, raw, error in zip(found.labels, found.raw, found.standard_errors, strict=True):
            assert abs(raw - truth[label]) < 5 * error
    if name == "number" or name.startswith("count"):
        mean = sum(float(text) * times for text, times in counted.items()) / sum(counted.values())
        assert abs(found.mean.value - mean) < 5 * found.mean.standard_error
    if name == "text":
        assert set(found.labels) == {"a", "b"}

    keys = made.keys.get("q", {})
    if 1 in keys:
        opened = open_table(made.reports, [keys[1]])
        (sharper,) = estimate_collected(opened)
        assert sharper.total == found.total
        if found.standard_errors:
            assert max(sharper.standard_errors) < max(found.standard_errors)
        else:
            assert sharper.mean.standard_error < found.mean.standard_error
    if 0 in keys:
        back = recover_table(made.reports, [held[0] for held in made.keys.values()]).column("q").to_pylist()
        is_number = name == "number" or name.startswith("count")
        assert back == [None if is_empty(cell) else float(cell) if is_number else cell for cell in cells]
    if name not in {"text", "thrifty", "number"}:
        assert set(weights_table(made.reports.note).column("answer").to_pylist()) == set(question.labels)


@pytest.mark.parametrize("name", ["yes-no", "few", "many", "count, two points", "count, by degrees"])
@pytest.mark.parametrize("missing", ["hidden", "public"])
def test_the_library_writes_reads_opens_and_recovers(name, missing, tmp_path):
    question, texts = KINDS[name]
    study, cells = study_of(replace(question, missing=missing, missing_codes=("NA",))), cells_of(texts, rows=600)
    out, keys = tmp_path / "reports.csv", tmp_path / "keys"
    with pytest.warns(sf.errors.InsecureBitsWarning):
        sf.publish(study, pa.table({"q": cells}), out=out, keys=keys, protection=sf.keys.Unprotected(),
                   guarantee="computational", insecure_seed=4)  # fmt: skip
    reports = sf.Reports.read(out)
    assert ("an empty cell: no answer, which is public" in (tmp_path / "reports.csv.codebook.md").read_text()) == (
        missing == "public"
    )
    (before,) = sf.estimate_reports(reports)
    opened = sf.open_reports(reports, keys / "ministry.q.key")
    opened.write(tmp_path / "opened.parquet")
    (after,) = sf.estimate_reports(tmp_path / "opened.parquet")
    assert (before.total, before.labels) == (after.total, after.labels)
    back = sf.recover_answers(reports, keys).column("q").to_pylist()
    assert [cell is None for cell in back] == [is_empty(cell) for cell in cells]


# What a study must say.


def wages(rows=400):
    return pa.table(
        {"wage": [None if i % 9 < 4 else str(i % 5) for i in range(rows)], "q": ["no", "yes"] * (rows // 2)}
    )


def test_an_empty_cell_of_which_nothing_is_said_is_refused_with_both_prices():
    wage = Count(id="wage", text="Wage?", highest=4, points=5)
    study = study_of(wage)
    with pytest.raises(UnreadableFile) as refused:
        drawn_part(study, wages(), bits=InsecureSeeded(1))
    said = str(refused.value)
    price = study.handler("wage").hidden_price()
    assert "column wage, row 1 is empty (180 of the first 400 rows are)" in said
    assert 'missing = "hidden"' in said
    assert f"{price:.2f} times the respondents, {math.ceil(400 * price)} in place of 400" in said
    assert 'missing = "public": the 220 who answered are counted, and everybody sees who did not' in said


def test_a_card_can_only_leave_cells_empty():
    card = KINDS["card"][0]
    with pytest.raises(UnreadableFile, match="either") as refused:
        drawn_part(study_of(YesNo(**ASKED)), pa.table({"q": ["no", None]}), bits=InsecureSeeded(1))
    assert 'missing = "hidden"' in str(refused.value)
    with pytest.raises(UnreadableFile) as refused:
        drawn_part(study_of(card), pa.table({"q": ["no", None]}), bits=InsecureSeeded(1))
    assert 'missing = "public"' in str(refused.value)
    assert "hidden" not in str(refused.value)
    with pytest.raises(InvalidParameter, match="drawn by hand"):
        study_of(replace(card, missing="hidden"))


def test_half_empty_wages_keep_all_rows_of_other_questions():
    """As in SLID, where 44 % of the wages are empty."""
    table = wages(9000)
    for missing, total in (("public", 5000), ("hidden", 9000)):
        study = Study(
            name="SLID",
            questions=(Count(id="wage", text="Wage?", highest=4, points=5, missing=missing), YesNo(**ASKED)),
            public_epsilon=Fraction(2),
        )
        made = drawn_part(study, table, bits=InsecureSeeded(total))
        found = {one.question.id: one for one in estimate_collected(made.reports)}
        assert (found["wage"].total, found["q"].total) == (total, 9000)
        truth = np.mean([int(text) for text in table.column("wage").to_pylist() if text is not None])
        assert abs(found["wage"].mean.value - truth) < 5 * found["wage"].mean.standard_error


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"missing": "perhaps"}, "neither “hidden” nor “public”"),
        ({"missing_codes": ("NA",)}, "`missing` must say"),
        ({"missing": "public", "missing_codes": ("hill",)}, "one of the answers"),
        ({"missing": "public", "missing_codes": ("NA", "NA")}, "each once"),
        ({"missing": "hidden", "answers": ("hill", NO_ANSWER)}, "one of the answers already"),
        ({"ask_if": AskIf(question="before", answers=("yes",))}, "an empty cell would tell"),
        ({"missing": "hidden", "ask_if": AskIf(question="later", answers=("yes",))}, "no question before"),
        ({"missing": "hidden", "ask_if": AskIf(question="before", answers=("maybe",))}, "does not have"),
        ({"missing": "hidden", "ask_if": AskIf(question="rooms", answers=("3",))}, "not a list"),
        ({"missing": "public", "ask_if": AskIf(column="before", answers=("yes",))}, "which is a question"),
    ],
)
def test_what_cannot_be_is_refused(changes, said):
    before = (YesNo(id="before", text="Before?"), Count(id="rooms", text="Rooms?", highest=4))
    after = (YesNo(id="later", text="Later?"),)
    question = replace(OneOfMany(**ASKED, answers=("hill", "coast", "city")), **changes)
    with pytest.raises(InvalidParameter, match=said) as refused:
        Study(name="Gaps", questions=(*before, question, *after), public_epsilon=Fraction(1))
    assert refused.value.place.index == 2


def test_codes_that_are_numbers_are_read_however_they_are_written():
    count = Count(**ASKED, highest=6, points=7, missing="public", missing_codes=("-9", "NA"))
    table = pa.table({"q": ["3", "-9", "-9.0", "NA", " ", "6"]})
    made = drawn_part(study_of(count), table, bits=InsecureSeeded(2))
    assert made.reports.to_arrow().column("q").null_count == 4
    floats = pa.table({"q": pa.array([3.0, -9.0, None, float("nan"), 6.0])})
    assert drawn_part(study_of(count), floats, bits=InsecureSeeded(3)).reports.to_arrow().column("q").null_count == 3


@pytest.mark.parametrize("cell", ["NA", ".", "refused"])
def test_an_undeclared_code_gets_the_line_to_write(cell):
    for question in (YesNo(**ASKED), Count(**ASKED, highest=5)):
        with pytest.raises(UnreadableFile) as refused:
            drawn_part(study_of(question), pa.table({"q": ["1", cell]}), bits=InsecureSeeded(1))
        assert 'missing_codes = ["NA"]' in str(refused.value)


def test_a_refusal_after_empty_cells_names_the_right_row():
    study = study_of(YesNo(**ASKED, missing="public"))
    with pytest.raises(UnreadableFile, match="row 4 holds none") as refused:
        drawn_part(study, pa.table({"q": [None, "no", "", "zebra", "yes"]}), bits=InsecureSeeded(1))
    assert "1 of the first 5 rows" in str(refused.value)
    assert "zebra" not in str(refused.value)


# What leaks.


@pytest.mark.parametrize("name", ["yes-no", "few", "many", "count, by degrees"])
def test_hidden_the_channel_from_answer_or_none_has_the_declared_epsilon(name):
    study = study_of(replace(KINDS[name][0], missing="hidden"))
    way = study.handler("q")
    for level, epsilon in enumerate(way.epsilons, start=1):
        channel = way.channel(level)
        assert channel.inputs[-1] == NO_ANSWER
        assert channel.shape[0] == len(KINDS[name][0].choices) + 1
        exact = epsilon_interval(channel).upper
        assert exact <= epsilon
        assert exact > 0.9 * epsilon  # and not because the reports say nothing
        assert way.certificate()[f"epsilon_level_{level}"].value.upper <= epsilon


def test_hidden_reports_have_the_same_shape_whoever_did_not_answer(tmp_path):
    """All but the reports themselves: types, empty cells, rows, note without its digests, codebook."""
    study = study_of(YesNo(**ASKED, missing="hidden"))
    shapes = set()
    for seed, cells in ((1, ["no", "yes", None, None] * 50), (2, [None, "no", "yes", "no"] * 50), (3, ["no"] * 200)):
        made = drawn_part(study, pa.table({"q": cells}), bits=InsecureSeeded(seed))
        made.reports.write(tmp_path / f"{seed}.parquet")
        table = made.reports.to_arrow()
        note = made.reports.note
        codes = (tmp_path / f"{seed}.parquet.codebook.md").read_text()
        shapes.add((str(table.schema), table.column("q").null_count, note.rows, str(note.columns), codes))
        assert table.column("q").to_pylist().count(NO_ANSWER) > 20
    assert len(shapes) == 1


def test_public_what_leaks_is_exactly_who_did_not_answer():
    study = study_of(YesNo(**ASKED, missing="public"))
    silent = [i % 7 == 2 for i in range(700)]
    made = drawn_part(study, pa.table({"q": [None if gone else "no" for gone in silent]}), bits=InsecureSeeded(1))
    seen = made.reports.to_arrow().column("q")
    assert [not cell.is_valid for cell in seen] == silent
    plan = sf.plan(study)
    visible = "Who did not answer is visible"
    assert any(visible in words for words in plan.questions[0].words)
    assert any(visible in said.sentence and said.is_alarm for said in plan.questions[0].sentences)


def test_draws_belong_to_rows_whoever_else_answers():
    """Under the same seed a row's report does not move when others leave their cells empty."""
    study = study_of(OneOfMany(**ASKED, answers=tuple("abcdefg"), missing="public"))
    full = ["a", "b", "c"] * 40
    holed = [None if i % 5 == 0 else cell for i, cell in enumerate(full)]
    first = drawn_part(study, pa.table({"q": holed}), bits=InsecureSeeded(8)).reports.column("q")
    second = drawn_part(study, pa.table({"q": full}), bits=InsecureSeeded(8)).reports.column("q")
    there = first >= 0
    assert there.sum() == 96
    assert first[there].tolist() == second[there].tolist()


@pytest.mark.parametrize("name", [name for name in KINDS if name != "text"])
def test_a_chunk_in_which_nobody_answers_has_no_reports(name):
    question, texts = KINDS[name]
    rows = 3 * 4096
    cells = [None if 4096 <= i < 2 * 4096 else texts[i % len(texts)] for i in range(rows)]
    study, chunk = study_of(replace(question, missing="public")), 4096
    plan = PartPlan(
        study=study, part="0" * 32, source=InsecureSeeded(40 + len(name)), guarantee=Guarantee.COMPUTATIONAL
    )
    drawing, found = PartDrawing(plan, MemorySink()), []
    for start in range(0, rows, chunk):
        table = pa.table({"q": pa.array(cells[start : start + chunk], pa.string())})
        numbers = np.arange(start, start + chunk)
        reports = drawing.drawn(drawing.read(table, start), numbers)
        found.append(reports["q"])
        written = drawing.written(table, numbers, reports)
        for column in reports:
            assert written.column(column).null_count == (chunk if start == chunk else 0)
    assert [int((reports < 0).sum()) for reports in map(np.int64, found)] == [0, chunk, 0]


# Prices.


@pytest.mark.parametrize(
    ("answers", "epsilon", "price"), [(2, 1, 1.538), (2, 2, 1.238), (3, 1, 1.318), (3, 2, 1.160), (5, 2, 1.110)]
)
def test_the_price_of_hiding_is_the_ratio_of_exact_variances(answers, epsilon, price):
    """For two and three answers one more costs 16 to 24 % at ε = 2 and 32 to 54 % at ε = 1, of a share of 1/k."""
    texts = tuple(map(str, range(answers)))
    question = YesNo(**ASKED) if answers == 2 else OneOfMany(**ASKED, answers=texts)
    study = Study(name="Price", questions=(question,), public_epsilon=Fraction(epsilon))
    found = study.handler("q").hidden_price()
    assert found == pytest.approx(price, abs=0.002)

    def variance(size):
        """Of one share, by k-ary randomised response: p(1-p) with its two probabilities."""
        odds = math.exp(epsilon)
        own, other = odds / (odds + size - 1), 1 / (odds + size - 1)
        report = own / answers + other * (1 - 1 / answers)
        return report * (1 - report) / (own - other) ** 2

    if answers <= 3:  # there the best mechanism is randomised response
        assert found == pytest.approx(variance(answers + 1) / variance(answers), rel=1e-6)


def test_free_text_hides_for_nothing():
    assert study_of(KINDS["text"][0]).handler("q").hidden_price() == 1
    assert study_of(KINDS["card"][0]).handler("q").hidden_price() is None


def test_where_perhaps_nobody_answers_a_mean_is_not_estimable():
    count = Count(**ASKED, highest=10, points=11, missing="hidden")
    study = Study(name="Nobody", questions=(count,), public_epsilon=Fraction(1))
    made = drawn_part(study, pa.table({"q": pa.array([None] * 3000, pa.string())}), bits=InsecureSeeded(6))
    (found,) = estimate_collected(made.reports)
    assert found.mean.value is None
    assert "not estimable" in found.mean.words
