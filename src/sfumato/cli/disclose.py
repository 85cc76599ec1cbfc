"""sfumato disclose: publishes properties of a data set as a whole."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli.options import (
    Decimal,
    Encoding,
    InsecureSeed,
    Json,
    LimitMb,
    PayingLedger,
    Quiet,
    SampleWord,
    Separator,
    Sheet,
    cut_at_commas,
    data_file,
)
from sfumato.cli.output import MEGABYTE, say, show_waiting, tell, tell_json

if TYPE_CHECKING:
    from sfumato.workflows.disclosing import TableRelease


_DISTRIBUTION = "Where the distribution comes from"


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
        str | None, typer.Option(help="Disclose most about this column. Default: about the data themselves.")
    ] = None,
    samples: Annotated[
        SampleWord, typer.Option(help="rows: one data set; columns: every row is one.")
    ] = SampleWord.COLUMNS,
    distribution_from: Annotated[
        Path | None,
        typer.Option(
            help="A table of other people, such as last year's, to count the distribution in.",
            rich_help_panel=_DISTRIBUTION,
        ),
    ] = None,
    distribution_is_public: Annotated[
        bool, typer.Option("--distribution-is-public", help="That table is public.", rich_help_panel=_DISTRIBUTION)
    ] = False,
    distribution: Annotated[
        Path | None,
        typer.Option(
            help="A declared distribution: CSV of the columns' values, and probability.", rich_help_panel=_DISTRIBUTION
        ),
    ] = None,
    private_histogram: Annotated[
        float | None,
        typer.Option(
            help="Count it in the data under noise, differentially private at this ε.", rich_help_panel=_DISTRIBUTION
        ),
    ] = None,
    distribution_from_these_records: Annotated[
        bool,
        typer.Option(
            "--distribution-from-these-records",
            help="Count it in the data. No bound covers the people in them.",
            rich_help_panel=_DISTRIBUTION,
        ),
    ] = False,
    even_if_nothing: Annotated[
        bool,
        typer.Option("--even-if-nothing", help="Release also what was not shown to disclose anything out of sample."),
    ] = False,
    values: Annotated[
        list[str] | None,
        typer.Option(help="The values that a column can have: sex=f,m. Repeatable.", rich_help_panel=_DISTRIBUTION),
    ] = None,
    beta: Annotated[
        float,
        typer.Option(help="How often the bound for any true distribution may fail.", rich_help_panel=_DISTRIBUTION),
    ] = 1e-6,
    registry: Annotated[
        Path | None, typer.Option(help="The registry of releases. Default: beside the data, .releases.json.")
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
    """Disclose properties of a data set as a whole; the release is independent of every protected part.

    This holds for the distribution that the mapping was made for, so you must say where it comes from. With
    --distribution-from, other people's data, a bound covers everyone in the release whatever the true distribution is.
    A mapping made from the released data covers no one in them. A mapping made from private data gives these data away:
    distribution and mapping are then written to OUT.PRIVATE.json, for you alone, and the certificate commits to that
    file. If the distribution is public, OUT.reading.csv says what each symbol means. `sfumato verify` checks
    certificates.

    A second release of the same data is refused, because two private releases can leak together. A release that
    discloses nothing is refused too, and so is one that was not shown to disclose anything out of sample, unless you
    give --even-if-nothing. A ledger, from --ledger or the study, is debited before anything is written.

    Example:

        sfumato disclose answers.csv --protect moved,place --distribution-from old.csv --even-if-nothing -o release.csv
    """
    from sfumato.workflows.disclosing import disclose_table

    with show_waiting("searching for the best mapping"):
        made = disclose_table(
            data_file(data, encoding, separator, decimal, sheet),
            out=out,
            protect=cut_at_commas(protect),
            about=about,
            study=study,
            samples=samples.value,
            distribution=distribution,
            distribution_from=None
            if distribution_from is None
            else data_file(distribution_from, encoding, separator, decimal, None),
            distribution_is_public=distribution_is_public,
            private_histogram=private_histogram,
            distribution_from_these_records=distribution_from_these_records,
            values=_values(values),
            beta=beta,
            registry=registry,
            ledger=ledger,
            seconds=seconds,
            insecure_seed=insecure_seed,
            limit_bytes=limit_mb * MEGABYTE,
            even_if_nothing=even_if_nothing,
        )
    if insecure_seed is not None:
        say("WARNING: these symbols are drawn from a seed that anyone can repeat")
    if json:
        tell_json(_as_json(made, out))
    elif not quiet:
        _print(made, out)


def _values(texts: list[str] | None) -> dict[str, list[str]] | None:
    """Read sex=f,m."""
    from sfumato.errors import InvalidParameter

    if not texts:
        return None
    found: dict[str, list[str]] = {}
    for text in texts:
        name, sign, listed = text.partition("=")
        known = [value.strip() for value in listed.split(",")]
        if not sign or name.strip() in found or not all(known) or len(set(known)) != len(known):
            raise InvalidParameter(
                "must name a column once and list its values, each once",
                parameter="values",
                way_out="Write --values sex=f,m.",
            )
        found[name.strip()] = known
    return found


def _as_json(made: TableRelease, out: Path) -> dict[str, Any]:
    from dataclasses import asdict
    from math import isfinite

    figures = asdict(made.figures)
    return {
        "schema": "sfumato/release/2",
        "release": str(out),
        "certificate": f"{out}.certificate.json",
        "private": None if made.kept is None else str(made.kept),
        "reading": None if made.read is None else str(made.read),
        "symbols": int(made.symbols.size),
        "protects": made.protects,
        "claims": {claim.measure: claim.sentence for claim in made.certificate.claims},
        "owner_only": {
            name: value if not isinstance(value, float) or isfinite(value) else None for name, value in figures.items()
        },
    }


def _print(made: TableRelease, out: Path) -> None:
    from math import isfinite

    figures = made.figures
    tell(f"Protected: {made.protects}.")
    for claim in made.certificate.claims:
        tell(f"- {claim.sentence}")
    tell("For you alone, since these figures are functions of the table:")
    best = f" (at most {figures.upper_bits:.6g} are possible)" if isfinite(figures.upper_bits) else ""
    share = f"{100 * figures.efficiency:.1f} % of what there is"
    tell(
        f"- Disclosed, by the distribution that the mapping was made for: {figures.disclosed_bits:.6g} bits{best}, "
        f"{share}."
    )
    if figures.scored_bits is not None and figures.proven_bits is not None:
        proven = f"at least {figures.proven_bits:.6g}" if figures.proven_bits > 0 else "possibly nothing"
        tell(f"- Disclosed, scored on records it was not fitted on: {figures.scored_bits:.6g} bits; {proven} at 95 %.")
    tell(f"- Method: {figures.method}.")
    say(f"wrote {out} and {out}.certificate.json")
    if made.read is not None:
        say(f"wrote {made.read}, which says what each symbol means")
    if made.kept is not None:
        say(f"wrote {made.kept}, which proves all this and gives the table away: keep it as you keep the data")
