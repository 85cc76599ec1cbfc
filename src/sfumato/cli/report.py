"""sfumato report: a study as one page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli.estimate import collect, study_and_reports
from sfumato.cli.open import remark, remember_dictionaries
from sfumato.cli.options import (
    Confidence,
    CountColumn,
    Decimal,
    DictionaryFiles,
    Encoding,
    Group,
    Json,
    LimitMb,
    Quiet,
    ReportColumn,
    Separator,
    Sheet,
    data_file,
)
from sfumato.cli.output import MEGABYTE, say, show_waiting, tell, tell_json

if TYPE_CHECKING:
    from sfumato.certificates.certificate import Certificate


def report_command(
    reports: Annotated[
        list[Path],
        typer.Argument(
            help="The public reports and files that `sfumato open` wrote, to stand beside them; or a study (TOML) and "
            "typed-in reports."
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Write the page here.")] = Path("report.html"),
    group: Group = None,
    confidence: Confidence = 0.95,
    column: ReportColumn = None,
    count: CountColumn = None,
    release: Annotated[
        Path | None, typer.Option(help="A release of `sfumato disclose`, to be described from its certificate.")
    ] = None,
    truth: Annotated[
        Path | None, typer.Option(help="A table of the answers: marks the true shares. For simulations only.")
    ] = None,
    dictionary: DictionaryFiles = None,
    encoding: Encoding = None,
    separator: Separator = None,
    decimal: Decimal = ".",
    sheet: Sheet = None,
    json: Json = False,
    quiet: Quiet = False,
    limit_mb: LimitMb = 2000,
) -> None:
    """Write a page about a study: what was asked and how, who sees what, the estimates, the certificates, the limits.

    The page is one file without scripts and asks for nothing from elsewhere. `sfumato verify` checks its certificates
    and its texts. Files of other draws or of other people are refused: everything on a page is of one publication.

    Example:

        sfumato report reports.parquet opened.parquet --out report.html --group region
    """
    from sfumato.files.disk import write_atomically
    from sfumato.files.formats import check_places
    from sfumato.output.report import study_report_html
    from sfumato.study.answers import answers_table
    from sfumato.study.planning import plan_study

    limit = limit_mb * MEGABYTE
    check_places(out=out)
    study, paths = study_and_reports(reports)
    remember_dictionaries(dictionary)
    files = [collect([path], study, None, column, group, count, limit) for path in paths]
    for file in files:
        remark(file)
    note = files[0].note
    table = None
    if truth is not None:
        held = data_file(truth, encoding, separator, decimal, sheet)
        table = answers_table(held, note.study.questions, limit_bytes=limit)
    disclosed = None if release is None else _certified(release)
    with show_waiting("writing the page"):
        plan = plan_study(note.study)
        page = study_report_html(plan, files, confidence=confidence, group=group, truth=table, disclosed=disclosed)
        write_atomically(out, page)
    if note.insecure:
        say(f"WARNING: {note.source}")
    if json:
        document = {
            "schema": "sfumato/report-page/1",
            "study": note.study.name,
            "fingerprint": note.fingerprint,
            "epoch": note.epoch,
            "rows": note.rows,
            "source": note.source,
            "insecure": note.insecure,
            "page": str(out),
            "bytes": len(page.encode()),
            "files": [str(path) for path in paths],
        }
        tell_json(document)
    elif not quiet:
        tell(f"wrote {out}")


def _certified(release: Path) -> Certificate:
    """Return the certificate beside a release, verified; if its law is private, that it states no more than it may."""
    from contextlib import suppress

    from sfumato.certificates.certificate import Certificate
    from sfumato.certificates.certifying import verify
    from sfumato.errors import NotChecked

    certificate = Certificate.read(f"{release}.certificate.json")
    with suppress(NotChecked):
        verify(certificate)
    return certificate
