"""Joint tables, comparisons and weighted shares as tables, and as documents for programs."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

from sfumato.infer.joint_tables import AssociationTest
from sfumato.render.model_sheets import p_words
from sfumato.render.sheets import Sheet
from sfumato.render.words import epsilon_text, interval_words, share_words
from sfumato.study.comparing import Comparison
from sfumato.study.crossing import Axis, Crosstab
from sfumato.study.weighted import WeightedShares
from sfumato.values import Interval

_MOST_ACROSS = 3
"""Answers that stand beside each other; a table of more is a list of combinations."""


def crosstab_sheet(found: Crosstab) -> Sheet:
    """Return two questions as a square table, more as a list of combinations."""
    table, axes = found.table, found.axes
    named = [f"{axis.name}: {'public' if axis.is_public else f'ε = {epsilon_text(axis.epsilon)}'}" for axis in axes]
    notes = [
        f"{table.total:,} reports; {'; '.join(named)}.",
        f"Shares of everybody, with intervals of {100 * table.confidence:.6g} %.",
    ]
    notes += association_words(found)
    if found.left_out:
        notes.append(f"{found.left_out:,} people are left out, who did not report on all of these.")
    title, notes = " × ".join(axis.text for axis in axes), [*notes, *found.notes]
    widths = sorted(len(axis.labels) for axis in axes)
    if len(axes) > 2 or widths[0] > _MOST_ACROSS:
        rows = tuple(
            (*(axis.labels[place] for axis, place in zip(axes, cell, strict=True)), *_cell(found, cell))
            for cell in product(*(range(len(axis.labels)) for axis in axes))
        )
        header = (*(axis.name for axis in axes), "share", "interval")
        return Sheet(title=title, header=header, rows=rows, notes=tuple(notes), left=tuple(range(len(axes))))
    # The question with fewer answers stands across, where there is less room.
    down, across = (1, 0) if len(axes[0].labels) < len(axes[1].labels) else (0, 1)
    rows = tuple(
        (
            label,
            *(_in_one(found, (place, other) if down == 0 else (other, place)) for other in _places(axes[across])),
            share_words(float(table.margins[down][place])),
        )
        for place, label in enumerate(axes[down].labels)
    )
    bottom = ("all", *(share_words(float(share)) for share in table.margins[across]), share_words(1.0))
    header = (axes[down].name, *(f"{axes[across].name}: {label}" for label in axes[across].labels), "all")
    return Sheet(title=title, header=header, rows=(*rows, bottom), notes=tuple(notes))


def association_words(found: Crosstab) -> list[str]:
    """Say whether questions go together, and how much."""
    table = found.table
    said = [tested_words(table.test, "all questions are independent")]
    if table.cramers_v is not None:
        said.append(f"Cramér's V of the table: {table.cramers_v:.3f} (0: independent, 1: one tells the other).")
    ratio = table.odds_ratio
    if ratio is not None:
        ends = f"{ratio.interval.lower:.3g} to {_shown(ratio.interval.upper)}"
        said.append(
            f"odds ratio {_shown(ratio.value)} ({100 * table.confidence:.6g} % interval {ends}, by profile likelihood)."
        )
    return said


def tested_words(test: AssociationTest, hypothesis: str) -> str:
    """Say what a test found."""
    return (
        f"χ² = {test.statistic:.2f} with {test.freedom} degrees of freedom, p {_sign(test.p_value)}: how likely so "
        f"much is by chance if {hypothesis}."
    )


def crosstab_document(found: Crosstab) -> dict[str, Any]:
    """Return a joint table for programs."""
    ratio = found.table.odds_ratio
    return {
        "questions": [
            {
                "name": axis.name,
                "answers": list(axis.labels),
                "epsilon": axis.epsilon if math.isfinite(axis.epsilon) else "inf",
                "public": axis.is_public,
            }
            for axis in found.axes
        ],
        "reports": found.table.total,
        "left_out": found.left_out,
        "confidence": found.table.confidence,
        "cells": found.to_rows(),
        "test": tested_document(found.table.test),
        "cramers_v": found.table.cramers_v,
        "odds_ratio": None
        if ratio is None
        else {"value": _finite(ratio.value), "lower": ratio.interval.lower, "upper": _finite(ratio.interval.upper)},
        "notes": list(found.notes),
    }


def tested_document(test: AssociationTest | None) -> dict[str, Any] | None:
    """Return a test for programs."""
    return None if test is None else {"statistic": test.statistic, "freedom": test.freedom, "p_value": test.p_value}


def weighted_sheet(found: WeightedShares) -> Sheet:
    """Return weighted shares as a table."""
    rows = [
        (label, share_words(one.value), interval_words(one.interval), share_words(one.raw), f"{one.design_effect:.2f}")
        for label, one in zip(found.labels, found.estimates, strict=True)
    ]
    if found.mean is not None:
        one = found.mean
        ends = f"{one.interval.lower:.4g} – {one.interval.upper:.4g}"
        rows.append(("mean", f"{one.value:.4g}", ends, f"{one.raw:.4g}", f"{one.design_effect:.2f}"))
    notes = [f"{found.reports:,} reports. A design effect of 2: as sure as half as many people drawn at random."]
    if found.left_out:
        notes.append(f"{found.left_out:,} people are left out, who lack a report or something that the plan names.")
    return Sheet(
        title=f"{found.question}  (shares in the population)",
        header=("answer", "share", f"{100 * found.confidence:.6g} % interval", "raw", "design effect"),
        rows=tuple(rows),
        notes=(*notes, *found.notes),
    )


def comparison_words(found: Comparison) -> tuple[str, ...]:
    """Say what the test of a comparison found."""
    tested = () if found.test is None else (tested_words(found.test, "all groups have the same shares"),)
    return (*tested, *found.notes)


def _cell(found: Crosstab, cell: tuple[int, ...]) -> tuple[str, str]:
    table = found.table
    ends = interval_words(Interval(float(table.lower[cell]), float(table.upper[cell])))
    return share_words(float(table.shares[cell])), ends


def _in_one(found: Crosstab, cell: tuple[int, ...]) -> str:
    share, ends = _cell(found, cell)
    return f"{share} ({ends})"


def _places(axis: Axis) -> range:
    return range(len(axis.labels))


def _sign(p_value: float) -> str:
    words = p_words(p_value)
    return words if words.startswith("<") else f"= {words}"


def _finite(number: float) -> float | str:
    return number if math.isfinite(number) else "inf"


def _shown(number: float) -> str:
    return "∞" if math.isinf(number) else f"{number:.3g}"
