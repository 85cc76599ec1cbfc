"""Answers become numbers: looked up by their text, refused by their row, rounded without bias."""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import InvalidParameter, SourceFailed, UnreadableFile
from sfumato.files.tables import words_of
from sfumato.sampling import AnyRows, ScriptedBits
from sfumato.study import Audience, Card, Count, FreeText, Goal, OneOfMany, Recoverable, YesNo
from sfumato.study.fields import checked_epsilon
from sfumato.study.ladder_questions import rounding_words

NO_BITS = ScriptedBits([])
SECRET = "zebra"  # noqa: S105  stands for an answer


EVERYBODY = Audience(public_epsilon=Fraction(1))


def column(*cells):
    return words_of(pa.table({"q": list(cells)}), "q")


def symbols(question, cells, bits=NO_BITS):
    """Answers as numbers: looked up, and rounded with these bits."""
    return question.rounded(question.places(cells), lambda: AnyRows(bits))


def test_labels_become_positions():
    question = OneOfMany(id="q", text="Q?", answers=("red", "green", "blue"))
    assert symbols(question, column("blue", "red", " green ", "blue")).tolist() == [2, 0, 1, 2]
    assert question.labels == ("red", "green", "blue")
    assert symbols(YesNo(id="q", text="Q?"), column("yes", "no")).tolist() == [1, 0]
    assert symbols(OneOfMany(id="q", text="Q?", answers=("1", "2")), column(2, 1)).tolist() == [1, 0]


@pytest.mark.parametrize(
    "question",
    [
        YesNo(id="q", text="Q?"),
        OneOfMany(id="q", text="Q?", answers=("no", "yes", "both")),
        Count(id="q", text="Q?", highest=5, points=6),
        FreeText(id="q", text="Q?", longest=4),
        Card(id="q", text="Q?", guess_error=Fraction(3, 8)),
        Recoverable(id="q", text="Q?", answers=("no", "yes"), tell=("a", "b"), rho=Fraction(3, 4)),
    ],
    ids=lambda question: type(question).__name__,
)
def test_what_does_not_fit_is_refused_by_row_and_never_repeated(question):
    good = "0" if isinstance(question, Count) else "no"
    cells = column(good, good, SECRET, good, SECRET)
    with pytest.raises(UnreadableFile) as refused:
        question.handler(EVERYBODY).read(cells)
    said = str(refused.value)
    assert "column q, row 3 " in said
    assert SECRET not in said
    if question.labels:
        assert "2 of the first 5 rows are like this" in said


@pytest.mark.parametrize("cell", ["", "2.5", "six", "-1", "6", "1e0", "99999999999999999999", "0x1", "1 1"])
def test_numbers_that_are_no_answer(cell):
    with pytest.raises(UnreadableFile, match="row 2"):
        symbols(Count(id="q", text="Q?", highest=5, points=6), column("0", cell))


@given(step=st.integers(1, 8), points=st.integers(2, 5), lowest=st.integers(-20, 20), data=st.data())
def test_the_mean_of_the_rounding_is_the_answer_exactly(step, points, lowest, data):
    """Every draw below the step is fed once: all are equally likely, so their mean is the expectation."""
    question = Count(id="q", text="Q?", lowest=lowest, highest=lowest + step * (points - 1), points=points)
    answer = data.draw(st.integers(lowest, question.highest))
    bits = ScriptedBits(range(step) if step > 1 else [])
    rounded = symbols(question, column(*[str(answer)] * step), bits)
    values = [question.values[symbol] for symbol in rounded]
    assert Fraction(sum(values), step) == answer
    assert all(abs(value - answer) < step for value in values)
    assert bits.left == 0


def test_a_count_is_rounded_by_its_row_alone():
    """In any piece or order the same; another drawing or question rounds otherwise."""
    question, rows = Count(id="q", text="Q?", highest=10), np.arange(3000)
    answers = rows % 11

    def rounded(numbers, drawing="ab" * 16, name="q"):
        return question.rounded(answers[numbers], lambda: rounding_words(name, drawing, numbers))

    whole = rounded(rows)
    assert 0 < whole[answers == 5].mean() < 1
    order = np.random.default_rng(1).permutation(3000)
    for numbers in (order, rows[1000:2000], rows[::7], rows[2999:]):
        assert (rounded(numbers) == whole[numbers]).all()
    assert (rounded(rows, drawing="cd" * 16) != whole).any()
    assert (rounded(rows, name="r") != whole).any()


def test_a_biased_rounding_would_be_seen():
    """The test above can fail: rounding to the nearest value is off on average."""
    question = Count(id="q", text="Q?", highest=3)
    nearest = [round(1 / 3) * 3] * 3
    assert Fraction(sum(nearest), 3) != 1
    rounded = symbols(question, column("1", "1", "1"), ScriptedBits([0, 1, 2]))
    assert sorted(rounded.tolist()) == [0, 0, 1]


def test_all_points_are_not_rounded_and_draw_nothing():
    question = Count(id="q", text="Q?", lowest=-2, highest=4, points=7)
    assert question.gap == 1
    assert symbols(question, column(*range(-2, 5))).tolist() == list(range(7))
    assert question.labels == ("-2", "-1", "0", "1", "2", "3", "4")
    with pytest.raises(SourceFailed):
        symbols(Count(id="q", text="Q?", lowest=-2, highest=4, points=2), column("0"))


def test_the_ends_of_a_range_stay_where_they_are():
    question = Count(id="q", text="Q?", lowest=10, highest=20)
    assert symbols(question, column("10", "20"), ScriptedBits([0, 0])).tolist() == [0, 1]
    assert symbols(question, column("10", "20"), ScriptedBits([9, 9])).tolist() == [0, 1]


def test_large_ranges_stay_exact():
    question = Count(id="q", text="Q?", lowest=-(10**12), highest=10**12)
    numbers = [-(10**12), 10**12, 1]
    top = question.gap - 1
    assert symbols(question, column(*numbers), ScriptedBits([top, top, 10**12])).tolist() == [0, 1, 1]
    assert symbols(question, column(*numbers), ScriptedBits([0, 0, 10**12 + 1])).tolist() == [0, 1, 0]


TEST = Goal(theta_1=Fraction(1, 10), theta_2=Fraction(1, 5))


def told(**changes):
    return Recoverable(**{"id": "a", "text": "Q?", "answers": ("x", "y"), "tell": ("a", "b"), "rho": 1} | changes)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: YesNo(id="1a", text="Q?"), "begin with a letter"),
        (lambda: YesNo(id="a" * 51, text="Q?"), "up to 50"),
        (lambda: YesNo(id="a", text=""), "must not be empty"),
        (lambda: YesNo(id="a", text="Q?", answers=("no", "no")), "two different"),
        (lambda: YesNo(id="a", text="Q?", answers=("either", "no")), "either"),
        (lambda: YesNo(id="a", text="Q?", epsilon=0), "[0.001, 20]"),
        (lambda: YesNo(id="a", text="Q?", goal=TEST), "theta_1 is a goal for a card"),
        (lambda: Card(id="a", text="Q?", guess_error=Fraction(3, 8), outputs=4), "outputs=4"),
        (lambda: Card(id="a", text="Q?", guess_error=Fraction(3, 8), outputs=2), "outputs=2 needs `expected_share`"),
        (lambda: Card(id="a", text="Q?", guess_error=Fraction(3, 8), faces=1), "faces=1"),
        (lambda: Card(id="a", text="Q?", guess_error=Fraction(3, 8), max_epsilon=0), "max_epsilon=0"),
        (lambda: Card(id="a", text="Q?", guess_error=Fraction(5, 8)), "guess_error"),
        (lambda: told(tell=("a",)), "tell must say what is told of each answer"),
        (lambda: told(tell=("a", "a")), "at least two different things"),
        (lambda: told(tell=("a", "")), "tell must not be empty"),
        (lambda: told(rho=2), "rho"),
        (lambda: told(probabilities=(Fraction(1, 2), Fraction(1, 3))), "probabilities must be one positive number"),
        (lambda: OneOfMany(id="a", text="Q?", answers=("x",)), "answers needs between 2 and 100,000 answers"),
        (lambda: OneOfMany(id="a", text="Q?", answers=("x", "x")), "twice"),
        (lambda: OneOfMany(id="a", text="Q?", answers=("x", "")), "must not be empty"),
        (lambda: OneOfMany(id="a", text="Q?", answers=("x", "y"), random_bits=0), "above 0"),
        (lambda: Count(id="a", text="Q?", highest=0), "above `lowest`"),
        (lambda: Count(id="a", text="Q?", highest=10**13), "highest"),
        (lambda: Count(id="a", text="Q?", highest=5, points=7), "points=7"),
        (lambda: Count(id="a", text="Q?", highest=5, points=4), "do not spread evenly"),
        (lambda: Count(id="a", text="Q?", highest=5.0), "whole number"),
        (lambda: FreeText(id="a", text="Q?", longest=33), "longest=33"),
        (lambda: FreeText(id="a", text="Q?", keep=0), "keep=0"),
        (lambda: checked_epsilon("epsilon", "1/0"), "divides by zero"),
        (lambda: checked_epsilon("epsilon", True), "must be a number"),
    ],
)  # fmt: skip
def test_questions_that_cannot_be_asked(make, sentence):
    with pytest.raises(InvalidParameter, match=sentence.replace("[", r"\[").replace(".", r"\.")):
        make()


def test_a_question_with_two_answers_becomes_a_card():
    goal = Goal(expected_share=Fraction(1, 10), half_width=Fraction(1, 50))
    plain = YesNo(id="a", text="Q?", answers=("nein", "ja"), goal=goal)
    assert plain.with_card(Fraction(3, 8)) == Card(
        id="a", text="Q?", answers=("nein", "ja"), guess_error=Fraction(3, 8), goal=goal
    )
    with pytest.raises(InvalidParameter, match="a card is for two answers or a list"):
        Count(id="a", text="Q?", highest=3).with_card(Fraction(3, 8))


def test_symbols_are_whole_numbers_of_64_bits():
    for question, cell in ((YesNo(id="q", text="Q?"), "no"), (Count(id="q", text="Q?", highest=1), "0")):
        assert symbols(question, column(cell)).dtype == np.int64
