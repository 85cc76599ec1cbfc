"""Fitted models, cross tables and comparisons as tables and documents."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import Any

from sfumato.certificates.pages import checked_page
from sfumato.display.pages import inline_svg
from sfumato.display.tables import Sheet, html_sheet
from sfumato.inference.joint_tables import AssociationTest
from sfumato.inference.regression.result import Fit
from sfumato.publications.analyses import Crosstab


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


def _finite(number: float) -> float | str:
    return number if math.isfinite(number) else "inf"


# An analysis as one page: tables, and the picture of the coefficients.


def analysis_page(title: str, sheets: Sequence[Sheet], *, picture: str = "", warning: str = "") -> str:
    """Return the page; `picture` is SVG, and what it shows is in the tables as well."""
    drawn = ""
    if picture:
        words = "Coefficients with their intervals; the numbers are in the tables"
        drawn = f"<figure>{inline_svg(picture, words)}</figure>"
    alarm = f'<p class="alarm" role="note">{escape(warning)}</p>' if warning else ""
    body = "".join(html_sheet(sheet) for sheet in sheets)
    return checked_page(title, f"<header><h1>{escape(title)}</h1>{alarm}</header><main>{drawn}{body}</main>")
