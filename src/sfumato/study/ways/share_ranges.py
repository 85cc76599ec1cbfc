"""The shares of an answer at which a plan says what a report tells: the expected one, and the ends of a range."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

LEAST, TYPICAL, MOST = Fraction(1, 100), Fraction(1, 10), Fraction(1, 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareRange:
    """Shares that one answer may have, ascending; `expected` is one of them, `because` says where they are from."""

    shares: tuple[Fraction, ...]
    expected: Fraction
    because: str

    @classmethod
    def stated(cls, expected: Fraction | None, ends: tuple[Fraction, Fraction] | None) -> ShareRange:
        """Return what a goal states: both, or half to double of what is expected, or 1 % to 50 %."""
        if ends is not None:
            middle = max(ends) if expected is None else expected
            because = "the range that the study states"
            return cls(shares=tuple(sorted({*ends, middle})), expected=middle, because=because)
        if expected is None:
            because = "no share was stated, so that 1 % to 50 % are taken"
            return cls(shares=(LEAST, TYPICAL, MOST), expected=TYPICAL, because=because)
        if not 0 < expected < 1:
            because = "a share at the end was stated, so that 1 % to 50 % are taken beside it"
            return cls(shares=tuple(sorted({LEAST, MOST, expected})), expected=expected, because=because)
        # Half and double of the share or of what is left of the whole, whichever moves it less.
        low, high = max(expected / 2, 2 * expected - 1), min(2 * expected, (1 + expected) / 2)
        because = "about half to double of what the study expects"
        return cls(shares=(low, expected, high), expected=expected, because=because)

    @classmethod
    def of_equal(cls, count: int) -> ShareRange:
        """Return the shares of one of many answers: as frequent as the others, 1 % and 50 %."""
        if not count:
            return cls.stated(None, None)
        even = Fraction(1, count)
        because = f"all {count:,} answers equally frequent, and 1 % to 50 %"
        return cls(shares=tuple(sorted({LEAST, even, MOST})), expected=even, because=because)
