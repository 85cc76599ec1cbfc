"""Answering a query for every row of a table."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.files.public_tables import write_table
from sfumato.files.tables import TABLE_LIMIT_BYTES, TableLike, as_arrow, places_in, text_column
from sfumato.publications.part import arrow_table
from sfumato.publications.registry import ledger_of
from sfumato.recoverable.query_files import QueryDesign, read_query_design
from sfumato.sampling.samplers import RowDraws
from sfumato.sampling.sources import BitSource, SystemBits
from sfumato.study.planning import release_of_answers
from sfumato.study.study import Study
from sfumato.workflows.releasing import paid, probe_table, source_of


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class AnswerTable:
    """Answers that may be given out, a column a response; `source` says where the draws came from."""

    table: Any
    source: str
    rows: int

    def __repr__(self) -> str:
        return f"<AnswerTable: {self.rows:,} rows of {len(self.table.column_names)} answers>"


def answer_query(
    data: TableLike,
    design: QueryDesign | str | Path,
    *,
    out: str | Path,
    column: str | None = None,
    study: Study | str | Path | None = None,
    ledger: str | Path | None = None,
    bits: BitSource | None = None,
    insecure_seed: int | None = None,
    limit_bytes: int = TABLE_LIMIT_BYTES,
) -> AnswerTable:
    """Answer for every row of the data, debit the ledger if there is one, and write the answers.

    Returns:
        The answers, one for each row.

    Raises:
        InvalidParameter: the study has no query, or a value is not among its inputs.
        BudgetSpent: the ledger has not enough left.

    >>> import pathlib, tempfile
    >>> import sfumato as sf
    >>> from sfumato.recoverable.query_files import QueryDesign
    >>> made = sf.recoverable.recoverable({"0": 0.4, "A": 0.4, "B": 0.2}, {"0": "no", "A": "yes", "B": "yes"}, 0.8)
    >>> out = pathlib.Path(tempfile.mkdtemp()) / "answers.csv"
    >>> kept = QueryDesign(
    ...     name=made.name, query=made.query, channels=(made.channel,), privacy=made.privacy, converse=made.privacy
    ... )
    >>> sf.answer_query({"group": ["0", "A", "B"]}, kept, out=out, insecure_seed=7).rows
    3
    """
    made = design if isinstance(design, QueryDesign) else read_query_design(design)
    book = ledger_of(study, ledger)
    source = source_of(bits, insecure_seed, book) or SystemBits()
    probe_table(out)
    places = data_places(data, made, column, limit_bytes=limit_bytes)
    told = [str(value) for value in made.query.values]
    cases = places
    if made.partners is not None:
        # The secret of each person lives as long as this call: all answers of the design are drawn by it, here.
        cases = places * len(told) + RowDraws(made.partners).draw(source, places)
    table = arrow_table(
        {
            f"answer_{i + 1}": text_column(RowDraws(channel).draw(source, cases), told)
            for i, channel in enumerate(made.channels)
        }
    )
    with paid(book, None if book is None else release_of_answers(made, places.size)):
        write_table(table, out)
    return AnswerTable(table=table, source=source.label, rows=int(places.size))


def data_places(
    data: TableLike, design: QueryDesign, column: str | None = None, *, limit_bytes: int = TABLE_LIMIT_BYTES
) -> Any:
    """Return the place of each value of the data in the query's list; the column is `value`, or the first."""
    table = as_arrow(data, limit_bytes=limit_bytes)
    name = column or ("value" if "value" in table.column_names else table.column_names[0])
    return places_in(table, name, [str(value) for value in design.query.prior.labels])
