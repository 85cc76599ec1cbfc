"""sfumato noise: the least noise for a budget in bits.

These hold for anyone with any correlations in mind; what is computed from a column is in `noise_columns`.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
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
    PayingStudy,
    Separator,
    Sheet,
    both_given,
    cut_at_commas,
    data_file,
    one_of,
    paid_for,
)
from sfumato.cli.output import MEGABYTE, console, say, show_waiting, tell_json

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from sfumato.measures.dependence import Correlation
    from sfumato.noise.gaussian_designs import GaussianDesign
    from sfumato.noise.private_data import NumberColumn
    from sfumato.workflows.noise import NoiseDesign, NoisyAnswer


# What the verbs of noise share: their options, who may depend on whom, and how a release is shown.


_BUDGET = typer.Option("--budget-bits", help="What may be disclosed about anyone, in bits.")
_VALUES = typer.Option(help="How many values a record can have, where that is few and known: less noise.")
_INPUT = typer.Option("--input", help="The true answer, in a file, so that it stays out of the shell's history.")
_OUT = typer.Option("--out", "-o", help="Write the noisy answer (JSON) here.")
Budget = Annotated[float, _BUDGET]
BudgetOrNot = Annotated[float | None, _BUDGET]
Values = Annotated[int | None, _VALUES]
Truth = Annotated[Path | None, _INPUT]
Out = Annotated[Path | None, _OUT]
Records = Annotated[Path, typer.Argument(help="The records, one a row: CSV, Parquet, Excel, SPSS or Stata.")]
Column = Annotated[str, typer.Option(help="The column.")]
Low = Annotated[float, typer.Option(help="The least that a record can be, chosen without looking.")]
High = Annotated[float, typer.Option(help="The most.")]
Clip = Annotated[
    bool, typer.Option("--clip", help="Move records outside of the range to its ends, instead of refusing.")
]
AllowUseless = Annotated[
    bool,
    typer.Option("--allow-useless", help="Go on where the noise is so large that a guess without the data is as good."),
]
Correlated = Annotated[
    str | None,
    typer.Option(
        metavar="WHO",
        help="Who may depend on whom: nobody, at most 5 people (say 5), or anyone. There is no default.",
        show_default=False,
    ),
]
SharedKnowledge = Annotated[
    str | None,
    typer.Option(
        metavar="BITS",
        help="For all whose beliefs differ from independent people by so many bits over the whole data set; with "
        "--correlated 5, from independent households of at most 5.",
        show_default=False,
    ),
]


def correlation_of(said: str | None, shared_knowledge_bits: str | None = None) -> Correlation:
    """Read who may depend on whom; nobody but the office can know, so there is no default."""
    from sfumato.errors import InvalidParameter
    from sfumato.measures.dependence import Correlation
    from sfumato.numbers.exact import parse_given

    if said is None and shared_knowledge_bits is None:
        raise InvalidParameter(
            "must be given: the noise hides a person and those who depend on each other with them, and nobody but you "
            "can say how many these may be",
            parameter="correlated",
            way_out="Say nobody if every record is independent of all others, a number such as 5 if at most so many "
            "people, a household, depend on each other, or anyone to assume nothing; each takes more noise.",
        )
    if shared_knowledge_bits is None:
        return Correlation.of(said or "")
    shared = parse_given(shared_knowledge_bits, "shared_knowledge_bits")
    who = Correlation.of("nobody" if said is None else said)
    if who.is_anyone:
        raise InvalidParameter(
            "assumes nothing, and `shared_knowledge_bits` is an assumption",
            parameter="correlated",
            value=said,
            way_out="Give one of the two, or say how many people are in a household at most.",
        )
    return Correlation(people=who.people, shared_bits=shared)


def released_answer(
    design: NoiseDesign,
    value: Any,
    title: str,
    out: Path,
    study: Path | None,
    ledger: Path | None,
    insecure_seed: int | None,
    names: Sequence[str] | None = None,
    *,
    allow_useless: bool,
) -> NoisyAnswer:
    """Answer, pay and write."""
    from sfumato.workflows.noise import release_noise

    with _warnings_said():
        return release_noise(
            design,
            value,
            out=out,
            title=title,
            study=study,
            ledger=ledger,
            insecure_seed=insecure_seed,
            names=names,
            allow_useless=allow_useless,
        )


def show_noise(
    title: str,
    lines: tuple[tuple[str, str], ...],
    described: dict[str, Any],
    released: NoisyAnswer | None,
    *,
    design: NoiseDesign,
    allow_useless: bool,
    json: bool,
) -> None:
    """Print what noise does and costs, and where a release was written; last, refuse a plan that says nothing."""
    from sfumato.noise.usefulness import check_useful
    from sfumato.output.noise import noise_table

    if released is not None and released.insecure:
        say(f"WARNING: {released.source}")
    if json:
        told = None if released is None else dict(released.document)
        document = {"schema": "sfumato/noise/1", **described, "released": told}
        tell_json(document)
    else:
        console().print(noise_table(title, lines))
    if released is None:
        with _warnings_said():
            check_useful(design, allow_useless=allow_useless)
    elif not json:
        say(f"wrote {released.out}" + (f" and {released.certificate}" if released.certificate else ""))


@contextmanager
def _warnings_said() -> Iterator[None]:
    """Say on standard error that noise is large, in the command's own way."""
    from sfumato.errors import NoisyReleaseWarning

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", NoisyReleaseWarning)
        yield
    for warning in caught:
        say(f"WARNING: {warning.message}.")


# sfumato noise mean, sum and count: one number of a column, with noise for a stated assumption.


def mean_command(
    data: Records,
    column: Column,
    low: Low,
    high: High,
    budget_bits: Budget,
    correlated: Correlated = None,
    shared_knowledge_bits: SharedKnowledge = None,
    clip: Clip = False,
    out: Out = None,
    study: PayingStudy = None,
    ledger: PayingLedger = None,
    encoding: Encoding = None,
    separator: Separator = None,
    decimal: Decimal = ".",
    sheet: Sheet = None,
    allow_useless: AllowUseless = False,
    insecure_seed: InsecureSeed = None,
    json: Json = False,
    limit_mb: LimitMb = 2000,
) -> None:
    """A private mean of a column; without --out only what it would cost, and how far off it may be.

    --correlated says who may depend on whom: nobody, at most so many people (themselves included), or anyone.
    --shared-knowledge-bits bounds what beliefs about all people together may hold beyond independent ones, or beyond
    independent households of at most --correlated people.
    The number of rows is taken as public. A record outside the range is refused unless --clip moves it to its end.

    Example:

        sfumato noise mean answers.csv --column children --low 0 --high 6 --budget-bits 0.1 --correlated 5 -o mean.json
    """
    from sfumato.noise.gaussian_designs import private_mean
    from sfumato.noise.shared_bits_designs import believed_mean

    who = correlation_of(correlated, shared_knowledge_bits)
    paid_for(out, ledger=ledger, study=study)
    records = _numbers(data_file(data, encoding, separator, decimal, sheet), column, limit_mb)
    with show_waiting("calibrating"):
        designs = _designs(
            lambda one: private_mean(low, high, len(records), budget_bits, correlated=one).design,
            lambda shared, people: believed_mean(low, high, len(records), budget_bits, shared, people=people),
            who,
        )
    released = None
    if out is not None:
        held = _held(records, low, high, clip=clip)
        truth = held.values if who.shared_bits is not None else held.total() / len(records)
        released = released_answer(
            designs[who], truth, "mean", out, study, ledger, insecure_seed, allow_useless=allow_useless
        )
    described = {"records": len(records), "low": low, "high": high, "clip": clip}
    values = records.possible_values(*_range(low, high))
    _tell("mean", "Private mean", designs, who, values, released, described, allow_useless=allow_useless, json=json)


def sum_command(
    data: Records,
    column: Column,
    low: Low,
    high: High,
    budget_bits: Budget,
    correlated: Correlated = None,
    shared_knowledge_bits: SharedKnowledge = None,
    clip: Clip = False,
    out: Out = None,
    study: PayingStudy = None,
    ledger: PayingLedger = None,
    encoding: Encoding = None,
    separator: Separator = None,
    decimal: Decimal = ".",
    sheet: Sheet = None,
    allow_useless: AllowUseless = False,
    insecure_seed: InsecureSeed = None,
    json: Json = False,
    limit_mb: LimitMb = 2000,
) -> None:
    """A private sum of a column; as `noise mean`, and as many times as large as there are rows.

    Example:

        sfumato noise sum answers.csv --column children --low 0 --high 6 --budget-bits 0.1 --correlated 5 --out sum.json
    """
    from sfumato.noise.gaussian_designs import private_sum
    from sfumato.noise.shared_bits_designs import believed_sum

    who = correlation_of(correlated, shared_knowledge_bits)
    paid_for(out, ledger=ledger, study=study)
    records = _numbers(data_file(data, encoding, separator, decimal, sheet), column, limit_mb)
    with show_waiting("calibrating"):
        designs = _designs(
            lambda one: private_sum(low, high, len(records), budget_bits, one).design,
            lambda shared, people: believed_sum(low, high, len(records), budget_bits, shared, people=people),
            who,
        )
    released = None
    if out is not None:
        held = _held(records, low, high, clip=clip)
        truth = held.values if who.shared_bits is not None else held.total()
        released = released_answer(
            designs[who], truth, "sum", out, study, ledger, insecure_seed, allow_useless=allow_useless
        )
    described = {"records": len(records), "low": low, "high": high, "clip": clip}
    values = records.possible_values(*_range(low, high))
    _tell("sum", "Private sum", designs, who, values, released, described, allow_useless=allow_useless, json=json)


def count_command(
    data: Records,
    column: Column,
    budget_bits: Budget,
    correlated: Correlated = None,
    shared_knowledge_bits: SharedKnowledge = None,
    value: Annotated[
        str | None, typer.Option(help="Count the rows that hold this. Default: those that are not empty.")
    ] = None,
    out: Out = None,
    study: PayingStudy = None,
    ledger: PayingLedger = None,
    encoding: Encoding = None,
    separator: Separator = None,
    decimal: Decimal = ".",
    sheet: Sheet = None,
    allow_useless: AllowUseless = False,
    insecure_seed: InsecureSeed = None,
    json: Json = False,
    limit_mb: LimitMb = 2000,
) -> None:
    """A private count of the rows that hold a value. The number of all rows is taken as public.

    Example:

        sfumato noise count answers.csv --column children --value 3 --budget-bits 0.1 --correlated 5 --out count.json
    """
    from sfumato.files.tables import read_table
    from sfumato.noise.gaussian_designs import private_count
    from sfumato.noise.private_data import count_cells
    from sfumato.noise.shared_bits_designs import believed_count

    who = correlation_of(correlated, shared_knowledge_bits)
    paid_for(out, ledger=ledger, study=study)
    source = data_file(data, encoding, separator, decimal, sheet)
    table, _ = read_table(source, limit_bytes=limit_mb * MEGABYTE, columns=[column])
    truth, rows = count_cells(table, column, value)
    with show_waiting("calibrating"):
        designs = _designs(
            lambda one: private_count(rows, budget_bits, one),
            lambda shared, people: believed_count(rows, budget_bits, shared, people=people),
            who,
        )
    released = None
    if out is not None:
        released = released_answer(
            designs[who], truth, "count", out, study, ledger, insecure_seed, allow_useless=allow_useless
        )
    _tell(
        "count",
        "Private count",
        designs,
        who,
        2,  # counted or not
        released,
        {"records": rows, "value": value},
        allow_useless=allow_useless,
        json=json,
    )


def _numbers(source: Any, column: str, limit_mb: int) -> NumberColumn:
    from sfumato.files.tables import read_table
    from sfumato.noise.private_data import number_column

    table, _ = read_table(source, limit_bytes=limit_mb * MEGABYTE, columns=[column])
    return number_column(table, column)


def _held(records: NumberColumn, low: float, high: float, *, clip: bool) -> NumberColumn:
    """The records within the range that was declared."""
    return records.within(*_range(low, high), clip=clip)


def _range(low: float, high: float) -> tuple[Fraction, Fraction]:
    from sfumato.numbers.checks import as_exact

    return as_exact("low", low), as_exact("high", high)


def _designs(
    build: Callable[[Correlation], Any], believed: Callable[[Fraction, int], Any], who: Correlation
) -> dict[Correlation, Any]:
    """The design for those who were named, and those for nobody and for anyone to stand beside it."""
    from sfumato.measures.dependence import ANYONE, NOBODY

    wanted = build(who) if who.shared_bits is None else believed(who.shared_bits, who.people or 1)
    return {who: wanted} | {one: build(one) for one in (NOBODY, ANYONE) if one != who}


def _tell(
    kind: str,
    title: str,
    designs: dict[Correlation, Any],
    who: Correlation,
    values: int | None,
    released: Any,
    described: dict[str, Any],
    *,
    allow_useless: bool,
    json: bool,
) -> None:
    from sfumato.output.noise import number_document, number_lines

    lines = (("records", f"{described['records']:,}"), *number_lines(designs, who, values))
    show_noise(
        title,
        lines,
        {"kind": kind, **described, **number_document(designs, who, values)},
        released,
        design=designs[who],
        allow_useless=allow_useless,
        json=json,
    )


# sfumato noise histogram and quantile: how a column is spread, with noise for a stated assumption.


def histogram_command(
    data: Records,
    column: Column,
    values: Annotated[list[str], typer.Option(help="All values that are counted, declared without looking: a,b,c.")],
    budget_bits: Budget,
    correlated: Correlated = None,
    shared_knowledge_bits: SharedKnowledge = None,
    other: Annotated[bool, typer.Option("--other", help="One more cell for everything else, empty cells too.")] = False,
    out: Out = None,
    study: PayingStudy = None,
    ledger: PayingLedger = None,
    encoding: Encoding = None,
    separator: Separator = None,
    decimal: Decimal = ".",
    sheet: Sheet = None,
    allow_useless: AllowUseless = False,
    insecure_seed: InsecureSeed = None,
    json: Json = False,
    limit_mb: LimitMb = 2000,
) -> None:
    """Private counts of each declared value of a column; OUT may end in .csv.

    Every cell gets noise, an empty one too, so counts may be negative and do not sum to the number of rows, which is
    taken as public. A value that was not declared is refused unless --other counts it.

    Example:

        sfumato noise histogram answers.csv --column children --values 1,2,3,4 --other --budget-bits 0.5 --correlated 5
    """
    from sfumato.files.tables import read_table
    from sfumato.measures.dependence import ANYONE, NOBODY
    from sfumato.noise.private_data import OTHER, declared_values, histogram_cells
    from sfumato.noise.shared_bits_designs import believed_histogram
    from sfumato.noise.vectors import private_histogram
    from sfumato.output.noise import histogram_lines, number_document

    who = correlation_of(correlated, shared_knowledge_bits)
    paid_for(out, ledger=ledger, study=study)
    declared = declared_values(cut_at_commas(values) or (), other=other)
    source = data_file(data, encoding, separator, decimal, sheet)
    table, _ = read_table(source, limit_bytes=limit_mb * MEGABYTE, columns=[column])
    counts, rows = histogram_cells(table, column, declared, other=other)
    cells = (*declared, OTHER) if other else declared
    with show_waiting("calibrating"):
        designs: dict[Correlation, Any] = {
            one: private_histogram(cells, rows, budget_bits, one) for one in (NOBODY, ANYONE)
        }
        if who.shared_bits is not None:
            designs[who] = believed_histogram(cells, rows, budget_bits, who.shared_bits, people=who.people or 1)
        elif who not in designs:
            designs[who] = private_histogram(cells, rows, budget_bits, who)
    released = None
    if out is not None:
        released = released_answer(
            designs[who], counts, "histogram", out, study, ledger, insecure_seed, cells, allow_useless=allow_useless
        )
    described = {
        "kind": "histogram",
        "records": rows,
        "cells": list(cells),
        **number_document(designs, who, len(cells)),
    }
    lines = (("records", f"{rows:,}"), ("cells", str(len(cells))), *histogram_lines(designs, who, len(cells)))
    show_noise(
        "Private histogram", lines, described, released, design=designs[who], allow_useless=allow_useless, json=json
    )


def quantile_command(
    data: Records,
    column: Column,
    grid: Annotated[
        str, typer.Option(help="The values that may be released, declared without looking: low:high:step.")
    ],
    budget_bits: Budget,
    correlated: Correlated = None,
    share: Annotated[str, typer.Option(help="Which part of the records lies below: .5 is the median.")] = "0.5",
    out: Out = None,
    study: PayingStudy = None,
    ledger: PayingLedger = None,
    encoding: Encoding = None,
    separator: Separator = None,
    decimal: Decimal = ".",
    sheet: Sheet = None,
    allow_useless: AllowUseless = False,
    insecure_seed: InsecureSeed = None,
    json: Json = False,
    limit_mb: LimitMb = 2000,
) -> None:
    """A private quantile of a column: one of the values of a grid, those of nearly the right rank most likely.

    Records may lie outside of the grid: only their order counts. The number of rows is taken as public.

    Example:

        sfumato noise quantile answers.csv --column children --share .5 --grid 0:6:0.5 --budget-bits 0.1 --correlated 5
    """
    from sfumato.files.tables import read_table
    from sfumato.measures.dependence import ANYONE, NOBODY
    from sfumato.noise.private_data import grid_values, number_column
    from sfumato.noise.quantiles import private_quantile
    from sfumato.numbers.exact import parse_given
    from sfumato.output.noise import quantile_document, quantile_lines

    who = correlation_of(correlated)
    paid_for(out, ledger=ledger, study=study)
    places, part = grid_values(grid), parse_given(share, "share")
    source = data_file(data, encoding, separator, decimal, sheet)
    table, _ = read_table(source, limit_bytes=limit_mb * MEGABYTE, columns=[column])
    records = number_column(table, column)
    with show_waiting("calibrating"):
        designs = {one: private_quantile(places, part, len(records), budget_bits, one) for one in (who, NOBODY, ANYONE)}
    released = None
    if out is not None:
        released = released_answer(
            designs[who], records.values, "quantile", out, study, ledger, insecure_seed, allow_useless=allow_useless
        )
    described = {"kind": "quantile", "records": len(records), "grid": grid, "share": str(part)}
    lines = (("records", f"{len(records):,}"), *quantile_lines(designs, who))
    show_noise(
        "Private quantile",
        lines,
        described | quantile_document(designs, who),
        released,
        design=designs[who],
        allow_useless=allow_useless,
        json=json,
    )


noise_app = typer.Typer(
    name="noise",
    help="Calibrate noise to a budget in bits, and release a noisy answer.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for _name, _command in (
    ("mean", mean_command),
    ("sum", sum_command),
    ("count", count_command),
    ("histogram", histogram_command),
    ("quantile", quantile_command),
):
    noise_app.command(_name)(_command)


@noise_app.command("gaussian")
def gaussian_command(
    budget_bits: Budget,
    bound: Annotated[float | None, typer.Option(help="The number lies in [-bound, bound].")] = None,
    low: Annotated[float | None, typer.Option(help="Or: the least that the number can be,")] = None,
    high: Annotated[float | None, typer.Option(help="and the most.")] = None,
    values: Values = None,
    input: Truth = None,  # noqa: A002  what the option is called
    out: Out = None,
    study: PayingStudy = None,
    ledger: PayingLedger = None,
    allow_useless: AllowUseless = False,
    insecure_seed: InsecureSeed = None,
    json: Json = False,
) -> None:
    """Gaussian noise for a number that is computed from the records of all people.

    The range must not come from looking at the data. With --input and --out the number in the file is rounded to a
    grid, noise is added exactly as certified, and the result is written beside its certificate, which `sfumato verify`
    checks.

    Example:

        sfumato noise gaussian --low 0 --high 100 --budget-bits 0.5
    """
    from sfumato.noise.gaussian_designs import gaussian
    from sfumato.noise.private_data import read_private_number
    from sfumato.output.noise import gaussian_lines

    both_given(input, out)
    paid_for(out, ledger=ledger, study=study)
    with show_waiting("calibrating"):
        design = gaussian(bound=bound, low=low, high=high, budget_bits=budget_bits, values=values)
    released = None
    if input is not None and out is not None:
        released = released_answer(
            design,
            read_private_number(input),
            "gaussian",
            out,
            study,
            ledger,
            insecure_seed,
            allow_useless=allow_useless,
        )
    show_noise(
        "Gaussian noise",
        gaussian_lines(design),
        _gaussian_json(design),
        released,
        design=design,
        allow_useless=allow_useless,
        json=json,
    )


@noise_app.command("flip")
def flip_command(
    budget_bits: BudgetOrNot = None,
    flip: Annotated[
        str | None, typer.Option(help="Instead: flip with this probability; the bits follow from it.")
    ] = None,
    input: Truth = None,  # noqa: A002  what the option is called
    out: Out = None,
    study: PayingStudy = None,
    ledger: PayingLedger = None,
    allow_useless: AllowUseless = False,
    insecure_seed: InsecureSeed = None,
    json: Json = False,
) -> None:
    """A yes/no answer about the records of all people, flipped by a coin. The file of --input says yes or no.

    Example:

        sfumato noise flip --budget-bits 0.5
    """
    from sfumato.errors import Place, UnreadableFile
    from sfumato.noise.channels import FlipDesign
    from sfumato.noise.channels import flip as flip_within
    from sfumato.noise.private_data import read_private_text
    from sfumato.output.noise import flip_lines

    one_of(budget_bits=budget_bits, flip=flip)
    both_given(input, out)
    paid_for(out, ledger=ledger, study=study)
    design = flip_within(budget_bits=budget_bits) if budget_bits is not None else FlipDesign(flip=_chance(flip or ""))
    released = None
    if input is not None and out is not None:
        words = {"yes": True, "no": False}
        answer = words.get(read_private_text(input).lower())
        if answer is None:
            raise UnreadableFile(
                "must say yes or no; what it says is not repeated here",
                place=Place(file=str(input)),
                way_out="Write one of the two.",
            )
        released = released_answer(
            design, answer, "flipped answer", out, study, ledger, insecure_seed, allow_useless=allow_useless
        )
    described = {"kind": "flip", "flip": str(design.flip), "capacity_bits": design.capacity_bits.upper}
    show_noise(
        "Flipped answer", flip_lines(design), described, released, design=design, allow_useless=allow_useless, json=json
    )


@noise_app.command("exponential")
def exponential_command(
    table: Annotated[
        Path, typer.Argument(help="Distortions (CSV): a row for the true answer, a column for the released.")
    ],
    budget_bits: BudgetOrNot = None,
    rate: Annotated[float | None, typer.Option(help="Instead: use this λ; the bits follow from it.")] = None,
    values: Values = None,
    channel: Annotated[Path | None, typer.Option(help="Write the channel (CSV, JSON) here.")] = None,
    input: Truth = None,  # noqa: A002  what the option is called
    out: Out = None,
    study: PayingStudy = None,
    ledger: PayingLedger = None,
    allow_useless: AllowUseless = False,
    insecure_seed: InsecureSeed = None,
    json: Json = False,
) -> None:
    """One of several answers, of which worse ones are exponentially less likely.

    Example:

        sfumato noise exponential distortion.csv --budget-bits 0.5
    """
    import math
    from fractions import Fraction

    from sfumato.errors import InvalidParameter
    from sfumato.noise.channels import exponential, exponential_of
    from sfumato.noise.private_data import read_distortion, read_private_text
    from sfumato.output.noise import exponential_lines, exponential_table
    from sfumato.prob.channel_files import write_channel

    one_of(budget_bits=budget_bits, rate=rate)
    both_given(input, out)
    paid_for(out, ledger=ledger, study=study)
    read = read_distortion(table)
    answers = read.answers or tuple(map(str, range(1, len(read.rows) + 1)))
    with show_waiting("calibrating"):
        if budget_bits is not None:
            design = exponential(read.rows, budget_bits=budget_bits, values=values, answers=answers)
        elif rate is not None and rate >= 0 and math.isfinite(rate):
            design = exponential_of(read.rows, ratio=Fraction(math.exp(-rate)), values=values, answers=answers)
        else:
            raise InvalidParameter(
                "must be a finite number ≥ 0",
                parameter="rate",
                value=rate,
                way_out="Choose 0 for answers that tell nothing.",
            )
    if channel is not None:
        write_channel(design.channel, channel)
        say(f"wrote {channel}")
    released = None
    if input is not None and out is not None:
        released = released_answer(
            design,
            read_private_text(input),
            "exponential answer",
            out,
            study,
            ledger,
            insecure_seed,
            allow_useless=allow_useless,
        )
    described = {"kind": "exponential", "rate": design.rate, "ratio": str(design.ratio), "answers": list(answers)}
    described |= {"capacity_bits": design.capacity_bits.upper, "printed_bits": design.printed_bits.upper}
    show_noise(
        "Exponential answers",
        exponential_lines(design),
        described,
        released,
        design=design,
        allow_useless=allow_useless,
        json=json,
    )
    drawn = exponential_table(design)
    if drawn is not None and not json:
        console().print(drawn)


def _chance(text: str) -> Fraction:
    from sfumato.errors import InvalidParameter, UnreadableFile
    from sfumato.numbers.exact import parse_number

    try:
        return parse_number(text, "flip")
    except UnreadableFile as error:
        raise InvalidParameter("must be a number", parameter="flip", way_out=error.way_out) from None


def _gaussian_json(design: GaussianDesign) -> dict[str, Any]:
    return {
        "kind": "gaussian",
        "low": float(design.low),
        "high": float(design.high),
        "variance": design.variance,
        "paper_variance": design.paper_variance,
        "continuous_variance": design.continuous_variance,
        "capacity_bits": design.capacity_bits.upper,
        "budget_bits": design.budget_bits,
        "grid": str(design.grid),
        "noise_variance_in_steps": str(design.noise.variance),
    }
