"""What is said of a ladder of flags: why it was chosen, what a report is, what a certificate is about."""

from __future__ import annotations

from collections.abc import Sequence


def chosen_words(modulus: int, dimensions: Sequence[int], ratios: Sequence[float], asked: str, degrees: str) -> str:
    """Say what one report costs each level."""
    shown, noise = ", ".join(map(str, dimensions)), ", ".join(f"{ratio:.2f}" for ratio in ratios)
    return (
        f"{asked}: the flags response on {modulus} possible reports, {degrees}. Each level has masks of its own, of "
        f"dimension {shown}, inside those of the level above; the noise over the least possible is {noise}, sharpest "
        f"level first."
    )


def report_words(modulus: int, size: int, asked: str) -> str:
    """Say what a symbol is, and what a key puts beside it."""
    return (
        f"a symbol from 0 to {modulus - 1} of the flags response, which with the number of its row favours several of "
        f"the {size} {asked}; opened by a key, the symbol and {modulus} times the number of a space of masks; not an "
        f"answer"
    )


def flags_remarks(length: int, dimensions: Sequence[int]) -> tuple[str, ...]:
    """Say what a certificate of a ladder of flags is about."""
    shown = ", ".join(map(str, dimensions))
    return (
        (
            f"Answers are elements of a field of 2^{length}. What is drawn for a row, spaces of masks of dimension "
            f"{shown} from the sharpest level to the public one and an element, does not depend on the answer; the "
            f"masks of the public level follow from the number of the row. The claims hold for every row."
        ),
    )
