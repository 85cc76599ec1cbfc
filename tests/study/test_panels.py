"""The waves of a panel: joined by their pseudonyms, and what a change of an answer costs, by enumeration."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pyarrow.parquet as pq
import pytest

from collected_studies import enumerated, homes, kept, three_answers
from sfumato.study import CollectTerms
from sfumato.study.collection import collection_of, history_law, panel_cost, panel_words, pattern_of
from sfumato.workflows.collecting import export_part
from sfumato.workflows.responding import DeviceMemory, respond

ODDS = Fraction(6)


@pytest.fixture(scope="module")
def small():
    return three_answers(mode="panel")


def reports_of(collection, history):
    """What sends the reports of all waves of one device, given bits."""

    def send(bits):
        memory = DeviceMemory()
        sent = [
            respond(collection.at_wave(wave), {"q": "abc"[answer]}, bits=bits, memory=memory)
            for wave, answer in enumerate(history, start=1)
        ]
        return tuple(collection.unpack_row(one.row)["q"] for one in sent)

    return send


@pytest.mark.parametrize("history", [(0, 0), (0, 1), (2, 1), (0, 0, 0), (0, 0, 1), (1, 2, 1), (0, 1, 2)])
def test_the_waves_of_a_device_follow_the_joint_law_exactly(small, history):
    assert enumerated(reports_of(small, history)) == history_law(small.handlers["q"].channel(1), history)


def laws(collection, waves):
    channel = collection.handlers["q"].channel(1)
    return {history: history_law(channel, history) for history in itertools.product(range(3), repeat=waves)}


@pytest.mark.parametrize("waves", [1, 2, 3])
def test_a_change_costs_epsilon_once_more_and_no_less(small, waves):
    """Among histories that change at the same times the worst ratio is odds to the number of different answers."""
    found = laws(small, waves)
    for pattern in {pattern_of(history) for history in found}:
        mine = [law for history, law in found.items() if pattern_of(history) == pattern]
        different = len(set(pattern))
        worst = max(one[told] / two[told] for one, two in itertools.permutations(mine, 2) for told in one)
        cost = panel_cost(small.study, "q", different)
        assert worst == ODDS**different
        assert math.log(worst) <= cost.total_epsilon
        assert cost.total_epsilon >= different * cost.epsilon


def test_that_an_answer_changed_is_not_hidden(small):
    """What the words say: two reports that differ are impossible for who stays, whatever the answer."""
    found = laws(small, 2)
    stays = [law for history, law in found.items() if len(set(history)) == 1]
    changes = [law for history, law in found.items() if len(set(history)) == 2]
    assert all(one == two for law in stays for one, two in law)
    assert all(any(one != two for one, two in law) for law in changes)
    said = panel_words(small.study)
    assert "not hidden" in said
    assert "once more" in said


def test_a_device_without_a_memory_pays_for_every_wave(small):
    """The control: drawn afresh, two waves of one answer have the odds of two reports."""

    def send(bits, answer):
        return tuple(small.unpack_row(respond(small, {"q": answer}, bits=bits).row)["q"] for _ in range(2))

    one, two = (enumerated(lambda bits, answer=answer: send(bits, answer)) for answer in "ab")
    assert max(one[told] / two[told] for told in one) == ODDS**2


def test_three_waves_are_joined(tmp_path):
    """300 people, of whom 3 % change an answer each time; who stays has the same reports in every wave."""
    panel = collection_of(homes(tmp_path, collect=CollectTerms(mode="panel"), analysts=(), population=300), tmp_path)
    draws = np.random.default_rng(3)
    people = [{"place": "north", "moved": "no", "sold": "no"} for _ in range(300)]
    memories = [DeviceMemory() for _ in people]
    names = [f"{number:064x}" for number in draws.permutation(300).tolist()]
    stayed, waves = np.ones(300, dtype=bool), []
    for wave in (1, 2, 3):
        if wave > 1:
            changed = draws.permutation(300)[:9]
            for number in changed.tolist():
                people[number] = people[number] | {"place": ("north", "south", "east")[wave - 1]}
            stayed[changed] = False
        now = panel.at_wave(wave)
        sent = [respond(now, said, memory=memory) for said, memory in zip(people, memories, strict=True)]
        export = export_part(now, kept(now, sent, [bytes.fromhex(name) for name in names]), tmp_path / f"wave {wave}")
        table = pq.read_table(export.reports).to_pydict()
        assert "panel" in export.reports.with_suffix(".parquet.codebook.md").read_text()
        waves.append({name: (table["place"][row], table["moved"][row]) for row, name in enumerate(table["panel"])})
    assert waves[0].keys() == waves[1].keys() == waves[2].keys() == set(names)
    same = [waves[0][name] == waves[1][name] == waves[2][name] for name in names]
    assert all(same[number] for number in np.flatnonzero(stayed).tolist())
    assert stayed.sum() >= 282
    assert not all(same)
    moved = [waves[0][name][1] == waves[2][name][1] for name in names]
    assert all(moved), "what did not change is repeated by who changed something else"
