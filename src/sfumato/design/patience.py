"""How long a search may take. What it has when its time is up is what it returns, and it says so."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

from sfumato.errors import InvalidParameter


class OutOfTime(Exception):
    """The time of a search is up; whoever searches catches this and keeps what it has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """A moment on the clock until which a search may go on."""

    seconds: float
    until: float

    @classmethod
    def of(cls, seconds: float) -> Patience:
        """From now on for so many seconds; 0 means no search at all."""
        if not seconds >= 0:
            raise InvalidParameter(
                "must be a number of seconds ≥ 0", parameter="seconds", value=seconds, way_out="Write 5, or 0 for none."
            )
        return cls(seconds=seconds, until=time.monotonic() + seconds)

    @property
    def left(self) -> float:
        """Seconds that are left."""
        return max(0.0, self.until - time.monotonic())

    def check(self) -> None:
        """Raise OutOfTime when nothing is left."""
        if self.left <= 0:
            raise OutOfTime


FOREVER = Patience(seconds=math.inf, until=math.inf)
