"""Noise for beliefs that share at most so many bits: how much, what it is certified for, and what it releases."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest

import sfumato as sf
from sfumato.errors import InvalidParameter
from sfumato.measures import amplitude_ratio
from sfumato.measures.beliefs import believed_bits, people_bits
from sfumato.measures.dependence import ANYONE, NOBODY, Correlation
from sfumato.noise import believed_count, believed_mean, believed_sum
from sfumato.noise.reaccounting import bits_of
from sfumato.noise.shared_bits import least_deviation, least_deviation_for
from sfumato.noise.shared_bits_designs import believed_lines
from sfumato.sampling import InsecureSeeded

pytestmark = pytest.mark.filterwarnings("ignore::sfumato.errors.InsecureBitsWarning")

# n, c, and for .1 and 1 bit: σ for any product law, and σ against anyone.
TABLE = [
    (100, 1, 16.70, 129.6, 3.417, 23.13),
    (100, 10, 50.97, 129.6, 15.76, 23.13),
    (100, 100, 129.6, 129.6, 23.13, 23.13),
    (10**4, 1, 155.4, 12964, 22.12, 2313),
    (10**4, 10, 500.1, 12964, 154.5, 2313),
    (10**4, 100, 1582, 12964, 499.1, 2313),
    (10**6, 1, 1542, 1296385, 169.4, 231317),
    (10**6, 10, 4989, 1296385, 1541, 231317),
    (10**6, 100, 15809, 1296385, 4988, 231317),
]


@pytest.fixture(scope="module")
def mean():
    return believed_mean(0, 1, 10**4, budget_bits=0.1, shared_bits=10)


@pytest.mark.parametrize(("records", "shared", "tenth", "anyone_tenth", "one", "anyone_one"), TABLE)
def test_the_table_of_the_page(records, shared, tenth, anyone_tenth, one, anyone_one):
    for budget, wanted, anyone in ((0.1, tenth, anyone_tenth), (1.0, one, anyone_one)):
        # Against anyone by the capacity under an amplitude limit, whose enclosure is held against the budget.
        against_anyone = records / 2 / math.sqrt(amplitude_ratio(budget))
        found = min(float(least_deviation(records, Fraction(shared), budget)), against_anyone)
        assert found == pytest.approx(wanted, rel=4e-4)
        assert against_anyone == pytest.approx(anyone, rel=4e-4)
        # What certificates compare with needs no search, and is hardly more.
        assert against_anyone <= float(least_deviation_for(records, budget)) * (1 + 1e-9) <= 1.06 * against_anyone


def test_independent_records_need_the_noise_of_one():
    assert float(least_deviation_for(1, 0.1)) == pytest.approx(1.296, rel=1e-3)
    assert float(least_deviation(10**6, Fraction(0), 0.1)) == pytest.approx(1.2967, rel=1e-3)


def test_the_least_noise_is_within_the_budget_and_less_is_not():
    for records, shared, budget in ((100, 3, 0.1), (10**6, 10, 0.3), (2, Fraction(1, 10), 0.01)):
        found = least_deviation(records, Fraction(shared), budget)
        assert believed_bits(records, shared, 1 / found**2).upper <= budget
        less = found * (1 - Fraction(3, 10**5))
        assert believed_bits(records, shared, 1 / less**2).lower > budget


def test_the_mean_of_a_million():
    found = believed_mean(0, 1, 10**6, budget_bits=0.1, shared_bits=10)
    assert found.deviation <= 0.0051
    assert 1.29 <= found.anyone_deviation <= 1.3
    assert found.capacity_bits.upper <= 0.1
    assert found.grid == Fraction(1, 10**4)


def test_a_mean_is_a_sum_in_another_unit(mean):
    total = believed_sum(0, 1, 10**4, budget_bits=0.1, shared_bits=10)
    assert total.deviation == mean.deviation * 10**4
    assert total.capacity_bits == mean.capacity_bits
    count = believed_count(10**4, budget_bits=0.1, shared_bits=10)
    assert (count.deviation, count.capacity_bits, count.grid) == (total.deviation, total.capacity_bits, 1)
    wide = believed_sum(-300, 200, 10**4, budget_bits=0.1, shared_bits=10)
    assert wide.deviation == 500 * total.deviation


def test_bits_under_every_assumption(mean):
    assert mean.correlated == Correlation(shared_bits=Fraction(10))
    assert mean.bits_for(mean.correlated) == mean.capacity_bits.upper
    nobody, five, anyone = (mean.bits_for(Correlation.of(who)) for who in ("nobody", 5, "anyone"))
    assert nobody < five < mean.capacity_bits.upper < anyone
    assert mean.bits_for(Correlation.of(10**9)) == anyone
    assert anyone == pytest.approx(mean.anyone_bits.upper, abs=3e-12)
    assert nobody == pytest.approx(mean.independent_bits.upper, abs=3e-12)
    less, more = (mean.bits_for(Correlation(shared_bits=Fraction(shared))) for shared in (1, 100))
    assert less < mean.capacity_bits.upper < more
    assert mean.bits_for(Correlation(shared_bits=Fraction(0))) == pytest.approx(nobody, rel=1e-9)
    assert NOBODY != ANYONE


def test_a_plain_record_is_enough_to_count_again(mean):
    assert mean.reaccounting.kind == "normal"
    told = json.loads(json.dumps(mean.reaccounting.parameters))
    ratio = Fraction(told["squared_reach"]) / Fraction(told["deviation"]) ** 2
    assert (told["dimension"], told["squared_radius"]) == (1, "1/4")
    assert people_bits(told["records"], ratio).upper == mean.bits_for(ANYONE) == bits_of(mean.reaccounting, ANYONE)
    for shared in (10, 20):
        bits = bits_of(mean.reaccounting, Correlation(shared_bits=Fraction(shared)))
        assert bits == believed_bits(told["records"], Fraction(shared), ratio).upper
    assert bits_of(mean.reaccounting, mean.correlated) <= mean.capacity_bits.upper < bits


class TestReleasing:
    def test_it_is_near_the_truth_and_on_the_grid(self):
        design = believed_mean(0, 10, 400, budget_bits=0.5, shared_bits=1)
        values = [Fraction(k % 11) for k in range(400)]
        true = sum(values) / 400
        found = [design.release(values, InsecureSeeded(seed)) for seed in range(200)]
        assert all((one / design.grid).denominator == 1 for one in found)
        errors = np.array([float(one - true) for one in found]) / float(design.deviation)
        assert abs(errors.mean()) < 0.25
        assert 0.85 < errors.std() < 1.15

    def test_sums_of_all_kinds_of_numbers_are_exact(self):
        design = believed_sum(0, 1, 4, budget_bits=0.5, shared_bits=Fraction(1, 10), grid=Fraction(1, 10**6))
        values = [0.1, Fraction(1, 3), 1, np.float64(0.25)]
        exact = [Fraction(1, 10), Fraction(1, 3), Fraction(1), Fraction(1, 4)]
        assert design.release(values, InsecureSeeded(4)) == design.release(exact, InsecureSeeded(4))

    def test_values_outside_are_refused_without_being_told_unless_clipped(self):
        design = believed_sum(0, 1, 3, budget_bits=0.5, shared_bits=0)
        clipping = believed_sum(0, 1, 3, budget_bits=0.5, shared_bits=0, clip=True)
        with pytest.raises(InvalidParameter, match="lies outside") as caught:
            design.release([0, 1, 77123])
        assert "77123" not in str(caught.value)
        inside = clipping.release([0, 1, 1], InsecureSeeded(2))
        assert clipping.release([-5, 77123, 1], InsecureSeeded(2)) == inside
        for wrong in ("5", None, math.nan, math.inf):
            for one in (design, clipping):
                with pytest.raises(InvalidParameter, match="private value must be a finite number"):
                    one.release([0, 1, wrong])

    def test_the_number_of_records_is_the_planned_one(self, mean):
        with pytest.raises(InvalidParameter, match="must be the 10000 records"):
            mean.release([0.5])

    def test_counts_are_whole_and_possible(self):
        count = believed_count(100, budget_bits=0.5, shared_bits=1)
        assert count.release(40, InsecureSeeded(1)).denominator == 1
        for wrong in (-1, 101, 0.5, "many"):
            with pytest.raises(InvalidParameter, match="private") as caught:
                count.release(wrong)
            assert str(wrong) not in str(caught.value)


class TestTheDoor:
    @pytest.mark.parametrize(
        ("wrong", "name"),
        [
            ({"low": 1}, "low"),
            ({"records": 0}, "records"),
            ({"records": 2.5}, "records"),
            ({"budget_bits": 0}, "budget_bits"),
            ({"budget_bits": 9}, "budget_bits"),
            ({"shared_bits": -1}, "shared_bits"),
            ({"shared_bits": math.inf}, "shared_bits"),
            ({"grid": 0}, "grid"),
        ],
    )
    def test_what_cannot_be(self, wrong, name):
        right = {"low": 0, "high": 1, "records": 1000, "budget_bits": 0.1, "shared_bits": 1}
        with pytest.raises(InvalidParameter, match=name):
            believed_mean(**{**right, **wrong})

    def test_an_assumption_that_saves_nothing_is_refused(self):
        with pytest.raises(InvalidParameter, match="less noise protects against anyone"):
            believed_count(100, budget_bits=0.1, shared_bits=100)

    def test_a_bit_is_no_limit_for_yes_or_no(self):
        with pytest.raises(InvalidParameter, match="holds 1 bit at most"):
            believed_count(100, budget_bits=1, shared_bits=1)


class TestCertificate:
    def test_it_says_whom_it_covers_and_whom_not(self, mean):
        said = " ".join(claim.sentence for claim in mean.certificate.claims)
        assert "differ from independent records by at most 10 bits over the whole data set" in said
        assert "even if they know other records exactly" in said
        assert "Whoever believes that all records move together is not covered" in said
        assert "noise with a deviation of 1.297 would be enough" in said
        sf.verify(sf.Certificate.from_json(mean.certificate.to_json()))
        assert sf.certify(mean) == mean.certificate

    def test_the_assumption_stands_beside_the_budget(self, mean):
        assert [claim.measure for claim in mean.certificate.claims][:2] == ["believed_bits", "assumed_shared_bits"]
        lines = dict(believed_lines(mean))
        assert lines["to beliefs that share at most"] == "10 bits over the whole data set (assumed)"
        assert "1.297 would be enough" in lines["against anyone"]
        shown = mean._repr_html_()
        assert "to beliefs that share at most" in shown
        assert "adds at most" in shown

    @pytest.mark.parametrize("budget", [1e-6, 1e-4, 0.5])
    @pytest.mark.parametrize("records", [1, 2, 10**9])
    def test_from_end_to_end_of_what_can_be_asked(self, budget, records):
        made = believed_sum(Fraction(1, 3), 7, records, budget, Fraction(1, 50))
        sf.verify(made.certificate)
        assert made.capacity_bits.upper <= budget

    def test_released_with_its_certificate(self, tmp_path, mean):
        told = sf.release_noise(mean, [0.5] * 10**4, out=tmp_path / "mean.json", insecure_seed=7)
        assert abs(told.value - 0.5) < 0.4
        assert told.capacity_bits == mean.capacity_bits.upper
        sf.verify(sf.Certificate.read(told.certificate))
