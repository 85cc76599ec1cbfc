"""Noise for beliefs that share few bits, in lines for the terminal: the assumption stands beside the budget."""

from __future__ import annotations

from sfumato.certificates.words import at_most, fraction_text
from sfumato.design.belief_releases import BelievedNoise
from sfumato.render.noises import Lines


def believed_lines(design: BelievedNoise) -> Lines:
    """What a person wants to know of it, with what the neighbouring assumptions would need and be told."""
    shared, told, people = fraction_text(design.shared_bits), at_most(design.anyone_bits), design.subject.people
    unit = "record" if people == 1 else f"household of at most {people}"
    return (
        ("records", f"{design.records:,}"),
        ("adds at most", f"{at_most(design.capacity_bits)} bits about any one {unit}, in every release (certified)"),
        ("to beliefs that share at most", f"{shared} bits over the whole data set (assumed)"),
        ("noise on the " + design.statistic, f"standard deviation {float(design.deviation):.5g}, normal, then rounded"),
        (
            f"if {'record' if people == 1 else 'household'}s are independent",
            f"{float(design.independent_deviation):.4g} would be enough",
        ),
        ("against anyone", f"{float(design.anyone_deviation):.4g} would be enough; this noise may tell {told} bits"),
        ("released on a grid of", f"{float(design.grid):.5g}"),
    )
