"""What counts of reports say through a channel: likeliest shares with a certificate, means that stay where they are."""

import time
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sfumato.errors import InvalidParameter
from sfumato.inference import ReportedShares
from sfumato.inference.estimates import LIKELIEST, NEAREST, ManyReports
from sfumato.inference.likelihood import DensePassage, gap_of
from sfumato.ladders.shift_levels import CyclicLevel
from sfumato.prob import Channel, Circulant


@st.composite
def channels(draw):
    """Any table with rows that can be told apart, zeros included."""
    inputs = draw(st.integers(2, 6))
    outputs = draw(st.integers(inputs, 8))
    weights = draw(
        st.lists(st.lists(st.integers(0, 9), min_size=outputs, max_size=outputs), min_size=inputs, max_size=inputs)
    )
    rows = np.array(weights, dtype=float)
    assume((rows.sum(axis=1) > 0).all())
    rows /= rows.sum(axis=1, keepdims=True)
    assume(np.linalg.svd(rows, compute_uv=False)[-1] > 0.02)
    return Channel(rows.tolist())


@st.composite
def samples(draw):
    """A channel and counts of reports that it can give."""
    channel = draw(channels())
    possible = channel.array.sum(axis=0) > 0
    counts = np.array(draw(st.lists(st.integers(0, 300), min_size=len(possible), max_size=len(possible)))) * possible
    assume(counts.sum() > 0)
    return channel, counts


def cyclic(size, epsilon):
    return CyclicLevel.within(size=size, epsilon=epsilon).channel()


@given(sample=samples(), values=st.lists(st.integers(-50, 50), min_size=6, max_size=6))
def test_points_lie_in_intervals_that_have_width(sample, values):
    """For any channel, any counts and any values: shares, a mean, and the gap that certifies the maximum."""
    channel, counts = sample
    column = np.array(values[: channel.shape[0]], dtype=float)
    assume(column.min() < column.max())
    seen = ReportedShares(channel, counts)
    assert seen.gap <= 1e-6 * seen.total
    assert seen.likeliest.min() >= 0
    assert seen.likeliest.sum() == pytest.approx(1, abs=1e-12)
    mean = seen.linear(column)
    assert mean.value == pytest.approx(column @ seen.likeliest, abs=1e-9)
    for found, low, high in [(mean, column.min(), column.max()), *((share, 0, 1) for share in seen.shares())]:
        assert low <= found.interval.lower < found.interval.upper <= high
        assert found.interval.lower <= found.value <= found.interval.upper


@given(
    sample=samples(),
    values=st.lists(st.integers(-50, 50), min_size=6, max_size=6),
    shift=st.sampled_from([0, 1950, -(10**6), 10**9]),
    scale=st.sampled_from([1, 1000, -1, 1e-3, 7]),
)
def test_means_move_with_the_origin_and_the_scale_and_not_otherwise(sample, values, shift, scale):
    channel, counts = sample
    column = np.array(values[: channel.shape[0]], dtype=float)
    assume(column.min() < column.max())
    seen = ReportedShares(channel, counts)
    plain, moved = seen.linear(column), seen.linear(scale * column + shift)
    ends = [scale * end + shift for end in (plain.interval.lower, plain.interval.upper)]
    # An error of 1e-9 of the range, and what the moved values themselves have lost.
    near = 1e-9 * abs(scale) * (column.max() - column.min()) + 4e-16 * abs(shift)
    assert moved.value == pytest.approx(scale * plain.value + shift, abs=near, rel=0)
    assert moved.raw == pytest.approx(scale * plain.raw + shift, abs=near * 100, rel=0)
    assert moved.standard_error == pytest.approx(abs(scale) * plain.standard_error, abs=near * 100, rel=1e-6)
    assert [moved.interval.lower, moved.interval.upper] == pytest.approx(sorted(ends), abs=near * 100, rel=0)


@pytest.mark.parametrize("reports", [1, 2, 5])
def test_an_answer_that_cannot_give_a_report_is_not_the_bound_of_a_mean(reports):
    """Who gives the first answer always gives the second report: seen the third, not everybody does, on either side."""
    channel = Channel([[0, 1, 0], [1 / 3, 0, 2 / 3], [0, 0.5, 0.5]])
    seen = ReportedShares(channel, [0, 0, reports])
    plain, turned = (seen.linear([sign * value for value in (36, 0, -2)]).interval for sign in (1, -1))
    assert plain.lower == -2
    assert plain.upper < 30
    assert (-turned.upper, -turned.lower) == pytest.approx((plain.lower, plain.upper), abs=1e-6)


def test_raw_means_are_unbiased_exactly():
    """The mean over all reports that an answer may give is its value: answer by answer, not on average over them."""
    for channel in (cyclic(21, 2.0), cyclic(5, 1.0), Channel([[0.7, 0.2, 0.1], [0.1, 0.3, 0.6]])):
        size = channel.shape[0]
        values = np.arange(size) * 3.0 + 1950
        of_each_report = ManyReports(channel, np.eye(channel.shape[1])).means(values).raw
        assert channel.array @ of_each_report == pytest.approx(values, abs=1e-9)


def test_likeliest_shares_of_two_answers_are_the_binomial_ones():
    channel = Channel([[0.75, 0.25], [0.25, 0.75]])
    assert ReportedShares(channel, [60, 40]).likeliest == pytest.approx([0.7, 0.3], abs=1e-8)
    assert ReportedShares(channel, [80, 20]).likeliest == pytest.approx([1, 0], abs=1e-8)


def test_the_certificate_sees_shares_that_are_not_the_likeliest():
    channel = cyclic(6, 2.0)
    passage = DensePassage(channel.array)
    seen = channel.array[2]
    assert gap_of(passage, seen, np.eye(6)[2]) == pytest.approx(0, abs=1e-12)
    assert gap_of(passage, seen, 0.95 * np.eye(6)[2] + 0.05 * np.eye(6)[3]) > 0.005


@pytest.mark.parametrize(("size", "seconds"), [(21, 0.1), (100, 0.25), (1000, 2.0)])
def test_likeliest_shares_are_found_soon(size, seconds):
    """Milliseconds up to a hundred answers, below a second for a thousand; twice that here, for busy machines."""
    mechanism = CyclicLevel.within(size=size, epsilon=2.0)
    values = np.random.default_rng(3).binomial(size - 1, 0.3, size=20_000)
    counts = np.array(mechanism.tally(mechanism.privatize(values)).counts)
    channel = mechanism.channel()
    assert ReportedShares(cyclic(5, 1.0), np.ones(5)).gap < 1e-6  # imports what is slow to import
    start = time.process_time()
    seen = ReportedShares(channel, counts)
    gap = seen.gap
    assert time.process_time() - start < seconds
    assert gap < 0.01
    assert seen.method == LIKELIEST


def test_a_shift_seen_by_fft_is_the_shift_written_out():
    """The same channel of 300 answers, dense and structured: raw shares, means, their errors."""
    channel = cyclic(300, 2.0)
    rng = np.random.default_rng(4)
    counts = rng.multinomial(5000, channel.array[rng.integers(0, 300, 40)].mean(axis=0))
    values = np.linspace(-1, 1, 300)
    fast, slow = ReportedShares(channel, counts), ReportedShares(channel.to_dense(), counts)
    assert fast.raw == pytest.approx(slow.raw, abs=1e-9)
    assert fast.linear(values).raw == pytest.approx(slow.linear(values).raw, abs=1e-9)
    assert fast.linear(values).interval.lower == pytest.approx(slow.linear(values).interval.lower, abs=1e-3)
    assert fast.likeliest == pytest.approx(slow.likeliest, abs=1e-3)


def test_huge_alphabets_show_the_nearest_law():
    size = 5000
    codes = np.zeros(size, dtype=np.int32)
    codes[0] = 1
    low = Fraction(1, size - 1 + 50)
    channel = Circulant.of_codes((low, 50 * low), codes, size)
    counts = np.ones(size, dtype=int)
    seen = ReportedShares(channel, counts)
    assert seen.method == NEAREST
    assert seen.likeliest == pytest.approx(np.full(size, 1 / size), abs=1e-9)


def test_a_mean_among_those_who_answer():
    """The last answer is "no answer": its share does not count, and when nobody answers nothing is said."""
    channel = cyclic(6, 2.0)
    among = [True] * 5 + [False]
    values = [1, 2, 3, 4, 5, np.nan]
    law = np.array([0.1, 0.1, 0.1, 0.1, 0.2, 0.4])
    seen = ReportedShares(channel, np.rint(1e6 * law @ channel.array))
    found = seen.ratio(values, among)
    assert found.value == pytest.approx(law[:5] @ [1, 2, 3, 4, 5] / 0.6, abs=1e-3)
    assert found.interval.lower < found.value < found.interval.upper
    assert found.interval.width < 0.05
    nobody = ReportedShares(channel, np.rint(1000 * channel.array[5]))
    assert nobody.ratio(values, among) is None
    everybody = seen.ratio(range(6), [True] * 6)
    assert everybody == seen.linear(range(6))


def test_a_ratio_moves_with_its_origin():
    channel = cyclic(6, 2.0)
    seen = ReportedShares(channel, [40, 30, 50, 20, 10, 60])
    among = [1, 1, 1, 1, 1, 0]
    plain, moved = (seen.ratio(np.arange(6) + shift, among) for shift in (0, 10**9))
    assert moved.value - 1e9 == pytest.approx(plain.value, abs=1e-6)
    assert moved.interval.lower - 1e9 == pytest.approx(plain.interval.lower, abs=1e-6)


@pytest.mark.parametrize(
    ("counts", "values"),
    [([1, 2], None), ([0, 0, 0], None), ([1, -1, 3], None), ([3, 2, 1], [1.0, 1.0]), ([3, 2, 1], [1.0, np.inf])],
)
def test_what_cannot_be_read_is_refused(counts, values):
    with pytest.raises(InvalidParameter):
        ReportedShares(Channel([[0.5, 0.3, 0.2], [0.1, 0.3, 0.6]]), counts).linear(values or [0, 1])


def test_reports_that_the_design_never_gives_are_refused():
    with pytest.raises(InvalidParameter, match="never gives"):
        ReportedShares(Channel([[0.5, 0.5, 0], [0.1, 0.9, 0]]), [3, 3, 1])


def test_answers_that_cannot_be_told_apart_are_refused():
    blurred = ReportedShares(Channel([[0.5, 0.5], [0.1, 0.9], [0.3, 0.7]]), [30, 70])
    with pytest.raises(InvalidParameter, match="told apart"):
        blurred.linear([0, 1, 5])
