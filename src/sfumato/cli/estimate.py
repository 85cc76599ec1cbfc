"""sfumato estimate and sfumato weights: shares with their intervals, and weights of reports."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli.open import remark, remember_dictionaries, show_estimates
from sfumato.cli.options import (
    BetweenWord,
    CountColumn,
    DictionaryFiles,
    Engine,
    EngineWord,
    Group,
    Json,
    LimitMb,
    Markdown,
    MethodWord,
    NoteFile,
    Questions,
    Quiet,
    ReportColumn,
    SparkMaster,
    engine_called,
    one_screen,
)
from sfumato.cli.output import MEGABYTE, say, show_progress, show_waiting, tell, tell_json

if TYPE_CHECKING:
    from sfumato.engines.spark import Engine as SparkEngine
    from sfumato.publications.estimating import Collected


_PAIRS = "Questions with two answers"
# Below this a file is read before a progress bar could be drawn.
_LONG_FILE = 30 * MEGABYTE


def estimate_command(
    reports: Annotated[
        list[Path],
        typer.Argument(help="Reports that were published or opened; or a study (TOML) and typed-in reports."),
    ],
    question: Questions = None,
    group: Group = None,
    confidence: Annotated[str | None, typer.Option(help="Confidence of the intervals. Default: 0.95.")] = None,
    simultaneous: Annotated[
        bool, typer.Option("--simultaneous", help="Let all intervals of a question hold together at this confidence.")
    ] = False,
    contrasts: Annotated[
        bool,
        typer.Option(
            "--contrasts",
            help="Add differences with their intervals: each with each up to 6, of more the first with the others.",
        ),
    ] = False,
    between: Annotated[
        BetweenWord | None,
        typer.Option(help="What --contrasts are between: groups, or answers of the same people. Default: groups."),
    ] = None,
    column: ReportColumn = None,
    count: CountColumn = None,
    method: Annotated[
        MethodWord, typer.Option(help="How intervals are made.", rich_help_panel=_PAIRS)
    ] = MethodWord.EXACT,
    ignoring: Annotated[
        float | None,
        typer.Option(help="Share of respondents who may have ignored the instructions.", rich_help_panel=_PAIRS),
    ] = None,
    note: NoteFile = None,
    dictionary: DictionaryFiles = None,
    engine: Engine = EngineWord.ARROW,
    master: SparkMaster = None,
    json: Json = False,
    markdown: Markdown = False,
    quiet: Quiet = False,
    plot: Annotated[Path | None, typer.Option(help="Write the estimates with their intervals (SVG) here.")] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write the estimates (CSV or Parquet) here.")] = None,
    limit_mb: LimitMb = 2000,
) -> None:
    """Estimate the shares of the answers from reports, with intervals.

    Reports that were published carry their note, so they are enough. Reports of a card that were collected on paper and
    typed in need the study before them; their columns are named by the questions.

    Whether two groups differ is not seen from their two intervals. With --contrasts each difference has an interval of
    its own; a difference is shown at this confidence where that interval does not hold 0. So it is with two answers of
    the same people, --contrasts --between answers: their shares are read from the same reports and err together.

    Examples:

        sfumato estimate reports.parquet --group region --plot estimates.svg

        sfumato estimate reports.parquet --group region --contrasts

        sfumato estimate reports.parquet --contrasts --between answers

        sfumato estimate survey.toml typed.csv --group region --plot estimate.svg
    """
    from sfumato.errors import InvalidParameter
    from sfumato.files.disk import write_atomically
    from sfumato.files.formats import check_places, check_table_place
    from sfumato.files.public_tables import write_table
    from sfumato.output.estimate_plots import shares_svg
    from sfumato.output.estimates import contrasts_markdown, estimates_markdown
    from sfumato.study.fields import exact_number
    from sfumato.workflows.reading import estimate_reports

    one_screen(json=json, markdown=markdown)
    if between is not None and not contrasts:
        raise InvalidParameter(
            "says what contrasts are between, and none are asked for",
            parameter="between",
            value=between.value,
            way_out="Add --contrasts.",
        )
    wanted = between or BetweenWord.GROUPS
    if contrasts and group is None and wanted is BetweenWord.GROUPS:
        raise InvalidParameter(
            "are between groups, and no column of groups is named",
            parameter="contrasts",
            way_out="Name a public column with --group, or compare answers with --between answers.",
        )
    check_places(plot=plot)
    check_table_place("out", out)
    study, paths = study_and_reports(reports)
    remember_dictionaries(dictionary)
    on = engine_called(engine, master)
    level = 0.95 if confidence is None else float(exact_number("confidence", confidence))
    collected = collect(paths, study, question, column, group, count, limit_mb * MEGABYTE, note=note, engine=on)
    remark(collected)
    with show_waiting("estimating"):
        found = estimate_reports(
            collected,
            confidence=level,
            group=group,
            questions=question,
            method=method.value,
            ignoring=ignoring,
            simultaneous=simultaneous,
        )
        differences = found.contrasts(wanted.value) if contrasts else None
    if plot is not None:
        write_atomically(plot, shares_svg(found, title=collected.note.study.name))
    if out is not None:
        write_table(found.to_arrow(differences), out)
    for written in (plot, out):
        if written is not None and not quiet:
            say(f"wrote {written}")
    if markdown:
        tell(estimates_markdown(found), end="")
        if differences:
            tell("\n" + contrasts_markdown(differences), end="")
    else:
        show_estimates(found, collected.note, json=json, quiet=quiet, contrasts=differences)


def study_and_reports(files: list[Path]) -> tuple[Path | None, list[Path]]:
    """Tell a study from reports: it ends in .toml, and comes first."""
    from sfumato.errors import InvalidParameter

    studies = [path for path in files if path.suffix.lower() == ".toml"]
    if not studies:
        return None, files
    study, *rest = files
    if len(studies) > 1 or study != studies[0]:
        raise InvalidParameter(
            "may begin with one study, which comes before the reports",
            parameter="reports",
            way_out=f"Name {studies[0]} first, and no other.",
        )
    if not rest:
        raise InvalidParameter(
            f"names a study alone, {study}", parameter="reports", way_out="Name the reports after it."
        )
    return study, rest


def collect(
    paths: list[Path],
    study: Path | None,
    questions: list[str] | None,
    column: str | None,
    group: str | None,
    count: str | None,
    limit_bytes: int,
    note: Path | None = None,
    engine: SparkEngine | None = None,
) -> Collected:
    """Read published reports, in one part or several, or count typed-in ones."""
    from sfumato.publications.typed_reports import TypedReports
    from sfumato.workflows.reading import read_reports

    path, *others = paths
    size = path.stat().st_size if path.is_file() and not others else 0
    with show_progress("counting reports", size if size >= _LONG_FILE else 0) as advance:
        found = read_reports(
            paths if others else path,
            study,
            note=note,
            engine=engine,
            questions=questions,
            column=column,
            group=group,
            count=count,
            limit_bytes=limit_bytes,
            progress=advance if size >= _LONG_FILE else None,
        )
    if isinstance(found, TypedReports) and found.unused_count:
        say("note: the column count was not used; --count count takes it as how often a row stands for itself.")
    return found


# sfumato weights: reports as numbers that other programs can sum.


def weights_command(
    reports: Annotated[Path, typer.Argument(help="Reports that were published or opened (CSV or Parquet).")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Write the weights (CSV or Parquet) here.")],
    question: Questions = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write what each report counts towards each answer, so that SQL can estimate shares with one join.

    The table has a row for each question, report and answer. Over any group of reports, the sum of the weights of an
    answer is an unbiased count of those who gave it, and divided by the number of reports it is the raw share of
    `sfumato estimate`. With few reports it may lie below 0 or above 1. The weights are those of the level at which the
    file stands, and say nothing about any single person.

    Example:

        sfumato weights reports.parquet --out weights.parquet
    """
    from sfumato.output.estimates import weights_document
    from sfumato.publications.reports import Reports
    from sfumato.workflows.weighing import report_weights

    with show_waiting("weighing reports"):
        found = Reports.read(reports)
        made = report_weights(found, questions=question, out=out)
    note = found.note
    if note.insecure:
        say(f"WARNING: {note.source}")
    if not quiet:
        say(f"wrote {made.num_rows:,} weights to {out}")
    if json:
        tell_json(weights_document(note, question))
