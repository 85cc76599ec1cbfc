"""Noise against the width of what the answer can be: the two numbers of every design, and what is refused."""

import math
import warnings
from fractions import Fraction

import pytest

import sfumato as sf
from sfumato.errors import NoisyReleaseWarning, UselessRelease
from sfumato.ledger import Ledger
from sfumato.noise.usefulness import check_useful, scale_of
from sfumato.sampling import ScriptedBits

DESIGNS = {
    "number": (lambda: sf.noise.gaussian(low=-5, high=15, budget_bits=3), 20),
    "mean": (lambda: sf.noise.private_mean(2, 6, 100, 0.5, correlated=3), 4),
    "sum": (lambda: sf.noise.private_sum(2, 6, 100, 0.5, correlated=3), 400),
    "count": (lambda: sf.noise.private_count(100, 0.5, correlated=3), 100),
    "histogram": (lambda: sf.noise.private_histogram(3, 100, 0.5, correlated=3), 100),
    "believed mean": (lambda: sf.noise.believed_mean(2, 6, 10**4, 0.5, shared_bits=3), 4),
    "believed sum": (lambda: sf.noise.believed_sum(2, 6, 10**4, 0.5, shared_bits=3), 40_000),
    "believed count": (lambda: sf.noise.believed_count(10**4, 0.5, shared_bits=3), 10**4),
    "believed histogram": (lambda: sf.noise.believed_histogram(3, 10**4, 0.5, shared_bits=3), 10**4),
    "quantile": (lambda: sf.noise.private_quantile(range(10, 31), 0.5, 100, 0.5, correlated=3), 20),
}


@pytest.mark.parametrize("name", DESIGNS)
def test_the_width_is_that_of_what_the_answer_can_be(name):
    make, width = DESIGNS[name]
    scale = scale_of(make())
    assert scale.width == width
    assert 0 < scale.deviation < width / 4


def test_the_deviation_is_that_of_the_noise():
    for name in ("count", "histogram"):
        design = DESIGNS[name][0]()
        assert scale_of(design).deviation == pytest.approx(math.sqrt(design.variance))
    believed = DESIGNS["believed sum"][0]()
    assert scale_of(believed).deviation == pytest.approx(float(believed.deviation))


def test_a_quantile_of_evenly_spread_records_has_the_stated_deviation():
    """Exactly as drawn: a grid place of rank distance d has the weight e^(-λd), and one rank is one step here."""
    records = 2001
    design = sf.noise.private_quantile(range(records), Fraction(1, 2), records, 0.1, correlated=3)
    off = design.ranks_off(list(range(records)))
    weights = [math.exp(-float(design.rate) * distance) for distance in off]
    middle = off.index(0)
    variance = sum(w * (place - middle) ** 2 for place, w in enumerate(weights)) / sum(weights)
    assert scale_of(design).deviation == pytest.approx(math.sqrt(variance), rel=0.05)


def test_half_is_refused_and_a_quarter_warns():
    for bits, verdict in ((0.4, UselessRelease), (0.5, NoisyReleaseWarning), (1.5, None)):
        design = sf.noise.gaussian(low=0, high=10, budget_bits=bits)
        part = scale_of(design).ratio
        assert verdict is (UselessRelease if part >= 0.5 else NoisyReleaseWarning if part >= 0.25 else None)
        with warnings.catch_warnings():
            warnings.simplefilter("error", NoisyReleaseWarning)
            if verdict is None:
                check_useful(design)
            else:
                with pytest.raises(verdict):
                    check_useful(design)
    with pytest.warns(NoisyReleaseWarning, match="a guess without the data is as good"):
        check_useful(sf.noise.gaussian(low=0, high=10, budget_bits=0.4), allow_useless=True)


def test_the_library_refuses_before_it_draws_or_pays(tmp_path):
    design = sf.noise.private_count(10_095, 0.1, correlated="anyone")
    Ledger.create(tmp_path / "ledger", budget_bits=4)
    with pytest.raises(UselessRelease):
        sf.release_noise(design, 5000, out=tmp_path / "c.json", bits=ScriptedBits([]))
    with pytest.raises(UselessRelease):
        sf.release_noise(design, 5000, out=tmp_path / "c.json", ledger=tmp_path / "ledger")
    assert Ledger(tmp_path / "ledger").entries() == ()
    assert not (tmp_path / "c.json").exists()
    with pytest.warns(NoisyReleaseWarning):
        sf.release_noise(design, 5000, out=tmp_path / "c.json", ledger=tmp_path / "ledger", allow_useless=True)
    assert len(Ledger(tmp_path / "ledger").entries()) == 1
