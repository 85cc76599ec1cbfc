"""Certificates and audits for a terminal, and as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sfumato.certificates import Audit, Certificate
from sfumato.render.numbers import name_of, status_of, value_of
from sfumato.values import Claim

if TYPE_CHECKING:
    from rich.console import RenderableType


def certificate_table(certificate: Certificate) -> RenderableType:
    """Return a table for rich to print: the number, how well it is known, and what it means."""
    return claims_table(_title(certificate), certificate.claims, certificate.notes)


def certificate_markdown(certificate: Certificate) -> str:
    """Return the claims as a Markdown table."""
    return claims_markdown(_title(certificate), certificate.claims, certificate.notes)


def claims_table(title: str, claims: Sequence[Claim], notes: Sequence[str]) -> RenderableType:
    """Return any certificate's claims for rich to print."""
    from rich.console import Group  # noqa: PLC0415  rich is only needed to print
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table(title=title, title_justify="left", expand=False)
    table.add_column("measure", style="bold")
    table.add_column("value", overflow="fold")
    table.add_column("status")
    table.add_column("in plain words", ratio=1)
    for claim in claims:
        table.add_row(*(Text(cell) for cell in (name_of(claim), value_of(claim), status_of(claim), claim.sentence)))
    return Group(table, *(Text(f"Note: {note}") for note in notes))


def claims_markdown(title: str, claims: Sequence[Claim], notes: Sequence[str]) -> str:
    """Return any certificate's claims as a Markdown table."""
    lines = [
        f"## {title}",
        "",
        "| measure | value | status | in plain words | because |",
        "|---|---|---|---|---|",
    ]
    for claim in claims:
        cells = (name_of(claim), value_of(claim), status_of(claim), claim.sentence, claim.because)
        lines.append("| " + " | ".join(_escape(cell) for cell in cells) + " |")
    lines += ["", *(f"> {note}" for note in notes)]
    return "\n".join(lines).rstrip() + "\n"


def _title(certificate: Certificate) -> str:
    inputs, outputs = certificate.subject.shape
    return f"Certificate: {inputs} answers → {outputs} reports"


def audit_text(audit: Audit) -> str:
    """Return an audit in a few lines."""
    favoured, other, report = audit.pair
    return (
        f"{audit.sentence}\n"
        f"Confidence 1 - {1 - audit.confidence:.0e} for all bounds together; the strongest evidence is report {report} "
        f"under answer {favoured} against answer {other}.\n"
        f"Bits: {audit.bits}."
    )


def _escape(cell: str) -> str:
    return cell.replace("\\", "\\\\").replace("|", "\\|")
