"""sfumato query: answers that are right with a stated probability."""

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
    PayingStudy,
    Quiet,
    Separator,
    Sheet,
    data_file,
)
from sfumato.cli.output import MEGABYTE, console, say, show_progress, tell, tell_json

if TYPE_CHECKING:
    from sfumato.recoverable.query_files import QueryDesign


query_app = typer.Typer(
    name="query",
    help="Answer a question about data with the right value often enough, and hide the data.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)

DESIGN = typer.Option("--design", help="The design that `sfumato query design` wrote.")
COLUMN = typer.Option(help="The column with the values. Default: value, or the only column.")


@query_app.command("design")
def design_command(
    table: Annotated[Path, typer.Argument(help="CSV or Parquet with value, tell, and perhaps probability and hide.")],
    rho: Annotated[str, typer.Option(help="How often each answer must be right: 0.9, or 9/10.")],
    responses: Annotated[int, typer.Option("--responses", "-n", min=1, help="How many answers will be given.")] = 1,
    starts: Annotated[int, typer.Option(min=0, help="Where to begin the search for several answers.")] = 8,
    seconds: Annotated[float, typer.Option(min=0, help="How long to search; the best so far is kept.")] = 5.0,
    every_answer: Annotated[
        bool, typer.Option("--every-answer", help="Promise privacy after every answer, not on average.")
    ] = False,
    persistent_secret: Annotated[
        bool, typer.Option("--persistent-secret", help="All answers by one secret that each person draws once.")
    ] = False,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write the design (JSON) here.")] = None,
    json: Json = False,
) -> None:
    """Design answers: for each value of the data, how often to say what.

    Example:

        sfumato query design blood.csv --rho 0.9 --out design.json
    """
    from sfumato.files.formats import check_places
    from sfumato.recoverable.query_files import write_query_design

    check_places(out=out)
    if every_answer and (responses > 1 or persistent_secret):
        from sfumato.errors import InvalidParameter

        raise InvalidParameter(
            "is for one answer", parameter="every_answer", way_out="Ask for one response, without `persistent_secret`."
        )
    kind = "every answer" if every_answer else "persistent secret" if persistent_secret else "average"
    design = _designed(table, rho, responses, (starts, seconds), kind)
    if out is not None:
        write_query_design(design, out)
        say(f"wrote {out}")
    if json:
        tell_json(_as_json(design))
    else:
        _print(design)


@query_app.command("answer")
def answer_command(
    data: Annotated[Path, typer.Argument(help="The data, one value a row: CSV, Parquet, Excel, SPSS or Stata.")],
    design: Annotated[Path, DESIGN],
    out: Annotated[Path, typer.Option("--out", "-o", help="Write the answers here.")],
    column: Annotated[str | None, COLUMN] = None,
    encoding: Encoding = None,
    separator: Separator = None,
    decimal: Decimal = ".",
    sheet: Sheet = None,
    insecure_seed: InsecureSeed = None,
    study: PayingStudy = None,
    ledger: PayingLedger = None,
    quiet: Quiet = False,
    limit_mb: LimitMb = 2000,
) -> None:
    """Answer for every row of the data; the answers can be given out.

    With a ledger they are debited to it before they are written.

    Example:

        sfumato query answer people.csv --design design.json --out answers.csv
    """
    from sfumato.display.text import counted
    from sfumato.workflows.query import answer_query

    made = answer_query(
        data_file(data, encoding, separator, decimal, sheet),
        design,
        out=out,
        column=column,
        study=study,
        ledger=ledger,
        insecure_seed=insecure_seed,
        limit_bytes=limit_mb * MEGABYTE,
    )
    if insecure_seed is not None:
        say(f"WARNING: {made.source}")
    if not quiet:
        say(f"wrote {counted(made.rows, 'row')} of {counted(len(made.table.column_names), 'answer')} to {out}")


@query_app.command("attack")
def attack_command(
    answers: Annotated[Path, typer.Argument(help="Answers that `sfumato query answer` wrote.")],
    design: Annotated[Path, DESIGN],
    truth: Annotated[Path | None, typer.Option(help="The data, to see how often the guesses are right.")] = None,
    column: Annotated[str | None, COLUMN] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write the guesses here.")] = None,
    json: Json = False,
    limit_mb: LimitMb = 2000,
) -> None:
    """Make the best guesses from answers: the querier guesses what was asked for, the attacker the data.

    Example:

        sfumato query attack answers.csv --design design.json --truth people.csv
    """
    import numpy as np
    import pyarrow as pa

    from sfumato.files.formats import check_table_place
    from sfumato.files.public_tables import write_table
    from sfumato.recoverable.guesses import Guesser
    from sfumato.recoverable.query_files import read_query_design
    from sfumato.workflows.query import data_places

    check_table_place("out", out)
    made = read_query_design(design)
    query = made.query
    seen = _answer_places(answers, made, limit_mb)
    law, data, places_of_f = made.pairs
    told = [query.values[place] for place in query.f]
    querier = Guesser.of_function(law, made.channels, [query.values[place] for place in places_of_f])
    attacker = Guesser.of_function(law, made.channels, data)
    guessed_value, guessed_data = querier.guess(seen), attacker.guess(seen)
    if out is not None:
        labels = (np.array([str(v) for v in who.labels], dtype=object) for who in (querier, attacker))
        columns = zip(("told", "value"), labels, (guessed_value, guessed_data), strict=True)
        write_table(
            pa.table({name: pa.array(names[found].tolist()) for name, names, found in columns}), out, private=True
        )
        say(f"wrote {out}")
    outcome: dict[str, Any] = {"rows": len(seen), "promised_error": float(made.privacy)}
    if truth is not None:
        places = data_places(truth, made, column, limit_bytes=limit_mb * MEGABYTE)
        if places.size != len(seen):
            from sfumato.errors import InvalidParameter

            raise InvalidParameter(
                f"has {places.size} rows, and there are {len(seen)} answers",
                parameter="truth",
                way_out="Give the data behind these answers.",
            )
        values = np.array([querier.labels.index(value) for value in told])[places]
        outcome["querier_right"] = float((guessed_value == values).mean())
        outcome["attacker_wrong"] = float((guessed_data != places).mean())
    if json:
        tell_json(outcome)
        return
    tell(
        f"{outcome['rows']:,} rows. The attacker is promised to be wrong {100 * float(made.privacy):.2f} % of the time."
    )
    if truth is not None:
        tell(f"The attacker was wrong {100 * outcome['attacker_wrong']:.2f} % of the time.")
        tell(f"The querier was right {100 * outcome['querier_right']:.2f} % of the time.")


def _designed(table: Path, rho: str, responses: int, limits: tuple[int, float], kind: str) -> QueryDesign:
    from fractions import Fraction

    from sfumato.errors import InvalidParameter
    from sfumato.recoverable.answers import best_answer, hide_predicate
    from sfumato.recoverable.many_responses import design_responses
    from sfumato.recoverable.queries import Query
    from sfumato.recoverable.query_files import QueryDesign, partners_design, read_query_table
    from sfumato.recoverable.worst_case import design_every_answer
    from sfumato.study.fields import exact_number

    read = read_query_table(table)
    query = Query.of(read.prior, read.tell, exact_number("rho", rho))
    if kind != "average" and read.hide is not None:
        raise InvalidParameter(
            "hides the data, and the table has the column hide",
            parameter=kind.replace(" ", "_"),
            way_out="Drop that column, or ask without this option.",
        )
    if kind == "persistent secret":
        return partners_design(query, responses)
    if kind == "every answer":
        each = design_every_answer(query)
        return QueryDesign(
            name="best after every answer",
            query=query,
            channels=(each.channel,),
            privacy=each.average,
            converse=each.best_average,
        )
    if responses == 1:
        made = best_answer(query) if read.hide is None else hide_predicate(query, read.hide)
        return QueryDesign(
            name=made.name, query=query, channels=(made.channel,), privacy=made.privacy, converse=made.privacy
        )
    starts, seconds = limits
    with show_progress("searching", 4 * starts) as advance:
        many = design_responses(
            query, responses, predicate=read.hide, starts=starts, seconds=seconds, progress=lambda _: advance(1)
        )
    return QueryDesign(
        name=many.name,
        query=query,
        channels=many.channels,
        privacy=Fraction(many.privacy.lower) if many.exact is None else many.exact,
        converse=many.converse,
        search=many.search,
    )


def _answer_places(path: Path, design: QueryDesign, limit_mb: int) -> Any:
    import numpy as np

    from sfumato.files.tables import places_in, read_table

    table, _ = read_table(path, limit_bytes=limit_mb * MEGABYTE)
    told = [str(value) for value in design.query.values]
    return np.stack([places_in(table, f"answer_{i + 1}", told) for i in range(len(design.channels))], axis=1)


def _as_json(design: QueryDesign) -> dict[str, Any]:
    return {
        "schema": "sfumato/query-plan/1",
        "name": design.name,
        "rho": str(design.query.rho),
        "critical_rho": str(design.query.critical_rho),
        "privacy": float(design.privacy),
        "converse": float(design.converse),
        "told": [str(value) for value in design.query.values],
        "responses": [[[str(p) for p in row] for row in channel.rows] for channel in design.channels],
        "search": design.search,
        "partners": None if design.partners is None else [[str(p) for p in row] for row in design.partners.rows],
    }


def _print(design: QueryDesign) -> None:
    from sfumato.output.noise import query_tables

    for part in query_tables(design):
        console().print(part)
