"""Noise for beliefs beyond households, and on histograms."""

from fractions import Fraction

import numpy as np
import pytest

import sfumato as sf
from sfumato.errors import InvalidParameter
from sfumato.measures.beliefs import Ball, believed_bits
from sfumato.measures.dependence import ANYONE, Correlation
from sfumato.noise import believed_count, believed_histogram, believed_mean, believed_sum
from sfumato.sampling import InsecureSeeded

pytestmark = pytest.mark.filterwarnings("ignore::sfumato.errors.InsecureBitsWarning")


@pytest.fixture(scope="module")
def households():
    return believed_count(10**4, budget_bits=0.1, shared_bits=10, people=5)


class TestHouseholds:
    def test_the_number_of_the_page(self, households):
        assert round(float(households.deviation)) == 1122
        assert households.capacity_bits.upper <= 0.1
        assert households.correlated == Correlation(people=5, shared_bits=Fraction(10))

    def test_they_are_said(self, households):
        sf.verify(households.certificate)
        said = " ".join(claim.sentence for claim in households.certificate.claims)
        assert "about any one household" in said
        assert "differ from independent households of at most 5 by at most 10 bits" in said

    def test_bits_under_other_assumptions(self, households):
        single = households.bits_for(Correlation(shared_bits=Fraction(10)))
        larger = households.bits_for(Correlation(people=9, shared_bits=Fraction(10)))
        assert single < households.capacity_bits.upper < larger < households.bits_for(ANYONE)

    def test_a_mean_and_a_sum(self):
        total, mean = (make(0, 20, 1000, 0.2, 3, people=4) for make in (believed_sum, believed_mean))
        assert total.deviation == mean.deviation * 1000
        assert total.capacity_bits == mean.capacity_bits


class TestHistograms:
    def test_a_histogram_is_released_whole(self):
        design = believed_histogram(["a", "b", "c"], 900, budget_bits=0.5, shared_bits=2)
        found = np.array([[float(x) for x in design.release([500, 0, 400], InsecureSeeded(k))] for k in range(200)])
        away = (found - [500, 0, 400]) / float(design.deviation)
        assert abs(away.mean()) < 0.2
        assert 0.85 < away.std() < 1.15
        assert abs(np.corrcoef(away.T)[0, 1]) < 0.3
        for wrong in ([1, 2], [1, 2, -1], [900, 1, 0], [0.5, 0, 0]):
            with pytest.raises(InvalidParameter) as caught:
                design.release(wrong)
            assert "900" not in str(caught.value) or "records" in str(caught.value)

    @pytest.mark.parametrize("people", [1, 3])
    def test_the_noise_is_the_least(self, people):
        design = believed_histogram(3, 400, 0.3, 2, people=people)
        ball = Ball.of_cells(3)
        for part, fits in ((1, True), (1 - Fraction(1, 10**4), False)):
            ratio = 2 / (design.deviation * part) ** 2
            assert (believed_bits(400, 2, ratio, people=people, ball=ball).upper <= 0.3) is fits
        sf.verify(design.certificate)

    def test_one_histogram_takes_less_noise_than_its_counts(self):
        """Each count of four with a quarter of the budget, beside all four together."""
        together = believed_histogram(4, 10**4, 0.1, 10).deviation
        assert together < believed_count(10**4, 0.025, 10).deviation
        sf.verify(believed_histogram(4, 10**4, 0.1, 10).certificate)

    def test_what_cannot_be(self):
        for wrong in (
            lambda: believed_histogram(1, 10, 0.1, 1), lambda: believed_histogram(["a", "a"], 10, 0.1, 1),
            lambda: believed_histogram(3, 10, 0.1, 1, people=0),
        ):  # fmt: skip
            with pytest.raises(InvalidParameter):
                wrong()
