"""Options that several verbs share."""

from __future__ import annotations

import warnings
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from sfumato.engines.spark import Engine as SparkEngine
    from sfumato.files.formats import DataFile


_PAYING = "Paying"
SECRETS = "Secrets"
RELEASES = "Releases"
_ENGINE = "Engine"


class SampleWord(StrEnum):
    """What the samples of a disclosure are."""

    ROWS = "rows"
    COLUMNS = "columns"


class GuaranteeWord(StrEnum):
    """What keys are made of."""

    TRUE = "information-theoretic"
    SEED = "computational"


class MethodWord(StrEnum):
    """How intervals of a share are made."""

    EXACT = "exact"
    LIKELIHOOD_RATIO = "likelihood-ratio"
    WALD = "wald"


class BetweenWord(StrEnum):
    """What differences are between."""

    GROUPS = "groups"
    ANSWERS = "answers"


class EngineWord(StrEnum):
    """What moves rows."""

    ARROW = "arrow"
    SPARK = "spark"


ReportFiles = Annotated[
    list[Path], typer.Argument(help="The public reports: a file, the folder of a publication, or several files.")
]
NoteFile = Annotated[
    Path | None,
    typer.Option(help="Of rows that another tool selected: the file .about.json of the whole. Default: beside."),
]
DictionaryFiles = Annotated[
    list[Path] | None,
    typer.Option(
        "--dictionary", help="A dictionary of the study that is not beside the reports. Repeatable.", show_default=False
    ),
]
Engine = Annotated[
    EngineWord,
    typer.Option("--engine", help="arrow: this computer; spark: a cluster, or Spark here.", rich_help_panel=_ENGINE),
]
SparkMaster = Annotated[
    str | None,
    typer.Option(
        "--master",
        metavar="URL",
        help="Spark's master, such as local[4] or spark://host:7077. Default: as Spark is configured.",
        rich_help_panel=_ENGINE,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Markdown = Annotated[bool, typer.Option("--markdown", help="Print the result as Markdown.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing when all goes well.")]
LimitMb = Annotated[int, typer.Option(min=1, help="Refuse files larger than this many MB.")]
InsecureSeed = Annotated[
    int | None, typer.Option(min=0, help="Repeatable draws, for simulations only: anyone can undo them.")
]
Confidence = Annotated[float, typer.Option(help="Confidence of the intervals.")]
Group = Annotated[str | None, typer.Option(help="Estimate each value of this kept column on its own as well.")]
Questions = Annotated[
    list[str] | None, typer.Option("--question", help="Only this question, by its id. Repeatable. Default: all.")
]
CountColumn = Annotated[
    str | None,
    typer.Option("--count", help="Typed-in reports: the column that says how often a row stands for itself."),
]
ReportColumn = Annotated[
    str | None,
    typer.Option(
        "--column", help="Typed-in reports: their column. Default: the question's id, report, or the only one."
    ),
]
PayingStudy = Annotated[
    Path | None,
    typer.Option("--study", help="Debit the ledger that this study names in [budget].", rich_help_panel=_PAYING),
]
PayingLedger = Annotated[
    Path | None,
    typer.Option("--ledger", help="Debit this ledger first (see `sfumato budget`).", rich_help_panel=_PAYING),
]
StudyFile = Annotated[Path, typer.Option("--study", help="The study file (TOML).")]
Epoch = Annotated[int, typer.Option(min=0, help="Which time step this is.")]
ReleaseRegistry = Annotated[
    Path | None,
    typer.Option(
        "--registry",
        help="Remember releases in this file. Default: releases.json beside the study.",
        rich_help_panel=RELEASES,
    ),
]
KeyGuarantee = Annotated[
    GuaranteeWord,
    typer.Option(
        "--guarantee", help="information-theoretic: true draws; computational: a seed.", rich_help_panel=SECRETS
    ),
]
PassphraseFile = Annotated[
    Path | None, typer.Option(help="A file whose first line is the passphrase.", rich_help_panel=SECRETS)
]
OpeningKey = Annotated[
    Path | None,
    typer.Option("--private-key", help="Your private key, for key files sealed to you.", rich_help_panel=SECRETS),
]
SealingKey = Annotated[
    Path | None,
    typer.Option(
        "--private-key", help="Your private key: seal the registrar's keys under it.", rich_help_panel=SECRETS
    ),
]
UnprotectedFiles = Annotated[
    bool,
    typer.Option("--unprotected", help="Write key files that anyone who has them can use.", rich_help_panel=SECRETS),
]
AllowUnprotected = Annotated[
    bool,
    typer.Option(
        "--allow-unprotected",
        help="Use unprotected files too, although a secret is given or made use of: anyone could have written them.",
        rich_help_panel=SECRETS,
    ),
]
Receivers = Annotated[
    list[str] | None,
    typer.Option(
        "--to", help="Seal an analyst's keys to a public key: NAME=FILE. Repeatable.", rich_help_panel=SECRETS
    ),
]


def one_screen(*, json: bool, markdown: bool) -> None:
    """Refuse two things that both want the screen."""
    from sfumato.errors import InvalidParameter

    if json and markdown:
        raise InvalidParameter("and `markdown` both want the screen", parameter="json", way_out="Choose one.")


def cut_at_commas(several: list[str] | None) -> list[str] | None:
    """Read an option that may be repeated, or hold several names with commas between."""
    if several is None:
        return None
    return [name.strip() for entry in several for name in entry.split(",") if name.strip()]


def paid_for(out: Path | None, **payers: Path | None) -> None:
    """Refuse to be handed a ledger when nothing is released."""
    from sfumato.errors import InvalidParameter

    given = [name for name, path in payers.items() if path is not None]
    if out is None and given:
        raise InvalidParameter(
            "pays for a release, and nothing is released",
            parameter=given[0],
            way_out=f"Give `out` too, or leave out `{given[0]}`.",
        )


def both_given(truth: Path | None, out: Path | None) -> None:
    """Refuse a true answer without a place for the noisy one, and the reverse."""
    from sfumato.errors import InvalidParameter

    if (truth is None) != (out is None):
        raise InvalidParameter(
            "and `out` go together: the true answer, and where the noisy one is written",
            parameter="input",
            way_out="Give both, or neither.",
        )


def one_of(**given: float | str | None) -> None:
    """Refuse both of two options, and neither."""
    from sfumato.errors import InvalidParameter

    first, second = given
    if (given[first] is None) == (given[second] is None):
        raise InvalidParameter(
            f"or `{second}` must be given, one of the two: the one follows from the other",
            parameter=first,
            way_out="Give one.",
        )


# Options that say how a table is written, the same for every verb that reads one.


_TABLE = "How the table is written"

Encoding = Annotated[
    str | None,
    typer.Option(help="Of a CSV that is not UTF-8: windows-1252, latin-1, …", rich_help_panel=_TABLE),
]
Separator = Annotated[
    str | None,
    typer.Option(
        help="What stands between cells of a CSV: ; or tab. Default: from the first line.", rich_help_panel=_TABLE
    ),
]
Decimal = Annotated[
    str, typer.Option(help="The sign before decimals in a CSV: a point or a comma.", rich_help_panel=_TABLE)
]
Sheet = Annotated[str | None, typer.Option(help="The sheet of a workbook. Default: the first.", rich_help_panel=_TABLE)]


def data_file(
    path: Path, encoding: str | None, separator: str | None, decimal: str, sheet: str | None
) -> Path | DataFile:
    """Return a table with what is said of how it is written."""
    from sfumato.files.formats import DataFile

    found = DataFile(path, encoding=encoding, separator=separator, decimal=decimal, sheet=sheet)
    return path if found.is_plain else found


# What `--engine` and `--master` ask for: rows on this machine, or in Spark.


def engine_called(engine: EngineWord, master: str | None) -> SparkEngine | None:
    """Return the engine for the steps, which start it when it is needed; None is this machine."""
    from sfumato.engines.spark import session_here
    from sfumato.errors import InvalidParameter

    if engine is EngineWord.SPARK:
        # Pandas is not used, whatever Spark thinks of its version.
        warnings.filterwarnings("ignore", message="PySpark does not yet fully support pandas", category=FutureWarning)
        return partial(session_here, master, quiet=True)
    if master is not None:
        raise InvalidParameter(
            "is Spark's, and rows are moved by this machine",
            parameter="master",
            value=master,
            way_out="Say `engine` spark too.",
        )
    return None
