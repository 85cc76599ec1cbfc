"""Fitted models, cross tables and comparisons as tables and documents."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import Any

from sfumato.display.tables import Sheet
from sfumato.display.text import epsilon_text, interval_words, share_words
from sfumato.inference.joint_tables import AssociationTest
from sfumato.inference.regression.result import BY_PLAN, Coefficient, Fit
from sfumato.numbers.intervals import Interval
from sfumato.publications.analyses import Axis, Comparison, Crosstab, WeightedShares

# --- Fitted models as tables and documents


_LOGITS = ("logistic", "multinomial", "ordered")
_LEAST_SHOWN = 1e-4


def fit_sheets(fits: Sequence[Fit]) -> list[Sheet]:
    """Return a table for each fit, and where a predictor was randomised one for the model of its answers."""
    found = []
    for fit in fits:
        own = [one for one in fit.coefficients if not (fit.predictor and one.answer)]
        found.append(_sheet(fit, own, _title(fit), fit_notes(fit)))
        beside = [one for one in fit.coefficients if fit.predictor and one.answer]
        if beside:
            title = f"How the answers to {fit.predictor} depend on the other columns, fitted together with the model"
            found.append(_sheet(fit, beside, title, (), odds=True))
    return found


def fit_notes(fit: Fit) -> tuple[str, ...]:
    """Say what the numbers rest on."""
    said = [f"{fit.reports:,} reports; standard errors: {fit.errors}; {fit.reference} law."]
    if fit.log_likelihood is not None:
        against = "" if fit.null_log_likelihood is None else f", without predictors {fit.null_log_likelihood:.2f}"
        said.append(f"log-likelihood {fit.log_likelihood:.2f}{against}{_against_null(fit)}; {fit.iterations} steps.")
    if fit.scale is not None:
        said.append(f"residual standard deviation {fit.scale:.5g}.")
    if fit.model == "multinomial" and not fit.predictor:
        said.append(f"Each answer is held against “{fit.answers[0]}”.")
    return (*said, *fit.notes)


def _against_null(fit: Fit) -> str:
    """Return the likelihood-ratio test of all predictors; nothing where the ratio does not have its law."""
    more = len(fit.coefficients) - (len(fit.answers) - 1)
    if fit.predictor or fit.log_likelihood is None or fit.null_log_likelihood is None or more < 1:
        return ""
    if fit.errors == BY_PLAN or fit.freedom is not None:
        return ""
    from scipy.special import gammaincc  # noqa: PLC0415  scipy is slow to import

    statistic = max(0.0, 2 * (fit.log_likelihood - fit.null_log_likelihood))
    p_value = p_words(float(gammaincc(more / 2, statistic / 2)))
    sign = "" if p_value.startswith("<") else "= "
    return f" (likelihood ratio χ² = {statistic:.2f} with {more} degrees of freedom, p {sign}{p_value})"


def fit_document(fit: Fit) -> dict[str, Any]:
    """Return a fit for programs."""
    return {
        "formula": fit.formula,
        "group": fit.group,
        "model": fit.model,
        "outcome": fit.outcome,
        "predictor": fit.predictor or None,
        "answers": list(fit.answers),
        "reports": fit.reports,
        "left_out": fit.left_out,
        "errors": fit.errors,
        "reference": fit.reference,
        "freedom": fit.freedom,
        "confidence": fit.confidence,
        "log_likelihood": fit.log_likelihood,
        "null_log_likelihood": fit.null_log_likelihood,
        "residual_standard_deviation": fit.scale,
        "iterations": fit.iterations,
        "coefficients": [
            {
                "name": one.name,
                "answer": one.answer or None,
                "estimate": one.estimate,
                "standard_error": one.standard_error,
                "statistic": one.statistic if math.isfinite(one.statistic) else None,
                "p_value": one.p_value,
                "lower": one.interval.lower,
                "upper": one.interval.upper,
            }
            for one in fit.coefficients
        ],
        "covariance": fit.covariance.tolist(),
        "notes": list(fit.notes),
    }


def p_words(p_value: float) -> str:
    """Write how likely so much is by chance."""
    return f"< {_LEAST_SHOWN:.4f}" if p_value < _LEAST_SHOWN else f"{p_value:.4f}"


def _title(fit: Fit) -> str:
    group = "" if fit.group is None else f" · {fit.group}"
    spoken = f" · “{fit.answers[1]}” against “{fit.answers[0]}”" if fit.model == "logistic" and fit.answers else ""
    return f"{fit.formula or fit.outcome}{group}  ({fit.model} model{spoken})"


def _sheet(
    fit: Fit, several: Sequence[Coefficient], title: str, notes: tuple[str, ...], *, odds: bool | None = None
) -> Sheet:
    with_answers = any(one.answer for one in several)
    with_odds = fit.model in _LOGITS if odds is None else odds
    letter = "t" if fit.freedom is not None else "z"
    header = ["coefficient", "estimate", "standard error", letter, "p", f"{100 * fit.confidence:.6g} % interval"]
    rows = []
    for one in several:
        digits = _digits(one.standard_error)
        ends = f"{one.interval.lower:.{digits}f} to {one.interval.upper:.{digits}f}"
        row = [one.name, f"{one.estimate:.{digits}f}", f"{one.standard_error:.{digits}f}"]
        row += [f"{one.statistic:.2f}", p_words(one.p_value), ends]
        row += [_ratio(one, is_threshold="|" in one.name and fit.model == "ordered")] if with_odds else []
        rows.append(((one.answer,) if with_answers else ()) + tuple(row))
    header += ["odds ratio"] if with_odds else []
    return Sheet(
        title=title,
        header=(("answer",) if with_answers else ()) + tuple(header),
        rows=tuple(rows),
        notes=notes,
        left=(0, 1) if with_answers else (0,),
    )


def _digits(error: float) -> int:
    """Digits behind the point: three of the standard error."""
    if not 0 < error < math.inf:
        return 4
    return min(10, max(0, 2 - math.floor(math.log10(error))))


def _ratio(one: Coefficient, *, is_threshold: bool) -> str:
    if is_threshold or one.name == "Intercept" or abs(one.estimate) > 50:
        return ""
    return f"{math.exp(one.estimate):.4g}"


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
