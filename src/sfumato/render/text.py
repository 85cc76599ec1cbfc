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
    r"""Return a table for rich to print: the number, how well it is known, what it means, and on whose word.

    >>> from io import StringIO
    >>> from rich.console import Console
    >>> import sfumato as sf
    >>> table = sf.render.certificate_table(sf.certify(sf.Channel([[0.75, 0.25], [0.25, 0.75]])))
    >>> console = Console(file=StringIO(), width=100)
    >>> console.print(table)  # or rich.print(table), to a terminal
    >>> print(*console.file.getvalue().splitlines()[1:5], sep="\n")
    ┏━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┓
    ┃ measure                      ┃ value            ┃ status           ┃ in plain words              ┃
    ┡━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┩
    │ guess error                  │ 1/4              │ exact            │ A guesser who knows the     │
    """
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
    """Return the claims as a Markdown table, with the notes and the works they cite.

    >>> import sfumato as sf
    >>> lines = sf.render.certificate_markdown(sf.certify(sf.Channel([[0.75, 0.25], [0.25, 0.75]]))).splitlines()
    >>> lines[0], lines[4][:49]
    ('## Certificate of a channel: 2 answers → 2 reports', '| guess error | 1/4 | exact | A guesser who knows')
    """
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
    """Return an audit in a few lines.

    >>> import sfumato as sf
    >>> found = sf.certificates.audit_counts([[820, 180], [190, 810]], claimed_epsilon=1.0, answers=("no", "yes"))
    >>> print(sf.render.audit_text(found))
    From 2000 draws ε is at least 1.09, which contradicts the claim of 1.
    Confidence 1 - 1e-06 for all bounds together; the strongest evidence is report 1 under answer yes against answer no.
    Bits: not known.
    """
    favoured, other, report = (printable(str(label)) for label in audit.pair)
    return (
        f"{audit.sentence}\n"
        f"Confidence 1 - {1 - audit.confidence:.0e} for all bounds together; the strongest evidence is report {report} "
        f"under answer {favoured} against answer {other}.\n"
        f"Bits: {printable(audit.bits)}."
    )


def _escape(cell: str) -> str:
    return printable(cell).translate(_MARKS)
