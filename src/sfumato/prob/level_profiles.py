"""How often each level of a structured channel reaches each output, counted two ways.

Output y of Y = X + U mod K is reached by the shifts y, y-1, …, y-k+1, so its column holds the levels of a window of k
codes. Outputs whose windows hold each level equally often are alike to every measure, and they are few kinds.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

CodeArray = npt.NDArray[np.int32]
Profiles = Iterator[tuple[tuple[int, ...], int]]
"""How many inputs reach an output with each level, and how many outputs share that."""


def profiles_by_sums(codes: CodeArray, levels: int, inputs: int) -> Profiles:
    """By running sums: a window is the difference of two of them."""
    size = len(codes)
    if inputs == size:
        yield tuple(np.bincount(codes, minlength=levels).tolist()), size
        return
    within = []
    for code in range(1, levels):
        held = codes == code
        running = np.cumsum(np.concatenate([held[size - inputs :], held]), dtype=np.int32)
        within.append(running[inputs:] - running[:size])
    yield from _counted(within, inputs, size)


def profiles_by_doubling(codes: CodeArray, levels: int, inputs: int) -> Profiles:
    """By doubling: over 2^j shifts from two halves, and over any number of them from its binary digits."""
    within = []
    for code in range(1, levels):
        part = (codes == code).astype(np.int32)
        total, reach = np.zeros_like(part), 0
        for place in range(inputs.bit_length()):
            if inputs >> place & 1:
                total, reach = total + np.roll(part, reach), reach + (1 << place)
            part = part + np.roll(part, 1 << place)
        within.append(total)
    yield from _counted(within, inputs, len(codes))


def _counted(within: list[CodeArray], inputs: int, size: int) -> Profiles:
    """Count the outputs that the levels but the lowest reach equally often; `within` has one row a level."""
    if not within:
        yield (inputs,), size
        return
    if len(within) == 1:
        counts = np.bincount(within[0])
        kinds = np.flatnonzero(counts)[None]
        outputs = counts[kinds[0]]
    else:
        kinds, outputs = np.unique(np.stack(within), axis=1, return_counts=True)
    for held, many in zip(kinds.T.tolist(), outputs.tolist(), strict=True):
        yield (inputs - sum(held), *held), many
