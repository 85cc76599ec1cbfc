"""Shares of texts that were found: their intervals hold although texts are picked out, at corners and for few."""

import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import binom

from drawn_parts import drawn_part
from sfumato.inference import string_keys
from sfumato.inference.heavy_hitters import FamilyCut, raw_shares
from sfumato.publications.estimating import estimate_collected
from sfumato.sampling import InsecureSeeded
from sfumato.study import FreeText, Study

SIZES = (100, 1000, 10_000)
SHARES = (0.0, 0.01, 0.3, 1.0)


def way_of(epsilon=4, **rest):
    return Study(name="s", questions=(FreeText(id="q", text="Q?", **rest),), public_epsilon=Fraction(epsilon)).handler(
        "q"
    )


def last_rule(way, n, candidates=1):
    mechanism = way.hunt.mechanism(tuple(range(candidates)), way.hunt.levels - 1)
    own, other = mechanism.probabilities
    return FamilyCut(size=mechanism.size - 1, n=n, own=own, other=other)


@pytest.mark.parametrize(("epsilon", "n", "share"), list(itertools.product((1, 4), SIZES, SHARES)))
def test_intervals_of_found_texts_cover_exactly(epsilon, n, share):
    """The hits of a text are binomial, whatever others hold: coverage is summed over all counts of hits.

    Over all texts that the last round offers the chances to be found and missed by the interval sum to 5 % at most,
    where intervals of one text at a time miss most of those that are found and held by few.
    """
    rule = last_rule(way_of(epsilon, longest=2), n)
    hits = np.arange(n + 1)
    chances = binom.pmf(hits, n, float(rule.chance(share)))
    raw, _, lower, upper = raw_shares(hits.astype(float), rule, tail=0.05 / (2 * rule.size))
    missed = (share < lower - 1e-12) | (upper + 1e-12 < share)
    assert chances[missed].sum() <= 0.05 / rule.size + 1e-12
    shown = np.clip(raw, 0, 1)
    assert (lower < upper).all()
    assert ((lower <= shown) & (shown <= upper)).all()


def test_one_text_at_a_time_would_not_do():
    """The control: of texts that 1 % hold and that were found among 1,000 people, plain 95 % intervals miss most."""
    rule, n, share = last_rule(way_of(4, longest=2), 1000), 1000, 0.01
    hits = np.arange(rule.count(), n + 1)
    chances = binom.pmf(hits, n, float(rule.chance(share)))
    _, _, lower, upper = raw_shares(hits.astype(float), rule, tail=0.025)
    missed = (share < lower) | (upper < share)
    assert chances[missed].sum() > 0.5 * chances.sum() > 0


@pytest.mark.parametrize("seed", range(3))
def test_the_way_reads_hits_off_reports(seed):
    """What a study estimates is what the hits of the last round say, counted here one report at a time."""
    question = FreeText(id="q", text="Q?", longest=2, keep=3)
    study = Study(name="s", questions=(question,), public_epsilon=Fraction(6))
    texts = ["ab"] * 3000 + ["xy"] * 1500 + ["q"] * 1500
    np.random.default_rng(seed).shuffle(texts)
    published = drawn_part(study, pa.table({"q": texts}), bits=InsecureSeeded(seed))
    (found,) = estimate_collected(published.reports)
    assert set(found.labels) == {"ab", "xy", "q"}
    assert found.together == 0.95

    way = study.handler("q")
    reports = np.asarray(published.reports.table["q"])
    asked = way.next_rounds(len(texts), None, None)
    asked = way.next_rounds(len(texts), asked, way.tally(reports, 1))
    mechanism = way.hunt.mechanism(asked[1], 1)
    symbols = way.hunt.level_values(string_keys(found.labels, max_bytes=2), asked[1], 1)
    members, last = set(mechanism.difference_set.members.tolist()), reports[1::2].tolist()
    truth = Counter(texts)
    for place, label in enumerate(found.labels):
        hits = sum((report - int(symbols[place])) % mechanism.modulus in members for report in last)
        rule = last_rule(way, len(last), len(asked[1]))
        (raw,), _, (lower,), (upper,) = raw_shares(np.array([float(hits)]), rule, tail=0.05 / (2 * rule.size))
        assert found.raw[place] == pytest.approx(raw, abs=1e-12)
        assert (found.intervals[place].lower, found.intervals[place].upper) == pytest.approx((lower, upper), abs=1e-12)
        assert lower <= truth[label] / len(texts) <= upper
