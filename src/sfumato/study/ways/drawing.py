"""Making the reports of a question, chunk after chunk of a part: from what, and into which keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from sfumato.bits import BitSource
from sfumato.refine import Binding, Key
from sfumato.refine.block_secrets import bits_of_block, blocks_within
from sfumato.values import Guarantee

IntArray = npt.NDArray[np.int64]


class KeyStore(Protocol):
    """Where true draws go as they are made, level by level, so that nobody holds a whole column of them."""

    def begin(self, blanks: Mapping[int, Key]) -> None:
        """Get ready for the draws of these levels; the keys hold none yet, and do not know how many there will be."""
        ...

    def append(self, level: int, shifts: npt.NDArray[Any]) -> None:
        """Take the draws of the next rows."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw:
    """What the reports of a part are drawn with: fresh bits, or keys that were drawn before; what keys are bound to.

    `part` is the part's id, which names its draws; an amendment `amends` another part, whose rows it is about. With a
    `secret`, draws that nobody keeps are made from it by the names of the rows. `rounds` is what the rounds of a
    question are asked about, where an engine has gone through them. `answers` is the type of the answers in their
    table, which the registrar's key remembers.
    """

    bits: BitSource
    binding: Binding
    part: str
    amends: str | None = None
    guarantee: Guarantee = Guarantee.INFORMATION_THEORETIC
    keys: Mapping[int, Key] | None = None
    store: KeyStore | None = None
    secret: bytes | None = field(default=None, repr=False)
    rounds: tuple[Any, ...] | None = None
    answers: str = ""

    @property
    def base(self) -> str:
        """The part whose rows are drawn for."""
        return self.part if self.amends is None else self.amends


class Drawer:
    """Makes the reports of a question for chunk after chunk of a part. Without levels there are no keys."""

    def __init__(self, reports: Callable[[Any, BitSource], npt.NDArray[Any]], draw: Draw) -> None:
        self._reports, self._draw = reports, draw

    def draw(self, answers: Any, numbers: IntArray, filled: npt.NDArray[np.bool_] | None = None) -> npt.NDArray[Any]:
        """Make one report for each answer, of the rows with these numbers, or of those of them that are `filled`.

        Under a secret whole blocks of rows are drawn, each from bits of its own.
        """
        rows = numbers if filled is None else numbers[filled]
        if self._draw.secret is None or not rows.size:
            return self._reports(answers, self._draw.bits) if rows.size else np.empty(0, dtype=np.int64)
        pieces = [
            self._reports(answers[start:stop], bits_of_block(self._draw.secret, block))
            for block, start, stop in blocks_within(rows)
        ]
        return np.concatenate(pieces)

    @property
    def top(self) -> Key | None:
        """What reports are made with, where that is a key that can be sent to whoever makes them."""
        return None

    def keys(self, rows: int) -> Mapping[int, Key]:
        """Return the keys by level, once all of so many rows have been drawn; true draws are where they were stored."""
        del rows
        return {}
