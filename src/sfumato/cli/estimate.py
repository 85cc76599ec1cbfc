"""sfumato estimate: from reports to shares with their intervals."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.estimate_survey import estimate_one_question
from sfumato.cli.open import show_estimates
from sfumato.cli.output import MEGABYTE, say, show_waiting

_CARDS = "One yes/no question with a card"


def estimate_command(
    study: Annotated[
        Path, typer.Argument(help="The study file (TOML), or reports that were written by publish or open.")
    ],
    reports: Annotated[
        Path | None, typer.Argument(help="The reports (CSV or Parquet); left out if they were named first.")
    ] = None,
    question: Annotated[
        list[str] | None, typer.Option(help="Only this question, by its id. Repeatable. Default: all.")
    ] = None,
    group: Annotated[str | None, typer.Option(help="Estimate each value of this column on its own as well.")] = None,
    confidence: Annotated[str | None, typer.Option(help="Confidence of the intervals. Default: the study's.")] = None,
    column: Annotated[
        str | None,
        typer.Option(help="The column of the reports. Default: report, or the only column.", rich_help_panel=_CARDS),
    ] = None,
    method: Annotated[str, typer.Option(help="exact, likelihood-ratio or wald.", rich_help_panel=_CARDS)] = "exact",
    ignoring: Annotated[
        float | None,
        typer.Option(help="Share of respondents who may have ignored the instructions.", rich_help_panel=_CARDS),
    ] = None,
    simultaneous: Annotated[
        bool,
        typer.Option(
            "--simultaneous", help="Let all intervals shown hold together at this confidence.", rich_help_panel=_CARDS
        ),
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the estimates as JSON.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print a Markdown table.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print no estimates.")] = False,
    plot: Annotated[Path | None, typer.Option(help="Write the estimates with their intervals (SVG) here.")] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write the estimates (CSV or Parquet) here.")] = None,
    limit_mb: Annotated[int, typer.Option(min=1, help="Refuse reports larger than this many MB.")] = 2000,
) -> None:
    """Estimate the shares of the answers from reports, with intervals.

    Reports of a study carry their note, so they are enough; reports of one yes/no question that were collected with a
    card need the study file.

    Examples:

        sfumato estimate reports.parquet --group region --plot estimates.svg

        sfumato estimate survey.toml reports.csv --group region --plot estimate.svg
    """
    from sfumato.errors import InvalidParameter
    from sfumato.study.study_files import is_short_form

    if json and markdown:
        raise InvalidParameter("--json and --markdown both want the screen. Choose one.")
    if reports is None and study.suffix.lower() == ".toml":
        raise InvalidParameter(f"{study} is a study. Name the reports after it: sfumato estimate {study} reports.csv")
    if reports is not None and is_short_form(study):
        if question or out is not None or quiet:
            raise InvalidParameter("--question, --out and --quiet are for reports of a study of several questions.")
        estimate_one_question(
            study,
            reports,
            column=column,
            group=group,
            confidence=confidence,
            method=method,
            ignoring=ignoring,
            simultaneous=simultaneous,
            json=json,
            markdown=markdown,
            plot=plot,
            limit_mb=limit_mb,
        )
        return
    if column is not None or ignoring is not None or simultaneous or method != "exact":
        raise InvalidParameter(f"--column, --method, --ignoring and --simultaneous are for: {_CARDS.lower()}.")
    _estimate_study(
        study,
        reports,
        question,
        group,
        confidence,
        json=json,
        markdown=markdown,
        quiet=quiet,
        plot=plot,
        out=out,
        limit_bytes=limit_mb * MEGABYTE,
    )


def _estimate_study(
    first: Path,
    second: Path | None,
    questions: list[str] | None,
    group: str | None,
    confidence: str | None,
    *,
    json: bool,
    markdown: bool,
    quiet: bool,
    plot: Path | None,
    out: Path | None,
    limit_bytes: int,
) -> None:
    from sfumato.errors import InvalidParameter
    from sfumato.files import write_atomically
    from sfumato.files.tables import write_table
    from sfumato.render.share_plots import shares_svg
    from sfumato.render.studies import estimates_as_markdown
    from sfumato.study import exact_number, fingerprint, read_study
    from sfumato.study.estimating import estimate_table
    from sfumato.study.reports import Reports

    reports = Reports.read(first if second is None else second, limit_bytes=limit_bytes)
    if second is not None and fingerprint(read_study(first)) != reports.note.fingerprint:
        raise InvalidParameter(
            f"the reports in {second} are of another study than {first}, or the study was changed since. Name the "
            f"study that they were published with, or the reports alone."
        )
    level = 0.95 if confidence is None else float(exact_number("confidence", confidence))
    with show_waiting("estimating"):
        found = estimate_table(reports, confidence=level, group=group, questions=questions)
    if plot is not None:
        write_atomically(plot, shares_svg(found, title=reports.note.study.name))
        say(f"wrote {plot}")
    if out is not None:
        write_table(found.to_arrow(), out)
        say(f"wrote {out}")
    if markdown:
        typer.echo(estimates_as_markdown(found), nl=False)
    else:
        show_estimates(found, reports.note, json=json, quiet=quiet)
