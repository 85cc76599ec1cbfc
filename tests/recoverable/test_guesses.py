"""Best guesses from responses: against every sequence by hand, and a million people against the exact chances."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from sfumato import recoverable
from sfumato.errors import InvalidParameter
from sfumato.prob import Channel, Distribution
from sfumato.recoverable import Guesser
from sfumato.recoverable.schemes import as_channels

PRIOR = [Fraction(2, 5), Fraction(3, 10), Fraction(1, 5), Fraction(1, 10)]
F = [0, 1, 1, 2]
QUERY = recoverable.Query.of(PRIOR, F, Fraction(3, 5))
PEOPLE = 1_000_000
# A right law fails this about once in two million runs, and the seeds are fixed.
ERRORS = 5


def likelihood(channels, x, sequence):
    return math.prod((channel.rows[x][i] for channel, i in zip(channels, sequence, strict=True)), start=Fraction(1))


def simulated(channels, seed, people=PEOPLE):
    """Data and responses, drawn from doubles: this is a test of guesses, not of a sampler."""
    random = np.random.default_rng(seed)
    data = random.choice(len(PRIOR), size=people, p=[float(p) for p in PRIOR])
    columns = []
    for channel in channels:
        sums = np.cumsum([[float(p) for p in row] for row in channel.rows], axis=1)
        columns.append(np.minimum((random.random(people)[:, None] >= sums[data]).sum(axis=1), len(channel.outputs) - 1))
    return data, np.stack(columns, axis=1)


def is_near(share, chance, people=PEOPLE):
    return abs(share - chance) <= ERRORS * math.sqrt(chance * (1 - chance) / people)


CHANNELS = {
    "the same twice": as_channels(QUERY, recoverable.best_noise(QUERY), 2),
    "V_1 three times": as_channels(QUERY, recoverable.pair_noise(QUERY), 3),
    "two kinds": (
        recoverable.best_answer(QUERY).channel,
        recoverable.hide_predicate(QUERY, [0, 1, 0, 1]).channel,
    ),
}


class TestByHand:
    @pytest.mark.parametrize("name", CHANNELS)
    def test_every_sequence(self, name):
        """The guess has the largest weight there is; ties may go either way by rounding."""
        channels = CHANNELS[name]
        sequences = list(itertools.product(range(3), repeat=len(channels)))
        attacker = Guesser.of_data(PRIOR, channels).guess(sequences)
        querier = Guesser.of_function(PRIOR, channels, F).guess(sequences)
        for sequence, x, value in zip(sequences, attacker.tolist(), querier.tolist(), strict=True):
            weights = [p * likelihood(channels, y, sequence) for y, p in enumerate(PRIOR)]
            assert float(weights[x]) == pytest.approx(float(max(weights)), rel=1e-12)
            sums = [sum(w for w, place in zip(weights, F, strict=True) if place == i) for i in range(3)]
            assert float(sums[value]) == pytest.approx(float(max(sums)), rel=1e-12)

    def test_labels(self):
        law = Distribution(PRIOR, ["a", "b", "c", "d"])
        channel = Channel(recoverable.best_answer(QUERY).channel.rows, law.labels, ("x", "y", "z"))
        assert Guesser.of_data(law, [channel]).labels == ("a", "b", "c", "d")
        assert Guesser.of_function(law, [channel], ["x", "y", "y", "z"]).labels == ("x", "y", "z")

    def test_the_long_way_is_the_short_way(self, monkeypatch):
        from sfumato.recoverable import guesses as response_guesses

        channels = CHANNELS["two kinds"]
        _, responses = simulated(channels, 1, 5000)
        guesser = Guesser.of_function(PRIOR, channels, F)
        looked_up = guesser.guess(responses)
        monkeypatch.setattr(response_guesses, "_MOST_LOOKED_UP", 1)
        monkeypatch.setattr(response_guesses, "_PART", 700)
        assert np.array_equal(guesser.guess(responses), looked_up)

    def test_values_that_cannot_be(self):
        channel = recoverable.best_answer(QUERY).channel
        law = Distribution([Fraction(1), Fraction(0), Fraction(0), Fraction(0)])
        assert Guesser.of_data(law, [channel]).guess([0, 1, 2]).tolist() == [0, 0, 0]

    def test_nobody(self):
        for n in (1, 40):
            guesser = Guesser.of_data(PRIOR, [recoverable.best_answer(QUERY).channel] * n)
            assert guesser.guess(np.zeros((0, n), dtype=np.int64)).shape == (0,)


class TestAMillion:
    @pytest.mark.parametrize(("scheme", "n"), [("best", 1), ("best", 3), ("pair", 2)])
    def test_errors_come_as_often_as_computed(self, scheme, n):
        noise = recoverable.best_noise(QUERY) if scheme == "best" else recoverable.pair_noise(QUERY)
        channels = as_channels(QUERY, noise, n)
        data, responses = simulated(channels, 10 + n)
        wrong = float(np.mean(Guesser.of_data(PRIOR, channels).guess(responses) != data))
        assert is_near(wrong, recoverable.privacy_of_noise(QUERY, noise, n).midpoint)
        told = Guesser.of_function(PRIOR, channels, F).guess(responses)
        right = float(np.mean(told == np.array(F)[data]))
        assert is_near(right, recoverable.accuracy_of_noise(QUERY, noise, n).midpoint)
        # Another channel's numbers are rejected.
        other = recoverable.Query.of(PRIOR, F, Fraction(31, 50))
        rival = recoverable.best_noise(other) if scheme == "best" else recoverable.pair_noise(other)
        assert not is_near(wrong, recoverable.privacy_of_noise(other, rival, n).midpoint)
        assert not is_near(right, recoverable.accuracy_of_noise(other, rival, n).midpoint)

    def test_a_guess_of_another_channel_errs_more(self):
        """Whoever takes V_1 for V_o guesses worse than the best guesser by many standard errors."""
        noise = recoverable.best_noise(QUERY)
        channels = as_channels(QUERY, noise, 3)
        data, responses = simulated(channels, 20)
        mistaken = Guesser.of_data(PRIOR, CHANNELS["V_1 three times"]).guess(responses)
        wrong = float(np.mean(mistaken != data))
        privacy = recoverable.privacy_of_noise(QUERY, noise, 3).midpoint
        assert wrong > privacy
        assert not is_near(wrong, privacy)

    def test_a_thousand_responses(self):
        """Chances of one sequence are far below the smallest double, and the value is still found."""
        n, people = 1000, 2000
        query = recoverable.Query.of(PRIOR, F, Fraction(51, 100))
        channels = as_channels(query, recoverable.best_noise(query), n)
        data, responses = simulated(channels, 30, people)
        told = Guesser.of_function(PRIOR, channels, F).guess(responses)
        assert np.array_equal(told, np.array(F)[data])
        wrong = float(np.mean(Guesser.of_data(PRIOR, channels).guess(responses) != data))
        assert is_near(wrong, 0.2, people)


class TestRefusals:
    def test_responses(self):
        guesser = Guesser.of_data(PRIOR, CHANNELS["two kinds"])
        for bad in ([[0.0, 1.0]], [[0, 1, 2]], [0, 1], [[["a"]]]):
            with pytest.raises(InvalidParameter, match="whole numbers, a row a person and 2 columns"):
                guesser.guess(bad)
        for bad in ([[0, 3]], [[-1, 0]]):
            with pytest.raises(InvalidParameter, match=r"must lie in 0\.\.2"):
                guesser.guess(bad)

    def test_channels(self):
        channel = recoverable.best_answer(QUERY).channel
        with pytest.raises(InvalidParameter, match=r"channels is empty\. Give the channel"):
            Guesser.of_data(PRIOR, [])
        with pytest.raises(InvalidParameter, match="channels must have the same inputs and outputs"):
            Guesser.of_data(PRIOR, [channel, Channel([[1, 0], [0, 1]])])
        with pytest.raises(InvalidParameter, match="f has 3 values for 4"):
            Guesser.of_function(PRIOR, [channel], [0, 1, 2])
