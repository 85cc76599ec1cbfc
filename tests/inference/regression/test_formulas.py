"""Formulas: their columns are formulaic's, their language is arithmetic and transforms, and nothing else runs."""

import sys

import formulaic
import numpy as np
import pandas as pd
import pytest

from sfumato.errors import InvalidParameter
from sfumato.inference.regression import RandomisedColumn, fit_outcome, fit_predictor, model_frame

RNG = np.random.default_rng(51)
PEOPLE = 60
COLUMNS = {
    "age": RNG.uniform(20, 60, PEOPLE),
    "region": np.array(["north", "south", "west"])[RNG.integers(0, 3, PEOPLE)],
    "wave": RNG.integers(1, 4, PEOPLE),
    "net pay": RNG.uniform(1, 9, PEOPLE),
}
RANDOMISED = {"affair": ("no", "yes"), "drug": ("never", "once", "often")}


@pytest.mark.parametrize(
    "right",
    [
        "age",
        "age + C(region)",
        "age*region - age",
        "I(age**2) + log(age) + `net pay`",
        "center(age):region + C(wave)",
        "C(region, contr.treatment(base='south')) + C(region, Treatment('west')):age",
        "poly(age, degree=2) + C(region, contr.sum)",
        "0 + region",
        "log(`net pay`) + {age / 10}",
    ],
)
def test_columns_are_formulaics(right):
    found = model_frame(f"affair ~ {right}", COLUMNS, RANDOMISED)
    wanted = formulaic.Formula(right).get_model_matrix(pd.DataFrame(COLUMNS), context={})
    assert (found.outcome, found.predictors, len(found.designs)) == ("affair", (), 1)
    assert found.designs[0].names == tuple(wanted.columns)
    assert found.designs[0].values == pytest.approx(wanted.to_numpy(dtype=float))


def test_a_randomised_predictor_is_evaluated_for_each_answer():
    found = model_frame("affair ~ age + drug*C(region)", COLUMNS, RANDOMISED)
    assert found.predictors == ("drug",)
    assert len(found.designs) == 3
    for label, design in zip(RANDOMISED["drug"], found.designs, strict=True):
        whole = [
            pd.DataFrame(COLUMNS).assign(drug=pd.Categorical([one] * PEOPLE, categories=RANDOMISED["drug"]))
            for one in RANDOMISED["drug"]
        ]
        spread = formulaic.Formula("age + drug*C(region)").get_model_matrix(pd.concat(whole), context={})
        place = RANDOMISED["drug"].index(label)
        assert design.names == tuple(spread.columns)
        assert design.values == pytest.approx(spread.to_numpy(dtype=float)[place * PEOPLE : (place + 1) * PEOPLE])
    assert set(found.given.names) == {"Intercept", "age", "C(region)[T.south]", "C(region)[T.west]"}


def test_two_randomised_predictors_vary_with_the_last_fastest():
    randomised = RANDOMISED | {"drink": ("no", "yes")}
    found = model_frame("age ~ drug:drink + 0", COLUMNS, randomised)
    assert (found.predictors, len(found.designs)) == (("drug", "drink"), 6)
    assert found.given.names == ("Intercept",)
    assert len({design.values.tobytes() for design in found.designs}) == 6
    second = dict(zip(found.designs[1].names, found.designs[1].values[0], strict=True))
    assert all(name.startswith(("drug[never]", "drink[")) for name, value in second.items() if value)
    many = {name: tuple("abcd") for name in ("u", "v")}
    with pytest.raises(InvalidParameter, match="16 combinations"):
        model_frame("age ~ u + v", COLUMNS, many)


def test_from_formula_to_fit():
    frame = model_frame("affair ~ age + region", COLUMNS, RANDOMISED)
    column = RandomisedColumn.observed(np.arange(PEOPLE) % 2, ("no", "yes"), name="affair")
    assert fit_outcome("logistic", column, frame.designs[0])["age"].standard_error > 0
    frame = model_frame("age ~ drug + `net pay`", COLUMNS, RANDOMISED)
    drug = RandomisedColumn.observed(np.arange(PEOPLE) % 3, RANDOMISED["drug"], name="drug")
    fit = fit_predictor("linear", COLUMNS["age"], frame.designs, drug, frame.given)
    assert fit["drug[T.often]"].standard_error > 0


@pytest.mark.parametrize(
    "right",
    [
        "__import__('os').system('true')",
        "I(__import__('os').getpid())",
        "{__import__('os').getpid()}",
        "I(age.__class__)",
        "age.mean()",
        "np.log(age)",
        "I(open('/etc/passwd'))",
        "I([age for _ in (1,)][0])",
        "I((lambda: 1)())",
        "I(age if age else 1)",
        "I(9**9**9**9)",
        "I(age**999)",
        "C(region, contr.custom)",
        "C(region, contr.treatment('a\"]+__import__(1)+b[\"'))",
        "C(age, _state={})",
        "poly(age, degree=100000)",
        "I('a' * 100)",
        "Q('age')",
        "hashed(region, levels=3)",
        "lag(age)",
    ],
)
def test_a_formula_is_no_program(right, monkeypatch):
    def caught(*_):
        raise AssertionError("formulaic was handed an expression that is no formula's")

    monkeypatch.setattr("sfumato.inference.regression.formula._matrix", caught)
    with pytest.raises(InvalidParameter) as found:
        model_frame(f"affair ~ {right}", COLUMNS, RANDOMISED)
    assert found.value.parameter == "formula"


def test_names_of_the_callers_frame_are_not_seen():
    hidden = COLUMNS["age"]
    assert len(hidden) == PEOPLE
    with pytest.raises(InvalidParameter, match=r"'hidden'.*known are: affair, age, drug, net pay, region, wave"):
        model_frame("affair ~ hidden", COLUMNS, RANDOMISED)
    with pytest.raises(InvalidParameter, match="'hidden'"):
        model_frame("affair ~ I(hidden**2)", COLUMNS, RANDOMISED)


UNREADABLE = [
    "age",
    "affair ~",
    "affair ~ age ~ wave",
    "affair ~ age |",
    "affair ~ age | wave",
    "affair ~ (age",
    "height ~ age",
    "affair ~ affair",
    "log(affair) ~ age",
    "affair ~ " + "age + " * 500 + "1",
    "affair ~ log(region)",
]


@pytest.mark.parametrize("formula", UNREADABLE)
def test_what_cannot_be_read_is_a_sentence(formula):
    with pytest.raises(InvalidParameter) as found:
        model_frame(formula, COLUMNS, RANDOMISED)
    assert found.value.way_out


def test_gaps_are_counted_and_their_column_named():
    gaps = COLUMNS | {"age": np.where(np.arange(PEOPLE) < 3, np.nan, 30.0)}
    with pytest.raises(InvalidParameter, match="'age', which has 3 rows"):
        model_frame("affair ~ age", gaps, RANDOMISED)
    assert model_frame("affair ~ wave", gaps, RANDOMISED).designs[0].names == ("Intercept", "wave")
    with pytest.raises(InvalidParameter, match="infinite"):
        model_frame("affair ~ log(nothing)", COLUMNS | {"nothing": np.zeros(PEOPLE)}, RANDOMISED)


def test_without_formulaic(monkeypatch):
    monkeypatch.setitem(sys.modules, "formulaic", None)
    with pytest.raises(InvalidParameter, match=r"sfumato\[analysis\]"):
        model_frame("affair ~ age", COLUMNS, RANDOMISED)
