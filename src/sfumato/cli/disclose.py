"""sfumato disclose: publish what a data set says as a whole, and nothing about any part of it."""

from __future__ import annotations

import json as json_module
import math
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli.budget_options import LEDGER, chosen_ledger
from sfumato.cli.output import MEGABYTE, say, show_waiting

if TYPE_CHECKING:
    from sfumato.study.disclosing import TableRelease


class Samples(StrEnum):
    """What the samples are."""

    ROWS = "rows"
    COLUMNS = "columns"


def disclose_command(
    data: Annotated[Path, typer.Argument(help="The data: CSV or Parquet.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Write the release (CSV or Parquet) here.")],
    protect: Annotated[
        list[str] | None, typer.Option(help="A column to protect. Repeatable, or separated by commas.")
    ] = None,
    study: Annotated[Path | None, typer.Option(help="The study whose [disclosure] says what to protect.")] = None,
    about: Annotated[
        str | None, typer.Option(help="Tell most about this column; default: the data themselves.")
    ] = None,
    samples: Annotated[Samples, typer.Option(help="rows: one data set; columns: every row is one.")] = Samples.COLUMNS,
    law: Annotated[
        Path | None, typer.Option(help="The law of the values, for rows; default: estimated from the data.")
    ] = None,
    book: Annotated[
        Path | None, typer.Option(help="The book of releases. Default: beside the data, .releases.json.")
    ] = None,
    ledger: Annotated[Path | None, LEDGER] = None,
    seconds: Annotated[float, typer.Option(min=0.1, help="How long to search for the best mapping.")] = 60.0,
    json: Annotated[bool, typer.Option("--json", help="Print what was released as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing when all goes well.")] = False,
    limit_mb: Annotated[int, typer.Option(min=1, help="Refuse data larger than this many MB.")] = 2000,
) -> None:
    """Disclose collective properties: the release is independent of every protected part, and tells about the whole.

    A certificate is written beside the release; `sfumato verify` checks it. A second release of the same data is
    refused, because two private releases can leak together. With a ledger, from --ledger or the study, it is debited
    before anything is written.

    Example:

        sfumato disclose answers.csv --protect moved,place --samples columns --out release.csv
    """
    import pyarrow as pa

    from sfumato.errors import InvalidParameter
    from sfumato.files import write_atomically
    from sfumato.files.tables import number_column, read_table, write_table
    from sfumato.io import read_prior
    from sfumato.study.budgets import check_folder_of, paid, release_of_disclosure
    from sfumato.study.disclosing import check_not_released, disclose_columns, disclose_rows, record_release

    names, about = _what(protect, about, study, samples)
    table, _ = read_table(data, limit_bytes=limit_mb * MEGABYTE)
    remembered = book or Path(f"{data}.releases.json")
    columns = [*names, *([] if about is None else [about])]
    digests = check_not_released(remembered, columns, table)
    with show_waiting("searching for the best mapping"):
        if samples is Samples.ROWS:
            if len(names) != 1 or about is not None:
                raise InvalidParameter("--samples rows protects one column and takes no --about. Name one column.")
            made = disclose_rows(table, names[0], law=None if law is None else read_prior(law))
        else:
            if law is not None:
                raise InvalidParameter("--law is for --samples rows; for columns pass a law in Python.")
            made = disclose_columns(table, names, about, seconds=seconds)
    paying = chosen_ledger(study, ledger)
    check_folder_of(out)
    shape = made.certificate.subject.law.shape
    cells = math.prod(shape) if samples is Samples.COLUMNS else shape[0]
    with paid(paying, None if paying is None else release_of_disclosure(str(out.name), digests, cells)):
        # The book first: a release that it does not know of could be followed by another.
        record_release(remembered, digests, str(out))
        write_atomically(f"{out}.certificate.json", made.certificate.to_json())
        write_table(pa.table({"symbol": number_column(made.symbols)}), out)
    if json:
        typer.echo(json_module.dumps(_as_json(made, out)))
    elif not quiet:
        _print(made, out)


def _what(
    protect: list[str] | None, about: str | None, study: Path | None, samples: Samples
) -> tuple[list[str], str | None]:
    """Return what is protected and told about, from the options or from the study."""
    from sfumato.errors import InvalidParameter
    from sfumato.study import read_study

    if (protect is None) == (study is None):
        raise InvalidParameter("give --protect COLUMNS, or --study with a [disclosure]: one of the two.")
    if study is None:
        return [name.strip() for entry in protect or [] for name in entry.split(",") if name.strip()], about
    declared = read_study(study).disclosure
    if declared is None:
        raise InvalidParameter(f"the study {study} has no [disclosure]. Add one, or give --protect.")
    if about is not None or samples is not Samples.COLUMNS:
        raise InvalidParameter("the study says what is told and how. Leave out --about and --samples.")
    return list(declared.protect), declared.about


def _as_json(made: TableRelease, out: Path) -> dict[str, Any]:
    from math import isfinite

    return {
        "schema": "sfumato/release/1",
        "release": str(out),
        "certificate": f"{out}.certificate.json",
        "method": made.method,
        "symbols": int(made.symbols.size),
        "disclosed_bits": made.disclosed_bits,
        "upper_bits": made.upper_bits if isfinite(made.upper_bits) else None,
        "efficiency": made.efficiency,
        "protects": made.protects,
        "drift": made.drift or None,
    }


def _print(made: TableRelease, out: Path) -> None:
    from math import isfinite

    typer.echo(f"Protected: {made.protects}.")
    if made.because:
        typer.echo(made.because)
    best = f" (at most {made.upper_bits:.6g} are possible)" if isfinite(made.upper_bits) else ""
    typer.echo(f"Told: {made.disclosed_bits:.6g} bits{best}, {100 * made.efficiency:.1f} % of what there is.")
    typer.echo(f"Method: {made.method}.")
    for line in (*(claim.sentence for claim in made.certificate.claims), *filter(None, [made.drift])):
        typer.echo(f"- {line}")
    say(f"wrote {out} and {out}.certificate.json")
