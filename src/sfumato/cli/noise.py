"""sfumato noise: the least noise for a budget in bits, against anyone with any correlations in mind."""

from __future__ import annotations

import json as json_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli.budget_options import LEDGER, STUDY_BUDGET, chosen_ledger
from sfumato.cli.output import MEGABYTE, console, say, show_waiting

if TYPE_CHECKING:
    from fractions import Fraction

    from sfumato.design.gaussian_noise import GaussianDesign

noise_app = typer.Typer(
    name="noise",
    help="Calibrate noise to a budget in bits, and release a noisy answer.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_BUDGET = typer.Option("--budget-bits", help="What may be told about anyone, in bits.")
_VALUES = typer.Option(help="How many values a record can have, where that is few and known: less noise.")
_INPUT = typer.Option("--input", help="The true answer, in a file, so that it stays out of the shell's history.")
_OUT = typer.Option("--out", "-o", help="Write the noisy answer (JSON) here.")
Budget = Annotated[float, _BUDGET]
BudgetOrNot = Annotated[float | None, _BUDGET]
Values = Annotated[int | None, _VALUES]
Truth = Annotated[Path | None, _INPUT]
Out = Annotated[Path | None, _OUT]
StudyFile = Annotated[Path | None, STUDY_BUDGET]
LedgerFile = Annotated[Path | None, LEDGER]
AsJson = Annotated[bool, typer.Option("--json", help="Print as JSON.")]


@noise_app.command("gaussian")
def gaussian_command(
    budget_bits: Budget,
    bound: Annotated[float | None, typer.Option(help="The number lies in [-bound, bound].")] = None,
    low: Annotated[float | None, typer.Option(help="Or: the least that the number can be,")] = None,
    high: Annotated[float | None, typer.Option(help="and the most.")] = None,
    values: Values = None,
    input: Truth = None,  # noqa: A002  what the option is called
    out: Out = None,
    study: StudyFile = None,
    ledger: LedgerFile = None,
    json: AsJson = False,
) -> None:
    """Gaussian noise for a number that is computed from everybody's records.

    The range must not come from looking at the data. With --input and --out the number in the file is rounded to a
    grid, noise is added exactly as certified, and the result is written beside its certificate, which `sfumato verify`
    checks.

    Example:

        sfumato noise gaussian --low 0 --high 100 --budget-bits 0.5
    """
    from sfumato.design import gaussian
    from sfumato.io.noise_files import read_private_number
    from sfumato.render.noises import gaussian_lines

    _both(input, out)
    with show_waiting("calibrating"):
        design = gaussian(bound=bound, low=low, high=high, budget_bits=budget_bits, values=values)
    released = None
    if input is not None and out is not None:
        value = design.release(read_private_number(input))
        released = _release(out, "gaussian", value, design, chosen_ledger(study, ledger))
    _show("Gaussian noise", gaussian_lines(design), _gaussian_json(design), released, out, json=json)


@noise_app.command("mean")
def mean_command(
    data: Annotated[Path, typer.Argument(help="The records: CSV or Parquet, one a row.")],
    column: Annotated[str, typer.Option(help="The column with the numbers.")],
    low: Annotated[float, typer.Option(help="The least that a record can be.")],
    high: Annotated[float, typer.Option(help="The most.")],
    budget_bits: Budget,
    out: Out = None,
    study: StudyFile = None,
    ledger: LedgerFile = None,
    json: AsJson = False,
    limit_mb: Annotated[int, typer.Option(min=1, help="Refuse data larger than this many MB.")] = 2000,
) -> None:
    """A private mean of a column; without --out only what it would cost, and how far off it may be.

    The number of rows is taken as public. A record outside the range is refused, not clipped.

    Example:

        sfumato noise mean answers.csv --column rooms --low 0 --high 6 --budget-bits 1 --out mean.json
    """
    from sfumato.design import private_mean
    from sfumato.files.tables import read_table, words_of
    from sfumato.io.noise_files import private_numbers
    from sfumato.render.noises import mean_lines

    table, _ = read_table(data, limit_bytes=limit_mb * MEGABYTE)
    words = words_of(table, column)
    with show_waiting("calibrating"):
        mean = private_mean(low, high, len(words), budget_bits)
    released = None
    if out is not None:
        value = mean.release(private_numbers(words, column))
        released = _release(out, "mean", value, mean.design, chosen_ledger(study, ledger))
    described = {**_gaussian_json(mean.design), "kind": "mean", "records": mean.count}
    _show("Private mean", mean_lines(mean), described, released, out, json=json)


@noise_app.command("flip")
def flip_command(
    budget_bits: BudgetOrNot = None,
    flip: Annotated[str | None, typer.Option(help="Instead: what a flip with this probability tells.")] = None,
    input: Truth = None,  # noqa: A002  what the option is called
    out: Out = None,
    study: StudyFile = None,
    ledger: LedgerFile = None,
    json: AsJson = False,
) -> None:
    """A yes/no answer about everybody's records, flipped by a coin. The file of --input says yes or no.

    Example:

        sfumato noise flip --budget-bits 0.5
    """
    from sfumato.design import FlipDesign
    from sfumato.design import flip as flip_within
    from sfumato.errors import UnreadableFile
    from sfumato.files.numbers import parse_number
    from sfumato.io.noise_files import read_private_text
    from sfumato.render.noises import flip_lines

    _one_of("--budget-bits", budget_bits, "--flip", flip)
    _both(input, out)
    design = (
        flip_within(budget_bits=budget_bits)
        if budget_bits is not None
        else FlipDesign(flip=parse_number(flip or "", "--flip"))
    )
    released = None
    if input is not None and out is not None:
        words = {"yes": True, "no": False}
        answer = words.get(read_private_text(input).lower())
        if answer is None:
            raise UnreadableFile(f"file {input} must say yes or no. What it says is not repeated here.")
        told = {"value": "yes" if design.release(answer) else "no"}
        released = _write(out, "flipped answer", told, design.bits.upper, chosen_ledger(study, ledger))
    described = {"kind": "flip", "flip": str(design.flip), "capacity_bits": design.bits.upper}
    _show("Flipped answer", flip_lines(design), described, released, out, json=json)


@noise_app.command("exponential")
def exponential_command(
    table: Annotated[Path, typer.Argument(help="Distortions (CSV): a row for the true answer, a column for the told.")],
    budget_bits: BudgetOrNot = None,
    rate: Annotated[float | None, typer.Option(help="Instead: what λ = rate tells.")] = None,
    values: Values = None,
    channel: Annotated[Path | None, typer.Option(help="Write the channel (CSV, JSON) here.")] = None,
    input: Truth = None,  # noqa: A002  what the option is called
    out: Out = None,
    study: StudyFile = None,
    ledger: LedgerFile = None,
    json: AsJson = False,
) -> None:
    """One of several answers, of which worse ones are exponentially less likely.

    Example:

        sfumato noise exponential distortion.csv --budget-bits 0.5
    """
    import math
    from fractions import Fraction

    from sfumato.design import exponential, exponential_of
    from sfumato.errors import InvalidParameter
    from sfumato.io import write_channel
    from sfumato.io.noise_files import read_distortion, read_private_text
    from sfumato.render.noises import exponential_lines, exponential_table

    _one_of("--budget-bits", budget_bits, "--rate", rate)
    _both(input, out)
    read = read_distortion(table)
    answers = read.answers or tuple(map(str, range(1, len(read.rows) + 1)))
    with show_waiting("calibrating"):
        if budget_bits is not None:
            design = exponential(read.rows, budget_bits=budget_bits, values=values, answers=answers)
        elif rate is not None and rate >= 0 and math.isfinite(rate):
            design = exponential_of(read.rows, ratio=Fraction(math.exp(-rate)), values=values, answers=answers)
        else:
            raise InvalidParameter(f"rate={rate} must be a finite number ≥ 0. Choose 0 for answers that tell nothing.")
    if channel is not None:
        write_channel(design.channel, channel)
        say(f"wrote {channel}")
    released = None
    if input is not None and out is not None:
        told = {"value": design.release(read_private_text(input))}
        released = _write(out, "exponential answer", told, design.bits.upper, chosen_ledger(study, ledger))
    described = {"kind": "exponential", "rate": design.rate, "ratio": str(design.ratio), "answers": list(answers)}
    described |= {"capacity_bits": design.bits.upper, "printed_bits": design.printed_bits.upper}
    _show("Exponential answers", exponential_lines(design), described, released, out, json=json)
    drawn = exponential_table(design)
    if drawn is not None and not json:
        console().print(drawn)


def _release(out: Path, what: str, value: Fraction, design: GaussianDesign, ledger: Path | None) -> dict[str, Any]:
    certificate = f"{out}.certificate.json"
    told = {"value": float(value), "exact": str(value), "certificate": certificate}
    return _write(out, what, told, design.capacity_bits.upper, ledger, (certificate, design.certificate.to_json()))


def _write(
    out: Path,
    what: str,
    told: dict[str, Any],
    bits: float,
    ledger: Path | None,
    certificate: tuple[str, str] | None = None,
) -> dict[str, Any]:
    """Pay for what was drawn, and only then write it; its certificate first, so that nothing is without one."""
    from sfumato.files import write_atomically
    from sfumato.io.noise_files import write_noisy
    from sfumato.study.budgets import check_folder_of, paid, release_of_noise

    check_folder_of(out)
    with paid(ledger, None if ledger is None else release_of_noise(f"{what}, {out.name}", bits)):
        if certificate is not None:
            write_atomically(*certificate)
        write_noisy(out, {**told, "capacity_bits": bits})
    return told


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


def _show(
    title: str,
    lines: tuple[tuple[str, str], ...],
    described: dict[str, Any],
    released: dict[str, Any] | None,
    out: Path | None,
    *,
    json: bool,
) -> None:
    from sfumato.render.noises import noise_table

    if json:
        document = {"schema": "sfumato/noise/1", **described, "released": released}
        typer.echo(json_module.dumps(document, ensure_ascii=False))
        return
    console().print(noise_table(title, lines))
    if released is not None:
        certificate = released.get("certificate")
        say(f"wrote {out}" + (f" and {certificate}" if certificate else ""))


def _both(truth: Path | None, out: Path | None) -> None:
    from sfumato.errors import InvalidParameter

    if (truth is None) != (out is None):
        raise InvalidParameter("--input and --out go together: the true answer, and where the noisy one is written.")


def _one_of(first: str, one: object, second: str, other: object) -> None:
    from sfumato.errors import InvalidParameter

    if (one is None) == (other is None):
        raise InvalidParameter(f"give either {first} or {second}: the one follows from the other.")
