"""sfumato verify: recompute every claim of a certificate."""

from __future__ import annotations

import json as json_module
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli.output import MEGABYTE, console, show_waiting

if TYPE_CHECKING:
    from rich.console import RenderableType


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
    from sfumato.errors import Refused
    from sfumato.files import read_bytes

    data = read_bytes(certificate, limit_bytes=limit_mb * MEGABYTE)
    try:
        with show_waiting("recomputing every claim"):
            claims, shown = _verified(data)
    except Refused as error:
        if json:
            typer.echo(json_module.dumps({"verified": False, "refused": type(error).__name__, "because": str(error)}))
        raise
    if json:
        typer.echo(json_module.dumps({"verified": True, "claims": claims}))
        return
    console().print(shown)
    typer.echo(f"Verified: the seal is intact and all {claims} claims hold, recomputed from what the file declares.")


def _verified(data: bytes) -> tuple[int, RenderableType]:
    """Verify a certificate of any kind; returns how many claims hold, and a table of them."""
    from sfumato.certificates import Certificate, verify
    from sfumato.certificates.document import says_schema
    from sfumato.design import noise_certificates as noise
    from sfumato.disclose import disclosure_certificates as disclosures
    from sfumato.refine import ladder_certificates as ladders
    from sfumato.render import certificate_table
    from sfumato.render.text import claims_table

    kinds: tuple[tuple[str, Any, Callable[[Any], None]], ...] = (
        (ladders.SCHEMA, ladders.LadderCertificate, ladders.verify_ladder),
        (disclosures.SCHEMA, disclosures.DisclosureCertificate, disclosures.verify_disclosure),
        (noise.SCHEMA, noise.NoiseCertificate, noise.verify_noise),
    )
    for schema, kind, check in kinds:
        if says_schema(data, schema):
            opened = kind.from_json(data)
            check(opened)
            return len(opened.claims), claims_table(opened.title, opened.claims, opened.notes)
    channel = Certificate.from_json(data)
    verify(channel)
    return len(channel.claims), certificate_table(channel)
