"""The part of `sfumato estimate` for one yes/no question asked with a card."""

from __future__ import annotations

import json as json_module
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from sfumato.cli.output import MEGABYTE, say, show_progress

if TYPE_CHECKING:
    from sfumato.infer import Method, ShareEstimate
    from sfumato.infer.shares import Counts
    from sfumato.io import ReportCounts
    from sfumato.prob.alphabet import Label
    from sfumato.study import Survey
    from sfumato.values import Interval

# Below this a file is read before a progress bar could be drawn.
_LONG_FILE = 30 * MEGABYTE
_WIDTHS = (80, 100)


def estimate_one_question(
    study: Path,
    reports: Path,
    *,
    column: str | None,
    group: str | None,
    confidence: str | None,
    method: str,
    ignoring: float | None,
    simultaneous: bool,
    json: bool,
    markdown: bool,
    plot: Path | None,
    limit_mb: int,
) -> None:
    """Estimate the share of the second answer from the reports of a card."""
    from fractions import Fraction

    from sfumato.files import write_atomically
    from sfumato.infer import estimate_groups, sensitivity_band
    from sfumato.render import estimate_svg, estimates_markdown, estimates_text
    from sfumato.study import exact_number, read_survey
    from sfumato.values.checks import check_between

    declared = read_survey(study)
    level = declared.plan.confidence if confidence is None else exact_number("confidence", confidence)
    how = _method(method)
    check_between("confidence", level, Fraction(1, 2), 1 - Fraction(1, 10**9))
    channel = declared.design().channel
    counted = _count(reports, [str(label) for label in channel.outputs], column, group, limit_mb * MEGABYTE)
    groups = _named(counted)
    by_label: dict[Label, Counts] = {}
    by_label.update(groups)
    made = estimate_groups(channel, by_label, confidence=float(level), method=how, simultaneous=simultaneous)
    found = {str(name): estimate for name, estimate in made.items()}
    bands = (
        {}
        if ignoring is None
        else {name: sensitivity_band(channel, counts, ignoring=ignoring) for name, counts in groups.items()}
    )
    answer, together = declared.answers[1], float(level) if simultaneous else None
    if plot is not None:
        picture = estimate_svg(found, question=declared.question, answer=answer, together=together, bands=bands)
        write_atomically(plot, picture)
        say(f"wrote {plot}")
    if json:
        document = _as_json(declared, counted, groups, found, bands, ignoring, simultaneous)
        typer.echo(json_module.dumps(document, ensure_ascii=False, allow_nan=False))
    elif markdown:
        typer.echo(estimates_markdown(found, question=declared.question, answer=answer, bands=bands), nl=False)
    else:
        text = estimates_text(
            found,
            question=declared.question,
            answer=answer,
            together=together,
            bands=bands,
            ignoring=ignoring or 0.0,
            width=_width(),
        )
        typer.echo(text, nl=False)


def _count(path: Path, known: list[str], column: str | None, group: str | None, limit_bytes: int) -> ReportCounts:
    from sfumato.io import read_report_counts

    size = path.stat().st_size if path.is_file() else 0
    if size < _LONG_FILE:
        return read_report_counts(path, known=known, column=column, group=group, limit_bytes=limit_bytes)
    with show_progress("counting reports", size) as advance:
        return read_report_counts(
            path, known=known, column=column, group=group, limit_bytes=limit_bytes, progress=advance
        )


def _named(counted: ReportCounts) -> dict[str, tuple[int, ...]]:
    """Put all reports first, under a name that no group has."""
    everything = "all"
    while everything in counted.by_group:
        everything += " reports"
    return {everything: counted.counts, **counted.by_group}


def _method(text: str) -> Method:
    from sfumato.errors import InvalidParameter
    from sfumato.infer import Method

    methods = {method.value.lower().replace(" ", "-"): method for method in Method}
    found = methods.get(text.lower().replace(" ", "-"))
    if found is None:
        raise InvalidParameter(f"method={text!r} is not known. Choose one of {', '.join(methods)}.")
    return found


def _width() -> int:
    import shutil
    import sys

    if not sys.stdout.isatty():
        return _WIDTHS[1]
    return max(_WIDTHS[0], min(_WIDTHS[1], shutil.get_terminal_size().columns))


def _as_json(
    study: Survey,
    counted: ReportCounts,
    groups: dict[str, tuple[int, ...]],
    found: dict[str, ShareEstimate],
    bands: dict[str, Interval],
    ignoring: float | None,
    simultaneous: bool,
) -> dict[str, object]:
    from math import isfinite

    estimates = []
    for i, (name, estimate) in enumerate(found.items()):
        information = estimate.fisher_information
        band = bands.get(name)
        estimates.append(
            {
                "group": None if i == 0 else name,
                "total": estimate.total,
                "counts": dict(zip(counted.reports, groups[name], strict=True)),
                "share": estimate.share,
                "lower": estimate.interval.lower,
                "upper": estimate.interval.upper,
                "confidence": estimate.confidence,
                "standard_error": estimate.standard_error,
                "fisher_information": information if isfinite(information) else "inf",
                "observed_information": estimate.observed_information,
                "band": None if band is None else {"lower": band.lower, "upper": band.upper},
                "notes": estimate.notes,
            }
        )
    return {
        "schema": "sfumato/estimate/1",
        "study": study.name,
        "question": study.question,
        "share_of": study.answers[1],
        "method": next(iter(found.values())).method,
        "simultaneous": simultaneous,
        "ignoring": ignoring,
        "estimates": estimates,
    }
