"""Bits of one release under a public law: the table's witnesses, other ways to the same numbers, and adversaries."""

import math
from decimal import Context, Decimal
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import simpson
from scipy.stats import norm

from belief_adversaries import laws_of_record_and_sum, most_told
from sfumato.errors import InvalidParameter
from sfumato.measures.beliefs import believed_bits, one_release_bits
from sfumato.measures.bit_contractions import known_contraction, universal_contraction
from sfumato.measures.known_shares import (
    Mixture,
    best_known_split,
    best_mixture,
    known_split_bits,
    mixture_bits,
)

TENTH = Fraction(1, 10)
DIGITS = Context(prec=60)

# n, c, bits, σ of the page, and what proves it: T², μ, α, λ. The first three are Theorem 3 where Theorem 1 is better.
PROOFS = [
    (100, 1, 0.1, "16.13", "299.04", "10.53", "1.7677e-16", "0.062197"),
    (10**4, 1, 0.1, "149.6", "25723", "1001.1", "1.9146e-15", "0.048178"),
    (10**6, 1, 0.1, "1496", "2.5719e+06", "1e+05", "1.5093e-17", "0.047992"),
    (100, 10, 0.1, "42.11", "2037.4", "12.02", "2.077e-17", "0.0086392"),
    (100, 100, 0.1, "115.6", "15370", "28.542", "2.3581e-21", "0.0006381"),
    (10**4, 10, 0.1, "358.4", "1.4568e+05", "1003.4", "0.00061502", "0.0085533"),
    (10**4, 100, 0.1, "1278", "1.8379e+06", "1018.2", "0.0011341", "0.00091599"),
    (10**6, 10, 0.1, "3278", "1.2345e+07", "1.0001e+05", "1.8947e-06", "0.0077432"),
    (10**6, 100, 0.1, "9886", "1.1161e+08", "1.0003e+05", "0.00030244", "0.00091665"),
    (100, 10, 1, "9.364", "308.13", "12.161", "0.009085", "0.053451"),
    (10**4, 10, 1, "74.86", "21744", "1004.8", "0.0014147", "0.048366"),
    (10**4, 100, 1, "244.2", "2.1475e+05", "1025.8", "0.0065384", "0.0057375"),
    (10**6, 10, 1, "729.7", "2.1296e+06", "1.0001e+05", "9.5488e-12", "0.044837"),
    (10**6, 100, 1, "2122", "1.7706e+07", "1.0004e+05", "0.00064494", "0.0053655"),
]
# c = 1 at .1 bit, by the contraction of the law: n, σ of the page, and the share that guards a record by itself.
DIVIDED = [(100, "14.44", "0.0945"), (10**4, "132.7", "0.0104"), (10**6, "1314", "0.00105")]


def half_a_digit(text):
    """The largest number that is printed like this."""
    return Fraction(text) + Fraction(1, 2 * 10 ** len(text.partition(".")[2]))


def of(deviation):
    return 1 / Fraction(deviation) ** 2


def mixture(spread, centre, rest, rate):
    return Mixture(spread=Fraction(spread), centre=Fraction(centre), rest=Fraction(rest), rate=Fraction(rate))


class TestTable:
    @pytest.mark.parametrize(("records", "shared", "bits", "deviation", "spread", "centre", "rest", "rate"), PROOFS)
    def test_proofs_of_the_page(self, records, shared, bits, deviation, spread, centre, rest, rate):
        found = mixture_bits(records, shared, of(half_a_digit(deviation)), TENTH, mixture(spread, centre, rest, rate))
        assert 0.97 * bits < found.lower <= found.upper <= bits
        assert found.width < 3e-7 * bits  # a million logarithms of factorials

    @pytest.mark.parametrize(("records", "deviation", "own_share"), DIVIDED)
    def test_proofs_by_the_contraction(self, records, deviation, own_share):
        found = known_split_bits(records, 1, of(half_a_digit(deviation)), TENTH, Fraction(own_share))
        assert 0.0995 < found.lower <= found.upper <= 0.1

    @pytest.mark.parametrize(("records", "shared", "deviation"), [(100, 10, "42.11"), (10**4, 100, "1278")])
    def test_the_search_finds_one_as_good(self, records, shared, deviation):
        ratio = of(half_a_digit(deviation))
        assert mixture_bits(records, shared, ratio, TENTH, best_mixture(records, shared, ratio, TENTH)).upper <= 0.1

    def test_the_search_for_a_division_finds_one_as_good(self):
        ratio = of(half_a_digit("14.44"))
        assert known_split_bits(100, 1, ratio, TENTH, best_known_split(100, 1, ratio, TENTH)).upper <= 0.1


def by_decimals(records, shared, ratio, share, found):
    """The bound in sixty digits: the sum itself, without logarithms of binomials."""

    def exact(number):
        return DIGITS.divide(Decimal(number.numerator), Decimal(number.denominator))

    noise = 1 / ratio
    wide = Fraction(records**2, 4) + noise

    def apart(spread):
        return DIGITS.divide(DIGITS.ln(exact(spread / noise)) + exact(noise / spread) - 1, Decimal(2))

    first = apart(found.spread) - DIGITS.ln(exact(1 - found.rest))
    second = apart(wide) - DIGITS.ln(exact(found.rest))
    total = Decimal(0)
    for k in range(records + 1):
        near = first + exact((k - found.centre) ** 2 / (2 * found.spread))
        far = second + exact((k - Fraction(records, 2)) ** 2 / (2 * wide))
        likely = exact(comb(records, k) * share**k * (1 - share) ** (records - k))
        total += DIGITS.multiply(likely, DIGITS.exp(DIGITS.divide(min(near, far), exact(found.rate))))
    two = DIGITS.ln(Decimal(2))
    return DIGITS.divide(DIGITS.multiply(exact(found.rate), exact(Fraction(shared)) * two + DIGITS.ln(total)), two)


class TestMixture:
    @given(
        st.integers(1, 60), st.fractions(0, 20, max_denominator=50),
        st.fractions(Fraction(1, 500), 2, max_denominator=500),
        st.fractions(Fraction(1, 50), Fraction(49, 50), max_denominator=50), st.integers(0, 200), st.integers(1, 40),
        st.fractions(Fraction(1, 30), 3, max_denominator=30),
    )  # fmt: skip
    def test_the_same_by_sixty_digits(self, records, shared, ratio, share, extra, rarely, rate):
        found = Mixture(
            spread=1 / ratio + Fraction(extra, 4), centre=Fraction(extra, 16), rest=Fraction(1, 2**rarely), rate=rate
        )
        bits = mixture_bits(records, shared, ratio, share, found)
        wanted = by_decimals(records, shared, ratio, share, found)
        assert Decimal(bits.lower) <= wanted <= Decimal(bits.upper)
        assert bits.width <= 1e-9 * (1 + bits.upper)

    def test_what_cannot_be(self):
        with pytest.raises(InvalidParameter, match="rest"):
            mixture(1, 0, 1, 1)
        good = mixture(1, 0, Fraction(1, 2), 1)
        for wrong, name in (
            ((0, 1, Fraction(1), TENTH), "records"), ((10**8, 1, Fraction(1), TENTH), "records"),
            ((5, -1, Fraction(1), TENTH), "shared_bits"), ((5, 1, Fraction(0), TENTH), "ratio"),
            ((5, 1, Fraction(1), 0), "share"),
        ):  # fmt: skip
            with pytest.raises(InvalidParameter, match=name):
                mixture_bits(*wrong, good)

    def test_a_float_is_the_decimal_that_it_prints_as(self):
        exact, floats = (100, 10, Fraction(4, 10**4), TENTH), (100, 10, 0.0004, 0.1)
        good = mixture(2113, 12, Fraction(1, 2**55), Fraction(1, 120))
        assert mixture_bits(*floats, good) == mixture_bits(*exact, good)
        assert known_split_bits(*floats, 0.05) == known_split_bits(*exact, Fraction(1, 20))
        assert best_known_split(*floats) == best_known_split(*exact)
        assert known_contraction(0.1, 2.5) == known_contraction(TENTH, Fraction(5, 2))


def seen(one, other, variance):
    """D(Bern(p)*Z‖Bern(q)*Z) by Simpson's rule."""
    deviation = math.sqrt(variance)
    y = np.linspace(-10 * deviation, 1 + 10 * deviation, 4001)
    no, yes = norm.pdf(y, 0, deviation), norm.pdf(y, 1, deviation)
    density, base = (1 - one) * no + one * yes, (1 - other) * no + other * yes
    return simpson(density * np.log(density / base), x=y)


def divergence(one, other):
    return one * math.log(one / other) + (1 - one) * math.log((1 - one) / (1 - other))


class TestContraction:
    @pytest.mark.parametrize("variance", ["0.05", "0.25", "1", "2.5", "25"])
    @pytest.mark.parametrize("share", ["0.1", "0.02", "0.35", "0.9"])
    def test_no_law_is_shrunk_by_less(self, share, variance):
        """The supremum is at 1-q, and the enclosure is tight there; other laws stay below."""
        q, v = float(share), float(variance)
        found = known_contraction(Fraction(share), Fraction(variance))
        assert seen(1 - q, q, v) / divergence(1 - q, q) == pytest.approx(found.midpoint, rel=1e-8)
        assert found.width < 1e-11
        for one in np.linspace(0.01, 0.99, 15):
            if abs(one - q) > 1e-3:
                assert seen(one, q, v) / divergence(one, q) <= found.upper + 1e-9
        assert found.upper < universal_contraction(Fraction(variance))

    def test_the_limit_of_much_noise(self):
        """(1-2q)/(2 ln((1-q)/q))/v."""
        found = known_contraction(TENTH, Fraction(10**5)).upper * 10**5
        assert found == pytest.approx(0.8 / (2 * math.log(9)), rel=1e-4)

    @given(st.fractions(Fraction(1, 1000), Fraction(999, 1000)), st.fractions(Fraction(1, 1000), 10**7))
    def test_never_more_than_for_any_law(self, share, variance):
        found = known_contraction(share, variance)
        assert 0 <= found.lower <= found.upper <= universal_contraction(variance)
        assert known_contraction(1 - share, variance).upper == pytest.approx(found.upper, rel=1e-9, abs=1e-13)

    def test_an_even_law_gains_nothing(self):
        assert known_contraction(Fraction(1, 2), Fraction(2)).upper == universal_contraction(Fraction(2))


class TestAdversaries:
    """They are held against the law itself, so none may exceed what is proved for it."""

    @pytest.mark.parametrize(("shared", "deviation"), [(1, 2.0), (0.2, 0.7)])
    def test_eight_records_quick(self, shared, deviation):
        self.hold(shared, deviation, starts=3)

    @pytest.mark.slow
    @pytest.mark.parametrize("shared", [0.2, 1, 3])
    @pytest.mark.parametrize("deviation", [0.7, 2.0, 5.0])
    def test_eight_records(self, shared, deviation):
        self.hold(shared, deviation, starts=40)

    @staticmethod
    def hold(shared, deviation, starts):
        told = most_told(*laws_of_record_and_sum(8, 0.1, deviation), shared, starts=starts)
        ratio, exact = of(deviation), Fraction(shared)
        limits = [
            mixture_bits(8, exact, ratio, TENTH, best_mixture(8, exact, ratio, TENTH)).upper,
            known_split_bits(8, exact, ratio, TENTH, best_known_split(8, exact, ratio, TENTH)).upper,
        ]
        assert 0.05 * min(limits) < told <= min(limits) + 1e-6
        # And a public law that is lopsided is worth something, where the noise is not little.
        usual = min(believed_bits(8, exact, ratio).upper, one_release_bits(8, exact, ratio).upper)
        assert min(limits) < usual * (1 if deviation > 1 else 1.01)
