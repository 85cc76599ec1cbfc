"""sfumato releases: what was released of a study so far, and what it adds up to."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.options import Json
from sfumato.cli.output import console, tell_json


def releases_command(
    study: Annotated[Path, typer.Argument(help="The study file (TOML).")],
    record: Annotated[
        Path | None, typer.Option(help="Read this record. Default: releases.json beside the study.")
    ] = None,
    ledger: Annotated[Path | None, typer.Option(help="Read this ledger too. Default: the one in [budget].")] = None,
    json: Json = False,
) -> None:
    """Show every release of a study: when, about whom, what readers see of it, and of all of them together.

    The record is written by `sfumato publish`. Who may write its folder can delete it; a ledger that is kept elsewhere
    still knows.

    Example:

        sfumato releases study.toml
    """
    from sfumato.render.releases import releases_document, releases_table
    from sfumato.study.steps import read_record

    found = read_record(study, record=record, ledger=ledger)
    if json:
        tell_json(releases_document(found))
    else:
        console().print(releases_table(found))
