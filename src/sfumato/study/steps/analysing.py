"""What researchers do after the percentages: models, joint tables, comparisons and weighted shares. Nothing is paid."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from sfumato.errors import InvalidParameter
from sfumato.infer.regression import Fit
from sfumato.study.comparing import Comparison, compared_answers, compared_groups, compared_waves
from sfumato.study.crossing import Crosstab, check_names, crossed
from sfumato.study.fitting import fit_by_group, fit_formula, needed_words
from sfumato.study.sampled import Choice, Margins, Sampled
from sfumato.study.steps.analysed_data import Analysed, Channels, model_data
from sfumato.study.steps.reading import read_published, read_reports
from sfumato.study.studies import Study
from sfumato.study.weighted import WeightedShares, shares_by_weight


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
    """Fit a model to everybody, then to the people of each value of a public column; `group` of a fit is its value."""
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
    >>> found = sf.weighted_shares(made.reports, "tired", weights="weight")
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
