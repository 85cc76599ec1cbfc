"""A mask over an array says that an entry is not to be used. numpy takes it off in silence; nothing is made from it."""

from fractions import Fraction

import numpy as np
import pytest

import sfumato as sf
from sfumato import disclosure, mechanisms
from sfumato.errors import InvalidInput, InvalidParameter
from sfumato.sampling import RowDraws, SystemBits
from sfumato.study import YesNo

COLUMN = np.ma.array([0, 1, 1, 0, 1, 0], mask=[0, 1, 0, 0, 0, 0])
NUMBERS = np.ma.array([0.5, 0.25, 0.75], mask=[0, 1, 0])
LISTED = [0, np.ma.masked, 1]
TABLE = np.ma.array([[0, 1], [1, 1]], mask=[[0, 1], [0, 0]])
STUDY = sf.Study(name="s", questions=(YesNo(id="q", text="?"),), public_epsilon=Fraction(1))
HALF = [Fraction(1, 2), Fraction(1, 2)]


@pytest.mark.parametrize(
    "release",
    [
        lambda: mechanisms.RandomizedResponse(size=2, odds=Fraction(3)).privatize(COLUMN),
        lambda: mechanisms.RandomizedResponse(size=2, odds=Fraction(3)).privatize(LISTED),
        lambda: mechanisms.SymmetricUnary(size=8, odds=Fraction(3)).tally(TABLE),
        lambda: sf.Ladder.within(size=2, epsilons=(2.0, 1.0)).publish(COLUMN),
        lambda: disclosure.optimum(np.full((2, 2), 0.25)).release(TABLE),
        lambda: disclosure.optimum(np.full((2, 2), 0.25)).release([[0, np.ma.masked]]),
        lambda: disclosure.RunningSums(modulus=2).release(COLUMN),
        lambda: disclosure.QuantileCells.from_reference(NUMBERS, 2),
        lambda: disclosure.QuantileCells.from_reference(NUMBERS.data, 2).release(NUMBERS),
        lambda: disclosure.optimum_of_counts([Fraction(1, 4), Fraction(1, 2), Fraction(1, 4)]).release(COLUMN),
        lambda: sf.noise.gaussian(bound=1, budget_bits=1).release(NUMBERS[1]),
        lambda: RowDraws(sf.Channel([HALF, HALF])).draw(SystemBits(), COLUMN),
    ],
)
def test_what_a_mask_hides_is_not_released(release):
    with pytest.raises(InvalidParameter) as caught:
        release()
    assert not any(digit in str(caught.value) for digit in ("0.25", "'yes'"))


@pytest.mark.parametrize("column", [np.ma.array(["no", "yes"], mask=[0, 1]), COLUMN, ["no", np.ma.masked, "no"]])
def test_a_hidden_answer_is_an_empty_one(column):
    with pytest.raises(InvalidInput, match=r"column q, row 2 is empty|mixed kinds in column") as caught:
        sf.publish(STUDY, {"q": column}, insecure_seed=1)
    assert "'yes'" not in str(caught.value)


def test_what_a_mask_hides_is_not_kept_in_public():
    made = sf.publish(STUDY, {"q": ["no"] * 6, "r": COLUMN}, keep=["r"], insecure_seed=1)
    assert made.reports.table["r"].to_pylist() == [0, None, 1, 0, 1, 0]
