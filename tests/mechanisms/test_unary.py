"""Unary encodings: the law of every word, the odds that thresholds really give, and what comes back."""

import itertools
import json
import math
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mechanism_strategies import enumerated, unary_encodings
from sfumato import measures, mechanisms
from sfumato.certificates import Relation, audit_counts, certify
from sfumato.errors import InvalidParameter
from sfumato.mechanisms import OptimisedUnary, PermanentUnary, SymmetricUnary
from sfumato.numbers.intervals import ln_bounds
from sfumato.sampling import InsecureSeeded, Tally

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "unary.json").read_text())
FORMS = [SymmetricUnary, OptimisedUnary]


@given(mechanism=unary_encodings())
def test_sampled_odds_are_those_of_the_channel_and_keep_the_promise(mechanism):
    assert measures.odds(mechanism.channel()) == mechanism.sampled_odds <= mechanism.odds
    assert mechanism.claim.value == mechanism.sampled_odds


@given(
    form=st.sampled_from(FORMS),
    odds=st.fractions(1, 10**6, max_denominator=10**9),
    width=st.integers(1, 64),
)
def test_thresholds_are_the_tightest_that_keep_the_promise(form, odds, width):
    """One word fewer for a zero would break the promise: proved in exact fractions, at every width."""
    mechanism = form(size=1000, odds=odds, width=width)
    assert mechanism.sampled_odds <= odds
    own, other = mechanism.thresholds
    assert 1 <= other <= own < 1 << width
    if other > 1:
        words, less = 1 << width, other - 1
        tighter_own = words - less if form is SymmetricUnary else own
        assert Fraction(tighter_own * (words - less), less * (words - tighter_own)) > odds


def test_the_certificate_is_about_the_sampled_law():
    mechanism = SymmetricUnary.within(size=3, epsilon=1.0)
    certificate = certify(mechanism)
    assert certificate["odds"].value == mechanism.sampled_odds < Fraction(math.e)
    assert "integer thresholds" in certificate.notes[0]


@pytest.mark.parametrize("case", VECTORS["laws"], ids=lambda case: f"{case['form']} {case['size']} {case['odds']}")
def test_vectors(case):
    mechanism = getattr(mechanisms, case["form"])(size=case["size"], odds=Fraction(case["odds"]))
    assert mechanism.probabilities == (Fraction(case["own"]), Fraction(case["other"]))
    assert mechanism.sampled_odds == mechanism.odds
    assert mechanism.law(0) == tuple(Fraction(p) for p in case["law_of_0"])


class TestPermanentPart:
    mechanism = PermanentUnary(size=2, odds=Fraction(9), fresh_odds=Fraction(3), width=2)

    @given(
        odds=st.fractions(1, 100, max_denominator=100),
        fresh=st.fractions(1, 100, max_denominator=100),
        width=st.integers(2, 64),
    )
    def test_one_report_is_the_channel_and_unlimited_reports_are_the_permanent_odds(self, odds, fresh, width):
        mechanism = PermanentUnary(size=3, odds=odds, fresh_odds=fresh, width=width)
        one, unlimited = mechanism.claims
        assert one.value == mechanism.sampled_odds == mechanism.odds_after(1) == measures.odds(mechanism.channel())
        assert unlimited.value == mechanism.permanent_part.sampled_odds <= odds
        assert unlimited.relation is Relation.AT_MOST
        assert Fraction((1 << width) - mechanism.fresh_threshold, mechanism.fresh_threshold) <= fresh
        ladder = [mechanism.odds_after(reports) for reports in (1, 2, 3, 50)]
        assert ladder == sorted(ladder)
        assert ladder[-1] <= unlimited.value

    @pytest.mark.parametrize("reports", [1, 2, 3])
    def test_odds_of_several_reports_by_writing_out_all_of_them(self, reports):
        """P(all reports | x) sums over the permanent report; the largest ratio over all of them is odds_after."""
        own, other = self.mechanism.permanent_part.probabilities
        flip = Fraction(self.mechanism.fresh_threshold, 4)

        def likelihood(x, seen):
            total = Fraction(0)
            for kept in itertools.product((0, 1), repeat=2):
                p = Fraction(1)
                for i, bit in enumerate(kept):
                    one = own if i == x else other
                    p *= one if bit else 1 - one
                    for report in seen:
                        p *= flip if report[i] != bit else 1 - flip
                total += p
            return total

        alphabet = list(itertools.product((0, 1), repeat=2))
        ratios = [likelihood(0, seen) / likelihood(1, seen) for seen in itertools.product(alphabet, repeat=reports)]
        assert max(ratios) == self.mechanism.odds_after(reports)

    def test_unlimited_reports_reach_the_permanent_odds_and_fresh_permanent_parts_pass_them(self):
        mechanism = PermanentUnary(size=2, odds=Fraction(9))
        assert float(mechanism.odds_after(200)) == pytest.approx(9, rel=1e-9)
        forgetful = mechanism.sampled_odds**8  # a new permanent part for each of eight reports
        assert forgetful > 9 > mechanism.odds_after(8)

    def test_a_stored_permanent_report_serves_every_round(self):
        mechanism = PermanentUnary(size=4, odds=Fraction(49))
        answers = np.repeat([0, 1, 2, 3], [10_000, 5_000, 4_000, 1_000])
        kept = mechanism.permanent(answers, InsecureSeeded(2))
        for round_ in range(3):
            reports = mechanism.instantaneous(kept, InsecureSeeded(10 + round_))
            estimate = mechanism.estimate(mechanism.tally(reports))
            assert abs(estimate.raw[0] - 0.5) < 6 * estimate.standard_errors[0]

    def test_bad_fresh_odds(self):
        with pytest.raises(InvalidParameter, match=r"fresh_odds=2\.5 must be exact"):
            PermanentUnary(size=2, odds=Fraction(3), fresh_odds=2.5)
        with pytest.raises(InvalidParameter, match="reports=0 must be at least 1"):
            self.mechanism.odds_after(0)


def test_erratum_of_table_1():
    """Flipping with 1/(e^ε+1), as the printed randomness of RAPPOR has it, samples odds e^(2ε)."""

    def flip_bits(p):
        return -float(p) * math.log2(p) - float(1 - p) * math.log2(1 - p)

    right = SymmetricUnary.within(size=2, epsilon=1.0)
    printed = SymmetricUnary.within(size=2, epsilon=2.0)
    assert float(printed.probabilities[1]) == pytest.approx(1 / (math.e + 1), abs=1e-9)
    assert ln_bounds(printed.sampled_odds)[0] == pytest.approx(2.0, abs=1e-9)
    assert flip_bits(right.probabilities[1]) == pytest.approx(VECTORS["flip_bits"]["right"], abs=5e-4)
    assert flip_bits(printed.probabilities[1]) == pytest.approx(VECTORS["flip_bits"]["printed"], abs=5e-4)


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongPair(SymmetricUnary):
    """Mutant: the symmetric pair of 2ε, sold as ε."""

    @property
    def thresholds(self):
        words = 1 << self.width
        flip = math.ceil(words / (self.odds + 1))
        return words - flip, flip


@dataclass(frozen=True, slots=True, kw_only=True)
class MixedPair(OptimisedUnary):
    """Mutant: the symmetric `own` with the optimised `other`."""

    @property
    def thresholds(self):
        return SymmetricUnary(size=self.size, odds=self.odds, width=self.width).thresholds[0], OptimisedUnary(
            size=self.size, odds=self.odds, width=self.width
        ).thresholds[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Swapped(OptimisedUnary):
    """Mutant: own and other exchanged in the sampler."""

    @property
    def thresholds(self):
        return OptimisedUnary(size=self.size, odds=self.odds, width=self.width).thresholds[::-1]


@pytest.mark.parametrize("mutant", [WrongPair, MixedPair])
def test_wrong_pairs_break_the_promise(mutant):
    assert mutant(size=3, odds=Fraction(4)).sampled_odds > 4
    assert measures.odds(mutant(size=3, odds=Fraction(4)).channel()) > 4


def test_swapped_thresholds_and_shifted_answers_are_caught_by_the_law():
    right = OptimisedUnary(size=3, odds=Fraction(3), width=2)
    swapped = Swapped(size=3, odds=Fraction(3), width=2)
    assert enumerated(swapped, 0, 3) != right.law(0)
    assert enumerated(right, 1, 3) != right.law(0), "an answer off by one place"


def test_audit_refutes_the_wrong_pair():
    mutant = WrongPair(size=2, odds=Fraction(3))
    counts = []
    for x in range(2):
        reports = mutant.privatize(np.full(20_000, x), InsecureSeeded(x))
        counts.append(np.bincount(reports[:, 0] >> 6, minlength=4))
    assert audit_counts(counts, claimed_epsilon=math.log(3)).contradicts_claim


@pytest.mark.parametrize("form", FORMS)
def test_variance_is_what_two_hundred_polls_show(form):
    """Within four standard errors of a sample variance, on a fixed seed; 40 % off is rejected."""
    mechanism, n, polls = form(size=4, odds=Fraction(3)), 100, 200
    answers = np.repeat([0, 1, 2, 3], [40, 30, 20, 10])
    shares = [Fraction(count, n) for count in (40, 30, 20, 10)]
    source, chosen = InsecureSeeded(1), InsecureSeeded(7)
    raws = []
    for _ in range(polls):
        drawn = answers[chosen.words(n, 32).astype(np.int64) % n]  # 2^32 mod 100 is no matter here
        raws.append(mechanism.estimate(mechanism.tally(mechanism.privatize(drawn, source))).raw)
    found = np.var(raws, axis=0, ddof=1)
    formula = np.array([float(v) for v in mechanism.variance(shares, n)])
    slack = 4 * formula * math.sqrt(2 / (polls - 1))
    assert (np.abs(found - formula) < slack).all()
    assert (np.abs(found.sum() - 1.4 * formula.sum()) > slack.mean()).all()


def test_chunks_do_not_change_the_law(monkeypatch):
    """Rows are cut into slices; the reports must not notice."""
    mechanism = OptimisedUnary(size=5, odds=Fraction(3))
    answers = np.arange(100) % 5
    whole = mechanism.privatize(answers, InsecureSeeded(6))
    monkeypatch.setattr("sfumato.mechanisms.base._CHUNK", 35)
    assert (mechanism.privatize(answers, InsecureSeeded(6)) == whole).all()
    counts = np.unpackbits(whole, axis=1, count=5).sum(axis=0)
    assert mechanism.tally(whole).counts == tuple(counts.tolist())


@pytest.mark.parametrize("form", [*FORMS, PermanentUnary])
def test_a_poll_finds_the_shares(form):
    mechanism = form.within(size=10, epsilon=2.0)
    reports = mechanism.privatize(np.repeat([0, 9], [70_000, 30_000]), InsecureSeeded(5))
    estimate = mechanism.estimate(mechanism.tally(reports))
    for x, share in ((0, 0.7), (4, 0.0), (9, 0.3)):
        assert abs(estimate.raw[x] - share) < 6 * estimate.standard_errors[x]
    assert math.fsum(estimate.projected) == pytest.approx(1)


def test_tallies_count_ones_and_name_the_law():
    one = SymmetricUnary(size=3, odds=Fraction(3))
    tally = one.tally([[0b10100000]])
    assert tally == Tally(mechanism=one.name, counts=(1, 0, 1), reports=1)
    narrow = SymmetricUnary(size=3, odds=Fraction(3), width=8)
    assert narrow.name != one.name, "another width is another law"


def test_large_alphabets_are_refused_with_a_way_out():
    large = OptimisedUnary(size=13, odds=Fraction(3))
    for question in (large.channel, lambda: large.law(0)):
        with pytest.raises(InvalidParameter, match="Read sampled_odds and variance"):
            question()
