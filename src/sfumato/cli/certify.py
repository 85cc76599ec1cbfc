"""sfumato certify: every measure of what a channel leaks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.options import Json, LimitMb, Markdown, one_screen
from sfumato.cli.output import MEGABYTE, console, say, show_waiting, tell, tell_exactly


def certify_command(
    channel: Annotated[Path, typer.Argument(help="The channel: a CSV, JSON or Parquet file, a row for each answer.")],
    prior: Annotated[
        str | None,
        typer.Option(help="Prior of the answers: a file, or text such as 0.9,0.1 or no=0.9,yes=0.1. Default: uniform."),
    ] = None,
    shape: Annotated[
        str | None,
        typer.Option(
            help="Rows are tables of records with so many values each, such as 2,2,3: claim about one record."
        ),
    ] = None,
    json: Json = False,
    markdown: Markdown = False,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write the sealed certificate here.")] = None,
    html: Annotated[Path | None, typer.Option(help="Write a page for people here.")] = None,
    limit_mb: LimitMb = 64,
) -> None:
    """Certify a channel: every measure of what it leaks, with its proof status.

    Example:

        sfumato certify channel.csv --prior no=0.9,yes=0.1 -o certificate.json --html certificate.html
    """
    from sfumato.certificates.certifying import certify
    from sfumato.certificates.rendering import certificate_table
    from sfumato.files.disk import write_atomically
    from sfumato.prob.channel_files import read_any_channel, read_prior

    one_screen(json=json, markdown=markdown)
    subject = read_any_channel(channel, limit_bytes=limit_mb * MEGABYTE)
    with show_waiting("certifying"):
        certificate = certify(subject, None if prior is None else read_prior(prior), shape=_sizes(shape))
    # Both documents are made before either is written, so a failure leaves nothing behind.
    sealed = certificate.to_json()
    page = certificate.to_html() if html is not None else ""
    if out is not None:
        write_atomically(out, sealed)
        say(f"wrote {out}")
    if html is not None:
        write_atomically(html, page)
        say(f"wrote {html}")
    if json:
        tell_exactly(sealed)
    elif markdown:
        tell(certificate.to_markdown(), end="")
    elif out is None and html is None:
        console().print(certificate_table(certificate))


def _sizes(text: str | None) -> list[int] | None:
    from sfumato.errors import InvalidParameter

    if text is None:
        return None
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() for part in parts):
        raise InvalidParameter(
            "must be whole numbers separated by commas, such as 2,2,3", parameter="shape", way_out="Write it like that."
        )
    return [int(part) for part in parts]
