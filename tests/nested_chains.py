"""All that a ladder of sets, or of spaces, inside one another draws for a row, with probabilities in fractions."""

from collections import defaultdict
from fractions import Fraction

import numpy as np

from sfumato.errors import SourceFailed
from sfumato.sampling import ScriptedBits
from sfumato.sampling.rows import AnyRows


def every_draw(step, code):
    """What a step makes of a number for each of its draws, by the code that production runs, with probabilities."""
    found = defaultdict(Fraction)
    for kind, (size, chance) in enumerate(zip(step.sizes, (1 - step.chance, step.chance), strict=True)):
        if chance:
            codes = np.full(size, code, dtype=np.int64)
            step.apply(codes, np.full(size, kind, dtype=np.uint8), np.arange(size))
            for made in codes.tolist():
                found[made] += chance / size
    return found


def chains(ladder):
    """Sets, or spaces, from the public one upwards and the element, with probabilities: every draw of every step."""
    found = {(0,): Fraction(1)}
    for step in reversed(ladder.steps):
        longer = defaultdict(Fraction)
        for held, p in found.items():
            for made, q in every_draw(step, held[-1]).items():
                longer[(*held, made)] += p * q
        found = longer
    return found


def check_words_make_the_law(step, start):
    """Every pair of words at width 4; a place beyond the last full multiple asks for a third word, and is left out."""
    kinds, places = [0, 0], [defaultdict(int), defaultdict(int)]
    for first in range(16):
        kind = int(first < step.chance * 16)
        kinds[kind] += 1
        for second in range(16):
            sums = np.full(1, start, dtype=np.int64)
            try:
                step.add_rows(AnyRows(ScriptedBits([first, second])), sums)
            except SourceFailed:
                continue
            places[kind][int(sums[0])] += 1
    law = every_draw(step, start)
    for code in range(step.modulus):
        found = sum(
            Fraction(kinds[kind], 16) * Fraction(places[kind][code], sum(places[kind].values())) for kind in (0, 1)
        )
        assert found == law.get(code, 0)
