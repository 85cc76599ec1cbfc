"""Certificates and audits for a terminal, and as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.certificates import Audit, Certificate
from sfumato.render.numbers import name_of, status_of, value_of

if TYPE_CHECKING:
    from rich.console import RenderableType


def certificate_table(certificate: Certificate) -> RenderableType:
    """Return a table for rich to print: the number, how well it is known, and what it means."""
    from rich.console import Group  # noqa: PLC0415  rich is only needed to print
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    inputs, outputs = certificate.subject.shape
    table = Table(title=f"Certificate: {inputs} answers → {outputs} reports", title_justify="left", expand=False)
    table.add_column("measure", style="bold")
    table.add_column("value", overflow="fold")
    table.add_column("status")
    table.add_column("in plain words", ratio=1)
    for claim in certificate.claims:
        table.add_row(*(Text(cell) for cell in (name_of(claim), value_of(claim), status_of(claim), claim.sentence)))
    return Group(table, *(Text(f"Note: {note}") for note in certificate.notes))


def certificate_markdown(certificate: Certificate) -> str:
    """Return the claims as a Markdown table."""
    inputs, outputs = certificate.subject.shape
    lines = [
        f"## Certificate: {inputs} answers → {outputs} reports",
        "",
        "| measure | value | status | in plain words | because |",
        "|---|---|---|---|---|",
    ]
    for claim in certificate.claims:
        cells = (name_of(claim), value_of(claim), status_of(claim), claim.sentence, claim.because)
        lines.append("| " + " | ".join(_escape(cell) for cell in cells) + " |")
    lines += ["", *(f"> {note}" for note in certificate.notes)]
    return "\n".join(lines).rstrip() + "\n"


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
