"""sfumato noise mean, sum and count: one number of a column, with noise for a stated assumption."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli.layouts import Decimal, Encoding, Separator, Sheet, data_file
from sfumato.cli.noise_parts import (
    AllowUseless,
    Budget,
    Clip,
    Column,
    Correlated,
    High,
    Low,
    Out,
    Records,
    SharedKnowledge,
    correlation_of,
    released_answer,
    show_noise,
)
from sfumato.cli.options import InsecureSeed, Json, LimitMb, PayingLedger, PayingStudy, paid_for
from sfumato.cli.output import MEGABYTE, show_waiting

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from sfumato.io.private_columns import NumberColumn
    from sfumato.values.correlation import Correlation


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

        sfumato noise mean answers.csv --column rooms --low 0 --high 6 --budget-bits 0.1 --correlated 5 --out mean.json
    """
    from sfumato.design import believed_mean, private_mean

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

        sfumato noise sum answers.csv --column rooms --low 0 --high 6 --budget-bits 0.1 --correlated 5 --out sum.json
    """
    from sfumato.design import believed_sum, private_sum

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

        sfumato noise count answers.csv --column rooms --value 3 --budget-bits 0.1 --correlated 5 --out count.json
    """
    from sfumato.design import believed_count, private_count
    from sfumato.files.tables import read_table
    from sfumato.io.private_columns import count_cells

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
    from sfumato.io.private_columns import number_column

    table, _ = read_table(source, limit_bytes=limit_mb * MEGABYTE, columns=[column])
    return number_column(table, column)


def _held(records: NumberColumn, low: float, high: float, *, clip: bool) -> NumberColumn:
    """The records within the range that was declared."""
    return records.within(*_range(low, high), clip=clip)


def _range(low: float, high: float) -> tuple[Fraction, Fraction]:
    from sfumato.values.checks import as_exact

    return as_exact("low", low), as_exact("high", high)


def _designs(
    build: Callable[[Correlation], Any], believed: Callable[[Fraction, int], Any], who: Correlation
) -> dict[Correlation, Any]:
    """The design for those who were named, and those for nobody and for anyone to stand beside it."""
    from sfumato.values.correlation import ANYONE, NOBODY

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
    from sfumato.render.column_noises import number_document, number_lines

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
