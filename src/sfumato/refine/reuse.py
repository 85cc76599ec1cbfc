"""Draws are used once. This process remembers what each drawing made; key files remember it for all processes.

Two reports under the same draws differ by exactly what the answers differ by, so the second report tells everybody
whether, and how, an answer changed: ε is infinite [B, Thm 6]. Making the same reports again is not reuse.
"""

from __future__ import annotations

import threading

from sfumato.errors import KeyReused
from sfumato.refine.keys import Key
from sfumato.values import Guarantee

_MADE: dict[tuple[str, str], str] = {}
_LOCK = threading.Lock()


def claim_drawing(key: Key, digest: str) -> None:
    """Record that a drawing makes these reports; raise if it ever made others."""
    if key.produced is not None and key.produced != digest:
        raise _reused()
    if key.guarantee is Guarantee.NONE:  # a simulation: its seed is for anyone to repeat, and hides nothing
        return
    with _LOCK:
        if _MADE.setdefault((key.drawing, key.binding.question), digest) != digest:
            raise _reused()


def _reused() -> KeyReused:
    return KeyReused(
        "these keys have already made other reports. Under the same draws, the difference of two reports is the "
        "difference of the answers, for everybody to see",
        way_out="Draw new keys, or rotate to a new epoch.",
    )
