"""The sets response: numbered sets, exact laws, and what a tally says."""

import itertools
import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from sfumato import measures
from sfumato.errors import InvalidParameter, SourceFailed
from sfumato.mechanisms import SetsResponse, SubsetSelection
from sfumato.mechanisms.set_systems import code_of_set, members_of_set
from sfumato.mechanisms.sets import set_noise
from sfumato.sampling import InsecureSeeded, ScriptedBits, Tally

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "sets.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("size", "members"), [(5, 2), (6, 3), (7, 6), (4, 1)])
def test_numbers_and_sets_are_one_to_one_in_python_and_compiled(size, members):
    from sfumato.mechanisms.set_kernels import number_set, spell_set

    seen = []
    for code in range(math.comb(size, members)):
        found = members_of_set(code, members)
        assert code_of_set(found) == code
        bits = spell_set(code, size, members)
        assert bits == sum(1 << member for member in found)
        assert number_set(bits, size) == code
        seen.append(found)
    assert sorted(seen) == list(itertools.combinations(range(size), members))
    # Sets of the first residues come first, whatever is meant by first.
    assert [max(found) for found in seen] == sorted(max(found) for found in seen)


@pytest.mark.parametrize("members", [1, 21, 32, 43, 63])
def test_numbers_of_sets_of_sixty_four_come_back(members):
    """Words with all of their bits: the first, the last and those between."""
    from sfumato.mechanisms.set_kernels import number_set, spell_set

    count = math.comb(64, members)
    for code in (0, 1, count // 3, count // 2, count - 2, count - 1):
        bits = spell_set(code, 64, members)
        assert bits % (1 << 64) == sum(1 << member for member in members_of_set(code, members))
        assert number_set(bits, 64) == code


@pytest.mark.parametrize("position", [0, 1, 7, 123456])
@pytest.mark.parametrize("chosen", [1, 2, 5])
def test_the_channel_of_each_row_has_the_odds_and_the_law(position, chosen):
    """P(y|x) is high where x - y is in the row's public set: by the definition."""
    mechanism = SetsResponse(size=9, odds=Fraction(5), chosen=chosen)
    channel, code = mechanism.channel_at(position), mechanism.publics(1, position)
    held = members_of_set(int(code[0]) if code.size else 0, chosen)
    assert measures.odds(channel) == 5
    weight = 5 * chosen + 9 - chosen
    for x, y in itertools.product(range(9), range(9)):
        assert channel.row(x)[y] == Fraction(5 if (x - y) % 9 in held else 1, weight)


def test_reports_follow_their_law_exactly():
    """Every pair of words at a small width: with positions, so that public sets are others in each row."""
    mechanism = SetsResponse(size=5, odds=Fraction(2), chosen=2, width=4)
    for position, x in ((0, 2), (3, 4)):
        law = list(mechanism.channel_at(position).row(x))
        members = {y for y in range(5) if law[y] == max(law)}
        counts, firsts = np.zeros((2, 5), dtype=np.int64), np.zeros(2, dtype=np.int64)
        for first in range(16):
            kinds = set()
            for second in range(16):
                try:
                    y = int(mechanism.privatize([x], ScriptedBits([first, second]), positions=position)[0])
                except SourceFailed:
                    continue
                kind = int(y not in members)
                kinds.add(kind)
                counts[kind, y] += 1
            assert len(kinds) <= 1
            for kind in kinds:
                firsts[kind] += 1
        shares = [Fraction(int(n), int(firsts.sum())) for n in firsts]
        found = [
            sum(shares[kind] * Fraction(int(counts[kind, y]), int(counts[kind].sum())) for kind in (0, 1))
            for y in range(5)
        ]
        assert found == law


@pytest.mark.parametrize("chosen", [1, 4, 9])
def test_a_tally_hits_what_reports_hit_one_by_one(chosen):
    mechanism = SetsResponse(size=12, odds=Fraction(6), chosen=chosen)
    values = np.arange(300) % 12
    reports = mechanism.privatize(values, InsecureSeeded(4), positions=50)
    tally = mechanism.tally(reports, 50)
    hits = np.zeros(12)
    for place, y in enumerate(reports.tolist()):
        column = mechanism.channel_at(50 + place).array[:, y]
        hits += column > column.min()
    assert mechanism.hits(tally).tolist() == hits.tolist()
    order = np.random.default_rng(1).permutation(300)
    assert mechanism.tally(reports[order], 50 + order) == tally


@pytest.mark.parametrize(
    ("size", "chosen", "odds"), [(5, 2, Fraction(4)), (63, 4, Fraction(15)), (64, 24, Fraction(3, 2))]
)
def test_shares_are_read_as_by_subset_selection(size, chosen, odds):
    """In another way: the mechanism whose reports are the sets themselves."""
    mechanism = SetsResponse(size=size, odds=odds, chosen=chosen)
    other = SubsetSelection(size=size, odds=odds, chosen=chosen)
    assert mechanism.probabilities == other.probabilities
    law = [Fraction(1, size)] * size
    assert mechanism.variance(law, 7) == other.variance(law, 7)
    noise = set_noise(size, chosen, float(odds), 1 / size)
    assert noise == pytest.approx(float(other.variance(law, 1)[0]), rel=1e-9)


def test_estimates_are_near():
    mechanism = SetsResponse.within(size=40, epsilon=2.0)
    values = np.repeat([3, 7, 11, 30], [8000, 6000, 4000, 2000])
    found = mechanism.estimate(mechanism.tally(mechanism.privatize(values, InsecureSeeded(8))))
    truth = np.bincount(values, minlength=40) / values.size
    assert (np.abs(np.array(found.raw) - truth) < 5 * np.array(found.standard_errors) + 1e-9).all()


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 2.5, 5.0])
def test_within_is_the_best(epsilon):
    made = SetsResponse.within(size=50, epsilon=epsilon)
    assert math.log(made.odds) <= epsilon < math.log(made.odds) + 1e-8
    least = min(set_noise(50, chosen, math.exp(epsilon), 1 / 50) for chosen in range(1, 50))
    assert set_noise(50, made.chosen, math.exp(epsilon), 1 / 50) == least


def test_what_there_cannot_be():
    with pytest.raises(InvalidParameter, match="size=65"):
        SetsResponse(size=65, odds=Fraction(2), chosen=2)
    with pytest.raises(InvalidParameter, match="chosen=5"):
        SetsResponse(size=5, odds=Fraction(2), chosen=5)
    made = SetsResponse(size=5, odds=Fraction(2), chosen=2)
    with pytest.raises(InvalidParameter, match="not one for each of 5 answers"):
        made.estimate(Tally(mechanism=made.name, counts=(1, 1)))


def test_vectors():
    """Numbers of sets and the first public ones: other programs can be held to them."""
    for entry in VECTORS["sets"]:
        assert list(members_of_set(entry["code"], len(entry["members"]))) == entry["members"]
    for entry in VECTORS["public_sets"]:
        made = SetsResponse(size=entry["size"], odds=Fraction(2), chosen=entry["chosen"])
        assert made.publics(len(entry["codes"]), 0).tolist() == entry["codes"]
