"""Structured channels are judged by how often each level reaches each output: against the written-out channel."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato import measures
from sfumato.errors import ClaimRefused


@st.composite
def circulants(draw):
    size = draw(st.integers(2, 12))
    codes = draw(st.lists(st.integers(0, 3), min_size=size, max_size=size).filter(any))
    weights = [Fraction(draw(st.integers(0, 5))) for _ in range(4)]
    law = [weights[code] for code in codes]
    if not sum(law):
        law[0] = Fraction(1)
    return sf.prob.Circulant([p / sum(law) for p in law], draw(st.integers(1, size)))


def written_out(channel):
    return [[channel[x, y] for x in range(channel.shape[0])] for y in range(channel.shape[1])]


@given(channel=circulants())
def test_both_ways_count_what_is_there(channel):
    columns = written_out(channel)
    expected = Counter(tuple(column.count(level) for level in channel.levels) for column in columns)
    assert Counter(dict(channel.column_profiles())) == expected
    assert Counter(dict(channel.column_profiles_again())) == expected
    assert Counter({pair[:2]: pair[2] for pair in channel.column_extremes()}) == Counter(
        (max(column), min(column)) for column in columns
    )
    peaks = Counter()
    for high, total, outputs in channel.column_peaks():
        peaks[high, total] += outputs
    assert peaks == Counter((max(column), sum(column)) for column in columns)


@given(channel=circulants())
def test_measures_are_those_of_the_written_out_channel(channel):
    dense = channel.to_dense()
    for measure in (measures.odds, measures.guess_error, measures.heaviest_output):
        assert measure(channel) == measure(dense)
    for enclose in (
        measures.mutual_information_interval,
        measures.max_information_interval,
        measures.min_entropy_leakage_interval,
        measures.maximal_leakage_interval,
    ):
        mine, other = enclose(channel), enclose(dense)
        assert mine.overlaps(other.widened(1e-13))
        assert mine.width < 1e-12


def test_a_channel_with_many_levels_is_looked_at_output_by_output():
    law = [Fraction(k, 120) for k in range(1, 16)]
    channel = sf.prob.Circulant(law, 5)
    assert not channel.is_coarse
    columns = written_out(channel)
    assert Counter(dict(channel.column_sums())) == Counter(map(sum, columns))
    assert {(high, total) for high, total, _ in channel.column_peaks()} == {(max(c), sum(c)) for c in columns}


def test_a_wrong_count_does_not_pass_verification(monkeypatch):
    """The two ways are different code: what one of them gets wrong, the other sees."""
    channel = sf.prob.Circulant.two_level(size=4095, support=range(0, 4095, 7), odds=Fraction(3), input_count=300)
    certificate = sf.certify(channel)
    sf.verify(certificate)
    right = list(channel.column_profiles())
    shifted = [((held[0] - 1, held[1] + 1), many) for held, many in right]
    monkeypatch.setattr(sf.prob.Circulant, "column_profiles_again", lambda _: iter(shifted))
    with pytest.raises(ClaimRefused, match="two ways of counting"):
        sf.verify(certificate)


def test_a_hundred_thousand_answers_are_certified_and_verified():
    mechanism = sf.mechanisms.CyclicResponse.within(size=100_000, epsilon=1.0)
    certificate = sf.certify(mechanism)
    again = sf.Certificate.from_json(certificate.to_json())
    assert again == certificate
    sf.verify(again)
    # By symmetric sums: K = 349525 reports, D of 87381 members, one in λ = 21845 of both of two shifted sets.
    low = 1 / (mechanism.odds * 87381 + 349525 - 87381)
    assert certificate["odds"].value == mechanism.odds
    assert certificate["guess_error"].value == 1 - 349525 * mechanism.odds * low / 100_000
    counts = np.concatenate([np.zeros(349525), np.zeros(349525)])
    counts[mechanism.difference_set.members] = counts[mechanism.difference_set.members + 349525] = 1
    windows = np.convolve(counts, np.ones(1)).cumsum()
    held = int((windows[349525:] - windows[349525 - 100_000 : -100_000]).max())
    assert certificate["heaviest_output"].value == held * mechanism.odds * low + (100_000 - held) * low
