"""The mechanism of a scale that is asked for its mean: two points, an arc, or the cyclic response."""

from __future__ import annotations

from fractions import Fraction

from sfumato.bits.mechanism import Mechanism
from sfumato.design.mean_scales import MeanChoice, MeanScale, Shape, choose_mean_scale
from sfumato.mechanisms import ArcResponse, BinaryHadamard

# Odds of a mechanism that only names a set: a ladder over it has odds of its own.
_ANY = Fraction(2)


def scale_mechanism(scale: MeanScale, *, hides: bool) -> Mechanism | None:
    """Return what the levels are made over, None for the cyclic response; with `hides` one more answer stands apart."""
    size = scale.points + hides
    if scale.shape is Shape.CYCLIC:
        return None
    if scale.shape is Shape.TWO_POINTS and not hides:
        return BinaryHadamard(size=2, odds=_ANY)
    return ArcResponse(size=size, odds=_ANY, length=scale.length, apart=hides)


def scale_words(choice: MeanChoice) -> str:
    """Say what was compared, and by how much the choice is better."""
    chosen = choice.chosen
    found = {
        Shape.TWO_POINTS: "rounded at random to the two ends",
        Shape.ARC: f"rounded at random to {chosen.points} values, each of which favours {chosen.length} reports in "
        f"a row",
        Shape.CYCLIC: f"rounded at random to {chosen.points} values, hidden by the cyclic response",
    }[chosen.shape]
    compared = "; ".join(
        f"{scale.shape.value} {', '.join(f'{value**0.5 / 2:.3g}' for value in scale.variances)}"
        for scale in choice.offered
    )
    return (
        f"For a mean numbers are {found}. What was compared is the largest standard deviation of one report, in parts "
        f"of the range, whatever the answer, at each level: {compared}."
    )


__all__ = ["choose_mean_scale", "scale_mechanism", "scale_words"]
