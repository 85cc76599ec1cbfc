"""sfumato fit: models, cross tables and weighted shares from reports."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli.estimate import study_and_reports
from sfumato.cli.open import remark, remember_dictionaries
from sfumato.cli.options import Confidence, DictionaryFiles, Json, Markdown, NoteFile, Quiet, cut_at_commas
from sfumato.cli.output import console, say, show_waiting, tell, tell_json

if TYPE_CHECKING:
    from sfumato.display.tables import Sheet
    from sfumato.publications.model_data import Sampled


_SAMPLE = "How people were drawn"


class KindWord(StrEnum):
    """Models."""

    LOGISTIC = "logistic"
    MULTINOMIAL = "multinomial"
    ORDERED = "ordered"
    LINEAR = "linear"


class ErrorsWord(StrEnum):
    """How standard errors are made."""

    OBSERVED = "observed"
    SCORES = "scores"
    SANDWICH = "sandwich"


def fit_command(
    reports: Annotated[
        list[Path],
        typer.Argument(help="Reports that were published or opened; or a study (TOML) and typed-in reports."),
    ],
    model: Annotated[
        str | None, typer.Option(help='A formula: the outcome, ~, and what it may depend on: "affair ~ age".')
    ] = None,
    cross: Annotated[
        list[str] | None,
        typer.Option(help="Instead: the joint table of these questions, by their ids with commas between."),
    ] = None,
    shares: Annotated[
        str | None, typer.Option(help="Instead: the shares of this question in the population, by weights.")
    ] = None,
    kind: Annotated[
        KindWord | None, typer.Option(help="The kind of model. Default: what suits the outcome's answers.")
    ] = None,
    group: Annotated[
        str | None, typer.Option(help="Fit the model to each value of this kept column on its own as well.")
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option(help="The kept column of weights: one over the chance of being drawn.", rich_help_panel=_SAMPLE),
    ] = None,
    strata: Annotated[str | None, typer.Option(help="The kept column of strata.", rich_help_panel=_SAMPLE)] = None,
    cluster: Annotated[str | None, typer.Option(help="The kept column of clusters.", rich_help_panel=_SAMPLE)] = None,
    nested: Annotated[
        bool,
        typer.Option("--nested", help="Clusters are numbered anew in each stratum.", rich_help_panel=_SAMPLE),
    ] = False,
    population: Annotated[
        float | None,
        typer.Option(help="How many people, or clusters, there were to draw from.", rich_help_panel=_SAMPLE),
    ] = None,
    margins: Annotated[
        Path | None,
        typer.Option(
            help="Known totals (TOML): a table for each kept column, a total for each value.", rich_help_panel=_SAMPLE
        ),
    ] = None,
    errors: Annotated[
        ErrorsWord | None,
        typer.Option(help="How standard errors are made. Default: observed; of a linear model sandwich."),
    ] = None,
    confidence: Confidence = 0.95,
    note: NoteFile = None,
    dictionary: DictionaryFiles = None,
    json: Json = False,
    markdown: Markdown = False,
    latex: Annotated[bool, typer.Option("--latex", help="Print the result as LaTeX.")] = False,
    quiet: Quiet = False,
    plot: Annotated[Path | None, typer.Option(help="Write the coefficients with their intervals (SVG) here.")] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write the result as a page (HTML) here.")] = None,
) -> None:
    """Fit a model to reports: who gives which answer, although no single answer is known.

    Left of ~ stands the outcome. It is a question, or a public column that depends on one. A question with two answers
    gets a logistic model, one with more a multinomial, one in order an ordered, and numbers a linear one. To the right
    stand public columns that were kept beside the reports, and questions: `a:b` is an interaction, `C(x)` takes numbers
    as names, `I(x**2)` is arithmetic. Formulas need the extra sfumato[analysis].

    With --weights, --strata or --cluster, standard errors are those of the sample's design. --cross prints the joint
    table of two or more questions and whether they go together; --shares a question's shares in the population.

    Examples:

        sfumato fit reports.parquet --model "affair ~ C(region)"

        sfumato fit reports.parquet --model "affair ~ C(region)" --strata region --plot fit.svg

        sfumato fit reports.parquet --cross affair,region

        sfumato fit survey.toml typed.csv --model "answer ~ C(region)" --latex
    """
    from sfumato.errors import InvalidParameter
    from sfumato.files.disk import write_atomically
    from sfumato.files.formats import check_places
    from sfumato.output.analyses import analysis_page
    from sfumato.output.estimate_plots import coefficients_svg
    from sfumato.workflows.fitting import published_or_typed

    crossed = cut_at_commas(cross)
    _one_job(model=model, cross=crossed, shares=shares)
    _one_screen(json=json, markdown=markdown, latex=latex)
    if plot is not None and model is None:
        raise InvalidParameter(
            "shows coefficients, and no model is fitted", parameter="plot", way_out="Add --model, or leave it out."
        )
    check_places(plot=plot, out=out)
    study, paths = study_and_reports(reports)
    remember_dictionaries(dictionary)
    sampled = _sampled(weights, strata, cluster, population, margins, nested=nested)
    held = published_or_typed(paths if len(paths) > 1 else paths[0], study, note)
    remark(held)
    told = getattr(held, "note", None)
    warning = told.source if told is not None and told.insecure else ""
    with show_waiting("fitting"):
        if model is not None:
            chosen = {"kind": kind and kind.value, "errors": errors and errors.value}
            fits = _fits(held, study, model, group, sampled, confidence, chosen)
            sheets, document = _of_fits(fits)
        else:
            _refuse_for_tables(group=group, kind=kind, errors=errors)
            fits = ()
            sheets, document = (
                _of_crosstab(held, study, crossed, sampled, confidence)
                if crossed
                else _of_shares(held, study, str(shares), sampled, confidence)
            )
        picture = (
            coefficients_svg(fits) if fits and (plot is not None or (out is not None and _has_slopes(fits))) else ""
        )
        if plot is not None:
            write_atomically(plot, picture)
        if out is not None:
            write_atomically(out, analysis_page(_page_title(told), sheets, picture=picture, warning=warning))
    if warning:
        say(f"WARNING: {warning}")
    for written in (plot, out):
        if written is not None and not quiet:
            say(f"wrote {written}")
    _show(sheets, document, json=json, markdown=markdown, latex=latex, quiet=quiet)


def _page_title(note: Any) -> str:
    return "What the reports say" if note is None else str(note.study.name)


def _one_job(**given: Any) -> None:
    from sfumato.errors import InvalidParameter

    wanted = [name for name, value in given.items() if value]
    if len(wanted) != 1:
        raise InvalidParameter(
            "or `cross` or `shares` must be given, one of the three",
            parameter="model",
            way_out='Write for instance --model "affair ~ age".',
        )


def _one_screen(**given: bool) -> None:
    from sfumato.errors import InvalidParameter

    wanted = [name for name, value in given.items() if value]
    if len(wanted) > 1:
        raise InvalidParameter(f"and `{wanted[1]}` both want the screen", parameter=wanted[0], way_out="Choose one.")


def _refuse_for_tables(**given: Any) -> None:
    from sfumato.errors import InvalidParameter

    for name, value in given.items():
        if value is not None:
            raise InvalidParameter("is for models", parameter=name, way_out=f"Add --model, or leave out `{name}`.")


def _sampled(
    weights: str | None,
    strata: str | None,
    cluster: str | None,
    population: float | None,
    margins: Path | None,
    *,
    nested: bool,
) -> Sampled:
    from sfumato.publications.model_data import Sampled, read_margins

    return Sampled(
        weights=weights,
        strata=strata,
        clusters=cluster,
        population=population,
        margins=None if margins is None else read_margins(margins),
        nested=nested,
    )


def _fits(
    held: Any,
    study: Path | None,
    model: str,
    group: str | None,
    sampled: Sampled,
    confidence: float,
    chosen: dict[str, Any],
) -> tuple[Any, ...]:
    from sfumato.workflows.fitting import fit_sampled, fits_by_group

    if group is None:
        return (fit_sampled(held, model, sampled=sampled, confidence=confidence, study=study, **chosen),)
    return fits_by_group(held, model, group, sampled=sampled, confidence=confidence, study=study, **chosen)


def _of_fits(fits: tuple[Any, ...]) -> tuple[list[Sheet], dict[str, Any]]:
    from sfumato.inference.regression.result import fit_sheets
    from sfumato.output.analyses import fit_document

    return fit_sheets(fits), {"schema": "sfumato/fit/1", "fits": [fit_document(fit) for fit in fits]}


def _of_crosstab(
    held: Any, study: Path | None, crossed: list[str], sampled: Sampled, confidence: float
) -> tuple[list[Sheet], dict[str, Any]]:
    from sfumato.errors import InvalidParameter
    from sfumato.output.analyses import crosstab_document
    from sfumato.publications.analyses import crosstab_sheet
    from sfumato.workflows.fitting import crosstab

    if not sampled.is_plain:
        raise InvalidParameter(
            "takes no weights, strata or clusters", parameter="cross", way_out="Fit a model, or leave these out."
        )
    found = crosstab(held, *crossed, confidence=confidence, study=study)
    return [crosstab_sheet(found)], {"schema": "sfumato/crosstab/1", **crosstab_document(found)}


def _of_shares(
    held: Any, study: Path | None, question: str, sampled: Sampled, confidence: float
) -> tuple[list[Sheet], dict[str, Any]]:
    from sfumato.publications.analyses import weighted_sheet
    from sfumato.workflows.fitting import shares_sampled

    found = shares_sampled(held, question, sampled, confidence=confidence, study=study)
    rows = {"question": question, "reports": found.reports, "left_out": found.left_out, "estimates": found.to_rows()}
    return [weighted_sheet(found)], {"schema": "sfumato/weighted-shares/1", **rows, "notes": list(found.notes)}


def _has_slopes(fits: tuple[Any, ...]) -> bool:
    return any(one.name != "Intercept" for fit in fits for one in fit.coefficients if one.name in fit.columns)


def _show(
    sheets: list[Sheet], document: dict[str, Any], *, json: bool, markdown: bool, latex: bool, quiet: bool
) -> None:
    from sfumato.display.tables import latex_sheets, markdown_sheets, terminal_sheet

    if json:
        tell_json(document)
    elif markdown:
        tell(markdown_sheets(sheets), end="")
    elif latex:
        tell(latex_sheets(sheets), end="")
    elif not quiet:
        for sheet in sheets:
            console().print(terminal_sheet(sheet))
