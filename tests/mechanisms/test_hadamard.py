"""Hadamard response: every word, every row, and a counter-example to its recoverability."""

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
from sfumato.certificates import certify
from sfumato.certificates.auditing import audit
from sfumato.errors import InvalidParameter
from sfumato.mechanisms import HadamardResponse
from sfumato.sampling import InsecureSeeded, Tally, UniformBelow

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "hadamard.json").read_text())


@given(size=st.integers(2, 40), odds=st.fractions(1, 100, max_denominator=50), blocks=st.sampled_from([0, 1, 2, 4, 8]))
def test_channel_has_the_declared_odds_and_its_rows_meet_in_half(size, odds, blocks):
    mechanism = HadamardResponse(size=size, odds=odds, blocks=blocks)
    channel = mechanism.channel()
    assert measures.odds(channel) == mechanism.sampled_odds == odds
    assert measures.heaviest_output(channel) == mechanism.heaviest_output
    if odds > 1:
        favoured = channel.array > channel.array.min()
        meets = favoured.astype(int) @ favoured.T.astype(int)
        homes = np.arange(size) // (mechanism.block - 1)
        expected = np.where(homes[:, None] == homes[None, :], mechanism.block // 4, 0)
        np.fill_diagonal(expected, mechanism.block // 2)
        assert (meets == expected).all()


@pytest.mark.parametrize("case", VECTORS["laws"], ids=lambda case: f"{case['size']}, {case['blocks']}, {case['x']}")
def test_vectors(case):
    mechanism = HadamardResponse(size=case["size"], odds=Fraction(case["odds"]), blocks=case["blocks"])
    assert mechanism.law(case["x"]) == tuple(Fraction(p) for p in case["law"])


@pytest.mark.parametrize("case", VECTORS["layouts"], ids=lambda case: f"{case['size']}, {case['epsilon']}")
def test_theorem_5_is_false_as_printed(case):
    """Σ_x P(y|x) exceeds 1, so no key recovers the answers from the reports."""
    mechanism = HadamardResponse.within(size=case["size"], epsilon=case["epsilon"], blocks=case["blocks"])
    assert mechanism.outputs == case["outputs"]
    assert float(mechanism.heaviest_output) == pytest.approx(case["heaviest_output"], abs=5e-4)
    if case["size"] < 100:
        channel = mechanism.channel()
        assert measures.heaviest_output(channel) == mechanism.heaviest_output > 1
        assert not measures.is_recoverable(channel)


@given(size=st.integers(2, 30), odds=st.fractions(1, 60, max_denominator=20).filter(lambda odds: odds > 1))
def test_the_best_number_of_blocks_beats_every_other(size, odds):
    """Mean variance at equal shares, from the exact formula of each candidate."""
    shares = [Fraction(1, size)] * size

    def spread(blocks):
        return sum(HadamardResponse(size=size, odds=odds, blocks=blocks).variance(shares, 1))

    assert spread(0) == min(spread(blocks) for blocks in (1, 2, 4, 8, 16, 32, 64))


def test_some_hadamard_responses_are_recoverable():
    assert measures.is_recoverable(HadamardResponse(size=4, odds=Fraction(3), blocks=1).channel())


def test_the_certificate_is_about_the_sampled_law():
    mechanism = HadamardResponse.within(size=5, epsilon=1.0)
    assert certify(mechanism)["odds"].value == mechanism.odds < Fraction(math.e)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shifted(HadamardResponse):
    """Mutant: every answer uses the row of the one before it."""

    def privatize(self, values, bits=None):
        return HadamardResponse.privatize(self, (np.asarray(values) - 1) % self.size, bits)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchanged(HadamardResponse):
    """Mutant: the high and the low weight exchanged. Its odds are right, its law is not."""

    def privatize(self, values, bits=None):
        rows = np.asarray(values) + 1
        return HadamardResponse.privatize(self, values, bits) ^ (rows & -rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class TooEager(HadamardResponse):
    """Mutant: higher odds in the sampler than in the declaration."""

    def privatize(self, values, bits=None):
        return HadamardResponse(size=self.size, odds=2 * self.odds, blocks=self.blocks).privatize(values, bits)


@pytest.mark.parametrize("mutant", [Shifted, Exchanged])
def test_mutants_are_caught_by_the_law(mutant):
    wrong = mutant(size=3, odds=Fraction(3), blocks=1, width=4)
    assert any(enumerated(wrong, x) != wrong.law(x) for x in range(3))


def test_audit_refutes_higher_odds_and_accepts_the_right_ones():
    assert audit(TooEager(size=3, odds=Fraction(3), blocks=1), 60_000, bits=InsecureSeeded(3)).contradicts_claim
    assert not audit(HadamardResponse(size=3, odds=Fraction(3)), 60_000, bits=InsecureSeeded(3)).contradicts_claim


@pytest.mark.parametrize("blocks", [1, 2])
def test_variance_is_what_two_hundred_polls_show(blocks):
    """Within four standard errors of a sample variance, on a fixed seed."""
    mechanism, n, polls = HadamardResponse(size=6, odds=Fraction(3), blocks=blocks), 100, 200
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


def test_standard_errors_are_the_variance_at_what_was_seen():
    """Fed its own expected counts, an estimate states the exact variance."""
    mechanism = HadamardResponse(size=5, odds=Fraction(3), blocks=2)
    shares = [Fraction(1, 2), Fraction(1, 4), Fraction(1, 8), Fraction(1, 16), Fraction(1, 16)]
    law = [sum(p * mechanism.law(x)[y] for x, p in enumerate(shares)) for y in range(mechanism.outputs)]
    total = math.lcm(*(p.denominator for p in law))
    tally = Tally(mechanism=mechanism.name, counts=tuple(int(p * total) for p in law))
    estimate = mechanism.estimate(tally)
    assert estimate.raw == pytest.approx([float(p) for p in shares], abs=1e-12)
    assert [error**2 for error in estimate.standard_errors] == pytest.approx(
        [float(v) for v in mechanism.variance(shares, total)], rel=1e-11
    )


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 8.0])
def test_a_poll_finds_the_shares(epsilon):
    mechanism = HadamardResponse.within(size=300, epsilon=epsilon)
    reports = mechanism.privatize(np.repeat([0, 299], [70_000, 30_000]), InsecureSeeded(5))
    estimate = mechanism.estimate(mechanism.tally(reports))
    for x, share in ((0, 0.7), (4, 0.0), (299, 0.3)):
        assert abs(estimate.raw[x] - share) < 6 * estimate.standard_errors[x]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"size": 4, "odds": Fraction(3), "blocks": 3}, "blocks=3 must be a power of two"),
        ({"size": 4, "odds": Fraction(3), "blocks": -1}, "blocks=-1 must be a power of two"),
        ({"size": 2, "odds": Fraction(2**65)}, "smaller numerator"),
    ],
)
def test_bad_parameters(arguments, sentence):
    with pytest.raises(InvalidParameter, match=sentence):
        HadamardResponse(**arguments)


def test_large_alphabets_are_refused_with_a_way_out():
    large = HadamardResponse(size=5000, odds=Fraction(3))
    assert large.privatize([0, 4999]).dtype == np.uint16
    for question in (large.channel, lambda: large.law(0)):
        with pytest.raises(InvalidParameter, match="exact at every size"):
            question()
