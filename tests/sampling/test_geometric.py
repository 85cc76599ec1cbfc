"""The two-sided geometric law: every word at a small width gives it exactly; a wrong ratio is noticed."""

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from sfumato.errors import InvalidParameter, SourceFailed
from sfumato.sampling import InsecureSeeded, ScriptedBits
from sfumato.sampling.samplers import two_sided_geometric


def law_up_to(ratio, width, words):
    """P(z) from all scripts of so many words, and what is still open when a script ends."""
    found, left = Counter(), Fraction(0)
    each = Fraction(1, 2 ** (width * words))
    for script in itertools.product(range(2**width), repeat=words):
        try:
            number = int(two_sided_geometric(ratio, ScriptedBits(script), 1, width=width)[0])
        except SourceFailed:
            left += each
        else:
            found[number] += each
    return found, left


@pytest.mark.parametrize(
    ("ratio", "width", "words"), [(Fraction(1, 2), 1, 10), (Fraction(3, 4), 2, 5), (Fraction(1, 4), 2, 5)]
)
def test_every_script_of_words(ratio, width, words):
    """A number that needs more words than a script has is left open; what is decided has the law's mass exactly."""
    found, left = law_up_to(ratio, width, words)
    total = Fraction(0)
    for number in range(-words, words + 1):
        # Two runs of g and g+|z| successes, thrown side by side, need 2g + |z| + 2 words.
        decided = sum(
            (
                (1 - ratio) ** 2 * ratio ** (2 * g + abs(number))
                for g in range(words)
                if 2 * g + abs(number) + 2 <= words
            ),
            Fraction(0),
        )
        assert found[number] == decided
        total += decided
    assert left == 1 - total


def test_a_ratio_with_more_digits_than_a_word_is_exact():
    """1/3 at one bit a word: the comparison goes on, and zero is decided with (1-r)² in the end."""
    found, left = law_up_to(Fraction(1, 3), 1, 11)
    assert found[0] <= Fraction(1, 2) <= found[0] + left
    assert found[1] == found[-1]
    assert left < Fraction(1, 5)


def chi_square(draws, ratio, far=6):
    law = [(1 - ratio) / (1 + ratio) * ratio ** abs(z) for z in range(-far, far + 1)]
    law = np.array([*map(float, law), 1 - float(sum(law))])
    inside = np.abs(draws) <= far
    counts = np.append(np.bincount(draws[inside] + far, minlength=2 * far + 1), (~inside).sum())
    return float((np.square(counts - draws.size * law) / (draws.size * law)).sum())


def test_draws_agree_with_their_ratio_and_with_no_other():
    """13 degrees of freedom: the right law stays below 60 but once in 10^7 times, one 5 % off goes far beyond."""
    draws = two_sided_geometric(Fraction(3, 5), InsecureSeeded(7), 40000)
    assert chi_square(draws, Fraction(3, 5)) < 60
    assert chi_square(draws, Fraction(63, 100)) > 100
    assert abs(float(draws.mean())) < 5 * math.sqrt(2 * 0.6) / 0.4 / 200


def test_no_noise_and_nobody():
    assert two_sided_geometric(Fraction(0), InsecureSeeded(1), 3).tolist() == [0, 0, 0]
    assert two_sided_geometric(Fraction(1, 2), InsecureSeeded(1), 0).size == 0


@pytest.mark.parametrize("ratio", [Fraction(1), Fraction(-1, 2), 0.5])
def test_bad_ratios(ratio):
    with pytest.raises(InvalidParameter, match="must be exact"):
        two_sided_geometric(ratio, InsecureSeeded(1), 1)
