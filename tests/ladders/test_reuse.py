"""Draws are used once: in one thread, in many, and whatever the kind of key."""

import threading
from fractions import Fraction

import numpy as np
import pytest

from sfumato.errors import KeyReused
from sfumato.ladders import Ladder
from sfumato.mechanisms import CyclicResponse
from sfumato.sampling import Guarantee, InsecureSeeded

LADDER = Ladder.of_odds(CyclicResponse(size=5, odds=Fraction(2), q=3, t=3), [Fraction(4), Fraction(2)], recover=True)
KINDS = [Guarantee.INFORMATION_THEORETIC, Guarantee.COMPUTATIONAL]


@pytest.mark.parametrize("guarantee", KINDS)
def test_the_same_values_again_are_no_reuse(guarantee):
    keys = LADDER.draw_keys(50, guarantee=guarantee)
    values = np.arange(50) % 5
    first, again = (LADDER.publish(values, keys=keys) for _ in range(2))
    assert (first.reports == again.reports).all()
    handed = LADDER.publish(values, keys=first.keys)
    assert (handed.reports == first.reports).all()


@pytest.mark.parametrize("guarantee", KINDS)
def test_one_changed_value_is_refused(guarantee):
    keys = LADDER.draw_keys(50, guarantee=guarantee)
    values = np.arange(50) % 5
    LADDER.publish(values, keys=keys)
    values[17] = 0
    with pytest.raises(KeyReused, match="Draw new keys") as caught:
        LADDER.publish(values, keys=keys)
    assert "17" not in str(caught.value)


def test_a_key_remembers_what_it_made_where_the_process_does_not(monkeypatch):
    """A key that comes back from elsewhere carries the digest of its reports."""
    values = np.arange(50) % 5
    handed = LADDER.publish(values).keys
    monkeypatch.setattr("sfumato.ladders.keys._MADE", {})
    with pytest.raises(KeyReused):
        LADDER.publish((values + 1) % 5, keys=handed)
    assert LADDER.publish(values, keys=handed).reports.size == 50


def test_what_reuse_would_show():
    """Without the refusal the difference of two reports is the difference of the answers: why it is refused."""
    keys = LADDER.draw_keys(50)
    values = np.arange(50) % 5
    changed = np.roll(values, 1)
    shifts = keys[0].material.shifts.astype(int)
    first, second = ((column + shifts) % LADDER.modulus for column in (values, changed))
    assert ((second - first) % LADDER.modulus == (changed - values) % LADDER.modulus).all()


@pytest.mark.parametrize("guarantee", KINDS)
def test_of_racing_threads_exactly_one_wins(guarantee):
    keys = LADDER.draw_keys(200, guarantee=guarantee)
    start = threading.Barrier(8)
    outcomes = []

    def race(number):
        values = np.full(200, number % 5)
        values[number] = (number + 1) % 5  # so that no two threads publish the same
        start.wait()
        try:
            LADDER.publish(values, keys=keys)
        except KeyReused:
            outcomes.append("refused")
        else:
            outcomes.append("won")

    threads = [threading.Thread(target=race, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["refused"] * 7 + ["won"]


def test_a_simulation_may_be_run_again_with_other_answers():
    """Equal seeds give equal draws, in a notebook as in tests; nothing that anyone can repeat hides an answer."""
    values = np.arange(50) % 5
    for column in (values, np.roll(values, 1)):
        assert LADDER.publish(column, InsecureSeeded(3)).reports.size == 50
