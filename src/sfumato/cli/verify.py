"""sfumato verify: recompute every claim of a certificate."""

from __future__ import annotations

import json as json_module
from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.output import MEGABYTE, console, show_waiting


def verify_command(
    certificate: Annotated[Path, typer.Argument(help="The sealed certificate (JSON).")],
    json: Annotated[bool, typer.Option("--json", help="Print the verdict as JSON.")] = False,
    limit_mb: Annotated[int, typer.Option(min=1, help="Refuse files larger than this many MB.")] = 256,
) -> None:
    """Verify a certificate: check its seal, then recompute every claim from the channel it carries.

    Exit code 0 when every claim holds, 1 when one is refused, 2 when the file cannot be read.

    Example:

        sfumato verify certificate.json
    """
    from sfumato.certificates import Certificate, verify
    from sfumato.errors import Refused
    from sfumato.io import read_bytes
    from sfumato.render import certificate_table

    data = read_bytes(certificate, limit_bytes=limit_mb * MEGABYTE)
    try:
        with show_waiting("recomputing every claim"):
            opened = Certificate.from_json(data)
            verify(opened)
    except Refused as error:
        if json:
            typer.echo(json_module.dumps({"verified": False, "refused": type(error).__name__, "because": str(error)}))
        raise
    if json:
        typer.echo(json_module.dumps({"verified": True, "claims": len(opened.claims)}))
        return
    console().print(certificate_table(opened))
    typer.echo(f"Verified: the seal is intact and all {len(opened.claims)} claims hold, recomputed from the channel.")
