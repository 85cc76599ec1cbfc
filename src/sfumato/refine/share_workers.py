"""Sealed bodies opened by several processes: a thread would hold the others up, as opening is one call after another.

A private key is handed to the processes through memory, never through a file or an argument that others see.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import numpy.typing as npt

from sfumato.refine.sealed_shares import ShareKey, open_shares, shifts_of_many

# Fewer are opened here, before a process has started.
_WORTH_A_PROCESS = 20_000
_AT_ONCE = 2_000

Opened = tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]
"""The shifts of rows, and which rows have any."""


def opened_bodies(
    chunks: Iterable[tuple[Sequence[bytes], Sequence[bytes]]],
    moduli: Sequence[int],
    key: ShareKey,
    *,
    rows: int,
    processes: int | None = None,
) -> Iterator[Opened]:
    """Open chunk after chunk of bodies and their infos, in order; shifts and which rows have any."""
    workers = (os.cpu_count() or 1) if processes is None else processes
    if workers < 2 or (processes is None and rows < _WORTH_A_PROCESS):
        for bodies, infos in chunks:
            yield shifts_of_many(open_shares(bodies, infos, key.kem, key.raw), moduli)
        return
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        for bodies, infos in chunks:
            pieces: list[Future[list[bytes]]] = [
                pool.submit(
                    open_shares,
                    bodies[start : start + _AT_ONCE],
                    infos[start : start + _AT_ONCE],
                    key.kem,
                    key.raw,
                )
                for start in range(0, len(bodies), _AT_ONCE)
            ]
            yield shifts_of_many([text for piece in pieces for text in piece.result()], moduli)
