"""Fitting a model by its formula: which rows are complete, what is randomised in it, how people were sampled."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from sfumato.errors import InvalidParameter
from sfumato.infer.regression import Fit, ModelFrame, fit_outcome, fit_predictor, model_frame
from sfumato.study.model_data import BoolArray, ModelData, nothing_randomised, words_in
from sfumato.study.sampled import Sampled, cell_texts, public_column

MOST_GROUPS = 100
_ASKED = {"formula": "model", "model": "kind"}


def needed_words(formula: str, sampled: Sampled, group: str | None = None) -> tuple[str, ...]:
    """Return every name that a fit may need."""
    return tuple(dict.fromkeys([*words_in(formula), *sampled.names, *([] if group is None else [group])]))


def fit_formula(
    data: ModelData,
    formula: str,
    *,
    kind: str | None = None,
    sampled: Sampled | None = None,
    errors: str | None = None,
    confidence: float = 0.95,
    among: BoolArray | None = None,
) -> Fit:
    """Fit a model to the people who have all that it names, or to those `among` them."""
    sampling = sampled or Sampled()
    words = words_in(formula)
    used = [name for name in (*data.variables, *data.columns) if name in words or name in sampling.names]
    people = data.filled(used) if among is None else data.filled(used) & among
    wanted = data.rows if among is None else int(among.sum())
    if not people.any():
        raise InvalidParameter(
            "has no person with all that it names", parameter="model", value=formula, way_out="Leave a column out."
        )
    randomised = {name: one.column.labels for name, one in data.variables.items() if name in words}
    columns = {name: one[people] for name, one in data.columns.items() if name in words}
    with _named_as_asked():
        frame = model_frame(formula, columns, randomised, rows=int(people.sum()), others=data.known)
    options: dict[str, Any] = {"confidence": confidence}
    if not sampling.is_plain:
        options["plan"] = sampling.plan(data, people)
    if errors is not None:
        options["errors"] = errors
    with _named_as_asked():
        found = _fitted(data, frame, people, kind, options)
    left_out = wanted - int(people.sum())
    notes = (f"{left_out:,} of {wanted:,} people are left out, who lack something that the model names.",)
    said = (*found.notes, *(notes if left_out else ()), *data.notes)
    return replace(found, formula=formula, left_out=left_out, notes=said)


def fit_by_group(data: ModelData, formula: str, group: str, **options: Any) -> tuple[Fit, ...]:
    """Fit a model to everybody, then to the people of each value of a public column."""
    texts = cell_texts(public_column("group", group, data))
    values = sorted({text for text in texts.tolist() if text is not None})
    if len(values) > MOST_GROUPS:
        raise InvalidParameter(
            f"has {len(values):,} values; at most {MOST_GROUPS} models are fitted at a time",
            parameter="group",
            value=group,
            way_out="Name another column, or put it into the model.",
        )
    whole = fit_formula(data, formula, **options)
    parts = [replace(fit_formula(data, formula, among=texts == value, **options), group=value) for value in values]
    return (whole, *parts)


def _fitted(data: ModelData, frame: ModelFrame, people: BoolArray, kind: str | None, options: dict[str, Any]) -> Fit:
    if frame.predictors:
        predictors = [data.variables[name].taken(people) for name in frame.predictors]
        outcome, model = _outcome(data, frame.outcome, people, kind)
        return fit_predictor(model, outcome, frame.designs, predictors, frame.given, name=frame.outcome, **options)
    if frame.outcome not in data.variables:
        raise nothing_randomised(tuple(data.variables))
    chosen = data.variables[frame.outcome]
    model = kind or chosen.model
    if model == "linear":  # the noise of a report depends on the answer, and these errors know it
        options.setdefault("errors", "sandwich")
    return fit_outcome(model, chosen.taken(people), frame.designs[0], **options)


@contextmanager
def _named_as_asked() -> Iterator[None]:
    """Give a refusal the names of what was asked: below, the formula is a formula, and its kind the model."""
    try:
        yield
    except InvalidParameter as error:
        if error.parameter in _ASKED:
            error.parameter = _ASKED[error.parameter]
        raise


def _outcome(data: ModelData, name: str, people: BoolArray, kind: str | None) -> tuple[Any, str]:
    """Return an outcome beside a randomised predictor, and its model: linear for numbers, logistic for two values."""
    if name in data.variables:
        return data.variables[name].taken(people), kind or "logistic"
    column = data.columns[name][people]
    texts = cell_texts(column)
    values = sorted(set(texts.tolist()))
    if column.dtype != object and (kind == "linear" or (kind is None and set(values) != {"0", "1"})):
        return column, "linear"
    if len(values) != 2:
        raise InvalidParameter(
            f"has {len(values):,} different values that are no numbers; beside a randomised predictor an outcome is a "
            f"number, or one of two",
            parameter="model",
            value=name,
            way_out="Recode it to two values.",
        )
    return (texts == values[1]).astype(np.float64), kind or "logistic"
