"""What a disclosure of a table gives back: symbols, certificates, and figures that are for the owner alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import numpy as np
import numpy.typing as npt

from sfumato.certificates import Certificate
from sfumato.disclose.disclosure_certificates import DisclosureSubject


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnersFigures:
    """What only the owner of the table may know: each of these is a function of the table.

    `disclosed_bits` is what the mapping tells under its own law, of at most `upper_bits` that any could; `efficiency`
    is that share of what there is. `scored_bits` is what is told about one half of the records by what the other half
    fitted, and `proven_bits` a lower bound of that, at 95 %, 0 where nothing was shown; None where halves are small.
    """

    method: str
    disclosed_bits: float
    upper_bits: float
    efficiency: float
    scored_bits: float | None = None
    proven_bits: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRelease:
    """Public symbols with their certificate, and what is kept.

    Where law or mapping were made from protected records, `certificate` has neither, and `private` is the certificate
    that proves it: it is not to be shown, and neither are `figures`. `reading` says what a symbol means, P(x|y) or
    P(w|y), where the law is public. `cells` is how many different samples there can be; `out`, `sealed`, `kept` and
    `read` are where release, certificates and reading were written, if they were.
    """

    symbols: npt.NDArray[np.int64]
    certificate: Certificate
    private: Certificate | None = field(repr=False)
    cells: int
    figures: OwnersFigures = field(repr=False)
    protects: str
    reading: dict[str, list[str]] | None = field(default=None, repr=False)
    out: Path | None = None
    sealed: Path | None = None
    kept: Path | None = None
    read: Path | None = None


def reading_of(
    subject: DisclosureSubject,
    names: list[str],
    values: list[tuple[str, ...]],
    about: tuple[str, tuple[str, ...], npt.NDArray[np.float64]] | None = None,
) -> dict[str, list[str]] | None:
    """Return what each symbol says: P(x|y), or P(w|y) of a feature; None where that is a function of protected records.

    Columns are `symbol`, the names, and `probability`; `about` is the name, the values and P(w|x) of a feature.
    """
    if subject.estimation.is_private:
        return None
    law, rows = [Fraction(mass) for mass in subject.law.masses], subject.channel.rows
    cells = subject.law.cells.tolist()
    shown = [_apart(name) for name in (names if about is None else [about[0]])]
    columns: dict[str, list[str]] = {"symbol": [], **{name: [] for name in shown}, "probability": []}
    for symbol in range(subject.channel.shape[1]):
        joint = [mass * row[symbol] for mass, row in zip(law, rows, strict=True)]
        whole = sum(joint, Fraction(0))
        if about is None:
            said = [([values[i][v] for i, v in enumerate(cell)], p) for cell, p in zip(cells, joint, strict=True) if p]
        else:
            given = np.array([float(p / whole) for p in joint]) @ about[2][tuple(subject.law.cells.T)]
            said = [([text], Fraction(float(p)) * whole) for text, p in zip(about[1], given, strict=True)]
        for texts, p in said:
            columns["symbol"].append(str(symbol))
            for name, text in zip(shown, texts, strict=True):
                columns[name].append(text)
            columns["probability"].append(f"{float(p / whole):.9g}")
    return columns


def _apart(name: str) -> str:
    """A column of the table may have the name of one of ours."""
    return f"{name} (value)" if name in {"symbol", "probability"} else name
