"""Subset selection: every sequence of words, the true answer that must not come back in, and what comes back."""

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

from mechanism_strategies import enumerated
from sfumato import measures
from sfumato.certificates import audit_counts, certify
from sfumato.errors import InvalidParameter, SourceFailed
from sfumato.mechanisms import RandomizedResponse, SubsetSelection
from sfumato.mechanisms.subset import best_chosen
from sfumato.prob import Channel
from sfumato.sampling import InsecureSeeded, ScriptedBits, UniformBelow

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "subset.json").read_text())


@given(size=st.integers(2, 8), odds=st.fractions(1, 50, max_denominator=50), data=st.data())
def test_sampled_odds_are_exact_for_every_set_size(size, odds, data):
    chosen = data.draw(st.integers(0, size - 1))
    mechanism = SubsetSelection(size=size, odds=odds, chosen=chosen)
    channel = mechanism.channel()
    assert measures.odds(channel) == mechanism.sampled_odds == odds
    own, other = mechanism.probabilities
    for x in range(size):
        for y, label in enumerate(channel.outputs):
            assert (label[x] == "1") == (mechanism.law(x)[y] > min(mechanism.law(x))) or odds == 1
    held = [
        sum(p for p, label in zip(mechanism.law(0), channel.outputs, strict=True) if label[i] == "1") for i in (0, 1)
    ]
    assert held == [own, other]


@given(size=st.integers(2, 40), odds=st.fractions(1, 30, max_denominator=20).filter(lambda odds: odds > 1))
def test_the_best_set_size_beats_every_other(size, odds):
    """Rounding size/(odds+1) to one side or the other is enough: no set size at all has less variance."""
    rare = [0] * (size - 1) + [1]

    def spread(chosen):
        return SubsetSelection(size=size, odds=odds, chosen=chosen).variance(rare, 1)[0]

    assert spread(best_chosen(size, odds)) == min(spread(chosen) for chosen in range(1, size))


@pytest.mark.parametrize("case", VECTORS["laws"], ids=lambda case: f"{case['size']}, {case['odds']}, {case['chosen']}")
def test_vectors(case):
    mechanism = SubsetSelection(size=case["size"], odds=Fraction(case["odds"]), chosen=case["chosen"])
    assert mechanism.probabilities == (Fraction(case["own"]), Fraction(case["other"]))
    assert mechanism.law(0) == tuple(Fraction(p) for p in case["law_of_0"])


@pytest.mark.parametrize("case", VECTORS["best"], ids=lambda case: f"{case['size']}, {case['odds']}")
def test_best_set_sizes(case):
    assert SubsetSelection(size=case["size"], odds=Fraction(case["odds"])).chosen == case["chosen"]


def test_sets_of_one_are_randomised_response():
    assert SubsetSelection(size=4, odds=Fraction(7), chosen=1).law(2) == RandomizedResponse(
        size=4, odds=Fraction(7)
    ).law(2)


def test_the_certificate_is_about_the_sampled_law():
    mechanism = SubsetSelection.within(size=5, epsilon=1.0)
    assert certify(mechanism)["odds"].value == mechanism.odds < Fraction(math.e)


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaking(SubsetSelection):
    """Mutant: when the true answer is left out, the set is drawn from all answers, so it may come back in."""

    def _sets(self, answers, source):
        each = np.arange(answers.size)
        sets = SubsetSelection._sets(self, answers, source)
        left_out = np.flatnonzero(~sets[each, answers])
        for row in left_out:
            pool = list(range(self.size))
            sets[row] = False
            for i in range(self.chosen):
                place = i + int(UniformBelow(bound=self.size - i, width=self.width).sample(source, 1)[0])
                pool[i], pool[place] = pool[place], pool[i]
                sets[row, pool[i]] = True
        return sets


@dataclass(frozen=True, slots=True, kw_only=True)
class OffByOne(SubsetSelection):
    """Mutant: every answer is treated as the next one."""

    def _sets(self, answers, source):
        return SubsetSelection._sets(self, (answers + 1) % self.size, source)


def leaking_law(size: int, odds: Fraction, chosen: int) -> list[list[Fraction]]:
    """The mutant's channel by hand: the two branches, the second over all sets."""
    own = odds * chosen / (odds * chosen + size - chosen)
    inside, outside = own / math.comb(size - 1, chosen - 1), (1 - own) / math.comb(size, chosen)
    subsets = list(itertools.combinations(range(size), chosen))
    return [[outside + (inside if x in kept else 0) for kept in subsets] for x in range(size)]


def test_the_true_answer_coming_back_breaks_the_promise():
    """Exact odds 1 + odds·k/(k-d): at ε = 1 and d = k/(e+1) that is ln(e+2) = 1.55, known from a published sampler."""
    odds = SubsetSelection.within(size=8, epsilon=1.0, chosen=2).odds
    found = measures.odds(Channel(leaking_law(8, odds, 2)))
    assert found == 1 + odds * Fraction(8, 6) > odds
    nominal = SubsetSelection.within(size=1000, epsilon=1.0)
    exact = 1 + nominal.odds * Fraction(1000, 1000 - nominal.chosen)
    assert math.log(exact) == pytest.approx(VECTORS["leak"]["found"], abs=1e-3)
    assert math.log(math.e + 2) == pytest.approx(VECTORS["leak"]["found"], abs=5e-5)


def test_enumeration_catches_the_leaking_sampler():
    """Its words, one sequence after the other, weighed by how many words they take."""
    mutant = Leaking(size=2, odds=Fraction(3), chosen=1, width=2)
    law = [Fraction(0), Fraction(0)]
    for length in (2, 3):
        for words in itertools.product(range(4), repeat=length):
            script = ScriptedBits(words)
            try:
                report = mutant.privatize([0], script)
            except SourceFailed:
                continue
            if script.left == 0:
                law[0 if report[0, 0] & 0x80 else 1] += Fraction(1, 4**length)
    assert law == leaking_law(2, Fraction(3), 1)[0]
    assert law != list(SubsetSelection(size=2, odds=Fraction(3), chosen=1).law(0))
    assert law[0] / law[1] == 7


def test_audit_catches_the_leaking_sampler_and_accepts_the_right_one():
    counts = {}
    for kind in (Leaking, SubsetSelection):
        mechanism = kind(size=4, odds=Fraction(3), chosen=1)
        counts[kind] = [
            mechanism.tally(mechanism.privatize(np.full(8_000, x), InsecureSeeded(x))).counts for x in range(4)
        ]
    assert audit_counts(counts[Leaking], claimed_epsilon=math.log(3)).contradicts_claim
    assert not audit_counts(counts[SubsetSelection], claimed_epsilon=math.log(3)).contradicts_claim


def test_a_shifted_answer_is_caught_by_the_law():
    mutant = OffByOne(size=3, odds=Fraction(3), chosen=1, width=3)
    assert enumerated(mutant, 0, 2) != mutant.law(0)


def test_variance_is_what_two_hundred_polls_show():
    """Within four standard errors of a sample variance, on a fixed seed."""
    mechanism, n, polls = SubsetSelection(size=6, odds=Fraction(3)), 100, 200
    answers = np.repeat([0, 1, 2, 3], [40, 30, 20, 10])
    source, chooser = InsecureSeeded(1), InsecureSeeded(2)
    raws = []
    for _ in range(polls):
        drawn = answers[UniformBelow(bound=n).sample(chooser, n)]
        raws.append(mechanism.estimate(mechanism.tally(mechanism.privatize(drawn, source))).raw)
    shares = [Fraction(count, n) for count in (40, 30, 20, 10, 0, 0)]
    formula = np.array([float(v) for v in mechanism.variance(shares, n)])
    assert (np.abs(np.var(raws, axis=0, ddof=1) - formula) < 4 * formula * math.sqrt(2 / (polls - 1))).all()
    assert (np.abs(np.mean(raws, axis=0) - np.array(shares, dtype=float)) < 4 * np.sqrt(formula / polls)).all()


def test_chunks_keep_the_size_of_sets(monkeypatch):
    mechanism = SubsetSelection(size=9, odds=Fraction(3))
    monkeypatch.setattr("sfumato.mechanisms.base._CHUNK", 100)
    reports = mechanism.privatize(np.arange(900) % 9, InsecureSeeded(4))
    assert reports.shape == (900, 2)
    assert reports.dtype == np.uint8
    assert (np.bitwise_count(reports).sum(axis=1) == mechanism.chosen).all()


def test_a_poll_finds_the_shares():
    mechanism = SubsetSelection.within(size=300, epsilon=2.0)
    reports = mechanism.privatize(np.repeat([0, 299], [7_000, 3_000]), InsecureSeeded(5))
    estimate = mechanism.estimate(mechanism.tally(reports))
    for x, share in ((0, 0.7), (4, 0.0), (299, 0.3)):
        assert abs(estimate.raw[x] - share) < 6 * estimate.standard_errors[x]
    assert math.fsum(estimate.raw) == pytest.approx(1), "every report holds equally many answers"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"size": 4, "odds": Fraction(3), "chosen": 4}, r"chosen=4 must lie in \[1, 3\]"),
        ({"size": 4, "odds": Fraction(3), "chosen": -1}, r"chosen=-1 must lie in \[1, 3\]"),
        ({"size": 2, "odds": Fraction(2**65)}, "smaller numerator"),
        ({"size": 20, "odds": Fraction(1), "width": 4}, "smaller numerator"),
    ],
)
def test_bad_parameters(arguments, sentence):
    with pytest.raises(InvalidParameter, match=sentence):
        SubsetSelection(**arguments)


@pytest.mark.parametrize(
    ("reports", "sentence"),
    [
        ([[0x80]], "must each hold 2 answers"),
        ([[0xE0], [0x80]], "must each hold 2 answers"),
    ],
)
def test_bad_reports(reports, sentence):
    with pytest.raises(InvalidParameter, match=sentence):
        SubsetSelection(size=4, odds=Fraction(3), chosen=2).tally(reports)


def test_large_alphabets_are_refused_with_a_way_out():
    large = SubsetSelection(size=1000, odds=Fraction(3))
    for question in (large.channel, lambda: large.law(0)):
        with pytest.raises(InvalidParameter, match="Read sampled_odds and variance"):
            question()
