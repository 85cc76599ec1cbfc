"""Every script of words that a release can be fed, and plain tests of independence on what was drawn."""

from collections import defaultdict
from fractions import Fraction

import numpy as np

from sfumato.errors import SourceFailed
from sfumato.sampling import ScriptedBits


def drawn_outputs(release, width, most_words):
    """The law of what `release(bits)` returns over all scripts, and the chance that `most_words` were too few."""
    law, unfinished = defaultdict(Fraction), Fraction(0)
    scripts = [()]
    for used in range(most_words + 1):
        longer = []
        for script in scripts:
            try:
                outcome = tuple(np.asarray(release(ScriptedBits(script))).ravel().tolist())
            except SourceFailed:
                if used == most_words:
                    unfinished += Fraction(1, 2 ** (width * used))
                else:
                    longer += [(*script, word) for word in range(1 << width)]
                continue
            law[outcome] += Fraction(1, 2 ** (width * used))
        scripts = longer
    return dict(law), unfinished


def assert_drawn(release, width, most_words, expected):
    """What is drawn is `expected`, up to the scripts that were not finished."""
    law, unfinished = drawn_outputs(release, width, most_words)
    assert set(law) <= {y for y, p in expected.items() if p}
    for y, chance in expected.items():
        assert law.get(y, 0) <= chance <= law.get(y, 0) + unfinished
    return unfinished


def largest_deviation(values, outputs, value_count, output_count):
    """The largest |P(x, y) - P(x)P(y)| in standard deviations, over all cells of a table of counts."""
    total = values.size
    counts = np.bincount(values * output_count + outputs, minlength=value_count * output_count)
    joint = counts.reshape(value_count, output_count) / total
    rows, columns = joint.sum(axis=1, keepdims=True), joint.sum(axis=0, keepdims=True)
    spread = np.sqrt(rows * (1 - rows) * columns * (1 - columns) / total)
    return float(np.max(np.abs(joint - rows * columns)[spread > 0] / spread[spread > 0], initial=0.0))
