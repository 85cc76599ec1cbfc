"""Calibrated noise for the terminal: what is added, what it costs, and what a looser formula would have asked for."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from sfumato.certificates.words import at_most
from sfumato.design.exponential_noise import ExponentialDesign
from sfumato.design.flipped_answers import FlipDesign
from sfumato.design.gaussian_noise import GaussianDesign
from sfumato.design.private_means import PrivateMean

if TYPE_CHECKING:  # rich waits until something is printed
    from rich.table import Table

Lines = tuple[tuple[str, str], ...]
_MOST_ANSWERS_SHOWN = 8


def gaussian_lines(design: GaussianDesign) -> Lines:
    """What a person wants to know of Gaussian noise."""
    saved = design.paper_variance / design.variance
    return (
        ("range of the number", f"{float(design.low):g} to {float(design.high):g}"),
        ("noise", f"standard deviation {math.sqrt(design.variance):.5g}, variance {design.variance:.5g}"),
        ("tells at most", f"{at_most(design.capacity_bits)} bits about anyone (certified)"),
        ("gap of the proof", f"{design.capacity_bits.width:.1e} bits between the law that tells most and the bound"),
        ("bounded over", design.method),
        ("released on a grid of", f"{float(design.grid):.5g}"),
        ("½·log2(1 + T²/N) would ask for", f"variance {design.paper_variance:.5g}, {saved:.3f} times as much"),
    )


def mean_lines(mean: PrivateMean) -> Lines:
    """The same for a mean, with how far off it may be."""
    spread = math.sqrt(mean.variance)
    chances = tuple(
        (f"{far:.4g} or more off the expectation", f"at most {100 * mean.error_chance(far):.3g} % of the time")
        for far in (2 * spread, 3 * spread)
    )
    return (("records", f"{mean.count:,}"), *gaussian_lines(mean.design), *chances)


def flip_lines(design: FlipDesign) -> Lines:
    """What a person wants to know of a flip."""
    return (
        ("the answer is flipped", f"{100 * float(design.flip):.4f} % of the time"),
        ("tells at most", f"{at_most(design.capacity_bits)} bits about anyone (certified)"),
    )


def exponential_lines(design: ExponentialDesign) -> Lines:
    """What a person wants to know of an exponential channel."""
    right = float(max(design.channel.row(0)))
    values = "any number of values" if design.values is None else f"{design.values} values"
    return (
        ("answers", str(design.channel.shape[0])),
        ("λ, per rank of distortion", f"{design.rate:.6f}"),
        ("the true answer is told", f"{100 * right:.3g} % of the time"),
        ("tells at most", f"{at_most(design.capacity_bits)} bits about anyone whose record has {values} (certified)"),
        ("log2 k - H(Z) would say", f"{at_most(design.printed_bits)} bits"),
    )


def noise_table(title: str, lines: Lines) -> Table:
    """Two columns for rich to print."""
    from rich.table import Table  # noqa: PLC0415  rich is only needed to print

    table = Table(title=title, title_justify="left", show_header=False)
    table.add_column("what", no_wrap=True)
    table.add_column("how much")
    for line in lines:
        table.add_row(*line)
    return table


def exponential_table(design: ExponentialDesign) -> Table | None:
    """The channel itself, where it fits a screen."""
    from rich.table import Table  # noqa: PLC0415  rich is only needed to print

    if design.channel.shape[0] > _MOST_ANSWERS_SHOWN:
        return None
    table = Table(title="Said for each true answer", title_justify="left")
    table.add_column("true")
    for label in design.channel.outputs:
        table.add_column(str(label), justify="right")
    for label, row in zip(design.channel.inputs, design.channel.array, strict=True):
        table.add_row(str(label), *(f"{100 * p:.2f} %" for p in row))
    return table
