"""Small worked examples of values, with every number in full."""

from fractions import Fraction

import sfumato as sf
from corpus_cases.record import case
from sfumato.certificates.claims import Claiming
from sfumato.numbers import Interval
from sfumato.numbers.columns import Column, Intervals


@case("values/anyone (kind)")
def _anyone_kind() -> object:
    noted: list[object] = []
    noted.append((sf.measures.Correlation.of("nobody"), sf.measures.Correlation.of(5).words))
    return noted


@case("values/claim (kind)")
def _claim_kind() -> object:
    noted: list[object] = []
    coin = sf.mechanisms.RandomizedResponse(size=2, odds=Fraction(3))
    claim = sf.certify(coin)["odds"]
    noted.append((claim.value, claim.unit, claim.status.value))
    noted.append(claim.sentence)
    return noted


@case("values/claiming (kind)")
def _claiming_kind() -> object:
    noted: list[object] = []
    made = sf.certify(sf.Channel([[0.75, 0.25], [0.25, 0.75]]))
    noted.append((isinstance(made, Claiming), made["guess_error"].value))
    return noted


@case("values/column (kind)")
def _column_kind() -> object:
    noted: list[object] = []
    column = Column([0.5, 0.25, 0.25])
    noted.append((column[0], column[1:], column == (0.5, 0.25, 0.25)))
    return noted


@case("values/correlation (kind)")
def _correlation_kind() -> object:
    noted: list[object] = []
    noted.append((sf.measures.Correlation.of("nobody"), sf.measures.Correlation.of(5).words))
    return noted


@case("values/estimate (kind)")
def _estimate_kind() -> object:
    noted: list[object] = []
    coin = sf.mechanisms.RandomizedResponse(size=2, odds=Fraction(3))
    found = coin.estimate(sf.sampling.Tally(mechanism=coin.name, counts=(760, 240)))
    noted.append(([share for share in found.raw], [share for share in found.projected]))
    noted.append((found.total, found.exact, found.intervals[1].upper))
    return noted


@case("values/guarantee (kind)")
def _guarantee_kind() -> object:
    noted: list[object] = []
    noted.append(sf.sampling.SystemBits().guarantee is sf.sampling.Guarantee.INFORMATION_THEORETIC)
    noted.append([guarantee.value for guarantee in sf.sampling.Guarantee])
    return noted


@case("values/interval (kind)")
def _interval_kind() -> object:
    noted: list[object] = []
    found = sf.measures.capacity_bits(sf.Channel([[0.75, 0.25], [0.25, 0.75]]))
    noted.append((found.lower, found.width < 1e-09, 0.1887 in found))
    noted.append(Interval(0.25, 0.5).overlaps(Interval(0.5, 1.0)))
    return noted


@case("values/intervals (kind)")
def _intervals_kind() -> object:
    noted: list[object] = []
    noted.append(Intervals([0.0, 0.25], [0.5, 0.75])[1])
    return noted


@case("values/nobody (kind)")
def _nobody_kind() -> object:
    noted: list[object] = []
    noted.append((sf.measures.Correlation.of("nobody"), sf.measures.Correlation.of(5).words))
    return noted


@case("values/relation (kind)")
def _relation_kind() -> object:
    noted: list[object] = []
    coin = sf.mechanisms.RandomizedResponse(size=2, odds=Fraction(3))
    made = sf.certify(coin)
    noted.append((made["odds"].relation.value, made["capacity_bits"].relation.value))
    return noted


@case("values/status (kind)")
def _status_kind() -> object:
    noted: list[object] = []
    coin = sf.mechanisms.RandomizedResponse(size=2, odds=Fraction(3))
    made = sf.certify(coin)
    noted.append((made["odds"].status is sf.certificates.Status.EXACT, made["capacity_bits"].status.value))
    return noted


@case("values/tally (kind)")
def _tally_kind() -> object:
    noted: list[object] = []
    coin = sf.mechanisms.RandomizedResponse(size=2, odds=Fraction(3))
    north, south = (coin.tally([0, 0, 1]), coin.tally([1, 1]))
    noted.append(north + south)
    return noted
