"""Cells are read by one rule from every source; aliases are declared; a cure that is proposed works."""

import re
import tomllib
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import InvalidParameter, UnreadableFile
from sfumato.files.tables import words_of
from sfumato.study.cells import Cells, number_text
from sfumato.study.file import as_toml, fingerprint, study_from
from sfumato.study.kinds.card import Card
from sfumato.study.kinds.number import Count
from sfumato.study.kinds.recoverable import Recoverable
from sfumato.study.kinds.single_choice import OneOfMany, YesNo
from sfumato.study.readers import Audience
from sfumato.study.study import Study

EVERYBODY = Audience(public_epsilon=Fraction(1))
YES = YesNo(id="q", text="Q?")
SPELLED = {"no": ("No", "FALSE", "0"), "yes": ("Yes", "TRUE", "1")}


def answers(question, *cells, kind=None):
    words = words_of(pa.table({"q": pa.array(list(cells), kind)}), "q")
    return question.handler(EVERYBODY).answers_in(words).tolist()


@pytest.mark.parametrize(
    "cells",
    [["2", "1", "3"], ["2.0", " 1.00", "3e0"], [2, 1, 3], [2.0, 1.0, 3.0], ["+2", "01", "3."], ["2", "1.0", "3"]],
    ids=str,
)
@pytest.mark.parametrize(
    "question",
    [Count(id="q", text="Q?", lowest=1, highest=3, points=3), OneOfMany(id="q", text="Q?", answers=("1", "2", "3"))],
    ids=lambda question: question.kind,
)
def test_a_whole_number_is_the_same_however_it_is_written(question, cells):
    found = answers(question, *cells)
    assert found in ([2, 1, 3], [1, 0, 2])


def test_floats_of_every_width_are_spelled_as_they_were_typed():
    for kind in (pa.float32(), pa.float64()):
        words = words_of(pa.table({"q": pa.array([3.1, 2.0, None, 0.05], kind).drop_null()}), "q")
        assert set(words.texts) == {"3.1", "2", "0.05"}


def test_a_number_that_two_answers_are_written_with_means_neither():
    question = OneOfMany(id="q", text="Q?", answers=("1", "01", "2"))
    assert answers(question, "1", "01", "2.0") == [0, 1, 2]
    with pytest.raises(UnreadableFile):
        answers(question, "1.0")
    assert answers(OneOfMany(id="q", text="Q?", answers=("01", "02")), 2, 1) == [1, 0]


@pytest.mark.parametrize(
    "question",
    [
        YesNo(id="q", text="Q?", aliases=SPELLED),
        OneOfMany(id="q", text="Q?", answers=("no", "yes"), aliases=SPELLED),
        Card(id="q", text="Q?", guess_error=Fraction(3, 8), aliases=SPELLED),
        Recoverable(id="q", text="Q?", answers=("no", "yes"), tell=("a", "b"), rho=Fraction(3, 4), aliases=SPELLED),
    ],
    ids=lambda question: type(question).__name__,
)
def test_aliases_are_read_only_where_they_are_declared(question):
    assert answers(question, "Yes", "no", "TRUE", "0", "1.0", "FALSE", "yes") == [1, 0, 1, 0, 1, 0, 1]
    assert answers(question, True, False) == [1, 0]
    assert answers(question, 1.0, 0.0) == [1, 0]
    bare = replace(question, aliases=())
    for cells in (("Yes", "no"), (True, False), (1, 0), ("TRUE",)):
        with pytest.raises(UnreadableFile):
            answers(bare, *cells)


def test_numbers_have_aliases_too():
    question = Count(id="q", text="Q?", highest=10, aliases={"0": ("never",), "10": ("10 or more",)})
    assert answers(question, "never", "3", "10 or more") == [0, 3, 10]
    with pytest.raises(InvalidParameter, match="no answer of the question"):
        Count(id="q", text="Q?", highest=10, aliases={"11": ("eleven",)})


@pytest.mark.parametrize(
    ("aliases", "said"),
    [
        ({"maybe": ("m",)}, "no answer of the question"),
        ({"yes": ("x",), "no": ("x",)}, "for two answers"),
        ({"yes": ("no",)}, "for two answers"),
        ({"yes": (" y",)}, "begin or end with a blank"),
        ({"yes": tuple(map(str, range(2000)))}, "more than 1000"),
    ],
)
def test_what_cannot_be_declared_is_refused(aliases, said):
    with pytest.raises(InvalidParameter, match=said):
        YesNo(id="q", text="Q?", aliases=aliases)


def test_aliases_stand_in_the_file_of_a_study_and_in_its_fingerprint():
    odd = OneOfMany(id="v", text="V?", answers=("left", "rather not"), aliases={"rather not": ('a "b"', "ü")})
    study = Study(name="s", questions=(YesNo(id="q", text="Q?", aliases=SPELLED), odd), public_epsilon=Fraction(1))
    again = study_from(tomllib.loads(as_toml(study)))
    assert again == study
    assert fingerprint(again) == fingerprint(study)
    assert fingerprint(study) != fingerprint(replace(study, questions=(YES, odd)))


@given(value=st.decimals(-(10**12), 10**12, places=3), zeros=st.integers(0, 3), exponent=st.integers(-5, 5))
def test_equal_numbers_have_one_text(value, zeros, exponent):
    plain = number_text(f"{value:f}")
    assert plain == number_text(f"{value:f}{'0' * zeros}")
    assert plain == number_text(f"{value.scaleb(-exponent):f}e{exponent}")
    assert Decimal(plain) == value


@given(st.text(max_size=8))
def test_what_is_no_answer_stays_as_it_is(text):
    words = words_of(pa.table({"q": [text or "x"]}), "q")
    read = Cells(answers=("ja", "nein")).read(words)
    assert read.texts == words.texts


SUGGESTED = re.compile(r"aliases = (\{ .* \})(?=[.,]|$)")


@pytest.mark.parametrize(
    ("question", "cells"),
    [
        (YES, ("Yes", "No")),
        (YES, ("YES", "no")),
        (YES, ("TRUE", "FALSE")),
        (YES, (True, False)),
        (YES, (1, 0)),
        (YES, ("y", "N")),
        (YesNo(id="q", text="Q?", answers=("Nein", "Ja")), ("JA", "nein")),
        (YesNo(id="q", text="Q?", answers=("never", "ever")), ("1", "0")),
        (OneOfMany(id="q", text="Q?", answers=("red wine", "White")), ("Red wine", "WHITE", "Red Wine")),
    ],
    ids=str,
)
def test_the_aliases_that_a_refusal_proposes_are_read(question, cells):
    """What is proposed is written into the study as it stands; then the same cells are answers."""
    with pytest.raises(UnreadableFile) as refused:
        answers(question, *cells)
    said = str(refused.value)
    proposed = tomllib.loads("aliases = " + SUGGESTED.search(said)[1])["aliases"]
    cured = replace(question, aliases={answer: tuple(texts) for answer, texts in proposed.items()})
    assert sorted(set(answers(cured, *cells))) == [0, 1]


def test_a_proposal_does_not_depend_on_which_of_its_texts_a_cell_held():
    said = set()
    for cell in ("Yes", "No", "TRUE", "0"):
        with pytest.raises(UnreadableFile) as refused:
            answers(YES, cell)
        said.add(str(refused.value))
    assert len(said) == 1


@pytest.mark.parametrize(
    ("cells", "cure"),
    [
        (["3.5"], 'kind = "number"'),
        ([3.5], 'kind = "number"'),
        (["3,5"], "declare it with `decimal`"),
        (["1,234"], "between thousands leave it out"),
        (["1 234"], "between thousands: 1234"),
        (["1'234"], "between thousands: 1234"),
        (["12 years"], "without a unit"),
        (["12%"], "without a unit"),
        (["€ 12"], "without a unit"),
        (["NA"], "declare it: missing = "),
        (["."], "declare it: missing = "),
        (["99"], "widen the range"),
        (["many"], "aliases = "),
    ],
    ids=str,
)
def test_a_number_that_is_refused_gets_the_cure_for_how_it_is_written(cells, cure):
    with pytest.raises(UnreadableFile) as refused:
        answers(Count(id="q", text="Q?", highest=10), *cells)
    assert cure in refused.value.way_out
