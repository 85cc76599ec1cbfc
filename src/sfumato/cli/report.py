"""sfumato report: a study as one page."""

from __future__ import annotations

import json as json_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli.output import MEGABYTE, say, show_waiting

if TYPE_CHECKING:
    from sfumato.certificates import Certificate


def report_command(
    reports: Annotated[Path, typer.Argument(help="The public reports (CSV or Parquet).")],
    opened: Annotated[
        list[Path] | None, typer.Argument(help="Files that `sfumato open` wrote, to stand beside them.")
    ] = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="Write the page here.")] = Path("report.html"),
    group: Annotated[str | None, typer.Option(help="Estimate by the groups of this kept column as well.")] = None,
    confidence: Annotated[float, typer.Option(help="Confidence of the intervals.")] = 0.95,
    release: Annotated[
        Path | None, typer.Option(help="A release of `sfumato disclose`, to be told about from its certificate.")
    ] = None,
    truth: Annotated[
        Path | None, typer.Option(help="A table of the answers: marks the true shares. For simulations only.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print what was written as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing when all goes well.")] = False,
    limit_mb: Annotated[int, typer.Option(min=1, help="Refuse files larger than this many MB.")] = 2000,
) -> None:
    """Write a page about a study: what was asked and how, who sees what, the estimates, the certificates, the limits.

    The page is one file without scripts, and asks for nothing from elsewhere.

    Example:

        sfumato report reports.parquet opened.parquet --out report.html --group region
    """
    from sfumato.files import write_atomically
    from sfumato.files.tables import read_table
    from sfumato.render.report_pages import study_report_html
    from sfumato.study.planning import plan_study
    from sfumato.study.reports import Reports

    limit = limit_mb * MEGABYTE
    files = [Reports.read(path, limit_bytes=limit) for path in (reports, *(opened or []))]
    table = None if truth is None else read_table(truth, limit_bytes=limit)[0]
    note = files[0].note
    disclosed = None if release is None else _certified(release)
    with show_waiting("writing the page"):
        plan = plan_study(note.study)
        page = study_report_html(plan, files, confidence=confidence, group=group, truth=table, disclosed=disclosed)
        write_atomically(out, page)
    if note.is_insecure:
        say(f"WARNING: {note.source}")
    if json:
        document = {
            "schema": "sfumato/report-page/1",
            "study": note.study.name,
            "fingerprint": note.fingerprint,
            "epoch": note.epoch,
            "rows": note.rows,
            "source": note.source,
            "page": str(out),
            "bytes": len(page.encode()),
            "files": [str(path) for path in (reports, *(opened or []))],
        }
        typer.echo(json_module.dumps(document, ensure_ascii=False))
    elif not quiet:
        typer.echo(f"wrote {out}")


def _certified(release: Path) -> Certificate:
    """Return the certificate beside a release, verified."""
    from sfumato.certificates import Certificate, verify
    from sfumato.disclose import DisclosureSubject
    from sfumato.errors import UnreadableFile

    path = f"{release}.certificate.json"
    certificate = Certificate.read(path)
    if not isinstance(certificate.subject, DisclosureSubject):
        raise UnreadableFile(f"file {path} is a certificate of something else than a release. Name a release.")
    verify(certificate)
    return certificate
