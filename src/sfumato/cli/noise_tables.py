"""sfumato noise histogram and quantile: how a column is spread, with noise for a stated assumption."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli.layouts import Decimal, Encoding, Separator, Sheet, data_file
from sfumato.cli.noise_parts import (
    AllowUseless,
    Budget,
    Column,
    Correlated,
    Out,
    Records,
    SharedKnowledge,
    correlation_of,
    released_answer,
    show_noise,
)
from sfumato.cli.options import InsecureSeed, Json, LimitMb, PayingLedger, PayingStudy, cut_at_commas, paid_for
from sfumato.cli.output import MEGABYTE, show_waiting

if TYPE_CHECKING:
    from sfumato.values.correlation import Correlation


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

        sfumato noise histogram answers.csv --column rooms --values 1,2,3,4 --other --budget-bits 0.5 --correlated 5
    """
    from sfumato.design import believed_histogram, private_histogram
    from sfumato.files.tables import read_table
    from sfumato.io.private_columns import OTHER, declared_values, histogram_cells
    from sfumato.render.column_noises import histogram_lines, number_document
    from sfumato.values.correlation import ANYONE, NOBODY

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
    grid: Annotated[str, typer.Option(help="The values that may be told, declared without looking: low:high:step.")],
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

        sfumato noise quantile answers.csv --column rooms --share .5 --grid 0:6:0.5 --budget-bits 0.1 --correlated 5
    """
    from sfumato.design import private_quantile
    from sfumato.files.numbers import parse_given
    from sfumato.files.tables import read_table
    from sfumato.io.private_columns import grid_values, number_column
    from sfumato.render.column_noises import quantile_document, quantile_lines
    from sfumato.values.correlation import ANYONE, NOBODY

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
