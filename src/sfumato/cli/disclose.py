"""sfumato disclose: publish what a data set says as a whole, and nothing about any part of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli.layouts import Decimal, Encoding, Separator, Sheet, data_file
from sfumato.cli.options import InsecureSeed, Json, LimitMb, PayingLedger, Quiet, SampleWord, cut_at_commas
from sfumato.cli.output import MEGABYTE, say, show_waiting, tell, tell_json

if TYPE_CHECKING:
    from sfumato.study.disclosing import TableRelease


def disclose_command(
    data: Annotated[Path, typer.Argument(help="The data: CSV, Parquet, Excel, SPSS or Stata.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Write the release (CSV or Parquet) here.")],
    protect: Annotated[
        list[str] | None, typer.Option(help="A column to protect. Repeatable, or separated by commas.")
    ] = None,
    study: Annotated[
        Path | None, typer.Option(help="The study whose [disclosure] says what to protect, and whose ledger pays.")
    ] = None,
    about: Annotated[
        str | None, typer.Option(help="Tell most about this column; default: the data themselves.")
    ] = None,
    samples: Annotated[
        SampleWord, typer.Option(help="rows: one data set; columns: every row is one.")
    ] = SampleWord.COLUMNS,
    law: Annotated[
        Path | None, typer.Option(help="The law of the values, declared, for rows; default: counted in the data.")
    ] = None,
    book: Annotated[
        Path | None, typer.Option(help="The book of releases. Default: beside the data, .releases.json.")
    ] = None,
    ledger: PayingLedger = None,
    seconds: Annotated[float, typer.Option(min=0.1, help="How long to search for the best mapping.")] = 60.0,
    encoding: Encoding = None,
    separator: Separator = None,
    decimal: Decimal = ".",
    sheet: Sheet = None,
    insecure_seed: InsecureSeed = None,
    json: Json = False,
    quiet: Quiet = False,
    limit_mb: LimitMb = 2000,
) -> None:
    """Disclose collective properties: the release is independent of every protected part, and tells about the whole.

    A certificate is written beside the release; `sfumato verify` checks it. Unless the law is declared, law and mapping
    give the table away: they stand in OUT.PRIVATE.json, for you alone, and the certificate only commits to that file.
    A second release of the same data is refused, because two private releases can leak together, and so is one that
    tells nothing. With a ledger, from --ledger or the study, it is debited before anything is written.

    Example:

        sfumato disclose answers.csv --protect moved,place --samples columns --out release.csv
    """
    from sfumato.study.steps import disclose_table

    with show_waiting("searching for the best mapping"):
        made = disclose_table(
            data_file(data, encoding, separator, decimal, sheet),
            out=out,
            protect=cut_at_commas(protect),
            about=about,
            study=study,
            samples=samples.value,
            law=law,
            book=book,
            ledger=ledger,
            seconds=seconds,
            insecure_seed=insecure_seed,
            limit_bytes=limit_mb * MEGABYTE,
        )
    if insecure_seed is not None:
        say("WARNING: these symbols are drawn from a seed that anyone can repeat")
    if json:
        tell_json(_as_json(made, out))
    elif not quiet:
        _print(made, out)


def _as_json(made: TableRelease, out: Path) -> dict[str, Any]:
    from math import isfinite

    return {
        "schema": "sfumato/release/1",
        "release": str(out),
        "certificate": f"{out}.certificate.json",
        "private": None if made.kept is None else str(made.kept),
        "method": made.method,
        "symbols": int(made.symbols.size),
        "disclosed_bits": made.disclosed_bits,
        "upper_bits": made.upper_bits if isfinite(made.upper_bits) else None,
        "efficiency": made.efficiency,
        "protects": made.protects,
    }


def _print(made: TableRelease, out: Path) -> None:
    from math import isfinite

    tell(f"Protected: {made.protects}.")
    best = f" (at most {made.upper_bits:.6g} are possible)" if isfinite(made.upper_bits) else ""
    tell(f"Told: {made.disclosed_bits:.6g} bits{best}, {100 * made.efficiency:.1f} % of what there is.")
    tell(f"Method: {made.method}.")
    for claim in made.certificate.claims:
        tell(f"- {claim.sentence}")
    say(f"wrote {out} and {out}.certificate.json")
    if made.kept is not None:
        say(f"wrote {made.kept}, which proves all this and gives the table away: keep it as you keep the data")
