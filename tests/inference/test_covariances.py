"""Covariances: against every sample of tiny surveys, and against the mechanisms' own variances."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from sfumato.errors import InvalidParameter
from sfumato.inference import raw_covariance
from sfumato.mechanisms import CyclicResponse, HadamardResponse, OptimisedUnary, RandomizedResponse, Tabulated
from sfumato.prob import Channel, Distribution

LAW = [Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)]
MECHANISMS = [
    RandomizedResponse(size=3, odds=Fraction(3)),
    CyclicResponse(size=3, odds=Fraction(2), q=2, t=3),
    HadamardResponse(size=3, odds=Fraction(3)),
    Tabulated(Channel([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6]])),
]


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda m: type(m).__name__)
def test_covariance_by_enumerating_every_pair_of_reports(mechanism):
    """n = 2: mean and covariance over all pairs of reports, weighed by their probability."""
    chances = np.array([float(p) for p in LAW]) @ mechanism.channel().to_dense().array
    mean, second = np.zeros(3), np.zeros((3, 3))
    for first, other in itertools.product(range(len(chances)), repeat=2):
        raw = np.array(mechanism.estimate(mechanism.tally([first, other])).raw)
        mean += chances[first] * chances[other] * raw
        second += chances[first] * chances[other] * np.outer(raw, raw)
    np.testing.assert_allclose(mean, [float(p) for p in LAW], atol=1e-9)
    np.testing.assert_allclose(raw_covariance(mechanism, LAW, 2), second - np.outer(mean, mean), atol=1e-9)


@pytest.mark.parametrize("mechanism", MECHANISMS[:3], ids=lambda m: type(m).__name__)
def test_the_diagonal_is_the_exact_variance(mechanism):
    covariance = raw_covariance(mechanism, Distribution(LAW), 50)
    np.testing.assert_allclose(
        np.diag(covariance), [float(v) for v in mechanism.variance(Distribution(LAW), 50)], rtol=1e-9
    )
    assert np.linalg.eigvalsh(covariance).min() > -1e-12


def test_what_has_no_table_of_reports_is_refused():
    with pytest.raises(InvalidParameter, match=r"as OptimisedUnary does\. Use its variance"):
        raw_covariance(OptimisedUnary.within(size=3, epsilon=1.0), LAW, 10)  # type: ignore[arg-type]
    with pytest.raises(InvalidParameter, match="too large"):
        raw_covariance(CyclicResponse.within(size=5000, epsilon=1.0), [Fraction(1, 5000)] * 5000, 10)
