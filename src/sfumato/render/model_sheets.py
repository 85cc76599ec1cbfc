"""Fitted models as tables, and as documents for programs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from sfumato.infer.regression import Coefficient, Fit
from sfumato.infer.regression.standard_errors import BY_PLAN
from sfumato.render.sheets import Sheet

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
