"""What designs of noise read: private numbers, which no error repeats, and who may depend on whom."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from sfumato.errors import InvalidParameter
from sfumato.values.checks import as_exact
from sfumato.values.correlation import Correlation
from sfumato.values.types import Real


def finite_number(value: Real) -> Fraction:
    """Read a private number exactly, or refuse it in a sentence that does not contain it."""
    try:
        return as_exact("value", value)
    except InvalidParameter:
        raise InvalidParameter(
            "the private value must be a finite number (int, Fraction or float)",
            way_out="Convert it, and check how it was computed.",
        ) from None


def private_number(value: Real, low: Fraction, high: Fraction) -> Fraction:
    """Read a private number of a range, on the same terms."""
    exact = finite_number(value)
    if not low <= exact <= high:
        raise InvalidParameter(
            f"the private value lies outside [{float(low):g}, {float(high):g}], for which the noise was made",
            way_out="Choose the range without looking at the data, or clip the value to it yourself.",
        )
    return exact


def check_counts(counts: Sequence[Fraction], records: int) -> None:
    """Refuse counts that no histogram of so many records has, without repeating them."""
    if not (all(number >= 0 and number.denominator == 1 for number in counts) and sum(counts) <= records):
        raise InvalidParameter(
            f"the private counts must be whole numbers of at least 0, of at most {records} records in all",
            way_out="Count every record in at most one cell.",
        )


def group_of(correlated: Correlation | str | int) -> Correlation:
    """Read how many people may depend on each other; beliefs that share bits need noise of another kind."""
    who = Correlation.of(correlated)
    if who.shared_bits is not None:
        raise InvalidParameter(
            "must say how many people may depend on each other: this noise is not certified for shared bits",
            parameter="correlated",
            way_out="Say anyone, nobody, or a number of people.",
        )
    return who
