"""Certificates and audits for a terminal, and as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.certificates import Audit, Certificate
from sfumato.printing import printable
from sfumato.render.fitted_tables import FittedTable
from sfumato.render.numbers import name_of, status_of, value_of

if TYPE_CHECKING:
    from rich.console import RenderableType

# What Markdown or a browser would read as more than text.
_MARKS = str.maketrans({mark: f"\\{mark}" for mark in "\\|`*[]"} | {"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def certificate_table(certificate: Certificate) -> RenderableType:
    """Return a table for rich to print: the number, how well it is known, what it means, and on whose word."""
    from rich.console import Group  # noqa: PLC0415  rich is only needed to print
    from rich.text import Text  # noqa: PLC0415

    cells = [
        (name_of(claim, certificate), value_of(claim), status_of(claim), claim.sentence) for claim in certificate.claims
    ]
    table = FittedTable(
        header=("measure", "value", "status", "in plain words"),
        rows=[[printable(cell) for cell in row] for row in cells],
        title=printable(certificate.title),
        left=range(4),
    )
    below = [f"Note: {note}" for note in certificate.notes] + [f"Source: {source}" for source in certificate.sources]
    return Group(table, *(Text(printable(line)) for line in below))


def certificate_markdown(certificate: Certificate) -> str:
    """Return the claims as a Markdown table, with the notes and the works they cite."""
    lines = [
        f"## {_escape(certificate.title)}",
        "",
        "| measure | value | status | in plain words | because |",
        "|---|---|---|---|---|",
    ]
    for claim in certificate.claims:
        cells = (name_of(claim, certificate), value_of(claim), status_of(claim), claim.sentence, claim.because)
        lines.append("| " + " | ".join(_escape(cell) for cell in cells) + " |")
    for note in certificate.notes:
        lines += ["", f"> {_escape(note)}"]
    if certificate.sources:
        lines += ["", "Sources:", "", *(f"- {_escape(str(source))}" for source in certificate.sources)]
    return "\n".join(lines) + "\n"


def audit_text(audit: Audit) -> str:
    """Return an audit in a few lines."""
    favoured, other, report = (printable(str(label)) for label in audit.pair)
    return (
        f"{audit.sentence}\n"
        f"Confidence 1 - {1 - audit.confidence:.0e} for all bounds together; the strongest evidence is report {report} "
        f"under answer {favoured} against answer {other}.\n"
        f"Bits: {printable(audit.bits)}."
    )


def _escape(cell: str) -> str:
    return printable(cell).translate(_MARKS)
