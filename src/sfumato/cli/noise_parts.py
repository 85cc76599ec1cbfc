"""What the verbs of noise share: their options, who may depend on whom, and how a release is shown."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli.output import console, say, tell_json

if TYPE_CHECKING:
    from sfumato.study.steps.numbers import NoiseDesign, NoisyAnswer
    from sfumato.values.correlation import Correlation

_BUDGET = typer.Option("--budget-bits", help="What may be told about anyone, in bits.")
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
    from sfumato.files.numbers import parse_given
    from sfumato.values.correlation import Correlation

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
    from sfumato.study.steps import release_noise

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
    from sfumato.design.usefulness import check_useful
    from sfumato.render.noises import noise_table

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
