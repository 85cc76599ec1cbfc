"""Free text in one publication: the rounds of a hunt run one after another, and again by whoever reads the reports.

Which prefixes a group is asked about follows from the reports of the groups before it. So the reports are all that a
reader needs: going through them in the same order finds the same prefixes, and the same texts at the end.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sfumato.bits import BitSource
from sfumato.infer import PrefixHunt, key_text

IntArray = npt.NDArray[np.int64]


def hunt_reports(hunt: PrefixHunt, keys: list[int], bits: BitSource) -> npt.NDArray[np.uint32]:
    """Return one report for each key, in the order of the keys; when no prefix is left, the rest report 0."""
    reports = np.zeros(len(keys), dtype=np.uint32)
    candidates: tuple[int, ...] = (0,)
    for level in range(hunt.levels):
        if not candidates:
            break
        mechanism = hunt.mechanism(candidates, level)
        group = hunt.group(len(keys), level)
        reports[group] = mechanism.privatize(hunt.level_values(keys[group], candidates, level), bits)
        estimate = mechanism.estimate(mechanism.tally(reports[group]))
        candidates = hunt.survivors(estimate, candidates, level)
    return reports


def found_texts(hunt: PrefixHunt, reports: IntArray, *, max_bytes: int) -> dict[str, tuple[float, float]]:
    """Return the texts found with their raw share and its standard error, largest first."""
    candidates: tuple[int, ...] = (0,)
    for level in range(hunt.levels):
        mechanism = hunt.mechanism(candidates, level)
        estimate = mechanism.estimate(mechanism.tally(reports[hunt.group(reports.size, level)]))
        places = {key: place for place, key in enumerate(_offered(hunt, candidates, level))}
        candidates = hunt.survivors(estimate, candidates, level)
        if not candidates:
            return {}
    return {
        key_text(key, max_bytes=max_bytes): (estimate.raw[places[key]], estimate.standard_errors[places[key]])
        for key in candidates
    }


def _offered(hunt: PrefixHunt, candidates: tuple[int, ...], level: int) -> list[int]:
    step = hunt.depth(level) - level * hunt.step_bits
    return [(candidate << step) | rest for candidate in candidates for rest in range(1 << step)]
