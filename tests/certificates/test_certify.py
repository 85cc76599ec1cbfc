"""Certificates say what is true, in numbers and in words."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.certificates import Certificate, Status, certify, verify
from sfumato.certificates.channel_claims import RULES
from sfumato.display import text as words
from sfumato.errors import InvalidLaw, InvalidParameter, NotCertified
from sfumato.mechanisms import RandomizedResponse
from sfumato.numbers import Interval
from sfumato.prob import Channel, Circulant

BINARY = Channel([[Fraction(5, 8), Fraction(3, 8)], [Fraction(3, 8), Fraction(5, 8)]], ["no", "yes"], ["no", "yes"])


def test_a_binary_channel_gets_every_claim():
    certificate = certify(BINARY)
    assert [claim.measure for claim in certificate.claims] == [rule.measure for rule in RULES]
    assert certificate["guess_error"].value == Fraction(3, 8)
    assert certificate["guess_error"].sentence.startswith(
        "A guesser who knows the prior is wrong at least 37.5 % of the time"
    )
    assert certificate["odds"].value == Fraction(5, 3)
    assert certificate["total_variation"].value == Fraction(1, 4)
    assert math.log(5 / 3) in certificate["epsilon"].value
    assert certificate["exposure"].value == 0
    assert certificate["fisher_information"].value == Fraction(1, 4)
    assert all(claim.status in (Status.EXACT, Status.CERTIFIED) for claim in certificate.claims)


def test_certified_intervals_are_narrow():
    for claim in certify(BINARY).claims:
        if isinstance(claim.value, Interval):
            assert claim.value.width <= 1.1e-9, claim.measure


def test_three_output_survey_says_the_hard_thing():
    """ε is infinite and an answer is published with probability δ = 1/4: the certificate says both in words."""
    channel = Channel([[Fraction(3, 4), Fraction(1, 4), 0], [Fraction(3, 4), 0, Fraction(1, 4)]])
    certificate = certify(channel)
    assert certificate["epsilon"].value == math.inf
    assert "infinite" in certificate["epsilon"].sentence
    assert certificate["exposure"].value == Fraction(1, 4)
    assert "With probability up to 25 % a respondent's answer is published" in certificate["exposure"].sentence
    assert certificate["guess_error"].value == Fraction(3, 8)


def test_a_guarantee_is_rounded_against_itself():
    third = Channel([[Fraction(2, 3), Fraction(1, 3)], [Fraction(1, 3), Fraction(2, 3)]])
    certificate = certify(third)
    assert "wrong at least 33.33 % of" in certificate["guess_error"].sentence
    assert "by at most 33.34 %" in certificate["total_variation"].sentence
    assert "ε = 0.6932 (nats, rounded up)" in certificate["epsilon"].sentence  # ln 2 = 0.69314…


def test_words_take_the_end_that_promises_less():
    """Of an interval, "at most" is the upper end rounded up and "at least" the lower one rounded down."""
    wide = Interval(0.12341, 0.98761)
    assert words.at_most(wide) == "0.9877"
    assert words.at_least(wide) == "0.1234"
    assert words.at_most(Fraction(1, 3)) == words.times(Fraction(1, 3)).removesuffix(" times") == "0.3334"
    assert words.at_least(Fraction(2, 3)) == "0.6666"


def test_floats_are_made_exact_and_the_move_is_told():
    certificate = certify(Channel([[0.1, 0.9], [0.7, 0.3]]), [0.2, 0.8])
    assert certificate.subject.channel.exact
    assert certificate.subject.prior.exact
    assert sum(Fraction(p) for p in certificate.subject.channel.rows[0]) == 1
    assert any(
        note.startswith("Its maker says, and this file alone cannot show, that this is a channel")
        for note in certificate.notes
    )
    assert any(
        note.startswith("Its maker says, and this file alone cannot show, that this is a prior")
        for note in certificate.notes
    )
    assert certificate["odds"].value != Fraction(7)  # the doubles nearest .7 and .1 are not exactly 7 : 1
    assert float(certificate["odds"].value) == pytest.approx(7, rel=1e-14)


def test_prior_in_another_order_is_put_right_and_zeros_are_refused():
    by_label = certify(BINARY, prior=_prior({"yes": Fraction(1, 10), "no": Fraction(9, 10)}))
    assert by_label["guess_error"].value == Fraction(1, 10)
    with pytest.raises(InvalidLaw, match=r"probability 0 to input 'yes'.*give it a positive probability"):
        certify(BINARY, prior=[1, 0])
    with pytest.raises(InvalidLaw, match="prior has 3 entries and the channel 2 inputs"):
        certify(BINARY, prior=[Fraction(1, 3)] * 3)


def _prior(shares):
    from sfumato.prob import Distribution

    return Distribution(list(shares.values()), list(shares))


def test_what_is_no_channel_is_refused():
    with pytest.raises(InvalidParameter, match="must be something to certify, not int"):
        certify(5)  # type: ignore[arg-type]
    tiny = Fraction(1, 1 << 1000)
    with pytest.raises(InvalidLaw, match=r"below 2\^-900"):
        certify(Channel([[tiny, 1 - tiny], [Fraction(1, 2), Fraction(1, 2)]]))


def test_a_report_with_87381_values_is_certified_from_its_structure():
    """7.6e9 entries are never written out; odds and symmetric capacity are what the closed form says."""
    support = range(0, 87381, 4)
    odds = Fraction(27182818284, 10**10)
    certificate = certify(Circulant.two_level(size=87381, support=support, odds=odds))
    assert certificate["odds"].value == odds
    assert certificate["epsilon"].value.upper <= 1.0
    count, size = len(support), 87381
    low = 1 / (count * float(odds) + size - count)
    entropy = -(count * low * float(odds) * math.log2(low * float(odds)) + (size - count) * low * math.log2(low))
    assert certificate["capacity_bits"].value.midpoint == pytest.approx(math.log2(size) - entropy, abs=1e-9)
    assert certificate["heaviest_output"].value == 1
    verify(Certificate.from_json(certificate.to_json()))


@given(data=st.data())
def test_every_honest_certificate_passes(data):
    """Dense, float, structured and mechanism subjects, with and without priors: sealed, opened, verified."""
    subject = data.draw(_subjects())
    prior = data.draw(st.none() | st.lists(st.integers(1, 9), min_size=_size(subject), max_size=_size(subject)))
    law = None if prior is None else [Fraction(weight, sum(prior)) for weight in prior]
    certificate = certify(subject, law)
    opened = Certificate.from_json(certificate.to_json())
    assert opened == certificate
    verify(opened)


@st.composite
def _subjects(draw):
    kind = draw(st.sampled_from(["exact", "float", "circulant", "mechanism"]))
    if kind == "mechanism":
        return RandomizedResponse(size=draw(st.integers(2, 5)), odds=draw(st.fractions(1, 20, max_denominator=9)))
    if kind == "circulant":
        weights = draw(st.lists(st.integers(0, 5), min_size=2, max_size=90).filter(any))
        law = [Fraction(weight, sum(weights)) for weight in weights]
        return Circulant(law, draw(st.integers(1, len(law))))
    shape = draw(st.tuples(st.integers(1, 5), st.integers(1, 5)))
    weights = draw(
        st.lists(
            st.lists(st.integers(0, 9), min_size=shape[1], max_size=shape[1]).filter(any),
            min_size=shape[0],
            max_size=shape[0],
        )
    )
    rows = [[Fraction(weight, sum(row)) for weight in row] for row in weights]
    return Channel(rows) if kind == "exact" else Channel(np.array([[float(v) for v in row] for row in rows]))


def _size(subject):
    return subject.size if isinstance(subject, RandomizedResponse) else subject.shape[0]


def test_a_number_that_nobody_can_write_down_is_refused_in_a_sentence():
    rng = np.random.default_rng(1)
    rows = [[Fraction(int(w)) for w in rng.integers(1, 2**40, 600)] for _ in range(2)]
    channel = Channel([[w / sum(row) for w in row] for row in rows])
    with pytest.raises(NotCertified, match=r"fisher_information is a fraction of more than .* bits.*common grid"):
        certify(channel)
