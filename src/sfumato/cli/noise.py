"""sfumato noise: the least noise for a budget in bits, for a number or an answer that was computed elsewhere.

These hold for anyone with any correlations in mind; what is computed from a column is in `noise_columns`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli.noise_columns import count_command, mean_command, sum_command
from sfumato.cli.noise_parts import (
    AllowUseless,
    Budget,
    BudgetOrNot,
    Out,
    Truth,
    Values,
    released_answer,
    show_noise,
)
from sfumato.cli.noise_tables import histogram_command, quantile_command
from sfumato.cli.options import InsecureSeed, Json, PayingLedger, PayingStudy, both_given, one_of, paid_for
from sfumato.cli.output import console, say, show_waiting

if TYPE_CHECKING:
    from fractions import Fraction

    from sfumato.design.gaussian_noise import GaussianDesign

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
    flip: Annotated[str | None, typer.Option(help="Instead: what a flip with this probability tells.")] = None,
    input: Truth = None,  # noqa: A002  what the option is called
    out: Out = None,
    study: PayingStudy = None,
    ledger: PayingLedger = None,
    allow_useless: AllowUseless = False,
    insecure_seed: InsecureSeed = None,
    json: Json = False,
) -> None:
    """A yes/no answer about everybody's records, flipped by a coin. The file of --input says yes or no.

    Example:

        sfumato noise flip --budget-bits 0.5
    """
    from sfumato.design import FlipDesign
    from sfumato.design import flip as flip_within
    from sfumato.errors import Place, UnreadableFile
    from sfumato.io.noise_files import read_private_text
    from sfumato.render.noises import flip_lines

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
    table: Annotated[Path, typer.Argument(help="Distortions (CSV): a row for the true answer, a column for the told.")],
    budget_bits: BudgetOrNot = None,
    rate: Annotated[float | None, typer.Option(help="Instead: what λ = rate tells.")] = None,
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

    from sfumato.design import exponential, exponential_of
    from sfumato.errors import InvalidParameter
    from sfumato.io import write_channel
    from sfumato.io.noise_files import read_distortion, read_private_text
    from sfumato.render.noises import exponential_lines, exponential_table

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
    from sfumato.files.numbers import parse_number

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
