"""Noise for beliefs beyond households, on histograms and vectors, and where the law of a record is public."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import sfumato as sf
from sfumato.bits import InsecureSeeded
from sfumato.design import believed_count, believed_histogram, believed_mean, believed_sum, believed_vector
from sfumato.design.belief_calibration import least_deviation, least_known_deviation
from sfumato.design.recounts import bits_of
from sfumato.errors import ClaimRefused, InvalidParameter
from sfumato.measures import amplitude_ratio
from sfumato.measures.beliefs import Ball, believed_bits
from sfumato.render.believed_noises import believed_lines
from sfumato.values.correlation import ANYONE, Correlation

pytestmark = pytest.mark.filterwarnings("ignore::sfumato.errors.InsecureBitsWarning")

# n, c, and σ at .1 and 1 bit where one record in ten is a yes, as first computed; here as much noise or less.
KNOWN = [
    (100, 1, 14.44, 3.417), (100, 10, 42.11, 9.364), (100, 100, 115.6, 23.13),
    (10**4, 1, 132.7, 22.12), (10**4, 10, 358.4, 74.86), (10**4, 100, 1278, 244.2),
    (10**6, 1, 1314, 169.4), (10**6, 10, 3278, 729.7), (10**6, 100, 9886, 2122),
]  # fmt: skip
TENTH = Fraction(1, 10)


@pytest.fixture(scope="module")
def known():
    return believed_count(100, budget_bits=0.1, shared_bits=1, known_share=TENTH)


@pytest.fixture(scope="module")
def households():
    return believed_count(10**4, budget_bits=0.1, shared_bits=10, people=5)


@pytest.mark.slow
@pytest.mark.parametrize(("records", "shared", "tenth", "one"), KNOWN)
def test_the_table_of_the_page(records, shared, tenth, one):
    for budget, wanted in ((0.1, tenth), (1.0, one)):
        found = float(least_known_deviation(records, Fraction(shared), budget, TENTH)[0])
        found = min(found, records / 2 / math.sqrt(amplitude_ratio(budget)))
        assert found <= wanted * (1 + 4e-4)
        assert found >= 0.75 * wanted


class TestPublicLaw:
    def test_one_release_keeps_the_budget_and_accounts_book_more(self, known):
        assert float(known.deviation) == pytest.approx(14.44, abs=0.005)
        assert known.known_share_bits.upper <= 0.1 < known.capacity_bits.upper
        assert known.capacity_bits.upper == pytest.approx(believed_bits(100, 1, 1 / known.deviation**2).upper, abs=1e-9)
        assert bits_of(known.recount, known.correlated) == pytest.approx(known.capacity_bits.upper, abs=3e-12)

    def test_it_is_certified_and_says_for_whom(self, known):
        sf.verify(sf.Certificate.from_json(known.certificate.to_json()))
        said = known.certificate["known_share_bits"].sentence
        assert "For one release only, and where the law is public" in said
        assert "each is a yes with probability 1/10" in said
        assert any("each record a yes with probability 1/10" in words for _, words in believed_lines(known))

    @pytest.mark.parametrize("change", [
        {"share": Fraction(1, 3)}, {"own_share": Fraction(1, 2)},
    ])  # fmt: skip
    def test_another_law_or_division_does_not_prove_it(self, known, change):
        wrong = replace(known.certificate, subject=replace(known.subject, known=replace(known.subject.known, **change)))
        with pytest.raises(ClaimRefused, match="known_share_bits"):
            sf.verify(wrong)

    def test_an_even_law_gains_nothing(self):
        even = believed_count(100, budget_bits=0.1, shared_bits=1, known_share=Fraction(1, 2))
        assert float(even.deviation) == pytest.approx(float(least_deviation(100, Fraction(1), 0.1)), rel=1e-4)

    def test_what_cannot_be(self):
        for wrong, name in (
            ({"known_share": 0}, "known_share"), ({"known_share": 2}, "known_share"),
            ({"known_share": 0.1, "people": 2}, "known_share"), ({"known_share": 0.1, "records": 10**9}, "records"),
        ):  # fmt: skip
            with pytest.raises(InvalidParameter, match=name):
                believed_count(**{"records": 100, "budget_bits": 0.1, "shared_bits": 1, **wrong})


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


class TestVectors:
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
        design = believed_vector(3, Fraction(1, 2), 400, 0.3, 2, people=people)
        ball = Ball.of_diameter(3)
        for part, fits in ((1, True), (1 - Fraction(1, 10**4), False)):
            ratio = Fraction(1, 4) / (design.deviation * part) ** 2
            assert (believed_bits(400, 2, ratio, people=people, ball=ball).upper <= 0.3) is fits
        sf.verify(design.certificate)
        assert len(design.release([1, 2, 3], InsecureSeeded(1))) == 3

    def test_one_histogram_takes_less_noise_than_its_counts(self):
        """Each count of four with a quarter of the budget, beside all four together."""
        together = believed_histogram(4, 10**4, 0.1, 10).deviation
        assert together < believed_count(10**4, 0.025, 10).deviation
        sf.verify(believed_histogram(4, 10**4, 0.1, 10).certificate)

    def test_what_cannot_be(self):
        for wrong in (
            lambda: believed_histogram(1, 10, 0.1, 1), lambda: believed_histogram(["a", "a"], 10, 0.1, 1),
            lambda: believed_vector(0, 1, 10, 0.1, 1), lambda: believed_vector(2, 0, 10, 0.1, 1),
            lambda: believed_histogram(3, 10, 0.1, 1, people=0),
        ):  # fmt: skip
            with pytest.raises(InvalidParameter):
                wrong()
