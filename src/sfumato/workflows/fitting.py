"""Models, cross tables, comparisons and weighted shares from reports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from sfumato.errors import InvalidParameter
from sfumato.files.formats import DataFile
from sfumato.files.tables import TableLike
from sfumato.inference.regression.fitting import fit_outcome, fit_predictor
from sfumato.inference.regression.formula import ModelFrame, model_frame
from sfumato.inference.regression.result import Fit
from sfumato.prob.structured import AnyChannel
from sfumato.publications.analyses import (
    Comparison,
    Crosstab,
    WeightedShares,
    check_names,
    compared_answers,
    compared_groups,
    compared_waves,
    crossed,
    shares_by_weight,
)
from sfumato.publications.model_data import (
    BoolArray,
    Choice,
    Margins,
    ModelData,
    Sampled,
    cell_texts,
    data_of_reports,
    data_of_table,
    joined_data,
    nothing_randomised,
    public_column,
    words_in,
)
from sfumato.publications.registry import study_of
from sfumato.publications.reports import Paths, Reports, has_note
from sfumato.study.study import Study
from sfumato.surveys.classic_designs import Device
from sfumato.workflows.reading import read_published, read_reports

# --- The data of a model: published or opened reports, typed-in ones, tables of classic devices


Channels = Mapping[str, AnyChannel | Device]
"""For a table that was collected with devices of old: the channel of each randomised column, by its name."""
Analysed = Reports | Paths | TableLike | Sequence[Reports]
"""Reports that were published or opened, several of them together, or a table with `study` or `channels`."""


def model_data(
    reports: Analysed,
    names: Sequence[str],
    *,
    study: Study | str | Path | None = None,
    channels: Channels | None = None,
) -> ModelData:
    """Read what is named, from wherever reports are."""
    given: Any = reports
    if channels is not None:
        if study is not None:
            raise InvalidParameter(
                "says what was asked, and so do `channels`", parameter="study", way_out="Give one of the two."
            )
        return data_of_table(given, {name: _channel(one) for name, one in channels.items()}, names)
    if isinstance(given, list | tuple) and given and all(isinstance(one, Reports) for one in given):
        return joined_data([data_of_reports(one, names) for one in given])
    if study is not None and not _is_published(given):
        asked = study_of(study)
        handlers = {handler.question.id: handler for handler in asked.handlers if handler.on_paper}
        return data_of_table(given, {name: handler.channel(1) for name, handler in handlers.items()}, names, asked)
    if study is None and not isinstance(given, Reports | str | Path | Sequence):
        raise InvalidParameter(
            "are a table, which does not say how its reports were made",
            parameter="reports",
            way_out="Give the `study` that they are of, or their `channels`; or reports that were published.",
        )
    return data_of_reports(_on_one_machine(given, study), names)


def _channel(given: AnyChannel | Device) -> AnyChannel:
    return given.channel if isinstance(given, Device) else given


def _is_published(given: Any) -> bool:
    if isinstance(given, Reports):
        return True
    if isinstance(given, DataFile) or not isinstance(given, str | Path | Sequence):
        return False
    several = [given] if isinstance(given, str | Path) else list(given)
    return all(has_note(one) for one in several)


def _on_one_machine(reports: Any, study: Study | str | Path | None = None) -> Reports:
    found: Any = reports if isinstance(reports, Reports) and study is None else _read(reports, study)
    if not isinstance(found, Reports):
        raise InvalidParameter(
            "must be reports that were published or opened, on one machine: models need them person by person",
            parameter="reports",
            way_out="Name the files. Typed-in reports take their `study` as well; reports in Spark are sampled first.",
        )
    return found


def _read(reports: Any, study: Study | str | Path | None) -> Any:
    if isinstance(reports, Reports):
        return reports
    return read_reports(reports, study) if study is not None else read_published(reports)


def published_or_typed(reports: Paths, study: Path | None, note: str | Path | None = None) -> Any:
    """Read reports that were published; what was typed in stays a file, which is read with its study."""
    if study is not None and note is None and not _is_published(reports):
        if not isinstance(reports, str | Path):
            raise InvalidParameter(
                "takes one file of reports that were typed in",
                parameter="reports",
                way_out="Put them into one table; reports that were published are read without the study.",
            )
        return reports
    return read_reports(reports, study, note=note)


# --- Fitting a model by its formula
# Complete rows are selected, randomised variables are found, and the sampling design is read.


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
    """Fit a model to all people, then to the people of each value of a public column."""
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


def fit(
    reports: Analysed,
    model: str,
    *,
    kind: Literal["logistic", "multinomial", "ordered", "linear"] | None = None,
    weights: Choice = None,
    strata: Choice = None,
    clusters: Choice = None,
    population: float | Mapping[Any, float] | None = None,
    margins: Margins | None = None,
    nested: bool = False,
    lonely: Literal["refused", "centred"] = "refused",
    errors: Literal["observed", "scores", "sandwich"] | None = None,
    confidence: float = 0.95,
    study: Study | str | Path | None = None,
    channels: Channels | None = None,
) -> Fit:
    """Fit a model by its formula to reports: the outcome, or predictors, were randomised, and the others are public.

    Left of ~ stands the outcome. A question with two answers gets a logistic model, one with more a multinomial, one in
    order an ordered and numbers a linear one, unless `kind` says otherwise. `weights`, `strata` and `clusters` are
    public columns by their names, or an entry for each person; with any of them errors are those of the sampling plan,
    and weights meet the totals of `margins`. Several reports, as a list, are other people, who are put together.

    A table of reports that were typed in takes `study`; one that was collected with classic devices takes `channels`.

    Returns:
        Coefficients with errors, tests and predictions.

    Raises:
        InvalidParameter: the formula names what is not there.
        NotFitted: no largest likelihood was found, or it lies at infinity.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> study = sf.Study(name="Rest", questions=(sf.YesNo(id="tired", text="Tired?", epsilon=Fraction(2)),))
    >>> people = {"tired": ["no", "no", "no", "yes", "yes", "no"] * 300, "age": [20, 30, 40, 50, 60, 60] * 300}
    >>> made = sf.publish(study, people, keep=["age"], insecure_seed=7)
    >>> found = sf.fit(made.reports, "tired ~ age")
    >>> found.model, found["age"].estimate > 0, found["age"].p_value < 0.001
    ('logistic', True, True)
    """
    sampled = Sampled(
        weights=weights,
        strata=strata,
        clusters=clusters,
        population=population,
        margins=margins,
        nested=nested,
        lonely=lonely,
    )
    return fit_sampled(
        reports,
        model,
        kind=kind,
        sampled=sampled,
        errors=errors,
        confidence=confidence,
        study=study,
        channels=channels,
    )


def fit_sampled(
    reports: Analysed,
    model: str,
    *,
    kind: str | None = None,
    sampled: Sampled | None = None,
    errors: str | None = None,
    confidence: float = 0.95,
    study: Study | str | Path | None = None,
    channels: Channels | None = None,
) -> Fit:
    """Fit a model to a sample that is described as one thing."""
    sampling = sampled or Sampled()
    data = model_data(reports, needed_words(model, sampling), study=study, channels=channels)
    return fit_formula(data, model, kind=kind, sampled=sampling, errors=errors, confidence=confidence)


def fits_by_group(
    reports: Analysed,
    model: str,
    group: str,
    *,
    kind: str | None = None,
    sampled: Sampled | None = None,
    errors: str | None = None,
    confidence: float = 0.95,
    study: Study | str | Path | None = None,
    channels: Channels | None = None,
) -> tuple[Fit, ...]:
    """Fit a model to all people, then to those of each value of a public column; `group` of a fit is its value."""
    sampling = sampled or Sampled()
    data = model_data(reports, needed_words(model, sampling, group), study=study, channels=channels)
    return fit_by_group(data, model, group, kind=kind, sampled=sampling, errors=errors, confidence=confidence)


def crosstab(
    reports: Analysed,
    *questions: str,
    confidence: float = 0.95,
    study: Study | str | Path | None = None,
    channels: Channels | None = None,
) -> Crosstab:
    """Return the joint table of the answers to two or more questions, how much they go together, and the test of it.

    A public column may be one of them. Each question was randomised on its own.

    Returns:
        The joint table, its association and its test.

    Raises:
        InvalidParameter: there is no such question or column.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> asked = tuple(sf.YesNo(id=name, text=f"{name}?", epsilon=Fraction(3)) for name in ("smokes", "drinks"))
    >>> answers = {"smokes": ["no", "no", "yes", "yes"] * 500, "drinks": ["no", "no", "no", "yes"] * 500}
    >>> made = sf.publish(sf.Study(name="Habits", questions=asked), answers, insecure_seed=7)
    >>> sf.crosstab(made.reports, "smokes", "drinks").table.shares.round(2).tolist()
    [[0.49, 0.0], [0.25, 0.26]]
    """
    check_names(questions)
    return crossed(model_data(reports, questions, study=study, channels=channels), questions, confidence)


def compare(
    reports: Any, question: str, by: str | None = None, *, confidence: float = 0.95, simultaneous: bool = False
) -> Comparison:
    """Compare a question between the groups of a public column, between waves, or between its answers.

    `by` names the column. Without it several reports, by name in a dictionary, are compared as waves; of one, the
    answers are.

    Returns:
        The differences, their intervals and the test.

    Raises:
        InvalidParameter: there is no such question or column, or nothing to compare.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> study = sf.Study(name="Rest", questions=(sf.YesNo(id="tired", text="Tired?", epsilon=Fraction(2)),))
    >>> people = {"tired": ["no", "yes", "yes", "no"] * 500, "town": ["a", "a", "b", "b"] * 500}
    >>> made = sf.publish(study, people, keep=["town"], insecure_seed=7)
    >>> found = sf.compare(made.reports, "tired", "town")
    >>> len(found.contrasts), found.contrasts[0].interval.lower < 0 < found.contrasts[0].interval.upper
    (1, True)
    """
    if isinstance(reports, Mapping):
        if by is not None:
            raise InvalidParameter(
                "names groups, and several reports are compared as waves",
                parameter="by",
                value=by,
                way_out="Leave out `by`, or give one set of reports.",
            )
        waves = {str(name): read_published(one) for name, one in reports.items()}
        return compared_waves(waves, question, confidence=confidence, simultaneous=simultaneous)
    found = read_reports(reports) if isinstance(reports, str | Path) else reports
    if by is None:
        return compared_answers(found, question, confidence=confidence, simultaneous=simultaneous)
    return compared_groups(found, question, by, confidence=confidence, simultaneous=simultaneous)


def weighted_shares(
    reports: Analysed,
    question: str,
    *,
    weights: Choice = None,
    strata: Choice = None,
    clusters: Choice = None,
    population: float | Mapping[Any, float] | None = None,
    margins: Margins | None = None,
    nested: bool = False,
    lonely: Literal["refused", "centred"] = "refused",
    confidence: float = 0.95,
    study: Study | str | Path | None = None,
    channels: Channels | None = None,
) -> WeightedShares:
    """Return the shares of a question in the population that a sample was drawn from, with what its plan makes of them.

    `weights` are one over the chance of being drawn. `population` is its size, of each stratum or of all, for the
    finite population correction; `margins` are known totals that the weights are made to meet.

    Returns:
        Shares, errors and design effects.

    Raises:
        InvalidParameter: there is no such question or column, or a stratum has one cluster.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> study = sf.Study(name="Rest", questions=(sf.YesNo(id="tired", text="Tired?", epsilon=Fraction(3)),))
    >>> people = {"tired": ["no", "yes"] * 500, "weight": [3, 1] * 500}
    >>> made = sf.publish(study, people, keep=["weight"], insecure_seed=7)
    >>> found = sf.workflows.weighted_shares(made.reports, "tired", weights="weight")
    >>> found.labels, 0.2 < found.estimates[1].value < 0.3
    (('no', 'yes'), True)
    """
    sampled = Sampled(
        weights=weights,
        strata=strata,
        clusters=clusters,
        population=population,
        margins=margins,
        nested=nested,
        lonely=lonely,
    )
    return shares_sampled(reports, question, sampled, confidence=confidence, study=study, channels=channels)


def shares_sampled(
    reports: Analysed,
    question: str,
    sampled: Sampled,
    *,
    confidence: float = 0.95,
    study: Study | str | Path | None = None,
    channels: Channels | None = None,
) -> WeightedShares:
    """Return weighted shares of a sample that is described as one thing."""
    data = model_data(reports, (question, *sampled.names), study=study, channels=channels)
    return shares_by_weight(data, question, sampled, confidence)
