"""The table of coverages in docs/theory/intervals.md is what the software computes.

Run this file as a script to print the table anew.
"""

import re
from pathlib import Path

import pytest

from designs import DESIGNS
from inference.test_coverage import types
from sfumato.inference import Method, ShareModel, share_interval

PAGE = Path(__file__).parents[2] / "docs" / "theory" / "intervals.md"
NAMES = ["three outputs", "two outputs", "Warner", "both limits"]
METHODS = [Method.WALD, Method.LIKELIHOOD_RATIO, Method.EXACT]


def coverage(name: str, n: int, theta: float, method: Method) -> float:
    model = ShareModel.of(DESIGNS[name].channel)
    return sum(
        probability
        for probability, counts in types(model, n, theta, 0.99999)
        if theta in share_interval(model, counts, method=method)
    )


def row(name: str, n: int, theta: float) -> str:
    shares = " | ".join(f"{100 * coverage(name, n, theta, method):.1f}" for method in METHODS)
    return f"| {name} | {n} | {theta} | {shares} |"


def rows_of_the_page():
    return re.findall(
        r"^\| (.+?) \| (\d+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$", PAGE.read_text(), re.MULTILINE
    )


def test_the_table_is_complete():
    assert [(name, n, theta) for name, n, theta, *_ in rows_of_the_page()] == [
        (name, str(n), str(theta)) for name in NAMES for n in (50, 200) for theta in (0.02, 0.1, 0.5)
    ]


def _is_slow(cells):
    """Of the rows at n = 50 those of one share are recomputed each time, where a report is one of two or three."""
    return cells[1] == "200" or cells[2] != rows_of_the_page()[0][2] or cells[0].startswith("both limits")


@pytest.mark.parametrize(
    "cells",
    [
        pytest.param(cells, id=", ".join(cells[:3]), marks=[pytest.mark.slow] if _is_slow(cells) else [])
        for cells in rows_of_the_page()
    ],
)
def test_every_row_is_recomputed(cells):
    """At n = 200 that takes a minute or two for a design with three reports, and is slow."""
    name, n, theta, *printed = cells
    for method, text in zip(METHODS, printed, strict=True):
        assert f"{100 * coverage(name, int(n), float(theta), method):.1f}" == text


if __name__ == "__main__":
    for name in NAMES:
        for n in (50, 200):
            for theta in (0.02, 0.1, 0.5):
                print(row(name, n, theta), flush=True)  # noqa: T201
